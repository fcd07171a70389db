# SPDX-License-Identifier: GPL-3.0-or-later
"""Measuring beside other programs: coming before them, and seeing how much of the processors they took."""

import os
import resource
import signal
import time


def come_first():
    """What follows comes before other programs, with all that it starts: in a child whose session is a group of its own, at
    nice -20, as Linux lets root do. The usual scheduler still shares the processors among them as if they were alone."""
    child = os.fork()
    if child != 0:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda got, _: os.kill(child, got))
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
    os.setsid()
    os.nice(-20)
    try:
        with open("/proc/self/autogroup", "w", encoding="ascii") as group:
            group.write("-20")
    except FileNotFoundError:
        pass  # without groups nice does it


def processor_s():
    """Seconds that all processors were busy, since the machine was started; those that a host took count."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_s():
    """Of this process and of those that it started and that have ended."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


class Others:
    """How many processors other programs used, on average, from when this was made to `share`; what was started meanwhile must
    have ended."""

    def __init__(self):
        self.begin = time.monotonic(), processor_s(), own_s()

    def share(self):
        wall, busy, own = (now - then for now, then in zip((time.monotonic(), processor_s(), own_s()), self.begin))
        return max(0.0, (busy - own) / wall)
