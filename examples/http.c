/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A web server of several tenants, over loopback, and the bill of each.
 *
 * usage: example-http [PORT]
 *
 *	GET /light/...   a page of the first tenant
 *	GET /heavy/...   of the second, whose pages cost ten times as much
 *	GET /books       what each has used so far
 *
 * Each connection is a task that waits for its descriptor as if it were a thread;
 * from the moment it knows whose page it makes, that tenant's group pays.
 * SIGINT or SIGTERM ends it, with the books on standard output.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <http_parser.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mete/mete.h>

enum {
	TENANTS = 2,
	PAGE = 4096,
	ROUND = 64, /* loops between two safe points */
};

static struct tenant {
	const char *name;
	unsigned loops; /* what a page costs */
	mete_group group;
	_Atomic unsigned long requests;
} tenants[TENANTS] = {
	{.name = "light", .loops = 10000},
	{.name = "heavy", .loops = 100000},
};

struct connection {
	struct connection *next;
	struct connection **link; /* what points to it */
	int fd;
	http_parser parser;
	char path[256];
	size_t path_bytes;
	bool failed; /* it can be written to no more */
};

static int listener;
static struct mete_mutex lock = METE_MUTEX_INIT;
static struct connection *connections; /* under the lock, as is `closing` */
static bool closing;
static struct mete_waitgroup open_connections = METE_WAITGROUP_INIT(0);

static bool write_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = send(fd, text, bytes, MSG_NOSIGNAL);

		if (n > 0) {
			text += n;
			bytes -= (size_t)n;
		} else if (errno != EAGAIN ||
			   mete_fd_wait(fd, METE_WRITE, METE_FOREVER)) {
			return false;
		}
	}
	return true;
}

/* By one call: two would wait for each other's acknowledgement. */
static void answer(struct connection *connection, const char *status,
		   const char *body)
{
	char text[PAGE + 256];
	int bytes = snprintf(text, sizeof(text),
			     "HTTP/1.1 %s\r\nContent-Type: text/plain\r\n"
			     "Content-Length: %zu\r\nConnection: %s\r\n\r\n%s",
			     status, strlen(body),
			     http_should_keep_alive(&connection->parser)
				     ? "keep-alive"
				     : "close",
			     body);

	if (!write_all(connection->fd, text, (size_t)bytes))
		connection->failed = true;
}

static struct tenant *tenant_of(const char *path)
{
	for (int i = 0; i < TENANTS; i++) {
		size_t length = strlen(tenants[i].name);

		if (path[0] == '/' &&
		    !strncmp(path + 1, tenants[i].name, length) &&
		    (path[1 + length] == '/' || !path[1 + length]))
			return &tenants[i];
	}
	return NULL;
}

/* The work of a tenant. */
static unsigned render(unsigned loops)
{
	unsigned sum = 1;

	for (unsigned i = 0; i < loops; i++) {
		sum = sum * 1103515245 + i;
		if (i % ROUND == 0)
			mete_checkpoint();
	}
	return sum;
}

static void show_books(char *page, size_t size)
{
	struct mete_ledger ledger = {0};
	size_t used = 0;

	for (int i = 0; i < TENANTS; i++) {
		struct mete_usage usage = {0};

		mete_group_usage(tenants[i].group, 0, &usage, sizeof(usage));
		used += (size_t)snprintf(
			page + used, size - used,
			"%-8s %8lu requests %10.3f ms of CPU time "
			"%10.3f ms of waiting for a CPU\n",
			tenants[i].name, tenants[i].requests,
			(double)usage.exec_ns / 1e6,
			(double)usage.wait_ns / 1e6);
	}
	while (mete_ledger(&ledger, sizeof(ledger)) == -EAGAIN)
		continue;
	snprintf(page + used, size - used, "audit: %u cpus, residual %lld ns\n",
		 ledger.cpus, (long long)ledger.residual_ns);
}

static void serve(struct connection *connection)
{
	struct tenant *tenant = tenant_of(connection->path);
	char page[PAGE];

	if (tenant) {
		mete_group own = mete_charge(tenant->group);

		snprintf(page, sizeof(page), "%s: %#x\n", tenant->name,
			 render(tenant->loops));
		answer(connection, "200 OK", page);
		tenant->requests++;
		mete_charge(own);
	} else if (!strcmp(connection->path, "/books")) {
		show_books(page, sizeof(page));
		answer(connection, "200 OK", page);
	} else {
		answer(connection, "404 Not Found", "no such tenant\n");
	}
}

static int on_begin(http_parser *parser)
{
	struct connection *connection = parser->data;

	connection->path_bytes = 0;
	connection->path[0] = '\0';
	return 0;
}

/* In parts, as they come. */
static int on_url(http_parser *parser, const char *part, size_t bytes)
{
	struct connection *connection = parser->data;

	if (bytes >= sizeof(connection->path) - connection->path_bytes)
		return 1;
	memcpy(connection->path + connection->path_bytes, part, bytes);
	connection->path_bytes += bytes;
	connection->path[connection->path_bytes] = '\0';
	return 0;
}

static int on_complete(http_parser *parser)
{
	struct connection *connection = parser->data;

	serve(connection);
	return connection->failed || !http_should_keep_alive(parser);
}

static const http_parser_settings settings = {
	.on_message_begin = on_begin,
	.on_url = on_url,
	.on_message_complete = on_complete,
};

static void talk(struct connection *connection)
{
	char buffer[PAGE];
	ssize_t n;

	while ((n = read(connection->fd, buffer, sizeof(buffer))) != 0) {
		if (n < 0 && errno == EAGAIN &&
		    !mete_fd_wait(connection->fd, METE_READ, METE_FOREVER))
			continue;
		if (n < 0)
			return;
		http_parser_execute(&connection->parser, &settings, buffer,
				    (size_t)n);
		/* Not HTTP, or we want no more. */
		if (HTTP_PARSER_ERRNO(&connection->parser) != HPE_OK)
			return;
	}
}

/* A task of its own. */
static void *converse(void *arg)
{
	struct connection *connection = arg;

	talk(connection);
	mete_mutex_lock(&lock, METE_FOREVER);
	*connection->link = connection->next;
	if (connection->next)
		connection->next->link = connection->link;
	mete_mutex_unlock(&lock);
	close(connection->fd);
	free(connection);
	mete_waitgroup_done(&open_connections);
	return NULL;
}

/* False: we close, and take no more. */
static bool enlist(struct connection *connection)
{
	bool open;

	mete_mutex_lock(&lock, METE_FOREVER);
	open = !closing;
	if (open) {
		mete_waitgroup_add(&open_connections, 1);
		connection->next = connections;
		if (connections)
			connections->link = &connection->next;
		connection->link = &connections;
		connections = connection;
	}
	mete_mutex_unlock(&lock);
	return open;
}

static void welcome(int fd)
{
	struct mete_task_attr attr = METE_TASK_ATTR_INIT;
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		goto close_fd;
	connection->fd = fd;
	http_parser_init(&connection->parser, HTTP_REQUEST);
	connection->parser.data = connection;
	attr.name = "connection";
	attr.detached = true;
	if (!enlist(connection))
		goto free_connection;
	if (!mete_task_create(NULL, &attr, converse, connection))
		return;
	converse(connection); /* no room for more: serve it here */
	return;
free_connection:
	free(connection);
close_fd:
	close(fd);
}

static void *accept_all(void *arg)
{
	while (true) {
		int fd = accept4(listener, NULL, NULL,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0)
			welcome(fd);
		else if (errno != EAGAIN && errno != ECONNABORTED &&
			 errno != EINTR)
			return arg;
		else if (mete_fd_wait(listener, METE_READ, METE_FOREVER))
			return arg;
	}
}

static int listen_to(uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(address);
	int on = 1;

	listener =
		socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener < 0 ||
	    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(listener, (struct sockaddr *)&address, length) ||
	    listen(listener, SOMAXCONN) ||
	    getsockname(listener, (struct sockaddr *)&address, &length))
		return -errno;
	printf("http://127.0.0.1:%u\n", ntohs(address.sin_port));
	fflush(stdout);
	return 0;
}

/* From outside, by the first thread: a shut connection is read to its end. */
static void close_all(void)
{
	shutdown(listener, SHUT_RDWR);
	mete_mutex_lock(&lock, METE_FOREVER);
	closing = true;
	for (struct connection *c = connections; c; c = c->next)
		shutdown(c->fd, SHUT_RDWR);
	mete_mutex_unlock(&lock);
	mete_waitgroup_wait(&open_connections, METE_FOREVER);
}

static int run(uint16_t port)
{
	mete_task acceptor;
	char page[PAGE];
	sigset_t ends;
	int number;
	int error;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	for (int i = 0; i < TENANTS; i++) {
		error = mete_group_create(&tenants[i].group, METE_ROOT,
					  tenants[i].name, NULL);
		if (error)
			return error;
	}
	error = listen_to(port);
	if (!error)
		error = mete_task_create(&acceptor, NULL, accept_all, NULL);
	if (error)
		return error;
	sigwait(&ends, &number);
	close_all();
	mete_task_join(acceptor, METE_FOREVER, NULL);
	close(listener);
	show_books(page, sizeof(page));
	fputs(page, stdout);
	return 0;
}

int main(int argc, char **argv)
{
	char *end = "";
	unsigned long port = argc > 1 ? strtoul(argv[1], &end, 10) : 0;
	int error;

	if (argc > 2 || *end || port > UINT16_MAX) {
		fprintf(stderr, "usage: %s [PORT]\n", argv[0]);
		return 2;
	}
	error = mete_start(NULL);
	if (!error)
		error = run((uint16_t)port);
	if (!error)
		error = mete_stop();
	if (error)
		fprintf(stderr, "http: %s\n", strerror(-error));
	return error != 0;
}
