(* SPDX-License-Identifier: GPL-3.0-or-later

   What a formula says is what is computed of it, where that is finite: so guards, which Denote.v says, are those that
   tests/proofs/Observed.v computes when it holds a protocol against the interpreter. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote Once Corollary.
Local Open Scope Z_scope.
Section Computed.
Context {T : times}.

Lemma between_both_in low high z : In z (between_both low high) <-> low <= z <= high.
Proof.
  unfold between_both. rewrite in_map_iff. split.
  - intros (i & <- & H). apply in_seq in H. lia.
  - intros H. exists (Z.to_nat (z - low)). split; [lia | ]. apply in_seq. lia.
Qed.

Lemma members_in (d : Syntax.domain) (c : @scene T) z : finite d = true -> (In z (members d c) <-> in_domain d c z).
Proof.
  destruct d; simpl; intros H; try discriminate.
  - rewrite between_both_in. lia.
  - rewrite filter_In, between_both_in. intuition lia.
  - apply between_both_in.
Qed.

Lemma before_or_at_le (a b : T) : before_or_at a b = true <-> le a b.
Proof. unfold before_or_at. destruct (le_or_not a b); intuition discriminate. Qed.

Definition agree_on {t : sort} : term t -> @scene T -> Prop :=
  match t return term t -> scene -> Prop with
  | Bool => fun x c => says x c <-> value x c = true
  | _ => fun _ _ => True
  end.

(* What is said of what can be computed is what is computed. *)
Theorem said_is_computed {t : sort} (x : term t) : computes x = true -> forall c, agree_on x c.
Proof.
  induction x; simpl; intros H e; try exact I; try (split; intros Q; exact Q);
    repeat (apply andb_true_iff in H; destruct H as [H ?]);
    repeat match goal with E : ?a = true -> _, F : ?a = true |- _ => specialize (E F) end;
    repeat match goal with E : forall c, agree_on _ c |- _ => pose proof (E e); revert E end; intros; simpl in *.
  - destruct b; intuition.
  - destruct t; simpl; auto; tauto.
  - rewrite forallb_forall. split; intros Q z Z.
    + apply between_both_in in Z. rewrite (Q z) by lia. now destruct (value x3 e z).
    + apply Bool.eqb_prop, Q, between_both_in. lia.
  - rewrite negb_true_iff, <- not_true_iff_false. tauto.
  - rewrite andb_true_iff. tauto.
  - rewrite orb_true_iff. tauto.
  - rewrite orb_true_iff, negb_true_iff, <- not_true_iff_false. destruct (value x1 e); intuition congruence.
  - rewrite eqb_true_iff. destruct (value x1 e), (value x2 e); intuition congruence.
  - rewrite Z.eqb_eq. tauto.
  - rewrite Z.ltb_lt. tauto.
  - rewrite Z.leb_le. tauto.
  - rewrite andb_true_iff, !before_or_at_le. split; [intros ->; split; apply le_refl | intros [? ?]; now apply le_antisym].
  - rewrite negb_true_iff, <- not_true_iff_false, before_or_at_le. tauto.
  - rewrite before_or_at_le. tauto.
  - destruct t; simpl; auto; tauto.
  - rewrite forallb_forall. split; intros Q z Z.
    + apply members_in in Z; auto. match goal with E : forall c, says _ c <-> _ |- _ => now apply (E (bind v z e)), Q end.
    + match goal with E : forall c, says _ c <-> _ |- _ => apply (E (bind v z e)), Q, members_in; auto end.
  - rewrite existsb_exists. split; intros (z & Z & Q); exists z; split.
    + now apply members_in.
    + match goal with E : forall c, says _ c <-> _ |- _ => now apply (E (bind v z e)) end.
    + now apply members_in in Z.
    + match goal with E : forall c, says _ c <-> _ |- _ => now apply (E (bind v z e)) end.
Qed.

(* So the guards of an action that is well formed hold exactly where they are computed to hold. *)
Theorem guards_are_computed (a : Syntax.action) (c : @scene T) : action_computes a = true ->
  (List.Forall (fun g => holds g c) (guards a) <-> forallb (fun g : term Bool => value g c : bool) (guards a) = true).
Proof.
  unfold action_computes. intros H. repeat (apply andb_true_iff in H; destruct H as [H ?]).
  rewrite forallb_forall, Forall_forall. match goal with E : forallb computes _ = true |- _ => rewrite forallb_forall in E; rename E into F end.
  split; intros Q g G; apply (said_is_computed g (F g G) c), Q, G.
Qed.
End Computed.
