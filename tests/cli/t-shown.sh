#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Text of foreign files reaches no terminal and no CI system as commands: escape sequences, C1
# controls, marks of direction and lines of its own, in names, cells and tags.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
esc=$'\033[31m' bidi=$'\u202e' c1=$'\u009b'
hidden=$esc$bidi$c1
shows_nothing() { ! LC_ALL=C grep -aqE $'\033|\342\200\256|\302\233|\302\205|\r|^(::|##\[)' out err; }
printf 'b%s_us,a_us\n1,2\n' "$hidden" >column.csv
printf 'op,a_us\nx%s,1\ny,2\n' "$hidden" >kinds.csv
printf 'status%s,a_us\n%s,2\n' "$bidi" "$hidden" >status.csv
for m in "$hidden" y; do printf 'a_seconds_bucket{m="%s",le="1"} 5\na_seconds_bucket{m="%s",le="+Inf"} 5\n' "$m" "$m"; done >page.prom
printf 'Tag=%s,0,1,2,HISTFAAA\n' "$hidden" >log.hlog
for file in column.csv kinds.csv status.csv page.prom log.hlog; do
  run import --out bad "$file" --unit log=us
  check "$file" 'exits 65' '! quiet_err' shows_nothing
done
nasty="n$hidden"$'\n'"::error::$bidi"
NASTY=$nasty python3 - <<'END'
import json, os
name, spans = os.environ["NASTY"], []
for i in range(40):
    for k in range(2):
        spans.append({"traceId": "%032x" % (i + 1), "id": "%016x" % (2 * i + k + 1), "name": "o%d" % k + name,
                      "timestamp": 1700000000000000 + i * 1000000 + k * 100, "duration": 1000 - 500 * k + i * 10,
                      "localEndpoint": {"serviceName": "s" + name}, "tags": {"k" + name: "v%d" % (i % 2) + name}})
        if k:
            spans[-1]["parentId"] = spans[-2]["id"]
json.dump(spans, open("raw.json", "w"), ensure_ascii=False)
json.dump(spans, open("escaped.json", "w"))
END
for file in raw escaped; do
  for words in "tail --above p50" "tail --above p50 --json" "trace path" "trace path --json" "draft --out $file.tp"; do
    # shellcheck disable=SC2086
    run $words $file.json
    check "$words of $file names" 'exits 0' shows_nothing
  done
done
check "nor does a drafted protocol" '! LC_ALL=C grep -aqE "$(printf "\033|\342\200\256|\302\233")" raw.tp/*'
printf 'main%s;work%s 5\nmain 3\n' "$c1" "$bidi" >stacks.folded
for more in "" --json; do
  # shellcheck disable=SC2086
  run profile show stacks.folded $more
  check "profile show $more" 'exits 0' 'out work' shows_nothing
done
printf 'protocol x%s\n' "$hidden" >bad.tp
for format in text json markdown junit sarif; do
  run verify bad.tp --format $format
  check "verify as $format" 'exits 65' shows_nothing
done
file="A$esc"$'\n'"::error::x.csv"
run import --out bad "$file"
check "the name of a file" 'exits 66' '! quiet_err' shows_nothing
finish
