/* SPDX-License-Identifier: Apache-2.0 */
/* Making a workload; see storm.h for why it ends. */
#include <string.h>

#include "storm.h"

#define RUN_MAX_NS   30000
#define SLEEP_MAX_NS 60000

uint64_t storm_draw(uint64_t *random, uint64_t below)
{
	uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % below;
}

static unsigned draw(struct storm *s, unsigned below)
{
	return (unsigned)storm_draw(&s->random, below);
}

static size_t draw_capacity(struct storm *s)
{
	static const size_t some[] = {0, 0, 1, 2, 5, METE_CHAN_UNBOUNDED};

	return some[draw(s, sizeof(some) / sizeof(some[0]))];
}

/* Draws stand one after the other, so that every compiler makes them in the same
 * order. */
static void append(struct storm *s, unsigned actor, enum storm_kind kind,
		   unsigned object)
{
	struct storm_actor *a = &s->actor[actor];
	unsigned most_ns = kind == STORM_SLEEP ? SLEEP_MAX_NS : RUN_MAX_NS;
	struct storm_op op = {.kind = kind, .object = object};

	if (a->op_count == STORM_OPS)
		return;
	op.other = draw(s, s->actor_count);
	/* Short times are the most dangerous ones. */
	op.ns = draw(s, 1 + draw(s, most_ns));
	a->ops[a->op_count++] = op;
}

/* Room for both halves, or none is made. */
static bool room(const struct storm *s, unsigned actor, unsigned ops)
{
	return s->actor[actor].op_count + ops <= STORM_OPS;
}

static void append_pair(struct storm *s, enum storm_kind first,
			enum storm_kind second)
{
	unsigned giver = draw(s, s->actor_count);
	unsigned taker = draw(s, s->actor_count);

	if (s->pair_count == STORM_PAIRS || !room(s, giver, 2) ||
	    !room(s, taker, 2))
		return;
	append(s, giver, first, s->pair_count);
	append(s, taker, second, s->pair_count++);
}

/* One waits for a descriptor and then lets another go on that waits for the
 * same one, for something else. */
static void append_fd(struct storm *s)
{
	unsigned giver = draw(s, s->actor_count);
	unsigned reader = draw(s, s->actor_count);
	unsigned writer = draw(s, s->actor_count);

	if (s->pair_count == STORM_PAIRS || !room(s, giver, 4) ||
	    !room(s, reader, 4) || !room(s, writer, 4))
		return;
	append(s, giver, STORM_FD_FILL, s->pair_count);
	append(s, reader, STORM_FD_READ, s->pair_count);
	append(s, reader, STORM_FD_DRAIN, s->pair_count);
	append(s, writer, STORM_FD_WRITE, s->pair_count++);
}

static void append_barrier(struct storm *s)
{
	unsigned parties = 0;

	if (s->pair_count == STORM_PAIRS)
		return;
	for (unsigned i = 0; i < s->actor_count; i++) {
		if (!room(s, i, 1) || draw(s, 2))
			continue;
		append(s, i, STORM_BARRIER, s->pair_count);
		parties++;
	}
	if (parties)
		mete_barrier_init(&s->pair[s->pair_count++].barrier, parties);
}

/* Several pieces of work, and one who waits for all of them. */
static void append_work(struct storm *s)
{
	unsigned waiter = draw(s, s->actor_count);
	unsigned pieces = 0;

	if (s->pair_count == STORM_PAIRS || !room(s, waiter, 2))
		return;
	for (unsigned i = 0; i < s->actor_count; i++) {
		if (!room(s, i, 2) || draw(s, 3))
			continue;
		append(s, i, STORM_WORK_DONE, s->pair_count);
		pieces++;
	}
	append(s, waiter, STORM_WORK_WAIT, s->pair_count);
	mete_waitgroup_init(&s->pair[s->pair_count++].work, pieces);
}

/* Two that wait for each other: as at a barrier, both are laid out at once, and
 * they are not the same. */
static void append_stream(struct storm *s)
{
	unsigned sender = draw(s, s->actor_count);
	unsigned receiver = draw(s, s->actor_count);
	struct storm_pair *pair = &s->pair[s->pair_count];

	if (s->pair_count == STORM_PAIRS || sender == receiver ||
	    !room(s, sender, 1) || !room(s, receiver, 1))
		return;
	pair->items = draw(s, 6);
	pair->capacity = draw_capacity(s);
	append(s, sender, STORM_STREAM_OUT, s->pair_count);
	append(s, receiver, STORM_STREAM_IN, s->pair_count++);
}

/* Half of the storms know few kinds, which then meet more often (Groce and
 * others, "Swarm testing", 2012). */
static void choose_kinds(struct storm *s)
{
	bool all = draw(s, 2);
	unsigned odds = 2 + draw(s, 4);

	for (unsigned kind = 0; kind < STORM_DRAWN; kind++)
		if (all || !draw(s, odds))
			s->kinds[s->kind_count++] = (enum storm_kind)kind;
	if (!s->kind_count)
		s->kinds[s->kind_count++] = STORM_YIELD;
}

static void append_single(struct storm *s)
{
	enum storm_kind kind = s->kinds[draw(s, s->kind_count)];
	unsigned actor;

	if (kind == STORM_RUN_LONG && s->kind_count > 4 && draw(s, 4))
		kind = STORM_RUN;
	if (kind == STORM_CHAN_CLOSE && draw(s, 6))
		kind = STORM_SELECT_SOON;
	actor = draw(s, s->actor_count);
	append(s, actor, kind, draw(s, STORM_SHARED));
}

static void append_some(struct storm *s)
{
	switch (draw(s, 12)) {
	case 0:
	case 1:
		append_pair(s, STORM_GIVE,
			    draw(s, 4) ? STORM_TAKE : STORM_REGION_TAKE);
		break;
	case 2:
		append_pair(s, STORM_SET, STORM_AWAIT);
		break;
	case 3:
		append_fd(s);
		break;
	case 4:
		if (!draw(s, 4))
			append_barrier(s);
		else
			append_pair(s, STORM_EVENT_GIVE, STORM_EVENT_TAKE);
		break;
	case 5:
		if (!draw(s, 3))
			append_work(s);
		break;
	case 6:
	case 7:
		append_stream(s);
		break;
	default:
		append_single(s);
	}
}

static void objects_init(struct storm *s)
{
	for (unsigned i = 0; i < STORM_SHARED; i++) {
		mete_mutex_init(&s->mutex[i]);
		mete_sem_init(&s->lock[i], 1);
		mete_sem_init(&s->sem[i], 0);
		mete_rwlock_init(&s->rwlock[i]);
		mete_event_init(&s->event[i]);
		s->capacity[i] = draw_capacity(s);
	}
	mete_mutex_init(&s->cond_mutex);
	mete_cond_init(&s->cond);
	for (unsigned i = 0; i < STORM_PAIRS; i++) {
		mete_sem_init(&s->pair[i].sem, 0);
		mete_mutex_init(&s->pair[i].mutex);
		mete_cond_init(&s->pair[i].cond);
		mete_event_init(&s->pair[i].event);
	}
}

void storm_make(struct storm *s, uint64_t seed)
{
	unsigned ops;

	memset(s, 0, sizeof(*s));
	s->random = seed * 2 + 1;
	objects_init(s);
	choose_kinds(s);
	s->cpus = 1 + draw(s, 4);
	s->start = (struct mete_options)METE_OPTIONS_INIT;
	s->start.flags = METE_IGNORE_ENV;
	s->start.cpus = s->cpus;
	s->start.max_tasks = draw(s, 4) ? 256 : 24;
	s->start.books =
		draw(s, 8) ? METE_BOOKS_TASK : (enum mete_books)draw(s, 3);
	s->actor_count = 2 + draw(s, STORM_ACTORS - 1);
	for (unsigned i = 0; i < s->actor_count; i++) {
		s->actor[i].number = i;
		s->actor[i].random = s->random + i;
		s->actor[i].foreign = i && i < 3 && !draw(s, 2);
	}
	ops = s->actor_count * (2 + draw(s, 12));
	for (unsigned i = 0; i < ops; i++)
		append_some(s);
}
