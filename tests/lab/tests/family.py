# SPDX-License-Identifier: GPL-2.0-only
"""Wraps the kernel's YNL client for the module's netlink family, and reports checks.

The tests that import this module take as arguments BDF…, and last the kernel's source."""
import pathlib
import struct
import sys

*BDFS, SOURCE = sys.argv[1:]
TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, f"{SOURCE}/tools/net/ynl/pyynl")

# pylint: disable=wrong-import-position, import-error
from lib import YnlFamily
from lib.ynl import GenlProtocol, Netlink, NlAttrs, NlError, NlMsgs

BDF = BDFS[0]
failures = 0


def check(what, passed, detail=""):
    global failures
    print(f'{"ok" if passed else "not ok"} - {what}', flush=True)
    if not passed:
        failures += 1
        print(f"# {detail}")


def refused(what, number, text, call, *args):
    """Checks that CALL fails with errno NUMBER and an extack message that contains TEXT."""
    try:
        found = call(*args)
        check(what, False, f"not refused: {found}")
    except NlError as error:
        message = str(error.nl_msg.extack or "")
        check(what, error.nl_msg.error == -number and text in message,
              f"error {error.nl_msg.error}, extack {message}")


def attr(kind, payload):
    length = 4 + len(payload)
    return struct.pack("HH", length, kind) + payload + b"\0" * (-length % 4)


def nest(kind, payload):
    return attr(kind | Netlink.NLA_F_NESTED, payload)


def family():
    # The client caches the numbers of families, which a load of the module changes.
    GenlProtocol.genl_family_name_to_id = {}
    return YnlFamily(str(TOP / "include/uapi/instinct_vfio.yaml"),
                     f"{SOURCE}/Documentation/netlink/genetlink-legacy.yaml")


def set_policy(ynl, policy):
    """Sets the policy of one device."""
    return ynl.do("policy-apply", {"policy": [policy]})


def peers(*numbers):
    """Returns peers as the module has them, from kinds and values, for the client."""
    return struct.pack(f"{len(numbers)}I", *numbers).hex()


def policy_of(ynl, bdf):
    """Returns the policy of a GPU that the driver has."""
    return ynl.do("dev-get", {"bdf": bdf})["policy"]


# pylint: disable=protected-access
def encode(ynl, policies):
    """Returns the bytes of a POLICY_APPLY request."""
    return bytes(ynl._encode_message(ynl.ops["policy-apply"], {"policy": list(policies)}, [], 77))


def raw(ynl, command, payload):
    message = struct.pack("IHHII", 20 + len(payload), ynl.nlproto.family_id,
                          Netlink.NLM_F_REQUEST | Netlink.NLM_F_ACK, 77, 0)
    return message + struct.pack("BBH", command, 1, 0) + payload


def answers(ynl):
    """Returns (errno, extack as a dictionary) of each answer received; errno is 0 for an ACK."""
    return [(-reply.error, reply.extack or {}) for reply in NlMsgs(ynl.sock.recv(65536))
            if reply.nl_type == 2]


def send(ynl, message):
    """Sends MESSAGE and returns its answer in the form of answers()."""
    ynl.sock.send(message)
    return next(iter(answers(ynl)), (None, {}))


def set_model(bdf, setting):
    """Changes a setting of the modelled GPU."""
    pathlib.Path(f"/sys/kernel/debug/instinct-model/{bdf}/set").write_text(setting)


def blamed(message, extack):
    """Returns (index of the policy, attribute) at which EXTACK points in a POLICY_APPLY."""
    target = extack.get("bad-attr-offs")
    offset = 20
    for index, policy in enumerate(NlAttrs(message, 20)):
        if target == offset:
            return index, None
        inside = offset + 4
        for member in NlAttrs(policy.raw):
            if target == inside:
                return index, member.type
            inside += member.full_len
        offset += policy.full_len
    return None, None
