# SPDX-License-Identifier: GPL-2.0-only
"""Those who act in a round: each is called over and over with the campaign and its own
dice, until the round is over, and does one thing."""
import os
import re
import signal
import subprocess
import time

from host import (CLIENT, DEVICES, INSTINCTCTL, LIE_WHERE, LIES, LIMIT, MISDEEDS, TOP, TRUTH, Broken,
                  finish, output_of, read, run, write)

CPU = "/sys/devices/system/cpu/cpu1/online"
FAULTS = ("/sys/kernel/debug/failslab/", "/sys/kernel/debug/fail_usercopy/")
TIMEOUT = 60 * int(os.environ["LAB_SLOWNESS"])  # seconds, for a boot
CORE = f"/lib/modules/{os.uname().release}/kernel/drivers/vfio/pci/vfio-pci-core.ko"
MODULE = f"{TOP}/build/kmod/{os.uname().release}/instinct-vfio-pci.ko"
HIVES = ("hive = none", "hive = auto", "hive = 1")
POLICIES = ("overlap = none", "overlap = close", "overlap = all", "rescan = yes", "scope = device",
            "config_verify = off", "config_unblock = retrain", "config_timeout = 1s",
            "acs = vm-p2p\nats = preferred", "check_interval = 100ms",
            "method = quiesce", "method = mode1", "method = flr", "method = bus")


def pick(campaign, dice):
    """A GPU that nobody uses, and its lock, which is held; None if all are in use."""
    gpu = dice.choice(campaign.gpus)
    if campaign.in_use[gpu].acquire(blocking=False):
        return gpu
    time.sleep(0.2)
    return None


def guests(campaign, dice):
    """A guest boots some times; sometimes its VMM is killed."""
    gpu = pick(campaign, dice)
    if not gpu:
        return
    try:
        live(campaign, dice, gpu)
    finally:
        campaign.in_use[gpu].release()


def live(campaign, dice, gpu):
    boots, lives = dice.randrange(1, 4), dice.randrange(1, 4)
    command = (TOP + "/tests/lab/guest/run", "--firmware", "--bdf", gpu.bdf, "--timeout", str(TIMEOUT),
               "--boots", str(boots), "--lives", str(lives))
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        if dice.random() < 0.15:
            time.sleep(dice.random() * 10)
            os.killpg(process.pid, signal.SIGKILL)
            campaign.count("guests killed")
        output = output_of(process, command, lives * (boots + 1) * TIMEOUT + LIMIT)
    lines = [line for line in output.splitlines() if line.startswith("life=")]
    campaign.count("guest boots", len(lines))
    campaign.count("guest lives", len({line.split()[0] for line in lines}))
    # What he finds of himself after a reboot is his own: quiesce scrubs nothing.
    if any(" boot=1 " in line and "scrubbed=no" in line for line in lines):
        raise Broken(f"no guest finds what the tenant before has left: {output}")
    # One that fails may have a GPU that misbehaves, or that an operator has just reset by
    # a method that loses it.
    campaign.count("guests that ended well", process.returncode == 0)


def users(campaign, dice):
    """A VFIO user looks for what the tenant before has left, leaves his own, and goes."""
    gpu = pick(campaign, dice)
    if not gpu:
        return
    steps = ["open", "unmarked", "touch"] + dice.choices(
        ["reset", "flr", "hot-reset", "touch", "mmap-read", "bar-write", "cfg-write", "msix", "d3",
         "ioeventfd", "reset+touch"], k=dice.randrange(0, 4)) + ["close"]
    try:
        with subprocess.Popen((CLIENT, gpu.bdf, *steps), text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            if dice.random() < 0.2:
                time.sleep(dice.random())
                process.kill()
                output, _ = process.communicate()
                campaign.count("users killed")
            else:
                _, output = finish(process, ("client", *steps))
    finally:
        campaign.in_use[gpu].release()
    if re.search(r"^unmarked \S+ EBADMSG", output, re.MULTILINE):
        raise Broken(f"no user finds what the tenant before has left: {output}")
    campaign.count("user lives")
    campaign.count("users that got it", "open " + gpu.known + " ok" in output)


def reset_by_sysfs(gpu):
    """Not of a GPU that is not bound, for want of memory, or about to be enumerated anew:
    that is for the PCI core to do, which loses it and waits for minutes."""
    if not gpu.binding.acquire(timeout=2):
        return
    try:
        if gpu.status().get("state") in ("ready", "quarantined"):
            write(f"{DEVICES}{gpu.bdf}/reset", "1")
    finally:
        gpu.binding.release()


def operators(campaign, dice):
    """Resets and questions by every door. Nobody releases a GPU: that is to hand out what
    the last tenant has left."""
    gpu = dice.choice(campaign.gpus)
    method = dice.choice(["auto", "mode1", "quiesce", "bus", "flr"])
    action = dice.choice([
        lambda: run(INSTINCTCTL, "reset", gpu.bdf),
        lambda: run(INSTINCTCTL, "reset", gpu.bdf, *(["--method", method] if method != "auto" else [])),
        lambda: reset_by_sysfs(gpu),
        lambda: reset_by_sysfs(gpu),
        lambda: run(INSTINCTCTL, "status"),
        lambda: run(INSTINCTCTL, "isolation"),
        lambda: run(INSTINCTCTL, "monitor", "--since", "1", "--timeout", "1"),
        lambda: run("lspci", "-s", gpu.bdf, "-vvxxxx"),
    ])
    action()
    campaign.count("operators' deeds")
    time.sleep(dice.random())


def lawgivers(campaign, dice):
    """Another policy for all."""
    path = campaign.policy(dice.choice(HIVES), dice.choice(POLICIES))
    with campaign.law:
        code, _ = run(INSTINCTCTL, "apply", path)
    campaign.count("policies applied", code == 0)
    time.sleep(2 + dice.random() * 4)


def demons(campaign, dice):
    """A GPU's hardware misbehaves for a while; then an operator brings it back."""
    gpu = dice.choice(campaign.gpus)
    for _ in range(dice.randrange(1, 4)):
        if dice.random() < 0.3:
            gpu.tell(f"lie={dice.choice(LIES)} lie_where={dice.choice(LIE_WHERE)} "
                     f"lie_seed={dice.randrange(1 << 32)}")
        else:
            misdeed = dice.choice(MISDEEDS)
            gpu.tell(misdeed)
            campaign.count(f"misdeed {misdeed}")
        time.sleep(dice.random() * 2)
    gpu.tell(TRUTH)
    gpu.tell("power_cycle=1")
    # Where others may keep it from being reset, for they have a GPU of its hive, it need
    # not come back.
    with campaign.in_use[gpu], campaign.law:
        gpu.come_back(campaign.policy("hive = none"))
    campaign.count("misbehaviours")


def movers(campaign, dice):
    """A package goes, and comes back; whoever uses it is asked to let go."""
    gpu = dice.choice(campaign.gpus)
    with campaign.in_use[gpu]:
        campaign.count("packages moved", bool(gpu.swus))
        gpu.enumerate()
    time.sleep(5 + dice.random() * 5)


def unloaders(campaign, dice):
    """The bystander's user has the module."""
    code, output = run("rmmod", "instinct_vfio_pci")
    if not code:
        raise Broken(f"a module in use is not removed: {output}")
    campaign.count("unloads refused")
    time.sleep(3 + dice.random() * 5)


def processors(campaign, dice):
    """The second one goes, and comes back."""
    campaign.count("processors unplugged", write(CPU, "0"))
    time.sleep(dice.random() * 2)
    write(CPU, "1")
    time.sleep(2 + dice.random() * 3)


def listeners(campaign, dice):
    """One with a small buffer, who dawdles, and is killed."""
    command = (TOP + "/build/lab/subscriber", "-b", "4096", "-d", "5000", "-e", "0")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        time.sleep(dice.random() * 3)
        process.kill()
    campaign.count("listeners killed")


def set_faults(name, value):
    for folder in FAULTS:
        if os.path.exists(folder + name):
            write(folder + name, value)


def failures_left():
    """The kernel counts down as allocations fail; 0 on one that has none fail."""
    return int(read(FAULTS[0] + "times").strip() or 0)


def shortages(campaign, dice):
    """Of what the module allocates, and copies from and to user space, a part fails, also
    where the kernel does it on its behalf; but not in vfio-pci-core, which warns of what it
    has not got. What else the lab needs is left alone."""
    time.sleep(2 + dice.random() * 6)
    write("/dev/kmsg", "soak: allocations fail")
    before = failures_left()
    set_faults("probability", str(dice.choice([2, 10, 40])))
    time.sleep(dice.random() * 2)
    set_faults("probability", "0")
    campaign.count("shortages", before > 0)
    campaign.count("allocations that failed", before - failures_left())
    write("/dev/kmsg", "soak: allocations fail no more")


CAST = (guests, guests, guests, users, users, users, operators, lawgivers, demons, movers, unloaders,
        processors, listeners, shortages)


# What each of them counts; shortages where there can be some.
DEEDS = ("guest lives", "guests that ended well", "user lives", "users that got it",
         "operators' deeds", "policies applied", "misbehaviours", "packages moved",
         "unloads refused", "processors unplugged", "listeners killed",
         "left in a state in which it is handed on", "resets by open", "resets by close",
         "resets by vfio-reset", "resets by hot-reset", "resets by guest-flr", "resets by sysfs",
         "resets by netlink")
SHORTAGES = ("shortages", "allocations that failed")


def have_acted(campaign):
    """Of what was to happen, each did."""
    deeds = DEEDS + (SHORTAGES if os.path.exists(FAULTS[0]) else ())
    missing = [deed for deed in deeds if not campaign.counts[deed]]
    if missing:
        raise Broken(f"each actor has acted: {', '.join(missing)}: never")


def text_of(module, file):
    """Where a module's code begins and ends."""
    begin = int(read(f"/sys/module/{module}/sections/.text"), 16)
    sizes = dict(line.split()[:2] for line in run("size", "-A", "-d", file)[1].splitlines()
                 if line.startswith("."))
    return hex(begin), hex(begin + int(sizes[".text"]))


def prepare():
    """What a kernel that can have allocations fail is told."""
    if not os.path.exists(FAULTS[0]):
        print("on this kernel no allocation fails", flush=True)
        return
    for which, module, file in (("require", "instinct_vfio_pci", MODULE),
                                ("reject", "vfio_pci_core", CORE)):
        begin, end = text_of(module, file)
        set_faults(which + "-start", begin)
        set_faults(which + "-end", end)
    for name, value in (("times", str(1 << 30)), ("verbose", "0"), ("ignore-gfp-wait", "N"),
                        ("stacktrace-depth", "32")):
        set_faults(name, value)


def calm(campaign):
    """All is there again."""
    write(CPU, "1")
    set_faults("probability", "0")
    for gpu in campaign.gpus:
        gpu.tell(TRUTH)
