#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Injects weeks of faults in an hour, in the lab: campaign.py [--diary FILE] SEED SECONDS [ROUND]

A round takes about a minute. Its actors (actors.py) act on eight GPUs at once, at random: guests
and VFIO users come and go, operators reset GPUs, hardware misbehaves, Linux removes packages and
finds them again, processors and memory fail, listeners die. Then all actors end, the hardware is
sane again, and the campaign verifies the invariants (truths.py). With ROUND it plays that round
alone. If QEMU's own fault ends a machine, the next machine goes on with the round after the last
one in the diary, for the rest of the time.

SEED and the round's number determine the random numbers, but not the timing. The program prints a
line for each round and, at the end, the count of each kind of event."""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import threading
import time

sys.path.insert(0, __file__.rsplit("/", 3)[0] + "/fuzz/lab")
# pylint: disable=wrong-import-position
from host import CLIENT, INSTINCTCTL, TOP, Broken, gpus, run  # noqa: E402
import actors  # noqa: E402
import truths  # noqa: E402

ROUND = 60  # seconds
ALL_SEEN = 300  # seconds, after which each actor has had its turn
POLICY = "/tmp/soak.policy"


def kernel():
    """Returns the running kernel's name for INSTINCT_KERNEL."""
    release = os.uname().release
    ours = (name for name in os.listdir(TOP + "/tests/lab/config") if f"-{name}-" in release)
    return next(ours, release)


class Campaign:
    """The state that the actors share."""

    def __init__(self):
        self.gpus = gpus()
        # One user has the last GPU open all the time, and no actor touches it.
        self.bystander = self.gpus.pop()
        run(INSTINCTCTL, "bind", "--all")
        self.serial = self.bystander.status()["serial"]
        self.counts = collections.Counter()
        self.lock = threading.Lock()
        self.broken = []
        self.end = 0
        self.in_use = {gpu: threading.Lock() for gpu in self.gpus}
        # While a thread holds this lock, no actor applies another policy.
        self.law = threading.Lock()

    def count(self, what, times=1):
        with self.lock:
            self.counts[what] += times

    def is_over(self):
        return time.monotonic() > self.end or self.broken

    def breaks(self, what):
        with self.lock:
            self.broken.append(what)

    def policy(self, *lines):
        """Writes a policy with "tenancy = multi" to a file of this thread's own, so that no other
        actor replaces it before it is applied."""
        path = f"{POLICY}.{threading.get_ident()}"
        with open(path, "w", encoding="ascii") as file:
            print("[default]", "tenancy = multi", "ready_timeout = 3s", *lines,
                  f"[device serial={self.serial}]", "hive = none", sep="\n", file=file)
        return path


def act(campaign, actor, dice):
    try:
        while not campaign.is_over():
            actor(campaign, dice)
    except Broken as broken:
        campaign.breaks(f"{actor.__name__}: {broken}")
    except Exception as wrong:  # pylint: disable=broad-exception-caught
        campaign.breaks(f"{actor.__name__}: {wrong!r}")
        raise


def play(campaign, seed, number):
    dice = random.Random(f"{seed}/{number}")
    began = truths.remember(campaign)
    campaign.end = time.monotonic() + ROUND
    threads = [threading.Thread(target=act, args=(campaign, actor, random.Random(dice.random())))
               for actor in actors.CAST]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if campaign.broken:
        raise Broken("\n".join(campaign.broken))
    actors.calm(campaign)
    truths.handed_on(campaign)
    for gpu in campaign.gpus:
        campaign.count("back " + gpu.come_back(campaign.policy("hive = none")))
    truths.hold(campaign, began)
    campaign.count("rounds")


class Diary:
    """The counts until now, of this machine and those before it."""

    def __init__(self, path):
        self.path = path
        self.began = time.monotonic()
        self.before = {"rounds": 0, "seconds": 0, "resets": 0, "counts": {}}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.before = json.load(file)
            print(f"going on with round {self.before['rounds']}", flush=True)

    def seconds(self):
        return self.before["seconds"] + time.monotonic() - self.began

    def resets(self, campaign):
        return self.before["resets"] + truths.resets(campaign)

    def note(self, campaign, rounds):
        if not self.path:
            return
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump({"rounds": rounds, "seconds": self.seconds(),
                       "resets": self.resets(campaign), "counts": campaign.counts}, file)
        os.replace(self.path + ".new", self.path)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--diary")
    parser.add_argument("seed")
    parser.add_argument("seconds", type=int)
    parser.add_argument("round", type=int, nargs="?")
    return parser.parse_args()


def main():
    args = arguments()
    seed, diary = args.seed, Diary(args.diary)
    campaign = Campaign()
    campaign.counts.update(diary.before["counts"])
    actors.prepare()
    run(INSTINCTCTL, "apply", campaign.policy("hive = none"))
    listener = truths.listen()
    number = diary.before["rounds"] if args.round is None else args.round
    broken = None
    with subprocess.Popen((CLIENT, campaign.bystander.bdf, "open", "touch", "hold"),
                          stdout=subprocess.DEVNULL) as user:
        time.sleep(3)
        try:
            while diary.seconds() < args.seconds:
                play(campaign, seed, number)
                print(f"round {number}: {diary.resets(campaign)} resets, "
                      f"{campaign.counts['guest lives']} guest lives, "
                      f"{campaign.counts['user lives']} users' so far", flush=True)
                if user.poll() is not None:
                    raise Broken(f"the bystander's user goes on ({user.returncode})")
                if args.round is not None:
                    break
                number += 1
                diary.note(campaign, number)
            truths.events(campaign, listener)
            if args.round is None and args.seconds >= ALL_SEEN:
                actors.have_acted(campaign)
        except Broken as found:
            broken = found
        finally:
            user.terminate()
            listener.terminate()
            for what in sorted(campaign.counts):
                print(f"{what}: {campaign.counts[what]}")
            print(f"resets: {diary.resets(campaign)}")
    # Printed last, since a reader may see only the end of the output.
    if broken:
        print(f"repeat it: INSTINCT_KERNEL={kernel()} make soak SEED={seed} ROUND={number}")
        print(f"not so, in round {number} of seed {seed}: {broken}")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
