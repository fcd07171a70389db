(* SPDX-License-Identifier: GPL-3.0-or-later

   Time goes on, after the head of solver/prove/progress.h. First ranks: if the obligations hold, then at no node do steps on
   timers that take no time follow each other for ever at one moment, whatever the other nodes do in between. Then messages, too:
   who takes one may send the next, or set timers that send it; no kind of them comes back to itself at one moment.

   Not here: that real executions need no more than this to have what they do next in the model. *)
From Coq Require Import List ZArith QArith Qcanon Qround Lqa Lia Permutation.
From Coq Require Import Relation_Operators Wellfounded.Transitive_Closure.
Import ListNotations.
From Theory Require Import Time Induction.

(* Vectors of one length, by the first place where they differ. *)
Inductive below : list nat -> list nat -> Prop :=
| below_here x y l l' : (x < y)%nat -> length l = length l' -> below (x :: l) (y :: l')
| below_later x y l l' : (x <= y)%nat -> below l l' -> below (x :: l) (y :: l').

Lemma below_ends : well_founded below.
Proof.
  assert (H : forall n l, length l = n -> Acc below l).
  { induction n as [ | n IH]; intros l E; [destruct l; [constructor; intros v B; inversion B | discriminate] | ].
    destruct l as [ | y l]; [discriminate | ]. injection E as E. revert l E.
    induction y as [y less] using (well_founded_induction lt_wf). intros l E.
    pose proof (IH l E) as A. induction A as [l _ same]. constructor. intros v B.
    inversion B as [x y' k k' lt len | x y' k k' le_ B']; subst; [apply less; auto; congruence | ].
    assert (len : length k = length l).
    { clear - B'. induction B'; simpl; congruence. }
    apply Nat.lt_eq_cases in le_ as [lt | ->]; [apply less; auto; congruence | ]. apply same; congruence. }
  intros l. exact (H _ l eq_refl).
Qed.

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

(* The ranks of a node, as one vector: other nodes leave it, and each quick step lowers it. *)
Definition energy (stages : list (rank * (action -> bool))) w moment s : list nat :=
  map (fun stage => height (fst stage) w moment s) stages.

Lemma foreign_keeps_energy stages w moment s p : foreign p -> energy stages w moment (after w s p) = energy stages w moment s.
Proof. intros F. apply map_ext. intros [r falls]. unfold height. simpl. now rewrite of_node. Qed.

Lemma quick_lowers_energy left stages w moment s p : ranked left stages -> possible w -> all_hold S holds w s -> enabled w s p ->
  quick w moment s p -> left (action_of p) -> exact w moment s -> exact w moment (after w s p) ->
  below (energy stages w moment (after w s p)) (energy stages w moment s).
Proof.
  intros K ok I E Q L X X'. revert left K L. induction stages as [ | [r falls] others IH]; intros left K L.
  - now destruct (K (action_of p)).
  - destruct K as [K rest]. specialize (K (action_of p) L). simpl. destruct (falls (action_of p)) eqn:F.
    + destruct (falls_value _ _ K w moment s p ok I E Q eq_refl X X') as [less from].
      apply below_here; [unfold height; simpl; lia | unfold energy; now rewrite !map_length].
    + pose proof (keeps_value _ _ K w moment s p ok I E Q eq_refl X X') as less.
      apply below_later; [unfold height; simpl; lia | ]. apply (IH _ rest). now split.
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

(* --- timers and messages together --------------------------------------------------------------------------------------- *)

(* Of things with a height, and of one height with a vector: one is taken away, and any number that are lower come. *)
Section Things.
Definition thing : Type := nat * list nat.
Definition lower (a b : thing) : Prop := (fst a < fst b)%nat \/ fst a = fst b /\ below (snd a) (snd b).

Lemma lower_ends : well_founded lower.
Proof.
  intros [h v]. revert v. induction h as [h IH] using (well_founded_induction lt_wf). intros v.
  induction v as [v same] using (well_founded_induction below_ends). constructor. intros [h' v'] [less | [E B]]; simpl in *; auto.
  subst. now apply same.
Qed.

Definition fewer (after before : list thing) : Prop := exists one new rest,
  Permutation before (one :: rest) /\ Permutation after (new ++ rest) /\ forall x, In x new -> lower x one.

Lemma fewer_permuted a b b' : Permutation b b' -> fewer a b -> fewer a b'.
Proof. intros P (one & new & rest & B & A & L). exists one, new, rest. split; auto. now rewrite <- P. Qed.

Lemma ends_permuted b b' : Permutation b b' -> Acc fewer b -> Acc fewer b'.
Proof. intros P [A]. constructor. intros a F. apply A. eapply fewer_permuted; [symmetry; exact P | exact F]. Qed.

Lemma one_more_thing one all : (forall x, lower x one -> forall l, Acc fewer l -> Acc fewer (x :: l)) -> Acc fewer all ->
  Acc fewer (one :: all).
Proof.
  intros less A. induction A as [all A IH]. constructor. intros l (it & new & rest & B & P & L).
  assert (H : it = one /\ Permutation all rest \/
    exists others, Permutation all (it :: others) /\ Permutation rest (one :: others)).
  { assert (I : In it (one :: all)) by (rewrite B; now left). destruct I as [<- | I].
    - left. split; auto. now apply Permutation_cons_inv in B.
    - right. apply in_split in I as (l1 & l2 & ->). exists (l1 ++ l2). split; [symmetry; apply Permutation_middle | ].
      apply Permutation_cons_inv with (a := it). rewrite <- B. rewrite perm_swap. apply perm_skip. symmetry.
      apply Permutation_middle. }
  destruct H as [[-> R] | (others & R1 & R2)].
  - apply (ends_permuted (new ++ all)); [rewrite P; now apply Permutation_app_head | ]. clear P B.
    induction new as [ | x new IHnew]; simpl; [now constructor | ]. apply less; [apply L; now left | ].
    apply IHnew. intros y I. apply L. now right.
  - apply (ends_permuted (one :: new ++ others)).
    + rewrite P, R2. apply Permutation_middle.
    + apply IH. exists it, new, others. auto.
Qed.

Theorem things_end : well_founded fewer.
Proof.
  assert (H : forall one all, Acc fewer all -> Acc fewer (one :: all)).
  { intros one. induction one as [one IH] using (well_founded_induction lower_ends). intros all. now apply one_more_thing. }
  intros all. induction all as [ | one all IH]; [ | now apply H].
  constructor. intros l (it & new & rest & B & _). now apply Permutation_nil_cons in B.
Qed.
End Things.

Section Together.
Context (S : system) {message node : Type}.
Implicit Types (w : world S) (s : state S) (p : pick S) (n : node).

(* Of a moment: what is there to be taken; the steps that must be taken at it and are charged nothing, which take a message or
   wait for a timer; what they send; and the ranks of each node ([energy]; timers lower them by [quick_lowers_energy]). *)
Variables (there : world S -> state S -> message -> Prop) (node_of : pick S -> node)
  (takes_at : world S -> state S -> pick S -> message -> Prop) (on_timer : world S -> state S -> pick S -> Prop)
  (sends_at : world S -> state S -> pick S -> list message) (energy_of : world S -> state S -> node -> list nat).
Context (taken : forall w s p m, takes_at w s p m -> there w s m /\ ~ there w (after w s p) m).
Context (arrives : forall w s p m, there w (after w s p) m -> there w s m \/ In m (sends_at w s p)).
Context (of_others : forall w s p n, n <> node_of p -> energy_of w (after w s p) n = energy_of w s n).

(* No kind of message comes back to itself, not by way of a timer either: so kinds of messages and roles have heights. *)
Context (message_height : message -> nat) (role_height : node -> nat).

Record moments_proved := {
  (* OBLIGATION_PROGRESS of messages: what is sent at once by who takes one is of a lower kind *)
  progress_sends : forall w s p m x, possible w -> reachable S w s -> enabled w s p -> takes_at w s p m ->
    In x (sends_at w s p) -> there w (after w s p) x -> (message_height x < message_height m)%nat;
  (* OBLIGATION_PROGRESS of messages: who takes one leaves the ranks of its timers, or its role is lower than the kind *)
  progress_arms : forall w s p m, possible w -> reachable S w s -> enabled w s p -> takes_at w s p m ->
    energy_of w (after w s p) (node_of p) = energy_of w s (node_of p) \/ (role_height (node_of p) < message_height m)%nat;
  (* OBLIGATION_PROGRESS of steps on timers: each lowers the ranks of its node *)
  progress_timers : forall w s p, possible w -> reachable S w s -> enabled w s p -> on_timer w s p ->
    below (energy_of w (after w s p) (node_of p)) (energy_of w s (node_of p));
  (* OBLIGATION_PROGRESS of what steps on timers send at once: it is of a lower kind than their role *)
  progress_of_timers : forall w s p x, possible w -> reachable S w s -> enabled w s p -> on_timer w s p ->
    In x (sends_at w s p) -> there w (after w s p) x -> (message_height x < role_height (node_of p))%nat
}.

(* All that is there, as things: of finitely many messages, and of the nodes that take steps. *)
Definition of_message m : thing := (message_height m, []).
Definition of_a_node w s n : thing := (role_height n, energy_of w s n).
Definition things w s (messages : list message) (nodes : list node) : list thing :=
  map of_message messages ++ map (of_a_node w s) nodes.
Definition has_all w s (messages : list message) : Prop := forall m, there w s m -> In m messages.
Definition known w s p : Prop := forall x, there w (after w s p) x \/ ~ there w (after w s p) x.

Lemma those_there w s p : known w s p -> exists new, (forall x, In x (sends_at w s p) -> there w (after w s p) x -> In x new) /\
  forall x, In x new -> In x (sends_at w s p) /\ there w (after w s p) x.
Proof.
  intros dec. induction (sends_at w s p) as [ | x l (new & N1 & N2)]; [exists []; split; [intros x [] | intros x []] | ].
  destruct (dec x) as [yes | no].
  - exists (x :: new). split; [intros y [<- | I] t; [now left | right; auto] | ].
    intros y [<- | I]; [split; [now left | exact yes] | ]. destruct (N2 y I). split; auto. now right.
  - exists new. split; [intros y [<- | I] t; [contradiction | auto] | ]. intros y I. destruct (N2 y I). split; auto. now right.
Qed.

(* The node whose step it is, and the others, which stay as they are. *)
Lemma node_apart w s p nodes : NoDup nodes -> In (node_of p) nodes -> exists rest,
  Permutation (map (of_a_node w s) nodes) (of_a_node w s (node_of p) :: rest) /\
  Permutation (map (of_a_node w (after w s p)) nodes) (of_a_node w (after w s p) (node_of p) :: rest).
Proof.
  intros D I. apply in_split in I as (l1 & l2 & ->). apply NoDup_remove_2 in D.
  exists (map (of_a_node w s) (l1 ++ l2)). rewrite !map_app. simpl.
  assert (E : forall l, (forall x, In x l -> In x (l1 ++ l2)) -> map (of_a_node w (after w s p)) l = map (of_a_node w s) l).
  { intros l sub. apply map_ext_in. intros n J. unfold of_a_node. rewrite of_others; auto. intros ->. auto. }
  rewrite (E l1), (E l2) by (intros x J; apply in_or_app; auto).
  split; symmetry; apply Permutation_middle.
Qed.

Notation several := (clos_trans _ fewer).

Lemma timer_step w s p messages nodes : moments_proved -> possible w -> reachable S w s -> enabled w s p -> on_timer w s p ->
  known w s p -> NoDup nodes -> In (node_of p) nodes -> has_all w s messages ->
  exists messages', several (things w (after w s p) messages' nodes) (things w s messages nodes) /\
    has_all w (after w s p) messages'.
Proof.
  intros K ok R E Q dec D I H. destruct (those_there w s p dec) as (new & N1 & N2). exists (new ++ messages). split.
  - apply t_step. destruct (node_apart w s p nodes D I) as (rest & B & A). unfold things.
    exists (of_a_node w s (node_of p)), (of_a_node w (after w s p) (node_of p) :: map of_message new),
      (map of_message messages ++ rest).
    split; [ | split].
    + rewrite B. symmetry. apply Permutation_middle.
    + rewrite A, map_app. symmetry. simpl. rewrite app_assoc. apply Permutation_middle.
    + intros x [<- | J]; [right; split; auto; now apply (progress_timers K) | ].
      apply in_map_iff in J as (m & <- & J). destruct (N2 m J). left. now apply (progress_of_timers K w s p).
  - intros m t. apply in_or_app. destruct (arrives w s p m t); auto.
Qed.
Lemma message_step w s p m messages nodes : moments_proved -> possible w -> reachable S w s -> enabled w s p ->
  takes_at w s p m -> known w s p -> NoDup nodes -> In (node_of p) nodes -> has_all w s messages ->
  exists messages', several (things w (after w s p) messages' nodes) (things w s messages nodes) /\
    has_all w (after w s p) messages'.
Proof.
  intros K ok R E T dec D I H. destruct (taken w s p m T) as [here gone].
  destruct (those_there w s p dec) as (new & N1 & N2). destruct (in_split m messages (H m here)) as (b & a & ->).
  exists (new ++ b ++ a). assert (sent : forall x, In x (map of_message new) -> lower x (of_message m)).
  { intros x J. apply in_map_iff in J as (x' & <- & J). destruct (N2 x' J). left. now apply (progress_sends K w s p). }
  destruct (node_apart w s p nodes D I) as (rest & B & A). split.
  - assert (from : Permutation (things w s (b ++ m :: a) nodes)
      (of_message m :: of_a_node w s (node_of p) :: map of_message (b ++ a) ++ rest)).
    { unfold things. rewrite B, !map_app. simpl. transitivity ((of_message m :: map of_message b ++ map of_message a) ++
        of_a_node w s (node_of p) :: rest).
      - apply Permutation_app_tail. symmetry. apply Permutation_middle.
      - simpl. apply perm_skip. symmetry. apply Permutation_middle. }
    assert (to : Permutation (things w (after w s p) (new ++ b ++ a) nodes)
      (map of_message new ++ of_a_node w (after w s p) (node_of p) :: map of_message (b ++ a) ++ rest)).
    { unfold things. rewrite A, map_app, <- app_assoc. apply Permutation_app_head. symmetry. apply Permutation_middle. }
    destruct (progress_arms K w s p m ok R E T) as [same | less].
    + apply t_step. exists (of_message m), (map of_message new), (of_a_node w s (node_of p) :: map of_message (b ++ a) ++ rest).
      split; [exact from | split; auto]. rewrite to. unfold of_a_node at 1. now rewrite same.
    + apply (t_trans _ _ _ (of_a_node w s (node_of p) :: map of_message new ++ of_a_node w (after w s p) (node_of p) ::
        map of_message (b ++ a) ++ rest)); apply t_step.
      * exists (of_a_node w s (node_of p)), [], (map of_message new ++ of_a_node w (after w s p) (node_of p) ::
          map of_message (b ++ a) ++ rest). split; [reflexivity | split; [exact to | intros x []]].
      * exists (of_message m), (map of_message new ++ [of_a_node w (after w s p) (node_of p)]),
          (of_a_node w s (node_of p) :: map of_message (b ++ a) ++ rest). split; [exact from | split].
        -- rewrite <- app_assoc. simpl. rewrite Permutation_middle. apply Permutation_app_head. apply perm_swap.
        -- intros x J. apply in_app_or in J as [J | [<- | []]]; auto. now left.
  - intros x t. destruct (arrives w s p x t) as [old | ?]; [ | apply in_or_app; auto].
    specialize (H x old). apply in_app_or in H. apply in_or_app. right. apply in_or_app.
    destruct H as [J | [-> | J]]; auto. contradiction.
Qed.

(* So no execution has, from some state on, steps without end that must be taken at one moment. Given are its nodes, all that is
   there in the first of these states, and whether a message is there. *)
Theorem no_moment_without_end : moments_proved -> forall w (run : nat -> state S) (step : nat -> pick S) messages nodes,
  possible w -> NoDup nodes -> has_all w (run O) messages -> (forall i x, there w (run i) x \/ ~ there w (run i) x) ->
  ~ forall i, reachable S w (run i) /\ enabled w (run i) (step i) /\ run (Datatypes.S i) = after w (run i) (step i) /\
      In (node_of (step i)) nodes /\ (on_timer w (run i) (step i) \/ exists m, takes_at w (run i) (step i) m).
Proof.
  intros K w run step messages nodes ok D H dec on.
  assert (E : forall all, Acc several all -> forall i l, all = things w (run i) l nodes -> has_all w (run i) l -> False).
  { induction 1 as [all _ IH]. intros i l -> Hl. destruct (on i) as (R & En & next & I & kind).
    assert (decided : known w (run i) (step i)) by (intros x; rewrite <- next; apply dec).
    assert (F : exists l', several (things w (run (Datatypes.S i)) l' nodes) (things w (run i) l nodes) /\
      has_all w (run (Datatypes.S i)) l').
    { rewrite next. destruct kind as [Q | [m T]]; [now apply timer_step | now apply (message_step w (run i) (step i) m)]. }
    destruct F as (l' & less & Hl'). exact (IH _ less (Datatypes.S i) l' eq_refl Hl'). }
  refine (E _ _ O messages eq_refl H). apply Acc_clos_trans. apply things_end.
Qed.
End Together.

(* Messages that set timers have to be looked at: a node asks when its timer is due, and the answer, there at once, makes it due
   again. Each step on the timer lowers the rank of the node, no message is sent by who takes one, and this goes on for ever. *)
Definition asks_again : system := {|
  world := unit; state := bool (* whether the answer is there *); pick := unit; possible _ := True; first _ s := s = false;
  enabled _ _ _ := True; once _ _ _ := True; after _ s _ := negb s |}.
Definition rank_of_asking (s : bool) : list nat := [if s then 0 else 1]%nat.

Lemma asks_for_ever (run := Nat.odd) : run O = false /\ (forall i, run (S i) = negb (run i)) /\
  (forall s, s = false -> below (rank_of_asking (negb s)) (rank_of_asking s)) /\
  forall message_height role_height, ~ moments_proved asks_again (message := unit) (fun _ s _ => s = true) (fun _ => tt)
    (fun _ s _ _ => s = true) (fun _ s _ => s = false) (fun _ s _ => if s then [] else [tt]) (fun _ s _ => rank_of_asking s)
    message_height role_height.
Proof.
  split; [reflexivity | split; [ | split]].
  - intros i. unfold run. now rewrite Nat.odd_succ, <- Nat.negb_odd.
  - intros s ->. constructor; auto with arith.
  - intros mh rh K. assert (R0 : reachable asks_again tt false) by (constructor; reflexivity).
    assert (R1 : reachable asks_again tt true) by (refine (reachable_step asks_again tt false tt R0 I I)).
    destruct (progress_arms _ _ _ _ _ _ _ _ _ K tt true tt tt I R1 I eq_refl) as [E | less]; [discriminate | ].
    pose proof (progress_of_timers _ _ _ _ _ _ _ _ _ K tt false tt tt I R0 I eq_refl (or_introl eq_refl) eq_refl) as more.
    simpl in *. lia.
Qed.
