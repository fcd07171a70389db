(* SPDX-License-Identifier: GPL-3.0-or-later

   Executions in the standard timing model: the protocol of Model.v as a system of states and steps (Induction.v), and what
   holds of every execution whatever the protocol. With it a bound on a message says something of steps: the step that sends
   it ends no later. *)
From Coq Require Import List Bool Lia.
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

(* Where nothing is on a FIFO channel, every message is in turn; where nothing has a pacer, every step may send. *)
Lemma next_without_channels w s m : (forall m, fifo N m = false) -> is_next M w s m.
Proof. intros none m' _ (F & _). now rewrite none in F. Qed.

Lemma paces_without_pacers w s p : (forall m, pacing_of N m = None) -> paces M w s p.
Proof.
  intros none. unfold paces. generalize (next s (at_node p)) as at_. induction (sends M w s p) as [ | [m n] all IH]; simpl; auto.
  intros at_. now rewrite none.
Qed.

(* --- clocks ---------------------------------------------------------------------------------------------------------- *)

Lemma enabled_executes w s p : enabled M w s p -> loses M p = false -> executes M w s p.
Proof. intros (_ & _ & _ & _ & E) no. now destruct (E no) as (_ & _ & X & _). Qed.

Lemma start_after_clock w s p : executes M w s p -> tN s p <= start M w s p.
Proof.
  intros (_ & X). unfold start. destruct (waits_for M (by_action p)), (takes p);
    auto using le_refl, latest_left; now apply le_plus_right, (proj1 X).
Qed.

Lemma start_not_before w s p : enabled M w s p -> loses M p = false -> tN s p <= start M w s p.
Proof. eauto using start_after_clock, enabled_executes. Qed.

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
  intros ok E no. destruct (enabled_executes w s p E no) as (X & _). apply le_plus_right, paid_not_negative; auto.
Qed.

(* What a step needs beside its pacers, and these. *)
Lemma enabled_is w s p : enabled M w s p <-> enabled_unpaced M w s p /\ (loses M p = false -> paces M w s p).
Proof. unfold enabled, enabled_unpaced. destruct (loses M p); intuition discriminate. Qed.

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

(* A step of the node on a timer, of a moment: it begins and ends then. *)
Definition quick n (w : world T N) (moment : T) (s : state T N) (p : pick T N) : Prop :=
  at_node p = n /\ start M w s p = moment /\ finish M w s p = moment.

Definition rank_at n (multiple : T -> Prop) (exact : world T N -> T -> state T N -> Prop) : Type :=
  Progress.rank (T := T) executions_of (action := action N) (fun p : Induction.pick executions_of => by_action (p : pick T N))
    (quick n) (fun p : Induction.pick executions_of => at_node (p : pick T N) <> n) multiple exact.

Definition rank_of n multiple exact (value : world T N -> T -> variables N -> T -> BinNums.Z) : rank_at n multiple exact.
Proof.
  refine (Progress.Whole executions_of _ _ _ _ _ (fun w moment s => value w moment (of s n) (clock s n)) _).
  intros w moment s p other. destruct (others_untouched w s p n other) as [V C]. simpl. now rewrite V, C.
Defined.

(* "a timer of one of them": of the actions [own], which wait for what [due] makes of the node's variables. *)
Definition timer_of n multiple (exact : world T N -> T -> state T N -> Prop) (due : world T N -> variables N -> T)
  (own : action N -> Prop)
  (is_timer : forall w s p, own (by_action p) -> at_node p = n -> le (due w (of s n)) (start M w s p))
  (exact_due : forall w moment s, exact w moment s -> multiple moment /\ multiple (due w (of s n))) : rank_at n multiple exact.
Proof.
  refine (Progress.Timer executions_of _ _ _ _ _ (fun w s => due w (of s n)) own _ _ exact_due).
  - intros w s p other. destruct (others_untouched w s p n other) as [V _]. simpl. now rewrite V.
  - intros w moment s p _ (here & begins & _) is_own. rewrite <- begins. now apply is_timer.
Defined.

Lemma timer_starts_late w s p due : waits_for M (by_action p) = Timer due -> le (due w s p) (start M w s p).
Proof. intros W. unfold start. rewrite W. apply latest_right. Qed.

(* --- sending and delivery -------------------------------------------------------------------------------------------- *)

(* "The end of the step that sends it: its delivery less its delay, unless a pacer may hold it" (solver/prove/property.c). *)
Definition may_be_held m : bool := match pacing_of N m with Some c => holds_back N c | None => false end.
Definition sending w s m : T := if may_be_held m then handed s m else delivered s m - delay w m.

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

Lemma pacer_at_kind w e at_ m all c x : pacer_at M w e at_ m all = Some (c, x) -> pacing_of N m = Some c.
Proof.
  revert at_. induction all as [ | [m' n] all IH]; simpl; [discriminate | ]. intros at_.
  destruct (is_message N m' m) as [_ | _]; [ | apply IH]. destruct (pacing_of N m); [ | discriminate]. intros E. now injection E as -> _.
Qed.

(* Nothing leaves before the end of its step, and what no pacer holds back leaves then. *)
Lemma leaves_late w s p m : finish M w s p <= leaves M w s p m.
Proof.
  unfold leaves. destruct (pacer_at M _ _ _ _ _) as [[c x] | ]; [ | apply le_refl].
  destruct (holds_back N c); [apply latest_left | apply le_refl].
Qed.

Lemma leaves_at_once w s p m : may_be_held m = false -> leaves M w s p m = finish M w s p.
Proof.
  unfold may_be_held, leaves. destruct (pacer_at M _ _ _ _ _) as [[c x] | ] eqn:E; [ | reflexivity].
  apply pacer_at_kind in E. rewrite E. now intros ->.
Qed.

Lemma receiver_of_in m (all : list (message N * node N)) n : receiver_of m all = Some n -> In (m, n) all.
Proof.
  induction all as [ | [m' n'] all IH]; simpl; [discriminate | ]. destruct (is_message N m' m) as [-> | _]; [ | auto].
  intros E. injection E as ->. now left.
Qed.

(* What is received was sent; and what is not pending any more never is again. *)
Lemma received_was_sent w s m : reachable w s -> received s m = true -> sent s m = true.
Proof.
  intros R. induction R as [s F | s p R IH E _]; intros H.
  - destruct F as (_ & _ & F & _). destruct (F m) as (_ & F' & _). congruence.
  - simpl in *. destruct E as (_ & K & _). unfold after in *. destruct (loses M p) eqn:no; simpl in *; [auto | ].
    destruct (receiver_of m (sends M w s p)); [reflexivity | ]. apply orb_true_iff in H. destruct H as [H | H]; [ | auto].
    unfold take_is, takes_pending in *. destruct (takes p) as [m0 | ]; [ | discriminate].
    destruct (is_message N m0 m); [ | discriminate]. subst.
    destruct (waits_for M (by_action p)); try contradiction; destruct K as (_ & K & _); unfold pending in K;
      destruct (sent s m); auto; discriminate.
Qed.

(* What the step sends is sent at its end, and delivered d(m) after it leaves. *)
Theorem sending_is_finish w s p m : loses M p = false -> In m (map fst (sends M w s p)) ->
  sent (after M w s p) m = true /\ sending w (after M w s p) m = finish M w s p /\
  delivered (after M w s p) m = leaves M w s p m + delay w m.
Proof.
  intros no H. destruct (receiver_of_some _ _ H) as [n E]. unfold sending, after. rewrite no. simpl. rewrite E.
  repeat split. destruct (may_be_held m) eqn:held; [reflexivity | ]. rewrite plus_minus. now apply leaves_at_once.
Qed.

(* Once sent, a message stays sent, and its times and its place are what they are. *)
Theorem sent_keeps w s p m : once M w s p -> sent s m = true ->
  sent (after M w s p) m = true /\ delivered (after M w s p) m = delivered s m /\ receiver (after M w s p) m = receiver s m /\
  place (after M w s p) m = place s m /\ handed (after M w s p) m = handed s m /\ paced (after M w s p) m = paced s m.
Proof.
  intros (_ & new & _) H. unfold after. destruct (loses M p); simpl; [auto 9 | ].
  rewrite receiver_of_none; [auto 9 | ]. intros again. apply in_map_iff in again. destruct again as ([m' n] & E & again).
  simpl in E. subst m'. specialize (new m n again). congruence.
Qed.

Lemma gone_for_good w s p m : once M w s p -> sent s m = true -> pending (after M w s p) m = true -> pending s m = true.
Proof.
  intros O H. destruct (sent_keeps w s p m O H) as (S & _). unfold pending. rewrite H, S. simpl.
  unfold after. destruct (loses M p); simpl; destruct (received s m), (lost s m), (take_is p m); auto.
Qed.

Theorem sending_lasts w s p m : once M w s p -> sent s m = true ->
  sent (after M w s p) m = true /\ delivered (after M w s p) m = delivered s m /\ sending w (after M w s p) m = sending w s m.
Proof.
  intros O H. destruct (sent_keeps w s p m O H) as (S & D & _ & _ & Hd & _). unfold sending. now rewrite D, Hd.
Qed.

(* --- FIFO channels --------------------------------------------------------------------------------------------------- *)

(* What the language makes sure of: what a step sends is sent by one of its statements. *)
Definition numbered : Prop :=
  forall w s p m n, In (m, n) (sends M w s p) -> (turn M w s p m < turns M (by_action p))%nat.

(* FACT_FIFO_PLACE: "It holds in every reachable state because only a send gives a place, and gives it the number before its own". *)
Theorem fifo_place w s m : numbered -> reachable w s -> sent s m = true -> fifo N m = true -> (place s m < places s)%nat.
Proof.
  intros num R H F. revert H. induction R as [s first_ | s p R IH E O]; intros H.
  - destruct first_ as (_ & _ & S & _). destruct (S m) as [S' _]. congruence.
  - destruct (sent s m) eqn:old.
    + destruct (sent_keeps w s p m O old) as (_ & _ & _ & P & _). simpl. rewrite P. specialize (IH eq_refl).
      unfold after. destruct (loses M p); simpl; lia.
    + simpl in *. unfold after in *. destruct (loses M p); simpl in *; [congruence | ].
      destruct (receiver_of m (sends M w s p)) as [n | ] eqn:E'; [ | congruence]. rewrite F.
      specialize (num w s p m n (receiver_of_in _ _ _ E')). lia.
Qed.

(* "Every message on one has a place in the order of sending": what is sent later has a later place. *)
Theorem later_place w s p m m' : numbered -> reachable w s -> loses M p = false -> sent s m = true -> fifo N m = true ->
  sent s m' = false -> sent (after M w s p) m' = true -> fifo N m' = true -> once M w s p ->
  (place (after M w s p) m < place (after M w s p) m')%nat.
Proof.
  intros num R no H F H' new F' O. destruct (sent_keeps w s p m O H) as (_ & _ & _ & P & _). rewrite P.
  pose proof (fifo_place w s m num R H F). unfold after in *. rewrite no in *. simpl in *.
  destruct (receiver_of m' (sends M w s p)); [rewrite F'; lia | congruence].
Qed.

(* So a channel hands over in the order of sending: of what was received, nothing that was sent before it is pending. *)
Theorem received_in_order w s m m' : numbered -> reachable w s -> received s m = true -> sent s m = true -> sent s m' = true ->
  same_channel M w s m m' -> (place s m' < place s m)%nat -> pending s m' = false.
Proof.
  intros num R. revert m m'. induction R as [s first_ | s p R IH E O]; intros m m' got H H' C before.
  - destruct first_ as (_ & _ & S & _). destruct (S m) as (_ & S' & _). congruence.
  - destruct C as (F & F' & from & to_). simpl in *. destruct (sent s m') eqn:old'.
    + destruct (sent_keeps w s p m' O old') as (_ & _ & R' & P' & _).
      destruct (sent s m) eqn:old.
      * destruct (sent_keeps w s p m O old) as (_ & _ & Rm & Pm & _). rewrite R', Rm, P', Pm in *.
        destruct (pending (after M w s p) m') eqn:K'; [exfalso | reflexivity]. apply gone_for_good in K'; auto.
        destruct (received s m) eqn:got'.
        { rewrite (IH m m') in K'; auto; [discriminate | now repeat split]. }
        (* it is received now: so nothing before it is pending *)
        unfold after in got. destruct (loses M p) eqn:no; simpl in got; [congruence | ].
        rewrite got', orb_false_r in got. unfold take_is in got. destruct (takes p) as [m0 | ] eqn:takes_; [ | discriminate].
        destruct (is_message N m0 m); [ | discriminate]. subst m0.
        destruct E as (_ & K & _). unfold takes_pending, loses in *. rewrite takes_ in K.
        destruct (waits_for M (by_action p)); try contradiction; [ | discriminate].
        destruct K as (_ & _ & _ & turn). specialize (turn m' K' ltac:(now repeat split)). lia.
      * exfalso. unfold after in got. destruct (loses M p) eqn:no; simpl in got.
        { unfold after in H. rewrite no in H. simpl in H. congruence. }
        apply orb_true_iff in got. destruct got as [got | got].
        -- unfold take_is in got. destruct (takes p) as [m0 | ] eqn:takes_; [ | discriminate].
           destruct (is_message N m0 m); [ | discriminate]. subst m0. destruct E as (_ & K & _).
           unfold takes_pending, loses in *. rewrite takes_ in K. destruct (waits_for M (by_action p)); try contradiction;
             destruct K as (_ & K & _); unfold pending in K; rewrite old in K; discriminate.
        -- now rewrite (received_was_sent w s m R got) in old.
    + (* what is sent now has a later place than all before *)
      exfalso. destruct (loses M p) eqn:no; [unfold after in H'; rewrite no in H'; simpl in H'; congruence | ].
      destruct (sent s m) eqn:old.
      * pose proof (later_place w s p m m' num R no old F old' H' F' O). lia.
      * unfold after in got. rewrite no in got. simpl in got. apply orb_true_iff in got. destruct got as [got | got].
        -- unfold take_is in got. destruct (takes p) as [m0 | ] eqn:takes_; [ | discriminate].
           destruct (is_message N m0 m); [ | discriminate]. subst m0. destruct E as (_ & K & _).
           unfold takes_pending, loses in *. rewrite takes_ in K. destruct (waits_for M (by_action p)); try contradiction;
             destruct K as (_ & K & _); unfold pending in K; rewrite old in K; discriminate.
        -- now rewrite (received_was_sent w s m R got) in old.
Qed.

(* --- steps at one moment --------------------------------------------------------------------------------------------- *)

(* What is there at a moment, and the steps that take something of it. *)
Definition there_at moment (w : world T N) s m : Prop := pending s m = true /\ le (delivered s m) moment.
Definition taken_at moment (w : world T N) s p m : Prop :=
  loses M p = false /\ takes_pending M w s p /\ takes p = Some m /\ le (delivered s m) moment.

(* If kinds of messages and roles have heights by which no message comes back to itself at one moment, not by way of a timer
   either, and each step on a timer lowers the ranks of its node, then no execution has steps without end that must be taken at one
   moment. *)
Theorem no_moment_without_end moment (message_height : message N -> nat) (role_height : node N -> nat)
  (on_timer : world T N -> state T N -> pick T N -> Prop) (ranks : world T N -> variables N -> T -> node N -> list nat) :
  Progress.moments_proved executions_of (there_at moment) (fun p : Induction.pick executions_of => at_node (p : pick T N))
    (taken_at moment) on_timer (fun w s p => map fst (sends M w s p)) (fun w s n => ranks w (of s n) (clock s n) n)
    message_height role_height ->
  forall w (run : nat -> state T N) (step : nat -> pick T N) messages nodes, possible M w -> NoDup nodes ->
  Progress.has_all executions_of (there_at moment) w (run O) messages ->
  ~ forall i, reachable w (run i) /\ enabled M w (run i) (step i) /\ run (S i) = after M w (run i) (step i) /\
      In (at_node (step i)) nodes /\ (on_timer w (run i) (step i) \/ exists m, taken_at moment w (run i) (step i) m).
Proof.
  intros K w run step messages nodes ok distinct cov.
  refine (Progress.no_moment_without_end executions_of _ _ _ _ _ _ _ _ _ _ _ K w run step messages nodes ok distinct cov _).
  - intros w' s p m (no & P & E & le_). unfold takes_pending in P. rewrite E in P. split.
    + split; [ | exact le_]. now destruct (waits_for M (by_action p)); try contradiction; destruct P as (_ & P & _).
    + intros [P' _]. simpl in P'. unfold pending, after, take_is in P'. rewrite no, E in P'. simpl in P'.
      destruct (is_message N m m) as [_ | no']; [ | contradiction]. simpl in P'. rewrite andb_false_r in P'. discriminate.
  - intros w' s p m [P le_]. simpl in *.
    destruct (in_dec (is_message N) m (map fst (sends M w' s p))) as [now | never]; [now right | left].
    unfold there_at, pending, after in *. destruct (loses M p); simpl in *.
    + split; [ | exact le_]. destruct (sent s m), (received s m), (lost s m), (take_is p m); auto.
    + rewrite (receiver_of_none m _ never) in *. split; [ | exact le_].
      destruct (sent s m), (received s m), (lost s m), (take_is p m); auto.
  - intros w' s p n other. simpl. unfold after. destruct (loses M p); simpl; destruct (is_node N (at_node p) n); congruence.
  - intros i m. unfold there_at. destruct (pending (run i) m); [ | right; intros [no _]; discriminate].
    destruct (le_or_not (delivered (run i) m) moment); [left; auto | right; now intros [_ no]].
Qed.

(* --- times of messages ----------------------------------------------------------------------------------------------- *)

Lemma sending_not_negative w s m : possible M w -> reachable w s -> sent s m = true -> 0 <= sending w s m.
Proof.
  intros ok R. induction R as [s F | s p R IH E O]; intros H.
  - destruct F as (_ & _ & F & _). destruct (F m) as [F' _]. congruence.
  - destruct (sent s m) eqn:old.
    + destruct (sending_lasts w s p m O old) as (_ & _ & D). simpl. rewrite D. auto.
    + destruct (loses M p) eqn:no; [simpl in H; unfold after in H; rewrite no in H; simpl in H; congruence | ].
      destruct (in_dec (is_message N) m (map fst (sends M w s p))) as [now | never].
      * destruct (sending_is_finish w s p m no now) as (_ & D & _). simpl. rewrite D.
        apply le_trans with (clock s (at_node p)); [now apply clock_not_negative with w | ].
        apply le_trans with (start M w s p); [now apply start_not_before | now apply finish_not_before].
      * simpl in H. unfold after in H. rewrite no in H. simpl in H. rewrite receiver_of_none in H; congruence.
Qed.

Lemma delivered_not_negative w s m : possible M w -> reachable w s -> sent s m = true -> 0 <= delivered s m.
Proof.
  intros ok R. induction R as [s F | s p R IH E O]; intros H.
  - destruct F as (_ & _ & F & _). destruct (F m) as [F' _]. congruence.
  - destruct (sent s m) eqn:old.
    + destruct (sending_lasts w s p m O old) as (_ & D & _). simpl. rewrite D. auto.
    + destruct (loses M p) eqn:no; [simpl in H; unfold after in H; rewrite no in H; simpl in H; congruence | ].
      destruct (in_dec (is_message N) m (map fst (sends M w s p))) as [now | never].
      * destruct (sending_is_finish w s p m no now) as (_ & _ & D). simpl. rewrite D.
        apply plus_not_negative; [ | apply ok]. apply le_trans with (finish M w s p); [ | apply leaves_late].
        apply le_trans with (clock s (at_node p)); [now apply clock_not_negative with w | ].
        apply le_trans with (start M w s p); [now apply start_not_before | now apply finish_not_before].
      * simpl in H. unfold after in H. rewrite no in H. simpl in H. rewrite receiver_of_none in H; congruence.
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
  intros w s p v _ _ _ O H. simpl in *. destruct (sending_lasts w s p (target w v) O H) as (H' & _ & D). now rewrite D.
Qed.

Theorem delivered_lasts V target limit : Induction.lasting executions_of (@bound_delivered V target limit).
Proof. intros w s p v _ _ _ O H. simpl in *. destruct (sending_lasts w s p (target w v) O H) as (H' & D & _). now rewrite D. Qed.

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
