# SPDX-License-Identifier: GPL-2.0-only
"""The config space of a function, as far as Linux and its tools read it."""
import struct

from description import DOWNSTREAM, INTEGRATED, ROOT, SPEEDS, size_of

# Constants of linux/pci_regs.h.
COMMAND_MEMORY, COMMAND_MASTER, COMMAND_INTX_OFF = 0x2, 0x4, 0x400
STATUS_CAPABILITIES = 0x10
CAP_PM, CAP_SUBSYSTEM, CAP_EXPRESS, CAP_MSIX = 0x01, 0x0d, 0x10, 0x11
EXT_AER, EXT_SERIAL, EXT_VENDOR, EXT_ACS, EXT_ATS, EXT_SRIOV, EXT_REBAR = (
    0x01, 0x03, 0x0b, 0x0d, 0x0f, 0x10, 0x15)
PM_NO_SOFT_RESET, PM_D3HOT = 0x8, 0x3
DEVCAP_EXT_TAG, DEVCAP_RBER, DEVCAP_FLR = 0x20, 0x8000, 1 << 28
DEVCTL_REPORT, DEVCTL_RELAXED_ORDERING, DEVCTL_EXT_TAG, DEVCTL_NO_SNOOP = 0xf, 0x10, 0x100, 0x800
LNKCAP_ACTIVE_REPORTING, LNKCAP_ASPM_OPTIONALITY = 1 << 20, 1 << 22
LNKCTL_COMMON_CLOCK, LNKSTA_SLOT_CLOCK, LNKSTA_ACTIVE = 0x40, 0x1000, 0x2000
DEVCAP2_TIMEOUT, DEVCAP2_ARI, DEVCAP2_ATOMIC_ROUTE, DEVCAP2_TAGS10 = 0x1f, 0x20, 0x40, 0x30000
DEVCAP2_ATOMIC_32, DEVCAP2_ATOMIC_64, DEVCAP2_ATOMIC_128 = 0x80, 0x100, 0x200
DEVCTL2_ATOMIC_REQUEST, DEVCTL2_TAGS10 = 0x40, 0x1000
MSIX_ON, ATS_ON, ATS_ALIGNED, SRIOV_ON = 0x8000, 0x8000, 0x20, 0x9


def bits(*pairs):
    return sum(bit for bit, is_set in pairs if is_set)


def speed_code(speed):
    return SPEEDS.get(f"{speed:g}", 0)


class Config:
    """A config space: 4 KiB, or 256 bytes if the function is not PCI Express."""

    def __init__(self, function, host):
        self.function, self.host = function, host
        self.space = bytearray(256 if function.type is None else 4096)
        self.last, self.last_extended = None, None
        self.header()
        if function.type is not None:
            self.power_management()
            self.express()
            self.interrupts()
            self.bridge_subsystem()
            self.extended_all()

    def put(self, at, form, *values):
        struct.pack_into("<" + form, self.space, at, *values)

    def header(self):
        function = self.function
        command = COMMAND_MEMORY
        if function.get("enable", "1") != "0":
            command |= COMMAND_MASTER | COMMAND_INTX_OFF
        ids = (0xffff, 0xffff) if function.physical else (function.vendor, function.device)
        self.put(0, "HHHH", *ids, 0 if function.physical else command,
                 STATUS_CAPABILITIES if function.type is not None else 0)
        self.put(8, "I", function.pci_class << 8 | function.rev)
        self.space[0x0e] = 1 if function.is_port else 0
        if any(one is not function and one.bus == function.bus and not one.physical and
               one.devfn >> 3 == function.devfn >> 3 for one in self.siblings()):
            self.space[0x0e] |= 0x80
        if function.is_port:
            self.bridge_header()
        else:
            self.put(0x2c, "HH", *function.sub)
        if not function.physical:
            self.bars(0x10, function.bars, 0)

    def siblings(self):
        parent = self.function.parent
        return parent.children if parent else self.function.bridge["functions"]

    def bars(self, base, bars, first):
        for index, (_, kind) in bars.items():
            start = self.function.placed[index + first][0]
            self.put(base + index * 4, "I",
                     start & 0xffffffff | {"32": 0, "64": 4, "64p": 0xc}[kind])
            if kind != "32":
                self.put(base + index * 4 + 4, "I", start >> 32)

    def bridge_header(self):
        function = self.function
        self.put(0x18, "BBB", function.bus, *function.buses)
        self.put(0x1c, "BB", 0xf1, 0x01)
        start, end = function.windows.get("32", (0xfff00000, 0))
        self.put(0x20, "HH", start >> 16 & 0xfff0, end >> 16 & 0xfff0)
        start, end = function.windows.get("64", (0xfff00000, 0))
        self.put(0x24, "HHII", start >> 16 & 0xfff0 | 1, end >> 16 & 0xfff0 | 1, start >> 32,
                 end >> 32)

    def capability(self, at, number, form, *values):
        self.put(at, "BB" + form, number, 0, *values)
        self.space[0x34 if self.last is None else self.last + 1] = at
        self.last = at

    def extended(self, at, number, form="", *values):
        self.put(at, "I" + form, number | 1 << 16, *values)
        if self.last_extended is not None:
            before, = struct.unpack_from("<I", self.space, self.last_extended)
            self.put(self.last_extended, "I", before | at << 20)
        self.last_extended = at

    def power_management(self):
        if not self.function.physical:
            state = PM_D3HOT if self.function.get("power", "D0") != "D0" else 0
            self.capability(0x40, CAP_PM, "HH", 0xc803, PM_NO_SOFT_RESET | state)

    def express(self):
        """Add a PCI Express capability, version 2."""
        function = self.function
        link_capable, link_status = self.link()
        capable, control = self.device()
        capable2, control2 = self.device2()
        speed = speed_code(function.max_link[0])
        self.capability(0x60, CAP_EXPRESS, "HIHHIHHIHHHHIIHHIHH", 2 | function.type << 4,
                        capable, control, 0, link_capable, LNKCTL_COMMON_CLOCK, link_status,
                        0, 0, 0, 0, 0, 0, capable2, control2, 0, (2 << speed) - 2, speed, 0)

    def device(self):
        function = self.function
        payload = int(function.get("payload", 128)).bit_length() - 8
        readreq = int(function.get("readreq", 512)).bit_length() - 8
        capable = payload | bits((DEVCAP_RBER, True), (DEVCAP_EXT_TAG, function.get("exttag")),
                                 (DEVCAP_FLR, function.is_on("flr")))
        control = DEVCTL_REPORT | function.payload.bit_length() - 8 << 5 | readreq << 12
        control |= bits((DEVCTL_RELAXED_ORDERING, function.is_on("order")),
                        (DEVCTL_EXT_TAG, function.is_on("exttag")), (DEVCTL_NO_SNOOP, True))
        return capable, 0 if function.physical else control

    def device2(self):
        function = self.function
        atomic, tags = function.get("atomic", "").split(","), function.get("tags10")
        capable = DEVCAP2_TIMEOUT | bits(
            (DEVCAP2_ARI, function.type in (ROOT, DOWNSTREAM)),
            (DEVCAP2_ATOMIC_ROUTE, "route" in atomic), (DEVCAP2_ATOMIC_32, "32" in atomic),
            (DEVCAP2_ATOMIC_64, "64" in atomic), (DEVCAP2_ATOMIC_128, "128" in atomic),
            (DEVCAP2_TAGS10, tags))
        control = bits((DEVCTL2_ATOMIC_REQUEST, "on" in atomic), (DEVCTL2_TAGS10, tags == "on"))
        return capable, 0 if function.physical else control

    def link(self):
        function = self.function
        if function.type == INTEGRATED:
            return 0, 0
        speed, width = function.max_link
        port = function.type in (ROOT, DOWNSTREAM)
        capable = speed_code(speed) | width << 4 | bits((LNKCAP_ASPM_OPTIONALITY, True),
                                                        (LNKCAP_ACTIVE_REPORTING, port))
        speed, width = function.link
        status = speed_code(speed) | width << 4 | bits((LNKSTA_SLOT_CLOCK, True),
                                                       (LNKSTA_ACTIVE, port and width))
        return capable, 0 if function.physical else status

    def interrupts(self):
        if "msix" not in self.function.keys:
            return
        vectors, bar, offset = self.function.keys["msix"].split(":")
        table = int(offset, 16) | int(bar)
        driver = self.function.driver
        on = 0 if driver == "none" or "vfio" in driver else MSIX_ON
        self.capability(0xb0, CAP_MSIX, "HII", int(vectors) - 1 | on, table, table + 0x1000)

    def bridge_subsystem(self):
        if self.function.is_port and "sub" in self.function.keys:
            self.capability(0xd0, CAP_SUBSYSTEM, "HHH", 0, *self.function.sub)

    def extended_all(self):
        function = self.function
        if function.is_on("aer"):
            self.extended(0x100, EXT_AER, "IIIIII", 0, 0, 0x00462030, 0, 0x2000, 0xe0)
        else:
            self.extended(0x100, EXT_VENDOR, "I", 0x0c << 20)
        if "serial" in function.keys:
            self.extended(0x150, EXT_SERIAL, "Q", int(function.keys["serial"], 16))
        if "sriov" in function.keys:
            self.sriov()
        if "acs" in function.keys:
            capable, control = (int(part, 16) for part in function.keys["acs"].split("/"))
            self.extended(0x230, EXT_ACS, "HH", capable, control)
        if "rebar" in function.keys:
            index, sizes = function.keys["rebar"].split(":")
            least, most = (size_of(part).bit_length() - 21 for part in sizes.split("-"))
            now = function.bars[int(index)][0].bit_length() - 21
            mask = (1 << most + 1) - (1 << least)
            self.extended(0x240, EXT_REBAR, "II", mask << 4 & 0xffffffff,
                          int(index) | 1 << 5 | now << 8 | mask >> 28 << 16)
        if "ats" in function.keys:
            self.extended(0x480, EXT_ATS, "HH", ATS_ALIGNED, ATS_ON if function.is_on("ats") else 0)

    def sriov(self):
        function = self.function
        total, part = function.keys["sriov"].split(":")
        given = len(function.virtual)
        self.extended(0x180, EXT_SRIOV, "IHHHHHBxHHHHII", 0, SRIOV_ON if given else 0, 0,
                      int(total), int(total), given, 0, 1, 1, 0,
                      int(self.host.parts[part]["id"].split(":")[1], 16), 0x553, 1)
        self.bars(0x1a4, {index - 7: self.host.virtual_bar(function, index)
                          for index in function.placed if index >= 7}, 7)
