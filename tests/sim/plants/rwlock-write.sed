# src/sync/rwlock.c: a writer is content with one unit less than all
/^int mete_rwlock_write(/,/^}/ s/units_wait(units, &rule_rwlock, METE_RWLOCK_READERS,/units_wait(units, \&rule_rwlock, METE_RWLOCK_READERS - 1,/
