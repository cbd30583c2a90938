/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the probe found, for the rest of the machinery of steal.h.
 */
#ifndef OS_STEAL_PROBE_H
#define OS_STEAL_PROBE_H

#include "os/steal.h"

/* OS_STEAL_ASK until os_steal_probe() was called. */
enum os_steal_mode os_steal_probed(void);

#endif
