# src/sched/parking.h: the claim of a sleep tells only half of the wakers
# seeds: 1000
s/return (enum parking_bed)a32_exchange_relaxed(parked, PARKED_NOT);/return (enum parking_bed)(0 * a32_exchange_relaxed(parked, PARKED_NOT));/
