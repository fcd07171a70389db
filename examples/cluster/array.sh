#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One task of an array job: folds the shards that fall to it, and writes one summary for each.
# Tasks are numbered from 0. Slurm and Open MPI say which one this is:
#
#   sbatch --array=0-15 examples/cluster/array.sh TRACES SUMMARIES
#   mpirun -n 16        examples/cluster/array.sh TRACES SUMMARIES
#
# A task that died is started again: what it had written is whole and is left alone, and what it had
# not is folded now. TRACES/* are the shards, of any number; TAILPROOF the program.
set -eu
[ $# -eq 2 ] || { echo "usage: array.sh TRACES SUMMARIES" >&2; exit 64; }
task=${SLURM_ARRAY_TASK_ID-${OMPI_COMM_WORLD_RANK-0}}
tasks=${SLURM_ARRAY_TASK_COUNT-${OMPI_COMM_WORLD_SIZE-1}}
first=${SLURM_ARRAY_TASK_MIN-0}
mkdir -p "$2"
number=0
for shard in "$1"/*; do
  summary=$2/${shard##*/}.fold
  if [ $((number % tasks)) -eq $((task - first)) ] && [ ! -e "$summary" ]; then
    "${TAILPROOF-tailproof}" trace fold "$shard" --out "$summary"
  fi
  number=$((number + 1))
done
