/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pre-pass: makes strict JSON of what people write, in place.
 */
#ifndef LAB_GRAMMAR_LENIENT_H
#define LAB_GRAMMAR_LENIENT_H

#include <stddef.h>

/*
 * Where a key without a value ends (the byte after its closing quote): there
 * ":null" is missing.  Ascending.
 */
struct lab_bare {
	size_t *ends;
	size_t count;
};

/* What the pre-pass itself refuses, and where. */
struct lab_fault {
	size_t offset;
	const char *what; /* static */
};

/*
 * Blanks comments of both kinds, a byte order mark and trailing commas in
 * `text`, whose length and lines stay as they are, and lists bare "suspend"s.
 *
 * 0; -EINVAL with *ret_fault filled; -ENOMEM.  On success the caller frees
 * ret_bare->ends; on failure *ret_bare is untouched.
 */
int lab_lenient(char *text, size_t length, struct lab_bare *ret_bare,
		struct lab_fault *ret_fault);

#endif
