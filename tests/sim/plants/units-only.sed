# src/sync/units.c: a second arrival leaves the mark of the only one
# seeds: 10000
s/~(UNITS_ADDRESS | UNITS_ONLY)/~UNITS_ADDRESS/
