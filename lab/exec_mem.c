/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ops do that move memory: mem, iorun, memrun.
 *
 * A buffer is made when it is first used: a task's own for mem and iorun and
 * for a memrun without "ref", one for all where it has a "ref".  What tasks
 * write to a shared one is not looked at: the traffic is what is wanted.  Where
 * time is the engine's own nothing is moved, and a flat price is paid.
 */
#include "lab/exec_mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/exec_ops.h"
#include "lab/work.h"

#define DEVICE "/dev/null"

/* A task at work passes a safe point after so much. */
#define STEP_BYTES    ((uint64_t)64 * 1024)
#define STEP_ACCESSES UINT64_C(1024)

/* The flat price: of an access, and of 16 bytes in a row. */
#define ACCESS_NS 4
#define BYTES_NS  16

int lab_device_open(struct lab_run *run, struct lab_error *error)
{
	const struct lab_program *program = run->program;
	const char *device = program->io_device ? program->io_device : DEVICE;

	run->device = -1;
	if (!run->options->allow_io && strcmp(device, DEVICE) != 0) {
		error->place = program->io_place;
		snprintf(error->text, sizeof(error->text),
			 "%s:%u:%u: \"io_device\" is \"%.200s\", expected "
			 "--allow-io for any other than \"" DEVICE "\"",
			 program->file, program->io_place.line,
			 program->io_place.column, device);
		return -EPERM;
	}
	run->device = open(device, O_WRONLY | O_CLOEXEC);
	if (run->device < 0) {
		int rc = -errno;

		error->place = program->io_place;
		snprintf(error->text, sizeof(error->text), "%s: %.200s: %s",
			 program->file, device, strerror(-rc));
		return rc;
	}
	return 0;
}

void lab_device_close(struct lab_run *run)
{
	if (run->device >= 0)
		close(run->device);
}

/* Pays instead where nothing is moved; false: it is to be moved. */
static bool pays(struct lab_task *task, uint64_t ns)
{
	struct lab_run *run = task->run;

	if (!run->ops->time)
		return false;
	lab_task_work(task, (uint64_t)((double)ns / run->ns_per_loop) + 1);
	return true;
}

static char *scratch_of(struct lab_task *task, const struct lab_op *op)
{
	if (!task->scratch)
		task->scratch = calloc(1, task->run->program->mem_buffer_bytes);
	if (!task->scratch)
		lab_complain(task, LAB_MEMORY_REFUSED, op->place, LAB_NONE,
			     -ENOMEM);
	return task->scratch;
}

static uint64_t step_of(const struct lab_task *task, uint64_t left)
{
	uint64_t most = task->run->program->mem_buffer_bytes;

	if (most > STEP_BYTES)
		most = STEP_BYTES;
	return left < most ? left : most;
}

void lab_op_mem(struct lab_task *task, const struct lab_op *op)
{
	uint64_t left = (uint64_t)op->amount_us;
	uint64_t at = 0;
	char *scratch;

	if (pays(task, left / BYTES_NS))
		return;
	scratch = scratch_of(task, op);
	while (scratch && left > 0 && !task->run->ending) {
		uint64_t step = step_of(task, left);

		if (at + step > task->run->program->mem_buffer_bytes)
			at = 0;
		memset(scratch + at, 0, step);
		/* Nobody reads it, and yet it must be written. */
		__asm__ volatile("" : : "r"(scratch) : "memory");
		at += step;
		left -= step;
		task->run->ops->checkpoint();
	}
}

void lab_op_iorun(struct lab_task *task, const struct lab_op *op)
{
	uint64_t left = (uint64_t)op->amount_us;
	char *scratch;

	if (pays(task, left / BYTES_NS))
		return;
	scratch = scratch_of(task, op);
	while (scratch && left > 0 && !task->run->ending) {
		ssize_t done =
			write(task->run->device, scratch, step_of(task, left));

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			lab_complain(task, LAB_IO_REFUSED, op->place, LAB_NONE,
				     done < 0 ? -errno : -ENOSPC);
			return;
		}
		left -= (uint64_t)done;
		task->run->ops->checkpoint();
	}
}

static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t places_of(const struct lab_memory *memory)
{
	uint64_t places = memory->bytes / memory->stride;

	return places ? places : 1;
}

/* One round through all places, in order or (Sattolo's) in any. */
static void chain(char *buffer, const struct lab_memory *memory)
{
	uint64_t places = places_of(memory);
	uint64_t state = UINT64_C(88172645463325252);

	for (uint64_t i = 0; i < places; i++) {
		uint64_t next = memory->random ? i : (i + 1) % places;

		memcpy(buffer + i * memory->stride, &next, sizeof(next));
	}
	for (uint64_t i = places; memory->random && i-- > 1;) {
		char *a = buffer + i * memory->stride;
		char *b = buffer + draw(&state) % i * memory->stride;
		uint64_t swap;

		memcpy(&swap, a, sizeof(swap));
		memcpy(a, b, sizeof(swap));
		memcpy(b, &swap, sizeof(swap));
	}
}

/* Beyond any machine's memory: not even asked for. */
#define BUFFER_MOST (UINT64_C(1) << 39)

static char *buffer_make(const struct lab_memory *memory)
{
	/* A chain keeps a number at each place. */
	uint64_t places = places_of(memory);
	char *buffer;

	if (places > BUFFER_MOST / memory->stride)
		return NULL;
	buffer = calloc(1, places * memory->stride + sizeof(uint64_t));
	if (buffer && memory->type == LAB_MEMORY_CHASE)
		chain(buffer, memory);
	return buffer;
}

static char *buffer_of(struct lab_task *task, const struct lab_op *op,
		       const struct lab_memory *memory)
{
	struct lab_thing *thing = &task->run->things[op->object];
	char *buffer;

	if (task->run->program->objects[op->object].unique) {
		if (!task->buffers)
			task->buffers = calloc(task->plan->timers + 1,
					       sizeof(*task->buffers));
		if (!task->buffers)
			return NULL;
		buffer = task->buffers[thing->slot];
		if (!buffer)
			buffer = task->buffers[thing->slot] =
				buffer_make(memory);
		return buffer;
	}
	pthread_mutex_lock(&thing->guard);
	if (!thing->buffer)
		thing->buffer = buffer_make(memory);
	buffer = thing->buffer;
	pthread_mutex_unlock(&thing->guard);
	return buffer;
}

/* Some accesses from a place on; the place behind the last one. */
static uint64_t access_some(volatile char *buffer,
			    const struct lab_memory *memory, uint64_t at,
			    uint64_t count, uint64_t *state)
{
	uint64_t places = places_of(memory);

	for (uint64_t i = 0; i < count; i++) {
		volatile char *place = buffer + at * memory->stride;

		if (memory->type == LAB_MEMORY_CHASE) {
			at = *(volatile uint64_t *)place;
			continue;
		}
		if (memory->type == LAB_MEMORY_WRITE)
			*place = (char)i;
		else
			(void)*place;
		at = memory->random ? draw(state) % places : (at + 1) % places;
	}
	return at;
}

void lab_op_memrun(struct lab_task *task, const struct lab_op *op)
{
	const struct lab_memory *memory =
		&task->run->program->memories[op->memory];
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15) + task->index;
	uint64_t left = (uint64_t)op->amount_us;
	uint64_t at = 0;
	char *buffer;

	if (pays(task, left * ACCESS_NS))
		return;
	buffer = buffer_of(task, op, memory);
	if (!buffer) {
		lab_complain(task, LAB_MEMORY_REFUSED, op->place, LAB_NONE,
			     -ENOMEM);
		return;
	}
	while (left > 0 && !task->run->ending) {
		uint64_t step = left < STEP_ACCESSES ? left : STEP_ACCESSES;

		at = access_some(buffer, memory, at, step, &state);
		left -= step;
		task->run->ops->checkpoint();
	}
}

void lab_buffers_free(struct lab_task *task)
{
	for (size_t i = 0; task->buffers && i < task->plan->timers; i++)
		free(task->buffers[i]);
	free(task->buffers);
	free(task->scratch);
}
