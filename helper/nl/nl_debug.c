// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <string.h>

#include "nl_debug.h"
#include "nl_debug_attrs.h"
#include "say.h"

static void print_flags(FILE *out, const struct nlmsghdr *nlh, char direction)
{
	/* The same bits mean one flag in a request and another in an answer. */
	const struct {
		uint16_t bit;
		const char *name;
	} flags[] = {
		{ NLM_F_REQUEST, "REQUEST" }, { NLM_F_MULTI, "MULTI" }, { NLM_F_ACK, "ACK" },
		{ NLM_F_DUMP_INTR, "DUMP_INTR" },
		{ direction == NL_SENT ? NLM_F_DUMP : 0, "DUMP" },
	};
	const char *separator = " flags ";
	uint16_t left = nlh->nlmsg_flags;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].bit && (left & flags[i].bit) == flags[i].bit) {
			fprintf(out, "%s%s", separator, flags[i].name);
			separator = "|";
			left &= ~flags[i].bit;
		}
	if (left)
		fprintf(out, "%s0x%x", separator, left);
}

/* Print the extended ack: the kernel's message and the offset of the refused attribute. */
static void print_reasons(FILE *out, const unsigned char *at, size_t size)
{
	const unsigned char *text = NULL;
	size_t length = 0;

	while (size >= NLA_HDRLEN) {
		struct nlattr header;
		uint32_t offset;
		size_t whole;

		memcpy(&header, at, sizeof(header));
		if (header.nla_len < NLA_HDRLEN || header.nla_len > size)
			break;
		if (header.nla_type == NLMSGERR_ATTR_OFFS &&
		    header.nla_len == NLA_HDRLEN + sizeof(offset)) {
			memcpy(&offset, at + NLA_HDRLEN, sizeof(offset));
			fprintf(out, " at offset %" PRIu32, offset);
		} else if (header.nla_type == NLMSGERR_ATTR_MSG) {
			text = at + NLA_HDRLEN;
			length = header.nla_len - NLA_HDRLEN;
		}
		whole = NLA_ALIGN(header.nla_len);
		whole = whole < size ? whole : size;
		at += whole;
		size -= whole;
	}
	if (!text)
		return;
	fputs(": ", out);
	nl_print_text(out, text, length);
}

static void print_end(FILE *out, const struct nlmsghdr *nlh, const unsigned char *data,
		      size_t size)
{
	bool done = nlh->nlmsg_type == NLMSG_DONE;
	size_t skip = done ? sizeof(int32_t) : sizeof(struct nlmsgerr);
	struct nlmsgerr err = { 0 };

	if (size < skip) {
		fprintf(out, "%s, malformed: ", done ? "done" : "error");
		nl_print_hex(out, data, size);
		return;
	}
	memcpy(&err, data, skip);
	if (!err.error) {
		fputs(done ? "done\n" : "ack\n", out);
		return;
	}
	fprintf(out, "error %d", err.error);
	/* The kernel's errors are negative; other values of a damaged message have no name. */
	if (err.error < 0 && err.error > INT32_MIN && strerrorname_np(-err.error))
		fprintf(out, " (%s)", strerrorname_np(-err.error));
	/* Without NLM_F_CAPPED the whole request precedes the extended ack. */
	if (!done && !(nlh->nlmsg_flags & NLM_F_CAPPED) && err.msg.nlmsg_len >= NLMSG_HDRLEN &&
	    err.msg.nlmsg_len <= size)
		skip += NLMSG_ALIGN(err.msg.nlmsg_len) - NLMSG_HDRLEN;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && skip <= size)
		print_reasons(out, data + skip, size - skip);
	fputc('\n', out);
}

static const struct nl_attr_set *print_command(FILE *out, const struct nlmsghdr *nlh,
					       uint8_t command)
{
	static const char *const control[] = {
		[CTRL_CMD_NEWFAMILY] = "NEWFAMILY",
		[CTRL_CMD_DELFAMILY] = "DELFAMILY",
		[CTRL_CMD_GETFAMILY] = "GETFAMILY",
	};

	if (nlh->nlmsg_type == GENL_ID_CTRL) {
		if (command < sizeof(control) / sizeof(control[0]) && control[command])
			fprintf(out, "CONTROL %s", control[command]);
		else
			fprintf(out, "CONTROL %u", command);
		return &nl_control_set;
	}
	if (command < nl_commands_count && nl_commands[command].name) {
		fputs(nl_commands[command].name, out);
		return nl_commands[command].set;
	}
	fprintf(out, "COMMAND %u", command);
	return NULL;
}

static void print_message(FILE *out, char direction, const struct nlmsghdr *nlh,
			  const unsigned char *data, size_t size)
{
	const struct nl_attr_set *set;
	struct genlmsghdr genl;

	fprintf(out, "%c ", direction);
	if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE) {
		print_end(out, nlh, data, size);
		return;
	}
	if (nlh->nlmsg_type < NLMSG_MIN_TYPE || size < sizeof(genl)) {
		fprintf(out, "message of type %u: ", nlh->nlmsg_type);
		nl_print_hex(out, data, size);
		return;
	}
	memcpy(&genl, data, sizeof(genl));
	set = print_command(out, nlh, genl.cmd);
	fprintf(out, " seq %" PRIu32, nlh->nlmsg_seq);
	print_flags(out, nlh, direction);
	fprintf(out, " %" PRIu32 " bytes\n", nlh->nlmsg_len);
	nl_print_attrs(out, set, data + GENL_HDRLEN, size - GENL_HDRLEN);
}

/**
 * nl_debug_print() - print decoded netlink messages
 * @out: output
 * @direction: NL_SENT or NL_RECEIVED
 * @messages: messages, which may be malformed
 * @bytes: length of @messages in bytes
 */
void nl_debug_print(FILE *out, char direction, const void *messages, size_t bytes)
{
	const unsigned char *at = messages;

	while (bytes >= NLMSG_HDRLEN) {
		struct nlmsghdr nlh;
		size_t whole;

		memcpy(&nlh, at, sizeof(nlh));
		if (nlh.nlmsg_len < NLMSG_HDRLEN || nlh.nlmsg_len > bytes)
			break;
		print_message(out, direction, &nlh, at + NLMSG_HDRLEN,
			      nlh.nlmsg_len - NLMSG_HDRLEN);
		whole = NLMSG_ALIGN(nlh.nlmsg_len);
		whole = whole < bytes ? whole : bytes;
		at += whole;
		bytes -= whole;
	}
	if (!bytes)
		return;
	fprintf(out, "%c malformed: ", direction);
	nl_print_hex(out, at, bytes);
}

/**
 * nl_debug() - print decoded netlink messages to standard error, if --debug asks for it
 * @direction: NL_SENT or NL_RECEIVED
 * @messages: messages, which may be malformed
 * @bytes: length of @messages in bytes
 */
void nl_debug(char direction, const void *messages, size_t bytes)
{
	if (!opt_debug)
		return;
	fflush(stdout);
	nl_debug_print(stderr, direction, messages, bytes);
}
