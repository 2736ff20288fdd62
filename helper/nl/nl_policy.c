// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>

#include "nl_parse.h"
#include "nl_policy.h"
#include "nl_talk.h"

#define A(name)		INSTINCT_VFIO_A_##name
#define DUMP_TRIES	5
#define HEAD_BYTES	(MNL_NLMSG_HDRLEN + MNL_ALIGN(sizeof(struct genlmsghdr)))
#define ATTR_BYTES(size)	(MNL_ATTR_HDRLEN + MNL_ALIGN(size))

static int take_policy(const struct nlmsghdr *nlh, void *data)
{
	struct device found = { .state = STATE_UNMANAGED, .iommu_group = GROUP_NONE, .numa_node = -1 };

	if (nl_parse_policy(nlh, &found))
		return -EBADMSG;
	*devices_add(data) = found;
	return 0;
}

/**
 * nl_policies_get() - get the policies of devices that the module does not manage
 * @nl: socket
 * @devices: managed devices; unmanaged endpoints with a policy and GPUs with a pending policy are
 *	added
 *
 * Return: 0 or a negative errno.
 */
int nl_policies_get(struct nl *nl, struct devices *devices)
{
	size_t managed = devices->count;
	int tries = DUMP_TRIES, ret;

	do {
		devices->count = managed;
		ret = nl_talk(nl, nl_request(nl, INSTINCT_VFIO_CMD_POLICY_GET,
					     NLM_F_DUMP), take_policy, devices);
	} while ((ret == -EAGAIN || ret == -ENOBUFS) && --tries);
	return ret;
}

static bool is_sent(const struct conf_key *key, const struct change *change)
{
	return key->attr && (!change->unmanaged || key->isolation);
}

static size_t policy_bytes(void)
{
	size_t bytes = ATTR_BYTES(0) + ATTR_BYTES(BDF_BYTES) + 2 * ATTR_BYTES(0), i;

	for (i = 0; i < CONF_KEYS; i++)
		bytes += ATTR_BYTES(conf_keys[i].text ? sizeof(((struct instinct_peers *)0)->item) :
							sizeof(uint32_t));
	return bytes;
}

/**
 * nl_policies_bytes() - compute the buffer size for nl_policies_put()
 * @changes: plan
 *
 * Return: upper bound of the message's length in bytes.
 */
size_t nl_policies_bytes(const struct changes *changes)
{
	size_t bytes = HEAD_BYTES, i;

	for (i = 0; i < changes->count; i++)
		bytes += policy_bytes();
	return bytes;
}

static bool put_policy(struct nlmsghdr *nlh, size_t size, const struct change *change)
{
	struct instinct_policy rules;
	size_t i;

	if (!mnl_attr_put_strz_check(nlh, size, A(POLICY_BDF), change->bdf) ||
	    !mnl_attr_put_check(nlh, size, A(POLICY_DEFAULTS), 0, NULL) ||
	    /* The flag also lets the module keep the policy if the GPU is unbound meanwhile. */
	    (!change->unmanaged &&
	     !mnl_attr_put_check(nlh, size, A(POLICY_PENDING), 0, NULL)))
		return false;
	conf_key_rules(&change->wanted, &rules);
	for (i = 0; i < CONF_KEYS; i++) {
		const struct conf_key *key = &conf_keys[i];
		const struct instinct_peers *peers = &rules.isolation.peers;

		if (!is_sent(key, change))
			continue;
		if (key->text ? !mnl_attr_put_check(nlh, size, key->attr,
						    peers->count * sizeof(peers->item[0]), peers->item) :
				!mnl_attr_put_u32_check(nlh, size, key->attr,
							conf_key_get(key, &change->wanted)))
			return false;
	}
	return true;
}

/**
 * nl_policies_put() - append the policies of a plan to a request
 * @nlh: request
 * @size: size of the request's buffer in bytes
 * @changes: plan
 *
 * Return: 0, or -EMSGSIZE if the buffer is too small.
 */
int nl_policies_put(struct nlmsghdr *nlh, size_t size, const struct changes *changes)
{
	size_t i;

	for (i = 0; i < changes->count; i++) {
		struct nlattr *nest = mnl_attr_nest_start_check(nlh, size,
								A(APPLY_POLICY));

		if (!nest || !put_policy(nlh, size, &changes->list[i]))
			return -EMSGSIZE;
		mnl_attr_nest_end(nlh, nest);
	}
	return 0;
}

/* The key whose attribute begins at @place inside @nest, or NULL. */
static const struct conf_key *key_at(const struct nlattr *nest, const void *place)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest)
		if (attr == place)
			return conf_key_of_attr(mnl_attr_get_type(attr));
	return NULL;
}

/**
 * nl_policies_blame() - find the change and key at an offset of a request
 * @nlh: request that nl_policies_put() has filled
 * @offset: offset from nl_offset(), bytes
 * @blame: receives the change and key; @change is the plan's count if the offset is in none
 */
void nl_policies_blame(const struct nlmsghdr *nlh, uint32_t offset,
		       struct nl_blame *blame)
{
	const char *place = (const char *)nlh + offset;
	const struct nlattr *nest;

	*blame = (struct nl_blame) { 0 };
	mnl_attr_for_each(nest, nlh, sizeof(struct genlmsghdr)) {
		const char *start = (const char *)nest;

		if (place >= start && place < start + mnl_attr_get_len(nest)) {
			blame->key = key_at(nest, place);
			return;
		}
		blame->change++;
	}
}

/**
 * nl_policies_apply() - set the policies of a plan, all of them or none
 * @nl: socket
 * @changes: plan, not empty
 * @blame: on failure receives the change and key that the kernel refuses
 *
 * Return: 0, or a negative errno with no policy changed. -ENOBUFS is the exception: the answer
 * was lost, and the outcome is unknown. -EMSGSIZE: the plan is too long for one message.
 */
int nl_policies_apply(struct nl *nl, const struct changes *changes,
		      struct nl_blame *blame)
{
	size_t size = nl_policies_bytes(changes);
	struct nlmsghdr *nlh;
	void *buffer = calloc(1, size);
	int ret = -ENOMEM;

	*blame = (struct nl_blame) { .change = changes->count };
	if (!buffer)
		return ret;
	nlh = nl_request_in(nl, buffer, INSTINCT_VFIO_CMD_POLICY_APPLY, NLM_F_ACK);
	ret = nl_policies_put(nlh, size, changes);
	if (!ret)
		ret = nl_make_room(nl, nlh->nlmsg_len);
	if (!ret)
		ret = nl_talk(nl, nlh, NULL, NULL);
	if (ret && nl_offset(nl))
		nl_policies_blame(nlh, nl_offset(nl), blame);
	free(buffer);
	return ret;
}
