(* SPDX-License-Identifier: GPL-3.0-or-later

   What Generator.v writes of a step is what Denote.v says of it. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Timing Denote Formula Translate TranslateSound RunSound RuleSound.
From Theory Require GeneratorRun GeneratorStep GeneratorRule Generator.
Local Open Scope Z_scope.

Section StepSound.
Context {T : times} (unit : T) (P : protocol).
Local Notation N := (names_of (T := T) P).
Local Notation M := (denote P unit).
Variables (w : world T N) (s : state T N) (p : pick T N) (a : Syntax.action) (e : extra (T := T)).
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
  symbols := c0; places_is := Z.of_nat (places s); now_was := now e; arrival_was := arrival e;
  waited_is := waited p; executed_is := executed O (charges a)
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
Proof. pose proof action_covered as L. unfold Generator.action_lacks in L. now no_lack. Qed.
Lemma covered_charges : flat_map Generator.charge_lacks (charges a) = [].
Proof. pose proof action_covered as L. unfold Generator.action_lacks in L. now no_lack. Qed.
Lemma covered_body : flat_map (Generator.statement_lacks P) (body a) = [].
Proof. pose proof action_covered as L. unfold Generator.action_lacks in L. now no_lack. Qed.
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
Lemma covered_fields m : flat_map Generator.size_lacks (GeneratorRun.declared_fields P m) = [].
Proof.
  unfold GeneratorRun.declared_fields. destruct (nth_error (messages P) m) eqn:E; auto. apply nth_error_In in E.
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

Lemma at_self : sense (GeneratorRun.self_is Z P a) = snd (at_node p : a_node).
Proof.
  destruct fits as (R & (_ & F) & _). unfold GeneratorRun.self_is. destruct (GeneratorRun.is_single P (acts a)) eqn:E; [ | exact F].
  destruct enabled_so as (L & _). simpl in L. unfold size_of in L. rewrite R in L. unfold GeneratorRun.is_single in E.
  destruct (nth_error (roles P) (acts a)) as [d | ]; [ | discriminate].
  destruct (integer_in (size d)) as [z | ] eqn:Q; [ | discriminate]. apply Z.eqb_eq in E. subst z.
  pose proof (integer_in_sound Int (size d) 1 (scene_of_world P unit w) Q) as V. simpl in V. rewrite V in L. simpl. lia.
Qed.

Lemma stands_picked : stands I (GeneratorRun.picked Z P a) c0.
Proof.
  intros v. unfold GeneratorRun.picked. destruct (Nat.eqb v (self a)) eqn:E; [ | reflexivity].
  apply PeanoNat.Nat.eqb_eq in E. subst v. rewrite at_self. symmetry. apply fits.
Qed.

Lemma no_arrival n : arrival_of c0 n = zero.
Proof. unfold step_scene. rewrite !(bind_all_field (fun c => arrival_of c n)) by reflexivity. reflexivity. Qed.
Lemma no_now : now_is c0 = zero. Proof. field. Qed.
Lemma place_of_is m : place_of c0 m = Z.of_nat (place s (m : message N)).
Proof. unfold step_scene. rewrite !(bind_all_field (fun c => place_of c)) by reflexivity. reflexivity. Qed.

Lemma before_is : shows I (GeneratorRun.before Z) c0.
Proof. exact (shows_before unit P w I this_world a c0 eq_refl no_arrival no_now stands_picked). Qed.

Lemma leaves_is : exists k, RunSound.leaves P I k (GeneratorRun.effect_of Z P a) (effect_of P unit w s p).
Proof.
  unfold effect_of. rewrite is_action.
  apply (effect_sound unit P w I this_world a (at_node p) c0 eq_refl no_arrival no_now (proj1 fits) at_self stands_picked covered_receivers covered_fields
    covered_values covered_body).
  rewrite <- has_is. intros t x. pose proof (store_at_sound I (acts a) (GeneratorRun.self_is Z P a) t x) as K. rewrite at_self in K.
  simpl in K. rewrite <- (proj1 fits) in K at 2. destruct (at_node p). exact K.
Qed.

(* --- times --- *)

Lemma clock_sound : sense (GeneratorStep.clock_is Z P a) = clock s (at_node p).
Proof.
  unfold GeneratorStep.clock_is. cbn [Formula.sense]. rewrite at_self. simpl. rewrite clock_of_is, <- (proj1 fits). now destruct
    (at_node p).
Qed.

Lemma taken_sound : forall m f, trigger_of a = On m f \/ trigger_of a = Losing m f -> exists i, takes p = Some (m, i) /\ each_of I (GeneratorRun.taken Z P a) = i.
Proof.
  intros m f E. assert (V : Denote.message_variables a = f) by (unfold Denote.message_variables; now destruct E as [-> | ->]).
  destruct enabled_so as (_ & K & _). unfold takes_pending in K. simpl in K. rewrite is_action in K.
  assert (K' : match takes p with Some m' => Nat.eqb (fst (m' : a_message)) m = true /\ True | None => False end).
  { destruct E as [E | E]; rewrite E in K; destruct (takes p); tauto. }
  clear K. rename K' into K.
  destruct (takes p) as [[m' i] | ] eqn:Q; [ | easy]. destruct K as (K & _). simpl in K. apply PeanoNat.Nat.eqb_eq in K. subst m'.
  exists i. split; auto. destruct fits as (_ & (F & _) & _). unfold taken_fields in F. rewrite Q in F. simpl in F. rewrite <- F.
  unfold GeneratorRun.taken, each_of. rewrite map_map. apply map_ext. intros v. apply stands_picked.
Qed.

Lemma start_sound : sense (GeneratorStep.start_is Z P a) = start M w s p.
Proof.
  unfold GeneratorStep.start_is, start. simpl. rewrite is_action. pose proof covered_trigger as L.
  destruct (trigger_of a) as [ | m f | k | due | m f] eqn:E; try apply clock_sound.
  - destruct (taken_sound m f (or_introl E)) as (i & Q & R). rewrite Q. cbn [Formula.sense]. rewrite clock_sound.
    change (map (fun n => sense n) (GeneratorRun.taken Z P a)) with (each_of I (GeneratorRun.taken Z P a)). rewrite R. simpl.
    now rewrite time_of_is.
  - cbn [Formula.sense]. now rewrite clock_sound.
  - cbn [Formula.sense]. rewrite clock_sound. pose proof (translate_sound I _ due L _ _ _ before_is stands_picked) as K. simpl
    in K. now rewrite K.
Qed.

Lemma charged_if_sound k : Generator.charge_lacks k = [] -> sense (GeneratorStep.charged_if Z P a k) = present k.
Proof.
  unfold Generator.charge_lacks, GeneratorStep.charged_if, present. intros L. apply none_of in L. destruct L as [_ L]. apply none_of
    in L.
  destruct L as [L _]. destruct (condition k) as [x | ]; auto. exact (translate_sound I Bool x L _ _ _ before_is stands_picked).
Qed.

Lemma indices_sound k : Generator.charge_lacks k = [] ->
  each_of I (GeneratorStep.indices_are Z P a k) = map (fun i => value i c0) (indices k).
Proof.
  unfold Generator.charge_lacks, GeneratorStep.indices_are, each_of. intros L. apply none_of in L. destruct L as [L _]. rewrite
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
  sense (GeneratorStep.paid Z P a place all) = paid w p number (flat_map (costs_of_charge c0) all).
Proof.
  induction all as [ | k all IH]; intros L place number X; simpl; auto. simpl in L. apply none_of in L. destruct L as [L1 L2].
  rewrite costs_sound, charged_if_sound by assumption.
  assert (Y : forall i, executed O (charges a) (S place + i)%nat = executed (if present k then S number else number) all i).
  { intros i. specialize (X (S i)). rewrite <- plus_n_Sm in X. exact X. }
  rewrite (IH L2 (S place) _ Y). specialize (X O). rewrite <- plus_n_O in X. simpl in X.
  destruct (present k); simpl; [ | now rewrite plus_comm, plus_zero].
  unfold cost_of, GeneratorStep.lasts_long. destruct (repeated k); simpl; [now rewrite X | ].
  pose proof (indices_sound k L1) as Q. destruct (indices k) as [ | i l] eqn:E; simpl in *.
  - pose proof (same_bare _ _ _ _ this_world) as B. pose proof (same_single _ _ _ _ this_world (component_charged k)) as C.
    simpl in B, C. now rewrite B, C.
  - pose proof (same_lasts _ _ _ _ this_world) as B. simpl in B. unfold each_of in Q. rewrite B. now rewrite <- Q.
Qed.

Lemma finish_sound : sense (GeneratorStep.finish_is Z P a) = finish M w s p.
Proof.
  unfold GeneratorStep.finish_is, finish. cbn [Formula.sense]. rewrite start_sound. f_equal. simpl. rewrite is_action.
  apply paid_sound; [apply covered_charges | reflexivity].
Qed.

(* --- the state after --- *)

Lemma loses_is : loses M p = GeneratorStep.loses a.
Proof. unfold loses, GeneratorStep.loses. simpl. rewrite is_action. now destruct (trigger_of a). Qed.

Lemma takes_nothing : (forall m f, trigger_of a <> On m f /\ trigger_of a <> Losing m f) -> takes p = None.
Proof.
  intros no. destruct enabled_so as (_ & K & _). unfold takes_pending in K. simpl in K. rewrite is_action in K.
  destruct (trigger_of a) as [ | m f | k | due | m f] eqn:E; try (now destruct (takes p)); now destruct (no m f).
Qed.

Lemma sent_sound m l old olds :
  sense (GeneratorRun.sent_by Z (snd (GeneratorRun.effect_of Z P a)) m l olds) =
    match Model.receiver_of ((m, each_of I l) : message N) (sends M w s p) with Some _ => true | None => sense olds end /\
  sense (GeneratorRun.received_by Z (snd (GeneratorRun.effect_of Z P a)) m l old) =
    match Model.receiver_of ((m, each_of I l) : message N) (sends M w s p) with Some k => snd (k : a_node) | None => sense old
    end.
Proof. destruct leaves_is as (k & _ & L & _). exact (L m l old olds). Qed.

Lemma same_fields_as x y : sense (GeneratorRun.same_fields Z x y) = if list_eq_dec Z.eq_dec (each_of I x) (each_of I y) then true
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
      then XOr (XAnd (GeneratorStep.charged_if Z P a k) (GeneratorRun.same_fields Z l (GeneratorStep.indices_are Z P a k))) others else
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

(* What the timing model has more in a state, after the step. *)
Definition extra_after : extra (T := T) := {|
  now := if loses M p then now e else match timing_of P with EagerModel => start M w s p | _ => now e end;
  arrival n :=
    if loses M p then arrival e n
    else match timing_of P with
         | AdvancedModel => if same_node (at_node p) n then new_arrival M w s (arrival e) p else arrival e n
         | _ => arrival e n
         end
|}.

Lemma store_after t x r n : means I t
  (y_state (GeneratorRun.with_store Z P a (fst (GeneratorRun.effect_of Z P a))) t x r n)
  (get t x (if same_node (at_node p) (r, sense n) then fst (effect_of P unit w s p) else of s (r, sense n))).
Proof.
  destruct leaves_is as (k & L & _).
  pose proof (shows_with_store unit P w I this_world a (at_node p) c0 eq_refl no_arrival no_now (proj1 fits) at_self stands_picked _ _ L) as S.
  pose proof (shows_state _ _ _ S t x r n) as K. clear S. simpl in K |- *.
  replace (if same_node (at_node p) (r, sense n) then _ else _)
    with (if Nat.eqb (fst (at_node p : a_node)) r && Z.eqb (snd (at_node p : a_node)) (sense n) then fst (effect_of P unit w s p) else has c0 (r, sense n)); auto.
  rewrite has_is. destruct (same_node (at_node p) (r, sense n)) as [E | E]; destruct (_ && _) eqn:F; auto; exfalso.
  + rewrite E in F. simpl in F. now rewrite PeanoNat.Nat.eqb_refl, Z.eqb_refl in F.
  + apply E. apply andb_true_iff in F. destruct F as [F G]. apply PeanoNat.Nat.eqb_eq in F. apply Z.eqb_eq in G.
    destruct (at_node p). simpl in F, G. now subst.
Qed.

Lemma take_is_sound m m' f l : trigger_of a = On m' f \/ trigger_of a = Losing m' f ->
  take_is p ((m, each_of I l) : message N) = (Nat.eqb m' m && sense (GeneratorRun.same_fields Z (GeneratorRun.taken Z P a) l))%bool.
Proof.
  intros E. destruct (taken_sound m' f E) as (i & Q & R). unfold take_is. rewrite Q, same_fields_as, R.
  simpl is_message. destruct (same_message (m', i) (m, each_of I l)) as [A | A].
  - injection A as A B. rewrite A, PeanoNat.Nat.eqb_refl. destruct (list_eq_dec _ _ _); auto. now elim n.
  - destruct (Nat.eqb_spec m' m) as [F | F]; auto. destruct (list_eq_dec _ _ _) as [B | B]; auto. elim A. now rewrite F, B.
Qed.

Lemma arrival_sound : sense (GeneratorStep.arrival_is Z P a) = new_arrival M w s (arrival e) p.
Proof.
  unfold GeneratorStep.arrival_is, new_arrival. simpl. rewrite is_action.
  assert (A : arrival e (acts a, sense (GeneratorRun.self_is Z P a)) = arrival e (at_node p : a_node)).
  { rewrite at_self, <- (proj1 fits). now destruct (at_node p). }
  destruct (trigger_of a) as [ | m f | k | due | m f] eqn:E; cbn [Formula.sense arrival_was stands_for]; auto.
  - destruct (taken_sound m f (or_introl E)) as (i & Q & R). rewrite Q.
    change (map (fun n => sense n) (GeneratorRun.taken Z P a)) with (each_of I (GeneratorRun.taken Z P a)). rewrite R. simpl. now rewrite time_of_is.
  - destruct (idle_step a); [apply start_sound | ]. cbn [Formula.sense arrival_was stands_for].
    rewrite start_sound, clock_sound, A. unfold before_or_at. now destruct (le_or_not _ _).
  - destruct (idle_step a); [apply start_sound | ]. cbn [Formula.sense arrival_was stands_for].
    rewrite start_sound, clock_sound, A. unfold before_or_at. now destruct (le_or_not _ _).
Qed.

Lemma after_loss_is m f more : trigger_of a = Losing m f -> now more = now extra_after -> (forall n, arrival more n = arrival extra_after n) ->
  shows I (GeneratorStep.after_loss Z P a m) (scene_of P unit w (after M w s p) more zero).
Proof.
  intros E Nw Ar. assert (Ls : loses M p = true) by (rewrite loses_is; unfold GeneratorStep.loses; now rewrite E).
  unfold after. rewrite Ls. simpl in Nw, Ar. rewrite Ls in Nw.
  constructor; try (exact (same_params _ _ _ _ this_world)); try (exact (same_unit _ _ _ _ this_world));
    try (exact (same_bare _ _ _ _ this_world)); try (exact (same_lasts _ _ _ _ this_world));
    try (exact (same_single _ _ _ _ this_world)); try reflexivity.
  - exact store_after.
  - intros k l. cbn [GeneratorStep.after_loss y_sent was_sent scene_of sent Formula.sense symbols stands_for]. now rewrite <- was_sent_is.
  - intros k l. cbn [GeneratorStep.after_loss y_received was_received scene_of received Formula.sense symbols stands_for]. now rewrite <- was_received_is.
  - intros k l. cbn [GeneratorStep.after_loss y_lost was_lost scene_of lost].
    rewrite (take_is_sound k m f l (or_intror E)). destruct (Nat.eqb m k); cbn [Formula.sense symbols stands_for andb orb];
      now rewrite <- was_lost_is.
  - intros k l. cbn [GeneratorStep.after_loss y_time time_of scene_of delivered Formula.sense symbols stands_for]. now rewrite <- time_of_is.
  - intros k l. cbn [GeneratorStep.after_loss y_receiver received_at scene_of receiver Formula.sense symbols stands_for]. now rewrite <- received_at_is.
  - intros k l. cbn [GeneratorStep.after_loss y_charged was_charged scene_of charged Formula.sense symbols stands_for]. now rewrite <- was_charged_is.
  - intros r n. cbn [GeneratorStep.after_loss y_clock clock_of scene_of clock Formula.sense symbols stands_for]. now rewrite <- clock_of_is.
  - intros r n. cbn [GeneratorStep.after_loss y_arrival arrival_of scene_of Formula.sense arrival_was stands_for]. rewrite Ar. simpl. now rewrite Ls.
  - symmetry. exact Nw.
  - intros k l. cbn [GeneratorStep.after_loss y_place place_of scene_of place Formula.sense symbols stands_for]. now rewrite <- place_of_is.
Qed.

Lemma after_step_is more : loses M p = false -> now more = now extra_after -> (forall n, arrival more n = arrival extra_after n) ->
  shows I (GeneratorStep.after_step Z P a) (scene_of P unit w (after M w s p) more zero).
Proof.
  intros Ls Nw Ar. unfold after. rewrite Ls. simpl in Nw, Ar. rewrite Ls in Nw.
  constructor; try (exact (same_params _ _ _ _ this_world)); try (exact (same_unit _ _ _ _ this_world));
    try (exact (same_bare _ _ _ _ this_world)); try (exact (same_lasts _ _ _ _ this_world));
    try (exact (same_single _ _ _ _ this_world)); try reflexivity.
  - exact store_after.
  - intros m l. unfold GeneratorStep.after_step. cbn [y_sent]. rewrite (proj1 (sent_sound m l (XInt 0) (XSent m l))).
    cbn [was_sent scene_of sent]. destruct (Model.receiver_of _ _); auto. cbn [Formula.sense symbols stands_for]. now rewrite <-
    was_sent_is.
  - intros m l. unfold GeneratorStep.after_step. cbn [y_received was_received scene_of received].
    destruct (trigger_of a) as [ | m' f | k | due | m' f] eqn:E;
      try (unfold take_is; rewrite takes_nothing by (intros; split; congruence); cbn [Formula.sense symbols stands_for]; now rewrite <- was_received_is).
    + rewrite (take_is_sound m m' f l (or_introl E)). destruct (Nat.eqb m' m); cbn [Formula.sense symbols stands_for andb orb];
        now rewrite <- was_received_is.
    + rewrite loses_is in Ls. unfold GeneratorStep.loses in Ls. rewrite E in Ls. discriminate.
  - intros m l. cbn [Formula.sense symbols stands_for GeneratorStep.after_step y_lost was_lost scene_of lost]. now rewrite <- was_lost_is.
  - intros m l. unfold GeneratorStep.after_step. cbn [y_time time_of scene_of delivered Formula.sense symbols stands_for].
    rewrite (proj1 (sent_sound m l (XInt 0) (XBool false))). destruct (Model.receiver_of _ _).
    + rewrite finish_sound, leaves_at_finish. f_equal. pose proof (same_lasts _ _ _ _ this_world) as B. simpl in B. rewrite B.
      unfold delay. simpl.
      now destruct (nth_error (messages P) m).
    + cbn [Formula.sense symbols stands_for]. now rewrite <- time_of_is.
  - intros m l. unfold GeneratorStep.after_step. cbn [y_receiver received_at scene_of receiver].
    rewrite (proj2 (sent_sound m l (XReceiver m l) (XBool false))). destruct (Model.receiver_of _ _); auto.
    cbn [Formula.sense symbols stands_for]. now rewrite <- received_at_is.
  - intros k l. unfold GeneratorStep.after_step, GeneratorStep.charged_by, GeneratorStep.charged_in. cbn [y_charged was_charged scene_of charged].
    apply eq_true_iff_eq. rewrite (charged_by_sound k l (charges a) covered_charges), orb_true_iff.
    replace (costs M w s p) with (flat_map (costs_of_charge c0) (charges a) : list (cost (N.(component)) (N.(occurrence))))
      by (simpl; now rewrite is_action).
    unfold charges_now, named_costs. destruct (in_dec _ _ _); split; intros [A | A]; auto; try discriminate.
  - intros r n. unfold GeneratorStep.after_step. cbn [y_clock clock_of scene_of clock]. simpl is_node.
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
  - intros r n. unfold GeneratorStep.after_step. cbn [y_arrival arrival_of scene_of]. rewrite Ar. simpl. rewrite Ls.
    destruct (timing_of P); try reflexivity.
    destruct (Nat.eqb (acts a) r) eqn:E.
    + apply PeanoNat.Nat.eqb_eq in E. subst r. cbn [Formula.sense arrival_was stands_for]. rewrite arrival_sound, at_self.
      match goal with |- context [same_node ?x ?y] => destruct (same_node x y) as [F | F] end.
      * replace (snd (at_node p : a_node) =? sense n) with true; [reflexivity | ]. symmetry. apply Z.eqb_eq. now rewrite F.
      * replace (snd (at_node p : a_node) =? sense n) with false; [reflexivity | ]. symmetry. apply Z.eqb_neq. intros G. apply F.
        rewrite <- (proj1 fits), <- G. now destruct (at_node p).
    + cbn [Formula.sense arrival_was stands_for]. match goal with |- context [same_node ?x ?y] => destruct (same_node x y) as [F | F] end; auto. exfalso.
      rewrite <- (proj1 fits), F in E. simpl in E. now rewrite PeanoNat.Nat.eqb_refl in E.
  - unfold GeneratorStep.after_step. cbn [y_now now_is scene_of]. rewrite Nw. destruct (timing_of P); try reflexivity. apply start_sound.
  - intros m l. unfold GeneratorStep.after_step, GeneratorStep.on_channel. cbn [y_place place_of scene_of place]. simpl fifo.
    destruct leaves_is as (k & _ & _ & L & _). specialize (L m l (XPlace m l)). simpl sends.
    destruct (nth_error (messages P) m) as [d | ]; [destruct (on_fifo d) | ].
    + rewrite L. destruct (Model.receiver_of _ _); [cbn [places_is stands_for]; rewrite Nat2Z.inj_add; reflexivity | ].
      cbn [Formula.sense symbols stands_for]. now rewrite <- place_of_is.
    + cbn [Formula.sense symbols stands_for]. destruct (Model.receiver_of _ _); now rewrite <- place_of_is.
    + cbn [Formula.sense symbols stands_for]. destruct (Model.receiver_of _ _); now rewrite <- place_of_is.
Qed.

Lemma after_is more : now more = now extra_after -> (forall n, arrival more n = arrival extra_after n) ->
  shows I (GeneratorStep.after Z P a) (scene_of P unit w (after M w s p) more zero).
Proof.
  unfold GeneratorStep.after. destruct (trigger_of a) as [ | m f | k | due | m f] eqn:E;
    try (apply after_step_is; rewrite loses_is; unfold GeneratorStep.loses; now rewrite E).
  now apply (after_loss_is m f).
Qed.
End StepSound.
