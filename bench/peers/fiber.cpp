// SPDX-License-Identifier: Apache-2.0
// Boost.Fiber: its default scheduler on one CPU, work stealing on several.
#include <algorithm>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include <boost/fiber/all.hpp>

namespace fibers = boost::fibers;

using peer_task = fibers::fiber;
using peer_mutex = fibers::mutex;
using peer_chan = fibers::unbuffered_channel<int> *;

// It has no semaphore; this is how its manual says to wait.
struct peer_sem {
	unsigned units = 0;
	fibers::mutex mutex;
	fibers::condition_variable cond;
};

#define PEER_HAS_CHANNEL

static constexpr std::size_t stack_bytes = 65536;

// Where a task is to be put stands in memory that was zeroed.
static void peer_spawn(peer_task *task, void *(*fn)(void *), void *arg)
{
	new (task) peer_task(std::allocator_arg,
			     fibers::fixedsize_stack(stack_bytes), fn, arg);
}

static void peer_join(peer_task *task)
{
	task->join();
	task->~fiber();
}

static inline void peer_yield()
{
	boost::this_fiber::yield();
}

static void peer_sem_init(peer_sem *sem)
{
	new (sem) peer_sem;
}

static inline void peer_sem_wait(peer_sem *sem)
{
	std::unique_lock<fibers::mutex> lock(sem->mutex);

	while (sem->units == 0)
		sem->cond.wait(lock);
	sem->units--;
}

static inline void peer_sem_post(peer_sem *sem)
{
	std::unique_lock<fibers::mutex> lock(sem->mutex);

	sem->units++;
	lock.unlock();
	sem->cond.notify_one();
}

static void peer_mutex_init(peer_mutex *mutex)
{
	new (mutex) peer_mutex;
}

static inline void peer_lock(peer_mutex *mutex)
{
	mutex->lock();
}

static inline void peer_unlock(peer_mutex *mutex)
{
	mutex->unlock();
}

static void peer_chan_init(peer_chan *chan)
{
	*chan = new fibers::unbuffered_channel<int>;
}

static inline void peer_send(peer_chan *chan)
{
	(*chan)->push(1);
}

static inline void peer_receive(peer_chan *chan)
{
	int item;

	(*chan)->pop(item);
}

static bool peer_run(int cpus, void (*fn)())
{
	fibers::mutex mutex;
	fibers::condition_variable cond;
	std::vector<std::thread> others;
	bool done = false;
	auto steal = [cpus] {
		fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(
			static_cast<unsigned>(cpus));
	};

	if (cpus == 1) {
		fn();
		return true;
	}
	if (std::thread::hardware_concurrency() < static_cast<unsigned>(cpus))
		return false;
	for (int i = 1; i < cpus; i++)
		others.emplace_back([&] {
			steal();
			std::unique_lock<fibers::mutex> lock(mutex);
			cond.wait(lock, [&] { return done; });
		});
	steal();
	fn();
	{
		std::unique_lock<fibers::mutex> lock(mutex);
		done = true;
	}
	cond.notify_all();
	for (auto &other : others)
		other.join();
	return true;
}

#include "bench/peers/work.h"
