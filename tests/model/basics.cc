/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What everything stands on: the lock (conc/lock.h), and the table that grows
 * (conc/table.[ch]).
 *
 *  - one at a time is behind the lock, sees what the others did there, and nobody
 *    sleeps before it for ever;
 *  - who finds an entry finds it zeroed.
 *
 *	covers: src/conc/lock.h src/conc/table.h src/conc/table.c
 */
#include "model/below.h"

#define LOCK_SPINS 1
#include "conc/lock.h"
#include "conc/table.c"

#define ENTRIES 2

struct entry {
	plain<int> contents;
};

static struct aptr *the_chunks;
static struct entry *the_entries;

void *os_alloc(size_t)
{
	return the_chunks;
}

/* Zeroed, as memory from the system. */
void *os_alloc_aligned(size_t, size_t)
{
	for (int i = 0; i < ENTRIES; i++)
		the_entries[i].contents.set(0);
	return the_entries;
}

void os_free(void *)
{
}

template <int Each> struct locked : rl::test_suite<locked<Each>, THREADS> {
	struct lock lock;
	plain<int> count;

	void before()
	{
		count.set(0);
	}

	void thread(unsigned)
	{
		for (int i = 0; i < Each; i++) {
			lock_acquire(&lock, LOCK_TREE);
			count.set(count.get() + 1);
			lock_release(&lock, LOCK_TREE);
		}
	}

	void after()
	{
		MODEL_CHECK(count.get() == THREADS * Each);
		MODEL_CHECK(lock.state.value.debug_value() == 0);
	}
};

struct grows : rl::test_suite<grows, THREADS> {
	struct table table;
	struct lock lock;
	struct aptr chunks[1];
	struct entry entries[ENTRIES];

	void before()
	{
		table.chunk = chunks;
		table.chunk_count = 1;
		table.entry_bytes = sizeof(struct entry);
		table.most = ENTRIES;
		table.chunk_shift = 1;
		the_chunks = chunks;
		the_entries = entries;
	}

	void thread(unsigned index)
	{
		uint32_t number;

		if (index < 2) {
			lock_acquire(&lock, LOCK_TREE);
			MODEL_CHECK(!table_add(&table, &number));
			lock_release(&lock, LOCK_TREE);
			return;
		}
		for (uint32_t i = 0; i < ENTRIES; i++) {
			struct entry *entry =
				(struct entry *)table_at(&table, i);

			if (entry)
				MODEL_CHECK(entry->contents.get() == 0);
		}
	}
};

int main(int argc, char **argv)
{
	model_arguments(argc, argv);
	model_run<locked<1>>("three behind a lock", 3, 50000);
	model_run<locked<2>>("three behind a lock, twice", 1, 50000);
	model_run<grows>("a table grows", 2, 50000);
	return model_result();
}
