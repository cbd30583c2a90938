/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed atomics: the only place that names a memory order.
 *
 * The order stands in each operation's name, so that a reader sees it where
 * it acts, a tool can weaken it, and a model checker or a simulator can slide
 * its own definitions underneath (METE_ATOMIC_HEADER).
 *
 * Owner operations (own, own_set, own_add) are for a word that one thread alone
 * writes while others read it: plain loads and stores that cannot tear, no
 * read-modify-write.  The store is a release, so that a sequence mark
 * (conc/mark.h) needs no fence of its own; on x86 that costs nothing.
 * Compiles as C and as C++.
 */
#ifndef CONC_ATOMIC_H
#define CONC_ATOMIC_H

#ifdef METE_ATOMIC_HEADER
# include METE_ATOMIC_HEADER
#else

# include <stdbool.h>
# include <stdint.h>

struct a32 {
	uint32_t value;
};

struct a64 {
	uint64_t value __attribute__((aligned(8)));
};

struct aptr {
	void *value;
};

# define CONC_LOADS_STORES(A, T)                         \
  static inline T A##_load_relaxed(const struct A *a)    \
  {                                                      \
   return __atomic_load_n(&a->value, __ATOMIC_RELAXED);  \
  }                                                      \
  static inline T A##_load_acquire(const struct A *a)    \
  {                                                      \
   return __atomic_load_n(&a->value, __ATOMIC_ACQUIRE);  \
  }                                                      \
  static inline T A##_load_seq_cst(const struct A *a)    \
  {                                                      \
   return __atomic_load_n(&a->value, __ATOMIC_SEQ_CST);  \
  }                                                      \
  static inline void A##_store_relaxed(struct A *a, T v) \
  {                                                      \
   __atomic_store_n(&a->value, v, __ATOMIC_RELAXED);     \
  }                                                      \
  static inline void A##_store_release(struct A *a, T v) \
  {                                                      \
   __atomic_store_n(&a->value, v, __ATOMIC_RELEASE);     \
  }

# define CONC_EXCHANGES(A, T)                                              \
  static inline T A##_exchange_relaxed(struct A *a, T v)                   \
  {                                                                        \
   return __atomic_exchange_n(&a->value, v, __ATOMIC_RELAXED);             \
  }                                                                        \
  static inline T A##_exchange_acquire(struct A *a, T v)                   \
  {                                                                        \
   return __atomic_exchange_n(&a->value, v, __ATOMIC_ACQUIRE);             \
  }                                                                        \
  static inline T A##_exchange_release(struct A *a, T v)                   \
  {                                                                        \
   return __atomic_exchange_n(&a->value, v, __ATOMIC_RELEASE);             \
  }                                                                        \
  static inline T A##_exchange_acq_rel(struct A *a, T v)                   \
  {                                                                        \
   return __atomic_exchange_n(&a->value, v, __ATOMIC_ACQ_REL);             \
  }                                                                        \
  static inline T A##_exchange_seq_cst(struct A *a, T v)                   \
  {                                                                        \
   return __atomic_exchange_n(&a->value, v, __ATOMIC_SEQ_CST);             \
  }                                                                        \
  static inline bool A##_cas_relaxed(struct A *a, T *expected, T v)        \
  {                                                                        \
   return __atomic_compare_exchange_n(&a->value, expected, v, false,       \
				      __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
  }                                                                        \
  static inline bool A##_cas_acquire(struct A *a, T *expected, T v)        \
  {                                                                        \
   return __atomic_compare_exchange_n(&a->value, expected, v, false,       \
				      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); \
  }                                                                        \
  static inline bool A##_cas_release(struct A *a, T *expected, T v)        \
  {                                                                        \
   return __atomic_compare_exchange_n(&a->value, expected, v, false,       \
				      __ATOMIC_RELEASE, __ATOMIC_RELAXED); \
  }                                                                        \
  static inline bool A##_cas_acq_rel(struct A *a, T *expected, T v)        \
  {                                                                        \
   return __atomic_compare_exchange_n(&a->value, expected, v, false,       \
				      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); \
  }                                                                        \
  static inline bool A##_cas_seq_cst(struct A *a, T *expected, T v)        \
  {                                                                        \
   return __atomic_compare_exchange_n(&a->value, expected, v, false,       \
				      __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE); \
  }

# define CONC_ARITHMETIC(A, T)                                          \
  static inline T A##_add_relaxed(struct A *a, T v)                     \
  {                                                                     \
   return __atomic_fetch_add(&a->value, v, __ATOMIC_RELAXED);           \
  }                                                                     \
  static inline T A##_add_release(struct A *a, T v)                     \
  {                                                                     \
   return __atomic_fetch_add(&a->value, v, __ATOMIC_RELEASE);           \
  }                                                                     \
  static inline T A##_add_acq_rel(struct A *a, T v)                     \
  {                                                                     \
   return __atomic_fetch_add(&a->value, v, __ATOMIC_ACQ_REL);           \
  }                                                                     \
  static inline T A##_add_seq_cst(struct A *a, T v)                     \
  {                                                                     \
   return __atomic_fetch_add(&a->value, v, __ATOMIC_SEQ_CST);           \
  }                                                                     \
  static inline T A##_or_relaxed(struct A *a, T v)                      \
  {                                                                     \
   return __atomic_fetch_or(&a->value, v, __ATOMIC_RELAXED);            \
  }                                                                     \
  static inline T A##_or_release(struct A *a, T v)                      \
  {                                                                     \
   return __atomic_fetch_or(&a->value, v, __ATOMIC_RELEASE);            \
  }                                                                     \
  /* Owner only: what it wrote itself, and an add nobody else makes. */ \
  static inline T A##_own(const struct A *a)                            \
  {                                                                     \
   return __atomic_load_n(&a->value, __ATOMIC_RELAXED);                 \
  }                                                                     \
  static inline void A##_own_set(struct A *a, T v)                      \
  {                                                                     \
   __atomic_store_n(&a->value, v, __ATOMIC_RELEASE);                    \
  }                                                                     \
  static inline void A##_own_add(struct A *a, T v)                      \
  {                                                                     \
   A##_own_set(a, A##_own(a) + v);                                      \
  }

/* As A##_own_set(), for a pointer. */
# define CONC_OWN_POINTER                                  \
  static inline void aptr_own_set(struct aptr *a, void *v) \
  {                                                        \
   __atomic_store_n(&a->value, v, __ATOMIC_RELEASE);       \
  }

CONC_LOADS_STORES(a32, uint32_t)
CONC_LOADS_STORES(a64, uint64_t)
CONC_LOADS_STORES(aptr, void *)
CONC_EXCHANGES(a32, uint32_t)
CONC_EXCHANGES(a64, uint64_t)
CONC_EXCHANGES(aptr, void *)
CONC_ARITHMETIC(a32, uint32_t)
CONC_ARITHMETIC(a64, uint64_t)
CONC_OWN_POINTER

# undef CONC_LOADS_STORES
# undef CONC_EXCHANGES
# undef CONC_ARITHMETIC
# undef CONC_OWN_POINTER

/* A field that is handed on by the orders of others; models watch that no two
 * touch it without a hand-over. */
# define CONC_PLAIN(T) T

/*
 * The light half of an asymmetric fence: against the compiler alone.  A thread
 * that makes the heavy half (os/membarrier.h) makes it a full fence of every
 * other thread's as well.
 */
static inline void conc_fence_light(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif

#endif
