# SPDX-License-Identifier: GPL-2.0-only
"""The campaign's invariants, verified by the hardware model, the GPUs' memory and the events."""
import json
import re
import subprocess
import time

from host import CLIENT, INSTINCTCTL, RESETS, Broken, run, statuses, wait_until

MARK = 0x1badb002       # the mark of build/lab/client
# The mark of a guest's firmware (guest/firmware.c), and its offset in VRAM.
GUEST_MARK, GUEST_AT = 0x6b72616d, 128 * 1024
DEADLINE = 3_000        # ms, ready_timeout of the campaign's policies
# ms: a reset may try two methods, and wait five seconds for the rest of a hive before each. A busy
# emulated machine needs the other 14 seconds.
LIMIT = 2 * (DEADLINE + 5_000) + 14_000
EVENTS = "/tmp/soak.events"


def listen():
    """Starts a monitor that writes all events, from the first one on, to a file."""
    with open(EVENTS, "w", encoding="ascii") as file:
        # pylint: disable=consider-using-with
        return subprocess.Popen((INSTINCTCTL, "monitor", "--json", "--since", "1"), stdout=file)


def vram(gpu, at):
    """Reads a word of a GPU's memory from outside."""
    with open(f"/run/lab/vram{gpu.index}", "rb") as file:
        file.seek(at)
        return int.from_bytes(file.read(4), "little")


def by_kind(campaign):
    """Returns the resets that reached the hardware, by GPU and kind."""
    return {gpu.model: {kind: gpu.counter(kind) for kind in RESETS} for gpu in campaign.gpus}


def total(kinds):
    return sum(sum(counts.values()) for counts in kinds.values())


def resets(campaign):
    """Returns the number of all resets that reached the hardware."""
    return total(by_kind(campaign))


def heard():
    """Returns the listener's lines up to the newest event, and that event's number."""
    newest = int(json.loads(run(INSTINCTCTL, "monitor", "--json", "--since", "1", "--timeout", "1")[1]
                            .splitlines()[-1])["seq"])
    for _ in range(100):
        with open(EVENTS, encoding="utf-8") as file:
            lines = [line for line in file if line.endswith("\n")]
        if lines and json.loads(lines[-1])["seq"] >= newest:
            break
        time.sleep(0.2)
    return lines, newest


def told():
    """Returns the number of resets that made an event. The driver's own count begins anew with
    each new device."""
    lines, _ = heard()
    return sum(json.loads(line)["kind"] in ("reset-done", "reset-failed") for line in lines)


def remember(campaign):
    return {"resets": campaign.bystander.resets(), "told": told(),
            "kinds": by_kind(campaign)}


def quiet():
    """Waits until no reset is under way; returns the status of all GPUs."""
    def is_quiet():
        return all(device.get("state") != "resetting" for device in statuses().values())
    if not wait_until(60, is_quiet):
        raise Broken(f"resets end: {statuses()}")
    return statuses()


def handed_on(campaign):
    """Opens each GPU in the state that the round left: its user finds no data of the previous
    user."""
    quiet()
    for gpu in campaign.gpus:
        _, output = run(CLIENT, gpu.bdf, "open", "unmarked", "close")
        if "open " + gpu.known + " ok" not in output:
            campaign.count("GPUs that did not open after a round")
            continue
        campaign.count("GPUs that opened after a round")
        if re.search(r"^unmarked \S+ EBADMSG", output, re.MULTILINE) or \
                vram(gpu, GUEST_AT) == GUEST_MARK:
            raise Broken(f"{gpu.bdf} is scrubbed before another user opens it: {output}")
    # A client has opened, or tried to open, each GPU, and its last user has closed it.
    found = quiet()
    for gpu in campaign.gpus:
        state = gpu.file("state")
        if found.get(gpu.bdf, {}).get("state") == "ready" and state["answers"].strip() != "1":
            raise Broken(f"{gpu.bdf} is not ready while it does not answer: {state}")


def hold(campaign, began):
    found = quiet()
    for gpu in campaign.gpus:
        device = found.get(gpu.bdf, {})
        if device.get("state") != "ready" or gpu.file("state")["answers"].strip() != "1":
            raise Broken(f"{gpu.bdf} is ready, by status and model: {device} {gpu.file('state')}")
        if device.get("open"):
            raise Broken(f"no user has {gpu.bdf} open: {device}")
        if vram(gpu, 0) == MARK:
            raise Broken(f"{gpu.bdf} holds no data of its last user")
    # A reset may try several methods, some more than once. Resets of unbound GPUs, by the PCI
    # core, make no event.
    kinds = by_kind(campaign)
    reached, known = total(kinds) - total(began["kinds"]), told() - began["told"]
    if reached > 2 * known + 100:
        raise Broken(f"each reset makes an event: {reached} have reached the hardware, {known} "
                     f"made an event: {began['kinds']}, then {kinds}")
    bystander = campaign.bystander
    if bystander.resets() != began["resets"]:
        raise Broken("the bystander was not reset")
    if vram(bystander, 0) != MARK:
        raise Broken("the bystander's memory has its user's mark")
    if found[bystander.bdf].get("state") != "ready" or not found[bystander.bdf].get("open"):
        raise Broken(f"the bystander is in use: {found[bystander.bdf]}")


def events(campaign, listener):
    """No event is missing, up to the newest, and no reset took longer than it may."""
    lines, newest = heard()
    wanted, longest = 1, 0
    for line in lines:
        event = json.loads(line)
        if event.get("seq") != wanted:
            raise Broken(f"no event is missing: {wanted}, but {line}")
        wanted += 1
        if event["kind"] not in ("reset-done", "reset-failed"):
            continue
        if event["duration_ns"] > LIMIT * 1e6:
            raise Broken(f"no reset takes more than {LIMIT} ms: {line}")
        longest = max(longest, event["duration_ns"])
        campaign.count(f"resets by {event['cause']}")
    if wanted <= newest:
        raise Broken(f"no event is missing at the end: {newest}, but {wanted - 1}")
    if listener.poll() is not None:
        raise Broken(f"the listener goes on ({listener.returncode})")
    campaign.count("events", newest)
    campaign.count("longest reset, ms", longest // 1_000_000)
