# SPDX-License-Identifier: GPL-2.0-only
"""The actors of a round. The campaign calls each function over and over, with a random generator
of its own, until the round is over; each call does one thing."""
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
POLICIES = ("overlap = none", "overlap = close", "overlap = all", "scope = device",
            "config_verify = off", "config_unblock = retrain", "config_timeout = 1s",
            "acs = vm-p2p\nats = preferred", "check_interval = 100ms",
            "method = quiesce", "method = mode1", "method = bus")


def pick(campaign, dice):
    """Picks a GPU at random and takes its lock; returns None if the GPU is in use."""
    gpu = dice.choice(campaign.gpus)
    if campaign.in_use[gpu].acquire(blocking=False):
        return gpu
    time.sleep(0.2)
    return None


def guests(campaign, dice):
    """Boots a guest some times, and kills its VMM sometimes."""
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
    # After a reboot the guest may find its own data, since the method quiesce scrubs nothing.
    if any(" boot=1 " in line and "scrubbed=no" in line for line in lines):
        raise Broken(f"no guest finds data of the previous tenant: {output}")
    # A guest may fail, since its GPU misbehaves or an operator has just reset it by a method that
    # loses it.
    campaign.count("guests that ended well", process.returncode == 0)


def users(campaign, dice):
    """A VFIO user looks for data of the previous tenant, leaves its own, and closes the GPU."""
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
        raise Broken(f"no user finds data of the previous tenant: {output}")
    campaign.count("user lives")
    campaign.count("users that got it", "open " + gpu.known + " ok" in output)


def reset_by_sysfs(gpu):
    """Resets a GPU by sysfs if it is bound. The PCI core would reset an unbound one (a failed bind,
    an enumeration under way) by itself, lose it, and wait for minutes."""
    if not gpu.binding.acquire(timeout=2):
        return
    try:
        if gpu.status().get("state") in ("ready", "quarantined"):
            write(f"{DEVICES}{gpu.bdf}/reset", "1")
    finally:
        gpu.binding.release()


def operators(campaign, dice):
    """Operators reset and inspect GPUs by every interface. They release none, since a release
    hands the last tenant's data on."""
    gpu = dice.choice(campaign.gpus)
    method = dice.choice(["auto", "mode1", "quiesce", "bus"])
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
    """An operator applies another policy to all GPUs."""
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
    # "hive = none", since users of other GPUs of its hive could keep it from being reset.
    with campaign.in_use[gpu], campaign.law:
        gpu.come_back(campaign.policy("hive = none"))
    campaign.count("misbehaviours")


def movers(campaign, dice):
    """Linux removes a package that no user has open, and finds it again."""
    gpu = dice.choice(campaign.gpus)
    with campaign.in_use[gpu]:
        campaign.count("packages moved", bool(gpu.swus))
        gpu.enumerate()
    time.sleep(5 + dice.random() * 5)


def unloaders(campaign, dice):
    """An operator tries to unload the module, which the bystander's user holds."""
    code, output = run("rmmod", "instinct_vfio_pci")
    if not code:
        raise Broken(f"a module in use is not removed: {output}")
    campaign.count("unloads refused")
    time.sleep(3 + dice.random() * 5)


def processors(campaign, dice):
    """The second processor goes offline and online again."""
    campaign.count("processors unplugged", write(CPU, "0"))
    time.sleep(dice.random() * 2)
    write(CPU, "1")
    time.sleep(2 + dice.random() * 3)


def listeners(campaign, dice):
    """A slow listener with a small buffer is killed."""
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
    """Returns the kernel's count-down of failures; 0 on a kernel without fault injection."""
    return int(read(FAULTS[0] + "times").strip() or 0)


def shortages(campaign, dice):
    """A part of the module's allocations and copies from and to user space fails, also in kernel
    functions that it calls. vfio-pci-core is exempt, since it warns of failures, and so is all else
    in the lab."""
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


# Counts of the actors' deeds. SHORTAGES need a kernel with fault injection.
DEEDS = ("guest lives", "guests that ended well", "user lives", "users that got it",
         "operators' deeds", "policies applied", "misbehaviours", "packages moved",
         "unloads refused", "processors unplugged", "listeners killed",
         "GPUs that opened after a round", "resets by open", "resets by close",
         "resets by vfio-reset", "resets by hot-reset", "resets by guest-flr", "resets by sysfs",
         "resets by netlink")
SHORTAGES = ("shortages", "allocations that failed")


def have_acted(campaign):
    """Each deed has happened at least once."""
    deeds = DEEDS + (SHORTAGES if os.path.exists(FAULTS[0]) else ())
    missing = [deed for deed in deeds if not campaign.counts[deed]]
    if missing:
        raise Broken(f"each deed happens: {', '.join(missing)}: never")


def text_of(module, file):
    """Returns the addresses of the begin and the end of a module's code."""
    begin = int(read(f"/sys/module/{module}/sections/.text"), 16)
    sizes = dict(line.split()[:2] for line in run("size", "-A", "-d", file)[1].splitlines()
                 if line.startswith("."))
    return hex(begin), hex(begin + int(sizes[".text"]))


def prepare():
    """Configures the fault injection of a kernel that has it."""
    if not os.path.exists(FAULTS[0]):
        print("this kernel has no fault injection, so no allocation fails", flush=True)
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
    """Brings the processor back, ends the failures, and makes the hardware sane."""
    write(CPU, "1")
    set_faults("probability", "0")
    for gpu in campaign.gpus:
        gpu.tell(TRUTH)
