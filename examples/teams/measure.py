#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes measurements of the parts of checkout.tp: measure.py FOLDER [PART=FACTOR ...]

A CSV file for each part, 20 000 log-normal latencies; a part named is slower by the factor.
"""
import math
import os
import random
import sys

folder = sys.argv[1]
slower = dict(part.split("=") for part in sys.argv[2:])
os.makedirs(folder, exist_ok=True)
PARTS = {"Accept": (0.2, 0.2), "Cart": (4, 0.4), "Stock": (3, 0.5), "Ask": (0.1, 0.2), "Pay": (9, 0.3),
         "Finish": (0.2, 0.2), "d": (0.3, 0.5), "Queuing": (0.05, 0.5)}  # median in ms, sigma
for part, (median, sigma) in PARTS.items():
    draw = random.Random(part)
    factor = float(slower.get(part, 1))
    with open(os.path.join(folder, part + ".csv"), "w") as file:
        print("latency_ns", file=file)
        for _ in range(20000):
            print(round(1e6 * median * factor * math.exp(draw.gauss(0, sigma))), file=file)
