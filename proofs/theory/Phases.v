(* SPDX-License-Identifier: GPL-3.0-or-later

   A bound by phases of a protocol of Syntax.v from its obligations, each a proposition of its own, as in Corollary.v: what
   `tailproof certify --theory` writes for a bound `by phases` ends with an instance. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote Once Corollary Computed Independent.
From Theory Require Induction.
Local Open Scope Z_scope.

(* What the language makes sure of: whether an end has happened is seen in a state, and a bound by phases is about a message that is
   the same one in every state. Else it could be sent in time, and then another one be meant, which is late. *)
Definition is_event (b : bound) : bool :=
  match bound_variables b, from b with
  | [], None => match target_of b with SentTarget _ f | DeliveredTarget _ f => forallb computes f | WhenTarget a _ _ => computes a end
  | _, _ => false
  end.

Definition is_message (b : bound) : bool :=
  match target_of b with SentTarget _ f | DeliveredTarget _ f => forallb (avoids true) f | WhenTarget _ _ _ => false end.

Definition phases_fit (phases : list phase) (b : bound) : bool :=
  negb (Nat.eqb (length phases) 0) && forallb (fun ph => is_event (end_of ph)) phases &&
  forallb (fun ph => forallb sayable (start_of ph :: during ph)) phases && is_event b && is_message b.

Section Phases.
Context {T : times} (unit : T) (P : protocol) (follow : list follows) (invariants : list (term Bool)) (phases : list phase).

Local Notation N := (names_of (T := T) P).
Local Notation S := (executions P unit).
Implicit Types (w : Induction.world S) (x : Induction.state S) (p : Induction.pick S) (b : T) (k a i : nat).

(* --- what a phase says ----------------------------------------------------------------------------------------------- *)

(* A state, and when the phase began. *)
Definition scene_began w x b : @scene T := scene_of P unit w (fst x) (extra_of P unit (snd x)) b.

Definition starts_now (ph : phase) w b x : Prop := holds (start_of ph) (scene_began w x b).
Definition has_ended (ph : phase) w x : Prop := holds (target_event (end_of ph)) (scene_at P unit w x).
Definition end_time (ph : phase) w x : T := value (target_time P (end_of ph)) (scene_at P unit w x).
Definition takes_time (ph : phase) w : T := value (expression (end_of ph)) (scene_of_world P unit w).

Definition nowhere_ends : bound := {| bound_variables := []; from := None; target_of := SentTarget O []; expression := Literal 0 |}.
Definition phase_at k : phase := nth k phases {| start_of := Boolean true; during := []; end_of := nowhere_ends |}.

Definition has_in_phase k i w b x : Prop :=
  match nth_error (during (phase_at k)) i with Some f => holds f (scene_began w x b) | None => True end.

(* "every real b >= 0 (of P1: for b = 0)", and the invariants: what is known of a state of the phase. *)
Definition can_begin k b : Prop := match k with O => b = zero | _ => le zero b end.
Definition known_in_phase k w b x : Prop := known unit P invariants w x /\ can_begin k b /\ forall i, has_in_phase k i w b x.

(* --- obligations ----------------------------------------------------------------------------------------------------- *)

Definition start_obligation : Prop :=
  forall w x, Induction.possible w -> typed unit P w (fst x) -> Induction.first w x -> starts_now (phase_at O) w zero x.
(* Of the first phase, and of the others. *)
Definition enter_obligation k i : Prop :=
  match k with
  | O => forall w x, Induction.possible w -> typed unit P w (fst x) -> Induction.first w x -> has_in_phase O i w zero x
  | _ => forall w b x, known unit P invariants w x -> le zero b -> starts_now (phase_at k) w b x -> has_in_phase k i w b x
  end.
Definition stay_obligation k a i : Prop :=
  forall w b x p, known_in_phase k w b x -> ~ has_ended (phase_at k) w x -> takes_action unit P a w x p ->
  has_in_phase k i w b (Induction.after w x p).
Definition end_obligation k : Prop :=
  forall w b x, known_in_phase k w b x -> has_ended (phase_at k) w x ->
  le (end_time (phase_at k) w x) (plus b (takes_time (phase_at k) w)).
Definition handover_obligation k : Prop :=
  forall w b x, known_in_phase k w b x -> has_ended (phase_at k) w x ->
  le (end_time (phase_at k) w x) (plus b (takes_time (phase_at k) w)) ->
  starts_now (phase_at (Datatypes.S k)) w (plus b (takes_time (phase_at k) w)) x.

Definition happens (B : bound) w x : Prop := holds (event_term B) (scene_at P unit w x).
Definition happens_at (B : bound) w x : T := value (time_term P B) (scene_at P unit w x).

Definition early_obligation (B : bound) k : Prop :=
  forall w b x, known_in_phase k w b x -> ~ has_ended (phase_at k) w x -> ~ happens B w x.
(* Of the last phase. *)
Definition target_obligation (B : bound) : Prop :=
  let k := pred (length phases) in
  forall w b x, known_in_phase k w b x -> has_ended (phase_at k) w x ->
  happens B w x /\ le (happens_at B w x) (end_time (phase_at k) w x).
Definition total_obligation (B : bound) : Prop :=
  forall w, Induction.possible w ->
  le (fold_right (fun ph t => plus (takes_time ph w) t) zero phases) (value (expression B) (scene_of_world P unit w)).

(* A first phase that says nothing of how it starts. *)
Lemma starts_anyhow : start_of (phase_at O) = Boolean true -> start_obligation.
Proof. intros E w x _ _ _. unfold starts_now. rewrite E. exact I. Qed.

(* --- the bound ------------------------------------------------------------------------------------------------------- *)

Definition phase_of (ph : phase) : Induction.phase (T := T) S.
Proof.
  refine (Induction.Build_phase (T := T) S (fun w b x => starts_now ph w b x)
    (fun w b x => List.Forall (fun f => holds f (scene_began w x b)) (during ph))
    (fun w x => value (target_event (end_of ph)) (scene_at P unit w x) = true) (end_time ph) (fun w => takes_time ph w) _).
  intros w x. destruct (value (target_event (end_of ph)) (scene_at P unit w x)); auto.
Defined.

Definition event_bound (B : bound) : Induction.bound (T := T) S :=
  Induction.Build_bound (T := T) S Datatypes.unit (fun w x _ => happens B w x) (fun w x _ => happens_at B w x)
    (fun w _ => value (expression B) (scene_of_world P unit w)).

Lemma placed before Q rest : map phase_of phases = before ++ Q :: rest ->
  Q = phase_of (phase_at (length before)) /\ (length before < length phases)%nat.
Proof.
  intros E. assert (H : nth_error (map phase_of phases) (length before) = Some Q).
  { rewrite E, nth_error_app2, PeanoNat.Nat.sub_diag; auto. }
  rewrite nth_error_map in H. destruct (nth_error phases (length before)) as [ph | ] eqn:F; [ | discriminate].
  simpl in H. injection H as <-. split; [ | apply nth_error_Some; congruence].
  f_equal. unfold phase_at. symmetry. now apply nth_error_nth.
Qed.

Lemma begins before b : Induction.can_begin S before b -> can_begin (length before) b.
Proof. now destruct before. Qed.

Lemma has_each k w b x : Induction.has S (phase_of (phase_at k)) w b x <-> forall i, has_in_phase k i w b x.
Proof.
  simpl. rewrite Forall_forall. unfold has_in_phase. split.
  - intros H i. destruct (nth_error (during (phase_at k)) i) eqn:E; [ | exact I]. apply H. eapply nth_error_In. exact E.
  - intros H f F. apply In_nth_error in F. destruct F as [i F]. specialize (H i). now rewrite F in H.
Qed.

Lemma event_computes B : is_event B = true -> computes (target_event B) = true /\ bound_variables B = [] /\ from B = None.
Proof.
  unfold is_event, target_event. destruct (bound_variables B), (from B), (target_of B); simpl; try discriminate; auto.
Qed.

Section Proved.
Context (B : bound) (fit : phases_fit phases B = true).

Lemma fits : phases <> [] /\ (forall ph, In ph phases -> is_event (end_of ph) = true) /\ is_event B = true /\ is_message B = true.
Proof.
  pose proof fit as F. unfold phases_fit in F. rewrite !andb_true_iff in F. destruct F as [[[[some events] _] event] message].
  split; [ | split; [ | auto]].
  - intros E. rewrite E in some. discriminate.
  - now apply forallb_forall.
Qed.

Lemma ended_is k w x : (k < length phases)%nat -> (Induction.ended S (phase_of (phase_at k)) w x <-> has_ended (phase_at k) w x).
Proof.
  intros L. simpl. unfold has_ended, holds. assert (K : In (phase_at k) phases) by now apply nth_In.
  destruct (event_computes (end_of (phase_at k))) as (C & _); [now apply fits | ].
  pose proof (said_is_computed _ C (scene_at P unit w x)) as A. simpl in A. tauto.
Qed.

(* "The end of the step that sends it" is that of Standard.v. Where the kind is none of the protocol, no delay is known. *)
Lemma sending_said m f w x : nth_error (messages P) m <> None ->
  value (sending_term P m f) (scene_at P unit w x) =
  sending (N := N) w (fst x) (m, map (fun n => value n (scene_at P unit w x)) f).
Proof.
  intros known_. unfold sending_term, sending, may_be_held, delay. simpl. unfold pacer_at_kind. simpl.
  destruct (nth_error (messages P) m) as [declared | ] eqn:D; [ | congruence]. simpl.
  destruct (pacer_of declared) as [pacer | ] eqn:Pc; simpl; [ | now rewrite ?D].
  unfold pacer_at_kind. rewrite D, Pc. destruct (holds_it pacer); [reflexivity | simpl; now rewrite ?D].
Qed.

Lemma ends_not_negative : Induction.ends_not_negative S (map phase_of phases).
Proof.
  intros Q w x K ok R E. apply in_map_iff in K. destruct K as (ph & <- & K). apply standard_too in R. simpl in *.
  unfold end_time, target_time. destruct (event_computes (end_of ph)) as (C & _); [now apply fits | ].
  unfold target_event in *. destruct (target_of (end_of ph)) as [m f | m f | g r n]; simpl in *.
  - destruct (nth_error (messages P) m) as [declared | ] eqn:D.
    + rewrite sending_said by congruence. now apply (sending_not_negative (denote P unit)).
    + unfold sending_term. rewrite D. exact (delivered_not_negative (denote P unit) w (fst x) _ ok R E).
  - exact (delivered_not_negative (denote P unit) w (fst x) _ ok R E).
  - exact (clock_not_negative (denote P unit) w (fst x) _ ok R).
Qed.
(* "The event is sending or delivery, whose time never changes once it was sent": as the message is the same. *)
Lemma same_message_later w x x' (f : list (term Int)) : forallb (avoids true) f = true ->
  map (fun n => value n (scene_at P unit w x)) f = map (fun n => value n (scene_at P unit w x')) f.
Proof.
  intros C. induction f as [ | n f IH]; simpl in *; [reflexivity | ]. apply andb_true_iff in C. destruct C as [C1 C2].
  f_equal; [ | auto]. apply (value_same true Int n C1). constructor; auto; discriminate.
Qed.

Lemma lasting : Induction.lasting S (event_bound B).
Proof.
  intros w x p [] ok R E O. destruct fits as (_ & _ & event & message). destruct (event_computes B event) as (_ & _ & none).
  simpl. unfold happens, happens_at, event_term, time_term, target_event, target_time, is_message in *. rewrite none.
  assert (same : forall f : list (term Int), forallb (avoids true) f = true ->
    map (fun n => value n (scene_at P unit w (Induction.after w x p))) f = map (fun n => value n (scene_at P unit w x)) f).
  { intros f C. now apply same_message_later. }
  destruct (target_of B) as [m f | m f | g r n]; [ | | discriminate]; unfold holds; simpl; intros H;
    pose proof (same f message) as Y; simpl in Y; rewrite Y; clear Y;
    destruct (sending_lasts (denote P unit) w (fst x) p _ O H) as (H' & D' & S').
  - split; [exact H' | ]. destruct (nth_error (messages P) m) as [declared | ] eqn:D.
    + pose proof (sending_said m f w x) as Y1. pose proof (sending_said m f w (Induction.after w x p)) as Y2.
      simpl in Y1, Y2. rewrite Y1, Y2 by congruence. pose proof (same f message) as Y. simpl in Y. rewrite Y. exact S'.
    + unfold sending_term. rewrite D. simpl. pose proof (same f message) as Y. simpl in Y. rewrite Y. exact D'.
  - split; [exact H' | exact D'].
Qed.
Lemma in_phase k i w b x : ((i < length (during (phase_at k)))%nat -> has_in_phase k i w b x) -> has_in_phase k i w b x.
Proof.
  unfold has_in_phase. destruct (nth_error (during (phase_at k)) i) eqn:E; [ | auto]. intros H. apply H, nth_error_Some. congruence.
Qed.

Lemma sum_is w all : Induction.sum S w (map phase_of all) = fold_right (fun ph t => plus (takes_time ph w) t) zero all.
Proof. induction all as [ | ph all IH]; simpl; [reflexivity | now rewrite IH]. Qed.

Definition stays : Prop := each (length phases) (fun k =>
  each (length (actions P)) (fun a => each (length (during (phase_at k))) (stay_obligation k a))).

Lemma phases_from_obligations :
  start_obligation ->
  each (length phases) (fun k => each (length (during (phase_at k))) (enter_obligation k)) ->
  stays ->
  each (length phases) end_obligation ->
  each (pred (length phases)) handover_obligation ->
  each (length phases) (early_obligation B) ->
  target_obligation B ->
  total_obligation B ->
  Induction.phases_proved S (invariant_of unit P follow invariants) (map phase_of phases) (event_bound B).
Proof.
  intros start enter stay ends handover early target total_.
  assert (known_here : forall before w b x, Induction.can_begin S before b -> Induction.possible w ->
    Induction.all_hold S (invariant_of unit P follow invariants) w x ->
    Induction.has S (phase_of (phase_at (length before))) w b x -> known_in_phase (length before) w b x).
  { intros before w b x C ok G I. split; [now apply all_known with follow | ]. split; [now apply begins | now apply has_each]. }
  split.
  - intros Q rest w x E ok F. destruct (placed [] Q rest E) as [-> L]. exact (start w x ok (first_typed unit P w x F) F).
  - intros Q rest w x E ok F. destruct (placed [] Q rest E) as [-> L]. apply has_each. intros i. apply in_phase. intros Li.
    exact (each_is _ _ (each_is _ _ enter O L) i Li w x ok (first_typed unit P w x F) F).
  - intros before Q rest w b x E some b0 ok G St. destruct (placed before Q rest E) as [-> L]. apply has_each. intros i.
    apply in_phase. intros Li. pose proof (each_is _ _ (each_is _ _ enter _ L) i Li) as Y.
    destruct before as [ | Q before]; [now destruct some | ]. apply Y; auto. now apply all_known with follow.
  - intros before Q rest w b x p E C ok G I open En. destruct (placed before Q rest E) as [-> L]. apply has_each. intros i.
    apply in_phase. intros Li.
    apply (each_is _ _ (each_is _ _ (each_is _ _ stay _ L) _ (some_action unit P w x p En)) i Li w b x p); auto.
    + rewrite <- ended_is; auto.
    + now split.
  - intros before Q rest w b x E C ok G I over. destruct (placed before Q rest E) as [-> L].
    apply (each_is _ _ ends _ L); auto. now apply ended_is.
  - intros before Q Q' rest w b x E C ok G I over in_time. destruct (placed before Q (Q' :: rest) E) as [-> L].
    replace (before ++ phase_of (phase_at (length before)) :: Q' :: rest)
      with ((before ++ [phase_of (phase_at (length before))]) ++ Q' :: rest) in E by now rewrite <- app_assoc.
    destruct (placed _ Q' rest E) as [-> L']. rewrite app_length, PeanoNat.Nat.add_1_r in *.
    apply (each_is _ _ handover (length before) ltac:(simpl in L'; lia)); auto. now apply ended_is.
  - intros before Q rest w b x E C ok G I open v. destruct (placed before Q rest E) as [-> L].
    apply (each_is _ _ early _ L w b x); auto. rewrite <- ended_is; auto.
  - intros before Q w b x E C ok G I over v. destruct (placed before Q [] E) as [-> L].
    assert (last : length before = pred (length phases)).
    { rewrite <- (map_length phase_of phases), E, app_length, PeanoNat.Nat.add_1_r. reflexivity. }
    rewrite last in *. apply (target w b x); [rewrite <- last; apply known_here; auto; now rewrite last | ].
    apply ended_is; auto.
  - intros w v ok. rewrite sum_is. now apply total_.
Qed.

Theorem bound_by_phases_from_obligations :
  all_follow P follow = true ->
  each (length invariants) (initial_obligation unit P invariants) ->
  each (length (actions P)) (fun a => each (length invariants) (step_obligation unit P invariants a)) ->
  each (length (actions P)) (once_obligation unit P follow invariants) ->
  start_obligation ->
  each (length phases) (fun k => each (length (during (phase_at k))) (enter_obligation k)) ->
  stays ->
  each (length phases) end_obligation ->
  each (pred (length phases)) handover_obligation ->
  each (length phases) (early_obligation B) ->
  target_obligation B ->
  total_obligation B ->
  forall w x, Induction.possible w -> Induction.reachable S w x -> kept unit P B w x.
Proof.
  intros follows_ initially steps once start enter stay ends handover early target total_ w x ok R v [F H].
  destruct fits as (some & _ & event & _). destruct (event_computes B event) as (_ & none & _). rewrite none in F.
  destruct v; [ | easy].
  assert (K : Induction.keeps S (event_bound B) w x).
  { apply (Induction.bound_by_phases_holds S (invariant_of unit P follow invariants) (map phase_of phases)); auto.
    - intros E. apply some. now destruct phases.
    - exact lasting.
    - exact ends_not_negative.
    - now apply invariants_from_obligations.
    - now apply phases_from_obligations. }
  unfold bound_of, of_bound in *. simpl in *. rewrite none in *. exact (K tt H).
Qed.
End Proved.
End Phases.
