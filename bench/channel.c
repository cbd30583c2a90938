/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench channel: what an item takes from one task to another.
 *
 *   --via rendezvous  there and back through two channels that keep nothing
 *         bounded     the same through channels that keep one
 *         stream      one way only, through a channel that keeps 256
 *
 * Items are of 8 bytes.  Sender and receiver are on one CPU, with -c 2 on two.
 * The kernel's threads have pipes instead, which keep 64 KiB, so no rendezvous;
 * bounded is their default.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/engine.h"

#define STREAM_ITEMS 256

/* A channel or a pipe. */
struct channel_way {
	_Alignas(128) struct mete_chan chan;
	int ends[2]; /* read, write */
};

struct channel_run {
	struct bench_crew crew;
	unsigned way;
	struct channel_way to;
	struct channel_way back;
	atomic_bool over;
	_Alignas(128) _Atomic uint64_t items;
	double *figures;
};

BENCH_WORK bool send_item(struct channel_way *way, uint64_t item,
			  enum bench_engine engine)
{
	if (engine == BENCH_METE)
		return mete_chan_send(&way->chan, &item, METE_FOREVER) == 0;
	return write(way->ends[1], &item, sizeof(item)) == sizeof(item);
}

BENCH_WORK bool receive_item(struct channel_way *way, uint64_t *item,
			     enum bench_engine engine)
{
	if (engine == BENCH_METE)
		return mete_chan_recv(&way->chan, item, METE_FOREVER) == 0;
	return read(way->ends[0], item, sizeof(*item)) == sizeof(*item);
}

/* What is in it is still received. */
BENCH_WORK void close_way(struct channel_way *way, enum bench_engine engine)
{
	if (engine == BENCH_METE) {
		mete_chan_close(&way->chan);
	} else {
		close(way->ends[1]);
		way->ends[1] = -1;
	}
}

BENCH_WORK void *asker(void *arg, enum bench_engine engine)
{
	struct channel_run *run = arg;
	uint64_t item = 1;

	while (!bench_is_over(&run->over)) {
		if (!send_item(&run->to, item, engine) ||
		    !receive_item(&run->back, &item, engine))
			abort();
		bench_count(&run->items, 2);
	}
	close_way(&run->to, engine);
	return NULL;
}
BENCH_BOTH(asker);

BENCH_WORK void *answerer(void *arg, enum bench_engine engine)
{
	struct channel_run *run = arg;
	uint64_t item;

	while (receive_item(&run->to, &item, engine))
		if (!send_item(&run->back, item + 1, engine))
			abort();
	return NULL;
}
BENCH_BOTH(answerer);

BENCH_WORK void *sender(void *arg, enum bench_engine engine)
{
	struct channel_run *run = arg;

	for (uint64_t item = 0; !bench_is_over(&run->over); item++)
		if (!send_item(&run->to, item, engine))
			abort();
	close_way(&run->to, engine);
	return NULL;
}
BENCH_BOTH(sender);

BENCH_WORK void *receiver(void *arg, enum bench_engine engine)
{
	struct channel_run *run = arg;
	uint64_t wanted = 0;
	uint64_t item;

	while (receive_item(&run->to, &item, engine)) {
		if (item != wanted++)
			abort();
		bench_count(&run->items, 1);
	}
	return NULL;
}
BENCH_BOTH(receiver);

enum {
	BY_RENDEZVOUS,
	BY_BOUNDED,
	BY_STREAM
};

static const char *const ways[] = {
	[BY_RENDEZVOUS] = "rendezvous",
	[BY_BOUNDED] = "bounded",
	[BY_STREAM] = "stream",
	NULL,
};

/* The default of threads is what they have. */
static unsigned way_of(const struct bench_options *options)
{
	return options->via || options->engine == BENCH_METE
		       ? bench_way(options, ways)
		       : BY_BOUNDED;
}

static const struct bench_metric metrics[] = {
	{"ns_one_way", "ns"},
	{"items", "M/s"},
	{0},
};

static int watch(struct bench_crew *crew)
{
	struct channel_run *run = (struct channel_run *)crew;
	struct bench_counts counts = {.first = &run->items, .count = 1};
	struct bench_gain gain;
	int rc = bench_watch(crew->options, &counts, &gain);

	run->over = true;
	if (rc)
		return rc;
	run->figures[0] = gain.spent_ns / gain.total;
	run->figures[1] = gain.total * 1e3 / gain.spent_ns;
	return 0;
}

static int way_open(const struct channel_run *run, struct channel_way *way)
{
	static const size_t capacities[] = {
		[BY_RENDEZVOUS] = 0,
		[BY_BOUNDED] = 1,
		[BY_STREAM] = STREAM_ITEMS,
	};

	if (run->crew.options->engine == BENCH_METE)
		return mete_chan_init(&way->chan, sizeof(uint64_t),
				      capacities[run->way]);
	if (run->way == BY_RENDEZVOUS)
		return -ENOTSUP;
	return pipe(way->ends) ? -errno : 0;
}

static void way_shut(const struct channel_run *run, struct channel_way *way)
{
	if (run->crew.options->engine == BENCH_METE) {
		mete_chan_fini(&way->chan);
		return;
	}
	close(way->ends[0]);
	if (way->ends[1] >= 0)
		close(way->ends[1]);
}

static int once(const struct bench_options *options, double *figures)
{
	enum bench_engine engine = options->engine;
	bool stream = way_of(options) == BY_STREAM;
	struct bench_member members[2] = {
		{.fn = (stream ? sender_of : asker_of)[engine], .cpu = 0},
		{.fn = (stream ? receiver_of : answerer_of)[engine], .cpu = 1},
	};
	struct channel_run run = {
		.crew = {.options = options,
			 .members = members,
			 .count = 2,
			 .watch = watch},
		.way = way_of(options),
		.figures = figures,
	};
	int rc;

	members[0].arg = members[1].arg = &run;
	rc = way_open(&run, &run.to);
	if (rc)
		return rc;
	rc = way_open(&run, &run.back);
	if (rc)
		goto shut_to;
	rc = bench_crew(&run.crew);
	way_shut(&run, &run.back);
shut_to:
	way_shut(&run, &run.to);
	return rc;
}

static int run(const struct bench_options *options)
{
	struct bench_options own = *options;
	struct bench_line about;

	own.tasks = 2;
	about = bench_about(&own, "channel", ways[way_of(&own)]);
	return bench_repeat(&own, &about, metrics, once);
}

const struct bench bench_channel = {
	.name = "channel",
	.summary = "what an item takes from one task to another",
	.ways = ways,
	.threads = true,
	.run = run,
};
