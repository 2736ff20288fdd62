# SPDX-License-Identifier: GPL-2.0-only
"""Splits dumps at every place at which a reader's buffer can make the kernel split them.
Arguments: BDF…, kernel source."""
import itertools
import os
import struct
import sys

import family as tool
from family import BDFS, NlAttrs, check, family, peers, set_policy

SMALLEST = 3840  # about what the kernel gives a page of a dump at least
DONE, ERROR = 3, 2
DUMP = 0x301
PEERS = peers(*(number for device in range(16) for number in (2, 0x15b31000 + device)))


def attributes(payload):
    """Returns (type, value) of each attribute."""
    return [(attribute.type, attribute.raw) for attribute in NlAttrs(payload)]


class Dumps:
    """Dumps of one command, through a socket whose buffer the caller chooses."""

    def __init__(self, ynl, name):
        self.sock = ynl.sock
        operation = ynl.ops[name]
        self.request = struct.pack("IHHII", 20, ynl.nlproto.family_id, DUMP, 7, 0)
        self.request += struct.pack("BBH", operation.req_value, 1, 0)

    def read(self, room):
        """Returns the messages, and the number of bytes of each page."""
        messages, pages = [], []
        self.sock.send(self.request)
        while True:
            page = self.sock.recv(room)
            at = 0
            while at < len(page):
                length, kind = struct.unpack_from("IH", page, at)
                if kind == ERROR:
                    number = struct.unpack_from("i", page, at + 16)[0]
                    if number:
                        raise OSError(-number, "dump")
                if kind in (DONE, ERROR):
                    return messages, tuple(pages)
                messages.append(attributes(page[at + 20:at + length]))
                at += (length + 3) & ~3
            pages.append(at)


def difference(wanted, found):
    """Returns the index of the first difference of two dumps, and the attributes that differ."""
    for index, pair in enumerate(itertools.zip_longest(wanted, found)):
        if pair[0] != pair[1]:
            return index, *([a for a in one or () if a not in (other or ())]
                            for one, other in (pair, pair[::-1]))
    return None


# The time of the module's last look (INSTINCT_VFIO_A_ISO_LOOKED), which may look between two dumps.
LOOKED = 13


def lasting(name, messages):
    return messages if name != "isolation-get" else [
        [pair for pair in message if pair[0] != LOOKED] for message in messages]


def cut_everywhere(name, span, ways=2):
    whole = lasting(name, Dumps(family(), name).read(1 << 15)[0])
    dumps = Dumps(family(), name)
    places, differing = set(), []
    for room in range(SMALLEST, SMALLEST + span, 4):
        found, pages = dumps.read(room)
        found = lasting(name, found)
        places.add(pages)
        if found != whole:
            differing.append((room, difference(whole, found)))
    check(f"{name}: the dump is the same wherever it is split", not differing,
          f"{len(differing)} of {span // 4} differ, the first with {differing[:1]}")
    check(f"{name}: the dump was split after different messages",
          len(places) >= ways and all(len(pages) > 1 for pages in places), places)


def others():
    """Yields the endpoints other than GPUs that a policy can name: NICs."""
    for bdf in sorted(os.listdir("/sys/bus/pci/devices")):
        with open(f"/sys/bus/pci/devices/{bdf}/class", encoding="ascii") as file:
            if file.read().startswith("0x02"):
                yield bdf


def main():
    ynl = family()
    for bdf in BDFS:
        set_policy(ynl, {"bdf": bdf, "acs": "vm-p2p", "ats": "preferred", "peer": PEERS})
        ynl.do("reset", {"bdf": bdf, "method": "quiesce"})
        for sensor in ("hotspot", "memory", "board"):
            ynl.do("alarm", {"bdf": bdf, "kind": "thermal-critical", "sensor": sensor, "source": "ipmi",
                             "temperature": 110000, "alarm": "critical", "threshold": 105000})
    for bdf in others():
        set_policy(ynl, {"bdf": bdf, "ats": "preferred", "peer": PEERS})
    cut_everywhere("dev-get", 2000)
    cut_everywhere("isolation-get", 600)
    cut_everywhere("event-get", 1600)
    # policy-get has the policies of other endpoints, and of GPUs once the driver does not have them.
    for bdf in BDFS:
        with open("/sys/bus/pci/drivers/instinct_vfio_pci/unbind", "w", encoding="ascii") as file:
            file.write(bdf)
    cut_everywhere("policy-get", 1000)
    return tool.failures


if __name__ == "__main__":
    sys.exit(bool(main()))
