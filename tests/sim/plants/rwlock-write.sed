# src/sync/owner.h: a writer is content with one unit less than all
/^static always_inline int owner_lock(/,/^}/ s/units_wait(units, rule, rule->capacity,/units_wait(units, rule, rule->capacity - 1,/
