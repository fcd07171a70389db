(* SPDX-License-Identifier: GPL-3.0-or-later

   A worked example: the protocol of ask.tp as a value of [model], its invariants and its bound, each obligation proved by hand
   where `tailproof verify` asks the solver, and what the theorem makes of them. *)
From Coq Require Import List Bool.
Import ListNotations.
From Theory Require Import Time Model Small Standard.
From Theory Require Induction.
Local Open Scope time_scope.

(* --- the names ------------------------------------------------------------------------------------------------------- *)

Inductive role := client | server.
Inductive kind := Request | Reply.
Inductive act := Ask | Answer.
Inductive part := Work | d.
Inductive length := work | delayed (m : kind).

Definition ask_names : names.
Proof.
  refine (small_names (part := part) (length := length) (role := role) (kind := kind) (act := act)
    (value := bool) (* the client's `asked`; the server's is not used *) _ _ _
    (fun o => match o with work => Work | delayed _ => d end) delayed (fun _ => None)
    (fun _ => false) false (fun _ => false)); repeat decide equality.
Defined.

Section Ask.
Context {T : times}.

(* --- the protocol ---------------------------------------------------------------------------------------------------- *)

Definition ask : model T ask_names := small_model T ask_names false
  (fun a => match a with Ask => Plain | Answer => Receives (fun m => match m with Request => true | Reply => false end) end)
  (fun a n => match a, n with Ask, client | Answer, server => True | _, _ => False end)
  (fun s p => match by_action p with Ask => of s (client : node ask_names) = false | Answer => True end)
  (fun a => match a with Ask => [] | Answer => [Named (work : occurrence ask_names)] end)
  (fun s p => match by_action p with Ask => true | Answer => of s (at_node p) end)
  (fun a =>
    match a with
    | Ask => [((Request, server) : message ask_names * node ask_names)]
    | Answer => [((Reply, client) : message ask_names * node ask_names)]
    end)
  (fun m => match m with Request => (client : node ask_names) | Reply => server end) (fun _ => O) 0 0.

Implicit Types (w : world T ask_names) (s : state T ask_names) (p : pick T ask_names).

(* --- its invariants, in the order of ask.tp -------------------------------------------------------------------------- *)

Inductive name := fresh | idle | known | answered | paid | arrives.

Definition holds (i : name) (w : world T ask_names) (s : state T ask_names) : Prop :=
  match i with
  | fresh => of s (client : node ask_names) = false -> clock s (client : node ask_names) = 0
  | idle => received s (Request : message ask_names) = false -> clock s (server : node ask_names) = 0
  | known => sent s (Request : message ask_names) = true -> of s (client : node ask_names) = true
  | answered => sent s (Reply : message ask_names) = true -> received s (Request : message ask_names) = true
  | paid => charged s (work : occurrence ask_names) = true -> received s (Request : message ask_names) = true
  | arrives => sent s (Request : message ask_names) = true ->
      delivered s (Request : message ask_names) <= delay w (Request : message ask_names)
  end.

Definition within (w : world T ask_names) : T :=
  delay w (Request : message ask_names) + length_of w (work : occurrence ask_names) + delay w (Reply : message ask_names).

Definition reply : Induction.bound (executions_of ask) :=
  bound_delivered ask (fun _ (_ : unit) => Reply : message ask_names) (fun w _ => within w).

(* --- the obligations ------------------------------------------------------------------------------------------------- *)

(* What is to be known of a step: which of the two actions it is, and what it requires. *)
Lemma steps w s p : enabled ask w s p ->
  (by_action p = Ask /\ at_node p = client /\ takes p = None /\ of s (client : node ask_names) = false) \/
  (by_action p = Answer /\ at_node p = server /\ takes p = Some (Request : message ask_names) /\
   pending s (Request : message ask_names) = true).
Proof.
  intros (_ & P & D & G & _). destruct p as [a n m ch r u x]. unfold takes_pending in P. simpl in *.
  destruct a, n, m as [ [ | ] | ]; simpl in *; try contradiction; try (destruct P; discriminate); intuition.
Qed.

Lemma pending_is s m : pending s m = true -> sent s m = true /\ received s m = false.
Proof. unfold pending. destruct (sent s m), (received s m); simpl; auto. Qed.

Ltac each_step E :=
  let B := fresh "B" in let A := fresh "A" in let C := fresh "C" in let G := fresh "G" in
  destruct (steps _ _ _ E) as [(B & A & C & G) | (B & A & C & G)];
  [ | apply pending_is in G; destruct G as [G ?]];
  match goal with p : pick _ _ |- _ => destruct p as [? ? ? ? ? ? ?]; simpl in B, A, C; subst end.

Theorem obligations : Induction.invariants_proved (executions_of ask) holds.
Proof.
  split.
  - intros i w s _ (F & C & S & O & _). destruct i; simpl; intros H; auto.
    + destruct (S (Request : message ask_names)) as [E _]. congruence.
    + destruct (S (Reply : message ask_names)) as [E _]. congruence.
    + specialize (O (work : occurrence ask_names)). congruence.
    + destruct (S (Request : message ask_names)) as [E _]. congruence.
  - intros i w s p ok I E. simpl in *.
    pose proof (I fresh) as If. pose proof (I idle) as Ii. pose proof (I known) as Ik. pose proof (I answered) as Ia.
    pose proof (I paid) as Ip. pose proof (I arrives) as Ir. simpl in *.
    each_step E; destruct i; simpl in *; intros H'; auto; try discriminate.
    all: try (rewrite leaves_at_once by reflexivity).
    all: try (specialize (If G); unfold finish, start, tN; simpl; rewrite If, !plus_zero).
    all: try (rewrite (plus_comm _ 0), plus_zero; apply le_refl).
  - intros w s p ok I E. simpl in *.
    pose proof (I known) as Ik. pose proof (I answered) as Ia. pose proof (I paid) as Ip. simpl in *.
    each_step E; repeat split; simpl; repeat constructor; auto.
    + intros m n [X | []]. inversion X; subst. destruct (sent s (Request : message ask_names)) eqn:Y; auto.
      specialize (Ik eq_refl). congruence.
    + easy.
    + intros m n [X | []]. inversion X; subst. destruct (sent s (Reply : message ask_names)) eqn:Y; auto.
      specialize (Ia eq_refl). congruence.
    + intros o [X | []]. subst. destruct (charged s (work : occurrence ask_names)) eqn:Y; auto.
      specialize (Ip eq_refl). congruence.
Qed.

Theorem obligations_of_reply : Induction.bound_proved (executions_of ask) holds reply.
Proof.
  split.
  - intros w s _ (_ & _ & S & _) v H. simpl in H. destruct (S (Reply : message ask_names)) as [E _]. congruence.
  - intros w s p ok I K E v H. simpl in *.
    pose proof (I idle) as Ii. pose proof (I arrives) as Ir. simpl in *.
    each_step E; simpl in *; [exact (K v H) | ].
    rewrite leaves_at_once by reflexivity. unfold finish, start, tN, within. simpl. rewrite Ii, plus_zero by assumption.
    apply plus_le, plus_le, latest_least; [ | now apply Ir].
    apply ok.
Qed.

(* --- the bound ------------------------------------------------------------------------------------------------------- *)

Theorem reply_in_time : forall w s, possible ask w -> reachable ask w s ->
  sent s (Reply : message ask_names) = true -> delivered s (Reply : message ask_names) <= within w.
Proof.
  intros w s ok R H.
  exact (Induction.bound_holds (executions_of ask) holds reply obligations obligations_of_reply w s ok R tt H).
Qed.

(* --- it is reached --------------------------------------------------------------------------------------------------- *)

(* A theorem about no execution says nothing. For all lengths that are possible there is one in which the reply is delivered,
   and no sooner than the bound: so the bound is tight. *)
Definition start_of : state T ask_names := small_first T ask_names false client.
Definition asks : pick T ask_names := small_pick T ask_names tt Ask client None 0.
Definition answers w : pick T ask_names :=
  small_pick T ask_names tt Answer server (Some Request) (latest 0 (delay w (Request : message ask_names))).

Theorem reply_reached : forall w, possible ask w -> exists s, reachable ask w s /\
  sent s (Reply : message ask_names) = true /\ delivered s (Reply : message ask_names) = within w.
Proof.
  intros w ok.
  assert (d0 : 0 <= delay w (Request : message ask_names)) by apply ok.
  set (s1 := after ask w start_of asks).
  assert (R1 : reachable ask w s1).
  { apply (Induction.reachable_step (executions_of ask)).
    - apply Induction.reachable_first. now repeat split.
    - refine (conj I (conj I (conj I (conj eq_refl (fun _ => _))))). refine (conj _ (conj _ (conj (conj _ I) (conj I (conj I _))))).
      + apply le_refl.
      + unfold finish, start, tN. simpl. rewrite plus_zero. apply le_refl.
      + intros i c E. destruct i; discriminate.
      + now apply paces_without_pacers.
    - repeat split; simpl; repeat constructor; auto. }
  assert (D : delivered s1 (Request : message ask_names) = delay w (Request : message ask_names)).
  { destruct (sending_is_finish ask w start_of asks (Request : message ask_names) eq_refl (or_introl eq_refl)) as (_ & _ & E).
    unfold s1. rewrite E, leaves_at_once by reflexivity. unfold finish, start, tN. simpl. now rewrite (plus_comm _ _ (delay _ _)), !plus_zero. }
  assert (L : latest 0 (delay w (Request : message ask_names)) = delay w (Request : message ask_names)).
  { apply le_antisym; [ | apply latest_right]. apply latest_least; [exact d0 | apply le_refl]. }
  exists (after ask w s1 (answers w)). repeat split.
  - apply (Induction.reachable_step (executions_of ask)); auto.
    + refine (conj I (conj (conj eq_refl (conj eq_refl (conj eq_refl (next_without_channels ask w s1 _ (fun _ => eq_refl))))) (conj I (conj I (fun _ => _))))).
      assert (B : start ask w s1 (answers w) = delay w (Request : message ask_names)).
      { unfold start, tN. simpl.
        change (latest 0 (delivered s1 (Request : message ask_names)) = delay w (Request : message ask_names)).
        now rewrite D. }
      refine (conj _ (conj _ (conj (conj _ I) (conj I (conj I _))))).
      * rewrite B. simpl. rewrite L. apply le_refl.
      * unfold finish. rewrite B. simpl. rewrite L, plus_zero. apply le_plus_right, ok.
      * intros i c E. destruct i as [ | [ | ]]; discriminate.
      * now apply paces_without_pacers.
    + repeat split; simpl; repeat constructor; auto.
      intros m n [X | []]. now inversion X.
  - destruct (sending_is_finish ask w s1 (answers w) (Reply : message ask_names) eq_refl (or_introl eq_refl)) as (_ & _ & E).
    rewrite E, leaves_at_once by reflexivity. unfold finish, start, tN, within. simpl.
    change (latest 0 (delivered s1 (Request : message ask_names)) + (length_of w (work : occurrence ask_names) + 0) +
      delay w (Reply : message ask_names) =
      delay w (Request : message ask_names) + length_of w (work : occurrence ask_names) + delay w (Reply : message ask_names)).
    now rewrite D, L, plus_zero.
Qed.
End Ask.
