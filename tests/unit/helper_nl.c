// SPDX-License-Identifier: GPL-2.0-only
/* Netlink replies to the helper: read when whole, refused when not. */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>

#include "nl_parse.h"
#include "unit.h"

#define A(name)	INSTINCT_VFIO_A_##name

static char buffer[8192];

static struct nlmsghdr *begin(void)
{
	struct nlmsghdr *nlh;

	memset(buffer, 0, sizeof(buffer));
	nlh = mnl_nlmsg_put_header(buffer);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	return nlh;
}

static void put_policy(struct nlmsghdr *nlh)
{
	mnl_attr_put_u32(nlh, A(POLICY_METHOD), 1);
	mnl_attr_put_u32(nlh, A(POLICY_TENANCY), 1);
	mnl_attr_put_u32(nlh, A(POLICY_BUS_PORT), 0);
	mnl_attr_put_u32(nlh, A(POLICY_READY_TIMEOUT), 5000);
	mnl_attr_put_u32(nlh, A(POLICY_MAILBOX), 0);
}

static struct nlmsghdr *device(unsigned int ports)
{
	struct nlmsghdr *nlh = begin();
	struct nlattr *nest;
	int i;

	mnl_attr_put_strz(nlh, A(DEV_BDF), "0000:c1:00.0");
	mnl_attr_put_u64(nlh, A(DEV_SERIAL), 42);
	mnl_attr_put_u32(nlh, A(DEV_VENDOR), 0x1002);
	mnl_attr_put_u32(nlh, A(DEV_DEVICE), 0x74a1);
	mnl_attr_put_strz(nlh, A(DEV_MODEL), "MI300X");
	mnl_attr_put_strz(nlh, A(DEV_FAMILY), "mi300x");
	mnl_attr_put_u32(nlh, A(DEV_STATE), INSTINCT_VFIO_STATE_LOST);
	mnl_attr_put_strz(nlh, A(DEV_REASON), "why");
	mnl_attr_put_u32(nlh, A(DEV_NUMA_NODE), -1);
	mnl_attr_put_u32(nlh, A(DEV_OPEN), 1);
	mnl_attr_put_u32(nlh, A(DEV_LOST_BY), 2);
	while (ports--) {
		nest = mnl_attr_nest_start(nlh, A(DEV_PORT));
		mnl_attr_put_strz(nlh, A(PORT_BDF), "0000:c0:00.0");
		mnl_attr_put_u32(nlh, A(PORT_VENDOR), 0x1022);
		mnl_attr_put_u32(nlh, A(PORT_DEVICE), 0x1500);
		mnl_attr_put_u32(nlh, A(PORT_ROLE), INSTINCT_VFIO_ROLE_SWUS);
		mnl_attr_nest_end(nlh, nest);
	}
	nest = mnl_attr_nest_start(nlh, A(DEV_POLICY));
	put_policy(nlh);
	mnl_attr_nest_end(nlh, nest);
	nest = mnl_attr_nest_start(nlh, A(DEV_RESETS));
	for (i = A(RESETS_HARDWARE); i <= A(RESETS_FLR_HELD); i++)
		mnl_attr_put_u64(nlh, i, i);
	mnl_attr_nest_end(nlh, nest);
	return nlh;
}

static void test_device(void)
{
	struct device dev = { 0 };

	CHECK_INT(nl_parse_device(device(2), &dev), 0);
	CHECK_STR(dev.bdf, "0000:c1:00.0");
	CHECK_INT(dev.numa_node, -1);
	CHECK_INT(dev.ports, 2);
	CHECK_INT(dev.port[1].role, INSTINCT_VFIO_ROLE_SWUS);
	CHECK_INT(dev.policy.ready_timeout, 5000);
	CHECK_INT(dev.resets.flr_held, A(RESETS_FLR_HELD));
}

static void test_too_many_ports(void)
{
	struct device dev = { 0 };

	CHECK_INT(nl_parse_device(device(PORTS_MAX), &dev), 0);
	memset(&dev, 0, sizeof(dev));
	CHECK_INT(nl_parse_device(device(PORTS_MAX + 1), &dev), -EBADMSG);
}

/* Without any one of the attributes of a policy it is no policy. */
static void test_missing(void)
{
	int without;

	for (without = A(POLICY_METHOD); without <= A(POLICY_MAILBOX); without++) {
		struct nlmsghdr *nlh = begin();
		struct policy policy;
		int i;

		for (i = A(POLICY_METHOD); i <= A(POLICY_MAILBOX); i++)
			if (i != without)
				mnl_attr_put_u32(nlh, i, 1);
		CHECK_INT(nl_parse_policy(nlh, &policy), -EBADMSG);
		mnl_attr_put_u16(nlh, without, 1);
		CHECK_INT(nl_parse_policy(nlh, &policy), -EBADMSG);
	}
}

static void test_newer_attributes(void)
{
	struct nlmsghdr *nlh = begin();
	struct policy policy;

	put_policy(nlh);
	mnl_attr_put_u32(nlh, 31, 7);
	mnl_attr_put_u32(nlh, 4000, 7);
	CHECK_INT(nl_parse_policy(nlh, &policy), 0);
}

static struct nlmsghdr *an_event(void)
{
	struct nlmsghdr *nlh = begin();
	struct nlattr *nest;
	int i;

	for (i = A(EVENT_SEQ); i <= A(EVENT_TIME); i++)
		mnl_attr_put_u64(nlh, i, i);
	mnl_attr_put_u32(nlh, A(EVENT_KIND), INSTINCT_VFIO_EVENT_RESET_DONE);
	mnl_attr_put_strz(nlh, A(EVENT_BDF), "0000:c1:00.0");
	mnl_attr_put_u64(nlh, A(EVENT_SERIAL), 1);
	mnl_attr_put_u32(nlh, A(EVENT_STATE), 0);
	mnl_attr_put_u32(nlh, A(EVENT_CAUSE), 1);
	mnl_attr_put_u32(nlh, A(EVENT_METHOD), 1);
	mnl_attr_put_u64(nlh, A(EVENT_DURATION), 1000);
	nest = mnl_attr_nest_start(nlh, A(EVENT_PHASE));
	mnl_attr_put_u32(nlh, A(PHASE_NAME), 3);
	mnl_attr_put_u64(nlh, A(PHASE_DURATION), 9);
	mnl_attr_nest_end(nlh, nest);
	return nlh;
}

static void test_event(void)
{
	struct event event;

	CHECK_INT(nl_parse_event(an_event(), &event), 0);
	CHECK_INT(event.phases, 1);
	CHECK_INT(event.phase[0].duration, 9);
	CHECK_STR(event.reason, "");
}

/* Any noise in a message: an answer or a refusal, no read past its end. */
static void test_noise(void)
{
	struct nlmsghdr *nlh;
	struct device dev;
	struct event event;
	int round;

	srand(3);
	for (round = 0; round < 100000; round++) {
		bool is_event = rand() % 2;
		int n = rand() % 6;
		char *copy;

		nlh = is_event ? an_event() : device(1);
		while (n--)
			buffer[sizeof(*nlh) + 4 + rand() %
			       (nlh->nlmsg_len - sizeof(*nlh) - 4)] = rand();
		if (!(rand() % 4))
			nlh->nlmsg_len -= rand() % (nlh->nlmsg_len - sizeof(*nlh));
		/* Messages are aligned, in the receive buffer as in the kernel. */
		copy = calloc(1, MNL_ALIGN(nlh->nlmsg_len));
		memcpy(copy, nlh, nlh->nlmsg_len);
		memset(&dev, 0, sizeof(dev));
		if (is_event)
			nl_parse_event((void *)copy, &event);
		else
			nl_parse_device((void *)copy, &dev);
		CHECK(dev.ports <= PORTS_MAX);
		free(copy);
	}
}

int main(void)
{
	RUN(test_device);
	RUN(test_too_many_ports);
	RUN(test_missing);
	RUN(test_newer_attributes);
	RUN(test_event);
	RUN(test_noise);
	return unit_end();
}
