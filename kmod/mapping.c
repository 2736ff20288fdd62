// SPDX-License-Identifier: GPL-2.0-only
#include <linux/file.h>
#include <linux/mm.h>

#include "compat/fault.h"
#include "device.h"
#include "mapping.h"
#include "owner.h"
#include "variant.h"

static struct instinct_variant *variant_of_vma(struct vm_area_struct *vma)
{
	struct vfio_pci_core_device *core = vma->vm_private_data;

	return container_of(core, struct instinct_variant, core);
}

/*
 * A BAR is about to be mapped. Who waits for a reset does so without the
 * mmap_lock, which zapping the mappings needs, and can be killed.
 */
static vm_fault_t mapping_before_fault(struct vm_fault *vmf)
{
	struct instinct_device *dev = variant_of_vma(vmf->vma)->dev;
	struct file *file;

	if (!instinct_owner_is_idle(dev) && vmf->flags & FAULT_FLAG_ALLOW_RETRY) {
		if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
			return VM_FAULT_RETRY;
		/* Neither the mapping nor the device is held by anything else then. */
		file = get_file(vmf->vma->vm_file);
		instinct_compat_release_fault_lock(vmf);
		instinct_owner_wait_idle(dev);
		fput(file);
		return VM_FAULT_RETRY;
	}
	if (READ_ONCE(dev->status.state) == INSTINCT_VFIO_STATE_LOST)
		return VM_FAULT_SIGBUS;
	/* What is mapped for the processor can be mapped by the IOMMU without another fault. */
	instinct_device_touch(dev, INSTINCT_TOUCHED_REACHED);
	instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	return 0;
}

/* It may have waited for a reset, and have the BAR mapped only after it. */
static vm_fault_t mapping_after_fault(struct vm_fault *vmf, vm_fault_t ret)
{
	struct instinct_device *dev = variant_of_vma(vmf->vma)->dev;

	if (!(ret & VM_FAULT_ERROR)) {
		instinct_device_touch(dev, INSTINCT_TOUCHED_REACHED);
		instinct_device_touch(dev, INSTINCT_TOUCHED_DIRTY);
	}
	return ret;
}

static vm_fault_t mapping_fault(struct vm_fault *vmf)
{
	vm_fault_t ret = mapping_before_fault(vmf);

	return ret ?: mapping_after_fault(vmf, variant_of_vma(vmf->vma)->mmap_ops->fault(vmf));
}

static vm_fault_t __maybe_unused mapping_huge_fault(struct vm_fault *vmf, unsigned int order)
{
	const struct vm_operations_struct *ops = variant_of_vma(vmf->vma)->mmap_ops;
	vm_fault_t ret;

	if (!instinct_compat_has_huge_fault(ops))
		return VM_FAULT_FALLBACK;
	ret = mapping_before_fault(vmf);
	return ret ?: mapping_after_fault(vmf, instinct_compat_huge_fault(ops, vmf, order));
}

static void mapping_vma_open(struct vm_area_struct *vma)
{
	const struct vm_operations_struct *ops = variant_of_vma(vma)->mmap_ops;

	if (ops->open)
		ops->open(vma);
}

static void mapping_vma_close(struct vm_area_struct *vma)
{
	const struct vm_operations_struct *ops = variant_of_vma(vma)->mmap_ops;

	if (ops->close)
		ops->close(vma);
}

static const struct vm_operations_struct mapping_ops = {
	.open = mapping_vma_open,
	.close = mapping_vma_close,
	.fault = mapping_fault,
	INSTINCT_COMPAT_HUGE_FAULT(mapping_huge_fault)};

/**
 * instinct_mapping_make() - a user maps a part of a GPU
 * @vdev: it
 * @vma: where, by vfio's offsets
 *
 * A first access has to be seen: until it the device may be clean still, and every later
 * reset depends on it. So a mapping that this driver cannot follow is refused.
 *
 * Context: under the mmap_lock.
 *
 * Return: 0, -EOPNOTSUPP for a mapping that vfio-pci-core has made in a way that this driver
 * does not know, or another negative errno.
 */
int instinct_mapping_make(struct vfio_device *vdev, struct vm_area_struct *vma)
{
	struct instinct_variant *variant = instinct_variant_of(vdev);
	int ret;

	instinct_device_touch(variant->dev, INSTINCT_TOUCHED_MAPPED);
	ret = vfio_pci_core_mmap(vdev, vma);
	if (ret)
		return ret;
	if (!vma->vm_ops || !vma->vm_ops->fault || vma->vm_private_data != &variant->core) {
		dev_err_ratelimited(&variant->dev->pdev->dev,
				    "a mapping of a BAR is refused: this kernel's vfio-pci-core makes it in a way that this driver cannot follow (see docs/kernels.md)\n");
		return -EOPNOTSUPP;
	}
	/* The same for all BARs of all devices. */
	WRITE_ONCE(variant->mmap_ops, vma->vm_ops);
	vma->vm_ops = &mapping_ops;
	return 0;
}
