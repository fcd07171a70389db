(* SPDX-License-Identifier: GPL-3.0-or-later

   What Generator.v writes of when a step is enabled is so wherever Model.v and its timing model enable it. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Timing Denote Corollary Formula Translate TranslateSound RunSound RuleSound StepSound.
From Theory Require GeneratorRun GeneratorStep GeneratorRule Generator.
Local Open Scope Z_scope.

Section EnabledSound.
Context {T : times} (unit : T) (P : protocol).
Local Notation N := (names_of (T := T) P).
Local Notation M := (denote P unit).
Variables (w : world T N) (s : state T N) (p : pick T N) (a : Syntax.action) (e : extra (T := T)).
Context (possible_so : possible M w).
Context (enabled_so : enabled M w s p).
Context (typed_so : typed unit P w s).
Context (rule_so : match timing_of P with
                   | StandardModel => True
                   | EagerModel => rule (eager M) w s (now e) p
                   | AdvancedModel => rule (advanced M) w s (arrival e) p
                   end).
Context (is_action : action_at P (by_action p) = Some a).
Context (action_covered : Generator.action_lacks P a = []).
Context (protocol_covered : Generator.protocol_lacks P = []).

Local Notation c0 := (step_scene P unit a w s p).
Local Notation base := (scene_of P unit w s no_extra (reads p)).
Local Notation I := (stands_for unit P w s p a e).
Local Notation sense := (Formula.sense I).
Local Notation all_true := (all_true I).

Lemma this_world_is : of_this_world unit P w I.
Proof. exact (this_world unit P w s p a e possible_so). Qed.
Lemma self_is : sense (GeneratorRun.self_is Z P a) = snd (at_node p : a_node).
Proof. exact (at_self unit P w s p a e enabled_so is_action). Qed.
Lemma clock_is : sense (GeneratorStep.clock_is Z P a) = clock s (at_node p).
Proof. exact (clock_sound unit P w s p a e enabled_so is_action). Qed.
Lemma taken_is : forall m f, trigger_of a = On m f \/ trigger_of a = Losing m f ->
  exists i, takes p = Some (m, i) /\ each_of I (GeneratorRun.taken Z P a) = i.
Proof. exact (taken_sound unit P w s p a e enabled_so is_action). Qed.
Lemma start_is : sense (GeneratorStep.start_is Z P a) = start M w s p.
Proof. exact (start_sound unit P w s p a e possible_so enabled_so is_action action_covered). Qed.
Lemma finish_is : sense (GeneratorStep.finish_is Z P a) = finish M w s p.
Proof. exact (finish_sound unit P w s p a e possible_so enabled_so is_action action_covered). Qed.
Lemma fits_so : fst (at_node p : a_node) = acts a /\ fields_fit P unit a w s p /\
  match takes p with Some m => message_fits P unit w m | None => True end.
Proof. exact (fits unit P w s p a enabled_so is_action). Qed.
Lemma before_so : shows I (GeneratorRun.before Z) c0.
Proof. exact (before_is unit P w s p a e possible_so enabled_so is_action). Qed.
Lemma stands_so : stands I (GeneratorRun.picked Z P a) c0.
Proof. exact (stands_picked unit P w s p a e enabled_so is_action). Qed.
Lemma loses_so : loses M p = GeneratorStep.loses a.
Proof. exact (loses_is unit P p a is_action). Qed.

Lemma shows_unbound names y : forall zs c, shows I y (bind_all names zs c) -> shows I y c.
Proof.
  assert (U : forall v z c, shows I y (bind v z c) -> shows I y c) by (intros v z c []; now constructor).
  induction names as [ | v names IH]; intros [ | z zs] c H; auto. simpl in H. apply IH in H. now apply U in H.
Qed.

Lemma base_is : shows I (GeneratorRun.before Z) base.
Proof.
  pose proof before_so as B. unfold step_scene in B. apply shows_unbound, shows_unbound in B.
  now apply (shows_unbound [self a] (GeneratorRun.before Z) [snd (at_node p : a_node)]) in B.
Qed.

Lemma timed : loses M p = false ->
  le (start M w s p) (reads p) /\ le (reads p) (finish M w s p) /\ executes M w s p /\ patient M w s p /\ standard M w s p.
Proof. intros L. pose proof enabled_so as En; destruct En as (_ & _ & _ & _ & E). destruct (E L) as (A & B & C & D & F & _). auto. Qed.

Lemma between_sound (x : expression Z Syntax.Time) (c : component N) : le zero (sense x) /\ le (sense x) (bare w c) ->
  sense (GeneratorStep.between_zero_and Z x (XBare c)) = true.
Proof.
  intros [A B]. unfold GeneratorStep.between_zero_and. cbn [Formula.sense]. rewrite andb_true_iff, !before_or_at_is. split; auto.
  pose proof (same_bare _ _ _ _ this_world_is) as C. simpl in C. cbn [symbols stands_for]. now rewrite C.
Qed.

Lemma bare_not_negative (c : component N) : le zero (bare w c).
Proof.
  pose proof possible_so as Ps; destruct Ps as [_ O]. destruct (O (Step c [])) as [A B]. now apply le_trans with (length_of w (Step c [] : occurrence N)).
Qed.

Lemma lives_true : all_true (GeneratorStep.lives Z P a).
Proof.
  apply (in_role_sound unit P w I this_world_is protocol_covered). rewrite self_is. rewrite <- (proj1 fits_so).
  pose proof enabled_so as En; destruct En as (L & _). exact L.
Qed.

Lemma executions_true all : flat_map Generator.charge_lacks all = [] -> forall place number,
  (forall i, executed unit P w s p a O (charges a) (place + i)%nat = executed unit P w s p a number all i) ->
  (forall i c, nth_error (flat_map (costs_of_charge c0) all) i = Some (Executed c) -> between w (c : component N)
    (Model.executions p (number + i)%nat)) ->
  all_true (GeneratorStep.executions Z place all).
Proof.
  induction all as [ | k all IH]; intros L place number X Y; simpl; [constructor | ]. simpl in L. apply none_of in L.
  destruct L as [L1 L2]. simpl flat_map in Y. rewrite costs_sound in Y by assumption. apply Forall_app. split.
  - destruct (repeated k) eqn:R; constructor; [ | constructor]. apply between_sound. cbn [Formula.sense]. cbn [executed_is stands_for].
    specialize (X O). rewrite <- plus_n_O in X. simpl in X. rewrite X. destruct (present unit P w s p a k).
    + unfold cost_of in Y. rewrite R in Y. specialize (Y O (component_charged k) eq_refl). rewrite <- plus_n_O in Y. exact Y.
    + split; [apply le_refl | apply bare_not_negative].
  - apply (IH L2 (S place) (if present unit P w s p a k then S number else number)).
    + intros i. specialize (X (S i)). rewrite <- plus_n_Sm in X. exact X.
    + intros i c E. destruct (present unit P w s p a k).
      * specialize (Y (S i) c E). now rewrite <- plus_n_Sm in Y.
      * now apply Y.
Qed.

Lemma reads_true : loses M p = false -> all_true (GeneratorStep.reads Z P a).
Proof.
  intros L. unfold GeneratorStep.reads. destruct (_ || _); constructor; [ | constructor]. destruct (timed L) as (A & B & _).
  cbn [Formula.sense]. rewrite start_is, finish_is, andb_true_iff, !before_or_at_is. cbn [symbols stands_for]. now rewrite reads_as_is.
Qed.

Lemma guards_true : List.Forall (true_of I) (GeneratorStep.guards_are Z P a).
Proof.
  pose proof enabled_so as En; destruct En as (_ & _ & _ & G & _). simpl in G. rewrite is_action in G. unfold GeneratorStep.guards_are.
  induction G as [ | g l H _ IH]; simpl; [constructor | ]. apply Forall_app. split; [ | exact IH].
  destruct (write_lacks g) eqn:L; constructor; [ | constructor]. now apply (write_sound I Bool g L _ _ _ before_so stands_so).
Qed.

(* --- what it takes --- *)

Lemma pending_taken m f : trigger_of a = On m f \/ trigger_of a = Losing m f ->
  let i := each_of I (GeneratorRun.taken Z P a) in
  takes p = Some (m, i) /\ pending s ((m, i) : message N) = true /\ receiver s ((m, i) : message N) = at_node p /\
  is_next M w s ((m, i) : message N) /\ message_fits P unit w (m, i).
Proof.
  intros E. destruct (taken_is m f E) as (i & U & R). simpl. rewrite R. destruct fits_so as (_ & _ & F). rewrite U in F.
  pose proof enabled_so as En; destruct En as (_ & K & _). unfold takes_pending in K. simpl in K. rewrite is_action, U in K.
  destruct E as [E | E]; rewrite E in K; destruct K as (_ & K1 & K2 & K3); auto.
Qed.

Lemma declared_length m i : message_fits P unit w (m, i) -> length i = length (GeneratorRun.declared_fields P m).
Proof.
  intros F. unfold GeneratorRun.declared_fields. destruct (nth_error (messages P) m) as [d | ] eqn:E;
    [exact (fits_length unit P w m i d F E) | ].
  unfold message_fits, clamp_fields in F. simpl in F. rewrite E in F. now subst i.
Qed.

Lemma taken_from_true m f : trigger_of a = On m f \/ trigger_of a = Losing m f -> all_true (GeneratorStep.taken_from Z P a m).
Proof.
  intros E. destruct (pending_taken m f E) as (U & K1 & K2 & _ & F). unfold GeneratorStep.taken_from.
  apply Forall_app. split; [ | apply Forall_app; split].
  - apply (fields_fit_sound unit P w I this_world_is protocol_covered); [ | exact F].
    rewrite <- (declared_length m _ F). unfold each_of. now rewrite map_length.
  - now apply (pending_sound unit P w s (reads p) I base_is).
  - destruct (GeneratorRun.is_single P (acts a)); constructor; [ | constructor].
    pose proof (receiver_sound unit P w s (reads p) I base_is m (GeneratorRun.taken Z P a)) as R.
    cbn [Formula.sense] in R |- *. rewrite R, self_is. apply Z.eqb_eq. now rewrite K2.
Qed.

Lemma in_time_true m f : trigger_of a = On m f -> all_true (GeneratorStep.in_time Z P a m).
Proof.
  intros E. destruct (pending_taken m f (or_introl E)) as (U & _).
  assert (L : loses M p = false) by (rewrite loses_so; unfold GeneratorStep.loses; now rewrite E).
  destruct (timed L) as (_ & _ & _ & Pa & Q). unfold patient in Pa. unfold standard in Q. simpl in Pa, Q. rewrite is_action, E, U in Pa, Q.
  pose proof (time_sound unit P w s (reads p) I base_is m (GeneratorRun.taken Z P a)) as Ti. unfold GeneratorStep.in_time. apply Forall_app. split.
  - destruct (slot_timeout a) as [c | ]; constructor; [ | constructor].
    change (before_or_at (sense (XTimeOf m (GeneratorRun.taken Z P a))) (plus (sense (GeneratorStep.clock_is Z P a)) (sense (XBare c))) = true).
    rewrite Ti, clock_is, (bare_sound unit P w I this_world_is). now apply before_or_at_is.
  - destruct (queueing P) as [q | ]; constructor; [ | constructor].
    change (before_or_at (sense (GeneratorStep.clock_is Z P a)) (plus (sense (XTimeOf m (GeneratorRun.taken Z P a)))
      (sense (XDelay q m (GeneratorRun.taken Z P a)))) = true).
    rewrite Ti, clock_is. apply before_or_at_is. pose proof (same_lasts _ _ _ _ this_world_is) as B. simpl in B. simpl. rewrite B. exact Q.
Qed.

Lemma takes_true : all_true (GeneratorStep.takes Z P a).
Proof.
  unfold GeneratorStep.takes. destruct (trigger_of a) as [ | m f | k | due | m f] eqn:E; try constructor; try constructor.
  - apply Forall_app. split; [exact (taken_from_true m f (or_introl E)) | exact (in_time_true m f E)].
  - apply between_sound. assert (L : loses M p = false) by (rewrite loses_so; unfold GeneratorStep.loses; now rewrite E).
    destruct (timed L) as (_ & _ & (_ & X) & _). simpl in X. rewrite is_action, E in X. exact X.
  - exact (taken_from_true m f (or_intror E)).
Qed.

Lemma next_true : List.Forall (true_of I) (GeneratorRule.next_is_taken Z P a).
Proof.
  unfold GeneratorRule.next_is_taken.
  assert (F : forall m f, trigger_of a = On m f \/ trigger_of a = Losing m f ->
    List.Forall (true_of I) (GeneratorRule.is_next Z P m (GeneratorRun.taken Z P a))).
  { intros m f E. destruct (pending_taken m f E) as (_ & K & _ & X & _).
    apply (next_written unit P w s (reads p) I this_world_is base_is typed_so protocol_covered); [now apply sent_if_pending | exact X]. }
  destruct (trigger_of a) as [ | m f | k | due | m f] eqn:E; try constructor; [apply (F m f) | apply (F m f)]; auto.
Qed.

(* --- what it chooses --- *)

Lemma bound_elsewhere names v : existsb (Nat.eqb v) names = false -> forall zs (c : @scene T), variable_is (bind_all names zs c) v = variable_is c v.
Proof.
  induction names as [ | u names IH]; simpl; [reflexivity | ]. intros H [ | z zs] c; auto. apply orb_false_iff in H.
  destruct H as [H1 H2]. rewrite (IH H2). simpl. unfold set_at. rewrite PeanoNat.Nat.eqb_sym. now rewrite H1.
Qed.

Lemma chosen_true all : flat_map (fun vd => inside_lacks (snd vd)) all = [] -> Generator.apart (map fst all) = true ->
  forall zs env c, choices_fit all zs c -> c0 = bind_all (map fst all) zs c -> shows I (GeneratorRun.before Z) c -> stands I env c ->
  all_true (GeneratorStep.choices_fit Z all (map XPicked (map fst all)) env).
Proof.
  induction all as [ | [v d] all IH]; intros L A [ | z zs] env c F E S K; simpl in F |- *; try easy; [constructor | ].
  simpl in L, A, E. apply none_of in L. destruct L as [L1 L2]. apply andb_true_iff in A. destruct A as [A1 A2].
  apply negb_true_iff in A1. destruct F as [F1 F2].
  assert (V : sense (XPicked v) = z).
  { simpl. rewrite E, (bound_elsewhere _ v A1). simpl. unfold set_at. now rewrite PeanoNat.Nat.eqb_refl. }
  constructor.
  - apply (inside_sound I d env _ c (XPicked v) L1 S K). now rewrite V.
  - apply (IH L2 A2 zs _ (bind v z c) F2 E); auto using shows_bind. now apply stands_bind.
Qed.

Lemma choices_true : all_true (GeneratorStep.choices_are Z P a).
Proof.
  pose proof action_covered as L. unfold Generator.action_lacks, Generator.choices_lack in L. no_lack.
  pose proof enabled_so as En; destruct En as (_ & _ & D & _). simpl in D. unfold step_fits in D. rewrite is_action in D. destruct D as (_ & (F & Sf) & _ & C).
  unfold GeneratorStep.choices_are. eapply chosen_true; [assumption | | exact C | reflexivity | | ].
  - destruct (Generator.apart _); [reflexivity | discriminate].
  - apply shows_all, shows_bind. exact base_is.
  - unfold GeneratorStep.before_choices. rewrite <- F.
    replace (map (fun v => variable_is c0 v) (message_variables a)) with (each_of I (map XPicked (message_variables a)))
      by (unfold each_of; now rewrite map_map).
    apply stands_all, stands_bind; [exact self_is | now apply stands_unbound].
Qed.

(* --- the timing model --- *)

Lemma start_before (x : expression Z Syntax.Time) t : sense x = t -> le (start M w s p) t ->
  sense (XTimeLe (GeneratorStep.start_is Z P a) x) = true.
Proof. intros E H. cbn [Formula.sense]. rewrite start_is, E. now apply before_or_at_is. Qed.

Lemma same_node_as m zs (x : expression Z Int) b : sense x = snd (receiver s ((m, zs) : message N) : a_node) ->
  fst (receiver s ((m, zs) : message N) : a_node) = acts b -> Nat.eqb (acts b) (acts a) = true ->
  List.Forall (true_of I) [FIs (XIntEq x (GeneratorRun.self_is Z P a))] -> receiver s ((m, zs) : message N) = at_node p.
Proof.
  intros X R A H. apply PeanoNat.Nat.eqb_eq in A. apply Forall_inv in H. cbn [true_of Formula.sense] in H. apply Z.eqb_eq in H.
  rewrite X, self_is in H. pose proof (proj1 fits_so) as F. rewrite <- A, <- R in F. simpl in *.
  destruct (receiver s ((m, zs) : message N)) as [r z], (at_node p) as [r' z']. simpl in *. congruence.
Qed.

Lemma in_actions b : In b (actions P) -> exists j, action_at P j = Some b.
Proof. intros H. apply In_nth_error in H. exact H. Qed.

Lemma time_of_variables m zs : sense (XTimeOf m (map XVar zs)) = delivered s ((m, zs) : message N).
Proof. rewrite (time_sound unit P w s (reads p) I base_is), variables_mean. reflexivity. Qed.

Lemma eager_true : timing_of P = EagerModel -> loses M p = false -> List.Forall (true_of I) (GeneratorRule.eager_rule Z P a).
Proof.
  intros Ti L. pose proof rule_so as R. rewrite Ti in R. simpl in R. destruct (R L) as (R1 & R2 & R3 & R4). unfold GeneratorRule.eager_rule.
  constructor; [ | apply Forall_app; split].
  - cbn [true_of Formula.sense]. rewrite start_is. apply before_or_at_is. exact R1.
  - apply Forall_flat_map, Forall_forall. intros b B. apply in_actions in B. destruct B as [j B]. apply Forall_app. split.
    + destruct (queueing P) as [q | ] eqn:Q; [ | constructor].
      apply (of_messages_true unit P w s (reads p) I this_world_is base_is typed_so protocol_covered j b _ B).
      intros m f zs x _ C _ _ _. cbn [snd].
      apply (start_before _ (plus (delivered s ((m, zs) : message N)) (length_of w (Delayed q m zs : occurrence N)))).
      * cbn [Formula.sense]. f_equal; [exact (time_of_variables m zs) | ]. pose proof (same_lasts _ _ _ _ this_world_is) as V. simpl in V.
        simpl. rewrite V. f_equal. f_equal. exact (variables_mean I zs).
      * apply R2; [ | exact C]. simpl. now rewrite Q.
    + apply (of_timers_true unit P w s (reads p) I this_world_is base_is protocol_covered j b _ B).
      intros due q x Tr Aq C X. apply (start_before x _ X). simpl in B.
      pose proof (R3 q (fun w s p => value due (step_scene P unit b w s p))) as H. apply H; [ | exact C]. simpl. rewrite Aq.
      simpl. rewrite B, Tr. reflexivity.
  - destruct (trigger_of a) as [ | m f | | | ] eqn:Tr; try constructor.
    destruct (pending_taken m f (or_introl Tr)) as (U & _).
    apply Forall_flat_map, Forall_forall. intros b B. apply in_actions in B. destruct B as [j B].
    destruct (trigger_of b) as [ | k g | | | ] eqn:Tb; try constructor. destruct (_ && _) eqn:A; [ | constructor].
    apply andb_true_iff in A. destruct A as [A1 A2]. apply PeanoNat.Nat.ltb_lt in A2.
    apply (of_messages_true unit P w s (reads p) I this_world_is base_is typed_so protocol_covered j b _ B).
    intros k' f' zs x Tk C X Rl H. cbn [fst snd] in H |- *. rewrite Tb in Tk. injection Tk as <- <-.
    apply (start_before _ _ (time_of_variables k zs)).
    unfold passes_no_priority in R4. simpl in R4. rewrite is_action, Tr, U in R4. apply R4; [ | exact A2 | exact C].
    exact (same_node_as k zs x b X Rl A1 H).
Qed.

Lemma advanced_true : timing_of P = AdvancedModel -> loses M p = false -> List.Forall (true_of I) (GeneratorRule.advanced_rule Z P a).
Proof.
  intros Ti L. pose proof rule_so as R. rewrite Ti in R. simpl in R. destruct (R L) as (R1 & R2). unfold GeneratorRule.advanced_rule.
  destruct (trigger_of a) as [ | m f | | | ] eqn:Tr; try constructor.
  - destruct (pending_taken m f (or_introl Tr)) as (U & _). unfold arrives_later in R2. simpl in R2. rewrite is_action, Tr, U in R2.
    pose proof (time_sound unit P w s (reads p) I base_is m (GeneratorRun.taken Z P a)) as D.
    cbn [true_of Formula.sense arrival_was stands_for] in D |- *. rewrite D, self_is. apply before_or_at_is.
    assert (X : arrival e (acts a, snd (at_node p : a_node)) = arrival e (at_node p : a_node))
      by (rewrite <- (proj1 fits_so); now destruct (at_node p)).
    exact (eq_ind_r (fun t => le t _) R2 X).
  - destruct (pending_taken m f (or_introl Tr)) as (U & _).
    apply Forall_flat_map, Forall_forall. intros b B. apply in_actions in B. destruct B as [j B].
    destruct (Nat.eqb (acts b) (acts a)) eqn:A1; [ | constructor].
    apply (of_messages_true unit P w s (reads p) I this_world_is base_is typed_so protocol_covered j b _ B).
    intros k f' zs x _ C X Rl H. cbn [fst snd] in H |- *.
    pose proof (time_sound unit P w s (reads p) I base_is m (GeneratorRun.taken Z P a)) as D.
    change (before_or_at (sense (XTimeOf m (GeneratorRun.taken Z P a))) (sense (XTimeOf k (map XVar zs))) = true).
    rewrite D, time_of_variables. apply before_or_at_is.
    unfold takes_earliest in R1. simpl in R1. rewrite is_action, Tr, U in R1. apply R1; [ | exact C].
    exact (same_node_as k zs x b X Rl A1 H).
Qed.

Lemma timing_true : List.Forall (true_of I) (GeneratorRule.timing_rule Z P a).
Proof.
  unfold GeneratorRule.timing_rule. rewrite <- loses_so. destruct (loses M p) eqn:L; [constructor | ].
  case_eq (timing_of P); intros Ti; [constructor | now apply eager_true | now apply advanced_true].
Qed.

Lemma enabled_true : List.Forall (true_of I) (GeneratorRule.enabled Z P a).
Proof.
  unfold GeneratorRule.enabled. repeat (apply Forall_app; split); [ | exact guards_true | exact next_true | exact timing_true].
  apply all_true_formulas. repeat (apply Forall_app; split); [exact lives_true | exact takes_true | | exact choices_true].
  rewrite <- loses_so. destruct (loses M p) eqn:L; [constructor | ]. apply Forall_app. split; [ | exact (reads_true L)].
  apply (executions_true (charges a) (covered_charges P a action_covered) O O); [reflexivity | ]. intros i c E.
  destruct (timed L) as (_ & _ & (X & _) & _). apply (X i c). simpl. now rewrite is_action.
Qed.
End EnabledSound.
