#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does what "kexec -s -l" and "kexec -e" do: kexec.py IMAGE INITRD CMDLINE"""

import ctypes
import os
import sys

# asm/unistd_64.h, linux/reboot.h
KEXEC_FILE_LOAD = 320
REBOOT = 169
REBOOT_MAGIC = 0xFEE1DEAD, 672274793
REBOOT_KEXEC = 0x45584543

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def call(name, number, *arguments):
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    if libc.syscall(ctypes.c_long(number), *words):
        sys.exit(f"{name}: {os.strerror(ctypes.get_errno())}")


image, initrd, cmdline = sys.argv[1:]
with open(image, "rb") as kernel, open(initrd, "rb") as memory:
    call("kexec_file_load", KEXEC_FILE_LOAD, kernel.fileno(), memory.fileno(),
         len(cmdline) + 1, ctypes.c_char_p(cmdline.encode()), 0)
sys.stdout.flush()
call("reboot", REBOOT, *REBOOT_MAGIC, REBOOT_KEXEC, ctypes.c_char_p(None))
