#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The theory beside the code: the table of obligations and the quotations are those of the code, and what does not fit is
# named. With TEST_ALL Coq checks the theorems, and the check is seen to fail on a proof that is left out, on an axiom and on
# a theorem that lacks an obligation; the worked example is a protocol that is proved.
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/tap.sh
check "each kind of obligation has its place in the theory, and what the theory quotes is said in the code" \
  scripts/theory.py --check
check "each shipped protocol has a row in the table of what is compared" scripts/theory_compared.py --check

tree=$scratch/tree
mkdir -p "$tree/proofs" "$tree/solver/prove" "$tree/solver/encode" "$tree/lang"
restore() {
  rm -rf "$tree/proofs/theory"
  cp -r proofs/theory "$tree/proofs"
  cp solver/prove/proof.h solver/prove/progress.h solver/prove/property.c "$tree/solver/prove"
  cp solver/encode/*.[ch] solver/encode/fact.def "$tree/solver/encode"
  cp lang/model.h lang/term.h "$tree/lang"
  cp SOUNDNESS.md "$tree"
}

# complains NAME FILE SED COMPLAINT: after the change of the file the check fails and says so.
complains() {
  restore
  sed -i "$3" "$tree/$2"
  scripts/theory.py "$tree" --check >"$scratch/out" 2>&1
  [ $? -eq 1 ] && ! cmp -s "$2" "$tree/$2" && grep -qF "$4" "$scratch/out"
  report $? "named: $1"
}
complains "a new kind of obligation" solver/prove/proof.h 's/^  OBLIGATION_END,/  OBLIGATION_NEW, \/* new *\/\n&/' \
  "OBLIGATION_NEW is neither a hypothesis in proofs/theory nor said not to be one yet"
complains "a kind that is gone" solver/prove/proof.h '/^  OBLIGATION_ONCE,/d' "OBLIGATION_ONCE is no kind"
complains "a hypothesis that is no obligation" proofs/theory/Induction.v '/^  (\* OBLIGATION_EARLY \*)/d' \
  "phases_early of phases_proved has no tag"
complains "obligations on which no theorem rests" proofs/theory/Induction.v 's/^Record bound_proved/Record other_proved/' \
  "no theorem rests on other_proved"
complains "a kind that is used after all" proofs/theory/Induction.v 's/^   The names of the obligations/   NOT YET OBLIGATION_TOTAL: why\n&/' \
  "OBLIGATION_TOTAL is a hypothesis in proofs/theory and said not to be one yet"
complains "another meaning in the code" lang/model.h 's/max(tN, tM)  /min(tN, tM)  /' \
  'Model.v quotes "max(tN, tM) with a message", which is said nowhere'
complains "a fact without a lemma" proofs/theory/Facts.v 's/^(\* FACT_SET_SOME: /(* /' "SET_SOME has no lemma in proofs/theory"
complains "a fact that is asserted nowhere" solver/encode/owner.c 's/FACT_OWNER_NODE/FACT_BARE/' "OWNER_NODE is asserted nowhere"
complains "a lemma on no fact" solver/encode/fact.def '/^FACT(SUM_GATHERED,/d' "FACT_SUM_GATHERED is no schema"
complains "an assertion without a name" solver/encode/owner.c \
  's/encoder_assume(e, FACT_OWNED_SIZE, /vector_push(\&e->axioms, /' "asserts an axiom without a name"
complains "a proof that is left out" proofs/theory/Standard.v '0,/^Qed\./s//Admitted./' "Admitted is not for this folder"
complains "another table" proofs/theory/README.md 's/^| END | the phase ends in time/| END | the phase ends/' \
  "its table is not what scripts/theory.py prints"

if [ -z "${TEST_ALL:-}" ]; then
  finish
  exit
fi

check "Coq proves every theorem, from nothing" make -s theory BUILD="${BUILD:-build}" THEORY="$scratch/theory"
check "the worked example is proved" "${BUILD:-build}/tailproof" verify proofs/theory/ask.tp

# The encoder's queries say what the theory's formulas say; a query that says something else is found. (SPOIL is done to queries.)
program=${BUILD:-build}/tailproof
encoder() { LIMIT=3000 proofs/theory/encoder.sh "$scratch/theory" "$program" "$@" >"$scratch/out" 2>&1; }
encoder proofs/theory/ask.tp specs/group_commit.tp && grep -q '^group_commit: 200 equivalent, 0 one way, 0 differs, 0 open, 0 not' "$scratch/out"
report $? "the encoder's queries are the theory's formulas"
# spoilt NAME SED COMPLAINT
spoilt() {
  SPOIL=$2 encoder proofs/theory/ask.tp
  [ $? -eq 1 ] && grep -q "^differs: .*$3" "$scratch/out"
  report $? "found: $1"
}
spoilt "a delay left out of a delivery" 's/(+ ?x18 occurrence.d.Reply)/?x18/' "another goal"
spoilt "a guard left out" 's/^ (not state.client.asked))/ true)/' "the query lacks (not state.client.asked)"
spoilt "a premise too many" 's/^ (and sent.Request \$x3)))/ (and sent.Request $x3 (<= delivery.Request clock.server))))/' \
  "the theory lacks (<= delivery.Request clock.server)"
spoilt "a start at the sum of the times" 's/(ite \$x16 clock.server delivery.Request)/(+ clock.server delivery.Request)/' "another goal"
spoilt "an invariant that is another" 's/(=> sent.Reply received.Request))/(=> received.Request sent.Reply))/' "no assertion is the invariant"

# planted NAME FILE SED PROTOCOL COMPLAINT: after the change of the encoder's code the comparison says so. What is built in
# `build` is newer than its sources there, too: nothing but the change is compiled.
mkdir "$scratch/code"
git ls-files -z | xargs -0 cp -a --parents -t "$scratch/code"
[ "${BUILD:-build}" != build ] || for folder in base cli dist format generate generated lang measure show solver steps trace; do
  find "build/$folder" -name '*.[chdoa]' -print0 | xargs -0 cp -a --parents -t "$scratch/code"
done
planted() {
  cp "$2" "$scratch/code/$2"
  sed -i "$3" "$scratch/code/$2"
  ! cmp -s "$2" "$scratch/code/$2" && make -s -C "$scratch/code" BUILD=build build/tailproof >"$scratch/out" 2>&1 &&
    (program=$scratch/code/build/tailproof && encoder "$4")
  [ $? -eq 1 ] && grep -q "^differs: .*$5" "$scratch/out"
  report $? "found: $1"
  cp "$2" "$scratch/code/$2"
}
planted "an order on a FIFO channel that is strict" solver/encode/fifo.c \
  '/^static smt_term is_not_before/,/^}/s/smt_le(smt, symbolic_order/smt_lt(smt, symbolic_order/' specs/periodic_load.tp "the theory lacks"
planted "a message that alone is the first" solver/encode/urgency.c \
  's/smt_le(smt, due->taken, delivery)/smt_lt(smt, due->taken, delivery)/' specs/periodic_load.tp "the theory lacks"
planted "an arrival at the clock" solver/encode/transition.c \
  's/set_time(x, SYMBOLIC_ARRIVAL, delivery);/set_time(x, SYMBOLIC_ARRIVAL, clock);/' specs/periodic_load.tp "another goal"
planted "a wait that is taken off" solver/encode/urgency.c \
  's/smt_le(smt, due->start, smt_add(smt, delivery, wait))/smt_le(smt, due->start, smt_sub(smt, delivery, wait))/' \
  specs/retransmission.tp "the theory lacks"
planted "a timer that passes over the clock" solver/encode/urgency.c \
  's/smt_term limit = encode_max(e, clock, \(encode(e, due->action->timer, due->at)\));/smt_term limit = \1; (void)clock;/' \
  specs/retransmission.tp "the theory lacks"
planted "steps in no order" solver/encode/transition.c \
  '/require(x, smt_le(e->smt, symbolic_now(e, x->t->before), start));/d' specs/retransmission.tp "the query lacks"
planted "a loss of what is late alone" solver/encode/transition.c \
  '/^static void encode_loss/,/^}/s/  require_pending(x);/&\n  require(x, smt_le(x->e->smt, symbolic_clock(x->e, x->at, x->action->role, x->node), symbolic_delivery(x->e, x->at, x->action->message, x->t->fields)));/' \
  specs/retransmission.tp "the theory lacks"
planted "a greatest that no element reaches" solver/encode/extremum.c \
  's/max ? smt_le(smt, body, m) :/max ? smt_lt(smt, body, m) :/' specs/primary_backup.tp "no assertion is the invariant"
planted "a member that is counted again" solver/encode/cardinality.c \
  's/      counts = in_base ? in : smt_not(smt, in);/      counts = in_base ? in : smt_bool(smt, true); (void)in;/' \
  specs/redis_wait.tp "another goal"
planted "a sum without its range" solver/encode/sum.c \
  's/  return smt_if(e->smt, smt_le(e->smt, low, end), sum, smt_real_zero(e->smt));/  return sum;/' specs/lock.tp \
  "no assertion is the invariant"
planted "a receiver that is another field" solver/encode/symbolic.c \
  's/  int field = message->receiver_field;/  int field = message->receiver_field == 1 ? 0 : message->receiver_field;/' \
  specs/leader_election.tp "the theory lacks"
planted "a sending that is not asked about" solver/encode/transition.c \
  '/^static void send(/,/^}/s/  vector_push(/  if (s->message->field_count == 0) vector_push(/' specs/group_commit.tp "no query asks it"
mkdir "$tree/scripts" && cp scripts/theory.py "$tree/scripts"

# refuses NAME FILE SED WORDS: after the change Coq's check fails, with these words.
refuses() {
  restore
  sed -i "$3" "$tree/proofs/theory/$2"
  ! cmp -s "proofs/theory/$2" "$tree/proofs/theory/$2" &&
    ! "$tree/proofs/theory/check.sh" "$scratch/broken" >"$scratch/out" 2>&1 && grep -qE "$4" "$scratch/out"
  report $? "Coq refuses $1"
}
refuses "a proof that is left out" Standard.v '0,/^Qed\./s//Admitted./' "theorems assume what is not proved"
refuses "an axiom" Time.v 's/^Section Laws\./Axiom all_are_early : forall (T : times) (a b : T), le a b.\n&/
  s/^Proof\. destruct (latest_is T a b).*Qed\./Proof. intros; apply all_are_early. Qed./' "theorems assume what is not proved"
refuses "a step that ends before its costs" Model.v \
  's/ := start w s p + paid w p 0 (costs M w s p)\./ := start w s p./' "Error"
refuses "a start that does not wait for the clock" Model.v 's/latest (tN s p) (delivered s m)/delivered s m/' "Error"
refuses "phases that need not end in time" Induction.v \
  's/ended P w s -> ended_at P w s <= b + lasts P w;/ended P w s -> True;/' "Error"
refuses "a bound that a step need not keep" Induction.v \
  's/ enabled w s p -> keeps b w (after w s p)$/ enabled w s p -> True/' "Error"
refuses "ranks that need not fall" Progress.v \
  's/if falls a then falls_in r a else keeps_rank r a/keeps_rank r a/' "Error"
refuses "a timer that need not be set later" Progress.v 's/~ le (due w (after w s p)) (due w s)$/True/' "Error"
refuses "messages that go round" Progress.v 's/there w (after w s p) x -> (height x < height m)%nat$/there w (after w s p) x -> True/' "Error"
refuses "ranks that others change" Progress.v 's/foreign p -> value w moment (after w s p) = value w moment s/True/' "Error"
refuses "a loss that changes the time of the latest step" Timing.v \
  's/changes w s now p := if loses M p then now else/changes w s now p := if loses M p then 0 else/' "Error"
refuses "a bound by phases on a message that the state names" Phases.v 's/ \&\& is_message b\.$/ \&\& is_event b./' "Error"
# The errors of proofs/theory/Planted.v, which says of each what it would make false.
refuses "deferral left out" Adequacy.v 's/~ can w (fst x) m (start M w (fst x) p) -> ~ can w (after .*;/True;/' "Error"
refuses "a priority rule reversed" Timing.v \
  's/(priority M m < priority M m.)%nat -> could_receive/(priority M m'"'"' < priority M m)%nat -> could_receive/' "Error"
refuses "a place on a FIFO channel by one" Model.v 's/places s + statement M w s p m else/S (places s + statement M w s p m) else/' "Error"
refuses "an order on a FIFO channel by one" Model.v 's/(place s m <= place s m.)%nat\./(place s m <= S (place s m'"'"'))%nat./' "Error"
refuses "the k-th smallest by one" Facts.v 's/exists v, k <= card members (at_most v)/exists v, k < card members (at_most v)/' "Error"
refuses "a sum unrolled twice" Facts.v 's/p (j + 1)%Z = p j + a j\./p (j + 1)%Z = p j + a j + a j./' "Error"
refuses "a loss that is received, too" Model.v 's/sent := sent s; received := received s;/sent := sent s; received m := take_is p m || received s m;/' \
  "Error"
refuses "a loss counted twice" Planted.v 's/then of s (tt : node two_names) else (of s (tt : node two_names) + by_)/&+ by_/' "Error"
refuses "a step that sends in spite of its pacer" Model.v 's/holds_back N c = true .. at_ c <= e + tolerance M w c/True/' "Error"
refuses "PACE left out" Adequacy.v 's/^    paces M w (fst x) p$/    True/' "Error"
refuses "a family that may be empty" Defined.v 's/possible w -> 1 <= size_of w f;/possible w -> True;/' "Error"
refuses "a quorum that does not fit" Defined.v 's/possible w -> asked w q <= size_of w (of_family q);/possible w -> True;/' "Error"
refuses "a rank beyond the members" Defined.v 's/1 <= place w r <= members w r$/1 <= place w r/' "Error"
refuses "a greatest of none" Facts.v 's/most = body b) \\\/ l = \[\] \/\\ most = 0)/most = body b))/' "Error"
refuses "a clock read that is unforced" Model.v 's/start w s p <= reads p \/\\ reads p <= finish/True \/\\ reads p <= finish/' "Error"
refuses "a phase that is handed over early" Induction.v \
  '/OBLIGATION_HANDOVER/,/OBLIGATION_EARLY/s/starts Q w (b + lasts P w) s;/starts Q w b s;/' "Error"
finish
