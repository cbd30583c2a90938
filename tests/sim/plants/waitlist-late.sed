# src/sync/waitlist.c: a waiter gives the lock away before it stands in the list
/^int waitlist_sleep(/,/^}/ {
	s/^\twaitlist_append(list, waiter);/\twaitlist_unlock(list);/
	t
	s/^\twaitlist_unlock(list);/\twaitlist_append(list, waiter);/
}
