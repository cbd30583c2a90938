/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A full fence in every running thread of the process, for one side of an
 * asymmetric pair: the other side then needs none.  membarrier(2), Linux 4.14.
 */
#ifndef OS_MEMBARRIER_H
#define OS_MEMBARRIER_H

/* Once before the first fence; again is harmless.  0, or -ENOSYS, -EPERM, …:
 * then there is none. */
int os_membarrier_register(void);

/* Some microseconds; 10 ms should the system refuse what it has promised. */
void os_membarrier(void);

#endif
