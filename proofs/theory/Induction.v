(* SPDX-License-Identifier: GPL-3.0-or-later

   The proof by induction: obligations, and what they imply. After the head of solver/prove/proof.h.

   It is about any system of states and steps, so it is one theorem for all timing models; Standard.v has the first of them.
   Where the code asks the solver once for each action, an obligation here speaks of all that a step can pick.

   The names of the obligations are those of solver/prove/proof.h. scripts/theory.py holds one against the other: it reads the
   tags in front of the fields below. (PROGRESS is in Progress.v, DEFERRAL and PACE in Adequacy.v, FAMILY, QUORUM and RANK in
   Defined.v, LEMMA in Facts.v.) *)
From Coq Require Import List.
Import ListNotations.
From Theory Require Import Time.
Local Open Scope time_scope.

(* Worlds are parameters and lengths: what an execution does not change. *)
Record system := {
  world : Type;
  state : Type;
  pick : Type;
  possible : world -> Prop;                (* the assumptions hold *)
  first : world -> state -> Prop;
  enabled : world -> state -> pick -> Prop;
  once : world -> state -> pick -> Prop;   (* the step is no error: it sends nothing twice, charges nothing twice *)
  after : world -> state -> pick -> state
}.
Arguments possible {_}.
Arguments first {_}.
Arguments enabled {_}.
Arguments once {_}.
Arguments after {_}.

Section Induction.
Context {T : times} (S : system).
Implicit Types (w : world S) (s : state S) (p : pick S).

(* The states of executions. *)
Inductive reachable w : state S -> Prop :=
| reachable_first s : first w s -> reachable w s
| reachable_step s p : reachable w s -> enabled w s p -> once w s p -> reachable w (after w s p).

Inductive later w s : state S -> Prop :=
| later_itself : later w s s
| later_step s' p : later w s s' -> enabled w s' p -> once w s' p -> later w s (after w s' p).

(* The invariants of the whole execution, the user's and the generated ones that were not dropped. *)
Context {invariant : Type} (holds : invariant -> world S -> state S -> Prop).
Definition all_hold w s : Prop := forall i, holds i w s.

Record invariants_proved := {
  (* OBLIGATION_INITIAL of invariants *)
  invariants_initial : forall i w s, possible w -> first w s -> holds i w s;
  (* OBLIGATION_STEP of invariants *)
  invariants_step : forall i w s p, possible w -> all_hold w s -> enabled w s p -> holds i w (after w s p);
  (* OBLIGATION_ONCE *)
  invariants_once : forall w s p, possible w -> all_hold w s -> enabled w s p -> once w s p
}.

Theorem invariants_hold : invariants_proved -> forall w s, possible w -> reachable w s -> all_hold w s.
Proof.
  intros O w s ok R. induction R as [s F | s p R IH E _]; intros i.
  - now apply (invariants_initial O).
  - now apply (invariants_step O).
Qed.

(* No execution comes to an error: every step that can be taken from a reachable state leads to one. *)
Theorem no_errors : invariants_proved -> forall w s p, possible w -> reachable w s -> enabled w s p -> once w s p.
Proof. intros O w s p ok R E. apply (invariants_once O); auto using invariants_hold. Qed.

(* A bound: for every value of its variables, if its event has happened, it happened no later than the expression. *)
Record bound := {
  over : Type;
  happened : world S -> state S -> over -> Prop;
  at_time : world S -> state S -> over -> T;
  limit : world S -> over -> T
}.

Definition keeps (b : bound) w s : Prop := forall v, happened b w s v -> at_time b w s v <= limit b w v.

(* "each with itself as a hypothesis on the state before, not with the others". *)
Record bound_proved (b : bound) := {
  (* OBLIGATION_INITIAL of a bound *)
  bound_initial : forall w s, possible w -> first w s -> keeps b w s;
  (* OBLIGATION_STEP of a bound *)
  bound_step : forall w s p, possible w -> all_hold w s -> keeps b w s -> enabled w s p -> keeps b w (after w s p)
}.

(* Proved means: in every reachable state, for all parameters and lengths that the assumptions allow. *)
Theorem bound_holds b :
  invariants_proved -> bound_proved b -> forall w s, possible w -> reachable w s -> keeps b w s.
Proof.
  intros O B w s ok R. induction R as [s F | s p R IH E _].
  - now apply (bound_initial b B).
  - apply (bound_step b B); auto using invariants_hold.
Qed.

(* --- phases ---------------------------------------------------------------------------------------------------------- *)

(* A phase, its formulas also of `began`. Whether its end has happened is seen in a state. *)
Record phase := {
  starts : world S -> T -> state S -> Prop;
  has : world S -> T -> state S -> Prop; (* its invariants, all together *)
  ended : world S -> state S -> Prop;
  ended_at : world S -> state S -> T;
  lasts : world S -> T;                  (* the expression: E_i *)
  is_seen : forall w s, ended w s \/ ~ ended w s
}.

Variable phases : list phase.

Fixpoint sum w (some : list phase) : T :=
  match some with
  | [] => 0
  | P :: others => lasts P w + sum w others
  end.

(* "every real b >= 0 (of P1: for b = 0)". [before] are the phases before it. *)
Definition can_begin (before : list phase) (b : T) : Prop :=
  match before with [] => b = 0 | _ => 0 <= b end.

Record phases_proved (B : bound) := {
  (* OBLIGATION_START *)
  phases_start : forall P rest w s, phases = P :: rest -> possible w -> first w s -> starts P w 0 s;
  (* OBLIGATION_ENTER of the first phase *)
  phases_enter_first : forall P rest w s, phases = P :: rest -> possible w -> first w s -> has P w 0 s;
  (* OBLIGATION_ENTER of the other phases *)
  phases_enter : forall before P rest w b s, phases = before ++ P :: rest -> before <> [] -> 0 <= b ->
    possible w -> all_hold w s -> starts P w b s -> has P w b s;
  (* OBLIGATION_STEP in a phase *)
  phases_step : forall before P rest w b s p, phases = before ++ P :: rest -> can_begin before b ->
    possible w -> all_hold w s -> has P w b s -> ~ ended P w s -> enabled w s p -> has P w b (after w s p);
  (* OBLIGATION_END *)
  phases_end : forall before P rest w b s, phases = before ++ P :: rest -> can_begin before b ->
    possible w -> all_hold w s -> has P w b s -> ended P w s -> ended_at P w s <= b + lasts P w;
  (* OBLIGATION_HANDOVER *)
  phases_handover : forall before P Q rest w b s, phases = before ++ P :: Q :: rest -> can_begin before b ->
    possible w -> all_hold w s -> has P w b s -> ended P w s -> ended_at P w s <= b + lasts P w ->
    starts Q w (b + lasts P w) s;
  (* OBLIGATION_EARLY *)
  phases_early : forall before P rest w b s, phases = before ++ P :: rest -> can_begin before b ->
    possible w -> all_hold w s -> has P w b s -> ~ ended P w s -> forall v, ~ happened B w s v;
  (* OBLIGATION_TARGET *)
  phases_target : forall before P w b s, phases = before ++ [P] -> can_begin before b ->
    possible w -> all_hold w s -> has P w b s -> ended P w s ->
    forall v, happened B w s v /\ at_time B w s v <= ended_at P w s;
  (* OBLIGATION_TOTAL *)
  phases_total : forall w v, possible w -> sum w phases <= limit B w v
}.

(* "The first begins at time 0 in the first state [...]. Phase P lasts until the first state in which its end has happened; [...]
   and the next phase begins in that very state with began' = began + expression." A state may lie in several, as several may
   end in one state. [lies w before rest b s]: s lies in the first phase of [rest], which began at b; all have ended if there is
   none. *)
Inductive lies w : list phase -> list phase -> T -> state S -> Prop :=
| lies_first s : first w s -> lies w [] phases 0 s
| lies_step before P rest b s p : lies w before (P :: rest) b s -> ~ ended P w s -> enabled w s p -> once w s p ->
    lies w before (P :: rest) b (after w s p)
| lies_over before P rest b s : lies w before (P :: rest) b s -> ended P w s ->
    lies w (before ++ [P]) rest (b + lasts P w) s.

Lemma lies_split w before rest b s : lies w before rest b s -> phases = before ++ rest.
Proof.
  induction 1 as [ | before P rest b s p _ IH _ _ _ | before P rest b s _ IH _]; auto.
  now rewrite <- app_assoc.
Qed.

Lemma lies_reachable w before rest b s : lies w before rest b s -> reachable w s.
Proof. induction 1; auto using reachable_first, reachable_step. Qed.

Lemma sum_app w some others : sum w (some ++ others) = sum w some + sum w others.
Proof.
  induction some as [ | P some IH]; simpl.
  - now rewrite plus_comm, plus_zero.
  - now rewrite IH, plus_assoc.
Qed.

Lemma lies_began w before rest b s : lies w before rest b s -> b = sum w before.
Proof.
  induction 1 as [ | | before P rest b s _ IH _]; auto.
  rewrite sum_app, IH. simpl. now rewrite plus_zero.
Qed.

(* No end of a phase is before time 0: a fact of the model, of which no obligation is made (Standard.v proves it). With it
   "in particular for T_i" is true, since T_i may well be the sum of expressions of which some are negative. *)
Definition ends_not_negative : Prop :=
  forall P w s, In P phases -> possible w -> reachable w s -> ended P w s -> 0 <= ended_at P w s.

(* "Claim: I_i(T_i) holds in every state of an execution that lies in P_i". *)
Lemma phase_claim B : invariants_proved -> phases_proved B -> ends_not_negative ->
  forall w before rest b s, possible w -> lies w before rest b s ->
  match rest with [] => True | P :: _ => has P w b s /\ can_begin before b end.
Proof.
  intros O F positive w before rest b s ok L.
  induction L as [s F1 | before P rest b s p L IH open E _ | before P rest b s L [I C] over].
  - destruct phases as [ | P rest] eqn:E; auto. split; [ | reflexivity].
    now apply (phases_enter_first B F P rest).
  - destruct IH as [I C]. split; auto.
    apply (phases_step B F before P rest); eauto using lies_split, invariants_hold, lies_reachable.
  - destruct rest as [ | Q rest]; auto.
    assert (G : all_hold w s) by eauto using invariants_hold, lies_reachable.
    pose proof (lies_split _ _ _ _ _ L) as split_P.
    assert (E : ended_at P w s <= b + lasts P w) by now apply (phases_end B F before P (Q :: rest)).
    assert (b0 : 0 <= b + lasts P w).
    { apply le_trans with (ended_at P w s); [ | exact E].
      apply positive; eauto using lies_reachable.
      rewrite split_P. apply in_or_app. right. now left. }
    assert (H : starts Q w (b + lasts P w) s) by now apply (phases_handover B F before P Q rest).
    split.
    + apply (phases_enter B F (before ++ [P]) Q rest); auto.
      * now rewrite <- app_assoc.
      * now destruct before.
    + now destruct before.
Qed.

(* A phase's `start` holds where it begins. *)
Theorem phase_starts B : invariants_proved -> phases_proved B -> ends_not_negative ->
  (forall P rest w s, possible w -> first w s -> phases = P :: rest -> starts P w 0 s) /\
  (forall w before P Q rest b s, possible w -> lies w before (P :: Q :: rest) b s -> ended P w s ->
     starts Q w (b + lasts P w) s).
Proof.
  intros O F positive. split.
  - intros P rest w s ok F1 E. now apply (phases_start B F P rest).
  - intros w before P Q rest b s ok L over.
    assert (G : all_hold w s) by eauto using invariants_hold, lies_reachable.
    destruct (phase_claim B O F positive w _ _ _ _ ok L) as [I C].
    pose proof (lies_split _ _ _ _ _ L) as split_P.
    apply (phases_handover B F before P Q rest); auto.
    now apply (phases_end B F before P (Q :: rest)).
Qed.

(* Either some phase is open in the state, or all ended in this one or an earlier one. *)
Definition open_at w s : Prop := exists before P rest b, lies w before (P :: rest) b s /\ ~ ended P w s.
Definition over_at w s : Prop := exists b s0, lies w phases [] b s0 /\ later w s0 s.

Lemma advance w before rest b s : lies w before rest b s -> open_at w s \/ over_at w s.
Proof.
  revert before b. induction rest as [ | P rest IH]; intros before b L.
  - right. exists b, s. pose proof (lies_split _ _ _ _ _ L) as E. rewrite app_nil_r in E. rewrite E at 1.
    split; [exact L | apply later_itself].
  - destruct (is_seen P w s) as [over | open].
    + apply (IH (before ++ [P]) (b + lasts P w)). now apply lies_over.
    + left. now exists before, P, rest, b.
Qed.

Lemma open_or_over w s : reachable w s -> open_at w s \/ over_at w s.
Proof.
  induction 1 as [s F | s p R [(before & P & rest & b & L & open) | (b & s0 & L & A)] E once1].
  - now apply (advance w [] phases 0), lies_first.
  - apply (advance w before (P :: rest) b). now apply lies_step.
  - right. exists b, s0. split; auto using later_step.
Qed.

(* "The event is sending or delivery, whose time never changes once it was sent." (Standard.v proves it.) *)
Definition lasting (B : bound) : Prop :=
  forall w s p v, possible w -> reachable w s -> enabled w s p -> once w s p -> happened B w s v ->
  happened B w (after w s p) v /\ at_time B w (after w s p) v = at_time B w s v.

Lemma lasts_later B w s s' v : lasting B -> possible w -> reachable w s -> later w s s' -> happened B w s v ->
  happened B w s' v /\ at_time B w s' v = at_time B w s v.
Proof.
  intros K ok R A H.
  assert (reachable w s' /\ happened B w s' v /\ at_time B w s' v = at_time B w s v) as (_ & H' & E); auto.
  induction A as [ | s' p A (R' & H' & E') E1 O1]; auto.
  destruct (K w s' p v ok R' E1 O1 H') as [H'' E'']. repeat split; auto using reachable_step.
  now rewrite E''.
Qed.

Theorem bound_by_phases_holds B : phases <> [] -> lasting B -> ends_not_negative ->
  invariants_proved -> phases_proved B -> forall w s, possible w -> reachable w s -> keeps B w s.
Proof.
  intros some K positive O F w s ok R v H.
  destruct (open_or_over w s R) as [(before & P & rest & b & L & open) | (b & s0 & L & A)].
  - destruct (phase_claim B O F positive w _ _ _ _ ok L) as [I C].
    exfalso. revert H. apply (phases_early B F before P rest w b s); eauto using lies_split, invariants_hold.
  - pose proof (lies_began _ _ _ _ _ L) as began. remember (@nil phase) as rest eqn:none. remember phases as all eqn:every.
    destruct L as [s0 F1 | before P rest b s0 p L open E1 O1 | before P rest b s0 L over]; subst.
    + now destruct some.
    + discriminate.
    + rewrite every in *.
      destruct (phase_claim B O F positive w _ _ _ _ ok L) as [I C].
      assert (G : all_hold w s0) by eauto using invariants_hold, lies_reachable.
      destruct (phases_target B F before P w b s0 (eq_sym every) C ok G I over v) as [H0 E0].
      destruct (lasts_later B w s0 s v K ok (lies_reachable _ _ _ _ _ L) A H0) as [_ E]. rewrite E.
      apply le_trans with (ended_at P w s0); auto.
      apply le_trans with (b + lasts P w).
      { now apply (phases_end B F before P []). }
      rewrite began. now apply (phases_total B F).
Qed.
End Induction.
