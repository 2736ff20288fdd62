# SPDX-License-Identifier: GPL-2.0-only
"""Listens to nlmon0 and prints each generic netlink request to the kernel, one a line: its
command, or "ctrl" for a request to the controller, and its time in microseconds. It also prints
"route" for an rtnetlink request, so that a reader knows that all earlier requests are printed."""
import socket
import struct

NETLINK_ROUTE = 0
NETLINK_GENERIC = 16
NLM_F_REQUEST = 1
GENL_ID_CTRL = 16
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35

sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
sock.bind(("nlmon0", 0))
print("listening", flush=True)
while True:
    data, more, _, address = sock.recvmsg(65536, 128)
    seconds, ns = struct.unpack("qq", more[0][2])
    when = seconds * 1000000 + ns // 1000
    protocol = address[1]
    if len(data) < 20:
        continue
    message, flags, command = struct.unpack_from("=4xHH8xB", data)
    # The kernel's answers do not have this flag.
    if not flags & NLM_F_REQUEST:
        continue
    if protocol == NETLINK_ROUTE:
        print("route", when, flush=True)
    elif protocol == NETLINK_GENERIC:
        print("ctrl" if message == GENL_ID_CTRL else command, when, flush=True)
