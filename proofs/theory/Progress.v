(* SPDX-License-Identifier: GPL-3.0-or-later

   Time goes on, after the head of solver/prove/progress.h. First ranks: if the obligations hold, then at no node do steps that take
   no time follow each other for ever at one moment, whatever the other nodes do in between. Then messages: no kind of them goes round
   at one moment for ever.

   Not here yet: that the two go together, as where a message that is taken sets timers that send the next; and that real
   executions need no more than this to have what they do next in the model. *)
From Coq Require Import List ZArith QArith Qcanon Qround Lqa Lia.
Import ListNotations.
Import ListNotations.
From Theory Require Import Time Induction.

Section Progress.
Context {T : times} (S : system) {invariant : Type} (holds : invariant -> world S -> state S -> Prop).
Context {action : Type} (action_of : pick S -> action).
Implicit Types (w : world S) (s : state S) (p : pick S) (moment : T) (left : action -> Prop).

(* Of one node: its steps on timers that take no time at a moment, and the steps of other nodes. *)
Variable quick : world S -> T -> state S -> pick S -> Prop.
Variable foreign : pick S -> Prop.

(* "All times of an execution that are rational are multiples of one": [ticks] are how many. Of a state and a moment [exact] says
   that its timers and the moment are such multiples. *)
Variables (ticks : T -> Z) (multiple : T -> Prop) (exact : world S -> T -> state S -> Prop).
Context (ticks_le : forall a b, multiple a -> multiple b -> (le a b <-> (ticks a <= ticks b)%Z)).

(* "A rank is an integer of the acting node": no other node changes it. Or it is a timer, "by how much it has passed": of an action
   that waits for it and whose quick steps find it passed. *)
Inductive rank :=
| Whole (value : world S -> T -> state S -> Z)
    (of_node : forall w moment s p, foreign p -> value w moment (after w s p) = value w moment s)
| Timer (due : world S -> state S -> T) (own : action -> Prop)
    (of_node : forall w s p, foreign p -> due w (after w s p) = due w s)
    (passed : forall w moment s p, enabled w s p -> quick w moment s p -> own (action_of p) -> le (due w s) moment)
    (is_multiple : forall w moment s, exact w moment s -> multiple moment /\ multiple (due w s)).

Local Open Scope Z_scope.

Definition value (r : rank) (w : world S) (moment : T) (s : state S) : Z :=
  match r with Whole f _ => f w moment s | Timer due _ _ _ _ => ticks moment - ticks (due w s) end.

Lemma of_node (r : rank) w moment s p : foreign p -> value r w moment (after w s p) = value r w moment s.
Proof. destruct r as [f same | due own same passed m]; intros F; simpl; [now apply same | now rewrite same]. Qed.

(* "it keeps a rank if none makes it larger"; of a timer: if none sets it sooner. *)
Definition keeps_rank (r : rank) (a : action) : Prop :=
  forall w moment s p, possible w -> all_hold S holds w s -> enabled w s p -> quick w moment s p -> action_of p = a ->
  match r with
  | Whole f _ => f w moment (after w s p) <= f w moment s
  | Timer due _ _ _ _ => le (due w s) (due w (after w s p))
  end.

(* "An action falls in a rank if each such step of it makes the rank smaller, from 0 or more"; "an action falls in it that sets it
   later". *)
Definition falls_in (r : rank) (a : action) : Prop :=
  match r with Whole _ _ => True | Timer _ own _ _ _ => own a end /\
  forall w moment s p, possible w -> all_hold S holds w s -> enabled w s p -> quick w moment s p -> action_of p = a ->
  match r with
  | Whole f _ => f w moment (after w s p) < f w moment s /\ 0 <= f w moment s
  | Timer due _ _ _ _ => ~ le (due w (after w s p)) (due w s)
  end.

(* With multiples of one time a timer is an integer, too. *)
Lemma keeps_value r a : keeps_rank r a -> forall w moment s p, possible w -> all_hold S holds w s -> enabled w s p ->
  quick w moment s p -> action_of p = a -> exact w moment s -> exact w moment (after w s p) ->
  value r w moment (after w s p) <= value r w moment s.
Proof.
  intros K w moment s p ok I E Q A X X'. specialize (K w moment s p ok I E Q A).
  destruct r as [f same | due own same passed m]; simpl; [exact K | ].
  destruct (m w moment s X) as [_ m1], (m w moment (after w s p) X') as [_ m2]. apply (ticks_le _ _ m1 m2) in K. lia.
Qed.

Lemma falls_value r a : falls_in r a -> forall w moment s p, possible w -> all_hold S holds w s -> enabled w s p ->
  quick w moment s p -> action_of p = a -> exact w moment s -> exact w moment (after w s p) ->
  value r w moment (after w s p) < value r w moment s /\ 0 <= value r w moment s.
Proof.
  intros [own_ K] w moment s p ok I E Q A X X'. specialize (K w moment s p ok I E Q A).
  destruct r as [f same | due own same passed m]; simpl; [exact K | ].
  destruct (m w moment s X) as [m0 m1], (m w moment (after w s p) X') as [_ m2].
  rewrite <- A in own_. pose proof (passed w moment s p E Q own_) as P. apply (ticks_le _ _ m1 m0) in P.
  rewrite (ticks_le _ _ m2 m1) in K. lia.
Qed.

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
  (* OBLIGATION_PROGRESS of steps on timers, by ranks that are integers or timers *)
  progress_ranks : ranked left stages
}.

(* Steps of other nodes, any number; then a quick one. *)
Inductive meanwhile w s : state S -> Prop :=
| meanwhile_nothing : meanwhile w s s
| meanwhile_step s' p : meanwhile w s s' -> enabled w s' p -> once w s' p -> foreign p -> meanwhile w s (after w s' p).

Definition goes_on left w moment s' s : Prop :=
  reachable S w s /\ exists s1 p, meanwhile w s s1 /\ enabled w s1 p /\ once w s1 p /\ quick w moment s1 p /\
  exact w moment s1 /\ exact w moment s' /\ left (action_of p) /\ s' = after w s1 p.

Lemma meanwhile_reachable w s s' : reachable S w s -> meanwhile w s s' -> reachable S w s'.
Proof. intros R. induction 1; auto using reachable_step. Qed.

Lemma meanwhile_keeps (r : rank) w moment s s' : meanwhile w s s' -> value r w moment s' = value r w moment s.
Proof. induction 1 as [ | s' p A IH E O F]; auto. now rewrite of_node. Qed.

Definition height (r : rank) w moment s : nat := Z.to_nat (value r w moment s + 1).

Lemma no_end_left left w moment s : (forall a, ~ left a) -> Acc (goes_on left w moment) s.
Proof. intros none. constructor. intros s' (_ & s1 & p & _ & _ & _ & _ & _ & _ & L & _). now destruct (none (action_of p)). Qed.

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
    pose proof G as (R & s1 & p & A & E & once1 & Q & X & X' & L & result).
    rewrite result in X'.
    assert (I : all_hold S holds w s1) by (apply (invariants_hold S holds O w s1 ok); eauto using meanwhile_reachable).
    pose proof (meanwhile_keeps r w moment s s1 A) as equal. specialize (K (action_of p) L).
    destruct (falls (action_of p)) eqn:F.
    + destruct (falls_value _ _ K w moment s1 p ok I E Q eq_refl X X') as [less from]. rewrite <- result in less.
      apply (below (height r w moment s')); [ | lia]. unfold height in *. lia.
    + pose proof (keeps_value _ _ K w moment s1 p ok I E Q eq_refl X X') as less. rewrite <- result in less.
      apply same.
      * split; auto. exists s1, p. rewrite <- result in X'. repeat split; auto.
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

(* Integers are multiples of 1; and of rational times, all that are multiples of 1/n. *)
Lemma integers_are_ticks : forall a b : integers, True -> True -> (le a b <-> (a <= b)%Z).
Proof. intros. reflexivity. Qed.

Definition rational_ticks (n : positive) (a : rationals) : Z := Qfloor (this a * inject_Z (Zpos n)).

Lemma rationals_are_ticks n (a b : rationals) :
  (exists i, this a * inject_Z (Zpos n) == inject_Z i)%Q -> (exists i, this b * inject_Z (Zpos n) == inject_Z i)%Q ->
  (le a b <-> (rational_ticks n a <= rational_ticks n b)%Z).
Proof.
  intros [i Ei] [j Ej]. unfold rational_ticks. rewrite Ei, Ej, !Qfloor_Z. change (this a <= this b <-> (i <= j)%Z)%Q.
  assert (pos : (0 < inject_Z (Zpos n))%Q) by reflexivity. rewrite <- (Qmult_le_r _ _ _ pos), Ei, Ej, <- Zle_Qle. reflexivity.
Qed.

(* Otherwise a timer may be set later for ever and stay passed: each time by less. *)
Lemma without_multiples : exists due : nat -> rationals, (forall i, ~ le (due (S i)) (due i)) /\ forall i, le (due i) (Q2Qc 1).
Proof.
  assert (pos : forall i, (0 < inject_Z (Z.of_nat (S i)))%Q) by (intros i; rewrite <- (Zlt_Qlt 0); lia).
  assert (le_is : forall a b : Q, (Q2Qc a <= Q2Qc b)%Qc <-> (a <= b)%Q).
  { intros a b. change (Qred a <= Qred b <-> a <= b)%Q. now rewrite !Qred_correct. }
  exists (fun i => Q2Qc (1 - / inject_Z (Z.of_nat (S i)))%Q). split.
  - intros i H. change (Q2Qc (1 - / inject_Z (Z.of_nat (S (S i)))) <= Q2Qc (1 - / inject_Z (Z.of_nat (S i))))%Qc in H.
    rewrite le_is in H. pose proof (pos i) as a. pose proof (pos (S i)) as b.
    assert (less : (inject_Z (Z.of_nat (S i)) < inject_Z (Z.of_nat (S (S i))))%Q) by (rewrite <- Zlt_Qlt; lia).
    apply (Qinv_lt_contravar _ _ a b) in less. lra.
  - intros i. change (Q2Qc (1 - / inject_Z (Z.of_nat (S i))) <= Q2Qc 1)%Qc. rewrite le_is.
    pose proof (Qinv_lt_0_compat _ (pos i)). lra.
Qed.

(* --- messages -------------------------------------------------------------------------------------------------------- *)

(* "no kind of message comes back to itself through steps that are charged nothing": so each kind has a height, and what is sent at
   once by who takes one is lower. Steps at one moment: each takes a message that is there and has others be there, all lower. *)
Section Messages.
Context {kind : Type} (height : kind -> nat).
Implicit Types (all new : list kind).

Inductive takes_one : list kind -> list kind -> Prop :=
| takes_it before m after new : (forall x, In x new -> (height x < height m)%nat) ->
    takes_one (before ++ new ++ after) (before ++ m :: after).

Lemma nothing_left : Acc takes_one [].
Proof. constructor. intros l T. inversion T as [b m a new H E1 E2]. now destruct b. Qed.

Lemma one_more m all : (forall x, (height x < height m)%nat -> forall l, Acc takes_one l -> Acc takes_one (x :: l)) ->
  Acc takes_one all -> Acc takes_one (m :: all).
Proof.
  intros lower A. induction A as [all A IH]. constructor. intros l T.
  inversion T as [b m' a new H E1 E2]. destruct b as [ | x b]; simpl in *; injection E2 as E3 E4; subst.
  - clear T. induction new as [ | x new IHnew]; simpl; [now constructor | ]. apply lower; [apply H; now left | ].
    apply IHnew. intros y I. apply H. now right.
  - apply IH. now constructor.
Qed.

Theorem messages_end : forall all, Acc takes_one all.
Proof.
  assert (H : forall h m, (height m < h)%nat -> forall all, Acc takes_one all -> Acc takes_one (m :: all)).
  { induction h as [ | h IH]; intros m lt all A; [lia | ]. apply one_more; auto. intros x less l Al. apply IH; auto. lia. }
  induction all as [ | m all IH]; [apply nothing_left | ]. apply (H (S (height m))); auto.
Qed.
End Messages.

Section Circles.
Context (S : system) {message : Type}.
Implicit Types (w : world S) (s : state S) (p : pick S).

(* Of a moment: what is there to be taken; and the steps that take a message at that moment and are charged nothing. *)
Variables (there : world S -> state S -> message -> Prop) (takes_at : world S -> state S -> pick S -> message -> Prop)
  (sends_at : world S -> state S -> pick S -> list message).
(* What a step takes was there and is not any more; and what is there after it was there or it sent it. *)
Context (taken : forall w s p m, takes_at w s p m -> there w s m /\ ~ there w (after w s p) m).
Context (arrives : forall w s p m, there w (after w s p) m -> there w s m \/ In m (sends_at w s p)).
Context (height : message -> nat).

Record circles_proved := {
  (* OBLIGATION_PROGRESS of messages: those that go round have a delay or a wait that is not 0, so they are not there at once *)
  progress_messages : forall w s p m x, possible w -> reachable S w s -> enabled w s p -> takes_at w s p m ->
    In x (sends_at w s p) -> there w (after w s p) x -> (height x < height m)%nat
}.

(* [all] has every message that is there: there are finitely many, as finitely many steps were taken. *)
Definition covers w s (all : list message) : Prop := forall m, there w s m -> In m all.

Lemma takes_cover w s p m all : circles_proved -> possible w -> reachable S w s -> enabled w s p -> takes_at w s p m ->
  covers w s all -> (forall x, In x (sends_at w s p) -> there w (after w s p) x \/ ~ there w (after w s p) x) ->
  exists all', takes_one height all' all /\ covers w (after w s p) all'.
Proof.
  intros C ok R E T cov dec. destruct (taken w s p m T) as [here gone].
  destruct (in_split m all (cov m here)) as (b & a & ->).
  assert (F : exists new, (forall x, In x (sends_at w s p) -> there w (after w s p) x -> In x new) /\
    forall x, In x new -> In x (sends_at w s p) /\ there w (after w s p) x).
  { revert dec. generalize (sends_at w s p) as l. induction l as [ | x l IH]; intros dec; [exists []; split; [intros x [] | intros x []] | ].
    destruct IH as (new & N1 & N2); [intros y I; apply dec; now right | ]. destruct (dec x (or_introl eq_refl)) as [yes | no].
    - exists (x :: new). split; [intros y [<- | I] t; [now left | right; auto] | ].
      intros y [<- | I]; [split; [now left | exact yes] | ]. destruct (N2 y I). split; auto. now right.
    - exists new. split; [intros y [<- | I] t; [contradiction | auto] | ]. intros y I. destruct (N2 y I). split; auto. now right. }
  destruct F as (new & N1 & N2). exists (b ++ new ++ a). split.
  - constructor. intros x I. destruct (N2 x I) as [I' t]. exact (progress_messages C w s p m x ok R E T I' t).
  - intros x t. destruct (arrives w s p x t) as [old | sent].
    + specialize (cov x old). apply in_app_or in cov. apply in_or_app. destruct cov as [I | [-> | I]]; auto; [contradiction | ].
      right. apply in_or_app. now right.
    + apply in_or_app. right. apply in_or_app. left. auto.
Qed.

(* So no execution has, from some state on, steps without end that take messages at one moment. *)
Theorem no_circles : circles_proved -> forall w (run : nat -> state S) (step : nat -> pick S) all, possible w ->
  covers w (run O) all -> (forall i x, there w (run i) x \/ ~ there w (run i) x) ->
  ~ forall i, reachable S w (run i) /\ enabled w (run i) (step i) /\ run (Datatypes.S i) = after w (run i) (step i) /\
      exists m, takes_at w (run i) (step i) m.
Proof.
  intros C w run step all ok cov dec on.
  assert (H : forall all, Acc (takes_one height) all -> forall i, covers w (run i) all -> False).
  { induction 1 as [l _ IH]. intros i cov_i. destruct (on i) as (R & E & next & m & T).
    destruct (takes_cover w (run i) (step i) m l C ok R E T cov_i) as (l' & T' & cov').
    - intros x _. rewrite <- next. apply dec.
    - rewrite <- next in cov'. exact (IH l' T' _ cov'). }
  exact (H all (messages_end height all) O cov).
Qed.
End Circles.
