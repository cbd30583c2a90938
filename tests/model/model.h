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
 * usage: PROGRAM [brief] [weaken FILE LINE ORDER | weaken own | plant NAME]
 *
 * "weaken" gives the operation on that line of the source a weaker order, or
 * leaves out the store ("dropped"); "plant" changes a step that a model makes
 * where it plays the part of code that is not included: model_planted().  A
 * weakening of a line that was never executed ends with status 2.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <string_view>

#include "model/atomic.h"

inline const char *model_plant = "";
inline bool model_brief; /* one preemption less */

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

/* As rl::simulate(), for one scheduler: three would take long to compile. */
template <typename Scenario, typename Scheduler>
bool model_search(const char *name, const char *what, rl::test_params *params)
{
	static struct model_page page;
	static std::ostream report(&page);
	unsigned begin = get_tick_count();
	rl::ostringstream state;
	bool ok;

	params->execution_depth_limit = 10000;
	params->output_stream = &report;
	params->progress_stream = &report;
	ok = rl::run_test<Scenario, Scheduler>(*params, state, false) ==
	     rl::test_result_success;
	std::cout << (ok ? "passed: " : "violated: ") << name << ", " << what
		  << ", " << params->stop_iteration << " runs, "
		  << get_tick_count() - begin << " ms" << std::endl;
	if (ok)
		return true;
	/* The same schedule again, with its history. */
	params->initial_state = state.str();
	params->collect_history = true;
	rl::run_test<Scenario, Scheduler>(*params, state, true);
	model_print_violation(page.written());
	return false;
}

/* Both searches; 0 leaves one out. */
template <typename Scenario>
void model_run(const char *name, unsigned preemptions, uint64_t runs)
{
	char what[64];
	rl::test_params params;
	bool ok = true;

	if (model_brief && preemptions > 1)
		preemptions--;
	if (preemptions) {
		snprintf(what, sizeof(what),
			 "all schedules with up to %u preemptions",
			 preemptions);
		params.search_type = rl::sched_bound;
		params.context_bound = preemptions;
		ok = model_search<Scenario,
				  rl::context_bound_scheduler<
					  Scenario::params::thread_count>>(
			name, what, &params);
	}
	if (ok && runs) {
		params = rl::test_params();
		params.search_type = rl::sched_random;
		params.iteration_count = runs;
		ok = model_search<
			Scenario,
			rl::random_scheduler<Scenario::params::thread_count>>(
			name, "random schedules", &params);
	}
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

	if (argc > 1 && !strcmp(argv[1], "brief")) {
		model_brief = true;
		argc--;
		argv++;
	}
	if (argc == 3 && !strcmp(argv[1], "plant")) {
		model_plant = argv[2];
	} else if (argc == 3 && !strcmp(argv[1], "weaken")) {
		weak->file = argv[2];
	} else if (argc == 5 && !strcmp(argv[1], "weaken")) {
		weak->file = argv[2];
		weak->line = (unsigned)atoi(argv[3]);
		weak->drop = !strcmp(argv[4], "dropped");
		if (!weak->drop)
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
