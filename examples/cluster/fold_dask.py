#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Folds shards of traces with dask.distributed, and merges their summaries two by two.

    fold_dask.py [--scheduler HOST:PORT] [--workers N] --out SUMMARY SHARD...

Each task runs `tailproof` and leaves a file named after what it is made of, so that a task that runs
again, because its worker died, writes the same bytes to the same place. The files are in SUMMARY.parts,
which every worker must see, and go when the sum is written.
"""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys

import dask
from distributed import Client, LocalCluster


def run(program, *arguments):
    """Its last line of stderr is what went wrong."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"{program} was killed ({done.returncode})")


def fold(program, shard, folder):
    summary = os.path.join(folder, hashlib.sha256(shard.encode()).hexdigest()[:16] + ".fold")
    run(program, "trace", "fold", shard, "--out", summary)
    return summary


def merge(program, left, right, folder):
    name = hashlib.sha256(f"{left} {right}".encode()).hexdigest()[:16]
    summary = os.path.join(folder, name + ".fold")
    run(program, "trace", "merge", left, right, "--out", summary)
    return summary


def submit(client, program, shards, folder):
    """The future of the sum. Tasks are pure: of the same name, they are the same work."""
    level = [client.submit(fold, program, shard, folder) for shard in shards]
    while len(level) > 1:
        pairs = [client.submit(merge, program, *level[i:i + 2], folder)
                 for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) - len(level) % 2:]
    return level[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scheduler", help="HOST:PORT; otherwise workers are started here")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", required=True, help="the summary to write")
    parser.add_argument("shards", nargs="+", metavar="SHARD")
    arguments = parser.parse_args()
    program = os.environ.get("TAILPROOF", "tailproof")
    shards = [os.path.abspath(shard) for shard in arguments.shards]
    folder = os.path.abspath(arguments.out + ".parts")
    os.makedirs(folder, exist_ok=True)
    dask.config.set({"distributed.scheduler.allowed-failures": 10})
    cluster = None
    if arguments.scheduler is None:
        cluster = LocalCluster(n_workers=arguments.workers, threads_per_worker=1,
                               processes=True, dashboard_address=None)
    with Client(arguments.scheduler or cluster) as client:
        total = submit(client, program, shards, folder).result()
        run(program, "trace", "merge", total, "--out", arguments.out)
    if cluster is not None:
        cluster.close()
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as failure:
        print(f"fold_dask.py: {failure}", file=sys.stderr)
        sys.exit(1)
