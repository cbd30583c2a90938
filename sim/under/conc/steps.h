/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed atomics of the machine: the names of src/conc/atomic.h, each a step and
 * then a plain access.
 *
 * The machine has one real thread, so memory is sequentially consistent here
 * whatever order a name asks for; store buffers for weaker orders belong here
 * when they come.  Reading what the owner itself wrote is no step: nobody else
 * writes it, so it commutes with everything that others do.  Plain accesses
 * suffice: others act within sim_step() alone, which the compiler cannot look
 * through.
 */
#ifndef SIM_UNDER_CONC_STEPS_H
#define SIM_UNDER_CONC_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/step.h"

struct a32 {
	uint32_t value;
};

struct a64 {
	uint64_t value __attribute__((aligned(8)));
};

struct aptr {
	void *value;
};

#define STEPS_LOAD(NAME, A, T)           \
 static inline T NAME(const struct A *a) \
 {                                       \
  sim_step();                            \
  return a->value;                       \
 }

#define STEPS_STORE(NAME, A, T)            \
 static inline void NAME(struct A *a, T v) \
 {                                         \
  sim_step();                              \
  a->value = v;                            \
 }

#define STEPS_EXCHANGE(NAME, A, T)      \
 static inline T NAME(struct A *a, T v) \
 {                                      \
  T old;                                \
                                        \
  sim_step();                           \
  old = a->value;                       \
  a->value = v;                         \
  return old;                           \
 }

#define STEPS_CAS(NAME, A, T)                           \
 static inline bool NAME(struct A *a, T *expected, T v) \
 {                                                      \
  sim_step();                                           \
  if (a->value != *expected) {                          \
   *expected = a->value;                                \
   return false;                                        \
  }                                                     \
  a->value = v;                                         \
  return true;                                          \
 }

/* Gives what was there before. */
#define STEPS_CHANGE(NAME, A, T, OP)    \
 static inline T NAME(struct A *a, T v) \
 {                                      \
  T old;                                \
                                        \
  sim_step();                           \
  old = a->value;                       \
  a->value = old OP v;                  \
  return old;                           \
 }

/* Every order that a name could ask for, so that src/ may choose. */
#define STEPS_COMMON(A, T)                  \
 STEPS_LOAD(A##_load_relaxed, A, T)         \
 STEPS_LOAD(A##_load_acquire, A, T)         \
 STEPS_LOAD(A##_load_seq_cst, A, T)         \
 STEPS_STORE(A##_store_relaxed, A, T)       \
 STEPS_STORE(A##_store_release, A, T)       \
 STEPS_STORE(A##_store_seq_cst, A, T)       \
 STEPS_STORE(A##_own_set, A, T)             \
 STEPS_EXCHANGE(A##_exchange_relaxed, A, T) \
 STEPS_EXCHANGE(A##_exchange_acquire, A, T) \
 STEPS_EXCHANGE(A##_exchange_release, A, T) \
 STEPS_EXCHANGE(A##_exchange_acq_rel, A, T) \
 STEPS_EXCHANGE(A##_exchange_seq_cst, A, T) \
 STEPS_CAS(A##_cas_relaxed, A, T)           \
 STEPS_CAS(A##_cas_acquire, A, T)           \
 STEPS_CAS(A##_cas_release, A, T)           \
 STEPS_CAS(A##_cas_acq_rel, A, T)           \
 STEPS_CAS(A##_cas_seq_cst, A, T)

#define STEPS_CHANGES(NAME, A, T, OP)   \
 STEPS_CHANGE(NAME##_relaxed, A, T, OP) \
 STEPS_CHANGE(NAME##_acquire, A, T, OP) \
 STEPS_CHANGE(NAME##_release, A, T, OP) \
 STEPS_CHANGE(NAME##_acq_rel, A, T, OP) \
 STEPS_CHANGE(NAME##_seq_cst, A, T, OP)

#define STEPS_NUMBER(A, T)                        \
 STEPS_CHANGES(A##_add, A, T, +)                  \
 STEPS_CHANGES(A##_or, A, T, |)                   \
 STEPS_CHANGES(A##_and, A, T, &)                  \
 static inline T A##_own(const struct A *a)       \
 {                                                \
  return a->value;                                \
 }                                                \
 static inline void A##_own_add(struct A *a, T v) \
 {                                                \
  A##_own_set(a, a->value + v);                   \
 }

STEPS_COMMON(a32, uint32_t)
STEPS_COMMON(a64, uint64_t)
STEPS_COMMON(aptr, void *)
STEPS_NUMBER(a32, uint32_t)
STEPS_NUMBER(a64, uint64_t)

#undef STEPS_LOAD
#undef STEPS_STORE
#undef STEPS_EXCHANGE
#undef STEPS_CAS
#undef STEPS_CHANGE
#undef STEPS_CHANGES
#undef STEPS_COMMON
#undef STEPS_NUMBER

#define CONC_PLAIN(T) T

static inline void conc_fence_light(void)
{
}

#endif
