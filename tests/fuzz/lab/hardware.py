#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Hardware that returns false config reads, in the lab: hardware.py SEED SECONDS VICTIM BYSTANDER

In each round the victim returns false reads, or misbehaves otherwise, before or while the round
binds, opens, resets, inspects, removes and rescans it. Then its reads are true again, and the
means of an operator must bring it back. All of that ends in time, no process dies by a signal, and
the bystander keeps its state. The program prints how often it took each action, and the means that
brought the victim back."""
import collections
import random
import subprocess
import sys
import time

from host import (CLIENT, DEVICES, INSTINCTCTL, LIE_WHERE, LIES, MISDEEDS, Broken, Gpu, finish, run,
                  write)

POLICY = "/tmp/hardware.policy"
IMPATIENT = "ready_timeout = 1s"
done = collections.Counter()


# Actions while the victim returns false reads.

def do_bind(gpu, dice):
    gpu.bind()


def do_unbind(gpu, dice):
    gpu.unbind()


def do_use(gpu, dice):
    steps = dice.choices(["reset", "flr", "master", "hot-reset", "touch", "mmap-read", "bar-read",
                          "bar-write", "cfg-write", "cfg-write-virt", "msix", "d3",
                          "1000-cfg-reads"], k=dice.randrange(1, 7))
    command = (CLIENT, gpu.bdf, "open", *steps, "close")
    # In half of the cases the false reads begin while the GPU is open.
    if dice.random() < 0.5:
        run(*command)
        return
    gpu.tell("lie=none")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as user:
        time.sleep(dice.random() * 0.3)
        gpu.tell("lie=" + dice.choice(LIES))
        finish(user, command)


def do_reset(gpu, dice):
    run(INSTINCTCTL, "reset", gpu.bdf, "--method", dice.choice(["mode1", "quiesce", "bus"]))


def do_sysfs_reset(gpu, dice):
    # Without the driver Linux's own reset would wait for a minute, twice.
    if gpu.bound():
        write(f"{DEVICES}{gpu.bdf}/reset", "1")


def do_look(gpu, dice):
    run("lspci", "-s", gpu.bdf, "-vvxxxx")
    run(INSTINCTCTL, "status")
    run(INSTINCTCTL, "isolation", "--why", gpu.bdf, gpu.port)


def policy(*lines):
    with open(POLICY, "w", encoding="ascii") as file:
        print("[default]", "hive = none", *lines, sep="\n", file=file)


def do_policy(gpu, dice):
    policy(IMPATIENT, dice.choice([
        "config_verify = off", "config_unblock = buses", "acs = vm-p2p\nats = preferred",
        "tenancy = multi", "overlap = all", "mailbox = 0x58000"]))
    run(INSTINCTCTL, "apply", POLICY)


def do_find_again(gpu, dice):
    """Linux enumerates the victim anew, from false reads and so with any result."""
    write(f"{dice.choice([DEVICES + gpu.bdf, gpu.swus])}/remove", "1")
    write("/sys/bus/pci/rescan", "1")


ACTIONS = {do_bind: 3, do_unbind: 2, do_use: 6, do_reset: 3, do_sysfs_reset: 1, do_look: 2,
           do_policy: 2, do_find_again: 1}


def play(dice, gpu, bystander, lie):
    resets = bystander.resets()
    policy(IMPATIENT)
    run(INSTINCTCTL, "apply", POLICY)
    gpu.tell(f"lie={lie} lie_where={dice.choice(LIE_WHERE)} "
             f"lie_seed={dice.randrange(1 << 32)}")
    done["lie " + lie] += 1
    if dice.random() < 0.3:
        gpu.tell(dice.choice(MISDEEDS))
    for _ in range(dice.randrange(2, 7)):
        action = dice.choices(list(ACTIONS), list(ACTIONS.values()))[0]
        action(gpu, dice)
        done[action.__name__.replace("_", " ")] += 1
    policy("ready_timeout = 3s")
    done["back " + gpu.come_back(POLICY)] += 1
    if bystander.resets() != resets or bystander.status().get("state") != "ready":
        raise Broken(f"the bystander keeps its state: {bystander.status()}")
    done["rounds"] += 1


def all_done():
    """A run of enough rounds has told each lie, and taken each action."""
    wanted = [f"lie {lie}" for lie in LIES] + [action.__name__.replace("_", " ") for action in ACTIONS]
    missing = [what for what in wanted if not done[what]]
    if done["rounds"] >= 4 * len(LIES) and missing:
        raise Broken(f"the run tells each lie and takes each action: {', '.join(missing)}: never")


def main():
    seed, seconds = sys.argv[1:3]
    victim, bystander = (Gpu(bdf, index) for index, bdf in enumerate(sys.argv[3:]))
    end = time.monotonic() + int(seconds)
    number = 0
    try:
        # Each round has a seed of its own, so the failed round can be repeated alone.
        while time.monotonic() < end or not done["rounds"]:
            play(random.Random(f"{seed}/{number}"), victim, bystander,
                 LIES[(int(seed, 0) + number) % len(LIES)])
            number += 1
        all_done()
    except Broken as broken:
        print(f"not so, in round {number} of seed {seed}: {broken}", file=sys.stderr)
        return 1
    finally:
        for what in sorted(done):
            print(f"{what}: {done[what]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
