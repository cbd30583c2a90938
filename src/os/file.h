/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files of the kernel, read whole; and text that must get out.
 */
#ifndef OS_FILE_H
#define OS_FILE_H

#include <stddef.h>

/* The text of a file, ended by NUL, to be given back with os_free().  -errno
 * of open or read; -EFBIG beyond 16 MiB. */
int os_file_read(const char *path, char **ret_text);

/* All of it, however long that takes and whoever interrupts it: 0 or -errno of
 * write or poll.  Signal-safe; errno is kept. */
int os_file_write(int fd, const char *text, size_t bytes);

#endif
