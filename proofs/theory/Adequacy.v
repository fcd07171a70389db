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

(* --- real executions ------------------------------------------------------------------------------------------------- *)

(* All that starts until a moment, in the order of the starts: states [st 0] to [st k], and step [i] from state [i]. *)
Variables (w : world T N) (st : nat -> state T N) (p : nat -> pick T N) (k : nat) (until : T).

Definition acts (i : nat) n : Prop := (i < k)%nat /\ loses M (p i) = false /\ at_node (p i) = n.
Definition begin (i : nat) : T := start M w (st i) (p i).

(* When the receiver can first take the message, if nothing changes before: it is free, and the message is there. *)
Definition ready (j : nat) m : T := latest (clock (st j) (receiver (st j) m)) (delivered (st j) m).

(* The message's receiver is free at a moment: its steps so far have ended, its next one begins later, and it is not in the slot
   of a schedule that keeps it from the message. [i]: what is seen are the steps before step i. *)
Definition free_for m t (i : nat) : Prop :=
  exists j, (j <= i)%nat /\ clock (st j) (receiver (st i) m) <= t /\
    (j = i \/ acts j (receiver (st i) m) /\ ~ begin j <= t) /\
    ~ (can w (st j) m (ready j m) /\ ~ takeable w (st j) m (ready j m)).

Record real := {
  real_possible : possible M w;
  real_first : first M w (st 0);
  (* What a step is, but for the rules of a timing model. *)
  real_step : forall i, (i < k)%nat ->
    st (S i) = after M w (st i) (p i) /\
    lives M w (at_node (p i)) /\ takes_pending M (st i) (p i) /\ domain M w (st i) (p i) /\ guard M w (st i) (p i) /\
    (loses M (p i) = false ->
     start M w (st i) (p i) <= reads (p i) /\ reads (p i) <= finish M w (st i) (p i) /\ executes M w (st i) (p i) /\
     patient M w (st i) (p i));
  (* "Order the steps of such an execution by their starts." *)
  real_order : forall i j, (i < j < k)%nat -> loses M (p i) = false -> loses M (p j) = false -> begin i <= begin j;
  real_until : forall i, (i < k)%nat -> loses M (p i) = false -> begin i <= until;
  (* "whenever a node is free it takes, of the messages that are there and that it can take": it begins a step. *)
  real_takes : forall i m, (i <= k)%nat -> pending (st i) m = true -> takeable w (st i) m (ready i m) ->
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
  pending (st i) m' = true -> takeable w (st i) m' (begin i) -> begin i <= delivered (st i) m'.

(* "the one delivered first"; and a node passes on from a slot without a message only when there is none. *)
Definition takes_first : Prop :=
  (forall i kind m m', acts i (receiver (st i) m') ->
   waits_for M (by_action (p i)) = Receives kind -> takes (p i) = Some m ->
   pending (st i) m' = true -> takeable w (st i) m' (begin i) ->
   delivered (st i) m' <= begin i -> delivered (st i) m <= delivered (st i) m') /\
  (forall i m', acts i (receiver (st i) m') -> idle M (by_action (p i)) = true ->
   pending (st i) m' = true -> takeable w (st i) m' (begin i) -> begin i <= delivered (st i) m').

Context (P : protocol).
Context (R : real).
Context (falls : forall w s m t t', t <= t' -> can w s m t' -> can w s m t).
(* No step is an error: each sends what was not sent before. *)
Variable i0 : nat.
Context (in_run : (i0 <= k)%nat).
Context (ok : forall c, (c < i0)%nat -> once M w (st c) (p c) /\ standard M w (st c) (p c)).
Context (stays : forall c m, (c < i0)%nat -> loses M (p c) = false -> pending (st c) m = true ->
  pending (st (S c)) m = true -> receiver (st c) m = at_node (p c) -> ~ begin c <= delivered (st c) m ->
  ~ can w (st c) m (begin c) -> ~ can w (st (S c)) m (begin c)).

Lemma is_enabled c : (c < i0)%nat -> enabled M w (st c) (p c).
Proof.
  intros lt. destruct (real_step R c ltac:(lia)) as (_ & L & K & D & G & X).
  unfold enabled. split; [exact L | ]. split; [exact K | ]. split; [exact D | ]. split; [exact G | ].
  intros no. destruct (X no) as (? & ? & ? & ?). split; [auto | ]. split; [auto | ]. split; [auto | ]. split; [auto | ].
  now apply ok.
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
Lemma sent_stays j c m : (j <= c <= i0)%nat -> sent (st j) m = true ->
  sent (st c) m = true /\ delivered (st c) m = delivered (st j) m /\ receiver (st c) m = receiver (st j) m.
Proof.
  intros [le lec] H. induction c as [ | c IH].
  - assert (j = O) by lia. now subst.
  - destruct (Nat.eq_dec j (S c)) as [-> | ne]; auto.
    destruct IH as (S1 & D1 & R1); try lia. rewrite state_after by lia.
    destruct (sending_lasts M w (st c) (p c) m (proj1 (ok c ltac:(lia))) S1) as [S2 D2].
    repeat split; auto; try congruence. rewrite <- R1.
    destruct (proj1 (ok c ltac:(lia))) as (_ & new & _). unfold after. destruct (loses M (p c)); simpl; auto.
    rewrite receiver_of_none; auto. intros again. apply in_map_iff in again. destruct again as ([m' n'] & E & again).
    simpl in E. subst m'. specialize (new m n' again). congruence.
Qed.

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

(* All waiting is for a busy node: before the start of step i0 the receiver of a message that it can then take was at no moment
   free since the message is there. *)
Lemma waits_for_busy_node m a : acts i0 (at_node (p i0)) -> pending (st i0) m = true -> can w (st i0) m (begin i0) ->
  a <= begin i0 -> forall t, delivered (st i0) m <= t -> ~ a <= t -> ~ free_for m t i0.
Proof.
  intros (lk & lose & _) K C ab t there before (j & le & ended & next & not_kept).
  assert (tb : ~ begin i0 <= t) by (intros X; apply before; eauto using le_trans).
  assert (Sj : sent (st j) m = true).
  { destruct (sent (st j) m) eqn:unsent; auto. destruct next as [-> | [A late]].
    - unfold pending in K. rewrite unsent in K. discriminate.
    - exfalso. apply late. apply le_trans with (delivered (st i0) m); auto.
      destruct A as (jk & lj & _). apply sent_later; [lia | repeat split; auto | exact unsent | ].
      unfold pending in K. destruct (sent (st i0) m); [reflexivity | discriminate]. }
  destruct (sent_stays j i0 m ltac:(lia) Sj) as (_ & Di & Ri).
  assert (r : ready j m <= t). { unfold ready. rewrite <- Ri, <- Di. now apply latest_least. }
  assert (Kj : pending (st j) m = true) by (apply (pending_between j j i0); auto).
  assert (no : ~ can w (st j) m (ready j m)).
  { intros Cj. apply not_kept. split; auto. intros Tj.
    destruct (real_takes R j m ltac:(lia) Kj Tj) as [end_ | (e & le' & A & early)].
    - apply tb. apply le_trans with until; [now apply (real_until R) | eauto using le_trans].
    - destruct A as (? & ? & ?). destruct next as [-> | [(? & ? & ?) late]].
      + apply tb. apply le_trans with (begin e); eauto using le_trans.
        destruct (Nat.eq_dec i0 e) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia].
      + apply late. apply le_trans with (begin e); eauto using le_trans.
        destruct (Nat.eq_dec j e) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia]. }
  revert C. apply (never_freed j i0 m (ready j m)); auto.
  - intros c lc (? & ? & ?). destruct next as [-> | [(? & ? & ?) late]]; [lia | ].
    assert (jc : begin j <= begin c).
    { destruct (Nat.eq_dec j c) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia]. }
    split.
    + intros X. apply late. apply le_trans with (begin c); auto. apply le_trans with (delivered (st j) m); auto.
      rewrite <- Di. auto.
    + apply le_trans with t; auto. apply le_trans with (begin j); auto. now apply not_le.
  - apply le_trans with t; auto. now apply not_le.
  - intros c lc (? & ? & ?). apply (real_order R); auto; lia.
Qed.

(* --- the rules of the timing models, of step i0 ---------------------------------------------------------------------- *)

Context (acting : acts i0 (at_node (p i0))).

Lemma acting_takes m kind : waits_for M (by_action (p i0)) = Receives kind -> takes (p i0) = Some m ->
  pending (st i0) m = true /\ receiver (st i0) m = at_node (p i0) /\ can w (st i0) m (begin i0).
Proof.
  intros W E. destruct acting as (lk & lose & _).
  destruct (real_step R i0 lk) as (_ & L & K & D & G & X). destruct (X lose) as (read & _).
  unfold takes_pending in K. rewrite W, E in K. destruct K as (kind_m & K & at_). repeat split; auto.
  apply falls with (reads (p i0)); auto. exists (p i0). repeat split; auto.
  - exists kind. auto.
  - now apply (slot_only_adds P).
Qed.

(* Whoever begins a step, no node could have taken something since an earlier moment. *)
Lemma prompt m : pending (st i0) m = true -> takeable w (st i0) m (ready i0 m) -> begin i0 <= ready i0 m.
Proof.
  intros K C. destruct acting as (lk & lose & _). destruct (real_takes R i0 m in_run K C) as [end_ | (e & le & (ek & el & _) & early)].
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

Lemma could_takeable m t : could_receive M w (st i0) m -> pending (st i0) m = true /\ takeable w (st i0) m t.
Proof.
  intros (K & q & kind & W & is & E & at_ & (no & L & D & G) & A). split; auto.
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
  destruct (queueing_of N m) as [o | ] eqn:Q; auto. destruct (acting_takes m kind W E) as (K & at_ & C).
  apply (real_queueing R i0 m o); auto. apply waits_for_busy_node; auto.
  unfold begin, start. rewrite W, E. apply latest_left.
Qed.

Lemma real_passes_no_message : passes_no_message M w (st i0) (p i0).
Proof.
  intros m o Q H. destruct (could_takeable m (begin i0) H) as [K C]. destruct (could_takeable m (ready i0 m) H) as [_ C'].
  apply (real_queueing R i0 m o); auto. apply waits_for_busy_node; auto using takeable_can. apply le_refl.
Qed.

Lemma real_passes_no_timer : passes_no_timer M w (st i0) (p i0).
Proof. intros q due W C. now apply prompt_timer. Qed.

Lemma real_passes_no_priority : takes_highest -> passes_no_priority M w (st i0) (p i0).
Proof.
  intros highest. unfold passes_no_priority. destruct (waits_for M (by_action (p i0))) eqn:W; auto.
  destruct (takes (p i0)) as [m | ] eqn:E; auto. intros m' at_ less H.
  destruct (could_takeable m' (begin i0) H) as [K C]. apply (highest i0 kind m); auto. now rewrite at_.
Qed.

Lemma real_takes_earliest : takes_first -> takes_earliest M w (st i0) (p i0).
Proof.
  intros [one _]. unfold takes_earliest. destruct (waits_for M (by_action (p i0))) eqn:W; auto.
  destruct (takes (p i0)) as [m | ] eqn:E; auto. intros m' at_ H.
  destruct (could_takeable m' (begin i0) H) as [K C].
  destruct (le_or_not (delivered (st i0) m') (begin i0)) as [there | not_yet].
  - apply (one i0 kind m); auto. now rewrite at_.
  - apply le_trans with (begin i0); [ | now apply not_le]. unfold begin, start. rewrite W, E. apply latest_right.
Qed.

Lemma begin_not_negative : 0 <= begin i0.
Proof.
  destruct acting as (lk & lose & _). destruct (real_step R i0 lk) as (_ & L & K & D & G & X).
  apply le_trans with (clock (st i0) (at_node (p i0))).
  - apply (clock_not_negative M w); [apply (real_possible R) | now apply is_reachable].
  - apply (start_not_before M w (st i0) (p i0)); auto. unfold enabled.
    split; [exact L | ]. split; [exact K | ]. split; [exact D | ]. split; [exact G | ].
    intros _. destruct (X lose) as (? & ? & ? & ?). pose proof real_standard. tauto.
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

(* Of a schedule, the advanced model knows one slot that receives, and such a node receives in no other step. So what keeps a node
   from a message is never the slot where it waits. *)
Context (one_slot : forall c m t, can w (st c) m t -> takeable w (st c) m t).

Lemma can_here c m : (c <= i0)%nat -> acts c (receiver (st i0) m) -> sent (st c) m = true -> pending (st i0) m = true ->
  can w (st i0) m (begin i0) -> ~ begin c <= delivered (st i0) m -> ~ ~ can w (st c) m (begin c).
Proof.
  intros le (ck & cl & at_) H K C late no. destruct (sent_stays c i0 m ltac:(lia) H) as (_ & D & Rc).
  destruct acting as (lk & lose & _). revert C. apply (never_freed c i0 m (begin c)); auto.
  - intros e lt (? & ? & ?).
    assert (ce : begin c <= begin e).
    { destruct (Nat.eq_dec c e) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia]. }
    split; auto. intros X. apply late. rewrite D. eauto using le_trans.
  - destruct (Nat.eq_dec c i0) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia].
  - intros e lt (? & ? & ?). apply (real_order R); auto; lia.
Qed.

Lemma real_arrives_later : takes_first -> arrives_later M w (st i0) (along (advanced M) i0) (p i0).
Proof.
  intros [one none]. unfold arrives_later. destruct (waits_for M (by_action (p i0))) eqn:W; auto.
  destruct (takes (p i0)) as [m | ] eqn:E; auto. destruct (acting_takes m kind W E) as (K & at_ & C).
  assert (H : forall c, (c <= i0)%nat -> along (advanced M) c (at_node (p i0)) <= delivered (st i0) m); [ | auto].
  assert (Sm : sent (st i0) m = true) by (unfold pending in K; destruct (sent (st i0) m); [reflexivity | discriminate]).
  induction c as [ | c IH]; intros le; simpl.
  - now apply delivered_positive.
  - destruct (loses M (p c)) eqn:lose; [apply IH; lia | ].
    destruct (is_node N (at_node (p c)) (at_node (p i0))) as [same | other]; [ | apply IH; lia].
    assert (A : acts c (at_node (p c))) by (repeat split; auto; lia).
    assert (A' : acts c (receiver (st i0) m)) by (repeat split; auto; [lia | congruence]).
    (* after step c the arrival time is at most its start; so let the message be there before *)
    assert (early : (~ begin c <= delivered (st i0) m ->
      new_arrival M w (st c) (along (advanced M) c) (p c) <= delivered (st i0) m) ->
      new_arrival M w (st c) (along (advanced M) c) (p c) <= begin c \/
      new_arrival M w (st c) (along (advanced M) c) (p c) = along (advanced M) c (at_node (p c)) ->
      new_arrival M w (st c) (along (advanced M) c) (p c) <= delivered (st i0) m).
    { intros X [Y | Y].
      - destruct (le_or_not (begin c) (delivered (st i0) m)); eauto using le_trans.
      - rewrite Y, same. apply IH. lia. }
    apply early; clear early.
    + intros late.
      assert (Sc : sent (st c) m = true).
      { destruct (sent (st c) m) eqn:unsent; auto. exfalso. apply late. apply sent_later; auto; lia. }
      destruct (sent_stays c i0 m ltac:(lia) Sc) as (_ & Dc & Rc).
      assert (Kc : pending (st c) m = true) by (apply (pending_between c c i0); auto; lia).
      assert (Y := can_here c m ltac:(lia) A' Sc K C late).
      apply le_by_contradiction. intros more_. apply Y. intros Cc. apply more_. clear Y.
      assert (r : forall t, t <= begin c -> takeable w (st c) m t) by (intros t lt; apply one_slot; eauto).
      rewrite Rc in A'.
      assert (wait : ~ begin c <= tN (st c) (p c) -> False).
      { intros waited_. assert (rc : ~ begin c <= ready c m).
        { unfold ready. intros X. destruct (latest_is T (clock (st c) (receiver (st c) m)) (delivered (st c) m)) as [Z | Z];
            rewrite Z in X; [apply waited_; unfold tN; congruence | apply late; congruence]. }
        destruct (real_takes R c m ltac:(lia) Kc (r _ (not_le _ _ rc))) as [end_ | (e & lt & (ek & el & _) & X)].
        - apply rc. apply le_trans with until; auto. apply (real_until R); auto; lia.
        - apply rc. apply le_trans with (begin e); auto.
          destruct (Nat.eq_dec c e) as [-> | ne]; [apply le_refl | apply (real_order R); auto; lia]. }
      assert (nothing : idle M (by_action (p c)) = true -> False).
      { intros I. apply late. rewrite Dc. apply none; auto using le_refl. }
      unfold new_arrival. fold (begin c).
      destruct (waits_for M (by_action (p c))) as [ | kind' | o | due | kind'] eqn:Wc;
        destruct (takes (p c)) as [m0 | ] eqn:Ec; try (rewrite same; apply IH; lia);
        try (destruct (idle M (by_action (p c))); [now destruct nothing | ];
             destruct (le_or_not (begin c) (tN (st c) (p c))); [rewrite same; apply IH; lia | now destruct wait]).
      rewrite Dc. apply (one c kind' m0 m); auto using le_refl. rewrite <- Dc. now apply not_le.
    + unfold new_arrival. destruct (waits_for M (by_action (p c))) as [ | kind' | o | due | kind'] eqn:Wc; auto.
      * destruct (takes (p c)) as [m0 | ] eqn:Ec; auto. left. unfold begin, start. rewrite Wc, Ec. apply latest_right.
      * fold (begin c). destruct (idle M (by_action (p c))); [left; apply le_refl | ].
        destruct (le_or_not (begin c) (tN (st c) (p c))); [auto | left; apply le_refl].
      * fold (begin c). destruct (idle M (by_action (p c))); [left; apply le_refl | ].
        destruct (le_or_not (begin c) (tN (st c) (p c))); [auto | left; apply le_refl].
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
  Induction.invariants_proved (executions_with M A) holds -> deferral_proved M unslotted A holds ->
  (forall s y q, loses M q = true -> rule A w s y q) ->
  (forall i, (i <= k)%nat ->
    (forall c, (c < i)%nat -> once M w (st c) (p c) /\ standard M w (st c) (p c)) ->
    (forall c m, (c < i)%nat -> loses M (p c) = false -> pending (st c) m = true -> pending (st (S c)) m = true ->
      receiver (st c) m = at_node (p c) -> ~ begin M w st p c <= delivered (st c) m ->
      ~ can M unslotted w (st c) m (begin M w st p c) -> ~ can M unslotted w (st (S c)) m (begin M w st p c)) ->
    acts M p k i (at_node (p i)) -> rule A w (st i) (along w st p A i) (p i)) ->
  forall i, (i <= k)%nat -> Induction.reachable (executions_with M A) w (st i, along w st p A i).
Proof.
  intros O D losing keeps i le.
  assert (H : forall i, (i <= k)%nat ->
    Induction.reachable (executions_with M A) w (st i, along w st p A i) /\
    (forall c, (c < i)%nat -> once M w (st c) (p c) /\ standard M w (st c) (p c)) /\
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
    assert (E : Induction.enabled (s := executions_with M A) w (st i, along w st p A i) (p i)).
    { split.
      - split; [exact L | ]. split; [exact K | ]. split; [exact Dm | ]. split; [exact G | ].
        intros no. destruct (X no) as (? & ? & ? & ?). repeat (split; [assumption | ]). exact std.
      - simpl. destruct (loses M (p i)) eqn:lose; [now apply losing | ].
        apply keeps; auto; [lia | ]. repeat split; auto. }
    assert (poss : possible M w) by exact (real_possible _ _ _ _ _ _ _ R).
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
  Induction.invariants_proved (executions_with M (eager M)) holds -> deferral_proved M unslotted (eager M) holds ->
  takes_highest M w st p k ->
  forall i, (i <= k)%nat -> Induction.reachable (executions_with M (eager M)) w (st i, along w st p (eager M) i).
Proof.
  intros O D highest. apply (real_reachable (eager M) holds O D).
  - intros s y q lose no. congruence.
  - intros i le ok stays A. exact (real_eager M unslotted w st p k until P R (deferral_clock _ _ _ _ D) i le ok stays A highest).
Qed.

(* "advanced messages leave a node's queue in the order of their delivery" *)
Theorem real_is_advanced {I : Type} (holds : I -> world T N -> state T N * more (advanced M) -> Prop) :
  Induction.invariants_proved (executions_with M (advanced M)) holds -> deferral_proved M unslotted (advanced M) holds ->
  (forall c m t, can M unslotted w (st c) m t -> takeable M w (st c) m t) ->
  takes_first M w st p k ->
  forall i, (i <= k)%nat -> Induction.reachable (executions_with M (advanced M)) w (st i, along w st p (advanced M) i).
Proof.
  intros O D slot first_. apply (real_reachable (advanced M) holds O D).
  - intros s y q lose no. congruence.
  - intros i le ok stays A.
    exact (real_advanced M unslotted w st p k until P R (deferral_clock _ _ _ _ D) i le ok stays A slot first_).
Qed.

(* The standard model: nothing more in a state, and no rule but the one of Model.v. *)
Definition plain : timing (T := T) (N := N) :=
  {| more := unit; at_first := tt; rule _ _ _ _ := True; changes _ _ _ _ := tt |}.

Theorem real_is_standard {I : Type} (holds : I -> world T N -> state T N * more plain -> Prop) :
  Induction.invariants_proved (executions_with M plain) holds -> deferral_proved M unslotted plain holds ->
  forall i, (i <= k)%nat -> reachable M w (st i).
Proof.
  intros O D i le. apply (standard_too M plain w (st i, along w st p plain i)).
  apply (real_reachable plain holds O D); simpl; auto.
Qed.

(* What `proved` means of machines, in the standard model: a bound whose obligations hold is kept in every state of a real
   execution. *)
Theorem real_keeps_bound {I : Type} (holds : I -> world T N -> state T N * more plain -> Prop) (B : Induction.bound (T := T) (executions_with M plain)) :
  Induction.invariants_proved (executions_with M plain) holds -> deferral_proved M unslotted plain holds ->
  Induction.bound_proved (executions_with M plain) holds B ->
  forall i, (i <= k)%nat -> Induction.keeps (executions_with M plain) B w (st i, tt).
Proof.
  intros O D b i le. apply (Induction.bound_holds (executions_with M plain) holds B O b w).
  - exact (real_possible _ _ _ _ _ _ _ R).
  - assert (H := real_reachable plain holds O D ltac:(simpl; auto) ltac:(simpl; auto) i le).
    now destruct (along w st p plain i).
Qed.
End Real.
