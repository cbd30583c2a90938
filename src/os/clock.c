/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibration: at both ends of some 10 ms the tick source and the raw clock
 * are read together many times, ticks before and after each reading of the
 * clock; the reading with the narrowest bracket is the pair that counts, so
 * that a preemption or an interrupt spoils none but its own reading.  The
 * error left is the width of two brackets over the span: a few ppm.
 *
 * Conversion multiplies by a 63-bit factor into 128 bits: no product wraps and
 * 2^63 ticks convert as well as 10.
 */
#include "os/clock.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "os/file.h"
#include "os/mem.h"

#define CALIBRATION_NS 10000000u
#define READINGS       64
#define NS_PER_S       1000000000u

bool os_ticks_use_clock;

struct pair {
	uint64_t ticks;
	uint64_t raw;
};

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t os_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t os_raw_ns(void)
{
	return read_clock(CLOCK_MONOTONIC_RAW);
}

static struct pair read_pair(void)
{
	struct pair best = {0, 0};
	uint64_t narrowest = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = os_ticks();
		uint64_t raw = os_raw_ns();
		uint64_t after = os_ticks();

		if (after - before >= narrowest)
			continue;
		narrowest = after - before;
		best.ticks = before + narrowest / 2;
		best.raw = raw;
	}
	return best;
}

#ifdef ARCH_HAS_TICKS
/*
 * Where the kernel keeps time by one of the slow clocks it has found the CPUs'
 * counters to disagree or to stop, whatever they claim to be.
 */
static bool kernel_distrusts_ticks(void)
{
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies",
					   "refined-jiffies"};
	bool distrusts = false;
	char *name;

	if (os_file_read("/sys/devices/system/clocksource/clocksource0/"
			 "current_clocksource",
			 &name))
		return false;
	name[strcspn(name, "\n")] = '\0';
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		distrusts |= !strcmp(name, slow[i]);
	os_free(name);
	return distrusts;
}

static bool ticks_trusted(void)
{
	return arch_ticks_invariant() && !kernel_distrusts_ticks();
}
#else
static bool ticks_trusted(void)
{
	return false;
}
#endif

/* a / b as mult / 2^shift with mult in [2^62, 2^63); a, b below 2^62. */
static void set_ratio(uint64_t a, uint64_t b, uint64_t *ret_mult,
		      unsigned *ret_shift)
{
	uint64_t rest = a % b;
	uint64_t mult = a / b;
	unsigned shift = 0;

	/* Long division, bit by bit, until the factor is full. */
	while (mult < (uint64_t)1 << 62) {
		rest <<= 1;
		mult = mult << 1 | (rest >= b);
		if (rest >= b)
			rest -= b;
		shift++;
	}
	*ret_mult = mult;
	*ret_shift = shift;
}

int os_timebase_calibrate(struct os_timebase *ret)
{
	struct os_timebase base;
	struct pair first;
	struct pair last;
	uint64_t ticks;
	uint64_t ns;

	os_ticks_use_clock = !ticks_trusted();
	first = read_pair();
	if (!first.raw)
		return -ENOTSUP;
	while (os_raw_ns() - first.raw < CALIBRATION_NS)
		arch_relax();
	last = read_pair();
	if (last.ticks <= first.ticks) {
		/* A counter that stands still. */
		os_ticks_use_clock = true;
		first = read_pair();
		last = (struct pair){first.ticks + 1, first.raw + 1};
	}
	ticks = last.ticks - first.ticks;
	ns = os_ticks_use_clock ? ticks : last.raw - first.raw;
	set_ratio(ns, ticks, &base.mult, &base.shift);
	set_ratio(ticks, ns, &base.inverse, &base.inverse_shift);
	base.ticks0 = last.ticks;
	base.raw0 = os_ticks_use_clock ? last.ticks : last.raw;
	base.ticks_per_second = os_ns_to_ticks(&base, NS_PER_S);
	/* Where the two clocks stand to each other changes with NTP only. */
	base.mono0 = os_monotonic_ns() - (os_raw_ns() - base.raw0);
	*ret = base;
	return 0;
}

/* value * mult >> shift by halves of 32 bits; saturates.  A ratio of two numbers
 * below 2^62 has a shift of 1 to 125. */
static uint64_t scale(uint64_t value, uint64_t mult, unsigned shift)
{
	uint64_t low_low = (value & UINT32_MAX) * (mult & UINT32_MAX);
	uint64_t high_low = (value >> 32) * (mult & UINT32_MAX);
	uint64_t low_high = (value & UINT32_MAX) * (mult >> 32);
	uint64_t high_high = (value >> 32) * (mult >> 32);
	uint64_t middle = (low_low >> 32) + (high_low & UINT32_MAX) +
			  (low_high & UINT32_MAX);
	uint64_t low = middle << 32 | (low_low & UINT32_MAX);
	uint64_t high = high_high + (high_low >> 32) + (low_high >> 32) +
			(middle >> 32);

	if (shift >= 64)
		return high >> (shift - 64);
	if (high >> shift)
		return UINT64_MAX;
	return high << 1 << (63 - shift) | low >> shift;
}

uint64_t os_ticks_to_ns(const struct os_timebase *base, uint64_t ticks)
{
	return scale(ticks, base->mult, base->shift);
}

uint64_t os_ns_to_ticks(const struct os_timebase *base, uint64_t ns)
{
	return scale(ns, base->inverse, base->inverse_shift);
}

double os_timebase_error_ppm(const struct os_timebase *base)
{
	struct pair now = read_pair();
	uint64_t ours = os_ticks_to_ns(base, now.ticks - base->ticks0);
	uint64_t raw = now.raw - base->raw0;

	if (!raw)
		return 0;
	return ((double)ours - (double)raw) / (double)raw * 1e6;
}
