# SPDX-License-Identifier: GPL-2.0-or-later
# What a device plugin has to know of the GPUs that it may offer:
#
#	instinctctl status --json | jq -f hostdevices.jq
#
# An entry for each IOMMU group that the driver has, as KubeVirt's plugins allocate by
# groups: its GPUs, their PCI selector, NUMA node, the device nodes, and whether a GPU of
# it should go to nobody now.
[.devices[] | select(.driver == "instinct_vfio_pci" and .iommu_group != null)] |
group_by(.iommu_group) |
map({
	id: (.[0].iommu_group | tostring),
	addresses: map(.bdf),
	selector: "\(.[0].vendor[2:]):\(.[0].device[2:])" | ascii_upcase,
	numa_node: .[0].numa_node,
	paths: ["/dev/vfio/vfio", "/dev/vfio/\(.[0].iommu_group)"],
	healthy: all(.[]; .state == "ready" or .state == "resetting")
})
