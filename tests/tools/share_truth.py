#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""share_truth.py TRUTH JSON: holds the shares of `tailproof profile --json` against those that the
program shares printed of itself. Prints a line for each function whose interval does not hold its
share, and ends with their number; with 99 where there is one and the program's clock counted time
in which it did not run, so that its shares are no truth."""
import json
import sys

truth = dict(line.split() for line in open(sys.argv[1]) if len(line.split()) == 2)
said = {}
for line in open(sys.argv[2]):
    row = json.loads(line)
    if row["kind"] == "function":
        said[row["name"]] = row
outside = 0
for name in ("alpha", "beta", "gamma_of", "delta"):
    share = int(truth[name]) / int(truth["whole"])
    if name not in said and share == 0:
        continue
    row = said.get(name, {"total_share_lower": 0, "total_share_upper": 0})
    if not row["total_share_lower"] <= share <= row["total_share_upper"]:
        print(f"{name}: {share:.4f} is not in {row['total_share_lower']:.4f} .. {row['total_share_upper']:.4f}")
        outside += 1
sys.exit(99 if outside and int(truth["apart"]) > 20000 else outside)
