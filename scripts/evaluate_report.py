# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of docs/evaluation.md, from what scripts/evaluate.py has found."""
import os
import platform
import re

TITLES = {
    "token_ring": "Token ring (specs/lock.tp)",
    "primary_backup": "Primary/backup (specs/primary_backup.tp)",
    "redis": "Redis with WAIT (specs/redis_wait.tp)",
    "multi_paxos": "Replicated state machine (specs/multi_paxos.tp)",
}
LIMITS = {"50": 1.25, "90": 1.25, "99": 1.5}

INTRODUCTION = """# Bounds held against running systems

Written by `make evaluate`: each example runs in several configurations, all at the same time; the components and the
requests of one run are recorded together; the bound, proved for every size, is evaluated with the recorded components and
held against the recorded requests. {machine}

* *observed*: the requests of the run. *bound*: the percentile of the bound with 99 % confidence, **row by row**: evaluated
  with what the parts of one request took, request by request, so that nothing is assumed of how they depend on each other.
  It is said of this run: requests are taken as draws of whatever laws there were while it lasted (`--exchangeable`), as the
  observation beside it is of this run, too. *infinite* where the run has too few requests: a p99 takes 459, a p99.9 takes 4603.
* *p99 of it*: the bound's for this run; *next run*: the same without that assumption, where requests that come after slow ones count for less; infinite where the stalls of
  this run are too few to say how often the next run has them.
* *independent*: the same from the laws of the parts alone, as if they were independent of each other; *any joint*:
  whatever their dependence. What is measured apart, part by part, allows no more than these two.
* Fail-over (*leader killed*) is held against the published bound of specs/performal/ironrsl_leader_failure.tp, in which each bare name is
  drawn anew, so that there are no rows: its *bound* is the independent one; it is not replayed, since that file has all
  replicas begin in slot 0. It charges two whole epochs and a heartbeat period, 220 ms of constants, while a leader is killed
  somewhere within them: the *rest* of its gap. No rows would change that.
* *follows*: `tailproof replay` has found every recorded event to be one of the protocol's, every instant of every request
  in one component, and the bound to hold on each single request.
* *first exceeded*: the lowest percentile at which the requests exceed the bound by more than chance. *worth*: how many
  independent requests the run's are worth for the next one, at every percentile, where their order shows that they depend on
  each other.

Times are in ms. What lies between observation and bound is split, in parts of the observation: *confidence* is what the
bands cost (the bound minus the same with the rows taken as the whole truth), *grid* at most what rounding to the grid
cost, *rest* is the model: waiting that a request does not have whenever another has it, and the bound's own structure.
"""

PUBLISHED = """## Beside the published figures

PERFORMAL (PLDI 2023, table 2) states for its lock, with four workloads, the largest latency seen and the largest that
the bound gives with its components: 6.7 ms against 74.9, 32.6 against 108.2, 68.5 against 144.6 and 109.1 against 185.7, so 11.2, 3.3, 2.1
and 1.7 times. The same comparison here (the largest request, and the bound with the largest of each part measured apart,
so without any confidence beyond them; row by row the largest bound is that of the largest request, 1.00 times):

"""


def ms(ns):
    if ns is None or ns == "infinite":
        return "infinite"
    return f"{int(ns) / 1e6:.3f}"


def ratio(bound, observed):
    if bound in (None, "infinite") or not int(observed):
        return "-"
    return f"{int(bound) / int(observed):.2f}"


def pick(row, which, p, dependence="independent"):
    for found in row[which]["percentile"]:
        if found["p"] == p and found["dependence"] == dependence:
            return found
    return None


def first_exceeded(row, dependence="independent", which="sure"):
    for found in row[which]["comparison"]:
        if found["dependence"] == dependence and found["observation"] == "not dominated":
            return "p" + found.get("first_percentile", "?")
    return "none"


def follows(row):
    if ": the run follows it" in row["replay"][0]:
        return "yes"
    return ("not judged" if ": nothing to object to" in row["replay"][0] else "NO") + ": " + row["replay"][0]


def table(header, lines):
    """Columns as wide as they need to be."""
    widths = [max(len(str(line[i])) for line in [header, *lines]) for i in range(len(header))]
    def one(line):
        return "  ".join(str(cell).ljust(width) if i == 0 else str(cell).rjust(width)
                         for i, (cell, width) in enumerate(zip(line, widths))).rstrip()
    return "```\n" + "\n".join(one(line) for line in [header, *lines]) + "\n```\n"


def share(part, observed):
    return f"{100 * part / observed:+.1f} %"


def gap(row, p):
    """What lies between observation and bound, in parts of the observation: confidence, at most how
    much by the grid, the rest."""
    sure, plain = pick(row, "sure", p), pick(row, "plain", p)
    observed = int(sure["observed_ns"])
    if "infinite" in (sure["upper_ns"], plain["upper_ns"]) or observed == 0:
        return ["-"] * 3
    slack = row["plain"]["grid"][0]["slack"] if row["plain"]["grid"] else 0.0
    bound, sample = int(sure["upper_ns"]), int(plain["upper_ns"])
    grid = sample * slack / (1 + slack)
    return [share(bound - sample, observed), share(grid, observed), share(sample - grid - observed, observed)]


def latencies(rows, percentiles):
    header = ["", "percentile", "observed", "bound", "ratio", "confidence", "grid", "rest", "independent", "any joint"]
    lines = []
    for row in rows:
        for p in percentiles:
            sure, apart, joint = (pick(row, "sure", p), pick(row, "apart", p), pick(row, "apart", p, "unknown"))
            lines.append([row["label"] if p == percentiles[0] else "", f"p{p}", ms(sure["observed_ns"]),
                          ms(sure["upper_ns"]), ratio(sure["upper_ns"], sure["observed_ns"]), *gap(row, p),
                          ms(apart["upper_ns"]), ms(joint["upper_ns"]) if joint else "-"])
    return table(header, lines)


def worth(row):
    """Of the requests' values, as the ledger says it."""
    for line in row["next"]["assumption"] if row["rows"] else []:
        found = re.search(r"independent ones as these \d+ are worth there, at least (\d+)", line["text"])
        if found:
            return found.group(1)
    return "all" if row["rows"] else "-"


def overview(rows):
    return table(["", "requests", "worth", "p99 of it", "next run", "first exceeded", "independent", "any joint", "follows"],
                 [[f"{row['system']}, {row['label']}", row["requests"], worth(row), ms(pick(row, "sure", "99")["upper_ns"]),
                   ms(pick(row, "next", "99")["upper_ns"]), first_exceeded(row),
                   first_exceeded(row, "independent", "apart"), first_exceeded(row, "unknown", "apart"),
                   follows(row).split(":")[0]] for row in rows])


def extremes(rows):
    header = ["", "mean observed", "of the bound", "ratio", "max observed", "of the bound", "ratio"]
    return table(header, [[f"{row['system']}, {row['label']}", ms(row["observed_mean"]), ms(row["bound_mean"]),
                           ratio(row["bound_mean"], row["observed_mean"]) if row["bound_mean"] else "-",
                           ms(row["observed_max"]), ms(row["bound_max"]),
                           ratio(row["bound_max"], row["observed_max"]) if row["bound_max"] else "-"]
                          for row in rows])


def cause(row):
    """Why requests exceed the bound where they do."""
    place = f"* {TITLES[row['system']].split(' (')[0]}, {row['label']}, from {first_exceeded(row)}: "
    if follows(row) != "yes":
        return place + "replay says: " + row["replay"][0]
    return place + ("**a defect**: each request is within the bound of its own parts (replay), and yet the requests "
                    "exceed the bound evaluated with these parts.")


def verdicts(rows):
    lines = ["## Verdicts", ""]
    for p, limit in LIMITS.items():
        judged = [row for row in rows if pick(row, "sure", p)["upper_ns"] != "infinite"]
        within = [row for row in judged if int(pick(row, "sure", p)["upper_ns"])
                  <= limit * int(pick(row, "sure", p)["observed_ns"])]
        lines.append(f"* p{p} within {limit:g} times the observation: {len(within)} of {len(judged)} "
                     f"configurations whose samples support it ({len(rows) - len(judged)} do not)."
                     + "".join(f" Beyond: {row['system']}, {row['label']} ({ratio(pick(row, 'sure', p)['upper_ns'], pick(row, 'sure', p)['observed_ns'])})."
                               for row in judged if row not in within))
    dominated = [row for row in rows if first_exceeded(row) == "none"]
    apart = [row for row in rows if first_exceeded(row, "independent", "apart") != "none"]
    lines.append(f"* Dominated at every percentile, beyond chance: {len(dominated)} of {len(rows)} configurations.")
    lines.append(f"* With the parts taken as independent, exceeded by more than chance: {len(apart)} of {len(rows)} configurations"
                 + "".join(f"; {row['system']}, {row['label']}, from {first_exceeded(row, 'independent', 'apart')}" for row in apart) + ".")
    lines.append(f"* Runs that follow their protocol: {sum(follows(row) == 'yes' for row in rows)} of {len(rows)}.")
    exceptions = [cause(row) for row in rows if row not in dominated]
    return "\n".join(lines + ["", *exceptions]).rstrip() + "\n"


def machine():
    model = "an unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"This run: {os.cpu_count()} processors ({model}), {platform.system()} {platform.release().split('-')[0]}."


def document(rows, percentiles, minutes, first):
    good = [row for row in rows if "failed" not in row]
    how = ("The systems ran before all else that the machine did (SCHED_RR)." if first
           else "The systems shared the machine with whatever else ran.")
    parts = [INTRODUCTION.format(machine=f"{machine()} {how}")]
    for row in rows:
        if "failed" in row:
            parts.append(f"**{TITLES[row['system']]}, {row['label']}: did not run to its end: {row['failed']}**\n")
    if good:
        parts += [verdicts(good), overview(good)]
    for system, title in TITLES.items():
        own = [row for row in good if row["system"] == system]
        if own:
            parts += [f"## {title}\n", latencies(own, percentiles)]
    if good:
        parts += [PUBLISHED + extremes(good)]
        parts.append(f"All runs and calculations took {minutes:.1f} minutes.\n")
    return "\n".join(parts)
