(* SPDX-License-Identifier: GPL-3.0-or-later

   Time: what the theorem needs of it. The rest of the theory speaks of any [times], an ordered commutative group with the
   later of two. Real numbers are one; they are not shown here, because Coq's rest on axioms. Rational numbers, in which the
   interpreter computes, and integers are shown to be, so the laws contradict neither each other nor what is meant. *)
From Coq Require Import ZArith QArith Qcanon Lia.

Record times := Times {
  time :> Type;
  zero : time;
  plus : time -> time -> time;
  minus : time -> time -> time;
  latest : time -> time -> time;
  le : time -> time -> Prop;
  le_refl : forall a, le a a;
  le_trans : forall a b c, le a b -> le b c -> le a c;
  le_antisym : forall a b, le a b -> le b a -> a = b;
  plus_comm : forall a b, plus a b = plus b a;
  plus_assoc : forall a b c, plus a (plus b c) = plus (plus a b) c;
  plus_zero : forall a, plus a zero = a;
  minus_plus : forall a b, plus (minus a b) b = a;
  plus_le : forall a b c, le a b -> le (plus a c) (plus b c);
  latest_left : forall a b, le a (latest a b);
  latest_right : forall a b, le b (latest a b);
  latest_is : forall a b, latest a b = a \/ latest a b = b;
  le_or_not : forall a b, {le a b} + {~ le a b}
}.

Arguments zero {t}.
Arguments plus {t}.
Arguments minus {t}.
Arguments latest {t}.
Arguments le {t}.
Arguments le_or_not {t}.

Declare Scope time_scope.
Delimit Scope time_scope with time.
Notation "a + b" := (plus a b) : time_scope.
Notation "a - b" := (minus a b) : time_scope.
Notation "a <= b" := (le a b) : time_scope.
Notation "0" := zero : time_scope.

Section Laws.
Context {T : times}.
Implicit Types a b c d : T.
Local Open Scope time_scope.

Lemma le_total a b : a <= b \/ b <= a.
Proof.
  destruct (latest_is T a b) as [E | E].
  - right. rewrite <- E. apply latest_right.
  - left. rewrite <- E. apply latest_left.
Qed.

Lemma latest_least a b c : a <= c -> b <= c -> latest a b <= c.
Proof. destruct (latest_is T a b) as [E | E]; rewrite E; auto. Qed.

Lemma plus_le_both a b c d : a <= b -> c <= d -> a + c <= b + d.
Proof.
  intros ab cd. apply le_trans with (b + c). { now apply plus_le. }
  rewrite (plus_comm _ b c), (plus_comm _ b d). now apply plus_le.
Qed.

Lemma le_plus_right a b : 0 <= b -> a <= a + b.
Proof.
  intros b0. rewrite <- (plus_zero _ a) at 1. apply plus_le_both; [apply le_refl | exact b0].
Qed.

Lemma plus_not_negative a b : 0 <= a -> 0 <= b -> 0 <= a + b.
Proof. intros a0 b0. apply le_trans with a; [exact a0 | now apply le_plus_right]. Qed.

Lemma plus_cancel a b c : a + c = b + c -> a = b.
Proof.
  intros E. rewrite <- (plus_zero _ a), <- (plus_zero _ b), <- (minus_plus _ 0 c).
  rewrite (plus_comm _ (0 - c) c), !plus_assoc. now rewrite E.
Qed.

(* What was added can be taken away. *)
Lemma plus_minus a b : (a + b) - b = a.
Proof. apply plus_cancel with b. apply minus_plus. Qed.

Lemma minus_not_negative a b : b <= a -> 0 <= a - b.
Proof.
  intros ba. apply (plus_le _ _ _ (0 - b)) in ba. rewrite (plus_comm _ b), minus_plus in ba.
  replace (a - b) with (a + (0 - b)); [exact ba |].
  apply plus_cancel with b. now rewrite <- plus_assoc, !minus_plus, plus_zero.
Qed.
End Laws.

Definition integers : times.
Proof.
  refine (Times Z 0%Z Z.add Z.sub Z.max Z.le _ _ _ _ _ _ _ _ _ _ _ Z_le_dec); lia.
Defined.

Definition later_rational (a b : Qc) : Qc := if Qclt_le_dec a b then b else a.

Definition rationals : times.
Proof.
  refine (Times Qc (Q2Qc 0) Qcplus Qcminus later_rational Qcle
    Qcle_refl Qcle_trans Qcle_antisym Qcplus_comm Qcplus_assoc Qcplus_0_r _ _ _ _ _ _).
  - intros a b. ring.
  - intros a b c ab. apply Qcplus_le_compat; [exact ab | apply Qcle_refl].
  - intros a b. unfold later_rational. destruct (Qclt_le_dec a b); [now apply Qclt_le_weak | apply Qcle_refl].
  - intros a b. unfold later_rational. destruct (Qclt_le_dec a b); [apply Qcle_refl | assumption].
  - intros a b. unfold later_rational. destruct (Qclt_le_dec a b); auto.
  - intros a b. destruct (Qclt_le_dec b a) as [H | H]; [right; now apply Qclt_not_le | now left].
Defined.
