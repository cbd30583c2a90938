/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Books printed on standard output: of one run, of several (their mean, and how
 * they scatter), and of two engines side by side.
 */
#ifndef CLI_BOOKS_H
#define CLI_BOOKS_H

#include "cli/term.h"
#include "lab/books.h"
#include "lab/run.h"
#include "lab/spread.h"

/* For people. */
void books_text(const struct lab_books *books, const char *file,
		const struct term *term);
/* What stands below the tasks: the CPUs and the audit. */
void books_text_rest(const struct lab_books *books, const struct term *term);
/* Wake-up latency and slack of each task. */
void latency_text(const struct lab_books *books, const struct term *term);
void spread_text(const struct lab_spread *spread, const char *file,
		 const struct term *term);
void compare_text(const struct lab_spread *left, const struct lab_spread *right,
		  const char *file, const struct term *term);
void interval_text(const struct lab_interval *interval);

/* One JSON object on one line; unknown figures are null.  0 or -errno.
 * `spread` is NULL for the books of one run. */
int books_json(const struct lab_books *books, const struct lab_spread *spread);
int compare_json(const struct lab_spread *left, const struct lab_spread *right);
/* An object for each group. */
int interval_json(const struct lab_interval *interval);

/* A line for each figure: value, unit, event, kind and path; see its file.
 * 0 or -ENOMEM. */
int books_csv(const struct lab_books *books, const struct lab_spread *spread,
	      const char *separator);
int compare_csv(const struct lab_spread *left, const struct lab_spread *right,
		const char *separator);
void interval_csv(const struct lab_interval *interval, const char *separator);

#endif
