/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The anchor is one instant: a stamp, and what the thread's CPU clock and its
 * run delay showed then.  A collection reads them anew, and
 *
 *	off = (ticks since the anchor) - (CPU time since the anchor)
 *
 * is the time off the CPU.  Readings are brackets (stamp, clock, stamp): the
 * clock is taken to stand for the middle.  That is wrong by a part of the
 * bracket's width, but alike for each reading, and since each collection ends
 * where the next begins the errors telescope: what is negative, or too small
 * to tell from it, is carried forward and never clipped at 0, so that a
 * million collections are as exact as one.  A bracket much wider than the
 * narrowest seen was itself disturbed and is read again.
 *
 * Whether the thread slept is told by its count of voluntary switches.  Where
 * it did, only the growth of its run delay was stolen.  The delay is asked for
 * at anchors, after sleeps and after long absences; in between it grows by
 * what was found, which for a thread that never slept is the same but for the
 * kernel's own work at a switch.
 */
#include "os/steal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "os/inject.h"
#include "os/steal_area.h"
#include "os/steal_probe.h"
#include "os/thread.h"

#define READINGS 4

/* What a reading may be wrong by: rest of this size is kept for the next
 * collection, a larger one is not the present interval's (drift). */
#define NOISE_NS 1000u
/* The clocks' rates differ by some ppm: bounds what may be owed for it. */
#define DEBT_NS 100000u
/* An absence after which asking for the run delay costs nothing to speak of. */
#define LONG_NS 100000u

struct reading {
	uint64_t ticks; /* the middle of the bracket */
	uint64_t end;   /* its last stamp */
	uint64_t cpu_ns;
};

static struct reading read_clocks(struct os_steal *steal)
{
	struct reading reading;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = os_ticks();
		uint64_t width;

		reading.cpu_ns = os_thread_cpu_ns();
		reading.end = os_ticks();
		width = reading.end - before;
		reading.ticks = before + width / 2;
		if (width < steal->bracket)
			steal->bracket = width;
		if (width / 2 <= steal->bracket)
			break;
	}
	return reading;
}

static uint64_t voluntary_switches(void)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nvcsw;
}

/* schedstat: "time on CPU, run delay, slices", in ns. */
static bool read_delay(const struct os_steal *steal, uint64_t *ret_ns)
{
	char text[96];
	char *at;
	ssize_t n;

	if (steal->schedstat < 0)
		return false;
	n = pread(steal->schedstat, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return false;
	text[n] = '\0';
	strtoull(text, &at, 10);
	*ret_ns = strtoull(at, NULL, 10);
	return true;
}

/* Where the kernel keeps no delays the file is absent or shows zeros: then
 * nothing counts as stolen from a thread that slept. */
static int open_schedstat(void)
{
	char path[64];

	if (os_fault(OS_CALL_FILE))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/task/%ld/schedstat",
		 (long)os_thread_self_tid());
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void go_asking(struct os_steal *steal)
{
	steal->mode = OS_STEAL_ASK;
	steal->slot = &steal->word;
	steal->word = steal->armed;
	steal->asked = true;
}

void os_steal_rearm(struct os_steal *steal)
{
	uintptr_t now = *steal->slot;

	if (now && now != steal->armed) {
		go_asking(steal);
		return;
	}
	*steal->slot = steal->armed;
}

void os_steal_anchor(struct os_steal *steal, uint64_t *ret_stamp)
{
	struct reading reading;

	os_steal_rearm(steal);
	read_delay(steal, &steal->delay_ns);
	steal->voluntary = voluntary_switches();
	reading = read_clocks(steal);
	steal->ticks = reading.ticks;
	steal->cpu_ns = reading.cpu_ns;
	steal->asked = false;
	/* Still to be paid out when asking; else noise of a past interval. */
	if (steal->mode == OS_STEAL_FLAG)
		steal->carry = 0;
	else if (steal->carry > 0)
		*steal->slot = 0;
	*ret_stamp = reading.end;
}

void os_steal_init(struct os_steal *steal, const struct os_timebase *base)
{
	uint64_t stamp;

	*steal = (struct os_steal){.base = base,
				   .bracket = UINT64_MAX,
				   .armed = os_steal_area_descriptor(),
				   .schedstat = open_schedstat()};
	go_asking(steal);
	if (os_steal_probed() == OS_STEAL_FLAG) {
		volatile uintptr_t *slot = os_steal_area_slot();

		if (slot) {
			steal->mode = OS_STEAL_FLAG;
			steal->slot = slot;
		}
	}
	os_steal_anchor(steal, &stamp);
}

void os_steal_fini(struct os_steal *steal)
{
	if (*steal->slot == steal->armed)
		*steal->slot = 0;
	go_asking(steal);
	if (steal->schedstat >= 0)
		close(steal->schedstat);
	steal->schedstat = -1;
}

static void grow_delay(struct os_steal *steal, int64_t off)
{
	uint64_t size = off < 0 ? -(uint64_t)off : (uint64_t)off;
	uint64_t ns = os_ticks_to_ns(steal->base, size);

	if (off > 0 && ns > LONG_NS && read_delay(steal, &steal->delay_ns))
		return;
	steal->delay_ns += off < 0 ? -ns : ns;
}

/* Ticks off the CPU from the anchor to the reading that were not the thread's
 * own sleep; negative by a reading's error. */
static int64_t find_stolen(struct os_steal *steal, const struct reading *now)
{
	uint64_t cpu = os_ns_to_ticks(steal->base, now->cpu_ns - steal->cpu_ns);
	int64_t off = (int64_t)(now->ticks - steal->ticks - cpu);
	uint64_t voluntary = voluntary_switches();
	uint64_t delay_ns = steal->delay_ns;
	int64_t stolen = 0;

	if (voluntary == steal->voluntary) {
		grow_delay(steal, off);
		return off;
	}
	steal->voluntary = voluntary;
	if (read_delay(steal, &steal->delay_ns))
		stolen = (int64_t)os_ns_to_ticks(steal->base,
						 steal->delay_ns - delay_ns);
	/* The delay in between was an estimate: it may have been too high. */
	if ((int64_t)(steal->delay_ns - delay_ns) < 0)
		stolen = 0;
	if (stolen > off)
		stolen = off > 0 ? off : 0;
	return stolen;
}

/* Keeps what was not given out, as far as a later interval may pay for it. */
static void keep_rest(struct os_steal *steal, int64_t rest)
{
	int64_t most = (int64_t)os_ns_to_ticks(steal->base, NOISE_NS);
	int64_t least = -(int64_t)os_ns_to_ticks(steal->base, DEBT_NS);

	steal->carry = rest < least ? least : rest;
	if (steal->mode == OS_STEAL_FLAG && rest > most)
		steal->carry = most;
	/* More to pay out: the next interval, too, counts as disturbed. */
	if (steal->mode == OS_STEAL_ASK && rest > most)
		*steal->slot = 0;
}

uint64_t os_steal_collect(struct os_steal *steal, uint64_t limit_ticks,
			  uint64_t *ret_stamp)
{
	uint64_t entry = os_ticks();
	int64_t total = steal->carry;
	uint64_t stamp = entry;
	uint64_t limit;
	uint64_t stolen;

	if (steal->mode == OS_STEAL_FLAG || steal->asked) {
		struct reading now = read_clocks(steal);

		total += find_stolen(steal, &now);
		steal->ticks = now.ticks;
		steal->cpu_ns = now.cpu_ns;
		steal->asked = false;
		stamp = now.end;
	}
	limit = limit_ticks + (stamp - entry);
	stolen = total > 0 ? (uint64_t)total : 0;
	if (stolen > limit)
		stolen = limit;
	keep_rest(steal, total - (int64_t)stolen);
	*ret_stamp = stamp;
	return stolen;
}

void os_steal_move(struct os_steal *to, const struct os_steal *from)
{
	*to = *from;
	if (from->slot == &from->word)
		to->slot = &to->word;
}

uint64_t os_steal_collect_from(struct os_steal *steal,
			       const struct os_thread *thread,
			       uint64_t limit_ticks, uint64_t *ret_stamp,
			       uint64_t *ret_slept)
{
	uint64_t delay_ns = steal->delay_ns;
	uint64_t stamp = os_ticks();
	uint64_t stolen = 0;
	uint64_t cpu_ns;
	int64_t off;

	*ret_stamp = stamp;
	*ret_slept = 0;
	if (os_thread_clock_ns(thread, &cpu_ns))
		return 0;
	off = (int64_t)(stamp - steal->ticks -
			os_ns_to_ticks(steal->base, cpu_ns - steal->cpu_ns));
	if (off <= 0)
		return 0;
	if (read_delay(steal, &steal->delay_ns) && steal->delay_ns > delay_ns)
		stolen =
			os_ns_to_ticks(steal->base, steal->delay_ns - delay_ns);
	if (stolen > (uint64_t)off)
		stolen = (uint64_t)off;
	*ret_slept = (uint64_t)off - stolen;
	return stolen < limit_ticks ? stolen : limit_ticks;
}
