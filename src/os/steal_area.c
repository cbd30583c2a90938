/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel looks at the descriptor when it returns to a thread that was
 * preempted, migrated or signalled.  Its rules (kernel/rseq.c): version 0; the
 * range must not wrap, nor hold the abort address; the four bytes before the
 * abort address must be the signature given at registration, which is checked
 * whether or not the program counter is in range, so it has to stand there;
 * any breach is a SIGSEGV.  A program counter outside of the range makes it
 * clear the pointer and nothing else.
 *
 * Our range is one byte of data, which is never executed; the signature and
 * the "abort code" are data, too.  All of it is static: a pointer that is
 * still armed when its thread ends never dangles.
 */
#include "os/steal_area.h"

#include <stddef.h>

#include "os/inject.h"

#if defined(__has_include)
# if __has_include(<sys/rseq.h>)
#  include <sys/rseq.h>
# endif
#endif

#ifdef RSEQ_SIG

# include <pthread.h>

/* Absent from C libraries before 2.35: then there is no area. */
# pragma weak __rseq_offset
# pragma weak __rseq_size

static uint32_t landing[4] = {0, RSEQ_SIG, 0, 0};
static struct rseq_cs descriptor;
static pthread_once_t descriptor_once = PTHREAD_ONCE_INIT;

/* At run time: on 32 bits an address is no constant of 64. */
static void fill_descriptor(void)
{
	descriptor.start_ip = (uintptr_t)&landing[0];
	descriptor.post_commit_offset = 1;
	descriptor.abort_ip = (uintptr_t)&landing[2];
}

uintptr_t os_steal_area_descriptor(void)
{
	pthread_once(&descriptor_once, fill_descriptor);
	return (uintptr_t)&descriptor;
}

static struct rseq *find_area(void)
{
	if (os_fault(OS_CALL_RSEQ) || !&__rseq_size || !&__rseq_offset)
		return NULL;
	if (__rseq_size < offsetof(struct rseq, rseq_cs) + sizeof(uint64_t))
		return NULL;
	return (struct rseq *)(void *)((char *)__builtin_thread_pointer() +
				       __rseq_offset);
}

volatile uintptr_t *os_steal_area_slot(void)
{
	struct rseq *area = find_area();
	size_t low = 0;

	/* The kernel writes a CPU's number there once it is registered. */
	if (!area || (int32_t)area->cpu_id < 0)
		return NULL;
# if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	low = sizeof(area->rseq_cs) - sizeof(uintptr_t);
# endif
	return (volatile uintptr_t *)(void *)((char *)&area->rseq_cs + low);
}

#else

uintptr_t os_steal_area_descriptor(void)
{
	return 1;
}

volatile uintptr_t *os_steal_area_slot(void)
{
	return NULL;
}

#endif
