// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pm_runtime.h>
#include <linux/rculist.h>

#include "errand.h"
#include "identity.h"
#include "isolation.h"
#include "owner.h"
#include "reconcile.h"
#include "request.h"
#include "reset.h"
#include "variant.h"

/* How long a GPU that nobody uses stays in D0. */
#define IDLE_MS	10000

/* Guards the list against changes; accessors walk it under RCU. Innermost. */
static DEFINE_MUTEX(filters_lock);
static LIST_HEAD(filters);

/*
 * By bus, and not by bus->ops: aer_inject puts its own there for the time of an access.
 * Return: the accessors below the filter of that bus; *flr is set to where its GPU has the
 * byte with Initiate FLR.
 */
static struct pci_ops *filter_below(struct pci_bus *bus, unsigned int devfn, int *flr)
{
	struct instinct_flr_filter *filter;
	struct pci_ops *below = NULL;

	*flr = -1;
	rcu_read_lock();
	list_for_each_entry_rcu(filter, &filters, node) {
		if (filter->pdev->bus != bus)
			continue;
		below = READ_ONCE(filter->below);
		if (filter->pdev->devfn == devfn)
			*flr = pci_pcie_cap(filter->pdev) + PCI_EXP_DEVCTL + 1;
		break;
	}
	rcu_read_unlock();
	return below;
}

static int filter_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 val)
{
	struct pci_ops *below;
	int flr;

	below = filter_below(bus, devfn, &flr);
	if (!below)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (flr >= where && flr < where + size)
		val &= ~((u32)(PCI_EXP_DEVCTL_BCR_FLR >> 8) << (8 * (flr - where)));
	return below->write(bus, devfn, where, size, val);
}

static int filter_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	struct pci_ops *below;
	int flr;

	below = filter_below(bus, devfn, &flr);
	return below ? below->read(bus, devfn, where, size, val) : PCIBIOS_DEVICE_NOT_FOUND;
}

/**
 * filter_on() - from here on the PCI core's FLR does nothing
 * @filter: off; the device lock and pci_cfg_access_lock() are held until it is off again
 */
static void filter_on(struct instinct_flr_filter *filter)
{
	struct pci_bus *bus = filter->pdev->bus;

	/* What else the accessors offer is used as it is. */
	filter->ops = *bus->ops;
	filter->ops.read = filter_read;
	filter->ops.write = filter_write;
	WRITE_ONCE(filter->below, bus->ops);
	filter->on = true;
	pci_bus_set_ops(bus, &filter->ops);
}

/**
 * filter_off() - the PCI core's reset is over
 * @filter: on or off
 *
 * If somebody has put other accessors on the bus meanwhile, theirs stay.
 *
 * Context: as filter_on().
 */
static void filter_off(struct instinct_flr_filter *filter)
{
	struct pci_bus *bus = filter->pdev->bus;
	struct pci_ops *found;

	if (!filter->on)
		return;
	filter->on = false;
	found = pci_bus_set_ops(bus, filter->below);
	if (found != &filter->ops)
		pci_bus_set_ops(bus, found);
}

/* The PCI core's own methods, each of which answers -ENOTTY before it touches anything. */
#define NO_RESETS	(PCI_DEV_FLAGS_NO_FLR_RESET | PCI_DEV_FLAGS_NO_PM_RESET | \
			 PCI_DEV_FLAGS_NO_BUS_RESET)

/* From here on only the engine resets the device: the PCI core keeps its hands off. */
static void variant_take_resets(struct instinct_variant *variant)
{
	struct pci_dev *pdev = variant->core.pdev;

	variant->flags = pdev->dev_flags;
	pdev->dev_flags |= NO_RESETS;
	variant->filter.pdev = pdev;
	mutex_lock(&filters_lock);
	list_add_rcu(&variant->filter.node, &filters);
	mutex_unlock(&filters_lock);
}

static void variant_return_resets(struct instinct_variant *variant)
{
	struct pci_dev *pdev = variant->core.pdev;

	mutex_lock(&filters_lock);
	list_del_rcu(&variant->filter.node);
	mutex_unlock(&filters_lock);
	synchronize_rcu();
	pdev->dev_flags = (pdev->dev_flags & ~NO_RESETS) | (variant->flags & NO_RESETS);
}

static const struct instinct_profile *variant_refusal(struct pci_dev *pdev)
{
	const struct instinct_profile *profile;

	if (pdev->is_virtfn) {
		pci_err(pdev, "is a virtual function: left to stock drivers, bind it to vfio-pci\n");
		return NULL;
	}
	if (pci_num_vf(pdev)) {
		pci_err(pdev, "has virtual functions enabled: not taken; disable them first (sriov_numvfs)\n");
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

static void variant_report(struct instinct_device *dev, bool was_lost)
{
	struct instinct_status status;
	const char *unmet;

	instinct_device_status(dev, &status);
	/* Of a policy that has waited not all could be checked, or the GPU is elsewhere now. */
	unmet = instinct_identity_unmet(dev->pdev, &status.policy);
	if (unmet)
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_POLICY_REJECTED, unmet);
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
	instinct_config_setup(&dev->config, pdev, NULL, &dev->reset_lock);
	instinct_reset_survey(dev);

	variant = vfio_alloc_device(instinct_variant, core.vdev, &pdev->dev, &instinct_user_ops);
	if (IS_ERR(variant)) {
		ret = PTR_ERR(variant);
		goto err_device;
	}
	variant->dev = dev;
	dev->vdev = &variant->core.vdev;
	variant_take_resets(variant);
	/* Not to D3hot and back between a close and the open that follows. */
	pm_runtime_set_autosuspend_delay(&pdev->dev, IDLE_MS);
	pm_runtime_use_autosuspend(&pdev->dev);
	dev_set_drvdata(&pdev->dev, &variant->core);
	ret = instinct_isolation_join(dev, &dev->status.policy.isolation);
	if (ret)
		goto err_variant;
	/* From here on it can be opened. */
	ret = vfio_pci_core_register_device(&variant->core);
	if (ret)
		goto err_isolation;
	instinct_device_register(dev);
	variant_report(dev, was_lost);
	return 0;

err_isolation:
	instinct_isolation_leave(dev);
err_variant:
	pm_runtime_dont_use_autosuspend(&pdev->dev);
	variant_return_resets(variant);
	vfio_put_device(&variant->core.vdev);
err_device:
	instinct_device_put(dev);
	return ret;
}

static struct instinct_variant *variant_of(struct pci_dev *pdev)
{
	struct vfio_pci_core_device *core = dev_get_drvdata(&pdev->dev);

	return container_of(core, struct instinct_variant, core);
}

static void variant_remove(struct pci_dev *pdev)
{
	struct instinct_variant *variant = variant_of(pdev);
	struct instinct_device *dev = variant->dev;

	instinct_device_leaves(dev);
	/* Waits until the last user has closed it. */
	vfio_pci_core_unregister_device(&variant->core);
	/* The reset after that user may only have begun. */
	instinct_errand_flush(dev);
	instinct_device_unregister(dev);
	instinct_isolation_leave(dev);
	instinct_device_leave(dev);
	instinct_errand_flush(dev);
	cancel_delayed_work_sync(&dev->recovery);
	pm_runtime_dont_use_autosuspend(&pdev->dev);
	variant_return_resets(variant);
	vfio_put_device(&variant->core.vdev);
	instinct_device_put(dev);
}

static struct instinct_device *device_of(struct pci_dev *pdev)
{
	return variant_of(pdev)->dev;
}

/*
 * The engine resets here. The PCI core then tries its own methods, which refuse. A reset by
 * sysfs has nobody else to tell that it went well: for that one the core's FLR is allowed to
 * succeed, and the filter takes the FLR out of it.
 */
static void variant_reset_prepare(struct pci_dev *pdev)
{
	struct instinct_variant *variant = variant_of(pdev);

	variant->imm_ready = pdev->imm_ready;
	if (!instinct_owner_begin_core(variant->dev) && instinct_request_serve(variant->dev)) {
		pdev->imm_ready = 1;
		filter_on(&variant->filter);
		pdev->dev_flags &= ~PCI_DEV_FLAGS_NO_FLR_RESET;
	} else if (READ_ONCE(variant->dev->status.state) == INSTINCT_VFIO_STATE_LOST) {
		/* The PCI core saves ones of it, and writes them back. */
		filter_on(&variant->filter);
	}
}

static void variant_reset_done(struct pci_dev *pdev)
{
	struct instinct_variant *variant = variant_of(pdev);

	pdev->dev_flags |= PCI_DEV_FLAGS_NO_FLR_RESET;
	filter_off(&variant->filter);
	pdev->imm_ready = variant->imm_ready;
	/* The PCI core has saved and restored the config space meanwhile; an open goes on. */
	if (!instinct_request_is_settled(variant->dev))
		instinct_reconcile_all(variant->dev);
	instinct_owner_end_core(variant->dev);
}

/* The PCI core recovers from an error (AER, DPC) that concerns the device. */
static pci_ers_result_t variant_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
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
	/*
	 * An error at a port above the package: the PCI core resets the bus below that port,
	 * without which no neighbour recovers. The link, and the package with it, has failed
	 * already; the engine restores it afterwards.
	 */
	if (dev->fabric.swus && pci_channel_offline(dev->fabric.swus->pdev))
		pdev->dev_flags &= ~PCI_DEV_FLAGS_NO_BUS_RESET;
	instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	instinct_recovery_start(dev, INSTINCT_RECOVERY_LATER_MS);
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

	pdev->dev_flags |= PCI_DEV_FLAGS_NO_BUS_RESET;
	if (dev->frozen)
		instinct_recovery_start(dev, 0);
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
	INSTINCT_DEVICES(VARIANT_ID) { }
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
