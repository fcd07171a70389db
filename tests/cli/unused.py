#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives each option to each kind of input of its command, and prints those without any effect: `INPUT --OPTION`.

An option that an input does not use is refused; so the answer with it differs from that without, or it is refused.
Values are such that an option that is heard shows: names that nothing has, folders that are not there, other levels.
usage: unused.py PROGRAM, in a folder to write into, with the source tree as $ROOT
"""
import os
import re
import subprocess
import sys

program, root = sys.argv[1], os.environ["ROOT"]

# Heard, and still the same answer here: effort and draws that change no verdict; limits that these files keep within;
# what picks among several where there is one; the unit of columns that all state theirs.
HARMLESS = {
    "*": "jobs timeout no-cache seed top",
    "tail log": "skip", "whatif log": "skip", "tail table": "unit",
    "verify": "all-goals", "draft": "share undecided", "fold": "keep skip-known",
    "percentiles data": "grid", "plan protocol": "grid rate fresh band minimum", "plan traces": "minimum",
    "simulate": "grid", "diff folded": "confidence", "replay traces": "slack",
}
VALUES = {
    "N": "7", "S": "3", "SHARE": "37%", "LEVEL": "0.61", "TIME": "7ms", "NAME": "nosuch", "FILE": "/nonexistent/x",
    "DIR": "/nonexistent", "LIST": "75", "NAME=VALUE": "x=y", "NAME=KIND": "x=y", "NAME=UNIT": "nosuch=ms", "UNIT": "ms",
    "ID": "zzz", "P": "77", "WHAT": "p77", "NAME=TIME": "nosuch=1ms", "NAME=TIME:WHY": "nosuch=1ms:why",
    "NAME=EXPR": "nosuch=1", "A,B": "nosuch,other", "NAME=N/s": "nosuch=7/s", "FACTOR": "1.7", "F": "1.7",
    "FILE=N": "nosuch=2", "SLO": "p77<1ns", "MESSAGE=SHARE": "nosuch=3%", "PROCESS": "poisson:3/s", "B": "3",
    "CHANGE": "nosuch: *2", "PLAN": "/nonexistent/p.yaml", "URL": "http://127.0.0.1:1", "SPAN": "7s",
}
WORDS = {
    "format": "json", "undecided": "free", "grid": "linear", "band": "dkw", "dependence": "unknown", "tail": "gpd",
    "at": "delivered", "weight": "ms", "assume": "independent", "plot": "/nonexistent/x.svg", "annotate": "/nonexistent/x.json", "first": "process",
    "by": "node",
}


def run(arguments):
    done = subprocess.run([program] + arguments, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def table(name, header, row):
    with open(name, "w", encoding="utf-8") as file:
        file.write(header + "\n" + "".join(row(i) + "\n" for i in range(1, 301)))


def inputs():
    """(name, command words, arguments); NEW in an argument is a file or folder that is not there."""
    with open("t.json", "w", encoding="utf-8") as file:
        subprocess.run(["python3", root + "/examples/traces/make.py", "200"], stdout=file, check=True)
    subprocess.run(["python3", root + "/examples/node/known_log.py", "log", "1500", "1", "spin=40"], check=True)
    table("table.csv", "A_us,B_us,Latency_us", lambda i: f"{i},{i * 7 % 90},{i + i * 7 % 90 + 5}")
    table("a.csv", "latency_us", lambda i: str(i * 7 % 90 + 5))
    table("b.csv", "latency_us", lambda i: str(i * 7 % 90 + 9))
    table("times.csv", "time_ms", lambda i: str(i * 3 + i * i % 7))
    for folder, source in (("da", "a.csv"), ("db", "b.csv")):
        os.mkdir(folder)
        for name in ("Grant", "Accept", "d", "Queuing"):
            os.symlink("../" + source, f"{folder}/{name}.csv")
    for name, last in (("f.folded", 40), ("g.folded", 44)):
        with open(name, "w", encoding="utf-8") as file:
            file.write(f"main;a;b 30\nmain;a 7\nmain;c {last}\n")
    run(["trace", "fold", "t.json", "--out", "s.fold"])
    run(["draft", "t.json", "--out", "drafts"])
    os.mkdir("talk")
    with open("talk/sockets", "w", encoding="utf-8") as file:
        file.write("process 10 1 7 0 met client\nprocess 20 1 7 0 asked server\nlistens 20 900 80 0\n")
    with open("talk/events", "w", encoding="utf-8") as file:
        file.write("".join(f"{i}0{k} {what} local=80 remote=99 begins={i}0 ends={i}9\n"
                           for i in (1, 2) for k, what in enumerate(("receive 20 20", "send 20 20"))))
    drafts = sorted(name for name in os.listdir("drafts") if name.endswith(".tp"))
    lock = [root + "/specs/lock.tp", "--bound", "full_circle", "--set", "n=2", "--set", "hops=0"]
    for kind, name in (("traces", "t.json"), ("summary", "s.fold"), ("log", "log")):
        yield "tail " + kind, ["tail"], [name, "--above", "p90"]
        yield "path " + kind, ["trace", "path"], [name]
        yield "whatif " + kind, ["trace", "whatif"], [name]
    yield "tail table", ["tail"], ["table.csv", "--above", "p90"]
    yield "plan traces", ["plan"], ["--traces", "t.json", "--budget", "100s"]
    yield "plan protocol", ["plan"], lock + ["--data", "da", "--budget", "100s", "-p", "90"]
    yield "percentiles data", ["percentiles"], lock + ["--data", "da"]
    yield "compare files", ["compare"], ["a.csv", "b.csv"]
    yield "compare folders", ["compare"], ["da", "db"]
    yield "compare protocol", ["compare"], ["da", "db", "--protocol"] + lock
    yield "show folded", ["profile", "show"], ["f.folded"]
    yield "diff folded", ["profile", "diff"], ["f.folded", "g.folded"]
    yield "arrivals table", ["arrivals"], ["times.csv"]
    yield "draft", ["draft"], ["t.json", "--out", "NEW"]
    yield "draft probes", ["draft", "--probes"], ["talk", "--out", "NEW"]
    yield "fold", ["trace", "fold"], ["t.json", "--out", "NEW"]
    yield "merge profiles", ["merge"], ["f.folded", "g.folded", "--out", "NEW.folded"]
    yield "import file", ["import"], ["a.csv", "--out", "NEW"]
    yield "simulate", ["simulate"], lock + ["--data", "da"]
    yield "replay traces", ["replay"], ["drafts/" + drafts[0], "--traces", "t.json"]
    yield "verify", ["verify"], [root + "/specs/lock.tp"]
    yield "bound", ["bound"], lock


def options(command):
    for name, value in re.findall(r"^  (?:-.,|   ) --([a-z-]+) ?(\S*)", run(command + ["--help"])[1], re.M):
        if name not in ("help", "json", "full", "save", "metrics", "report", "prometheus"):
            yield name, value


def main():
    tried = 0
    for number, (title, command, arguments) in enumerate(inputs()):
        def answer(extra, tag, number=number, command=command, arguments=arguments):
            new = f"new{number}{tag}"
            done = run(command + [word.replace("NEW", new) for word in arguments] + extra)
            return done[0], *(text.replace(new, "NEW") for text in done[1:])
        plain = answer([], "")
        if plain[0] not in (0, 1, 2, 3):
            print(f"{title}: exit {plain[0]}: {plain[2]}")
            continue
        for name, kind in options(command):
            if "--" + name in arguments or name in HARMLESS["*"].split() + HARMLESS.get(title, "").split():
                continue
            value = WORDS.get(name, VALUES.get(kind)) if kind else ""
            value = "nosuch=ms" if name == "unit" and kind != "UNIT" else value
            value = value if value is not None else "nosuch"
            tried += 1
            if answer(["--" + name] + ([value] if kind else []), name) == plain:
                print(f"{title} --{name} {value}")
    print(f"tried {tried}", file=sys.stderr)


main()
