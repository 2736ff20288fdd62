// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include "identity.h"
#include "policy.h"

/**
 * instinct_identity_get() - a function, whoever drives it
 * @bdf: its name, "0000:c1:00.0", and nothing else
 *
 * Context: may sleep.
 *
 * Return: the function, to be put, or NULL.
 */
struct pci_dev *instinct_identity_get(const char *bdf)
{
	struct pci_dev *pdev = NULL;

	for_each_pci_dev(pdev)
		if (!strcmp(pci_name(pdev), bdf))
			break;
	return pdev;
}

/**
 * instinct_identity_is_endpoint() - is there a function that is no port?
 * @bdf: its name
 *
 * Context: may sleep.
 *
 * Return: true if there is.
 */
bool instinct_identity_is_endpoint(const char *bdf)
{
	struct pci_dev *pdev = instinct_identity_get(bdf);
	bool found = pdev && !pdev->subordinate;

	pci_dev_put(pdev);
	return found;
}

/* Of one that does not, a serial number of ones would be read, or none at all. */
static bool function_answers(struct pci_dev *pdev)
{
	u32 id;

	return !pci_read_config_dword(pdev, PCI_VENDOR_ID, &id) &&
	       id == (pdev->device << 16 | pdev->vendor);
}

/* It may stop to answer in the middle, which gives half a number. */
static bool serial_read(struct pci_dev *pdev, u64 *serial)
{
	bool answers = function_answers(pdev);

	*serial = answers ? pci_get_dsn(pdev) : 0;
	answers = answers && function_answers(pdev);
	if (!answers || *serial == U64_MAX)
		*serial = 0;
	return answers;
}

/**
 * instinct_identity_serial() - a GPU's serial number
 * @pdev: function
 *
 * Context: may sleep.
 *
 * Return: its PCIe Device Serial Number, 0 if it has none or does not answer.
 */
u64 instinct_identity_serial(struct pci_dev *pdev)
{
	u64 serial;

	serial_read(pdev, &serial);
	return serial;
}

/**
 * instinct_identity_set() - which GPU a function is
 * @identity: set
 * @pdev: function
 * @serial: its serial number, as it was when it could be read
 */
void instinct_identity_set(struct instinct_identity *identity,
			   const struct pci_dev *pdev, u64 serial)
{
	*identity = (struct instinct_identity) {
		.serial = serial,
		.profile = instinct_profile_find(pdev->vendor, pdev->device),
	};
	strscpy(identity->bdf, pci_name(pdev), sizeof(identity->bdf));
}

static bool is_kind(const struct pci_dev *pdev, const struct instinct_identity *identity)
{
	return instinct_profile_find(pdev->vendor, pdev->device) == identity->profile;
}

/* As sysfs does before it lets anybody read the config space. */
static void function_wake(struct pci_dev *pdev)
{
	if (pdev->dev.parent)
		pm_runtime_get_sync(pdev->dev.parent);
	pm_runtime_get_noresume(&pdev->dev);
	pm_runtime_barrier(&pdev->dev);
	if (pdev->current_state == PCI_D3cold)
		pm_runtime_resume(&pdev->dev);
}

static void function_rest(struct pci_dev *pdev)
{
	pm_runtime_put(&pdev->dev);
	if (pdev->dev.parent)
		pm_runtime_put(pdev->dev.parent);
}

/*
 * Who resets it has locked users' config accesses out, and would be disturbed by ours;
 * he is not waited for, since that may take as long as it likes.
 */
static int function_identify(struct pci_dev *pdev, u64 *serial, const char **why)
{
	int ret = 0;

	function_wake(pdev);
	if (!pci_cfg_access_trylock(pdev)) {
		*why = "the GPU is being reset; try again";
		ret = -EAGAIN;
	} else {
		if (!serial_read(pdev, serial)) {
			*why = "the GPU does not answer, so that nobody can tell whether it is the one that is meant; reset it, or bind it to instinct_vfio_pci";
			ret = -ENXIO;
		}
		pci_cfg_access_unlock(pdev);
	}
	function_rest(pdev);
	return ret;
}

/* Its driver and the ports above may let it rest, and then it stays so. */
static bool function_look(struct pci_dev *pdev, const struct instinct_identity *identity,
			  bool otherwise)
{
	u64 serial;

	if (pdev->current_state == PCI_D3cold ||
	    (pdev->dev.parent && !pm_runtime_active(pdev->dev.parent)) ||
	    !pci_cfg_access_trylock(pdev))
		return otherwise;
	otherwise = serial_read(pdev, &serial);
	pci_cfg_access_unlock(pdev);
	return otherwise && serial == identity->serial;
}

/**
 * instinct_identity_is_there() - is a GPU where it was?
 * @identity: it
 * @look: who asks may have it looked at, for which others who want its config space, to
 *	reset it, may be turned away
 * @otherwise: what to take for granted if there is a GPU of that kind, and it is not
 *	looked at, rests, or is being reset
 *
 * Who reads all the time how things are wakes nothing by that.
 *
 * Context: may sleep.
 *
 * Return: true if it is.
 */
bool instinct_identity_is_there(const struct instinct_identity *identity, bool look, bool otherwise)
{
	struct pci_dev *pdev = instinct_identity_get(identity->bdf);
	bool there = pdev && is_kind(pdev, identity);

	if (there && look) {
		if (pdev->dev.parent)
			pm_runtime_get_noresume(pdev->dev.parent);
		pm_runtime_get_noresume(&pdev->dev);
		otherwise = function_look(pdev, identity, otherwise);
		function_rest(pdev);
	}
	pci_dev_put(pdev);
	return there && otherwise;
}

/**
 * instinct_identity_unmet() - what a GPU cannot have of a policy, for where it is
 * @pdev: function, referenced
 * @policy: it
 *
 * Return: the reason, for people, or NULL.
 */
const char *instinct_identity_unmet(struct pci_dev *pdev, const struct instinct_policy *policy)
{
	struct pci_dev *swds = pci_upstream_bridge(pdev);
	struct pci_dev *swus = swds ? pci_upstream_bridge(swds) : NULL;

	if ((policy->method != INSTINCT_VFIO_METHOD_BUS &&
	     policy->method != INSTINCT_VFIO_METHOD_FLR) ||
	    (swus && instinct_profile_is_swds(swds->vendor, swds->device) &&
	     instinct_profile_is_swus(swus->vendor, swus->device)))
		return NULL;
	return "methods bus and flr need the package switch (SWUS, SWDS) above the GPU, and there is none";
}

/**
 * instinct_identity_find() - which GPU is it, whoever drives it?
 * @identity: set
 * @bdf: where
 * @why: set to the reason, for people, when it cannot be told
 *
 * Context: may sleep, for as long as the function's driver and the ports above take
 * to wake it.
 *
 * Return: 0; -ENODEV if no GPU of a known kind is there, -ENXIO if it does not answer,
 * -EAGAIN while somebody resets it.
 */
int instinct_identity_find(struct instinct_identity *identity, const char *bdf, const char **why)
{
	struct pci_dev *pdev = instinct_identity_get(bdf);
	int ret = -ENODEV;

	*why = "there is no such device";
	if (!pdev)
		return ret;
	*why = "a policy can wait for a GPU that instinct_vfio_pci knows, and this device is none";
	instinct_identity_set(identity, pdev, 0);
	if (!pdev->is_virtfn && identity->profile)
		ret = function_identify(pdev, &identity->serial, why);
	pci_dev_put(pdev);
	return ret;
}
