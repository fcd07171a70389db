#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of load tools that Debian does not have, made of latencies that are known, and a check that
what was imported of them brackets each.

The formulas are those of the tools' documentation and of the file formats, written down anew here, so
that a mistake of the reader is not made twice:
  YCSB              whole us; hdrhistogram: buckets of three digits, printed by their last value;
                    histogram: whole ms
  memtier_benchmark differences of a clock of whole us, in a histogram of three digits from 10 us to 60 s

  load_tools.py make TYPE SEED >report      TYPE: ycsb-hdr ycsb-histogram ycsb-raw ycsb-both ycsb-timeseries
                                                  memtier-json memtier-runs memtier-log
  load_tools.py check FILE.tph TYPE SEED OPERATION
"""
import base64
import json
import random
import struct
import sys
import zlib

MS = 1_000_000


class Run:
    """What really happened: of each operation the latencies in ns, and of those that failed."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.good = {}
        self.bad = {}
        self.phase = [chance.randrange(1000) for _ in range(5000)]  # of a clock that cuts off, in ns
        for name, count in (("READ", 4000), ("UPDATE", 1500)):
            # from below a microsecond to some 20 s, and a few at the edges of buckets
            spread = [int(10 ** chance.uniform(2.3, 10.3)) for _ in range(count)]
            edges = [us * 1000 + ns for us in (1, 999, 1000, 2047, 2048, 2049, 4095, 4096, 999_999, 1_000_000)
                     for ns in (0, 999)]
            self.good[name] = spread + edges + [65_000 * MS]
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


HDR_LOWEST, HDR_HIGHEST, HDR_SUB = 10, 60_000_000, 2048


def hdr_index(value):
    """The counter of a value: units of 8, then 1024 counters to each power of two."""
    unit_bits = HDR_LOWEST.bit_length() - 1
    octave = max(0, (value >> unit_bits).bit_length() - HDR_SUB.bit_length() + 1)
    within = value >> unit_bits >> octave
    return within if octave == 0 else HDR_SUB + (octave - 1) * HDR_SUB // 2 + within - HDR_SUB // 2


def zigzag(number):
    number = number * 2 if number >= 0 else -number * 2 - 1
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def hdr_text(values):
    """What HdrHistogram writes of values into a log."""
    counts = {}
    for value in values:
        index = hdr_index(value)
        counts[index] = counts.get(index, 0) + 1
    payload, expected = b"", 0
    for index in sorted(counts):
        if index > expected:
            payload += zigzag(expected - index)
        payload += zigzag(counts[index])
        expected = index + 1
    plain = struct.pack(">IIIIQQd", 0x1C849313, len(payload), 0, 3, HDR_LOWEST, HDR_HIGHEST, 1.0) + payload
    packed = zlib.compress(plain)
    return base64.b64encode(struct.pack(">II", 0x1C849314, len(packed)) + packed).decode()


def memtier_us(run, name):
    """Each latency as the clock showed it: both ends cut off to a us."""
    return [(ns + phase) // 1000 for ns, phase in zip(run.good[name], run.phase)]


def memtier_kind(values):
    return {"Count": len(values), "Ops/sec": 1.5, "Hits/sec": 0.0, "Misses/sec": 0.0, "Latency": 0.1,
            "Time-Serie": {"0": {"Count": len(values), "p50.00": 0.1}},
            "Percentile Latencies": {"p50.00": 0.255, "p99.00": 3.1,
                                     "Histogram log format": {"Compressed Histogram": hdr_text(values)}}}


def memtier(kind, run):
    gets, sets = memtier_us(run, "READ"), memtier_us(run, "UPDATE")
    stats = {"Runtime": {"Start time": 1, "Time unit": "MILLISECONDS"}, "Sets": memtier_kind(sets),
             "Gets": memtier_kind(gets), "Waits": memtier_kind([]), "Totals": memtier_kind(gets + sets),
             "SET": [{"<=msec": 0.1, "percent": 50.0}]}
    if kind == "log":
        print("#[GET command HDR latency histogram results]\n#[Histogram log format version 1.2]")
        print('"StartTimestamp","EndTimestamp","Interval_Max","Interval_Compressed_Histogram"')
        print(f"1700000000.000,1700000010.000,{max(gets)}.0,{hdr_text(gets)}")
    else:
        names = ["ALL STATS"] if kind == "json" else ["BEST RUN RESULTS", "WORST RUN RESULTS"]
        print(json.dumps({"configuration": {"server": "localhost"}} | {name: stats for name in names}, indent=1))


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
    base = {"Gets": "READ", "Sets": "UPDATE"}.get(operation, operation.removeprefix("Hdr").removeprefix("Bucket"))
    bad = [] if kind.startswith("memtier") else run.bad[base]
    least = 10_000 if kind.startswith("memtier") else 1000
    coarse = "histogram" in kind or operation.startswith("Bucket")
    truth = sorted(run.good[base])
    bins, beyond = bins_of(path)
    if len(bins) + beyond != len(truth) + len(bad):
        sys.exit(f"{len(bins)} and {beyond} beyond, of {len(truth)} and {len(bad)} that failed")
    for ns, (lower, upper) in zip(truth, bins):
        if not lower <= ns <= upper:
            sys.exit(f"{ns} ns is read as {lower} to {upper}")
        # a .tph is 0.1 % coarser either way
        if upper - lower > (MS if coarse else least + ns // 1000) + upper // 400:
            sys.exit(f"{lower} to {upper} is wider than the tool's bucket of {ns} ns")
    over = len(truth) - len(bins)
    highest = 1000 * MS if coarse else 60_000 * MS if kind.startswith("memtier") else truth[-1] + 1
    if over != sum(ns >= highest for ns in truth):
        sys.exit(f"{over} are beyond all, besides those that failed")
    print(f"{len(bins)} brackets hold, {beyond} infinite")


def main():
    verb, *rest = sys.argv[1:]
    if verb == "make":
        kind, seed = rest
        tool, _, what = kind.partition("-")
        (ycsb if tool == "ycsb" else memtier)(what, Run(int(seed)))
    else:
        path, kind, seed, operation = rest
        check(path, kind, Run(int(seed)), operation)


main()
