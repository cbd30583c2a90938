/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's files have no size to ask for: read until nothing comes.  What is
 * written may go in parts: where the descriptor does not block, poll does.
 */
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "os/inject.h"
#include "os/mem.h"

#define FIRST_BYTES ((size_t)4096)
#define BYTES_MAX   ((size_t)16 << 20)

static int grow(char **text, size_t *room)
{
	char *larger;

	if (*room >= BYTES_MAX)
		return -EFBIG;
	larger = os_alloc(*room * 2);
	if (!larger)
		return -ENOMEM;
	memcpy(larger, *text, *room);
	os_free(*text);
	*text = larger;
	*room *= 2;
	return 0;
}

/* Fills *text, of *room bytes, to the file's end and a NUL. */
static int read_all(int fd, char **text, size_t room)
{
	size_t used = 0;
	ssize_t n;
	int err;

	for (;;) {
		if (used == room - 1) {
			err = grow(text, &room);
			if (err)
				return err;
		}
		n = read(fd, *text + used, room - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		used += (size_t)n;
	}
	(*text)[used] = '\0';
	return 0;
}

int os_file_read(const char *path, char **ret_text)
{
	char *text;
	int err;
	int fd;

	if (os_fault(OS_CALL_FILE))
		return -EMFILE;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	text = os_alloc(FIRST_BYTES);
	err = text ? read_all(fd, &text, FIRST_BYTES) : -ENOMEM;
	close(fd);
	if (err) {
		os_free(text);
		return err;
	}
	*ret_text = text;
	return 0;
}

/* Until the descriptor takes more, or tells what is wrong with it. */
static int await_room(int fd)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};

	return poll(&room, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

/* How much went out, 0 for "again", or -errno. */
static ssize_t write_some(int fd, const char *text, size_t bytes)
{
	ssize_t n;

	if (os_fault(OS_CALL_WRITE))
		return -EIO;
	n = write(fd, text, bytes);
	if (n > 0)
		return n;
	if (!n)
		return -EIO;
	if (errno == EAGAIN)
		return await_room(fd);
	return errno == EINTR ? 0 : -errno;
}

int os_file_write(int fd, const char *text, size_t bytes)
{
	int saved_errno = errno;
	ssize_t n = 0;

	while (bytes && n >= 0) {
		n = write_some(fd, text, bytes);
		if (n > 0) {
			text += n;
			bytes -= (size_t)n;
		}
	}
	errno = saved_errno;
	return n < 0 ? (int)n : 0;
}
