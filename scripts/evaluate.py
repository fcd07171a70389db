#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the examples in many configurations, holds each bound against what was observed, and writes
docs/evaluation.md. All numbers come from `tailproof --json`; this only arranges them.

    scripts/evaluate.py [--quick] [--seconds N] [--out FILE] [--keep DIR | --from DIR]

All configurations run at the same time, at a rate that leaves the machine mostly idle: requests of
one configuration are then far apart, so that what slows the machine for a moment slows few of them.
--quick runs two tiny configurations, for the test of this script; --from judges recordings that
--keep has left. BUILD is the build folder.
Exits with 0 when every configuration ran, 70 when one failed (the document names it)."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import evaluate_report

BUILD = os.environ.get("BUILD", "build")
TAILPROOF = f"{BUILD}/tailproof"
PERCENTILES = ["50", "90", "99", "99.9"]
RATE = 30  # requests a second of each configuration, where a request leaves the time
FIRST = ["chrt", "--rr", "10"]  # before all that is not of this kind, as Linux lets root do
ANSWERS = (0, 1, 2, 3)  # met or dominated, not, cannot tell, on an assumption: all are results


class Failed(Exception):
    """A configuration that did not run to its end; the text says where."""


def run(arguments, accepted=(0,)):
    """What a command prints on stdout."""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode not in accepted:
        said = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        named = arguments[len(FIRST):] if arguments[:len(FIRST)] == FIRST else arguments
        raise Failed(f"{' '.join(named[:2])}: exit {done.returncode}: {said}")
    return done.stdout


def configurations(seconds):
    """(system, label, program's options), each made to run about `seconds`."""
    network = ["--delay-us", "300", "--spread-us", "200"]
    every_us = 10**6 // RATE
    for work_us in (0, 1000, 2500, 5000):
        for nodes in (2, 4, 6, 8, 10):
            lap_us = nodes * (2 * work_us + 600)
            pause_us = max(0, every_us - lap_us)
            yield ("token_ring", f"{nodes} nodes, {work_us / 1000:g} ms",
                   ["--nodes", str(nodes), "--work-us", str(work_us), "--sleep", "--pause-us", str(pause_us),
                    "--laps", str(max(20, int(seconds * 1e6 / (lap_us + pause_us)))), *network])
    requests = str(int(seconds * RATE))
    for backups in (1, 2, 4, 8):
        yield ("primary_backup", f"{backups} backups",
               ["--backups", str(backups), "--requests", requests, "--pause-us", str(every_us - 1500)])
    for replicas, acks in ((1, 1), (2, 2), (3, 2), (3, 3)):
        yield ("redis", f"{replicas} replicas, WAIT {acks}",
               ["--replicas", str(replicas), "--acks", str(acks), "--requests", requests,
                "--pause-us", str(every_us - 3000)])
    for failures in (1, 2):  # no message is lost, so that nobody need ask again or catch up
        yield ("multi_paxos", f"f = {failures}",
               ["--failures", str(failures), "--requests", requests, "--think-us", str(2 * (every_us - 3000)),
                "--retry-ms", "5000", "--heartbeat-ms", "200"])
    yield ("multi_paxos", "leader killed", ["--kills", str(min(1000, max(3, int(seconds * 1.2))))])


def quick():
    yield ("token_ring", "2 nodes, 0 ms", ["--nodes", "2", "--work-us", "0", "--sleep", "--laps", "300",
                                           "--delay-us", "100", "--spread-us", "20"])
    yield ("primary_backup", "2 backups", ["--backups", "2", "--requests", "300"])


def settings(folder):
    """run.txt: what the recording is a recording of."""
    found = {"set": [], "sources": [str(folder / "store")], "options": []}
    for line in (folder / "run.txt").read_text().splitlines():
        key, value = line.split(" ", 1)
        if key == "set":
            found["set"] += ["--set", value]
        elif key == "series":  # further stores, that only the components are made of
            found["sources"].append(str(folder / value))
        elif key == "option":  # of percentiles
            found["options"].append(value)
        else:
            found.setdefault(key, value)
    return found


def percentiles(found, data, observed, *more):
    """The objects of one calculation, by kind."""
    text = run([TAILPROOF, "percentiles", found["spec"], "--bound", found["bound"], *found["set"],
                "--data", str(data), "--observed", str(observed),
                "-p", ",".join(PERCENTILES), "--json", *found["options"], *more], accepted=ANSWERS)
    objects = [json.loads(line) for line in text.splitlines()]
    return {kind: [o for o in objects if o["kind"] == kind]
            for kind in ("percentile", "comparison", "grid", "assumption")}


def histogram(path):
    """Counts of a .tph file by upper edge, and how many saturated."""
    counts, saturated, reading = [], 0, False
    for line in path.read_text().splitlines():
        if line == "end":
            break
        if reading:
            edge, count = line.split()[:2]
            counts.append((int(edge), int(count)))
        elif line.startswith("saturated "):
            saturated = int(line.split()[1])
        reading = reading or line == "counts"
    return counts, saturated


def law_moments(path):
    """Mean (rounded up) and largest value of the upper side of a law file, in ns."""
    tails, step, bits = [], None, None
    upper = False
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["grid"]:
            step = 1 << int(words[2]) if words[1] == "linear" else None
            bits = None if step else int(words[2])
        elif words[:1] == ["side"]:
            upper = words[1] == "upper"
        elif upper and words and words[0].isdigit():
            tails += [int(words[1])] * int(words[0])
    def edge(i):
        if step:
            return i * step
        octave = 0 if i <= 2 << bits else (i - 1) // (1 << bits) - 1
        return (i - octave * (1 << bits)) << octave
    if not tails or tails[-1] != 0:
        return None, None
    largest = next(i for i, tail in enumerate(tails) if tail == 0)
    mean = sum((edge(i + 1) - edge(i)) * tails[i] for i in range(largest)) / 10**18
    return mean, edge(largest)


def is_first():
    """Whether the examples can run before whatever else the machine does."""
    try:
        return subprocess.run([*FIRST, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class Configuration:
    """One system with one set of options: run, then judged."""

    def __init__(self, system, label, options, folder):
        self.system, self.label, self.options, self.folder = system, label, options, folder
        self.before = []
        self.seconds, self.failed = 0.0, None

    def run(self):
        started = time.monotonic()
        try:
            run([*self.before, f"{BUILD}/examples/{self.system}/{self.system}", "--out", str(self.folder),
                 *self.options])
        except (Failed, OSError) as error:
            self.failed = str(error)
        self.seconds = time.monotonic() - started

    def judged(self):
        """What the report needs."""
        if self.failed is None:
            try:
                return self.judge()
            except (Failed, OSError, ValueError, KeyError) as error:
                self.failed = str(error)
        print(f"evaluate: {self.system}, {self.label}: {self.failed}", file=sys.stderr)
        return {"system": self.system, "label": self.label, "failed": self.failed}

    def judge(self):
        folder = self.folder
        found = settings(folder)
        data = folder / "components"
        shutil.rmtree(data, ignore_errors=True)
        run([TAILPROOF, "import", "--out", str(data), *found["sources"]])
        table = data / "joint.csv.gz"
        rows = table.exists()  # requests are numbered; replay knows the protocol's own indices
        replay = run([TAILPROOF, "replay", found["spec"], str(folder / "store"), "--bound",
                      found["bound"], *found["set"], *(["--joint", str(table)] if rows else [])],
                     accepted=ANSWERS)
        law = folder / "law"
        series = data / f"{found['request']}.tph"
        request = f"request.{found['request']}" if rows else series
        apart = percentiles(found, data, series, "--joint", "none", "--dependence", "both")
        percentiles(found, data, series, "--joint", "none", "--confidence", "0", "--save", str(law))
        counts, saturated = histogram(series)
        total = sum(count for _, count in counts) + saturated
        mean, largest = law_moments(law)
        return {
            "system": self.system, "label": self.label, "requests": total, "rows": rows,
            "observed_mean": sum(edge * n for edge, n in counts) / max(1, total - saturated),
            "observed_max": None if saturated or not counts else counts[-1][0],
            "bound_mean": mean, "bound_max": largest,
            "sure": percentiles(found, data, request, "--exchangeable") if rows else apart,
            "next": percentiles(found, data, request) if rows else apart,
            "plain": percentiles(found, data, request, "--confidence", "0"),
            "apart": apart, "replay": replay.strip().splitlines(),
        }


def run_all(wanted, scratch, record, before):
    """All at the same time; then judged, two at a time."""
    todo = [Configuration(*what, scratch / str(number)) for number, what in enumerate(wanted)]
    for one in todo:
        one.before = before
    if record:
        print(f"{len(todo)} configurations run", file=sys.stderr, flush=True)
        with concurrent.futures.ThreadPoolExecutor(len(todo)) as pool:
            list(pool.map(Configuration.run, todo))
    def judged(one):
        row = one.judged()
        print(f"{one.system}: {one.label}", file=sys.stderr, flush=True)
        return row
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(judged, todo))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--out", default="docs/evaluation.md")
    parser.add_argument("--keep", help="where the recordings stay (default: removed)")
    parser.add_argument("--from", dest="recorded", help="judge the recordings there, and make none")
    arguments = parser.parse_args()
    kept = arguments.keep or arguments.recorded
    scratch = pathlib.Path(kept or tempfile.mkdtemp(prefix="evaluate-"))
    scratch.mkdir(parents=True, exist_ok=True)
    wanted = list(quick() if arguments.quick else configurations(arguments.seconds))
    try:
        started = time.monotonic()
        first = is_first()
        rows = run_all(wanted, scratch, not arguments.recorded, FIRST if first else [])
        minutes = (time.monotonic() - started) / 60
    except KeyboardInterrupt:
        print("evaluate: interrupted; nothing is written", file=sys.stderr)
        return 130
    finally:
        if not kept:
            shutil.rmtree(scratch, ignore_errors=True)
    text = evaluate_report.document(rows, PERCENTILES, minutes, first)
    temporary = pathlib.Path(f"{arguments.out}.tmp")
    temporary.write_text(text)
    temporary.rename(arguments.out)
    print(f"wrote {arguments.out}", file=sys.stderr)
    return 70 if any("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
