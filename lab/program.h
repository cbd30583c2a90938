/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program form: what a workload is, once its text has been read.
 *
 * Model.  A program is a list of task specs and a table of objects.  A spec is
 * started `instances` times (0 = a template that is not started); each
 * instance waits for `delay_us`, then goes through its phases in order, `loop`
 * times; each phase does its ops in order, `loop` times.  An op names objects
 * by their index in the table.  Whatever can be known from the text alone is
 * settled here (defaults, own names, users of a barrier), so that an engine
 * only obeys.
 *
 * The form knows neither the grammar it came from nor the engine that will run
 * it, and it is not changed once it has been read: engines share one program
 * without locks.  Everything in it belongs to the program and goes with it.
 */
#ifndef LAB_PROGRAM_H
#define LAB_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bounds of what is accepted; beyond them the reader refuses by name. */
#define LAB_TEXT_BYTES_MAX (16u << 20) /* bytes of a file */
#define LAB_NESTING_MAX    64u         /* objects and arrays in one another */
#define LAB_VALUES_MAX     1000000u    /* values in a file */
#define LAB_TASKS_MAX      1000000u    /* instances over all specs */
#define LAB_CPU_MAX        65535u      /* highest number of a CPU */
#define LAB_TIME_US_MAX    INT64_C(1000000000000) /* 11 days, 13.8 hours */
#define LAB_DURATION_S_MAX INT64_C(1000000)       /* the same span */

/* A loop count, or a duration, without end. */
#define LAB_FOREVER (-1)

/* No object: the op uses none there. */
#define LAB_NONE UINT32_MAX

/* Where something stands in the text, both from 1; columns count bytes. */
struct lab_place {
	unsigned line;
	unsigned column;
};

enum lab_op_kind {
	LAB_RUN,     /* calibrated work; amount_us < 0: busy until the end */
	LAB_RUNTIME, /* busy until amount_us of wall time have gone by */
	LAB_SLEEP,   /* amount_us */
	LAB_TIMER,   /* object: timer; amount_us: the period */
	LAB_LOCK,    /* object: mutex */
	LAB_UNLOCK,  /* object: mutex */
	LAB_WAIT,    /* object: condition; mutex: the task should hold it */
	LAB_SIGNAL,  /* object: condition; wakes one */
	LAB_BROAD,   /* object: condition; wakes all */
	LAB_SYNC,    /* object: condition; mutex: signals one, then waits */
	LAB_BARRIER, /* object: barrier */
	LAB_SUSPEND, /* object, mutex: takes the mutex, waits, releases it */
	LAB_RESUME,  /* object, mutex: takes the mutex, wakes all, releases */
	LAB_YIELD,
	LAB_SEM_POST, /* object: semaphore */
	LAB_SEM_WAIT, /* object: semaphore */
	LAB_MEM,      /* amount_us: bytes to write to memory */
	LAB_MEMRUN,   /* object: buffer; memory; amount_us: accesses */
	LAB_IORUN,    /* amount_us: bytes to write to the device */
	LAB_FORK,     /* object: index into lab_program.specs */
	LAB_OP_KINDS
};

struct lab_op {
	enum lab_op_kind kind;
	uint32_t object;   /* index into lab_program.objects (fork: specs), or
			    * LAB_NONE */
	uint32_t mutex;    /* the mutex that goes with `object`, or LAB_NONE */
	uint32_t memory;   /* memrun: index into lab_program.memories */
	int64_t amount_us; /* what each kind says above; else 0 */
	struct lab_place place;
};

enum lab_object_kind {
	LAB_MUTEX,
	LAB_COND, /* suspend and resume wait on a condition, too */
	LAB_BARRIER_OBJECT,
	LAB_TIMER_OBJECT,
	LAB_MEMORY_OBJECT, /* a buffer, its owner's or shared */
	LAB_SEM_OBJECT,    /* begins with nothing in it */
	LAB_OBJECT_KINDS
};

enum lab_memory_type {
	LAB_MEMORY_READ,
	LAB_MEMORY_WRITE,
	LAB_MEMORY_CHASE, /* each place tells the next */
};

/* How a memrun goes through its buffer. */
struct lab_memory {
	enum lab_memory_type type;
	uint64_t bytes;
	uint64_t stride; /* chase: room for a number at least */
	bool random;
};

struct lab_object {
	enum lab_object_kind kind;
	char *name;     /* as written; a kind and a name go together */
	uint32_t users; /* barrier: how many open it; 0: only templates do */
	uint32_t owner; /* unique timer: index of its spec; else LAB_NONE */
	bool unique;    /* timer: each instance of `owner` has its own */
	bool absolute;  /* timer: keeps its reference when it is late */
	struct lab_place place; /* first mention */
};

/* A list of CPUs, as numbered in the file.  count 0: none was given. */
struct lab_cpus {
	unsigned *cpus;
	size_t count;
	struct lab_place place;
};

enum lab_policy {
	LAB_POLICY_SAME, /* phases only: as it was */
	LAB_POLICY_OTHER,
	LAB_POLICY_BATCH,
	LAB_POLICY_IDLE,
	LAB_POLICY_FIFO,
	LAB_POLICY_RR,
	LAB_POLICY_DEADLINE,
};

/*
 * What a task or a phase asks of the scheduler.  `priority` is the nice value
 * (-20 … 19) under OTHER, BATCH and IDLE and the real-time priority (1 … 99)
 * under FIFO and RR; under SAME it is one of these by the policy then in force.
 */
struct lab_sched {
	bool given; /* phase: something was asked; task: always true */
	enum lab_policy policy;
	bool priority_given;
	struct lab_place priority_place;
	int priority;           /* a task's default stands here too */
	uint64_t dl_runtime_us; /* 0: not given */
	uint64_t dl_period_us;
	uint64_t dl_deadline_us;
	struct lab_place place;
};

struct lab_phase {
	char *name;         /* the task's name where it has no phases */
	int64_t loop;       /* >= 1, or LAB_FOREVER */
	struct lab_op *ops; /* at least one */
	size_t op_count;
	struct lab_cpus cpus; /* count 0: the task's */
	char *taskgroup;      /* "/a/b"; NULL: stays where it is */
	struct lab_sched sched;
	struct lab_place place;
};

struct lab_task_spec {
	char *name;         /* instances are name-0, name-1, … */
	uint32_t instances; /* 0: template */
	int64_t loop;       /* >= 0, or LAB_FOREVER */
	uint64_t delay_us;
	struct lab_phase *phases; /* at least one */
	size_t phase_count;
	struct lab_cpus cpus; /* count 0: every CPU */
	char *taskgroup;      /* "/a/b"; NULL: the root group */
	struct lab_sched sched;
	struct lab_place place;
};

enum lab_calibration {
	LAB_CALIBRATE_ON_CPU, /* measure on calibration_cpu */
	LAB_NS_PER_LOOP,      /* take calibration_ns as it stands */
};

/* Something the user should know, though the program runs. */
struct lab_warning {
	struct lab_place place;
	char *text;
};

struct lab_program {
	char *file; /* for messages; "<stdin>" for "-" */
	struct lab_task_spec *specs;
	size_t spec_count;
	struct lab_object *objects;
	size_t object_count;
	struct lab_memory *memories;
	size_t memory_count;
	uint32_t task_count; /* the sum of all instances */

	int64_t duration_us; /* or LAB_FOREVER: until all tasks have ended */
	enum lab_calibration calibration;
	unsigned calibration_cpu;
	unsigned calibration_ns; /* ns per loop, >= 1 */
	enum lab_policy default_policy;
	char *log_basename; /* NULL: not given */
	char *io_device;    /* NULL: not given */
	struct lab_place io_place;
	uint64_t mem_buffer_bytes;
	bool pi_enabled;
	bool lock_pages; /* of real-time tasks alone */

	struct lab_warning *warnings; /* in the order of the text */
	size_t warning_count;
};

/* Longest message, NUL included: the file's name and what is said of it. */
#define LAB_ERROR_WHAT_BYTES 512
#define LAB_ERROR_BYTES      (4096 + LAB_ERROR_WHAT_BYTES)

/*
 * Why a text was refused.  `text` is the whole message, ready to print:
 * "FILE:LINE:COLUMN: what, expected what".  `place` is 0:0 where the fault has
 * none (a file that can't be read), and the message then is "FILE: what".
 */
struct lab_error {
	struct lab_place place;
	char text[LAB_ERROR_BYTES];
};

/*
 * Reads the workload in `file` ("-": standard input) into a new program.
 *
 * 0, or with *ret untouched and *error filled: -EINVAL where the text is
 * refused, -ENOMEM, or the negative errno of the system call that failed.
 * Any thread; blocks on the file.
 */
int lab_program_read(const char *file, struct lab_program **ret_program,
		     struct lab_error *error);

/* The same for `length` bytes at `text`; `file` is the name in messages. */
int lab_program_parse(const char *text, size_t length, const char *file,
		      struct lab_program **ret_program,
		      struct lab_error *error);

/* Frees a program and all that is in it; NULL is allowed. */
void lab_program_free(struct lab_program *program);

/* The word of the grammar for a kind of op: "run", "suspend", … */
const char *lab_op_name(enum lab_op_kind kind);

#endif
