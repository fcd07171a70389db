#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A made-up server with one thread: `made_profile.py FOLDER PLANT [SHIFT [SEED [IDLE]]]` writes FOLDER/traces.json (Jaeger)
and FOLDER/profile.txt, as `perf script` prints it. Requests take some 5 ms, one in 20 four times as long; PLANT of
a slow one is in the function `render_table`. The profile's clock is SHIFT seconds behind that of the traces, and up to
IDLE us are between requests."""
import json
import math
import random
import sys

folder, plant = sys.argv[1], float(sys.argv[2])
shift = float(sys.argv[3]) if len(sys.argv) > 3 else 0
random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else int(100 * plant) + 1)
idle = int(sys.argv[5]) if len(sys.argv) > 5 else 300
PID, STEP = 4242, 1000  # us between samples
ORIGIN = 1700000000 * 10**6
now, sampled, spans, lines = ORIGIN, ORIGIN, [], []
for number in range(1500):
    slow = random.random() < 0.05
    length = int((2 - math.log(1 - random.random())) * 2000) * (4 if slow else 1)
    favourite = "f%02d" % random.randrange(25)
    spans.append({"traceID": "%016x" % (number + 1), "spanID": "%016x" % (number + 1), "operationName": "GET /",
                  "references": [], "startTime": now, "duration": length, "processID": "p1",
                  "tags": [{"key": "process.pid", "type": "int64", "value": PID}]})
    while sampled < now + length:
        if slow and random.random() < plant:
            stack = ["render_table", "render"]
        else:
            stack = [favourite if random.random() < 0.5 else "f%02d" % random.randrange(25)]
        if sampled >= now:
            at = sampled - int(shift * 10**6)
            lines.append("server %d/%d %d.%06d: 1000000 cpu-clock:\n" % (PID, PID, at // 10**6, at % 10**6))
            lines += ["\t%x %s (/srv/server)\n" % (0x1000 + i, name)
                      for i, name in enumerate(stack + ["serve", "main"])]
            lines.append("\n")
        sampled += STEP
    now += length + random.randrange(idle)
with open(folder + "/traces.json", "w", encoding="utf-8") as out:
    json.dump({"data": [{"traceID": s["traceID"], "spans": [s], "processes": {"p1": {"serviceName": "server", "tags": []}}}
                        for s in spans]}, out)
with open(folder + "/profile.txt", "w", encoding="utf-8") as out:
    out.writelines(lines)
