// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/pm_runtime.h>

#include "claim.h"
#include "errand.h"
#include "guards.h"
#include "isolation.h"
#include "link.h"
#include "policy_change.h"
#include "recovery.h"
#include "request.h"
#include "reset.h"
#include "user.h"
#include "variant.h"

/* How long a GPU that nobody uses stays in D0. */
#define IDLE_MS	10000

/*
 * Keep the PCI core's hands off: no bus reset, by which it would reset the
 * package behind the engine's back, and no wait after the FLR that the guard
 * holds back, since the engine has waited already.
 */
static void variant_take_resets(struct instinct_variant *variant)
{
	struct pci_dev *pdev = variant->core.pdev;

	variant->no_bus_reset = pdev->dev_flags & PCI_DEV_FLAGS_NO_BUS_RESET;
	variant->imm_ready = pdev->imm_ready;
	pdev->dev_flags |= PCI_DEV_FLAGS_NO_BUS_RESET;
	pdev->imm_ready = 1;
}

/* Not to D3hot and back between a close and the open that follows. */
static void variant_stay_awake(struct pci_dev *pdev)
{
	pm_runtime_set_autosuspend_delay(&pdev->dev, IDLE_MS);
	pm_runtime_use_autosuspend(&pdev->dev);
}

static void variant_return_resets(struct instinct_variant *variant)
{
	struct pci_dev *pdev = variant->core.pdev;

	if (!variant->no_bus_reset)
		pdev->dev_flags &= ~PCI_DEV_FLAGS_NO_BUS_RESET;
	pdev->imm_ready = variant->imm_ready;
}

static const struct instinct_profile *variant_refusal(struct pci_dev *pdev)
{
	const struct instinct_profile *profile;

	if (pdev->is_virtfn) {
		pci_err(pdev, "is a virtual function: left to stock drivers, bind it to vfio-pci\n");
		return NULL;
	}
	profile = instinct_profile_find(pdev->vendor, pdev->device);
	if (!profile) {
		pci_err(pdev, "[%04x:%04x] is not a GPU that this driver knows; bind it to vfio-pci\n",
			pdev->vendor, pdev->device);
		return NULL;
	}
	if (!pci_is_pcie(pdev) || !(pdev->devcap & PCI_EXP_DEVCAP_FLR)) {
		pci_err(pdev, "has no FLR capability, by which resets are asked for: not taken\n");
		return NULL;
	}
	return profile;
}

/* Of a policy that has waited not all could be checked, or the GPU is elsewhere now. */
static void variant_tell_unmet(struct instinct_device *dev,
			       const struct instinct_policy *policy, const char *unread)
{
	bool package = instinct_fabric_has_package(&dev->fabric);
	const char *unmet = instinct_policy_change_unmet(policy, package);

	if (unmet)
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_POLICY_REJECTED, unmet);
	if (unread)
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_POLICY_REJECTED, unread);
}

/* @unread: why registers with temperatures are not read, or NULL. */
static void variant_report(struct instinct_device *dev, bool was_lost, const char *unread)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	variant_tell_unmet(dev, &status.policy, unread);
	if (!instinct_fabric_has_package(&dev->fabric))
		pci_warn(dev->pdev, "no package switch (SWUS, SWDS) above: methods bus and flr are not available\n");
	if (status.state == INSTINCT_VFIO_STATE_READY) {
		pci_info(dev->pdev, "%s ready\n", dev->profile->model);
		mutex_lock(&dev->reset_lock);
		instinct_link_look(dev);
		mutex_unlock(&dev->reset_lock);
	}
	if (was_lost && status.state != INSTINCT_VFIO_STATE_LOST)
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_RECOVERED,
				     "it answers again after it was let go of");
}

static int variant_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	const struct instinct_profile *profile = variant_refusal(pdev);
	struct instinct_device *dev;
	struct instinct_variant *variant;
	const char *unread;
	bool was_lost;
	int ret;

	if (!profile)
		return -ENODEV;
	dev = instinct_device_create(pdev, profile);
	if (IS_ERR(dev)) {
		ret = PTR_ERR(dev);
		pci_err(pdev, "not taken: %s (%d)\n", ret == -ENXIO ?
			"its register BAR has no address" : "no object for it",
			ret);
		return ret;
	}
	was_lost = dev->status.state == INSTINCT_VFIO_STATE_LOST;
	ret = instinct_guards_attach(dev);
	if (ret)
		goto err_device;
	instinct_reset_survey(dev);

	variant = vfio_alloc_device(instinct_variant, core.vdev, &pdev->dev,
				    &instinct_user_ops);
	if (IS_ERR(variant)) {
		ret = PTR_ERR(variant);
		goto err_guard;
	}
	variant->dev = dev;
	dev->vdev = &variant->core.vdev;
	variant_take_resets(variant);
	variant_stay_awake(pdev);
	dev_set_drvdata(&pdev->dev, &variant->core);
	ret = instinct_isolation_join(dev, &dev->status.policy.isolation);
	if (ret)
		goto err_variant;
	/* From here on it can be opened. */
	ret = vfio_pci_core_register_device(&variant->core);
	if (ret)
		goto err_isolation;
	unread = instinct_thermal_start(dev);
	instinct_device_register(dev);
	instinct_thermal_begin(dev);
	variant_report(dev, was_lost, unread);
	return 0;

err_isolation:
	instinct_isolation_leave(dev);
err_variant:
	pm_runtime_dont_use_autosuspend(&pdev->dev);
	variant_return_resets(variant);
	vfio_put_device(&variant->core.vdev);
err_guard:
	instinct_guards_detach(dev);
	cancel_work_sync(&dev->held_flr);
err_device:
	instinct_device_put(dev);
	return ret;
}

static void variant_remove(struct pci_dev *pdev)
{
	struct vfio_pci_core_device *core = dev_get_drvdata(&pdev->dev);
	struct instinct_variant *variant = container_of(core, struct instinct_variant, core);
	struct instinct_device *dev = variant->dev;

	WRITE_ONCE(variant->leaving, true);
	/* Waits until the last user has closed it. */
	vfio_pci_core_unregister_device(core);
	/* The reset after that user may only have begun. */
	instinct_errand_flush(dev);
	instinct_thermal_stop(dev);
	instinct_device_unregister(dev);
	instinct_isolation_leave(dev);
	instinct_device_leave(dev);
	instinct_errand_flush(dev);
	cancel_delayed_work_sync(&dev->recovery);
	instinct_guards_detach(dev);
	cancel_work_sync(&dev->held_flr);
	pm_runtime_dont_use_autosuspend(&pdev->dev);
	variant_return_resets(variant);
	vfio_put_device(&core->vdev);
	instinct_device_put(dev);
}

static struct instinct_device *device_of(struct pci_dev *pdev)
{
	struct vfio_pci_core_device *core = dev_get_drvdata(&pdev->dev);

	return container_of(core, struct instinct_variant, core)->dev;
}

/*
 * The engine resets here. What the PCI core then does by its own method, which
 * it believes to be the reset, must not reach the device.
 */
static void variant_reset_prepare(struct pci_dev *pdev)
{
	struct instinct_device *dev = device_of(pdev);

	instinct_guards_check(dev);
	if (!instinct_claim_begin_core(dev))
		instinct_request_serve(dev);
	instinct_guard_own_begin(dev->guard);
	instinct_guard_hold_d3(dev->guard, true);
}

static void variant_reset_done(struct pci_dev *pdev)
{
	struct instinct_device *dev = device_of(pdev);

	instinct_guard_hold_d3(dev->guard, false);
	instinct_guard_own_end(dev->guard);
	instinct_claim_end_core(dev);
}

/* The PCI core recovers from an error (AER, DPC) that concerns the device. */
static pci_ers_result_t variant_error_detected(struct pci_dev *pdev,
					       pci_channel_state_t state)
{
	struct instinct_device *dev = device_of(pdev);
	pci_ers_result_t result;

	/* Tells the user, if he has asked to be told. */
	result = vfio_pci_core_aer_err_detected(pdev, state);
	/*
	 * Whatever @state says: since Linux 6.18 it is perm_failure also for who was never
	 * frozen, when somebody else below the same port could not be recovered.
	 */
	dev->frozen = pci_channel_offline(pdev);
	if (!dev->frozen)
		return result;
	instinct_recovery_begin(dev);
	return state == pci_channel_io_perm_failure ? PCI_ERS_RESULT_DISCONNECT :
						      PCI_ERS_RESULT_NEED_RESET;
}

/*
 * Its slot was reset, or its link has come back. Or nothing was: after an error that froze
 * nobody, the PCI core calls this too if another driver below the same port wants a reset.
 *
 * No vote, as vfio-pci has none: what became of the GPU is told by its state, and others
 * that the error has hit are not to stay down because of it.
 */
static pci_ers_result_t variant_slot_reset(struct pci_dev *pdev)
{
	struct instinct_device *dev = device_of(pdev);

	if (dev->frozen)
		instinct_recovery_run(dev);
	dev->frozen = false;
	return PCI_ERS_RESULT_NONE;
}

static const struct pci_error_handlers variant_err_handlers = {
	.error_detected = variant_error_detected,
	.slot_reset = variant_slot_reset,
	.reset_prepare = variant_reset_prepare,
	.reset_done = variant_reset_done,
};

#define VARIANT_ID(_device, _model, _family) \
	{ PCI_DRIVER_OVERRIDE_DEVICE_VFIO(PCI_VENDOR_ID_ATI, _device) },

static const struct pci_device_id variant_table[] = {
	INSTINCT_DEVICES(VARIANT_ID)
	{ }
};
MODULE_DEVICE_TABLE(pci, variant_table);

static struct pci_driver variant_driver = {
	.name = KBUILD_MODNAME,
	.id_table = variant_table,
	.probe = variant_probe,
	.remove = variant_remove,
	.err_handler = &variant_err_handlers,
	.driver_managed_dma = true,
};

/**
 * instinct_variant_init() - offer the driver to the PCI core
 *
 * Return: 0 or a negative errno.
 */
int instinct_variant_init(void)
{
	return pci_register_driver(&variant_driver);
}

/**
 * instinct_variant_exit() - let go of all devices
 */
void instinct_variant_exit(void)
{
	pci_unregister_driver(&variant_driver);
}
