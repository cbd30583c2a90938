/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract with the machine, but for the switch (test_context.c): ticks,
 * thread-local pointers, floating-point control words.
 */
#include <fenv.h>
#include <pthread.h>

#include "arch/arch.h"
#include "harness/test.h"

ARCH_TLS_MODEL __thread int *test_pointer __attribute__((used));
#if defined(ARCH_TLS_READER)
void *arch_tls_read_test_pointer(void);
ARCH_TLS_READER(test_pointer)
#endif

static void *in_thread(void *arg)
{
	static int other;

	CHECK(ARCH_TLS_POINTER(test_pointer) == NULL);
	test_pointer = &other;
	CHECK(ARCH_TLS_POINTER(test_pointer) == &other);
	return arg;
}

TEST(thread_local_pointers_are_read_afresh)
{
	pthread_t thread;
	int mine;

	CHECK(ARCH_TLS_POINTER(test_pointer) == NULL);
	test_pointer = &mine;
	CHECK(ARCH_TLS_POINTER(test_pointer) == &mine);
	CHECK_EQ(pthread_create(&thread, NULL, in_thread, NULL), 0);
	pthread_join(thread, NULL);
	CHECK(ARCH_TLS_POINTER(test_pointer) == &mine);
}

TEST(ticks_go_on)
{
	arch_relax();
#ifdef ARCH_HAS_TICKS
	uint64_t first = arch_ticks();

	for (int i = 0; i < 1000; i++)
		arch_relax();
	CHECK_GT(arch_ticks(), first);
	/* One answer: it may be asked by anyone at any time. */
	CHECK_EQ(arch_ticks_invariant(), arch_ticks_invariant());
#else
	CHECK(!arch_ticks_invariant());
#endif
}

/* The present words, but for the rounding mode: down, up, to nearest. */
static void words_of(int mode, struct arch_fp *ret)
{
#if defined(ARCH_GENERIC_ARCH_H)
	static const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
	fenv_t before;

	fegetenv(&before);
	fesetround(modes[mode]);
	arch_fp_save(ret);
	fesetenv(&before);
#else
	static const unsigned control[] = {1, 2, 0};

	arch_fp_save(ret);
	ret->mxcsr = (ret->mxcsr & ~(3u << 13)) | control[mode] << 13;
	ret->control =
		(uint16_t)((ret->control & ~(3u << 10)) | control[mode] << 10);
#endif
}

TEST(control_words_are_saved_and_loaded)
{
	volatile double one = 1;
	volatile double three = 3;
	volatile long double wide = 1;
	/* Volatile: compilers move a division over what sets its rounding. */
	volatile double third[3];
	volatile long double wide_third[3];
	struct arch_fp before;

	arch_fp_save(&before);
	for (int mode = 0; mode < 3; mode++) {
		struct arch_fp words;

		words_of(mode, &words);
		arch_fp_load(&words);
		third[mode] = one / three;
		wide_third[mode] = wide / three;
	}
	arch_fp_load(&before);
	/* Both units follow: the vector's and the old one's. */
	CHECK(third[0] < third[1]);
	CHECK(third[2] == one / three);
	CHECK(wide_third[0] < wide_third[1]);
	CHECK(wide_third[2] == wide / three);
}
