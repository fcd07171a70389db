#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of load tools that Debian does not have, made of latencies that are known, and a check that
what was imported of them brackets each.

The formulas are those of the tools' documentation and of the file formats, written down anew here, so
that a mistake of the reader is not made twice:
  YCSB              whole us; hdrhistogram: buckets of three digits, printed by their last value;
                    histogram: whole ms

  load_tools.py make TYPE SEED >report      TYPE: ycsb-hdr ycsb-histogram ycsb-raw ycsb-both ycsb-timeseries
  load_tools.py check FILE.tph TYPE SEED OPERATION
"""
import random
import sys

MS = 1_000_000


class Run:
    """What really happened: of each operation the latencies in ns, and of those that failed."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.good = {}
        self.bad = {}
        for name, count in (("READ", 4000), ("UPDATE", 1500)):
            # from below a microsecond to some 20 s, and a few at the edges of buckets
            spread = [int(10 ** chance.uniform(2.3, 10.3)) for _ in range(count)]
            edges = [us * 1000 + ns for us in (1, 999, 1000, 2047, 2048, 2049, 4095, 4096, 999_999, 1_000_000)
                     for ns in (0, 999)]
            self.good[name] = spread + edges
            self.bad[name] = [chance.randrange(1000, 5 * MS) for _ in range(7)] if name == "READ" else []


def line(name, key, value):
    print(f"[{name}], {key}, {value}")


def java_double(number):
    """As Double.toString prints a whole number."""
    if number < 10_000_000:
        return f"{number}.0"
    digits = str(number)
    rest = digits[1:].rstrip("0") or "0"
    return f"{digits[0]}.{rest}E{len(digits) - 1}"


def hdr_last(us):
    """The last value of the bucket of HdrHistogram, three digits, from 1."""
    shift = max(0, us.bit_length() - 11)
    return ((us >> shift) + 1 << shift) - 1


def summary(name, latencies, with_variance):
    us = [ns // 1000 for ns in latencies]
    line(name, "Operations", len(us))
    line(name, "AverageLatency(us)", sum(us) / len(us) if us else "NaN")
    if with_variance:
        line(name, "LatencyVariance(us)", 17.25)
        line(name, "MinLatency(us)", min(us, default=-1))
        line(name, "MaxLatency(us)", max(us, default=-1))
    else:
        first = min(us, default=2 ** 63 - 1)
        line(name, "MinLatency(us)", first >> max(0, first.bit_length() - 11) << max(0, first.bit_length() - 11))
        line(name, "MaxLatency(us)", hdr_last(max(us, default=0)))
    line(name, "95thPercentileLatency(us)", sorted(us)[len(us) * 95 // 100] if us else 0)


def returns(name, run):
    line(name, "Return=OK", len(run.good[name]))
    if run.bad[name]:
        line(name, "Return=ERROR", len(run.bad[name]))


def hdr_buckets(name, latencies):
    counts = {}
    for ns in latencies:
        last = hdr_last(ns // 1000)
        counts[last] = counts.get(last, 0) + 1
    for last in sorted(counts):
        line(name, last, java_double(counts[last]))


def ms_buckets(name, latencies, buckets=1000):
    counts = [0] * buckets
    over = 0
    for ns in latencies:
        ms = ns // 1000 // 1000
        if ms >= buckets:
            over += 1
        else:
            counts[ms] += 1
    for ms, count in enumerate(counts):
        line(name, ms, count)
    line(name, f">{buckets}", over)


def raw_rows(name, latencies):
    print(f"{name} latency raw data: op, timestamp(ms), latency(us)")
    for place, ns in enumerate(latencies):
        print(f"{name},{1_700_000_000_000 + place // 3},{ns // 1000}")


def overall():
    line("OVERALL", "RunTime(ms)", 10110)
    line("OVERALL", "Throughput(ops/sec)", 543.7)
    line("TOTAL_GCS_G1_Young_Generation", "Count", 3)
    line("TOTAL_GC_TIME_%", "Time(%)", 0.04)


def ycsb(kind, run):
    if kind != "raw":
        overall()
    line("CLEANUP", "Operations", 1) if kind != "raw" else None
    for name in run.good:
        parts = [(name, run.good[name])] + ([(name + "-FAILED", run.bad[name])] if run.bad[name] else [])
        for part, latencies in parts:
            if kind in ("hdr", "both"):
                prefix = "Hdr" if kind == "both" else ""
                summary(prefix + part, latencies, False)
                if part == name:
                    returns_of = prefix + name
                    line(returns_of, "Return=OK", len(run.good[name]))
                    if run.bad[name]:
                        line(returns_of, "Return=ERROR", len(run.bad[name]))
                hdr_buckets(prefix + part, latencies)
            if kind in ("histogram", "both"):
                prefix = "Bucket" if kind == "both" else ""
                summary(prefix + part, latencies, True)
                if part == name and kind == "histogram":
                    returns(name, run)
                ms_buckets(prefix + part, latencies)
            if kind == "raw":
                raw_rows(part, latencies)
            if kind == "timeseries":
                summary(part, latencies, False)
                if part == name:
                    returns(name, run)
                for second in range(4):
                    line(part, 1000 * second, sum(latencies) / len(latencies) / 1000 + second)


def bins_of(path):
    """(lower, upper) of each observation, rising, and how many are beyond all."""
    bins = []
    beyond = last = 0
    within = False
    with open(path, encoding="ascii") as lines:
        for text in lines:
            words = text.split()
            if words[:1] == ["saturated"]:
                beyond = int(words[1])
            elif words[:1] == ["counts"]:
                within = True
            elif words[:1] == ["end"]:
                within = False
            elif within:
                bins += [(int(words[2]) if len(words) > 2 else last, int(words[0]))] * int(words[1])
                last = int(words[0])
    return bins, beyond


def check(path, kind, run, operation):
    base = operation.removeprefix("Hdr").removeprefix("Bucket")
    coarse = "histogram" in kind or operation.startswith("Bucket")
    truth = sorted(run.good[base])
    bins, beyond = bins_of(path)
    if len(bins) + beyond != len(truth) + len(run.bad[base]):
        sys.exit(f"{len(bins)} and {beyond} beyond, of {len(truth)} and {len(run.bad[base])} that failed")
    for ns, (lower, upper) in zip(truth, bins):
        if not lower <= ns <= upper:
            sys.exit(f"{ns} ns is read as {lower} to {upper}")
        # a .tph is 0.1 % coarser either way
        if upper - lower > (MS if coarse else 1000 + ns // 1000) + upper // 400:
            sys.exit(f"{lower} to {upper} is wider than the tool's bucket of {ns} ns")
    over = len(truth) - len(bins)
    if over != (sum(ns >= 1000 * MS for ns in truth) if coarse else 0):
        sys.exit(f"{over} are beyond all, besides those that failed")
    print(f"{len(bins)} brackets hold, {beyond} infinite")


def main():
    verb, *rest = sys.argv[1:]
    if verb == "make":
        kind, seed = rest
        ycsb(kind.removeprefix("ycsb-"), Run(int(seed)))
    else:
        path, kind, seed, operation = rest
        check(path, kind, Run(int(seed)), operation)


main()
