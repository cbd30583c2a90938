# src/sync/waitlist.c: a waiter gives the lock away before it stands in the list
/^int waitlist_sleep(/,/^}/ {
	s/^\twait_prepare(waiter, deadline_ns);/\twaitlist_unlock(list);\n&/
	t
	/^\twaitlist_unlock(list);/d
}
