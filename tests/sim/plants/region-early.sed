# src/sched/region.c: who lost the CPU does not wait for the books of it
s/while (!a32_load_acquire(&self->left))/while (a32_load_acquire(\&self->left) > 1)/
