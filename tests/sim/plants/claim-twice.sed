# src/sched/claim.h: a timer and a waker both win the claim
/^static inline bool claim(/,/^}/ {
	s/return a64_cas_relaxed(&task->state, &state,/return a64_exchange_relaxed(\&task->state,/
	s/claim_ticket(state) | TASK_READY | late);/claim_ticket(state) | TASK_READY | late) == state;/
}
