(* SPDX-License-Identifier: GPL-3.0-or-later

   Time goes on: ranks, after the head of solver/prove/progress.h. What is proved is the argument of ranks that are integers:
   if the obligations hold, then at no node do steps that take no time follow each other for ever at one moment, whatever the
   other nodes do in between.

   Not here yet: timers as ranks (their times are no integers), circles of messages, and that real executions need no more than
   this to have what they do next in the model. *)
From Coq Require Import List ZArith Lia.
Import ListNotations.
From Theory Require Import Time Induction.

Section Progress.
Context {T : times} (S : system) {invariant : Type} (holds : invariant -> world S -> state S -> Prop).
Context {action : Type} (action_of : pick S -> action).
Implicit Types (w : world S) (s : state S) (p : pick S) (moment : T) (left : action -> Prop).

(* Of one node: its steps on timers that take no time at a moment, and the steps of other nodes. *)
Variable quick : world S -> T -> state S -> pick S -> Prop.
Variable foreign : pick S -> Prop.

(* "A rank is an integer of the acting node": no other node changes it. *)
Record rank := {
  value : world S -> T -> state S -> Z;
  of_node : forall w moment s p, foreign p -> value w moment (after w s p) = value w moment s
}.

Local Open Scope Z_scope.

(* "it keeps a rank if none makes it larger" *)
Definition keeps_rank (r : rank) (a : action) : Prop :=
  forall w moment s p, possible w -> all_hold S holds w s -> enabled w s p -> quick w moment s p -> action_of p = a ->
  value r w moment (after w s p) <= value r w moment s.

(* "An action falls in a rank if each such step of it makes the rank smaller, from 0 or more" *)
Definition falls_in (r : rank) (a : action) : Prop :=
  forall w moment s p, possible w -> all_hold S holds w s -> enabled w s p -> quick w moment s p -> action_of p = a ->
  value r w moment (after w s p) < value r w moment s /\ 0 <= value r w moment s.

(* "If all actions keep a rank and some fall in it, then those are not taken for ever at one moment. They are left out, and the
   same is asked of the others, until none is left". *)
Fixpoint ranked left (stages : list (rank * (action -> bool))) : Prop :=
  match stages with
  | [] => forall a, ~ left a
  | (r, falls) :: others =>
    (forall a, left a -> if falls a then falls_in r a else keeps_rank r a) /\
    ranked (fun a => left a /\ falls a = false) others
  end.

Record progress_proved left stages := {
  (* OBLIGATION_PROGRESS where ranks are integers; not yet: timers, messages *)
  progress_ranks : ranked left stages
}.

(* Steps of other nodes, any number; then a quick one. *)
Inductive meanwhile w s : state S -> Prop :=
| meanwhile_nothing : meanwhile w s s
| meanwhile_step s' p : meanwhile w s s' -> enabled w s' p -> once w s' p -> foreign p -> meanwhile w s (after w s' p).

Definition goes_on left w moment s' s : Prop :=
  reachable S w s /\ exists s1 p, meanwhile w s s1 /\ enabled w s1 p /\ once w s1 p /\ quick w moment s1 p /\
  left (action_of p) /\ s' = after w s1 p.

Lemma meanwhile_reachable w s s' : reachable S w s -> meanwhile w s s' -> reachable S w s'.
Proof. intros R. induction 1; auto using reachable_step. Qed.

Lemma meanwhile_keeps (r : rank) w moment s s' : meanwhile w s s' -> value r w moment s' = value r w moment s.
Proof. induction 1 as [ | s' p A IH E O F]; auto. now rewrite of_node. Qed.

Definition height (r : rank) w moment s : nat := Z.to_nat (value r w moment s + 1).

Lemma no_end_left left w moment s : (forall a, ~ left a) -> Acc (goes_on left w moment) s.
Proof. intros none. constructor. intros s' (_ & s1 & p & _ & _ & _ & _ & L & _). now destruct (none (action_of p)). Qed.

Lemma ranked_ends left stages w moment :
  invariants_proved S holds -> possible w -> ranked left stages -> forall s, Acc (goes_on left w moment) s.
Proof.
  intros O ok. revert left. induction stages as [ | [r falls] others IH]; intros left K.
  - intros s. now apply no_end_left.
  - destruct K as [K rest]. specialize (IH _ rest).
    assert (H : forall n s, (height r w moment s <= n)%nat -> Acc (goes_on left w moment) s); [ | eauto].
    (* first the rank, then what is left where it stays *)
    induction n as [n below] using (well_founded_induction lt_wf). intros s.
    induction (IH s) as [s _ same]. intros low. constructor. intros s' G.
    pose proof G as (R & s1 & p & A & E & once1 & Q & L & result).
    assert (I : all_hold S holds w s1) by (apply (invariants_hold S holds O w s1 ok); eauto using meanwhile_reachable).
    pose proof (meanwhile_keeps r w moment s s1 A) as equal. specialize (K (action_of p) L).
    destruct (falls (action_of p)) eqn:F.
    + destruct (K w moment s1 p ok I E Q eq_refl) as [less from]. rewrite <- result in less.
      apply (below (height r w moment s')); [ | lia]. unfold height in *. lia.
    + pose proof (K w moment s1 p ok I E Q eq_refl) as less. rewrite <- result in less.
      apply same.
      * split; auto. exists s1, p. repeat split; auto.
      * unfold height in *. lia.
Qed.

(* No execution has, from some state on, steps without end of the node at one moment. *)
Theorem no_steps_without_end left stages : invariants_proved S holds -> progress_proved left stages ->
  forall w moment (run : nat -> state S), possible w -> ~ forall i, goes_on left w moment (run (Datatypes.S i)) (run i).
Proof.
  intros O' [K] w moment run ok on.
  assert (H : forall s, Acc (goes_on left w moment) s -> forall i, s = run i -> False).
  { induction 1 as [s _ IH]. intros i E. subst. exact (IH _ (on i) _ eq_refl). }
  exact (H _ (ranked_ends left stages w moment O' ok K (run O)) O eq_refl).
Qed.
End Progress.
