(* SPDX-License-Identifier: GPL-3.0-or-later

   The eager and the advanced model. Each is the standard one with something more in a state and with more rules for a step. So
   every execution is one of the standard model, and what Standard.v says of clocks and of messages holds; and each is a system of
   states and steps, so the theorems of Induction.v hold of it. *)
From Coq Require Import List Bool.
From Theory Require Import Time Model Standard.
From Theory Require Induction.
Local Open Scope time_scope.

Section Timing.
Context {T : times} {N : names} (M : model T N).
Implicit Types (w : world T N) (s : state T N) (p q : pick T N) (m : message N) (n : node N).

(* More in a state, [X]; the rules; and how a step changes it. *)
Record timing := {
  more : Type;
  at_first : more;
  rule : world T N -> state T N -> more -> pick T N -> Prop;
  changes : world T N -> state T N -> more -> pick T N -> more
}.

Definition executions_with (A : timing) : Induction.system := {|
  Induction.world := world T N;
  Induction.state := (state T N * more A)%type;
  Induction.pick := pick T N;
  Induction.possible := possible M;
  Induction.first := fun w x => first M w (fst x) /\ snd x = at_first A;
  Induction.enabled := fun w x p => enabled M w (fst x) p /\ rule A w (fst x) (snd x) p;
  Induction.once := fun w x p => once M w (fst x) p;
  Induction.after := fun w x p => (after M w (fst x) p, changes A w (fst x) (snd x) p)
|}.

(* Every execution is one of the standard model. *)
Theorem standard_too A w x : Induction.reachable (executions_with A) w x -> reachable M w (fst x).
Proof.
  induction 1 as [x [F _] | x p R IH [E _] O].
  - now apply Induction.reachable_first.
  - now apply (Induction.reachable_step (executions_of M) w (fst x) p).
Qed.

(* A bound of Standard.v, of these executions. *)
Definition bound_with A (B : Induction.bound (T := T) (executions_of M)) : Induction.bound (T := T) (executions_with A) :=
  Induction.Build_bound (executions_with A) (Induction.over _ B)
    (fun w x => Induction.happened _ B w (fst x))
    (fun w x => Induction.at_time _ B w (fst x))
    (Induction.limit _ B).

Theorem lasting_with A B : Induction.lasting (executions_of M) B -> Induction.lasting (executions_with A) (bound_with A B).
Proof.
  intros K w x p v ok R [E _] O H. apply (K w (fst x) p v); auto. exact (standard_too A w x R).
Qed.

(* What is proved of the standard model holds of the others: they have no more executions. *)
Theorem standard_suffices A B w :
  (forall s, reachable M w s -> Induction.keeps (executions_of M) B w s) ->
  forall x, Induction.reachable (executions_with A) w x -> Induction.keeps (executions_with A) (bound_with A B) w x.
Proof. intros K x R v H. exact (K (fst x) (standard_too A w x R) v H). Qed.

(* A phase ends as in Standard.v. *)
Definition ends_by_with A (P : Induction.phase (T := T) (executions_with A)) : Prop :=
  (exists m : world T N -> message N,
     (forall w x, Induction.ended _ P w x -> sent (fst x) (m w) = true) /\
     forall w x, Induction.ended_at _ P w x = sending w (fst x) (m w) \/
                 Induction.ended_at _ P w x = delivered (fst x) (m w)) \/
  exists n : world T N -> node N, forall w x, Induction.ended_at _ P w x = clock (fst x) (n w).

Theorem ends_not_negative_with A phases :
  (forall P, In P phases -> ends_by_with A P) -> Induction.ends_not_negative (executions_with A) phases.
Proof.
  intros all P w x H ok R E. apply standard_too in R. destruct (all P H) as [(m & yes & at_) | (n & at_)].
  - destruct (at_ w x) as [at_' | at_']; rewrite at_'.
    + apply (sending_not_negative M); auto.
    + apply (delivered_not_negative M w); auto.
  - rewrite at_. now apply (clock_not_negative M) with w.
Qed.

(* A bound by phases on a sending; and on a delivery. *)
Theorem bound_by_phases_holds_with {I V : Type} A (holds : I -> world T N -> state T N * more A -> Prop) phases
  (target : world T N -> V -> message N) (limit : world T N -> V -> T) B :
  B = bound_with A (bound_sent M target limit) \/ B = bound_with A (bound_delivered M target limit) ->
  phases <> nil -> (forall P, In P phases -> ends_by_with A P) ->
  Induction.invariants_proved (executions_with A) holds ->
  Induction.phases_proved (executions_with A) holds phases B ->
  forall w x, possible M w -> Induction.reachable (executions_with A) w x ->
  Induction.keeps (executions_with A) B w x.
Proof.
  intros kind some ends O F. apply (Induction.bound_by_phases_holds (executions_with A) holds phases); auto.
  - destruct kind; subst; apply lasting_with; [apply sent_lasts | apply delivered_lasts].
  - now apply ends_not_negative_with.
Qed.

(* --- what a node could do -------------------------------------------------------------------------------------------- *)

(* "some action, of which no guard mentions its clock read, has all its guards hold in the state before, for some of what it may
   choose": [q] is such an action with such a choice. *)
Definition could w s q : Prop :=
  reads_clock M (by_action q) = false /\ lives M w (at_node q) /\ domain M w s q /\ guard M w s q.

(* A pending message "that its receiver could receive". *)
Definition could_receive w s m : Prop :=
  pending s m = true /\ is_next M w s m /\
  exists q kind, waits_for M (by_action q) = Receives kind /\ kind m = true /\ takes q = Some m /\
    at_node q = receiver s m /\ could w s q /\ patient M w s q.

(* --- eager ----------------------------------------------------------------------------------------------------------- *)

(* "a step requires now <= start." *)
Definition in_order w s (now : T) p : Prop := now <= start M w s p.

(* "no step starts later than tM + Queuing(m) of any pending m (with a queueing term) that its receiver could receive" *)
Definition passes_no_message w s p : Prop :=
  forall m o, queueing_of N m = Some o -> could_receive w s m -> start M w s p <= delivered s m + length_of w o.

(* "Nor later than max(tN', E) of any node with such an action on a timer E; tN' is that node's clock." *)
Definition passes_no_timer w s p : Prop :=
  forall q due, waits_for M (by_action q) = Timer due -> could w s q ->
  start M w s p <= latest (tN s q) (due w s q).

(* "In the eager model a receive of m starts no later than any pending message of a higher priority was delivered that its
   receiver could receive". *)
Definition passes_no_priority w s p : Prop :=
  match waits_for M (by_action p), takes p with
  | Receives _, Some m =>
    forall m', receiver s m' = at_node p -> (priority M m < priority M m')%nat -> could_receive w s m' ->
    start M w s p <= delivered s m'
  | _, _ => True
  end.

(* "`now`, initially 0, is the start of the latest step". A loss is no step of a node: "no rule of time applies to it". *)
Definition eager : timing := {|
  more := T;
  at_first := 0;
  rule w s now p :=
    loses M p = false -> in_order w s now p /\ passes_no_message w s p /\ passes_no_timer w s p /\ passes_no_priority w s p;
  changes w s now p := if loses M p then now else start M w s p
|}.

(* The steps of an eager execution are in the order of their starts. *)
Theorem now_not_back w (x : state T N * T) p : Induction.enabled (s := executions_with eager) w x p ->
  snd x <= snd (Induction.after (s := executions_with eager) w x p).
Proof.
  intros [_ E]. simpl in *. destruct (loses M p); [apply le_refl | now apply E].
Qed.

(* --- advanced -------------------------------------------------------------------------------------------------------- *)

(* "A receive of m requires that no other pending message which its receiver could receive in the state before (as in eager) was
   delivered before tM." *)
Definition takes_earliest w s p : Prop :=
  match waits_for M (by_action p), takes p with
  | Receives _, Some m =>
    forall m', receiver s m' = at_node p -> could_receive w s m' -> delivered s m <= delivered s m'
  | _, _ => True
  end.

(* "Every node has an arrival time, initially 0; a receive requires arrival <= tM" *)
Definition arrives_later w s (arrival : node N -> T) p : Prop :=
  match waits_for M (by_action p), takes p with
  | Receives _, Some m => arrival (at_node p) <= delivered s m
  | _, _ => True
  end.

(* "and then arrival = tM. A step with a timeout or timer that waited (tN < start), and the idle step of a slot that receives with
   a timeout, make arrival = start: nothing was there." *)
Definition new_arrival w s (arrival : node N -> T) p : T :=
  match waits_for M (by_action p), takes p with
  | Receives _, Some m => delivered s m
  | Waits _, _ | Timer _, _ =>
    if idle M (by_action p) then start M w s p
    else if le_or_not (start M w s p) (tN s p) then arrival (at_node p) else start M w s p
  | _, _ => arrival (at_node p)
  end.

(* "There is no queueing term": [queueing_of] is None of all messages, and the standard model's own rule asks nothing. *)
Definition advanced : timing := {|
  more := node N -> T;
  at_first _ := 0;
  rule w s arrival p := loses M p = false -> takes_earliest w s p /\ arrives_later w s arrival p;
  changes w s arrival p n :=
    if loses M p then arrival n else if is_node N (at_node p) n then new_arrival w s arrival p else arrival n
|}.
End Timing.
