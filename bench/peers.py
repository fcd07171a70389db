#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sum of two laws by scipy, numpy and R's distr beside ours.

usage: peers.py FOLDER OURS_MS, with the laws a and b and our survival function of the sum in
FOLDER as bench/sum --write leaves them. For each: time over ours, and the number of points at
which its survival function is below the exact one, which is computed here with Python's integers.
"""
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy
from scipy.signal import fftconvolve

ONE = 10**18
RUNS = 9


def words(path):
    data = path.read_bytes()
    return struct.unpack(f"<{len(data) // 8}Q", data)


def exact_tails(a, b):
    """10^36 P(X + Y > k), by one product of large integers with slots of 128 bits."""
    large = [int.from_bytes(b"".join(x.to_bytes(16, "little") for x in law), "little")
             for law in (a, b)]
    count = len(a) + len(b) - 1
    product = (large[0] * large[1]).to_bytes(16 * (count + 1), "little")
    tail, tails = ONE**2, []
    for k in range(count):
        tail -= int.from_bytes(product[16 * k : 16 * k + 16], "little")
        tails.append(tail)
    return tails


def is_below(value, tail):
    """Exactly: a double is a fraction."""
    numerator, denominator = float(value).as_integer_ratio()
    return numerator * ONE**2 < tail * denominator


def below(values, tails):
    return sum(is_below(value, tail) for value, tail in zip(values, tails))


def least_ms(function, *arguments):
    least = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        result = function(*arguments)
        least = min(least, (time.process_time() - start) * 1e3)
    return least, result


def row(what, measured, target):
    print(f"{what:<58} {measured:>14}   {target}")


def peer(name, ms, ours_ms, tails, survival):
    row(f"{name}: time over ours", f"{ms / ours_ms:.1f}", "reported")
    row("  points below the exact survival function",
        f"{below(survival, tails)} of {len(tails)}", "reported")


def main():
    folder, ours_ms = Path(sys.argv[1]), float(sys.argv[2])
    a, b = words(folder / "a"), words(folder / "b")
    tails = exact_tails(a, b)
    ours = words(folder / "sum")
    row(f"sum of two laws of {len(a)} points, ours: points below the exact",
        sum(tail * ONE < exact for tail, exact in zip(ours, tails)), "0")
    masses = [numpy.array(law, dtype=float) / ONE for law in (a, b)]
    for name, function in (("scipy.signal.fftconvolve", fftconvolve),
                           ("numpy.convolve", numpy.convolve)):
        ms, pmf = least_ms(function, *masses)
        # What is beyond k added up from the far end, which is kinder to tails than 1 - cumsum.
        survival = numpy.append(numpy.cumsum(pmf[::-1])[::-1][1:], 0)
        peer(name, ms, ours_ms, tails, survival)
    for law, name in zip(masses, ("a.double", "b.double")):
        law.tofile(folder / name)
    script = Path(__file__).with_name("peers.R")
    try:
        done = subprocess.run(["Rscript", script, folder], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        row("R, package distr", "-", "not installed (apt install r-cran-distr)")
        return
    peer("R, distr", float(done.stdout.split()[-1]), ours_ms, tails,
         numpy.fromfile(folder / "distr.double"))


main()
