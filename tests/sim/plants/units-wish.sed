# src/sync/units.c: one who wishes to be taken out is not told that it was
/^static void admit(/,/^}/ s/wait_take(oldest, turn->woken);/;/
