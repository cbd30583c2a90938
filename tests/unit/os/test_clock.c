/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timebase: right to some ppm, exact in its products, monotone.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/clock.h"

#if !TEST_SANITIZED

/* Other machines, as the C library would tell of them. */
static const struct timespec *frozen; /* the only time that clocks show */
static const char *clocksource;       /* by which the kernel keeps time */

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (!frozen)
		return (int)syscall(SYS_clock_gettime, clock, ret);
	*ret = *frozen;
	return 0;
}

int open(const char *path, int flags, ...)
{
	int fd;

	if (!clocksource || !strstr(path, "/current_clocksource"))
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
	fd = memfd_create("clocksource", MFD_CLOEXEC);
	if (write(fd, clocksource, strlen(clocksource)) < 0)
		return -1;
	lseek(fd, 0, SEEK_SET);
	return fd;
}

#endif

static uint64_t kernel_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

TEST(clocks_are_the_kernels)
{
	uint64_t before = kernel_ns(CLOCK_MONOTONIC);
	uint64_t now = os_monotonic_ns();

	CHECK_LE(before, now);
	CHECK_LE(now, kernel_ns(CLOCK_MONOTONIC));
	before = kernel_ns(CLOCK_MONOTONIC_RAW);
	now = os_raw_ns();
	CHECK_LE(before, now);
	CHECK_LE(now, kernel_ns(CLOCK_MONOTONIC_RAW));
}

/* Whatever the load: our span against the clock's, read around it. */
TEST(spans_agree_with_the_clock)
{
	struct os_timebase base;
	uint64_t outer[2];
	uint64_t inner[2];
	uint64_t ticks[2];
	uint64_t ns;

	CHECK_EQ(os_timebase_calibrate(&base), 0);
	for (int i = 0; i < 2; i++) {
		outer[i] = inner[i] = os_raw_ns();
		ticks[i] = os_ticks();
		inner[i] = os_raw_ns();
		if (!i)
			while (os_raw_ns() - outer[0] < 200000000)
				arch_relax();
	}
	ns = os_ticks_to_ns(&base, ticks[1] - ticks[0]);
	/* 100 ppm of 0.2 s are 20 us. */
	CHECK_LE(ns, inner[1] - outer[0] + 20000);
	CHECK_GE(ns + 20000, outer[1] - inner[0]);
	CHECK_LT(os_timebase_error_ppm(&base), 100);
	CHECK_GT(os_timebase_error_ppm(&base), -100);
	NOTE("error %.3f ppm, %llu ticks a second",
	     os_timebase_error_ppm(&base),
	     (unsigned long long)base.ticks_per_second);
	CHECK_LE(base.raw0, outer[0]);
	/* A millisecond would mean that the two instants differ. */
	CHECK_LT(llabs((long long)(base.mono0 + (os_raw_ns() - base.raw0) -
				   os_monotonic_ns())),
		 1000000);
}

TEST(an_error_in_the_factor_is_shown)
{
	struct os_timebase base;
	struct timespec span = {0, 50000000};

	CHECK_EQ(os_timebase_calibrate(&base), 0);
	base.mult += base.mult / 1000;
	nanosleep(&span, NULL);
	CHECK_GT(os_timebase_error_ppm(&base), 900);
	CHECK_LT(os_timebase_error_ppm(&base), 1100);
}

TEST(conversions_are_exact)
{
	/* 3 ns in 8 ticks: 0.375 = 0.75 * 2^63 / 2^64. */
	struct os_timebase base = {.mult = (uint64_t)3 << 61,
				   .shift = 64,
				   .inverse = UINT64_C(6148914691236517206),
				   .inverse_shift = 61};
	uint64_t state = test_seed();

	CHECK_EQ(os_ticks_to_ns(&base, 0), 0);
	CHECK_EQ(os_ticks_to_ns(&base, 8), 3);
	CHECK_EQ(os_ticks_to_ns(&base, 15), 5);
	CHECK_EQ(os_ticks_to_ns(&base, (uint64_t)1 << 63), (uint64_t)3 << 60);
	CHECK_EQ(os_ns_to_ticks(&base, 3), 8);
	CHECK_EQ(os_ns_to_ticks(&base, 3000000000), 8000000000);
	/* No room for the result. */
	CHECK(os_ns_to_ticks(&base, (uint64_t)1 << 63) == UINT64_MAX);
#ifdef __SIZEOF_INT128__
	for (int i = 0; i < 100000; i++) {
		uint64_t ticks = test_random(&state) >> (i & 63);

		base.mult = test_random(&state) >> 1;
		base.shift = 63 + i % 64;
		CHECK_EQ(os_ticks_to_ns(&base, ticks),
			 (uint64_t)((unsigned __int128)ticks * base.mult >>
				    base.shift));
	}
#else
	(void)state;
#endif
}

TEST(conversions_are_monotone_and_invert)
{
	struct os_timebase base;
	uint64_t last = 0;

	CHECK_EQ(os_timebase_calibrate(&base), 0);
	CHECK_GE(base.mult, (uint64_t)1 << 62);
	CHECK_GE(base.inverse, (uint64_t)1 << 62);
	for (uint64_t ticks = 0; ticks < 100000; ticks++) {
		uint64_t ns = os_ticks_to_ns(&base, ticks);

		CHECK_GE(ns, last);
		last = ns;
	}
	for (uint64_t ns = 1; ns < (uint64_t)1 << 61; ns = ns * 3 + 1) {
		uint64_t back =
			os_ticks_to_ns(&base, os_ns_to_ticks(&base, ns));

		/* Less than a tick and the factors' last bits are lost. */
		CHECK_LE(back, ns + (ns >> 60) + 1);
		CHECK_GE(back + 100 + (ns >> 58), ns);
	}
	CHECK_LE(llabs((long long)(os_ns_to_ticks(&base, 1000000000) -
				   base.ticks_per_second)),
		 1);
}

TEST(the_fallback_is_the_clock)
{
	struct os_timebase base;
	uint64_t before;
	uint64_t now;

	CHECK_EQ(os_timebase_calibrate(&base), 0);
	os_ticks_use_clock = true;
	before = os_raw_ns();
	now = os_ticks();
	CHECK_LE(before, now);
	CHECK_LE(now, os_raw_ns());
}

TEST(ticks_advance_and_never_go_back)
{
	struct os_timebase base;
	uint64_t last;

	CHECK_EQ(os_timebase_calibrate(&base), 0);
	last = os_ticks();
	for (int i = 0; i < 1000000; i++) {
		uint64_t now = os_ticks();

		CHECK_GE(now, last);
		last = now;
	}
	CHECK_GT(last, base.ticks0);
}

#if !TEST_SANITIZED

/* Where the kernel itself has given the counter up. */
TEST(the_kernels_distrust_is_ours)
{
	static const char *const slow[] = {"hpet\n", "acpi_pm\n", "jiffies\n",
					   "refined-jiffies\n"};
	struct os_timebase base;
	uint64_t before;
	uint64_t now;

	for (int i = 0; i < 4; i++) {
		os_ticks_use_clock = false;
		clocksource = slow[i];
		CHECK_EQ(os_timebase_calibrate(&base), 0);
		CHECK(os_ticks_use_clock);
		CHECK_EQ(base.ticks_per_second, 1000000000);
		before = os_raw_ns();
		now = os_ticks();
		CHECK_LE(before, now);
		CHECK_LE(now, os_raw_ns());
	}
	/* What cannot be read, or is no slow one, is no distrust. */
	clocksource = "kvm-clock\n";
	CHECK_EQ(os_timebase_calibrate(&base), 0);
	now = os_ticks_use_clock;
	clocksource = NULL;
	CHECK_EQ(os_timebase_calibrate(&base), 0);
	CHECK_EQ(os_ticks_use_clock, now);
}

TEST(no_clock_at_all)
{
	static const struct timespec never = {0, 0};
	struct os_timebase base = {.mult = 77};

	frozen = &never;
	CHECK_EQ(os_timebase_calibrate(&base), -ENOTSUP);
	CHECK_EQ(base.mult, 77);
}

TEST(no_time_no_error)
{
	struct timespec now;
	struct os_timebase base;

	CHECK_EQ(os_timebase_calibrate(&base), 0);
	now.tv_sec = (time_t)(base.raw0 / 1000000000);
	now.tv_nsec = (long)(base.raw0 % 1000000000);
	frozen = &now;
	CHECK(os_timebase_error_ppm(&base) == 0);
}

# if defined(__x86_64__) && defined(ARCH_HAS_TICKS)

/* Reads of the counter fault, and show the same each time. */
static void stand_still(int number, siginfo_t *info, void *context)
{
	ucontext_t *where = context;
	greg_t *registers = where->uc_mcontext.gregs;
	const unsigned char *at = (const void *)registers[REG_RIP];

	(void)number;
	(void)info;
	if (at[0] != 0x0f || at[1] != 0x31) /* no rdtsc */
		_exit(3);
	registers[REG_RIP] += 2;
	registers[REG_RAX] = 12345;
	registers[REG_RDX] = 0;
}

TEST(a_counter_that_stands_still_is_left_for_the_clock)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};
	struct os_timebase base;
	uint64_t before;
	uint64_t ns;

	action.sa_sigaction = stand_still;
	CHECK_EQ(sigaction(SIGSEGV, &action, NULL), 0);
	clocksource = "tsc\n";
	CHECK_EQ(prctl(PR_SET_TSC, PR_TSC_SIGSEGV), 0);
	CHECK_EQ(os_timebase_calibrate(&base), 0);
	CHECK_EQ(prctl(PR_SET_TSC, PR_TSC_ENABLE), 0);
	CHECK(os_ticks_use_clock);
	CHECK_EQ(base.ticks_per_second, 1000000000);
	CHECK_EQ(os_ticks_to_ns(&base, 1000000000), 1000000000);
	before = os_raw_ns();
	ns = os_ticks();
	CHECK_LE(before, ns);
	CHECK_LE(ns, os_raw_ns());
}

# endif

#endif
