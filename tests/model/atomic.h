/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The typed atomics of conc/atomic.h on Relacy's, for the models.
 *
 * Same names, each with the order that its name says.  Each is a step at which
 * the checker may go on with another thread, and each load may give what C++
 * allows, not only the newest value.
 *
 * Weakening.  An operation knows the line of the source that it stands on, so a
 * model program can be told at run time to weaken that of one line, or those of
 * all owners (which have no tags of their own): see model.h and run.
 */
#ifndef MODEL_ATOMIC_H
#define MODEL_ATOMIC_H

#include <errno.h>
#include <relacy/relacy.hpp>
#include <stdint.h>
#include <string.h>

/* Only Relacy's own code may mean Relacy's allocator. */
#undef new
#undef delete
#undef malloc
#undef free
#undef errno
#undef assert

/* In a default argument: where the caller stands. */
#define MODEL_HERE \
 rl::debug_info(__builtin_FUNCTION(), __builtin_FILE(), __builtin_LINE())
#define MODEL_INFO const rl::debug_info &info = MODEL_HERE

/* What is weakened, and how often that was executed. */
struct model_weakening {
	const char *file; /* NULL: nothing; "own": all owner operations */
	unsigned line;
	rl::memory_order order;
	bool drop; /* the store is not made at all */
	unsigned long hits;
};

inline struct model_weakening model_weakening;

static inline bool model_stands_at(const rl::debug_info &info)
{
	const struct model_weakening *weak = &model_weakening;
	size_t length;
	size_t wanted;

	if (info.line_ != weak->line || !weak->file)
		return false;
	length = strlen(info.file_);
	wanted = strlen(weak->file);
	return length >= wanted &&
	       !strcmp(info.file_ + length - wanted, weak->file);
}

static inline rl::memory_order model_order(rl::memory_order order,
					   const rl::debug_info &info)
{
	if (!model_stands_at(info))
		return order;
	model_weakening.hits++;
	return model_weakening.order;
}

static inline bool model_dropped(const rl::debug_info &info)
{
	if (!model_weakening.drop || !model_stands_at(info))
		return false;
	model_weakening.hits++;
	return true;
}

static inline rl::memory_order model_own_order(const rl::debug_info &info)
{
	if (!model_weakening.file || strcmp(model_weakening.file, "own") != 0)
		return model_order(rl::mo_release, info);
	model_weakening.hits++;
	return rl::mo_relaxed;
}

/* Of a swap that fails, of which nothing is written. */
static inline rl::memory_order model_failed(rl::memory_order order)
{
	return order == rl::mo_acq_rel || order == rl::mo_seq_cst
		       ? rl::mo_acquire
		       : rl::mo_relaxed;
}

/* A word; one that stands outside of a scenario is made by model_renew(). */
template <typename T> struct model_word {
	union {
		rl::atomic<T> value;
	};
	bool made = false;

	model_word()
	{
		if (!rl::is_ctx())
			return;
		::new (&value) rl::atomic<T>(T());
		made = true;
	}
	~model_word()
	{
		if (made && rl::is_ctx())
			value.~atomic();
	}
};

struct a32 : model_word<uint32_t> {
};

struct a64 : model_word<uint64_t> {
};

struct aptr : model_word<void *> {
};

/* Before each run: a global that the sources define, all zero. */
template <typename T> void model_renew(T *global)
{
	memset((void *)global, 0, sizeof(T));
	::new (global) T;
}

/* After each run. */
template <typename T> void model_leave(T *global)
{
	global->~T();
}

/* A model that must know of every access to its words sets these. */
inline void (*model_on_load)(const void *word);
inline void (*model_on_store)(const void *word);

#define MODEL_LOAD(A, T, ORDER)                                  \
 static inline T A##_load_##ORDER(const struct A *a, MODEL_INFO) \
 {                                                               \
  T v = a->value.load(model_order(rl::mo_##ORDER, info), info);  \
                                                                 \
  if (model_on_load)                                             \
   model_on_load(a);                                             \
  return v;                                                      \
 }
#define MODEL_STORE(A, T, ORDER)                                    \
 static inline void A##_store_##ORDER(struct A *a, T v, MODEL_INFO) \
 {                                                                  \
  if (!model_dropped(info))                                         \
   a->value.store(v, model_order(rl::mo_##ORDER, info), info);      \
  if (model_on_store)                                               \
   model_on_store(a);                                               \
 }
#define MODEL_SWAP(A, T, ORDER)                                                \
 static inline T A##_exchange_##ORDER(struct A *a, T v, MODEL_INFO)            \
 {                                                                             \
  return a->value.exchange(v, model_order(rl::mo_##ORDER, info), info);        \
 }                                                                             \
 static inline bool A##_cas_##ORDER(struct A *a, T *expected, T v, MODEL_INFO) \
 {                                                                             \
  rl::memory_order order = model_order(rl::mo_##ORDER, info);                  \
                                                                               \
  return a->value.compare_exchange_strong(*expected, v, order, info,           \
					  model_failed(order), info);          \
 }
#define MODEL_OR(A, T, ORDER)                                           \
 static inline T A##_or_##ORDER(struct A *a, T v, MODEL_INFO)           \
 {                                                                      \
  return a->value.fetch_or(v, model_order(rl::mo_##ORDER, info), info); \
 }
#define MODEL_ADD(A, T, ORDER)                                           \
 static inline T A##_add_##ORDER(struct A *a, T v, MODEL_INFO)           \
 {                                                                       \
  return a->value.fetch_add(v, model_order(rl::mo_##ORDER, info), info); \
 }

#define MODEL_WORD(A, T)    \
 MODEL_LOAD(A, T, relaxed)  \
 MODEL_LOAD(A, T, acquire)  \
 MODEL_LOAD(A, T, seq_cst)  \
 MODEL_STORE(A, T, relaxed) \
 MODEL_STORE(A, T, release) \
 MODEL_SWAP(A, T, relaxed)  \
 MODEL_SWAP(A, T, acquire)  \
 MODEL_SWAP(A, T, release)  \
 MODEL_SWAP(A, T, acq_rel)  \
 MODEL_SWAP(A, T, seq_cst)

#define MODEL_ARITHMETIC(A, T) \
 MODEL_ADD(A, T, relaxed)      \
 MODEL_ADD(A, T, release)      \
 MODEL_ADD(A, T, acq_rel)      \
 MODEL_ADD(A, T, seq_cst)      \
 MODEL_OR(A, T, relaxed)       \
 MODEL_OR(A, T, release)

#define MODEL_OWN_SET(A, T)                                   \
 static inline void A##_own_set(struct A *a, T v, MODEL_INFO) \
 {                                                            \
  if (!model_dropped(info))                                   \
   a->value.store(v, model_own_order(info), info);            \
 }

/* Two steps: an owner can be interrupted between them. */
#define MODEL_OWNER(A, T)                                     \
 MODEL_OWN_SET(A, T)                                          \
 static inline T A##_own(const struct A *a, MODEL_INFO)       \
 {                                                            \
  return a->value.load(rl::mo_relaxed, info);                 \
 }                                                            \
 static inline void A##_own_add(struct A *a, T v, MODEL_INFO) \
 {                                                            \
  A##_own_set(a, A##_own(a, info) + v, info);                 \
 }

MODEL_WORD(a32, uint32_t)
MODEL_WORD(a64, uint64_t)
MODEL_WORD(aptr, void *)
MODEL_ARITHMETIC(a32, uint32_t)
MODEL_ARITHMETIC(a64, uint64_t)
MODEL_OWNER(a32, uint32_t)
MODEL_OWNER(a64, uint64_t)
MODEL_OWN_SET(aptr, void *)

/* A field without any order: see CONC_PLAIN() in conc/atomic.h. */
template <typename T> struct model_plain {
	rl::var<T> value;

	model_plain(T v = T()) : value(v)
	{
	}
	operator T() const
	{
		return value(MODEL_HERE);
	}
	T operator->() const
	{
		return value(MODEL_HERE);
	}
	model_plain &operator=(T v)
	{
		value(MODEL_HERE) = v;
		return *this;
	}
	model_plain &operator=(const model_plain &other)
	{
		return *this = (T)other;
	}
	model_plain &operator+=(T v)
	{
		return *this = (T) * this + v;
	}
	model_plain &operator-=(T v)
	{
		return *this = (T) * this - v;
	}
	void operator++(int)
	{
		*this += 1;
	}
	void operator--(int)
	{
		*this -= 1;
	}
	T peek() const
	{
		return value(MODEL_HERE);
	}
};

#define CONC_PLAIN(T) model_plain<T>

/* The heavy half makes it a full one: here it always is. */
static inline void conc_fence_light(MODEL_INFO)
{
	rl::atomic_thread_fence(rl::mo_seq_cst, info);
}

#endif
