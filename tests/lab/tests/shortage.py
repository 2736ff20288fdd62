# SPDX-License-Identifier: GPL-2.0-only
"""Makes each allocation of the module, and each copy from and to its users, fail, one after the
other, in each operation. Arguments: BDF…, kernel source."""
import collections
import ctypes
import errno
import fcntl
import mmap
import os
import socket
import struct
import sys
import time

import family as tool
from family import BDF, BDFS, TOP, check, family, peers

KINDS = [f"/sys/kernel/debug/{kind}/" for kind in ("failslab", "fail_usercopy")]
NAME = "instinct_vfio_pci"
MODULE = f"{TOP}/build/kmod/{os.uname().release}/instinct-vfio-pci.ko"
DRIVER = f"/sys/bus/pci/drivers/{NAME}/"
DEVICE = f"/sys/bus/pci/devices/{BDF}/"
PLACES_MAX = 2000
SLOWNESS = int(os.environ["LAB_SLOWNESS"])
FINIT_MODULE, DELETE_MODULE = 313, 176
SET_CONTAINER, SET_IOMMU, GET_DEVICE = 0x3b68, 0x3b66, 0x3b6a
REGION_INFO, RESET, HOT_RESET_INFO, HOT_RESET = 0x3b6c, 0x3b6f, 0x3b70, 0x3b71
libc = ctypes.CDLL(None, use_errno=True)


def write(path, text):
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def system(number, *args):
    if libc.syscall(number, *args) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def limit(word, begin, end):
    """Limits failures to calls with such an address on the stack (require) or without (reject)."""
    for kind in KINDS:
        write(kind + word + "-start", hex(begin))
        write(kind + word + "-end", hex(end))


def module_range(name):
    words = next(line.split() for line in open("/proc/modules", encoding="ascii")
                 if line.startswith(name + " "))
    return int(words[5], 16), int(words[5], 16) + int(words[1])


def only_init():
    """Limits failures to a module's init, by the address of its caller."""
    symbols = sorted({int(line.split()[0], 16) for line in open("/proc/kallsyms", encoding="ascii")
                      if line.split()[1] in "tT" and "[" not in line})
    begin = next(int(line.split()[0], 16) for line in open("/proc/kallsyms", encoding="ascii")
                 if line.split()[2] == "do_init_module")
    limit("require", begin, symbols[symbols.index(begin) + 1])


def each_fails(what, call, before=lambda: None, after=lambda state, result: None):
    """Calls CALL(BEFORE()) once for each allocation in it, which fails, and at last without a
    failure; AFTER undoes each call, successful or not."""
    found = collections.Counter()
    fd = os.open("/proc/thread-self/fail-nth", os.O_RDWR)
    places = 0
    left = 0
    while not left and places < PLACES_MAX:
        state, result, refused = before(), None, ""
        os.pwrite(fd, str(places + 1).encode(), 0)
        try:
            result = call(state)
        except OSError as error:
            refused = errno.errorcode.get(error.errno, str(error.errno))
        left = int(os.pread(fd, 16, 0))
        os.pwrite(fd, b"0", 0)
        after(state, result)
        places += not left
        if refused and not left:
            found[refused] += 1
    os.close(fd)
    told = " ".join(f"{name} {count}" for name, count in sorted(found.items()))
    print(f"# {what}: {places} of them; refused: {told or 'never'}")
    check(f"{what}: some calls fail, and their number is limited", 0 < places < PLACES_MAX, places)
    check(f"{what}: the call without a failure succeeds", not refused, refused)


def load(_):
    fd = os.open(MODULE, os.O_RDONLY | os.O_CLOEXEC)
    try:
        system(FINIT_MODULE, fd, b"require_policy=N", 0)
    finally:
        os.close(fd)


def is_loaded():
    return os.path.exists(f"/sys/module/{NAME}")


def unload(*_):
    if is_loaded():
        system(DELETE_MODULE, NAME.encode(), os.O_NONBLOCK)


def is_bound():
    return os.path.basename(os.path.realpath(DEVICE + "driver")) == NAME


def bind(*_):
    if not is_bound():
        write(DRIVER + "bind", BDF)


def unbind(*_):
    if is_bound():
        write(DRIVER + "unbind", BDF)


class User:
    """A VFIO user of the GPU; open() opens the device."""

    def __init__(self):
        group = os.path.basename(os.path.realpath(DEVICE + "iommu_group"))
        self.device = -1
        self.container = os.open("/dev/vfio/vfio", os.O_RDWR | os.O_CLOEXEC)
        self.group = os.open(f"/dev/vfio/{group}", os.O_RDWR | os.O_CLOEXEC)
        fcntl.ioctl(self.group, SET_CONTAINER, struct.pack("i", self.container))
        fcntl.ioctl(self.container, SET_IOMMU, 3)

    def open(self):
        self.device = fcntl.ioctl(self.group, GET_DEVICE, bytearray(BDF.encode() + b"\0"))
        return self

    def close(self, *_):
        for fd in (self.device, self.group, self.container):
            if fd >= 0:
                os.close(fd)

    def region(self, index):
        info = fcntl.ioctl(self.device, REGION_INFO, struct.pack("IIIIQQ", 32, 0, index, 0, 0, 0))
        return struct.unpack("IIIIQQ", info)[5]

    def ask(self, number, argument=0):
        return fcntl.ioctl(self.device, number, argument)

    def config_write(self, at, value):
        return os.pwrite(self.device, value, self.region(7) + at)

    def map(self):
        with mmap.mmap(self.device, 4096, mmap.MAP_SHARED, offset=self.region(0)) as bar:
            bar[0] = 1


def users_way():
    each_fails("open", User.open, User, User.close)
    user = User().open()
    try:
        info = struct.pack("IIIIII", 24, 0, 0, 0, 0, 0)
        owned = struct.pack("IIIi", 16, 0, 1, user.group)
        each_fails("VFIO_DEVICE_PCI_HOT_RESET", lambda _: user.ask(HOT_RESET, owned),
                   lambda: user.config_write(4, b"\6\0"))
        each_fails("VFIO_DEVICE_RESET", lambda _: user.ask(RESET),
                   lambda: user.config_write(4, b"\6\0"))
        user.ask(HOT_RESET_INFO, info)
        user.map()
    finally:
        user.close()


def until_idle(ynl):
    while ynl.do("dev-get", {"bdf": BDF})["state"] == "resetting":
        time.sleep(0.01)


class Asker:
    """Sends requests with a number each, since an answer may come after its timeout."""

    def __init__(self, ynl):
        self.ynl = ynl
        self.ynl.sock.settimeout(2 * SLOWNESS)
        self.number = 77

    def hear(self):
        """Returns the answer's errno, or ETIMEDOUT: the answer may fail for want of memory too."""
        while True:
            answer = self.ynl.sock.recv(65536)
            at = 0
            while at < len(answer):
                size, kind, _, number, _ = struct.unpack_from("IHHII", answer, at)
                # The message is an ACK, a refusal, or the end of a dump.
                if number == self.number and kind in (2, 3):
                    return -struct.unpack_from("i", answer, at + 16)[0]
                at += size + 3 & ~3

    def ask(self, message):
        self.number += 1
        self.ynl.sock.send(message[:8] + struct.pack("I", self.number) + message[12:])
        try:
            refused = self.hear()
        except socket.timeout:
            refused = errno.ETIMEDOUT
        if refused:
            raise OSError(refused, os.strerror(refused))

    # pylint: disable=protected-access
    def each(self, name, values, dump=False, what=""):
        message = bytes(self.ynl._encode_message(self.ynl.ops[name], values, [0x300] if dump else [], 0))
        each_fails(what or name + " dump" * dump, lambda _: self.ask(message))


def netlink_way():
    ynl = family()
    asker = Asker(ynl)
    asker.each("info-get", {})
    asker.each("stats-get", {}, True)
    asker.each("dev-get", {"bdf": BDF})
    for name in ("dev-get", "policy-get", "event-get", "isolation-get"):
        asker.each(name, {}, True)
    asker.each("policy-apply", {"policy": [
        {"bdf": BDF, "acs": "vm-p2p", "peer": peers(0, 0), "ats": "preferred"},
        {"bdf": BDFS[1]}]})
    asker.each("policy-apply", {"policy": [{"bdf": BDF, "defaults": True}]})
    asker.each("reset", {"bdf": BDF, "dry-run": True}, what="reset, dry run")
    asker.each("reset", {"bdf": BDF})
    until_idle(ynl)
    each_fails("sysfs reset", lambda _: write(DEVICE + "reset", "1"),
               lambda: ynl.do("reset", {"bdf": BDF, "method": "quiesce"}))


def main():
    write(KINDS[0] + "ignore-gfp-wait", "N")
    for kind in KINDS:
        write(kind + "verbose", "0")
        write(kind + "stacktrace-depth", "32")
    only_init()
    each_fails("load", load, after=unload)
    load(None)
    limit("require", *module_range(NAME))
    # Linux warns, by a bug of its own, if it has no memory for a new group.
    limit("reject", *module_range("vfio"))
    for bdf in BDFS:
        write(f"/sys/bus/pci/devices/{bdf}/driver_override", NAME)
        # With a NUMA node a kworker of that node would bind the device, out of this task.
        write(f"/sys/bus/pci/devices/{bdf}/numa_node", "-1")
    write(DRIVER + "bind", BDFS[1])
    each_fails("bind", bind, after=unbind)
    limit("reject", 0, 0)
    bind()
    users_way()
    netlink_way()
    each_fails("unbind", unbind, bind)
    check("the GPU is unbound at the end, and the module loaded", not is_bound() and is_loaded())
    limit("require", 0, 0)
    unload()
    return tool.failures


if __name__ == "__main__":
    sys.exit(main() != 0)
