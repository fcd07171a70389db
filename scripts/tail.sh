#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints docs/tail.svg, the picture of the README: tail.sh PROGRAM. Without the host that made it.
set -euo pipefail
program=$(realpath "${1:-build/tailproof}")
cd "$(dirname "$0")/.."
picture=$(mktemp --suffix=.svg)
trap 'rm -f "$picture"' EXIT
export SOURCE_DATE_EPOCH=1795305600 # 22 November 2026
"$program" percentiles specs/redis_wait.tp --bound reply --set n=3 --set k=2 --joint examples/redis/recorded \
  --observed request.round -p 50,90,99 --slo 'p99<5ms' --plot "$picture" >/dev/null
# The upper part: the chain and the components come last.
top=$(sed -nE 's/.* y="([0-9]+)[^"]*">The slowest chain<.*/\1/p' "$picture")
sed -E "s# UTC, [^:]*: [^ ]*tailproof percentiles# UTC: tailproof percentiles#; s#$picture#tail.svg#g
  />The slowest chain</,/<\\/svg>/{ /<\\/svg>/!d }
  /^<svg/s#(viewBox=\"0 0 1240) [0-9]+#\\1 $((top - 24))#; /^<svg/s# height=\"[0-9]+# height=\"$((top - 24))#" "$picture"
