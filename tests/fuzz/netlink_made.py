#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints whole messages for the fuzzer to start from, as the lines of a C table.

The table has the requests and replies of each operation in the family's specification, with all
their attributes, so the fuzzer covers additions to the family at once. It also has netlink's own
messages: the family's number, acknowledgements, ends of dumps.
"""
import pathlib
import struct
import sys

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
SPEC = TOP / "include/uapi/instinct_vfio.yaml"
FAMILY_ID = 0x20
# From linux/netlink.h and linux/genetlink.h.
ERROR, DONE, CTRL = 2, 3, 16
CAPPED, ACK_TLVS = 0x100, 0x200
NEWFAMILY, DELFAMILY = 1, 2
NESTED = 0x8000
# Values of the texts for which a parser requires a form.
TEXTS = {"hotspot-mmio": "5:0x59800", "memory-mmio": "none",
         "model": "MI300X", "family": "mi300x", "version": "0.1.0"}
NUMBERS = {"u8": "=B", "u16": "=H", "u32": "=I", "s32": "=i", "u64": "=Q"}


def attribute(kind, payload):
    """One attribute, with its padding."""
    length = 4 + len(payload)
    return struct.pack("=HH", length, kind) + payload + bytes(-length % 4)


def attributes(sets, name, wanted=None):
    """The wanted attributes of a set (by default all but padding), twice if they may repeat."""
    data = b""
    for kind, entry in enumerate(sets[name], 1):
        if entry["type"] in ("pad", "unused") or (wanted and entry["name"] not in wanted):
            continue
        if entry["type"] == "nest":
            one = attribute(NESTED | kind, attributes(sets, entry["nested-attributes"]))
        elif entry["type"] == "binary":
            one = attribute(kind, struct.pack("=8Q", *range(1, 9)) if entry["name"] == "phases" else
                            struct.pack("=II", 2, 0x15b31021))
        elif entry["type"] == "string":
            text = TEXTS.get(entry["name"], "0000:c1:00.0")
            one = attribute(kind, text.encode() + b"\0")
        elif entry["type"] == "flag":
            one = attribute(kind, b"")
        else:
            one = attribute(kind, struct.pack(NUMBERS[entry["type"]], kind))
        data += one * (2 if entry.get("multi-attr") else 1)
    return data


def netlink(kind, flags, payload):
    """A netlink message."""
    return struct.pack("=IHHII", 16 + len(payload), kind, flags, 1, 0) + payload


def generic(kind, command, data):
    """A generic netlink message."""
    return netlink(kind, 0, struct.pack("=BBH", command, 1, 0) + data)


def control():
    """Yields name and bytes of each of netlink's own messages."""
    group = attribute(1, b"events\0") + attribute(2, struct.pack("=I", 7))
    family = (attribute(2, b"instinct_vfio\0") +
              attribute(1, struct.pack("=H", FAMILY_ID)) +
              attribute(3, struct.pack("=I", 1)) +
              attribute(NESTED | 7, attribute(NESTED | 1, group)))
    yield "the family", generic(CTRL, NEWFAMILY, family)
    yield "the family is removed", generic(CTRL, DELFAMILY, family)

    words = attribute(1, b"it is open\0") + attribute(2, struct.pack("=I", 20))
    refused = struct.pack("=i", -16)
    request = struct.pack("=IHHII", 20, FAMILY_ID, 5, 1, 0)
    yield "acknowledged", netlink(ERROR, CAPPED, struct.pack("=i", 0) + request)
    yield "refused", netlink(ERROR, CAPPED | ACK_TLVS, refused + request + words)
    yield "refused, with the request", netlink(
        ERROR, ACK_TLVS, refused + request + bytes(4) + words)
    yield "end of a dump", netlink(DONE, ACK_TLVS, refused + words)


def messages(spec):
    """Yields name and bytes of each message of the family."""
    sets = {s["name"]: s["attributes"] for s in spec["attribute-sets"]}
    for command, operation in enumerate(spec["operations"]["list"], 1):
        # A notification equals another operation's reply, or has attributes of its own.
        for mode in ("do", "dump", "event"):
            part = operation.get(mode, {})
            if mode == "event" and part:
                part = {"reply": part}
            for way in ("request", "reply"):
                if way in part:
                    yield (f'{operation["name"]} {mode} {way}', generic(
                        FAMILY_ID, command, attributes(sets, operation["attribute-set"],
                                            part[way].get("attributes"))))


def main():
    seen = set()
    spec = yaml.safe_load(SPEC.read_text())
    for name, data in [*control(), *messages(spec)]:
        if data in seen:
            continue
        seen.add(data)
        print(f"/* {name} */\n{{ {len(data)}, {{")
        for at in range(0, len(data), 16):
            print("\t" + ", ".join(f"0x{byte:02x}" for byte in data[at:at + 16]) + ",")
        print("} },")
    return 0


if __name__ == "__main__":
    sys.exit(main())
