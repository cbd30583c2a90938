/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of seccomp(2), one upon the other. */
#include "harness/refuse.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/test.h"

#define LOAD(at)          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(at))
#define UNLESS(k, skip)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), 0, (skip))
#define GIVE(what)        BPF_STMT(BPF_RET | BPF_K, (what))
#define LENGTH(statement) (sizeof(statement) / sizeof((statement)[0]))

static void install(struct sock_filter *filter, size_t length)
{
	struct sock_fprog program = {(unsigned short)length, filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_TSYNC, &program))
		SKIP("no filters of system calls: %s", strerror(errno));
}

void test_refuse(long number, int error)
{
	struct sock_filter filter[] = {
		LOAD(offsetof(struct seccomp_data, nr)),
		UNLESS((uint32_t)number, 1),
		GIVE(SECCOMP_RET_ERRNO | (uint32_t)error),
		GIVE(SECCOMP_RET_ALLOW),
	};

	install(filter, LENGTH(filter));
}

void test_refuse_where(long number, unsigned argument, uint32_t value,
		       int error)
{
	size_t lower = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
	struct sock_filter filter[] = {
		LOAD(offsetof(struct seccomp_data, nr)),
		UNLESS((uint32_t)number, 3),
		LOAD(offsetof(struct seccomp_data, args) +
		     argument * sizeof(uint64_t) + lower),
		UNLESS(value, 1),
		GIVE(SECCOMP_RET_ERRNO | (uint32_t)error),
		GIVE(SECCOMP_RET_ALLOW),
	};

	install(filter, LENGTH(filter));
}
