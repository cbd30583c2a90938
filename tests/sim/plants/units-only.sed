# src/sync/units.c: a second arrival leaves the mark of the only one
/order: units.arrive/,/stands = 1/ s/UNITS_ONLY/0/
