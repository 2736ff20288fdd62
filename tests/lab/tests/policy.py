# SPDX-License-Identifier: GPL-2.0-only
"""Tests policies set together, pending, and required. Arguments: two BDFs, kernel source."""
import errno
import os
import pathlib
import subprocess
import sys
import threading
import time

import family as tool
from family import BDFS, TOP, answers, blamed, check, encode, family, refused, send, set_model

FIRST, SECOND = BDFS
PCI = pathlib.Path("/sys/bus/pci")
DRIVER = PCI / "drivers/instinct_vfio_pci"
CLIENT = TOP / "build/lab/client"
MODULE = TOP / f"build/kmod/{os.uname().release}/instinct-vfio-pci.ko"
REQUIRE = pathlib.Path("/sys/module/instinct_vfio_pci/parameters/require_policy")
REFUSED = "open refused: blocked: no policy has been applied to it since the module was loaded"


def run(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)


def unbind(bdf):
    (DRIVER / "unbind").write_text(bdf)


def bind(bdf):
    (DRIVER / "bind").write_text(bdf)


def opened(*bdfs):
    """Opens the devices and returns one word for each: the result of the open."""
    output = run(CLIENT, ",".join(bdfs), "open", "close").stdout
    return [line.split()[2] for line in output.splitlines() if line.startswith("open")]


def dmesg(text):
    return run("dmesg").stdout.count(text)


def acs():
    """Returns ACS Control of every port that has it, as setpci reads it."""
    found = {}
    for dev in sorted(os.listdir(PCI / "devices")):
        if (PCI / "devices" / dev / "class").read_text().startswith("0x0604"):
            read = run("setpci", "-s", dev, "ECAP_ACS+6.w")
            if not read.returncode:
                found[dev] = read.stdout.strip()
    return found


def acs_writes():
    return [line for bdf in BDFS for line in
            pathlib.Path(f"/sys/kernel/debug/instinct-model/{bdf}/counters").read_text().splitlines()
            if line.startswith("acs_writes")]


def policies(ynl):
    """Returns the policies of GPUs, keyed by device and by whether the policy is pending."""
    return {**{(d["bdf"], False): d["policy"] for d in ynl.dump("dev-get", {})},
            **{(p["bdf"], True): p for p in ynl.dump("policy-get", {}) if "pending" in p}}


def endpoint(ynl):
    """Returns the policy of the second GPU as any endpoint, or None."""
    return next((p for p in ynl.dump("policy-get", {}) if p["bdf"] == SECOND and "pending" not in p), None)


def apply(ynl, *wanted):
    """Returns errno, the message, and the index of the policy that is to blame."""
    message = encode(ynl, wanted)
    number, extack = send(ynl, message)
    return number, extack.get("msg", ""), blamed(message, extack)[0]


def whole(bdf, **more):
    return {"bdf": bdf, "defaults": True, **more}


def newest(ynl):
    return ynl.do("info-get", {})["newest-seq"]


def events(ynl, since):
    return [(e["kind"], e.get("bdf")) for e in ynl.dump("event-get", {"seq": since + 1})]


def together(ynl):
    before = acs()
    check("policies of two GPUs can be set", apply(ynl, whole(FIRST, acs="vm-p2p", overlap="none"),
                            whole(SECOND, acs="vm-p2p", overlap="none"))[0] == 0)
    found = policies(ynl)
    check("both policies are marked as set", all(found[bdf, False]["overlap"] == "none" and "set" in found[bdf, False]
                                for bdf in BDFS), found)
    direct = acs()
    check("the ports of both GPUs have changed", direct != before and set(direct) == set(before), direct)
    check("both GPUs return to the defaults", apply(ynl, whole(FIRST), whole(SECOND))[0] == 0)
    check("the ports of both GPUs are as before", acs() == before)

    kept, writes, since = policies(ynl), acs_writes(), newest(ynl)
    found = apply(ynl, whole(FIRST, acs="vm-p2p", overlap="none"), whole(SECOND, acs="bare-metal"))
    check("a late refusal: IOMMU groups rely on ACS that the second policy switches off",
          found[0] == errno.EINVAL and found[2] == 1 and "allow_isolation_loss" in found[1], found)
    check("the refusal leaves the first GPU's ports untouched", acs() == before and acs_writes() == writes)
    found = apply(ynl, whole(FIRST, acs="vm-p2p"), whole(SECOND, method="bus", tenancy=7))
    check("an early refusal: a value of the second policy is out of range", found[0] == errno.ERANGE and found[2] == 1, found)
    check("refusals change no policy", policies(ynl) == kept, policies(ynl))
    check("the events name the GPU whose policy is wrong", set(events(ynl, since)) == {("policy-rejected", SECOND)},
          events(ynl, since))


def remove_and_rescan(bdf):
    (PCI / "devices" / bdf / "remove").write_text("1")
    yield
    (PCI / "rescan").write_text("1")
    yield


def waits(ynl):
    unbind(SECOND)
    kept = policies(ynl)
    check("a policy in force is pending once the driver is unbound", kept[SECOND, True]["set"] and
          (SECOND, False) not in kept, kept)
    since = newest(ynl)
    check("a pending policy and another can be set together",
          apply(ynl, whole(FIRST, hive=7), whole(SECOND, hive=7, pending=True))[0] == 0)
    found = policies(ynl)[SECOND, True]
    check("policy-get returns the pending policy", found["hive"] == 7 and "set" in found and not endpoint(ynl), found)
    check("only the policy in force causes an event", events(ynl, since) == [("policy-applied", FIRST)])
    for what, policy, number, text in (
            ("a pending policy with a value out of range is refused", {"hive": 256}, errno.ERANGE, "hive"),
            ("a pending policy with a mailbox outside the BAR is refused", {"mailbox": 0x80000}, errno.ERANGE, "inside the register BAR"),
            ("a GPU's key for an unbound GPU is refused without the flag", {"hive": 8, "pending": None}, errno.ENODEV, "only ACS and ATS")):
        policy = {k: v for k, v in {**whole(SECOND, pending=True), **policy}.items() if v is not None}
        found = apply(ynl, whole(FIRST, hive=8), policy)
        check(what, found[0] == number and text in found[1] and found[2] == 1, found)
    found = policies(ynl)
    check("these refusals change no policy", [found[FIRST, False]["hive"], found[SECOND, True]["hive"]] == [7, 7], found)
    check("one GPU can have a policy as an endpoint and a pending one",
          apply(ynl, {"bdf": SECOND, "ats": "preferred"}, whole(SECOND, hive=9, pending=True))[0] == 0)
    check("policy-get returns both policies, ACS and ATS only of the endpoint",
          policies(ynl)[SECOND, True]["hive"] == 9 and "hive" not in endpoint(ynl))

    bind(SECOND)
    found = policies(ynl)
    check("the pending policy is in force after the bind", found[SECOND, False]["hive"] == 9 and
          "set" in found[SECOND, False] and (SECOND, True) not in found, found)
    check("of both policies for a bound GPU the pending one counts",
          apply(ynl, {"bdf": SECOND, "ats": "required"}, whole(SECOND, hive=9, pending=True))[0] == 0 and
          policies(ynl)[SECOND, False]["ats"] == "ignore", policies(ynl))
    unbind(SECOND)
    check("the endpoint's policy is in force again after the unbind",
          endpoint(ynl)["ats"] == "preferred")
    steps = remove_and_rescan(SECOND)
    next(steps)
    refused("a pending policy for an absent GPU", errno.ENODEV, "no such device", ynl.do, "policy-apply",
            {"policy": [whole(SECOND, pending=True)]})
    check("no policy is pending for the absent GPU", (SECOND, True) not in policies(ynl))
    check("the policy of an absent endpoint can be removed",
          apply(ynl, whole(FIRST), {"bdf": SECOND, "defaults": True, "acs": "kernel"})[0] == 0 and
          SECOND not in [p["bdf"] for p in ynl.dump("policy-get", {})])
    next(steps)
    found = policies(ynl)[SECOND, True]
    check("when the GPU is back, its policy is pending again and not marked as set",
          found["hive"] == 9 and "set" not in found, found)
    check("a new request marks the policy as set", apply(ynl, whole(SECOND, hive=9, pending=True))[0] == 0 and
          "set" in policies(ynl)[SECOND, True])

    swus = os.path.basename(os.path.dirname(os.path.dirname(os.path.realpath(PCI / "devices" / SECOND))))
    buses = run("setpci", "-s", swus, "18.L").stdout.strip()
    run("setpci", "-s", swus, "18.L=0")
    refused("a pending policy for a GPU that does not answer", errno.ENXIO, "does not answer", ynl.do, "policy-apply",
            {"policy": [whole(FIRST, hive=1), whole(SECOND, pending=True)]})
    found = policies(ynl)[SECOND, True]
    check("a dump asks no GPU: it shows the policy that waits for the GPU with the recorded serial number",
          found["hive"] == 9 and "set" in found, found)
    check("the other GPU's policy can be set without it", apply(ynl, whole(FIRST, hive=1))[0] == 0)
    run("setpci", "-s", swus, f"18.L={buses}")
    # The rescan has created a new function, which has no driver yet.
    override(SECOND)
    bind(SECOND)
    found = policies(ynl)[SECOND, False]
    check("the refused request has changed nothing: the GPU is identified at the bind, and its policy is in force",
          found["hive"] == 9 and "set" in found, found)


def override(bdf):
    (PCI / "devices" / bdf / "driver_override").write_text("instinct_vfio_pci")


def serial_of(ynl):
    return int(str(ynl.do("dev-get", {"bdf": SECOND})["serial"]), 0)


def nameless(ynl):
    """Binds a GPU that does not answer, so that the module cannot identify it."""
    serial = serial_of(ynl)
    check("a GPU has a policy", apply(ynl, whole(SECOND, hive=3))[0] == 0 and serial)
    unbind(SECOND)
    set_model(SECOND, "present=0")
    bind(SECOND)
    found = ynl.do("dev-get", {"bdf": SECOND})["state"], serial_of(ynl), policies(ynl)[SECOND, False]
    check("a GPU bound without an answer is lost, without identity or policy",
          found[0] == "lost" and not found[1] and "set" not in found[2], found)
    check("an unidentified GPU can have a policy", apply(ynl, whole(SECOND, hive=4))[0] == 0)
    set_model(SECOND, "present=1")
    ynl.do("reset", {"bdf": SECOND})
    found = policies(ynl)[SECOND, False]
    check("the module identifies the GPU once it answers", serial_of(ynl) == serial, serial_of(ynl))
    check("a policy for the unidentified GPU is not marked as set for the identified one", found["hive"] == 4 and "set" not in found, found)
    unbind(SECOND)
    bind(SECOND)
    found = policies(ynl)[SECOND, False]
    check("the replaced policy does not come back at the next bind", found["hive"] == 4 and "set" not in found, found)


class Rebinder(threading.Thread):
    """Unbinds and binds a GPU until stop() is called, or the test ends on an exception.
    PAUSE is a time in seconds; the GPU rests between 0 and 6 of them."""

    def __init__(self, bdf, pause=0.005):
        super().__init__(daemon=True)
        self.bdf, self.pause, self.times, self.going = bdf, pause, 0, True

    def run(self):
        while self.going:
            unbind(self.bdf)
            time.sleep(self.pause * (self.times % 7))
            bind(self.bdf)
            time.sleep(self.pause * (self.times % 5))
            self.times += 1

    def stop(self):
        self.going = False
        self.join()


def timeout_of(ynl, bdf):
    """A GPU that is bound between the two dumps is in neither."""
    while True:
        found = policies(ynl)
        if (policy := found.get((bdf, False), found.get((bdf, True)))):
            return policy["ready-timeout"]


def both(ynl, timeout, **more):
    """Repeats the request while a device is being bound or unbound, as the helper does."""
    for _ in range(100):
        number = apply(ynl, whole(FIRST, **{"ready-timeout": timeout}, **more),
                       whole(SECOND, pending=True, **{"ready-timeout": timeout}, **more))[0]
        if number != errno.EAGAIN:
            break
        time.sleep(0.02)
    return number


def races(ynl):
    """Each request is carried out or changes nothing while a GPU comes and goes."""
    rebinder = Rebinder(SECOND)
    rebinder.start()
    wrong, results, now, timeout = [], {}, None, 5000
    while timeout < 5100 or (rebinder.times < 12 and timeout < 7000):
        timeout += 1
        number = both(ynl, timeout, acs="vm-p2p" if timeout % 2 else "kernel")
        results[number] = results.get(number, 0) + 1
        now = now if number else timeout
        found = [timeout_of(ynl, bdf) for bdf in BDFS]
        if now and found != [now, now]:
            wrong.append((timeout, number, found))
    check("requests against a GPU that comes and goes take effect whole or not at all", not wrong, (wrong, results))
    check("most requests are carried out", results.get(0, 0) >= 50 and
          set(results) <= {0, errno.EAGAIN}, results)

    def applier(timeout):
        own = family()
        for _ in range(50):
            number = both(own, timeout)
            if number not in (0, errno.EAGAIN):
                wrong.append(number)

    appliers = [threading.Thread(target=applier, args=(timeout,)) for timeout in (8001, 8002)]
    for thread in appliers:
        thread.start()
    for thread in appliers:
        thread.join()
    rebinder.stop()
    found = [timeout_of(ynl, bdf) for bdf in BDFS]
    check("two processes apply 50 times each at once: one policy is in force on both GPUs", not wrong and
          found[0] == found[1] and found[0] in (8001, 8002), (wrong, found))
    check("the GPU came and went during these requests", rebinder.times >= 12, rebinder.times)
    check("both GPUs return to the defaults in the end", apply(ynl, whole(FIRST), whole(SECOND))[0] == 0)
    ports = {i["bdf"]: i["found"] for i in ynl.dump("isolation-get", {}) if "role" in i}
    check("no port is ruled in the end", ports == {}, ports)


def reload(*options):
    run("rmmod", "instinct_vfio_pci")
    run("insmod", MODULE, *options)
    run(TOP / "build/instinctctl", "bind", *BDFS)
    return family()


def required():
    ynl = reload()
    check("the module requires a policy by default", REQUIRE.read_text().strip() == "Y")
    check("info-get says that policy is required", "policy-required" in ynl.do("info-get", {}))
    check("no policy is marked as set after a load", len(policies(ynl)) == 2 and
          not [p for p in policies(ynl).values() if "set" in p], policies(ynl))
    since, told = newest(ynl), dmesg(REFUSED)
    check("a GPU without a policy cannot be opened", opened(FIRST) == ["EACCES"])
    check("the kernel log says what to do", dmesg("instinctctl apply") > 0 and dmesg(REFUSED) == told + 1)
    check("an event says so", events(ynl, since) == [("open-refused", FIRST)], events(ynl, since))
    dev = ynl.do("dev-get", {"bdf": FIRST})
    check("the GPU is blocked, with the reason", dev["state"] == "blocked" and
          dev["reason"].startswith("no policy has been applied"), dev)
    check("the GPU can be reset", ynl.do("reset", {"bdf": FIRST})["method"] == "mode1")
    for _ in range(12):
        opened(FIRST)
    flood = len([e for e in events(ynl, since) if e[0] == "open-refused"]), dmesg(REFUSED) - told
    check("repeated opens cause at most five events and log lines", flood == (5, 5), flood)

    check("one GPU gets a policy", apply(ynl, whole(FIRST))[0] == 0)
    check("that GPU can be opened, the other one cannot", opened(FIRST, SECOND) == ["ok", "EACCES"])
    unbind(FIRST)
    unbind(SECOND)
    check("a pending policy can be set", apply(ynl, whole(SECOND, pending=True))[0] == 0)
    bind(FIRST)
    bind(SECOND)
    check("after a bind both GPUs can be opened", opened(FIRST, SECOND) == ["ok", "ok"])

    ynl = reload("require_policy=N")
    check("without the requirement a GPU can be opened", "policy-required" not in ynl.do("info-get", {}) and opened(FIRST) == ["ok"])
    go = pathlib.Path("/tmp/go")
    with subprocess.Popen([CLIENT, FIRST, "open", f"wait={go}", "touch", "close", "open"],
                          stdout=subprocess.PIPE, text=True) as user:
        user.stdout.readline()
        REQUIRE.write_text("Y")
        check("the requirement takes effect at once", "policy-required" in ynl.do("info-get", {}) and
              opened(SECOND) == ["EACCES"])
        go.touch()
        output = user.communicate()[0]
    check("a user that has the GPU open keeps it until the close",
          [line.split()[2] for line in output.splitlines() if "wait" not in line] == ["ok", "ok", "EACCES"], output)
    ynl = reload()
    check("a reload of the module forgets which policies were set", opened(FIRST, SECOND) == ["EACCES", "EACCES"])


def main():
    ynl = family()
    together(ynl)
    waits(ynl)
    nameless(ynl)
    races(ynl)
    ynl.sock.close()
    required()
    return tool.failures


if __name__ == "__main__":
    sys.exit(bool(main()))
