# SPDX-License-Identifier: GPL-2.0-only
"""Reads NAME.host: a host's functions with the keys of their parts, and their addresses."""
import pathlib
import shlex
import sys

HERE = pathlib.Path(__file__).resolve().parent
ENDPOINT, ROOT, UPSTREAM, DOWNSTREAM, INTEGRATED = 0, 4, 5, 6, 9
PORTS = {"endpoint": ENDPOINT, "root": ROOT, "upstream": UPSTREAM, "downstream": DOWNSTREAM,
         "integrated": INTEGRATED}
KEYS = set("""id class rev sub port max link payload payload_set readreq order exttag tags10
    atomic flr msix aer acs ats serial rebar sriov vfs driver group node net rdma hca nvme rate
    model enable power reset errors iommu bar0 bar1 bar2 bar3 bar4 bar5 buses""".split())
SPEEDS = {"2.5": 1, "5": 2, "8": 3, "16": 4, "32": 5, "64": 6}
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
MIB = 1 << 20


def fail(text):
    sys.exit(f"captures/make: {text}")


def size_of(text):
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


def align(number, to):
    return (number + to - 1) // to * to


class Function:
    """A PCI function: its place, the keys of its line and its part, and derived values."""

    def __init__(self, bdf, keys, parent, bridge, physical=None):
        unknown = set(keys) - KEYS
        if unknown:
            fail(f"{bdf}: unknown keys: {' '.join(sorted(unknown))}")
        self.bdf, self.keys, self.parent, self.bridge = bdf, keys, parent, bridge
        self.physical, self.virtual, self.children = physical, [], []
        above = parent.path if parent else f"sys/devices/pci{bridge['name']}"
        self.path = f"{above}/{bdf}"
        self.vendor, self.device = (int(part, 16) for part in keys["id"].split(":"))
        self.sub = [int(part, 16) for part in keys.get("sub", "0:0").split(":")]
        self.pci_class, self.rev = int(keys["class"], 16), int(keys.get("rev", "0"), 16)
        self.type = PORTS.get(keys.get("port"))
        self.is_port = self.type in (ROOT, UPSTREAM, DOWNSTREAM)
        self.node = int(keys.get("node", bridge["node"]))
        self.driver = keys.get("driver", "none")
        self.bars = {int(key[3]): self.bar(value) for key, value in keys.items()
                     if key.startswith("bar")}
        self.placed, self.windows, self.payload, self.group = {}, {}, 128, None

    @staticmethod
    def bar(text):
        size, kind = text.split(":")
        return size_of(size), kind

    @property
    def bus(self):
        return int(self.bdf[5:7], 16)

    @property
    def devfn(self):
        return int(self.bdf[8:10], 16) << 3 | int(self.bdf[11])

    @property
    def buses(self):
        """Return the secondary and subordinate bus of a port."""
        if "buses" in self.keys:
            return tuple(int(part, 16) for part in self.keys["buses"].split("-"))
        if not self.children:
            return 0, 0
        below = [bus for child in self.children for bus in (child.bus, *child.buses)]
        return self.children[0].bus, max(below)

    def get(self, key, default=None):
        return self.keys.get(key, default)

    def is_on(self, key):
        return self.get(key) == "on"

    @property
    def max_link(self):
        speed, width = self.get("max", "2.5x1").split("x")
        return float(speed), int(width)

    @property
    def link(self):
        """Return speed and width of the link above the function, or of the link below a root or
        downstream port."""
        if self.type in (ROOT, DOWNSTREAM):
            return self.children[0].link if self.children else (2.5, 0)
        if self.physical:
            return 0, 0
        if "link" in self.keys:
            speed, width = self.keys["link"].split("x")
            return float(speed), int(width)
        above = self.parent.max_link if self.parent else self.max_link
        return min(above[0], self.max_link[0]), min(above[1], self.max_link[1])

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


class Host:
    """A host read from its description: functions, nodes, modules."""

    def __init__(self, lines, parts, otherwise):
        self.host, self.cpu, self.nodes, self.modules = {}, {}, [], []
        self.files, self.links = [], []
        self.bridges, self.functions, self.parts = [], [], parts
        self.otherwise = otherwise
        stack = []
        for number, line in enumerate(lines, 1):
            words = shlex.split(line, comments=True)
            if not words:
                continue
            depth = len(line) - len(line.lstrip())
            if depth:
                while stack and stack[-1][0] >= depth:
                    stack.pop()
                function = self.add(words, stack[-1][1] if stack else None, number)
                stack.append((depth, function))
            else:
                stack = []
                self.statement(words, number)
        if otherwise:
            fail(f"the host has no function {' '.join(otherwise)}")
        self.settle()

    def statement(self, words, number):
        keys = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        plain = [word for word in words[1:] if "=" not in word]
        if words[0] == "host":
            self.host = keys
        elif words[0] == "cpu":
            self.cpu = keys
        elif words[0] == "node":
            self.nodes.append({"number": int(plain[0]), **keys})
        elif words[0] == "module":
            self.modules.append((plain[0], "builtin" in plain, keys))
        elif words[0] == "file":
            self.files.append((words[1], words[2]))
        elif words[0] == "link":
            self.links.append((words[1], words[2]))
        elif words[0] == "bridge":
            self.bridges.append({"name": plain[0], "functions": [], **keys})
        else:
            fail(f"line {number}: unknown word {words[0]}")

    def add(self, words, parent, number):
        bridge = self.bridges[-1]
        bdf = f"{bridge['name'][:4]}:{words[0]}"
        if words[1] not in self.parts:
            fail(f"line {number}: unknown part {words[1]}")
        keys = {**self.parts[words[1]], **dict(word.split("=", 1) for word in words[2:]),
                **self.otherwise.pop(bdf, {})}
        function = Function(bdf, keys, parent, bridge)
        (parent.children if parent else bridge["functions"]).append(function)
        self.functions.append(function)
        for i in range(int(keys.get("vfs", 0))):
            self.add_virtual(function, i)
        return function

    def add_virtual(self, physical, i):
        routing = physical.bus << 8 | physical.devfn
        routing += 1 + i
        bdf = f"{physical.bdf[:4]}:{routing >> 8:02x}:{routing >> 3 & 31:02x}.{routing & 7}"
        part = self.parts[physical.keys["sriov"].split(":")[1]]
        keys = {**part, **self.otherwise.pop(bdf, {})}
        function = Function(bdf, keys, physical.parent, physical.bridge, physical)
        if physical.parent:
            physical.parent.children.append(function)
        physical.virtual.append(function)
        self.functions.append(function)

    def settle(self):
        self.functions.sort(key=lambda function: function.bdf)
        self.find_iommus()
        self.number_groups()
        self.place_all()

    def find_iommus(self):
        """Find the IOMMU of each bridge: AMD's are PCI functions, Intel's are not."""
        for i, bridge in enumerate(self.bridges):
            if "iommu" in bridge:
                bridge["iommu"] = f"sys/devices/virtual/iommu/{bridge['iommu']}"
            for function in bridge["functions"]:
                if function.is_on("iommu"):
                    bridge["iommu"] = f"{function.path}/iommu/ivhd{i}"

    def number_groups(self):
        """Number the IOMMU groups as described; each other function gets one of its own."""
        taken = {int(function.get("group")) for function in self.functions
                 if function.get("group", "none") != "none"}
        free = iter(set(range(len(self.functions) + len(taken))) - taken)
        for function in self.functions:
            if function.get("group") != "none":
                function.group = int(function.get("group") or next(free))

    def place_all(self):
        """Give BARs and windows their addresses, and set each Max_Payload_Size to the least that a
        function on the same path supports."""
        space = {"32": 0x80000000, "64": 1 << 42}
        for bridge in self.bridges:
            for function in bridge["functions"]:
                for kind in space:
                    space[kind] = self.place(function, kind, space[kind])
                below = [one for one in function.walk() if one.type is not None]
                least = min((int(one.get("payload", 128)) for one in below), default=128)
                for one in below:
                    one.payload = int(one.get("payload_set", least))

    def place(self, function, kind, at):
        """Give a function and all below it their addresses from @at on; return the end."""
        if function.physical:
            return at
        bars = sorted(((*bar, index) for index, bar in self.areas(function).items()), reverse=True)
        for size, how, index in bars:
            if (how == "64p") == (kind == "64"):
                start = align(at, size if index < 6 else self.virtual_bar(function, index)[0])
                function.placed[index] = (start, start + size - 1)
                at = start + size
        if not function.is_port:
            return at
        largest = max((size for child in function.children for one in child.walk()
                       for size, how in one.bars.values() if (how == "64p") == (kind == "64")),
                      default=0)
        start = end = align(at, max(largest, MIB))
        for child in function.children:
            end = self.place(child, kind, end)
        if end == start:
            return at
        end = align(end, MIB)
        function.windows[kind] = (start, end - 1)
        return end

    def virtual_bar(self, function, index):
        return Function.bar(self.parts[function.keys["sriov"].split(":")[1]][f"bar{index - 7}"])

    def areas(self, function):
        """Return its BARs, and from 7 on those of its virtual functions, as the kernel counts."""
        areas = dict(function.bars)
        if "sriov" in function.keys:
            total, part = function.keys["sriov"].split(":")
            for key in self.parts[part]:
                if key.startswith("bar"):
                    size, kind = self.virtual_bar(function, int(key[3]) + 7)
                    areas[int(key[3]) + 7] = (size * int(total), kind)
        return areas


def read_parts():
    parts, name = {}, None
    for line in (HERE / "parts").read_text(encoding="ascii").splitlines():
        words = shlex.split(line, comments=True)
        if words and not line[0].isspace():
            name, words = words[0], words[1:]
            parts[name] = {}
        if words:
            parts[name].update(word.split("=", 1) for word in words)
    return parts
