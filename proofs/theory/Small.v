(* SPDX-License-Identifier: GPL-3.0-or-later

   What small protocols share: the worked examples and the counterexamples of this folder. They have no parameters, choices
   or schedules; one kind of message may have a pacer. What is given here is written once. *)
From Coq Require Import List Bool.
Import ListNotations.
From Theory Require Import Time Model.
Local Open Scope time_scope.

Section Small.
Context {part length role kind act value : Type}.
Context (is_role : forall a b : role, {a = b} + {a <> b}) (is_kind : forall a b : kind, {a = b} + {a <> b})
  (is_length : forall a b : length, {a = b} + {a <> b}).
Context (part_of : length -> part) (delay_of : kind -> length) (queueing_of : kind -> option length).
(* Which messages have the pacer, whether it holds them back, and which are on FIFO channels. *)
Context (paced_kind : kind -> bool) (holds : bool) (in_order : kind -> bool).

Definition small_names : names := {|
  parameters := unit; component := part; occurrence := length; node := role; message := kind;
  variables := value; choices := unit; action := act;
  is_node := is_role; is_message := is_kind; is_occurrence := is_length;
  Model.part_of := part_of; Model.delay_of := delay_of; Model.queueing_of := queueing_of;
  pacing := unit; is_pacing := fun a b : unit => match a, b with tt, tt => left eq_refl end;
  pacing_of m := if paced_kind m then Some tt else None;
  holds_back _ := holds; fifo := in_order
|}.
End Small.

(* Of each action: what it waits for, where it can be taken, and what it does. A pacer lets a message go every [every_] and keeps it
   for [most] at most. *)
Definition small_model (T : times) N (first : variables N)
  (waits : action N -> waiting (message N) (component N) (world T N -> state T N -> pick T N -> T))
  (role : action N -> node N -> Prop) (guards : state T N -> pick T N -> Prop) (charges : action N -> list (cost (component N) (occurrence N)))
  (values : state T N -> pick T N -> variables N) (messages : action N -> list (message N * node N))
  (from : message N -> node N) (urgency : message N -> nat) (every_ most : T) : model T N := Build_model T N
  (fun _ => True) (fun _ _ => True) (fun _ _ => first) waits
  (fun _ => None) (fun _ => false) (fun _ => false) urgency (* no schedule, no guard on a clock read *)
  (fun _ _ p => role (by_action p) (at_node p)) (fun _ => guards)
  (fun _ _ p => charges (by_action p)) (fun _ => values) (fun _ _ p => messages (by_action p))
  (fun _ _ _ _ => O) (fun _ => 1%nat) (fun _ => from) (* one statement that sends *)
  (fun _ => false) (fun _ _ => every_) (fun _ _ => most).

(* Any one state of what no channel and no pacer sees: all nodes have these variables and this clock, and one receives. *)
Definition small_state (T : times) N (values : variables N) (t : T) (was_sent : message N -> bool) (at_ : message N -> T) (n : node N)
  : state T N := Build_state T N
  (fun _ => values) (fun _ => t) was_sent (fun _ => false) (fun _ => false) at_ (fun _ => n) (fun _ => false)
  (fun _ => O) O (fun _ _ => 0) (fun _ => 0) (fun _ => 0).

(* The first state: what it says of messages that were not sent is of no account. *)
Definition small_first (T : times) N (first : variables N) (n : node N) : state T N :=
  small_state T N first 0 (fun _ => false) (fun _ => 0) n.

(* A step that waits for no timeout and executes nothing without a name; t: its clock read. *)
Definition small_pick (T : times) N (nothing : choices N) (a : action N) (n : node N) (m : option (message N)) (t : T) : pick T N :=
  Build_pick T N a n m nothing t 0 (fun _ => 0).
