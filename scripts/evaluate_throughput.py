#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Predicts what throughput services would have if one were faster, then really makes it faster, and
writes the second half of docs/evaluation_throughput.md. Predictions come from `tailproof whatif throughput --json`,
truths from examples/services; this only arranges them.

    scripts/evaluate_throughput.py [--quick] [--seconds S] [--out FILE] [--keep DIR] [--only NAME]...

--quick goes all the way with one tiny system, for the test of this script. BUILD is the build
folder. Exits with 0 when every system ran, 70 when one failed (the document names it)."""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

import evaluate_throughput_report as report
import evaluate_throughput_shared as shared
from evaluate_throughput_shared import Failed, TAILPROOF, mean

SERVICES = f"{shared.BUILD}/examples/services/services"


def chain(*works):
    """A graph in which each service calls the next."""
    lines = []
    for i, work in enumerate(works):
        lines += [f"service s{i}", f"  on main work {work}us"]
        lines += [f"    call s{i + 1}"] if i + 1 < len(works) else []
    return "\n".join(lines + ["user s0", ""])


SIX = """service a workers 2
  on main work 1000us together
    call b
    call c
service b
  on main work 900us
    call d
service c
  on main work 400us
    call e 2
service d
  on main work 800us
service e workers 2
  on main work 1400us
    call f 0.5
service f
  on main work 900us
user a
"""

PAIR = """service a workers 2
  on main work 800us
    call b
service b workers 2
  on main work 350us{locked}
user a
"""

TENTHS = [9, 18, 27, 36, 45, 54, 63, 72, 81, 90]


class System:
    """Services, who is made faster, and by how many percent."""

    def __init__(self, name, graph, target, levels, users=160, batch=40, rounds_at=(27, 81)):
        self.name, self.graph, self.target = name, graph, target
        self.levels, self.users, self.batch = levels, users, batch
        self.rounds_at = [level for level in levels if level in rounds_at]


def systems():
    shop = pathlib.Path("examples/shop/shop.graph").read_text(encoding="utf-8")
    pair_levels = list(range(5, 55, 5))
    yield System("3-service chain", chain(300, 900, 525), "s1", TENTHS, rounds_at=(27, 81))
    yield System("6-service graph", SIX, "e", TENTHS, rounds_at=(27, 81))
    yield System("pair with a mutex", PAIR.format(locked=" locked 350us"), "a", pair_levels,
                 rounds_at=(15, 50))
    yield System("pair without", PAIR.format(locked=""), "a", pair_levels, rounds_at=(15, 50))
    yield System("shop", shop, "price", TENTHS, users=64, batch=48, rounds_at=(27, 81))


def quick():
    """The others can serve far more than what is predicted, on a machine that is busy too."""
    yield System("3-service chain", chain(200, 900, 250), "s1", [40], users=32, batch=20,
                 rounds_at=())


NINE = chain(500, 500, 500, 500, 1500, 500, 500, 500, 500)


class Stand:
    """The services of a system in a folder of their own, with ports of their own."""

    def __init__(self, folder, graph, users):
        self.folder, self.users = folder, users
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "graph").write_text(graph, encoding="utf-8")
        self.base = 30000 + random.randrange(20) * 100
        self.names = [line.split()[0] for line in self.services("show").splitlines()]
        self.running = []

    def command(self, what, *more):
        realtime = ["--realtime"] if what in ("serve", "load") else []
        return [SERVICES, what, "--graph", str(self.folder / "graph"), "--base", str(self.base),
                *realtime, *map(str, more)]

    def services(self, what, *more):
        done = subprocess.run(self.command(what, *more), capture_output=True, text=True, check=False,
                              timeout=7200)
        if done.returncode != 0:
            raise Failed(f"services {what}: {done.stderr.strip() or done.returncode}")
        return done.stdout

    def __enter__(self):
        for name in self.names:
            self.running.append(subprocess.Popen(self.command("serve", "--service", name)))
        return self

    def __exit__(self, *_):
        shared.end(self.running, 5, lambda process: process.kill())
        self.running = []

    def throughput(self, seconds):
        said = self.services("load", "--users", self.users, "--seconds", seconds,
                             "--warmup-ms", 500)
        found = re.search(r" (\d+) failed; .* ([0-9.]+) requests/s$", said.strip())
        if not found or found[1] != "0":
            raise Failed(f"load: {said.strip()}")
        return float(found[2])

    def plan(self, system, levels, window, faster=0, repetitions=2):
        """Writes a plan for this system, its target `faster` by so many percent from the start."""
        quoted = " ".join
        lines = [f"entry: {self.names[0]}",
                 f"load: {json.dumps(quoted(self.command('load', '--users', self.users)))}",
                 "services:"]
        for name in self.names:
            more = ["--service", name]
            if name == system.target and faster:
                more += ["--faster", faster]
            command = json.dumps(quoted(self.command("serve", *more)))
            lines.append(f"  - {{name: {name}, command: {command}}}")
        lines += [f"targets: [{system.target}]", f"levels: {json.dumps(levels)}",
                  "warmup: 700ms", f"window: {window}s", f"batch: {system.batch}",
                  f"repetitions: {{least: {repetitions}, most: {repetitions}}}", "precision: 0.1%",
                  "budget: 600s", ""]
        path = self.folder / "plan.yaml"
        path.write_text("\n".join(lines), encoding="utf-8")
        return path


def whatif(plan, *more):
    """The objects that it prints, by kind."""
    said, complaint, code = shared.whatif(plan, *more, seconds=7200)
    if complaint:
        raise Failed(f"tailproof whatif: exit {code}: {complaint}")
    found = {}
    for one in said:
        found.setdefault(one["kind"], []).append(one)
    return found


def truths(stand, system, seconds):
    """Throughput by level, 0 first."""
    found = {}
    with stand:
        for level in [0, *system.levels]:
            stand.services("set", "--service", system.target, "--faster", level)
            found[level] = stand.throughput(seconds)
    return found


def baseline(found, rounds):
    values = [one["throughput"] for one in found.get("baseline", []) if one["rounds"] == rounds]
    return mean(values) if values else None


def predictions(found):
    """What was predicted for each level: the curve, and each repetition."""
    curve = {round(one["level"]): one for one in found.get("prediction", [])
             if one["refused"] is None}
    single = {}
    for window in found.get("window", []):
        if window["good"] and not window["check"]:  # what it predicts, also where the command finds it too uncertain alone
            left_ns = (window["window_ns"] - window["paused_ns"]
                       - window["requests"] * window["saved_ps"] / 1000)
            single.setdefault(round(window["level"] or 0), []).append(
                1e9 * window["requests"] / left_ns)
    return curve, single


def judge(system, folder, seconds):
    """Truth, prediction, truth again, and truth with rounds."""
    if not os.access(TAILPROOF, os.X_OK):
        raise Failed(f"{TAILPROOF} is not built: run make")
    stand = Stand(folder, system.graph, system.users)
    before = truths(stand, system, seconds)
    found = whatif(stand.plan(system, system.levels, seconds))
    after = truths(stand, system, seconds)
    with_rounds = {}
    for level in system.rounds_at:
        one = whatif(stand.plan(system, [], seconds, faster=level, repetitions=1))
        with_rounds[level] = baseline(one, True)
    curve, single = predictions(found)
    return {"name": system.name, "target": system.target, "before": before, "after": after,
            "curve": curve, "single": single, "with_rounds": with_rounds, "users": system.users,
            "batch": system.batch, "windows": found.get("window", []),
            "baseline": baseline(found, False), "baseline_rounds": baseline(found, True)}


def coordination(folder, seconds, users_tried):
    """The nine-service chain, its slowest service 60 % faster: with rounds that all take part in,
    and with everybody pausing by itself."""
    rows = []
    for users in users_tried:
        system = System("9-service chain", NINE, "s4", [60], users=users, batch=max(8, users // 4))
        stand = Stand(folder / str(users), system.graph, users)
        with stand:
            stand.services("set", "--service", "s4", "--faster", 60)
            truth = stand.throughput(seconds)
        row = {"users": users, "truth": truth}
        for name, more in (("coordinated", []), ("uncoordinated", ["--uncoordinated"])):
            found = whatif(stand.plan(system, [60], seconds), *more)
            row[name] = found["prediction"][0]["throughput"]
        rows.append(row)
    return rows


def overhead(folder, seconds):
    """What rounds without pauses cost at a batch of 100: the same services with and without."""
    rows = []
    for name, graph, target in (("2 services", chain(400, 400), "s0"),
                                ("9-service chain", NINE, "s4")):
        system = System(name, graph, target, [], batch=100)
        stand = Stand(folder / name.replace(" ", "-"), graph, system.users)
        with stand:
            bare = stand.throughput(seconds)
        found = whatif(stand.plan(system, [], seconds, repetitions=4))
        rows.append({"name": name, "bare": bare, "without": baseline(found, False),
                     "with": baseline(found, True)})
    return rows


def attempt(failures, name, work, *arguments):
    """What `work` returns, or None after a failure, which is told."""
    print(f"evaluate: {name}", file=sys.stderr, flush=True)
    try:
        return work(*arguments)
    except (Failed, OSError, KeyError, IndexError, ValueError, subprocess.TimeoutExpired) as error:
        failures.append((name, f"{type(error).__name__}: {error}" if not isinstance(error, Failed)
                         else str(error)))
        print(f"evaluate: {name}: {failures[-1][1]}", file=sys.stderr)
        return None


def run_all(arguments, scratch):
    failures, rows = [], []
    wanted = list(quick() if arguments.quick else systems())
    for number, system in enumerate(wanted):
        if not arguments.only or system.name in arguments.only:
            row = attempt(failures, system.name, judge, system, scratch / str(number),
                          arguments.seconds)
            rows += [row] if row else []
    extra = {}
    if not arguments.quick and (not arguments.only or "9-service chain" in arguments.only):
        extra["coordination"] = attempt(failures, "coordination", coordination, scratch / "nine",
                                        arguments.seconds, (24, 128, 352))
        extra["overhead"] = attempt(failures, "overhead", overhead, scratch / "overhead",
                                    arguments.seconds)
    return rows, extra, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true")
    arguments = shared.arguments_of(parser, 2, "of a window")
    started = time.monotonic()

    def work(scratch):
        rows, extra, failures = run_all(arguments, scratch)
        if arguments.keep:
            (scratch / "results.json").write_text(json.dumps([rows, extra]), encoding="utf-8")
        text = report.document(rows, extra, failures, (time.monotonic() - started) / 60)
        report.write_half(arguments.out, 1, text)
        return not failures

    return shared.run(arguments.keep, work, arguments.out)


if __name__ == "__main__":
    sys.exit(main())
