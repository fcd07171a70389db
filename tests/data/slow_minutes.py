# SPDX-License-Identifier: GPL-3.0-or-later
"""`tail` on recorded minutes with an injected fault, and on normal minutes in which nothing is.

    python3 tests/data/slow_minutes.py TAILPROOF FOLDER [--faults N,N] [--splits N]

Each fault's minute is held against a normal one. Prints a line each: whether the minute is slower (the interval is
above 0), and what the first significant service or way to one is, and the first significant call in that. It is right
if that is the service into which the fault was injected, or the way to it, or a call that the service makes. Then each normal minute is dealt at random into
two halves, --splits times: nothing may be named. Exits 1 if fewer than 80 % of the slower minutes are right, if one
is called not slower, or if more halves have something named than the level allows (one of 20, and chance)."""

import csv
import gzip
import json
import math
import random
import subprocess
import sys
import tempfile


def answer(program, *arguments):
    done = subprocess.run([program, "tail", "--json", *arguments], capture_output=True, text=True)
    assert done.returncode in (0, 2), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def first_named(rows):
    """The significant service with the largest difference, and the first of its significant causes."""
    services = [row for row in rows if row["kind"] == "tail_service" and row["significant"]]
    if not services:
        return None, ""
    service = max(services, key=lambda row: row["difference_ns"])
    causes = [row for row in rows if row["kind"] == "cause" and row["significant"] and
              (row["service"], row["where"]) == (service["name"], service["where"])]
    return service, max(causes, key=lambda row: row["difference_ns"])["name"] if causes else ""


def judge_fault(program, folder, fault):
    files = [f"{folder}/{fault['against']}", f"{folder}/{fault['file']}"]
    rows = answer(program, *files, "--slow", "phase=fault", "--against", "phase=normal")
    tail = next(row for row in rows if row["kind"] == "tail")
    service, cause = first_named(rows)
    right = service is not None and fault["service"] in (service["name"], cause.split("/")[0])
    slower = tail["least_ns"] > 0
    said = "-" if service is None else ("the way to " if service["where"] == "way to" else "") + service["name"]
    print(f"# {fault['file'][:8]} {fault['service']:24} {fault['kind']:16} {tail['slow']:4} and {tail['rest']:4} requests "
          f"{tail['difference_ns'] / 1e6:8.0f} ms {'slower' if slower else '':6} {'right' if right else 'WRONG' if service else 'none':5} "
          f"{said}{', ' if cause else ''}{cause}")
    return slower, slower and right, slower and tail["verdict"] == "not slower"


def deal(program, path, seed, scratch):
    """A normal minute with half of the requests labelled at random."""
    chance, sides = random.Random(seed), {}
    recorded = json.load(gzip.open(path))
    spans = [span for resource in recorded["resourceSpans"] for scope in resource["scopeSpans"] for span in scope["spans"]]
    names = sorted({span["traceId"] for span in spans})
    for name in chance.sample(names, len(names) // 2):
        sides[name] = True
    for span in spans:
        side = "a" if span["traceId"] in sides else "b"
        span["attributes"] = [{"key": "side", "value": {"stringValue": side}}]
    with open(f"{scratch}/dealt.json", "w") as out:
        json.dump(recorded, out)
    rows = answer(program, f"{scratch}/dealt.json", "--slow", "side=a", "--against", "side=b")
    return any(row.get("significant") is True for row in rows if row["kind"] in ("cause", "tail_service"))


def main():
    program, folder, *options = sys.argv[1:]
    given = dict(zip(options[::2], options[1::2]))
    faults = list(csv.DictReader(open(f"{folder}/faults.csv")))
    if "--faults" in given:
        faults = [fault for fault in faults if fault["file"][6:8] in given["--faults"].split(",")]
    splits = int(given.get("--splits", 10))
    judged = [judge_fault(program, folder, fault) for fault in faults]
    slower, right, denied = (sum(column) for column in zip(*judged))
    named = dealt = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("normal-boutique", "normal-ticket-1", "normal-ticket-2"):
            for seed in range(splits):
                named += deal(program, f"{folder}/{name}.json.gz", seed, scratch)
                dealt += 1
    most = 0.05 * dealt + 3 * math.sqrt(0.05 * 0.95 * dealt) if splits > 10 else 0
    print(f"# of {slower} slower minutes {right} right, {denied} called not slower; of {dealt} random halves {named} with a name")
    return right < 0.8 * slower or denied != 0 or slower == 0 or named > most


if __name__ == "__main__":
    sys.exit(main())
