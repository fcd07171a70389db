(* SPDX-License-Identifier: GPL-3.0-or-later

   Charges that follow a message. Where the message that a step takes names what the step is charged, no solver is asked whether it
   is charged at most once (solver/encode/charge.c): a message is received at most once. That this is so is proved here, of any
   protocol in which it can be seen; and that a step which sends and charges nothing does nothing twice. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote.
From Theory Require Induction.
Local Open Scope Z_scope.

(* Who is charged the component takes a message of the kind; each field of that is the index at a place, less a number. *)
Record follows := {
  component_of : nat;
  by_message : nat;
  at_indices : list (nat * Z)
}.

Definition variable_of {t : sort} (x : term t) : option nat := match x with Var u => Some u | _ => None end.
Definition integer_of {t : sort} (x : term t) : option Z := match x with Integer z => Some z | _ => None end.

(* The term is the variable and a number. *)
Definition offset_of {t : sort} (v : nat) (x : term t) : option Z :=
  let is u z := if Nat.eqb u v then Some z else None in
  match x with
  | Var u => is u 0
  | Add a b =>
    match variable_of a, integer_of b with
    | Some u, Some z => is u z
    | _, _ => match integer_of a, variable_of b with Some z, Some u => is u z | _, _ => None end
    end
  | Sub a b => match variable_of a, integer_of b with Some u, Some z => is u (- z) | _, _ => None end
  | _ => None
  end.

Section Once.
Context {T : times} (unit : T) (P : protocol) (all : list follows).
Local Notation N := (names_of (T := T) P).
Local Notation S := (executions P unit).
Implicit Types (w : Induction.world S) (x : Induction.state S) (p : Induction.pick S).

Definition exempt_component (c : nat) : bool := existsb (fun f => Nat.eqb (component_of f) c) all.
Definition exempt (o : an_occurrence) : bool := match o with Step c _ => exempt_component c | Delayed _ _ _ => false end.

Definition field_fits (k : charge) (vp : nat * (nat * Z)) : bool :=
  match nth_error (indices k) (fst (snd vp)) with
  | Some x => match offset_of (fst vp) x with Some z => Z.eqb z (snd (snd vp)) | None => false end
  | None => false
  end.

Definition charge_follows (a : Syntax.action) (k : charge) (f : follows) : bool :=
  negb (Nat.eqb (component_of f) (component_charged k)) ||
  match trigger_of a, batch k with
  | On m fields, None =>
    Nat.eqb m (by_message f) && Nat.eqb (length fields) (length (at_indices f)) && forallb (field_fits k) (combine fields (at_indices f))
  | _, _ => false
  end.

Fixpoint different (l : list nat) : bool :=
  match l with [] => true | c :: l => negb (existsb (Nat.eqb c) l) && different l end.

Definition follows_in (a : Syntax.action) : bool :=
  forallb (fun k => forallb (charge_follows a k) all) (charges a) &&
  different (filter exempt_component (map component_charged (charges a))).

Definition all_follow : bool := forallb follows_in (actions P).

Definition of_int {t : sort} (Q : Z -> Prop) : @meaning T t -> Prop := match t with Int => Q | _ => fun _ => True end.

Lemma variable_value (c : @scene T) {t} (y : term t) u : variable_of y = Some u -> of_int (fun n => n = variable_is c u) (value y c).
Proof. destruct y; simpl; try discriminate. intros E. now inversion E. Qed.

Lemma integer_value (c : @scene T) {t} (y : term t) z : integer_of y = Some z -> of_int (fun n => n = z) (value y c).
Proof. destruct y; simpl; try discriminate. intros E. now inversion E. Qed.

Lemma offset_value (c : @scene T) {t} (y : term t) v z : offset_of v y = Some z ->
  of_int (fun n => n = variable_is c v + z) (value y c).
Proof.
  destruct y; simpl; try discriminate.
  - destruct (Nat.eqb_spec v0 v) as [-> | ]; [ | discriminate]. intros E. inversion E; subst. lia.
  - destruct (variable_of y1) as [u | ] eqn:V, (integer_of y2) as [i | ] eqn:J.
    2-4: destruct (integer_of y1) as [i' | ] eqn:J', (variable_of y2) as [u' | ] eqn:V'; try discriminate.
    + apply (variable_value c) in V. apply (integer_value c) in J. simpl in V, J. rewrite V, J.
      destruct (Nat.eqb_spec u v) as [-> | ]; [ | discriminate]. intros E. inversion E; subst. lia.
    + apply (variable_value c) in V'. apply (integer_value c) in J'. simpl in V', J'. rewrite V', J'.
      destruct (Nat.eqb_spec u' v) as [-> | ]; [ | discriminate]. intros E. inversion E; subst. lia.
    + apply (variable_value c) in V'. apply (integer_value c) in J'. simpl in V', J'. rewrite V', J'.
      destruct (Nat.eqb_spec u' v) as [-> | ]; [ | discriminate]. intros E. inversion E; subst. lia.
    + apply (variable_value c) in V'. apply (integer_value c) in J'. simpl in V', J'. rewrite V', J'.
      destruct (Nat.eqb_spec u' v) as [-> | ]; [ | discriminate]. intros E. inversion E; subst. lia.
  - destruct (variable_of y1) as [u | ] eqn:V, (integer_of y2) as [i | ] eqn:J; try discriminate.
    apply (variable_value c) in V. apply (integer_value c) in J. simpl in V, J. rewrite V, J.
    destruct (Nat.eqb_spec u v) as [-> | ]; [ | discriminate]. intros E. inversion E; subst. lia.
Qed.

(* --- what is charged names the message ------------------------------------------------------------------------------- *)

Definition names_it (f : follows) (index fields : list Z) : Prop :=
  Forall2 (fun z place => nth (fst place) index 0 = z + snd place) fields (at_indices f).

Lemma named_once f index : forall fields fields', names_it f index fields -> names_it f index fields' -> fields = fields'.
Proof.
  unfold names_it. induction (at_indices f) as [ | place l IH]; intros fields fields' A B; inversion A; inversion B; subst; auto.
  f_equal; [lia | now apply IH].
Qed.

Definition followed (s : state T N) : Prop := forall f index, In f all -> charged s (Step (component_of f) index) = true ->
  exists fields, received s (by_message f, fields) = true /\ names_it f index fields.

Lemma in_named (o : an_occurrence) (l : list (cost nat an_occurrence)) : In o (named_in (N := N) l) -> In (Named o) l.
Proof.
  induction l as [ | [o' | c] l IH]; simpl; auto. intros [-> | H]; auto.
Qed.

Lemma charge_in a w (s : state T N) (p : pick T N) f index : all_follow = true -> In f all -> action_at P (by_action p) = Some a ->
  enabled (denote P unit) w s p ->
  In (Step (component_of f) index) (named_in (N := N) (costs (denote P unit) w s p)) ->
  exists fields, takes p = Some (by_message f, fields) /\ names_it f index fields /\ received s (by_message f, fields) = false.
Proof.
  intros ok F A (_ & K & D & _) H. apply in_named in H. simpl in H, D. unfold step_fits in D. rewrite A in D, H.
  destruct D as (_ & (M & _) & _). apply in_flat_map in H. destruct H as (k & Hk & H).
  assert (C : charge_follows a k f = true).
  { unfold all_follow, follows_in in ok. rewrite forallb_forall in ok.
    assert (B : In a (actions P)) by (eapply nth_error_In; exact A).
    apply ok, andb_true_iff in B. destruct B as [B _]. rewrite forallb_forall in B. apply B in Hk.
    rewrite forallb_forall in Hk. now apply Hk. }
  unfold costs_of_charge in H. destruct (match condition k with Some _ => _ | None => _ end); [ | easy].
  assert (E : component_of f = component_charged k).
  { destruct (batch k) as [[v d] | ]; simpl in H.
    - apply in_map_iff in H. destruct H as (z & H & _). unfold cost_of in H. destruct (repeated k); now inversion H.
    - destruct H as [H | []]. unfold cost_of in H. destruct (repeated k); now inversion H. }
  unfold charge_follows in C. rewrite E, PeanoNat.Nat.eqb_refl in C. simpl in C.
  unfold takes_pending in K. simpl in K. rewrite A in K.
  unfold message_variables in M. destruct (trigger_of a) as [ | m fields | | | ] eqn:Tr; try discriminate.
  destruct (batch k); [discriminate | ]. apply andb_true_iff in C. destruct C as [C Fit]. apply andb_true_iff in C. destruct C as [Cm Cl].
  apply PeanoNat.Nat.eqb_eq in Cm, Cl. subst m. destruct (takes p) as [[m fs] | ] eqn:Ta; [ | easy].
  destruct K as (Km & Pe & _ & _). simpl in Km. apply PeanoNat.Nat.eqb_eq in Km. subst m.
  destruct H as [H | []]. unfold cost_of in H. destruct (repeated k); [easy | ]. injection H as _ H.
  exists fs. split; [reflexivity | split].
  - unfold taken_fields in M. rewrite Ta in M. simpl in M. unfold names_it. rewrite <- M, <- H. clear M H Tr.
    revert Cl Fit. generalize (at_indices f). induction fields as [ | v fields IH]; intros [ | pl l]; simpl; try discriminate; [constructor | ].
    intros Cl Fit. apply andb_true_iff in Fit. destruct Fit as [Fit Fits]. constructor; [ | apply IH; auto].
    unfold field_fits in Fit. simpl in Fit. destruct (nth_error (indices k) (fst pl)) as [y | ] eqn:I; [ | easy].
    destruct (offset_of v y) eqn:O; [ | easy]. apply Z.eqb_eq in Fit. subst.
    apply (offset_value (step_scene P unit a w s p)) in O. simpl in O. rewrite <- O.
    erewrite nth_error_nth; [reflexivity | ]. erewrite map_nth_error; [reflexivity | exact I].
  - unfold pending in Pe. destruct (received s _); auto. now rewrite andb_false_r in Pe.
Qed.

Lemma some_action_at w (s : state T N) (p : pick T N) : enabled (denote P unit) w s p -> exists a, action_at P (by_action p) = Some a.
Proof. intros (_ & _ & D & _). simpl in D. unfold step_fits in D. destruct (action_at P (by_action p)); [eauto | easy]. Qed.

Lemma followed_step w (s : state T N) (p : pick T N) : all_follow = true -> enabled (denote P unit) w s p -> followed s ->
  followed (after (denote P unit) w s p).
Proof.
  intros ok E K f index F. destruct (some_action_at w s p E) as [a A]. unfold after.
  destruct (loses (denote P unit) p) eqn:L; simpl; [now apply K | ].
  intros H. apply orb_true_iff in H. destruct H as [H | H].
  - unfold charges_now in H. destruct (in_dec _ _ _) as [I | ]; [ | discriminate].
    destruct (charge_in a w s p f index ok F A E I) as (fields & Ta & Nm & _).
    exists fields. split; [ | exact Nm]. unfold take_is. rewrite Ta. simpl. match goal with |- context [same_message ?u ?v] => now destruct (same_message u v) end.
  - destruct (K f index F H) as (fields & R & Nm). exists fields. split; [ | exact Nm]. rewrite R. apply orb_true_r.
Qed.

Lemma exempt_follows o : exempt o = true -> exists f index, In f all /\ o = Step (component_of f) index.
Proof.
  destruct o as [c i | c m i]; simpl; [ | discriminate]. intros E. apply existsb_exists in E. destruct E as (f & F & E).
  apply PeanoNat.Nat.eqb_eq in E. subst. eauto.
Qed.

Lemma apart {A} (q : A -> bool) (l : list A) : NoDup (filter q l) -> NoDup (filter (fun a => negb (q a)) l) -> NoDup l.
Proof.
  induction l as [ | a l IH]; simpl; [constructor | ]. destruct (q a) eqn:E; simpl; intros H H'.
  - apply NoDup_cons_iff in H. destruct H as [H1 H2]. constructor; [ | auto]. intros I. apply H1, filter_In. now split.
  - apply NoDup_cons_iff in H'. destruct H' as [H1 H2]. constructor; [ | auto]. intros I. apply H1, filter_In. split; auto. now rewrite E.
Qed.

Lemma named_app (l l' : list (cost nat an_occurrence)) : named_in (N := N) (l ++ l') = named_in (N := N) l ++ named_in (N := N) l'.
Proof. induction l as [ | [o | c] l IH]; simpl; auto. now rewrite IH. Qed.

Lemma component_in (c : @scene T) k o : In o (named_in (N := N) (costs_of_charge c k)) -> exists i, o = Step (component_charged k) i.
Proof.
  intros H. apply in_named in H. unfold costs_of_charge in H. destruct (match condition k with Some _ => _ | None => _ end); [ | easy].
  destruct (batch k) as [[v d] | ]; simpl in H.
  - apply in_map_iff in H. destruct H as (z & H & _). unfold cost_of in H. destruct (repeated k); [easy | ].
    injection H as <-. eauto.
  - destruct H as [H | []]. unfold cost_of in H. destruct (repeated k); [easy | ]. injection H as <-. eauto.
Qed.

(* No component that is exempt is charged at two at_indices of an action, and at one place no more than once. *)
Lemma exempt_different (c : @scene T) (a : Syntax.action) l :
  forallb (fun k => forallb (charge_follows a k) all) l = true -> different (filter exempt_component (map component_charged l)) = true ->
  NoDup (filter exempt (named_in (N := N) (flat_map (costs_of_charge c) l))).
Proof.
  induction l as [ | k l IH]; simpl; [constructor | ]. intros H D. apply andb_true_iff in H. destruct H as [H Hl].
  rewrite named_app, filter_app. destruct (exempt_component (component_charged k)) eqn:E.
  - simpl in D. apply andb_true_iff in D. destruct D as [D Dl]. specialize (IH Hl Dl).
    assert (apart_ : forall o, In o (named_in (N := N) (costs_of_charge c k)) ->
      ~ In o (filter exempt (named_in (N := N) (flat_map (costs_of_charge c) l)))).
    { intros o I J. destruct (component_in c k o I) as [i ->]. apply filter_In in J. destruct J as [J _].
      apply in_named, in_flat_map in J. destruct J as (k' & K' & J).
      assert (J' : In (Step (component_charged k) i) (named_in (N := N) (costs_of_charge c k'))).
      { clear -J. induction (costs_of_charge c k') as [ | [o | q] r IHr]; simpl in *; auto; [destruct J as [J | J] | destruct J as [J | J]].
        - left. now injection J.
        - right. auto.
        - easy.
        - auto. }
      destruct (component_in c k' _ J') as [i' X]. injection X as X _.
      apply negb_true_iff in D. rewrite <- not_true_iff_false in D. apply D, existsb_exists.
      exists (component_charged k'). split; [ | rewrite X; apply PeanoNat.Nat.eqb_refl].
      apply filter_In. rewrite <- X, E. split; auto. rewrite X. now apply in_map. }
    assert (F : exists f, In f all /\ component_of f = component_charged k).
    { unfold exempt_component in E. apply existsb_exists in E. destruct E as (f & F & X). apply PeanoNat.Nat.eqb_eq in X. eauto. }
    destruct F as (f & F & X). rewrite forallb_forall in H. specialize (H f F). unfold charge_follows in H.
    rewrite X, PeanoNat.Nat.eqb_refl in H. simpl in H. unfold costs_of_charge in apart_ |- *.
    destruct (trigger_of a); try discriminate. destruct (batch k); [discriminate | ].
    destruct (match condition k with Some _ => _ | None => _ end); [ | exact IH].
    unfold cost_of in apart_ |- *. destruct (repeated k); [exact IH | ]. cbn [named_in app filter] in apart_ |- *.
    destruct (exempt _); [ | exact IH]. cbn [app]. constructor; [ | exact IH]. apply apart_. now left.
  - assert (L : forall r, (forall o, In o r -> exists i, o = Step (component_charged k) i) -> filter exempt r = []).
    { induction r as [ | o r IHr]; simpl; auto. intros Q. destruct (Q o (or_introl eq_refl)) as [i ->]. simpl.
      rewrite E. apply IHr. auto. }
    rewrite L; [now apply IH | apply component_in].
Qed.

(* What a solver is asked: all but charges that follow. *)
Definition asked_once w (s : state T N) (p : pick T N) : Prop :=
  let named := filter (fun o => negb (exempt o)) (named_in (N := N) (costs (denote P unit) w s p)) in
  NoDup (map fst (sends (denote P unit) w s p)) /\
  (forall m n, In (m, n) (sends (denote P unit) w s p) -> sent s m = false) /\
  NoDup named /\ (forall o, In o named -> charged s o = false).

Theorem once_follows w (s : state T N) (p : pick T N) : all_follow = true -> enabled (denote P unit) w s p -> followed s ->
  asked_once w s p -> once (denote P unit) w s p.
Proof.
  intros ok E K (A & B & C & D). destruct (some_action_at w s p E) as [a X]. split; [exact A | split; [exact B | split]].
  - apply (apart exempt); [ | exact C]. simpl. rewrite X.
    assert (Y : follows_in a = true).
    { unfold all_follow in ok. rewrite forallb_forall in ok. apply ok. eapply nth_error_In. exact X. }
    unfold follows_in in Y. apply andb_true_iff in Y. apply exempt_different with a; apply Y.
  - intros o I. destruct (exempt o) eqn:Q; [ | apply D, filter_In; now rewrite Q].
    destruct (exempt_follows o Q) as (f & index & F & ->).
    destruct (charge_in a w s p f index ok F X E I) as (fields & Ta & Nm & R).
    destruct (charged s (Step (component_of f) index)) eqn:G; auto.
    destruct (K f index F G) as (fields' & R' & Nm'). rewrite (named_once f index fields fields' Nm Nm') in R. congruence.
Qed.

(* An action that sends nothing, and is charged nothing that has a name or what is exempt. *)
Fixpoint sends_nothing (x : statement) : bool :=
  match x with
  | Send _ _ _ _ => false
  | If _ yes no => forallb sends_nothing yes && forallb sends_nothing no
  | _ => true
  end.

Definition silent (a : Syntax.action) : bool :=
  forallb sends_nothing (body a) && forallb (fun k => repeated k || exempt_component (component_charged k)) (charges a).

Lemma run_nothing w n c : forall (x : statement) k e, sends_nothing x = true -> snd (run P unit w n c x k e) = snd e.
Proof.
  fix IH 1. intros [t v a | v k a | a yes no | m f r d] j e H; simpl in *; try reflexivity; [ | discriminate].
  apply andb_true_iff in H. destruct H as [Y Z].
  assert (L : forall l ke, forallb sends_nothing l = true -> snd (snd (fold_left (fun ke y =>
    ((fst ke + sends_in y)%nat, run P unit w n c y (fst ke) (snd ke))) l ke)) = snd (snd ke)).
  { fix IHl 1. intros [ | y l] ke H; simpl in *; [reflexivity | ]. apply andb_true_iff in H. destruct H as [H1 H2].
    rewrite IHl; [now apply IH | exact H2]. }
  destruct (value a _); now rewrite L.
Qed.

Theorem silent_once w (s : state T N) (p : pick T N) a : action_at P (by_action p) = Some a -> silent a = true -> asked_once w s p.
Proof.
  intros A H. apply andb_true_iff in H. destruct H as [H G].
  assert (Q : sends (denote P unit) w s p = []).
  { simpl. unfold effect_of. rewrite A. unfold runs. set (ke := (_, _)). assert (Y : snd (snd ke) = []) by reflexivity. clearbody ke.
    revert ke Y H. induction (body a) as [ | y l IHl]; simpl; [intros ke -> _; reflexivity | ]. intros ke Y H.
    apply andb_true_iff in H. destruct H as [H1 H2]. apply IHl; auto. simpl. now rewrite run_nothing. }
  assert (R : filter (fun o => negb (exempt o)) (named_in (N := N) (costs (denote P unit) w s p)) = []).
  { simpl. rewrite A. induction (charges a) as [ | k l IHl]; simpl; auto. simpl in G. apply andb_true_iff in G. destruct G as [G Gl].
    rewrite named_app, filter_app. transitivity ([] ++ [] : list an_occurrence); [f_equal; [ | exact (IHl Gl)] | reflexivity].
    assert (X : forall r, (forall o, In o r -> exists i, o = Step (component_charged k) i) ->
      exempt_component (component_charged k) = true -> filter (fun o => negb (exempt o)) r = []).
    { induction r as [ | o r IHr]; simpl; auto. intros B E. destruct (B o (or_introl eq_refl)) as [i ->]. simpl. rewrite E. simpl.
      apply IHr; auto. }
    apply orb_true_iff in G. destruct G as [G | G]; [ | apply X; [apply component_in | exact G]].
    unfold costs_of_charge, cost_of. rewrite G. destruct (match condition k with Some _ => _ | None => _ end); auto.
    destruct (batch k) as [[v d] | ]; auto. induction (members d _) as [ | z m IHm]; simpl; auto. }
  unfold asked_once. rewrite Q, R. repeat split; simpl; try constructor; easy.
Qed.
End Once.
