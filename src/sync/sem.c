/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphore: units as they are. */
#include <errno.h>

#include "sync/units.h"

/* Who has woken so many at once, and has so many behind it, lets them run. */
#define CROWD 8

void mete_sem_init(struct mete_sem *sem, uint64_t count)
{
	*sem = (struct mete_sem)METE_SEM_INIT(count < UNITS_MOST ? count
								 : UNITS_MOST);
}

int mete_sem_wait(struct mete_sem *sem, uint64_t deadline_ns)
{
	struct units *units = units_of(&sem->units);
	/* relaxed: the swap validates it */
	uint64_t word = a64_load_relaxed(&units->word);

	while (!(word & UNITS_WAITED) && word) {
		if (likely(bias_swap(&units->word, &word, word - (1 << 1))))
			return 0;
	}
	return units_wait_one(units, &rule_sem, word, deadline_ns);
}

int mete_sem_post(struct mete_sem *sem, unsigned count)
{
	if (likely(count == 1))
		return units_post_one(units_of(&sem->units), &rule_sem);
	return count ? units_post(units_of(&sem->units), &rule_sem, count, 0)
		     : 0;
}

uint64_t mete_sem_value(const struct mete_sem *sem)
{
	/* relaxed: old as soon as it is read */
	uint64_t word = a64_load_relaxed(&units_of_const(&sem->units)->word);

	return word & UNITS_WAITED ? 0 : word >> 1;
}

int mete_sem_post_each(struct mete_sem *const *sems, size_t count)
{
	struct wait_woken woken;
	int result = 0;

	wait_woken_init(&woken);
	for (size_t i = 0; i < count; i++) {
		int error = units_post_to(units_of(&sems[i]->units), &rule_sem,
					  1, 0, &woken);

		result = error ? error : result;
	}
	wait_release(&woken);
	if (count >= CROWD)
		sched_give_way(CROWD);
	return result;
}
