/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine `mete`: a task of Mete for each task of the program.
 *
 * Everything stands on the public headers; the books are in
 * engine_mete_books.c.
 */
#include "lab/engine_mete.h"

#include <errno.h>
#include <stdlib.h>

struct lab_lock {
	struct mete_mutex mutex;
};

struct lab_cond {
	struct mete_cond cond;
};

static int groups_create(struct mete_engine *engine)
{
	const struct lab_groups *groups = engine->groups;

	engine->handles[0] = METE_ROOT;
	for (size_t i = 1; i < groups->count; i++) {
		const struct lab_group *row = &groups->rows[i];
		int rc = mete_group_create(&engine->handles[i],
					   engine->handles[row->parent],
					   lab_group_name(row->path), NULL);

		if (rc)
			return rc;
	}
	return 0;
}

static int engine_mete_start(struct lab_engine **ret_engine,
			     const struct lab_engine_options *options)
{
	struct mete_options start = METE_OPTIONS_INIT;
	struct mete_engine *engine = calloc(1, sizeof(*engine));
	int rc = -ENOMEM;

	if (!engine)
		return -ENOMEM;
	engine->groups = options->groups;
	engine->handles =
		calloc(options->groups->count, sizeof(*engine->handles));
	if (!engine->handles)
		goto free_engine;
	start.cpus = options->cpus;
	start.books = options->books;
	start.flags = METE_REPORT_OVERFLOW;
	rc = engine_sim_begin(options);
	if (rc)
		goto free_handles;
	rc = mete_start(&start);
	if (rc)
		goto end_sim;
	rc = mete_options_get(&start, sizeof(start));
	if (!rc)
		rc = groups_create(engine);
	if (rc)
		goto stop;
	engine->books = start.books;
	engine->base.ops = &lab_engine_mete;
	engine->base.cpus = mete_cpus();
	*ret_engine = &engine->base;
	return 0;

stop:
	mete_stop();
end_sim:
	engine_sim_end();
free_handles:
	free(engine->handles);
free_engine:
	free(engine);
	return rc;
}

static int engine_mete_stop(struct lab_engine *base)
{
	struct mete_engine *engine = (struct mete_engine *)base;
	int rc = mete_stop();

	engine_sim_end();
	free(engine->handles);
	free(engine);
	return rc;
}

static void *strand_main(void *arg)
{
	struct lab_strand *strand = arg;

	strand->fn(strand, strand->arg);
	return NULL;
}

static int engine_mete_spawn(struct lab_engine *base,
			     const struct lab_spawn *spawn,
			     struct lab_strand **ret_strand)
{
	struct mete_engine *engine = (struct mete_engine *)base;
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	struct mete_cpuset set = {spawn->cpus, spawn->cpu_count};
	struct lab_strand *strand = calloc(1, sizeof(*strand));
	int rc;

	if (!strand)
		return -ENOMEM;
	strand->engine = engine;
	strand->group = spawn->group;
	strand->fn = spawn->fn;
	strand->arg = spawn->arg;
	mete_sem_init(&strand->permit, 0);
	attr.name = spawn->name;
	attr.group = engine->handles[spawn->group];
	attr.affinity = spawn->cpu_count ? &set : NULL;
	rc = mete_task_create(&strand->task, &attr, strand_main, strand);
	if (rc) {
		free(strand);
		return rc;
	}
	*ret_strand = strand;
	return 0;
}

static void engine_mete_wait(struct lab_strand *strand)
{
	mete_task_wait(strand->task, METE_FOREVER);
}

static void engine_mete_release(struct lab_strand *strand)
{
	mete_task_join(strand->task, METE_FOREVER, NULL);
	free(strand);
}

static bool engine_mete_asleep(struct lab_strand *strand)
{
	enum mete_task_state state;

	return mete_task_state(strand->task, &state) == 0 &&
	       state == METE_TASK_BLOCKED;
}

static void engine_mete_yield(void)
{
	mete_task_yield();
}

static int engine_mete_pause(struct lab_strand *strand, uint64_t deadline_ns)
{
	return mete_sem_wait(&strand->permit, deadline_ns);
}

static void engine_mete_nudge(struct lab_strand *strand)
{
	mete_sem_post(&strand->permit, 1);
}

static int engine_mete_move(struct lab_strand *strand, uint32_t group)
{
	int rc;

	strand->engine->moved = true;
	rc = mete_task_move(strand->task, strand->engine->handles[group]);
	if (!rc)
		strand->group = group;
	return rc;
}

static int engine_mete_bind(struct lab_strand *strand, const unsigned *cpus,
			    size_t count)
{
	struct mete_cpuset set = {cpus, count};

	return mete_task_set_affinity(strand->task, &set);
}

/* Mete serves tasks alike: whoever asks for something else is told so. */
static int engine_mete_sched(struct lab_strand *strand,
			     const struct lab_sched *sched)
{
	bool plain = sched->policy == LAB_POLICY_SAME ||
		     sched->policy == LAB_POLICY_OTHER;

	(void)strand;
	return plain && sched->priority == 0 ? 0 : -ENOTSUP;
}

static int engine_mete_lock_create(struct lab_engine *engine,
				   struct lab_lock **ret_lock)
{
	struct lab_lock *lock = calloc(1, sizeof(*lock));

	(void)engine;
	if (!lock)
		return -ENOMEM;
	mete_mutex_init(&lock->mutex);
	*ret_lock = lock;
	return 0;
}

static void engine_mete_lock_free(struct lab_lock *lock)
{
	free(lock);
}

static int engine_mete_lock(struct lab_lock *lock, uint64_t deadline_ns)
{
	return mete_mutex_lock(&lock->mutex, deadline_ns);
}

static int engine_mete_unlock(struct lab_lock *lock)
{
	return mete_mutex_unlock(&lock->mutex);
}

static int engine_mete_cond_create(struct lab_engine *engine,
				   struct lab_cond **ret_cond)
{
	struct lab_cond *cond = calloc(1, sizeof(*cond));

	(void)engine;
	if (!cond)
		return -ENOMEM;
	mete_cond_init(&cond->cond);
	*ret_cond = cond;
	return 0;
}

static void engine_mete_cond_free(struct lab_cond *cond)
{
	free(cond);
}

static int engine_mete_cond_wait(struct lab_cond *cond, struct lab_lock *lock,
				 uint64_t deadline_ns)
{
	return mete_cond_wait(&cond->cond, &lock->mutex, deadline_ns);
}

static void engine_mete_cond_wake(struct lab_cond *cond, bool all)
{
	if (all)
		mete_cond_broadcast(&cond->cond);
	else
		mete_cond_signal(&cond->cond);
}

const struct lab_engine_ops lab_engine_mete = {
	.name = ENGINE_METE_NAME,
	.summary = ENGINE_METE_SUMMARY,
	ENGINE_METE_MORE.start = engine_mete_start,
	.stop = engine_mete_stop,
	.spawn = engine_mete_spawn,
	.wait = engine_mete_wait,
	.release = engine_mete_release,
	.asleep = engine_mete_asleep,
	.lock_create = engine_mete_lock_create,
	.lock_free = engine_mete_lock_free,
	.cond_create = engine_mete_cond_create,
	.cond_free = engine_mete_cond_free,
	.books = engine_mete_books,
	.glance = engine_mete_glance,
	.checkpoint = mete_checkpoint,
	.yield = engine_mete_yield,
	.pause = engine_mete_pause,
	.move = engine_mete_move,
	.bind = engine_mete_bind,
	.sched = engine_mete_sched,
	.nudge = engine_mete_nudge,
	.lock = engine_mete_lock,
	.unlock = engine_mete_unlock,
	.cond_wait = engine_mete_cond_wait,
	.cond_wake = engine_mete_cond_wake,
};
