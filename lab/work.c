/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrated work; see work.h. */
#include "lab/work.h"

#include <stdlib.h>
#include <time.h>

/* About as long as a loop of rt-app's, some 80 ns on a machine of 2024. */
#define STEPS_PER_LOOP 64

#define MEASUREMENTS   101
#define MEASURED_LOOPS UINT64_C(1000)

static const struct lab_time *lab_time;

void lab_time_use(const struct lab_time *time)
{
	lab_time = time;
}

void lab_work(uint64_t loops)
{
	uint64_t x = loops;

	if (lab_time) {
		lab_time->work(loops);
		return;
	}
	while (loops--) {
		for (int i = 0; i < STEPS_PER_LOOP; i++) {
			x = x * UINT64_C(6364136223846793005) + 1;
			/* Each step is needed, as far as the compiler can
			 * tell: clang makes one of many. */
			__asm__ volatile("" : "+r"(x));
		}
	}
}

uint64_t lab_now_ns(void)
{
	struct timespec now;

	if (lab_time)
		return lab_time->now_ns();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a;
	const uint64_t *right = b;

	return (*left > *right) - (*left < *right);
}

double lab_work_calibrate(void)
{
	uint64_t spent_ns[MEASUREMENTS];
	uint64_t median_ns;

	lab_work(10 * MEASURED_LOOPS); /* the clock speed settles */
	for (int i = 0; i < MEASUREMENTS; i++) {
		uint64_t start_ns = lab_now_ns();

		lab_work(MEASURED_LOOPS);
		spent_ns[i] = lab_now_ns() - start_ns;
	}
	qsort(spent_ns, MEASUREMENTS, sizeof(spent_ns[0]), compare);
	median_ns = spent_ns[MEASUREMENTS / 2];
	return (double)median_ns / (double)MEASURED_LOOPS;
}
