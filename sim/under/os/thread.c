/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of src/ on the machine. */
#include "os/thread.h"

#include <errno.h>

#include "sim/step.h"
#include "sim/thread.h"

/* Giving the CPU away takes as long as a system call. */
#define YIELD_NS 200

int os_thread_create(struct os_thread *ret, const struct os_thread_attr *attr,
		     void (*run)(void *arg), void *arg)
{
	sim_step();
	return sim_thread_create(&ret->thread, attr ? attr->name : NULL, run,
				 arg);
}

int os_thread_join(struct os_thread *thread)
{
	sim_step();
	sim_thread_join(thread->thread);
	thread->thread = NULL;
	return 0;
}

pid_t os_thread_self_tid(void)
{
	return (pid_t)sim_machine.running->number + 1;
}

uintptr_t os_thread_mark(void)
{
	return (uintptr_t)os_thread_self_tid();
}

int os_thread_clock_ns(const struct os_thread *thread, uint64_t *ret_ns)
{
	if (!thread->thread)
		return -ESRCH;
	*ret_ns = thread_busy(thread->thread) >> SIM_UNIT_SHIFT;
	return 0;
}

uint64_t os_thread_cpu_ns(void)
{
	return thread_busy(sim_machine.running) >> SIM_UNIT_SHIFT;
}

int os_thread_bind(int os_cpu)
{
	return os_cpu >= 0 && (unsigned)os_cpu < sim_machine.options.cpus
		       ? 0
		       : -EINVAL;
}

int os_thread_unbind(void)
{
	return 0;
}

void os_thread_yield(void)
{
	sim_spend(YIELD_NS);
}
