// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

#include "nl_record.h"
#include "nl_replay.h"
#include "nl_table.h"
#include "nl_talk.h"

#define TRIES	5

static int take(const struct nlmsghdr *nlh, void *data)
{
	struct bytes *answers = data;
	size_t padding = MNL_ALIGN(nlh->nlmsg_len) - nlh->nlmsg_len;

	if (answers->size > NL_RECORD_BYTES)
		return -EFBIG;
	bytes_add(answers, nlh, nlh->nlmsg_len);
	bytes_add(answers, "\0\0\0", padding);
	return 0;
}

static struct nlmsghdr *make_request(struct nl *nl, uint8_t command)
{
	struct nlmsghdr *nlh = nl_request(nl, command, command == INSTINCT_VFIO_CMD_INFO_GET ?
					  NLM_F_ACK : NLM_F_DUMP);

	if (command == INSTINCT_VFIO_CMD_EVENT_GET)
		mnl_attr_put_u64(nlh, INSTINCT_VFIO_A_EVENT_SEQ, 1);
	return nlh;
}

static struct nlmsghdr *ask_for_family(struct nl *nl)
{
	struct nlmsghdr *nlh = nl_request(nl, CTRL_CMD_GETFAMILY, NLM_F_ACK);

	nlh->nlmsg_type = GENL_ID_CTRL;
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, INSTINCT_VFIO_FAMILY_NAME);
	return nlh;
}

/* Command 0 stands for a request for the family; none of the family's commands is 0. */
static void record(struct nl *nl, uint8_t command, nl_record_t call, void *data)
{
	struct bytes answers = { 0 };
	int tries = TRIES, error;
	struct nlmsghdr *nlh;
	const char *name;

	do {
		nlh = command ? make_request(nl, command) : ask_for_family(nl);
		name = nl_replay_name(nlh);
		if (!name)
			return;
		bytes_free(&answers);
		error = nl_talk(nl, nlh, take, &answers);
	} while ((error == -EAGAIN || error == -ENOBUFS) && --tries);
	call(name, error, &answers, data);
	bytes_free(&answers);
}

/**
 * nl_record_all() - send every request that changes nothing
 * @nl: socket
 * @call: called for each request with its name, a negative errno or 0, and the messages of the
 *	answer as the kernel sent them
 * @data: passed to @call
 */
void nl_record_all(struct nl *nl, nl_record_t call, void *data)
{
	size_t command;

	for (command = 0; command < nl_commands_count; command++)
		record(nl, command, call, data);
}
