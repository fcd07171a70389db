#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What `make verify` prints: a verdict for every shipped bound, then the recorded token ring's proved
# bound as percentiles beside the ones observed.
set -eu
cd "$(dirname "$0")/.."
program=$1
status=0
"$program" verify --no-cache specs/*.tp specs/*/*.tp || status=$?
recorded=examples/token_ring/recorded
nodes=$(cat $recorded/nodes)
echo
echo "The recorded ring of $nodes nodes ($recorded), bound beside observation:"
"$program" percentiles specs/lock.tp --bound full_circle --set n="$nodes" --data $recorded \
  --observed $recorded/round.tph -p 50,90,99,99.9 || { code=$?; [ $status -ne 0 ] || status=$code; }
exit $status
