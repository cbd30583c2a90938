/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work queue against thieves: conc/workq.h and conc/workq.c.
 *
 *  - every entry is taken once, by whomever, with its contents;
 *  - each taker gets its entries in the order in which they were pushed;
 *  - nobody waits for anybody: a thief that stops anywhere leaves the owner
 *    free to go on (an owner that loops is a livelock to the checker);
 *  - a ring that was left and a slot that is filled anew mislead no thief.
 *
 * Reads of the future.  The checker executes a thread's steps in order, so no
 * load of its gives a value that is stored later; but C++ lets a thief's load
 * of a slot sink below its swap of the head, where a new entry may stand.  So
 * the model keeps the checker's clocks: when a slot is filled again, those
 * whose swap has taken the old entry must have loaded it *before*, by an
 * unbroken chain of release and acquire.
 *
 *	covers: src/conc/workq.h src/conc/workq.c
 */
#include "model/model.h"

#include "conc/workq.c"

#define THREADS 3
#define SLOTS   8 /* of the largest ring */

void base_panic(const char *, int, const char *what)
{
	rl::ctx().fail_test(what, rl::test_result_user_assert_failed,
			    MODEL_HERE);
	__builtin_unreachable();
}

/* Thieves are there all the time: how they come is in gate.cc. */
bool gate_visit(struct gate *)
{
	return true;
}

void gate_depart(struct gate *)
{
}

void gate_init(struct gate *)
{
}

int os_map(size_t, void **)
{
	return -ENOMEM;
}

void os_unmap(void *, size_t)
{
}

/* What the checker knows of one slot. */
struct slot_log {
	const void *word;
	/* of each thread's last load, not yet known to count: its clock, and
	 * how often the slot had been filled then */
	rl::timestamp_t loaded[THREADS];
	unsigned fills_then[THREADS];
	/* the fill after that: what its writer knew of that thread */
	rl::timestamp_t known[THREADS];
	/* loads that count, not yet overwritten */
	rl::timestamp_t counts[THREADS];
	unsigned fills;
};

static struct slot_log logs[3 * SLOTS];
static unsigned log_count;

static struct slot_log *log_of(const void *word)
{
	for (unsigned i = 0; i < log_count; i++)
		if (logs[i].word == word)
			return &logs[i];
	return nullptr;
}

static void on_load(const void *word)
{
	struct slot_log *log = log_of(word);
	int self = (int)rl::thread_index();

	if (!log)
		return;
	log->loaded[self] = rl::ctx().threadx_->own_acq_rel_order_;
	log->fills_then[self] = log->fills;
}

static void on_store(const void *word)
{
	struct slot_log *log = log_of(word);
	const rl::timestamp_t *clock = rl::ctx().threadx_->acq_rel_order_;

	if (!log)
		return;
	for (int t = 0; t < THREADS; t++) {
		MODEL_CHECK(clock[t] >= log->counts[t]);
		log->counts[t] = 0;
		if (log->fills_then[t] == log->fills)
			log->known[t] = clock[t];
	}
	log->fills++;
}

static void forget_loads(void)
{
	for (unsigned i = 0; i < log_count; i++)
		logs[i].loaded[rl::thread_index()] = 0;
}

/* The caller's swap has succeeded: its loads since forget_loads() count. */
static void loads_count(void)
{
	unsigned self = rl::thread_index();

	for (unsigned i = 0; i < log_count; i++) {
		struct slot_log *log = &logs[i];

		if (!log->loaded[self])
			continue;
		if (log->fills > log->fills_then[self])
			MODEL_CHECK(log->known[self] >= log->loaded[self]);
		else
			log->counts[self] = log->loaded[self];
	}
}

struct entry {
	plain<int> contents;
	int taken = 0;
};

/* `Push` entries, of which the owner takes back `Take` in between. */
template <int Push, int Take, int First>
struct thieves : rl::test_suite<thieves<Push, Take, First>, THREADS> {
	struct workq queue;
	struct entry entries[Push];
	alignas(CACHE_LINE) unsigned char region[2048];
	int last[THREADS];

	struct workring *next_ring(size_t *at, uint64_t slots)
	{
		struct workring *ring =
			(struct workring *)(void *)(region + *at);

		*at += ring_bytes(slots);
		return ring;
	}

	/* All slots of all rings exist from the beginning, as in the mapped
	 * region. */
	void before()
	{
		size_t at = 0;

		memset(region, 0, sizeof(region));
		memset(logs, 0, sizeof(logs));
		log_count = 0;
		for (uint64_t slots = First; slots <= SLOTS; slots *= 2) {
			struct workring *ring = next_ring(&at, slots);

			for (uint64_t i = 0; i < slots; i++) {
				::new (&ring->slot[i]) aptr;
				logs[log_count++].word = &ring->slot[i];
			}
		}
		a32_store_relaxed(&queue.gate.state, GATE_OPEN);
		queue.region = region;
		queue.region_bytes = sizeof(region);
		queue.region_used = 0;
		aptr_store_relaxed(&queue.ring, ring_place(&queue, First));
		for (int t = 0; t < THREADS; t++)
			last[t] = -1;
		model_on_load = on_load;
		model_on_store = on_store;
	}

	void got(void *taken)
	{
		struct entry *e = (struct entry *)taken;
		int self = (int)rl::thread_index();
		int number = (int)(e - entries);

		MODEL_CHECK(e >= entries && e < entries + Push);
		MODEL_CHECK(e->contents.get() == number + 1);
		e->contents.set(0);
		e->taken++;
		MODEL_CHECK(number > last[self]);
		last[self] = number;
	}

	void own()
	{
		int taken = 0;

		for (int i = 0; i < Push; i++) {
			entries[i].contents.set(i + 1);
			workq_push(&queue, &entries[i]);
			if (taken++ < Take)
				take();
		}
		while (take())
			;
	}

	bool take()
	{
		void *entry = workq_take(&queue);

		if (entry)
			got(entry);
		return entry;
	}

	void steal()
	{
		void *taken[Push];
		size_t count;

		forget_loads();
		count = workq_steal(&queue, taken, 2);
		if (count)
			loads_count();
		for (size_t i = 0; i < count; i++)
			got(taken[i]);
	}

	void thread(unsigned index)
	{
		if (index == 0)
			own();
		else
			steal();
	}

	void after()
	{
		size_t at = 0;

		model_on_load = nullptr;
		model_on_store = nullptr;
		MODEL_CHECK(!workq_length(&queue));
		for (int i = 0; i < Push; i++)
			MODEL_CHECK(entries[i].taken == 1);
		for (uint64_t slots = First; slots <= SLOTS; slots *= 2) {
			struct workring *ring = next_ring(&at, slots);

			for (uint64_t i = 0; i < slots; i++)
				ring->slot[i].~aptr();
		}
	}
};

int main(int argc, char **argv)
{
	model_arguments(argc, argv);
	model_run<thieves<3, 0, 2>>("the ring grows under two thieves", 3,
				    100000);
	model_run<thieves<3, 1, 2>>("a slot is filled again", 3, 100000);
	model_run<thieves<5, 2, 2>>("both", 2, 200000);
	return model_result();
}
