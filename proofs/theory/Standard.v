(* SPDX-License-Identifier: GPL-3.0-or-later

   Executions in the standard timing model: the protocol of Model.v as a system of states and steps (Induction.v), and what
   holds of every execution whatever the protocol. With it a bound on a message says something of steps: the step that sends
   it ends no later. *)
From Coq Require Import List Bool.
Import ListNotations.
From Theory Require Import Time Model.
From Theory Require Induction Progress.
Local Open Scope time_scope.

Section Executions.
Context {T : times} {N : names} (M : model T N).
Implicit Types (w : world T N) (s : state T N) (p : pick T N) (m : message N) (n : node N).

Definition executions_of : Induction.system := {|
  Induction.world := world T N;
  Induction.state := state T N;
  Induction.pick := pick T N;
  Induction.possible := possible M;
  Induction.first := first M;
  Induction.enabled := enabled M;
  Induction.once := once M;
  Induction.after := after M
|}.

Definition reachable w s : Prop := Induction.reachable executions_of w s.

(* --- clocks ---------------------------------------------------------------------------------------------------------- *)

Lemma start_not_before w s p : enabled M w s p -> loses M p = false -> tN s p <= start M w s p.
Proof.
  intros (_ & _ & _ & _ & E) no. destruct (E no) as (_ & _ & (_ & X) & _). unfold start, loses in *.
  destruct (waits_for M (by_action p)), (takes p);
    auto using le_refl, latest_left; now apply le_plus_right, (proj1 X).
Qed.

Lemma paid_not_negative w p all number :
  possible M w -> (forall i c, nth_error all i = Some (Executed c) -> between w c (executions p (number + i)%nat)) ->
  0 <= paid w p number all.
Proof.
  intros ok. revert number. induction all as [ | [o | c] all IH]; intros number X; simpl.
  - apply le_refl.
  - apply plus_not_negative; [apply ok | apply IH]. intros i c E. specialize (X (S i) c E).
    now rewrite <- plus_n_Sm in X.
  - apply plus_not_negative.
    + specialize (X O c eq_refl). rewrite <- plus_n_O in X. apply X.
    + apply IH. intros i c' E. specialize (X (S i) c' E). now rewrite <- plus_n_Sm in X.
Qed.

Lemma finish_not_before w s p : possible M w -> enabled M w s p -> loses M p = false -> start M w s p <= finish M w s p.
Proof.
  intros ok (_ & _ & _ & _ & E) no. destruct (E no) as (_ & _ & (X & _) & _).
  apply le_plus_right, paid_not_negative; auto.
Qed.

(* A clock never goes back. *)
Lemma clock_not_back w s p n : possible M w -> enabled M w s p -> clock s n <= clock (after M w s p) n.
Proof.
  intros ok E. unfold after. destruct (loses M p) eqn:no; simpl; [apply le_refl | ].
  destruct (is_node N (at_node p) n) as [here | _]; [ | apply le_refl]. rewrite <- here.
  apply le_trans with (start M w s p); [now apply start_not_before | now apply finish_not_before].
Qed.

Lemma clock_not_negative w s n : possible M w -> reachable w s -> 0 <= clock s n.
Proof.
  intros ok R. induction R as [s F | s p R IH E _].
  - destruct F as (_ & F & _). rewrite F. apply le_refl.
  - eapply le_trans; [exact IH | now apply clock_not_back].
Qed.

(* A step changes variables and the clock of its own node alone; so what is made of these is a rank (Progress.v). *)
Lemma others_untouched w s p n : at_node p <> n ->
  of (after M w s p) n = of s n /\ clock (after M w s p) n = clock s n.
Proof.
  intros other. unfold after. destruct (loses M p); simpl; destruct (is_node N (at_node p) n); try contradiction; auto.
Qed.

Definition rank_of n (value : world T N -> T -> variables N -> T -> BinNums.Z)
  : Progress.rank (T := T) executions_of (fun p : Induction.pick executions_of => at_node (p : pick T N) <> n).
Proof.
  refine (Progress.Build_rank executions_of _ (fun w moment s => value w moment (of s n) (clock s n)) _).
  intros w moment s p other. destruct (others_untouched w s p n other) as [V C]. simpl. now rewrite V, C.
Defined.

(* --- sending and delivery -------------------------------------------------------------------------------------------- *)

(* "The end of the step that sends it: its delivery less its delay" (solver/prove/property.c). *)
Definition sending w s m : T := delivered s m - delay w m.

Lemma receiver_of_none m (all : list (message N * node N)) : ~ In m (map fst all) -> receiver_of m all = None.
Proof.
  induction all as [ | [m' n] all IH]; simpl; auto. intros no.
  destruct (is_message N m' m) as [E | _]; [now destruct no; left | ]. apply IH. auto.
Qed.

Lemma receiver_of_some m (all : list (message N * node N)) : In m (map fst all) -> exists n, receiver_of m all = Some n.
Proof.
  induction all as [ | [m' n] all IH]; simpl; [easy | ]. intros [E | H].
  - exists n. destruct (is_message N m' m); [reflexivity | contradiction].
  - destruct (is_message N m' m); eauto.
Qed.

(* What the step sends is sent at its end, and delivered d(m) later. *)
Theorem sending_is_finish w s p m : loses M p = false -> In m (map fst (sends M w s p)) ->
  sent (after M w s p) m = true /\ sending w (after M w s p) m = finish M w s p /\
  delivered (after M w s p) m = finish M w s p + delay w m.
Proof.
  intros no H. destruct (receiver_of_some _ _ H) as [n E]. unfold sending, after. rewrite no. simpl. rewrite E.
  repeat split. apply plus_minus.
Qed.

(* Once sent, a message stays sent, and its delivery time is what it is. *)
Theorem sending_lasts w s p m : once M w s p -> sent s m = true ->
  sent (after M w s p) m = true /\ delivered (after M w s p) m = delivered s m.
Proof.
  intros (_ & new & _) H. unfold after. destruct (loses M p); simpl; [auto | ].
  rewrite receiver_of_none; auto. intros again. apply in_map_iff in again. destruct again as ([m' n] & E & again).
  simpl in E. subst m'. specialize (new m n again). congruence.
Qed.

Lemma sending_not_negative w s m : possible M w -> reachable w s -> sent s m = true -> 0 <= sending w s m.
Proof.
  intros ok R. induction R as [s F | s p R IH E O]; intros H.
  - destruct F as (_ & _ & F & _). destruct (F m) as [F' _]. congruence.
  - destruct (sent s m) eqn:old.
    + unfold sending. destruct (sending_lasts w s p m O old) as [_ D]. simpl. rewrite D. auto.
    + destruct (loses M p) eqn:no; [simpl in H; unfold after in H; rewrite no in H; simpl in H; congruence | ].
      destruct (in_dec (is_message N) m (map fst (sends M w s p))) as [now | never].
      * destruct (sending_is_finish w s p m no now) as (_ & D & _). simpl. rewrite D.
        apply le_trans with (clock s (at_node p)); [now apply clock_not_negative with w | ].
        apply le_trans with (start M w s p); [now apply start_not_before | now apply finish_not_before].
      * simpl in H. unfold after in H. rewrite no in H. simpl in H. rewrite receiver_of_none in H; congruence.
Qed.

Lemma delivered_not_negative w s m : possible M w -> reachable w s -> sent s m = true -> 0 <= delivered s m.
Proof.
  intros ok R H. rewrite <- (minus_plus _ (delivered s m) (delay w m)).
  apply plus_not_negative; [now apply sending_not_negative | apply ok].
Qed.

(* --- bounds ---------------------------------------------------------------------------------------------------------- *)

(* The bounds of solver/prove/property.c whose time counts from 0. Their variables are [V]; [target] is the target. *)
Definition bound_sent {V : Type} (target : world T N -> V -> message N) (limit : world T N -> V -> T)
  : Induction.bound executions_of :=
  Induction.Build_bound executions_of V
    (fun w s v => sent s (target w v) = true)
    (fun w s v => sending w s (target w v))
    limit.

Definition bound_delivered {V : Type} (target : world T N -> V -> message N) (limit : world T N -> V -> T)
  : Induction.bound executions_of :=
  Induction.Build_bound executions_of V
    (fun w s v => sent s (target w v) = true)
    (fun w s v => delivered s (target w v))
    limit.

(* A bound `from sent M(k)` says: if "M(k) and the target were sent, then the target's time is at most the time of sending M(k)
   plus the expression". *)
Definition bound_from {V : Type} (from : world T N -> V -> message N) (target : world T N -> V -> message N)
  (limit : world T N -> V -> T)
  : Induction.bound executions_of :=
  Induction.Build_bound executions_of V
    (fun w s v => sent s (target w v) = true /\ sent s (from w v) = true)
    (fun w s v => sending w s (target w v) - sending w s (from w v))
    limit.

(* The target `when`: a formula holds of a node; its time is the node's clock. *)
Definition bound_when {V : Type} (formula : world T N -> state T N -> V -> Prop) (n : world T N -> V -> node N)
  (limit : world T N -> V -> T)
  : Induction.bound executions_of :=
  Induction.Build_bound executions_of V
    (fun w s v => formula w s v)
    (fun w s v => clock s (n w v))
    limit.

(* What bounds by phases need of their target (Induction.v). *)
Theorem sent_lasts V target limit : Induction.lasting executions_of (@bound_sent V target limit).
Proof.
  intros w s p v _ _ _ O H. simpl in *. unfold sending.
  destruct (sending_lasts w s p (target w v) O H) as [H' D]. now rewrite D.
Qed.

Theorem delivered_lasts V target limit : Induction.lasting executions_of (@bound_delivered V target limit).
Proof. intros w s p v _ _ _ O H. simpl in *. now apply sending_lasts. Qed.

(* What a proved bound says of a step: one that sends the target ends in time. *)
Theorem sender_in_time V target limit : forall w s p (v : V), reachable w s -> enabled M w s p -> once M w s p ->
  loses M p = false -> In (target w v) (map fst (sends M w s p)) ->
  (forall s', reachable w s' -> Induction.keeps executions_of (@bound_sent V target limit) w s') ->
  finish M w s p <= limit w v.
Proof.
  intros w s p v R E O no H K. destruct (sending_is_finish w s p (target w v) no H) as (H' & D & _). rewrite <- D.
  exact (K (after M w s p) (Induction.reachable_step executions_of w s p R E O) v H').
Qed.

(* --- bounds by phases ------------------------------------------------------------------------------------------------ *)

(* A phase ends when a message is sent, when one is delivered, or `when` a formula holds of a node. *)
Inductive ends_by (P : Induction.phase (T := T) executions_of) : Prop :=
| ends_by_sending (m : world T N -> message N) :
    (forall w s, Induction.ended _ P w s -> sent s (m w) = true) ->
    (forall w s, Induction.ended_at _ P w s = sending w s (m w)) -> ends_by P
| ends_by_delivery (m : world T N -> message N) :
    (forall w s, Induction.ended _ P w s -> sent s (m w) = true) ->
    (forall w s, Induction.ended_at _ P w s = delivered s (m w)) -> ends_by P
| ends_when (n : world T N -> node N) :
    (forall w s, Induction.ended_at _ P w s = clock s (n w)) -> ends_by P.

Lemma ends_not_negative phases :
  (forall P, In P phases -> ends_by P) -> Induction.ends_not_negative executions_of phases.
Proof.
  intros all P w s H ok R E. destruct (all P H) as [m yes at_ | m yes at_ | n at_]; rewrite at_.
  - apply sending_not_negative; auto.
  - apply delivered_not_negative with w; auto.
  - now apply clock_not_negative with w.
Qed.

(* The obligations and nothing else imply a bound by phases on a sending or a delivery. "Phases need not end: then the event
   does not happen". *)
Theorem bound_by_phases_holds {I V : Type} (holds : I -> world T N -> state T N -> Prop) phases target limit :
  phases <> [] -> (forall P, In P phases -> ends_by P) ->
  Induction.invariants_proved executions_of holds ->
  (Induction.phases_proved executions_of holds phases (@bound_sent V target limit) ->
   forall w s, possible M w -> reachable w s -> Induction.keeps executions_of (@bound_sent V target limit) w s) /\
  (Induction.phases_proved executions_of holds phases (@bound_delivered V target limit) ->
   forall w s, possible M w -> reachable w s -> Induction.keeps executions_of (@bound_delivered V target limit) w s).
Proof.
  intros some ends O. split; intros F w s ok R.
  - apply (Induction.bound_by_phases_holds executions_of holds phases); auto using sent_lasts, ends_not_negative.
  - apply (Induction.bound_by_phases_holds executions_of holds phases); auto using delivered_lasts, ends_not_negative.
Qed.
End Executions.
