#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: `prove` accepts the code as it is and rejects each change below, made in a copy. What the base of this change
# remembers of replays and answers (proofs/base.sh) is believed, but for two sources that are drawn anew for each commit;
# with TEST_ALL everything is replayed.
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/tap.sh
root=$PWD
trap 'exit 130' INT TERM
export PROVE_SECONDS=2 # a goal that does not hold takes all of it

copy_make() {
  rm -rf "$scratch/copy"
  mkdir "$scratch/copy" && cp -r measure steps proofs "$scratch/copy" && cd "$scratch/copy" || exit 70
}

prove() { BUILD=$scratch/build proofs/prove.sh "$@" >"$scratch/log" 2>&1; }

# rejected DESCRIPTION STATUS MESSAGE FILE SED-SCRIPT [MODE ARGUMENT]: the change is made (the file differs),
# prove exits with STATUS and says MESSAGE. Every sixteenth is tried, all of them with TEST_ALL or $always.
listed=0 tried=0 always=${TEST_ALL:-}
rejected() {
  listed=$((listed + 1))
  [ -n "$always" ] || [ $((listed % 16)) -eq 1 ] || return 0 # a sample
  tried=$((tried + 1))
  copy_make
  sed "$5" "$root/$4" >"$4"
  if cmp -s "$4" "$root/$4"; then
    echo "the change does not apply" >"$scratch/log"
    report 1 "$1"
  else
    prove ${6:+"$6" "$7"}
    status=$?
    test "$status" -eq "$2" && grep -qE -e "$3" "$scratch/log"
    report $? "$1"
  fi
  cd "$root" || exit 70
}

source=measure/core/histogram.c
header=measure/core/histogram.h
ticks=measure/core/ticks.c
list=proofs/functions.list

# What was replayed is remembered, and must not be taken for what is changed below.
replayed=$scratch/build/prove/replayed
mkdir -p "$scratch/build/prove"
if [ -z "${TEST_ALL:-}" ]; then
  seed=$(git rev-parse -q HEAD 2>/dev/null || date +%s)
  cut -d' ' -f1 proofs/replayed | sort -u | while read -r place; do
    echo "$(echo "$seed $place" | md5sum | cut -c1-32) $place"
  done | sort | head -n 2 | cut -d' ' -f2 >"$scratch/drawn"
  proofs/base.sh replayed | grep -vFf "$scratch/drawn" >"$scratch/believed"
  proofs/replayed.sh unpack "$scratch/believed" "$replayed"
  report $? "what is remembered of replays can be read"
fi
find "$replayed" -name said 2>/dev/null | sort >"$scratch/before"
prove
report $? "the code as it is"
find "$replayed" -name said | sort >"$scratch/after"
echo "# $(comm -13 "$scratch/before" "$scratch/after" | wc -l) of $(wc -l <"$scratch/after") sources replayed; the others are as" \
  "the base of this change has them (make test-all replays all)"

# Else each run of the tests replays them all again, for two minutes of processor time.
cut -d' ' -f1,2 proofs/replayed | sort -u >"$scratch/kept"
(cd "$replayed" && printf '%s\n' */*) | tr / ' ' | sort | diff "$scratch/kept" - >"$scratch/log"
report $? "proofs/replayed is of the sources as they are (run proofs/prove.sh, then proofs/replayed.sh pack build/prove/replayed)"

# Answers that the change brings along are asked again.
proofs/base.sh answers >"$scratch/answers"
new=$(($(wc -l <proofs/answers) - $(wc -l <"$scratch/answers")))
if [ "$new" -ne 0 ] && git rev-parse -q HEAD >/dev/null 2>&1; then
  copy_make
  cp "$scratch/answers" proofs/answers
  PROVE_SECONDS=600 prove --changed
  report $? "the $new answers that the base has not are those of the prover"
  cd "$root" || exit 70
fi

# A change that says of itself that it was replayed.
forged() {
  git clone -q --shared "$root" "$scratch/forged" && cd "$scratch/forged" && cp "$root/proofs/base.sh" proofs/ && git remote remove origin || return 1
  sed -i 's/^\(measure_core_rate.c \)[0-9a-f]*/\1d41d8cd98f00b204e9800998ecf8427e/' proofs/replayed &&
    sed -i '1s/^[0-9a-f]*/d41d8cd98f00b204e9800998ecf8427e/' proofs/answers &&
    git -c user.name=t -c user.email=t@localhost commit -qam "rate: faster" || return 1
  for file in replayed answers; do
    proofs/base.sh $file >"$scratch/forged.$file"
    grep -q d41d8cd98f00b204e9800998ecf8427e proofs/$file && ! grep -q d41d8cd98f00b204e9800998ecf8427e "$scratch/forged.$file" &&
      [ -s "$scratch/forged.$file" ] || return 1
  done
}
if git rev-parse -q HEAD >/dev/null 2>&1; then
  forged
  report $? "a forged replay or answer is not believed"
  cd "$root" || exit 70
fi
copy_make
sed -i 's|return end - start;|return (end - start);|' $ticks
! cmp -s $ticks "$root/$ticks" && prove --changed ticks_between
report $? "a change that changes nothing"
cd "$root" || exit 70

rejected "bucket index: >= becomes >" 1 "not proved: .*histogram_skip_1" "$source" \
  's/if (below >= 2 \* HISTOGRAM_SUB_BUCKETS)/if (below > 2 * HISTOGRAM_SUB_BUCKETS)/' --refute histogram_skip_1
rejected "bucket index: rounded up" 1 "not proved: .*histogram_skip_1" "$source" \
  's|below /= 2;|below = (below + 1) / 2;|' --refute histogram_skip_1
rejected "ticks: rounded down" 1 "not proved: .*ticks_to_ns_up" measure/core/ticks.c \
  's|(low \* rate + (TICKS_RATE_ONE - 1)) / |low * rate / |' --refute ticks_to_ns_up
rejected "a rate that never falls" 1 "not proved: .*rate_step_ensures_shrinks" measure/core/rate.c \
  's|next = rate_shrunk(limits, next);|;|' --refute rate_step
rejected "a rate that falls at once" 1 "not proved: .*rate_shrunk_ensures_no_more" measure/core/rate.c \
  's|return less < limits->floor ? limits->floor : less;|return limits->floor;|' --refute rate_shrunk
rejected "an answer paired twice" 1 "not proved: .*roundtrip_answer" measure/core/roundtrip.c \
  '/^enum roundtrip_result/,/^}/s/window->waiting\[slot\] = 0;/;/' --refute roundtrip_answer
rejected "the largest value saturates" 1 "not proved: .*histogram_record" "$source" \
  's/if (value_ns > HISTOGRAM_VALUE_MAX_NS)/if (value_ns >= HISTOGRAM_VALUE_MAX_NS)/' --refute histogram_record
rejected "a merge that may overflow" 1 "not proved: .*histogram_merge" "$source" \
  's/if (source->total > UINT64_MAX - histogram->total)/if (source->total == UINT64_MAX)/' --refute histogram_merge
rejected "a merge that loses the saturated" 1 "not proved: .*histogram_merge" "$source" \
  '/histogram->saturated += source->saturated;/d' --refute histogram_merge
always=yes # that what is remembered is not taken for it
rejected "a changed code without new proofs" 1 "without an answer in proofs/answers.*run proofs/prove.sh --update" $ticks \
  's|return end - start;|return end - start + 1;|' --source $ticks
always=${TEST_ALL:-}
rejected "a contradictory requires" 1 "not proved: .*[Ss]moke" "$header" \
  's/requires in_range: value_ns <= HISTOGRAM_VALUE_MAX_NS;/& requires never: value_ns < 0;/' --refute histogram_bucket
rejected "a contract that does not hold" 1 "not proved: .*histogram_total.*never_three" "$header" \
  's/ensures all_recorded:/ensures never_three: \\result != 3; &/' --refute histogram_total
rejected "a listed function without a contract" 1 "histogram_forgotten: .* has no contract" "$list" \
  '$a measure/core/histogram.c histogram_forgotten 1 0.1'
rejected "a contracted function not listed" 1 "histogram_total: .* is not listed" "$list" \
  '/histogram_total/d'
rejected "a function neither contracted nor listed" 1 "ticks_new is not listed" $ticks \
  '$a int ticks_new(void) { return 0; }' --source $ticks
rejected "a goal count that differs" 1 "ticks_between has 27 goals" "$list" \
  's/ticks_between 27/ticks_between 28/' --source $ticks
rejected "a loop without a variant" 1 "loop variants" "$source" '0,/loop variant/{/loop variant/d}'
rejected "an axiom" 1 "assumes what it should prove" proofs/logic/histogram.acsl \
  '$a /*@ axiomatic A { axiom wrong: \\false; } */'

rejected "an axiom with a digit, in a header" 1 "rate.h:[0-9]+: axiom in an axiomatic block: assumes" measure/core/rate.h \
  '/^#include/a /*@ axiomatic A { axiom a1: \\false; } */' --source measure/core/rate.c
rejected "a union" 1 "rate.c:[0-9]+: union: WP takes" measure/core/rate.c \
  '$a static union { int a; char b; } rate_both;' --source measure/core/rate.c

# Other code for the prover than for the compiler, or for one compilation than for another.
ring=measure/core/ring.c
for name in __FRAMAC__ __FC_MACHDEP_GCC_X86_64; do
  rejected "other code under $name" 1 "#ifdef: other code may be compiled" $ring \
    "\$a #ifdef $name\nint ring_other;\n#endif" --source $ring
done
rejected "other code under __FRAMAC__ in a header" 1 "ring.h:[0-9]+: #ifdef: other code" measure/core/ring.h \
  's|^#define RING_CAPACITY_MAX.*|#ifdef __FRAMAC__\n&\n#else\n#define RING_CAPACITY_MAX 33554432\n#endif|' --source $ring
rejected "other code under __FRAMAC__ in a logic file" 1 "ring.acsl:[0-9]+: (#ifndef|#define return)" proofs/logic/ring.acsl \
  '$a #ifndef __FRAMAC__\n#define return return 1 +\n#endif' --source $ring
rejected "code for optimising compilers alone" 1 "#ifdef: other code" $ring \
  '$a #ifdef __OPTIMIZE__\nint ring_other;\n#endif' --source $ring
rejected "a condition written with a trigraph" 1 "a trigraph" $ring \
  '$a ??=ifdef __OPTIMIZE__\nint ring_other;\n??=endif' --source $ring
rejected "a header read by the compiler alone" 1 "__STDC_VERSION__: names that begin with _" $ring \
  '2a #define RING_OTHER __STDC_VERSION__\nenum { ring_other = RING_OTHER };' --source $ring
rejected "a name that is other code when compiled once more" 1 "recording.c: has other code" measure/record/recording.c \
  's|^#define record_valid recording_valid|&\n#define record_in_range(record) 1|' --source measure/core/record.c
rejected "a second contract that nobody proves" 1 "probe_decode has a contract in measure/core/probe.h" proofs/laws/probe.c \
  '3i /*@ assigns \\nothing; ensures wrong: \\false; */\nint probe_decode(struct probe *probe, const uint8_t *bytes, uint64_t size);' --source proofs/laws/probe.c
echo "# $tried of $listed changes tried (make test-all tries all)"

mkdir "$scratch/bin" && ln -s $(ls -d /usr/bin/* /bin/* /usr/local/bin/* 2>/dev/null | awk -F/ '!seen[$NF]++') "$scratch/bin"
for tool in frama-c why3 cvc4 python3; do
  rm "$scratch/bin/$tool"
  (PATH=$scratch/bin prove; test $? -eq 69) && grep -q "missing: $tool" "$scratch/log"
  report $? "without $tool"
  ln -s "$(command -v $tool)" "$scratch/bin/$tool"
done

finish
