#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recorded stacks, where they are present: what stackcollapse-perf.pl made of the text of perf script is made of it again,
# byte by byte, and so is what folded, pprof and merged files say of it.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
data=../shared/data/stacks
if [ ! -f $data/expected.csv ]; then
  echo "# SKIP recorded stacks: $data/expected.csv is not here"
  echo "ok 1 - no recorded stacks # SKIP"
  echo 1..1
  exit 0
fi
command -v jq >/dev/null || { echo "not ok 1 - jq is missing (apt-get install jq)"; exit 69; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
program=$BUILD/tailproof n=0
check() { # title, command...
  local title=$1
  shift
  n=$((n + 1))
  if "$@"; then echo "ok $n - $title"; else echo "not ok $n - $title"; fi
}
words() { case $1 in *-tid*) echo thread ;; *-pid*) echo process ;; *) echo command ;; esac; }
bare() { sed '1{/^# unit=/d}'; } # without what our folded text says of itself first
folded() { "$program" profile show "$@" --format folded | bare; }
plain() { case $1 in *.gz) zcat "$1" ;; *) cat "$1" ;; esac; }

# The recorded results of tid and pid for Java are older than the rules: those with .current are by the rules, and take the
# place of those of the same name. Kernel and run-time marks are in `all` alone.
for file in "$data"/folded/*; do
  name=$(basename "$file")
  current=${file/.txt/.current.txt}
  case $name in *.current.*) ;; *) [ -f "$current" ] && continue ;; esac
  raw=$data/raw/${name%-*}.txt.gz
  folded "$raw" --first "$(words "$name")" >"$scratch/made"
  case $name in *-all*) ;; *)
    sed -E 's/_\[[kj]\](;| [0-9]+$)/\1/g' "$scratch/made" >"$scratch/unmarked"
    folded "$scratch/unmarked" >"$scratch/made" ;; # in the order of the names without marks
  esac
  plain "$file" >"$scratch/recorded"
  check "$name from the text of perf script" cmp -s "$scratch/made" "$scratch/recorded"
  folded "$file" | cmp -s - "$scratch/recorded"
  check "$name read and written" test $? -eq 0
  "$program" profile show "$file" --format pprof --out "$scratch/p.pb.gz"
  "$program" merge --out "$scratch/merged" "$scratch/p.pb.gz" >/dev/null
  check "$name by way of pprof and merge" cmp -s <(bare <"$scratch/merged") "$scratch/recorded"
done

# stacks, samples, deepest stack and the five heaviest leaves
while IFS=, read -r file stacks samples deepest _ _ _ leaves; do
  folded "$data/$file" >"$scratch/made"
  said=$(awk '{ count = $NF; sub(/ [0-9]+$/, ""); depth = split($0, frames, ";"); if (depth > deepest) deepest = depth
    sum += count; own[frames[depth]] += count } END { print NR, sum, deepest
    for (leaf in own) print own[leaf] "\t" leaf >"/dev/stderr" }' "$scratch/made" 2>"$scratch/leaves")
  check "$file: stacks, samples, depth" test "$said" = "$stacks $samples $deepest"
  top=$("$program" profile show "$data/$file" --json --full | jq -rs '[.[] | select(.kind == "function" and .self > 0)] | sort_by(-.self, .name)[:5] | map("\(.name)=\(.self)") | join(" | ")')
  check "$file: the heaviest leaves" test "$top" = "$leaves"
done < <(sed 1d "$data/expected.csv")

# both Java recordings, in either order; and the difference of one and itself
"$program" merge --out "$scratch/a.pb.gz" "$data"/raw/perf-java-stacks-01.txt.gz "$data"/raw/perf-vertx-stacks-01.txt.gz >/dev/null
"$program" merge --out "$scratch/b.pb.gz" "$data"/raw/perf-vertx-stacks-01.txt.gz "$data"/raw/perf-java-stacks-01.txt.gz >/dev/null
check "either order of merging gives the same bytes" cmp -s "$scratch/a.pb.gz" "$scratch/b.pb.gz"
folded "$scratch/a.pb.gz" >"$scratch/made"
cat <(plain "$data"/folded/perf-java-stacks-01-all.txt) <(plain "$data"/folded/perf-vertx-stacks-01-all.txt.gz) |
  awk '{ count = $NF; sub(/ [0-9]+$/, ""); sum[$0] += count } END { for (stack in sum) print stack " " sum[stack] }' | LC_ALL=C sort >"$scratch/added"
LC_ALL=C sort "$scratch/made" | cmp -s - "$scratch/added"
check "the merged graph has the sums of both" test $? -eq 0
none=$("$program" profile diff "$data"/raw/perf-vertx-stacks-01.txt.gz "$data"/raw/perf-vertx-stacks-01.txt.gz --json | jq -rs '.[0].significant')
check "a recording has not changed from itself" test "$none" -eq 0
# Each box of the drawing of a difference: its share, and by how much that differs, from the recorded folded stacks.
"$program" profile diff "$data"/raw/perf-java-stacks-01.txt.gz "$data"/raw/perf-vertx-stacks-01.txt.gz --plot "$scratch/diff.html" >/dev/null
plain "$data"/folded/perf-java-stacks-01-all.txt >"$scratch/before"
plain "$data"/folded/perf-vertx-stacks-01-all.txt.gz >"$scratch/after"
python3 - "$scratch" <<'END'
import collections, html, re, sys
def shares(path):
    weights, total = collections.Counter(), 0
    for line in open(path, encoding="utf-8"):
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        total += int(count)
        frames = stack.split(";")
        for depth in range(1, len(frames) + 1):
            weights[";".join(frames[:depth])] += int(count)
    return {stack: 100 * weight / total for stack, weight in weights.items()}
before, after = shares(sys.argv[1] + "/before"), shares(sys.argv[1] + "/after")
possible = collections.Counter((stack.rsplit(";", 1)[-1], "%.2f" % share, "%+.2f" % (share - before.get(stack, 0))) for stack, share in after.items())
possible += collections.Counter((stack.rsplit(";", 1)[-1], "%.2f" % share, "%+.2f" % (after.get(stack, 0) - share)) for stack, share in before.items())
drawn = collections.Counter(re.findall(r"(.*), ([0-9.]+) %, weight [0-9]+, ([+-][0-9.]+) percentage points", "\n".join(
    html.unescape(title) for title in re.findall(r"<title>([^<]*)</title>", open(sys.argv[1] + "/diff.html", encoding="utf-8").read()))))
del drawn[("all", "100.00", "+0.00")] # of both graphs
wrong = drawn - possible
print("#", sum(drawn.values()), "boxes drawn of", len(after), *list(wrong)[:5])
sys.exit(bool(wrong) or sum(drawn.values()) < 100)
END
check "the drawing of a difference has the shares of the recorded stacks" test $? -eq 0
echo "1..$n"
