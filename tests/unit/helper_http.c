// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics over HTTP: addresses to listen on, and answers to good and bad clients. Clients and
 * server take turns in one thread.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>

#include "helper_util.h"
#include "deadlines.h"
#include "http.h"
#include "listener.h"
#include "now.h"

#define CLIENTS		20
#define WAIT_MS		5000

static char where[128], why[512], answer[65536];
static unsigned int pages;
static bool page_fails;
static size_t page_bytes;

static char *page(size_t *length, void *data)
{
	char *text;

	CHECK(data == &pages);
	pages++;
	if (page_fails)
		return NULL;
	*length = page_bytes;
	text = malloc(page_bytes);
	memset(text, 'm', page_bytes);
	return text;
}

static struct http *serve(void)
{
	struct http *http = http_open(where, page, &pages, why, sizeof(why));

	page_fails = false;
	page_bytes = 10;
	if (!http) {
		unit_fail(__FILE__, __LINE__, why);
		exit(1);
	}
	return http;
}

/*
 * Runs the server as an event loop would: on input or after the server's own timeout, not
 * earlier. Returns true once @fd is readable, false after @wait_ms.
 */
static bool turn(struct http *http, int fd, int wait_ms)
{
	int64_t end = now_ms() + wait_ms, left;

	while ((left = end - now_ms()) > 0) {
		struct pollfd fds[] = {
			{ .fd = http_fd(http), .events = POLLIN },
			{ .fd = fd, .events = POLLIN },
		};
		int ms = http_timeout_ms(http);

		poll(fds, 2, ms < 0 || ms > left ? left : ms);
		http_run(http);
		if (fds[1].revents)
			return true;
	}
	return false;
}

static int client(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	bool is_unix = !strncmp(where, "unix:", 5);
	int fd = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), ret;

	if (is_unix) {
		strcpy(un.sun_path, where + 5);
		ret = connect(fd, (struct sockaddr *)&un, sizeof(un));
	} else {
		in.sin_port = htons(atoi(strrchr(where, ':') + 1));
		ret = connect(fd, (struct sockaddr *)&in, sizeof(in));
	}
	CHECK_INT(ret, 0);
	return fd;
}

static void say(int fd, const char *text)
{
	CHECK_INT(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Receives until the server closes; returns "" if it does not answer. */
static const char *hear(struct http *http, int fd)
{
	size_t used = 0;
	ssize_t got;

	while (turn(http, fd, WAIT_MS)) {
		got = recv(fd, answer + used, sizeof(answer) - 1 - used, MSG_DONTWAIT);
		if (got <= 0)
			break;
		used += got;
	}
	answer[used] = '\0';
	close(fd);
	return answer;
}

static const char *ask(struct http *http, const char *request)
{
	int fd = client();

	say(fd, request);
	return hear(http, fd);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const char *body(void)
{
	const char *end = strstr(answer, "\r\n\r\n");

	return end ? end + 4 : "(no body)";
}

static void check_requests(void)
{
	struct http *http = serve();

	pages = 0;
	CHECK(begins(ask(http, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 200 "));
	CHECK_STR(body(), "mmmmmmmmmm");
	CHECK(strstr(answer, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
	CHECK(strstr(answer, "Content-Length: 10\r\n"));
	CHECK(strstr(answer, "Connection: close\r\n"));
	CHECK(begins(ask(http, "GET /metrics?x=1 HTTP/1.0\r\n\r\n"), "HTTP/1."));
	CHECK_STR(body(), "mmmmmmmmmm");
	CHECK(begins(ask(http, "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 200 "));
	CHECK_STR(body(), "");
	CHECK(strstr(answer, "Content-Length: 10\r\n"));
	CHECK_INT(pages, 3);
	CHECK(begins(ask(http, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 200 "));
	CHECK(strstr(body(), "/metrics"));
	/* No runbook is installed beside the test. */
	CHECK(begins(ask(http, "GET /runbook HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 404 "));
	CHECK(strstr(body(), "runbook.html is not installed"));
	CHECK(begins(ask(http, "GET /metrics/ HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 404 "));
	CHECK(begins(ask(http, "GET /../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 404 "));
	CHECK(begins(ask(http, "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"),
		     "HTTP/1.1 405 "));
	CHECK(strstr(answer, "Allow: GET, HEAD\r\n"));
	CHECK(begins(ask(http, "DELETE / HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 405 "));
	CHECK_INT(pages, 3);
	page_fails = true;
	CHECK(begins(ask(http, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 503 "));
	http_close(http);
}

static void test_unix(void)
{
	snprintf(where, sizeof(where), "unix:%s/metrics.sock", util_folder);
	check_requests();
	CHECK(access("metrics.sock", F_OK));
}

/* Chooses a free port, which another process is unlikely to take before the test does. */
static void choose_port(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(!bind(fd, (struct sockaddr *)&in, sizeof(in)));
	CHECK(!getsockname(fd, (struct sockaddr *)&in, &bytes));
	close(fd);
	snprintf(where, sizeof(where), "127.0.0.1:%d", ntohs(in.sin_port));
}

static void test_loopback(void)
{
	choose_port();
	check_requests();
	check_requests();
}

static void test_page_of_many_packets(void)
{
	struct http *http = serve();

	page_bytes = sizeof(answer) - 1024;
	CHECK(begins(ask(http, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 200 "));
	CHECK_INT(strlen(body()), page_bytes);
	http_close(http);
}

static void test_garbage(void)
{
	static char much[40000];
	struct http *http = serve();
	int fd;

	pages = 0;
	ask(http, "\x01\x02garbage\r\n\r\n");
	CHECK(!*answer || begins(answer, "HTTP/1.1 4"));
	ask(http, "GET\r\n\r\n");
	CHECK(!*answer || begins(answer, "HTTP/1.1 4"));
	memset(much, 'a', sizeof(much) - 1);
	memcpy(much, "GET /", 5);
	fd = client();
	send(fd, much, sizeof(much) - 1, MSG_NOSIGNAL);
	hear(http, fd);
	CHECK(!*answer || begins(answer, "HTTP/1.1 4"));
	CHECK_INT(pages, 0);
	CHECK(begins(ask(http, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 200 "));
	http_close(http);
}

/* A client that has sent half a request delays no other, and may leave or send the rest. */
static void test_half_a_request(void)
{
	struct http *http = serve();
	int half = client(), gone = client();

	say(half, "GET /met");
	say(gone, "GET /metrics HTTP/1.1\r\nHo");
	CHECK(!turn(http, half, 100));
	close(gone);
	CHECK(begins(ask(http, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 200 "));
	CHECK(http_timeout_ms(http) >= 0);
	CHECK(http_timeout_ms(http) <= 10000);
	say(half, "rics HTTP/1.1\r\nHost: x\r\n\r\n");
	CHECK(begins(hear(http, half), "HTTP/1.1 200 "));
	http_close(http);
}

/* Clients beyond the limit of connections wait, and all get their answer. */
static void test_many(void)
{
	struct http *http = serve();
	int fd[CLIENTS], i;

	pages = 0;
	for (i = 0; i < CLIENTS; i++) {
		fd[i] = client();
		if (i % 10 == 9)
			turn(http, -1, 60);
	}
	for (i = 0; i < CLIENTS; i++)
		say(fd[i], "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	for (i = 0; i < CLIENTS; i++)
		CHECK(begins(hear(http, fd[i]), "HTTP/1.1 200 "));
	CHECK_INT(pages, CLIENTS);
	http_close(http);
}

/* Silent clients use up the connections; a waiting client gets in when one of them ends. */
static void test_silent(void)
{
	struct http *http = serve();
	int fd[CLIENTS], i;
	int64_t began = now_ms();

	for (i = 0; i < 8; i++)
		fd[i] = client();
	turn(http, -1, 60);
	fd[8] = client();
	say(fd[8], "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	CHECK(!turn(http, fd[8], 200));
	/* A client that leaves ends its connection, as its deadline would. */
	close(fd[0]);
	CHECK(begins(hear(http, fd[8]), "HTTP/1.1 200 "));
	CHECK(now_ms() - began < WAIT_MS);
	for (i = 1; i < 8; i++)
		close(fd[i]);
	http_close(http);
}

/* A client that keeps sending gets no more time than a silent one. */
static void test_deadlines(void)
{
	struct deadlines deadlines = { 0 };
	int early[2], late[2];
	char byte;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, early));
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, late));
	CHECK_INT(deadlines_left(&deadlines, 0), -1);
	deadlines_add(&deadlines, early[0], 1000);
	deadlines_add(&deadlines, late[0], 4000);
	CHECK_INT(deadlines_left(&deadlines, 5000), 1000 + DEADLINE_MS - 5000);
	deadlines_enforce(&deadlines, 1000 + DEADLINE_MS - 1);
	CHECK_INT(send(early[1], "x", 1, MSG_NOSIGNAL), 1);
	CHECK_INT(deadlines_left(&deadlines, 2000 + DEADLINE_MS), 0);
	deadlines_enforce(&deadlines, 1000 + DEADLINE_MS);
	CHECK_INT(send(early[1], "x", 1, MSG_NOSIGNAL), -1);
	CHECK_INT(send(late[1], "x", 1, MSG_NOSIGNAL), 1);
	CHECK_INT(recv(late[0], &byte, 1, MSG_DONTWAIT), 1);
	/* An enforced deadline no longer counts; its connection is listed until removed. */
	CHECK_INT(deadlines_left(&deadlines, 1000 + DEADLINE_MS), 3000);
	CHECK_INT(deadlines.count, 2);
	deadlines_remove(&deadlines, early[0]);
	deadlines_remove(&deadlines, early[0]);
	CHECK_INT(deadlines.count, 1);
	CHECK_INT(deadlines_left(&deadlines, 1000 + DEADLINE_MS), 3000);
	deadlines_remove(&deadlines, late[0]);
	CHECK_INT(deadlines_left(&deadlines, 0), -1);
	close(early[0]);
	close(early[1]);
	close(late[0]);
	close(late[1]);
}

static void refused(const char *listen, const char *word)
{
	why[0] = '\0';
	CHECK(!listener_check(listen, why, sizeof(why)));
	if (!strstr(why, word))
		unit_fail(__FILE__, __LINE__, why);
	CHECK(!http_open(listen, page, &pages, why, sizeof(why)));
}

static void test_addresses(void)
{
	refused("0.0.0.0:9100", "other hosts");
	refused("192.0.2.1:9100", "other hosts");
	refused("[::]:9100", "other hosts");
	refused("[2001:db8::1]:9100", "other hosts");
	refused("[::ffff:127.0.0.1]:9100", "other hosts");
	refused("localhost:9100", "none of");
	refused("127.0.0.1", "none of");
	refused("127.0.0.1:", "none of");
	refused("127.0.0.1:0", "none of");
	refused("127.0.0.1:65536", "none of");
	refused("127.0.0.1:80x", "none of");
	refused("127.0.0.1:+80", "none of");
	refused("::1:80", "none of");
	refused("[::1:80", "none of");
	refused("[]:80", "none of");
	refused(":80", "none of");
	refused("", "none of");
	refused("unix:", "begins with /");
	refused("unix:metrics.sock", "begins with /");
	refused("unix:/0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678", "at most 107 bytes");
	CHECK(listener_check("127.0.0.1:9100", why, sizeof(why)));
	CHECK(listener_check("127.1.2.3:65535", why, sizeof(why)));
	CHECK(listener_check("[::1]:1", why, sizeof(why)));
	CHECK(listener_check("unix:/run/metrics.sock", why, sizeof(why)));
}

static void test_socket_file(void)
{
	struct listener stale, taken;
	struct http *http;
	struct stat st;

	snprintf(where, sizeof(where), "unix:%s/metrics.sock", util_folder);
	umask(0);
	http = serve();
	umask(022);
	CHECK(!stat("metrics.sock", &st));
	CHECK_INT(st.st_mode & 07777, 0660);
	CHECK_INT(listener_open(&taken, where, why, sizeof(why)), -EADDRINUSE);
	CHECK(!access("metrics.sock", F_OK));
	/* Another server has replaced the socket file, so http_close() must not remove it. */
	unlink("metrics.sock");
	CHECK_INT(listener_open(&stale, where, why, sizeof(why)), 0);
	http_close(http);
	CHECK(!access("metrics.sock", F_OK));
	/* No server answers on the socket any more, so its file is replaced. */
	close(stale.fd);
	http_close(serve());
	CHECK(access("metrics.sock", F_OK));
	util_write("metrics.sock", "precious");
	CHECK(!http_open(where, page, &pages, why, sizeof(why)));
	CHECK(strstr(why, "not a socket"));
	CHECK(!stat("metrics.sock", &st) && S_ISREG(st.st_mode));
	unlink("metrics.sock");
	snprintf(where, sizeof(where), "unix:%s/absent/metrics.sock", util_folder);
	CHECK(!http_open(where, page, &pages, why, sizeof(why)));
}

static void test_socket_group(void)
{
	struct http *http;
	struct stat st;

	mkdir("group", 0750);
	if (chown("group", -1, 12345))
		return;		/* not root */
	snprintf(where, sizeof(where), "unix:%s/group/metrics.sock", util_folder);
	http = serve();
	CHECK(!stat("group/metrics.sock", &st));
	CHECK_INT(st.st_gid, 12345);
	CHECK_INT(st.st_uid, geteuid());
	CHECK_INT(st.st_mode & 07777, 0660);
	http_close(http);
	CHECK(access("group/metrics.sock", F_OK));
}

static void test_port_taken(void)
{
	struct http *http;

	choose_port();
	http = serve();
	CHECK(!http_open(where, page, &pages, why, sizeof(why)));
	CHECK(strstr(why, "in use"));
	http_close(http);
}

/* Puts a socket where systemd passes it; returns what was there. */
static int pass(const char *address, bool listens)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), was;
	socklen_t bytes = sizeof(in);
	char text[16];

	inet_pton(AF_INET, address, &in.sin_addr);
	CHECK_INT(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	if (listens)
		CHECK_INT(listen(fd, CLIENTS), 0);
	CHECK_INT(getsockname(fd, (struct sockaddr *)&in, &bytes), 0);
	snprintf(where, sizeof(where), "127.0.0.1:%u", ntohs(in.sin_port));
	was = fd == SD_LISTEN_FDS_START ? -1 : dup(SD_LISTEN_FDS_START);
	if (fd != SD_LISTEN_FDS_START) {
		CHECK_INT(dup2(fd, SD_LISTEN_FDS_START), SD_LISTEN_FDS_START);
		close(fd);
	}
	snprintf(text, sizeof(text), "%d", getpid());
	setenv("LISTEN_PID", text, 1);
	setenv("LISTEN_FDS", "1", 1);
	return was;
}

static void put_back(int was)
{
	if (was < 0)
		close(SD_LISTEN_FDS_START);
	else
		dup2(was, SD_LISTEN_FDS_START);
	if (was >= 0)
		close(was);
	unsetenv("LISTEN_FDS");
}

/* The socket that systemd passes outlives a server: a reload and a restart find it listening. */
static void test_systemd(void)
{
	struct http *http;
	int was, i;

	CHECK(listener_check("systemd", why, sizeof(why)));
	CHECK(!http_open("systemd", page, &pages, why, sizeof(why)));
	CHECK(strstr(why, "instinct-vfio-monitor.socket"));

	was = pass("127.0.0.1", true);
	page_fails = false;
	page_bytes = 10;
	for (i = 0; i < 2; i++) {
		int early = client();

		http = http_open("systemd", page, &pages, why, sizeof(why));
		if (!http)
			unit_fail(__FILE__, __LINE__, why);
		if (!http)
			break;
		say(early, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
		CHECK(begins(hear(http, early), "HTTP/1.1 200 "));
		CHECK_STR(body(), "mmmmmmmmmm");
		http_close(http);
	}
	put_back(was);

	was = pass("127.0.0.1", false);
	CHECK(!http_open("systemd", page, &pages, why, sizeof(why)));
	CHECK(strstr(why, "no socket that listens"));
	put_back(was);

	was = pass("0.0.0.0", true);
	CHECK(!http_open("systemd", page, &pages, why, sizeof(why)));
	CHECK(strstr(why, "other hosts"));
	put_back(was);
}

int main(void)
{
	util_begin();
	signal(SIGPIPE, SIG_IGN);
	RUN(test_addresses);
	RUN(test_systemd);
	RUN(test_socket_file);
	RUN(test_socket_group);
	RUN(test_port_taken);
	RUN(test_unix);
	RUN(test_loopback);
	RUN(test_page_of_many_packets);
	RUN(test_garbage);
	RUN(test_half_a_request);
	RUN(test_many);
	RUN(test_silent);
	RUN(test_deadlines);
	return unit_end();
}
