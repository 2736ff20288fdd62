#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A small VFIO user that has a GPU by its character device and iommufd (Linux 6.6), step
by step, and says what the kernel answered:

  iommufd.py BDF STEP…

  open              the character device
  bind              VFIO_DEVICE_BIND_IOMMUFD, which opens the device
  attach, detach    VFIO_DEVICE_ATTACH_IOMMUFD_PT of a new IOAS, and its end
  reset             VFIO_DEVICE_RESET
  hot-reset         VFIO_DEVICE_PCI_HOT_RESET, which shows nothing: who has the device
                    this way owns it
  hot-reset-shown   the same, showing the iommufd as if it were a group
  owned             what VFIO_DEVICE_GET_PCI_HOT_RESET_INFO says of that
  config            a read and a write of config space
  wait=FILE         until it exists
  close             all of it

Prints "STEP ok|ERRNO" each. Exit status 0 if all were ok, 1 if one was not. Steps go on
after a failure."""
import errno
import fcntl
import os
import struct
import sys
import time


def number(offset):
    """_IO(';', …), which both vfio (from 100) and iommufd (from 0x80) have."""
    return ord(";") << 8 | offset


GET_PCI_HOT_RESET_INFO = number(112)
DEVICE_RESET = number(111)
PCI_HOT_RESET = number(113)
BIND_IOMMUFD = number(118)
ATTACH_PT = number(119)
DETACH_PT = number(120)
IOAS_ALLOC = number(0x81)
CONFIG = 7 << 40
# struct vfio_pci_hot_reset_info's flags.
BY_DEVICE_ID, OWNED = 1, 2


class User:
    def __init__(self, bdf):
        self.bdf = bdf
        self.device = self.iommu = -1

    def open(self):
        folder = f"/sys/bus/pci/devices/{self.bdf}/vfio-dev"
        self.device = os.open("/dev/vfio/devices/" + os.listdir(folder)[0], os.O_RDWR)

    def bind(self):
        self.iommu = os.open("/dev/iommu", os.O_RDWR)
        fcntl.ioctl(self.device, BIND_IOMMUFD, bytearray(struct.pack("=IIiI", 16, 0, self.iommu, 0)))

    def attach(self):
        ioas = bytearray(struct.pack("=III", 12, 0, 0))
        fcntl.ioctl(self.iommu, IOAS_ALLOC, ioas)
        fcntl.ioctl(self.device, ATTACH_PT, bytearray(struct.pack("=III", 12, 0, *struct.unpack_from("=I", ioas, 8))))

    def detach(self):
        fcntl.ioctl(self.device, DETACH_PT, struct.pack("=II", 8, 0))

    def reset(self):
        fcntl.ioctl(self.device, DEVICE_RESET)

    def hot_reset(self, *fds):
        fcntl.ioctl(self.device, PCI_HOT_RESET,
                    struct.pack(f"=III{len(fds)}i", 12 + 4 * len(fds), 0, len(fds), *fds))

    def hot_reset_shown(self):
        self.hot_reset(self.iommu)

    def owned(self):
        info = bytearray(struct.pack("=III8x", 20, 0, 0))
        fcntl.ioctl(self.device, GET_PCI_HOT_RESET_INFO, info)
        _, flags, count = struct.unpack_from("=III", info)
        if flags != BY_DEVICE_ID | OWNED or count != 1:
            raise OSError(errno.EBADMSG, "")

    def config(self):
        # Command, as it is.
        os.pwrite(self.device, os.pread(self.device, 2, CONFIG + 4), CONFIG + 4)

    def close(self):
        for fd in (self.device, self.iommu):
            if fd >= 0:
                os.close(fd)
        self.device = self.iommu = -1


def main():
    user, failed = User(sys.argv[1]), 0
    for step in sys.argv[2:]:
        name, _, file = step.partition("=")
        try:
            if name == "wait":
                while not os.path.exists(file):
                    time.sleep(0.05)
            else:
                getattr(user, name.replace("-", "_"))()
            print(step, "ok", flush=True)
        except OSError as error:
            failed = 1
            print(step, errno.errorcode[error.errno], flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
