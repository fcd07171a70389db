(* SPDX-License-Identifier: GPL-3.0-or-later

   The obligations that Generator.v writes imply those of Corollary.v: if, whatever the symbols stand for, the formula after the
   step
   follows from what is known before it. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote Corollary Formula Translate TranslateSound RunSound RuleSound
  StepSound EnabledSound.
From Theory Require GeneratorRun GeneratorStep GeneratorRule Generator Induction.
Local Open Scope Z_scope.

(* Whatever the symbols stand for: what the premises say implies the conclusion. *)
Definition valid {T : times} (o : Generator.obligation Z) : Prop := forall I : @interpretation T,
  List.Forall (true_of I) (Generator.of_world o) -> List.Forall (true_of I) (Generator.of_assumptions o) -> List.Forall (true_of
    I) (Generator.of_step o) ->
  List.Forall (true_of I) (Generator.of_invariants o) -> true_of I (Generator.concludes o).

Section GeneratorSound.
Context {T : times} (unit : T) (P : protocol) (invariants : list (term Bool)).
Local Notation N := (names_of (T := T) P).
Local Notation S := (executions P unit).

Lemma written_holds (I : @interpretation T) (x : term Bool) y c : shows I y c -> stands I (GeneratorRun.unbound Z) c -> holds x c ->
  List.Forall (true_of I) (Generator.written_if Z x y).
Proof.
  intros A B H. unfold Generator.written_if. destruct (write_lacks x) eqn:L; constructor; [ | constructor].
  now apply (write_sound I Bool x L _ _ _ A B).
Qed.

Lemma forall_flat_map {A B} (Q : B -> Prop) (f : A -> list B) l : (forall x, In x l -> List.Forall Q (f x)) -> List.Forall Q
  (flat_map f l).
Proof.
  induction l as [ | x l IH]; simpl; intros H; [constructor | ]. apply Forall_app. split; [apply H; now left | apply IH; auto].
Qed.

Lemma assumed_holds (w : world T N) I : possible (denote P unit) w -> of_this_world unit P w I ->
  List.Forall (true_of I) (Generator.assumed Z P).
Proof.
  intros [(_ & _ & A & _) _] W. apply forall_flat_map. intros x H. apply written_holds with (scene_of_world P unit w).
  - now apply shows_nowhere.
  - now apply stands_unbound.
  - rewrite Forall_forall in A. now apply A.
Qed.

Lemma for_all_true (I : @interpretation T) number (body : list (expression Z Int) -> expression Z Bool) : (forall l, sense I
  (body l) = true) -> forall bound,
  true_of I (GeneratorRule.for_all Z number body bound).
Proof. intros H. induction number as [ | number IH]; intros bound; simpl; auto. Qed.

Lemma between_true (w : world T N) I (x : expression Z Syntax.Time) (o : occurrence N) : possible (denote P unit) w ->
  of_this_world unit P w I ->
  sense I x = length_of w o -> sense I (GeneratorStep.between_zero_and Z x (XBare (part_of N o))) = true.
Proof.
  intros [_ O] W E. unfold GeneratorStep.between_zero_and. cbn [sense]. rewrite andb_true_iff, !before_or_at_is, E.
  pose proof (same_bare _ _ _ _ W) as B. simpl in B. rewrite B. exact (O o).
Qed.

Lemma world_facts_true (w : world T N) I : possible (denote P unit) w -> of_this_world unit P w I ->
  List.Forall (true_of I) (Generator.world_facts Z P).
Proof.
  intros ok W. pose proof (same_lasts _ _ _ _ W) as L. apply Forall_app. split.
  - apply Forall_map, Forall_forall. intros c _. apply for_all_true. intros [ | z l].
    + apply (between_true w I _ (Step (component_charged c) []) ok W). cbn [sense]. rewrite (same_bare _ _ _ _ W).
      symmetry. apply (same_single _ _ _ _ W).
    + apply (between_true w I _ (Step (component_charged c) (map (fun n => sense I n) (z :: l))) ok W). cbn [sense]. now rewrite
      L.
  - apply forall_flat_map. intros [m d] _. simpl.
    assert (F : forall k number, true_of I (GeneratorRule.for_all Z number (fun l => GeneratorStep.between_zero_and Z (XDelay k m l)
    (XBare k)) [])).
    { intros k number. apply for_all_true. intros l. apply (between_true w I _ (Delayed k m (map (fun n => sense I n) l)) ok W).
      cbn [sense]. now rewrite L. }
    destruct (queueing P); repeat constructor; apply F.
Qed.

Section Step.
Variables (w : Induction.world S) (x : Induction.state S) (p : Induction.pick S) (a : nat) (action : Syntax.action).
Context (is_action : nth_error (actions P) a = Some action).
Context (known_so : known unit P invariants w x).
Context (step_so : takes_action unit P a w x p).
Context (covered : Generator.protocol_lacks P = []).
Context (action_covered : Generator.action_lacks P action = []).

Lemma possible_here : possible (denote P unit) w. Proof. exact (proj1 known_so). Qed.
Lemma enabled_here : enabled (denote P unit) w (fst x) p. Proof. exact (proj1 (proj1 step_so)). Qed.
Lemma action_here : action_at P (by_action (p : pick T N)) = Some action.
Proof. unfold action_at. destruct step_so as [_ E]. now rewrite E. Qed.

Let e : extra (T := T) := extra_of P unit (snd x).
Let I : @interpretation T := stands_for unit P w (fst x) p action e.

Lemma world_here : of_this_world unit P w I.
Proof. exact (this_world unit P w (fst x) p action e possible_here). Qed.

Lemma standing_is : shows I (GeneratorRun.standing Z) (scene_at P unit w x).
Proof.
  pose proof (before_is unit P w (fst x) p action e possible_here enabled_here action_here) as B. destruct B.
  constructor; try reflexivity; try (exact (same_single _ _ _ _ world_here)); try (exact (same_params _ _ _ _ world_here));
    try (exact (same_unit _ _ _ _ world_here)); try (exact (same_bare _ _ _ _ world_here)); try (exact (same_lasts _ _ _ _
    world_here)).
  - intros t v r n. pose proof (shows_state t v r n) as K. rewrite has_is in K. exact K.
  - intros m l. pose proof (shows_sent m l) as K. rewrite was_sent_is in K. exact K.
  - intros m l. pose proof (shows_received m l) as K. rewrite was_received_is in K. exact K.
  - intros m l. pose proof (shows_lost m l) as K. rewrite was_lost_is in K. exact K.
  - intros m l. pose proof (shows_time m l) as K. rewrite time_of_is in K. exact K.
  - intros m l. pose proof (shows_receiver m l) as K. rewrite received_at_is in K. exact K.
  - intros k l. pose proof (shows_charged k l) as K. rewrite was_charged_is in K. exact K.
  - intros r n. pose proof (shows_clock r n) as K. rewrite clock_of_is in K. exact K.
  - intros m l. pose proof (shows_place m l) as K. rewrite place_of_is in K. exact K.
Qed.

Lemma rule_here : match timing_of P with
                  | StandardModel => True
                  | EagerModel => rule (eager (denote P unit)) w (fst x) (now e) p
                  | AdvancedModel => rule (advanced (denote P unit)) w (fst x) (arrival e) p
                  end.
Proof.
  destruct step_so as [[_ R] _]. clear - R. subst e. revert x R. unfold executions, executions_with, extra_of, timing_for.
  cbn [Induction.state Induction.enabled]. destruct (timing_of P); simpl; auto.
Qed.

Lemma extra_here : now (extra_of P unit (snd (Induction.after (s := S) w x p))) = now (extra_after unit P w (fst x) p e) /\
  forall n, arrival (extra_of P unit (snd (Induction.after (s := S) w x p))) n = arrival (extra_after unit P w (fst x) p e) n.
Proof.
  clear. subst e. revert x. unfold executions, executions_with, extra_after, extra_of, timing_for.
  cbn [Induction.state Induction.after now arrival]. destruct (timing_of P); intros x; simpl; destruct (loses (denote P unit) p); auto.
Qed.

Lemma messages_typed : List.Forall (true_of I) (Generator.typed_messages Z P).
Proof.
  pose proof known_so as (_ & (_ & A & L) & _).
  pose proof (before_is unit P w (fst x) p action e possible_here enabled_here action_here) as B.
  apply forall_flat_map. intros [m d] H. apply combined in H. destruct H as [_ H]. rewrite PeanoNat.Nat.sub_0_r in H. simpl.
  constructor.
  - assert (Y : forall l, sense I (XLost m l) = lost (fst x) ((m, each_of I l) : message N)).
    { intros l. pose proof (shows_lost _ _ _ B m l) as Y. rewrite was_lost_is in Y. exact Y. }
    assert (R : forall l, sense I (XReceived m l) = received (fst x) ((m, each_of I l) : message N)).
    { intros l. pose proof (shows_received _ _ _ B m l) as R. rewrite was_received_is in R. exact R. }
    destruct (Generator.lossy P m) eqn:Ls; apply for_all_true; intros l; specialize (L ((m, each_of I l) : message N)).
    + apply implies_sound. rewrite Y. intros H0. change (negb (sense I (XReceived m l)) = true). rewrite R. now destruct (L H0) as [_ ->].
    + change (negb (sense I (XLost m l)) = true). rewrite Y.
      destruct (lost (fst x) ((m, each_of I l) : message N)); [ | reflexivity]. destruct (L eq_refl) as [C _].
      unfold lossy in C. unfold Generator.lossy in Ls. simpl in C. congruence.
  - destruct (on_fifo d) eqn:F; constructor; [ | constructor]. apply for_all_true. intros l.
    assert (Y : sense I (XSent m l) = sent (fst x) ((m, each_of I l) : message N)).
    { pose proof (shows_sent _ _ _ B m l) as Y. rewrite was_sent_is in Y. exact Y. }
    assert (R : sense I (XPlace m l) = Z.of_nat (place (fst x) ((m, each_of I l) : message N))).
    { pose proof (shows_place _ _ _ B m l) as R. rewrite place_of_is in R. exact R. }
    apply implies_sound. rewrite Y. intros Q. destruct (A ((m, each_of I l) : message N) Q) as [_ C].
    change ((sense I (XPlace m l) <? Z.of_nat (places (fst x))) = true). rewrite R. apply Z.ltb_lt, inj_lt, C. simpl. now rewrite H.
Qed.

Lemma typed_true : List.Forall (true_of I) (Generator.typed Z P).
Proof.
  apply Forall_app. split; [ | exact messages_typed].
  apply forall_flat_map. intros [v d] H. simpl. destruct (sort_of d); try constructor; [ | constructor]. simpl. intros z.
  apply combined in H. destruct H as [_ H]. rewrite PeanoNat.Nat.sub_0_r in H.
  assert (C : Generator.size_lacks (values d) = []).
  { pose proof (covered_values P covered v) as C. unfold values_of in C. now rewrite H in C. }
  cbn [Formula.sense]. rewrite (clamp_sound unit P w I world_here) by exact C. apply Z.eqb_eq. cbn [Formula.sense].
  pose proof known_so as (_ & (K & _) & _). destruct (K (owner d, z)) with (v := v) as [K1 _]. unfold values_of in K1. rewrite H in K1.
  cbn [symbols I stands_for]. unfold I, stands_for. cbn [symbols]. rewrite has_is. exact K1.
Qed.

Lemma known_true : List.Forall (true_of I) (Generator.known Z P invariants).
Proof.
  apply Forall_app. split; [exact typed_true | ]. apply forall_flat_map. intros f H. apply In_nth_error in H. destruct H as [i H].
  destruct known_so as (_ & _ & K). specialize (K i). unfold has_invariant in K. rewrite H in K.
  apply written_holds with (scene_at P unit w x); auto using standing_is. now apply stands_unbound.
Qed.

Lemma after_here : shows I (GeneratorStep.after Z P action) (scene_at P unit w (Induction.after (s := S) w x p)).
Proof.
  destruct extra_here as [Nw Ar]. unfold scene_at.
  exact (after_is unit P w (fst x) p action e possible_here enabled_here action_here action_covered covered _ Nw Ar).
Qed.

Lemma enabled_so : List.Forall (true_of I) (GeneratorRule.enabled Z P action).
Proof.
  exact (enabled_true unit P w (fst x) p action e possible_here enabled_here (proj1 (proj2 known_so)) rule_here action_here
    action_covered covered).
Qed.

Lemma concluded (conclusion : formula Z) :
  valid (T := T) (Generator.step_obligation Z P invariants action conclusion) -> true_of I conclusion.
Proof.
  intros V. apply V; simpl.
  - exact (world_facts_true w I possible_here world_here).
  - exact (assumed_holds w I possible_here world_here).
  - exact enabled_so.
  - exact known_true.
Qed.
End Step.

Theorem generate_sound a i o : Generator.generate Z P invariants a i = inl o -> valid (T := T) o -> step_obligation unit P
  invariants a i.
Proof.
  unfold Generator.generate. destruct (nth_error (actions P) a) as [action | ] eqn:A; [ | discriminate].
  destruct (nth_error invariants i) as [f | ] eqn:F; [ | discriminate]. destruct (_ ++ _) eqn:L; [ | discriminate].
  intros E V. injection E as <-. apply none_of in L. destruct L as [L1 L]. apply none_of in L. destruct L as [L2 L3].
  intros w x p K E. unfold has_invariant. rewrite F.
  apply (write_sound (stands_for unit P w (fst x) p action (extra_of P unit (snd x))) Bool f L3 (GeneratorRun.unbound Z) (GeneratorStep.after Z P action)).
  - exact (after_here w x p a action A K E L1 L2).
  - now apply stands_unbound.
  - exact (concluded w x p a action A K E L1 L2 _ V).
Qed.

(* --- first states ---------------------------------------------------------------------------------------------------- *)

Section First.
Variables (w : Induction.world S) (x : Induction.state S).
Context (possible_so : possible (denote P unit) w).
Context (first_so : Induction.first w x).
Context (covered : Generator.protocol_lacks P = []).

Definition at_first : @interpretation T := {|
  symbols := scene_at P unit w x; places_is := 0; now_was := zero; arrival_was _ := zero; waited_is := zero; executed_is _ := zero
|}.

Lemma first_world : of_this_world unit P w at_first.
Proof. constructor; try reflexivity. apply possible_so. Qed.

Lemma nothing_more : now (extra_of P unit (snd x)) = zero /\ forall n, arrival (extra_of P unit (snd x)) n = zero.
Proof.
  pose proof first_so as [_ E]. clear - E. revert x E. unfold executions, executions_with, extra_of, timing_for.
  cbn [Induction.state Induction.first]. destruct (timing_of P); simpl; intros x E; rewrite ?E; auto.
Qed.

Lemma first_is : shows at_first (GeneratorRun.first Z P) (scene_at P unit w x).
Proof.
  pose proof first_so as [(A & B & C & D & _) _]. destruct nothing_more as [Nw Ar].
  constructor; try reflexivity; try (exact (same_single _ _ _ _ first_world)).
  - intros t v r n. cbn [GeneratorRun.first y_state]. unfold scene_at, scene_of. cbn [has].
    pose proof (first_sound unit P w at_first first_world r n) as K. unfold holds_store in K.
    replace (of (fst x) (r, sense at_first n)) with (first_store P unit w (r, sense at_first n)) by (symmetry; apply A).
    apply K. pose proof covered as L. unfold Generator.protocol_lacks in L. now no_lack.
  - intros m l. symmetry. apply (C ((m, each_of at_first l) : message N)).
  - intros m l. symmetry. apply (C ((m, each_of at_first l) : message N)).
  - intros m l. symmetry. apply (C ((m, each_of at_first l) : message N)).
  - intros k l. symmetry. apply D.
  - intros r n. symmetry. apply B.
  - intros r n. symmetry. apply Ar.
  - symmetry. exact Nw.
Qed.

Lemma first_concluded (conclusion : formula Z) : valid (T := T) (Generator.initial_obligation Z P conclusion) ->
  true_of at_first conclusion.
Proof.
  intros V. apply V; simpl; try constructor.
  - exact (world_facts_true w at_first possible_so first_world).
  - exact (assumed_holds w at_first possible_so first_world).
Qed.
End First.

Theorem generate_first_sound i o : Generator.generate_first Z P invariants i = inl o -> valid (T := T) o ->
  initial_obligation unit P invariants i.
Proof.
  unfold Generator.generate_first. destruct (nth_error invariants i) as [f | ] eqn:F; [ | discriminate].
  destruct (_ ++ _) eqn:L; [ | discriminate]. intros E V. injection E as <-. apply none_of in L. destruct L as [L1 L2].
  intros w x ok _ Fi. unfold has_invariant. rewrite F.
  apply (write_sound (at_first w x) Bool f L2 (GeneratorRun.unbound Z) (GeneratorRun.first Z P)).
  - exact (first_is w x ok Fi L1).
  - now apply stands_unbound.
  - exact (first_concluded w x ok _ V).
Qed.

(* --- bounds ---------------------------------------------------------------------------------------------------------- *)

Lemma bound_in_sound (I : @interpretation T) y variables : flat_map (fun vd => inside_lacks (snd vd)) variables = [] ->
  forall env c cw body (Q : list Z -> Prop), shows I y c -> stands I env c -> stands I env cw ->
  (forall zs env', stands I env' (bind_all (map fst variables) zs c) -> stands I env' (bind_all (map fst variables) zs cw) ->
     length zs = length variables -> (true_of I (body env') <-> Q zs)) ->
  (true_of I (Generator.bound_in Z variables env y body) <-> forall zs, choices_fit variables zs c -> Q zs).
Proof.
  induction variables as [ | [v d] variables IH]; intros L env c cw body Q Sh St Sw H; simpl.
  - specialize (H [] env St Sw eq_refl). split; [intros K [ | z zs] F; [now apply H | easy] | intros K; apply H, K; exact Logic.I].
  - simpl in L. apply none_of in L. destruct L as [L1 L2].
    assert (K : forall z, true_of I (Generator.bound_in Z variables (let_be v (XVar z) env) y body) <->
      forall zs, choices_fit variables zs (bind v z c) -> Q (z :: zs)).
    { intros z. apply (IH L2 _ (bind v z c) (bind v z cw)); auto using shows_bind.
      - now apply stands_bind.
      - now apply stands_bind.
      - intros zs env' A B Ln. apply (H (z :: zs) env'); auto. simpl. now rewrite Ln. }
    split.
    + intros G [ | z zs] F; [easy | ]. destruct F as [F1 F2]. apply (proj1 (K z)); [ | exact F2]. apply G.
      now apply (inside_sound I d env y c (XVar z) L1 Sh St).
    + intros G z F. apply K. intros zs F2. apply G. split; [ | exact F2].
      now apply (inside_sound I d env y c (XVar z) L1 Sh St) in F.
Qed.

Lemma bound_is_sound (I : @interpretation T) b y w x : Generator.bound_lacks P b = [] -> of_this_world unit P w I ->
  shows I y (scene_at P unit w x) -> (true_of I (Generator.bound_is Z P b y) <-> kept unit P b w x).
Proof.
  intros L Wd Sh. unfold Generator.bound_lacks in L. no_lack. unfold Generator.bound_is, kept, Induction.keeps.
  cbn [Induction.over Induction.happened Induction.at_time Induction.limit bound_of].
  rewrite (bound_in_sound I y (bound_variables b)) with (c := scene_at P unit w x) (cw := scene_of_world P unit w)
    (Q := fun v => holds (event_term b) (of_bound b v (scene_at P unit w x)) ->
      le (value (time_term P b) (of_bound b v (scene_at P unit w x))) (value (Syntax.expression b) (of_bound b v (scene_of_world P unit w))));
    [ | assumption | assumption | now apply stands_unbound | now apply stands_unbound | ].
  - split; [intros K v [A B]; now apply K | intros K v A B; now apply K].
  - intros zs env A B _.
    assert (E : true_of I (write (event_term b) env y) <-> holds (event_term b) (of_bound b zs (scene_at P unit w x))).
    { apply (write_sound I Bool (event_term b)); [assumption | | exact A]. now apply shows_all. }
    assert (F : sense I (XTimeLe (translate (time_term P b) env y) (translate (Syntax.expression b) env (GeneratorRun.nowhere Z))) = true <->
      le (value (time_term P b) (of_bound b zs (scene_at P unit w x))) (value (Syntax.expression b) (of_bound b zs (scene_of_world P unit w)))).
    { cbn [Formula.sense]. rewrite before_or_at_is.
      pose proof (translate_sound I Syntax.Time (time_term P b) ltac:(assumption) env y _ (shows_all I y _ zs _ Sh) A) as X.
      pose proof (translate_sound I Syntax.Time (Syntax.expression b) ltac:(assumption) env (GeneratorRun.nowhere Z) _
        (shows_all I _ _ zs _ (shows_nowhere unit P w I Wd)) B) as Y.
      simpl in X, Y. rewrite X, Y. reflexivity. }
    simpl in E, F |- *. tauto.
Qed.

Theorem generate_bound_first_sound b o : Generator.generate_bound_first Z P b = inl o -> valid (T := T) o ->
  bound_initial_obligation unit P b.
Proof.
  unfold Generator.generate_bound_first. destruct (_ ++ _) eqn:L; [ | discriminate]. intros E V. injection E as <-.
  apply none_of in L. destruct L as [L1 L2]. intros w x ok _ Fi.
  apply (bound_is_sound (at_first w x) b (GeneratorRun.first Z P) w x L2).
  - exact (first_world w x ok).
  - exact (first_is w x ok Fi L1).
  - exact (first_concluded w x ok _ V).
Qed.

Theorem generate_bound_sound a b o : Generator.generate_bound Z P invariants a b = inl o -> valid (T := T) o ->
  bound_step_obligation unit P invariants b a.
Proof.
  unfold Generator.generate_bound. destruct (nth_error (actions P) a) as [action | ] eqn:A; [ | discriminate].
  destruct (_ ++ _) eqn:L; [ | discriminate]. intros E V. injection E as <-.
  apply none_of in L. destruct L as [L1 L]. apply none_of in L. destruct L as [L2 L3]. intros w x p K Kb E.
  pose proof (concluded w x p a action A K E L1 L2 _ V) as C. cbn [true_of] in C.
  apply (bound_is_sound (stands_for unit P w (fst x) p action (extra_of P unit (snd x))) b (GeneratorStep.after Z P action) w _ L3).
  - exact (world_here w x p action K).
  - exact (after_here w x p a action A K E L1 L2).
  - apply C. apply (bound_is_sound (stands_for unit P w (fst x) p action (extra_of P unit (snd x))) b (GeneratorRun.standing Z) w x L3).
    + exact (world_here w x p action K).
    + exact (standing_is w x p a action A K E).
    + exact Kb.
Qed.
End GeneratorSound.
