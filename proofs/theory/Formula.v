(* SPDX-License-Identifier: GPL-3.0-or-later

   Formulas as data: what the obligations that Generator.v writes are made of, and what they mean. A bound variable is whatever
   [V] is:
   of the meaning an integer, of the text that goes to a solver a name. So no formula can capture a variable. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning.
Local Open Scope Z_scope.

(* What is made of many times. *)
Inductive gathering := Greatest | Least | Total.

Section Formulas.
Variable V : Type.

(* Each symbol is one of the state before, of the world, or of what the step picks. *)
Inductive expression : sort -> Type :=
| XVar (v : V) : expression Int
| XInt (z : Z) : expression Int
| XBool (b : bool) : expression Bool
| XLiteral (units : Z) : expression Time
| XZero : expression Time
| XPicked (v : nat) : expression Int              (* what the variable of the action stands for *)
| XRead : expression Time
| XWaited : expression Time
| XExecuted (charge : nat) : expression Time      (* the execution that the charge in this place is *)
| XParam (p : nat) : expression Int
| XInts (x role : nat) (node : expression Int) : expression Int
| XBools (x role : nat) (node : expression Int) : expression Bool
| XDurations (x role : nat) (node : expression Int) : expression Time
| XSets (x role : nat) (node element : expression Int) : expression Bool
| XMaps (x role : nat) (node key : expression Int) : expression Int
| XSent (m : nat) (fields : list (expression Int)) : expression Bool
| XReceived (m : nat) (fields : list (expression Int)) : expression Bool
| XLost (m : nat) (fields : list (expression Int)) : expression Bool
| XTimeOf (m : nat) (fields : list (expression Int)) : expression Time
| XReceiver (m : nat) (fields : list (expression Int)) : expression Int
| XCharged (c : nat) (indices : list (expression Int)) : expression Bool
| XClock (role : nat) (node : expression Int) : expression Time
| XOccurrence (c : nat) (indices : list (expression Int)) : expression Time
| XDelay (c m : nat) (fields : list (expression Int)) : expression Time
| XBare (c : nat) : expression Time
| XPlace (m : nat) (fields : list (expression Int)) : expression Int
| XPlaces : expression Int                        (* how many places on FIFO channels were given *)
| XNow : expression Time                           (* eager model *)
| XArrival (role : nat) (node : expression Int) : expression Time   (* advanced model *)
| XNot (a : expression Bool) : expression Bool
| XAnd (a b : expression Bool) : expression Bool
| XOr (a b : expression Bool) : expression Bool
| XImplies (a b : expression Bool) : expression Bool
| XIff (a b : expression Bool) : expression Bool
| XIntEq (a b : expression Int) : expression Bool
| XIntLt (a b : expression Int) : expression Bool
| XIntLe (a b : expression Int) : expression Bool
| XTimeEq (a b : expression Time) : expression Bool
| XTimeLt (a b : expression Time) : expression Bool
| XTimeLe (a b : expression Time) : expression Bool
| XAdd (a b : expression Int) : expression Int
| XSub (a b : expression Int) : expression Int
| XMul (a b : expression Int) : expression Int
| XDiv (a b : expression Int) : expression Int
| XMax (a b : expression Int) : expression Int
| XMin (a b : expression Int) : expression Int
| XTimeAdd (a b : expression Time) : expression Time
| XTimeSub (a b : expression Time) : expression Time
| XTimes (k : expression Int) (a : expression Time) : expression Time
| XLater (a b : expression Time) : expression Time
| XEarlier (a b : expression Time) : expression Time
| XIte (t : sort) (condition : expression Bool) (yes no : expression t) : expression t
| XAll (low high : expression Int) (body : V -> expression Bool) : expression Bool  (* both included *)
| XSome (low high : expression Int) (body : V -> expression Bool) : expression Bool
(* Of those from [low] to [high] that are inside: how many; what is made of their values; the value of the so manieth place. *)
| XCount (low high : expression Int) (inside : V -> expression Bool) : expression Int
| XGather (how : gathering) (low high : expression Int) (inside : V -> expression Bool) (body : V -> expression Time) : expression Time
| XKth (rank low high : expression Int) (inside : V -> expression Bool) (body : V -> expression Time) : expression Time
| XIntTotal (low high : expression Int) (inside : V -> expression Bool) (body : V -> expression Int) : expression Int
| XIntKth (rank low high : expression Int) (inside : V -> expression Bool) (body : V -> expression Int) : expression Int.

(* Those of all integers are formulas only, for no computation ends. *)
Inductive formula :=
| FIs (a : expression Bool)
| FNot (a : formula)
| FAnd (a b : formula)
| FOr (a b : formula)
| FImplies (a b : formula)
| FIff (a b : formula)
| FAll (body : V -> formula)
| FSome (body : V -> formula).
End Formulas.

Arguments XVar {V}. Arguments XInt {V}. Arguments XBool {V}. Arguments XLiteral {V}. Arguments XZero {V}. Arguments XPicked {V}.
Arguments XRead {V}. Arguments XWaited {V}. Arguments XExecuted {V}. Arguments XParam {V}. Arguments XInts {V}. Arguments XBools
{V}.
Arguments XDurations {V}. Arguments XSets {V}. Arguments XMaps {V}. Arguments XSent {V}. Arguments XReceived {V}. Arguments
XLost {V}.
Arguments XTimeOf {V}. Arguments XReceiver {V}. Arguments XCharged {V}. Arguments XClock {V}. Arguments XOccurrence {V}.
Arguments XDelay {V}. Arguments XBare {V}. Arguments XNot {V}. Arguments XAnd {V}. Arguments XOr {V}. Arguments XImplies {V}.
Arguments XIff {V}. Arguments XIntEq {V}. Arguments XIntLt {V}. Arguments XIntLe {V}. Arguments XTimeEq {V}. Arguments XTimeLt
{V}.
Arguments XTimeLe {V}. Arguments XAdd {V}. Arguments XSub {V}. Arguments XMul {V}. Arguments XDiv {V}. Arguments XMax {V}.
Arguments XMin {V}. Arguments XTimeAdd {V}. Arguments XTimeSub {V}. Arguments XTimes {V}. Arguments XLater {V}. Arguments
XEarlier {V}.
Arguments XPlace {V}. Arguments XPlaces {V}. Arguments XNow {V}. Arguments XArrival {V}. Arguments XIte {V t}. Arguments XAll {V}. Arguments XSome {V}.
Arguments XCount {V}. Arguments XGather {V}. Arguments XKth {V}. Arguments XIntTotal {V}. Arguments XIntKth {V}.
Arguments FIs {V}. Arguments FNot {V}. Arguments FAnd {V}. Arguments FOr {V}. Arguments FImplies {V}. Arguments FIff {V}.
Arguments FAll {V}. Arguments FSome {V}.

Section Sense.
Context {T : times}.

(* What the symbols stand for: a scene, and what a step picks beside. *)
Record interpretation := {
  symbols : @scene T;
  places_is : Z;
  now_was : T;
  arrival_was : a_node -> T;
  waited_is : T;
  executed_is : nat -> T
}.
Variable I : interpretation.

Definition gathered (how : gathering) : list T -> T :=
  match how with Greatest => extreme latest zero | Least => extreme lesser zero | Total => total end.

Fixpoint sense {t : sort} (x : expression Z t) {struct x} : meaning t :=
  let c := symbols I in
  match x in expression _ t return meaning t with
  | XVar v => v
  | XInt z => z
  | XBool b => b
  | XLiteral n => multiple n (unit_is c)
  | XZero => zero
  | XPicked v => variable_is c v
  | XRead => reads_as c
  | XWaited => waited_is I
  | XExecuted i => executed_is I i
  | XParam p => param_is c p
  | XInts x r n => ints (has c (r, sense n)) x
  | XBools x r n => bools (has c (r, sense n)) x
  | XDurations x r n => durations (has c (r, sense n)) x
  | XSets x r n e => sets (has c (r, sense n)) x (sense e)
  | XMaps x r n k => maps (has c (r, sense n)) x (sense k)
  | XSent m f => was_sent c (m, map (fun n => sense n) f)
  | XReceived m f => was_received c (m, map (fun n => sense n) f)
  | XLost m f => was_lost c (m, map (fun n => sense n) f)
  | XTimeOf m f => time_of c (m, map (fun n => sense n) f)
  | XReceiver m f => received_at c (m, map (fun n => sense n) f)
  | XCharged k i => was_charged c (Step k (map (fun n => sense n) i))
  | XClock r n => clock_of c (r, sense n)
  | XOccurrence k i => lasts c (Step k (map (fun n => sense n) i))
  | XDelay k m f => lasts c (Delayed k m (map (fun n => sense n) f))
  | XBare k => bare_is c k
  | XPlace m f => place_of c (m, map (fun n => sense n) f)
  | XPlaces => places_is I
  | XNow => now_was I
  | XArrival r n => arrival_was I (r, sense n)
  | XNot a => negb (sense a)
  | XAnd a b => sense a && sense b
  | XOr a b => sense a || sense b
  | XImplies a b => negb (sense a) || sense b
  | XIff a b => Bool.eqb (sense a) (sense b)
  | XIntEq a b => sense a =? sense b
  | XIntLt a b => sense a <? sense b
  | XIntLe a b => sense a <=? sense b
  | XTimeEq a b => before_or_at (sense a) (sense b) && before_or_at (sense b) (sense a)
  | XTimeLt a b => negb (before_or_at (sense b) (sense a))
  | XTimeLe a b => before_or_at (sense a) (sense b)
  | XAdd a b => sense a + sense b
  | XSub a b => sense a - sense b
  | XMul a b => sense a * sense b
  | XDiv a b => sense a / sense b
  | XMax a b => Z.max (sense a) (sense b)
  | XMin a b => Z.min (sense a) (sense b)
  | XTimeAdd a b => plus (sense a) (sense b)
  | XTimeSub a b => minus (sense a) (sense b)
  | XTimes k a => multiple (sense k) (sense a)
  | XLater a b => latest (sense a) (sense b)
  | XEarlier a b => lesser (sense a) (sense b)
  | XIte a b c => if sense a then sense b else sense c
  | XAll low high body => forallb (fun z => sense (body z)) (between_both (sense low) (sense high))
  | XSome low high body => existsb (fun z => sense (body z)) (between_both (sense low) (sense high))
  | XCount low high inside => Z.of_nat (length (filter (fun z => sense (inside z)) (between_both (sense low) (sense high))))
  | XGather how low high inside body =>
    gathered how (map (fun z => sense (body z)) (filter (fun z => sense (inside z)) (between_both (sense low) (sense high))))
  | XKth rank low high inside body =>
    kth before_or_at zero (sense rank)
      (map (fun z => sense (body z)) (filter (fun z => sense (inside z)) (between_both (sense low) (sense high))))
  | XIntTotal low high inside body =>
    int_total (map (fun z => sense (body z)) (filter (fun z => sense (inside z)) (between_both (sense low) (sense high))))
  | XIntKth rank low high inside body =>
    kth Z.leb 0 (sense rank)
      (map (fun z => sense (body z)) (filter (fun z => sense (inside z)) (between_both (sense low) (sense high))))
  end.

Fixpoint true_of (x : formula Z) : Prop :=
  match x with
  | FIs a => sense a = true
  | FNot a => ~ true_of a
  | FAnd a b => true_of a /\ true_of b
  | FOr a b => true_of a \/ true_of b
  | FImplies a b => true_of a -> true_of b
  | FIff a b => true_of a <-> true_of b
  | FAll body => forall z, true_of (body z)
  | FSome body => exists z, true_of (body z)
  end.
End Sense.
