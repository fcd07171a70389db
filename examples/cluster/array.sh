#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One task of an array job: folds the shards that fall to it, and writes one summary for each.
# Tasks are numbered from 0. Slurm and Open MPI say which one this is:
#
#   sbatch --array=0-15 examples/cluster/array.sh TRACES SUMMARIES
#   mpirun -n 16        examples/cluster/array.sh TRACES SUMMARIES
#
# A task that died is started again: what it had written is whole and is left alone, and what it had
# not is folded now. TRACES/* are the shards, of any number; TAILPROOF the program. Some of the tasks
# alone are started again with the number of all, which Slurm does not say then:
#
#   sbatch --array=3,7  examples/cluster/array.sh TRACES SUMMARIES 16
set -eu
[ $# -eq 2 ] || [ $# -eq 3 ] || { echo "usage: array.sh TRACES SUMMARIES [TASKS]" >&2; exit 64; }
task=${SLURM_ARRAY_TASK_ID-${OMPI_COMM_WORLD_RANK-0}}
tasks=${SLURM_ARRAY_TASK_COUNT-${OMPI_COMM_WORLD_SIZE-1}}
first=${SLURM_ARRAY_TASK_MIN-0}
if [ $# -eq 3 ]; then
  tasks=$3 first=0
elif [ $((${SLURM_ARRAY_TASK_MAX-$((first + tasks - 1))} - first + 1)) -ne "$tasks" ]; then
  echo "array.sh: this array has gaps, so that nobody would fold some shards; say how many tasks there are: array.sh $1 $2 TASKS" >&2
  exit 64
fi
[ $((task - first)) -ge 0 ] && [ $((task - first)) -lt "$tasks" ] || { echo "array.sh: there is no task $task of $tasks" >&2; exit 64; }
mkdir -p "$2"
number=0
for shard in "$1"/*; do
  summary=$2/${shard##*/}.fold
  if [ $((number % tasks)) -eq $((task - first)) ] && [ ! -e "$summary" ]; then
    "${TAILPROOF-tailproof}" trace fold "$shard" --out "$summary"
  fi
  number=$((number + 1))
done
