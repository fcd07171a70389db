# SPDX-License-Identifier: GPL-3.0-or-later
"""The first half of docs/evaluation_throughput.md, from what scripts/evaluate_throughput_real.py has found."""
from evaluate_throughput_report import error, machine, write_half

LARGE = 10  # percent: an error that is not to be stated as predicted

INTRODUCTION = """# Predicted throughput held against services that were really made faster

Written by `make evaluate-throughput`. {machine}

## Software that others wrote

{applications} applications of nginx, HAProxy, gunicorn, Express, Node.js, Go's net/http, Redis and PostgreSQL (bench/throughput), whose
services sleep, compute, lock, ask others at once or in turn, and share these processors. `tailproof whatif throughput` with a budget of
10 s and 5 s more for each change is asked what they would serve if one took less of its time; then its work is really shortened,
and `wrk` measures what the application serves, once before and once after the prediction, through the same proxies without
pauses, {seconds} s each. *{level} % less* is of all that a request takes in the service, as it serves requests alone and to the full.

| | |
|---|---|
{totals}

*Inside*: the mean of the two measured throughputs is in the 95 % interval. *Off*: by more than that interval and by more than
both measured throughputs, which differ by {spread:.1f} % at the median.
"""


def mean(values):
    return sum(values) / len(values)


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2 if ordered else float("nan")


class Pair:
    """A service, a level, and what came of it."""

    def __init__(self, app, found):
        self.name, said = found["pair"], found.get("said")
        self.truths = found.get("truth", [])
        self.why = app.get("failed") or app.get("complaint") or "no answer"
        self.answer, self.low, self.high, self.value = "cannot tell", None, None, None
        if said is not None:
            self.answer = said.get("answer") or ("cannot tell" if said["refused"] else "predicted")
            self.why = why(said)
            self.low, self.high = said.get("low"), said.get("high")
            self.value = said.get("throughput") if self.answer == "predicted" else None

    @property
    def truth(self):
        return mean(self.truths)

    @property
    def inside(self):
        """None: there is no interval."""
        if not self.truths or self.answer == "cannot tell" or self.low is None:
            return None
        return self.low <= self.truth <= (self.high if self.high is not None else float("inf"))

    @property
    def off(self):
        """Outside of the interval, and so are both measured throughputs, on the same side."""
        return self.inside is False and (max(self.truths) < self.low or min(self.truths) > self.high)

    @property
    def error(self):
        """In percent of the truth; None: no number was stated."""
        if self.value is None or not self.truths:
            return None
        return error(self.value, self.truth) if self.truth > 0 else float("inf")


def why(said):
    reasons = said.get("doubts") or said.get("refused") or ""
    if isinstance(reasons, list):
        reasons = "; ".join(str(one.get("what", one)) if isinstance(one, dict) else str(one) for one in reasons)
    return reasons


def number(value, width, sign=""):
    return f"{value:{sign}{width}.1f}" if value is not None else f"{'-':>{width}}"


def row(pair):
    text = f"{pair.name:<14} {pair.answer:<12}{number(pair.value, 8)}"
    shown = pair.answer != "cannot tell" and pair.low is not None
    text += f"{pair.low:>10.1f} .. {number(pair.high, 0):<8}" if shown else " " * 22
    if not pair.truths:
        return f"{text} did not run: {pair.why}"
    text += f"{pair.truths[0]:10.1f}{pair.truths[1]:10.1f}{number(pair.error, 9, '+')}"
    text += {True: "  inside", False: "  off" if pair.off else "  outside", None: ""}[pair.inside]
    return text if shown or not pair.why else f"{text}  {pair.why}"


def first(app):
    """Whether the service that is said to be first is the one that really gains most, at its largest level; None: no such
    question, or no answer."""
    ranks = [one for part in app.get("experiments", []) for one in part["said"] if one["kind"] == "rank" and one["place"] == 1]
    gains = {}
    for found in app["pairs"]:
        if "truth" in found and "=" not in found["pair"]:
            name = found["pair"].split()[0]
            gains[name] = max(gains.get(name, 0), mean(found["truth"]))
    if len(gains) < 2 or len(ranks) != 1 or not ranks[0]["gains"]:
        return None
    return gains[ranks[0]["service"]] >= 0.97 * max(gains.values())


def application(app):
    head = f"**{app['name']}** ({app.get('kind', '')}; {app.get('users')} users"
    if "truths" in app:
        head += f"; as it is {app['truths']['as it is'][0]:.1f} and {app['truths']['as it is'][1]:.1f} requests/s"
    lines = [f"{head})", "", "```",
             f"{'less time':<14} {'':<12}{'value':>8}{'interval':>15}{'before':>17}{'after':>10}{'error %':>9}"]
    lines += [row(Pair(app, found)) for found in app["pairs"]]
    return [*lines, "```", ""]


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "none"


def totals(results, pairs):
    stated = [one for one in pairs if one.answer == "predicted"]
    intervals = [one for one in pairs if one.inside is not None]
    large = [one for one in stated if one.error is not None and abs(one.error) > LARGE]
    said = [first(app) for app in results]
    rows = [("pairs of a service and a level", len(pairs)),
            ("answered with a number", share(len(stated), len(pairs))),
            ("answered with two ends, *between*", share(sum(one.answer == "between" for one in pairs), len(pairs))),
            ("*cannot tell*", share(sum(one.answer == "cannot tell" for one in pairs), len(pairs))),
            ("numbers whose interval holds the truth", share(sum(bool(one.inside) for one in stated), len(stated))),
            ("both ends hold the truth, of all that have two", share(sum(one.inside for one in intervals), len(intervals))),
            ("off, of all that have two", share(sum(one.off for one in intervals), len(intervals))),
            (f"numbers off by more than {LARGE} %", len(large)),
            ("median error of a number", f"{median([abs(one.error) for one in stated if one.error is not None]):.1f} %"),
            ("the service said to be first gains most", share(sum(one is True for one in said), sum(one is not None for one in said)))]
    return "\n".join(f"| {name} | {value} |" for name, value in rows)


def document(results, seconds):
    pairs = [Pair(app, found) for app in results for found in app["pairs"]]
    spreads = [abs(error(one.truths[1], one.truths[0])) for one in pairs if len(one.truths) == 2 and one.truths[0] > 0]
    lines = [INTRODUCTION.format(machine=machine(), applications=len(results), seconds=seconds, level="L", spread=median(spreads),
                                 totals=totals(results, pairs))]
    for app in results:
        lines += application(app)
    minutes = sum(app.get("took_s", 0) for app in results) / 60
    lines += [f"These took {minutes:.0f} minutes.", ""]
    return "\n".join(lines)


def write(path, results, seconds):
    write_half(path, 0, document(results, seconds))
