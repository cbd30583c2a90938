/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86-64.
 *
 * The switch stands inline in its caller, for the sake of the return stack:
 * a switch that is called and left by `jmp` leaves an entry behind in the
 * processor's return predictor, so that every later `ret` is mispredicted
 * (10.2 ns against 3.1 measured).  Inline, each stack's calls and returns
 * pair off.  It saves stack pointer, frame pointer and where to go on; all
 * other callee-saved registers are named as clobbered, so the compiler saves
 * those that are in use, and describes them to unwinders.
 */
#ifndef ARCH_X86_64_ARCH_H
#define ARCH_X86_64_ARCH_H

#include <cpuid.h>

#include "base/base.h"

#define ARCH_NAME      "x86_64"
#define ARCH_HAS_TICKS 1

/* The layout is known to arch_switch() and to the debugger's script. */
struct arch_context {
	void *stack_pointer;
	void *instruction;
	void *frame_pointer;
};

/*
 * `entry` gets no argument and must not return.  The stack ends in a return
 * address of 0, where unwinders stop.
 */
static inline void arch_context_init(struct arch_context *context,
				     void *stack_top, void (*entry)(void))
{
	uintptr_t top = ((uintptr_t)stack_top & ~(uintptr_t)15) - 8;

	*(uintptr_t *)top = 0;
	context->stack_pointer = (void *)top;
	context->instruction = (void *)(uintptr_t)entry;
	context->frame_pointer = NULL;
}

#ifdef __AVX512F__
# define ARCH_CLOBBER_AVX512                                                \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", \
	  "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30",    \
	  "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
# define ARCH_CLOBBER_AVX512
#endif

static always_inline void arch_switch(struct arch_context *from,
				      struct arch_context *to)
{
	register struct arch_context *rfrom __asm__("rdi") = from;
	register struct arch_context *rto __asm__("rsi") = to;

	__asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
			 "movq %%rsp, 0(%%rdi)\n\t"
			 "movq %%rax, 8(%%rdi)\n\t"
			 "movq %%rbp, 16(%%rdi)\n\t"
			 "movq 0(%%rsi), %%rsp\n\t"
			 "movq 16(%%rsi), %%rbp\n\t"
			 "jmp *8(%%rsi)\n"
			 "1:\n"
			 : "+r"(rfrom), "+r"(rto)
			 :
			 : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11",
			   "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
			   "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
			   "xmm15", "memory", "cc" ARCH_CLOBBER_AVX512);
}

#define ARCH_TLS_MODEL __attribute__((tls_model("initial-exec")))

#define ARCH_TLS_POINTER(variable)                        \
 __extension__(                                           \
	 {                                                \
__typeof__(variable) value_;                                  \
__asm__ volatile("movq " #variable "@gottpoff(%%rip), %0\n\t" \
	     "movq %%fs:(%0), %0"                         \
    : "=r"(value_));                                      \
value_;                                                       \
	 })

/* Without the instruction a processor takes it for a no-op. */
static always_inline void arch_prefetch_write(const void *address)
{
	__asm__ volatile("prefetchw (%0)" : : "r"(address));
}

static inline void arch_relax(void)
{
	__builtin_ia32_pause();
}

static inline uint64_t arch_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/* No later stamp is taken before what precedes has been done. */
static inline void arch_ticks_barrier(void)
{
	__builtin_ia32_lfence();
}

/* The time stamp counter runs at one rate in all states of power. */
static inline bool arch_ticks_invariant(void)
{
	unsigned eax;
	unsigned ebx;
	unsigned ecx;
	unsigned edx;

	if (!__get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx))
		return false;
	return edx & (1u << 8);
}

/* Rounding and exception masks of SSE and of the x87. */
struct arch_fp {
	uint32_t mxcsr;
	uint16_t control;
};

static inline void arch_fp_save(struct arch_fp *fp)
{
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1"
			 : "=m"(fp->mxcsr), "=m"(fp->control));
}

static inline void arch_fp_load(const struct arch_fp *fp)
{
	__asm__ volatile("ldmxcsr %0\n\tfldcw %1"
			 :
			 : "m"(fp->mxcsr), "m"(fp->control));
}

#endif
