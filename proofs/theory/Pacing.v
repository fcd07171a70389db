(* SPDX-License-Identifier: GPL-3.0-or-later

   What pacers do, after the head of lang/model.h: how often messages leave a node that has one; and why PACE is asked. A server
   that must answer within its limit on arrivals may have to answer sooner. Machines answer; the model has no such step. *)
From Coq Require Import List Bool Arith ZArith Lia.
Import ListNotations.
From Theory Require Import Time Model Small Standard Timing Adequacy.
From Theory Require Induction.

Section Limits.
Context {T : times}.
Local Open Scope time_scope.
Implicit Types (a b x : T) (i j k : nat).

Fixpoint repeated k a : T := match k with O => 0 | S k => repeated k a + a end.

Lemma repeated_more i j a : repeated (i + j)%nat a = repeated i a + repeated j a.
Proof.
  induction j as [ | j IH]; [now rewrite Nat.add_0_r, plus_zero | ].
  rewrite Nat.add_succ_r. simpl. now rewrite IH, plus_assoc.
Qed.

Lemma repeated_not_negative k a : 0 <= a -> 0 <= repeated k a.
Proof. intros H. induction k as [ | k IH]; simpl; [apply le_refl | now apply plus_not_negative]. Qed.

Lemma plus_le_left a b x : a <= b -> x + a <= x + b.
Proof. rewrite !(plus_comm _ x). apply plus_le. Qed.

Lemma le_cancel a b x : a + x <= b + x -> a <= b.
Proof.
  intros H. apply (plus_le _ _ _ (0 - x)) in H. rewrite <- !plus_assoc, !(plus_comm _ x), !minus_plus, !plus_zero in H. exact H.
Qed.

(* The ends of the steps that send messages of the kind from one node, one after the other. *)
Context (every : T) (positive : 0 <= every) (ends : nat -> T) (starts_late : 0 <= ends O) (in_order : forall i, ends i <= ends (S i)).

(* "with a time `next`, initially 0"; "paced(M) = max(next, end), and next becomes paced(M) + T". *)
Fixpoint next_of i : T := match i with O => 0 | S i => latest (next_of i) (ends i) + every end.

Lemma ends_order i j : (i <= j)%nat -> ends i <= ends j.
Proof. induction 1; eauto using le_refl, le_trans. Qed.

Lemma next_least i j : next_of i + repeated j every <= next_of (i + j)%nat.
Proof.
  induction j as [ | j IH]; [rewrite Nat.add_0_r, plus_zero; apply le_refl | ].
  rewrite Nat.add_succ_r. simpl. rewrite plus_assoc. apply plus_le. eauto using le_trans, latest_left.
Qed.

Lemma next_after_end i j : ends i + repeated (S j) every <= next_of (i + S j)%nat.
Proof.
  change (S j) with (1 + j)%nat at 1. rewrite repeated_more, plus_assoc. rewrite Nat.add_succ_r, <- Nat.add_succ_l.
  apply le_trans with (next_of (S i) + repeated j every); [ | apply next_least]. apply plus_le. simpl.
  rewrite (plus_comm _ 0), plus_zero. apply plus_le, latest_right.
Qed.

(* What next is: counted from the beginning, or from the end of one of the steps. *)
Lemma next_is j : next_of j = repeated j every \/ exists i, (i < j)%nat /\ next_of j = ends i + repeated (j - i)%nat every.
Proof.
  induction j as [ | j IH]; [now left | ]. simpl. destruct (latest_is T (next_of j) (ends j)) as [E | E]; rewrite E.
  - destruct IH as [IH | (i & lt & IH)]; rewrite IH; [now left | ]. right. exists i. split; [lia | ].
    replace (match i with O => S j | S l => j - l end)%nat with (S (j - i)) by (destruct i; lia). simpl. now rewrite plus_assoc.
  - right. exists j. split; [lia | ]. replace (match j with O => S j | S l => j - l end)%nat with 1%nat by (destruct j; lia).
    simpl. now rewrite (plus_comm _ 0 every), plus_zero.
Qed.

(* The messages from some one on: B of them may go at once, and k more take k times T. [burst] is B - 1. *)
Definition spaced (at_ : nat -> T) (burst count : nat) : Prop :=
  forall i k, (i + (k + burst) < count)%nat -> at_ i + repeated k every <= at_ (i + (k + burst))%nat.

(* "A step that ends at `end` may send M only when next <= end + (B - 1)*T [...] Equally, any number of messages k + B sent by the
   node one after the other take at least k*T." *)
Theorem limit_is_spacing burst count :
  (forall i, (i < count)%nat -> next_of i <= ends i + repeated burst every) <-> spaced ends burst count.
Proof.
  split; intros H.
  - intros i k lt. specialize (H (i + (k + burst))%nat lt). destruct (k + burst)%nat as [ | d] eqn:E.
    + assert (k = O /\ burst = O) as [-> ->] by lia. simpl. rewrite Nat.add_0_r, plus_zero. apply le_refl.
    + apply (le_cancel _ _ (repeated burst every)). eapply le_trans; [ | exact H].
      rewrite <- plus_assoc, <- repeated_more, E. apply next_after_end.
  - intros j lt. assert (E : forall d, (d <= burst)%nat -> repeated d every <= repeated burst every).
    { intros d le. replace burst with (d + (burst - d))%nat by lia. rewrite repeated_more. now apply le_plus_right, repeated_not_negative. }
    destruct (next_is j) as [-> | (i & lt' & ->)].
    + destruct (le_lt_dec j burst) as [few | many].
      * eapply le_trans; [now apply E | ]. rewrite plus_comm. apply le_plus_right. eauto using le_trans, ends_order with arith.
      * specialize (H O (j - burst)%nat ltac:(lia)). replace (0 + (j - burst + burst))%nat with j in H by lia.
        replace (repeated j every) with (repeated (j - burst + burst)%nat every) by (f_equal; lia).
        rewrite repeated_more. apply plus_le. eapply le_trans; [ | exact H]. rewrite plus_comm. now apply le_plus_right.
    + destruct (le_lt_dec (j - i) burst) as [few | many].
      * apply plus_le_both; [apply ends_order; lia | now apply E].
      * specialize (H i (j - i - burst)%nat ltac:(lia)). replace (i + (j - i - burst + burst))%nat with j in H by lia.
        replace (repeated (j - i) every) with (repeated (j - i - burst + burst)%nat every) by (f_equal; lia).
        rewrite repeated_more, plus_assoc. now apply plus_le.
Qed.

(* "released(M) = max(end, next - (B - 1)*T)" *)
Definition released burst i : T := latest (ends i) (next_of i - repeated burst every).

(* "So messages of the kind leave a node in the order in which they were sent" *)
Theorem released_in_order burst i : released burst i <= released burst (S i).
Proof.
  apply latest_least.
  - eapply le_trans; [apply in_order | apply latest_left].
  - eapply le_trans; [ | apply latest_right]. apply (le_cancel _ _ (repeated burst every)). rewrite !minus_plus.
    rewrite <- (plus_zero _ (next_of i)). apply le_trans with (next_of i + every); [now apply plus_le_left | ].
    apply plus_le, latest_left.
Qed.

(* "of any k + B that leave one after the other all together take k*T or more" *)
Theorem released_is_spaced burst count : spaced (released burst) burst count.
Proof.
  intros i k _. destruct (k + burst)%nat as [ | d] eqn:E.
  { assert (k = O /\ burst = O) as [-> ->] by lia. simpl. rewrite Nat.add_0_r, plus_zero. apply le_refl. }
  apply le_trans with (next_of (i + S d)%nat - repeated burst every); [ | apply latest_right].
  apply (le_cancel _ _ (repeated burst every)). rewrite minus_plus. unfold released.
  destruct (latest_is T (ends i) (next_of i - repeated burst every)) as [-> | ->].
  - rewrite <- plus_assoc, <- repeated_more, E. apply next_after_end.
  - rewrite <- plus_assoc, (plus_comm _ (repeated k every)), plus_assoc, minus_plus.
    apply le_trans with (next_of i + repeated (k + burst)%nat every).
    + apply plus_le_left. rewrite repeated_more. now apply le_plus_right, repeated_not_negative.
    + rewrite E. apply next_least.
Qed.

(* "each as soon as": whatever leaves no sooner than it is sent, and so, leaves no sooner than this. *)
Theorem released_soonest burst count leaves : (forall i, ends i <= leaves i) -> spaced leaves burst count ->
  forall i, (i < count)%nat -> released burst i <= leaves i.
Proof.
  intros late H j lt. apply latest_least; [apply late | ].
  apply (le_cancel _ _ (repeated burst every)). rewrite minus_plus.
  assert (E : forall d, (d <= burst)%nat -> repeated d every <= repeated burst every).
  { intros d le. replace burst with (d + (burst - d))%nat by lia. rewrite repeated_more. now apply le_plus_right, repeated_not_negative. }
  destruct (next_is j) as [-> | (i & lt' & ->)].
  - destruct (le_lt_dec j burst) as [few | many].
    + eapply le_trans; [now apply E | ]. rewrite plus_comm. apply le_plus_right. eauto using le_trans, ends_order with arith.
    + specialize (H O (j - burst)%nat ltac:(lia)). replace (0 + (j - burst + burst))%nat with j in H by lia.
      replace (repeated j every) with (repeated (j - burst + burst)%nat every) by (f_equal; lia).
      rewrite repeated_more. apply plus_le. eapply le_trans; [ | exact H]. rewrite plus_comm. eauto using le_plus_right, le_trans.
  - destruct (le_lt_dec (j - i) burst) as [few | many].
    + apply plus_le_both; [ | now apply E]. apply le_trans with (ends j); [apply ends_order; lia | apply late].
    + specialize (H i (j - i - burst)%nat ltac:(lia)). replace (i + (j - i - burst + burst))%nat with j in H by lia.
      replace (repeated (j - i) every) with (repeated (j - i - burst + burst)%nat every) by (f_equal; lia).
      rewrite repeated_more, plus_assoc. apply plus_le. eapply le_trans; [ | exact H]. now apply plus_le, late.
Qed.
End Limits.

Section Steps.
Context {T : times} {N : names} (M : model T N).
Local Open Scope time_scope.

(* "So paced(M) is when a device would let M go [...] and it keeps none for longer than (B - 1)*T": of all that a step may send. *)
Theorem paced_in_time w (e : T) at_ m all c x : may_send M w e at_ all -> pacer_at M w e at_ m all = Some (c, x) ->
  holds_back N c = false -> 0 <= tolerance M w c -> e <= latest x e /\ latest x e <= e + tolerance M w c.
Proof.
  intros may found free positive. split; [apply latest_right | ]. apply latest_least; [ | now apply le_plus_right].
  revert at_ may found. induction all as [ | [m' n] all IH]; simpl; [discriminate | ]. intros at_ [here others].
  destruct (is_message N m' m) as [-> | _]; [ | now apply IH].
  destruct (pacing_of N m) as [c' | ]; [ | discriminate]. intros E. injection E as -> <-. destruct here; [congruence | assumption].
Qed.

(* "A pacer forbids no step" if it holds back. *)
Theorem holding_forbids_nothing w s p : (forall m c, pacing_of N m = Some c -> holds_back N c = true) -> paces M w s p.
Proof.
  intros holds. unfold paces. generalize (next s (at_node p)) as at_. induction (sends M w s p) as [ | [m n] all IH]; simpl; auto.
  intros at_. split; [ | apply IH]. destruct (pacing_of N m) as [c | ] eqn:E; [left; eauto | exact I].
Qed.
End Steps.

(* --- why PACE is asked ----------------------------------------------------------------------------------------------- *)

(* A client asks twice at once. The server has to answer, and the replies are limited: `arrivals Reply every 10 burst 1`. *)
Inductive role := client | server.
Inductive kind := Ask (second : bool) | Reply (second : bool).
Inductive act := Ask_twice | Answer (second : bool).

Definition hasty_names : names.
Proof.
  refine (small_names (part := unit) (length := kind) (role := role) (kind := kind) (act := act) (value := bool) _ _ _
    (fun _ => tt) (fun m => m) (fun _ => None) (fun m => match m with Reply _ => true | Ask _ => false end) false (fun _ => false));
    repeat decide equality.
Defined.

Notation names' := hasty_names.
Notation Z_times := integers.

(* A client's variable: it has asked. *)
Definition hasty : model Z_times names' := small_model Z_times names' false
  (fun a => match a with Ask_twice => Plain | Answer n => Receives (fun m => match m with Ask n' => Bool.eqb n n' | _ => false end) end)
  (fun a n => match a, n with Ask_twice, client | Answer _, server => True | _, _ => False end)
  (fun s p => match by_action p with Ask_twice => of s (at_node p) = false | Answer _ => True end)
  (fun _ => []) (fun _ _ => true)
  (fun a => match a with
    | Ask_twice => [((Ask false, server) : message names' * node names'); ((Ask true, server) : message names' * node names')]
    | Answer n => [((Reply n, client) : message names' * node names')] end)
  (fun m => match m with Ask _ => (client : node names') | Reply _ => server end) (fun _ => O) (10%Z : Z_times) (0%Z : Z_times).

Definition at_once : world Z_times names' :=
  {| parameter := (tt : parameters names'); bare _ := (0%Z : Z_times); length_of _ := (0%Z : Z_times) |}.

Definition hasty_step (i : nat) : pick Z_times names' :=
  match i with
  | O => small_pick Z_times names' tt Ask_twice client None (0%Z : Z_times)
  | S i => let n := match i with O => false | S _ => true end in
    small_pick Z_times names' tt (Answer n) server (Some (Ask n)) (0%Z : Z_times)
  end.

Fixpoint hasty_state (i : nat) : state Z_times names' :=
  match i with
  | O => small_first Z_times names' false client
  | S i => after hasty at_once (hasty_state i) (hasty_step i)
  end.

Lemma hasty_protocol : protocol hasty (guard hasty).
Proof.
  constructor.
  - auto.
  - intros w s s' q E. split; auto. unfold guard, hasty. simpl. rewrite E. auto.
  - intros w s q t _. split; auto.
  - intros w s q m t no. unfold loses in no. simpl in no. destruct (by_action q); discriminate.
Qed.

Theorem hasty_machine : real hasty (guard hasty) at_once hasty_state hasty_step 3 0%Z.
Proof.
  constructor.
  - split; [exact I | ]. intros o. split; simpl; lia.
  - repeat split; reflexivity.
  - intros i lt. split; [reflexivity | ].
    assert (X : executes hasty at_once (hasty_state i) (hasty_step i)).
    { split; [ | now destruct i as [ | [ | i]]]. intros j c E. destruct j; discriminate. }
    destruct i as [ | [ | [ | i]]]; try lia; (split; [exact I | ];
      split; [repeat split; reflexivity || now apply next_without_channels | ]; split; [exact I | ];
      split; [exact I || reflexivity | ]; intros _; split; [vm_compute; discriminate | ];
      split; [vm_compute; discriminate | ]; split; [exact X | exact I]).
  - intros i lt _ asked_. destruct i as [ | [ | [ | i]]]; try lia; try discriminate asked_. vm_compute. auto.
  - intros i m m' _ _ _ (F & _). discriminate F.
  - intros i j m _ _ _ _ F. discriminate F.
  - intros i j lt _ _. destruct i as [ | [ | [ | i]]], j as [ | [ | [ | j]]]; try lia; vm_compute; discriminate.
  - intros i lt _. destruct i as [ | [ | [ | i]]]; try lia; vm_compute; discriminate.
  - intros i m le _ _ _. left. unfold ready. eapply (le_trans Z_times); [ | apply (latest_left Z_times)].
    generalize (receiver (hasty_state i) m) as n. intros n.
    destruct i as [ | [ | [ | [ | i]]]]; try lia; destruct n; vm_compute; discriminate.
  - intros i q due _ W. simpl in W. destruct (by_action q); discriminate.
  - intros i m o a _ Q. discriminate.
Qed.

(* The second answer, at 0, is no step of the model: the pacer says 10. *)
Theorem hasty_is_not_of_the_model : ~ enabled hasty at_once (hasty_state 2) (hasty_step 2).
Proof.
  intros E. apply enabled_is in E. destruct E as [_ E]. specialize (E eq_refl). vm_compute in E.
  destruct E as [[E | E] _]; [discriminate | now apply E].
Qed.

(* So PACE must fail, whatever the invariants are. *)
Theorem pace_fails {I : Type} (holds : I -> world Z_times names' -> state Z_times names' * more plain -> Prop) :
  Induction.invariants_proved (executions_with hasty plain) holds -> deferral_proved hasty (guard hasty) plain holds ->
  ~ pace_proved hasty plain holds.
Proof.
  intros O D Pc.
  assert (R : Induction.reachable (executions_with hasty plain) at_once (hasty_state 2, tt)).
  { exact (real_reachable hasty (guard hasty) at_once hasty_state hasty_step 3 0%Z hasty_protocol hasty_machine plain holds O D Pc
      (fun _ _ _ _ => Logic.I) (fun _ _ _ _ _ => Logic.I) 2%nat ltac:(lia)). }
  pose proof (real_possible _ _ _ _ _ _ _ hasty_machine) as ok.
  assert (U : enabled_unpaced hasty at_once (hasty_state 2) (hasty_step 2)).
  { destruct (real_step _ _ _ _ _ _ _ hasty_machine 2%nat ltac:(lia)) as (_ & L & K & Dm & G & X).
    split; [exact L | ]. split; [exact K | ]. split; [exact Dm | ]. split; [exact G | ].
    intros no. destruct (X no) as (? & ? & ? & ?). repeat (split; [assumption | ]). exact Logic.I. }
  apply hasty_is_not_of_the_model, enabled_is. split; [exact U | ]. intros no.
  apply (pace_lets _ _ _ Pc at_once (hasty_state 2, tt) (hasty_step 2)); auto; [ | exact Logic.I].
  now apply (Induction.invariants_hold _ _ O).
Qed.
