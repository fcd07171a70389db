#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints configurations.inc: the 108 configurations in which SLOWPOKE (NSDI'26) was evaluated.

Which family, protocol, target and seed there were is from the scripts published with it (they have
110; the two of dag-relay by gRPC that HTTP has no equal of are left out, as in the publication). The
work of each service is drawn as they say: |gauss(500, 300)| + 200 microseconds, by the generator of
Python's library, dealt in descending order to service 0, 1, ...; a target that calls nobody gets
twice as much; divided by the calls per user request and rounded to hundredths.

After these come two of the tree of 43 services, whose seed is not published (43 is ours): as it is drawn,
and with the work of the target and of service 0 exchanged, so that the target is what limits.

    examples/services/draw_times.py >examples/services/configurations.inc"""
import random

# calls per user request as the scripts state them, and the services that count as calling nobody
FAMILIES = {
    "chain-d2": ([1] * 3, [2]),
    "chain-d8": ([1] * 10, [9]),
    "fanout-w3": ([1] * 4, [1, 2, 3]),
    "fanout-w7": ([1] * 8, [1, 2, 3, 4, 5, 6, 7]),
    "dag-unbalanced": ([1] * 8, [5, 6]),
    "dag-relay": ([1, 1, 1, 1, 3, 3, 3], [5, 6]),
    "dag-cross": ([1, 1, 2, 1, 4], [4]),
    "dynamic-once": ([1, 1, 0.8, 0.2, 0.8], [3, 4]),
    "dynamic-twice": ([1, 0.2, 0.3, 0.5, 0.16, 0.15, 0.35], [2, 5, 6]),
    "dynamic-cache": ([1, 1, 0.25], [2]),
    "dynamic-cycle": ([1, 1.34, 0.34, 0.5, 0.5], [3, 4]),
    "tree-w6": ([1] * 43, range(7, 43)),
}

# one after the other, at once: target and seed
PAIRS = {
    "chain-d2": ([(0, 4446), (1, 7748), (2, 22717)], [(0, 13976), (1, 9944), (2, 1762)]),
    "chain-d8": ([(0, 23379), (5, 28705), (9, 29196)], [(0, 7925), (5, 513), (9, 13012)]),
    "fanout-w3": ([(0, 24479), (2, 22197)], [(0, 24479), (2, 22197)]),
    "fanout-w7": ([(0, 25948), (5, 2137)], [(0, 20934), (5, 4271)]),
    "dag-unbalanced": ([(1, 13668), (4, 15815), (5, 29066)], [(1, 2560), (4, 8264), (5, 6318)]),
    "dag-relay": ([(1, 26185), (5, 22876)], [(1, 8422), (4, 21912)]),
    "dag-cross": ([(2, 12895), (3, 19434), (4, 1348)], [(2, 16181), (3, 23541), (4, 21636)]),
    "dynamic-once": ([(1, 5554), (2, 32383)], [(1, 14495), (2, 14495)]),
    "dynamic-twice": ([(0, 24737), (3, 1492), (5, 19356)], [(0, 9175), (3, 25910), (5, 365)]),
    "dynamic-cache": ([(1, 27597), (2, 13505)], [(1, 13755), (2, 22745)]),
    "dynamic-cycle": ([(1, 12843), (2, 30622)], [(1, 21827), (2, 16560)]),
}
OTHER_PAIRS = {("fanout-w3", "grpc", True): [(0, 21032), (2, 18674)]}


def draw(family, target, seed):
    calls, leaves = FAMILIES[family]
    random.seed(seed)
    drawn = sorted(abs(random.gauss(500, 300)) + 200 for _ in calls)
    times = []
    for service, count in enumerate(calls):
        factor = 2 if service == target and service in leaves else 1
        times.append(round(factor * drawn.pop() / count, 2))
    return times


def row(family, protocol, at_once, target, seed, times):
    connections = 256 if family in ("dag-cross", "dag-relay") else 512
    print(f'{{"{family}", "{protocol}", {str(at_once).lower()}, {target}, {seed}, {connections}, '
          f'(const double[]){{{", ".join(f"{t:g}" for t in times)}}}}},')


def main():
    print("/* SPDX-License-Identifier: GPL-3.0-or-later")
    print(" * Made by draw_times.py; not to be edited. */")
    for protocol in ("http", "grpc"):
        for family in PAIRS:
            for at_once in (False, True):
                pairs = OTHER_PAIRS.get((family, protocol, at_once), PAIRS[family][at_once])
                for target, seed in pairs:
                    row(family, protocol, at_once, target, seed, draw(family, target, seed))
    times = draw("tree-w6", 4, 43)
    row("tree-w6", "http", True, 4, 43, times)
    times[0], times[4] = times[4], times[0]
    row("tree-w6", "http", True, 4, 43, times)


if __name__ == "__main__":
    main()
