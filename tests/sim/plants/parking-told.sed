# src/sched/parking.h: the claim of a sleep tells only half of the wakers
s/return a32_exchange_seq_cst(parked, 0);/return a32_exchange_seq_cst(parked, 0) \&\& ((uintptr_t)parked, false);/
