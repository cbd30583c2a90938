/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task-local storage: a small table of keys, and per task an array of values
 * that is allocated with the first.
 */
#include <errno.h>

#include "os/mem.h"
#include "sched/sched.h"

#define KEYS   32
#define ROUNDS 4

static struct {
	struct lock lock;
	bool used[KEYS];
	struct a32 epoch[KEYS]; /* of the key's present life */
	void (*destructor[KEYS])(void *);
} keys;

/* What a task holds for a key; older lives of the key do not count. */
struct local {
	void *value;
	uint32_t epoch;
};

int local_key_create(unsigned *ret_key, void (*destructor)(void *))
{
	int error = -EAGAIN;

	lock_acquire(&keys.lock, LOCK_KEYS);
	for (unsigned i = 0; i < KEYS; i++) {
		if (keys.used[i])
			continue;
		keys.used[i] = true;
		keys.destructor[i] = destructor;
		/* order: key.begin pairs key.look: the destructor */
		a32_add_acq_rel(&keys.epoch[i], 1);
		*ret_key = i;
		error = 0;
		break;
	}
	lock_release(&keys.lock, LOCK_KEYS);
	return error;
}

int local_key_delete(unsigned key)
{
	int error = -EINVAL;

	lock_acquire(&keys.lock, LOCK_KEYS);
	if (key < KEYS && keys.used[key]) {
		keys.used[key] = false;
		keys.destructor[key] = NULL;
		/* order: key.end pairs key.look: values of this life are
		 * dead */
		a32_add_acq_rel(&keys.epoch[key], 1);
		error = 0;
	}
	lock_release(&keys.lock, LOCK_KEYS);
	return error;
}

/* Odd while the key is in use. */
static uint32_t epoch_of(unsigned key)
{
	/* order: key.look pairs key.begin, key.end: as said there */
	return a32_load_acquire(&keys.epoch[key]);
}

int local_set(struct task *task, unsigned key, const void *value)
{
	struct local *locals = task->locals;

	if (key >= KEYS || !(epoch_of(key) & 1))
		return -EINVAL;
	if (!locals) {
		locals = os_alloc(KEYS * sizeof(*locals));
		if (!locals)
			return -ENOMEM;
		task->locals = locals;
	}
	locals[key].value = (void *)(uintptr_t)value;
	locals[key].epoch = epoch_of(key);
	return 0;
}

void *local_get(const struct task *task, unsigned key)
{
	const struct local *locals = task->locals;

	if (key >= KEYS || !locals || locals[key].epoch != epoch_of(key))
		return NULL;
	return locals[key].value;
}

/* One round of destructors: true when any ran, for they may set values. */
static bool destroy_round(struct task *task)
{
	struct local *locals = task->locals;
	bool any = false;

	for (unsigned i = 0; i < KEYS; i++) {
		void (*destructor)(void *) = NULL;
		void *value = local_get(task, i);

		locals[i].value = NULL;
		if (!value)
			continue;
		lock_acquire(&keys.lock, LOCK_KEYS);
		if (locals[i].epoch == epoch_of(i))
			destructor = keys.destructor[i];
		lock_release(&keys.lock, LOCK_KEYS);
		if (!destructor)
			continue;
		destructor(value);
		any = true;
	}
	return any;
}

void local_end_slow(struct task *task)
{
	for (int i = 0; i < ROUNDS && destroy_round(task); i++)
		;
	os_free(task->locals);
	task->locals = NULL;
}
