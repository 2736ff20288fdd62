// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iommu.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pm_runtime.h>
#include <linux/rculist.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include "compat/runtime_pm.h"
#include "compat/workqueue.h"
#include "device/config_reconcile.h"
#include "device/owner.h"
#include "device/record.h"
#include "isolation/isolation.h"
#include "reset/reset.h"
#include "vfio/driver.h"

/* A recovery that cannot begin is tried again after this time. */
#define RECOVERY_LATER_MS	3000
/* The PCI core waits for a device for a minute, and looks for a link before. */
#define CORE_RECOVERS_MS	70000
#define CORE_LOOK_MS		20

/* A VMM detaches the IOMMU right after it has closed the device. */
#define DETACH_RETRY_US	1000
#define DETACH_WAIT_US	(400 * USEC_PER_MSEC)

/* This lock serializes changes of the list; accessors walk the list under RCU. Innermost. */
static DEFINE_MUTEX(variants_lock);
static LIST_HEAD(variants);

#define FLR_MUTE	(-2)

/*
 * Finds the accessors below the filter of a bus. It looks for the bus itself, since aer_inject
 * replaces bus->ops for the time of an access. If the function is the GPU, it sets *flr to the
 * offset of the byte with Initiate FLR, or to FLR_MUTE if the GPU is lost and the filter has to
 * drop all writes to it.
 */
static struct pci_ops *filter_below(struct pci_bus *bus, unsigned int devfn, int *flr)
{
	struct instinct_variant *variant;
	struct pci_ops *below = NULL;

	*flr = -1;
	rcu_read_lock();
	list_for_each_entry_rcu(variant, &variants, node) {
		if (variant->core.pdev->bus != bus)
			continue;
		below = READ_ONCE(variant->below);
		if (variant->core.pdev->devfn == devfn)
			*flr = READ_ONCE(variant->dev->status.state) == INSTINCT_VFIO_STATE_LOST ?
			       FLR_MUTE : pci_pcie_cap(variant->core.pdev) + PCI_EXP_DEVCTL + 1;
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

/*
 * Puts the filter's accessors on the bus, so that the PCI core's FLR has no effect. The PCI core holds
 * the device lock and pci_cfg_access_lock() until filter_off().
 */
static void filter_on(struct instinct_variant *variant)
{
	struct pci_bus *bus = variant->core.pdev->bus;

	/* The filter keeps the bus's other operations. */
	variant->filter = *bus->ops;
	variant->filter.read = filter_read;
	variant->filter.write = filter_write;
	WRITE_ONCE(variant->below, bus->ops);
	pci_bus_set_ops(bus, &variant->filter);
}

/*
 * Takes the filter's accessors off the bus after the PCI core's reset, if they are on it. If another
 * module has put its accessors on the bus meanwhile, these stay.
 */
static void filter_off(struct instinct_variant *variant)
{
	struct pci_bus *bus = variant->core.pdev->bus;

	if (bus->ops == &variant->filter)
		pci_bus_set_ops(bus, variant->below);
}

/*
 * After this only the engine resets the device, and no method of the PCI core does. A bus has one
 * filter at most, so the driver takes one GPU of each bus; in a GPU's package it is alone there.
 */
static int variant_take_resets(struct instinct_variant *variant)
{
	struct pci_dev *pdev = variant->core.pdev;
	struct instinct_variant *other;
	int ret = 0;

	if (!(pdev->dev_flags & INSTINCT_NO_RESETS))
		return -ENOMEM;
	mutex_lock(&variants_lock);
	list_for_each_entry(other, &variants, node)
		if (other->core.pdev->bus == pdev->bus)
			ret = -EBUSY;
	if (!ret)
		list_add_rcu(&variant->node, &variants);
	mutex_unlock(&variants_lock);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "shares its bus with a GPU that this driver has: not taken\n");
	return 0;
}

static void variant_return_resets(struct instinct_variant *variant)
{
	mutex_lock(&variants_lock);
	list_del_rcu(&variant->node);
	mutex_unlock(&variants_lock);
	synchronize_rcu();
	/* The PCI core's recovery may have been allowed to reset the bus. */
	variant->core.pdev->dev_flags |= PCI_DEV_FLAGS_NO_BUS_RESET;
}

static void recovery_after(struct instinct_device *dev, unsigned int ms)
{
	mod_delayed_work(system_dfl_wq, &dev->recovery, msecs_to_jiffies(ms));
}

static void work_run(struct work_struct *work)
{
	struct instinct_reset_work *reset_work = container_of(work, struct instinct_reset_work, work);
	struct instinct_device *dev = container_of(reset_work, struct instinct_device, reset_work);
	struct instinct_reset *reset = &reset_work->reset;
	struct instinct_status status;
	struct iommu_domain *domain;
	int ret;

	/*
	 * When VFIO detaches a user's IOMMU domain, the IOMMU driver invalidates the device's ATS
	 * cache. A device in reset does not answer that, and some IOMMU drivers do not cope. So
	 * a reset after a close first waits for the detach.
	 */
	if (reset->cause == INSTINCT_VFIO_CAUSE_CLOSE && dev->pdev->ats_enabled)
		read_poll_timeout(iommu_get_domain_for_dev, domain, domain != reset_work->domain,
				  DETACH_RETRY_US, DETACH_WAIT_US, false, &dev->pdev->dev);
	instinct_device_status(dev, &status);
	if (status.owner == INSTINCT_OWNER_USER) {
		ret = instinct_request_reset(dev, reset);
	} else {
		/* remove() may hold the device lock while it waits for reset work. */
		ret = instinct_owner_hold_config(dev, INSTINCT_OWNER_CONFIG_MS);
		if (!ret) {
			ret = instinct_reset_run(dev, reset);
			pci_cfg_access_unlock(dev->pdev);
		}
	}

	if (reset->held) {
		reset->held->error = ret;
		complete(&reset->held->done);
	}
	if (reset->hive)
		instinct_hive_end(reset->hive, "a GPU of the hive could not be held");
	put_pid(reset->requester.process);
	/*
	 * A holder of the device lock may be waiting for the user. Another reset that is under way
	 * does not wait for the package to come back, as a recovery does. So try again later.
	 */
	if ((ret == -EAGAIN || ret == -EBUSY) && reset->cause == INSTINCT_VFIO_CAUSE_RECOVERY)
		recovery_after(dev, RECOVERY_LATER_MS);
	else if (ret == -EBUSY && reset->cause == INSTINCT_VFIO_CAUSE_CLOSE)
		pci_warn(dev->pdev, "not reset after its last user: its config space stays in use; the next open resets it\n");
	instinct_owner_give_back(dev, INSTINCT_BORROWED_WORKER);
}

/* Waits until the reset work of a device is over that no new reset work can claim any more. */
static void work_flush(struct instinct_device *dev)
{
	wait_event_idle(dev->idle, instinct_owner_is_idle(dev));
	flush_work(&dev->reset_work.work);
}

/* Claims the device, from its user if need be, and starts the reset; tries again if it cannot. */
static void recovery_look(struct work_struct *work)
{
	struct instinct_device *dev =
		container_of(to_delayed_work(work), struct instinct_device, recovery);
	struct instinct_status status;

	if (dev->erred && time_before(jiffies, dev->erred_until) &&
	    instinct_compat_pm_usage(&dev->erred->dev) >= dev->erred_usage) {
		recovery_after(dev, CORE_LOOK_MS);
		return;
	}
	dev->erred = NULL;
	/* The driver may have lifted it for the PCI core, which calls nothing if it gives up. */
	dev->pdev->dev_flags |= PCI_DEV_FLAGS_NO_BUS_RESET;
	instinct_device_status(dev, &status);
	if (instinct_owner_take(dev, &status.user))
		instinct_reset_start(dev, &(struct instinct_reset) {
						.cause = INSTINCT_VFIO_CAUSE_RECOVERY });
	else if (status.owner != INSTINCT_OWNER_GONE)
		recovery_after(dev, RECOVERY_LATER_MS);
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
	if (!pci_find_host_bridge(dev->pdev->bus)->native_aer)
		pci_warn(dev->pdev, "the firmware owns PCIe errors, and may end the host at one that a reset causes (policy: contain)\n");
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
	filter_on(variant_of(to_pci_dev(device)));
	return 0;
}

/* S3 may have taken the GPU's power, and with it the firmware and the data of its user. */
static int variant_resume(struct device *device)
{
	struct instinct_variant *variant = variant_of(to_pci_dev(device));
	struct instinct_device *dev = variant->dev;
	bool woken;

	filter_off(variant);
	/* The PCI core has given all ports the kernel's ACS. */
	instinct_isolation_look_soon();
	mutex_lock(&dev->reset_lock);
	woken = pm_resume_via_firmware() || !instinct_attempt_alive(dev, 0);
	mutex_unlock(&dev->reset_lock);
	if (woken) {
		pci_info(dev->pdev, "may have lost its power while the host slept\n");
		recovery_after(dev, 0);
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
	INIT_WORK(&dev->reset_work.work, work_run);
	INIT_DELAYED_WORK(&dev->recovery, recovery_look);
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
	/*
	 * vfio-pci-core has set its own, for runtime PM, which never suspends a bound GPU. The
	 * drop-in has other devices too, and combines both.
	 */
	if (pdev->driver == &instinct_pci_driver)
		pdev->dev.driver->pm = &variant_pm_ops;
	if (ret)
		goto err_isolation;
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
	work_flush(dev);
	instinct_device_unregister(dev);
	instinct_isolation_leave(dev);
	instinct_device_leave(dev);
	work_flush(dev);
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
 * Does the reset for which the current task has called the PCI core, and leaves the outcome in the task's
 * request. A task has at most one, since no call into the PCI core is made inside another. Returns false if
 * there is none.
 */
static bool variant_serve(struct instinct_device *dev)
{
	struct instinct_request *request, *found = NULL;

	spin_lock(&dev->status_lock);
	list_for_each_entry(request, &dev->requests, node)
		if (request->task == current)
			found = request;
	spin_unlock(&dev->status_lock);
	if (found)
		found->outcome = instinct_reset_run(dev, found->reset);
	return found;
}

/*
 * The engine resets the GPU here. The PCI core then tries its own methods, which refuse. A sysfs
 * write succeeds only if a method of the PCI core does, so for a sysfs reset that went well the
 * driver allows the FLR method, and the filter takes the FLR out of its config write. VFIO has not
 * held a user off then, so there is no reset by sysfs under a user. At an open the engine has run before.
 */
static void variant_reset_prepare(struct pci_dev *pdev)
{
	struct instinct_variant *variant = variant_of(pdev);
	struct instinct_reset by_sysfs = { .cause = INSTINCT_VFIO_CAUSE_SYSFS };
	struct instinct_device *dev = variant->dev;
	bool sysfs = false;

	if (!instinct_owner_begin_core(dev) && !variant_serve(dev)) {
		if (READ_ONCE(dev->status.owner) == INSTINCT_OWNER_NONE)
			sysfs = !instinct_reset_run(dev, &by_sysfs);
		else if (READ_ONCE(dev->status.owner) == INSTINCT_OWNER_USER)
			pci_warn(pdev, "not reset by sysfs: a user has it open\n");
	}
	if (sysfs) {
		filter_on(variant);
		pdev->dev_flags &= ~PCI_DEV_FLAGS_NO_FLR_RESET;
	} else if (READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_LOST) {
		/* The PCI core saves all ones of a lost GPU, and would write them back. */
		filter_on(variant);
	}
}

static void variant_reset_done(struct pci_dev *pdev)
{
	struct instinct_variant *variant = variant_of(pdev);
	struct instinct_device *dev = variant->dev;

	pdev->dev_flags |= PCI_DEV_FLAGS_NO_FLR_RESET;
	filter_off(variant);
	/* The PCI core has saved and restored the config space. An open reconciles it later. */
	if (READ_ONCE(dev->status.owner) != INSTINCT_OWNER_OPENING ||
	    READ_ONCE(dev->status.user.process) != task_tgid(current))
		instinct_reconcile_all(dev);
	instinct_owner_give_back(dev, INSTINCT_BORROWED_CORE);
}

/*
 * The PCI core calls this when an error (AER, DPC) concerns the device.
 *
 * The PCI core may give up on a slot without another call, since this driver does not let it reset
 * the package behind the engine's back. So the engine recovers the device on its own. It does so in
 * the background, because the PCI core holds pci_bus_sem while it waits for its callbacks, and
 * nobody else on the host can take it meanwhile.
 *
 * The PCI core may take a minute, for a slot that does not come back, and tells a driver neither that
 * it has given up nor that it has ended. Until then it writes to the ports of the package, and waits
 * for the lock of each device while it holds pci_bus_sem. So the engine waits until the PCI core has let
 * go of the runtime PM references that it holds meanwhile on all functions below the port.
 */
static pci_ers_result_t variant_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct instinct_device *dev = variant_of(pdev)->dev;
	struct instinct_path *path = &dev->path;
	/* The GPU's count changes with its user too, so it serves only where no other is raised. */
	struct pci_dev *erred = pdev;
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
	if (path->swus && pci_channel_offline(path->swus->pdev)) {
		pdev->dev_flags &= ~PCI_DEV_FLAGS_NO_BUS_RESET;
		erred = path->swds->pdev;
	}
	dev->erred_usage = instinct_compat_pm_usage(&erred->dev);
	dev->erred_until = jiffies + msecs_to_jiffies(CORE_RECOVERS_MS);
	dev->erred = erred;
	set_bit(INSTINCT_TOUCHED_DIRTY, &dev->touched);
	recovery_after(dev, CORE_LOOK_MS);
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

/*
 * The drop-in (kmod/dropin/) looks GPUs up in the table and calls these callbacks for them, so that the
 * GPUs of both drivers have one code path. No callback may take its device's driver for this one.
 */
struct pci_driver instinct_pci_driver = {
	.name = KBUILD_MODNAME,
	.id_table = variant_table,
	.probe = variant_probe,
	.remove = variant_remove,
	.shutdown = variant_shutdown,
	.err_handler = &variant_err_handlers,
	.driver.pm = &variant_pm_ops,
	.driver_managed_dma = true,
};
EXPORT_SYMBOL_GPL(instinct_pci_driver);
