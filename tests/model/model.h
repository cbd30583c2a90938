/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the models share: how a scenario is searched, and the report.
 *
 * A scenario is a Relacy test suite.  It is searched exhaustively (every
 * interleaving with at most `preemptions` preemptions, every value that a load
 * may give among the two newest) and then by random schedules (any number of
 * preemptions, the three newest values).  For each a line is printed; the first
 * violation is printed with its trace and ends the program with status 1.
 *
 * usage: PROGRAM [weaken FILE LINE ORDER | weaken own | plant NAME]
 *
 * "weaken" gives the operation on that line of the source a weaker order,
 * "plant" changes a step that a model makes where it plays the part of code
 * that is not included: model_planted().  A weakening of a line that was never
 * executed ends with status 2.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <string_view>

#include "model/atomic.h"

inline const char *model_plant = "";

static inline bool model_planted(const char *name)
{
	return !strcmp(model_plant, name);
}

#define MODEL_CHECK(condition)                                         \
 do {                                                                  \
  if (!(condition))                                                    \
   rl::ctx().fail_test(#condition, rl::test_result_user_assert_failed, \
		       MODEL_HERE);                                    \
 } while (0)

/* A word without any order: touched by two without a proper hand-over, it is a
 * data race, which the checker reports. */
template <typename T> struct plain {
	rl::var<T> value;

	plain(T v = T()) : value(v)
	{
	}
	T get(MODEL_INFO) const
	{
		return value(info);
	}
	void set(T v, MODEL_INFO)
	{
		value(info) = v;
	}
};

/* A stream into memory that never allocates: Relacy replaces the allocator. */
struct model_page : std::streambuf {
	char text[1 << 16];

	model_page()
	{
		setp(text, text + sizeof(text));
	}
	std::string_view written() const
	{
		return {pbase(), (size_t)(pptr() - pbase())};
	}
};

/* What is printed of a violation: what was wrong, then every step. */
static inline void model_print_violation(std::string_view text)
{
	std::cout << text.substr(0, text.find("\nthread 0:")) << std::endl;
}

template <typename Scenario>
bool model_search(const char *name, rl::scheduler_type_e how,
		  unsigned preemptions, uint64_t runs)
{
	static struct model_page page;
	static std::ostream report(&page);
	rl::test_params params;
	unsigned begin = get_tick_count();
	bool ok;

	params.search_type = how;
	params.context_bound = preemptions;
	params.iteration_count = runs;
	params.execution_depth_limit = 10000;
	params.output_stream = &report;
	params.progress_stream = &report;
	ok = rl::simulate<Scenario>(params);
	std::cout << (ok ? "passed: " : "violated: ") << name << ", ";
	if (how == rl::sched_random)
		std::cout << "random schedules";
	else
		std::cout << "all schedules with up to " << preemptions
			  << " preemptions";
	std::cout << ", " << params.stop_iteration << " runs, "
		  << get_tick_count() - begin << " ms" << std::endl;
	if (!ok)
		model_print_violation(page.written());
	return ok;
}

/* Both searches; 0 leaves one out. */
template <typename Scenario>
void model_run(const char *name, unsigned preemptions, uint64_t runs)
{
	bool ok = true;

	if (preemptions)
		ok = model_search<Scenario>(name, rl::sched_bound, preemptions,
					    0);
	if (ok && runs)
		ok = model_search<Scenario>(name, rl::sched_random, 0, runs);
	if (!ok)
		_exit(1);
}

static inline rl::memory_order model_order_named(const char *name)
{
	if (!strcmp(name, "relaxed"))
		return rl::mo_relaxed;
	if (!strcmp(name, "acquire"))
		return rl::mo_acquire;
	if (!strcmp(name, "release"))
		return rl::mo_release;
	if (!strcmp(name, "acq_rel"))
		return rl::mo_acq_rel;
	std::cerr << "no order " << name << std::endl;
	_exit(2);
}

static inline void model_arguments(int argc, char **argv)
{
	struct model_weakening *weak = &model_weakening;

	if (argc == 3 && !strcmp(argv[1], "plant")) {
		model_plant = argv[2];
	} else if (argc == 3 && !strcmp(argv[1], "weaken")) {
		weak->file = argv[2];
	} else if (argc == 5 && !strcmp(argv[1], "weaken")) {
		weak->file = argv[2];
		weak->line = (unsigned)atoi(argv[3]);
		weak->order = model_order_named(argv[4]);
	} else if (argc != 1) {
		std::cerr << "arguments?" << std::endl;
		_exit(2);
	}
}

/* The program's end, when nothing was violated. */
static inline int model_result(void)
{
	if (!model_weakening.file || model_weakening.hits)
		return 0;
	std::cerr << "never executed" << std::endl;
	return 2;
}

#endif
