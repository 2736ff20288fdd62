// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deadlines.h"
#include "http.h"
#include "library.h"
#include "listener.h"
#include "now.h"

#define LIBRARY		"libmicrohttpd.so.12"
#define PACKAGE		"libmicrohttpd12"
#define CONNECTIONS_MAX	8u
#define TIMEOUT_S	10u
#define REQUEST_BYTES	((size_t)16384)	/* for a request with its header */

#define TEXT_PLAIN	"text/plain; charset=utf-8"
#define TEXT_METRICS	"text/plain; version=0.0.4; charset=utf-8"
#define TEXT_HTML	"text/html; charset=utf-8"
#define RUNBOOK		"share/instinct-vfio/runbook.html"	/* below PREFIX, beside sbin/instinctctl */
#define RUNBOOK_BYTES	(1 << 20)

LIBRARY_NOTE("http", "recommended", "\"" LIBRARY "\"");

_Static_assert(CONNECTIONS_MAX <= DEADLINES_MAX, "each connection has a deadline");

/* The functions of libmicrohttpd that the server uses. */
struct library {
	void *handle;
	typeof(MHD_start_daemon) *start_daemon;
	typeof(MHD_stop_daemon) *stop_daemon;
	typeof(MHD_quiesce_daemon) *quiesce_daemon;
	typeof(MHD_get_daemon_info) *get_daemon_info;
	typeof(MHD_get_timeout) *get_timeout;
	typeof(MHD_get_connection_info) *get_connection_info;
	typeof(MHD_run) *run;
	typeof(MHD_create_response_from_buffer) *create_response_from_buffer;
	typeof(MHD_add_response_header) *add_response_header;
	typeof(MHD_queue_response) *queue_response;
	typeof(MHD_destroy_response) *destroy_response;
};

/**
 * struct http - a server
 * @library: libmicrohttpd
 * @daemon: the library's server
 * @listener: listening socket
 * @fd: the library's epoll instance
 * @deadlines: of the open connections
 * @page: returns the metrics
 * @data: for @page
 */
struct http {
	struct library library;
	struct MHD_Daemon *daemon;
	struct listener listener;
	int fd;
	struct deadlines deadlines;
	http_page_t page;
	void *data;
};

static const struct library_call calls[] = {
#define CALL(_name)	{ "MHD_" #_name, offsetof(struct library, _name) }
	CALL(start_daemon), CALL(stop_daemon), CALL(quiesce_daemon), CALL(get_daemon_info),
	CALL(get_timeout),
	CALL(get_connection_info), CALL(run), CALL(create_response_from_buffer),
	CALL(add_response_header), CALL(queue_response), CALL(destroy_response),
#undef CALL
};

static int library_load(struct library *library, char *why, size_t size)
{
	const char *missing;

	library->handle = library_open(LIBRARY, calls, sizeof(calls) / sizeof(calls[0]), library,
				       &missing);
	if (library->handle)
		return 0;
	if (missing)
		snprintf(why, size, LIBRARY " has no %s: install the package " PACKAGE " of this distribution",
			 missing);
	else
		snprintf(why, size, "serving metrics needs " LIBRARY ": install the package " PACKAGE " (%s)",
			 dlerror());
	return -ENOENT;
}

/* Each connection gets one answer, so that idle clients do not use up the connections. */
static enum MHD_Result reply(struct http *http, struct MHD_Connection *connection,
			     unsigned int status, const char *type, char *text, size_t length)
{
	const struct library *library = &http->library;
	struct MHD_Response *response;
	enum MHD_Result ret;

	response = library->create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(text);
		return MHD_NO;
	}
	library->add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	library->add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		library->add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	ret = library->queue_response(connection, status, response);
	library->destroy_response(response);
	return ret;
}

static enum MHD_Result reply_words(struct http *http, struct MHD_Connection *connection,
				   unsigned int status, const char *words)
{
	char *text = strdup(words);

	return text ? reply(http, connection, status, TEXT_PLAIN, text, strlen(text)) : MHD_NO;
}

/* Returns the page for the alerts' runbook_url as text for free(), or NULL if it is not installed. */
static char *read_runbook(size_t *length)
{
	char path[PATH_MAX], *text = NULL;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(RUNBOOK));
	char *end;
	FILE *in;

	path[n < 0 ? 0 : n] = '\0';
	/* PREFIX/sbin/instinctctl */
	end = strrchr(path, '/');
	if (end)
		*end = '\0';
	end = end ? strrchr(path, '/') : NULL;
	if (!end)
		return NULL;
	snprintf(end + 1, path + sizeof(path) - end - 1, "%s", RUNBOOK);
	in = fopen(path, "re");
	text = in ? malloc(RUNBOOK_BYTES) : NULL;
	if (text)
		*length = fread(text, 1, RUNBOOK_BYTES, in);
	if (in)
		fclose(in);
	return text;
}

/* The library calls this once the request's header has arrived; a body is not read. */
static enum MHD_Result on_request(void *data, struct MHD_Connection *connection,
				  const char *url, const char *method, const char *version,
				  const char *body, size_t *body_bytes, void **request)
{
	struct http *http = data;
	size_t length;
	char *text;

	(void)version;
	(void)body;
	(void)body_bytes;
	(void)request;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return reply_words(http, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				   "only GET and HEAD\n");
	if (!strcmp(url, "/"))
		return reply_words(http, connection, MHD_HTTP_OK,
				   "instinct-vfio: metrics are at /metrics, the remedy for each alert at /runbook\n");
	if (!strcmp(url, "/runbook")) {
		text = read_runbook(&length);
		return text ? reply(http, connection, MHD_HTTP_OK, TEXT_HTML, text, length) :
			      reply_words(http, connection, MHD_HTTP_NOT_FOUND, RUNBOOK " is not installed\n");
	}
	if (strcmp(url, "/metrics"))
		return reply_words(http, connection, MHD_HTTP_NOT_FOUND,
				   "nothing is here: metrics are at /metrics\n");
	text = http->page(&length, http->data);
	if (!text)
		return reply_words(http, connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "the module cannot be asked: the log of this server says why\n");
	return reply(http, connection, MHD_HTTP_OK, TEXT_METRICS, text, length);
}

/* The library's own timeout restarts with each byte received, so deadlines.h limits the total. */
static void on_connection(void *data, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http *http = data;
	int fd = http->library.get_connection_info(connection,
				MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;

	(void)context;
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		deadlines_add(&http->deadlines, fd, now_ms());
	else
		deadlines_remove(&http->deadlines, fd);
}

static int start(struct http *http, char *why, size_t size)
{
	const union MHD_DaemonInfo *info;

	errno = 0;
	http->daemon = http->library.start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, http,
		MHD_OPTION_LISTEN_SOCKET, http->listener.fd,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, REQUEST_BYTES,
		MHD_OPTION_END);
	info = http->daemon ? http->library.get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD) :
			      NULL;
	if (!info) {
		snprintf(why, size, LIBRARY " does not start: %s",
			 errno ? strerror(errno) : "it does not say why");
		return -EIO;
	}
	http->fd = info->epoll_fd;
	return 0;
}

/**
 * http_open() - start to serve metrics
 * @listen: an address for listener_check()
 * @page: called for each GET and HEAD of /metrics
 * @data: for @page
 * @why: set to an error message on failure
 * @size: of @why in bytes
 *
 * The caller ignores SIGPIPE.
 *
 * Return: the server, or NULL.
 */
struct http *http_open(const char *listen, http_page_t page, void *data,
		       char *why, size_t size)
{
	struct http *http = calloc(1, sizeof(*http));

	if (!http) {
		snprintf(why, size, "%s", strerror(ENOMEM));
		return NULL;
	}
	http->page = page;
	http->data = data;
	if (listener_check(listen, why, size) && !library_load(&http->library, why, size)) {
		if (!listener_open(&http->listener, listen, why, size)) {
			if (!start(http, why, size))
				return http;
			http_close(http);
			return NULL;
		}
		dlclose(http->library.handle);
	}
	free(http);
	return NULL;
}

/**
 * http_fd() - get the file descriptor to poll for EPOLLIN
 * @http: server
 *
 * Return: a file descriptor.
 */
int http_fd(const struct http *http)
{
	return http->fd;
}

/**
 * http_timeout_ms() - get the time after which http_run() is due even without input
 * @http: server
 *
 * Return: time in ms from now, -1 for never.
 */
int http_timeout_ms(const struct http *http)
{
	int left = deadlines_left(&http->deadlines, now_ms());
	MHD_UNSIGNED_LONG_LONG ms;

	if (http->library.get_timeout(http->daemon, &ms) != MHD_YES || ms > INT_MAX)
		return left;
	return left < 0 || (int)ms < left ? (int)ms : left;
}

static unsigned int connections(const struct http *http)
{
	return http->library.get_daemon_info(http->daemon,
					     MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
}

/**
 * http_run() - accept connections, read requests and answer them
 * @http: server
 *
 * At its limit of connections the library stops watching its listening socket. After a
 * connection has ended it watches the socket again from the next run on, but does not
 * ask for that run. So this function runs the library again whenever a connection has ended.
 */
void http_run(struct http *http)
{
	unsigned int before;

	deadlines_enforce(&http->deadlines, now_ms());
	do {
		before = connections(http);
		http->library.run(http->daemon);
	} while (connections(http) < before);
}

/**
 * http_close() - stop serving and free the server
 * @http: server
 */
void http_close(struct http *http)
{
	/* stop_daemon() alone would end the listening of systemd's socket, too. */
	if (http->daemon) {
		http->library.quiesce_daemon(http->daemon);
		http->library.stop_daemon(http->daemon);
	}
	close(http->listener.fd);
	listener_remove(&http->listener);
	dlclose(http->library.handle);
	free(http);
}
