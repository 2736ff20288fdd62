# SPDX-License-Identifier: GPL-2.0-only
# Feature tests: they look into the headers of this kernel, and do not ask for its version.
instinct-have = $(if $(shell grep -sq -- '$(2)' $(srctree)/include/$(1) && echo y),-DINSTINCT_HAVE_$(3))
# The exports of this kernel: some kernels declare a function before they export it to modules.
instinct-exports = $(if $(shell grep -swq -- '$(1)' $(objtree)/Module.symvers && echo y),-DINSTINCT_HAVE_$(2))

ccflags-y += $(call instinct-exports,pci_dev_reset_iommu_prepare,RESET_IOMMU)
ccflags-y += $(call instinct-have,linux/vfio.h,vfio_alloc_device,VFIO_ALLOC_DEVICE)
ccflags-y += $(call instinct-have,linux/vfio.h,vfio_iommufd_physical_bind,VFIO_IOMMUFD)
ccflags-y += $(call instinct-have,linux/vfio.h,vfio_iommufd_physical_detach_ioas,VFIO_DETACH_IOAS)
ccflags-y += $(call instinct-have,linux/vfio.h,vfio_iommufd_physical_pasid_attach_ioas,VFIO_PASID)
ccflags-y += $(call instinct-have,linux/vfio_pci_core.h,vfio_pci_core_match_token_uuid,VFIO_TOKEN_UUID)
ccflags-y += $(call instinct-have,linux/vfio_pci_core.h,vfio_pci_ioctl_get_region_info,VFIO_REGION_INFO)
ccflags-y += $(call instinct-have,linux/vfio_pci_core.h,const struct vfio_pci_device_ops .pci_ops;,VFIO_PCI_OPS)
ccflags-y += $(call instinct-have,linux/vfio_pci_core.h,vfio_pci_core_set_params,VFIO_SET_PARAMS)
ccflags-y += $(call instinct-have,net/genetlink.h,pre_doit..const struct genl_split_ops,GENL_SPLIT_OPS)
ccflags-y += $(call instinct-have,linux/mm.h,release_fault_lock,RELEASE_FAULT_LOCK)
ccflags-y += $(call instinct-have,linux/mm.h,huge_fault..struct vm_fault .vmf. unsigned int order,HUGE_FAULT)
ccflags-y += $(call instinct-have,linux/vfio.h,vfio_device_cdev_opened,VFIO_CDEV)
ccflags-y += $(call instinct-have,linux/vfio.h,vfio_iommufd_get_dev_id,VFIO_DEV_ID)
ccflags-y += $(call instinct-have,linux/workqueue.h,system_dfl_wq;,DFL_WQ)
