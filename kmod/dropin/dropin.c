// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PCI driver with the name that every tool looks for, in place of the kernel's vfio-pci. It passes a
 * GPU that instinct_vfio_pci knows to that driver's callbacks, and serves all other devices by
 * vfio-pci-core, as the kernel's vfio-pci does.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/vfio_pci_core.h>

#include "compat/vfio_ops.h"
#include "compat/vfio_params.h"
#include "vfio/driver.h"

/* The names, types and modes of the parameters are those of the kernel's vfio-pci. */
static char ids[1024] __initdata;
module_param_string(ids, ids, sizeof(ids), 0);
MODULE_PARM_DESC(ids, "devices to take, as with new_id: vendor:device[:subvendor[:subdevice[:class[:class_mask]]]], in hexadecimal, separated by commas");

static bool nointxmask;
module_param(nointxmask, bool, 0644);
MODULE_PARM_DESC(nointxmask, "do not mask INTx by the device's own PCI 2.3 bit");

#ifdef CONFIG_VFIO_PCI_VGA
static bool disable_vga;
module_param(disable_vga, bool, 0444);
MODULE_PARM_DESC(disable_vga, "keep users from legacy VGA resources");
#else
static const bool disable_vga = true;
#endif

static bool disable_idle_d3;
module_param(disable_idle_d3, bool, 0644);
MODULE_PARM_DESC(disable_idle_d3, "keep unused devices out of D3");

static bool enable_sriov;
#ifdef CONFIG_PCI_IOV
module_param(enable_sriov, bool, 0644);
MODULE_PARM_DESC(enable_sriov, "let sriov_numvfs create virtual functions of a device whose driver is in user space");
#endif

static bool disable_denylist;
module_param(disable_denylist, bool, 0444);
MODULE_PARM_DESC(disable_denylist, "take devices that are known to harm the host if a user drives them");

/* The devices that Linux 7.3's vfio-pci refuses, by numbers that not all kernels have names for. */
static const struct pci_device_id denylist[] = {
	{ PCI_VDEVICE(INTEL, 0x0435) },	/* QAT DH895XCC */
	{ PCI_VDEVICE(INTEL, 0x0443) },	/* a VF of it */
	{ PCI_VDEVICE(INTEL, 0x0b25) },	/* DSA of Sapphire Rapids */
	{ PCI_VDEVICE(INTEL, 0x0cfe) },	/* IAX of Sapphire Rapids */
	{ PCI_VDEVICE(INTEL, 0x19e2) },	/* QAT C3XXX */
	{ PCI_VDEVICE(INTEL, 0x19e3) },	/* a VF of it */
	{ PCI_VDEVICE(INTEL, 0x37c8) },	/* QAT C62X */
	{ PCI_VDEVICE(INTEL, 0x37c9) },	/* a VF of it */
	{ }
};

static bool is_known_gpu(struct pci_dev *pdev)
{
	return !pdev->is_virtfn && pci_match_id(instinct_pci_driver.id_table, pdev);
}

static struct vfio_pci_core_device *core_of(struct vfio_device *vdev)
{
	return container_of(vdev, struct vfio_pci_core_device, vdev);
}

static int stock_init(struct vfio_device *vdev)
{
	instinct_compat_set_pci_ops(core_of(vdev));
	instinct_compat_latch_params(core_of(vdev), nointxmask, disable_vga, disable_idle_d3);
	return vfio_pci_core_init_dev(vdev);
}

static int stock_open(struct vfio_device *vdev)
{
	int ret = vfio_pci_core_enable(core_of(vdev));

	if (!ret)
		vfio_pci_core_finish_enable(core_of(vdev));
	return ret;
}

/* vfio-pci-core writes the name to the driver_override of each VF that it creates. */
static const struct vfio_device_ops stock_ops = {
	.name = "vfio-pci",
	.init = stock_init,
	.release = vfio_pci_core_release_dev,
	.open_device = stock_open,
	.close_device = vfio_pci_core_close_device,
	.ioctl = vfio_pci_core_ioctl,
	.device_feature = vfio_pci_core_ioctl_feature,
	.read = vfio_pci_core_read,
	.write = vfio_pci_core_write,
	.mmap = vfio_pci_core_mmap,
	.request = vfio_pci_core_request,
	.match = vfio_pci_core_match,
	INSTINCT_COMPAT_VFIO_OPS(vfio_iommufd_physical_attach_ioas,
				 vfio_iommufd_physical_pasid_attach_ioas)};

static int stock_probe(struct pci_dev *pdev)
{
	struct vfio_pci_core_device *core;
	int ret;

	if (pci_match_id(denylist, pdev)) {
		if (!disable_denylist) {
			pci_warn(pdev, "is on the denylist of vfio-pci: not taken (see its parameter disable_denylist)\n");
			return -EINVAL;
		}
		pci_warn(pdev, "is taken although it is on the denylist of vfio-pci\n");
	}
	/* These regions are in the kernel's own vfio-pci, which does not export them. */
	if (IS_ENABLED(CONFIG_VFIO_PCI_IGD) && pdev->vendor == PCI_VENDOR_ID_INTEL &&
	    pdev->class >> 16 == PCI_BASE_CLASS_DISPLAY)
		pci_warn(pdev, "its users get no OpRegion, host bridge or LPC bridge: for these, use the kernel's own vfio-pci\n");

	core = vfio_alloc_device(vfio_pci_core_device, vdev, &pdev->dev, &stock_ops);
	if (IS_ERR(core))
		return PTR_ERR(core);
	dev_set_drvdata(&pdev->dev, core);
	ret = vfio_pci_core_register_device(core);
	if (ret)
		vfio_put_device(&core->vdev);
	return ret;
}

/* vfio-pci-core's own: they serve runtime PM, which suspends no GPU, and not the host's sleep. */
static const struct dev_pm_ops *core_pm_ops;

static int dropin_runtime_suspend(struct device *dev)
{
	return core_pm_ops->runtime_suspend(dev);
}

static int dropin_runtime_resume(struct device *dev)
{
	return core_pm_ops->runtime_resume(dev);
}

static int dropin_suspend(struct device *dev)
{
	return is_known_gpu(to_pci_dev(dev)) ? instinct_pci_driver.driver.pm->suspend(dev) : 0;
}

static int dropin_resume(struct device *dev)
{
	return is_known_gpu(to_pci_dev(dev)) ? instinct_pci_driver.driver.pm->resume(dev) : 0;
}

static const struct dev_pm_ops dropin_pm_ops = {
	.runtime_suspend = dropin_runtime_suspend,
	.runtime_resume = dropin_runtime_resume,
	.suspend = dropin_suspend,
	.resume = dropin_resume,
};

static int dropin_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	int ret = is_known_gpu(pdev) ? instinct_pci_driver.probe(pdev, id) : stock_probe(pdev);
	/* Another device's probe may replace them at the same time. */
	const struct dev_pm_ops *pm = READ_ONCE(pdev->dev.driver->pm);

	/* In each probe vfio-pci-core gives its operations to the driver, and so to all devices. */
	if (pm && pm != &dropin_pm_ops) {
		WRITE_ONCE(core_pm_ops, pm);
		WRITE_ONCE(pdev->dev.driver->pm, &dropin_pm_ops);
	}
	return ret;
}

static void dropin_remove(struct pci_dev *pdev)
{
	struct vfio_pci_core_device *core = dev_get_drvdata(&pdev->dev);

	if (is_known_gpu(pdev)) {
		instinct_pci_driver.remove(pdev);
	} else {
		vfio_pci_core_unregister_device(core);
		vfio_put_device(&core->vdev);
	}
}

static void dropin_shutdown(struct pci_dev *pdev)
{
	if (is_known_gpu(pdev))
		instinct_pci_driver.shutdown(pdev);
}

/* instinct_vfio_pci takes whole GPUs alone, and so resets none that has VFs. */
static int dropin_sriov_configure(struct pci_dev *pdev, int vfs)
{
	if (is_known_gpu(pdev)) {
		pci_info(pdev, "gets no virtual functions from this driver: AMD's GIM creates them\n");
		return -ENOENT;
	}
	return enable_sriov ? vfio_pci_core_sriov_configure(dev_get_drvdata(&pdev->dev), vfs) : -ENOENT;
}

static pci_ers_result_t dropin_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	return is_known_gpu(pdev) ? instinct_pci_driver.err_handler->error_detected(pdev, state) :
				    vfio_pci_core_err_handlers.error_detected(pdev, state);
}

static void dropin_reset_prepare(struct pci_dev *pdev)
{
	if (is_known_gpu(pdev))
		instinct_pci_driver.err_handler->reset_prepare(pdev);
}

static void dropin_reset_done(struct pci_dev *pdev)
{
	if (is_known_gpu(pdev))
		instinct_pci_driver.err_handler->reset_done(pdev);
}

static const struct pci_error_handlers dropin_err_handlers = {
	.error_detected = dropin_error_detected,
	.reset_prepare = dropin_reset_prepare,
	.reset_done = dropin_reset_done,
};

static const struct pci_device_id dropin_table[] = {
	{ PCI_DRIVER_OVERRIDE_DEVICE_VFIO(PCI_ANY_ID, PCI_ANY_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, dropin_table);

static struct pci_driver dropin_pci_driver = {
	.name = "vfio-pci",
	.id_table = dropin_table,
	.probe = dropin_probe,
	.remove = dropin_remove,
	.shutdown = dropin_shutdown,
	.sriov_configure = dropin_sriov_configure,
	.err_handler = &dropin_err_handlers,
	.driver_managed_dma = true,
};

/* Takes the devices of the parameter "ids", each as a write to new_id would. */
static void __init ids_add(void)
{
	char *left = ids, *id;
	int ret;

	while ((id = strsep(&left, ","))) {
		unsigned int vendor, device, subvendor = PCI_ANY_ID, subdevice = PCI_ANY_ID;
		unsigned int class = 0, class_mask = 0;

		if (!*id)
			continue;
		if (sscanf(id, "%x:%x:%x:%x:%x:%x", &vendor, &device, &subvendor, &subdevice,
			   &class, &class_mask) < 2) {
			pr_warn("parameter ids: \"%s\" is not vendor:device in hexadecimal: ignored\n", id);
			continue;
		}
		ret = pci_add_dynid(&dropin_pci_driver, vendor, device, subvendor, subdevice,
				    class, class_mask, 0);
		if (ret)
			pr_warn("parameter ids: %s cannot be added (%d)\n", id, ret);
		else
			pr_info("parameter ids: takes %s\n", id);
	}
}

static int __init dropin_init(void)
{
	int ret;

	instinct_compat_set_params(nointxmask, disable_vga, disable_idle_d3);
	ret = pci_register_driver(&dropin_pci_driver);
	if (ret)
		return ret;
	pr_info("instinct-vfio's drop-in " INSTINCT_VFIO_VERSION " serves in place of the kernel's vfio-pci\n");
	ids_add();
	return 0;
}

static void __exit dropin_exit(void)
{
	pci_unregister_driver(&dropin_pci_driver);
}

module_init(dropin_init);
module_exit(dropin_exit);

MODULE_DESCRIPTION("VFIO for PCI devices, with Instinct GPUs by instinct_vfio_pci");
MODULE_AUTHOR("The instinct-vfio authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(INSTINCT_VFIO_VERSION);
