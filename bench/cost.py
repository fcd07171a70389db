#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What honest ends cost: how many percentiles of recorded series are decided, and how wide their limits are.

usage: bench/cost.py [--record RUNS SECONDS]

Reads what others recorded from ../shared/data, each series in the order of time, and prints two tables for docs/coverage.md:
each series asked alone, at p50, p90 and p99; then the next step that the program names, tried where there is more to give:
the whole after its first quarter, or further runs. --record takes series of its own as well: redis-server, nginx and pgbench,
RUNS runs of SECONDS each, of those that are installed (2 minutes with 10 and 3).
"""
import collections
import csv
import gzip
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
PROGRAM = str((ROOT / os.environ.get("BUILD", "build") / "tailproof").resolve())
PERCENTILES = ("50", "90", "99")
ONE_RUN, OPEN = "of this run", "cannot tell"
Answer = collections.namedtuple("Answer", "rows worth states widths step")


# --- asking -----------------------------------------------------------------------------------


def program(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def objects(*arguments):
    return [json.loads(line) for line in program(*arguments, "--json").splitlines()]


def remedy(text):
    """What stands below the last verdict that is not `met`."""
    found, taking = "", False
    for line in text.splitlines():
        if taking and (not line.strip() or ">" in line):
            taking = False
        if taking and not line.startswith("      "):
            found += " " + line.strip()
        if line.startswith("  p") and ("NOT DECIDABLE" in line or "in this run" in line):
            found, taking = "", True
    return found.strip()


def objective(row):
    """One that the upper end meets by half, so that it is open only where the end is."""
    upper = row["upper_ns"]
    limit = 10 * int(row["lower_ns"]) + 10**6 if upper == "infinite" else math.ceil(1.5 * int(upper))
    return f"p{row['p']}<{limit}ns"


def ask(path, further=()):
    runs = [word for run in further for word in ("--run", run)]
    base = ["percentiles", "--data", path, *runs, "-p", ",".join(PERCENTILES)]
    rows = [o for o in objects(*base) if o["kind"] == "measured_percentile"]
    slos = [word for row in rows for word in ("--slo", objective(row))]
    answer = objects(*base, *slos)
    evidence = next(o for o in answer if o["kind"] == "evidence")
    states, widths = [], []
    for row, result in zip(rows, (o for o in answer if o["kind"] == "measured_slo")):
        states.append({"met": "decided", "met in this run": ONE_RUN}.get(result["state"], OPEN))
        finite = row["upper_ns"] != "infinite" and row["lower_ns"] != "0"
        widths.append(int(row["upper_ns"]) / int(row["lower_ns"]) if finite else math.inf)
    return Answer(evidence["observations"], evidence.get("worth"), states, widths, remedy(program(*base, *slos)))


# --- series of others -------------------------------------------------------------------------


def write(folder, name, unit, values):
    path = folder / f"{name}.csv"
    path.write_text(f"latency_{unit}\n" + "\n".join(values) + "\n", encoding="ascii")
    return path


def rows_of(path):
    with gzip.open(SHARED / path, "rt") as file:
        yield from csv.DictReader(file)


def rings(folder):
    """The rounds of one host, which are one after the other; those of its fellows are the same rounds again."""
    rounds = collections.defaultdict(list)
    for row in rows_of("performal/lock_final_test_1.csv.gz"):
        if row["kind"] == "round" and row["node"] == "20":
            rounds[int(row["ring_size"]), int(row["workload_us"])].append((int(row["seq"]), row["ns"]))
    return [write(folder, f"ring of {n}, {work} us", "ns", [ns for _, ns in sorted(found)]) for (n, work), found in sorted(rounds.items())]


def replicated(folder):
    trials = collections.defaultdict(list)
    for row in rows_of("performal/rsl_run1_client_f1.csv.gz"):
        trials[int(row["trial"])].append((int(row["seq"]), row["ms"]))
    return [write(folder, f"IronRSL, trial {t}", "ms", [ms for _, ms in sorted(found)]) for t, found in sorted(trials.items())]


def commits(folder):
    paths = sorted((SHARED / "postgres").glob("*.csv.gz"))
    return [write(folder, "PostgreSQL, " + p.name[:-7], "ns", [row["latency_ns"] for row in rows_of(p)]) for p in paths]


def load_tests(folder):
    paths = sorted((SHARED / "delag").glob("*/*.csv.gz"))
    return [write(folder, f"{p.parent.name} {p.name[:-7]}", "ms", [row["Latency"] for row in rows_of(p)]) for p in paths]


# --- series of our own ------------------------------------------------------------------------


def wait_for(command):
    for _ in range(100):
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return
        time.sleep(0.1)
    raise SystemExit(f"cost.py: no answer to {command}")


def load(folder, name, runs, seconds, *what):
    paths = [folder / f"{name}, run {r}.csv" for r in range(1, runs + 1)]
    for r, path in enumerate(paths):
        program("load", *what, "--rate", 500, "--seconds", seconds, "--warmup", seconds / 4, "--seed", r + 1, "--out", path)
    return paths


def record_redis(folder, runs, seconds):
    port = 20000 + os.getpid() % 10000
    server = subprocess.Popen(["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", ""], stdout=subprocess.DEVNULL, cwd=folder)
    try:
        wait_for(["redis-cli", "-p", str(port), "SETBIT", "bits", "7999999", "1"])
        address = f"redis://127.0.0.1:{port}/"
        return [load(folder, "redis SET", runs, seconds, address, "--send", "SET key:# x"),
                load(folder, "redis BITCOUNT", runs, seconds, address, "--send", "BITCOUNT bits")]
    finally:
        server.terminate()
        server.wait()


def record_nginx(folder, runs, seconds):
    port = 30000 + os.getpid() % 10000
    (folder / "page").write_text("x" * 4096, encoding="ascii")
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log /dev/null; events {{}}\n"
        f"http {{ access_log off; server {{ listen 127.0.0.1:{port}; root {folder}; }} }}\n", encoding="ascii")
    folder.chmod(0o755)
    server = subprocess.Popen(["nginx", "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1)
        return [load(folder, "nginx 4 kB", runs, seconds, f"http://127.0.0.1:{port}/page")]
    finally:
        server.terminate()
        server.wait()


def record_pgbench(folder, runs, seconds):
    """As the user postgres: the server does not start as root."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="cost-pg"))
    shutil.chown(home, "postgres")
    tools = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]

    def run(*command):
        subprocess.run(["runuser", "-u", "postgres", "--", *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home, check=True)

    run(tools / "initdb", "-D", home / "db", "-A", "trust")
    port = str(20000 + os.getpid() % 10000)
    run(tools / "pg_ctl", "-D", home / "db", "-o", f"-p {port} -k {home}", "-w", "start", "-l", home / "log")
    try:
        where = ["-h", home, "-p", port, "postgres"]
        run("pgbench", "-i", "-q", *where)
        found = []
        for name, options in (("pgbench, select", ["-S"]), ("pgbench, tpcb", [])):
            found.append([])
            for r in range(1, runs + 1):
                run("pgbench", *options, "-n", "-c", "1", "-T", str(seconds), "-R", "300", "-l", "--log-prefix", home / f"r{r}", *where)
                path = folder / f"{name}, run {r}.log"
                shutil.move(next(home.glob(f"r{r}.*")), path)
                found[-1].append(path)
        return found
    finally:
        run(tools / "pg_ctl", "-D", home / "db", "-m", "immediate", "stop")
        shutil.rmtree(home)


def recorded(folder, runs, seconds):
    groups = []
    for tool, record in (("redis-server", record_redis), ("nginx", record_nginx), ("pgbench", record_pgbench)):
        if shutil.which(tool):
            groups += record(folder, runs, seconds)
    return groups


# --- tables -----------------------------------------------------------------------------------


def width(answer, i):
    return "-" if math.isinf(answer.widths[i]) else f"{answer.widths[i]:.2f}"


def cells(answer, between=" | "):
    short = {"decided": "", ONE_RUN: " run", OPEN: " ?"}
    return between.join(width(answer, i) + short[answer.states[i]] for i in range(len(PERCENTILES)))


def show_step(path, before, step, after):
    enough = "no" if is_open(after) else "yes"
    print(f"| {path.stem} | {cells(before, ', ')} | {step} | {cells(after, ', ')} | {enough} |", flush=True)


def summary(name, answers):
    print(f"\n{name}: {len(answers)} series")
    for i, p in enumerate(PERCENTILES):
        count = collections.Counter(a.states[i] for a in answers)
        finite = [a.widths[i] for a in answers if a.states[i] != OPEN and not math.isinf(a.widths[i])]
        typical = f", width {statistics.median(finite):.2f} in the middle, {max(finite):.2f} at most" if finite else ""
        print(f"  p{p}: decided {count['decided']}, of this run {count[ONE_RUN]}, cannot tell {count[OPEN]}{typical}")


def show(name, paths):
    answers = []
    for path in paths:
        answer = ask(path)
        answers.append(answer)
        print(f"| {path.stem} | {answer.rows} | {answer.worth or '-'} | {cells(answer)} | {answer.step} |", flush=True)
    return name, answers


def quarter_of(path, folder):
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    head = [] if path.suffix == ".log" else lines[:1]
    rows = lines[len(head):]
    part = folder / f"a quarter of {path.name}"
    part.write_text("".join(head + rows[: len(rows) // 4]), encoding="utf-8")
    return part


def is_open(answer):
    return any(state != "decided" for state in answer.states)


def try_longer(paths, folder):
    for path in paths:
        before = ask(quarter_of(path, folder))
        if is_open(before):
            show_step(path, before, "four times as long", ask(path))


def try_runs(groups):
    for group in groups:
        for count in (2, 3, 5, 10, 15):
            if count <= len(group):
                show_step(group[0], ask(group[0]), f"{count} runs", ask(group[0], group[1:count]))


def main():
    if sys.argv[1:] and (sys.argv[1] != "--record" or len(sys.argv) != 4):
        raise SystemExit(__doc__)
    if not SHARED.is_dir():
        raise SystemExit(f"# SKIP what honest ends cost: {SHARED} is not here")
    with tempfile.TemporaryDirectory(prefix="cost") as name:
        folder = pathlib.Path(name)
        own = recorded(folder, int(sys.argv[2]), int(sys.argv[3])) if sys.argv[1:] else []
        trials = replicated(folder)
        kinds = [("rings", rings(folder)), ("IronRSL", trials[:3]), ("PostgreSQL", commits(folder)), ("load tests", load_tests(folder)),
                 ("our own", [group[0] for group in own])]
        print("| series | rows | worth | p50 | p90 | p99 | next step |\n|---|---|---|---|---|---|---|")
        found = [show(kind, paths) for kind, paths in kinds if paths]
        for kind, answers in found:
            summary(kind, answers)
        print("\n| series | before | step | after | enough |\n|---|---|---|---|---|")
        try_longer([path for _, paths in kinds[:3] for path in paths], folder)
        try_runs([trials, *own])


main()
