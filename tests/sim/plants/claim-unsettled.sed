# src/sched/claim.h: a task that is still leaving its CPU runs on another
s/return !a32_load_acquire(&task->on_cpu);/return task != NULL;/
