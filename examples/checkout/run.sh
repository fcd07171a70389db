#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# nginx, a shop on Node.js, and Redis: which of them is worth making faster?
#
#   examples/checkout/run.sh [OPTION]...      options of `tailproof whatif throughput`
#
# Leaves no file.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
for tool in nginx:nginx node:nodejs redis-server:redis-server wrk:wrk; do
  command -v "${tool%:*}" >/dev/null || { echo "examples/checkout/run.sh: ${tool%:*} is missing (apt-get install ${tool#*:})" >&2; exit 69; }
done
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM HUP
"$BUILD/tailproof" whatif throughput examples/checkout/plan.yaml "$@"
