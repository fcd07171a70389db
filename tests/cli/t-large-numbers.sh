#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Numbers far from 0 cost nothing: an epoch that no bound uses, messages numbered from a large one on, a parameter, ranges
# that no execution fills. A program that counts to them does not end.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

log() { # parameter, first number
  cat <<END
protocol large
$1
role log
external user
component Sync
delay d
message Written(k: int) : log -> user
message Mark(k: int)    : log -> user
state log {
  offset : int = $2
  epoch : int = 1700000000
  marks : int = 0
}
action log.Append at any time { offset := offset + 1  send Written(offset) }
action log.Marks cost Sync {
  when marks < 1 and epoch > 0
  marks := marks + 1
  send Mark(marks)
}
invariant numbered: offset >= $2 and epoch == 1700000000 and forall i in int. sent Written(i) iff $2 < i and i <= offset
invariant marked: 0 <= marks and marks <= 1 and forall i in int. sent Mark(i) iff 1 <= i and i <= marks
bound written: from sent Written(k) delivered Written(k) within d(Written(k))
bound before: from sent Written(k) delivered Written(k) within max j in 0..k (d(Written(j)))
bound less: from sent Written(k) delivered Written(k) within 0*d(Written(k))
bound marks for all k in 1..4000000000000: from sent Mark(k) delivered Mark(k) within d(Mark(k))
END
}
log '' 1700000000000 >offset.tp
log 'param Start : int >= 1700000000' Start >start.tp
for file in offset start; do
  run verify --no-cache $file.tp
  check "$file: verdicts, and how tight they are" 'exits 1' 'grep -A2 ": written: proved" out | grep -q "^    tight"' \
    'out "$file.tp: before: proved"' 'out "$file.tp: less: refuted"' 'out "$file.tp: marks: proved"' 'out "3 proved, 1 refuted, 0 unknown"'
done
run simulate offset.tp --bound before --arrivals constant:1000/s --always d=1ms --always Sync=1ms --requests 40
check "simulated; a bound of more terms than can be added up is infinite" 'exits 0' 'out "1.000 ms"' 'out "infinite"'

# A choice of one of 4e9 numbers: what is found among the first is right, that there is nothing is not known.
cat >choice.tp <<'END'
protocol choice
role a
external user
component Think
delay d
message Out(k: int) : a -> user
state a { done : bool = false }
action a.Go(k in 1..4000000000) cost Think { when not done  done := true  send Out(k) }
invariant once: forall i in int. sent Out(i) implies done and 1 <= i and i <= 4000000000
bound early for all k in 1..4000000000: from sent Out(k) delivered Out(k) within 0*d(Out(k))
END
run verify --no-cache choice.tp
check "a choice of very many" 'exits 1' 'out "early: refuted"' 'out "sends Out("'
finish
