# SPDX-License-Identifier: GPL-2.0-only
"""Describes a made-up host with 16 GPUs in each of its PCI segments."""


def made_up(gpus):
    """Yield the lines of the description."""
    yield 'host kernel=6.12.48 cmdline="iommu=pt"'
    yield ("cpu vendor=AuthenticAMD family=26 model=2 stepping=1 flags=svm "
           "name='AMD EPYC 9655 96-Core Processor'")
    nodes = (gpus + 15) // 16
    for node in range(nodes):
        distances = ",".join("10" if node == other else "32" for other in range(nodes))
        yield (f"node {node} socket={node} cpus={node * 96}-{node * 96 + 95} memory=768G "
               f"distance={distances}")
    yield "module vfio_pci disable_idle_d3=Y"
    for gpu in range(gpus):
        yield from made_up_board(gpu)


def made_up_board(gpu):
    """Yield the lines of a switch with a GPU, a NIC with VFs, and a switch of NVMe drives."""
    bus = gpu % 16 * 16
    yield f"bridge {gpu // 16:04x}:{bus:02x} node={gpu // 16}"
    yield f" {bus:02x}:00.0 turin-root"
    yield f" {bus:02x}:00.2 turin-iommu"
    yield f" {bus:02x}:01.0 turin-dummy"
    yield f" {bus:02x}:01.1 turin-port"
    yield f"  {bus + 1:02x}:00.0 pex-up"
    yield f"   {bus + 2:02x}:00.0 pex-down"
    yield f"    {bus + 3:02x}:00.0 swus"
    yield f"     {bus + 4:02x}:00.0 swds"
    yield f"      {bus + 5:02x}:00.0 mi350x driver=instinct_vfio_pci serial={0x1000 + gpu:x}"
    yield f"   {bus + 2:02x}:01.0 pex-down"
    yield f"    {bus + 6:02x}:00.0 cx7 vfs=4 net=nic{gpu} rdma=mlx5_{gpu}"
    yield f"   {bus + 2:02x}:02.0 pex-down"
    yield f"    {bus + 7:02x}:00.0 pex-up"
    for drive in range(4):
        yield f"     {bus + 8:02x}:{drive:02x}.0 pex-down"
        yield f"      {bus + 9 + drive:02x}:00.0 pm174x nvme=nvme{gpu * 4 + drive}"
