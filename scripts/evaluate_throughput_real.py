#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds `tailproof whatif throughput` against services of real software (bench/throughput) that are really made faster.

    scripts/evaluate_throughput_real.py [--only NAME]... [--keep DIR] [--out FILE]

For each application: every service alone, at all of its work and at half of it, says which share of the work makes it faster
by so many percent of all that a request takes in it. Then the throughput as it is and with each service faster, by wrk through
the same proxies without pausers; the prediction; and these throughputs again. With --keep an application whose result is
there is not run again. Exits with 0 when all ran, 70 when one did not (the document names it)."""
import argparse
import http.client
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench/throughput"))
import apps  # noqa: E402
import evaluate_throughput_real_report as report  # noqa: E402
import evaluate_throughput_shared as shared  # noqa: E402
from evaluate_throughput_shared import Failed, TAILPROOF  # noqa: E402

BASE = 31000
REPEATS = 2
DISTURBANCES = []  # of the measurements of an application


class Places:
    """Where the services of an application are: each at a port, and called through a proxy at another."""

    def __init__(self, folder, app, shares=None, alone=False):
        self.folder, self.shares, self.alone = folder, shares or {}, alone
        self.order = [*app.services, *app.outside]

    def index(self, name):
        return next(i for i, one in enumerate(self.order) if one.name == name)

    def port(self, name):
        return BASE + 100 + self.index(name)

    def called(self, name):
        """HOST:PORT at which others reach it."""
        direct = self.order[self.index(name)].through is None
        return f"127.0.0.1:{self.port(name) if direct else BASE + self.index(name)}"

    def urls(self, names):
        """Of services; a number is a port at which nobody listens."""
        if self.alone:
            return ""
        return ",".join(f"http://127.0.0.1:{one}/" if isinstance(one, int) else f"http://{self.called(one)}/" for one in names)

    def share(self, name):
        return self.shares.get(name, 1.0)

    def command(self, service):
        return service.command(self, self.share(service.name))


def await_port(port, process, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise Failed(f"{process.args[-1]}: exit {process.returncode}")
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise Failed(f"{process.args[-1]}: nobody listens at port {port}")


class Running:
    """Services as processes, each behind a proxy that counts and pauses nothing."""

    def __init__(self, at, services, bare=()):
        self.at, self.services, self.bare, self.processes = at, services, bare, []

    def start(self, service, proxied):
        if service.settle:
            service.settle(self.at.folder, self.at)
        command = ["/bin/sh", "-c", f"exec {self.at.command(service)}"]
        if proxied:
            command = [TAILPROOF, "poker", "--name", service.name, "--listen", "127.0.0.1:0", *proxied, "--", *command]
        # its log is a file: a pipe that nobody reads would fill
        with open(self.at.folder / f"{service.name}.out", "ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        await_port(self.at.port(service.name), process)
        if proxied:
            await_port(int(self.at.called(service.name).split(":")[1]), process)

    def __enter__(self):
        try:
            for service in self.bare:
                self.start(service, [])
            for service in self.services:
                self.start(service, through(self.at, service, "--{} {}") or ["--count-pipe"])
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        shared.end(self.processes, 10, lambda process: os.killpg(process.pid, signal.SIGKILL))
        self.processes = []


def through(at, service, form):
    """The option, or the key, by which calls of a service are counted."""
    if service.through is None:
        return []
    return form.format(service.through, f"{at.called(service.name)}=127.0.0.1:{at.port(service.name)}").split(" ")


def warm(port, seconds):
    """One request after the other: code is compiled and connections are made. Nothing that is given up is left to be worked off."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/")
        connection.getresponse().read()
        connection.close()


def wrk(port, users, seconds):
    """Answers a second that are no errors, of a closed loop."""
    warm(port, 0.5)
    said = subprocess.run(["wrk", "-t1", f"-c{users}", f"-d{seconds}s", f"http://127.0.0.1:{port}/"],
                          capture_output=True, text=True, check=True, timeout=300).stdout
    every = float(re.search(r"Requests/sec: +([0-9.]+)", said)[1])
    total = int(re.search(r"(\d+) requests in ", said)[1])
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    return every * (1 - int(bad[1]) / total) if bad else every


def alone(folder, app, service, share, known):
    """What it can serve when nobody else works, in requests/s; from `known` where it is the same in another application."""
    at = Places(folder, app, {service.name: share}, alone=True)
    key = re.sub(r"\b31\d\d\d\b", "", at.command(service).replace(str(folder), "")) + (service.alone(at, share) if service.alone else "")
    if key not in known:
        known[key] = serve_alone(folder, app, service, share, at)
    return known[key]


def serve_alone(folder, app, service, share, at):
    with Running(at, [], [service]):
        if service.alone:
            said = subprocess.run(service.alone(at, share), shell=True, capture_output=True, text=True, check=False, timeout=300)
            try:
                return float(said.stdout.strip())
            except ValueError:
                raise Failed(f"{service.name} alone: {said.stdout}{said.stderr}") from None
        return wrk(at.port(service.name), 32, 1)


def share_for(capacities, level):
    """The share of its work with which a request takes `level` % less of all of its time. A request takes a + b * share."""
    whole, half = 1 / capacities[0], 1 / capacities[1]
    b = 2 * (whole - half)
    share = 1 - level / 100 * whole / b
    if share < 0.01:
        raise Failed(f"{level} % less cannot be done: the work is only {100 * b / whole:.0f} % of the time")
    return share


def processors():
    """Seconds of processors that this machine has used, and that processes of this one that have ended have."""
    with open("/proc/stat", encoding="ascii") as file:
        spent = [int(value) for value in file.readline().split()[1:]]
    idle = spent[3] + spent[4]
    own = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return (sum(spent[:8]) - idle) / os.sysconf("SC_CLK_TCK"), sum(one.ru_utime + one.ru_stime for one in own)


def truth(folder, app, shares, seconds):
    """Where others took part of the processors it is measured again, and the least disturbed one counts."""
    found = []
    for _ in range(REPEATS):
        at, begun, (all_before, own_before) = Places(folder, app, shares), time.monotonic(), processors()
        with Running(at, app.services, app.outside):
            served = wrk(int(at.called(app.entry).split(":")[1]), app.users, seconds)
        all_after, own_after = processors()
        others = (all_after - all_before - own_after + own_before) / (time.monotonic() - begun)
        found.append((others, served))
        if others < report.DISTURBED:
            break
    DISTURBANCES.append(min(found)[0])
    return min(found)[1]


def write_plan(folder, app, question):
    at = Places(folder, app)
    targets, levels = question
    lines = [f"entry: {app.entry}", f"load: wrk -t1 -c{{users}} -d100000s http://{at.called(app.entry)}/",
             f"users: {app.users}", "services:"]
    for service in app.services:
        counted = through(at, service, '{}: "{}"')
        keys = [f"name: {service.name}", f"command: {json.dumps(at.command(service))}",
                *([" ".join(counted)] if counted else []), *([service.keys] if service.keys else [])]
        lines.append("  - {" + ", ".join(keys) + "}")
    if targets:
        lines += [f"targets: [{', '.join(targets)}]", f"levels: {json.dumps(levels)}"]
    path = folder / "plan.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def whatif(folder, app, question, budget):
    """The objects that the command prints, and its last words where it had no answer."""
    at = Places(folder, app)
    more = [] if question[0] else ["--together", question[1]]
    plan = write_plan(folder, app, question)
    with Running(at, [], app.outside):
        found, complaint, code = shared.whatif(plan, "--budget", f"{budget:.0f}s", *more, seconds=600)
    return found, f"exit {code}" if complaint == "no message" else complaint


def names(found):
    """Predictions by the text of the change, as the pairs of an application have it: the command says "a 40 %, b 40 %" for
    "a=40%,b=40%"."""
    said = {one["change"]: one for one in found if one["kind"] == "prediction"}
    return said | {re.sub(r" ([0-9.]+) %", r"=\1%", text).replace(", ", ","): one for text, one in said.items() if "," in text}


def file_of(scratch, app, what):
    return scratch / f"{app.name.replace(' ', '_').replace(',', '')}.{what}"


def order(changes):
    """As it is in the middle: what else goes on in the machine drifts."""
    texts = list(changes)
    return [*texts[:len(texts) // 2], "as it is", *texts[len(texts) // 2:]]


def begin(app, folder, seconds, kept, known):
    """What each target can serve alone, the shares of work that stand for the levels, and the first of both throughputs that
    are measured; from `kept`, if it is there."""
    if kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    by_name = {one.name: one for one in [*app.services, *app.outside]}
    pairs = list(app.pairs())
    targets = {name for _, change in pairs for name in change}
    capacities = {name: [alone(folder, app, by_name[name], share, known) for share in (1, 0.5)] for name in sorted(targets)}
    changes = {text: {name: share_for(capacities[name], float(level)) for name, level in change.items()}
               for text, change in pairs}
    truths = {text: [truth(folder, app, changes.get(text, {}), seconds)] for text in order(changes)}
    state = {"capacities": capacities, "shares": changes, "truths": truths}
    kept.write_text(json.dumps(state), encoding="utf-8")
    return state


def ask(app, folder):
    """What the command says to each question, and why it has no answer, if so."""
    experiments = []
    for question in app.questions:
        size = len(question[0]) * len(question[1]) if question[0] else 1
        found, complaint = whatif(folder, app, question, 20 + 5 * size)
        experiments.append({"question": question, "said": found, "complaint": complaint})
    return experiments


def judge(app, folder, seconds, kept, known):
    folder.mkdir(parents=True, exist_ok=True)
    os.chmod(folder, 0o755)  # PostgreSQL runs as another user
    del DISTURBANCES[:]
    state = begin(app, folder, seconds, kept, known)
    experiments = ask(app, folder)
    for text in reversed(state["truths"]):  # so that each is measured at the same time on average, and a drift is in none
        state["truths"][text].append(truth(folder, app, state["shares"].get(text, {}), seconds))
    predictions = {}
    for one in experiments:
        predictions.update(names(one["said"]))
    complaint = next((one["complaint"] for one in experiments if one["complaint"]), None)
    return {"name": app.name, "kind": app.kind, "users": app.users, **state, "others": sum(DISTURBANCES) / len(DISTURBANCES), "experiments": experiments, "complaint": complaint,
            "pairs": [{"pair": text, "truth": state["truths"][text], "said": predictions.get(text)} for text, _ in app.pairs()]}


def run(app, folder, seconds, kept, known):
    print(f"evaluate: {app.name}", file=sys.stderr, flush=True)
    try:
        return judge(app, folder, seconds, kept, known)
    except (Failed, OSError, KeyError, ValueError, subprocess.SubprocessError) as error:
        print(f"evaluate: {app.name}: {type(error).__name__}: {error}", file=sys.stderr)
        return {"name": app.name, "failed": f"{type(error).__name__}: {error}", "pairs": [{"pair": text} for text, _ in app.pairs()]}


def results_of(arguments, scratch):
    results, known = [], {}
    for number, app in enumerate(apps.APPS):
        kept = file_of(scratch, app, "json")
        if kept.exists():
            results.append(json.loads(kept.read_text(encoding="utf-8")))
        elif not arguments.only or app.name in arguments.only:
            begun = time.monotonic()
            result = run(app, scratch / str(number), arguments.seconds, file_of(scratch, app, "begun"), known)
            result["took_s"] = time.monotonic() - begun
            results.append(result)
            if "failed" not in result:
                kept.write_text(json.dumps(result), encoding="utf-8")
        else:
            results.append({"name": app.name, "kind": app.kind, "users": app.users, "complaint": "left out by --only",
                            "pairs": [{"pair": text} for text, _ in app.pairs()]})
    return results


def main():
    arguments = shared.arguments_of(argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0]), 4, "of a true throughput")

    def work(scratch):
        results = results_of(arguments, scratch)
        report.write(arguments.out, results, arguments.seconds)
        return not any("failed" in one for one in results)

    return shared.run(arguments.keep, work, arguments.out)


if __name__ == "__main__":
    sys.exit(main())
