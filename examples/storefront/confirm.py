#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds `tailproof whatif latency --confirm` against services that were really made faster.

    examples/storefront/confirm.py [--requests N] [--seed N] [--realtime] [--page FILE]

Records the storefront as it is, measures two speed-ups of it under pokers, without making them, then makes each, and prints
the percentiles side by side. The exit code is 0 when p50 and p90 are within 5 %; else 1.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from compare import BUILD, PERCENTILES, number, percentile

CHANGES = [
    ("cart in half the time", "cart: *0.5", ["--get-percent", "50", "--commit-percent", "50"]),
    ("price in four fifths of the time", "price: *0.8", ["--look-percent", "80"]),
]
MARGIN = 0.05
PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plan.yaml")
HEAD = ["change", "", "as it is", "predicted", "measured", "at 99 %", "really changed", "off", "the prediction"]
PAGE = """# Measured speed-ups held against services that were really made faster

Written by `make evaluate-latency`. The storefront ([examples/storefront](../examples/storefront/README.md)) runs as three
processes, {requests} requests one after another. `tailproof whatif latency --confirm` predicts what a faster service would
do, and measures it: the three services run under pokers, all but one stand while it works, and their pauses are taken out
of the latencies. Nothing is made faster. Then the service is really made faster, without pokers.

This run: {machine}.

* *measured*: the percentile of {blocks} blocks as if changed, with its interval. *really changed*: of the faster service.
  *off*: the one over the other; at most 5 % is asked of p50 and p90.
* *the prediction*: what the measurement said of it.

Work in this example is metered sleep: short sleeps, of which a stopped process has none, as with a processor of its own.
Services that sleep until a fixed moment do not stand in a pause; for them the measurement is wrong, see the manual.

{table}
"""


def storefront(path, arguments, options):
    """The latencies, in ns, of the requests of a run, whose traces go to the path."""
    command = [os.path.join(BUILD, "examples/storefront/storefront"), "--out", path, "--metered", "--requests",
               str(arguments.requests), "--seed", str(arguments.seed)]
    subprocess.run(command + (["--realtime"] if arguments.realtime else []) + options, check=True)
    with open(path, encoding="utf-8") as file:
        data = json.load(file)["data"]
    return [1000 * span["duration"] for trace in data for span in trace["spans"] if span["spanID"] == "a"]


def confirm(traces, change, arguments):
    """By percentile what was predicted and what was measured, and how it was."""
    command = [os.path.join(BUILD, "tailproof"), "whatif", "latency", traces, "--change", change, "--confirm", PLAN, "--json",
               "-p", ",".join(str(p) for p in PERCENTILES)]
    environment = dict(os.environ, STOREFRONT="--seed %d%s" % (arguments.seed, " --realtime" if arguments.realtime else ""))
    found = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=False)
    if found.returncode > 2:
        sys.exit("tailproof: exit code %d" % found.returncode)
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    of = {kind: {float(line["p"]): line for line in lines if line["kind"] == kind} for kind in ("predicted", "confirmed")}
    return of["predicted"], of["confirmed"], next(line for line in lines if line["kind"] == "measured")


def ms(ns):
    return "%.3f ms" % (number(ns) / 1e6)


def rows_of(title, predicted, confirmed, really):
    rows, good = [], True
    for p in PERCENTILES:
        changed, truth = confirmed[p]["changed"], percentile(really, p)
        off = number(changed["ns"]) / truth - 1
        good = good and (p > 90 or abs(off) <= MARGIN)
        rows.append([title if p == PERCENTILES[0] else "", "p%d" % p, ms(confirmed[p]["now"]["ns"]),
                     ms(predicted[p]["replayed"]["ns"]), ms(changed["ns"]), "%s to %s" % (ms(changed["lower_ns"])[:-3],
                                                                                          ms(changed["upper_ns"])),
                     ms(truth), "%+.1f %%" % (100 * off), confirmed[p]["verdict"]])
    return rows, good


def write_page(path, rows, arguments, blocks):
    table = ["| " + " | ".join(cells) + " |" for cells in [HEAD] + rows]
    table.insert(1, "|---|---|---:|---:|---:|---:|---:|---:|---|")
    machine = "%d processors, Linux %s, load average %.1f" % (os.cpu_count(), os.uname().release, os.getloadavg()[2])
    with open(path, "w", encoding="utf-8") as file:
        file.write(PAGE.format(requests=arguments.requests, machine=machine, blocks=blocks, table="\n".join(table)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--realtime", action="store_true", help="sleepers wake in time on a busy machine")
    parser.add_argument("--page", help="write this page of docs/ rather than a table for the terminal")
    arguments = parser.parse_args()
    rows, all_good, blocks = [], True, 0
    with tempfile.TemporaryDirectory() as folder:
        traces = os.path.join(folder, "traces.json")
        storefront(traces, arguments, [])
        for title, change, options in CHANGES:
            predicted, confirmed, measured = confirm(traces, change, arguments)
            really = storefront(os.path.join(folder, "changed.json"), arguments, options)
            more, good = rows_of(title, predicted, confirmed, really)
            rows += more
            all_good = all_good and good
            blocks = measured["blocks"]
    if arguments.page:
        write_page(arguments.page, rows, arguments, blocks)
    else:
        for cells in [HEAD] + rows:
            print(" | ".join(cells))
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
