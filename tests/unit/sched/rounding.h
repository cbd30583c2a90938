/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rounding mode, for tests that are not linked with the library of
 * mathematics where the machine's own switch does not need it.
 */
#ifndef UNIT_SCHED_ROUNDING_H
#define UNIT_SCHED_ROUNDING_H

#if defined(METE_ARCH_X86_64)
# include <xmmintrin.h>

# define ROUND_NEAREST _MM_ROUND_NEAREST
# define ROUND_UP      _MM_ROUND_UP
# define ROUND_DOWN    _MM_ROUND_DOWN
# define ROUND_TO_ZERO _MM_ROUND_TOWARD_ZERO

static inline int rounding_get(void)
{
	return (int)_MM_GET_ROUNDING_MODE();
}

static inline void rounding_set(int mode)
{
	_MM_SET_ROUNDING_MODE((unsigned)mode);
}
#else
# include <fenv.h>

# define ROUND_NEAREST FE_TONEAREST
# define ROUND_UP      FE_UPWARD
# define ROUND_DOWN    FE_DOWNWARD
# define ROUND_TO_ZERO FE_TOWARDZERO

static inline int rounding_get(void)
{
	return fegetround();
}

static inline void rounding_set(int mode)
{
	fesetround(mode);
}
#endif

#endif
