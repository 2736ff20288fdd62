# SPDX-License-Identifier: GPL-2.0-only
"""Drives the netlink family with the kernel's YNL client. Arguments: BDF, kernel source."""
import ctypes
import errno
import os
import struct
import subprocess
import sys

import family as tool
from family import (BDF, NlError, attr, blamed, check, encode, family, nest, peers, policy_of, raw,
                    refused, send, set_model, set_policy)


def main():
    ynl = family()

    info = ynl.do("info-get", {})
    check("info-get returns the module's state", info["epoch"] and info["newest-seq"] >= 1 and "policy-required" not in info, info)

    dev = ynl.do("dev-get", {"bdf": BDF})
    check("dev-get returns the device", dev["bdf"] == BDF and dev["model"] == "MI300X" and dev["state"] == "ready", dev)
    check("dev-get: the device has a serial number", dev["serial"] != 0, dev)
    check("a dump of dev-get returns the same device", ynl.dump("dev-get", {}) == [dev])
    policy = policy_of(ynl, BDF)
    check("dev-get returns the default policy", policy["method"] == "auto" and policy["ready-timeout"] == 0 and
          "set" not in policy, policy)
    check("policy-get has no policy of a GPU that the driver has", ynl.dump("policy-get", {}) == [])
    newest = ynl.do("info-get", {})["newest-seq"]

    set_policy(ynl, {"bdf": BDF, "ready-timeout": 5000, "method": "quiesce"})
    changed = policy_of(ynl, BDF)
    policy["set"] = True
    check("policy-apply changes the given keys and marks the policy as set",
          changed == {**policy, "ready-timeout": 5000, "method": "quiesce"}, changed)
    set_policy(ynl, {"bdf": BDF, "defaults": True})
    check("policy-apply to the defaults keeps the policy marked as set", policy_of(ynl, BDF) == policy)
    set_policy(ynl, {"bdf": BDF, "defaults": True})
    check("an unchanged policy causes no event",
          [e["kind"] for e in ynl.dump("event-get", {"seq": newest + 1})] == ["policy-applied"] * 2)

    listener = family()
    listener.ntf_subscribe("events")
    done = ynl.do("reset", {"bdf": BDF})
    check("reset returns its method and duration", done["method"] == "mode1" and done["duration"] > 100_000_000, done)
    listener.check_ntf()
    events = []
    while not listener.async_msg_queue.empty():
        events.append(listener.async_msg_queue.get()["msg"])
    check("events: the reset has begun and is done, with phases",
          [e["kind"] for e in events] == ["reset-begun", "reset-done"] and
          events[1]["cause"] == "netlink" and events[1]["state"] == "ready" and
          {name for name, duration in zip(ynl.consts["phase"].entries, events[1]["phases"]) if duration} >=
          {"quiesce", "trigger", "ready", "liveness"}, events)
    check("events: a replay returns the same ones",
          ynl.dump("event-get", {"seq": events[0]["seq"]}) == events)
    refused("a release of a device that is not quarantined", errno.EINVAL, "the device is not quarantined: nothing to release",
            ynl.do, "release", {"bdf": BDF})
    refused("a release of a method that has not lost the device", errno.EINVAL, "no method has lost the device: nothing to forgive",
            ynl.do, "release", {"bdf": BDF, "lost-by": 1 << 1})
    refused("a release of no method", errno.ERANGE, "out of range", ynl.do, "release", {"bdf": BDF, "lost-by": 0})

    absent = "0000:fe:1f.7"
    refused("dev-get of an absent device", errno.ENODEV, "no such device", ynl.do, "dev-get", {"bdf": absent})
    refused("a reset without a device", errno.EINVAL, "the device is missing: give its bdf, such as 0000:c1:00.0",
            ynl.do, "reset", {})
    refused("a device's name that is too long", errno.EINVAL, "policy validation", ynl.do, "dev-get", {"bdf": "0" * 64})
    for key, value, text in (
            ("ready-timeout", 999, "1000 to 600000"), ("ready-timeout", 600001, "1000 to 600000"),
            ("mailbox", 2, "mailbox"), ("mailbox", 0xfffffffc, "mailbox")):
        refused(f"policy-apply {key}={value}", errno.ERANGE, text,
                set_policy, ynl, {"bdf": BDF, key: value})

    isolation_checks(ynl, policy)
    alarm_checks(ynl)
    stats_checks(ynl)
    apply_checks(ynl, policy)
    privilege_checks(ynl, policy)
    raw_checks(ynl)
    many_resets(ynl)
    check("the policy is unchanged", policy_of(ynl, BDF) == policy)
    return tool.failures


def many_resets(ynl):
    """More resets at once than the module keeps: each gets an answer, the last ones at once."""
    set_model(BDF, "ready_ms=5000")
    attributes = ynl.attr_sets["reset"]
    # Without a method by name the second reset would be spared.
    message = raw(ynl, ynl.ops["reset"].req_value,
                  attr(attributes["bdf"].value, BDF.encode() + b"\0") +
                  attr(attributes["method"].value, struct.pack("I", 1)))
    for _ in range(40):
        ynl.sock.send(message)
    set_model(BDF, "ready_ms=100")
    found = []
    while len(found) < 40:
        found += [(number, extack.get("msg")) for number, extack in tool.answers(ynl)]
    full = (errno.EBUSY, "too many resets are asked for already; wait for one of them")
    check("40 resets at once: the module keeps 32 and refuses the others", found[:8] == [full] * 8 and
          full not in found[8:], found)
    check("each of the 32 is done, or refused because another is under way",
          {number for number, _ in found[8:]} <= {0, errno.EBUSY} and (0, None) in found, found)


def isolation_checks(ynl, policy):
    for key, value, text in (
            ("acs-root-port", 0x2000, "0x1fff"), ("check-interval", 99, "100 to 3600000")):
        refused(f"policy-apply {key}={value}", errno.ERANGE, text,
                set_policy, ynl, {"bdf": BDF, key: value})
    for what, values in (("an unknown kind", (3, 0x15b31021)), ("half of a pair", (2,)),
                         ("a second one of an unknown kind", (2, 0x15b31021, 0xffffffff, 0))):
        refused(f"a peer of {what}", errno.EINVAL, "peer must be pairs of a kind and a value", set_policy, ynl,
                {"bdf": BDF, "peer": peers(*values)})
    refused("a loss of isolation", errno.EINVAL, "allow_isolation_loss", set_policy, ynl, {"bdf": BDF, "acs": "bare-metal"})
    check("isolation-get: no port is ruled", ynl.dump("isolation-get", {}) == [])
    set_policy(ynl, {"bdf": BDF, "acs": "vm-p2p", "ats": "preferred"})
    check("isolation-check succeeds", ynl.do("isolation-check", {}) is None)
    items = ynl.dump("isolation-get", {})
    check("isolation-get returns ports and functions",
          {i.get("role") for i in items if "role" in i} >= {"root-port", "downstream", "package"} and
          any(i.get("of") == BDF for i in items), items)
    check("isolation-get: each port holds the wanted value", all(i["found"] == i["wanted"] for i in items if "role" in i), items)
    port = items[0]["bdf"]
    refused("policy-apply of a port", errno.ENODEV, "no such endpoint", set_policy, ynl, {"bdf": port, "acs": "vm"})
    beside = [i["bdf"] for i in items if i.get("of") == BDF and i["bdf"] != BDF][0]
    refused("a GPU's key for another endpoint", errno.ENODEV, "only ACS and ATS", set_policy, ynl, {"bdf": beside, "method": "bus"})
    set_policy(ynl, {"bdf": beside, "ats": "preferred"})
    check("policy-get returns another endpoint's policy",
          [(p["bdf"], p["ats"]) for p in ynl.dump("policy-get", {})] == [(beside, "preferred")])
    for bdf in (beside, BDF):
        set_policy(ynl, {"bdf": bdf, "defaults": True})
    check("no policy is left", ynl.dump("policy-get", {}) == [] and policy_of(ynl, BDF) == policy and ynl.dump("isolation-get", {}) == [])


def alarm_checks(ynl):
    def alarm(**more):
        request = {"bdf": BDF, "kind": "thermal-warning", "sensor": "hotspot", "source": "ipmi",
                   "temperature": 101000, "alarm": "warning", "threshold": 100000, **more}
        return ynl.do("alarm", {key: value for key, value in request.items() if value is not None})

    before = ynl.do("info-get", {})["newest-seq"]
    refused("an alarm of an absent device", errno.ENODEV, "no such device", lambda: alarm(bdf="0000:fe:1f.7"))
    refused("an alarm without a device", errno.EINVAL, "bdf", lambda: alarm(bdf=None))
    for key in ("kind", "sensor", "source", "temperature", "alarm", "threshold"):
        refused(f"an alarm without {key}", errno.EINVAL,
                "an alarm needs kind, sensor, source, temperature, alarm and threshold",
                lambda k=key: alarm(**{k: None}))
    for kind in ("device-added", "ats-unmet", "open-refused"):
        refused(f"an alarm of kind {kind}", errno.ERANGE, "out of range", lambda k=kind: alarm(kind=k))
    for key in ("temperature", "threshold"):
        for value in (-60001, 250001, 2**31 - 1, -2**31):
            refused(f"a {key} of {value}", errno.ERANGE, "out of range", lambda k=key, v=value: alarm(**{k: v}))
    refused("a reason that is too long", errno.EINVAL, "", lambda: alarm(reason="x" * 96))
    refused("an event number from the sender", errno.EINVAL, "", lambda: alarm(seq=7))
    check("refused alarms cause no event", ynl.do("info-get", {})["newest-seq"] == before)

    alarm()
    alarm(kind="thermal-critical", alarm="critical", sensor="memory", source="hwmon",
          temperature=-60000, threshold=250000)
    alarm(kind="thermal-cleared", alarm="critical", source="redfish", reason="x" * 95)
    alarm(kind="thermal-stale", alarm="none", threshold=0)
    alarm(kind="thermal-fresh", alarm="none", threshold=0, sensor="board")
    events = ynl.dump("event-get", {"seq": before + 1})
    check("alarms are numbered events in the ring", [e["seq"] for e in events] == list(range(before + 1, before + 6)), events)
    check("the events repeat the alarms as they were sent",
          [(e["kind"], e["sensor"], e["source"], e["temperature"], e["alarm"], e["threshold"], e["reason"])
           for e in events] ==
          [("thermal-warning", "hotspot", "ipmi", 101000, "warning", 100000, ""),
           ("thermal-critical", "memory", "hwmon", -60000, "critical", 250000, ""),
           ("thermal-cleared", "hotspot", "redfish", 101000, "critical", 100000, "x" * 95),
           ("thermal-stale", "hotspot", "ipmi", 101000, "none", 0, ""),
           ("thermal-fresh", "board", "ipmi", 101000, "none", 0, "")], events)
    check("the events name their device", all(e["bdf"] == BDF and e["state"] == "ready" for e in events), events)


def stats_checks(ynl):
    host, dev = ynl.dump("stats-get", {})
    resets = {(r["method"], r["cause"], r["result"]): r["count"] for r in dev["reset"]}
    events = {e["event"]: e["count"] for e in dev["event"]}
    check("stats-get: one reset was counted", dev["bdf"] == BDF and resets == {("mode1", "netlink", "done"): 1}, resets)
    check("stats-get: events were counted", events["reset-done"] == 1 and events["thermal-critical"] == 1, events)
    newest = ynl.do("info-get", {})["newest-seq"]
    check("stats-get counts each event once", sum(events.values()) == newest, (events, newest))
    duration = host["duration"][0]
    check("stats-get: one duration was counted", len(host["duration"]) == 1 and duration["count"] == 1 and
          100_000_000 < duration["sum"] < 600_000_000_000, host)
    check("stats-get: each phase was counted once", len(host["phase"]) == 6 and all(p["count"] == 1 for p in host["phase"]), host)
    check("stats-get has the time of the last policy", dev["policy-time"] > 1_600_000_000, dev)


def apply_checks(ynl, policy):
    port = os.path.realpath(f"/sys/bus/pci/devices/{BDF}").split("/")[4]
    nic = other_endpoint()
    newest = ynl.do("info-get", {})["newest-seq"]
    whole = {"bdf": BDF, "defaults": True, "ready-timeout": 7000}
    names = ynl.attr_sets["policy"]

    for what, policies, number, text, culprit in (
            ("no policy", [], errno.EINVAL, "no policy is given: give one for each device", (None, None)),
            ("a policy without a device", [whole, {"defaults": True}], errno.EINVAL, "missing", (1, None)),
            ("a device named twice", [whole, {"bdf": BDF}], errno.EEXIST, "the device is named twice", (1, "bdf")),
            ("an unknown device", [whole, {"bdf": "0000:fe:1f.7", "defaults": True}],
             errno.ENODEV, "there is no such endpoint", (1, "bdf")),
            ("an unknown device with a pending policy", [whole, {"bdf": "0000:fe:1f.7", "pending": True}],
             errno.ENODEV, "there is no such device", (1, "bdf")),
            ("a pending policy for a device that is no GPU", [whole, {"bdf": nic, "pending": True}],
             errno.ENODEV, "knows, and this device is none", (1, "bdf")),
            ("a port", [whole, {"bdf": port, "acs": "vm"}], errno.ENODEV, "no such endpoint", (1, "bdf")),
            ("a GPU's key for a NIC", [whole, {"bdf": nic, "ats": "preferred", "method": "quiesce"}],
             errno.ENODEV, "only ACS and ATS", (1, "method")),
            ("a value out of range", [{"bdf": nic, "ats": "preferred"}, {**whole, "ready-timeout": 3}],
             errno.ERANGE, "1000 to 600000", (1, "ready-timeout")),
            ("an invalid list of peers", [{"bdf": nic, "peer": peers(3, 0)}, whole], errno.EINVAL, "peer", (0, "peer")),
            ("a mailbox outside the BAR", [{**whole, "mailbox": 0x80000}],
             errno.ERANGE, "inside the register BAR", (0, "mailbox")),
            ("a loss of isolation, found after the first policy", [{"bdf": nic, "ats": "preferred"},
                                                 {**whole, "acs": "bare-metal"}],
             errno.EINVAL, "allow_isolation_loss", (1, None)),
            ("more than 256 policies", [{"bdf": BDF}] * 257, errno.E2BIG,
             "one request can have at most 256 policies", (None, None))):
        message = encode(ynl, policies)
        found, extack = send(ynl, message)
        index, kind = blamed(message, extack)
        name = names.attrs_by_val[kind].name if kind else None
        check(f"policy-apply: {what}", (found, index, name) == (number, *culprit) and
              text in extack.get("msg", ""), f"errno {found}, {extack}: policy {index}, {name}")
    check("refused requests change no policy", ynl.dump("policy-get", {}) == [] and policy_of(ynl, BDF) == policy and
          ynl.dump("isolation-get", {}) == [])
    kinds = [e["kind"] for e in ynl.dump("event-get", {"seq": newest + 1})]
    check("each refusal is an event of the GPU whose policy is wrong", set(kinds) == {"policy-rejected"}, kinds)

    check("policy-apply of a GPU and a NIC", ynl.do("policy-apply", {"policy": [
        whole, {"bdf": nic, "ats": "preferred", "peer": peers()}]}) is None)
    found = ynl.dump("policy-get", {})
    check("both policies are in force", policy_of(ynl, BDF) == {**policy, "ready-timeout": 7000} and
          [(p["bdf"], p["ats"], p["set"]) for p in found] == [(nic, "preferred", True)], found)
    refused("a value out of range again", errno.ERANGE, "overlap", ynl.do, "policy-apply",
            {"policy": [{"bdf": BDF, "overlap": 9}]})
    ynl.do("policy-apply", {"policy": [{"bdf": BDF, "defaults": True, "pending": True},
                                       {"bdf": nic, "defaults": True}]})
    check("policy-apply sets a policy at once that need not wait",
          policy_of(ynl, BDF) == policy and ynl.dump("policy-get", {}) == [], ynl.dump("policy-get", {}))


def raw_checks(ynl):
    """Sends malformed messages, which the client would not build, and expects a refusal."""
    bdf = attr(1, BDF.encode() + b"\0")

    def alarm(kind=22, sensor=0, source=0, **more):
        numbers = {4: kind, 19: sensor, 20: source, 21: 101000, 22: more.get("alarm", 1), 23: 100000}
        return attr(5, BDF.encode() + b"\0") + b"".join(attr(t, struct.pack("I", n)) for t, n in numbers.items())

    apply, reset = 4, 5

    def policy(payload=b""):
        return nest(1, bdf + payload)

    for what, command, payload, number in (
            ("an unknown attribute", apply, policy(attr(99, b"\0" * 4)), errno.EINVAL),
            ("an attribute too short", apply, policy(attr(3, b"\0\0")), errno.EINVAL),
            ("an attribute past the end", apply, policy(struct.pack("HH", 64, 3)), errno.EINVAL),
            ("a name without its end", apply, nest(1, attr(1, b"0" * 24)), errno.EINVAL),
            ("method out of range", apply, policy(attr(3, struct.pack("I", 99))), errno.ERANGE),
            ("tenancy out of range", apply, policy(attr(4, struct.pack("I", 2))), errno.ERANGE),
            ("a half-valid policy", apply,
             policy(attr(3, struct.pack("I", 1)) + attr(5, struct.pack("I", 7))), errno.ERANGE),
            ("acs out of range", apply, policy(attr(14, struct.pack("I", 4))), errno.ERANGE),
            ("ats out of range", apply, policy(attr(21, struct.pack("I", 3))), errno.ERANGE),
            ("half a number of a peer", apply, policy(attr(23, bytes(10))), errno.EINVAL),
            ("17 peers", apply, policy(attr(23, struct.pack("II", 2, 0x15b31021) * 17)), errno.ERANGE),
            ("an alarm of an unknown kind", 11, alarm(kind=1000), errno.ERANGE),
            ("an alarm of an unknown sensor", 11, alarm(sensor=3), errno.ERANGE),
            ("an alarm of an unknown source", 11, alarm(source=4), errno.ERANGE),
            ("an alarm with an unknown threshold", 11, alarm(alarm=3), errno.ERANGE),
            ("an alarm's temperature too short", 11, alarm() + attr(21, b"\0\0"), errno.EINVAL),
            ("an alarm's reason without its end", 11, alarm() + attr(13, b"x" * 96), errno.EINVAL),
            ("a policy that is not nested", apply, bdf, errno.EINVAL),
            ("a nest without the nested flag", apply, attr(1, bdf), errno.EINVAL),
            ("an empty nest", apply, nest(1, b""), errno.EINVAL),
            ("a nest past the end", apply, struct.pack("HH", 200, 0x8001) + bdf, errno.EINVAL),
            ("a nest in a nest", apply, nest(1, bdf + nest(1, bdf)), errno.EINVAL),
            ("an unknown attribute in a nest", apply, nest(1, bdf + attr(99, b"\0" * 4)), errno.EINVAL),
            ("an attribute that only the module may send", apply, nest(1, bdf + attr(25, b"")), errno.EINVAL),
            ("a flag with a value", apply, nest(1, bdf + attr(24, b"\0" * 4)), errno.ERANGE),
            ("a short second nest of two", apply, nest(1, bdf) + nest(1, bdf + attr(3, b"\1")),
             errno.EINVAL),
            ("10 kB of nests, the last of which is short", apply, nest(1, bdf + attr(23, bytes(8))) * 200 +
             nest(1, bdf + attr(3, b"\1")), errno.EINVAL),
            ("garbage", apply, bytes(range(256)) * 40, errno.EINVAL),
            ("zeroes", apply, bytes(8192), errno.EINVAL),
            ("a reset by an unknown method", reset, bdf + attr(2, struct.pack("I", 5)), errno.ERANGE),
            ("a reset with a ready_timeout out of range", reset, bdf + attr(8, struct.pack("I", 999)), errno.ERANGE),
            ("a bus reset at an unknown port", reset, bdf + attr(9, struct.pack("I", 2)), errno.ERANGE),
            ("an unknown command", 200, b"", errno.EOPNOTSUPP)):
        found, _ = send(ynl, raw(ynl, command, payload))
        check(f"refused: {what}", found == number, f"found {found}, wanted {number}")


def other_endpoint():
    """Returns the BDF of a NIC, which is neither a GPU nor bound to the module."""
    return [b for b in os.listdir("/sys/bus/pci/devices")
            if open(f"/sys/bus/pci/devices/{b}/class", encoding="ascii").read().startswith("0x02")][0]


CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
PR_SET_KEEPCAPS, PR_SET_NAME = 8, 15
CLONE_NEWUSER = 0x10000000


def only(capability):
    """Drops root and keeps only CAPABILITY."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    mask = 1 << capability
    if libc.capset(struct.pack("Ii", 0x20080522, 0), struct.pack("6I", mask, mask, 0, 0, 0, 0)):
        raise OSError(ctypes.get_errno(), "capset")


def in_child(run, *args):
    """Calls RUN in a child process, adds its failure to the count, and returns its pid."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        failed = True
        try:
            run(*args)
            failed = bool(tool.failures)
        finally:
            sys.stdout.flush()
            os._exit(failed)  # pylint: disable=protected-access
    tool.failures += bool(os.waitpid(child, 0)[1])
    return child


def all_refused(who):
    ynl = family()
    requests = {"reset": {"bdf": BDF},
                "policy-apply": {"policy": [{"bdf": BDF, "ready-timeout": 7000}]},
                "release": {"bdf": BDF}}
    for name, operation in ynl.ops.items():
        if "admin-perm" in operation.yaml.get("flags", []):
            refused(f"{who}: {name} is refused", errno.EPERM, "needs CAP_SYS_ADMIN in the initial user namespace",
                    ynl.do, name, requests.get(name, {}))


def network_admin():
    only(CAP_NET_ADMIN)
    all_refused("CAP_NET_ADMIN only")


def admin_elsewhere():
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    if ctypes.CDLL(None).unshare(CLONE_NEWUSER):
        raise OSError("no user namespace")
    all_refused("another user namespace")


def system_admin(policy):
    only(CAP_SYS_ADMIN)
    ctypes.CDLL(None).prctl(PR_SET_NAME, b"two\nlines", 0, 0, 0)
    ynl = family()
    for name, request in (("policy-apply", {"policy": [{"bdf": BDF, "ready-timeout": 7000}]}), ("isolation-check", {}),
                          ("policy-apply", {"policy": [{"bdf": BDF, "ready-timeout": policy["ready-timeout"]}]})):
        check(f"CAP_SYS_ADMIN only: {name} is done", ynl.do(name, request) is None)
    refused("CAP_SYS_ADMIN only: release is refused for the device's state alone", errno.EINVAL, "not quarantined",
            ynl.do, "release", {"bdf": BDF})


def privilege_checks(ynl, policy):
    newest = ynl.do("info-get", {})["newest-seq"]
    in_child(network_admin)
    in_child(admin_elsewhere)
    check("requests without privilege change nothing and cause no event",
          policy_of(ynl, BDF) == policy and
          ynl.do("info-get", {})["newest-seq"] == newest)
    child = in_child(system_admin, policy)
    log = subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout
    # dmesg itself prints a backslash as \\x5c.
    log = log.replace("\\x5c", "\\")
    check("the kernel log says in one line which process asked for the release",
          f'release asked for by netlink: pid {child}, uid 65534, comm "two\\nlines"' in log,
          [line for line in log.splitlines() if "asked for" in line])


if __name__ == "__main__":
    sys.exit(bool(main()))
