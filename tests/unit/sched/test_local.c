/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task-local storage: values by task, keys with lives, destructors at the end.
 */
#include "unit/sched/running.h"

static mete_key key;
static mete_key other;
static atomic_int destroyed;
static _Atomic(void *) last;

static void destroy(void *value)
{
	CHECK_NE(mete_task_self().id, 0);
	last = value;
	destroyed++;
}

static int tokens[8];

static void *own_value(void *arg)
{
	CHECK(mete_key_get(key) == NULL);
	CHECK_EQ(mete_key_set(key, arg), 0);
	for (int i = 0; i < 100; i++) {
		mete_task_yield();
		CHECK(mete_key_get(key) == arg);
		CHECK(mete_key_get(other) == NULL);
	}
	return arg;
}

TEST(each_task_has_its_own)
{
	mete_task tasks[8];

	start_cpus(2);
	CHECK_EQ(mete_key_create(&key, destroy), 0);
	CHECK_EQ(mete_key_create(&other, NULL), 0);
	CHECK_NE(key, other);
	/* Twice, so that slots are used again: nothing is left in them. */
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 8; i++)
			tasks[i] = spawn(own_value, &tokens[i]);
		for (int i = 0; i < 8; i++)
			join(tasks[i]);
	}
	CHECK_EQ(destroyed, 16);
	stop();
}

static void *set_null_again(void *arg)
{
	CHECK_EQ(mete_key_set(key, arg), 0);
	CHECK_EQ(mete_key_set(key, NULL), 0);
	CHECK_EQ(mete_key_set(other, arg), 0);
	return NULL;
}

TEST(null_values_and_null_destructors)
{
	start_cpus(1);
	CHECK_EQ(mete_key_create(&key, destroy), 0);
	CHECK_EQ(mete_key_create(&other, NULL), 0);
	join(spawn(set_null_again, tokens));
	CHECK_EQ(destroyed, 0);
	stop();
}

/* Sets the other key's value, whose destructor then runs in a later round. */
static void destroy_and_set(void *value)
{
	destroyed++;
	CHECK_EQ(mete_key_set(key, value), 0);
}

static void *set_one(void *arg)
{
	CHECK_EQ(mete_key_set(other, arg), 0);
	return NULL;
}

TEST(destructors_may_set_values)
{
	start_cpus(1);
	CHECK_EQ(mete_key_create(&key, destroy), 0);
	CHECK_EQ(mete_key_create(&other, destroy_and_set), 0);
	CHECK_LT(key, other);
	join(spawn(set_one, tokens));
	CHECK_EQ(destroyed, 2);
	CHECK(last == (void *)tokens);
	stop();
}

static void set_again(void *value)
{
	destroyed++;
	CHECK_EQ(mete_key_set(key, value), 0);
}

static void *set_for_ever(void *arg)
{
	CHECK_EQ(mete_key_set(key, arg), 0);
	return NULL;
}

TEST(destructors_that_never_rest_are_given_up)
{
	start_cpus(1);
	CHECK_EQ(mete_key_create(&key, set_again), 0);
	join(spawn(set_for_ever, tokens));
	CHECK_GE(destroyed, 2);
	CHECK_LE(destroyed, 16);
	stop();
}

static void *exit_with_value(void *arg)
{
	CHECK_EQ(mete_key_set(key, arg), 0);
	mete_task_exit(arg);
}

TEST(exit_destroys_too)
{
	start_cpus(1);
	CHECK_EQ(mete_key_create(&key, destroy), 0);
	CHECK(join(spawn(exit_with_value, tokens)) == tokens);
	CHECK_EQ(destroyed, 1);
	stop();
}

static void *use_a_deleted_key(void *arg)
{
	mete_key again;

	CHECK_EQ(mete_key_set(key, arg), 0);
	CHECK_EQ(mete_key_delete(key), 0);
	CHECK(mete_key_get(key) == NULL);
	CHECK_EQ(mete_key_set(key, arg), -EINVAL);
	CHECK_EQ(mete_key_delete(key), -EINVAL);
	/* The same number in another life: the old value is not in it. */
	CHECK_EQ(mete_key_create(&again, destroy), 0);
	CHECK_EQ(again, key);
	CHECK(mete_key_get(again) == NULL);
	return NULL;
}

TEST(a_deleted_key_is_dead)
{
	start_cpus(1);
	CHECK_EQ(mete_key_create(&key, destroy), 0);
	join(spawn(use_a_deleted_key, tokens));
	CHECK_EQ(destroyed, 0);
	stop();
}

static void *wrong_keys(void *arg)
{
	mete_key wrong[] = {METE_KEYS_MAX, METE_KEYS_MAX + 1, UINT32_MAX};

	for (int i = 0; i < 3; i++) {
		CHECK_EQ(mete_key_set(wrong[i], arg), -EINVAL);
		CHECK(mete_key_get(wrong[i]) == NULL);
	}
	return NULL;
}

TEST(errors)
{
	mete_key keys[METE_KEYS_MAX];
	mete_key one = 99;

	for (int i = 0; i < METE_KEYS_MAX; i++)
		CHECK_EQ(mete_key_create(&keys[i], NULL), 0);
	CHECK_EQ(mete_key_create(&one, NULL), -EAGAIN);
	CHECK_EQ(one, 99);
	CHECK_EQ(mete_key_delete(keys[7]), 0);
	CHECK_EQ(mete_key_create(&one, NULL), 0);
	CHECK_EQ(one, keys[7]);
	CHECK_EQ(mete_key_delete(METE_KEYS_MAX), -EINVAL);
	/* Outside of tasks. */
	CHECK_EQ(mete_key_set(one, tokens), -EPERM);
	CHECK(mete_key_get(one) == NULL);
	start_cpus(1);
	join(spawn(wrong_keys, tokens));
	stop();
}
