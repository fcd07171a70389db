(* SPDX-License-Identifier: GPL-3.0-or-later

   What Generator.v writes of a step is what Denote.v says of it. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Denote Formula Translate TranslateSound RunSound.
From Theory Require Generator.
Local Open Scope Z_scope.

Section StepSound.
Context {T : times} (unit : T) (P : protocol).
Local Notation N := (names_of (T := T) P).
Local Notation M := (denote P unit).
Variables (w : world T N) (s : state T N) (p : pick T N) (a : Syntax.action).
Context (possible_so : possible M w).
Context (enabled_so : enabled M w s p).
Context (is_action : action_at P (by_action p) = Some a).
Context (action_covered : Generator.action_lacks P a = []).
Context (protocol_covered : Generator.protocol_lacks P = []).

Local Notation c0 := (step_scene P unit a w s p).

(* The executions of the step, by the place of the charge. *)
Definition present (k : charge) : bool := match condition k with Some x => value x c0 | None => true end.
Fixpoint executed (number : nat) (all : list charge) (place : nat) : T :=
  match all with
  | [] => zero
  | k :: all =>
    match place with
    | O => if present k then Model.executions p number else zero
    | S place => executed (if present k then S number else number) all place
    end
  end.

Definition stands_for : @interpretation T := {|
  symbols := c0; waited_is := waited p; executed_is := executed O (charges a)
|}.
Local Notation I := stands_for.
Local Notation sense := (Formula.sense stands_for).

Lemma bind_all_field {A} (f : @scene T -> A) : (forall v z c, f (bind v z c) = f c) -> forall vs zs c, f (bind_all vs zs c) = f c.
Proof. intros H vs. induction vs as [ | v vs IH]; intros [ | z zs] c; simpl; auto. now rewrite IH. Qed.

Ltac field := unfold step_scene; rewrite !bind_all_field by reflexivity; reflexivity.

Lemma has_is : has c0 = of s. Proof. field. Qed.
Lemma clock_of_is : clock_of c0 = clock s. Proof. field. Qed.
Lemma was_sent_is : was_sent c0 = sent s. Proof. field. Qed.
Lemma was_received_is : was_received c0 = received s. Proof. field. Qed.
Lemma was_lost_is : was_lost c0 = lost s. Proof. field. Qed.
Lemma time_of_is : time_of c0 = delivered s. Proof. field. Qed.
Lemma received_at_is m : received_at c0 m = snd (receiver s (m : message N) : a_node).
Proof. unfold step_scene. rewrite !(bind_all_field (fun c => received_at c)) by reflexivity. reflexivity. Qed.
Lemma was_charged_is : was_charged c0 = charged s. Proof. field. Qed.
Lemma reads_as_is : reads_as c0 = reads p. Proof. field. Qed.

Lemma this_world : of_this_world unit P w I.
Proof. constructor; simpl; try field. apply possible_so. Qed.

Lemma covered_trigger : Generator.trigger_lacks (trigger_of a) = [].
Proof. unfold Generator.action_lacks in action_covered. now apply none_of in action_covered. Qed.
Lemma covered_choices : choices_of a = [].
Proof.
  pose proof action_covered as L. unfold Generator.action_lacks in L. apply none_of in L. destruct L as [_ L]. apply none_of in
    L. destruct L as [_ L]. apply none_of in L.
  destruct L as [L _]. now destruct (choices_of a).
Qed.
Lemma covered_charges : flat_map Generator.charge_lacks (charges a) = [].
Proof.
  pose proof action_covered as L. unfold Generator.action_lacks in L. apply none_of in L. destruct L as [_ L]. apply none_of in
    L. destruct L as [_ L]. apply none_of in L.
  destruct L as [_ L]. now apply none_of in L.
Qed.
Lemma covered_body : flat_map (Generator.statement_lacks P) (body a) = [].
Proof.
  pose proof action_covered as L. unfold Generator.action_lacks in L. apply none_of in L. destruct L as [_ L]. apply none_of in
    L. destruct L as [_ L]. apply none_of in L.
  destruct L as [_ L]. now apply none_of in L.
Qed.
Lemma covered_sizes : flat_map (fun r => lacks (size r)) (roles P) = [] /\
  flat_map (fun m => flat_map Generator.size_lacks (fields_of m)) (messages P) = [] /\
  flat_map (fun x => Generator.size_lacks (values x) ++ lacks (initial x)) (states P) = [].
Proof.
  pose proof protocol_covered as L. unfold Generator.protocol_lacks in L. apply none_of in L. destruct L as [L1 L]. apply
    none_of in L.
  destruct L as [L2 L]. apply none_of in L. tauto.
Qed.

Lemma covered_pacers m : Denote.pacer_at_kind P m = None.
Proof.
  pose proof protocol_covered as L. unfold Generator.protocol_lacks in L. apply none_of in L. destruct L as [_ L]. apply none_of
    in L.
  destruct L as [_ L]. apply none_of in L. destruct L as [L _]. unfold pacer_at_kind.
  destruct (nth_error (messages P) m) as [d | ] eqn:E; auto. apply nth_error_In in E. apply (flat_map_nil _ _ L) in E.
  apply none_of in E. destruct E as [_ E]. now destruct (pacer_of d).
Qed.

Lemma covered_receivers m : Generator.size_lacks (size_receiving P m) = [].
Proof.
  unfold size_receiving. destruct (nth_error (roles P) _) eqn:E; auto. simpl. apply nth_error_In in E.
  now apply (flat_map_nil (fun r => lacks (size r)) (roles P) (proj1 covered_sizes)) in E.
Qed.
Lemma covered_fields m : flat_map Generator.size_lacks (Generator.declared_fields P m) = [].
Proof.
  unfold Generator.declared_fields. destruct (nth_error (messages P) m) eqn:E; auto. apply nth_error_In in E.
  now apply (flat_map_nil (fun m => flat_map Generator.size_lacks (fields_of m)) (messages P) (proj1 (proj2 covered_sizes))) in E.
Qed.
Lemma covered_values x : Generator.size_lacks (values_of P x) = [].
Proof.
  unfold values_of. destruct (nth_error (states P) x) eqn:E; auto. apply nth_error_In in E.
  apply (flat_map_nil _ _ (proj2 (proj2 covered_sizes))) in E. now apply none_of in E.
Qed.

Lemma fits : fst (at_node p : a_node) = acts a /\ fields_fit P unit a w s p /\
  match takes p with Some m => message_fits P unit w m | None => True end.
Proof. destruct enabled_so as (_ & _ & D & _). simpl in D. unfold step_fits in D. rewrite is_action in D. tauto. Qed.

Lemma at_self : sense (Generator.self_is Z P a) = snd (at_node p : a_node).
Proof.
  destruct fits as (R & (_ & F) & _). unfold Generator.self_is. destruct (Generator.is_single P (acts a)) eqn:E; [ | exact F].
  destruct enabled_so as (L & _). simpl in L. unfold size_of in L. rewrite R in L. unfold Generator.is_single in E.
  destruct (nth_error (roles P) (acts a)) as [d | ]; [ | discriminate].
  destruct (integer_in (size d)) as [z | ] eqn:Q; [ | discriminate]. apply Z.eqb_eq in E. subst z.
  pose proof (integer_in_sound Int (size d) 1 (scene_of_world P unit w) Q) as V. simpl in V. rewrite V in L. simpl. lia.
Qed.

Lemma stands_picked : stands I (Generator.picked Z P a) c0.
Proof.
  intros v. unfold Generator.picked. destruct (Nat.eqb v (self a)) eqn:E; [ | reflexivity].
  apply PeanoNat.Nat.eqb_eq in E. subst v. rewrite at_self. symmetry. apply fits.
Qed.

Lemma before_is : shows I (Generator.before Z) c0.
Proof. exact (shows_before unit P w I this_world a c0 eq_refl stands_picked). Qed.

Lemma leaves_is : RunSound.leaves P I (Generator.effect_of Z P a) (effect_of P unit w s p).
Proof.
  unfold effect_of. rewrite is_action.
  apply (effect_sound unit P w I this_world a (at_node p) c0 eq_refl (proj1 fits) at_self stands_picked covered_receivers
    covered_fields
    covered_values covered_body).
  rewrite <- has_is. intros t x. pose proof (store_at_sound I (acts a) (Generator.self_is Z P a) t x) as K. rewrite at_self in K.
  simpl in K. rewrite <- (proj1 fits) in K at 2. destruct (at_node p). exact K.
Qed.

(* --- times --- *)

Lemma clock_sound : sense (Generator.clock_is Z P a) = clock s (at_node p).
Proof.
  unfold Generator.clock_is. cbn [Formula.sense]. rewrite at_self. simpl. rewrite clock_of_is, <- (proj1 fits). now destruct
    (at_node p).
Qed.

Lemma taken_sound : forall m f, trigger_of a = On m f -> exists i, takes p = Some (m, i) /\ each_of I (Generator.taken Z P a) = i.
Proof.
  intros m f E. destruct enabled_so as (_ & K & _). unfold takes_pending in K. simpl in K. rewrite is_action, E in K.
  destruct (takes p) as [[m' i] | ] eqn:Q; [ | easy]. destruct K as (K & _). simpl in K. apply PeanoNat.Nat.eqb_eq in K. subst m'.
  exists i. split; auto. destruct fits as (_ & (F & _) & _). unfold taken_fields in F. rewrite Q in F. simpl in F. rewrite <- F.
  unfold Generator.taken, each_of. rewrite map_map. apply map_ext. intros v. apply stands_picked.
Qed.

Lemma start_sound : sense (Generator.start_is Z P a) = start M w s p.
Proof.
  unfold Generator.start_is, start. simpl. rewrite is_action. pose proof covered_trigger as L.
  destruct (trigger_of a) as [ | m f | k | due | m f] eqn:E; try discriminate L; try apply clock_sound.
  - destruct (taken_sound m f E) as (i & Q & R). rewrite Q. cbn [Formula.sense]. rewrite clock_sound.
    change (map (fun n => sense n) (Generator.taken Z P a)) with (each_of I (Generator.taken Z P a)). rewrite R. simpl.
    now rewrite time_of_is.
  - cbn [Formula.sense]. now rewrite clock_sound.
  - cbn [Formula.sense]. rewrite clock_sound. pose proof (translate_sound I _ due L _ _ _ before_is stands_picked) as K. simpl
    in K. now rewrite K.
Qed.

Lemma charged_if_sound k : Generator.charge_lacks k = [] -> sense (Generator.charged_if Z P a k) = present k.
Proof.
  unfold Generator.charge_lacks, Generator.charged_if, present. intros L. apply none_of in L. destruct L as [_ L]. apply none_of
    in L.
  destruct L as [L _]. destruct (condition k) as [x | ]; auto. exact (translate_sound I Bool x L _ _ _ before_is stands_picked).
Qed.

Lemma indices_sound k : Generator.charge_lacks k = [] ->
  each_of I (Generator.indices_are Z P a k) = map (fun i => value i c0) (indices k).
Proof.
  unfold Generator.charge_lacks, Generator.indices_are, each_of. intros L. apply none_of in L. destruct L as [L _]. rewrite
    map_map.
  induction (indices k) as [ | i l IH]; simpl in *; auto. apply none_of in L. destruct L as [L1 L2].
  f_equal; [exact (translate_sound I Int i L1 _ _ _ before_is stands_picked) | now apply IH].
Qed.

Lemma costs_sound k : Generator.charge_lacks k = [] ->
  costs_of_charge c0 k = if present k then [cost_of k c0] else [].
Proof.
  unfold Generator.charge_lacks, costs_of_charge, present. intros L. apply none_of in L. destruct L as [_ L]. apply none_of in L.
  destruct L as [_ L]. now destruct (batch k).
Qed.

Lemma paid_sound all : flat_map Generator.charge_lacks all = [] -> forall place number,
  (forall i, executed O (charges a) (place + i)%nat = executed number all i) ->
  sense (Generator.paid Z P a place all) = paid w p number (flat_map (costs_of_charge c0) all).
Proof.
  induction all as [ | k all IH]; intros L place number X; simpl; auto. simpl in L. apply none_of in L. destruct L as [L1 L2].
  rewrite costs_sound, charged_if_sound by assumption.
  assert (Y : forall i, executed O (charges a) (S place + i)%nat = executed (if present k then S number else number) all i).
  { intros i. specialize (X (S i)). rewrite <- plus_n_Sm in X. exact X. }
  rewrite (IH L2 (S place) _ Y). specialize (X O). rewrite <- plus_n_O in X. simpl in X.
  destruct (present k); simpl; [ | now rewrite plus_comm, plus_zero].
  unfold cost_of, Generator.lasts_long. destruct (repeated k); simpl; [now rewrite X | ].
  pose proof (indices_sound k L1) as Q. destruct (indices k) as [ | i l] eqn:E; simpl in *.
  - pose proof (same_bare _ _ _ _ this_world) as B. pose proof (same_single _ _ _ _ this_world (component_charged k)) as C.
    simpl in B, C. now rewrite B, C.
  - pose proof (same_lasts _ _ _ _ this_world) as B. simpl in B. unfold each_of in Q. rewrite B. now rewrite <- Q.
Qed.

Lemma finish_sound : sense (Generator.finish_is Z P a) = finish M w s p.
Proof.
  unfold Generator.finish_is, finish. cbn [Formula.sense]. rewrite start_sound. f_equal. simpl. rewrite is_action.
  apply paid_sound; [apply covered_charges | reflexivity].
Qed.

(* --- the state after --- *)

Lemma loses_nothing : loses M p = false.
Proof. unfold loses. simpl. rewrite is_action. pose proof covered_trigger as L. now destruct (trigger_of a). Qed.

Lemma takes_nothing : (forall m f, trigger_of a <> On m f) -> takes p = None.
Proof.
  intros no. destruct enabled_so as (_ & K & _). unfold takes_pending in K. simpl in K. rewrite is_action in K.
  pose proof covered_trigger as L. destruct (trigger_of a) as [ | m f | k | due | m f] eqn:E; try discriminate L;
    try (now destruct (takes p)). now elim (no m f).
Qed.

Lemma sent_sound m l old olds :
  sense (Generator.sent_by Z (snd (Generator.effect_of Z P a)) m l olds) =
    match Model.receiver_of ((m, each_of I l) : message N) (sends M w s p) with Some _ => true | None => sense olds end /\
  sense (Generator.received_by Z (snd (Generator.effect_of Z P a)) m l old) =
    match Model.receiver_of ((m, each_of I l) : message N) (sends M w s p) with Some k => snd (k : a_node) | None => sense old
    end.
Proof. exact (proj2 leaves_is m l old olds). Qed.

Lemma same_fields_as x y : sense (Generator.same_fields Z x y) = if list_eq_dec Z.eq_dec (each_of I x) (each_of I y) then true
  else false.
Proof.
  destruct (list_eq_dec _ _ _) as [E | E].
  - now apply same_fields_sound.
  - apply not_true_is_false. intros F. apply E. now apply same_fields_sound.
Qed.

Definition named_costs (all : list charge) : list an_occurrence :=
  named_in (N := N) (flat_map (costs_of_charge c0) all : list (cost (N.(component)) (N.(occurrence)))).

Lemma charged_by_sound c l all : flat_map Generator.charge_lacks all = [] ->
  sense (fold_right (fun k others =>
      if Nat.eqb (component_charged k) c && negb (repeated k)
      then XOr (XAnd (Generator.charged_if Z P a k) (Generator.same_fields Z l (Generator.indices_are Z P a k))) others else
      others)
    (XCharged c l) all) = true <->
  In (Step c (each_of I l)) (named_costs all) \/ charged s (Step c (each_of I l) : occurrence N) = true.
Proof.
  unfold named_costs. induction all as [ | k all IH]; intros L.
  - cbn [fold_right Formula.sense symbols stands_for flat_map named_in In]. rewrite was_charged_is. tauto.
  - simpl in L. apply none_of in L. destruct L as [L1 L2]. specialize (IH L2). simpl flat_map. rewrite costs_sound by assumption.
    cbn [fold_right]. destruct (Nat.eqb (component_charged k) c && negb (repeated k)) eqn:E.
    + apply andb_true_iff in E. destruct E as [E F]. apply PeanoNat.Nat.eqb_eq in E. apply negb_true_iff in F.
      cbn [Formula.sense symbols stands_for]. rewrite orb_true_iff, andb_true_iff, charged_if_sound, IH by assumption.
      rewrite same_fields_sound, indices_sound by assumption. unfold cost_of. rewrite F, E.
      destruct (present k); cbn [app named_in In].
      * split; [intros [[_ A] | A]; [left; left; now rewrite A | tauto] | ].
        intros [[A | A] | A]; try tauto. injection A as A. left. auto.
      * split; [intros [[A _] | A]; [discriminate | exact A] | tauto].
    + rewrite IH. unfold cost_of. destruct (present k); cbn [app]; try tauto.
      destruct (repeated k) eqn:F; cbn [named_in In]; try tauto.
      rewrite andb_true_r in E. split; [tauto | ]. intros [[A | A] | A]; try tauto. injection A as A _.
      rewrite A, PeanoNat.Nat.eqb_refl in E. discriminate.
Qed.

Lemma leaves_at_finish m : Model.leaves M w s p m = finish M w s p.
Proof.
  unfold Model.leaves. assert (N0 : forall n all, pacer_at M w (finish M w s p) n m all = None).
  { intros n all. revert n. induction all as [ | [m' k] all IH]; intros n; simpl; auto. rewrite ?covered_pacers. simpl.
    destruct (same_message m' m); auto; now rewrite ?covered_pacers. }
  now rewrite N0.
Qed.

Lemma after_is more : shows I (Generator.after Z P a) (scene_of P unit w (after M w s p) more zero).
Proof.
  unfold after. rewrite loses_nothing.
  constructor; try (exact (same_params _ _ _ _ this_world)); try (exact (same_unit _ _ _ _ this_world));
    try (exact (same_bare _ _ _ _ this_world)); try (exact (same_lasts _ _ _ _ this_world));
    try (exact (same_single _ _ _ _ this_world)); try reflexivity.
  - intros t x r n. pose proof (shows_with_store unit P w I this_world a (at_node p) c0 eq_refl (proj1 fits) at_self
    stands_picked _ _
      (proj1 leaves_is)) as S. pose proof (shows_state _ _ _ S t x r n) as K. clear S. simpl in K |- *.
    replace (if same_node (at_node p) (r, sense n) then _ else _)
      with (if Nat.eqb (fst (at_node p : a_node)) r && Z.eqb (snd (at_node p : a_node)) (sense n) then fst (effect_of P unit w s
      p) else has c0 (r, sense n)); auto.
    rewrite has_is. destruct (same_node (at_node p) (r, sense n)) as [E | E]; destruct (_ && _) eqn:F; auto; exfalso.
    + rewrite E in F. simpl in F. now rewrite PeanoNat.Nat.eqb_refl, Z.eqb_refl in F.
    + apply E. apply andb_true_iff in F. destruct F as [F G]. apply PeanoNat.Nat.eqb_eq in F. apply Z.eqb_eq in G.
      destruct (at_node p). simpl in F, G. now subst.
  - intros m l. unfold Generator.after. cbn [y_sent]. rewrite (proj1 (sent_sound m l (XInt 0) (XSent m l))).
    cbn [was_sent scene_of sent]. destruct (Model.receiver_of _ _); auto. cbn [Formula.sense symbols stands_for]. now rewrite <-
    was_sent_is.
  - intros m l. unfold Generator.after. cbn [y_received was_received scene_of received].
    destruct (trigger_of a) as [ | m' f | k | due | m' f] eqn:E;
      try (unfold take_is; rewrite takes_nothing by (intros; congruence); cbn [Formula.sense symbols stands_for]; now rewrite <-
      was_received_is).
    destruct (taken_sound m' f E) as (i & Q & R). unfold take_is. rewrite Q.
    destruct (Nat.eqb m' m) eqn:F.
    + apply PeanoNat.Nat.eqb_eq in F. subst m'. cbn [Formula.sense symbols stands_for]. rewrite same_fields_as, R. rewrite <-
      was_received_is. f_equal.
      simpl is_message. destruct (same_message (m, i) (m, each_of I l)) as [A | A]; destruct (list_eq_dec _ _ _) as [B | B];
      auto; exfalso.
      * injection A as A. now elim B.
      * apply A. now rewrite B.
    + simpl is_message. destruct (same_message (m', i) (m, each_of I l)) as [A | A].
      * injection A as A _. rewrite A, PeanoNat.Nat.eqb_refl in F. discriminate.
      * cbn [Formula.sense symbols stands_for]. now rewrite <- was_received_is.
  - intros m l. cbn [Formula.sense symbols stands_for Generator.after y_lost was_lost scene_of lost]. now rewrite <- was_lost_is.
  - intros m l. unfold Generator.after. cbn [y_time time_of scene_of delivered Formula.sense symbols stands_for].
    rewrite (proj1 (sent_sound m l (XInt 0) (XBool false))). destruct (Model.receiver_of _ _).
    + rewrite finish_sound, leaves_at_finish. f_equal. pose proof (same_lasts _ _ _ _ this_world) as B. simpl in B. rewrite B.
      unfold delay. simpl.
      now destruct (nth_error (messages P) m).
    + cbn [Formula.sense symbols stands_for]. now rewrite <- time_of_is.
  - intros m l. unfold Generator.after. cbn [y_receiver received_at scene_of receiver].
    rewrite (proj2 (sent_sound m l (XReceiver m l) (XBool false))). destruct (Model.receiver_of _ _); auto.
    cbn [Formula.sense symbols stands_for]. now rewrite <- received_at_is.
  - intros k l. unfold Generator.after, Generator.charged_by. cbn [y_charged was_charged scene_of charged].
    apply eq_true_iff_eq. rewrite (charged_by_sound k l (charges a) covered_charges), orb_true_iff.
    replace (costs M w s p) with (flat_map (costs_of_charge c0) (charges a) : list (cost (N.(component)) (N.(occurrence))))
      by (simpl; now rewrite is_action).
    unfold charges_now, named_costs. destruct (in_dec _ _ _); split; intros [A | A]; auto; try discriminate.
  - intros r n. unfold Generator.after. cbn [y_clock clock_of scene_of clock]. simpl is_node.
    destruct (Nat.eqb (acts a) r) eqn:E.
    + apply PeanoNat.Nat.eqb_eq in E. subst r. cbn [Formula.sense symbols stands_for]. rewrite at_self, finish_sound, <-
      clock_of_is.
      match goal with |- context [same_node ?x ?y] => destruct (same_node x y) as [F | F] end.
      * replace (snd (at_node p) =? sense n) with true; [reflexivity | ]. symmetry. apply Z.eqb_eq. now rewrite F.
      * replace (snd (at_node p) =? sense n) with false; [reflexivity | ]. symmetry. apply Z.eqb_neq. intros G. apply F.
        rewrite <- (proj1 fits), <- G. now destruct (at_node p).
    + cbn [Formula.sense symbols stands_for]. rewrite <- clock_of_is.
      match goal with |- context [same_node ?x ?y] => destruct (same_node x y) as [F | F] end; auto; exfalso.
      rewrite <- (proj1 fits), F in E. simpl in E. now rewrite PeanoNat.Nat.eqb_refl in E.
Qed.

(* --- what enables it --- *)

Definition all_true (l : list (expression Z Bool)) : Prop := List.Forall (fun x : expression Z Bool => sense x = true) l.

Lemma timed : le (start M w s p) (reads p) /\ le (reads p) (finish M w s p) /\ executes M w s p /\ standard M w s p.
Proof. destruct enabled_so as (_ & _ & _ & _ & E). destruct (E loses_nothing) as (A & B & C & _ & D & _). auto. Qed.

Lemma between_sound (x : expression Z Syntax.Time) (c : component N) : le zero (sense x) /\ le (sense x) (bare w c) ->
  sense (Generator.between_zero_and Z x (XBare c)) = true.
Proof.
  intros [A B]. unfold Generator.between_zero_and. cbn [Formula.sense]. rewrite andb_true_iff, !before_or_at_is. split; auto.
  pose proof (same_bare _ _ _ _ this_world) as C. simpl in C. cbn [symbols stands_for]. now rewrite C.
Qed.

Lemma bare_not_negative (c : component N) : le zero (bare w c).
Proof. destruct possible_so as [_ O]. destruct (O (Step c [])) as [A B]. now apply le_trans with (length_of w (Step c [] :
  occurrence N)). Qed.

Lemma lives_true : all_true (Generator.lives Z P a).
Proof.
  unfold Generator.lives. destruct (Generator.is_single P (acts a)); [constructor | ]. destruct (nth_error (roles P) (acts a))
    as [d | ] eqn:E; [ | constructor].
  constructor; [ | constructor]. destruct enabled_so as (L & _). simpl in L. unfold size_of in L. rewrite (proj1 fits), E in L.
  assert (C : lacks (size d) = []) by (apply (flat_map_nil _ _ (proj1 covered_sizes)); now apply nth_error_In in E).
  pose proof (of_parameters_sound unit P w I this_world Int (size d) C) as K. simpl in K.
  cbn [Formula.sense]. rewrite K, at_self, andb_true_iff, Z.leb_le, Z.ltb_lt. exact L.
Qed.

Lemma executions_true all : flat_map Generator.charge_lacks all = [] -> forall place number,
  (forall i, executed O (charges a) (place + i)%nat = executed number all i) ->
  (forall i c, nth_error (flat_map (costs_of_charge c0) all) i = Some (Executed c) -> between w (c : component N)
    (Model.executions p (number + i)%nat)) ->
  all_true (Generator.executions Z place all).
Proof.
  induction all as [ | k all IH]; intros L place number X Y; simpl; [constructor | ]. simpl in L. apply none_of in L. destruct L
    as [L1 L2].
  simpl flat_map in Y. rewrite costs_sound in Y by assumption. apply Forall_app. split.
  - destruct (repeated k) eqn:R; constructor; [ | constructor]. apply between_sound. cbn [Formula.sense]. cbn [executed_is
    stands_for].
    specialize (X O). rewrite <- plus_n_O in X. simpl in X. rewrite X. destruct (present k).
    + unfold cost_of in Y. rewrite R in Y. specialize (Y O (component_charged k) eq_refl). rewrite <- plus_n_O in Y. exact Y.
    + split; [apply le_refl | apply bare_not_negative].
  - apply (IH L2 (S place) (if present k then S number else number)).
    + intros i. specialize (X (S i)). rewrite <- plus_n_Sm in X. exact X.
    + intros i c E. destruct (present k).
      * specialize (Y (S i) c E). now rewrite <- plus_n_Sm in Y.
      * now apply Y.
Qed.

Lemma reads_true : all_true (Generator.reads Z P a).
Proof.
  unfold Generator.reads. destruct (_ || _); constructor; [ | constructor]. destruct timed as (A & B & _).
  cbn [Formula.sense]. rewrite start_sound, finish_sound, andb_true_iff, !before_or_at_is. cbn [symbols stands_for]. now rewrite
    reads_as_is.
Qed.

Lemma guards_true : List.Forall (true_of I) (Generator.guards_are Z P a).
Proof.
  destruct enabled_so as (_ & _ & _ & G & _). simpl in G. rewrite is_action in G. unfold Generator.guards_are.
  induction G as [ | g l H _ IH]; simpl; [constructor | ]. apply Forall_app. split; [ | exact IH].
  destruct (write_lacks g) eqn:L; constructor; [ | constructor]. now apply (write_sound I Bool g L _ _ _ before_is stands_picked).
Qed.

Lemma fields_true declared : flat_map Generator.size_lacks declared = [] -> forall l,
  clamp_all P unit w declared (each_of I l) = each_of I l ->
  all_true (map (fun vz => XIntEq (Generator.x_clamp Z (fst vz) (snd vz)) (snd vz)) (combine declared l)).
Proof.
  induction declared as [ | d declared IH]; intros L [ | x l] E; simpl; try constructor; simpl in L; apply none_of in L;
    destruct L as [L1 L2];
    simpl in E; injection E as E1 E2.
  - cbn [Formula.sense fst snd]. rewrite Z.eqb_eq, (clamp_sound unit P w I this_world) by assumption. exact E1.
  - now apply IH.
Qed.

Lemma takes_true : all_true (Generator.takes Z P a).
Proof.
  unfold Generator.takes. destruct timed as (_ & _ & (_ & W) & Q). simpl in W. unfold standard in Q. simpl in Q. rewrite
    is_action in W, Q.
  destruct (trigger_of a) as [ | m f | k | due | m f] eqn:E; try constructor; [ | apply between_sound; exact W | constructor].
  destruct (taken_sound m f E) as (i & U & R). destruct fits as (F1 & _ & F3). rewrite U in F3, Q.
  destruct enabled_so as (_ & K & _). unfold takes_pending in K. simpl in K. rewrite is_action, E, U in K. destruct K as (_ & K1
    & K2).
  unfold pending in K1. apply andb_true_iff in K1. destruct K1 as [K1 K4]. apply andb_true_iff in K1. destruct K1 as [K1 K3].
  repeat (apply Forall_app; split); repeat (apply Forall_cons || apply Forall_nil).
  - apply fields_true; [apply covered_fields | ]. rewrite R. unfold message_fits, clamp_fields in F3. simpl in F3.
    unfold Generator.declared_fields. destruct (nth_error (messages P) m) as [d | ]; simpl; auto. 
  - cbn [Formula.sense symbols stands_for]. change (map _ (Generator.taken Z P a)) with (each_of I (Generator.taken Z P a)). now
    rewrite R, was_sent_is.
  - cbn [Formula.sense symbols stands_for]. change (map _ (Generator.taken Z P a)) with (each_of I (Generator.taken Z P a)). now
    rewrite R, was_received_is.
  - cbn [Formula.sense symbols stands_for]. change (map _ (Generator.taken Z P a)) with (each_of I (Generator.taken Z P a)). now
    rewrite R, was_lost_is.
  - destruct (Generator.is_single P (acts a)); constructor; [ | constructor]. cbn [Formula.sense symbols stands_for].
    change (map _ (Generator.taken Z P a)) with (each_of I (Generator.taken Z P a)). rewrite R, received_at_is, at_self. apply
    Z.eqb_eq. f_equal. exact (proj1 K2).
  - destruct (queueing P) as [q | ]; [ | constructor]. constructor; [ | constructor]. cbn [Formula.sense]. rewrite clock_sound.
    cbn [symbols stands_for]. change (map _ (Generator.taken Z P a)) with (each_of I (Generator.taken Z P a)). rewrite R,
    time_of_is.
    pose proof (same_lasts _ _ _ _ this_world) as B. simpl in B. rewrite B. apply before_or_at_is. exact Q.
Qed.

Lemma enabled_true : List.Forall (true_of I) (Generator.enabled Z P a).
Proof.
  unfold Generator.enabled. apply Forall_app. split; [ | exact guards_true]. apply Forall_map. simpl.
  repeat (apply Forall_app; split); [exact lives_true | exact takes_true | | exact reads_true].
  apply (executions_true (charges a) covered_charges O O); [reflexivity | ]. intros i c E. destruct timed as (_ & _ & (X & _) &
    _).
  apply (X i c). simpl. now rewrite is_action.
Qed.
End StepSound.
