(* SPDX-License-Identifier: GPL-3.0-or-later

   Protocols as data. What lang/model.h declares (terms, statements, actions, messages, roles, bounds) is a value here, printed by
   `tailproof certify --theory`; Meaning.v says which protocol of Model.v it is.

   A node is the integer that represents it, and so is a value of an enumeration and a bool that is a field of a message. So there
   are five sorts of terms, and no term of another sort than it seems. Families have the term that is their size beside them, as
   everything that speaks of all nodes of one needs it. *)
From Coq Require Import ZArith List.
Import ListNotations.

Inductive sort := Int | Bool | Time | NodeSet | Map.

(* Names are numbers: of parameters, components, messages, roles, states and variables, each kind by itself. *)
Inductive term : sort -> Type :=
| Integer (z : Z) : term Int
| Boolean (b : bool) : term Bool
| Literal (units : Z) : term Time                               (* so many units: the protocol says of what length *)
| Param (p : nat) : term Int
| Var (v : nat) : term Int
| Read : term Time                                              (* the clock read of the action *)
| State (t : sort) (x role : nat) (node : term Int) : term t
| Next (size node : term Int) : term Int
| Prev (size node : term Int) : term Int

| AllNodes : term NodeSet
| OwnedNodes (each node : term Int) : term NodeSet
| SetOf (nodes : list (term Int)) : term NodeSet
| Union (a b : term NodeSet) : term NodeSet
| Difference (a b : term NodeSet) : term NodeSet
| Intersection (a b : term NodeSet) : term NodeSet
| In_ (node : term Int) (set : term NodeSet) : term Bool
| Cardinality (size : term Int) (set : term NodeSet) : term Int
| SameSet (size : term Int) (a b : term NodeSet) : term Bool
| EveryKey (element : term Int) : term Map
| Get (map : term Map) (key : term Int) : term Int

| Sent (m : nat) (fields : list (term Int)) : term Bool
| Pending (m : nat) (fields : list (term Int)) : term Bool
| Received (m : nat) (fields : list (term Int)) : term Bool
| Lost (m : nat) (fields : list (term Int)) : term Bool
| Receiver (m : nat) (fields : list (term Int)) : term Int
| Charged (c : nat) (indices : list (term Int)) : term Bool
| TimeOf (m : nat) (fields : list (term Int)) : term Time       (* of delivery *)
| Clock (role : nat) (node : term Int) : term Time
| Arrival (role : nat) (node : term Int) : term Time            (* advanced model *)
| Now : term Time                                               (* eager model *)
| PacerNext (m role : nat) (node : term Int) : term Time        (* when the node's pacer of the kind lets the next one go *)
| Paced (m : nat) (fields : list (term Int)) : term Time
| Handed (m : nat) (fields : list (term Int)) : term Time
| Place (m : nat) (fields : list (term Int)) : term Int         (* in the order of sending, on a FIFO channel *)

| Occurrence (c : nat) (indices : list (term Int)) : term Time
| Delay (c m : nat) (fields : list (term Int)) : term Time      (* or wait *)
| Bare (c : nat) : term Time

| Not (a : term Bool) : term Bool
| And (a b : term Bool) : term Bool
| Or (a b : term Bool) : term Bool
| Implies (a b : term Bool) : term Bool
| Iff (a b : term Bool) : term Bool
| IntEq (a b : term Int) : term Bool
| IntLt (a b : term Int) : term Bool
| IntLe (a b : term Int) : term Bool
| TimeEq (a b : term Time) : term Bool
| TimeLt (a b : term Time) : term Bool
| TimeLe (a b : term Time) : term Bool
| Add (a b : term Int) : term Int
| Sub (a b : term Int) : term Int
| Mul (a b : term Int) : term Int
| Div (a b : term Int) : term Int
| Power (base exponent : term Int) : term Int
| TimeAdd (a b : term Time) : term Time
| TimeSub (a b : term Time) : term Time
| Times (number : term Int) (a : term Time) : term Time
| Ite (t : sort) (condition : term Bool) (yes no : term t) : term t
| NumberOf (a : term Bool) : term Int                           (* of a bool that is a field: 1 or 0 *)

| Forall (v : nat) (d : domain) (body : term Bool) : term Bool
| Exists (v : nat) (d : domain) (body : term Bool) : term Bool
| IntMax (first : term Int) (others : list (term Int)) : term Int
| IntMin (first : term Int) (others : list (term Int)) : term Int
| TimeMax (first : term Time) (others : list (term Time)) : term Time
| TimeMin (first : term Time) (others : list (term Time)) : term Time
| MaxOver (v : nat) (d : domain) (body : term Time) : term Time
| MinOver (v : nat) (d : domain) (body : term Time) : term Time
| SumOver (v : nat) (d : domain) (body : term Time) : term Time
| KthOver (v : nat) (d : domain) (body : term Time) (rank : term Int) : term Time
| IntSumOver (v : nat) (d : domain) (body : term Int) : term Int
| IntKthOver (v : nat) (d : domain) (body : term Int) (rank : term Int) : term Int

with domain : Type :=
| Family (size : term Int)                      (* every node; every value of an enumeration *)
| Among (size : term Int) (set : term NodeSet)  (* every node in the set *)
| Range (low high : term Int)                   (* both included *)
| Integers.                                     (* in formulas of invariants only *)

Definition IntNe a b := Not (IntEq a b).
Definition IntGt a b := IntLt b a.
Definition IntGe a b := IntLe b a.
Definition TimeNe a b := Not (TimeEq a b).
Definition TimeGt a b := TimeLt b a.
Definition TimeGe a b := TimeLe b a.

Inductive statement :=
| Assign (t : sort) (x : nat) (value : term t)
| AssignKey (x : nat) (key value : term Int)
| If (condition : term Bool) (yes no : list statement)
| Send (m : nat) (fields : list (term Int)) (receiver : term Int) (each : list (nat * domain)).

(* What a step waits for; messages with the variables that are their fields. *)
Inductive trigger :=
| Always
| On (m : nat) (fields : list nat)
| After (timeout : nat)
| At (due : term Time)
| Losing (m : nat) (fields : list nat).

Record charge := {
  component_charged : nat;
  repeated : bool;
  indices : list (term Int);
  condition : option (term Bool);
  batch : option (nat * domain)
}.

Record action := {
  acts : nat;       (* its role *)
  self : nat;       (* the variable that is its node *)
  trigger_of : trigger;
  choices_of : list (nat * domain);
  guards : list (term Bool);
  charges : list charge;
  body : list statement;
  in_slot : bool;             (* of a schedule *)
  slot_timeout : option nat;
  idle_step : bool
}.

(* "every T burst B"; what it allows beyond that; whether what is sent waits for it. *)
Record pacer := {
  every_ : term Time;
  allows : term Time;
  holds_it : bool
}.

(* The size of what a field or a state takes its values from: of nodes, an enumeration, a bool; None: every integer. *)
Record message := {
  fields_of : list (option (term Int));
  received_by : nat; (* the receiver's role *)
  sent_by : nat;
  sent_from : term Int; (* on a FIFO channel: the node; variable i is the field i *)
  delay : nat;
  priority_of : nat;
  on_fifo : bool;
  pacer_of : option pacer
}.

Record variable := {
  owner : nat;       (* its role *)
  sort_of : sort;
  values : option (term Int);
  initial_self : nat;
  initial : term sort_of
}.

Record role := {
  size : term Int; (* 1 of a single node *)
  external : bool
}.

Inductive timing_model := StandardModel | EagerModel | AdvancedModel.

Inductive target :=
| SentTarget (m : nat) (fields : list (term Int))
| DeliveredTarget (m : nat) (fields : list (term Int))
| WhenTarget (formula : term Bool) (role : nat) (node : term Int).

Record bound := {
  bound_variables : list (nat * domain);
  from : option (nat * list (term Int));
  target_of : target;
  expression : term Time
}.

(* In the formulas of a phase the time that is read is when the phase began. *)
Definition Began : term Time := Read.

(* What ends it is a bound without variables, which counts from time 0. *)
Record phase := {
  start_of : term Bool;
  during : list (term Bool); (* its invariants *)
  end_of : bound
}.

Record protocol := {
  timing_of : timing_model;
  assumptions : list (term Bool);
  roles : list role;
  messages : list message;
  states : list variable;
  actions : list action;
  queueing : option nat
}.
