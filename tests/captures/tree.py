# SPDX-License-Identifier: GPL-2.0-only
"""Writes the files and links of a host in the form of sysfs and procfs."""
import os

from config_space import Config
from description import INTEGRATED, size_of

CORRECTABLE = """RxErr BadTLP BadDLLP Rollover Timeout NonFatalErr CorrIntErr
    HeaderOF TOTAL_ERR_COR""".split()
UNCORRECTABLE = """Undefined DLP SDES TLP FCP CmpltTO CmpltAbrt UnxCmplt RxOF MalfTLP ECRC UnsupReq
    ACSViol UncorrIntErr BlockedTLP AtomicOpBlocked TLPBlockedErr PoisonTLPBlocked""".split()


# These values are invented; both IOMMUs have ATS.
IOMMU = {"GenuineIntel": {"intel-iommu/version": "6:0", "intel-iommu/cap": "19ed008c40780c66",
                          "intel-iommu/ecap": "3ee9e86f050df"},
         "AuthenticAMD": {"amd-iommu/cap": "40", "amd-iommu/features": "1d:25bf732fa2295afe"}}


class Tree:
    """The folder that gets the files."""

    def __init__(self, root):
        self.root, self.made = os.fspath(root), set()

    def folder(self, path):
        if path not in self.made:
            os.makedirs(f"{self.root}/{path}", exist_ok=True)
            self.made.add(path)

    def data(self, path, data):
        self.folder(path.rpartition("/")[0])
        file = os.open(f"{self.root}/{path}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.write(file, data)
        os.close(file)

    def text(self, path, text):
        self.data(path, f"{text}\n".encode())

    def texts(self, folder, **files):
        for name, text in files.items():
            self.text(f"{folder}/{name}", text)

    def link(self, path, target):
        """Make a link in the kernel's form: up to the common folder, then down."""
        self.folder(path.rpartition("/")[0])
        here, there = path.split("/")[:-1], target.split("/")
        while here and len(there) > 1 and here[0] == there[0]:
            here, there = here[1:], there[1:]
        os.symlink("/".join([".."] * len(here) + there), f"{self.root}/{path}")


def hex_lines(areas):
    return "\n".join(" ".join(f"0x{number:016x}" for number in area) for area in areas)


def resources(function, host):
    flags = {"32": 0x40200, "64": 0x140204, "64p": 0x14220c}
    areas = [(0, 0, 0)] * 13
    for index, place in function.placed.items():
        areas[index] = (*place, flags[host.areas(function)[index][1]])
    if function.physical:
        for index, (size, kind) in function.bars.items():
            start = function.physical.placed[index + 7][0]
            start += size * function.physical.virtual.index(function)
            areas[index] = (start, start + size - 1, flags[kind])
    if function.is_port:
        windows = function.windows
        areas += [(0, 0, 0), (*windows["32"], 0x200) if "32" in windows else (0, 0, 0),
                  (*windows["64"], 0x102201) if "64" in windows else (0, 0, 0), (0, 0, 0)]
    return hex_lines(areas)


def errors_of(function, kind):
    names = CORRECTABLE[:-1] if kind == "correctable" else UNCORRECTABLE
    total = {"correctable": "COR", "nonfatal": "NONFATAL", "fatal": "FATAL"}[kind]
    counts = dict.fromkeys(names, 0)
    for error in function.get("errors", "").split(","):
        where, _, name = error.partition(".")
        if where == kind:
            name, count = name.split(":")
            counts[name] = int(count)
    counts[f"TOTAL_ERR_{total}"] = sum(counts.values())
    return "\n".join(f"{name} {count}" for name, count in counts.items())


def link_files(function):
    for what, (speed, width) in (("max", function.max_link), ("current", function.link)):
        yield f"{what}_link_speed", f"{speed:.1f} GT/s PCIe" if speed else "Unknown"
        yield f"{what}_link_width", width


def write_function(tree, function, host, cpus):
    path, bdf = function.path, function.bdf
    alias = (f"pci:v{function.vendor:08X}d{function.device:08X}"
             f"sv{function.sub[0]:08X}sd{function.sub[1]:08X}bc{function.pci_class >> 16:02X}"
             f"sc{function.pci_class >> 8 & 255:02X}i{function.pci_class & 255:02X}")
    tree.texts(path, vendor=f"0x{function.vendor:04x}", device=f"0x{function.device:04x}",
               subsystem_vendor=f"0x{function.sub[0]:04x}",
               subsystem_device=f"0x{function.sub[1]:04x}", revision=f"0x{function.rev:02x}",
               numa_node=function.node, local_cpulist=cpus.get(function.node, ""),
               enable=function.get("enable", "1"), d3cold_allowed=1,
               power_state=function.get("power", "D0"), irq=0, modalias=alias,
               resource=resources(function, host), **{"class": f"0x{function.pci_class:06x}"})
    driver = f"DRIVER={function.driver}\n" if function.driver != "none" else ""
    tree.text(f"{path}/uevent", f"{driver}PCI_CLASS={function.pci_class:X}\n"
              f"PCI_ID={function.vendor:04X}:{function.device:04X}\n"
              f"PCI_SUBSYS_ID={function.sub[0]:04X}:{function.sub[1]:04X}\nPCI_SLOT_NAME={bdf}\n"
              f"MODALIAS={alias}")
    tree.data(f"{path}/config", bytes(Config(function, host).space))
    tree.texts(f"{path}/power", control="auto" if "vfio" in function.driver else "on",
               runtime_status="suspended" if function.get("power", "D0") != "D0" else "active")
    if function.type not in (None, INTEGRATED):
        tree.texts(path, **dict(link_files(function)))
    if function.is_on("aer"):
        for kind in ("correctable", "nonfatal", "fatal"):
            tree.text(f"{path}/aer_dev_{kind}", errors_of(function, kind))
    if "reset" in function.keys:
        tree.text(f"{path}/reset_method", function.keys["reset"].replace(",", " "))
    if function.is_port:
        secondary, subordinate = function.buses
        tree.texts(path, secondary_bus_number=secondary, subordinate_bus_number=subordinate)
    tree.link(f"{path}/subsystem", "sys/bus/pci")
    tree.link(f"sys/bus/pci/devices/{bdf}", path)
    write_bonds(tree, function)
    write_virtual(tree, function)


def write_bonds(tree, function):
    path, bdf = function.path, function.bdf
    if function.driver != "none":
        driver = f"sys/bus/pci/drivers/{function.driver}"
        tree.link(f"{driver}/{bdf}", path)
        tree.link(f"{path}/driver", driver)
    if function.group is None:
        return
    group = f"sys/kernel/iommu_groups/{function.group}"
    tree.link(f"{path}/iommu_group", group)
    tree.link(f"{group}/devices/{bdf}", path)
    if "iommu" in function.bridge:
        iommu = function.bridge["iommu"]
        tree.link(f"{path}/iommu", iommu)
        tree.link(f"{iommu}/devices/{bdf}", path)


def write_virtual(tree, function):
    if "sriov" in function.keys:
        tree.texts(function.path, sriov_totalvfs=function.keys["sriov"].split(":")[0],
                   sriov_numvfs=len(function.virtual), sriov_drivers_autoprobe=1)
    for i, virtual in enumerate(function.virtual):
        tree.link(f"{function.path}/virtfn{i}", virtual.path)
        tree.link(f"{virtual.path}/physfn", function.path)


def class_device(tree, function, kind, name):
    folder = f"{function.path}/{kind}/{name}"
    tree.link(f"sys/class/{kind}/{name}", folder)
    tree.link(f"{folder}/device", function.path)
    tree.link(f"{folder}/subsystem", f"sys/class/{kind}")
    return folder


def write_net(tree, function):
    """Write the network and RDMA devices; their addresses are derived from the PCI address."""
    infiniband = function.pci_class == 0x020700
    where = bytes((int(function.bdf[:4], 16) & 255, function.bus, function.devfn))
    rate = int(function.get("rate", 400))
    if "net" in function.keys:
        folder = class_device(tree, function, "net", function.keys["net"])
        tree.texts(folder, address=":".join(f"{byte:02x}" for byte in b"\x02\0\0" + where),
                   speed=rate * 1000, operstate="up", carrier=1, mtu=4092 if infiniband else 9000,
                   type=32 if infiniband else 1, dev_port=0, phys_port_name="p0")
    if "rdma" not in function.keys:
        return
    folder = class_device(tree, function, "infiniband", function.keys["rdma"])
    guid = (b"\x02\0\0\xff\xfe" + where).hex()
    guid = ":".join(guid[i:i + 4] for i in range(0, 16, 4))
    tree.texts(folder, node_guid=guid, sys_image_guid=guid, node_type="1: CA",
               node_desc=function.keys["rdma"], hca_type=function.get("hca", ""), fw_ver="0.0.0")
    tree.texts(f"{folder}/ports/1", state="4: ACTIVE", phys_state="5: LinkUp",
               rate=f"{rate} Gb/sec (4X NDR)" if rate == 400 else f"{rate} Gb/sec (4X HDR)",
               link_layer="InfiniBand" if infiniband else "Ethernet", lid="0x0")


def write_nvme(tree, function):
    name = function.keys["nvme"]
    folder = class_device(tree, function, "nvme", name)
    tree.texts(folder, model=function.get("model", "made up"), serial=f"MADEUP{name.upper()}",
               firmware_rev="0", state="live", transport="pcie", address=function.bdf, cntlid=1,
               numa_node=function.node)
    tree.text(f"{folder}/{name}n1/size", 7501476528)


def cpus_of(text):
    """Return the first CPU of each range."""
    return [int(part.split("-")[0]) for part in text.split(",")]


def memory_of(kib):
    return ("MemTotal", kib), ("MemFree", kib * 9 // 10), ("MemAvailable", kib * 9 // 10)


def write_nodes(tree, host):
    folder = "sys/devices/system/node"
    last = max(node["number"] for node in host.nodes)
    tree.texts(folder, online=f"0-{last}", possible=f"0-{last}")
    for node in host.nodes:
        kib = size_of(node["memory"]) // 1024
        number, own = node["number"], f"{folder}/node{node['number']}"
        tree.texts(own, cpulist=node["cpus"], distance=node["distance"].replace(",", " "),
                   meminfo="\n".join(f"Node {number} {name + ':':15}{count:>8} kB"
                                     for name, count in memory_of(kib)))
        for cpu in cpus_of(node["cpus"]):
            tree.texts(f"sys/devices/system/cpu/cpu{cpu}/topology",
                       physical_package_id=node["socket"], core_id=cpu)
            tree.link(f"sys/devices/system/cpu/cpu{cpu}/node{number}", own)
            tree.link(f"{own}/cpu{cpu}", f"sys/devices/system/cpu/cpu{cpu}")
    last = max(int(node["cpus"].replace("-", ",").split(",")[-1]) for node in host.nodes)
    tree.texts("sys/devices/system/cpu", online=f"0-{last}", present=f"0-{last}")


def write_iommus(tree, host):
    for group in {function.group for function in host.functions} - {None}:
        tree.texts(f"sys/kernel/iommu_groups/{group}", type=host.host.get("domain", "identity"),
                   reserved_regions="0x00000000fee00000 0x00000000feefffff msi")
    for bridge in host.bridges:
        if "iommu" in bridge:
            tree.link(f"sys/class/iommu/{bridge['iommu'].rpartition('/')[2]}", bridge["iommu"])
            tree.texts(bridge["iommu"], **IOMMU[host.cpu["vendor"]])


def write_modules(tree, host):
    loaded = []
    for name, builtin, keys in host.modules:
        keys = dict(keys)
        facts = {key: keys.pop(key) for key in ("version", "taint") if key in keys}
        tree.texts(f"sys/module/{name}/parameters", **keys)
        if not builtin:
            loaded.append(f"{name} 65536 0 - Live 0x0000000000000000"
                          f"{' (' + facts['taint'] + ')' if facts.get('taint') else ''}")
            facts = {"initstate": "live", "refcnt": 0, "taint": "", **facts}
        tree.texts(f"sys/module/{name}", **facts)
    tree.text("proc/modules", "\n".join(loaded))


def write_proc(tree, host):
    release = host.host["kernel"]
    total = sum(size_of(node["memory"]) // 1024 for node in host.nodes)
    tree.text("proc/version", f"Linux version {release} (made@up) (gcc) #1 SMP PREEMPT_DYNAMIC")
    tree.text("proc/sys/kernel/osrelease", release)
    tree.text("proc/cmdline", f"BOOT_IMAGE=/boot/vmlinuz-{release} {host.host['cmdline']}")
    tree.text("proc/meminfo", "\n".join(f"{name + ':':16}{count:>8} kB"
                                        for name, count in memory_of(total)))
    cpu = host.cpu
    tree.text("proc/cpuinfo", "\n".join(
        f"processor\t: {number}\nvendor_id\t: {cpu['vendor']}\ncpu family\t: {cpu['family']}\n"
        f"model\t\t: {cpu['model']}\nmodel name\t: {cpu['name']}\nstepping\t: {cpu['stepping']}\n"
        f"physical id\t: {node['socket']}\n"
        f"flags\t\t: fpu msr pae apic {'svm' if cpu['vendor'] == 'AuthenticAMD' else 'vmx'}\n"
        for node in host.nodes for number in cpus_of(node["cpus"])[:1]))
    tree.text("sys/kernel/security/lockdown", "[none] integrity confidentiality")


def write_host(tree, host):
    cpus = {node["number"]: node["cpus"] for node in host.nodes}
    for function in host.functions:
        write_function(tree, function, host, cpus)
        if "net" in function.keys or "rdma" in function.keys:
            write_net(tree, function)
        if "nvme" in function.keys and function.driver == "nvme":
            write_nvme(tree, function)
    for driver in {function.driver for function in host.functions} - {"none"}:
        for file in ("bind", "unbind", "new_id", "remove_id"):
            tree.data(f"sys/bus/pci/drivers/{driver}/{file}", b"")
    write_iommus(tree, host)
    write_nodes(tree, host)
    write_modules(tree, host)
    write_proc(tree, host)
    for path, text in host.files:
        tree.text(path, text)
    for path, target in host.links:
        tree.link(path, target)
