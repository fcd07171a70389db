(* SPDX-License-Identifier: GPL-3.0-or-later

   "Every real execution is one of the model." What machines do is said here without the rules of a timing model: when a node is
   free, what it takes, how long a message waited. Then, where the obligations of DEFERRAL hold, the rules of the standard, the
   eager and the advanced model forbid none of it. So a proved bound holds in every state of a real execution. *)
From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From Theory Require Import Time Model Standard Timing.
From Theory Require Induction.
Local Open Scope time_scope.

Section Adequacy.
Context {T : times} {N : names} (M : model T N).
Implicit Types (w : world T N) (s : state T N) (p q : pick T N) (m : message N) (n : node N) (t a x : T) (i j c e : nat).

Lemma not_le a t : ~ a <= t -> t <= a.
Proof. destruct (le_total a t); tauto. Qed.

Lemma le_by_contradiction a t : (~ a <= t -> False) -> a <= t.
Proof. destruct (le_or_not a t); tauto. Qed.

(* --- what can be taken ----------------------------------------------------------------------------------------------- *)

(* "For a message m that actions of role R receive, G says that the guards of one of them hold for some of what it may choose
   (without those that a schedule added)": at a moment, which a clock read would read. [unslotted] are these guards. *)
Variable unslotted : world T N -> state T N -> pick T N -> Prop.

Definition receives q m s : Prop :=
  exists kind, waits_for M (by_action q) = Receives kind /\ kind m = true /\ takes q = Some m /\ at_node q = receiver s m.

Definition can w s m t : Prop :=
  exists q, receives q m s /\ lives M w (at_node q) /\ domain M w s q /\ unslotted w s q /\ reads q = t.

(* With what a schedule adds: the slot, and how long the node waits in it. *)
Definition takeable w s m t : Prop :=
  exists q, receives q m s /\ lives M w (at_node q) /\ domain M w s q /\ guard M w s q /\ patient M w s q /\ reads q = t.

Definition with_read q t : pick T N :=
  {| by_action := by_action q; at_node := at_node q; takes := takes q; chooses := chooses q; reads := t; waited := waited q;
     executions := executions q |}.

(* What the language makes sure of. Guards and domains speak of the acting node's variables, and of the clock read only where
   [reads_clock] says so. A loss "makes no message one that its receiver could receive". *)
Record protocol := {
  slot_only_adds : forall w s q, guard M w s q -> unslotted w s q;
  guards_are_local : forall w s s' q, of s (at_node q) = of s' (at_node q) ->
    (unslotted w s q -> unslotted w s' q) /\ (domain M w s q -> domain M w s' q);
  reads_nothing : forall w s q t, reads_clock M (by_action q) = false ->
    (guard M w s q -> guard M w s (with_read q t)) /\ (domain M w s q -> domain M w s (with_read q t));
  losses_free_nothing : forall w s p m t, loses M p = true -> can w (after M w s p) m t -> can w s m t
}.

(* The obligations: that nothing is deferred. *)
Record deferral_proved (A : timing (T := T) (N := N)) {invariant : Type} (holds : invariant -> world T N -> state T N * more A -> Prop) := {
  (* OBLIGATION_DEFERRAL *)
  deferral_step : forall w (x : state T N * more A) p m, possible M w -> Induction.all_hold (executions_with M A) holds w x ->
    Induction.enabled (s := executions_with M A) w x p -> loses M p = false ->
    pending (fst x) m = true -> pending (after M w (fst x) p) m = true -> receiver (fst x) m = at_node p ->
    ~ start M w (fst x) p <= delivered (fst x) m ->
    ~ can w (fst x) m (start M w (fst x) p) -> ~ can w (after M w (fst x) p) m (start M w (fst x) p);
  (* OBLIGATION_DEFERRAL of a guard that the passage of time alone can turn true *)
  deferral_clock : forall w s m t t', t <= t' -> can w s m t' -> can w s m t
}.

(* "where an action with a message, a timer or a slot can be taken but for limits on arrivals (below), these let it send" *)
Record pace_proved (A : timing (T := T) (N := N)) {invariant : Type} (holds : invariant -> world T N -> state T N * more A -> Prop) := {
  (* OBLIGATION_PACE *)
  pace_lets : forall w (x : state T N * more A) p, possible M w -> Induction.all_hold (executions_with M A) holds w x ->
    enabled_unpaced M w (fst x) p -> rule A w (fst x) (snd x) p -> loses M p = false -> asked M p = true ->
    paces M w (fst x) p
}.

(* --- real executions ------------------------------------------------------------------------------------------------- *)

(* All that starts until a moment, in the order of the starts: states [st 0] to [st k], and step [i] from state [i]. *)
Variables (w : world T N) (st : nat -> state T N) (p : nat -> pick T N) (k : nat) (until : T).

Definition acts (i : nat) n : Prop := (i < k)%nat /\ loses M (p i) = false /\ at_node (p i) = n.
Definition begin (i : nat) : T := start M w (st i) (p i).

(* When the receiver can first take the message, if nothing changes before: it is free, and the message is there. *)
Definition ready (j : nat) m : T := latest (clock (st j) (receiver (st j) m)) (delivered (st j) m).

(* The message, or one that was sent before it on its FIFO channel and is still there. *)
Definition ahead s m' m : Prop :=
  m' = m \/ pending s m' = true /\ same_channel M w s m m' /\ (place s m' < place s m)%nat.

(* The message's receiver is free at a moment: its steps so far have ended, its next one begins later, and it is not in the slot
   of a schedule that keeps it from the message or from what is before it. [i]: what is seen are the steps before step i. *)
Definition free_for m t (i : nat) : Prop :=
  exists j, (j <= i)%nat /\ clock (st j) (receiver (st i) m) <= t /\
    (j = i \/ acts j (receiver (st i) m) /\ ~ begin j <= t) /\
    ~ (exists m', ahead (st j) m' m /\ can w (st j) m' (ready j m') /\ ~ takeable w (st j) m' (ready j m')).

Record real := {
  real_possible : possible M w;
  real_first : first M w (st 0);
  (* What a step is, but for the rules of a timing model. *)
  real_step : forall i, (i < k)%nat ->
    st (S i) = after M w (st i) (p i) /\
    lives M w (at_node (p i)) /\ takes_pending M w (st i) (p i) /\ domain M w (st i) (p i) /\ guard M w (st i) (p i) /\
    (loses M (p i) = false ->
     start M w (st i) (p i) <= reads (p i) /\ reads (p i) <= finish M w (st i) (p i) /\ executes M w (st i) (p i) /\
     patient M w (st i) (p i));
  (* What machines need not send they send within the limits that the protocol states. *)
  real_limits : forall i, (i < k)%nat -> loses M (p i) = false -> asked M (p i) = false -> paces M w (st i) (p i);
  (* "Such a message is delivered when the channel hands it over, which real channels do in their order" *)
  real_channels : forall i m m', (i <= k)%nat -> pending (st i) m = true -> pending (st i) m' = true ->
    same_channel M w (st i) m m' -> (place (st i) m' < place (st i) m)%nat -> delivered (st i) m' <= delivered (st i) m;
  (* A channel hands over nothing that is lost: what is in turn is lost before a step starts that comes after its delivery. *)
  real_losses : forall i j m, (j < i < k)%nat -> loses M (p i) = true -> loses M (p j) = false -> takes (p i) = Some m ->
    fifo N m = true -> pending (st j) m = true -> is_next M w (st j) m -> begin j <= delivered (st i) m;
  (* "Order the steps of such an execution by their starts." *)
  real_order : forall i j, (i < j < k)%nat -> loses M (p i) = false -> loses M (p j) = false -> begin i <= begin j;
  real_until : forall i, (i < k)%nat -> loses M (p i) = false -> begin i <= until;
  (* "whenever a node is free it takes, of the messages that are there and that it can take": it begins a step. *)
  real_takes : forall i m, (i <= k)%nat -> pending (st i) m = true -> is_next M w (st i) m ->
    takeable w (st i) m (ready i m) ->
    until <= ready i m \/ exists j, (i <= j)%nat /\ acts j (receiver (st i) m) /\ begin j <= ready i m;
  (* "timers fire when they are due" *)
  real_timers : forall i q due, (i <= k)%nat -> waits_for M (by_action q) = Timer due -> could M w (st i) q ->
    until <= latest (tN (st i) q) (due w (st i) q) \/
    exists j, (i <= j)%nat /\ acts j (at_node q) /\ begin j <= latest (tN (st i) q) (due w (st i) q);
  (* "Queuing(m) measures just that": it is at least how long a message was there with its receiver at no moment free. *)
  real_queueing : forall i m o a, (i <= k)%nat -> queueing_of N m = Some o -> pending (st i) m = true ->
    (forall t, delivered (st i) m <= t -> ~ a <= t -> ~ free_for m t i) ->
    a <= delivered (st i) m + length_of w o
}.

(* Which of several: "in the standard and eager models: any of those with the highest priority". *)
Definition takes_highest : Prop := forall i kind m m', acts i (receiver (st i) m') ->
  waits_for M (by_action (p i)) = Receives kind -> takes (p i) = Some m -> (priority M m < priority M m')%nat ->
  pending (st i) m' = true -> is_next M w (st i) m' -> takeable w (st i) m' (begin i) -> begin i <= delivered (st i) m'.

(* "the one delivered first"; and a node passes on from a slot without a message only when there is none. *)
Definition takes_first : Prop :=
  (forall i kind m m', acts i (receiver (st i) m') ->
   waits_for M (by_action (p i)) = Receives kind -> takes (p i) = Some m ->
   pending (st i) m' = true -> is_next M w (st i) m' -> takeable w (st i) m' (begin i) ->
   delivered (st i) m' <= begin i -> delivered (st i) m <= delivered (st i) m') /\
  (forall i m', acts i (receiver (st i) m') -> idle M (by_action (p i)) = true ->
   pending (st i) m' = true -> is_next M w (st i) m' -> takeable w (st i) m' (begin i) -> begin i <= delivered (st i) m').

Context (P : protocol).
Context (R : real).
Context (falls : forall w s m t t', t <= t' -> can w s m t' -> can w s m t).
(* No step is an error: each sends what was not sent before. *)
Variable i0 : nat.
Context (in_run : (i0 <= k)%nat).
Context (ok : forall c, (c < i0)%nat -> once M w (st c) (p c) /\
  (loses M (p c) = false -> standard M w (st c) (p c) /\ paces M w (st c) (p c))).
Context (stays : forall c m, (c < i0)%nat -> loses M (p c) = false -> pending (st c) m = true ->
  pending (st (S c)) m = true -> receiver (st c) m = at_node (p c) -> ~ begin c <= delivered (st c) m ->
  ~ can w (st c) m (begin c) -> ~ can w (st (S c)) m (begin c)).

Lemma is_enabled c : (c < i0)%nat -> enabled M w (st c) (p c).
Proof.
  intros lt. destruct (real_step R c ltac:(lia)) as (_ & L & K & D & G & X).
  unfold enabled. split; [exact L | ]. split; [exact K | ]. split; [exact D | ]. split; [exact G | ].
  intros no. destruct (X no) as (? & ? & ? & ?). destruct (proj2 (ok c lt) no). auto 9.
Qed.

Lemma state_after c : (c < i0)%nat -> st (S c) = after M w (st c) (p c).
Proof. intros lt. exact (proj1 (real_step R c ltac:(lia))). Qed.

Lemma is_reachable c : (c <= i0)%nat -> reachable M w (st c).
Proof.
  induction c as [ | c IH]; intros le.
  - apply Induction.reachable_first. exact (real_first R).
  - rewrite state_after by lia. apply (Induction.reachable_step (executions_of M) w (st c) (p c)).
    + apply IH. lia.
    + apply is_enabled. lia.
    + apply ok. lia.
Qed.

(* What was sent stays so. *)
Lemma sent_stays_there j c m : (j <= c <= i0)%nat -> sent (st j) m = true ->
  sent (st c) m = true /\ delivered (st c) m = delivered (st j) m /\ receiver (st c) m = receiver (st j) m /\
  place (st c) m = place (st j) m.
Proof.
  intros [le lec] H. induction c as [ | c IH].
  - assert (j = O) by lia. now subst.
  - destruct (Nat.eq_dec j (S c)) as [-> | ne]; auto.
    destruct IH as (S1 & D1 & R1 & P1); try lia. rewrite state_after by lia.
    destruct (sent_keeps M w (st c) (p c) m (proj1 (ok c ltac:(lia))) S1) as (S2 & D2 & R2 & P2 & _).
    repeat split; auto; congruence.
Qed.

Lemma sent_stays j c m : (j <= c <= i0)%nat -> sent (st j) m = true ->
  sent (st c) m = true /\ delivered (st c) m = delivered (st j) m /\ receiver (st c) m = receiver (st j) m.
Proof. intros le H. now destruct (sent_stays_there j c m le H) as (? & ? & ? & _). Qed.

Lemma gone_stays j c m : (j <= c <= i0)%nat ->
  (received (st j) m = true -> received (st c) m = true) /\ (lost (st j) m = true -> lost (st c) m = true).
Proof.
  intros [le lec]. induction c as [ | c IH].
  - assert (j = O) by lia. subst. auto.
  - destruct (Nat.eq_dec j (S c)) as [-> | ne]; auto.
    destruct IH as (R1 & L1); try lia. rewrite state_after by lia. unfold after.
    destruct (loses M (p c)); simpl; split; intros H; auto.
    + rewrite L1 by auto. apply orb_true_r.
    + rewrite R1 by auto. apply orb_true_r.
Qed.

Lemma pending_between j c i m : (j <= c <= i)%nat -> (i <= i0)%nat -> sent (st j) m = true -> pending (st i) m = true ->
  pending (st c) m = true.
Proof.
  intros le lei H K. unfold pending in *. destruct (sent_stays j c m ltac:(lia) H) as (S1 & _).
  apply andb_true_iff in K. destruct K as [K L]. apply andb_true_iff in K. destruct K as [_ K].
  apply negb_true_iff in K, L. destruct (gone_stays c i m ltac:(lia)) as [G1 G2].
  rewrite S1. destruct (received (st c) m); [rewrite G1 in K by auto; discriminate | ].
  destruct (lost (st c) m); [rewrite G2 in L by auto; discriminate | reflexivity].
Qed.

(* "A message sent by a step that comes after step b in this order is not delivered before the start of b". *)
Lemma sent_later j i m : (j <= i <= i0)%nat -> acts j (at_node (p j)) -> sent (st j) m = false -> sent (st i) m = true ->
  begin j <= delivered (st i) m.
Proof.
  intros [le lei] (_ & no & _) H. induction i as [ | i IH]; intros H'.
  - assert (j = O) by lia. subst. congruence.
  - destruct (Nat.eq_dec j (S i)) as [-> | ne]; [congruence | ].
    destruct (sent (st i) m) eqn:old.
    + destruct (sent_stays i (S i) m ltac:(lia) old) as (_ & D & _). rewrite D. apply IH; auto; lia.
    + rewrite state_after in * by lia. destruct (loses M (p i)) eqn:lose.
      { unfold after in H'. rewrite lose in H'. simpl in H'. congruence. }
      destruct (in_dec (is_message N) m (map fst (sends M w (st i) (p i)))) as [now | never].
      * destruct (sending_is_finish M w (st i) (p i) m lose now) as (_ & _ & D). rewrite D.
        apply le_trans with (begin i).
        { destruct (Nat.eq_dec j i) as [-> | ne']; [apply le_refl | ]. apply (real_order R); auto; lia. }
        apply le_trans with (finish M w (st i) (p i)).
        { apply (finish_not_before M w (st i) (p i)); auto; [apply (real_possible R) | apply is_enabled; lia]. }
        apply le_trans with (leaves M w (st i) (p i) m); [apply leaves_late | ].
        apply le_plus_right. apply (real_possible R).
      * unfold after in H'. rewrite lose in H'. simpl in H'. rewrite receiver_of_none in H'; congruence.
Qed.

Lemma delivered_positive i m : (i <= i0)%nat -> sent (st i) m = true -> 0 <= delivered (st i) m.
Proof. intros le H. apply (delivered_not_negative M w); auto; [apply (real_possible R) | now apply is_reachable]. Qed.

(* A message that is there and that the node cannot take is not taken later: that is what DEFERRAL says of one step, and here of
   many. *)
Lemma never_freed j i m y : (j <= i <= i0)%nat -> sent (st j) m = true -> pending (st i) m = true ->
  (forall c, (j <= c < i)%nat -> acts c (receiver (st j) m) -> ~ begin c <= delivered (st j) m /\ y <= begin c) ->
  ~ can w (st j) m y ->
  forall x, y <= x -> (forall c, (j <= c < i)%nat -> acts c (receiver (st j) m) -> begin c <= x) -> ~ can w (st i) m x.
Proof.
  intros [le lei] H K later no. induction i as [ | i IH]; intros x yx over.
  - assert (j = O) by lia. subst. intros C. apply no. eauto.
  - destruct (Nat.eq_dec j (S i)) as [-> | ne]; [intros C; apply no; eauto | ].
    assert (Ki : pending (st i) m = true) by (apply (pending_between j i (S i)); auto; lia).
    destruct (sent_stays j i m ltac:(lia) H) as (Si & Di & Ri).
    destruct (sent_stays j (S i) m ltac:(lia) H) as (_ & _ & Rs).
    assert (IH' : forall x, y <= x -> (forall c, (j <= c < i)%nat -> acts c (receiver (st j) m) -> begin c <= x) ->
      ~ can w (st i) m x).
    { apply IH; auto; try lia. intros c lc A. apply later; auto; lia. }
    destruct (loses M (p i)) eqn:lose.
    + rewrite state_after by lia. intros C. apply (losses_free_nothing P) in C; auto. revert C. apply IH'; auto.
      intros c lc A. apply over; auto; lia.
    + destruct (is_node N (at_node (p i)) (receiver (st j) m)) as [same | other].
      * assert (A : acts i (receiver (st j) m)) by (repeat split; auto; lia).
        destruct (later i ltac:(lia) A) as [there yi].
        assert (no' : ~ can w (st (S i)) m (begin i)).
        { apply stays; [lia | exact lose | exact Ki | exact K | congruence | now rewrite Di | ]. apply IH'; auto.
          intros c lc (? & ? & ?). apply (real_order R); auto; lia. }
        intros C. apply no'. apply falls with x; auto. apply over; auto; lia.
      * intros C. apply (IH' x yx); [intros c lc A; apply over; auto; lia | ].
        destruct C as (q & (kind & W & Q1 & Q2 & Q3) & L & D & U & Rd).
        assert (E : of (st (S i)) (at_node q) = of (st i) (at_node q)).
        { rewrite state_after by lia. apply (proj1 (others_untouched M w (st i) (p i) (at_node q) ltac:(congruence))). }
        exists q. repeat split; auto.
        -- exists kind. repeat split; auto. congruence.
        -- exact (proj2 (guards_are_local P w (st (S i)) (st i) q E) D).
        -- exact (proj1 (guards_are_local P w (st (S i)) (st i) q E) U).
Qed.

(* What a step takes could be taken when it starts. *)
Lemma step_takes c m kind : (c <= i0)%nat -> acts c (at_node (p c)) -> waits_for M (by_action (p c)) = Receives kind ->
  takes (p c) = Some m ->
  pending (st c) m = true /\ receiver (st c) m = at_node (p c) /\ can w (st c) m (begin c) /\ is_next M w (st c) m.
Proof.
  intros _ (lk & lose & _) W E. destruct (real_step R c lk) as (_ & L & K & D & G & X).
  destruct (X lose) as (read & _). unfold takes_pending in K. rewrite W, E in K.
  destruct K as (kind_m & K & at_ & turn). repeat split; auto.
  apply falls with (reads (p c)); auto. exists (p c). repeat split; auto.
  - exists kind. auto.
  - now apply (slot_only_adds P).
Qed.

(* What is not there any more was taken or lost by some step. *)
Lemma gone_between j i m : (j <= i <= i0)%nat -> sent (st j) m = true -> pending (st j) m = true -> pending (st i) m = false ->
  exists c, (j <= c < i)%nat /\ pending (st c) m = true /\ takes (p c) = Some m.
Proof.
  intros [le lei] H K. induction i as [ | i IH]; intros gone.
  - assert (j = O) by lia. subst. congruence.
  - destruct (Nat.eq_dec j (S i)) as [-> | ne]; [congruence | ].
    destruct (pending (st i) m) eqn:Ki.
    + exists i. split; [lia | ]. split; [exact Ki | ].
      destruct (sent_stays j (S i) m ltac:(lia) H) as (S1 & _). unfold pending in *. rewrite S1 in gone.
      rewrite state_after in gone by lia. unfold after, take_is in gone.
      destruct (takes (p i)) as [m0 | ]; [destruct (is_message N m0 m) eqn:other; [congruence | ] | ]; exfalso;
        destruct (loses M (p i)); simpl in gone; destruct (sent (st i) m), (received (st i) m), (lost (st i) m);
          simpl in *; try rewrite other in gone; simpl in *; congruence.
    + destruct (IH ltac:(lia) ltac:(lia) eq_refl) as (c & ? & ? & ?). exists c. repeat split; auto; lia.
Qed.

(* Of a channel, the first that is there. *)
Lemma first_of_channel j m : pending (st j) m = true ->
  ~ ~ exists m', ahead (st j) m' m /\ pending (st j) m' = true /\ is_next M w (st j) m'.
Proof.
  intros K. remember (place (st j) m) as x eqn:E. revert m K E.
  induction x as [x IH] using (well_founded_induction lt_wf). intros m K -> none.
  apply none. exists m. split; [now left | ]. split; [exact K | ]. intros m' K' C.
  destruct (le_lt_dec (place (st j) m) (place (st j) m')) as [ | before]; [assumption | exfalso].
  apply (IH _ before m' K' eq_refl). intros (m'' & A & K'' & next). apply none. exists m''. split; [ | auto].
  destruct A as [-> | (_ & C' & before')]; right; (split; [assumption | ]).
  - auto.
  - split; [ | lia]. destruct C as (? & ? & ? & ?), C' as (? & ? & ? & ?). repeat split; congruence.
Qed.

Lemma ahead_is_before j m m' : (j <= k)%nat -> pending (st j) m = true -> ahead (st j) m' m ->
  delivered (st j) m' <= delivered (st j) m /\ receiver (st j) m' = receiver (st j) m.
Proof.
  intros le K [-> | (K' & C & before)]; [split; [apply le_refl | reflexivity] | ].
  split; [ | now destruct C as (_ & _ & _ & ->)]. apply (real_channels R j m m'); auto.
Qed.

Lemma pending_sent s m : pending s m = true -> sent s m = true.
Proof. unfold pending. now destruct (sent s m). Qed.

(* What is ahead of a message that is next at the start of step i0 was taken before: it was not lost, as it was there; and so it
   could be taken when it was there. *)
Lemma ahead_was_takeable j m m' y : (j <= i0)%nat -> ahead (st j) m' m -> pending (st j) m' = true -> pending (st j) m = true ->
  pending (st i0) m = true -> is_next M w (st i0) m -> can w (st i0) m (begin i0) -> acts i0 (at_node (p i0)) ->
  (forall c, (j <= c < i0)%nat -> loses M (p c) = true -> takes (p c) = Some m' -> fifo N m' = true -> False) ->
  (forall c, (j <= c < i0)%nat -> acts c (receiver (st j) m') -> ~ begin c <= delivered (st j) m' /\ y <= begin c) ->
  y <= begin i0 -> ~ ~ can w (st j) m' y.
Proof.
  intros le A Kj' Kj K next C (ik & il & _) no_loss later yi no.
  assert (order : forall c e, (c <= e < k)%nat -> loses M (p c) = false -> loses M (p e) = false -> begin c <= begin e).
  { intros c e lt lc le_. destruct (Nat.eq_dec c e) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia]. }
  destruct A as [-> | (_ & Ch & before)].
  - revert C. apply (never_freed j i0 m y); auto using pending_sent; try lia.
    intros c lc (? & ? & ?). apply order; auto; lia.
  - destruct (pending (st i0) m') eqn:K'.
    + pose proof (sent_stays_there j i0 m ltac:(lia) (pending_sent _ _ Kj)) as (_ & _ & R1 & P1).
      pose proof (sent_stays_there j i0 m' ltac:(lia) (pending_sent _ _ Kj')) as (_ & _ & R2 & P2).
      destruct Ch as (? & ? & ? & ?).
      assert (same_channel M w (st i0) m m') by (repeat split; auto; congruence).
      specialize (next m' K' ltac:(assumption)). lia.
    + destruct (gone_between j i0 m' ltac:(lia) (pending_sent _ _ Kj') Kj' K') as (c & lc & Kc & E).
      destruct (loses M (p c)) eqn:lose.
      * destruct Ch as (_ & F & _). exact (no_loss c lc lose E F).
      * assert (Ac : acts c (at_node (p c))) by (repeat split; auto; lia).
        destruct (real_step R c ltac:(lia)) as (_ & _ & Tk & _). unfold takes_pending, loses in *. rewrite E in Tk.
        destruct (waits_for M (by_action (p c))) as [ | kind | | | ] eqn:W; try contradiction; [ | discriminate].
        destruct (step_takes c m' kind ltac:(lia) Ac W E) as (_ & at_ & Cc & _).
        destruct (sent_stays j c m' ltac:(lia) (pending_sent _ _ Kj')) as (_ & _ & Rc).
        revert Cc. apply (never_freed j c m' y); auto using pending_sent; try lia.
        -- intros e lt Ae. apply later; auto; lia.
        -- apply later; [lia | ]. now rewrite <- Rc, at_.
        -- intros e lt (? & le_ & ?). apply order; auto; [lia | ]. unfold loses. now rewrite W.
Qed.

(* All waiting is for a busy node: before the start of step i0 the receiver of a message that it can then take was at no moment
   free since the message is there. *)
Lemma waits_for_busy_node m a : acts i0 (at_node (p i0)) -> pending (st i0) m = true -> is_next M w (st i0) m ->
  can w (st i0) m (begin i0) ->
  a <= begin i0 -> forall t, delivered (st i0) m <= t -> ~ a <= t -> ~ free_for m t i0.
Proof.
  intros A0 K next_ C ab t there before (j & le & ended & next & not_kept). pose proof A0 as (lk & lose & _).
  assert (order : forall c e, (c <= e < k)%nat -> loses M (p c) = false -> loses M (p e) = false -> begin c <= begin e).
  { intros c e lt lc le_. destruct (Nat.eq_dec c e) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia]. }
  assert (tb : ~ begin i0 <= t) by (intros X; apply before; eauto using le_trans).
  assert (Sj : sent (st j) m = true).
  { destruct (sent (st j) m) eqn:unsent; auto. destruct next as [-> | [A late]].
    - apply pending_sent in K. congruence.
    - exfalso. apply late. apply le_trans with (delivered (st i0) m); auto.
      destruct A as (jk & lj & _). apply sent_later; [lia | repeat split; auto | exact unsent | now apply pending_sent]. }
  destruct (sent_stays j i0 m ltac:(lia) Sj) as (_ & Di & Ri).
  assert (Kj : pending (st j) m = true) by (apply (pending_between j j i0); auto).
  apply (first_of_channel j m Kj). intros (m' & A & Kj' & next').
  destruct (ahead_is_before j m m' ltac:(lia) Kj A) as [D' R'].
  assert (r : ready j m' <= t). { unfold ready. rewrite R', <- Ri. apply latest_least; auto. rewrite <- Di in D'. eauto using le_trans. }
  assert (beyond : forall c, (j <= c < i0)%nat -> loses M (p c) = false -> ~ begin c <= t).
  { intros c lc lose_c X. destruct next as [-> | [(? & ? & ?) late]]; [lia | ].
    apply late. apply le_trans with (begin c); auto. apply order; auto; lia. }
  assert (no : ~ can w (st j) m' (ready j m')).
  { intros Cj. apply not_kept. exists m'. split; [exact A | ]. split; auto. intros Tj.
    destruct (real_takes R j m' ltac:(lia) Kj' next' Tj) as [end_ | (e & le' & Ae & early)].
    - apply tb. apply le_trans with until; [now apply (real_until R) | eauto using le_trans].
    - destruct Ae as (? & ? & ?). destruct next as [-> | [(? & ? & ?) late]].
      + apply tb. apply le_trans with (begin e); eauto using le_trans.
      + apply late. apply le_trans with (begin e); eauto using le_trans. }
  assert (d : delivered (st j) m' <= t) by (rewrite <- Di in D'; eauto using le_trans).
  apply (ahead_was_takeable j m m' (ready j m')); auto.
  - intros c lc lose_c E F. destruct next as [-> | [(? & ? & ?) late]]; [lia | ].
    assert (j <> c) by congruence. apply late. apply le_trans with (delivered (st c) m').
    + apply (real_losses R c j m'); auto; lia.
    + destruct (sent_stays j c m' ltac:(lia) (pending_sent _ _ Kj')) as (_ & -> & _). exact d.
  - intros c lc (? & ? & ?). specialize (beyond c lc ltac:(assumption)). split.
    + intros X. apply beyond. eauto using le_trans.
    + apply le_trans with t; auto. now apply not_le.
  - apply le_trans with t; auto. now apply not_le.
Qed.

(* --- the rules of the timing models, of step i0 ---------------------------------------------------------------------- *)

Context (acting : acts i0 (at_node (p i0))).

(* Whoever begins a step, no node could have taken something since an earlier moment. *)
Lemma prompt m : pending (st i0) m = true -> is_next M w (st i0) m -> takeable w (st i0) m (ready i0 m) -> begin i0 <= ready i0 m.
Proof.
  intros K next_ C. destruct acting as (lk & lose & _). destruct (real_takes R i0 m in_run K next_ C) as [end_ | (e & le & (ek & el & _) & early)].
  - apply le_trans with until; auto. now apply (real_until R).
  - apply le_trans with (begin e); auto. destruct (Nat.eq_dec i0 e) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia].
Qed.

Lemma prompt_timer q due : waits_for M (by_action q) = Timer due -> could M w (st i0) q ->
  begin i0 <= latest (tN (st i0) q) (due w (st i0) q).
Proof.
  intros W C. destruct acting as (lk & lose & _). destruct (real_timers R i0 q due in_run W C) as [end_ | (e & le & (ek & el & _) & early)].
  - apply le_trans with until; auto. now apply (real_until R).
  - apply le_trans with (begin e); auto. destruct (Nat.eq_dec i0 e) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia].
Qed.

Lemma could_takeable m t : could_receive M w (st i0) m ->
  pending (st i0) m = true /\ is_next M w (st i0) m /\ takeable w (st i0) m t.
Proof.
  intros (K & next_ & q & kind & W & is & E & at_ & (no & L & D & G) & A). split; auto. split; auto.
  destruct (reads_nothing P w (st i0) q t no) as [G' D'].
  exists (with_read q t). repeat split; auto.
  exists kind. repeat split; auto.
Qed.

Lemma takeable_can m t : takeable w (st i0) m t -> can w (st i0) m t.
Proof.
  intros (q & Q & L & D & G & _ & E). exists q. repeat split; auto. now apply (slot_only_adds P).
Qed.

(* "Where nothing is deferred, all waiting is for a busy node: Queuing(m) measures just that" *)
Theorem real_standard : standard M w (st i0) (p i0).
Proof.
  unfold standard. destruct (waits_for M (by_action (p i0))) eqn:W; auto. destruct (takes (p i0)) as [m | ] eqn:E; auto.
  destruct (queueing_of N m) as [o | ] eqn:Q; auto. destruct (step_takes i0 m kind ltac:(lia) acting W E) as (K & at_ & C & next_).
  apply (real_queueing R i0 m o); auto. apply waits_for_busy_node; auto.
  unfold begin, start. rewrite W, E. apply latest_left.
Qed.

Lemma real_passes_no_message : passes_no_message M w (st i0) (p i0).
Proof.
  intros m o Q H. destruct (could_takeable m (begin i0) H) as (K & next_ & C).
  apply (real_queueing R i0 m o); auto. apply waits_for_busy_node; auto using takeable_can. apply le_refl.
Qed.

Lemma real_passes_no_timer : passes_no_timer M w (st i0) (p i0).
Proof. intros q due W C. now apply prompt_timer. Qed.

Lemma real_passes_no_priority : takes_highest -> passes_no_priority M w (st i0) (p i0).
Proof.
  intros highest. unfold passes_no_priority. destruct (waits_for M (by_action (p i0))) eqn:W; auto.
  destruct (takes (p i0)) as [m | ] eqn:E; auto. intros m' at_ less H.
  destruct (could_takeable m' (begin i0) H) as (K & next_ & C). apply (highest i0 kind m); auto. now rewrite at_.
Qed.

Lemma real_takes_earliest : takes_first -> takes_earliest M w (st i0) (p i0).
Proof.
  intros [one _]. unfold takes_earliest. destruct (waits_for M (by_action (p i0))) eqn:W; auto.
  destruct (takes (p i0)) as [m | ] eqn:E; auto. intros m' at_ H.
  destruct (could_takeable m' (begin i0) H) as (K & next_ & C).
  destruct (le_or_not (delivered (st i0) m') (begin i0)) as [there | not_yet].
  - apply (one i0 kind m); auto. now rewrite at_.
  - apply le_trans with (begin i0); [ | now apply not_le]. unfold begin, start. rewrite W, E. apply latest_right.
Qed.

Lemma begin_not_negative : 0 <= begin i0.
Proof.
  destruct acting as (lk & lose & _). destruct (real_step R i0 lk) as (_ & _ & _ & _ & _ & X).
  apply le_trans with (clock (st i0) (at_node (p i0))).
  - apply (clock_not_negative M w); [apply (real_possible R) | now apply is_reachable].
  - destruct (X lose) as (_ & _ & E & _). now apply (start_after_clock M w (st i0) (p i0)).
Qed.

(* The more of a timing model's states, along the execution. *)
Fixpoint along (A : timing (T := T) (N := N)) (c : nat) : more A :=
  match c with O => at_first A | S c => changes A w (st c) (along A c) (p c) end.

Lemma real_in_order : in_order M w (st i0) (along (eager M) i0) (p i0).
Proof.
  unfold in_order. fold (begin i0). assert (H : forall c, (c <= i0)%nat -> along (eager M) c <= begin i0); [ | auto].
  destruct acting as (lk & lose & _). induction c as [ | c IH]; intros le; simpl.
  - apply begin_not_negative.
  - destruct (loses M (p c)) eqn:lose_c; [apply IH; lia | ]. apply (real_order R); auto; lia.
Qed.

Theorem real_eager : takes_highest -> rule (eager M) w (st i0) (along (eager M) i0) (p i0).
Proof.
  intros highest _. split; [apply real_in_order | ]. split; [apply real_passes_no_message | ].
  split; [apply real_passes_no_timer | now apply real_passes_no_priority].
Qed.

(* What the language makes sure of, of schedules in the advanced model: "A schedule receives in one slot", and an action in a slot
   waits for no timer; the timeout with which it waits is the schedule's. [waiting]: a step that waits for something. *)
Definition waits q : Prop := match waits_for M (by_action q) with Receives _ | Waits _ | Timer _ => True | _ => False end.

Record loops : Prop := {
  loops_one_slot : forall w s q q' m, waits q -> guard M w s q -> receives q' m s -> at_node q' = at_node q ->
    domain M w s q' -> unslotted w s q' -> guard M w s q';
  loops_one_timeout : forall w s q q' m o, waits q -> guard M w s q -> receives q' m s -> at_node q' = at_node q ->
    unslotted w s q' -> patience M (by_action q') = Some o ->
    match waits_for M (by_action q) with Receives _ => patience M (by_action q) = Some o | Waits o' => o' = o | _ => False end;
  loops_not_negative : forall w some o, possible M w -> patience M some = Some o -> 0 <= bare w o
}.
Context (L : loops).

(* So what a node can take that waits is kept from it by no slot: nor by the timeout, if it is there when the step begins. *)
Lemma waits_where_it_receives c m t : acts c (receiver (st c) m) -> waits (p c) -> can w (st c) m t ->
  ~ begin c <= delivered (st c) m -> takeable w (st c) m t.
Proof.
  intros (ck & cl & at_) W (q & Q & lives_ & D & U & E) late.
  destruct (real_step R c ck) as (_ & _ & K & _ & G & X). destruct (X cl) as (_ & _ & ex & pat).
  assert (same : at_node q = at_node (p c)) by (destruct Q as (? & _ & _ & _ & Q); congruence).
  exists q. repeat split; auto; [now apply (loops_one_slot L w (st c) (p c) q m) | ].
  pose proof Q as (kind & Wq & _ & Eq & Rq). unfold patient. rewrite Wq, Eq.
  destruct (patience M (by_action q)) as [o | ] eqn:Po; [ | exact I].
  pose proof (loops_one_timeout L w (st c) (p c) q m o W G Q same U Po) as X'.
  assert (d : delivered (st c) m <= begin c) by now apply not_le.
  unfold tN. rewrite same. unfold waits, patient, takes_pending, executes, begin, start, tN in *.
  destruct (waits_for M (by_action (p c))) as [ | kind' | o' | due | kind'] eqn:Wc; try contradiction.
  - rewrite X' in pat. destruct (takes (p c)) as [m0 | ]; [ | contradiction].
    apply le_trans with (1 := d), latest_least; [ | exact pat].
    apply le_plus_right. apply (loops_not_negative L w (by_action q)); [apply (real_possible R) | exact Po].
  - subst o'. apply le_trans with (1 := d).
    assert (wait : waited (p c) <= bare w o) by apply (proj2 ex).
    destruct (takes (p c)); [contradiction | ]. rewrite (plus_comm _ _ (waited _)), (plus_comm _ _ (bare w o)). now apply plus_le.
Qed.

(* The arrival time after a step of the node, where the message is there when it starts: no later than the message, or as it was. *)
Lemma arrival_before c m : (c < i0)%nat -> takes_first -> acts c (receiver (st c) m) -> pending (st c) m = true ->
  is_next M w (st c) m -> ~ begin c <= delivered (st c) m -> can w (st c) m (begin c) ->
  new_arrival M w (st c) (along (advanced M) c) (p c) = along (advanced M) c (at_node (p c)) \/
  new_arrival M w (st c) (along (advanced M) c) (p c) <= delivered (st c) m.
Proof.
  intros lt [one none] A Kc next_ late Cc. pose proof A as (ck & cl & at_).
  assert (take : waits (p c) -> forall t, t <= begin c -> takeable w (st c) m t).
  { intros W t le. apply waits_where_it_receives; auto. eauto. }
  assert (wait : waits (p c) -> ~ begin c <= tN (st c) (p c) -> False).
  { intros W waited_. assert (rc : ~ begin c <= ready c m).
    { unfold ready. intros X. destruct (latest_is T (clock (st c) (receiver (st c) m)) (delivered (st c) m)) as [Z | Z];
        rewrite Z in X; [apply waited_; unfold tN; congruence | apply late; congruence]. }
    destruct (real_takes R c m ltac:(lia) Kc next_ (take W _ (not_le _ _ rc))) as [end_ | (e & le & (ek & el & _) & X)].
    - apply rc. apply le_trans with until; auto. apply (real_until R); auto.
    - apply rc. apply le_trans with (begin e); auto.
      destruct (Nat.eq_dec c e) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia]. }
  assert (nothing : waits (p c) -> idle M (by_action (p c)) = true -> False).
  { intros W Id. apply late. apply none; auto using le_refl. }
  unfold new_arrival. fold (begin c). unfold waits in *.
  destruct (waits_for M (by_action (p c))) as [ | kind' | o | due | kind'] eqn:Wc;
    destruct (takes (p c)) as [m0 | ] eqn:Ec; auto;
    try (destruct (idle M (by_action (p c))); [now destruct nothing | ];
         destruct (le_or_not (begin c) (tN (st c) (p c))); [now left | now destruct wait]).
  right. apply (one c kind' m0 m); auto using le_refl. now apply not_le.
Qed.

Lemma real_arrives_later : takes_first -> arrives_later M w (st i0) (along (advanced M) i0) (p i0).
Proof.
  intros first_. unfold arrives_later. destruct (waits_for M (by_action (p i0))) eqn:W; auto.
  destruct (takes (p i0)) as [m | ] eqn:E; auto. destruct (step_takes i0 m kind ltac:(lia) acting W E) as (K & at_ & C & next_).
  assert (H : forall c, (c <= i0)%nat -> along (advanced M) c (at_node (p i0)) <= delivered (st i0) m); [ | auto].
  assert (Sm : sent (st i0) m = true) by now apply pending_sent.
  induction c as [ | c IH]; intros le; simpl.
  - now apply delivered_positive.
  - destruct (loses M (p c)) eqn:lose; [apply IH; lia | ].
    destruct (is_node N (at_node (p c)) (at_node (p i0))) as [same | other]; [ | apply IH; lia].
    assert (A : acts c (receiver (st i0) m)) by (repeat split; auto; [lia | congruence]).
    destruct (le_or_not (begin c) (delivered (st i0) m)) as [early | late].
    + (* after step c the arrival time is at most its start *)
      assert (new_arrival M w (st c) (along (advanced M) c) (p c) <= begin c \/
        new_arrival M w (st c) (along (advanced M) c) (p c) = along (advanced M) c (at_node (p c))) as [Y | Y].
      { unfold new_arrival. destruct (waits_for M (by_action (p c))) as [ | kind' | o | due | kind'] eqn:Wc; auto.
        - destruct (takes (p c)) as [m0 | ] eqn:Ec; auto. left. unfold begin, start. rewrite Wc, Ec. apply latest_right.
        - fold (begin c). destruct (idle M (by_action (p c))); [left; apply le_refl | ].
          destruct (le_or_not (begin c) (tN (st c) (p c))); [auto | left; apply le_refl].
        - fold (begin c). destruct (idle M (by_action (p c))); [left; apply le_refl | ].
          destruct (le_or_not (begin c) (tN (st c) (p c))); [auto | left; apply le_refl]. }
      * eauto using le_trans.
      * rewrite Y, same. apply IH. lia.
    + assert (Sc : sent (st c) m = true).
      { destruct (sent (st c) m) eqn:unsent; auto. exfalso. apply late. apply sent_later; auto; [lia | ].
        repeat split; auto; lia. }
      destruct (sent_stays c i0 m ltac:(lia) Sc) as (_ & Dc & Rc). rewrite Rc in A.
      assert (Kc : pending (st c) m = true) by (apply (pending_between c c i0); auto; lia).
      apply le_by_contradiction. intros more_.
      apply (first_of_channel c m Kc). intros (m' & ah & Kc' & next').
      destruct (ahead_is_before c m m' ltac:(lia) Kc ah) as [D' R'].
      assert (late' : ~ begin c <= delivered (st c) m') by (intros X; apply late; rewrite Dc; eauto using le_trans).
      assert (order : forall e, (c <= e < k)%nat -> loses M (p e) = false -> begin c <= begin e).
      { intros e lt le_. destruct (Nat.eq_dec c e) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia]. }
      pose proof acting as (ik & il & _).
      apply (ahead_was_takeable c m m' (begin c)); auto.
      * lia.
      * intros e lt lose_e Ee F. assert (c <> e) by congruence. apply late'.
        destruct (sent_stays c e m' ltac:(lia) (pending_sent _ _ Kc')) as (_ & <- & _). apply (real_losses R e c m'); auto; lia.
      * intros e lt (? & ? & ?). split; [ | apply order; auto; lia]. intros X. apply late'.
        apply le_trans with (begin e); auto. apply order; auto; lia.
      * apply order; auto; lia.
      * intros Cc. rewrite <- R' in A. apply more_.
        destruct (arrival_before c m' ltac:(lia) first_ A Kc' next' late' Cc) as [Y | Y].
        -- rewrite Y, same. apply IH. lia.
        -- rewrite Dc. eauto using le_trans.
Qed.

Theorem real_advanced : takes_first -> rule (advanced M) w (st i0) (along (advanced M) i0) (p i0).
Proof. intros first_ _. split; [now apply real_takes_earliest | now apply real_arrives_later]. Qed.
End Adequacy.

(* --- real executions are executions of the model --------------------------------------------------------------------- *)

Section Real.
Context {T : times} {N : names} (M : model T N) (unslotted : world T N -> state T N -> pick T N -> Prop).
Context (w : world T N) (st : nat -> state T N) (p : nat -> pick T N) (k : nat) (until : T).
Context (P : protocol M unslotted).
Context (R : real M unslotted w st p k until).

(* What is shown above of one step, now of all: a timing model whose rules real steps keep, as long as those before did, has every
   real execution. *)
Lemma real_reachable (A : timing (T := T) (N := N)) {I : Type} (holds : I -> world T N -> state T N * more A -> Prop) :
  Induction.invariants_proved (executions_with M A) holds -> deferral_proved M unslotted A holds -> pace_proved M A holds ->
  (forall s y q, loses M q = true -> rule A w s y q) ->
  (forall i, (i <= k)%nat ->
    (forall c, (c < i)%nat -> once M w (st c) (p c) /\
      (loses M (p c) = false -> standard M w (st c) (p c) /\ paces M w (st c) (p c))) ->
    (forall c m, (c < i)%nat -> loses M (p c) = false -> pending (st c) m = true -> pending (st (S c)) m = true ->
      receiver (st c) m = at_node (p c) -> ~ begin M w st p c <= delivered (st c) m ->
      ~ can M unslotted w (st c) m (begin M w st p c) -> ~ can M unslotted w (st (S c)) m (begin M w st p c)) ->
    acts M p k i (at_node (p i)) -> rule A w (st i) (along w st p A i) (p i)) ->
  forall i, (i <= k)%nat -> Induction.reachable (executions_with M A) w (st i, along w st p A i).
Proof.
  intros O D Pc losing keeps i le.
  assert (H : forall i, (i <= k)%nat ->
    Induction.reachable (executions_with M A) w (st i, along w st p A i) /\
    (forall c, (c < i)%nat -> once M w (st c) (p c) /\
      (loses M (p c) = false -> standard M w (st c) (p c) /\ paces M w (st c) (p c))) /\
    (forall c m, (c < i)%nat -> loses M (p c) = false -> pending (st c) m = true -> pending (st (S c)) m = true ->
      receiver (st c) m = at_node (p c) -> ~ begin M w st p c <= delivered (st c) m ->
      ~ can M unslotted w (st c) m (begin M w st p c) -> ~ can M unslotted w (st (S c)) m (begin M w st p c)));
    [ | now apply H].
  clear i le. induction i as [ | i IH]; intros le.
  - split; [ | split; intros; lia]. apply Induction.reachable_first. split; [exact (real_first _ _ _ _ _ _ _ R) | reflexivity].
  - destruct (IH ltac:(lia)) as (reach & ok & stays). clear IH.
    destruct (real_step _ _ _ _ _ _ _ R i le) as (next & L & K & Dm & G & X).
    assert (std : standard M w (st i) (p i)).
    { destruct (loses M (p i)) eqn:lose.
      - unfold standard, loses in *. destruct (waits_for M (by_action (p i))); auto; discriminate.
      - apply (real_standard M unslotted w st p k until P R (deferral_clock _ _ _ _ D) i ltac:(lia) ok stays).
        repeat split; auto. }
    assert (poss : possible M w) by exact (real_possible _ _ _ _ _ _ _ R).
    assert (unpaced : enabled_unpaced M w (st i) (p i)).
    { split; [exact L | ]. split; [exact K | ]. split; [exact Dm | ]. split; [exact G | ].
      intros no. destruct (X no) as (? & ? & ? & ?). auto 9. }
    assert (rules : rule A w (st i) (along w st p A i) (p i)).
    { destruct (loses M (p i)) eqn:lose; [now apply losing | ]. apply keeps; auto; [lia | ]. repeat split; auto. }
    assert (pace : loses M (p i) = false -> paces M w (st i) (p i)).
    { intros no. destruct (asked M (p i)) eqn:ask.
      - apply (pace_lets _ _ _ Pc w (st i, along w st p A i) (p i)); auto.
        now apply (Induction.invariants_hold (executions_with M A) holds).
      - now apply (real_limits _ _ _ _ _ _ _ R). }
    assert (E : Induction.enabled (s := executions_with M A) w (st i, along w st p A i) (p i)).
    { split; [ | exact rules]. apply enabled_is. auto. }
    assert (all : Induction.all_hold (executions_with M A) holds w (st i, along w st p A i)).
    { now apply (Induction.invariants_hold (executions_with M A) holds). }
    assert (once_i : once M w (st i) (p i)) by exact (Induction.invariants_once _ _ O w _ (p i) poss all E).
    split; [ | split].
    + simpl. rewrite next. exact (Induction.reachable_step (executions_with M A) w _ (p i) reach E once_i).
    + intros c lt. destruct (Nat.eq_dec c i) as [-> | ne]; [auto | apply ok; lia].
    + intros c m lt lose Kb Ka at_ late. destruct (Nat.eq_dec c i) as [-> | ne]; [ | apply stays; auto; lia].
      rewrite next in *. intros no. now apply (deferral_step _ _ _ _ D w (st i, along w st p A i) (p i) m).
Qed.

(* In the standard and the eager model a node may take any of the messages with the highest priority. *)
Theorem real_is_eager {I : Type} (holds : I -> world T N -> state T N * more (eager M) -> Prop) :
  Induction.invariants_proved (executions_with M (eager M)) holds -> deferral_proved M unslotted (eager M) holds -> pace_proved M (eager M) holds ->
  takes_highest M w st p k ->
  forall i, (i <= k)%nat -> Induction.reachable (executions_with M (eager M)) w (st i, along w st p (eager M) i).
Proof.
  intros O D Pc highest. apply (real_reachable (eager M) holds O D Pc).
  - intros s y q lose no. congruence.
  - intros i le ok stays A. exact (real_eager M unslotted w st p k until P R (deferral_clock _ _ _ _ D) i le ok stays A highest).
Qed.

(* "advanced messages leave a node's queue in the order of their delivery" *)
Theorem real_is_advanced {I : Type} (holds : I -> world T N -> state T N * more (advanced M) -> Prop) :
  Induction.invariants_proved (executions_with M (advanced M)) holds -> deferral_proved M unslotted (advanced M) holds -> pace_proved M (advanced M) holds ->
  loops M unslotted ->
  takes_first M w st p k ->
  forall i, (i <= k)%nat -> Induction.reachable (executions_with M (advanced M)) w (st i, along w st p (advanced M) i).
Proof.
  intros O D Pc slot first_. apply (real_reachable (advanced M) holds O D Pc).
  - intros s y q lose no. congruence.
  - intros i le ok stays A.
    exact (real_advanced M unslotted w st p k until P R (deferral_clock _ _ _ _ D) i le ok stays A slot first_).
Qed.

(* The standard model: nothing more in a state, and no rule but the one of Model.v. *)
Definition plain : timing (T := T) (N := N) :=
  {| more := unit; at_first := tt; rule _ _ _ _ := True; changes _ _ _ _ := tt |}.

Theorem real_is_standard {I : Type} (holds : I -> world T N -> state T N * more plain -> Prop) :
  Induction.invariants_proved (executions_with M plain) holds -> deferral_proved M unslotted plain holds -> pace_proved M plain holds ->
  forall i, (i <= k)%nat -> reachable M w (st i).
Proof.
  intros O D Pc i le. apply (standard_too M plain w (st i, along w st p plain i)).
  apply (real_reachable plain holds O D Pc); simpl; auto.
Qed.

(* What `proved` means of machines, in the standard model: a bound whose obligations hold is kept in every state of a real
   execution. *)
Theorem real_keeps_bound {I : Type} (holds : I -> world T N -> state T N * more plain -> Prop) (B : Induction.bound (T := T) (executions_with M plain)) :
  Induction.invariants_proved (executions_with M plain) holds -> deferral_proved M unslotted plain holds -> pace_proved M plain holds ->
  Induction.bound_proved (executions_with M plain) holds B ->
  forall i, (i <= k)%nat -> Induction.keeps (executions_with M plain) B w (st i, tt).
Proof.
  intros O D Pc b i le. apply (Induction.bound_holds (executions_with M plain) holds B O b w).
  - exact (real_possible _ _ _ _ _ _ _ R).
  - assert (H := real_reachable plain holds O D Pc ltac:(simpl; auto) ltac:(simpl; auto) i le).
    now destruct (along w st p plain i).
Qed.
End Real.
