# SPDX-License-Identifier: GPL-2.0-only
"""Policies that are set together, wait, and are required. Arguments: two BDFs, kernel source."""
import errno
import os
import pathlib
import subprocess
import sys
import threading
import time

import family as tool
from family import BDFS, TOP, blamed, check, encode, family, refused, send, set_model

FIRST, SECOND = BDFS
PCI = pathlib.Path("/sys/bus/pci")
DRIVER = PCI / "drivers/instinct_vfio_pci"
CLIENT = TOP / "build/lab/client"
MODULE = TOP / f"build/kmod/{os.uname().release}/instinct-vfio-pci.ko"
REQUIRE = pathlib.Path("/sys/module/instinct_vfio_pci/parameters/require_policy")
NOT_HANDED_OUT = "not handed out, for no policy has been applied to it since the module was loaded"


def run(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)


def unbind(bdf):
    (DRIVER / "unbind").write_text(bdf)


def bind(bdf):
    (DRIVER / "bind").write_text(bdf)


def opened(*bdfs):
    """What a VFIO user is told, one word for each device."""
    output = run(CLIENT, ",".join(bdfs), "open", "close").stdout
    return [line.split()[2] for line in output.splitlines() if line.startswith("open")]


def dmesg(text):
    return run("dmesg").stdout.count(text)


def acs():
    """ACS Control of every port that has it, as setpci reads it."""
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
    """By device and by whether it waits, of GPUs only."""
    return {(p["bdf"], "waiting" in p): p for p in ynl.dump("policy-get", {}) if "method" in p}


def apply(ynl, *wanted):
    """Returns errno, what is said, and which of WANTED is to blame."""
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
    check("two GPUs", apply(ynl, whole(FIRST, acs="vm-p2p", overlap="none"),
                            whole(SECOND, acs="vm-p2p", overlap="none"))[0] == 0)
    found = policies(ynl)
    check("both are ruled", all(found[bdf, False]["overlap"] == "none" and "ruled" in found[bdf, False]
                                for bdf in BDFS), found)
    direct = acs()
    check("so are their ports", direct != before and set(direct) == set(before), direct)
    check("back to the defaults", apply(ynl, whole(FIRST), whole(SECOND))[0] == 0)
    check("the ports too", acs() == before)

    kept, writes, since = policies(ynl), acs_writes(), newest(ynl)
    found = apply(ynl, whole(FIRST, acs="vm-p2p", overlap="none"), whole(SECOND, acs="bare-metal"))
    check("refused late, for IOMMU groups rely on what the second switches off",
          found[0] == errno.EINVAL and found[2] == 1 and "allow_isolation_loss" in found[1], found)
    check("the first one's ports were not touched", acs() == before and acs_writes() == writes)
    found = apply(ynl, whole(FIRST, acs="vm-p2p"), whole(SECOND, method="bus", tenancy=7))
    check("refused early", found[0] == errno.ERANGE and found[2] == 1, found)
    check("no policy has changed", policies(ynl) == kept, policies(ynl))
    check("the events name the culprit", set(events(ynl, since)) == {("policy-rejected", SECOND)},
          events(ynl, since))


def remove_and_rescan(bdf):
    (PCI / "devices" / bdf / "remove").write_text("1")
    yield
    (PCI / "rescan").write_text("1")
    yield


def waits(ynl):
    unbind(SECOND)
    kept = policies(ynl)
    check("what was in force waits once the driver lets go", kept[SECOND, True]["ruled"] and
          (SECOND, False) not in kept, kept)
    since = newest(ynl)
    check("a policy that waits, and one that does not",
          apply(ynl, whole(FIRST, hive=7), whole(SECOND, hive=7, waiting=True))[0] == 0)
    found = ynl.do("policy-get", {"bdf": SECOND, "waiting": True})
    check("policy-get tells of it", found["hive"] == 7 and "waiting" in found and "ruled" in found, found)
    check("of what is in force on it, there are ACS and ATS only",
          "hive" not in ynl.do("policy-get", {"bdf": SECOND}))
    check("it is told of what has changed", events(ynl, since) == [("policy-applied", FIRST)])
    for what, policy, number, text in (
            ("a value out of range waits neither", {"hive": 256}, errno.ERANGE, "hive"),
            ("nor a mailbox outside the BAR", {"mailbox": 0x80000}, errno.ERANGE, "inside the register BAR"),
            ("nor one without its flag", {"hive": 8, "waiting": None}, errno.ENODEV, "only ACS and ATS")):
        policy = {k: v for k, v in {**whole(SECOND, waiting=True), **policy}.items() if v is not None}
        found = apply(ynl, whole(FIRST, hive=8), policy)
        check(what, found[0] == number and text in found[1] and found[2] == 1, found)
    found = policies(ynl)
    check("and then nothing changes", [found[FIRST, False]["hive"], found[SECOND, True]["hive"]] == [7, 7], found)
    check("once as any endpoint, once as a GPU",
          apply(ynl, {"bdf": SECOND, "ats": "preferred"}, whole(SECOND, hive=9, waiting=True))[0] == 0)
    check("as two", len([p for p in ynl.dump("policy-get", {}) if p["bdf"] == SECOND]) == 2)

    bind(SECOND)
    found = policies(ynl)
    check("in force from the bind on", found[SECOND, False]["hive"] == 9 and
          "ruled" in found[SECOND, False] and (SECOND, True) not in found, found)
    check("both of one that was bound meanwhile: as a GPU it is meant",
          apply(ynl, {"bdf": SECOND, "ats": "required"}, whole(SECOND, hive=9, waiting=True))[0] == 0 and
          policies(ynl)[SECOND, False]["ats"] == "ignore", policies(ynl))
    unbind(SECOND)
    check("what is in force on it as any endpoint is so again",
          ynl.do("policy-get", {"bdf": SECOND})["ats"] == "preferred")
    steps = remove_and_rescan(SECOND)
    next(steps)
    refused("a GPU that is not there", errno.ENODEV, "no such device", ynl.do, "policy-apply",
            {"policy": [whole(SECOND, waiting=True)]})
    check("nothing waits for it", (SECOND, True) not in policies(ynl))
    check("what is in force on an endpoint that is gone can be taken back",
          apply(ynl, whole(FIRST), {"bdf": SECOND, "defaults": True, "acs": "kernel"})[0] == 0 and
          SECOND not in [p["bdf"] for p in ynl.dump("policy-get", {})])
    next(steps)
    found = policies(ynl)[SECOND, True]
    check("when it is back, that waits which did, and rules it no more",
          found["hive"] == 9 and "ruled" not in found, found)
    check("until it is set anew", apply(ynl, whole(SECOND, hive=9, waiting=True))[0] == 0 and
          "ruled" in policies(ynl)[SECOND, True])

    swus = os.path.basename(os.path.dirname(os.path.dirname(os.path.realpath(PCI / "devices" / SECOND))))
    buses = run("setpci", "-s", swus, "18.L").stdout.strip()
    run("setpci", "-s", swus, "18.L=0")
    refused("a GPU that does not answer", errno.ENXIO, "does not answer", ynl.do, "policy-apply",
            {"policy": [whole(FIRST, hive=1), whole(SECOND, waiting=True)]})
    check("nobody knows what waits for it", (SECOND, True) not in policies(ynl))
    check("the others can be ruled without it", apply(ynl, whole(FIRST, hive=1))[0] == 0)
    run("setpci", "-s", swus, f"18.L={buses}")
    # The function is new, and belongs to nobody yet.
    override(SECOND)
    bind(SECOND)
    found = policies(ynl)[SECOND, False]
    check("in force after all that, but it was left out and is not ruled",
          found["hive"] == 9 and "ruled" not in found, found)


def override(bdf):
    (PCI / "devices" / bdf / "driver_override").write_text("instinct_vfio_pci")


def serial_of(ynl):
    return int(str(ynl.do("dev-get", {"bdf": SECOND})["serial"]), 0)


def nameless(ynl):
    """A GPU that is bound while nobody can tell which one it is."""
    serial = serial_of(ynl)
    check("a GPU has its policy", apply(ynl, whole(SECOND, hive=3))[0] == 0 and serial)
    unbind(SECOND)
    set_model(SECOND, "present=0")
    bind(SECOND)
    found = ynl.do("dev-get", {"bdf": SECOND})["state"], serial_of(ynl), policies(ynl)[SECOND, False]
    check("bound while it does not answer: lost, nobody's, and not ruled",
          found[0] == "lost" and not found[1] and "ruled" not in found[2], found)
    check("whoever it is, it can be ruled", apply(ynl, whole(SECOND, hive=4))[0] == 0)
    set_model(SECOND, "present=1")
    ynl.do("reset", {"bdf": SECOND})
    found = policies(ynl)[SECOND, False]
    check("when it answers, it is known", serial_of(ynl) == serial, serial_of(ynl))
    check("and what it was ruled by was not meant for it", found["hive"] == 4 and "ruled" not in found, found)
    unbind(SECOND)
    bind(SECOND)
    found = policies(ynl)[SECOND, False]
    check("nor does what was superseded come back", found["hive"] == 4 and "ruled" not in found, found)


class Rebinder(threading.Thread):
    """Unbinds and binds a GPU until it is told to stop."""

    def __init__(self, bdf):
        super().__init__()
        self.bdf, self.times, self.going = bdf, 0, True

    def run(self):
        while self.going:
            unbind(self.bdf)
            time.sleep(0.005 * (self.times % 7))
            bind(self.bdf)
            time.sleep(0.005 * (self.times % 5))
            self.times += 1

    def stop(self):
        self.going = False
        self.join()


def timeout_of(ynl, bdf):
    return ynl.do("policy-get", {"bdf": bdf, "waiting": True})["ready-timeout"]


def both(ynl, timeout, **more):
    """As the helper does: again for as long as a device is on its way."""
    for _ in range(100):
        number = apply(ynl, whole(FIRST, **{"ready-timeout": timeout}, **more),
                       whole(SECOND, waiting=True, **{"ready-timeout": timeout}, **more))[0]
        if number != errno.EAGAIN:
            break
        time.sleep(0.02)
    return number


def races(ynl):
    """While a GPU comes and goes, each request is carried out, or not at all."""
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
    check("requests against a GPU that comes and goes: all or nothing", not wrong, (wrong, results))
    check("most of them are carried out", results.get(0, 0) >= 50 and
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
    check("two who apply at once, 50 times each: one of them has it", not wrong and
          found[0] == found[1] and found[0] in (8001, 8002), (wrong, found))
    check("the GPU came and went meanwhile", rebinder.times >= 12, rebinder.times)
    check("back to the defaults", apply(ynl, whole(FIRST), whole(SECOND))[0] == 0)
    ports = {i["bdf"]: i["found"] for i in ynl.dump("isolation-get", {}) if "role" in i}
    check("no port is ruled any more", ports == {}, ports)


def reload(*options):
    run("rmmod", "instinct_vfio_pci")
    run("insmod", MODULE, *options)
    run(TOP / "build/instinctctl", "bind", *BDFS)
    return family()


def required():
    ynl = reload()
    check("the module requires a policy by default", REQUIRE.read_text().strip() == "Y")
    check("info-get says that policy is required", "policy-required" in ynl.do("info-get", {}))
    check("nobody is ruled after a load", len(policies(ynl)) == 2 and
          not [p for p in policies(ynl).values() if "ruled" in p], policies(ynl))
    since, told = newest(ynl), dmesg(NOT_HANDED_OUT)
    check("a GPU without policy is not handed out", opened(FIRST) == ["EACCES"])
    check("the kernel log says what to do", dmesg("instinctctl apply") > 0 and dmesg(NOT_HANDED_OUT) == told + 1)
    check("so does an event", events(ynl, since) == [("policy-missing", FIRST)], events(ynl, since))
    check("it is ready", ynl.do("dev-get", {"bdf": FIRST})["state"] == "ready")
    check("and can be reset", ynl.do("reset", {"bdf": FIRST})["method"] == "mode1")
    for _ in range(12):
        opened(FIRST)
    flood = len([e for e in events(ynl, since) if e[0] == "policy-missing"]), dmesg(NOT_HANDED_OUT) - told
    check("who tries again and again floods nothing", flood == (5, 5), flood)

    check("with a policy", apply(ynl, whole(FIRST))[0] == 0)
    check("it is, and the other is not", opened(FIRST, SECOND) == ["ok", "EACCES"])
    unbind(FIRST)
    unbind(SECOND)
    check("a policy that waits is one", apply(ynl, whole(SECOND, waiting=True))[0] == 0)
    bind(FIRST)
    bind(SECOND)
    check("a bind takes nothing away", opened(FIRST, SECOND) == ["ok", "ok"])

    ynl = reload("require_policy=N")
    check("not required", "policy-required" not in ynl.do("info-get", {}) and opened(FIRST) == ["ok"])
    go = pathlib.Path("/tmp/go")
    with subprocess.Popen([CLIENT, FIRST, "open", f"wait={go}", "touch", "close", "open"],
                          stdout=subprocess.PIPE, text=True) as user:
        user.stdout.readline()
        REQUIRE.write_text("Y")
        check("required from now on", "policy-required" in ynl.do("info-get", {}) and
              opened(SECOND) == ["EACCES"])
        go.touch()
        output = user.communicate()[0]
    check("who was let in before stays, until he closes it",
          [line.split()[2] for line in output.splitlines() if "wait" not in line] == ["ok", "ok", "EACCES"], output)
    ynl = reload()
    check("a load of the module forgets who was ruled", opened(FIRST, SECOND) == ["EACCES", "EACCES"])


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
