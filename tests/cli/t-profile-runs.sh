#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# profile diff of runs of a real program: nothing is called changed between two runs of the same, but for one pair in
# twenty at the level of 5 %; and what has changed is. Only with TEST_ALL=1: it samples for a minute or more.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 70
run profile -- true
check "sampling is possible, or it is said why not" 'exits 0 || { exits 69 && err "tailproof profile: "; }'
if [ "$status" -eq 69 ] || [ -z "${TEST_ALL:-}" ]; then
  echo "# skip: runs are compared with TEST_ALL=1, where the machine lets programs be sampled"
  finish
  exit
fi

# Work of several kinds in random order, so many at a time; SECONDS of it, AT MOST so often, and one kind more often.
cat >mix.py <<'END'
import hashlib, json, random, re, sys, time, zlib
random.seed(7)
text = json.dumps([{"id": i, "name": "user%d" % i, "v": [random.random()] * 20} for i in range(200)])
values = [random.random() for _ in range(3000)]
kinds = [lambda: json.loads(text), lambda: re.findall(r'"name": "(\w+)"', text), lambda: zlib.compress(text.encode()),
         lambda: sorted(values), lambda: hashlib.sha256(text.encode()).digest(), lambda: text.replace("user", "guest")]
kinds += [kinds[2]] * int(sys.argv[3])
random.seed()
end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    work = random.choice(kinds)
    for _ in range(random.randrange(1, int(sys.argv[2]))):
        work()
END
record() { # file, arguments of the program
  local file=$1
  shift
  "$program" profile --rate 999 --out "$file" -- python3 mix.py "$@" >/dev/null || failed=1
}
significant() { # of two files
  "$program" profile diff "$1" "$2" --json | jq 'select(.kind == "difference") | if .judged then .significant else "not judged" end'
}

failed=0
# Of 20 pairs one is expected at most; 4 or more have a chance of 1.6 %.
for most in 5 100; do
  pairs=0 functions=0
  for ((pair = 0; pair < 20; pair++)); do
    record a.tpp 0.5 $most 0
    record b.tpp 0.5 $most 0
    found=$(significant a.tpp b.tpp)
    [ "$found" = 0 ] || pairs=$((pairs + 1))
    [ "$found" = 0 ] || functions="$functions $found"
  done
  last="in $pairs of 20 pairs something is called changed ($functions), stretches of up to $most"
  check "runs of the same program, stretches of up to $most" '[ "$failed" -eq 0 ]' '[ "$pairs" -le 3 ]'
  echo "# $last"
done
record a.tpp 3 5 0
record b.tpp 3 5 2
check "what is done more often is seen" '[ "$(significant a.tpp b.tpp)" -gt 0 ]'

finish
