/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server of three tenants, and the bill.
 *
 * Each tenant's requests arrive at their own pace; a request is a short-lived
 * task in the tenant's group.  All of them pass through one shared service
 * task (a log, a cache, a lock manager: every server has one), which works on
 * behalf of others: it lets the tenant pay for as long as it serves it.  At
 * the end the snapshot is printed, in which the dead requests' time stands
 * with their tenants, and the audit, which shows that nothing is missing.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mete/mete.h>

enum {
	TENANTS = 3,
	NS_PER_US = 1000,
};

struct tenant {
	const char *name;
	unsigned requests;
	unsigned pause_us;      /* between two requests */
	unsigned request_loops; /* what a request costs */
	unsigned service_loops; /* what it costs in the shared service */
	mete_group group;
	struct mete_sem answered;
};

struct request {
	struct tenant *tenant;
	struct mete_sem done;
	struct request *next;
};

/* The service's queue. */
static struct mete_mutex lock = METE_MUTEX_INIT;
static struct mete_sem waiting = METE_SEM_INIT(0);
static struct request *oldest;
static struct request **newest = &oldest;

static void compute(unsigned loops)
{
	for (volatile unsigned i = 0; i < loops; i++)
		if (i % 1024 == 0)
			mete_checkpoint();
}

static void submit(struct request *request)
{
	mete_mutex_lock(&lock, METE_FOREVER);
	request->next = NULL;
	*newest = request;
	newest = &request->next;
	mete_mutex_unlock(&lock);
	mete_sem_post(&waiting, 1);
}

/* The next request, NULL when there is none: the server closes. */
static struct request *take(void)
{
	struct request *request;

	mete_sem_wait(&waiting, METE_FOREVER);
	mete_mutex_lock(&lock, METE_FOREVER);
	request = oldest;
	if (request) {
		oldest = request->next;
		if (!oldest)
			newest = &oldest;
	}
	mete_mutex_unlock(&lock);
	return request;
}

static void *serve(void *unused)
{
	struct request *request;

	(void)unused;
	while ((request = take())) {
		mete_group own = mete_charge(request->tenant->group);

		compute(request->tenant->service_loops);
		mete_charge(own);
		mete_sem_post(&request->done, 1);
	}
	return NULL;
}

static void *handle_request(void *tenant)
{
	struct request request = {.tenant = tenant, .done = METE_SEM_INIT(0)};

	compute(request.tenant->request_loops);
	submit(&request);
	mete_sem_wait(&request.done, METE_FOREVER);
	mete_sem_post(&request.tenant->answered, 1);
	return NULL;
}

/* Requests come in, each in a task of its own, and all are answered. */
static void *accept_requests(void *arg)
{
	struct tenant *tenant = arg;
	unsigned accepted = 0;

	while (accepted < tenant->requests) {
		struct mete_task_attr attr = METE_TASK_ATTR_INIT;

		attr.name = "request";
		attr.detached = true;
		if (mete_task_create(NULL, &attr, handle_request, tenant))
			break;
		accepted++;
		mete_task_sleep((uint64_t)tenant->pause_us * NS_PER_US);
	}
	for (unsigned i = 0; i < accepted; i++)
		mete_sem_wait(&tenant->answered, METE_FOREVER);
	return NULL;
}

static int print_bill(void)
{
	struct mete_snapshot *snapshot;
	int64_t residual;
	int error = mete_snapshot(&snapshot);

	if (error)
		return error;
	printf("%-16s %10s %10s %10s %8s\n", "group", "exec ms", "own ms",
	       "wait ms", "tasks");
	for (size_t i = 0; i < snapshot->group_count; i++) {
		const struct mete_group_row *row = &snapshot->groups[i];

		printf("%-16s %10.3f %10.3f %10.3f %8llu\n", row->path,
		       (double)row->usage.exec_ns / 1e6,
		       (double)row->own.exec_ns / 1e6,
		       (double)row->usage.wait_ns / 1e6,
		       (unsigned long long)row->usage.tasks);
	}
	residual = snapshot->ledger.residual_ns;
	printf("audit: %u cpus, %.3f ms of wall time; residual %lld ns\n",
	       snapshot->ledger.cpus, (double)snapshot->ledger.wall_ns / 1e6,
	       (long long)residual);
	mete_snapshot_free(snapshot);
	return residual ? 1 : 0;
}

static int start_tenant(struct tenant *tenant, mete_task *ret_task)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	int error = mete_group_create(&tenant->group, METE_ROOT, tenant->name,
				      NULL);

	if (error)
		return error;
	attr.name = "accept";
	attr.group = tenant->group;
	return mete_task_create(ret_task, &attr, accept_requests, tenant);
}

/* The first task; the runtime stops when it and all others have ended. */
static int server(void *unused)
{
	struct tenant tenants[TENANTS] = {
		{"interactive", 200, 2000, 20000, 5000, {0}, METE_SEM_INIT(0)},
		{"analytics", 10, 30000, 8000000, 5000, {0}, METE_SEM_INIT(0)},
		{"chatty", 400, 1000, 2000, 60000, {0}, METE_SEM_INIT(0)},
	};
	mete_task service, accepting[TENANTS];
	int error = mete_task_create(&service, NULL, serve, NULL);

	(void)unused;
	if (error)
		return error;
	for (int i = 0; i < TENANTS; i++) {
		error = start_tenant(&tenants[i], &accepting[i]);
		if (error)
			return error;
	}
	for (int i = 0; i < TENANTS; i++)
		mete_task_join(accepting[i], METE_FOREVER, NULL);
	mete_sem_post(&waiting, 1); /* the queue is empty: serve() returns */
	mete_task_join(service, METE_FOREVER, NULL);
	return print_bill();
}

int main(void)
{
	int status = 1;
	int error = mete_main(NULL, server, NULL, &status);

	if (error)
		fprintf(stderr, "tenants: %s\n", strerror(-error));
	return error || status;
}
