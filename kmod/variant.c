// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/pm_runtime.h>
#include <linux/vfio.h>

#include "compat/vfio_ops.h"
#include "guard.h"
#include "request.h"
#include "reset.h"
#include "variant.h"

/* An open finds the device lock taken for as long as a sysfs reset takes. */
#define OPEN_RETRY_MS	20

/**
 * struct variant - a GPU as VFIO sees it
 * @core: what vfio-pci-core keeps; first, since vfio allocates by it
 * @dev: the managed GPU
 * @no_bus_reset: PCI_DEV_FLAGS_NO_BUS_RESET was set before us
 * @imm_ready: the function claims Immediate Readiness by itself
 */
struct variant {
	struct vfio_pci_core_device core;
	struct instinct_device *dev;
	bool no_bus_reset;
	bool imm_ready;
};

static struct variant *variant_of(struct vfio_device *vdev)
{
	return container_of(vdev, struct variant, core.vdev);
}

/* The reset that vfio-pci-core did not ask for, on our own account. */
static int variant_reset(struct variant *variant, enum instinct_vfio_cause cause)
{
	struct pci_dev *pdev = variant->core.pdev;
	struct instinct_reset reset = { .cause = cause };
	int ret;

	pci_cfg_access_lock(pdev);
	ret = instinct_reset_run(variant->dev, &reset);
	pci_cfg_access_unlock(pdev);
	return ret;
}

static int variant_enable(struct variant *variant)
{
	u32 timeout = INSTINCT_VFIO_READY_TIMEOUT_MAX, waited = 0;
	int ret;

	for (;;) {
		ret = vfio_pci_core_enable(&variant->core);
		if (ret != -EAGAIN || waited >= timeout ||
		    fatal_signal_pending(current))
			return ret;
		msleep(OPEN_RETRY_MS);
		waited += OPEN_RETRY_MS;
	}
}

static int variant_open_device(struct vfio_device *vdev)
{
	struct variant *variant = variant_of(vdev);
	struct instinct_request request;
	int ret;

	ret = instinct_device_begin_open(variant->dev);
	if (ret)
		return ret;

	instinct_request_begin(variant->dev, &request,
			       INSTINCT_VFIO_CAUSE_OPEN);
	ret = variant_enable(variant);
	instinct_request_end(variant->dev, &request);
	if (ret)
		goto out;
	/* The PCI core has no method left: "reset_method" is empty. */
	if (!request.seen)
		request.error = variant_reset(variant, INSTINCT_VFIO_CAUSE_OPEN);
	if (request.error) {
		vfio_pci_core_disable(&variant->core);
		ret = -EIO;
		goto out;
	}
	vfio_pci_core_finish_enable(&variant->core);
	return 0;
out:
	instinct_device_end_open(variant->dev);
	return ret;
}

/*
 * vfio-pci-core ends a close with an FLR that goes past reset_prepare(). The
 * guard holds it back; the engine resets once the core has let go.
 */
static void variant_close_device(struct vfio_device *vdev)
{
	struct variant *variant = variant_of(vdev);
	struct device *parent = &variant->core.pdev->dev;
	struct instinct_request request;

	/* Else the device could be in D3hot when the engine comes. */
	pm_runtime_get_sync(parent);
	instinct_request_begin(variant->dev, &request,
			       INSTINCT_VFIO_CAUSE_CLOSE);
	vfio_pci_core_close_device(vdev);
	instinct_request_end(variant->dev, &request);
	variant_reset(variant, INSTINCT_VFIO_CAUSE_CLOSE);
	instinct_device_end_open(variant->dev);
	pm_runtime_put(parent);
}

static long variant_ioctl(struct vfio_device *vdev, unsigned int cmd,
			  unsigned long arg)
{
	struct variant *variant = variant_of(vdev);
	struct instinct_request request;
	long ret;

	if (cmd != VFIO_DEVICE_RESET)
		return vfio_pci_core_ioctl(vdev, cmd, arg);

	instinct_request_begin(variant->dev, &request,
			       INSTINCT_VFIO_CAUSE_VFIO_RESET);
	ret = vfio_pci_core_ioctl(vdev, cmd, arg);
	instinct_request_end(variant->dev, &request);
	return ret ?: request.error;
}

/* Could this write reach the virtual Device Control register, with its FLR? */
static bool variant_may_be_flr(struct variant *variant, size_t count,
			       loff_t pos)
{
	unsigned int devctl = pci_pcie_cap(variant->core.pdev) + PCI_EXP_DEVCTL;
	u64 at = pos & VFIO_PCI_OFFSET_MASK;

	return VFIO_PCI_OFFSET_TO_INDEX(pos) == VFIO_PCI_CONFIG_REGION_INDEX &&
	       at < devctl + sizeof(u16) && count > devctl - min_t(u64, at, devctl);
}

static ssize_t variant_write(struct vfio_device *vdev, const char __user *buf,
			     size_t count, loff_t *ppos)
{
	struct variant *variant = variant_of(vdev);
	struct instinct_request request;
	ssize_t ret;

	if (!variant_may_be_flr(variant, count, *ppos))
		return vfio_pci_core_write(vdev, buf, count, ppos);

	instinct_request_begin(variant->dev, &request,
			       INSTINCT_VFIO_CAUSE_GUEST_FLR);
	ret = vfio_pci_core_write(vdev, buf, count, ppos);
	instinct_request_end(variant->dev, &request);
	return ret;
}

static const struct vfio_device_ops variant_ops = {
	.name = KBUILD_MODNAME,
	.init = vfio_pci_core_init_dev,
	.release = vfio_pci_core_release_dev,
	.open_device = variant_open_device,
	.close_device = variant_close_device,
	.ioctl = variant_ioctl,
	.device_feature = vfio_pci_core_ioctl_feature,
	.read = vfio_pci_core_read,
	.write = variant_write,
	.mmap = vfio_pci_core_mmap,
	.request = vfio_pci_core_request,
	.match = vfio_pci_core_match,
	INSTINCT_COMPAT_VFIO_OPS
};

/*
 * Keep the PCI core's hands off: no bus reset, by which it would reset the
 * package behind the engine's back, and no wait after the FLR that the guard
 * holds back, since the engine has waited already.
 */
static void variant_take_resets(struct variant *variant)
{
	struct pci_dev *pdev = variant->core.pdev;

	variant->no_bus_reset = pdev->dev_flags & PCI_DEV_FLAGS_NO_BUS_RESET;
	variant->imm_ready = pdev->imm_ready;
	pdev->dev_flags |= PCI_DEV_FLAGS_NO_BUS_RESET;
	pdev->imm_ready = 1;
}

static void variant_return_resets(struct variant *variant)
{
	struct pci_dev *pdev = variant->core.pdev;

	if (!variant->no_bus_reset)
		pdev->dev_flags &= ~PCI_DEV_FLAGS_NO_BUS_RESET;
	pdev->imm_ready = variant->imm_ready;
}

/* In atomic context, when the guard has held an FLR back. */
static void variant_flr_held(void *data)
{
	struct instinct_device *dev = data;

	atomic64_inc(&dev->flr_held);
	/*
	 * The PCI core's own follow reset_prepare() or come at close, with the
	 * config space locked against users in both cases.
	 */
	if (!dev->pdev->block_cfg_access)
		schedule_work(&dev->held_flr);
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

static void variant_report(struct instinct_device *dev)
{
	struct instinct_status status;

	instinct_device_status(dev, &status);
	if (!instinct_fabric_has_package(&dev->fabric))
		pci_warn(dev->pdev, "no package switch (SWUS, SWDS) above: methods bus and flr are not available\n");
	if (status.state == INSTINCT_VFIO_STATE_READY)
		pci_info(dev->pdev, "%s ready\n", dev->profile->model);
}

static int variant_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	const struct instinct_profile *profile = variant_refusal(pdev);
	struct instinct_device *dev;
	struct variant *variant;
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
	dev->guard = instinct_guard_attach(pdev, variant_flr_held, dev);
	if (IS_ERR(dev->guard)) {
		ret = PTR_ERR(dev->guard);
		goto err_device;
	}
	instinct_reset_survey(dev);

	variant = vfio_alloc_device(variant, core.vdev, &pdev->dev,
				    &variant_ops);
	if (IS_ERR(variant)) {
		ret = PTR_ERR(variant);
		goto err_guard;
	}
	variant->dev = dev;
	variant_take_resets(variant);
	dev_set_drvdata(&pdev->dev, &variant->core);
	ret = vfio_pci_core_register_device(&variant->core);
	if (ret)
		goto err_variant;
	instinct_device_register(dev);
	variant_report(dev);
	return 0;

err_variant:
	variant_return_resets(variant);
	vfio_put_device(&variant->core.vdev);
err_guard:
	instinct_guard_detach(dev->guard);
	cancel_work_sync(&dev->held_flr);
err_device:
	instinct_device_put(dev);
	return ret;
}

static void variant_remove(struct pci_dev *pdev)
{
	struct vfio_pci_core_device *core = dev_get_drvdata(&pdev->dev);
	struct variant *variant = container_of(core, struct variant, core);
	struct instinct_device *dev = variant->dev;

	/* Waits until the last user has closed it. */
	vfio_pci_core_unregister_device(core);
	instinct_device_unregister(dev);
	instinct_guard_detach(dev->guard);
	cancel_work_sync(&dev->held_flr);
	variant_return_resets(variant);
	vfio_put_device(&core->vdev);
	instinct_device_put(dev);
}

static void variant_reset_prepare(struct pci_dev *pdev)
{
	struct vfio_pci_core_device *core = dev_get_drvdata(&pdev->dev);

	instinct_request_serve(container_of(core, struct variant, core)->dev);
}

static const struct pci_error_handlers variant_err_handlers = {
	.error_detected = vfio_pci_core_aer_err_detected,
	.reset_prepare = variant_reset_prepare,
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
