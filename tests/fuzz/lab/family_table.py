#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the family's commands and the attributes of their requests as C tables. The tables come
from the specification, so the fuzzer covers each new command at once."""
import pathlib
import sys

import yaml

SPEC = pathlib.Path(__file__).resolve().parents[3] / "include/uapi/instinct_vfio.yaml"
FORM = {"u32": "NUMBER", "s32": "NUMBER", "u64": "LONG", "string": "TEXT", "flag": "FLAG",
        "binary": "PEERS", "nest": "NEST", "pad": "FLAG"}


def identifier(name):
    return name.replace("-", "_")


def attribute(number, entry, spec):
    """A row of a table: the attribute's type, its kind, and the least and greatest number."""
    checks = entry.get("checks", {})
    enum = next((d for d in spec["definitions"] if d["name"] == entry.get("enum")), None)
    low = checks.get("min", 0)
    high = checks.get("max", len(enum["entries"]) - 1 if enum else 0)
    nested = f'&set_{identifier(entry["nested-attributes"])}' if entry["type"] == "nest" else "NULL"
    return (f'\t{{ {number}, "{entry["name"]}", FORM_{FORM[entry["type"]]}, '
            f'{low}u, {high}u, {nested} }},')


def requests(operation):
    """The operation's modes (do, dump), each with the attributes of its request."""
    for mode in ("do", "dump"):
        if mode in operation:
            yield mode, operation[mode].get("request", {}).get("attributes", [])


def main():
    spec = yaml.safe_load(SPEC.read_text())
    sets = {s["name"]: s["attributes"] for s in spec["attribute-sets"]}
    wanted, queue = [], []
    rows = []
    for command, operation in enumerate(spec["operations"]["list"], 1):
        name = operation.get("attribute-set")
        queue += [name] if name else []
        for mode, asks in requests(operation):
            mask = sum(1 << number for number, entry in enumerate(sets.get(name, []), 1)
                       if entry["name"] in asks)
            rows.append("\t{{ {}, {}, {}, {}, {}, {:#x} }},".format(
                command, f'"{operation["name"]}"', "true" if mode == "dump" else "false",
                "true" if "admin-perm" in operation.get("flags", []) else "false",
                f"&set_{identifier(name)}" if name else "NULL", mask))
    while queue:
        name = queue.pop()
        if name in wanted:
            wanted.remove(name)
        wanted.append(name)
        queue += [a["nested-attributes"] for a in sets[name] if a["type"] == "nest"]
    for name in reversed(wanted):
        print(f"static const struct form rows_{identifier(name)}[] = {{")
        for number, entry in enumerate(sets[name], 1):
            print(attribute(number, entry, spec))
        print("};\n")
        print(f"static const struct form_set set_{identifier(name)} = "
              f"{{ rows_{identifier(name)}, {len(sets[name])} }};\n")
    print("const struct operation operations[] = {")
    print("\n".join(rows))
    print("};")
    return 0


if __name__ == "__main__":
    sys.exit(main())
