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

#define STEPS_ADD(NAME, A, T)           \
 static inline T NAME(struct A *a, T v) \
 {                                      \
  T old;                                \
                                        \
  sim_step();                           \
  old = a->value;                       \
  a->value = old + v;                   \
  return old;                           \
 }

#define STEPS_COMMON(A, T)                  \
 STEPS_LOAD(A##_load_relaxed, A, T)         \
 STEPS_LOAD(A##_load_acquire, A, T)         \
 STEPS_LOAD(A##_load_seq_cst, A, T)         \
 STEPS_STORE(A##_store_relaxed, A, T)       \
 STEPS_STORE(A##_store_release, A, T)       \
 STEPS_STORE(A##_own_set, A, T)             \
 STEPS_EXCHANGE(A##_exchange_acquire, A, T) \
 STEPS_EXCHANGE(A##_exchange_release, A, T) \
 STEPS_EXCHANGE(A##_exchange_acq_rel, A, T) \
 STEPS_EXCHANGE(A##_exchange_seq_cst, A, T) \
 STEPS_CAS(A##_cas_acquire, A, T)           \
 STEPS_CAS(A##_cas_acq_rel, A, T)           \
 STEPS_CAS(A##_cas_seq_cst, A, T)

#define STEPS_NUMBER(A, T)                        \
 STEPS_ADD(A##_add_relaxed, A, T)                 \
 STEPS_ADD(A##_add_acq_rel, A, T)                 \
 STEPS_ADD(A##_add_seq_cst, A, T)                 \
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
#undef STEPS_ADD
#undef STEPS_COMMON
#undef STEPS_NUMBER

#endif
