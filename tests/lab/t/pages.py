# SPDX-License-Identifier: GPL-2.0-only
"""Dumps, cut at every place that a reader's buffer can make them be cut at. Arguments:
BDF…, kernel source."""
import itertools
import os
import struct
import sys

import family as tool
from family import BDFS, NlAttrs, check, family

SMALLEST = 3840  # about what the kernel gives a page of a dump at least
DONE, ERROR = 3, 2
DUMP = 0x301
PEERS = " ".join(f"15b3:10{device:02x}" for device in range(16))


def attributes(payload):
    """(type, value) of each."""
    return [(attribute.type, attribute.raw) for attribute in NlAttrs(payload)]


class Dumps:
    """One command's, by a socket that reads with a larger buffer each time."""

    def __init__(self, ynl, name):
        self.sock = ynl.sock
        operation = ynl.ops[name]
        self.request = struct.pack("IHHII", 20, ynl.nlproto.family_id, DUMP, 7, 0)
        self.request += struct.pack("BBH", operation.req_value, 1, 0)

    def read(self, room):
        """What is told, and how many bytes of it came at a time."""
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
    """Where two dumps differ first."""
    for index, pair in enumerate(itertools.zip_longest(wanted, found)):
        if pair[0] != pair[1]:
            return index, *([a for a in one or () if a not in (other or ())]
                            for one, other in (pair, pair[::-1]))
    return None


def cut_everywhere(name, span, ways=2):
    whole, _ = Dumps(family(), name).read(1 << 15)
    dumps = Dumps(family(), name)
    places, differing = set(), []
    for room in range(SMALLEST, SMALLEST + span, 4):
        found, pages = dumps.read(room)
        places.add(pages)
        if found != whole:
            differing.append((room, difference(whole, found)))
    check(f"{name}: the same, however it is cut", not differing,
          f"{len(differing)} of {span // 4} differ, the first with {differing[:1]}")
    check(f"{name}: it was cut after different messages",
          len(places) >= ways and all(len(pages) > 1 for pages in places), places)


def others():
    """Endpoints that are no GPUs, of which policy can be told too: NICs."""
    for bdf in sorted(os.listdir("/sys/bus/pci/devices")):
        with open(f"/sys/bus/pci/devices/{bdf}/class", encoding="ascii") as file:
            if file.read().startswith("0x02"):
                yield bdf


def main():
    ynl = family()
    for bdf in BDFS:
        ynl.do("policy-set", {"bdf": bdf, "acs": "vm-p2p", "ats": "preferred", "peer": PEERS})
        ynl.do("reset", {"bdf": bdf, "method": "quiesce"})
        for sensor in ("hotspot", "memory", "board"):
            ynl.do("alarm", {"bdf": bdf, "kind": "thermal-critical", "sensor": sensor, "source": "ipmi",
                             "temperature": 110000, "alarm": "critical", "threshold": 105000})
    for bdf in others():
        ynl.do("policy-set", {"bdf": bdf, "ats": "preferred", "peer": PEERS})
    cut_everywhere("dev-get", 2000)
    # Policies of eight GPUs fit in the smallest page: it is cut between these and others only.
    cut_everywhere("policy-get", 1000, ways=1)
    cut_everywhere("isolation-get", 600)
    cut_everywhere("event-get", 1600)
    return tool.failures


if __name__ == "__main__":
    sys.exit(bool(main()))
