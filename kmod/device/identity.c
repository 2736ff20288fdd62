// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include "device/identity.h"
#include "hardware/endpoint.h"
#include "hardware/path.h"
#include "policy/policy.h"

/**
 * instinct_identity_get() - look a function up, with any driver or none
 * @bdf: address of the function in full, "0000:c1:00.0"
 *
 * Context: may sleep.
 *
 * Return: the function, which the caller puts, or NULL.
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
 * instinct_identity_is_endpoint() - is there a function at an address, and is it no port?
 * @bdf: address of the function
 *
 * Context: may sleep.
 *
 * Return: true if there is such a function.
 */
bool instinct_identity_is_endpoint(const char *bdf)
{
	struct pci_dev *pdev = instinct_identity_get(bdf);
	bool found = pdev && !pdev->subordinate;

	pci_dev_put(pdev);
	return found;
}

/*
 * A function that does not answer reads as a serial number of ones, or has none. If it stops
 * answering between the two dwords, half of the number is wrong.
 */
static bool serial_read(struct pci_dev *pdev, u64 *serial)
{
	bool answers = instinct_endpoint_answers(pdev);

	*serial = answers ? pci_get_dsn(pdev) : 0;
	answers = answers && instinct_endpoint_answers(pdev);
	if (!answers || *serial == U64_MAX)
		*serial = 0;
	return answers;
}

/**
 * instinct_identity_serial() - read the serial number of a GPU
 * @pdev: function
 *
 * Context: may sleep.
 *
 * Return: the PCIe Device Serial Number, 0 if the GPU has none or does not answer.
 */
u64 instinct_identity_serial(struct pci_dev *pdev)
{
	u64 serial;

	serial_read(pdev, &serial);
	return serial;
}

/**
 * instinct_identity_set() - make the identity of a GPU
 * @identity: identity, set
 * @pdev: function
 * @serial: serial number of the function, from a time when the function answered
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

/* Wakes a function as sysfs does before a user reads its config space. */
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
 * A reset under way has locked users' config accesses out, and a read here would disturb it. This
 * function does not wait for such a reset, whose length is not bounded.
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

/**
 * instinct_identity_is_there() - is a GPU still at its address?
 * @identity: identity of the GPU
 * @look: read the serial number, during which a reset may fail to get the config space
 * @otherwise: answer for a GPU of the same profile whose serial number this call does not read,
 *	since @look is false, or the GPU sleeps or is in reset
 *
 * The function does not wake a sleeping GPU, so that callers may poll.
 *
 * Context: may sleep.
 *
 * Return: true if the GPU is there.
 */
bool instinct_identity_is_there(const struct instinct_identity *identity, bool look, bool otherwise)
{
	struct pci_dev *pdev = instinct_identity_get(identity->bdf);
	bool there = pdev &&
		     instinct_profile_find(pdev->vendor, pdev->device) == identity->profile;
	u64 serial;

	if (there && look) {
		if (pdev->dev.parent)
			pm_runtime_get_noresume(pdev->dev.parent);
		pm_runtime_get_noresume(&pdev->dev);
		if (pdev->current_state != PCI_D3cold &&
		    (!pdev->dev.parent || pm_runtime_active(pdev->dev.parent)) &&
		    pci_cfg_access_trylock(pdev)) {
			otherwise = serial_read(pdev, &serial) && serial == identity->serial;
			pci_cfg_access_unlock(pdev);
		}
		function_rest(pdev);
	}
	pci_dev_put(pdev);
	return there && otherwise;
}

/**
 * instinct_identity_unmet() - does the place of a GPU rule a policy out?
 * @pdev: function, referenced
 * @policy: policy to check
 *
 * Return: an error text, or NULL if the GPU can have the policy.
 */
const char *instinct_identity_unmet(struct pci_dev *pdev, const struct instinct_policy *policy)
{
	if (policy->method != INSTINCT_VFIO_METHOD_BUS || instinct_path_package(pdev))
		return NULL;
	return "method bus needs the package switch (SWUS, SWDS) above the GPU, and there is none";
}

/**
 * instinct_identity_find() - identify the GPU at an address, with any driver or none
 * @identity: identity, set
 * @bdf: address
 * @why: set to an error text on failure
 *
 * Context: may sleep until the function's driver and the ports above have woken the function.
 *
 * Return: 0; -ENODEV if no known GPU is there, -ENXIO if the GPU does not answer, -EAGAIN while it
 * is in reset.
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
