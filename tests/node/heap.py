#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Has `tailproof tune gc` tune servers whose garbage dies young and whose data survive, from one size of the young generation
each, and tries in fresh pairs of runs whether what it found gains what it said.

  tests/node/heap.py [--pairs N] [--fresh N] [--seconds N] [--seed N] [--first] [--keep FOLDER]

The first is run as Node.js is (semi-spaces of 16 MB) and may have more; the second as somebody left it who gave it 64 MB, and
may have less. With --keep a call that was interrupted goes on where it was. Prints a line of TAP for each, and a table."""

import argparse
import csv
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

import alone
from plants import free_port, wait_for

BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
SERVER = "tests/node/heap_patterns.js"
METRIC = 99
PATTERNS = {"young": {"as_is": 16, "sizes": "64,128", "rate": 40}, "survives": {"as_is": 64, "sizes": "4,16", "rate": 60}}


def environment(pattern):
    return dict(os.environ, NODE_OPTIONS=f"--max-semi-space-size={PATTERNS[pattern]['as_is']}")


def load(pattern, port, seconds, out):
    return [str(BUILD / "tailproof"), "load", f"http://127.0.0.1:{port}/", "--rate", str(PATTERNS[pattern]["rate"]), "--seconds", str(seconds), "--warmup", "1",
            "--out", out]


def tune(pattern, options):
    """What was found, as the line of it says; None: no difference."""
    port = free_port()
    command = " ".join(load(pattern, port, options.seconds, '"$LATENCIES"')) + " || [ $? = 2 ]"  # 2: this machine sent some late
    done = subprocess.run([BUILD / "tailproof", "tune", "gc", "--json", "--metric", f"p{METRIC}", "--sizes", PATTERNS[pattern]["sizes"],
                           "--pairs", str(options.pairs), "--seed", str(options.seed), "--load", command, "--", "node", SERVER, pattern, str(port)],
                          env=environment(pattern), capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    result = next((line for line in lines if line["kind"] == "tuned"), None)
    if result is None or done.returncode not in (0, 2):
        raise SystemExit(f"tune gc: {done.stderr.strip()}")
    return result if done.returncode == 0 else None


def run_once(pattern, flags, seconds, folder):
    """The percentile of one run, in ms."""
    port = free_port()
    server = subprocess.Popen(["node", *flags, SERVER, pattern, str(port)], env=environment(pattern))
    try:
        wait_for(port, server)
        subprocess.run(load(pattern, port, seconds, folder / "latencies.csv"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    finally:
        server.kill()
        server.wait()
    with open(folder / "latencies.csv", encoding="utf-8") as file:
        values = sorted(math.inf if row["latency_ns"] == "timeout" else float(row["latency_ns"]) / 1e6 for row in csv.DictReader(file))
    return values[math.ceil(len(values) * METRIC / 100) - 1]


def kept(options, pattern):
    """What an earlier call has left."""
    path = options.keep and options.keep / f"{pattern}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {"quotients": []}


def keep(options, pattern, known):
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / f"{pattern}.json").write_text(json.dumps(known), encoding="utf-8")


def fresh(pattern, flags, options, known):
    """Quotients of the percentile with the flags and without, in pairs of runs whose order is drawn."""
    order = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.fresh):
            both = [flags, []]
            order.shuffle(both)
            if i < len(known["quotients"]):
                continue
            seen = {bool(one): run_once(pattern, one, options.seconds, pathlib.Path(folder)) for one in both}
            known["quotients"].append(seen[True] / seen[False])
            keep(options, pattern, known)
    return known["quotients"][:options.fresh]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=16)
    parser.add_argument("--fresh", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", action="store_true", help="the servers and their load come before other programs (as root)")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for what was found")
    options = parser.parse_args()
    if options.first:
        alone.come_first()
    print("# | pattern | as it is | found | gain, 95 % | fresh pairs, median |")
    for number, (pattern, setting) in enumerate(PATTERNS.items(), 1):
        known = kept(options, pattern)
        if "found" not in known:
            known["found"] = tune(pattern, options)
            keep(options, pattern, known)
        found = known["found"]
        if found is None:
            print(f"not ok {number} - {pattern}: no difference found")
            continue
        size, least, most = found["semi_mb"], found["ratio_least"] or 0, found["ratio_most"] or math.inf
        turned = size > setting["as_is"] if pattern == "young" else size < setting["as_is"]
        median = statistics.median(fresh(pattern, found["setting"].split(), options, known))
        holds = least <= median <= most
        print(f"# | {pattern} | {setting['as_is']} MB | `{found['setting']}` | x {least:.2f} .. {most:.2f} | x {median:.2f} |")
        print(f"{'ok' if turned and holds else 'not ok'} {number} - {pattern}: {'larger' if size > setting['as_is'] else 'smaller'}, "
              f"the fresh pairs are {'inside' if holds else 'outside'}", flush=True)
    print(f"1..{len(PATTERNS)}")


if __name__ == "__main__":
    main()
