/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file io.h
 * Waiting for the world: descriptors, and system calls that block.
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
 * Context: tasks (switches; a cancelled one ends here), foreign threads (block in
 * the kernel; need no runtime); not signal handlers.  Allocates once, for the
 * first task that waits.  Cost: one system call to wait, and a share of one to be
 * woken.
 * After fork(2) the child must not call it from a task.  Since 0.2.
 */
METE_API int mete_fd_wait(int fd, unsigned events, uint64_t deadline_ns);

/**
 * End all waits of tasks for a descriptor by -ECANCELED, before it is closed.
 * Who begins to wait after this call is not affected; foreign threads neither.
 *
 * @return 0, whether anybody waited or not; -EBADF for a negative number.
 * Context: any but signal handlers.  Does not switch.  Since 0.2.
 */
METE_API int mete_fd_cancel(int fd);

/**
 * A task is about to make calls that may block in the kernel: files, names,
 * locks of other libraries.  If they last (0.1 ms, or up to
 * 2 ms where tasks enter short regions all the time), another thread takes the CPU
 * over and runs other tasks there; from then on the task is
 * booked as blocked.  Short calls cost two atomic swaps more.
 *
 *     mete_blocking_begin();
 *     n = pread(file, buffer, size, offset);
 *     error = errno;
 *     mete_blocking_end();
 *
 * Up to mete_blocking_end() the caller counts as a thread that is foreign to
 * Mete: its waits block the thread, it has no task (mete_task_self() is none),
 * tasks that it creates belong to the root unless said, and it must not end.
 * CPU time that is used after the CPU was taken over is nobody's in the books
 * (away_cpu_ns of the ledger): do not compute there.  Thread-local variables,
 * errno among them, may be another thread's after the end.
 *
 * Regions nest.  At most 256 tasks at a time block without their CPU; where
 * there are more, or the system refuses a thread, they keep it.
 *
 * @return 0; foreign threads, too: nothing is done for them.
 * Context: tasks, foreign threads; not signal handlers.  Does not switch.
 * Cost: some 20 ns; now and then a system call (to wake the thread that looks).
 * Since 0.2.
 */
METE_API int mete_blocking_begin(void);

/**
 * The calls are over.  The task goes on at once if its CPU was not taken over,
 * else when its turn comes, as one that was woken.
 *
 * @return 0; -EPERM: a task that is not in a region.
 * Context: as mete_blocking_begin().  May switch; a cancelled task ends here.
 * Since 0.2.
 */
METE_API int mete_blocking_end(void);

#ifdef __cplusplus
}
#endif

#endif
