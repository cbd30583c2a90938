# src/sync/units.c: who leaves the turn forgets that the event was set
/^static bool leave(/,/^}/ s/if (word & UNITS_LATCH)/if (false)/
