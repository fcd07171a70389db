(* SPDX-License-Identifier: GPL-3.0-or-later

   Obligations, discharged: what the proofs of this folder share. Times are integers here, so that [lia] decides what is said of
   them. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote Once Corollary.
From Theory Require Induction.
Local Open Scope Z_scope.

(* --- sums ------------------------------------------------------------------------------------------------------------ *)

Definition sum_to (f : Z -> Z) (k : Z) : Z := fold_left Z.add (map f (between_both 0 k)) 0.

Lemma sum_none f k : k < 0 -> sum_to f k = 0.
Proof. intros H. unfold sum_to, between_both. now replace (Z.to_nat (k - 0 + 1)) with O by lia. Qed.

Lemma sum_more f k : 0 <= k -> sum_to f k = sum_to f (k - 1) + f k.
Proof.
  intros H. unfold sum_to, between_both. replace (Z.to_nat (k - 0 + 1)) with (S (Z.to_nat k)) by lia.
  replace (Z.to_nat (k - 1 - 0 + 1)) with (Z.to_nat k) by lia. rewrite seq_S, !map_app, fold_left_app. simpl.
  f_equal. f_equal. lia.
Qed.

Lemma sum_at_most f c k : 0 <= k -> (forall i, f i <= c) -> sum_to f (k - 1) <= k * c.
Proof.
  intros H L. revert k H. apply natlike_ind; [now rewrite sum_none by lia | ]. intros k H IH.
  rewrite sum_more by lia. specialize (L (Z.succ k - 1)). replace (Z.succ k - 1 - 1) with (k - 1) by lia. lia.
Qed.

Lemma multiple_is (k a : Z) : multiple (T := integers) k a = k * a.
Proof.
  assert (I : forall p, Pos.iter (fun b => b + a) 0 p = Z.pos p * a).
  { induction p as [ | p IH] using Pos.peano_ind; [now destruct a | ]. rewrite Pos.iter_succ, IH, Pos2Z.inj_succ. lia. }
  destruct k as [ | p | p]; cbn; [reflexivity | apply I | ]. rewrite I. destruct a; reflexivity.
Qed.

(* --- charges --------------------------------------------------------------------------------------------------------- *)

Section Charges.
Context {T : times} (P : protocol).

Lemma charged_now o (all : list (cost nat an_occurrence)) :
  charges_now (N := names_of (T := T) P) o all =
  existsb (fun o' => if same_occurrence o' o then true else false) (named_in (N := names_of (T := T) P) all).
Proof.
  unfold charges_now. destruct (in_dec _ _ _) as [I | I]; symmetry.
  - apply existsb_exists. exists o. split; [exact I | ]. now destruct (same_occurrence o o).
  - apply not_true_iff_false. intros H. apply existsb_exists in H. destruct H as (o' & J & H).
    destruct (same_occurrence o' o) as [<- | ]; [exact (I J) | discriminate].
Qed.
End Charges.
Global Arguments charges_now : simpl never.
Global Arguments between_both : simpl never.

Definition loses_nothing (P : protocol) : bool :=
  forallb (fun a => match trigger_of a with Losing _ _ => false | _ => true end) (actions P).

Lemma none_lost {T : times} (unit : T) (P : protocol) w (s : state T (names_of P)) :
  loses_nothing P = true -> typed unit P w s -> forall m, lost s m = false.
Proof.
  intros H (_ & _ & L) m. destruct (lost s m) eqn:E; [ | reflexivity]. destruct (L m E) as [L1 _].
  unfold lossy in L1. apply existsb_exists in L1. destruct L1 as (a & A & Q). unfold loses_nothing in H.
  rewrite forallb_forall in H. specialize (H a A). destruct (trigger_of a); discriminate.
Qed.

(* --- tactics --------------------------------------------------------------------------------------------------------- *)

Ltac differ a b H := let D := fresh in assert (D : a <> b) by (let q := fresh in intros q; apply H; rewrite q; reflexivity); clear H.

(* What can be decided of what is there is what is there. *)
Ltac plain := repeat match goal with
  | H : _ /\ _ |- _ => destruct H
  | H : exists _, _ |- _ => destruct H
  | H : True |- _ => clear H
  | H : False |- _ => destruct H
  | H : false = true |- _ => discriminate H
  | H : true = false |- _ => discriminate H
  | H : ?b = ?b |- _ => clear H
  | H : ?b = ?b -> _ |- _ => specialize (H eq_refl)
  | H : ?b && ?c = true |- _ => apply andb_true_iff in H
  | H : ?b || ?c = false |- _ => apply orb_false_iff in H
  | H : negb ?b = true |- _ => apply negb_true_iff in H
  | H : negb ?b = false |- _ => apply negb_false_iff in H
  | H : ?b <> true |- _ => apply not_true_iff_false in H
  | H : (_ <=? _) = true |- _ => apply Z.leb_le in H
  | H : (_ <? _) = true |- _ => apply Z.ltb_lt in H
  | H : (_ =? _) = true |- _ => apply Z.eqb_eq in H
  | H : Nat.eqb _ _ = true |- _ => apply PeanoNat.Nat.eqb_eq in H
  | H : (_, _) = (_, _) |- _ => injection H as H
  | H : Step _ _ = Step _ _ |- _ => injection H as H
  | H : (?c, [?a]) <> (?c, [?b]) |- _ => differ a b H
  | H : (?c, ?a) <> (?c, ?b) |- _ => differ a b H
  | H : Step ?c [?a] <> Step ?c [?b] |- _ => differ a b H
  | H : _ :: _ = _ :: _ |- _ => injection H as H
  | H : List.Forall _ (_ :: _) |- _ => apply Forall_cons_iff in H
  | H : List.Forall _ [] |- _ => clear H
  | H : ?x = ?y |- _ => is_var x; subst x
  | H : ?x = ?y |- _ => is_var y; subst y
  end.

(* What is promised is there, as far as its premises are. *)
Ltac premise := solve [
  repeat match goal with
  | |- _ /\ _ => split
  | |- _ && _ = true => apply andb_true_iff
  | |- negb _ = true => apply negb_true_iff
  end; first [assumption | exact I | lia | match goal with L : forall m, lost _ m = false |- lost _ _ = false => apply L end]].
Ltac premises F := repeat match type of F with
  | ?P -> ?Q =>
    match type of P with Prop => let q := fresh in assert (q : P) by premise; specialize (F q); clear q end
  end.

(* Instances of what is known of all integers, of each that has a name: those whose premises are there. *)
Ltac member x l := match l with (?y, ?r) => first [constr_eq x y | member x r] end.
Ltac absent x l := tryif member x l then fail else idtac.
Ltac named l k := tryif (match goal with x : Z |- _ => absent x l end)
  then (match goal with x : Z |- _ => absent x l; named constr:((x, l)) k end) else k l.
Ltac of_each l k := match l with (?x, ?r) => k x; of_each r k | _ => idtac end.
Ltac instance l F :=
  premises F;
  lazymatch type of F with
  | forall z : Z, _ => of_each l ltac:(fun x => let G := fresh "F" in pose proof (F x) as G; instance l G); clear F
  | ?P -> _ => match type of P with Prop => clear F end
  | _ => idtac
  end.
Ltac instances terms := named terms ltac:(fun l => repeat match goal with F : forall z : Z, _ |- _ => instance l F end).

(* A step of the action: what enables it, and the state before, of which every value is one of its type. *)
Ltac open_typed_step P :=
  let E := fresh "E" in let A := fresh "A" in
  intros [s more] p (ok & ty & K) ((E & X) & A); destruct p as [ac [r n] ta ch re wa ex]; cbn in A; subst ac;
  cbn in ok; unfold possible, between in ok; cbn in ok;
  let L := fresh "lossless" in pose proof (none_lost _ P _ _ eq_refl ty) as L; cbn in L;
  unfold enabled, takes_pending, start, finish, executes, patient, standard, paces, loses in E; cbn in E;
  unfold step_fits, fields_fit, step_scene, pending, size_of, taken_fields, message_fits, clamp_fields, clamp, tN in E; cbn in E;
  plain; unfold holds in *;
  (destruct ta as [[m fs] | ]; cbn in *; try contradiction; plain);
  (destruct ch; cbn in *; try contradiction; plain).
Ltac open_step P := open_typed_step P; match goal with H : typed _ _ _ _ |- _ => clear H end.

Ltac open_after :=
  cbn; unfold after, loses, has_invariant, scene_at, start, finish, tN, take_is, leaves, delay, tN; cbn; unfold start, finish, tN; cbn.

(* Cases of what a step touches. *)
Ltac touched :=
  rewrite ?charged_now in *; cbn in *;
  repeat match goal with
  | |- context [same_node ?a ?b] => destruct (same_node a b); cbn in *
  | |- context [same_message ?a ?b] => destruct (same_message a b); cbn in *
  | |- context [same_occurrence ?a ?b] => destruct (same_occurrence a b); cbn in *
  | H : context [same_node ?a ?b] |- _ => destruct (same_node a b); cbn in *
  | H : context [same_message ?a ?b] |- _ => destruct (same_message a b); cbn in *
  | H : context [same_occurrence ?a ?b] |- _ => destruct (same_occurrence a b); cbn in *
  end; rewrite ?orb_false_r, ?andb_true_r.

Ltac open_goal := match goal with
  | |- ?b = true => let D := fresh in destruct b eqn:D; [reflexivity | ]
  | |- _ <> true => intros ?
  | |- _ => idtac
  end.

Ltac follows_now := first [assumption | lia | congruence | solve [exfalso; first [lia | congruence]]].

(* --- fields, compared ------------------------------------------------------------------------------------------------ *)

Fixpoint same_fields (f g : list Z) : bool :=
  match f, g with
  | [], [] => true
  | x :: f, y :: g => (x =? y) && same_fields f g
  | _, _ => false
  end.

Lemma same_fields_is f : forall g, same_fields f g = true <-> f = g.
Proof.
  induction f as [ | x f IH]; intros [ | y g]; simpl; try (split; congruence).
  rewrite andb_true_iff, Z.eqb_eq, IH. split; [intros [-> ->]; reflexivity | now intros [= -> ->]].
Qed.

(* Which of two a comparison chooses, where all but integers is known. *)
Ltac compared := intros; match goal with |- (if ?d then _ else _) = if ?b && ?c then _ else _ =>
  destruct d as [[= ? ?] | D], (b && c) eqn:Q; try reflexivity; exfalso; revert Q; subst;
  rewrite ?PeanoNat.Nat.eqb_refl, ?Z.eqb_refl, ?(proj2 (same_fields_is _ _) eq_refl); try discriminate;
  rewrite andb_true_iff, PeanoNat.Nat.eqb_eq, ?Z.eqb_eq, ?same_fields_is; intros [-> ->]; now apply D end.

Lemma if_node {A} r i r' i' (x y : A) :
  (if same_node (r, i) (r', i') then x else y) = if Nat.eqb r r' && (i =? i') then x else y.
Proof. compared. Qed.

Lemma if_message {A} m f m' f' (x y : A) :
  (if same_message (m, f) (m', f') then x else y) = if Nat.eqb m m' && same_fields f f' then x else y.
Proof. compared. Qed.

Lemma if_occurrence {A} c f c' f' (x y : A) :
  (if same_occurrence (Step c f) (Step c' f') then x else y) = if Nat.eqb c c' && same_fields f f' then x else y.
Proof. compared. Qed.

(* The state after, at given nodes and messages. *)
Ltac compare := rewrite ?charged_now; cbn; rewrite ?if_node, ?if_message, ?if_occurrence; cbn; unfold set_at; cbn;
  rewrite ?Z.eqb_refl, ?andb_true_r, ?orb_false_r; cbn.
Ltac open_state := unfold new_arrival, paced_at; open_after; repeat match goal with |- forall z : Z, _ => intros ? end; compare.
