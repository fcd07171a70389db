#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Profiles that other programs write, as they write them; and what is lost
# from one form to another. The forms themselves are tested by tests/unit/trace/t-stacks-forms.c.
tools=$(cd "$(dirname "$0")/../tools" && pwd)
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 70

# --- V8: the same functions as node says itself ---
cat >work.js <<'END'
function hash(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
const end = process.cpuUsage().user + 60000;
let x = 0;
while (process.cpuUsage().user < end) x += hash(100000);
END
node --cpu-prof --cpu-prof-name=node.cpuprofile work.js
run profile show node.cpuprofile --json
check "a profile of V8" 'exits 0' 'json_lines' 'json ".[0].unit == \"ns of wall\" and .[0].samples > 10"' \
  'json "[.[] | select(.name? and (.name | startswith(\"hash work.js:1:14\")))][0].self_share > 0.3"'
jq -r '. as $p | [.samples, .timeDeltas] | transpose | [foreach .[] as [$id, $d] (null; {id: $id, at: ((.at // $p.startTime) + $d)})] as $s
  | [range($s | length) | {id: $s[.].id, w: (($s[. + 1].at // $p.endTime) - $s[.].at)}] | map(.w) | add' node.cpuprofile >theirs
run profile show node.cpuprofile --json
check "of as much time" 'json ".[0].weight == 1000 * $(cat theirs)"'
run profile show node.cpuprofile --format folded --out node.folded
check "what folded stacks cannot hold is said" 'exits 0' 'err "node.cpuprofile: left out: moments and threads of samples"'
run profile show node.cpuprofile --format pprof --out node.pb.gz
check "pprof can" 'exits 0' 'quiet_err'
python3 "$tools/pprof.py" node.pb.gz >decoded
check "samples and time" 'grep -qx "# type samples count" decoded' 'grep -qx "# type wall nanoseconds" decoded'
run tail node.cpuprofile
check "another question names it" 'exits 65' 'err "is a profile of V8 (.cpuprofile), and holds no"'

# --- perf.data, where perf is ---
printf 'PERFILE2h\0\0\0' >broken.data
if command -v perf >/dev/null && perf record -q -e cpu-clock -F 499 -g -o perf.data -- sha256sum "$program" >/dev/null 2>&1; then
  perf script -i perf.data >perf.txt 2>/dev/null
  run profile show perf.txt --format folded
  grep -v '^#' out >theirs
  run profile show perf.data --format folded
  check "perf.data as perf script prints it" 'exits 0' 'grep -v "^#" out | cmp - theirs' '[ -s theirs ]'
  run profile show broken.data
  check "perf says no" 'exits 65' 'err "broken.data: perf cannot print it; see what it says: perf script -i FILE"' 'quiet_out'
fi
"$program" profile show - <broken.data >out 2>err
check "where perf cannot read it" 'err "is a recording of perf (perf.data); print it: perf script -i"'
if command -v jfr >/dev/null; then
  printf 'FLR\0\0\2\0\1' >broken.jfr
  run profile show broken.jfr
  check "jfr says no" 'exits 65' 'err "broken.jfr: jfr cannot print it"'
fi

# --- pprof: all values, units, the period, and what has no place ---
python3 - <<'END'
import gzip
def number(field, value):
    out = bytes([field << 3])
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])
def message(field, body):
    return bytes([field << 3 | 2, len(body)]) + body
strings = ["", "alloc_objects", "count", "alloc_space", "bytes", "main", "hot", "request", "space"]
def profile(label):
    out = message(1, number(1, 1) + number(2, 2)) + message(1, number(1, 3) + number(2, 4))
    out += message(2, message(1, bytes([2, 1])) + message(2, bytes([3, 90])) + (message(3, number(1, 7) + number(2, 6)) if label else b""))
    out += b"".join(message(4, number(1, i) + number(3, 4096) * label + message(4, number(1, i) + number(2, 7) * label)) + message(5, number(1, i) + number(2, i + 4)) for i in (1, 2))
    out += number(9, 1700000000000000000) + number(10, 5000000000) + message(11, number(1, 8) + number(2, 4)) + number(12, 524288)
    return gzip.compress(out + b"".join(message(6, s.encode()) for s in strings))
open("alloc.pb.gz", "wb").write(profile(1))
open("plain.pb.gz", "wb").write(profile(0))
END
run profile show alloc.pb.gz
check "the default value, in its unit" 'exits 0' 'out "90 bytes of alloc_space"'
run profile show alloc.pb.gz --event alloc_objects
check "another" 'exits 0' 'out "3 alloc_objects"'
run profile show alloc.pb.gz --event cpu
check "one that is not there" 'exits 65' 'err "alloc.pb.gz: has no value cpu; it has alloc_objects, alloc_space"'
run profile show alloc.pb.gz --format pprof --out again.pb.gz
check "what has no place is said in a line" 'exits 0' 'err "alloc.pb.gz: left out: numbers of lines; addresses; labels (request)"' '[ "$(wc -l <err)" -eq 1 ]'
run profile show plain.pb.gz --format pprof --out plain2.pb.gz
check "nothing, where there is nothing" 'exits 0' 'quiet_err'
run merge --out sum.pb.gz alloc.pb.gz plain.pb.gz
check "a sum says it, too" 'exits 0' 'out "sum.pb.gz: left out: numbers of lines; addresses; labels (request)"' 'out "180 bytes of alloc_space"'
python3 "$tools/pprof.py" sum.pb.gz >decoded
check "all values are added" 'grep -qx "# type alloc_objects count" decoded' 'grep -qx "# type alloc_space bytes" decoded' 'grep -qx "# period space bytes 524288" decoded' \
  'grep -qx "# time 1700000000000000000 duration 10000000000" decoded' 'grep -qx "main;hot 6 180" decoded'
printf '# unit=samples samples=99 heaviest=1 rate=99\nmain;a 99\n' >rated.folded
run profile show rated.folded --format pprof --out rated.pb.gz
python3 "$tools/pprof.py" rated.pb.gz >decoded
check "samples have their time" 'grep -qx "main;a 99 1000000000" decoded' 'grep -qx "# period cpu nanoseconds 10101010" decoded'
run merge --out time.pb.gz rated.folded rated.pb.gz
python3 "$tools/pprof.py" time.pb.gz >decoded
check "and time its samples" 'exits 0' 'grep -qx "main;a 198 2000000000" decoded' 'grep -qx "# period cpu nanoseconds 10101010" decoded'
if [ "${TEST_ALL:-0}" = 1 ] && command -v go >/dev/null; then
  HOME=$scratch go tool pprof -top -sample_index=samples time.pb.gz >top 2>go.err
  check "Go's pprof reads it" 'grep -q "198 *100% *100% *198 *100% *a" top' 'HOME=$scratch go tool pprof -raw time.pb.gz 2>&1 | grep -qx "PeriodType: cpu nanoseconds"'
fi
finish
