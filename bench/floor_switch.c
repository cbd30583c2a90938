/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor of a switch: six registers, a stack pointer, a jump.
 *
 * Assembly outside of arch/, on purpose: this is the yardstick for the
 * library's own switch and must not share a line with it.  The partner is
 * assembly throughout, so that neither compilers nor sanitizers add to it.
 */
#include "bench/bench.h"

#if defined(__x86_64__) && defined(__LP64__)

# include <stdlib.h>

# define STACK_WORDS 512

struct switch_pair {
	void *main_sp;
	void *partner_sp;
};

void bench_switch_pair(struct switch_pair *pair, uint64_t pairs);
void bench_switch_partner(void);

/*
 * bench_switch_pair(rdi: pair, rsi: pairs): there and back, `pairs` times.
 * r12 = pair and r13 = pairs left here; the partner finds the pair in its own
 * r12, from its first frame.  A switch saves rbx rbp r12-r15, and leaves by
 * `pop; jmp`, because a `ret` would be mispredicted.
 */
__asm__(".text\n"
	".macro bench_switch from, to\n"
	"	leaq	1f(%rip), %rax\n"
	"	pushq	%rax\n"
	"	pushq	%rbp\n"
	"	pushq	%rbx\n"
	"	pushq	%r12\n"
	"	pushq	%r13\n"
	"	pushq	%r14\n"
	"	pushq	%r15\n"
	"	movq	%rsp, \\from(%rdi)\n"
	"	movq	\\to(%rdi), %rsp\n"
	"	popq	%r15\n"
	"	popq	%r14\n"
	"	popq	%r13\n"
	"	popq	%r12\n"
	"	popq	%rbx\n"
	"	popq	%rbp\n"
	"	popq	%rax\n"
	"	jmp	*%rax\n"
	"1:\n"
	".endm\n"
	".p2align 6\n"
	".globl	bench_switch_pair\n"
	".hidden	bench_switch_pair\n"
	".type	bench_switch_pair, @function\n"
	"bench_switch_pair:\n"
	"	pushq	%r12\n"
	"	pushq	%r13\n"
	"	movq	%rdi, %r12\n"
	"	movq	%rsi, %r13\n"
	"	.p2align 4\n"
	"2:	movq	%r12, %rdi\n"
	"	bench_switch 0, 8\n"
	"	decq	%r13\n"
	"	jnz	2b\n"
	"	popq	%r13\n"
	"	popq	%r12\n"
	"	ret\n"
	".size	bench_switch_pair, . - bench_switch_pair\n"
	".p2align 6\n"
	".globl	bench_switch_partner\n"
	".hidden	bench_switch_partner\n"
	".type	bench_switch_partner, @function\n"
	"bench_switch_partner:\n"
	"3:	movq	%r12, %rdi\n"
	"	bench_switch 8, 0\n"
	"	jmp	3b\n"
	".size	bench_switch_partner, . - bench_switch_partner\n");

double bench_raw_switch(uint64_t pairs)
{
	void **stack = aligned_alloc(64, STACK_WORDS * sizeof(void *));
	void **top = stack + STACK_WORDS - 8;
	struct switch_pair pair;
	uint64_t start_ns;
	uint64_t spent_ns;

	if (!stack)
		return -1;
	/* r15 r14 r13 r12 rbx rbp, then where to go on. */
	top[0] = top[1] = top[2] = NULL;
	top[3] = &pair;
	top[4] = top[5] = NULL;
	top[6] = (void *)bench_switch_partner;
	pair.partner_sp = top;
	bench_switch_pair(&pair, 1000);
	start_ns = bench_now_ns();
	bench_switch_pair(&pair, pairs);
	spent_ns = bench_now_ns() - start_ns;
	free(stack);
	return (double)spent_ns / (2.0 * (double)pairs);
}

#else

double bench_raw_switch(uint64_t pairs)
{
	(void)pairs;
	return -1;
}

#endif
