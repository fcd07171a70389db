#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the examples in many configurations, holds each bound against what was observed, and writes
docs/evaluation.md. All numbers come from `tailproof --json`; this only arranges them.

    scripts/evaluate.py [--quick] [--seconds N] [--out FILE] [--keep DIR]

--quick runs two tiny configurations, for the test of this script. BUILD is the build folder.
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


class Failed(Exception):
    """A configuration that did not run to its end; the text says where."""


def run(arguments, accepted=(0,)):
    """What a command prints on stdout."""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode not in accepted:
        said = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise Failed(f"{' '.join(arguments[:2])}: exit {done.returncode}: {said}")
    return done.stdout


def configurations(seconds):
    """(system, label, program's options), each made to run about `seconds` on an idle machine; rings with
    work, whose laps are long, three times as long."""
    network = ["--delay-us", "300", "--spread-us", "200"]
    for work_us in (0, 1000, 2500, 5000):
        for nodes in (2, 4, 6, 8, 10):
            lap_us = nodes * (2 * work_us + 600)
            duration = seconds if work_us == 0 else 3 * seconds
            yield ("token_ring", f"{nodes} nodes, {work_us / 1000:g} ms",
                   ["--nodes", str(nodes), "--work-us", str(work_us), "--sleep",
                    "--laps", str(max(20, int(duration * 1e6 / lap_us))), *network])
    for backups in (1, 2, 4, 8):
        yield ("primary_backup", f"{backups} backups",
               ["--backups", str(backups), "--requests", str(int(seconds * 700))])
    for replicas, acks in ((1, 1), (2, 2), (3, 2), (3, 3)):
        yield ("redis", f"{replicas} replicas, WAIT {acks}",
               ["--replicas", str(replicas), "--acks", str(acks),
                "--requests", str(int(seconds * 330))])
    for failures in (1, 2):
        yield ("multi_paxos", f"f = {failures}",
               ["--failures", str(failures), "--requests", str(int(seconds * 450))])
    yield ("multi_paxos", "leader killed", ["--kills", str(max(3, int(seconds * 2)))])


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


def percentiles(found, data, *more):
    """The objects of one calculation, by kind."""
    text = run([TAILPROOF, "percentiles", found["spec"], "--bound", found["bound"], *found["set"],
                "--data", str(data), "--observed", str(data / f"{found['request']}.tph"),
                "-p", ",".join(PERCENTILES), "--json", *found["options"], *more], accepted=(0, 1, 2))
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


class Configuration:
    """One system with one set of options: run, then judged."""

    def __init__(self, system, label, options, folder):
        self.system, self.label, self.options, self.folder = system, label, options, folder
        self.seconds, self.failed = 0.0, None

    def run(self):
        started = time.monotonic()
        try:
            run([f"{BUILD}/examples/{self.system}/{self.system}", "--out", str(self.folder),
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
        run([TAILPROOF, "import", "--out", str(data), *found["sources"]])
        replay = run([TAILPROOF, "replay", found["spec"], str(folder / "store"), "--bound",
                      found["bound"], *found["set"]], accepted=(0, 1, 2))
        law = folder / "law"
        sure = percentiles(found, data, "--dependence", "both")
        plain = percentiles(found, data, "--confidence", "0", "--save", str(law))
        counts, saturated = histogram(data / f"{found['request']}.tph")
        total = sum(count for _, count in counts) + saturated
        mean, largest = law_moments(law)
        return {
            "system": self.system, "label": self.label, "requests": total,
            "observed_mean": sum(edge * n for edge, n in counts) / max(1, total - saturated),
            "observed_max": None if saturated or not counts else counts[-1][0],
            "bound_mean": mean, "bound_max": largest,
            "sure": sure, "plain": plain, "replay": replay.strip().splitlines(),
        }


def run_all(wanted, scratch):
    """Rings that mostly sleep run five at a time, longer; everything else alone."""
    todo = [Configuration(*what, scratch / str(number)) for number, what in enumerate(wanted)]
    groups = []
    for one in todo:
        sleeps = one.system == "token_ring" and " 0 ms" not in one.label
        if sleeps and groups and groups[-1][0] and len(groups[-1][1]) < 5:
            groups[-1][1].append(one)
        else:
            groups.append((sleeps, [one]))
    rows, done = [], 0
    for _, group in groups:
        for one in group:
            done += 1
            print(f"[{done}/{len(todo)}] {one.system}: {one.label}", file=sys.stderr, flush=True)
        with concurrent.futures.ThreadPoolExecutor(len(group)) as pool:
            list(pool.map(Configuration.run, group))
        for one in group:
            rows.append(one.judged())
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=16)
    parser.add_argument("--out", default="docs/evaluation.md")
    parser.add_argument("--keep", help="where the recordings stay (default: removed)")
    arguments = parser.parse_args()
    scratch = pathlib.Path(arguments.keep or tempfile.mkdtemp(prefix="evaluate-"))
    scratch.mkdir(parents=True, exist_ok=True)
    wanted = list(quick() if arguments.quick else configurations(arguments.seconds))
    try:
        started = time.monotonic()
        rows = run_all(wanted, scratch)
        minutes = (time.monotonic() - started) / 60
    except KeyboardInterrupt:
        print("evaluate: interrupted; nothing is written", file=sys.stderr)
        return 130
    finally:
        if not arguments.keep:
            shutil.rmtree(scratch, ignore_errors=True)
    text = evaluate_report.document(rows, PERCENTILES, minutes)
    temporary = pathlib.Path(f"{arguments.out}.tmp")
    temporary.write_text(text)
    temporary.rename(arguments.out)
    print(f"wrote {arguments.out}", file=sys.stderr)
    return 70 if any("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
