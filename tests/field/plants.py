#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""plants.py [--only NAMES] [--nulls N] [--tries N] [--seconds N] [--effect N] [--first] [--keep FOLDER]: services on frameworks
from npm (plants/app.js) with one thing in each that makes pages slow, recorded under an open loop of requests. Is it the
first cause that `tail` names, by its route, and by a function of its own that was seen in it? --effect: what holds the loop is
recorded so many times with it and without it, and what `whatif latency` foretells of the first is held against the others.
Two processes of one program differ by more than what is to be seen there; turns.py does the same within one process.
--nulls: services without any,
beside four programs that spin; all that may be named is that there was no processor. --first: the service and its load come
before other programs (as root). --tries: a plant that is not named is recorded again, as another program may have been
what was slow."""

import argparse
import math
import os
import pathlib
import re
import signal
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "node"))
sys.path.insert(0, str(HERE))
import alone  # noqa: E402
import beside  # noqa: E402
import foretold  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
PROGRAM = str(BUILD / "tailproof")


class Plant:
    """A thing to be found: on which framework, the cause, a function that is seen in it (None: none is), the route that is asked
    (None: pages alone), what happens to the process, and what the service asks (of beside.py)."""

    def __init__(self, name, framework, cause, function=None, route=None, *, outside=None, pages=20, beside=None):
        self.name, self.framework, self.cause, self.function = name, framework, cause, function
        self.route, self.outside, self.pages, self.beside = route, outside, pages, beside


def in_route(name, framework, route, function, pages=20):
    return Plant(name, framework, rf"^held by (request|file|promise|tick|immediate).*GET {route}$", function, route, pages=pages)


def of_pool(name, framework, pool, with_=None):
    return Plant(name, framework, rf"^waits for a connection of {pool}'s pool \((2 of 2|all) in use\)$", None, "/yearly", pages=40, beside=with_)


PLANTS = [
    in_route("redos", "express", "/signup", r"kinds\.js:\d+:\d+ checkAddress"),
    in_route("parse", "fastify", "/import", r"kinds\.js:\d+:\d+ parseDocument", pages=80),
    in_route("stringify", "koa", "/export", r"kinds\.js:\d+:\d+ renderRows"),
    in_route("password", "express", "/login", r"kinds\.js:\d+:\d+ verifyPassword"),
    in_route("gzip", "fastify", "/archive", r"kinds\.js:\d+:\d+ packLines"),
    in_route("quadratic", "koa", "/dedupe", r"kinds\.js:\d+:\d+ uniqueKeys"),
    in_route("readsync", "express", "/static", r"kinds\.js:\d+:\d+ readAll"),
    in_route("exec", "fastify", "/version", r"kinds\.js:\d+:\d+ version"),
    in_route("split", "http", "/report", r"kinds\.js:\d+:\d+ (load|join|sort|print)Parts"),
    in_route("emitter", "express", "/order", r"kinds\.js:\d+:\d+ (subscriber|placeOrder)"),
    in_route("ticks", "fastify", "/drain", r"kinds\.js:\d+:\d+ drainQueue"),
    in_route("awaits", "koa", "/rows", r"kinds\.js:\d+:\d+ parse(Row|All)"),
    in_route("stampede", "koa", "/prices", r"kinds\.js:\d+:\d+ rebuild", pages=1),
    Plant("timer", "express", r"^held by timer of 500 ms$", r"kinds\.js:\d+:\d+ collectMetrics"),
    Plant("consumer", "fastify", r"^held by connection to 127\.0\.0\.1:\d+$", r"kinds\.js:\d+:\d+ handleBatch"),
    Plant("zlib", "fastify", r"^waits for a thread of the pool \(4\), held by zlib of GET /pack$", None, "/pack"),
    Plant("brotli", "koa", r"^waits for a thread of the pool \(4\), held by zlib of GET /shrink$", None, "/shrink"),
    Plant("keys", "express", r"^waits for a thread of the pool \(4\), held by pbkdf2 of GET /token$", None, "/token"),
    Plant("files", "hapi", r"^waits for .*file", None, "/download"),
    Plant("dns", "koa", r"^waits for a thread of the pool \(4\), held by name look-up of GET /notify$", None, "/notify", pages=40, beside=beside.Names),
    Plant("messages", "hapi", r"^deserialisation of a message of worker \d+ \(.*kinds\.js:\d+\)$", None, "/rows"),
    of_pool("pgpool", "fastify", "pg", beside.Postgres),
    of_pool("redispool", "express", "generic-pool", beside.Redis),
    of_pool("undicipool", "hapi", "undici"),
    Plant("busy", "fastify", r"^no processor", outside="busy"),
    Plant("stopped", "koa", r"^no processor: the process was stopped", outside="stopped"),
    Plant("throttled", "express", r"^no processor: the quota", outside="throttled"),
]
for plant in PLANTS:
    if plant.name == "stampede":
        plant.cause = r"^(held by|runs) (promise|timer).*GET /prices$"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port, process):
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    raise RuntimeError("the service does not listen")


# --- what happens outside of the process ---


class Spinning:
    """Programs that keep processors busy while this lasts."""

    def __init__(self, count, processor=None):
        self.all = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
        for one in self.all if processor is not None else ():
            os.sched_setaffinity(one.pid, {processor})

    def end(self):
        for one in self.all:
            one.kill()
            one.wait()


def children_of(pid):
    return [int(one) for one in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


class Group:
    """A control group that comes before others, in either hierarchy; `usable` is false where the system makes none."""

    KINDS = (
        ("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "-1", "cpu.shares": "262144"}),
        ("/sys/fs/cgroup", {"cpu.max": "max 100000", "cpu.weight": "10000"}),
    )

    def __init__(self):
        self.folder = None
        self.usable = any(self.make(pathlib.Path(root), limits) for root, limits in self.KINDS)

    def make(self, root, limits):
        if not (root / "cgroup.procs").exists():
            return False
        self.folder = root / f"tailproof-plant-{os.getpid()}"
        try:
            self.folder.mkdir()
            for name, limit in limits.items():
                (self.folder / name).write_text(limit, encoding="ascii")
            return True
        except OSError:
            self.end()
            return False

    def limit(self, share):
        """To a share of a processor."""
        us = str(max(1000, round(100000 * share)))
        files = (("cpu.cfs_quota_us", us), ("cpu.max", f"{us} 100000"))
        name, limit = next(one for one in files if (self.folder / one[0]).exists())
        (self.folder / name).write_text(limit, encoding="ascii")

    def take(self, pid):
        (self.folder / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def end(self):
        if self.folder and self.folder.is_dir():
            for _ in range(50):
                try:
                    self.folder.rmdir()
                    return
                except OSError:
                    time.sleep(0.1)


def stop_often(pid, over):
    while not over.wait(0.4):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(0.05)
        os.kill(pid, signal.SIGCONT)


def used_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def limit_to_its_use(pid, group, over):
    """To what it uses, whatever this machine's speed, of which it needs less once its code is compiled: then it has enough on
    average, and too little in some tenths of a second."""
    over.wait(1.5)
    before = used_s(pid)
    over.wait(1)
    group.limit(used_s(pid) - before)


class Outside:
    """What a plant does to the process with this id, for as long as it is asked."""

    def __init__(self, kind, pid):
        self.over, self.thread, self.spinning, self.group = threading.Event(), None, None, None
        if kind == "busy":
            processor = min(os.sched_getaffinity(0))
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), {processor})
            self.spinning = Spinning(3, processor)
        elif kind == "four":
            self.spinning = Spinning(4)
        elif kind == "stopped":
            self.thread = threading.Thread(target=stop_often, args=(pid, self.over))
            self.thread.start()
        elif kind == "throttled":
            self.group = Group()
            if self.group.usable:
                self.group.take(pid)
                self.thread = threading.Thread(target=limit_to_its_use, args=(pid, self.group, self.over))
                self.thread.start()

    def usable(self):
        return self.group is None or self.group.usable

    def end(self):
        self.over.set()
        if self.thread:
            self.thread.join()
        if self.spinning:
            self.spinning.end()


# --- recordings ---


def record(plant, folder, seconds, on="1"):
    """The store; None: what happens outside cannot be made on this system. `on`: as in plants/kinds.js."""
    shutil.rmtree(folder, ignore_errors=True)
    port = free_port()
    asked = plant.beside() if plant.beside else None
    if asked and not asked.usable:
        asked.end()
        return None
    env = dict(os.environ, PLANT=plant.name, FRAMEWORK=plant.framework, PORT=str(port), ON=on,
               NODE_PATH=str(BUILD / "field" / "node_modules"), **(asked.env if asked else {}))
    program = [*(asked.before if asked else []), "node", str(HERE / "plants" / "app.js")]
    recorder = subprocess.Popen([PROGRAM, "record", "--node", "--out", str(folder), "--", *program], env=env, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
    outside = None
    try:
        wait_for(port, recorder)
        server = children_of(recorder.pid)[0]
        outside = Outside(plant.outside if on == "1" else None, server)
        if not outside.usable():
            return None
        routes = f"/page*{plant.pages},{plant.route}" if plant.route else "/page"
        subprocess.run([PROGRAM, "load", f"http://127.0.0.1:{port}/", "--routes", routes, "--rate", "100", "--seconds", str(seconds),
                        "--warmup", "1", "-c", "200", "--out", f"{folder}.csv"], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.kill(server, signal.SIGTERM)
    finally:
        if outside:
            outside.end()
        try:
            recorder.wait(20)
        except subprocess.TimeoutExpired:
            recorder.terminate()
            recorder.wait()
        if outside and outside.group:
            outside.group.end()
        if asked:
            asked.end()
    return folder


def named(store, above="p95", route="GET /page"):
    """The causes, and the functions that were seen in the first of them."""
    lines, _ = foretold.ask("tail", store, "--route", route, "--above", above, "--skip", "1s")
    causes = [line["name"] for line in lines if line["kind"] == "cause"]
    return causes, [line for line in lines if line["kind"] == "seen" and causes and line["cause"] == causes[0]]


def judge(plant, store):
    """Whether it is named first, and what is."""
    causes, seen = named(store, *(("p90", "GET /prices") if plant.name == "stampede" else ()))
    first = causes[0] if causes else "nothing"
    right = re.search(plant.cause, first) is not None
    if right and plant.function:
        right = bool(seen) and re.search(plant.function, seen[0]["stack"]) is not None
    function = "".join(f"; {one['stack']} in {one['looks']} of {one['of']} looks" for one in seen[:1])
    return right, first, first + function


LIMITS = {"50": 0.05, "99": 0.15}  # what a prediction may be off by


class Foretold:
    """How far what `whatif latency` foretells is from what really comes without the plant in other recordings."""

    def __init__(self):
        self.verdicts = {p: [] for p in LIMITS}
        self.inside = {p: [] for p in LIMITS}

    def in_pairs(self, plant, cause, folder, options):
        """Recordings with the plant and without it, in turn: with, without, without, with, and so on. Lines to print."""
        stores = {"1": [], "0": []}
        for number in range(options.effect):
            for on in ("1", "0") if number % 2 == 0 else ("0", "1"):
                stores[on].append(record(plant, folder / f"{plant.name}-{on}-{number}", options.seconds, on))
        return self.hold(plant, cause, stores["1"], stores["0"])

    def hold(self, plant, cause, stores, others):
        name = re.sub("^runs ", "held by ", cause)
        change = re.sub(r":\d+$", ":", name) + "*: *0" if plant.name == "consumer" else f"{name}: *0"
        found, waits = foretold.percentiles([change], "1s", stores, others)
        floor = foretold.floor_of("1s", others, "GET /page")
        return [self.hold_one(p, found[p], waits["verdict"] if waits else "none overlap", floor.get(p)) for p in LIMITS]

    def hold_one(self, p, line, waits, floor):
        was, would, came = line["recorded"]["ns"], foretold.estimate(line, waits), line["observed"]["ns"]
        verdict = foretold.judge_error(math.log(would / came), LIMITS[p], floor)
        self.verdicts[p].append(verdict)
        interval = foretold.interval_of(line)
        if interval:
            self.inside[p].append(interval[0] <= came <= interval[1])
        said = "no interval" if not interval else f"interval {interval[0] / 1e6:.2f} .. {interval[1] / 1e6:.2f} {'has it' if self.inside[p][-1] else 'MISSES it'}"
        chance = "" if floor is None else f", by chance {math.expm1(floor):.0%}"
        return (f"#   p{p}: {was / 1e6:.2f} ms, without it {would / 1e6:.2f} foretold, {came / 1e6:.2f} really ({100 * (would / came - 1):+.0f} %{chance}): "
                f"{verdict}; {said}; waits {waits}")

    def tell(self):
        for p, limit in LIMITS.items():
            within, chance, beyond = (self.verdicts[p].count(verdict) for verdict in ("within", "cannot tell", "beyond"))
            print(f"# p{p}: {within} of {len(self.verdicts[p])} within {limit:.0%} of what really comes, {chance} more within what is chance, {beyond} beyond both, "
                  f"{self.verdicts[p].count('not told')} not told; "
                  f"{sum(self.inside[p])} of {len(self.inside[p])} intervals have it")


def try_plant(plant, folder, options):
    """Right or left out (None), the cause, the recording, and what to say."""
    right, first, store, said = None, "", None, ""
    for number in range(options.tries):
        store = record(plant, folder / f"{plant.name}-{number}", options.seconds)
        if store is None:
            return None, "", None, "this system has not got what it needs"
        right, first, said = judge(plant, store)
        if right:
            break
    return right, first, store, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only")
    parser.add_argument("--nulls", type=int, default=0)
    parser.add_argument("--tries", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--most-wrong", type=int, default=2)
    parser.add_argument("--effect", type=int, default=0)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    if options.first:
        alone.come_first()
    folder = options.keep or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    wanted = options.only.split(",") if options.only is not None else [plant.name for plant in PLANTS]
    asked = wrong = 0
    pairs = Foretold()
    for plant in (plant for plant in PLANTS if plant.name in wanted):
        right, first, store, said = try_plant(plant, folder, options)
        print(f"# {'skip' if right is None else 'right' if right else 'WRONG'}: {plant.name} ({plant.framework}): {said}", flush=True)
        asked += right is not None
        wrong += right is False
        if right and options.effect and re.match(r"\^\(?held by", plant.cause):
            print("\n".join(pairs.in_pairs(plant, first, folder, options)), flush=True)
    if options.effect:
        pairs.tell()
    tests = 0
    if asked:
        tests += 1
        print(f"{'ok' if wrong <= options.most_wrong else 'not ok'} {tests} - {asked - wrong} of {asked} plants are named first, by route and function")
    blamed = 0
    for number in range(options.nulls):
        plant = Plant("none", ("http", "express", "fastify", "koa", "hapi")[number % 5], "", outside="four")
        above = ("p90", "p95", "p99")[number % 3]
        causes, _ = named(record(plant, folder / f"null-{number}", options.seconds), above=above)
        print(f"# {plant.framework}, {above}: {', '.join(causes) or 'nothing'}", flush=True)
        others = [cause for cause in causes if not cause.startswith("no processor")]
        blamed += bool(others)
    if options.nulls:
        tests += 1
        print(f"{'ok' if blamed <= options.nulls // 10 else 'not ok'} {tests} - in {blamed} of {options.nulls} services beside four busy programs something else is named")
    if not options.keep:
        shutil.rmtree(folder)
    print(f"1..{tests}")


if __name__ == "__main__":
    main()
