/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files of the kernel, read whole.
 */
#ifndef OS_FILE_H
#define OS_FILE_H

/* The text of a file, ended by NUL, to be given back with os_free().  -errno
 * of open or read; -EFBIG beyond 16 MiB. */
int os_file_read(const char *path, char **ret_text);

#endif
