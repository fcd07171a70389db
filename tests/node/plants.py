#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants causes of slow requests in the servers of examples/node, records them under an open loop of requests, and asks
`tailproof tail` what is to blame.

  tests/node/plants.py [--only NAMES] [--rounds N] [--turns N] [--nulls N] [--seconds N] [--rate N] [--skip TIME]
                       [--own-tail] [--first] [--keep FOLDER] [--others N] [--json FILE]

For each plant: whether the planted cause is the first that is named. With --rounds N each plant is recorded N times with
what makes it slow and N times without, in turn, all of them are asked together, and the percentiles that `whatif latency`
predicts of the recordings with it are held against those of the recordings without it. With --turns N it is recorded N
times, planted for two seconds and not for the next two, and so on; requests that come in the quiet ones are what really
came. --nulls N records servers in which nothing was planted; whatever is named there is named wrongly.

The floor of a percentile is what two samples as large as those that are compared would differ by in 95 of 100 cases, were
the prediction perfect. It comes of what really came alone: of each half of the recordings held against the other half. An
error below the floor is no error that these recordings can show. Prints a line of TAP for each, and a table of predictions.

With --keep a call that was interrupted goes on where it was. Of each recording it is kept how many processors other programs
used meanwhile; with --others those of which that is more are made again, whatever is in them, before anything is judged."""

import argparse
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

import alone
from foretold import QUIET, ask, estimate, floor_of, interval_of, interval_seen, judge_error, percentiles, spread

BUILD = pathlib.Path(os.environ.get("BUILD", "build"))
HERE = "tests/node/plants"
ROUTES = {"files": "/page*3,/file", "fanout": "/page*3,/price", "alloc": "/page?seed=#*4,/small"}


class Plant:
    """Where something is planted, what is to be blamed first, and the change that takes it away."""

    def __init__(self, name, app, script, first, change, routes=None, rate=100, env=None, upstream=None, redis=False):
        self.name, self.app, self.script, self.first, self.change = name, app, script, first, change
        self.routes = routes or ROUTES[app]
        self.rate, self.env, self.upstream, self.redis = rate, env or {}, upstream or {}, redis


def report(app):
    return {"files": "/page*45,/report", "fanout": "/page*45,/report", "alloc": "/page?seed=#*45,/report"}[app]


LOOP = r"held by .*GET /report$"
PRESSURE = r"collection|held by timer of 333 ms$"  # while it grows, and what collects it
STORM = r"held by timer$"  # each takes 0.1 ms
COMPILE = r"compilation of \S*table\.js$"
FULL = r"full collection|incremental|held by timer of 333 ms$"  # which asks for them
PLANTS = [
    Plant("files-loop", "files", "loop.js", LOOP, "report"),
    Plant("fanout-loop", "fanout", "loop.js", LOOP, "report"),
    Plant("alloc-loop", "alloc", "loop.js", LOOP, "report"),
    Plant("files-json", "files", "loop.js", LOOP, "report", env={"WORK": "json"}),
    Plant("fanout-key", "fanout", "loop.js", LOOP, "report", env={"WORK": "key"}),
    Plant("files-collect", "files", "collect.js", FULL, "collections"),
    Plant("fanout-collect", "fanout", "collect.js", FULL, "collections"),
    Plant("alloc-collect", "alloc", "collect.js", FULL, "collections"),
    Plant("alloc-pressure", "alloc", "pressure.js", PRESSURE, "pressure"),
    Plant("files-fifo", "files", "disk.js", r"waits for file$", "wait"),
    Plant("files-pool", "files", "pool.js", r"waits for (file$|a thread of the pool \(\d+\), held by pbkdf2)", "pool"),
    Plant("fanout-upstream", "fanout", "plain.js", r"waits for (connection to|http client)", "wait",
          upstream={"SLOW_IN": "120"}),
    Plant("fanout-redis", "fanout", "plain.js", r"waits for connection to", "wait", redis=True),
    Plant("files-storm", "files", "storm.js", STORM, "storm"),
    Plant("fanout-storm", "fanout", "storm.js", STORM, "storm"),
    Plant("files-require", "files", "compile.js", COMPILE, "compile"),
    Plant("files-script", "files", "compile.js", COMPILE, "compile", env={"WORK": "script"}),
]
for plant in PLANTS:
    if plant.script in ("loop.js", "compile.js"):
        plant.routes = report(plant.app)


def free_port():
    """Below those that the system hands out itself."""
    while True:
        port = random.randrange(20000, 32000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError:
            pass


def port_from(name, count):
    """The first of free ports behind one that only depends on the name: recordings that are asked together have the same
    other servers."""
    first = 20000 + zlib.crc32(name.encode()) % 10000
    for port in range(first, first + 1000):
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
        if count == 0:
            return port
        count -= 1
    raise RuntimeError(f"{name}: no port is free")


def wait_for(port, process):
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None:
                raise RuntimeError(f"{process.args}: ended with {process.returncode}") from None
            time.sleep(0.05)


class Recording:
    """One run of a server with what is planted (PLANT: 1), without (0), or in turns; gone afterwards but for its folder."""

    def __init__(self, plant, planted, folder, seconds, seed):
        self.plant, self.planted, self.folder = plant, planted, pathlib.Path(folder)
        self.seconds, self.seed, self.others = seconds, seed, []
        self.env = dict(os.environ, APP=plant.app, PLANT=planted)
        self.env.setdefault("NODE_PATH", "/usr/share/nodejs")
        self.env.update(plant.env)

    def other(self, command, port=None, **env):
        process = subprocess.Popen(command, env=dict(self.env, **env), stdout=subprocess.DEVNULL)
        self.others.append(process)
        if port:
            wait_for(port, process)

    def others_start(self):
        if self.plant.app != "fanout":
            return
        upstream, redis = (port_from(self.plant.name, i) for i in range(2))
        self.env.update(UPSTREAM=str(upstream), REDIS=str(redis))
        self.other(["node", f"{HERE}/slow_upstream.js"], upstream, PORT=str(upstream), **self.plant.upstream)
        self.other(["redis-server", "--port", str(redis), "--bind", "127.0.0.1", "--save", ""], redis)
        if self.plant.redis:
            self.other(["node", f"{HERE}/busy_redis.js"])

    def run(self):
        port = free_port()
        try:
            self.others_start()
            server = subprocess.Popen([BUILD / "tailproof", "record", "--node", "--out", self.folder / "store", "--", "node", f"{HERE}/{self.plant.script}"],
                                      env=dict(self.env, PORT=str(port)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.others.append(server)
            wait_for(port, server)
            load = subprocess.run([BUILD / "tailproof", "load", f"http://127.0.0.1:{port}/", "--routes", self.plant.routes, "--rate", str(self.plant.rate),
                                   "--seconds", str(self.seconds), "--seed", str(self.seed), "--out", self.folder / "latencies.csv"], stdout=subprocess.DEVNULL)
            if load.returncode not in (0, 2):  # 2: the machine is busy
                raise SystemExit(load.returncode)
            server.send_signal(signal.SIGTERM)
            server.communicate()
        finally:
            for process in self.others:
                process.terminate()
            for process in self.others:
                process.wait()
        return self.folder / "store"


MOST_OTHERS = math.inf  # processors; see --others
AGAIN = 3  # times that a recording is made, at most, in one call
disturbed = {}  # by folder, what was used by others


def record(plant, planted, folder, seconds, seed):
    """The store of a recording, which is made unless the folder has it, undisturbed."""
    done = folder / "done"
    for _ in range(AGAIN):
        used = float(done.read_text(encoding="ascii") or 0) if done.exists() else math.inf
        if used <= MOST_OTHERS and done.exists():
            break
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        others = alone.Others()
        Recording(plant, planted, folder, seconds, seed).run()
        done.write_text(f"{others.share():.3f}", encoding="ascii")
    disturbed[folder] = float(done.read_text(encoding="ascii") or 0)
    return folder / "store"


def pairs_of(plant, folder, seconds, rounds):
    """Recordings with the plant and without it, in turn: with, without, without, with, and so on. Without rounds one with it."""
    pairs = []
    for i in range(1, max(1, rounds) + 1):
        stores = {}
        for planted in (True, False) if i % 2 else (False, True):
            if planted or rounds:
                stores[planted] = record(plant, "1" if planted else "0", folder / f"{'with' if planted else 'without'}-{i}", seconds, i)
        pairs.append((stores[True], stores.get(False)))
    return pairs


# --- what is blamed ---


def causes(stores, skip, route=None):
    """The causes that are named, most to blame first; of one route, or of all. And how many chains are complete."""
    lines, done = ask("tail", *stores, "--skip", skip)
    if not any(line["kind"] == "loops" for line in lines):
        raise RuntimeError(f"tail {stores[0]}: {done.stderr.strip()}")
    named = [line for line in lines if line["kind"] == "cause" and route in (None, line["route"])]
    whole = next(line for line in lines if line["kind"] == "loops")
    return sorted(named, key=lambda line: line["rank"]), whole


def judge(plant, stores, skip):
    """The first cause, whether it is the planted one, and what to say of it."""
    named, whole = causes(stores, skip, "GET /page")
    first = named[0] if named else {"name": "nothing"}
    right = re.search(plant.first, first["name"]) is not None
    share = whole["complete"] / max(1, whole["requests"])
    return first, right, f"{first['name']} ({share:.2%} of {whole['requests']} chains complete)"


def nulls(count, folder, seconds, skip):
    """Recordings of servers as they are: what is named in them."""
    blamed = []
    for i in range(count):
        app = ("files", "fanout")[i % 2]
        plant = Plant(f"null-{i}", app, "plain.js", "", "")
        named, _ = causes([record(plant, "0", folder / plant.name, seconds, 100 + i)], skip)
        blamed.append([line["name"] for line in named])
    return blamed


# --- what removing it would change ---


def changes_of(plant, first, right):
    """What takes a plant away, given the first cause that is named; nothing if that is not the planted one, unless the
    planted work has a name of its own."""
    if plant.change == "pool":  # what takes all threads of the pool; files only wait for it
        return ["io PBKDF2REQUEST: *0"]
    if plant.change == "pressure":  # and the collections that are not in it stay
        return ["timer of 333 ms: *0"]
    if not right:
        return []
    if plant.change in ("report", "storm"):
        return [f"{first['name']}: *0"]
    if plant.change == "compile":
        return ["compile: *0", "request GET /report: *0"]
    if plant.change == "wait":
        return [f"{first['name']}: at most {first['apart_ns']} ns"]
    return ["gc major: *0", "timer of 333 ms: *0"]


def of_round(changes, skip, store, observed):
    """As percentiles, of one recording; None: in it nothing ran that the changes name."""
    try:
        return percentiles(changes, skip, [store], [observed] if observed else [])[0]
    except RuntimeError as error:
        if "no callback that ran is called" in str(error):
            return None
        raise


LIMITS = {"50": 0.03, "99": 0.10}  # what a prediction may be off by


def predict(changes, skip, pairs):
    """By percentile what is predicted and what came, each the median of the rounds, in ns; and the verdict on waits."""
    together, waits = percentiles(changes, skip, [a for a, _ in pairs], [b for _, b in pairs if b])
    verdict = waits["verdict"] if waits else "none overlap"
    rounds = [found for found in (of_round(changes, skip, a, b) for a, b in pairs) if found]
    floor = floor_of(skip, [b or a for a, b in pairs], "GET /page" if pairs[0][1] else QUIET)
    result = {"waits": f"{verdict} ({waits['longer']} of {waits['stretches']})" if waits else verdict}
    for p, line in together.items():
        told = [found for found in rounds if not math.isnan(estimate(found[p], verdict))]
        predicted = [estimate(found[p], verdict) for found in told]
        really = [found[p]["observed"]["ns"] for found in told]
        recorded = statistics.median(found[p]["recorded"]["ns"] for found in rounds or [together])
        half = spread([a / b for a, b in zip(predicted, really)])
        interval, came = interval_of(line), line["observed"]
        error = math.log(estimate(line, verdict) / came["ns"])
        result[p] = {"recorded": recorded, "predicted": statistics.median(predicted or [estimate(line, verdict)]),
                     "really": statistics.median(really or [line["observed"]["ns"]]),
                     "half": half, "rounds": list(zip(predicted, really)), "together": estimate(line, verdict), "together_really": came["ns"],
                     "interval": interval, "inside": interval and interval[0] <= came["ns"] <= interval[1],
                     "together_recorded": line["recorded"]["ns"], "interval_really": interval_seen(came), "floor": floor.get(p),
                     "verdict": judge_error(error, LIMITS[p], floor.get(p))}
    return result


def say(p, found):
    """A line of a percentile."""
    ms = lambda ns: "not told" if math.isnan(ns) else f"{ns / 1e6:.2f}"
    error = found["predicted"] / found["really"] - 1
    half = "" if found["half"] is None else f" (rounds: {math.exp(found['half']) - 1:.1%} either way)"
    inside = "has no interval" if not found["interval"] else f"interval {ms(found['interval'][0])} .. {ms(found['interval'][1])} ms {'has' if found['inside'] else 'MISSES'} it"
    return (f"p{p}: {ms(found['recorded'])} ms, predicted {ms(found['predicted'])}, really {ms(found['really'])}, {error:+.1%}{half}; "
            f"all together {found['together'] / found['together_really'] - 1:+.1%}, {found['verdict']}, {inside}")


def row_of(name, said, predicted):
    """A line of the table of README.md."""
    ms = lambda ns: "infinite" if ns == math.inf else "not told" if math.isnan(ns) else f"{ns / 1e6:.3g}"
    both = lambda key: " / ".join(ms(predicted[p][key]) for p in LIMITS)
    span = lambda interval: f"{ms(interval[0])} .. {ms(interval[1])}" if interval else "cannot tell"
    cells = [name, said, both("together_recorded"), both("together"), both("together_really")]
    for found in (predicted[p] for p in LIMITS):
        floor = "" if found["floor"] is None else f" ({math.expm1(found['floor']):.1%})"
        cells.append(f"{found['together'] / found['together_really'] - 1:+.1%}{floor} {found['verdict']}")
    for found in (predicted[p] for p in LIMITS):
        cells.append(("**{}**" if found["inside"] is False else "{}").format(span(found["interval"])))
    cells.append(span(predicted["99"]["interval_really"]))
    return f"| {' | '.join(cells)} |"


def tell_table(results):
    """Of all plants that were predicted: the table, and how many are within what they may be off by."""
    told = [result for result in results if "predicted" in result]
    if not told:
        return
    print("# | plant | named first | with it | predicted without | really | p50 (floor) | p99 (floor) | printed, p50 | printed, p99 | really, p99 |")
    for result in told:
        print("#", row_of(result["plant"], result["first"], result["predicted"]))
    for p, limit in LIMITS.items():
        verdicts = [result["predicted"][p]["verdict"] for result in told]
        print(f"# p{p}: {verdicts.count('within')} of {len(told)} within {limit:.0%}, {verdicts.count('beyond')} beyond it and the floor, {verdicts.count('cannot tell')} below the floor, "
              f"{verdicts.count('not told')} not told")


def tell_disturbed():
    """How many processors others used, over all recordings."""
    used = sorted(disturbed.values())
    if used:
        print(f"# {len(used)} recordings; other programs used {statistics.median(used):.2f} processors meanwhile (median), {used[-1]:.2f} at most")
    if used and MOST_OTHERS < math.inf:
        print(f"# and more than {MOST_OTHERS:g} in {sum(1 for one in used if one > MOST_OTHERS)} of them")


def main():
    global MOST_OTHERS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="plants, separated by commas (default: all)")
    parser.add_argument("--seconds", type=int, default=24)
    parser.add_argument("--rate", type=int, help="requests a second (default: 100)")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--turns", type=int, default=0, help="recordings in which it is planted for two seconds out of four")
    parser.add_argument("--own-tail", action="store_true", help="one page in twenty waits for 10 to 30 ms by itself, so that p99 without the plant is the server's own")
    parser.add_argument("--skip", default="2s", help="leave out requests that arrive in the first TIME of a recording (default: 2s)")
    parser.add_argument("--nulls", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the recordings")
    parser.add_argument("--first", action="store_true", help="the servers and their load come before other programs (as root)")
    parser.add_argument("--others", type=float, default=math.inf, help="make recordings again during which other programs used more processors than this")
    parser.add_argument("--json", type=pathlib.Path, help="also write the results as lines of JSON")
    options = parser.parse_args()
    os.environ["OWN_TAIL"] = "1" if options.own_tail else "0"
    MOST_OTHERS = options.others
    for plant in PLANTS:
        plant.rate = options.rate or plant.rate
    if options.first:
        alone.come_first()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers are ended, too
    wanted = options.only.split(",") if options.only is not None else [plant.name for plant in PLANTS]
    folder = options.keep or pathlib.Path(tempfile.mkdtemp())
    results, number, right_count = [], 0, 0
    for plant in PLANTS:
        if plant.name not in wanted:
            continue
        number += 1
        if options.turns:
            pairs = [(record(plant, "turns", folder / plant.name / f"turns-{i}", options.seconds, i), None) for i in range(1, options.turns + 1)]
        else:
            pairs = pairs_of(plant, folder / plant.name, options.seconds, options.rounds)
        first, right, said = judge(plant, [a for a, _ in pairs], options.skip)
        right_count += right
        print(f"# {'right' if right else 'WRONG'}: {plant.name}: {said}", flush=True)
        result = {"plant": plant.name, "right": right, "said": said, "first": first["name"] if right else f"**{first['name']}**"}
        changes = changes_of(plant, first, right)
        if (options.rounds or options.turns) and changes:
            result["predicted"] = predict(changes, options.skip, pairs)
            print(f"#   changed: {', '.join(changes)}; waits: {result['predicted']['waits']}")
            for p in LIMITS:
                print(f"#   {say(p, result['predicted'][p])}", flush=True)
        results.append(result)
    tell_table(results)
    if number:
        print(f"{'ok' if right_count >= number - number // 15 else 'not ok'} 1 - {right_count} of {number} planted causes are named first")
    if options.nulls:
        blamed = nulls(options.nulls, folder, options.seconds, options.skip)
        wrong = sum(1 for named in blamed if named)
        for named in filter(None, blamed):
            print(f"# blamed where nothing was planted: {', '.join(named)}")
        print(f"{'ok' if wrong <= max(1, options.nulls // 10) else 'not ok'} {1 + bool(number)} - {wrong} of {options.nulls} runs without a plant blame something")
        results.append({"nulls": options.nulls, "wrong": wrong})
    tell_disturbed()
    if options.json:
        options.json.write_text("".join(json.dumps(line) + "\n" for line in results), encoding="utf-8")
    if not options.keep:
        shutil.rmtree(folder)
    print(f"1..{bool(number) + bool(options.nulls)}")


if __name__ == "__main__":
    sys.exit(main())
