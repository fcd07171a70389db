# SPDX-License-Identifier: GPL-3.0-or-later
"""What `tailproof whatif latency` foretells of recordings, held against others that were made with what it asks about, and
against the floor below which two such recordings differ by chance."""

import itertools
import json
import math
import os
import pathlib
import statistics
import subprocess

BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()


def ask(*arguments):
    """What a command says, as its lines of JSON, and its exit code."""
    done = subprocess.run([BUILD / "tailproof", *arguments, "--json"], capture_output=True, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()], done


QUIET = "GET /quiet/*/page"  # in turns: the pages of all turns without the plant
# The halves into which letters of the routes split them (plants/turns.js).
HALVES = [(f"GET /quiet/*{letter}x*/page", f"GET /quiet/*{letter}y*/page") for letter in "abc"]
READINGS = {"longer": "waits_as_others", "alike": "waits_as_recorded"}


def percentiles(changes, skip, stores, observed):
    """What `whatif latency` says of some recordings and others: its lines by percentile, and of the waits (or None)."""
    arguments = ["whatif", "latency", *stores, "--root", "GET /page", "-p", "50,99", "--skip", skip]
    for change in changes:
        arguments += ["--change", change]
    for store in observed:
        arguments += ["--observed", store]
    lines, done = ask(*arguments)
    found = {line["p"]: line for line in lines if line["kind"] == "predicted"}
    if not found:
        raise RuntimeError(f"whatif latency {changes}: {done.stderr.strip()}")
    if not observed:  # in turns: in the same recording, by the names of routes
        quiet, _ = ask(*[QUIET if argument == "GET /page" else argument for argument in arguments])
        for line in (line for line in quiet if line["kind"] == "predicted"):
            found[line["p"]]["observed"] = line["recorded"]
    return found, next((line for line in lines if line["kind"] == "waits"), None)


def estimate(line, verdict):
    """The middle of the readings that the waits of all recordings support, in ns; of all if nobody can tell. (Of logarithms.) NaN: it is not told."""
    if line.get("answer") == "cannot tell":
        return math.nan
    start = READINGS.get(verdict, "waits_") if "waits_as_others" in line else "replayed"
    readings = [line[key]["ns"] for key in line if key.startswith(start)]
    return math.sqrt(min(readings) * max(readings))


def interval_of(line):
    """What is printed as the interval of all readings, in ns; None: cannot tell."""
    readings = [line[key] for key in line if key.startswith(("replayed", "waits_", "without_"))]
    if not readings or any("lower_ns" not in reading for reading in readings):
        return None
    return min(reading["lower_ns"] for reading in readings), max(reading.get("upper_ns", math.inf) for reading in readings)


def interval_seen(line):
    """That of what really came, in ns; None: cannot tell."""
    return (line["lower_ns"], line.get("upper_ns", math.inf)) if "lower_ns" in line else None


def came_by(stores, route, skip):
    """By percentile, in ns: what requests of the route took."""
    lines, _ = ask("whatif", "latency", *stores, "--root", route, "-p", "50,99", "--skip", skip, "--change", "gc: *1")
    return {line["p"]: line["recorded"]["ns"] for line in lines if line["kind"] == "predicted"}


def halves_of(stores):
    """Each way to split the recordings in two halves, once."""
    half = len(stores) // 2
    for one in itertools.combinations(stores, half) if half else ():
        if len(stores) % 2 == 0 and stores[0] not in one:
            continue  # the same two halves again
        yield one, [store for store in stores if store not in one][:half]


def floor_of(skip, stores, quiet):
    """By percentile: the logarithm of the floor; none of a single recording, unless in turns. `quiet`: the route of what really
    came."""
    if quiet == QUIET:
        pairs = [((stores, one), (stores, other)) for one, other in HALVES]
    else:
        pairs = [((one, quiet), (other, quiet)) for one, other in halves_of(stores)]
    ratios = {}
    for pair in pairs:
        seen = [came_by(part, route, skip) for part, route in pair]
        for p in seen[0]:
            ratios.setdefault(p, []).append(math.log(seen[0][p] / seen[1][p]))
    return {p: math.sqrt(2 * statistics.mean(x * x for x in found)) for p, found in ratios.items()}


T_975 = (None, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)  # Student's t, by degrees of freedom


def spread(ratios):
    """Half the width of a 95 % interval of the mean of the logarithms; None: one ratio."""
    if len(ratios) < 2:
        return None
    t = T_975[len(ratios) - 1] if len(ratios) <= len(T_975) else 2.23
    return t * statistics.stdev(map(math.log, ratios)) / math.sqrt(len(ratios))


def judge_error(error, limit, floor):
    """Of a logarithm: whether it is within the limit; beyond it; or beyond it, but these recordings cannot show that. NaN: not told."""
    if math.isnan(error):
        return "not told"
    if abs(math.expm1(error)) <= limit:
        return "within"
    return "beyond" if floor is not None and abs(error) > floor else "cannot tell"
