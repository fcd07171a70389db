#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds `tailproof whatif latency` against services that were really changed.

    examples/storefront/compare.py [--requests N] [--mean-us N] [--seed N] [--realtime] [--page FILE]

For each of five changes: runs the storefront as it is, asks what the change would do, makes it, runs again with the same
seed, and prints the percentiles side by side. The exit code is 0 when p50 and p90 are within 3 % and p99 within 8 %, and all are in
the printed interval; else 1.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", os.path.join(os.path.dirname(__file__), "..", "..", "build"))
PERCENTILES = [50, 90, 99]
MARGINS = {50: 0.03, 90: 0.03, 99: 0.08}
CHANGES = [
    ("nothing: how much the machine itself differs", [], []),
    ("cart/get twice as fast", ["--get-percent", "50"], ["cart/get: *0.5"]),
    ("price 3 ms farther away", ["--link-us", "3000"], ["price: + 3 ms"]),
    ("a cache for cart/get, 80 % hits", ["--hit-percent", "80"], ["cart/get = mix(0.8 Hit, 0.2 recorded)"]),
    ("one worker in price", ["--price-workers", "1"], ["limit price=1"]),
    ("cart/commit half as slow again", ["--commit-percent", "150"], ["cart/commit: *1.5"]),
]


def run(folder, arguments, options):
    """The latencies, in ns, of the requests of a run, and the folder of what its services recorded."""
    name = os.path.join(folder, "run%d" % len(os.listdir(folder)))
    traces, stores = name + ".json", name + ".stores"
    subprocess.run([os.path.join(BUILD, "examples/storefront/storefront"), "--out", traces, "--store", stores, "--requests",
                    str(arguments.requests), "--mean-us", str(arguments.mean_us), "--seed", str(arguments.seed)] +
                   (["--realtime"] if arguments.realtime else []) + options, check=True)
    with open(traces, encoding="utf-8") as file:
        data = json.load(file)["data"]
    return [1000 * span["duration"] for trace in data for span in trace["spans"] if span["spanID"] == "a"], stores


def percentile(values, p):
    return sorted(values)[max(0, math.ceil(len(values) * p / 100) - 1)]


def predict(folder, stores, changes):
    command = [os.path.join(BUILD, "tailproof"), "whatif", "latency", stores, "--json", "--data", folder, "-p",
               ",".join(str(p) for p in PERCENTILES)]
    for change in changes:
        command += ["--change", change]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = [json.loads(line) for line in lines]
    return {float(line["p"]): line["replayed"] for line in found if line.get("kind") == "predicted"}


def number(text):
    return math.inf if text == "infinite" else float(text)


def row(title, p, was, told, measured):
    off = float(told["ns"]) / percentile(measured, p) - 1
    inside = float(told["lower_ns"]) <= percentile(measured, p) <= number(told["upper_ns"])
    good = abs(off) <= MARGINS[p] and inside
    cells = [title, "p%d" % p] + ["%.3f ms" % (ns / 1e6) for ns in (percentile(was, p), float(told["ns"]), percentile(measured, p))]
    return cells + ["%+.1f %%" % (100 * off), "yes" if good else "NO"], good


HEAD = ["change", "", "as it is", "predicted", "really changed", "off", "within"]
PAGE = """# Predicted latency held against services that were really changed

Written by `make evaluate-latency`. The storefront ([examples/storefront](../examples/storefront/README.md)) runs as three
processes, {requests} requests one after another, and records through libtailproof-measure. From these stores `tailproof
whatif latency` says what a change would do.
Then the services are really changed, and run again with the same seed. Each change has a recording of its own, made just
before. The first row changes nothing: what it is off by is the machine's doing.

This run: {machine}.

* *predicted*: the replayed percentile. *really changed*: the percentile of the changed run. *off*: the one over the other.
* *within*: p50 and p90 are off by at most 3 %, p99 by at most 8 %; and the percentile of the changed run lies in the
  interval that was printed with the prediction, at 99 %.

{table}
"""


def show(rows):
    widths = [max(len(cells[i]) for cells in rows + [HEAD]) for i in range(len(HEAD))]
    for cells in [HEAD] + rows:
        print("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width) for i, (cell, width) in enumerate(zip(cells, widths))))


def write_page(path, rows, arguments):
    table = ["| " + " | ".join(cells) + " |" for cells in rows]
    head = ["| " + " | ".join(HEAD) + " |", "|---|---|---:|---:|---:|---:|---|"]
    machine = "%d processors, Linux %s, load average %.1f" % (os.cpu_count(), os.uname().release, os.getloadavg()[2])
    with open(path, "w", encoding="utf-8") as file:
        file.write(PAGE.format(requests=arguments.requests, machine=machine, table="\n".join(head + table)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--mean-us", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--realtime", action="store_true", help="sleepers wake in time on a busy machine")
    parser.add_argument("--page", help="write this page of docs/ rather than a table for the terminal")
    arguments = parser.parse_args()
    rows, all_good = [], True
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "Hit.csv"), "w", encoding="utf-8") as file:
            file.write("latency_ns\n" + "300000\n" * arguments.requests)
        for title, options, changes in CHANGES:
            was, stores = run(folder, arguments, [])
            told = predict(folder, stores, changes)
            measured, _ = run(folder, arguments, options)
            for p in PERCENTILES:
                cells, good = row(title if p == PERCENTILES[0] else "", p, was, told[p], measured)
                rows.append(cells)
                all_good = all_good and good
    if arguments.page:
        write_page(arguments.page, rows, arguments)
    else:
        show(rows)
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
