# SPDX-License-Identifier: GPL-2.0-only
"""Configuration space of a function, with what Linux and its tools look at."""
import struct

from description import DOWNSTREAM, INTEGRATED, ROOT, SPEEDS, size_of


def speed_code(speed):
    return SPEEDS.get(f"{speed:g}", 0)


class Config:
    """4 KiB of configuration space; 256 bytes of a function that is not PCI Express."""

    def __init__(self, function, host):
        self.function, self.host = function, host
        self.space = bytearray(256 if function.type is None else 4096)
        self.last, self.last_extended = None, None
        self.header()
        if function.type is not None:
            self.power_management()
            self.express()
            self.interrupts()
            self.extended_all()

    def put(self, at, form, *values):
        struct.pack_into("<" + form, self.space, at, *values)

    def header(self):
        function = self.function
        command = 0x0406 if function.get("enable", "1") != "0" else 0x0002
        ids = (0xffff, 0xffff) if function.physical else (function.vendor, function.device)
        self.put(0, "HHHH", *ids, 0 if function.physical else command,
                 0x10 if function.type is not None else 0)
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
            state = 3 if self.function.get("power", "D0") != "D0" else 0
            self.capability(0x40, 0x01, "HH", 0xc803, 8 | state)

    def express(self):
        function = self.function
        payload, readreq = (int(function.get(key, value)).bit_length() - 8 for key, value in
                            (("payload", 128), ("readreq", 512)))
        exttag, order, tags = (function.is_on(key) for key in ("exttag", "order", "tags10"))
        slot = function.type in (ROOT, DOWNSTREAM)
        capable, control = payload | 0x8000, 0
        capable |= 0x20 if function.get("exttag") else 0
        capable |= 1 << 28 if function.is_on("flr") else 0
        if not function.physical:
            control = (0x080f | (0x10 if order else 0) | (0x100 if exttag else 0) | readreq << 12 |
                       function.payload.bit_length() - 8 << 5)
        max_speed, max_width = function.max_link
        speed, width = function.link
        atomic = function.get("atomic", "").split(",")
        capable2 = (0x1f | (0x20 if slot else 0) | (0x40 if "route" in atomic else 0) |
                    (0x80 if "32" in atomic else 0) | (0x100 if "64" in atomic else 0) |
                    (0x200 if "128" in atomic else 0) | (0x30000 if function.get("tags10") else 0))
        control2 = (0x40 if "on" in atomic else 0) | (0x1000 if tags else 0)
        link_capable = (speed_code(max_speed) | max_width << 4 | 1 << 22 |
                        (1 << 20 if slot else 0))
        link_status = 0 if function.physical else (
            speed_code(speed) | width << 4 | 0x1000 | (0x2000 if slot and width else 0))
        if function.type == INTEGRATED:
            link_capable = link_status = 0
        self.capability(0x60, 0x10, "HIHHIHHIHHHHIIHHIHH", 2 | function.type << 4,
                        capable, control, 0, link_capable, 0x40, link_status, 0, 0, 0, 0, 0, 0,
                        capable2, control2, 0, (2 << speed_code(max_speed)) - 2,
                        speed_code(max_speed), 0)

    def interrupts(self):
        if "msix" not in self.function.keys:
            return
        vectors, bar, offset = self.function.keys["msix"].split(":")
        table = int(offset, 16) | int(bar)
        driver = self.function.driver
        on = 0 if driver == "none" or "vfio" in driver else 0x8000
        self.capability(0xb0, 0x11, "HII", int(vectors) - 1 | on, table, table + 0x1000)

    def extended_all(self):
        function = self.function
        if function.is_on("aer"):
            self.extended(0x100, 0x01, "IIIIII", 0, 0, 0x00462030, 0, 0x2000, 0xe0)
        if "serial" in function.keys:
            self.extended(0x150, 0x03, "Q", int(function.keys["serial"], 16))
        if "sriov" in function.keys:
            self.sriov()
        if "acs" in function.keys:
            capable, control = (int(part, 16) for part in function.keys["acs"].split("/"))
            self.extended(0x230, 0x0d, "HH", capable, control)
        if "rebar" in function.keys:
            index, sizes = function.keys["rebar"].split(":")
            least, most = (size_of(part).bit_length() - 21 for part in sizes.split("-"))
            now = function.bars[int(index)][0].bit_length() - 21
            mask = (1 << most + 1) - (1 << least)
            self.extended(0x240, 0x15, "II", mask << 4 & 0xffffffff,
                          int(index) | 1 << 5 | now << 8 | mask >> 28 << 16)
        if "ats" in function.keys:
            self.extended(0x480, 0x0f, "HH", 0x20, 0x8000 if function.is_on("ats") else 0)

    def sriov(self):
        function = self.function
        total, part = function.keys["sriov"].split(":")
        given = len(function.virtual)
        self.extended(0x180, 0x10, "IHHHHHBxHHHHII", 0, 9 if given else 0, 0, int(total),
                      int(total), given, 0, 1, 1, 0,
                      int(self.host.parts[part]["id"].split(":")[1], 16), 0x553, 1)
        self.bars(0x1a4, {index - 7: self.host.virtual_bar(function, index)
                          for index in function.placed if index >= 7}, 7)
