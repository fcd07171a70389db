#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bench/fleet.py FOLDER NODES STACKS: folded stacks of a fleet that runs one program, NODE.folded of each node.

Stacks are 8 to 30 frames deep and share their outer frames; names take 37 bytes, a line 740, as those of C++ and Java
programs do. The program has twice as many stacks as a node has seen, so any two nodes have half of theirs in common.
bench/fleet.py --perf FILE SAMPLES: such a program as `perf script` prints it."""
import os
import random
import sys

chance = random.Random(1)
NAMES = ["service::module%d::function_number_%d" % (i % 40, i) for i in range(3000)]


def stacks(count):
    pool, last = set(), [0]
    while len(pool) < count:
        depth = chance.randint(8, 30)
        last = last[:chance.randint(4, 20)] if chance.random() < 0.8 else [0]
        while len(last) < depth:
            last.append(int(3000 * chance.random() ** 2))
        pool.add(tuple(last))
    return sorted(pool)


def write_fleet(folder, nodes, count):
    pool = sorted(";".join(NAMES[f] for f in stack) for stack in stacks(2 * count))
    os.makedirs(folder, exist_ok=True)
    for node in range(nodes):
        with open("%s/%d.folded" % (folder, node), "w") as out:
            for i in sorted(chance.sample(range(len(pool)), count)):
                out.write("%s %d\n" % (pool[i], 1 + 50 * chance.random() ** 8))


def write_perf(path, samples):
    frame = "\t%16x %s(int)+0x%x (/usr/lib/libservice.so)\n"
    pool = ["".join(frame % (0x7F0000000000 + 640 * f, NAMES[f], f % 600) for f in reversed(s)) for s in stacks(10000)]
    with open(path, "w") as out:
        for i in range(samples):
            stack = pool[int(len(pool) * chance.random() ** 3)]
            out.write("server 1/%d %d.%06d: 1 cpu-clock:\n%s\n" % (1 + i % 9, i // 999, i % 999 * 1000, stack))


if sys.argv[1] == "--perf":
    write_perf(sys.argv[2], int(sys.argv[3]))
else:
    write_fleet(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
