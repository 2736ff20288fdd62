#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A small VFIO user that uses a GPU by its character device and iommufd (Linux 6.6), step
by step, and prints the kernel's answers:

  iommufd.py BDF STEP…

  open              the character device
  bind              VFIO_DEVICE_BIND_IOMMUFD, which opens the device
  attach, detach    VFIO_DEVICE_ATTACH_IOMMUFD_PT of a new IOAS, and its reverse
  reset             VFIO_DEVICE_RESET
  hot-reset         VFIO_DEVICE_PCI_HOT_RESET without group fds: the bound iommufd
                    proves ownership
  hot-reset-shown   the same with the iommufd in place of a group fd
  owned             fails with EBADMSG unless VFIO_DEVICE_GET_PCI_HOT_RESET_INFO
                    says that the user owns the device, and no other is affected
  config            a read and a write of config space
  memory, memory-off    write Command: Memory Space alone, nothing
  export            export the first 2 MiB of VRAM as a dma-buf (Linux 6.19)
  peer=BDF          open QEMU's edu in the same iommufd, with an IOAS of its own
  map, unmap        IOMMU_IOAS_MAP_FILE of the dma-buf in the peer's IOAS (Linux 7.0),
                    and its reverse
  send              the peer's DMA writes a new mark to the place of the dma-buf
  marked            fails with ENODATA unless VRAM begins with the last mark
  wait=FILE         waits until FILE exists
  leave             closes the GPU alone
  close             closes all fds

The program prints "STEP ok|ERRNO" for each step. Exit status: 0 if all were ok, 1 if one
was not. The program continues after a failed step."""
import ctypes
import errno
import fcntl
import mmap
import os
import struct
import sys
import time


def number(offset):
    """_IO(';', …), of vfio (from 100) and of iommufd (from 0x80)."""
    return ord(";") << 8 | offset


DEVICE_RESET = number(111)
GET_PCI_HOT_RESET_INFO = number(112)
PCI_HOT_RESET = number(113)
DEVICE_FEATURE = number(117)
BIND_IOMMUFD = number(118)
ATTACH_PT = number(119)
DETACH_PT = number(120)
IOAS_ALLOC = number(0x81)
IOAS_MAP = number(0x85)
IOAS_UNMAP = number(0x86)
IOAS_MAP_FILE = number(0x8f)
VRAM, CONFIG = 0, 7 << 40
# struct vfio_pci_hot_reset_info's flags.
BY_DEVICE_ID, OWNED = 1, 2
GET_DMA_BUF = 1 << 16 | 11
FIXED_READ_WRITE = 7
EXPORTED = 2 << 20
# Where the peer finds the dma-buf and its own page.
IOVA_EXPORTED, IOVA_PAGE = 0x10000000, 0x20000000
PAGE = 4096


def open_device(bdf):
    """The character device of a VFIO device."""
    folder = f"/sys/bus/pci/devices/{bdf}/vfio-dev"
    return os.open("/dev/vfio/devices/" + os.listdir(folder)[0], os.O_RDWR | os.O_CLOEXEC)


class Peer:
    """QEMU's edu (docs/specs/edu.txt), with one page of its own."""
    SOURCE, DEST, COUNT, COMMAND, BUFFER = 0x80, 0x88, 0x90, 0x98, 0x40000
    START, TO_MEMORY = 1, 2

    def __init__(self, bdf, iommu):
        self.iommu = iommu
        self.device = open_device(bdf)
        fcntl.ioctl(self.device, BIND_IOMMUFD, bytearray(struct.pack("=IIiI", 16, 0, iommu, 0)))
        self.ioas = alloc_ioas(iommu)
        fcntl.ioctl(self.device, ATTACH_PT, bytearray(struct.pack("=III", 12, 0, self.ioas)))
        self.page = mmap.mmap(-1, PAGE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.page))
        fcntl.ioctl(iommu, IOAS_MAP, struct.pack("=IIIIQQQ", 40, FIXED_READ_WRITE, self.ioas, 0,
                                                 address, PAGE, IOVA_PAGE))
        # Memory Space and Bus Master
        os.pwrite(self.device, b"\6\0", CONFIG + 4)
        self.bar = mmap.mmap(self.device, 0x100000)

    def register(self, offset):
        """The register, read and written by one access."""
        return ctypes.c_uint64.from_buffer(self.bar, offset)

    def run(self, source, dest, command):
        for offset, value in ((self.SOURCE, source), (self.DEST, dest), (self.COUNT, 8),
                              (self.COMMAND, command | self.START)):
            self.register(offset).value = value
        for _ in range(1000):
            if not self.register(self.COMMAND).value & self.START:
                return
            time.sleep(0.01)
        raise OSError(errno.ETIME, "")

    def send(self, mark):
        self.page[:8] = mark
        self.run(IOVA_PAGE, self.BUFFER, 0)
        self.run(self.BUFFER, IOVA_EXPORTED, self.TO_MEMORY)

    def close(self):
        os.close(self.device)


def alloc_ioas(iommu):
    ioas = bytearray(struct.pack("=III", 12, 0, 0))
    fcntl.ioctl(iommu, IOAS_ALLOC, ioas)
    return struct.unpack_from("=I", ioas, 8)[0]


class User:
    def __init__(self, bdf):
        self.bdf = bdf
        self.device = self.iommu = self.buffer = -1
        self.edu, self.marks = None, 0

    def open(self):
        self.device = open_device(self.bdf)

    def bind(self):
        self.iommu = os.open("/dev/iommu", os.O_RDWR | os.O_CLOEXEC)
        fcntl.ioctl(self.device, BIND_IOMMUFD, bytearray(struct.pack("=IIiI", 16, 0, self.iommu, 0)))

    def attach(self):
        fcntl.ioctl(self.device, ATTACH_PT, bytearray(struct.pack("=III", 12, 0, alloc_ioas(self.iommu))))

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
        # Writes Command back unchanged.
        os.pwrite(self.device, os.pread(self.device, 2, CONFIG + 4), CONFIG + 4)

    def memory(self):
        os.pwrite(self.device, b"\2\0", CONFIG + 4)

    def memory_off(self):
        os.pwrite(self.device, b"\0\0", CONFIG + 4)

    def export(self):
        # struct vfio_device_feature, and in it struct vfio_device_feature_dma_buf
        # Of a bytearray fcntl.ioctl() returns the kernel's answer, the descriptor.
        self.buffer = fcntl.ioctl(self.device, DEVICE_FEATURE, bytearray(
            struct.pack("=IIIIIIQQ", 40, GET_DMA_BUF, 0, os.O_RDWR | os.O_CLOEXEC, 0, 1, VRAM, EXPORTED)))

    def peer(self, bdf):
        self.edu = Peer(bdf, self.iommu)

    def map(self):
        fcntl.ioctl(self.iommu, IOAS_MAP_FILE,
                    struct.pack("=IIIiQQQ", 40, FIXED_READ_WRITE, self.edu.ioas, self.buffer, 0,
                                EXPORTED, IOVA_EXPORTED))

    def unmap(self):
        fcntl.ioctl(self.iommu, IOAS_UNMAP,
                    bytearray(struct.pack("=IIQQ", 24, self.edu.ioas, IOVA_EXPORTED, EXPORTED)))

    def mark(self):
        return struct.pack("=II", 0x6d61726b, self.marks)

    def send(self):
        self.marks += 1
        self.edu.send(self.mark())

    def marked(self):
        if os.pread(self.device, 8, VRAM) != self.mark():
            raise OSError(errno.ENODATA, "")

    def leave(self):
        os.close(self.device)
        self.device = -1

    def close(self):
        if self.edu:
            self.edu.close()
        for fd in (self.buffer, self.device, self.iommu):
            if fd >= 0:
                os.close(fd)
        self.device = self.iommu = self.buffer = -1
        self.edu = None


def main():
    user, failed = User(sys.argv[1]), 0
    for step in sys.argv[2:]:
        name, _, word = step.partition("=")
        try:
            if name == "wait":
                while not os.path.exists(word):
                    time.sleep(0.05)
            else:
                getattr(user, name.replace("-", "_"))(*filter(None, [word]))
            print(step, "ok", flush=True)
        except OSError as error:
            failed = 1
            print(step, errno.errorcode[error.errno], flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
