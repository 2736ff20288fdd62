// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/slab.h>

#include "profile.h"
#include "survey.h"

/* Functions that may come while they are counted. */
#define ROOM_TO_COME		16

static enum instinct_node_kind kind_of(struct pci_dev *pdev)
{
	return instinct_node_kind(pci_is_bridge(pdev) ||
				  pdev->hdr_type == PCI_HEADER_TYPE_BRIDGE,
				  pci_is_pcie(pdev) ? pci_pcie_type(pdev) : -1);
}

/**
 * instinct_survey_index() - look a function up
 * @survey: all functions
 * @pdev: to be compared with only; may be NULL
 *
 * Return: its index or INSTINCT_NODE_NONE.
 */
int instinct_survey_index(const struct instinct_survey *survey,
			  const struct pci_dev *pdev)
{
	int count = survey->topology.count;

	while (pdev && count--)
		if (survey->pdev[count] == pdev)
			return count;
	return INSTINCT_NODE_NONE;
}

/**
 * instinct_survey_free() - let go of the functions
 * @survey: they
 */
void instinct_survey_free(struct instinct_survey *survey)
{
	while (survey->topology.count)
		pci_dev_put(survey->pdev[--survey->topology.count]);
	kvfree(survey->node);
	kvfree(survey->pdev);
	kvfree(survey->parent);
	kvfree(survey->peer);
	kvfree(survey->planned);
}

static int count_all(void)
{
	struct pci_dev *pdev = NULL;
	int count = 0;

	for_each_pci_dev(pdev)
		count++;
	return count;
}

/*
 * The walk begins anew if the function that it is at is removed. The parents as pointers
 * at first: they may come later.
 */
static void add_all(struct instinct_survey *survey)
{
	struct pci_dev *pdev = NULL;
	int i;

	for_each_pci_dev(pdev) {
		if (survey->topology.count == survey->room ||
		    instinct_survey_index(survey, pdev) != INSTINCT_NODE_NONE)
			continue;
		i = survey->topology.count++;
		survey->pdev[i] = pci_dev_get(pdev);
		/* A virtual function's own bus may be one that no port leads to. */
		survey->parent[i] = pdev->is_virtfn ? pci_physfn(pdev) : pci_upstream_bridge(pdev);
	}
}

/* Nothing keeps a virtual function's physical one but the survey itself. */
static int parent_of(const struct instinct_survey *survey, int i)
{
	int parent = instinct_survey_index(survey, survey->parent[i]);

	if (survey->pdev[i]->is_virtfn && parent != INSTINCT_NODE_NONE)
		parent = instinct_survey_index(survey, survey->parent[parent]);
	return parent;
}

static void describe_node(struct instinct_survey *survey, int i)
{
	struct pci_dev *pdev = survey->pdev[i];

	survey->node[i] = (struct instinct_node) {
		.parent = parent_of(survey, i),
		.bdf = (u64)pci_domain_nr(pdev->bus) << 16 | pci_dev_id(pdev),
		.vendor = pdev->vendor,
		.device = pdev->device,
		.class = pdev->class,
		.kind = kind_of(pdev),
		.package = instinct_profile_is_swus(pdev->vendor, pdev->device) ||
			   instinct_profile_is_swds(pdev->vendor, pdev->device),
	};
}

/**
 * instinct_survey_make() - take one
 * @survey: set
 *
 * Context: may sleep; no lock of the PCI core is taken: who removes functions, or resets
 * them to recover from an error, may wait for isolation's with one of them held.
 *
 * Return: 0, or -ENOMEM and then there is nothing to free.
 */
int instinct_survey_make(struct instinct_survey *survey)
{
	int i;

	*survey = (struct instinct_survey) { };
	survey->room = count_all() + ROOM_TO_COME;
	survey->node = kvcalloc(survey->room, sizeof(*survey->node), GFP_KERNEL);
	survey->pdev = kvcalloc(survey->room, sizeof(*survey->pdev), GFP_KERNEL);
	survey->parent = kvcalloc(survey->room, sizeof(*survey->parent), GFP_KERNEL);
	survey->peer = kvcalloc(survey->room, sizeof(*survey->peer), GFP_KERNEL);
	survey->planned = kvcalloc(survey->room, sizeof(*survey->planned), GFP_KERNEL);
	survey->topology.node = survey->node;
	if (!survey->node || !survey->pdev || !survey->parent || !survey->peer ||
	    !survey->planned) {
		instinct_survey_free(survey);
		return -ENOMEM;
	}
	add_all(survey);
	for (i = 0; i < survey->topology.count; i++)
		describe_node(survey, i);
	return 0;
}

/* Partitions of one chip are told by that, and nothing else is. */
static void survey_read_serials(struct instinct_survey *survey)
{
	int i;

	for (i = 0; i < survey->topology.count; i++)
		if (survey->node[i].kind == INSTINCT_NODE_UPSTREAM &&
		    !survey->node[i].package && !survey->node[i].serial)
			survey->node[i].serial = pci_get_dsn(survey->pdev[i]);
}

/**
 * instinct_survey_find() - look an endpoint up
 * @survey: all functions
 * @bdf: its address
 *
 * Return: its index or INSTINCT_NODE_NONE.
 */
int instinct_survey_find(const struct instinct_survey *survey, const char *bdf)
{
	int i;

	for (i = 0; i < survey->topology.count; i++)
		if (survey->node[i].kind == INSTINCT_NODE_ENDPOINT &&
		    !strcmp(pci_name(survey->pdev[i]), bdf))
			return i;
	return INSTINCT_NODE_NONE;
}

static bool has_any(const bool *peer, int count)
{
	while (count--)
		if (peer[count])
			return true;
	return false;
}

/**
 * instinct_survey_peers() - find the peers of an endpoint
 * @survey: all functions; its @peer is set
 * @endpoint: index of it
 * @policy: of it
 *
 * Serial numbers of switches are read only where peers are wanted and none is near.
 */
void instinct_survey_peers(struct instinct_survey *survey, int endpoint,
			   const struct instinct_isolation_policy *policy)
{
	instinct_isolation_peers(&survey->topology, endpoint, policy, survey->peer);
	if ((!policy->peers.automatic && !policy->peers.count) ||
	    has_any(survey->peer, survey->topology.count))
		return;
	survey_read_serials(survey);
	instinct_isolation_peers(&survey->topology, endpoint, policy, survey->peer);
}
