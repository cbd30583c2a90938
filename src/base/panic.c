/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a process whose books can no longer be trusted. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

void base_panic(const char *file, int line, const char *what)
{
	fprintf(stderr, "mete: %s:%d: broken law: %s\n", file, line, what);
	abort();
}
