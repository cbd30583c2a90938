/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a workload file.
 */
#ifndef LAB_GRAMMAR_TEXT_H
#define LAB_GRAMMAR_TEXT_H

#include <stddef.h>

#include "lab/program.h"

/* A NUL follows the last byte and is not counted. */
struct lab_text {
	char *bytes;
	size_t length;
};

/* How messages call `file`. */
const char *lab_text_name(const char *file);

/*
 * Reads `file`, or standard input for "-", whole.  0; -EINVAL where it is
 * longer than LAB_TEXT_BYTES_MAX; -ENOMEM; the errno of fopen() or fread().
 * *error is filled but for -ENOMEM.  The caller frees ret_text->bytes.
 */
int lab_text_read(const char *file, struct lab_text *ret_text,
		  struct lab_error *error);

#endif
