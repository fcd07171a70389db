#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: a server on Node.js with a loop, a compilation, or a full pool planted in it is recorded under load, and that is part
# of what its slow requests waited for. That holds on a busy machine as well: a plant takes 20 ms at least, and slow is what
# takes longer than 10 or 20. Whether each of seventeen plants is named first, and nothing where none was planted, takes an idle
# machine and an hour: `make evaluate-node`.
set -u
cd "$(dirname "$0")/../.." || exit 70
BUILD=${BUILD:-build}
. tests/tap.sh

# Whether a recording with a plant has what a filter wants of what `tail` says of its requests above a time. Other programs may
# have had the processor while one was made: of three one must.
planted() { # plant, time, filter, options
  local plant=$1 above=$2 filter=$3 try
  shift 3
  for try in 1 2 3; do
    rm -rf "$scratch/kept"
    tests/node/plants.py --only "$plant" --seconds 5 --keep "$scratch/kept" "$@" >"$scratch/out" 2>"$scratch/err"
    "$BUILD/tailproof" tail --json --above "$above" "$scratch/kept/$plant/with-1/store" >"$scratch/log"
    jq -se "$filter" "$scratch/log" >/dev/null && return 0
    echo "# not in recording $try of $plant"
  done
  return 1
}
part='[.[] | select(.kind == "route_part" and .route == "GET /page" and .slow_ns > 0)] | any'

planted files-loop 20ms "$part(.phase == \"in the queue\" and ((.name // \"\") | test(\"held by .*GET /report\")))"
report $? "a planted loop is part of what slow requests waited for"
jq -se '[.[] | select(.kind == "loops")][0] | .requests > 100 and .complete >= 0.99 * .requests' "$scratch/log" >/dev/null
report $? "the chains of what was answered are complete"
planted files-require 20ms "$part(.phase == \"in the queue\" and ((.name // \"\") | test(\"compilation of .*/table.js\")))" --rate 40
report $? "a large module that is compiled anew is part of what slow requests waited for, by the name of its file"
ITERATIONS=40000 planted files-pool 10ms "$part(.phase == \"waiting for I/O\" and ((.name // \"\") | test(\"waits for a thread of the pool .[0-9]+., held by pbkdf2\")))" --rate 40
report $? "work that fills the pool is part of what slow requests waited for"

# Four recordings whose p99 is 8, 8, 8 and 16 ms, of two that of the slower one: halves differ by a factor of 2, whichever.
# All alike: the floor is 0.
python3 - <<'END'
import math
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "tests/node")
import foretold
def floor(p99):
    def ask(*arguments):
        stores = arguments[2:arguments.index("--root")]
        return [{"kind": "predicted", "p": "99", "recorded": {"ns": max(p99[s] for s in stores)}}], None
    foretold.ask = ask
    return foretold.floor_of("4s", list(p99), "GET /quiet/page")["99"]
assert abs(floor({"a": 8, "b": 8, "c": 8, "d": 16}) - math.sqrt(2) * math.log(2)) < 1e-9
assert floor({"a": 8, "b": 8, "c": 8, "d": 8}) == 0
assert foretold.floor_of("4s", ["a"], "GET /page") == {}
said = [foretold.judge_error(math.log(ratio), 0.1, floor) for ratio, floor in ((1.05, 0), (1.2, 0.1), (0.8, 0.1), (1.2, 0.3), (1.2, None))]
assert said == ["within", "beyond", "beyond", "cannot tell", "cannot tell"], said
END
report $? "an error below what halves of the truth differ by is none that can be told"
finish
