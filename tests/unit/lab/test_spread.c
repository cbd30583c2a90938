/* SPDX-License-Identifier: Apache-2.0 */
/* lab/spread.c: means and deviations, by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "lab/spread.h"

static struct lab_group rows[] = {{(char *)"/", -1, 0}, {(char *)"/a", 0, 1}};
static struct lab_groups groups = {rows, 2};

/* Books of one task, which the caller fills. */
static struct lab_books *books_of(const char *task)
{
	struct lab_books *books;

	CHECK_EQ(lab_books_create(&books, &groups, 1, 1), 0);
	books->engine = "none";
	books->wall_ns = 1000;
	books->tasks[0].name = strdup(task);
	return books;
}

static size_t figure_of(const char *key)
{
	for (size_t i = 0; i < LAB_USAGE_FIGURES; i++)
		if (strcmp(lab_usage_figures[i].key, key) == 0)
			return i;
	FAIL("no figure %s", key);
}

TEST(mean_and_deviation_of_three_runs)
{
	static const uint64_t exec_ns[] = {100, 200, 600};
	struct lab_books *books[3];
	struct lab_spread *spread;
	size_t exec = figure_of("exec_ns");

	for (unsigned i = 0; i < 3; i++) {
		books[i] = books_of("t-0");
		books[i]->wall_ns = 10 * exec_ns[i];
		books[i]->groups[1].usage.exec_ns = exec_ns[i];
		books[i]->tasks[0].usage.exec_ns = exec_ns[i] + 1;
		books[i]->cpu[0].parked_ns = exec_ns[i] + 2;
		books[i]->audit.wall_ns = exec_ns[i] + 3;
		books[i]->audit.residual_ns = i == 1 ? -7 : 2;
		books[i]->audit.drift_ns = -(int64_t)exec_ns[i];
	}
	/* What one run does not know, the mean does not. */
	books[0]->groups[1].usage.wait_ns = 5;
	CHECK_EQ(lab_spread_create(&spread, books, 3), 0);
	CHECK_EQ(spread->runs, 3);
	CHECK_STR(spread->mean->engine, "none");
	CHECK_EQ(spread->mean->wall_ns, 3000);
	CHECK_EQ(spread->mean->groups[1].usage.exec_ns, 300);
	CHECK_STR(spread->mean->groups[1].path, "/a");
	CHECK_EQ(spread->mean->tasks[0].usage.exec_ns, 301);
	CHECK_STR(spread->mean->tasks[0].name, "t-0");
	CHECK_EQ(spread->mean->cpu[0].parked_ns, 302);
	CHECK_EQ(spread->mean->audit.wall_ns, 303);
	CHECK_EQ(spread->mean->audit.residual_ns, -7);
	CHECK_EQ(spread->mean->audit.drift_ns, -300);
	/* sqrt((200^2 + 100^2 + 300^2) / 2) */
	CHECK(fabs(spread->groups[1].figures[exec] - 264.575) < 0.001);
	CHECK(fabs(spread->tasks[0].figures[exec] - 264.575) < 0.001);
	CHECK(fabs(spread->wall_ns - 2645.75) < 0.01);
	CHECK(spread->mean->groups[1].usage.wait_ns == LAB_UNKNOWN);
	CHECK(isnan(spread->groups[1].figures[figure_of("wait_ns")]));
	lab_spread_free(spread);
	for (unsigned i = 0; i < 3; i++)
		lab_books_free(books[i]);
}

TEST(one_run_is_its_own_mean_and_does_not_scatter)
{
	struct lab_books *books = books_of("t-0");
	struct lab_spread *spread;

	books->tasks[0].usage.exec_ns = UINT64_C(123456789012345);
	CHECK_EQ(lab_spread_create(&spread, &books, 1), 0);
	CHECK_EQ(spread->mean->tasks[0].usage.exec_ns,
		 UINT64_C(123456789012345));
	CHECK(isnan(spread->tasks[0].figures[figure_of("exec_ns")]));
	lab_spread_free(spread);
	lab_books_free(books);
	lab_spread_free(NULL);
}

TEST(tasks_meet_by_name)
{
	struct lab_books *books[] = {books_of("a-0"), books_of("b-0")};
	struct lab_spread *spread;

	books[0]->tasks[0].usage.switches = 4;
	books[1]->tasks[0].usage.switches = 6;
	CHECK_EQ(lab_spread_create(&spread, books, 2), 0);
	CHECK(spread->mean->tasks[0].usage.switches == LAB_UNKNOWN);
	lab_spread_free(spread);
	lab_books_free(books[0]);
	lab_books_free(books[1]);
}
