(* SPDX-License-Identifier: GPL-3.0-or-later

   The bound of a protocol of Syntax.v from its obligations, each a proposition of its own: what `tailproof certify --theory` writes
   ends with an instance. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote Once.
From Theory Require Induction.
Local Open Scope Z_scope.

(* [Q] of each number below [n]. *)
Fixpoint each (n : nat) (Q : nat -> Prop) : Prop :=
  match n with O => True | S n => each n Q /\ Q n end.

Lemma each_is n Q : each n Q -> forall i, (i < n)%nat -> Q i.
Proof.
  induction n as [ | n IH]; simpl; [intros; lia | ]. intros [A B] i H.
  destruct (PeanoNat.Nat.eq_dec i n) as [-> | ]; [exact B | apply IH; [exact A | lia]].
Qed.

(* Whether [value] is asked of nothing that ranges over integers without end. *)
Definition binders_compute (all : list (nat * Syntax.domain)) : bool := forallb (fun vd => finite (snd vd)) all.

Fixpoint statement_computes (x : statement) : bool :=
  match x with
  | Assign _ _ v => computes v
  | AssignKey _ k v => computes k && computes v
  | If a yes no => computes a && forallb statement_computes yes && forallb statement_computes no
  | Send _ f r d => forallb computes f && computes r && binders_compute d
  end.

Definition charge_computes (k : charge) : bool :=
  forallb computes (indices k) && match condition k with Some a => computes a | None => true end &&
  match batch k with Some vd => finite (snd vd) | None => true end.

Definition action_computes (a : Syntax.action) : bool :=
  match trigger_of a with At due => computes due | _ => true end && binders_compute (choices_of a) &&
  forallb computes (guards a) && forallb charge_computes (charges a) && forallb statement_computes (body a).

Definition well_formed (P : protocol) (invariants : list (term Bool)) : bool :=
  forallb sayable (assumptions P) && forallb (fun r => computes (size r)) (roles P) &&
  forallb (fun x => computes (initial x)) (states P) && forallb action_computes (actions P) && forallb sayable invariants.

Section Corollary.
Context {T : times} (unit : T) (P : protocol) (follow : list follows) (invariants : list (term Bool)).

Local Notation N := (names_of (T := T) P).

Local Notation S := (executions P unit).
Implicit Types (w : Induction.world S) (x : Induction.state S) (p : Induction.pick S).

(* --- every value is one of its type ---------------------------------------------------------------------------------- *)

Definition tidy w (s : @store T) : Prop :=
  forall v, clamp P unit (values_of P v) w (ints s v) = ints s v /\
  forall z, clamp P unit (values_of P v) w (maps s v z) = maps s v z.

Definition addressed w (m : a_message) (n : a_node) : Prop :=
  message_fits P unit w m /\ fst n = role_receiving P (fst m) /\
  clamp P unit (size_receiving P (fst m)) w (snd n) = snd n.

(* Some action of the protocol loses messages of the kind. *)
Definition lossy (k : nat) : bool :=
  existsb (fun a => match trigger_of a with Losing m _ => Nat.eqb m k | _ => false end) (actions P).

(* And what was sent on a FIFO channel has a place below the number of places (FACT_FIFO_PLACE); and only what may be lost is
   lost, and is not received. *)
Definition typed w (s : state T N) : Prop :=
  (forall n, tidy w (of s n : store)) /\
  (forall m, sent s m = true -> addressed w m (receiver s m) /\ (fifo N m = true -> place s m < places s)%nat) /\
  forall m, lost s m = true -> lossy (fst (m : a_message)) = true /\ received s m = false.

Lemma clamp_twice values w z : clamp P unit values w (clamp P unit values w z) = clamp P unit values w z.
Proof.
  unfold clamp. destruct values as [t | ]; auto. destruct ((0 <=? z) && (z <? _)) eqn:E; [now rewrite E | ].
  now destruct (0 <? value t _).
Qed.

Lemma clamp_zero values w : clamp P unit values w 0 = 0.
Proof. unfold clamp. destruct values as [t | ]; auto. now destruct (0 <? value t _). Qed.

Lemma clamp_all_twice w declared : forall fields,
  clamp_all P unit w declared (clamp_all P unit w declared fields) = clamp_all P unit w declared fields.
Proof. induction declared as [ | v declared IH]; intros fields; simpl; auto. now rewrite clamp_twice, IH. Qed.

Lemma put_tidy w t v (a : @meaning T t) s : tidy w s -> tidy w (put t v (clamp_to P unit t (values_of P v) w a) s).
Proof.
  intros I u. destruct (I u) as [A B]. destruct t; simpl; unfold set_at; try (split; [exact A | exact B]).
  - split; [ | exact B]. destruct (Nat.eqb_spec v u) as [-> | ]; [apply clamp_twice | exact A].
  - split; [exact A | ]. destruct (Nat.eqb_spec v u) as [-> | ]; [intros z; apply clamp_twice | exact B].
Qed.

Definition tidy_effect w (k : nat) (e : @effect T) : Prop :=
  tidy w (fst e) /\ List.Forall (fun s => addressed w (fst (snd s)) (snd (snd s)) /\ (fst s < k)%nat) (snd e).

Lemma tidy_more w k k' e : (k <= k')%nat -> tidy_effect w k e -> tidy_effect w k' e.
Proof. intros L [I A]. split; [exact I | ]. eapply Forall_impl; [ | exact A]. intros s [B C]. split; [exact B | lia]. Qed.

Lemma sends_addressed w m f r c : addressed w (fst (sends_of P unit w m f r c)) (snd (sends_of P unit w m f r c)).
Proof.
  repeat split; simpl; [ | apply clamp_twice]. unfold message_fits, clamp_fields. simpl.
  destruct (nth_error (messages P) m); auto. apply clamp_all_twice.
Qed.

Lemma run_tidy w n c : forall (x : statement) k e, tidy_effect w k e -> tidy_effect w (k + sends_in x) (run P unit w n c x k e).
Proof.
  fix IH 1. intros [t v a | v key a | a yes no | m f r d] k e E.
  - rewrite <- plus_n_O. destruct E as [I A]. split; [now apply put_tidy | exact A].
  - rewrite <- plus_n_O. destruct E as [I A]. split; [ | exact A]. intros u. destruct (I u) as [B C]. split; [exact B | ].
    intros z. simpl. unfold set_at. destruct (Nat.eqb_spec v u) as [-> | ]; [ | apply C]. destruct (z =? _); [apply clamp_twice | apply C].
  - assert (L : forall l ke, tidy_effect w (fst ke) (snd ke) -> tidy_effect w (fst ke + list_sum (map sends_in l))
      (snd (fold_left (fun ke y => ((fst ke + sends_in y)%nat, run P unit w n c y (fst ke) (snd ke))) l ke))).
    { fix IHl 1. intros [ | y l] ke I'; simpl; [now rewrite <- plus_n_O | ].
      rewrite PeanoNat.Nat.add_assoc. exact (IHl l (_, _) (IH y _ _ I')). }
    simpl. destruct (value a _); (eapply tidy_more; [ | apply L]); simpl; try lia; try exact E.
    eapply tidy_more; [ | exact E]. lia.
  - destruct E as [I A]. split; [exact I | ]. simpl. apply Forall_app. split.
    + eapply Forall_impl; [ | exact A]. intros s [B C]. split; [exact B | lia].
    + apply Forall_map, Forall_forall. intros s _. split; [apply sends_addressed | simpl; lia].
Qed.

Lemma effect_tidy w (s : state T N) (p : pick T N) : typed w s ->
  tidy_effect w (turns (denote P unit) (by_action p)) (effect_of P unit w s p).
Proof.
  intros [I _]. simpl. unfold effect_of. destruct (action_at P (by_action p)) as [a | ]; [ | split; [apply I | constructor]].
  unfold runs. assert (L : forall l ke, tidy_effect w (fst ke) (snd ke) -> tidy_effect w (fst ke + list_sum (map sends_in l))
    (snd (fold_left (fun ke y => ((fst ke + sends_in y)%nat, run P unit w (at_node p : a_node) (step_scene P unit a w s p) y (fst ke) (snd ke)))
      l ke))).
  { induction l as [ | y l IH]; intros ke E; simpl; [now rewrite <- plus_n_O | ].
    rewrite PeanoNat.Nat.add_assoc. apply (IH (_, _)). now apply run_tidy. }
  apply (L (body a) (O, _)). split; [apply I | constructor].
Qed.

Lemma first_tidy w n : tidy w (first_store P unit w n).
Proof.
  unfold first_store. set (s0 := {| ints := _ |}).
  assert (I : tidy w s0) by (intros v; split; [ | intros z]; apply clamp_zero). clearbody s0.
  assert (L : forall l k s, (forall i d, nth_error l i = Some d -> nth_error (states P) (k + i) = Some d) -> tidy w s ->
    tidy w (fold_left (fun s xv => let x := snd xv in
      if Nat.eqb (owner x) (fst n)
      then put (sort_of x) (fst xv) (clamp_to P unit (sort_of x) (values x) w
             (value (initial x) (bind (initial_self x) (snd n) (scene_of_world P unit w)))) s
      else s) (combine (seq k (length l)) l) s)).
  { induction l as [ | d l IH]; intros k s H Is; simpl; auto. apply IH.
    - intros i d' E. specialize (H (Datatypes.S i) d' E). now rewrite <- plus_n_Sm in H.
    - simpl. destruct (Nat.eqb _ _); auto. specialize (H O d eq_refl). rewrite <- plus_n_O in H.
      replace (values d) with (values_of P k) by (unfold values_of; now rewrite H). now apply put_tidy. }
  apply (L (states P) O); auto.
Qed.

Lemma sent_is_addressed (m : message N) n (all : list (nat * (a_message * a_node))) w k :
  Model.receiver_of m (map snd all : list (message N * node N)) = Some n ->
  List.Forall (fun s => addressed w (fst (snd s)) (snd (snd s)) /\ (fst s < k)%nat) all ->
  addressed w m n /\ (turn_of m all < k)%nat.
Proof.
  unfold turn_of. induction all as [ | [j [m' n']] all IH]; simpl; [easy | ]. intros E A. apply Forall_cons_iff in A.
  destruct A as [A1 A2]. revert E. destruct (same_message m' m) as [E | ]; [ | auto]. intros F. injection F as <-. rewrite <- E. exact A1.
Qed.

Lemma first_typed w x : Induction.first (s := S) w x -> typed w (fst x).
Proof.
  intros [(F & _ & Z & _) _]. split; [intros n; rewrite F; apply first_tidy | split; intros m; destruct (Z m) as (S0 & _ & L0)].
  - rewrite S0. discriminate.
  - rewrite L0. discriminate.
Qed.

(* What is taken was pending: neither received nor lost. *)
Lemma taken_is_pending w s (p : pick T N) m : enabled (denote P unit) w s p -> take_is p m = true ->
  received s m = false /\ lost s m = false /\ (loses (denote P unit) p = true -> lossy (fst (m : a_message)) = true).
Proof.
  intros E K. destruct (some_action_at unit P w s p E) as [a A]. destruct E as (_ & E & _).
  unfold takes_pending, loses in *. simpl in *. rewrite A in *. unfold take_is in K.
  destruct (takes p) as [m' | ]; [ | discriminate].
  assert (m' = m) by (simpl in K; destruct (same_message m' m); [assumption | discriminate]). subst m'.
  assert (D : pending s m = true -> received s m = false /\ lost s m = false).
  { unfold pending. destruct (received s m), (lost s m); rewrite ?andb_false_r; simpl; intuition congruence. }
  destruct (trigger_of a) as [ | k f | k | due | k f] eqn:Tr; try contradiction; destruct E as (Q & Pe & _);
    destruct (D Pe) as [R L]; repeat split; auto; try discriminate.
  intros _. apply existsb_exists. exists a. split; [eapply nth_error_In; exact A | ]. rewrite Tr.
  apply PeanoNat.Nat.eqb_eq in Q. rewrite Q. apply PeanoNat.Nat.eqb_refl.
Qed.

Lemma step_typed w x p : Induction.enabled w x p -> typed w (fst x) -> typed w (fst (Induction.after (s := S) w x p)).
Proof.
  intros [En _] I. destruct (effect_tidy w (fst x) p I) as [E A]. destruct I as (I0 & A0 & L0). simpl. unfold after.
  pose proof (taken_is_pending w (fst x) p) as taken. destruct (loses (denote P unit) p); (split; [ | split]); simpl.
  - intros n. destruct (same_node (at_node p) n); auto.
  - exact A0.
  - intros m H. destruct (take_is p m) eqn:K; [ | exact (L0 m H)]. destruct (taken m En K) as (R & _ & Y). auto.
  - intros n. destruct (same_node (at_node p) n); auto.
  - intros m. destruct (Model.receiver_of (m : message N) _) eqn:E'.
    + intros _. destruct (sent_is_addressed m _ _ w _ E' A) as [B C]. split; [exact B | ]. intros F. simpl in F. rewrite F.
      unfold a_message in *. simpl in C. lia.
    + intros H. destruct (A0 m H) as [B C]. split; [exact B | ]. intros F. specialize (C F). lia.
  - intros m H. destruct (L0 m H) as [Y R]. split; [exact Y | ]. rewrite R, orb_false_r.
    destruct (take_is p m) eqn:K; [ | reflexivity]. destruct (taken m En K) as (_ & X & _). congruence.
Qed.

(* --- obligations ----------------------------------------------------------------------------------------------------- *)

Definition has_invariant (i : nat) w x : Prop :=
  match nth_error invariants i with Some f => holds f (scene_at P unit w x) | None => True end.

(* What an obligation may take for granted of the state before. *)
Definition known w x : Prop := Induction.possible w /\ typed w (fst x) /\ forall i, has_invariant i w x.

Definition takes_action (a : nat) w x p : Prop := Induction.enabled w x p /\ by_action (p : pick T N) = a.

Definition initial_obligation (i : nat) : Prop :=
  forall w x, Induction.possible w -> typed w (fst x) -> Induction.first w x -> has_invariant i w x.
Definition step_obligation (a i : nat) : Prop :=
  forall w x p, known w x -> takes_action a w x p -> has_invariant i w (Induction.after w x p).
Definition once_obligation (a : nat) : Prop :=
  forall w x p, known w x -> takes_action a w x p -> asked_once unit P follow w (fst x) p.

(* --- bounds, as solver/prove/property.c says them ------------------------------------------------------------------- *)

Definition of_bound (b : bound) (v : list Z) (c : @scene T) : @scene T := bind_all (map fst (bound_variables b)) v c.

(* "The end of the step that sends it: its delivery less its delay, unless a pacer may hold it" *)
Definition sending_term (m : nat) (fields : list (term Int)) : term Syntax.Time :=
  match nth_error (messages P) m with
  | Some declared =>
    if match pacer_of declared with Some d => holds_it d | None => false end then Handed m fields
    else TimeSub (TimeOf m fields) (Delay (Syntax.delay declared) m fields)
  | None => TimeOf m fields
  end.

Definition target_event (b : bound) : term Bool :=
  match target_of b with SentTarget m f | DeliveredTarget m f => Sent m f | WhenTarget f _ _ => f end.
Definition target_time (b : bound) : term Syntax.Time :=
  match target_of b with
  | SentTarget m f => sending_term m f
  | DeliveredTarget m f => TimeOf m f
  | WhenTarget _ r n => Clock r n
  end.

Definition event_term (b : bound) : term Bool :=
  match from b with Some (m, f) => And (target_event b) (Sent m f) | None => target_event b end.
Definition time_term (b : bound) : term Syntax.Time :=
  match from b with Some (m, f) => TimeSub (target_time b) (sending_term m f) | None => target_time b end.

Definition bound_of (b : bound) : Induction.bound (T := T) S := {|
  Induction.over := list Z;
  Induction.happened := fun w x v =>
    choices_fit (bound_variables b) v (scene_at P unit w x) /\ holds (event_term b) (of_bound b v (scene_at P unit w x));
  Induction.at_time := fun w x v => value (time_term b) (of_bound b v (scene_at P unit w x));
  Induction.limit := fun w v => value (expression b) (of_bound b v (scene_of_world P unit w))
|}.

Definition kept (b : bound) w x : Prop := Induction.keeps S (bound_of b) w x.

Definition bound_initial_obligation (b : bound) : Prop :=
  forall w x, Induction.possible w -> typed w (fst x) -> Induction.first w x -> kept b w x.
Definition bound_step_obligation (b : bound) (a : nat) : Prop :=
  forall w x p, known w x -> kept b w x -> takes_action a w x p -> kept b w (Induction.after w x p).

(* --- the bound ------------------------------------------------------------------------------------------------------- *)

Lemma some_action w x p : Induction.enabled (s := S) w x p -> (by_action (p : pick T N) < length (actions P))%nat.
Proof.
  intros [(_ & _ & D & _) _]. simpl in D. unfold step_fits, action_at in D.
  destruct (nth_error (actions P) (by_action p)) eqn:E; [ | easy]. apply nth_error_Some. now rewrite E.
Qed.

Lemma silent_obligation a : match action_at P a with Some found => silent follow found | None => true end = true -> once_obligation a.
Proof.
  intros H w x p _ [E A]. destruct (some_action_at unit P w (fst x) p (proj1 E)) as [found X].
  apply (silent_once unit P follow w (fst x) p found X). now rewrite A in X; rewrite X in H.
Qed.

(* The stated ones, that every value is one of its type, and that charges follow messages. *)
Inductive invariant := Stated (i : nat) | Typed | Followed.

Definition invariant_of (i : invariant) w x : Prop :=
  match i with
  | Stated i => has_invariant i w x
  | Typed => typed w (fst x)
  | Followed => followed P follow (fst x)
  end.

Lemma each_invariant (Q : Prop) i w x : ((i < length invariants)%nat -> Q -> has_invariant i w x) -> Q -> has_invariant i w x.
Proof.
  intros H q. unfold has_invariant in *. destruct (nth_error invariants i) eqn:E; [ | exact I].
  apply H; [ | exact q]. apply nth_error_Some. now rewrite E.
Qed.

Lemma all_known w x : Induction.possible w -> Induction.all_hold S invariant_of w x -> known w x.
Proof. intros ok G. split; [exact ok | split; [exact (G Typed) | intros i; exact (G (Stated i))]]. Qed.

Lemma invariants_from_obligations :
  all_follow P follow = true ->
  each (length invariants) initial_obligation ->
  each (length (actions P)) (fun a => each (length invariants) (step_obligation a)) ->
  each (length (actions P)) once_obligation ->
  Induction.invariants_proved S invariant_of.
Proof.
  intros fits first steps once. split.
  - intros [i | | ] w x ok F; [ | now apply first_typed | ].
    + apply (each_invariant True); auto. intros L _. exact (each_is _ _ first i L w x ok (first_typed w x F) F).
    + intros f index _ H. destruct F as [(_ & _ & _ & F & _) _]. specialize (F (Step (component_of f) index)). simpl in F, H. congruence.
  - intros [i | | ] w x p ok G E; [ | apply step_typed; [exact E | exact (G Typed)] | ].
    + apply (each_invariant True); auto. intros L _.
      exact (each_is _ _ (each_is _ _ steps _ (some_action w x p E)) i L w x p (all_known w x ok G) (conj E eq_refl)).
    + apply followed_step; [exact fits | exact (proj1 E) | exact (G Followed)].
  - intros w x p ok G E. apply (once_follows unit P follow); [exact fits | exact (proj1 E) | exact (G Followed) | ].
    exact (each_is _ _ once _ (some_action w x p E) w x p (all_known w x ok G) (conj E eq_refl)).
Qed.

Theorem bound_from_obligations (b : bound) :
  all_follow P follow = true ->
  each (length invariants) initial_obligation ->
  each (length (actions P)) (fun a => each (length invariants) (step_obligation a)) ->
  each (length (actions P)) once_obligation ->
  bound_initial_obligation b ->
  each (length (actions P)) (bound_step_obligation b) ->
  forall w x, Induction.possible w -> Induction.reachable S w x -> kept b w x.
Proof.
  intros fits first steps once bound_first bound_steps.
  apply (Induction.bound_holds S invariant_of); [now apply invariants_from_obligations | split].
  - intros w x ok F. apply bound_first; auto using first_typed.
  - intros w x p ok G K E.
    apply (each_is _ _ bound_steps _ (some_action w x p E)); auto using all_known. now split.
Qed.
End Corollary.
