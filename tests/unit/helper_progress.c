// SPDX-License-Identifier: GPL-2.0-only
/* The progress line appears on a terminal only, and disappears at the end of the operation. */
#include <linux/genetlink.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helper_util.h"
#include "nl_send.h"
#include "progress.h"

static int terminal = -1, saved = -1;

static void pass(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* Makes standard error a terminal. */
static void begin_terminal(void)
{
	int end;

	if (openpty(&terminal, &end, NULL, NULL, NULL)) {
		perror("openpty");
		exit(1);
	}
	fcntl(terminal, F_SETFL, O_NONBLOCK);
	saved = dup(STDERR_FILENO);
	dup2(end, STDERR_FILENO);
	close(end);
}

/* Returns the output to the terminal since the last call. */
static const char *shown(void)
{
	static char text[1024];
	ssize_t n;

	fflush(stderr);
	n = read(terminal, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static void end_terminal(void)
{
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(terminal);
}

static void test_terminal(void)
{
	char blanks[64];

	begin_terminal();
	progress_begin("resetting");
	CHECK(progress_is_shown());
	progress_step("0000:c1:00.0", 2, 8);
	progress_tick(true);
	CHECK_STR(shown(), "");
	pass(2050);
	progress_tick(true);
	CHECK_STR(shown(), "\rresetting 0000:c1:00.0: 2 s (2 of 8)");
	progress_tick(true);
	CHECK_STR(shown(), "\rresetting 0000:c1:00.0: 2 s (2 of 8)");
	/* Before other output the helper erases the line, once. */
	progress_tick(false);
	snprintf(blanks, sizeof(blanks), "\r%36s\r", "");
	CHECK_STR(shown(), blanks);
	progress_tick(false);
	CHECK_STR(shown(), "");
	progress_tick(true);
	CHECK(strlen(shown()));
	progress_end();
	CHECK_STR(shown(), blanks);
	progress_tick(true);
	CHECK_STR(shown(), "");
	end_terminal();
}

static void test_quiet(void)
{
	begin_terminal();
	progress_begin(NULL);
	CHECK(!progress_is_shown());
	setenv("TERM", "dumb", 1);
	progress_begin("resetting");
	CHECK(!progress_is_shown());
	setenv("TERM", "xterm", 1);
	end_terminal();
	util_catch(STDERR_FILENO);
	progress_begin("resetting");
	CHECK(!progress_is_shown());
	progress_tick(true);
	progress_end();
	CHECK_STR(util_caught_text(), "");
}

static unsigned int ticks, ends;

static void on_tick(bool waiting)
{
	ticks += waiting;
	ends += !waiting;
}

/* Makes a request to generic netlink's controller, which every kernel has. */
static struct nlmsghdr *request(char *buffer)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = GENL_ID_CTRL;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	nlh->nlmsg_seq = 5;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = CTRL_CMD_GETFAMILY;
	genl->version = 1;
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, "nlctrl");
	return nlh;
}

static struct mnl_socket *open_socket(void)
{
	struct mnl_socket *socket = mnl_socket_open(NETLINK_GENERIC);

	CHECK(socket && !mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID));
	ticks = 0;
	ends = 0;
	return socket;
}

/* A child sends the request, and this process receives the reply. */
static void test_send(void)
{
	_Alignas(8) char buffer[8192];
	struct nlmsghdr *nlh = request(buffer);
	struct mnl_socket *socket = open_socket();

	CHECK_INT(nl_send(socket, nlh, on_tick), 0);
	CHECK_INT(ends, 1);
	CHECK(mnl_socket_recvfrom(socket, buffer, sizeof(buffer)) > 0);
	CHECK_INT(nlh->nlmsg_seq, 5);
	CHECK_INT(nlh->nlmsg_type, GENL_ID_CTRL);
	/* The child's error in sending is the caller's. */
	nlh->nlmsg_len = 1 << 30;
	CHECK(nl_send(socket, nlh, on_tick) < 0);
	mnl_socket_close(socket);
}

/* nl_await() ticks until a late reply arrives. */
static void test_await(void)
{
	_Alignas(8) char buffer[8192];
	struct nlmsghdr *nlh = request(buffer);
	struct mnl_socket *socket = open_socket();
	pid_t child = fork();

	if (!child) {
		usleep(3 * PROGRESS_TICK_MS * 1000);
		_exit(!!nl_send(socket, nlh, NULL));
	}
	nl_await(socket, on_tick);
	CHECK(ticks > 0);
	CHECK_INT(ends, 1);
	CHECK(mnl_socket_recvfrom(socket, buffer, sizeof(buffer)) > 0);
	CHECK(waitpid(child, NULL, 0) == child);
	mnl_socket_close(socket);
}

int main(void)
{
	setenv("TERM", "xterm", 1);
	util_begin();
	RUN(test_terminal);
	RUN(test_quiet);
	RUN(test_send);
	RUN(test_await);
	return unit_end();
}
