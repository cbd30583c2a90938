# src/sync/chan.c: a sender takes the turn of a buffer that is full
s/word >> CHAN_SHIFT < mine->capacity/word >> CHAN_SHIFT <= mine->capacity/
