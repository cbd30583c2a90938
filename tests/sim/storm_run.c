/* SPDX-License-Identifier: Apache-2.0 */
/* One storm, from the machine's begin to its end. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "laws.h"
#include "storm.h"
#include "sync/bias.h"

#define EXPECT(condition)               \
 do {                                   \
  if (!(condition))                     \
   sim_fail("expected %s", #condition); \
 } while (0)

/* Slices are either so short that tasks are often preempted, or so long that
 * the tick cannot make up in time for a wake-up that was lost. */
#define SHORT_SLICE_NS 100000
#define LONG_SLICE_NS  40000000
#define LATE_NS        8000000

#define MOST_STEPS 10000000u
#define STALL_NS   100000
#define LIMIT_NS   UINT64_C(3000000000) /* ten times the longest storm */

static void groups_create(void)
{
	static const char *const names[STORM_GROUPS] = {"a", "b", "c"};

	/* a/c is a subgroup. */
	for (unsigned i = 0; i < STORM_GROUPS; i++)
		EXPECT(!mete_group_create(&storm.group[i],
					  i == 2 ? storm.group[0] : METE_ROOT,
					  names[i], NULL));
}

static void act_foreign(void *arg)
{
	storm_act(arg);
}

static void actor_start(struct storm_actor *actor)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	int rc;

	attr.name = "actor";
	attr.group = storm.group[actor->number % STORM_GROUPS];
	if (actor->foreign) {
		EXPECT(!sim_thread_create(&actor->thread, "foreign",
					  act_foreign, actor));
		return;
	}
	/* Children of those that run already may fill the table, and go. */
	while ((rc = mete_task_create(&actor->task, &attr, storm_act, actor))) {
		EXPECT(rc == -EAGAIN);
		mete_task_sleep(10000);
	}
}

static void mix(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	*hash ^= *hash >> 31;
}

static void mix_words(uint64_t *hash, const void *words, size_t bytes)
{
	const uint64_t *word = words;

	for (size_t i = 0; i < bytes / sizeof(*word); i++)
		mix(hash, word[i]);
}

/* All tasks have ended, those that were not joined are still in the books. */
static uint64_t books(void)
{
	struct mete_snapshot *snapshot;
	uint64_t own = 0;
	uint64_t tasks = storm.dead_exec_ns;
	uint64_t hash = 0;

	if (storm.start.books == METE_BOOKS_OFF)
		return 0;
	EXPECT(!mete_snapshot(&snapshot));
	for (size_t i = 0; i < snapshot->group_count; i++) {
		own += snapshot->groups[i].own.exec_ns;
		mix_words(&hash, &snapshot->groups[i].usage,
			  sizeof(snapshot->groups[i].usage));
	}
	for (size_t i = 0; i < snapshot->task_count; i++) {
		tasks += snapshot->tasks[i].usage.exec_ns;
		mix_words(&hash, &snapshot->tasks[i].usage,
			  sizeof(snapshot->tasks[i].usage));
	}
	for (size_t i = 0; i < snapshot->cpu_count; i++)
		mix_words(&hash, &snapshot->cpus[i], sizeof(snapshot->cpus[i]));
	if (storm.start.books == METE_BOOKS_TASK && !storm.detached &&
	    own != tasks)
		sim_fail("law: groups have %" PRIu64
			 " ns of their own, tasks %" PRIu64,
			 own, tasks);
	/* What was let go may run still. */
	if (!storm.detached && own != snapshot->groups[0].usage.exec_ns)
		sim_fail("law: groups have %" PRIu64
			 " ns of their own, the root %" PRIu64,
			 own, snapshot->groups[0].usage.exec_ns);
	mete_snapshot_free(snapshot);
	return hash;
}

static void objects_check(void)
{
	for (unsigned i = 0; i < STORM_SHARED; i++) {
		EXPECT(mete_sem_value(&storm.lock[i]) == 1);
		EXPECT(storm.mutex[i].owner == 0);
		EXPECT(storm.rwlock[i].units.word == 0);
		if (mete_sem_value(&storm.sem[i]) !=
		    storm.posted[i] - storm.taken[i])
			sim_fail("law: semaphore %u has %" PRIu64
				 " units, %" PRIu64 " posted, %" PRIu64
				 " taken",
				 i, mete_sem_value(&storm.sem[i]),
				 storm.posted[i], storm.taken[i]);
	}
}

static void run(const struct sim_options *options, struct storm_result *result)
{
	int rc = mete_start(&storm.start);

	EXPECT(!rc);
	/* Storms are short. */
	bias.patience = 1 + (unsigned)(options->seed % 64);
	for (int fd = 0; fd < SIM_FDS_MAX; fd++)
		sim_fd_set(fd, 0);
	groups_create();
	storm_chan_begin();
	for (unsigned i = 0; i < storm.actor_count; i++)
		actor_start(&storm.actor[i]);
	for (unsigned i = 0; i < storm.actor_count; i++) {
		if (storm.actor[i].foreign)
			sim_thread_join(storm.actor[i].thread);
		else
			EXPECT(!mete_task_wait(storm.actor[i].task,
					       METE_FOREVER));
	}
	objects_check();
	storm_chan_end();
	result->books = books();
	for (unsigned i = 0; i < storm.actor_count; i++)
		if (!storm.actor[i].foreign)
			EXPECT(!mete_task_join(storm.actor[i].task,
					       METE_FOREVER, NULL));
	EXPECT(!mete_stop());
}

static void check(void)
{
	struct sim_figures figures;

	sim_look(&figures);
	if (figures.steps > MOST_STEPS)
		sim_fail("no end in %u steps", MOST_STEPS);
	laws_check();
	for (unsigned i = 0; i < STORM_SHARED; i++)
		laws_chan(&storm.chan[i]);
	for (unsigned i = 0; i < storm.pair_count; i++)
		laws_chan(&storm.pair[i].chan);
}

void storm_run(uint64_t seed, struct storm_result *ret_result)
{
	struct sim_options options = {
		.seed = seed,
		.mode = seed & 1 ? SIM_PRIORITY : SIM_WALK,
		.stall_ns = STALL_NS,
		.limit_ns = LIMIT_NS,
		.spurious = seed % 8 == 7,
		.check = check,
		.locate = laws_locate,
	};
	bool patient = seed & 2;

	storm_make(&storm, seed);
	options.cpus = storm.cpus;
	storm.start.slice_ns = patient ? LONG_SLICE_NS : SHORT_SLICE_NS;
	EXPECT(!sim_begin(&options));
	laws_begin(patient ? LATE_NS : 0);
	/* As in a process that has just begun. */
	bias_forget();
	run(&options, ret_result);
	sim_look(&ret_result->figures);
	EXPECT(!sim_end());
}
