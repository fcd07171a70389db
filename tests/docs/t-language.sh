#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What docs/language.md shows of the language is the language: every declaration in its table and every
# block parses. Names stand for anything there, so only mistakes of form (E00xx, E01xx) count.
cd "$(dirname "$0")/../.." || exit 1
program=${BUILD:-build}/tailproof
page=docs/language.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
n=0

parses() { # declarations; ... and TARGET stand for what is left out
  n=$((n + 1))
  {
    [[ $1 == protocol* ]] || echo 'protocol page'
    sed -E 's/\{ \.\.\. \}/{ }/; s/\bTARGET\b/sent M/' <<<"$1"
  } >"$scratch/page.tp"
  "$program" check --json "$scratch/page.tp" >"$scratch/out" 2>"$scratch/err"
  status=$?
  wrong=$(jq -r 'select(.kind == "diagnostic" and (.code | test("^E0[01]"))) | "\(.line):\(.column): \(.code) \(.message)"' "$scratch/out")
  if { [ $status -eq 0 ] || [ $status -eq 65 ]; } && [ -z "$wrong" ]; then
    echo "ok $n - $(head -n 1 <<<"$1")"
  else
    echo "not ok $n - $(head -n 1 <<<"$1")"
    { echo "exit $status"; echo "$wrong"; cat "$scratch/page.tp" "$scratch/err"; } | sed 's/^/# /'
  fi
}

# The first column of the table of declarations; a span that begins with ... continues the one before.
while read -r span; do
  case $span in ...*) ;; *) parses "$span" ;; esac
done < <(sed -n '/^| declaration/,/^$/p' $page | awk -F' \\| ' 'NR > 2 { print $1 }' | grep -oE '`[^`]+`' | tr -d '`')
declarations=$n
while read -r word; do
  [ -n "$word" ] || continue
  n=$((n + 1))
  if sed -n '/^| declaration/,/^$/p' $page | grep -qE "\`$word\b"; then echo "ok $n - the table has $word"; else echo "not ok $n - the table has no $word"; fi
done < <(printf '%s\n' protocol param timing assume enum role external component repeated timeout delay queueing message state schedule action invariant bound phase arrivals)

# The words that are never names, and some of the others.
named() { # word, whether it may be a name
  n=$((n + 1))
  printf 'protocol page\nrole r\ncomponent %s\naction r.Go cost %s { }\nbound b: when true at r within %s\n' "$1" "$1" "$1" >"$scratch/page.tp"
  found=$("$program" check "$scratch/page.tp" 2>&1 | grep -c "hint: \"$1\" is a word of the language")
  if { [ "$found" -gt 0 ] && echo no || echo yes; } | grep -qx "$2"; then echo "ok $n - $1 is a name: $2"; else echo "not ok $n - $1 is a name: $2"; fi
}
sed -n '/^These words are never names/,/^$/p' $page | tr '\n' ' ' | sed 's/within`.*/within`/' | grep -oE '`[a-z]+`' | tr -d '`' >"$scratch/listed"
grep -oE '\{"[a-z]+", TOKEN_' lang/scanner.l | cut -d'"' -f2 | grep -vxE 'first|last|next|prev|index|time|receiver' >"$scratch/words"
n=$((n + 1))
if diff "$scratch/words" "$scratch/listed" >"$scratch/diff"; then echo "ok $n - the list of words"; else sed 's/^/# /' "$scratch/diff"; echo "not ok $n - the list of words"; fi
while read -r word; do named "$word" no; done <"$scratch/words"
for word in phase phases timeout timer start end over fifo ghost by reads repeated schedule timing now slot first last next prev index time receiver began upto arrival arrivals every burst jitter paced loses lost losses priority; do named $word yes; done

# Indented blocks.
awk -v dir="$scratch" '
  /^    / { if (!inside) blocks++; inside = 1; print substr($0, 5) >(dir "/" blocks ".block"); next }
  /^$/ && inside { print "" >(dir "/" blocks ".block"); next }
  { inside = 0 }' $page
for block in "$scratch"/*.block; do
  parses "$(cat "$block")"
done
echo "1..$n"
[ "$declarations" -ge 20 ] && [ -f "$scratch/2.block" ]
