/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line of mete run asks for. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include <stdbool.h>

#include "cli/term.h"
#include "lab/run.h"

/* Most runs of one program. */
#define REQUEST_RUNS_MAX 1000

enum request_form {
	REQUEST_TEXT,
	REQUEST_JSON,
	REQUEST_CSV,
};

struct request {
	struct lab_run_options run;
	const char *file;
	const char *output;    /* NULL: standard output */
	const char *separator; /* of CSV */
	enum request_form form;
	enum term_color color;
	unsigned runs;
	bool engine_given;
	bool duration_given;
	bool check;   /* read the file and say whether it makes sense */
	bool latency; /* a table of them, too */
	bool compare; /* two engines, side by side */
	bool help;
};

/* CLI_OK, or CLI_USAGE with the message printed. */
int request_parse(struct request *ret_request, int argc, char **argv);

#endif
