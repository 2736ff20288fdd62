// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci-ats.h>

#include "ats_function.h"
#include "device.h"

static bool ats_read(struct pci_dev *pdev, u16 *control)
{
	return !pci_read_config_word(pdev, pdev->ats_cap + PCI_ATS_CTRL, control) &&
	       *control != 0xffff;
}

/**
 * instinct_ats_state() - a function's ATS, as it is
 * @pdev: function
 *
 * Context: process. The IOMMU driver may be switching it at the same time.
 *
 * Return: the state.
 */
enum instinct_vfio_ats_state instinct_ats_state(struct pci_dev *pdev)
{
	u16 control;

	if (!pdev->ats_cap)
		return INSTINCT_VFIO_ATS_STATE_ABSENT;
	if (!ats_read(pdev, &control))
		return INSTINCT_VFIO_ATS_STATE_GONE;
	if (control & PCI_ATS_CTRL_ENABLE)
		return pdev->ats_enabled ? INSTINCT_VFIO_ATS_STATE_ON :
					   INSTINCT_VFIO_ATS_STATE_ASTRAY;
	return pdev->ats_enabled ? INSTINCT_VFIO_ATS_STATE_LOST :
				   INSTINCT_VFIO_ATS_STATE_OFF;
}

static void function_tell(struct instinct_ats_function *function,
			  enum instinct_vfio_event kind, const char *what)
{
	bool believed = function->pdev->ats_enabled;
	struct instinct_event event = {
		.kind = kind,
		.found = function->state == INSTINCT_VFIO_ATS_STATE_ON ||
			 function->state == INSTINCT_VFIO_ATS_STATE_ASTRAY ?
			 PCI_ATS_CTRL_ENABLE : 0,
		.wanted = believed ? PCI_ATS_CTRL_ENABLE : 0,
	};

	strscpy(event.port, pci_name(function->pdev), sizeof(event.port));
	snprintf(event.reason, sizeof(event.reason), "ATS of %s %s",
		 pci_name(function->pdev), what);
	instinct_device_emit_of(function->of, &event);
}

static void function_clear(struct pci_dev *pdev)
{
	u16 control;

	if (ats_read(pdev, &control))
		pci_write_config_word(pdev, pdev->ats_cap + PCI_ATS_CTRL,
				      control & ~PCI_ATS_CTRL_ENABLE);
}

/* As pci_restore_state() does: the bit, and the unit that the driver asked for. */
static void function_restore(struct pci_dev *pdev)
{
	u16 control = PCI_ATS_CTRL_ENABLE;

	if (!pdev->is_virtfn)
		control |= PCI_ATS_CTRL_STU(pdev->ats_stu - PCI_ATS_MIN_STU);
	pci_write_config_word(pdev, pdev->ats_cap + PCI_ATS_CTRL, control);
	/* Switched off by the IOMMU driver since? Then it must be. */
	if (!pdev->ats_enabled)
		function_clear(pdev);
}

static void function_drifted(struct instinct_ats_function *function, const char *what)
{
	if (function->adrift)
		return;
	function->adrift = true;
	function->drifts++;
	pci_notice(function->pdev, "ATS %s\n", what);
	function_tell(function, INSTINCT_VFIO_EVENT_ATS_DRIFT, what);
}

/**
 * instinct_ats_function_look() - is ATS as the IOMMU driver has it? Else mend it
 * @function: function
 *
 * Between the two writes of the IOMMU driver that switch it, the register's and
 * that of what is believed, it looks lost: so only what is lost twice is.
 *
 * Context: process.
 *
 * Return: true if it is to be looked at again in a moment.
 */
bool instinct_ats_function_look(struct instinct_ats_function *function)
{
	struct pci_dev *pdev = function->pdev;

	if (function->policy == INSTINCT_VFIO_ATS_IGNORE)
		return false;
	function->state = instinct_ats_state(pdev);
	if (function->state == INSTINCT_VFIO_ATS_STATE_LOST) {
		if (!function->suspect) {
			function->suspect = true;
			return true;
		}
		function_drifted(function, "is off, though the IOMMU driver has it on");
		function_restore(pdev);
		function->state = instinct_ats_state(pdev);
		function->suspect = false;
		/* One that does not take it is asked again when its time has come. */
		function->restored = function->state != INSTINCT_VFIO_ATS_STATE_LOST;
		return function->restored;
	} else if (function->state == INSTINCT_VFIO_ATS_STATE_ASTRAY && function->restored) {
		/* The IOMMU driver was switching it off when we switched it on. */
		function_clear(pdev);
		function->state = instinct_ats_state(pdev);
	} else if (function->state == INSTINCT_VFIO_ATS_STATE_ASTRAY) {
		function_drifted(function, "is on behind the IOMMU driver's back");
	}
	function->suspect = false;
	function->restored = false;
	if (function->adrift && (function->state == INSTINCT_VFIO_ATS_STATE_ON ||
				 function->state == INSTINCT_VFIO_ATS_STATE_OFF)) {
		function->adrift = false;
		function_tell(function, INSTINCT_VFIO_EVENT_ATS_REPAIRED,
			      "is as the IOMMU driver has it");
	}
	return false;
}

/*
 * Who drives no DMA on Linux's own account, a VFIO driver say, gets his domain, and
 * ATS with it, when a user comes. Being bound or unbound right now is like that.
 */
static bool waits_for_user(struct pci_dev *pdev)
{
	bool waits;

	if (!device_trylock(&pdev->dev))
		return true;
	waits = !pdev->driver || pdev->driver->driver_managed_dma;
	device_unlock(&pdev->dev);
	return waits;
}

/**
 * instinct_ats_function_unmet() - why a function does not have ATS on
 * @function: function, of an endpoint that requires it
 *
 * A peer need not while it waits for a user, nor if it has given its VFs away and
 * does no DMA itself.
 *
 * Return: text for people that says what to change, or NULL.
 */
const char *instinct_ats_function_unmet(const struct instinct_ats_function *function)
{
	struct pci_dev *pdev = function->pdev;
	bool peer = strcmp(function->of, pci_name(pdev));

	switch (instinct_ats_state(pdev)) {
	case INSTINCT_VFIO_ATS_STATE_ABSENT:
		return peer ? "has no ATS: switch it on in the NIC's firmware (mlxconfig: ATS_ENABLED=1)" :
			      "has no ATS: switch it on in the BIOS";
	case INSTINCT_VFIO_ATS_STATE_OFF:
		if (peer && (pci_num_vf(pdev) || waits_for_user(pdev)))
			return NULL;
		return "has ATS off: the IOMMU must be on and translate (intel_iommu=on or amd_iommu=on, iommu=nopt, ATS on in the BIOS)";
	case INSTINCT_VFIO_ATS_STATE_ASTRAY:
		return "has ATS on behind the IOMMU driver's back: unbind and bind its driver";
	case INSTINCT_VFIO_ATS_STATE_LOST:
		return "has lost ATS";
	case INSTINCT_VFIO_ATS_STATE_GONE:
		return "does not answer";
	default:
		return NULL;
	}
}
