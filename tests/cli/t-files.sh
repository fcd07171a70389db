#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files of every kind given as a protocol: unreadable is 66, full of mistakes 65, and all mistakes of a
# file come in one run, each with its place.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
: >empty.tp
head -c 4096 /dev/zero | tr '\0' '\377' >binary.tp
printf '\177ELF\002\001\001\0\0\0\0' >elf.tp
mkdir folder.tp
cat >five.tp <<'END'
protocol five
param n : int >= 1
role primary
role backup[n]
component Work, Work2[backup]
delay d
message Ping(to: backup) : primary -> backup to
state primary {
  done : bool = 3
}
action primary.Start cost Work {
  when not dnoe
  send Ping(b) for all b in bakup
}
action backup b.Handle on Ping(b) cost Wrok[b] {
}
bound reply: sent Png(first) within Work + d(Ping(first))
END
cat >syntax.tp <<'END'
protocol syntax
param n int
role primary
message Ping : primary ->
state primary { done : bool = }
bound reply: sent Ping within Work +
END

for command in check format verify bound "percentiles --data folder.tp"; do
  name=${command%% *}
  # shellcheck disable=SC2086
  {
    run $command missing.tp
    check "$name: missing file" 'exits 66' 'err "missing.tp: cannot be opened: No such file or directory"'
    run $command folder.tp
    check "$name: directory" 'exits 66' 'err "folder.tp: is a directory"'
    run $command empty.tp
    check "$name: empty file" 'exits 65' 'err "empty.tp:1:1: error[E0106]"' 'err "protocol NAME"'
    run $command binary.tp
    check "$name: binary file" 'exits 65' 'err "binary.tp:1:1: error[E0104]"'
    run $command elf.tp
    check "$name: executable" 'exits 65' 'err "elf.tp:1:"' 'err "error["'
    run $command five.tp
    check "$name: five mistakes, five diagnostics" 'exits 65' '[ "$(grep -c ": error\[" err)" -eq 5 ]' \
      'err "five.tp:9:17: error[E0301]: "' 'err "five.tp:12:12: error[E0202]: "' 'err "did you mean \"done\"?"' \
      'err "five.tp:13:29: error[E0202]: "' 'err "did you mean \"backup\"?"' 'err "five.tp:15:40: error[E0206]: "' \
      'err "five.tp:17:19: error[E0205]: "' 'err "did you mean \"Ping\"?"'
  }
done
check "a caret stands under the mistake" 'grep -A 1 "^ *12 | " err | tail -n 1 | grep -qE "^ +\| {12}\^\^\^\^$"'

run check syntax.tp
check "syntax mistakes do not hide one another" 'exits 65' '[ "$(grep -c ": error\[" err)" -ge 4 ]' \
  'err "syntax.tp:2:9: error[E0101]: unexpected \"int\", expected \",\" or \":\""' 'err "syntax.tp:5:31: error[E0101]"'

run check --json five.tp
check "the same as JSON, on stdout" 'exits 65' 'quiet_err' 'json_lines' \
  'json "[.[] | select(.kind == \"diagnostic\")] | length == 5 and all(.severity == \"error\" and .file == \"five.tp\")"' \
  'json ".[1] | .line == 12 and .column == 12 and .code == \"E0202\" and (.hint | test(\"done\"))"'

# How many have what another one says: no sum, and what the hint says instead is proved.
cat >reached.tp <<'END'
protocol reached
param n : int >= 1
param r : int >= 1
assume r <= n
role leader
role rep[n]
external user
delay d
message Out : leader -> user
state leader { gone : bool = false  least : int = 0  matched : map rep to int = 0 }
action leader.Go { when not gone  gone := true  send Out }
invariant once: sent Out implies gone
invariant most: sum x in rep (if matched[x] >= least then 1 else 0) >= r
bound out: from sent Out delivered Out within d(Out)
END
run check reached.tp
check "a count of who reaches another's number: the hint says how" 'exits 65' 'err "E0470"' \
  'err "kth(SIZE - r + 1, x in rep (..)) >= least"'
sed 's/^invariant most:.*/invariant most: kth(n - r + 1, x in rep (matched[x])) >= least/' reached.tp >said.tp
run verify said.tp
check "and that is proved" 'exits 0' 'out "1 proved, 0 refuted, 0 unknown"'

run verify five.tp "$specs/lock.tp" missing.tp
check "one bad file does not hide the others, the worst decides" 'exits 66' 'out "full_circle: proved"' \
  'err "five.tp:9:17"' 'err "missing.tp"'
run check "$specs"/*.tp
check "the shipped protocols pass without a word on stderr" 'exits 0' 'quiet_err'

{ echo 'protocol long'; printf '# '; head -c 10000000 /dev/zero | tr '\0' x; echo; } >long.tp
run check long.tp
check "a comment of 10 MB is a comment" 'exits 0'
{ echo 'protocol long'; printf 'param '; head -c 10000000 /dev/zero | tr '\0' x; echo ': int'; } >name.tp
run check name.tp
check "a name of 10 MB is shortened when shown" 'exits 0' '[ "$(wc -c <err)" -lt 5000 ]'
{ echo 'protocol long'; printf 'assume 1'; head -c 10000000 /dev/zero | sed 's/\x00/+1/g'; echo ' > 0'; } >sum.tp
run check sum.tp
check "a sum of 10 million terms is refused, not crashed over" 'exits 65' 'err "sum.tp:2:"' 'err "too many terms"' \
  '[ "$(wc -c <err)" -lt 5000 ]'
{ echo 'protocol deep'; printf 'assume '; head -c 10000000 /dev/zero | tr '\0' '('; echo; } >deep.tp
run check deep.tp
check "ten million brackets are refused, not crashed over" 'exits 65' 'err "deep.tp:2:"' 'err "error["'

sed 's/$/\r/' "$specs/lock.tp" >crlf.tp
run verify crlf.tp
check "lines that end in CR LF" 'exits 0' 'out "3 proved"'
printf 'protocol p\n\033[31m \007 param\n' >escape.tp
run check escape.tp
check "control characters are not passed on to the terminal" 'exits 65' '! grep -q "[[:cntrl:]]" err'

mkdir 'a folder'
cp "$specs/lock.tp" 'a folder/-x y.tp'
run check -- 'a folder/-x y.tp'
check "blanks in a path" 'exits 0' 'out "a folder/-x y.tp: protocol lock"'
cp "$specs/lock.tp" ./-dash.tp
run check -- -dash.tp
check "a name that looks like an option, behind --" 'exits 0'

finish
