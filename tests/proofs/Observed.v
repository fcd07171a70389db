(* SPDX-License-Identifier: GPL-3.0-or-later

   What the interpreter saw of a step, held against the same step of Denote.v, computed: the state before as a value, what the step
   picks, and what was there afterwards; whether the rules of its timing model let it start then; and in which phases the state lies.
   tests/tools/agree.c prints the observations. Times are integers. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote Corollary Phases.
Local Open Scope Z_scope.

Record observed := {
  seen_ints : list (nat * Z * nat * Z);       (* role, node, state, value *)
  seen_bools : list (nat * Z * nat * bool);
  seen_times : list (nat * Z * nat * Z);
  seen_sets : list (nat * Z * nat * list Z);  (* for each node 1 or 0 *)
  seen_maps : list (nat * Z * nat * list Z);  (* by key *)
  seen_clocks : list (nat * Z * Z);
  seen_messages : list (nat * list Z * (bool * bool * Z * Z)); (* received, lost, delivered, receiver *)
  seen_places : list Z;                       (* of these messages, in the order of sending *)
  seen_charges : list (nat * list Z);
  seen_next : list (nat * Z * nat * Z);       (* role, node, kind of message, when its pacer lets the next one go *)
  seen_now : Z;
  seen_arrivals : list (nat * Z * Z)
}.

Definition look {A} (none : A) (r : nat) (n : Z) (x : nat) (all : list (nat * Z * nat * A)) : A :=
  match find (fun e => match e with (r', n', x', _) => Nat.eqb r r' && Z.eqb n n' && Nat.eqb x x' end) all with
  | Some (_, _, _, a) => a
  | None => none
  end.

Definition look_time (n : a_node) (all : list (nat * Z * Z)) : Z :=
  match find (fun e => match e with (r', n', _) => Nat.eqb (fst n) r' && Z.eqb (snd n) n' end) all with
  | Some (_, a) => a
  | None => 0
  end.

Fixpoint same_list (a b : list Z) : bool :=
  match a, b with [], [] => true | x :: a, y :: b => Z.eqb x y && same_list a b | _, _ => false end.

Definition look_message (m : a_message) (all : list (nat * list Z * (bool * bool * Z * Z))) :=
  match find (fun e => Nat.eqb (fst m) (fst (fst e)) && same_list (snd m) (snd (fst e))) all with
  | Some (_, a) => Some a
  | None => None
  end.

Section Observed.
Variable P : protocol.
Let N := names_of (T := integers) P.

Definition store_of (o : observed) (n : a_node) : @store integers := {|
  ints x := look 0 (fst n) (snd n) x (seen_ints o);
  bools x := look false (fst n) (snd n) x (seen_bools o);
  durations x := look (0 : integers) (fst n) (snd n) x (seen_times o);
  sets x z := Z.eqb (nth (Z.to_nat z) (look [] (fst n) (snd n) x (seen_sets o)) 0) 1;
  maps x z := nth (Z.to_nat z) (look [] (fst n) (snd n) x (seen_maps o)) 0
|}.

Definition seen_of (o : observed) (m : a_message) : option (bool * bool * Z * Z) := look_message m (seen_messages o).
Definition clock_in (o : observed) (n : a_node) : integers := look_time n (seen_clocks o).
Definition sent_in (o : observed) (m : a_message) : bool := if seen_of o m then true else false.
Definition received_in (o : observed) (m : a_message) : bool :=
  match seen_of o m with Some (r, l, _, _) => r && negb l | None => false end.
Definition lost_in (o : observed) (m : a_message) : bool := match seen_of o m with Some (_, l, _, _) => l | None => false end.
Definition delivered_in (o : observed) (m : a_message) : integers := match seen_of o m with Some (_, _, t, _) => t | None => 0 end.
Definition receiver_in (o : observed) (m : a_message) : a_node :=
  (role_receiving P (fst m), match seen_of o m with Some (_, _, _, n) => n | None => 0 end).
Definition charged_in (o : observed) (c : an_occurrence) : bool :=
  match c with
  | Step k i => existsb (fun e => Nat.eqb k (fst e) && same_list i (snd e)) (seen_charges o)
  | Delayed _ _ _ => false
  end.

Definition next_in (o : observed) (n : a_node) (k : nat) : integers := look (0 : integers) (fst n) (snd n) k (seen_next o).
Definition place_in (o : observed) (m : a_message) : nat :=
  match find (fun e => Nat.eqb (fst m) (fst (fst (fst e))) && same_list (snd m) (snd (fst (fst e)))) (combine (seen_messages o) (seen_places o))
  with Some (_, k) => Z.to_nat k | None => O end.

Definition state_of (o : observed) : state integers N :=
  @Build_state integers N (store_of o) (clock_in o) (sent_in o) (received_in o) (lost_in o) (delivered_in o) (receiver_in o)
    (charged_in o) (place_in o) (length (seen_messages o)) (next_in o) (fun _ => 0 : integers) (fun _ => 0 : integers).

Definition length_in (bares : list Z) (steps : list (nat * list Z * Z)) (delays : list (nat * nat * list Z * Z)) (o : an_occurrence)
  : integers :=
  match o with
  | Step k [] => nth k bares 0
  | Step k i =>
    match find (fun e => Nat.eqb k (fst (fst e)) && same_list i (snd (fst e))) steps with Some (_, t) => t | None => 0 end
  | Delayed k m f =>
    match find (fun e => match e with (k', m', f', _) => Nat.eqb k k' && Nat.eqb m m' && same_list f f' end) delays with
    | Some (_, t) => t
    | None => 0
    end
  end.

(* Parameters and bare names by number; occurrences by name. *)
Definition world_of (params bares : list Z) (steps : list (nat * list Z * Z)) (delays : list (nat * nat * list Z * Z))
  : world integers N :=
  @Build_world integers N (fun p : nat => nth p params 0) (fun k : nat => nth k bares 0) (length_in bares steps delays).

Definition pick_of (a role : nat) (n : Z) (m : option a_message) (chosen : list Z) (read wait : Z) (costs : list Z)
  : pick integers N :=
  @Build_pick integers N (a : nat) ((role, n) : a_node) (m : option a_message) (chosen : list Z) (read : integers) (wait : integers)
    (fun i => nth i costs 0).

Let M := denote P (1 : integers).

(* Whether all guards hold, the message's fields among them. *)
Definition guards_hold (w : world integers N) (s : state integers N) (p : pick integers N) : bool :=
  match action_at P (by_action p) with
  | Some a =>
    let c := step_scene P (1 : integers) a w s p in
    forallb (fun g : term Bool => value g c : bool) (guards a) &&
    same_list (map (variable_is c) (message_variables a)) (taken_fields P p) && Z.eqb (variable_is c (self a)) (snd (at_node p : a_node))
  | None => false
  end.

Definition same_charges (all : list an_occurrence) (seen : list (nat * list Z)) : bool :=
  Nat.eqb (length all) (length seen) &&
  forallb (fun e => existsb (fun o => match o with Step k i => Nat.eqb k (fst e) && same_list i (snd e) | _ => false end) all) seen.

Definition same_sends (all : list (a_message * a_node)) (seen : list (nat * list Z)) : bool :=
  Nat.eqb (length all) (length seen) &&
  forallb (fun e => existsb (fun s => Nat.eqb (fst (fst s)) (fst e) && same_list (snd (fst s)) (snd e)) all) seen.

Definition is_state (s : state integers N) (o : observed) : bool :=
  forallb (fun e => match e with (r, n, x, v) => Z.eqb (ints (of s ((r, n) : node N)) x) v end) (seen_ints o) &&
  forallb (fun e => match e with (r, n, x, v) => Bool.eqb (bools (of s ((r, n) : node N)) x) v end) (seen_bools o) &&
  forallb (fun e => match e with (r, n, x, v) => Z.eqb (durations (of s ((r, n) : node N)) x) v end) (seen_times o) &&
  forallb (fun e => match e with (r, n, x, v) =>
    same_list (map (fun z => if sets (of s ((r, n) : node N)) x z then 1 else 0) (between_both 0 (Z.of_nat (length v) - 1))) v end)
    (seen_sets o) &&
  forallb (fun e => match e with (r, n, x, v) =>
    same_list (map (maps (of s ((r, n) : node N)) x) (between_both 0 (Z.of_nat (length v) - 1))) v end) (seen_maps o) &&
  forallb (fun e => match e with (r, n, t) => Z.eqb (clock s ((r, n) : node N)) t end) (seen_clocks o) &&
  forallb (fun e => match e with (m, f, (r, l, t, n)) =>
    let i := (m, f) : message N in
    sent s i && Bool.eqb (received s i) (r && negb l) && Bool.eqb (lost s i) l && Z.eqb (delivered s i) t &&
    Z.eqb (snd (receiver s i : a_node)) n && Nat.eqb (fst (receiver s i : a_node)) (role_receiving P m) end) (seen_messages o) &&
  forallb (fun e => match e with (r, n, k, t) => Z.eqb ((next s : a_node -> nat -> Z) (r, n) k) t end) (seen_next o) &&
  forallb (fun e => charged s (Step (fst e) (snd e) : occurrence N)) (seen_charges o).

(* --- the rules of Model.v and Timing.v, computed --- *)

Section Rules.
Variables (w : world integers N) (s : state integers N) (there : list a_message).

Definition in_turn (m : a_message) : bool :=
  forallb (fun m' => negb (pending s (m' : message N) && fifo N (m : message N) && fifo N (m' : message N) &&
      (if same_node (sender M w (m : message N)) (sender M w (m' : message N)) then true else false) &&
      (if same_node (receiver s (m : message N)) (receiver s (m' : message N)) then true else false)) ||
    Nat.leb (place s (m : message N)) (place s (m' : message N))) there.

Definition is_patient (p : pick integers N) : bool :=
  match waits_for M (by_action p), takes p, patience M (by_action p) with
  | Receives _, Some m, Some c => delivered s m <=? tN s p + bare w c
  | _, _, _ => true
  end.

Definition takes_what_is_there (p : pick integers N) : bool :=
  match waits_for M (by_action p), takes p with
  | Receives kind, Some m | Loses kind, Some m =>
    kind m && pending s m && (if same_node (receiver s m) (at_node p) then true else false) && in_turn m
  | Receives _, None | Loses _, None => false
  | _, Some _ => false
  | _, None => true
  end.

Fixpoint all_choices (all : list (nat * Syntax.domain)) (c : @scene integers) : list (list Z) :=
  match all with
  | [] => [[]]
  | (v, d) :: all => flat_map (fun z => map (cons z) (all_choices all (bind v z c))) (members d c)
  end.

(* Some choice of the action, at a node, with which it could be taken whatever its clock read. *)
Definition some_pick (k : nat) (a : Syntax.action) (n : a_node) (m : option a_message) (good : pick integers N -> bool) : bool :=
  let with_ chosen := pick_of k (fst n) (snd n) m chosen 0 0 [] in
  negb (existsb mentions_read (guards a)) && Nat.eqb (fst n) (acts a) && (0 <=? snd n) &&
  (snd n <? size_of P (1 : integers) w (fst n)) &&
  existsb (fun chosen => guards_hold w s (with_ chosen) && good (with_ chosen))
    (all_choices (choices_of a) (step_scene P (1 : integers) a w s (with_ []))).

Definition numbered_actions : list (nat * Syntax.action) := combine (seq 0 (length (actions P))) (actions P).

Definition receivable (m : a_message) : bool :=
  pending s (m : message N) && in_turn m &&
  existsb (fun ka => match trigger_of (snd ka) with
    | On kind _ => Nat.eqb kind (fst m) && some_pick (fst ka) (snd ka) (receiver s (m : message N)) (Some m) is_patient
    | _ => false end) numbered_actions.

Definition waits_no_longer (p : pick integers N) : bool :=
  match waits_for M (by_action p), takes p with
  | Receives _, Some m => match queueing_of N m with Some o => tN s p <=? delivered s m + length_of w o | None => true end
  | _, _ => true
  end.

Definition passes_nothing (p : pick integers N) : bool :=
  let from := start M w s p in
  forallb (fun m : a_message => match queueing_of N m with
    | Some o => negb (receivable m) || (from <=? delivered s (m : message N) + length_of w o) | None => true end) there &&
  forallb (fun ka => match trigger_of (snd ka) with
    | At _ => forallb (fun z => negb (some_pick (fst ka) (snd ka) (acts (snd ka), z) None (fun q =>
        match waits_for M (by_action q) with Timer due => negb (from <=? Z.max (tN s q) (due w s q)) | _ => false end)))
        (between_both 0 (size_of P (1 : integers) w (acts (snd ka)) - 1))
    | _ => true end) numbered_actions.

(* Of what the node could receive instead, all that is [before] the message taken is no earlier than [than]. *)
Definition nothing_earlier (p : pick integers N) (before : a_message -> bool) (than : Z) : bool :=
  forallb (fun m' => negb ((if same_node (receiver s (m' : message N)) (at_node p) then true else false) && before m' && receivable m') ||
    (than <=? delivered s (m' : message N))) there.

Definition rules_allow (o : observed) (p : pick integers N) : bool :=
  takes_what_is_there p && (loses M p || is_patient p && waits_no_longer p &&
  match waits_for M (by_action p), takes p, timing_of P with
  | Receives _, Some m, AdvancedModel =>
    nothing_earlier p (fun _ => true) (delivered s m) && (look_time (at_node p) (seen_arrivals o) <=? delivered s m)
  | Receives _, Some m, EagerModel =>
    nothing_earlier p (fun m' => Nat.ltb (priority M m) (priority M (m' : message N))) (start M w s p)
  | _, _, _ => true
  end && match timing_of P with EagerModel => (seen_now o <=? start M w s p) && passes_nothing p | _ => true end).

(* What of the timing model is more in the state after. *)
Definition more_agrees (before : observed) (p : pick integers N) (afterwards : observed) : bool :=
  match timing_of P with
  | StandardModel => true
  | EagerModel => Z.eqb (changes (eager M) w s (seen_now before) p) (seen_now afterwards)
  | AdvancedModel => forallb (fun e => match e with (r, n, t) =>
      Z.eqb (changes (advanced M) w s (fun n => look_time n (seen_arrivals before)) p ((r, n) : node N)) t end) (seen_arrivals afterwards)
  end.
End Rules.

Definition sent_before (o : observed) : list a_message := map fst (seen_messages o).

(* A step that its guards allow, and the rules of time do not. *)
Definition refused_in_time (w : world integers N) (o : observed) (p : pick integers N) : bool :=
  guards_hold w (state_of o) p && negb (rules_allow w (state_of o) (sent_before o) o p).

(* What a step did: when it started and ended, what it sent and was charged, and the state after it. *)
Definition agrees (w : world integers N) (before : observed) (p : pick integers N) (times : option (Z * Z))
  (sent_now charged_now : list (nat * list Z)) (afterwards : observed) : bool :=
  let s := state_of before in
  guards_hold w s p && rules_allow w s (sent_before before) before p && more_agrees w s before p afterwards && is_state s before && is_state (after M w s p) afterwards &&
  same_sends (sends M w s p) sent_now && same_charges (named_in (N := N) (costs M w s p)) charged_now &&
  match times with
  | Some (from, until) => Z.eqb (start M w s p) from && Z.eqb (finish M w s p) until && (from <=? reads p) && (reads p <=? until)
  | None => true
  end.

Definition first_agrees (w : world integers N) (o : observed) : bool :=
  is_state (@Build_state integers N (first_variables M w) (fun _ => 0 : integers) (fun _ => false) (fun _ => false) (fun _ => false)
    (fun _ => 0 : integers) (fun _ => (O, 0)) (fun _ => false) (fun _ => O) O (fun _ _ => 0 : integers) (fun _ => 0 : integers)
    (fun _ => 0 : integers)) o.

(* --- phases --- *)

(* What is seen in a state of one phase: whether it has ended, and when; and of each phase, as if it had begun then, the truth of
   its start and of its invariants that speak of no integers without end. *)
Definition seen_phase : Type := nat * Z * option Z * list (list (option bool)).

Definition as_seen (c : @scene integers) (f : term Bool) (seen : option bool) : bool :=
  match seen with Some b => computes f && Bool.eqb (value f c) b | None => negb (computes f) end.

Fixpoint all_as_seen (c : @scene integers) (all : list (term Bool)) (seen : list (option bool)) : bool :=
  match all, seen with
  | [], [] => true
  | f :: all, b :: seen => as_seen c f b && all_as_seen c all seen
  | _, _ => false
  end.

(* The phases of a state from number k on, where that one began at b: "Several phases may end in one state". *)
Fixpoint phases_from (w : world integers N) (o : observed) (phases : list phase) (k : nat) (b : Z) (seen : list seen_phase) : bool :=
  match seen with
  | [] => Nat.leb (length phases) k
  | (k', b', ended_at, truths) :: seen =>
    let here := scene_of P (1 : integers) w (state_of o)
      {| arrival n := look_time n (seen_arrivals o) : integers; now := seen_now o : integers |} in
    let ph := phase_at phases k in
    let ended := value (target_event (end_of ph)) (here 0) in
    Nat.eqb k k' && Z.eqb b b' &&
    Nat.eqb (length truths) (length phases) &&
    forallb (fun pt => all_as_seen (here b) (start_of (fst pt) :: during (fst pt)) (snd pt)) (combine phases truths) &&
    match ended_at with
    | Some t => ended && Z.eqb (value (target_time P (end_of ph)) (here 0)) t &&
      phases_from w o phases (S k) (b + takes_time (1 : integers) P ph w) seen
    | None => negb ended && match seen with [] => true | _ => false end
    end
  end.

Definition phases_agree (w : world integers N) (o : observed) (phases : list phase) (k : nat) (seen : list seen_phase) : bool :=
  phases_from w o phases k (fold_right (fun ph t => takes_time (1 : integers) P ph w + t) 0 (firstn k phases)) seen.
End Observed.
