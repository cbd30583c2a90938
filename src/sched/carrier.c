/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lives of carriers: made, called, driving, resting, ended.
 *
 * A carrier whose CPU was taken over while its task was in a blocking region
 * comes back to its own stack (sched_run() tells), makes the task ready, and
 * rests.
 */
#include "sched/carrier.h"

#include <errno.h>

#include "os/mem.h"
#include "sched/claim.h"
#include "sched/parking.h"
#include "sched/region.h"
#include "sched/sched.h"

ARCH_TLS_MODEL __thread struct carrier *carrier_this __attribute__((used));
#if defined(ARCH_TLS_READER)
ARCH_TLS_READER(carrier_this)
#endif

/* How many of the first carriers stand. */
static struct a32 standing;

static unsigned most_carriers(void)
{
	return sched.cpus + CARRIER_SPARE_MOST;
}

static void call(struct carrier *carrier, enum carrier_call what)
{
	/* order: carrier.call pairs carrier.hear: what was offered */
	a32_exchange_acq_rel(&carrier->call, what);
	os_futex_wake(&carrier->call.value, 1);
}

static void add_spare(struct carrier *self)
{
	lock_acquire(&sched.carriers_lock, LOCK_POOL);
	self->next = sched.spare;
	sched.spare = self;
	lock_release(&sched.carriers_lock, LOCK_POOL);
}

/* Sleep until called: false when all is to end. */
static bool await_call(struct carrier *self)
{
	uint32_t what;

	/* order: carrier.hear pairs carrier.call: what was offered */
	while (!(what = a32_exchange_acq_rel(&self->call, CARRIER_NOT_CALLED)))
		os_futex_wait(&self->call.value, CARRIER_NOT_CALLED,
			      UINT64_MAX);
	return what == CARRIER_CALLED;
}

/* Its CPU was taken over: let the task go on elsewhere. */
static void come_back(struct carrier *self)
{
	struct task *task = self->task;

	self->task = NULL;
	claim_settle(task);
	claim_exclusive(task, self->state);
	sched_ready(task);
}

/* Until the end, or until another takes the CPU over. */
static void drive(struct carrier *self, struct cpu *cpu)
{
	if (!carrier_run(cpu))
		come_back(self);
}

static void enter(struct carrier *self)
{
	carrier_this = self;
	self->error_number = &errno;
	os_timer_slack_min();
	fiber_adopt(&self->own);
	if (sched.config.report_overflow)
		os_altstack_install(&self->altstack);
}

static void leave(struct carrier *self)
{
	if (sched.config.report_overflow)
		os_altstack_remove(&self->altstack);
	carrier_this = NULL;
}

/* Whether what is offered is still to be had, the taking tells. */
static void serve(struct carrier *self)
{
	while (await_call(self)) {
		if (region_take_over(self, self->offered, self->offered_region))
			drive(self, self->offered);
		add_spare(self);
	}
}

static void first_main(void *arg)
{
	struct carrier *self = arg;
	struct cpu *cpu = self->offered;

	enter(self);
	if (cpu->os_cpu >= 0)
		os_thread_bind(cpu->os_cpu);
	carrier_begin(self, cpu);
	/* order: launch.ready pairs launch.wait: its books have begun */
	a32_add_acq_rel(&standing, 1);
	os_futex_wake(&standing.value, 1);
	drive(self, cpu);
	add_spare(self);
	serve(self);
	leave(self);
}

static void spare_main(void *arg)
{
	struct carrier *self = arg;

	enter(self);
	if (sched.config.mode != ACCT_OFF)
		os_steal_init(&self->steal, &sched.base);
	serve(self);
	leave(self);
}

/* Under the lock or alone. */
static int make(struct cpu *cpu, void (*run)(void *arg),
		struct carrier **ret_carrier)
{
	const struct os_thread_attr attr = {
		.name = "mete-carrier",
		.signals = &sched.signals,
	};
	uint32_t count = a32_own(&sched.carrier_count);
	struct carrier *carrier;
	int error;

	if (count == most_carriers())
		return -EAGAIN;
	carrier = os_alloc_aligned(CACHE_LINE, sizeof(*carrier));
	if (!carrier)
		return -ENOMEM;
	carrier->offered = cpu;
	error = os_thread_create(&carrier->thread, &attr, run, carrier);
	if (error) {
		os_free(carrier);
		return error;
	}
	sched.carrier[count] = carrier;
	/* order: carriers.add pairs carriers.look: the carrier */
	a32_own_set(&sched.carrier_count, count + 1);
	*ret_carrier = carrier;
	return 0;
}

int carriers_start(const unsigned *allowed)
{
	struct carrier *carrier;
	uint32_t ready;
	int error = 0;

	sched.carrier = os_alloc(most_carriers() * sizeof(struct carrier *));
	if (!sched.carrier)
		return -ENOMEM;
	os_signals_get(&sched.signals);
	/* relaxed: no carrier runs yet */
	a32_store_relaxed(&standing, 0);
	for (unsigned i = 0; i < sched.cpus && !error; i++) {
		sched.cpu[i]->os_cpu = sched.config.bind ? (int)allowed[i] : -1;
		error = make(sched.cpu[i], first_main, &carrier);
	}
	if (error) {
		parking_flag(&sched.stopping);
		carriers_stop();
		carriers_free();
		return error;
	}
	/* order: launch.wait pairs launch.ready: they stand */
	while ((ready = a32_load_acquire(&standing)) != sched.cpus)
		os_futex_wait(&standing.value, ready, UINT64_MAX);
	return 0;
}

void carriers_stop(void)
{
	uint32_t count = a32_own(&sched.carrier_count);

	for (unsigned i = 0; i < sched.cpus; i++)
		sched_notify(sched.cpu[i]);
	for (uint32_t i = 0; i < count; i++)
		call(sched.carrier[i], CARRIER_ENDS);
	for (uint32_t i = 0; i < count; i++)
		os_thread_join(&sched.carrier[i]->thread);
}

void carriers_free(void)
{
	for (uint32_t i = 0; i < a32_own(&sched.carrier_count); i++)
		os_free(sched.carrier[i]);
	os_free(sched.carrier);
}

bool carrier_offer(struct cpu *cpu, uint64_t region)
{
	struct carrier *carrier;

	lock_acquire(&sched.carriers_lock, LOCK_POOL);
	carrier = sched.spare;
	if (carrier)
		sched.spare = carrier->next;
	else if (make(NULL, spare_main, &carrier))
		carrier = NULL;
	lock_release(&sched.carriers_lock, LOCK_POOL);
	if (!carrier)
		return false;
	carrier->offered = cpu;
	carrier->offered_region = region;
	call(carrier, CARRIER_CALLED);
	return true;
}

int carrier_cpu_ns(const struct cpu *cpu, uint64_t *ret_ns)
{
	struct carrier *carrier;
	uint64_t before;
	uint64_t since;
	uint64_t now;

	do {
		carrier = cpu_carrier(cpu);
		/* relaxed: published with the carrier */
		before = a64_load_relaxed(&cpu->kernel_ns);
		since = a64_load_relaxed(&carrier->since_ns);
		if (os_thread_clock_ns(&carrier->thread, &now))
			return -ESRCH;
	} while (carrier != cpu_carrier(cpu));
	*ret_ns = before + now - since;
	return 0;
}

uint64_t carriers_ns(void)
{
	/* order: carriers.look pairs carriers.add: the carriers */
	uint32_t count = a32_load_acquire(&sched.carrier_count);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t ns;

		if (!os_thread_clock_ns(&sched.carrier[i]->thread, &ns))
			sum += ns;
	}
	return sum;
}
