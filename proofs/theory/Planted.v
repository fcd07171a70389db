(* SPDX-License-Identifier: GPL-3.0-or-later

   Errors that one could make in the rules, and why each would be one: with it a lemma of this folder is false. (tests/build/t-theory.sh
   makes each and sees Coq refuse the proof; here is what it would have said.) *)
From Coq Require Import List Bool ZArith Lia.
Import ListNotations.
From Theory Require Import Time Model Small Standard Timing Facts.
From Theory Require Induction Progress Deferred.

(* --- of facts -------------------------------------------------------------------------------------------------------- *)

(* The k-th smallest by one: more than k members have at most v. *)
Lemma kth_by_one : ~ forall (T : times) (body : nat -> T) members k, (1 <= k)%Z -> (k <= size members)%Z ->
  exists v, (k < card members (at_most body v))%Z.
Proof.
  intros H. destruct (H integers (fun _ => 0%Z) [O] 1%Z ltac:(lia) ltac:(vm_compute; discriminate)) as [v more_].
  exact (Z.lt_irrefl _ (Z.lt_le_trans _ _ _ more_ (card_at_most [O] _))).
Qed.

(* A sum unrolled twice: P(j + 1) = P(j) + A(j) + A(j). *)
Lemma sum_twice : ~ forall a p : Z -> Z, p 0%Z = 0%Z -> (forall j, p (j + 1) = p j + a j + a j)%Z ->
  p 1%Z = @total integers nat (fun i => a (Z.of_nat i)) (seq 0 1).
Proof.
  intros H. specialize (H (fun _ => 1%Z) (fun j => (2 * j)%Z) eq_refl ltac:(intros; cbv beta; lia)). discriminate.
Qed.

(* A family may be empty: then no element is the greatest. *)
Lemma greatest_of_none : ~ forall (T : times) (body : nat -> T) l, exists most, exists b, In b l /\ most = body b.
Proof. intros H. destruct (H integers (fun _ => 0%Z) []) as (most & b & [] & _). Qed.

(* --- of channels ----------------------------------------------------------------------------------------------------- *)

(* A node that sends two messages on a FIFO channel, one after the other. *)
Definition row_names : names.
Proof.
  refine (small_names (part := unit) (length := bool) (role := bool) (kind := bool) (act := bool) (value := unit) _ _ _
    (fun _ => tt) (fun m => m) (fun _ => None) (fun _ => false) false (fun _ => true)); repeat decide equality.
Defined.

Definition row : model integers row_names := small_model integers row_names tt (fun _ => Plain) (fun _ _ => True)
  (fun _ _ => True) (fun _ => []) (fun _ _ => tt) (fun a => [((a, true) : message row_names * node row_names)])
  (fun _ => false : node row_names) (fun _ => O) (0%Z : integers) (0%Z : integers).

Definition no_length : world integers row_names :=
  {| parameter := (tt : parameters row_names); bare _ := (0%Z : integers); length_of _ := (0%Z : integers) |}.

Definition sending_of (m : bool) : pick integers row_names := small_pick integers row_names tt m false None (0%Z : integers).

Definition both_sent : state integers row_names :=
  after row no_length (after row no_length (small_first integers row_names tt false) (sending_of false)) (sending_of true).

(* The place on a FIFO channel by one: it is not below the number of sends; what was sent first has place 0. *)
Lemma place_by_one : place both_sent (false : message row_names) = O /\ places both_sent = 2%nat /\
  place both_sent (true : message row_names) = 1%nat /\ ~ (S (place both_sent (true : message row_names)) < places both_sent)%nat.
Proof. vm_compute. repeat split; auto. intros H. do 2 apply le_S_n in H. inversion H. Qed.

(* The order by one: the second would be received with the first pending. *)
Lemma next_by_one : pending both_sent false = true /\ ~ is_next row no_length both_sent true /\
  forall m, pending both_sent m = true -> same_channel row no_length both_sent true m ->
    (place both_sent true <= S (place both_sent m))%nat.
Proof.
  split; [reflexivity | ]. split.
  - intros H. specialize (H false eq_refl ltac:(now repeat split)). vm_compute in H. inversion H.
  - intros [ | ] _ _; vm_compute; auto.
Qed.

(* --- of obligations -------------------------------------------------------------------------------------------------- *)

(* Deferral left out: Deferred.machine_is_not_of_the_model. *)

(* Progress left out: a step that takes no time and changes nothing goes on for ever. *)
Definition restless : Induction.system :=
  {| Induction.world := unit; Induction.state := unit; Induction.pick := unit;
     Induction.possible _ := True; Induction.first _ _ := True; Induction.enabled _ _ _ := True; Induction.once _ _ _ := True;
     Induction.after _ _ _ := tt |}.

Lemma without_progress : exists run : nat -> unit, forall i,
  Progress.goes_on (T := integers) restless (fun _ : unit => tt) (fun _ _ _ _ => True) (fun _ => False) (fun _ _ _ => True)
    (fun _ => True) tt 0%Z (run (S i)) (run i).
Proof.
  exists (fun _ => tt). intros i. split; [now apply Induction.reachable_first | ].
  exists tt, tt. repeat split; try exact I. apply Progress.meanwhile_nothing.
Qed.

(* A phase handed over early: the next one's formulas are shown of when this one began, and it begins when this one ends. *)
Section Early.
Local Open Scope Z_scope.

Definition phase_one : Induction.phase (T := integers) restless :=
  {| Induction.starts _ _ _ := True; Induction.has _ _ _ := True; Induction.ended _ _ := True; Induction.ended_at _ _ := (0 : Z) : integers;
     Induction.lasts _ := (1 : Z) : integers; Induction.is_seen _ _ := or_introl Logic.I |}.
Definition phase_two : Induction.phase (T := integers) restless :=
  {| Induction.starts _ (b : integers) _ := b = (0 : Z); Induction.has _ (b : integers) _ := b = (0 : Z); Induction.ended _ _ := True; Induction.ended_at _ _ := (0 : Z) : integers;
     Induction.lasts _ := (1 : Z) : integers; Induction.is_seen _ _ := or_introl Logic.I |}.

(* Every obligation of the two holds, with this one in the place of HANDOVER; and still the second's invariant is false where it
   begins. *)
Lemma handed_over_early :
  (forall b, b = 0 -> Induction.starts restless phase_two tt b tt) /\
  (forall b, Induction.starts restless phase_two tt b tt -> Induction.has restless phase_two tt b tt) /\
  exists b, Induction.lies restless [phase_one; phase_two] tt [phase_one] [phase_two] b tt /\
    ~ Induction.has restless phase_two tt b tt.
Proof.
  split; [auto | ]. split; [auto | ]. exists (0 + 1). split; [ | simpl; lia].
  exact (Induction.lies_over (T := integers) restless [phase_one; phase_two] tt [] phase_one [phase_two] 0 tt
    (Induction.lies_first (T := integers) restless [phase_one; phase_two] tt tt I) I).
Qed.
End Early.

(* --- of rules of the timing models ----------------------------------------------------------------------------------- *)

(* A node that receives High and Low, both there, and takes the higher one, as it should. *)
Inductive urgency := High | Low.
Inductive none := .

Definition two_names : names.
Proof.
  refine (small_names (part := unit) (length := urgency) (role := unit) (kind := urgency) (act := bool) (value := nat) _ _ _
    (fun _ => tt) (fun m => m) (fun _ => None) (fun _ => false) false (fun _ => false)); repeat decide equality.
Defined.

(* [limit]: how many of these may be lost; [by]: what a loss adds to their number. *)
Definition two (limit by_ : nat) : model integers two_names := small_model integers two_names O
  (fun a => if (a : bool) then Receives (fun _ => true) else Loses (fun _ => true))
  (fun _ _ => True)
  (fun s p => if (by_action p : bool) then True else (of s (tt : node two_names) < limit)%nat)
  (fun _ => [])
  (fun s p => if (by_action p : bool) then of s (tt : node two_names) else (of s (tt : node two_names) + by_)%nat)
  (fun _ => []) (fun _ => tt) (fun m => match m with High => 1%nat | Low => O end) (0%Z : integers) (0%Z : integers).

Definition no_time : world integers two_names :=
  {| parameter := (tt : parameters two_names); bare _ := (0%Z : integers); length_of _ := (0%Z : integers) |}.

(* Both sent, the lower one earlier; the node is free at 5. *)
Definition both_there : state integers two_names := small_state integers two_names O (5%Z : integers) (fun _ => true)
  (fun m => match m with High => (1%Z : integers) | Low => 0%Z end) tt.

Definition takes_it (receives : bool) (m : urgency) : pick integers two_names :=
  small_pick integers two_names tt receives tt (Some m) (5%Z : integers).

Lemma takes_high : enabled (two 0 1) no_time both_there (takes_it true High).
Proof.
  unfold enabled. repeat split; try exact I; try (vm_compute; discriminate); try reflexivity.
  now apply next_without_channels.
Qed.

(* The priority rule reversed: it would forbid this step, since Low is there. *)
Lemma priority_reversed : ~ forall m', receiver both_there m' = at_node (takes_it true High) ->
  (priority (two 0 1) m' < priority (two 0 1) High)%nat -> could_receive (two 0 1) no_time both_there m' ->
  le (start (two 0 1) no_time both_there (takes_it true High)) (delivered both_there m').
Proof.
  intros H. assert (C : could_receive (two 0 1) no_time both_there (Low : message two_names)).
  { split; [reflexivity | ]. split; [now apply next_without_channels | ].
    exists (takes_it true Low), (fun _ => true). now repeat split. }
  specialize (H Low eq_refl ltac:(simpl; lia) C). now vm_compute in H.
Qed.

(* A loss counted twice: of two messages that may be lost, the second could not be. *)
Lemma lost_once (m : urgency) : enabled (two 2 1) no_time both_there (takes_it false m).
Proof. unfold enabled. repeat split; simpl; auto; try lia; try discriminate. now apply next_without_channels. Qed.

Lemma lost_again : enabled (two 2 1) no_time (after (two 2 1) no_time both_there (takes_it false High)) (takes_it false Low).
Proof. unfold enabled. repeat split; simpl; auto; try lia; try discriminate. now apply next_without_channels. Qed.

Lemma loss_counted_twice :
  ~ enabled (two 2 2) no_time (after (two 2 2) no_time both_there (takes_it false High)) (takes_it false Low).
Proof. intros (_ & _ & _ & G & _). simpl in G. lia. Qed.

(* A clock read unforced: a step that begins at 5 would read 0. *)
Definition reads_early : pick integers two_names := small_pick integers two_names tt true tt (Some High) (0%Z : integers).

Lemma clock_read_unforced :
  reads reads_early = 0%Z /\ start (two 0 1) no_time both_there reads_early = 5%Z /\
  ~ enabled (two 0 1) no_time both_there reads_early /\ enabled (two 0 1) no_time both_there (takes_it true High).
Proof.
  split; [reflexivity | ]. split; [reflexivity | ]. split; [ | exact takes_high].
  intros (_ & _ & _ & _ & H). destruct (H eq_refl) as (early & _). now vm_compute in early.
Qed.
