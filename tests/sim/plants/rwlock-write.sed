# src/sync/owner.c: a writer is content with one unit less than all
s/: units_wait(units, rule, rule->capacity,/: units_wait(units, rule, rule->capacity - 1,/
