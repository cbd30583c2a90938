/* SPDX-License-Identifier: Apache-2.0 */
/* Start and stop of the runtime, and its version. */
#include <errno.h>
#include <string.h>

#include <mete/stat.h>
#include <mete/task.h>
#include <mete/version.h>

#include "io/reactor.h"
#include "os/topology.h"
#include "runtime/runtime.h"
#include "sched/region.h"
#include "sync/bias.h"

/* What programs expect of their first thread, more or less. */
#define MAIN_STACK (1024 * 1024)

/* Serialises start and stop. */
static struct lock runtime_lock;
static struct mete_options in_force;

/* Carriers are bound one to one when there is one for every CPU. */
static int start(const struct mete_options *options)
{
	struct os_cpulist allowed;
	struct sched_config config = {
		.cpus = options->cpus,
		.mode = (enum acct_mode)options->books,
		.placement = (enum sched_placement)options->placement,
		.stack_bytes = options->stack_bytes,
		.slice_ns = options->slice_ns,
		.most_tasks = options->max_tasks,
		.report_overflow = options->flags & METE_REPORT_OVERFLOW,
	};
	int error = os_cpus_allowed(&allowed);

	if (error)
		return error;
	config.bind = !(options->flags & METE_NO_BIND) &&
		      allowed.count == options->cpus;
	reactor_wire();
	error = sched_start(&config, allowed.cpus);
	if (!error && config.cpus == 1)
		bias_begin(sched.cpu[0]);
	else if (!error)
		bias_never();
	os_cpulist_fini(&allowed);
	return error;
}

int mete_start(const struct mete_options *options)
{
	struct mete_options resolved;
	int error;

	lock_acquire(&runtime_lock, LOCK_RUNTIME);
	error = runtime_runs() ? -EALREADY
			       : options_resolve(options, &resolved);
	if (!error) {
		options_show(&resolved);
		error = start(&resolved);
	}
	if (!error)
		in_force = resolved;
	lock_release(&runtime_lock, LOCK_RUNTIME);
	return error;
}

int mete_stop(void)
{
	struct mete_ledger ledger = {0};
	int error;

	if (sched_current() || region_task())
		return -EPERM;
	lock_acquire(&runtime_lock, LOCK_RUNTIME);
	if (!runtime_runs()) {
		lock_release(&runtime_lock, LOCK_RUNTIME);
		return -ENOSYS;
	}
	sched_drain_tasks();
	bias_end();
	sched_halt();
	reactor_fini();
	error = mete_ledger(&ledger, sizeof(ledger));
	sched_free();
	lock_release(&runtime_lock, LOCK_RUNTIME);
	if (error == -ENOTSUP)
		return 0;
	return error || ledger.residual_ticks || ledger.groups_residual_ticks
		       ? -EUCLEAN
		       : 0;
}

struct main_call {
	int (*fn)(void *);
	void *arg;
	int status;
};

static void *main_task(void *arg)
{
	struct main_call *call = arg;

	call->status = call->fn(call->arg);
	return NULL;
}

int mete_main(const struct mete_options *options, int (*fn)(void *), void *arg,
	      int *ret_status)
{
	struct main_call call = {.fn = fn, .arg = arg};
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	mete_task task;
	int stopped;
	int error;

	if (!fn)
		return -EINVAL;
	error = mete_start(options);
	if (error)
		return error;
	attr.name = "main";
	attr.stack_bytes = MAIN_STACK;
	error = mete_task_create(&task, &attr, main_task, &call);
	if (!error)
		error = mete_task_join(task, METE_FOREVER, NULL);
	stopped = mete_stop();
	if (!error)
		error = stopped;
	if (!error && ret_status)
		*ret_status = call.status;
	return error;
}

unsigned mete_cpus(void)
{
	return runtime_runs() ? sched.cpus : 0;
}

int mete_cpu_self(void)
{
	struct cpu *cpu = sched_cpu();

	return cpu ? (int)cpu->index : -EPERM;
}

int mete_options_get(struct mete_options *ret_options, size_t size)
{
	if (!runtime_runs())
		return -ENOSYS;
	if (size < sizeof(ret_options->size))
		return -EINVAL;
	memcpy(ret_options, &in_force,
	       size < sizeof(in_force) ? size : sizeof(in_force));
	return 0;
}

const char *mete_version(void)
{
	return METE_VERSION_STRING;
}
