/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of steps; see explore.h. */
#include "sim/explore.h"

#include <math.h>

#include "sim/step.h"

#define ENTRIES    256
#define SPEEDS     4
#define SPEED_STEP 8
#define MEAN       ((double)(SIM_STEP_NS << SIM_UNIT_SHIFT))

/* Odds of a rare draw, itself one in ENTRIES. */
#define STALL_ODDS  16
#define CHANGE_ODDS 8

/* Quantiles of the exponential distribution by speed; entry 0 is the tail
 * beyond the last. */
static uint32_t costs[SPEEDS][ENTRIES];

static struct {
	enum sim_mode mode;
	uint64_t stall_ns;
} explore;

static void fill(uint32_t *table, double mean)
{
	for (unsigned i = 1; i < ENTRIES; i++) {
		double q = ((double)i - 0.5) / ENTRIES;

		table[i] = (uint32_t)(mean * -log1p(-q)) + 1;
	}
	table[0] = 0;
}

void explore_begin(const struct sim_options *options)
{
	double mean = MEAN;

	explore.mode = options->mode;
	explore.stall_ns = options->stall_ns;
	for (unsigned s = 0; s < SPEEDS; s++) {
		fill(costs[s], mean);
		mean *= SPEED_STEP;
	}
}

const uint32_t *explore_costs(void)
{
	if (explore.mode == SIM_WALK)
		return costs[0];
	return costs[sim_random() >> 62];
}

int explore_chance(unsigned odds)
{
	return !(sim_random() >> 40 & (odds - 1));
}

/* The tail forgets too: its length is distributed as any cost. */
static uint32_t tail(void)
{
	const uint32_t *table = sim_cursor.costs;
	uint32_t cost = table[ENTRIES - 1];
	uint32_t more = table[sim_random() >> 56];

	while (!more) {
		cost += table[ENTRIES - 1];
		more = table[sim_random() >> 56];
	}
	return cost + more;
}

/* Short ones and long ones are alike frequent. */
static uint32_t stall(void)
{
	uint64_t bits = explore.stall_ns;
	unsigned length = 0;

	while (bits >>= 1)
		length++;
	length = (unsigned)(sim_random() >> 32) % (length + 1);
	return (uint32_t)((UINT64_C(1) << length) +
			  (sim_random() >> 32) % (UINT64_C(1) << length))
	       << SIM_UNIT_SHIFT;
}

uint32_t sim_rare_cost(void)
{
	if (explore.mode == SIM_PRIORITY) {
		if (explore_chance(CHANGE_ODDS))
			sim_cursor.costs = explore_costs();
		if (explore.stall_ns && explore_chance(STALL_ODDS))
			return stall();
	}
	return tail();
}
