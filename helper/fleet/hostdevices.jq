# SPDX-License-Identifier: GPL-2.0-or-later
# List the GPUs that a device plugin may offer:
#
#	instinctctl status --json | jq -f hostdevices.jq
#
# KubeVirt's plugins allocate IOMMU groups, so each group of the driver has an entry: its GPUs,
# their PCI selector, NUMA node and device nodes. "healthy" is false if one of its GPUs is
# neither ready nor resetting: a GPU is blocked while another user has one of its hive, unless policy
# lets several users have them.
[.devices[] | select(.state != "unmanaged" and .iommu_group != null)] |
group_by(.iommu_group) |
map({
	id: (.[0].iommu_group | tostring),
	addresses: map(.bdf),
	selector: "\(.[0].vendor[2:]):\(.[0].device[2:])" | ascii_upcase,
	numa_node: .[0].numa_node,
	paths: ["/dev/vfio/vfio", "/dev/vfio/\(.[0].iommu_group)"],
	healthy: all(.[]; .state == "ready" or .state == "resetting")
})
