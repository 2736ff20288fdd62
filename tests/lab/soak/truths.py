# SPDX-License-Identifier: GPL-2.0-only
"""What must hold whatever has happened: by the hardware model, by what is in memory, by
the events' numbers."""
import json
import re
import subprocess
import time

from host import CLIENT, INSTINCTCTL, RESETS, Broken, run, statuses, wait_until

MARK = 0x1badb002       # client's
# The firmware's, of a guest (guest/firmware.c), and where it is.
GUEST_MARK, GUEST_AT = 0x6b72616d, 128 * 1024
DEADLINE = 3_000        # ms, ready_timeout of the campaign's policies
# A reset may try two methods, and wait five seconds for the rest of a hive before each;
# the rest is what a busy emulated machine needs.
LIMIT = 2 * (DEADLINE + 5_000) + 14_000
EVENTS = "/tmp/soak.events"


def listen():
    """All events, from the first one on, to a file."""
    with open(EVENTS, "w", encoding="ascii") as file:
        # pylint: disable=consider-using-with
        return subprocess.Popen((INSTINCTCTL, "monitor", "--json", "--since", "1"), stdout=file)


def vram(gpu, at):
    """What is in a GPU's memory, as the outside sees it."""
    with open(f"/run/lab/vram{gpu.index}", "rb") as file:
        file.seek(at)
        return int.from_bytes(file.read(4), "little")


def by_kind(campaign):
    """Resets that reached the hardware, of each GPU."""
    return {gpu.model: {kind: gpu.counter(kind) for kind in RESETS} for gpu in campaign.gpus}


def total(kinds):
    return sum(sum(counts.values()) for counts in kinds.values())


def resets(campaign):
    """Of all GPUs, that reached the hardware."""
    return total(by_kind(campaign))


def heard():
    """The listener's lines, up to the newest event there is now; and its number."""
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
    """Of how many resets there have been events: the driver's own count begins anew with a
    device that is."""
    lines, _ = heard()
    return sum(json.loads(line)["kind"] in ("reset-done", "reset-failed") for line in lines)


def remember(campaign):
    return {"resets": campaign.bystander.resets(), "told": told(),
            "kinds": by_kind(campaign)}


def quiet():
    """No reset is under way."""
    def is_quiet():
        return all(device.get("state") != "resetting" for device in statuses().values())
    if not wait_until(60, is_quiet):
        raise Broken(f"resets end: {statuses()}")
    return statuses()


def handed_on(campaign):
    """As it was left by the round, before anybody brings it back: who is let have a GPU
    finds nothing of who had it before."""
    quiet()
    for gpu in campaign.gpus:
        _, output = run(CLIENT, gpu.bdf, "open", "unmarked", "close")
        if "open " + gpu.known + " ok" not in output:
            campaign.count("left in a state in which nobody gets it")
            continue
        campaign.count("left in a state in which it is handed on")
        if re.search(r"^unmarked \S+ EBADMSG", output, re.MULTILINE) or \
                vram(gpu, GUEST_AT) == GUEST_MARK:
            raise Broken(f"{gpu.bdf} is not handed on before it is scrubbed: {output}")
    # Somebody has tried to open each, and its last user has gone.
    found = quiet()
    for gpu in campaign.gpus:
        state = gpu.file("state")
        if found.get(gpu.bdf, {}).get("state") == "ready" and state["answers"].strip() != "1":
            raise Broken(f"{gpu.bdf} is not called ready when it is dead: {state}")


def hold(campaign, began):
    found = quiet()
    for gpu in campaign.gpus:
        device = found.get(gpu.bdf, {})
        if device.get("state") != "ready" or gpu.file("state")["answers"].strip() != "1":
            raise Broken(f"{gpu.bdf} is ready, by status and model: {device} {gpu.file('state')}")
        if device.get("open"):
            raise Broken(f"nobody has {gpu.bdf} open: {device}")
        if vram(gpu, 0) == MARK:
            raise Broken(f"{gpu.bdf} holds nothing of its last user")
    # One method may be tried after the other, and more than once; of what is not bound only
    # the PCI core knows.
    kinds = by_kind(campaign)
    reached, known = total(kinds) - total(began["kinds"]), told() - began["told"]
    if reached > 2 * known + 100:
        raise Broken(f"no reset is silent: {reached} have reached the hardware, {known} were "
                     f"told of: {began['kinds']}, then {kinds}")
    bystander = campaign.bystander
    if bystander.resets() != began["resets"]:
        raise Broken("the bystander was not reset")
    if vram(bystander, 0) != MARK:
        raise Broken("the bystander's memory is as its user left it")
    if found[bystander.bdf].get("state") != "ready" or not found[bystander.bdf].get("open"):
        raise Broken(f"the bystander is in use: {found[bystander.bdf]}")


def events(campaign, listener):
    """No number is missing, up to the newest; no reset took longer than it may."""
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
