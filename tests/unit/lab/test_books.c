/* SPDX-License-Identifier: Apache-2.0 */
/* lab/books.c: what is unknown stays unknown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "lab/books.h"

TEST(unknown_in_a_sum_makes_it_unknown)
{
	struct lab_usage sum = {.exec_ns = 5, .switches = 1};
	struct lab_usage part = {.exec_ns = 7, .switches = LAB_UNKNOWN};

	CHECK_EQ(lab_plus(2, 3), 5);
	CHECK(lab_plus(LAB_UNKNOWN, 3) == LAB_UNKNOWN);
	CHECK(lab_plus(2, LAB_UNKNOWN) == LAB_UNKNOWN);
	lab_usage_add(&sum, &part);
	CHECK_EQ(sum.exec_ns, 12);
	CHECK(sum.switches == LAB_UNKNOWN);
}

TEST(new_books_know_nothing)
{
	struct lab_group rows[] = {{(char *)"/", -1, 0}, {(char *)"/a", 0, 1}};
	struct lab_groups groups = {rows, 2};
	struct lab_books *books;

	CHECK_EQ(lab_books_create(&books, &groups, 3, 2), 0);
	CHECK_EQ(books->group_count, 2);
	CHECK_EQ(books->task_count, 3);
	CHECK_EQ(books->cpus, 2);
	CHECK_STR(books->groups[1].path, "/a");
	CHECK_EQ(books->groups[1].parent, 0);
	CHECK(books->groups[1].usage.exec_ns == LAB_UNKNOWN);
	CHECK(books->tasks[2].usage.migrations == LAB_UNKNOWN);
	CHECK_EQ(books->cpu[1].cpu, 1);
	CHECK(books->cpu[1].parked_ns == LAB_UNKNOWN);
	CHECK(books->audit.residual_ns == LAB_UNKNOWN_SIGNED);
	CHECK(isnan(books->audit.clock_error_ppm));
	books->tasks[0].name = strdup("freed with the books");
	lab_books_free(books);
	lab_books_free(NULL);
}
