/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGQUIT: a dump on standard error, and on it goes.
 *
 * mete_dump() may be called in a handler, but a handler would run on any stack,
 * a task's of a few kilobytes among them.  So the signal is blocked everywhere
 * and a thread waits for it.
 */
#include "cli/quit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mete/stat.h>

#define STACK_BYTES ((size_t)256 * 1024)

static void *wait_and_dump(void *unused)
{
	sigset_t quit;
	int number;

	(void)unused;
	pthread_setname_np(pthread_self(), "mete-dump");
	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	while (sigwait(&quit, &number) == 0) {
		int rc = mete_dump(STDERR_FILENO);

		if (rc == -ENOSYS)
			fprintf(stderr, "mete: no tasks of Mete's run at the "
					"moment, nothing to dump\n");
		else if (rc)
			fprintf(stderr, "mete: can't dump: %s\n",
				strerror(-rc));
	}
	return NULL;
}

void quit_dumps(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t quit;
	sigset_t before;

	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	/* In the background of a shell's script it is ignored. */
	signal(SIGQUIT, SIG_DFL);
	pthread_sigmask(SIG_BLOCK, &quit, &before);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* Without the thread the signal does what it does everywhere. */
	if (pthread_create(&thread, &attr, wait_and_dump, NULL))
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
}
