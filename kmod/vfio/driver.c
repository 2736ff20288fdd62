// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pm_runtime.h>
#include <linux/rculist.h>
#include <linux/suspend.h>

#include "device/config_reconcile.h"
#include "device/owner.h"
#include "device/record.h"
#include "isolation/isolation.h"
#include "reset/attempt.h"
#include "reset/reset.h"
#include "vfio/driver.h"

/* This lock serializes changes of the list; accessors walk the list under RCU. Innermost. */
static DEFINE_MUTEX(filters_lock);
static LIST_HEAD(filters);

#define FLR_MUTE	(-2)

/*
 * Finds the accessors below the filter of a bus. It looks for the bus itself, since aer_inject
 * replaces bus->ops for the time of an access. If the function is the GPU, it sets *flr to the
 * offset of the byte with Initiate FLR, or to FLR_MUTE if the GPU is lost and the filter has to
 * drop all writes to it.
 */
static struct pci_ops *filter_below(struct pci_bus *bus, unsigned int devfn, int *flr)
{
	struct instinct_flr_filter *filter;
	struct pci_ops *below = NULL;

	*flr = -1;
	rcu_read_lock();
	list_for_each_entry_rcu(filter, &filters, node) {
		if (filter->dev->pdev->bus != bus)
			continue;
		below = READ_ONCE(filter->below);
		if (filter->dev->pdev->devfn == devfn)
			*flr = READ_ONCE(filter->dev->status.state) == INSTINCT_VFIO_STATE_LOST ?
			       FLR_MUTE : pci_pcie_cap(filter->dev->pdev) + PCI_EXP_DEVCTL + 1;
		break;
	}
	rcu_read_unlock();
	return below;
}

static int filter_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 val)
{
	int flr;
	struct pci_ops *below = filter_below(bus, devfn, &flr);

	if (!below)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (flr == FLR_MUTE)
		return PCIBIOS_SUCCESSFUL;
	if (flr >= where && flr < where + size)
		val &= ~((u32)(PCI_EXP_DEVCTL_BCR_FLR >> 8) << (8 * (flr - where)));
	return below->write(bus, devfn, where, size, val);
}

static int filter_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	int flr;
	struct pci_ops *below = filter_below(bus, devfn, &flr);

	return below ? below->read(bus, devfn, where, size, val) : PCIBIOS_DEVICE_NOT_FOUND;
}

/**
 * filter_on() - put the filter's accessors on the bus, so that the PCI core's FLR has no effect
 * @filter: filter that is off
 *
 * Context: the PCI core holds the device lock and pci_cfg_access_lock() until filter_off().
 */
static void filter_on(struct instinct_flr_filter *filter)
{
	struct pci_bus *bus = filter->dev->pdev->bus;

	/* The filter keeps the bus's other operations. */
	filter->ops = *bus->ops;
	filter->ops.read = filter_read;
	filter->ops.write = filter_write;
	WRITE_ONCE(filter->below, bus->ops);
	filter->on = true;
	pci_bus_set_ops(bus, &filter->ops);
}

/**
 * filter_off() - take the filter's accessors off the bus after the PCI core's reset
 * @filter: filter, on or off
 *
 * If another module has put its accessors on the bus meanwhile, these stay.
 *
 * Context: as filter_on().
 */
static void filter_off(struct instinct_flr_filter *filter)
{
	struct pci_bus *bus = filter->dev->pdev->bus;
	struct pci_ops *found;

	if (!filter->on)
		return;
	filter->on = false;
	found = pci_bus_set_ops(bus, filter->below);
	if (found != &filter->ops)
		pci_bus_set_ops(bus, found);
}

/* With these flags the PCI core's own methods answer -ENOTTY before they touch the hardware. */
#define NO_RESETS	(PCI_DEV_FLAGS_NO_FLR_RESET | PCI_DEV_FLAGS_NO_PM_RESET | \
			 PCI_DEV_FLAGS_NO_BUS_RESET)

/*
 * After this only the engine resets the device, and no method of the PCI core does. A bus has one
 * filter at most, so the driver takes one GPU of each bus; in a GPU's package it is alone there.
 */
static int variant_take_resets(struct instinct_variant *variant)
{
	struct instinct_flr_filter *other, *filter = &variant->filter;
	struct pci_dev *pdev = variant->core.pdev;
	int ret = 0;

	filter->dev = variant->dev;
	mutex_lock(&filters_lock);
	list_for_each_entry(other, &filters, node)
		if (other->dev->pdev->bus == pdev->bus)
			ret = -EBUSY;
	if (!ret)
		list_add_rcu(&filter->node, &filters);
	mutex_unlock(&filters_lock);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "shares its bus with a GPU that this driver has: not taken\n");
	variant->flags = pdev->dev_flags;
	memcpy(variant->methods, pdev->reset_methods, sizeof(variant->methods));
	pdev->dev_flags |= NO_RESETS;
	return 0;
}

static void variant_return_resets(struct instinct_variant *variant)
{
	struct pci_dev *pdev = variant->core.pdev;

	mutex_lock(&filters_lock);
	list_del_rcu(&variant->filter.node);
	mutex_unlock(&filters_lock);
	synchronize_rcu();
	pdev->dev_flags = (pdev->dev_flags & ~NO_RESETS) | (variant->flags & NO_RESETS);
	/* "echo default >reset_method" has found no method meanwhile, and emptied the list for good. */
	if (!pdev->reset_methods[0])
		memcpy(pdev->reset_methods, variant->methods, sizeof(variant->methods));
}

/* Returns the profile of a GPU that the driver can take; else logs a refusal, and returns NULL. */
static const struct instinct_profile *variant_refusal(struct pci_dev *pdev)
{
	const struct instinct_profile *profile = instinct_profile_find(pdev->vendor, pdev->device);

	if (pdev->is_virtfn)
		pci_err(pdev, "is a virtual function: left to stock drivers, bind it to vfio-pci\n");
	else if (pci_num_vf(pdev))
		pci_err(pdev, "has virtual functions enabled: not taken; disable them first (sriov_numvfs)\n");
	else if (!profile)
		pci_err(pdev, "[%04x:%04x] is not a GPU that this driver knows; bind it to vfio-pci\n",
			pdev->vendor, pdev->device);
	else if (!pci_is_pcie(pdev) || !(pdev->devcap & PCI_EXP_DEVCAP_FLR))
		pci_err(pdev, "has no FLR capability, by which resets are asked for: not taken\n");
	else
		return profile;
	return NULL;
}

static void variant_report(struct instinct_device *dev, bool was_lost)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	if (!instinct_path_has_package(&dev->path)) {
		pci_warn(dev->pdev, "no package switch (SWUS, SWDS) above: method bus is not available\n");
		/* The GPU may have been elsewhere when its pending policy was checked. */
		if (status.policy.method == INSTINCT_VFIO_METHOD_BUS)
			instinct_device_tell(dev, INSTINCT_VFIO_EVENT_POLICY_REJECTED,
					     INSTINCT_PATH_UNPACKAGED);
	}
	if (status.state == INSTINCT_VFIO_STATE_READY)
		pci_info(dev->pdev, "%s ready\n", dev->profile->model);
	if (was_lost && status.state != INSTINCT_VFIO_STATE_LOST)
		instinct_device_tell(dev, INSTINCT_VFIO_EVENT_DEVICE_RECOVERED,
				     "it answers again after it was let go of");
}

static struct instinct_variant *variant_of(struct pci_dev *pdev)
{
	return container_of(dev_get_drvdata(&pdev->dev), struct instinct_variant, core);
}

/*
 * The PCI core saves the config space before the host sleeps, and writes it back when the host
 * wakes up. The ones of a GPU that does not answer would set Initiate FLR, so the filter stays on
 * meanwhile. User space and instinct_wq are frozen: no reset is under way.
 */
static int variant_suspend(struct device *device)
{
	filter_on(&variant_of(to_pci_dev(device))->filter);
	return 0;
}

/* S3 may have taken the GPU's power, and with it the firmware and the data of its user. */
static int variant_resume(struct device *device)
{
	struct instinct_variant *variant = variant_of(to_pci_dev(device));
	struct instinct_device *dev = variant->dev;

	filter_off(&variant->filter);
	/* The PCI core has given all ports the kernel's ACS. */
	instinct_isolation_look_soon();
	mutex_lock(&dev->reset_lock);
	dev->woken = pm_resume_via_firmware() || !instinct_attempt_alive(dev, 0);
	mutex_unlock(&dev->reset_lock);
	if (dev->woken) {
		pci_info(dev->pdev, "may have lost its power while the host slept\n");
		instinct_recovery_start(dev, false);
	}
	return 0;
}

static const struct dev_pm_ops variant_pm_ops = {
	.suspend = variant_suspend,
	.resume = variant_resume,
};

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
			"its register BAR has no address" :
			"no memory for it, or too many ports above it", ret);
		return ret;
	}
	instinct_work_setup(dev);
	was_lost = dev->status.state == INSTINCT_VFIO_STATE_LOST;
	instinct_config_setup(&dev->config, pdev, NULL, &dev->reset_lock);
	instinct_reset_inspect(dev);

	variant = vfio_alloc_device(instinct_variant, core.vdev, &pdev->dev, &instinct_user_ops);
	if (IS_ERR(variant)) {
		ret = PTR_ERR(variant);
		goto err_device;
	}
	variant->dev = dev;
	dev->vdev = &variant->core.vdev;
	ret = variant_take_resets(variant);
	if (ret)
		goto err_vfio;
	/*
	 * Runtime PM saves the config space when a function goes to sleep, and writes it back when
	 * it wakes. The ones of a GPU that did not answer would set Initiate FLR. So it stays awake.
	 */
	pm_runtime_get_noresume(&pdev->dev);
	dev_set_drvdata(&pdev->dev, &variant->core);
	ret = instinct_isolation_join(dev, &dev->status.policy.isolation);
	if (ret)
		goto err_variant;
	/* After this, users can open the GPU. */
	ret = vfio_pci_core_register_device(&variant->core);
	if (ret)
		goto err_isolation;
	/* vfio-pci-core has set its own, for runtime PM, which never suspends a bound GPU. */
	pdev->dev.driver->pm = &variant_pm_ops;
	instinct_device_register(dev);
	variant_report(dev, was_lost);
	return 0;

err_isolation:
	instinct_isolation_leave(dev);
err_variant:
	pm_runtime_put_noidle(&pdev->dev);
	variant_return_resets(variant);
err_vfio:
	vfio_put_device(&variant->core.vdev);
err_device:
	instinct_device_put(dev);
	return ret;
}

static void variant_remove(struct pci_dev *pdev)
{
	struct instinct_variant *variant = variant_of(pdev);
	struct instinct_device *dev = variant->dev;

	WRITE_ONCE(variant->leaving, true);
	/* This waits until the last user has closed the GPU. */
	vfio_pci_core_unregister_device(&variant->core);
	/* The reset after that close may still be under way. */
	instinct_work_flush(dev);
	instinct_device_unregister(dev);
	instinct_isolation_leave(dev);
	instinct_device_leave(dev);
	instinct_work_flush(dev);
	cancel_delayed_work_sync(&dev->recovery);
	pm_runtime_put_noidle(&pdev->dev);
	variant_return_resets(variant);
	vfio_put_device(&variant->core.vdev);
	instinct_device_put(dev);
}

/*
 * Stops the GPU's DMA before the host goes down. On kexec the PCI core does so too, by a write that
 * a switch may swallow, and users still run. So nobody gives the config space back: neither a user
 * nor a reset can turn Bus Master on again.
 */
static void variant_shutdown(struct pci_dev *pdev)
{
	/* The host shuts down one device after the other, and all GPUs share the time to wait in. */
	static unsigned long until;
	struct instinct_device *dev = variant_of(pdev)->dev;
	long left;

	until = until ?: jiffies + msecs_to_jiffies(INSTINCT_OWNER_CONFIG_MS);
	left = until - jiffies;
	/* During a reset Bus Master is off. */
	if (instinct_owner_hold_config(dev, left > 0 ? jiffies_to_msecs(left) : 0)) {
		pci_warn(pdev, "its config space stays in use while the host goes down\n");
		return;
	}
	mutex_lock(&dev->reset_lock);
	pci_clear_master(pdev);
	*instinct_config_command(&dev->config) &= ~PCI_COMMAND_MASTER;
	mutex_unlock(&dev->reset_lock);
	instinct_reconcile_all(dev);
}

/*
 * A reset writes the MSI registers from fields that the user's SET_IRQS changes under igate. A holder
 * of igate may wait for the config space, which this task holds: so the wait has a limit.
 */
static bool variant_gate(struct instinct_variant *variant)
{
	read_poll_timeout(mutex_trylock, variant->gated, variant->gated, USEC_PER_MSEC, USEC_PER_SEC,
			  false, &variant->core.igate);
	if (!variant->gated)
		pci_warn(variant->core.pdev, "not reset: its user does not end setting up interrupts\n");
	return variant->gated;
}

/*
 * The engine resets the GPU here. The PCI core then tries its own methods, which refuse. A sysfs
 * write succeeds only if a method of the PCI core does, so for a sysfs reset that went well the
 * driver allows the FLR method, and the filter takes the FLR out of its config write.
 */
static void variant_reset_prepare(struct pci_dev *pdev)
{
	struct instinct_variant *variant = variant_of(pdev);
	struct instinct_reset by_sysfs = { .cause = INSTINCT_VFIO_CAUSE_SYSFS };
	const struct instinct_request *request = NULL;
	struct instinct_device *dev = variant->dev;
	bool sysfs = false;

	variant->imm_ready = pdev->imm_ready;
	if (!instinct_owner_begin_core(dev)) {
		request = instinct_request_serve(dev);
		sysfs = !request && variant_gate(variant) && !instinct_reset_run(dev, &by_sysfs);
	}
	variant->opens = request && !request->reset;
	if (sysfs) {
		pdev->imm_ready = 1;
		filter_on(&variant->filter);
		pdev->dev_flags &= ~PCI_DEV_FLAGS_NO_FLR_RESET;
	} else if (READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_LOST) {
		/* The PCI core saves all ones of a lost GPU, and would write them back. */
		filter_on(&variant->filter);
	}
}

static void variant_reset_done(struct pci_dev *pdev)
{
	struct instinct_variant *variant = variant_of(pdev);

	pdev->dev_flags |= PCI_DEV_FLAGS_NO_FLR_RESET;
	filter_off(&variant->filter);
	pdev->imm_ready = variant->imm_ready;
	/* The PCI core has saved and restored the config space. An open reconciles it later. */
	if (!variant->opens)
		instinct_reconcile_all(variant->dev);
	if (variant->gated)
		mutex_unlock(&variant->core.igate);
	variant->gated = false;
	instinct_owner_give_back(variant->dev, INSTINCT_BORROWED_CORE);
}

/* The PCI core calls this when an error (AER, DPC) concerns the device. */
static pci_ers_result_t variant_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct instinct_device *dev = variant_of(pdev)->dev;
	pci_ers_result_t result;

	/* vfio-pci-core notifies the user, if the user has registered for that. */
	result = vfio_pci_core_aer_err_detected(pdev, state);
	/*
	 * The module does not rely on @state: since Linux 6.18 the PCI core passes perm_failure
	 * also to devices that were never frozen, when it could not recover another device below
	 * the same port.
	 */
	if (!pci_channel_offline(pdev))
		return result;
	/*
	 * After an error at a port above the package, the PCI core resets the bus below that port,
	 * and without that no neighbour recovers. The link has failed already, and the package with
	 * it, so the driver allows this reset; the engine restores the package afterwards.
	 */
	if (dev->path.swus && pci_channel_offline(dev->path.swus->pdev))
		pdev->dev_flags &= ~PCI_DEV_FLAGS_NO_BUS_RESET;
	set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	instinct_recovery_start(dev, true);
	return state == pci_channel_io_perm_failure ? PCI_ERS_RESULT_DISCONNECT :
						      PCI_ERS_RESULT_NEED_RESET;
}

/*
 * Like vfio-pci, the driver casts no vote in slot_reset: the GPU's state reports its fate, and the GPU must
 * not keep other devices down that the error has hit. The PCI core also calls slot_reset without a reset,
 * after an error that froze no device, if another driver below the same port wants one.
 */
static const struct pci_error_handlers variant_err_handlers = {
	.error_detected = variant_error_detected,
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
	.shutdown = variant_shutdown,
	.err_handler = &variant_err_handlers,
	.driver_managed_dma = true,
};

/**
 * instinct_driver_init() - register the driver with the PCI core
 *
 * Return: 0 or a negative errno.
 */
int instinct_driver_init(void)
{
	return pci_register_driver(&variant_driver);
}

/**
 * instinct_driver_exit() - unregister the driver, and let go of all devices
 */
void instinct_driver_exit(void)
{
	pci_unregister_driver(&variant_driver);
}
