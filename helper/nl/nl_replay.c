// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libmnl/libmnl.h>
#include <limits.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nl_replay.h"
#include "nl_table.h"
#include "say.h"
#include "sysroot.h"

#define SUFFIX	"_GET"		/* ends the names of commands that change nothing */

/**
 * nl_is_recorded() - tell whether the capture (--sysroot) records the module's answers
 *
 * A capture that records them has the folder even if the module was not loaded.
 *
 * Return: true if it does; false for a live host.
 */
bool nl_is_recorded(void)
{
	char path[PATH_MAX];
	struct stat st;

	if (!*opt_sysroot)
		return false;
	snprintf(path, sizeof(path), "%s/" NL_RECORDS, opt_sysroot);
	return !sysroot_stat(path, true, &st) && S_ISDIR(st.st_mode);
}

static bool only_asks(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUFFIX);

	return length > suffix && !strcmp(name + length - suffix, SUFFIX);
}

/**
 * nl_replay_name() - get the name of the file that records the answer to a request
 * @nlh: request, made by this helper
 *
 * Return: the name, or NULL for a request that changes something.
 */
const char *nl_replay_name(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const char *name = genl->cmd < nl_commands_count ? nl_commands[genl->cmd].name : NULL;

	if (nlh->nlmsg_type == GENL_ID_CTRL)
		return genl->cmd == CTRL_CMD_GETFAMILY ? "GETFAMILY" : NULL;
	return name && only_asks(name) ? name : NULL;
}

/**
 * nl_replay_ask() - send a request to a captured host
 * @replay: receives the recorded answer
 * @nlh: request
 *
 * Return: 0 or a negative errno; -EROFS for a request that changes something, -ENOENT if the
 * capture has no answer to it.
 */
int nl_replay_ask(struct nl_replay *replay, const struct nlmsghdr *nlh)
{
	const char *name = nl_replay_name(nlh);
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	if (!name)
		return -EROFS;
	snprintf(path, sizeof(path), "%s/" NL_RECORDS "/%s", opt_sysroot, name);
	fd = sysroot_open_file(path);
	if (fd < 0)
		return fd;
	bytes_free(&replay->answers);
	*replay = (struct nl_replay) {
		.seq = nlh->nlmsg_seq,
		.dump = (nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP,
	};
	n = bytes_read(&replay->answers, fd, NL_RECORD_BYTES);
	close(fd);
	return n < 0 ? n : 0;
}

/* Make the message with which the kernel ends an answer; captures do not record it. */
static ssize_t put_end(struct nl_replay *replay, void *buffer, size_t size)
{
	size_t body = replay->dump ? sizeof(int) : sizeof(struct nlmsgerr);
	struct nlmsghdr *nlh = buffer;

	if (size < NLMSG_SPACE(body) || replay->ended) {
		errno = EBADMSG;
		return -1;
	}
	replay->ended = true;
	memset(buffer, 0, NLMSG_SPACE(body));
	nlh->nlmsg_len = NLMSG_LENGTH(body);
	nlh->nlmsg_type = replay->dump ? NLMSG_DONE : NLMSG_ERROR;
	nlh->nlmsg_flags = replay->dump ? NLM_F_MULTI : NLM_F_CAPPED;
	nlh->nlmsg_seq = replay->seq;
	return NLMSG_SPACE(body);
}

/**
 * nl_replay_receive() - receive the next message of the answer
 * @replay: request from nl_replay_ask()
 * @buffer: receives the message, as if the kernel had just sent it
 * @size: size of @buffer in bytes
 *
 * Return: length of the message, or -1 with errno set, as recvfrom(2); EBADMSG if the record is
 * malformed or at its end.
 */
ssize_t nl_replay_receive(struct nl_replay *replay, void *buffer, size_t size)
{
	size_t left = replay->answers.size - replay->at, whole;
	struct nlmsghdr head;

	if (!left)
		return put_end(replay, buffer, size);
	memset(&head, 0, sizeof(head));
	if (left >= sizeof(head))
		memcpy(&head, replay->answers.data + replay->at, sizeof(head));
	whole = NLMSG_ALIGN((size_t)head.nlmsg_len);
	if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > left || whole > size) {
		errno = EBADMSG;
		return -1;
	}
	memset(buffer, 0, whole);
	memcpy(buffer, replay->answers.data + replay->at, head.nlmsg_len);
	replay->at += whole < left ? whole : left;
	head.nlmsg_seq = replay->seq;
	head.nlmsg_flags &= ~NLM_F_DUMP_INTR;
	memcpy(buffer, &head, sizeof(head));
	return whole;
}
