# SPDX-License-Identifier: GPL-2.0-only
"""Parts that the fuzzers and the campaign share: commands with a time limit, GPUs that keep their
name though their address changes, and an operator's means to bring a GPU back."""
import glob
import json
import os
import signal
import subprocess
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
INSTINCTCTL, CLIENT = TOP + "/build/instinctctl", TOP + "/build/lab/client"
DEVICES, DRIVER = "/sys/bus/pci/devices/", "/sys/bus/pci/drivers/instinct_vfio_pci/"
MODEL = "/sys/kernel/debug/instinct-model/"
FUNCTION = "/????:??:??.?"
RESETS = ("mode1", "mode2", "flr", "bus_reset")
# Seconds for any command: Linux's own reset waits for a minute, twice.
LIMIT = 120 + 30 * int(os.environ["LAB_SLOWNESS"])

# The fuzzers leave "truncated" out, because a known defect of vfio-pci-core makes its outcome
# undefined (docs/upstream.md).
LIES = ("ones", "random", "noise", "loops", "overlap", "bars")
LIE_WHERE = ("gpu", "package", "both")
TRUTH = ("lie=none lie_where=gpu present=1 discovery=ok mailbox=ok mode1=ok mode1_after_ms=10 "
         "flr=kills bus_reset=kills notready=ones switch_one_in=0 switch_late_ms=0 switch_bars=real "
         "switch_where=gpu switch_range=all switch_opens=at_once switch_acs=keeps nic_ats=present "
         "path_heals=written link_down=0 surprise_down=0 pending=0 synthetic=none "
         "synthetic_where=gpu mode1_answers=ok bootloader=ok aspm=0 ready_ms=20")
MISDEEDS = ("present=0", "discovery=garbage", "discovery=truncated", "discovery=badsum",
            "discovery=badsig", "discovery=none", "discovery=ok32",
            "mailbox=busy", "mailbox=reject", "mailbox=gone", "mailbox=slow", "mailbox=unknown",
            "mailbox=prerequisite", "mailbox=nonsense", "mode1=dead", "mode1=kills",
            "mode1=timeout", "mode1=refuse", "mode1_after_ms=0", "mode1_after_ms=200",
            "flr=dead", "bus_reset=dead", "notready=rrs", "switch_one_in=3", "switch_late_ms=30",
            "switch_bars=virtual",
            "switch_where=both switch_opens=retrain", "switch_where=package switch_opens=time",
            "switch_range=bars switch_opens=port_read", "switch_acs=loses", "switch_acs=refuses",
            "nic_ats=absent", "link_down=1", "path_heals=enumerated", "surprise_down=1",
            "port_error=0x4000", "pending=1", "synthetic=away synthetic_where=both",
            "synthetic=time", "synthetic=retrain synthetic_where=both", "synthetic=ever",
            "mailbox=deaf", "mailbox=echo", "mode1_answers=none", "mode1=fatal", "bootloader=fails",
            "bootloader=busy", "sos=runs", "aspm=1", "ready_ms=1500")


class Broken(Exception):
    """An invariant does not hold; the message names the invariant and the findings."""


def write(path, text):
    """Writes to a file of sysfs or of the model; returns False if the kernel refuses it."""
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return True
    except OSError:
        return False


def read(path):
    """Reads a file of sysfs or the like; returns "" if the file is gone."""
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""


def run(*command, **options):
    """Runs a command, which must end in time and not by a signal; returns status and output."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", **options) as process:
        return finish(process, command)


def inside():
    """Lists the tasks in the driver or in uninterruptible sleep, with their stacks."""
    found = []
    for path in glob.glob("/proc/[0-9]*/task/*"):
        stack = read(path + "/stack")
        if "[instinct_vfio_pci]" in stack or "\nState:\tD" in read(path + "/status"):
            found.append(f"{read(path + '/comm').strip()}:\n{stack}")
    return "\n".join(found)


def output_of(process, command, limit=LIMIT):
    """Waits for the end of a process, which must come in time; returns its output."""
    try:
        return process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired as late:
        said = f"{' '.join(command)} ends within {limit} s:\n{inside()}"
        # A process that cannot be killed may block this one later, so print at once.
        print(f"not so: {said}", flush=True)
        process.send_signal(signal.SIGKILL)
        raise Broken(said) from late


def finish(process, command):
    output = output_of(process, command)
    if process.returncode < 0:
        raise Broken(f"{' '.join(command)} ends without signal {-process.returncode}\n{output}")
    return process.returncode, output


def statuses():
    """Returns the status of each GPU that the driver knows, by address. Repeats the request,
    since the module may be short of memory."""
    for _ in range(50):
        code, output = run(INSTINCTCTL, "status", "--json")
        if code in (0, 3):
            return {device["bdf"]: device for device in json.loads(output)["devices"]}
        time.sleep(0.2)
    raise Broken(f"instinctctl prints the status: {output}")


def wait_until(seconds, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


class Gpu:
    """The GPU below a root port; the root port's address never changes."""

    def __init__(self, bdf, index):
        path = os.path.realpath(DEVICES + bdf).split("/")
        self.model, self.index, self.known = bdf, index, bdf
        # The GPU stays bound, or unbound, while a thread holds this lock.
        self.binding = threading.RLock()
        self.root = "/".join(path[:5])
        # Levels below the root port: two ports of the board's switch, two of the package's, GPU.
        self.below = len(path) - 5

    @property
    def bdf(self):
        """The GPU's address; the last known one if the GPU is absent."""
        for path in glob.glob(self.root + FUNCTION * self.below):
            self.known = os.path.basename(path)
        return self.known

    @property
    def swus(self):
        """The sysfs path of the package's upstream port; "" if the port is absent."""
        for path in glob.glob(self.root + FUNCTION * (self.below - 2)):
            # The NIC is at the same depth, and is no bridge.
            if read(path + "/class").startswith("0x0604"):
                return path
        return ""

    @property
    def port(self):
        return os.path.basename(self.root)

    def tell(self, text):
        """Sets options of the hardware model."""
        if not write(f"{MODEL}{self.model}/set", text):
            raise Broken(f"the model takes {text}")

    def file(self, name):
        with open(f"{MODEL}{self.model}/{name}", encoding="ascii") as file:
            return dict(line.split(maxsplit=1) for line in file if " " in line.strip())

    def counter(self, name):
        return int(self.file("counters")[name])

    def resets(self):
        """Counts the resets of any kind that have reached the hardware."""
        return sum(self.counter(name) for name in RESETS)

    def status(self):
        return statuses().get(self.bdf, {})

    def bound(self):
        return os.path.exists(DRIVER + self.bdf)

    def bind(self):
        with self.binding:
            write(f"{DEVICES}{self.bdf}/driver_override", "instinct_vfio_pci")
            write("/sys/bus/pci/drivers_probe", self.bdf)

    def unbind(self):
        with self.binding:
            write(DRIVER + "unbind", self.bdf)

    def scrub(self):
        code, _ = run(INSTINCTCTL, "reset", self.bdf, "--method", "mode1")
        return not code

    def reset(self):
        """Scrubs the GPU, if need be by a method that has lost it. A power cycle has to scrub the GPU if
        its reset fails again, as it does while another user has a GPU of the hive."""
        if self.scrub():
            return
        run(INSTINCTCTL, "forgive", self.bdf)
        if not self.scrub():
            self.tell("power_cycle=1")

    def bind_anew(self):
        self.unbind()
        self.bind()
        self.reset()

    def enumerate(self):
        """Removes the GPU with its package, and rescans the bus."""
        with self.binding:
            if self.swus:
                write(self.swus + "/remove", "1")
            write("/sys/bus/pci/rescan", "1")
            self.bind()
        self.reset()

    def unwell(self):
        """Tries to use the GPU; returns the findings if that fails, else ""."""
        code, output = run(CLIENT, self.bdf, "open", "reset", "touch", "close")
        if code:
            return output
        wait_until(LIMIT, lambda: self.status().get("state") != "resetting")
        status = self.status()
        return "" if status.get("state") == "ready" else \
            f"{status.get('state')}: {status.get('reason')}"

    def come_back(self, policy):
        """Makes the hardware sane, and returns the name of the first means that brings the GPU
        back under this policy."""
        self.tell(TRUTH)
        self.tell("power_cycle=1")
        ways = (("by itself", lambda: None), ("by reset", self.reset),
                  ("by bind", self.bind_anew), ("by enumeration", self.enumerate))
        story = ""
        # A second turn, since the first one may fail for lack of memory.
        for name, way in ways * 2:
            way()
            run(INSTINCTCTL, "apply", policy)
            unwell = self.unwell() if self.bound() else "not bound"
            if not unwell:
                return name
            story += f"\n{name}: {unwell.strip()}"
        raise Broken(f"{self.bdf} comes back: {json.dumps(self.status())} {self.file('state')}{story}")


def gpus():
    """All GPUs of the model, in the order of their addresses."""
    return [Gpu(bdf, index) for index, bdf in enumerate(sorted(
        name for name in os.listdir(MODEL) if name[0] == "0"))]
