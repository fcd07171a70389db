(* SPDX-License-Identifier: GPL-3.0-or-later

   Obligations, discharged: what the proofs of this folder share. Times are integers here, so that [lia] decides what is said of
   them. *)
From Coq Require Import ZArith List Bool Lia FinFun.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote Once Corollary Computed.
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

Ltac differ a b H :=
  let D := fresh in assert (D : a <> b) by (let q := fresh in intros q; apply H; rewrite q; reflexivity); clear H.

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
  cbn; unfold after, loses, has_invariant, scene_at, start, finish, tN, take_is, leaves, delay, tN; cbn;
  unfold start, finish, tN; cbn.

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

(* --- steps, in plain words ------------------------------------------------------------------------------------------- *)

(* Identities, compared by computing: of a kind and of fields that are written out nothing is left. *)
Definition node_eqb (a b : a_node) : bool := Nat.eqb (fst a) (fst b) && Z.eqb (snd a) (snd b).
Definition message_eqb (a b : a_message) : bool := Nat.eqb (fst a) (fst b) && same_fields (snd a) (snd b).
Definition occurrence_eqb (a b : an_occurrence) : bool :=
  match a, b with
  | Step c l, Step c' l' => Nat.eqb c c' && same_fields l l'
  | Delayed c m l, Delayed c' m' l' => Nat.eqb c c' && Nat.eqb m m' && same_fields l l'
  | _, _ => false
  end.

Lemma node_eqb_spec a b : node_eqb a b = if same_node a b then true else false.
Proof.
  apply eq_true_iff_eq. destruct a as [r n], b as [r' n']. unfold node_eqb. cbn.
  rewrite andb_true_iff, PeanoNat.Nat.eqb_eq, Z.eqb_eq. destruct (same_node _ _); split; intuition congruence.
Qed.

Lemma message_eqb_spec a b : message_eqb a b = if same_message a b then true else false.
Proof.
  apply eq_true_iff_eq. destruct a as [k l], b as [k' l']. unfold message_eqb. cbn.
  rewrite andb_true_iff, PeanoNat.Nat.eqb_eq, same_fields_is. destruct (same_message _ _); split; intuition congruence.
Qed.

Lemma occurrence_eqb_spec a b : occurrence_eqb a b = if same_occurrence a b then true else false.
Proof.
  apply eq_true_iff_eq. destruct a as [c l | c m l], b as [c' l' | c' m' l']; cbn; destruct (same_occurrence _ _) as [E | E];
    rewrite ?andb_true_iff, ?PeanoNat.Nat.eqb_eq, ?same_fields_is; split; intuition congruence.
Qed.

Section Steps.
Variables (unit : integers) (P : protocol).
Local Notation N := (names_of (T := integers) P).
Local Notation M := (denote P unit).
Implicit Types (w : world integers N) (s : state integers N) (p : pick integers N).

(* The state after a step at the node [n] that takes [taken], leaves the values [v] there, ends at [e], sends [l] and is charged
   [c]. *)
Record becomes w s s' (n : a_node) (taken : option a_message) (v : @store integers) (e : Z) (l : list a_message)
    (c : list an_occurrence) : Prop := {
  of_after n' : of s' n' = if node_eqb n n' then v else of s n';
  clock_after n' : clock s' n' = if node_eqb n n' then e else clock s n';
  sent_after m : sent s' m = existsb (message_eqb m) l || sent s m;
  received_after m : received s' m = match taken with Some m' => message_eqb m m' | None => false end || received s m;
  delivered_after m : delivered s' m = if existsb (message_eqb m) l then e + delay w m else delivered s m;
  charged_after o : charged s' o = existsb (occurrence_eqb o) c || charged s o
}.

Definition paces_nothing : bool := forallb (fun m => match pacer_of m with Some _ => false | None => true end) (messages P).

Lemma without_pacers w s p m : paces_nothing = true -> leaves M w s p m = finish M w s p.
Proof.
  intros none. apply leaves_at_once. unfold may_be_held. cbn. unfold paces_nothing in none. rewrite forallb_forall in none.
  unfold pacer_at_kind. destruct (nth_error (messages P) (fst m)) as [declared | ] eqn:E; [ | reflexivity].
  apply nth_error_In, none in E. now destruct (pacer_of declared).
Qed.

Lemma sent_or_not (m : a_message) (all : list (a_message * a_node)) {A} (x y : A) :
  match receiver_of (N := N) m all with Some _ => x | None => y end = if existsb (message_eqb m) (map fst all) then x else y.
Proof.
  induction all as [ | [m' n] all IH]; cbn; [reflexivity | ]. rewrite message_eqb_spec.
  destruct (same_message m' m) as [E | E], (same_message m m') as [E' | E']; congruence || exact IH || reflexivity.
Qed.

Lemma what_changes w s p : paces_nothing = true -> loses M p = false ->
  becomes w s (after M w s p) (at_node p) (takes p) (assigns M w s p) (finish M w s p) (map fst (sends M w s p))
    (named_in (N := N) (costs M w s p)).
Proof.
  intros none no. unfold after. rewrite no. split; [intros n | intros n | intros m | intros m | intros m | intros o];
    cbn [of clock sent received delivered charged].
  - rewrite node_eqb_spec. cbn. now destruct (same_node _ _).
  - rewrite node_eqb_spec. cbn. now destruct (same_node _ _).
  - rewrite sent_or_not. now destruct (existsb _ _).
  - f_equal. unfold take_is. destruct (takes p) as [m' | ]; [ | reflexivity]. rewrite message_eqb_spec. cbn.
    destruct (same_message m' m), (same_message m m'); congruence.
  - rewrite sent_or_not. rewrite without_pacers by exact none. reflexivity.
  - f_equal. rewrite charged_now. induction (named_in _) as [ | o' l IH]; cbn; [reflexivity | ]. rewrite IH. f_equal.
    rewrite occurrence_eqb_spec. destruct (same_occurrence o' o), (same_occurrence o o'); congruence.
Qed.

(* What a step does, in the same words. *)
Record does w s p (n : a_node) (taken : option a_message) (v : @store integers) (e : Z) (l : list a_message)
    (c : list an_occurrence) : Prop := {
  does_lose : loses M p = false;
  does_at : at_node p = n;
  does_take : takes p = taken;
  does_assign : assigns M w s p = v;
  does_finish : finish M w s p = e;
  does_send : map fst (sends M w s p) = l;
  does_charge : named_in (N := N) (costs M w s p) = c
}.

Lemma does_itself w s p : loses M p = false ->
  does w s p (at_node p) (takes p) (assigns M w s p) (finish M w s p) (map fst (sends M w s p))
    (named_in (N := N) (costs M w s p)).
Proof. now split. Qed.

Lemma does_same w s p n taken v e l c e' l' : does w s p n taken v e l c -> e = e' -> l = l' -> does w s p n taken v e' l' c.
Proof. now intros D <- <-. Qed.

Lemma does_change w s p n taken v e l c : paces_nothing = true -> does w s p n taken v e l c ->
  becomes w s (after M w s p) n taken v e l c.
Proof. intros none [no <- <- <- <- <- <-]. now apply what_changes. Qed.

(* A step does nothing twice where it sends each message once, none of them was sent before, and so with what it is charged. *)
Lemma does_once follow w s p n taken v e l c : does w s p n taken v e l c ->
  let named := filter (fun o => negb (exempt follow o)) c in
  NoDup l -> (forall m, In m l -> sent s m = false) -> NoDup named -> (forall o, In o named -> charged s o = false) ->
  asked_once unit P follow w s p.
Proof.
  intros [_ _ _ _ _ <- <-] named L S C D. repeat split; auto. intros m r I. apply S. now apply (in_map fst) in I.
Qed.

Lemma between_once low high : NoDup (between_both low high).
Proof. apply Injective_map_NoDup; [intros i j; lia | apply seq_NoDup]. Qed.

Lemma flat_map_one {A B} (f : A -> B) l : flat_map (fun a => [f a]) l = map f l.
Proof. induction l; cbn; congruence. Qed.

(* What is sent to each of a family of [n]. *)
Lemma among_all k n m : existsb (message_eqb m) (map (fun z => (k, [z])) (between_both 0 (n - 1))) =
  match m with (k', [z]) => Nat.eqb k' k && ((0 <=? z) && (z <? n)) | _ => false end.
Proof.
  apply eq_true_iff_eq. rewrite existsb_exists. destruct m as [k' l]. split.
  - intros (m & I & E). apply in_map_iff in I. destruct I as (z & <- & Z). apply between_both_in in Z.
    unfold message_eqb in E. cbn in E. destruct l as [ | z' [ | ]]; cbn in E; rewrite ?andb_false_r in E; try discriminate.
    rewrite andb_true_r, andb_true_iff, Z.eqb_eq in E. destruct E as [-> ->]. cbn. apply andb_true_iff. lia.
  - destruct l as [ | z [ | ]]; try discriminate. intros E. apply andb_true_iff in E. destruct E as [E1 E2].
    apply PeanoNat.Nat.eqb_eq in E1. subst k'. exists (k, [z]). split.
    + apply in_map_iff. exists z. split; [reflexivity | ]. apply between_both_in. apply andb_true_iff in E2. lia.
    + unfold message_eqb. cbn. now rewrite PeanoNat.Nat.eqb_refl, Z.eqb_refl.
Qed.

Lemma lasts_some w o : possible M w -> 0 <= length_of w o <= bare w (part_of N o).
Proof. intros (_ & B). apply B. Qed.
End Steps.
Global Arguments of_after {P w s s' n taken v e l c}.
Global Arguments clock_after {P w s s' n taken v e l c}.
Global Arguments sent_after {P w s s' n taken v e l c}.
Global Arguments received_after {P w s s' n taken v e l c}.
Global Arguments delivered_after {P w s s' n taken v e l c}.
Global Arguments charged_after {P w s s' n taken v e l c}.
Global Arguments lasts_some {unit P w} o.

(* A step of the action: what enables it, and what it does: [D]. Its node is [n], the fields of its message are [f1] and so on. *)
Ltac open_action P unit w s p :=
  let A := fresh "A" in let D := fresh "D" in
  intros A E; pose proof (does_itself unit P w s p) as D; destruct p as [ac [r n] ta ch re wa ex]; cbn in A; subst ac;
  specialize (D eq_refl);
  unfold enabled, takes_pending, start, finish, executes, patient, standard, paces, loses in E; cbn in E;
  unfold step_fits, fields_fit, step_scene, pending, size_of, taken_fields, message_fits, clamp_fields, clamp, tN in E; cbn in E;
  plain; unfold holds in *; try match goal with H : may_send _ _ _ _ _ |- _ => clear H end;
  (destruct ta as [[m fs] | ]; cbn in *; try contradiction; plain);
  (destruct ch; cbn in *; try contradiction; plain);
  try (destruct fs as [ | f1 [ | f2 [ | f3 fs]]]; try discriminate; cbn in *; plain).

(* A node of its family is not clamped. *)
Ltac in_range_is a z b :=
  replace ((a <=? z) && (z <? b)) with true in * by (symmetry; apply andb_true_iff; lia).
Ltac in_range := repeat match goal with
  | H : context [(?a <=? ?z) && (?z <? ?b)] |- _ => in_range_is a z b
  | |- context [(?a <=? ?z) && (?z <? ?b)] => in_range_is a z b
  end.

Ltac parts := repeat match goal with |- _ /\ _ => split end; auto; try lia.
Ltac same D := eapply does_same; [exact D | unfold tN; cbn; lia | ].

(* [C]: how the state after, [s'], differs from that before. *)
Ltac changed D C s' :=
  match type of D with does ?unit ?P ?w ?s ?p _ _ _ _ _ _ =>
    pose proof (does_change unit P w s p _ _ _ _ _ _ eq_refl D) as C;
    remember (after (denote P unit) w s p) as s' eqn:new; clear new
  end.

(* What is said of the state after, said of the state before; and by which of two integers are the same. *)
Ltac before C :=
  rewrite ?(of_after C), ?(clock_after C), ?(sent_after C), ?(received_after C), ?(delivered_after C), ?(charged_after C) in *;
  rewrite ?among_all in *; unfold delay in *; cbn [node_eqb message_eqb occurrence_eqb same_fields existsb fst snd Nat.eqb] in *;
  cbn in *.
Ltac cases := repeat (match goal with
  | |- context [?a =? ?b] => destruct (Z.eqb_spec a b); [subst | ]
  | H : context [?a =? ?b] |- _ => destruct (Z.eqb_spec a b); [subst | ]
  end; cbn in * ); rewrite ?orb_true_r, ?orb_false_r, ?andb_true_r, ?andb_false_r in *.

(* The lengths that are spoken of are not negative, nor longer than their bare names. *)
Ltac lengths ok := repeat match goal with |- context [length_of ?w ?o] =>
  lazymatch goal with H : 0 <= length_of w o <= _ |- _ => fail | _ => pose proof (lasts_some o ok) end end; cbn in * |-.

Ltac follows_from ok := first [follows_now | solve [eauto 3]
  | in_range; cases; lengths ok; cbn in *; instances tt; plain; follows_now].

(* --- the greatest ---------------------------------------------------------------------------------------------------- *)

Lemma greatest_at_most (l : list Z) : forall a c, fold_left Z.max l a <= c <-> a <= c /\ forall x, In x l -> x <= c.
Proof.
  induction l as [ | y l IH]; intros a c; cbn; [intuition | ]. rewrite IH. split.
  - intros [A B]. split; [lia | ]. intros x [<- | I]; [lia | auto].
  - intros [A B]. split; [ | auto]. specialize (B y (or_introl eq_refl)). lia.
Qed.

Lemma greatest_above (l : list Z) x : In x l -> x <= extreme Z.max 0 l.
Proof.
  destruct l as [ | a l]; [easy | ]. cbn. pose proof (proj1 (greatest_at_most l a _) (Z.le_refl _)) as [A B].
  intros [<- | I]; auto.
Qed.

Lemma greatest_below (l : list Z) c : 0 <= c -> (forall x, In x l -> x <= c) -> extreme Z.max 0 l <= c.
Proof. destruct l as [ | a l]; cbn; [auto | ]. intros _ H. apply greatest_at_most. auto. Qed.
