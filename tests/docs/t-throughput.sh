#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the commands of the page on nginx, Node.js and Redis print what it shows; its plan counts the calls of all three services,
# and says so when one is asked past its proxy. A light load takes the place of its own, as no number is judged.
set -u
cd "$(dirname "$0")/../.." || exit 70
BUILD=$(realpath "${BUILD:-build}")
. tests/tap.sh
tests/docs/console.py docs/throughput.md >"$scratch/log" 2>&1 && ! grep -q '^not ok' "$scratch/log"
report $? "the commands of the page"
for tool in nginx node redis-server; do
  if ! command -v $tool >/dev/null || { [ $tool = node ] && [ ! -d /usr/share/nodejs/redis ]; }; then
    echo "# SKIP the plan of the page: apt-get install nginx nodejs node-redis redis-server"
    finish
    exit
  fi
done

# A copy of the application with ports of its own, under 40 requests a second for as long as it is asked.
ports=$(($(free_ports 200) / 100 + 1))
for file in plan.yaml nginx.conf start shop.js; do sed "s/\b274\([01][0-9]\)\b/$ports\1/g" "examples/checkout/$file" >"$scratch/$file"; done
chmod +x "$scratch/start"
sed -i "s|^load:.*|load: $BUILD/tailproof load http://127.0.0.1:${ports}00/ --rate 40 --seconds 3600 --out $scratch/load.csv|
  s/^levels:.*/levels: []\nwarmup: 200ms\nwindow: 2s\nrepetitions: {least: 1, most: 1}/; /^targets:/d; /^users:/d" "$scratch/plan.yaml"
calls() { # SERVICE LEAST MOST: calls for each user request
  jq -es "[.[] | select(.kind == \"profile\")][0].services[] | select(.service == \"$1\").calls | . >= $2 and . <= $3" "$scratch/out" >/dev/null
}
measured() { TMPDIR=$scratch ROUNDS=100 STOCK=1000 "$BUILD/tailproof" whatif throughput --json "$scratch/plan.yaml" >"$scratch/out" 2>"$scratch/err"; }

# On a busy machine too little of the load may come, or what is under way at the ends of a window counts: of ten one must do.
tried() { # a function
  local try
  for ((try = 0; try < 10; try++)); do
    measured
    "$1" && return
  done
  return 1
}

all_counted() { calls front 0.9 1.1 && calls shop 0.9 1.1 && calls store 0.9 1.1; }
tried all_counted
report $? "all three services are asked through what counts"
sed -i "s/STORE_PORT=${ports}02/STORE_PORT=${ports}12/" "$scratch/start"
past() { calls store 0 0 && calls shop 0.9 1.1; }
tried past
report $? "Redis is asked past its relay: none of its calls is counted"
finish
