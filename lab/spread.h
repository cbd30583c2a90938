/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several runs of one program on one engine: their mean and how they scatter.
 *
 * The mean is a set of books itself, so that whatever prints books prints
 * means.  The residual of the audit is no mean: it is the worst of all runs.
 * Rows stand where the first run has them.  A figure that one run does not
 * have is unknown, and so are those of a task that another run has not.
 */
#ifndef LAB_SPREAD_H
#define LAB_SPREAD_H

#include "lab/books.h"

/* Standard deviations of a sample; not a number where unknown or of one run. */
struct lab_deviation {
	double figures[LAB_USAGE_FIGURES];
};

struct lab_spread {
	unsigned runs;
	struct lab_books *mean;
	double wall_ns;               /* deviation of the wall time */
	struct lab_deviation *groups; /* one for each row of the mean */
	struct lab_deviation *tasks;
};

/*
 * Sums up `runs` (>= 1) books.  The mean's paths are those of the first ones,
 * which must outlive it.  0 or -ENOMEM.
 */
int lab_spread_create(struct lab_spread **ret_spread,
		      struct lab_books *const *books, unsigned runs);
void lab_spread_free(struct lab_spread *spread);

#endif
