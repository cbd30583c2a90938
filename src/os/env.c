/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secure_getenv() is the GNU and musl C libraries'.
 */
#include "os/env.h"

#include <stdlib.h>

const char *os_getenv(const char *name)
{
	return secure_getenv(name);
}
