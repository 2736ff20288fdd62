// SPDX-License-Identifier: GPL-2.0-only
#include <linux/genetlink.h>
#include <linux/instinct_vfio.h>
#include <string.h>

#include "dice.h"
#include "netlink_request.h"

#include "family_table.h"

const size_t operation_count = sizeof(operations) / sizeof(operations[0]);

#define BYTES_MAX	16384
#define ROOM		2048	/* more than any attribute but a nest takes */
#define NESTS_MAX	4
#define PEERS_MAX	16
#define EVERY		(~0ull)

static char **bdfs;
static unsigned int bdf_count;

/**
 * request_about() - set the devices that most requests name
 * @names: their addresses, which must stay valid
 * @count: number of @names
 */
void request_about(char **names, unsigned int count)
{
	bdfs = names;
	bdf_count = count;
}

static const char *const reasons[] = {
	"", " ", "a sensor of the BMC", "\033[2J", "\n", "\xc3\xa4", "a\x7f",
	"a reason that is longer than the ninety-five bytes that an event has room for, and so too long for the module",
};

static const char *text_of(struct fuzzer *f, const struct form *form)
{
	static const char *const addresses[] = {
		"", "0", "0000:00:00.0", "0000:00:1f.7", "ffff:ff:1f.7", "0000:c1:00.0x",
		"zzzz:zz:zz.z", "0000:00:00", "-1:00:00.0", "00000000000000",
	};

	if (!strcmp(form->name, "bdf") || !strcmp(form->name, "of"))
		return once_in(&f->state, 6) ? ONE_OF(&f->state, addresses) :
		       bdfs[dice(&f->state, bdf_count)];
	return ONE_OF(&f->state, reasons);
}

static uint32_t number_of(struct fuzzer *f, const struct form *form)
{
	uint32_t high = form->high ?: 255;

	switch (dice(&f->state, 12)) {
	case 0:
		return form->low - 1;
	case 1:
		return form->high + 1;
	case 2:
		return dice_number(&f->state);
	case 3:
		return form->low;
	case 4:
		return form->high;
	}
	return form->low + dice(&f->state, high - form->low + 1);
}

static void put_set(struct fuzzer *f, struct nlmsghdr *nlh, const struct form_set *set,
		    uint64_t which);

static void put_nests(struct fuzzer *f, struct nlmsghdr *nlh, const struct form *form)
{
	unsigned int i, times = once_in(&f->state, 32) ? 300 : 1 + dice(&f->state, NESTS_MAX);
	struct nlattr *nest;

	for (i = 0; i < times && nlh->nlmsg_len < BYTES_MAX - ROOM; i++) {
		nest = mnl_attr_nest_start(nlh, form->number);
		if (!once_in(&f->state, 8))
			put_set(f, nlh, form->nested, EVERY);
		mnl_attr_nest_end(nlh, nest);
	}
}

/* Up to one peer more than the module takes, and seldom a value cut short, or of an unknown kind. */
static void put_peers(struct fuzzer *f, struct nlmsghdr *nlh, const struct form *form)
{
	static const uint32_t values[] = { 0, 0x15b31021, 0x1dd81003, 0x00002100, 0xffffffff };
	uint32_t peer[2 * PEERS_MAX + 2];
	size_t i, count = dice(&f->state, PEERS_MAX + 2);

	for (i = 0; i < count; i++) {
		peer[2 * i] = dice(&f->state, once_in(&f->state, 8) ? 5 : 3);
		peer[2 * i + 1] = ONE_OF(&f->state, values);
	}
	mnl_attr_put(nlh, form->number,
		     count * 2 * sizeof(*peer) - (count && once_in(&f->state, 16)), peer);
}

static void put_attribute(struct fuzzer *f, struct nlmsghdr *nlh, const struct form *form)
{
	switch (form->kind) {
	case FORM_NUMBER:
		mnl_attr_put_u32(nlh, form->number, number_of(f, form));
		break;
	case FORM_LONG:
		mnl_attr_put_u64(nlh, form->number, dice_number(&f->state));
		break;
	case FORM_TEXT:
		mnl_attr_put_strz(nlh, form->number, text_of(f, form));
		break;
	case FORM_FLAG:
		mnl_attr_put(nlh, form->number, 0, NULL);
		break;
	case FORM_PEERS:
		put_peers(f, nlh, form);
		break;
	case FORM_NEST:
		put_nests(f, nlh, form);
		break;
	}
}

/*
 * Adds a set's attributes at random: mostly the first, which names the device, and few of the
 * others, since the module would refuse most combinations.
 */
static void put_set(struct fuzzer *f, struct nlmsghdr *nlh, const struct form_set *set,
		    uint64_t which)
{
	unsigned int i, few = set->count < 5 ? 1 : 2 + set->count / 2;

	if (once_in(&f->state, 8))
		few = 2;
	for (i = 0; i < set->count && nlh->nlmsg_len < BYTES_MAX - ROOM; i++)
		if (which >> set->rows[i].number & 1 &&
		    (i ? once_in(&f->state, few) : !once_in(&f->state, 32)))
			put_attribute(f, nlh, &set->rows[i]);
}

/*
 * Adds what an alarm needs, most often a kind and an alarm that go together: chance alone finds an
 * alarm that the module grants once in a hundred thousand requests.
 */
static void put_alarm(struct fuzzer *f, struct nlmsghdr *nlh)
{
	uint32_t level = INSTINCT_VFIO_ALARM_WARNING + dice(&f->state, 2);
	uint32_t kind = level == INSTINCT_VFIO_ALARM_WARNING ? INSTINCT_VFIO_EVENT_THERMAL_WARNING :
							       INSTINCT_VFIO_EVENT_THERMAL_CRITICAL;

	if (once_in(&f->state, 3))
		kind = INSTINCT_VFIO_EVENT_THERMAL_CLEARED;
	mnl_attr_put_strz(nlh, INSTINCT_VFIO_A_EVENT_BDF, bdfs[dice(&f->state, bdf_count)]);
	mnl_attr_put_u32(nlh, INSTINCT_VFIO_A_EVENT_KIND, kind);
	mnl_attr_put_u32(nlh, INSTINCT_VFIO_A_EVENT_ALARM, level);
	mnl_attr_put_u32(nlh, INSTINCT_VFIO_A_EVENT_SENSOR, dice(&f->state, 2));
	mnl_attr_put_u32(nlh, INSTINCT_VFIO_A_EVENT_SOURCE, dice(&f->state, 2));
	mnl_attr_put_u32(nlh, INSTINCT_VFIO_A_EVENT_TEMPERATURE, dice(&f->state, 260000));
	mnl_attr_put_u32(nlh, INSTINCT_VFIO_A_EVENT_THRESHOLD, dice(&f->state, 260000));
	if (once_in(&f->state, 4))
		mnl_attr_put_strz(nlh, INSTINCT_VFIO_A_EVENT_REASON, ONE_OF(&f->state, reasons));
}

/* Changes lengths, types and bytes after the message's header. */
static void change(struct fuzzer *f, struct nlmsghdr *nlh)
{
	uint8_t *bytes = (uint8_t *)nlh;
	unsigned int i, at;

	for (i = 1 + dice(&f->state, 4); i; i--) {
		at = NLMSG_HDRLEN + dice(&f->state, nlh->nlmsg_len - NLMSG_HDRLEN + 1);
		switch (dice(&f->state, 5)) {
		case 0:
			bytes[at] = dice_number(&f->state);
			break;
		case 1:
			bytes[at] ^= 1 << dice(&f->state, 8);
			break;
		case 2:	/* the length of an attribute, where there may be one */
			*(uint16_t *)(bytes + (at & ~3u)) = dice_number(&f->state);
			break;
		case 3:
			if (at >= NLMSG_HDRLEN + GENL_HDRLEN)
				nlh->nlmsg_len = at;
			break;
		case 4:
			nlh->nlmsg_len += dice(&f->state, 64);
			break;
		}
	}
}

/**
 * request_build() - build a request, one in four with random changes
 * @f: process that sends the request; its buffer holds the message
 * @operation: operation to ask for
 *
 * Return: the message.
 */
struct nlmsghdr *request_build(struct fuzzer *f, const struct operation *operation)
{
	uint16_t flags = NLM_F_ACK | (operation->dump ? NLM_F_DUMP : 0);
	struct nlmsghdr *nlh;

	memset(f->buffer, 0, sizeof(f->buffer));
	nlh = family_request(&f->family, f->buffer, operation->command, flags, ++f->seq);
	if (operation->command == INSTINCT_VFIO_CMD_ALARM && !once_in(&f->state, 4))
		put_alarm(f, nlh);
	else if (operation->set)
		put_set(f, nlh, operation->set, once_in(&f->state, 8) ? EVERY : operation->asks);
	if (once_in(&f->state, 4))
		change(f, nlh);
	return nlh;
}
