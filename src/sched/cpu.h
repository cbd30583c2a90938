/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CPU of Mete's: its queue, its wake list, its books; and the scheduler.
 *
 * Who writes what: the owner is the carrier thread that drives the CPU, thieves
 * touch only the work queue, wakers only the wake list and `parked`.
 */
#ifndef SCHED_CPU_H
#define SCHED_CPU_H

#include "acct/group.h"
#include "acct/press.h"
#include "conc/lock.h"
#include "conc/table.h"
#include "conc/wakelist.h"
#include "conc/workq.h"
#include "os/clock.h"
#include "sched/carrier.h"
#include "sched/task.h"
#include "sched/timer.h"

/* What the successor of a task has to do with it after the switch. */
enum sched_after {
	AFTER_NOTHING, /* it was the CPU's own fiber */
	AFTER_YIELD,   /* queue it again */
	AFTER_BLOCK,   /* complete its wait */
	AFTER_END,     /* let it go */
	AFTER_HANDED,  /* let it go; its joiner runs here and knows */
};

/* Why a safe point must do more than look. */
enum cpu_due {
	DUE_SLICE = 1, /* others have waited for a slice */
	DUE_HEED = 2,  /* group or affinity of a task that runs was changed */
	DUE_PULL = 4,  /* another CPU has at least two more waiting */
};

struct cpu {
	/* owner, at every switch */
	struct aptr current; /* struct task; NULL: the CPU's own fiber */
	struct task *prev;
	enum sched_after after;
	bool stay;      /* the current task was woken while it went to wait */
	struct a32 due; /* enum cpu_due; set by anyone, seen at safe points */
	int *error_number;
	struct fiber *own; /* the carrier's stack: idle and start */
	struct acct_cpu books;
	/* owner pushes and takes, thieves steal */
	struct workq queue;
	/* owner only: tasks that may not run everywhere */
	struct wakenode *bound_head;
	struct wakenode *bound_tail;
	struct a32 bound_count;
	/* owner only: free tasks with stacks */
	struct task *free;
	unsigned free_count;
	struct pool_slab *cold; /* where it has claimed some, see pool.h */
	uint64_t cold_mask;
	uint32_t random;
	uint64_t poll_ticks; /* for how long to poll before a sleep */
	/* owner only: whose single task it has seen, and since when: steal.c */
	const struct cpu *eyed;
	uint64_t eyed_head;
	uint64_t eyed_since;
	struct a64 steals;
	struct a64 polls;
	struct a64 parks;
	struct a64 spawned; /* tasks created here */
	struct a64 regions; /* blocking regions begun here */
	struct a64 takeovers;
	struct a64 ended; /* tasks that ended here */
	/* any waker */
	struct wakelist wakes cache_aligned; /* an idle CPU may take it */
	struct wakelist bound_wakes;         /* the owner alone */
	struct a32 parked; /* enum parking_bed: asleep or about to be */
	struct a64 notifications;
	struct a64 sent;   /* tasks put on the wake lists */
	struct a64 handed; /* of those, woken while they left this CPU */
	struct a64 told;   /* of those, with a notification */
	/* under its lock, by the owner and the tick */
	struct timers timers cache_aligned;
	/* the tick's memory of it */
	uint64_t tick_switches;
	uint64_t tick_since;
	bool tick_asked;       /* we set `due` and saw no switch since */
	uint32_t tick_visits;  /* of thieves */
	unsigned tick_quiet;   /* beats without one */
	uint64_t tick_region;  /* seen at the last look */
	uint64_t tick_offered; /* the region for which a carrier was called */
	/* owner; taken from it by compare-and-swap, see region.h */
	struct a64 region; /* the blocking region its task is in, 0: none */
	struct aptr carrier;
	struct a64 kernel_ns; /* CPU time of carriers that have left it */
	/* immutable */
	unsigned index;
	int os_cpu; /* to be bound to; -1: none */
} cache_aligned;

/* Where woken tasks go: see wake.c. */
enum sched_placement {
	SCHED_AUTO,
	SCHED_LOCAL,
	SCHED_SPREAD,
};

/* What the runtime decided at start. */
struct sched_config {
	enum sched_placement placement;
	unsigned cpus;
	enum acct_mode mode;
	size_t stack_bytes;
	uint64_t slice_ns;
	unsigned most_tasks;
	bool bind;
	bool report_overflow;
};

struct sched {
	/* anyone, at any time: what follows is made anew at each start */
	struct a32 running; /* started and not yet stopped */
	struct sched_config config;
	struct os_timebase base;
	unsigned cpus;
	struct cpu **cpu;
	struct acct_cpu **books;
	struct acct_tree tree;
	struct table slabs; /* struct pool_slab */
	/* under the lock: free tasks */
	struct lock lock;
	struct task *free;
	unsigned free_count;
	unsigned free_least;    /* since the last look */
	struct pool_slab *cold; /* slabs with tasks that take no memory */
	unsigned task_count;    /* that exist or are cold */
	/* immutable */
	unsigned most_tasks; /* in the slabs, those in caches included */
	unsigned cache_most; /* free tasks that a CPU keeps */
	/* under the lock, read by anyone */
	struct a64 trim_ns; /* the next look; UINT64_MAX: none is due */
	/* anyone */
	struct a32 stopping;     /* carriers are to end */
	struct a32 next_cpu;     /* round robin of foreign creators */
	struct a64 spawned;      /* tasks created by foreign threads */
	struct a32 draining;     /* somebody waits for the last task's end */
	struct a32 drained;      /* a futex: counts ends while draining */
	uint64_t busy_ticks;     /* a waker that ran so long will go on */
	uint64_t patience_ticks; /* a single task is left alone so long */
	struct a32 parked cache_aligned; /* CPUs that sleep or are about to */
	struct a32 polling;              /* CPUs that look for work */
	/* under its lock: all carriers, and those that drive no CPU */
	struct lock carriers_lock;
	struct carrier **carrier;
	struct a32 carrier_count;
	struct carrier *spare;
	struct os_signals signals; /* immutable: what carriers block */
};

extern struct sched sched;

/* The CPU that the calling thread drives; NULL in foreign threads. */
extern ARCH_TLS_MODEL __thread struct cpu *sched_this;
#if defined(ARCH_TLS_READER)
void *arch_tls_read_sched_this(void);
#endif

static always_inline struct cpu *sched_cpu(void)
{
	return ARCH_TLS_POINTER(sched_this);
}

/* The owner: xorshift (Marsaglia, 2003). */
static inline uint32_t cpu_random(struct cpu *cpu)
{
	uint32_t x = cpu->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	cpu->random = x;
	return x;
}

/* The task that runs there; for others than the owner a hint. */
static always_inline struct task *cpu_current(const struct cpu *cpu)
{
	/* relaxed: written by the owner; others only compare it */
	return (struct task *)aptr_load_relaxed(&cpu->current);
}

static inline struct carrier *cpu_carrier(const struct cpu *cpu)
{
	/* order: carrier.look pairs carrier.drives: since when it drives */
	return (struct carrier *)aptr_load_acquire(&cpu->carrier);
}

/* The running task; NULL in foreign threads. */
static inline struct task *sched_current(void)
{
	struct cpu *cpu = sched_cpu();

	return cpu ? cpu_current(cpu) : NULL;
}

/* The CPUs that a task may run on at this moment; NULL: all. */
static inline const struct task_mask *sched_mask(const struct task *task)
{
	/* order: task.mask pairs task.bind: the mask's bits */
	return (const struct task_mask *)aptr_load_acquire(&task->mask);
}

static inline bool task_mask_has(const struct task_mask *mask, unsigned cpu)
{
	return !mask || mask->bits[cpu / 64] >> cpu % 64 & 1;
}

static inline bool sched_allowed(const struct task *task, unsigned cpu)
{
	return task_mask_has(sched_mask(task), cpu);
}

#endif
