# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of docs/evaluation_throughput.md, from what scripts/evaluate_throughput.py has found."""
import math
import os
import pathlib
import platform

QUANTUM_NS = 60000  # of examples/common/meter.h

BELOW = "## Services of metered sleep, as in the published comparison\n"  # where the second half of the page begins

INTRODUCTION = """Written by `make evaluate-throughput`: the services of a graph run as processes whose work is metered sleep
(examples/services), with a closed loop of users. Such a service makes no progress while it is paused and shares no
processor, so that this shows the arithmetic and the pausing, not what real services add. `tailproof whatif throughput`
predicts the throughput for ten levels of one service's improvement by pausing all others; then that service is really made
faster, before and after, without any pauser. {machine}

* *before*, *after*: the truth, uninstrumented, measured before and after the prediction; *spread* is the difference of the
  two: no error below it means anything.
* *single*: the prediction of each repetition; all are held against the truth of their turn (the first against *before*, the
  second against *after*, and so on), none is left out. *curve*: what the command says in the end, from all repetitions.
* *null*: the predictor that says that nothing changes.
* *with rounds*: the truth of a service that is faster, with pausers whose rounds have no pauses.
* *pause/quantum*: the mean pause beside the metering step of the work, {quantum} us. A stop costs up to one step of work
  that is not paused, so that the ratio should be 50 or more.
"""

PUBLISHED = {
    "3-service chain": "1.89 % over 108 synthetic configurations, of which recoverable 2.12",
    "6-service graph": "the same",
    "pair with a mutex": "below 1 %",
    "pair without": "below 1 %",
    "shop": "2.07 % over four applications (3.14 with all repetitions paired)",
}


def error(predicted, truth):
    return 100 * (predicted - truth) / truth


def rms(errors):
    return math.sqrt(sum(e * e for e in errors) / len(errors)) if errors else float("nan")


def span(errors):
    return f"{min(errors):+.2f} .. {max(errors):+.2f}" if errors else "-"


def pairs(row):
    """(level, repetition, truth, predicted) of every repetition."""
    for level, values in sorted(row["single"].items()):
        if level == 0:
            continue  # nothing is predicted
        for turn, value in enumerate(values):
            truth = row["before" if turn % 2 == 0 else "after"].get(level)
            if truth is not None:
                yield level, turn, truth, value


def middle(row, level):
    return (row["before"][level] + row["after"][level]) / 2


def measures(row):
    """The numbers of a system's line."""
    paired = [error(predicted, truth) for _, _, truth, predicted in pairs(row)]
    curve = [error(one["throughput"], middle(row, level)) for level, one in row["curve"].items()]
    null = [error(row["before" if turn % 2 == 0 else "after"][0], truth)
            for _, turn, truth, _ in pairs(row)]
    spread = [abs(error(row["after"][level], row["before"][level])) for level in row["before"]]
    inside = [one["low"] <= middle(row, level) <= one["high"] for level, one in row["curve"].items()]
    return {"paired": paired, "curve": curve, "null": null, "spread": spread, "inside": inside}


def number(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def verdicts(rows):
    lines = ["### Errors, in percent of the truth", "", "```",
             f"{'':<20}{'RMSE':>7}{'range':>18}{'null':>8}{'curve':>8}{'range':>18}"
             f"{'in interval':>13}{'spread (worst)':>16}"]
    for row in rows:
        found = measures(row)
        lines.append(f"{row['name']:<20}{rms(found['paired']):7.2f}{span(found['paired']):>18}"
                     f"{rms(found['null']):8.2f}{rms(found['curve']):8.2f}{span(found['curve']):>18}"
                     f"{sum(found['inside']):>8} of {len(found['inside'])}"
                     f"{max(found['spread']):16.2f}")
    lines += ["```", "", "RMSE and the first range are of all repetitions, paired. Published (SLOWPOKE, NSDI'26), "
              "from other machines and programs:", ""]
    lines += [f"* {row['name']}: {PUBLISHED[row['name']]}." for row in rows if row["name"] in PUBLISHED]
    return lines


def ratio(row):
    """Mean pause in metering steps, over the windows that had pauses."""
    pauses = sum(one.get("pauses", 0) for one in row["windows"] if one.get("good"))
    realised = sum(one.get("realised_ns", 0) for one in row["windows"] if one.get("good"))
    return realised / pauses / QUANTUM_NS if pauses and realised else None


def system_text(row):
    turns = max((len(values) for level, values in row["single"].items() if level), default=0)
    head = f"{'level':>6}{'before':>10}{'after':>10}{'with rounds':>13}"
    head += "".join(f"{'single ' + str(i + 1):>12}" for i in range(turns))
    head += f"{'curve':>10}{'interval':>20}{'error %':>9}{'null %':>9}"
    refused = sum(not one.get("good") for one in row["windows"])
    pause = ratio(row)
    lines = [f"### {row['name']}", "",
             f"`{row['target']}` faster, {row['users']} users, a round every {row['batch']} of its requests. "
             f"{len(row['windows'])} windows, {refused} of them refused"
             + (f", pause/quantum {pause:.0f}." if pause else "."), "", "```", head]
    for level in sorted(row["before"]):
        truth, one = middle(row, level), row["curve"].get(level)
        rounds = row["baseline_rounds"] if level == 0 else row["with_rounds"].get(level)
        text = (f"{level:>4} %{row['before'][level]:10.1f}{row['after'][level]:10.1f}"
                f"{number(rounds):>13}")
        values = row["single"].get(level, []) if level else []
        text += "".join(f"{values[i]:12.1f}" if i < len(values) else f"{'-':>12}" for i in range(turns))
        if one:
            interval = f"{one['low']:.1f} .. {one['high']:.1f}"
            text += f"{one['throughput']:10.1f}{interval:>20}{error(one['throughput'], truth):+9.2f}"
            text += f"{error(middle(row, 0), truth):+9.2f}"
        elif level:
            text += f"{'refused':>10}"
        lines.append(text)
    return lines + ["```", ""]


def coordination_text(rows):
    lines = ["### Pausing together or each by itself", "",
             "A chain of nine services, the slowest 60 % faster. *together*: in rounds; *alone*: each service pauses after",
             "so many requests of its own. Published (its table 3, other machines): -4.35 % together, -62.2 % alone with 128",
             "connections and -17.0 % with 352.", "", "```",
             f"{'users':>6}{'truth':>10}{'together':>11}{'error %':>9}{'alone':>10}{'error %':>9}"]
    for row in rows:
        lines.append(f"{row['users']:>6}{row['truth']:10.1f}{row['coordinated']:11.1f}"
                     f"{error(row['coordinated'], row['truth']):+9.2f}{row['uncoordinated']:10.1f}"
                     f"{error(row['uncoordinated'], row['truth']):+9.2f}")
    return lines + ["```", ""]


def overhead_text(rows):
    lines = ["### What rounds cost", "",
             "Rounds with pauses of no length, one every 100 requests. *bare*: the services alone, no pausers; *idle*: under",
             "pausers without rounds; *rounds*: with them. *cost* is that of the rounds; published 1.5 % and, for nine services,",
             "8.5 % (from its recorded runs).", "", "```",
             f"{'':<18}{'bare':>10}{'idle':>10}{'rounds':>10}{'cost %':>9}"]
    for row in rows:
        cost = (f"{-error(row['with'], row['without']):+.2f}"
                if row["with"] and row["without"] else "-")
        lines.append(f"{row['name']:<18}{number(row['bare']):>10}{number(row['without']):>10}"
                     f"{number(row['with']):>10}{cost:>9}")
    return lines + ["```", ""]


def machine():
    model = "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":", 1)[1].strip() for line in file
                          if line.startswith("model name")), model)
    except OSError:
        pass
    return (f"This run: {os.cpu_count()} processors ({model}), Linux {platform.release().split('-')[0]},\nload average "
            f"{os.getloadavg()[2]:.1f} over the last quarter of an hour.")


def write_half(path, half, text):
    """Writes the first (0) or the second half of the page (1), and leaves the other as it is."""
    path = pathlib.Path(path)
    halves = path.read_text(encoding="utf-8").split(BELOW, 1) if path.exists() else [""]
    halves += [""] * (2 - len(halves))
    halves[half] = text if half == 0 else "\n" + text
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(BELOW.join(halves), encoding="utf-8")
    temporary.rename(path)


def document(rows, extra, failures, minutes):
    lines = [INTRODUCTION.format(machine=machine(), quantum=QUANTUM_NS // 1000)]
    for name, why in failures:
        lines += [f"**{name}: did not run to its end: {why}**", ""]
    if rows:
        lines += verdicts(rows) + [""]
    for row in rows:
        lines += system_text(row)
    if extra.get("coordination"):
        lines += coordination_text(extra["coordination"])
    if extra.get("overhead"):
        lines += overhead_text(extra["overhead"])
    lines.append(f"The run took {minutes:.0f} minutes.")
    return "\n".join(lines) + "\n"
