#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""turns.py [--only NAMES] [--threes N] [--turn MS] [--work MS] [--rate N] [--first] [--keep FOLDER] [--judge]: what `whatif latency`
foretells of services on frameworks (plants/app.js) without the thing in them that makes pages slow, held against the same
process without it.

Pages compute for --work ms. In the second of each three turns of --turn ms the plant is there, in those around it not. In
all three the same requests come at the same times and compute the same. So neither arrivals nor sizes nor a steady drift
make a difference. The first half second of each turn is left out, in all three, as a queue may be left there. Of the
requests with the plant `whatif latency` says what they take without it. By chance: what the turns before and those
behind, and halves of both, differ by. --record: recordings are made and left for --judge, which makes none."""

import argparse
import json
import math
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "node"))
sys.path.insert(0, str(HERE))
import alone  # noqa: E402
import foretold  # noqa: E402
import plants  # noqa: E402

LIMITS = {"50": 0.05, "99": 0.15}  # what a prediction may be off by
# Halves with the same requests are as large as what is foretold, and what really comes is twice that: three such samples of
# which the sum of the variances is 1 + 1/2, where foretold.floor_of takes two.
OF_HALVES = math.sqrt(1.5)


class Asked:
    """What takes a plant away, and how many requests a second ask for it."""

    def __init__(self, name, rate, *changes):
        self.plant = next(plant for plant in plants.PLANTS if plant.name == name)
        self.rate, self.changes = rate, changes or (f"GET {self.plant.route}: *0",)


ASKED = [
    Asked("redos", 3),
    Asked("parse", 1.2),
    Asked("stringify", 5),
    Asked("password", 6),
    Asked("gzip", 3),
    Asked("quadratic", 9),
    Asked("readsync", 4),
    Asked("exec", 7),
    Asked("split", 7),
    Asked("emitter", 4),
    Asked("ticks", 14),
    Asked("awaits", 17),
    Asked("stampede", 60, "GET /prices: *0"),
    Asked("timer", 0, "timer of 500 ms: *0"),
    Asked("consumer", 0, "held by connection to 127.0.0.1:*: *0"),
    Asked("messages", 4, "message: *0", "GET /rows: *0"),
    Asked("zlib", 6, "io zlib of GET /pack: *0", "GET /pack: *0"),
    Asked("brotli", 3, "io zlib of GET /shrink: *0", "GET /shrink: *0"),
    Asked("keys", 5, "io pbkdf2 of GET /token: *0", "GET /token: *0"),
    Asked("files", 5, "io file of GET /download: *0", "GET /download: *0"),
    Asked("dns", 1.5, "io name look-up of GET /notify: *0", "GET /notify: *0"),
]


def times_of(count, turn, threes, seed):
    """In seconds: `count` requests in each turn, at the same random times in all three."""
    draw = random.Random(seed)
    found = []
    for three in range(threes):
        once = sorted(draw.uniform(0, turn) for _ in range(count))
        for number in range(3):
            found += [(3 * three + number) * turn + at for at in once]
    return found


def load_of(port, routes, times, folder, name):
    (folder / f"{name}.times").write_text("0\n" + "".join(f"{at:.6f}\n" for at in times), encoding="ascii")
    return subprocess.Popen([plants.PROGRAM, "load", f"http://127.0.0.1:{port}/", "--routes", routes, "--times", folder / f"{name}.times", "-c", "200",
                             "--timeout", "20", "--out", folder / f"{name}.csv"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def record(asked, folder, options):
    """A recording; the folder gets `skip` with how much of it comes before all is warm: the first three turns."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    plant, turn, port = asked.plant, options.turn / 1000, plants.free_port()
    beside = plant.beside() if plant.beside else None
    each = round(options.rate * turn)
    env = dict(os.environ, PLANT=plant.name, FRAMEWORK=plant.framework, PORT=str(port), ON="middle", TURN=str(options.turn), WORK=str(options.work),
               EACH=str(each), NODE_PATH=str(plants.BUILD / "field" / "node_modules"), **(beside.env if beside else {}))
    began = time.time()
    recorder = subprocess.Popen([plants.PROGRAM, "record", "--node", "--out", folder / "store", "--", *(beside.before if beside else []), "node",
                                 str(HERE / "plants" / "app.js")], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        plants.wait_for(port, recorder)
        server = plants.children_of(recorder.pid)[0]
        now = time.time()
        start = math.ceil((now + 0.2) / (3 * turn)) * 3 * turn
        time.sleep(start - now)
        loads = [load_of(port, "/page?n=#", times_of(each, turn, options.threes + 1, 1), folder, "pages")]
        if asked.rate:
            loads.append(load_of(port, plant.route, times_of(round(asked.rate * turn), turn, options.threes + 1, 2), folder, "plant"))
        for load in loads:
            load.wait()
        os.kill(server, signal.SIGTERM)
    finally:
        try:
            recorder.wait(20)
        except subprocess.TimeoutExpired:
            recorder.terminate()
            recorder.wait()
        if beside:
            beside.end()
    (folder / "skip").write_text(f"{1000 * (start + 3 * turn - began):.0f}ms", encoding="ascii")


def judge(asked, folder):
    """By percentile: as recorded, foretold, really, the error, by chance; all in ns but the last two, which are logarithms."""
    skip, store = (folder / "skip").read_text(encoding="ascii"), folder / "store"
    found, waits = foretold.percentiles(asked.changes, skip, [store], [])
    floor = foretold.floor_of(skip, [store], foretold.QUIET)
    judged = {}
    for p, limit in LIMITS.items():
        line, verdict = found[p], waits["verdict"] if waits else "none overlap"
        was, would, came = line["recorded"]["ns"], foretold.estimate(line, verdict), line["observed"]["ns"]
        error, chance, interval = math.log(would / came), floor[p] * OF_HALVES, foretold.interval_of(line)
        judged[p] = {"plant": asked.plant.name, "p": p, "was": was, "would": would, "came": came, "error": error, "chance": chance, "waits": verdict,
                     "verdict": foretold.judge_error(error, limit, chance), "interval": interval and [interval[0], None if interval[1] == math.inf else interval[1]],
                     "inside": interval and interval[0] <= came <= interval[1], "readings": {k: round(v["ns"] / 1e6, 2) for k, v in line.items() if isinstance(v, dict)}}
    return judged


def row_of(judged):
    """A line of a table."""
    ms = lambda ns: f"{ns / 1e6:.3g}"
    cells = [judged["50"]["plant"]]
    for one in judged.values():
        foretold_as = [ms(one["would"]), ms(one["came"]), f"{math.expm1(one['error']):+.1%}"] if one["verdict"] != "not told" else ["not told", ms(one["came"]), ""]
        cells += [f"{ms(one['was'])} ({one['was'] / one['came']:.1f})", *foretold_as, f"{math.expm1(one['chance']):.1%}",
                  "no interval" if not one["interval"] else "in" if one["inside"] else "**out**"]
    return f"| {' | '.join(cells)} |"


def tell(all_judged):
    for p, limit in LIMITS.items():
        ones = [judged[p] for judged in all_judged]
        within, chance, beyond = (sum(1 for one in ones if one["verdict"] == verdict) for verdict in ("within", "cannot tell", "beyond"))
        untold = sum(1 for one in ones if one["verdict"] == "not told")
        given = [one for one in ones if one["interval"]]
        print(f"# p{p}: {within} of {len(ones)} within {limit:.0%}, {chance} more within chance, {beyond} beyond both, {untold} not told; "
              f"{sum(1 for one in given if one['inside'])} of {len(given)} intervals have what came; by chance "
              f"{math.expm1(sorted(one['chance'] for one in ones)[len(ones) // 2]):.1%} (median)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only")
    parser.add_argument("--threes", type=int, default=7)
    parser.add_argument("--turn", type=int, default=3000)
    parser.add_argument("--work", type=float, default=3)
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    if options.first:
        alone.come_first()
    folder = options.keep or pathlib.Path(tempfile.mkdtemp())
    wanted = options.only.split(",") if options.only else [asked.plant.name for asked in ASKED]
    chosen = [asked for asked in ASKED if asked.plant.name in wanted]
    for asked in chosen if not options.judge else ():
        record(asked, folder / asked.plant.name, options)
        print(f"# {asked.plant.name}: recorded", flush=True)
    all_judged = []
    for asked in chosen if not options.record else ():
        judged = judge(asked, folder / asked.plant.name)
        print(row_of(judged), flush=True)
        for one in judged.values() if options.full else ():
            print("#  ", one["p"], one["waits"], one["readings"])
        all_judged.append(judged)
    if all_judged:
        tell(all_judged)
    if options.json:
        options.json.write_text("".join(json.dumps(one) + "\n" for judged in all_judged for one in judged.values()), encoding="utf-8")
    if not options.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
