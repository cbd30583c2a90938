/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment, as far as it may be trusted.
 */
#ifndef OS_ENV_H
#define OS_ENV_H

/* NULL where unset, and always in programs that run with more rights than
 * their caller has (set-user-ID). */
const char *os_getenv(const char *name);

#endif
