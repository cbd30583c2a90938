/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file io.h
 * Waiting for the world: descriptors.
 *
 * A task that reads or writes a descriptor makes it non-blocking (O_NONBLOCK),
 * tries, and waits when the call says -EAGAIN:
 *
 *     while ((n = read(fd, buffer, size)) < 0 && errno == EAGAIN)
 *             if (mete_fd_wait(fd, METE_READ, METE_FOREVER))
 *                     break;
 *
 * The CPU runs other tasks meanwhile.  The wait is booked as blocked.
 */
#ifndef METE_IO_H
#define METE_IO_H

#include <mete/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to wait for; may be combined. */
enum mete_fd_event {
	METE_READ = 1u << 0,     /**< data, a connection, or the end of it */
	METE_WRITE = 1u << 1,    /**< room, or a connection that stands */
	METE_PRIORITY = 1u << 2, /**< what poll(2) calls POLLPRI */
};

/**
 * Wait until a descriptor is ready for any of `events`.
 *
 * Readiness is a hint: another reader may have been faster, and a descriptor
 * that was closed and opened anew meanwhile may wake those who waited for the
 * old one.  So which of the events it was is not told; try what is wanted and
 * come back on EAGAIN.  Errors and hang-ups count as any event: the next call
 * on the descriptor tells.  Regular files and directories are always ready.
 *
 * Any number of callers may wait for the same descriptor, for the same events
 * or others; all whose event comes are woken, in the order of their arrival.
 *
 * Closing a descriptor does not wake who waits for it, as with poll(2): call
 * mete_fd_cancel() first, or shutdown(2).
 *
 * @param fd           an open descriptor; it need not be non-blocking for this
 *                     call, but the one that follows may block if it is not.
 * @param events       one or more of enum mete_fd_event.
 * @param deadline_ns  CLOCK_MONOTONIC; METE_FOREVER; 0 or past: only look.
 * @return 0: ready; -ETIMEDOUT; -ECANCELED: mete_fd_cancel(), tasks only;
 *         -EBADF: not open; -EINVAL: no event or an unknown one;
 *         -EMFILE, -ENFILE, -ENOMEM, -ENOSPC: limits of the system (ENOSPC:
 *         /proc/sys/fs/epoll/max_user_watches); -ELOOP: an epoll descriptor
 *         that leads to Mete's own.
 * Context: tasks (switches), foreign threads (block in the kernel; need no
 * runtime); not signal handlers.  Allocates once, for the first task that
 * waits.  Cost: one system call to wait, and a share of one to be woken.
 * After fork(2) the child must not call it from a task.  Since 0.1.
 */
METE_API int mete_fd_wait(int fd, unsigned events, uint64_t deadline_ns);

/**
 * End all waits of tasks for a descriptor by -ECANCELED, before it is closed.
 * Who begins to wait after this call is not affected; foreign threads neither.
 *
 * @return 0, whether anybody waited or not; -EBADF for a negative number.
 * Context: any but signal handlers.  Does not switch.  Since 0.1.
 */
METE_API int mete_fd_cancel(int fd);

#ifdef __cplusplus
}
#endif

#endif
