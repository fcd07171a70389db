# SPDX-License-Identifier: GPL-3.0-or-later
"""The first half of docs/evaluation_throughput.md, from what scripts/evaluate_throughput_real.py has found."""
import math
import textwrap

from evaluate_throughput_report import error, machine, write_half
from evaluate_throughput_shared import mean

DISTURBED = 0.4  # processors that others took
LARGE = 10  # percent: an error that is not to be stated as predicted

INTRODUCTION = """# Predicted throughput held against services that were really made faster

Written by `make evaluate-throughput`. {machine}

## Software that others wrote

{applications} applications of nginx, HAProxy, gunicorn, Express, Node.js, Go's net/http, Redis and PostgreSQL (bench/throughput),
whose services sleep, compute, lock, ask others at once or in turn, and share these processors. `tailproof whatif
throughput` with a budget of 20 s and 5 s more for each change is asked what they would serve if one took less of its time.
Before and after that its work is really shortened, and `wrk` measures what the application serves, {seconds} s each, through the
same proxies without pauses; again, where other processes took over 0.4 processors. *Less time* is of all that a request
takes in the service, as it serves requests alone and to the full.

{totals}

*Inside*: the mean of both measurements is in the interval of 95 %. Two measurements of the same differ by {spread:.1f} % at the
median, and one in ten by {worst:.1f} % or more, as the machine does more at one time than at another; gains less, as each is held
against what was measured at the same time. `wrk` counts 1 to 3 % less than the command, as it begins with no request
under way. *Off*: both measurements are outside, on the same side.
"""


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2 if ordered else float("nan")


def within(value, low, high):
    return (-math.inf if low is None else low) <= value <= (math.inf if high is None else high)


class Pair:
    """A service, a level, and what came of it. Gains are in percent."""

    def __init__(self, app, found):
        self.name, said = found["pair"], found.get("said")
        self.truths = found.get("truth", [])
        self.gains = [error(truth, now) for truth, now in zip(self.truths, app.get("truths", {}).get("as it is", [])) if now > 0]
        self.why = app.get("failed") or app.get("complaint") or "no answer"
        self.answer, self.ends, self.gain_ends, self.value, self.gain = "cannot tell", None, None, None, None
        if said is None:
            self.answer = "cannot tell" if self.truths else "not run"
            return
        self.answer, self.why = answer(said), why(said)
        if self.answer != "cannot tell" and said.get("low") is not None:
            self.ends = said["low"], said.get("high")
            self.gain_ends = percent(said.get("gain_low", -math.inf)), percent(said.get("gain_high"))
        if self.answer == "predicted":
            self.value, self.gain = said["throughput"], percent(said.get("gain"))

    @property
    def inside(self):
        """None: there is no interval."""
        return within(mean(self.truths), *self.ends) if self.ends and self.truths else None

    @property
    def gain_inside(self):
        return within(mean(self.gains), *self.gain_ends) if self.ends and self.gains else None

    @property
    def off(self):
        return bool(self.ends and self.truths) and (max(self.truths) < self.ends[0] or min(self.truths) > (self.ends[1] or math.inf))

    @property
    def error(self):
        """In percent of the truth; None: no number was stated."""
        if self.value is None or not self.truths:
            return None
        return error(self.value, mean(self.truths)) if mean(self.truths) > 0 else math.inf

    @property
    def gain_error(self):
        """The same, of what the application serves as it is times the gain."""
        if self.gain is None or not self.gains:
            return None
        return error(100 + self.gain, 100 + mean(self.gains))


def percent(share):
    return None if share is None else 100 * share


def answer(said):
    return said.get("answer") or ("cannot tell" if said["refused"] else "predicted")


def why(said):
    reasons = said.get("doubts") or said.get("refused") or ""
    if isinstance(reasons, list):
        reasons = "; ".join(str(one.get("what", one)) if isinstance(one, dict) else str(one) for one in reasons)
    return reasons


def number(value, width, sign=""):
    return f"{value:{sign}{width}.1f}" if value is not None else f"{'-':>{width}}"


def ends(values, digits):
    return "" if values is None else f"{number(values[0], 0, digits)} .. {number(values[1], 0, digits)}"


def row(pair):
    text = f"{pair.name:<14} {pair.answer:<12}{number(pair.value, 8)} {ends(pair.ends, ''):>17}"
    if not pair.truths:
        return f"{text}   {pair.why}"
    text += f"{pair.truths[0]:8.1f}{pair.truths[1]:8.1f}{number(pair.error, 8, '+')}"
    if pair.ends is None:
        return f"{text}   {pair.why}"[:160]
    text += f" | {number(pair.gain, 7, '+')} {ends(pair.gain_ends, '+'):>17}{mean(pair.gains):+8.1f}"
    return text + ("" if pair.inside and pair.gain_inside else "  off" if pair.off else "  outside" if not pair.inside else "  gain outside")


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
    if app.get("others") is not None:
        head += f"; others took {max(0, app['others']):.1f} processors"
    lines = [f"{head})", "", "```",
             f"{'less time':<14} {'':<12}{'requests/s':>10}{'interval':>14}{'measured':>15}{'error %':>11}"
             f" | {'gain %':>7}{'interval':>16}{'measured':>10}"]
    lines += [row(Pair(app, found)) for found in app["pairs"]]
    return [*lines, "```", ""]


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "none"


def size(errors):
    found = [abs(one) for one in errors if one is not None]
    return f"{median(found):.1f} %" if found else "none"


def totals(results):
    """(name, value) of these applications."""
    pairs = pairs_of(results)
    stated = [one for one in pairs if one.answer == "predicted"]
    both = [one for one in pairs if one.ends and one.truths]
    said = [first(app) for app in results]

    def large(errors):
        return sum(one is not None and abs(one) > LARGE for one in errors)
    return [("applications", len(results)),
            ("pairs of a service and a level", len(pairs)),
            ("answered with a number", share(len(stated), len(pairs))),
            ("answered with two ends, *between*", share(sum(one.answer == "between" for one in pairs), len(pairs))),
            ("*cannot tell*", share(sum(one.answer == "cannot tell" for one in pairs), len(pairs))),
            ("intervals that hold the measured gain", share(sum(one.gain_inside for one in both), len(both))),
            ("intervals that hold the measured throughput", share(sum(one.inside for one in both), len(both))),
            ("off, of these", share(sum(one.off for one in both), len(both))),
            (f"numbers more than {LARGE} % from the measured throughput; by the gain",
             f"{large(one.error for one in stated)}; {large(one.gain_error for one in stated)}"),
            ("median error of a number; by the gain", f"{size(one.error for one in stated)}; {size(one.gain_error for one in stated)}"),
            ("the service said to be first gains most", share(sum(one is True for one in said), sum(one is not None for one in said)))]


def table(results):
    """Of what was measured; where others were at work besides, in two columns."""
    ran = [app for app in results if "truths" in app]
    alone = [app for app in ran if app.get("others", 0) < DISTURBED]
    columns = [totals(part) for part in ([alone, ran] if alone != ran else [ran])]
    lines = ["| | no others at work | all |", "|---|---|---|"] if len(columns) == 2 else ["| | |", "|---|---|"]
    return "\n".join(lines + [f"| {' | '.join([row[0][0], *(str(value) for _, value in row)])} |" for row in zip(*columns)])


def pairs_of(results):
    return [Pair(app, found) for app in results for found in app["pairs"]]


def document(results, seconds):
    pairs = pairs_of(results)
    spreads = [abs(error(one.truths[1], one.truths[0])) for one in pairs if len(one.truths) == 2 and one.truths[0] > 0]
    lines = [INTRODUCTION.format(machine=machine(), applications=sum("truths" in app for app in results), seconds=seconds, spread=median(spreads),
                                 worst=sorted(spreads)[len(spreads) * 9 // 10] if spreads else float("nan"),
                                 totals=table(results))]
    for app in results:
        lines += application(app) if "truths" in app else []
    left = [app for app in results if "truths" not in app]
    if left:
        names = "; ".join(f"{app['name']} ({app['failed']})" if "failed" in app else app["name"] for app in left)
        lines += [*textwrap.wrap(f"**Not measured in this run**, {len(pairs_of(left))} pairs: {names}.", 125), ""]
    minutes = sum(app.get("took_s", 0) for app in results) / 60
    lines += [f"These took {minutes:.0f} minutes.", ""]
    return "\n".join(lines)


def write(path, results, seconds):
    write_half(path, 0, document(results, seconds))
