/* SPDX-License-Identifier: Apache-2.0 */
/* A broken law of src/ is a failure of the machine's run. */
#include "base/base.h"
#include "sim/sim.h"

void base_panic(const char *file, int line, const char *what)
{
	sim_fail("%s:%d: broken law: %s", file, line, what);
}
