(* SPDX-License-Identifier: GPL-3.0-or-later

   Terms of Syntax.v, of a state that is itself made of expressions (Formula.v), as expressions of the state before. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Formula.
Local Open Scope Z_scope.

(* What is not covered, by name. *)
Inductive feature :=
| Powers | EndlessDomains
| Pacers | Choices | Batches | SeveralReceivers | UnknownAction | UnknownInvariant.

Definition integer_in {t : sort} (x : term t) : option Z := match x with Integer z => Some z | _ => None end.

Section Translate.
Variable V : Type.
Local Notation expression := (expression V).

(* A set is who is in it, a map what each key has. *)
Definition result (t : sort) : Type :=
  match t with
  | Int => expression Int | Bool => expression Bool | Syntax.Time => expression Syntax.Time
  | NodeSet => expression Int -> expression Bool | Map => expression Int -> expression Int
  end.

Definition choose (a : expression Bool) (t : sort) : result t -> result t -> result t :=
  match t with
  | Int | Bool | Syntax.Time => fun x y => XIte a x y
  | NodeSet | Map => fun f g n => XIte a (f n) (g n)
  end.

(* A state, by what can be asked of it. *)
Record symbolic := {
  y_read : expression Syntax.Time;
  y_state : forall t : sort, nat -> nat -> expression Int -> result t;
  y_sent : nat -> list (expression Int) -> expression Bool;
  y_received : nat -> list (expression Int) -> expression Bool;
  y_lost : nat -> list (expression Int) -> expression Bool;
  y_time : nat -> list (expression Int) -> expression Syntax.Time;
  y_receiver : nat -> list (expression Int) -> expression Int;
  y_charged : nat -> list (expression Int) -> expression Bool;
  y_clock : nat -> expression Int -> expression Syntax.Time;
  y_arrival : nat -> expression Int -> expression Syntax.Time;
  y_now : expression Syntax.Time;
  y_place : nat -> list (expression Int) -> expression Int
}.

Definition environment := nat -> expression Int.
Definition let_be (v : nat) (a : expression Int) (env : environment) : environment := set_at v a env.

Fixpoint translate {t : sort} (x : term t) (env : environment) (y : symbolic) {struct x} : result t :=
  match x in term t return result t with
  | Integer z => XInt z
  | Boolean b => XBool b
  | Literal n => XLiteral n
  | Param p => XParam p
  | Var v => env v
  | Read => y_read y
  | State t x r n => y_state y t x r (translate n env y)
  | Next size n =>
    let n := translate n env y in XIte (XIntLt (XAdd n (XInt 1)) (translate size env y)) (XAdd n (XInt 1)) (XInt 0)
  | Prev size n =>
    let n := translate n env y in XIte (XIntLt (XInt 0) n) (XSub n (XInt 1)) (XSub (translate size env y) (XInt 1))
  | AllNodes => fun _ => XBool true
  | OwnedNodes each n => fun z =>
    let n := translate n env y in let each := translate each env y in
    XAnd (XIntLt (XInt 0) each) (XIntEq (XDiv z each) n)
  | SetOf nodes => fun z => fold_right (fun n a => XOr (XIntEq z n) a) (XBool false) (map (fun n => translate n env y) nodes)
  | Union a b => fun z => XOr (translate a env y z) (translate b env y z)
  | Difference a b => fun z => XAnd (translate a env y z) (XNot (translate b env y z))
  | Intersection a b => fun z => XAnd (translate a env y z) (translate b env y z)
  | In_ n s => translate s env y (translate n env y)
  | Cardinality size s =>
    XCount (XInt 0) (XSub (translate size env y) (XInt 1)) (fun z => translate s env y (XVar z))
  | SameSet size a b =>
    XAll (XInt 0) (XSub (translate size env y) (XInt 1))
      (fun v => XIff (translate a env y (XVar v)) (translate b env y (XVar v)))
  | EveryKey e => fun _ => translate e env y
  | Get m k => translate m env y (translate k env y)
  | Sent m f => y_sent y m (map (fun n => translate n env y) f)
  | Pending m f =>
    let f := map (fun n => translate n env y) f in
    XAnd (XAnd (y_sent y m f) (XNot (y_received y m f))) (XNot (y_lost y m f))
  | Received m f => y_received y m (map (fun n => translate n env y) f)
  | Lost m f => y_lost y m (map (fun n => translate n env y) f)
  | Receiver m f => y_receiver y m (map (fun n => translate n env y) f)
  | Charged k i => y_charged y k (map (fun n => translate n env y) i)
  | TimeOf m f => y_time y m (map (fun n => translate n env y) f)
  | Clock r n => y_clock y r (translate n env y)
  | Arrival r n => y_arrival y r (translate n env y)
  | Now => y_now y
  | PacerNext _ _ _ | Paced _ _ | Handed _ _ => XZero
  | Place m f => y_place y m (map (fun n => translate n env y) f)
  | Occurrence k [] => XBare k
  | Occurrence k i => XOccurrence k (map (fun n => translate n env y) i)
  | Delay k m f => XDelay k m (map (fun n => translate n env y) f)
  | Bare k => XBare k
  | Not a => XNot (translate a env y)
  | And a b => XAnd (translate a env y) (translate b env y)
  | Or a b => XOr (translate a env y) (translate b env y)
  | Implies a b => XImplies (translate a env y) (translate b env y)
  | Iff a b => XIff (translate a env y) (translate b env y)
  | IntEq a b => XIntEq (translate a env y) (translate b env y)
  | IntLt a b => XIntLt (translate a env y) (translate b env y)
  | IntLe a b => XIntLe (translate a env y) (translate b env y)
  | TimeEq a b => XTimeEq (translate a env y) (translate b env y)
  | TimeLt a b => XTimeLt (translate a env y) (translate b env y)
  | TimeLe a b => XTimeLe (translate a env y) (translate b env y)
  | Add a b => XAdd (translate a env y) (translate b env y)
  | Sub a b => XSub (translate a env y) (translate b env y)
  | Mul a b => XMul (translate a env y) (translate b env y)
  | Div a b => XDiv (translate a env y) (translate b env y)
  | Power _ _ => XInt 0
  | TimeAdd a b => XTimeAdd (translate a env y) (translate b env y)
  | TimeSub a b => XTimeSub (translate a env y) (translate b env y)
  | Times k a => XTimes (translate k env y) (translate a env y)
  | Ite t a yes no => choose (translate a env y) t (translate yes env y) (translate no env y)
  | NumberOf a => XIte (translate a env y) (XInt 1) (XInt 0)
  | Forall v d a => over true d env y (fun z => translate a (let_be v (XVar z) env) y)
  | Exists v d a => over false d env y (fun z => translate a (let_be v (XVar z) env) y)
  | IntMax a others => fold_left XMax (map (fun n => translate n env y) others) (translate a env y)
  | IntMin a others => fold_left XMin (map (fun n => translate n env y) others) (translate a env y)
  | TimeMax a others => fold_left XLater (map (fun n => translate n env y) others) (translate a env y)
  | TimeMin a others => fold_left XEarlier (map (fun n => translate n env y) others) (translate a env y)
  | MaxOver v d a =>
    let '(low, high, inside) := ranging d env y in
    XGather Greatest low high inside (fun z => translate a (let_be v (XVar z) env) y)
  | MinOver v d a =>
    let '(low, high, inside) := ranging d env y in
    XGather Least low high inside (fun z => translate a (let_be v (XVar z) env) y)
  | SumOver v d a =>
    let '(low, high, inside) := ranging d env y in
    XGather Total low high inside (fun z => translate a (let_be v (XVar z) env) y)
  | KthOver v d a k =>
    let '(low, high, inside) := ranging d env y in
    XKth (translate k env y) low high inside (fun z => translate a (let_be v (XVar z) env) y)
  | IntSumOver v d a =>
    let '(low, high, inside) := ranging d env y in
    XIntTotal low high inside (fun z => translate a (let_be v (XVar z) env) y)
  | IntKthOver v d a k =>
    let '(low, high, inside) := ranging d env y in
    XIntKth (translate k env y) low high inside (fun z => translate a (let_be v (XVar z) env) y)
  end
with over (all : bool) (d : Syntax.domain) (env : environment) (y : symbolic) (body : V -> expression Bool) {struct d}
  : expression Bool :=
  match d with
  | Family size =>
    (if all then XAll else XSome) (XInt 0) (XSub (translate size env y) (XInt 1)) body
  | Among size s =>
    if all then XAll (XInt 0) (XSub (translate size env y) (XInt 1)) (fun z => XImplies (translate s env y (XVar z)) (body z))
    else XSome (XInt 0) (XSub (translate size env y) (XInt 1)) (fun z => XAnd (translate s env y (XVar z)) (body z))
  | Range low high => (if all then XAll else XSome) (translate low env y) (translate high env y) body
  | Integers => XBool all
  end
(* The same as a range, and who in it is one. *)
with ranging (d : Syntax.domain) (env : environment) (y : symbolic) {struct d} : expression Int * expression Int * (V -> expression Bool) :=
  match d with
  | Family size => (XInt 0, XSub (translate size env y) (XInt 1), fun _ => XBool true)
  | Among size s => (XInt 0, XSub (translate size env y) (XInt 1), fun z => translate s env y (XVar z))
  | Range low high => (translate low env y, translate high env y, fun _ => XBool true)
  | Integers => (XInt 1, XInt 0, fun _ => XBool true)
  end.

(* What of the term is not covered. *)
Fixpoint lacks {t : sort} (x : term t) {struct x} : list feature :=
  match x with
  | Integer _ | Boolean _ | Literal _ | Param _ | Var _ | Read | AllNodes | Bare _ | Now => []
  | PacerNext _ _ _ | Paced _ _ | Handed _ _ => [Pacers]
  | Power _ _ => [Powers]
  | State _ _ _ a | EveryKey a | Clock _ a | Arrival _ a => lacks a
  | Not a | NumberOf a => lacks a
  | Next a b | Prev a b | Add a b | Sub a b | Mul a b | Div a b | IntEq a b | IntLt a b | IntLe a b => lacks a ++ lacks b
  | OwnedNodes a b => lacks a ++ lacks b
  | SetOf l | Sent _ l | Pending _ l | Received _ l | Lost _ l | Receiver _ l | Charged _ l | TimeOf _ l | Occurrence _ l
  | Delay _ _ l | Place _ l => flat_map lacks l
  | Union a b | Difference a b | Intersection a b => lacks a ++ lacks b
  | In_ a s | Cardinality a s => lacks a ++ lacks s
  | SameSet z a b => lacks z ++ lacks a ++ lacks b
  | Get m k => lacks m ++ lacks k
  | And a b | Or a b | Implies a b | Iff a b => lacks a ++ lacks b
  | TimeEq a b | TimeLt a b | TimeLe a b | TimeAdd a b | TimeSub a b => lacks a ++ lacks b
  | Times k a => lacks k ++ lacks a
  | Ite _ a b d => lacks a ++ lacks b ++ lacks d
  | Forall _ d a | Exists _ d a => domain_lacks d ++ lacks a
  | IntMax a l | IntMin a l => lacks a ++ flat_map lacks l
  | TimeMax a l | TimeMin a l => lacks a ++ flat_map lacks l
  | MaxOver _ d a | MinOver _ d a | SumOver _ d a => domain_lacks d ++ lacks a
  | IntSumOver _ d a => domain_lacks d ++ lacks a
  | KthOver _ d a k => domain_lacks d ++ lacks a ++ lacks k
  | IntKthOver _ d a k => domain_lacks d ++ lacks a ++ lacks k
  end
with domain_lacks (d : Syntax.domain) : list feature :=
  match d with
  | Family a => lacks a
  | Among a s => lacks a ++ lacks s
  | Range a b => lacks a ++ lacks b
  | Integers => [EndlessDomains]
  end.

(* --- formulas -------------------------------------------------------------------------------------------------------- *)

Definition inside (d : Syntax.domain) (env : environment) (y : symbolic) (z : expression Int) : expression Bool :=
  match d with
  | Family size => XAnd (XIntLe (XInt 0) z) (XIntLt z (translate size env y))
  | Among size s => XAnd (XAnd (XIntLe (XInt 0) z) (XIntLt z (translate size env y))) (translate s env y z)
  | Range low high => XAnd (XIntLe (translate low env y) z) (XIntLe z (translate high env y))
  | Integers => XBool true
  end.

Definition written (t : sort) : Type := match t with Bool => formula V | _ => unit end.

Definition is {t : sort} : result t -> written t :=
  match t return result t -> written t with Bool => fun a => FIs a | _ => fun _ => tt end.

Fixpoint write {t : sort} (x : term t) (env : environment) (y : symbolic) {struct x} : written t :=
  match x in term t return written t with
  | Not a => FNot (write a env y)
  | And a b => FAnd (write a env y) (write b env y)
  | Or a b => FOr (write a env y) (write b env y)
  | Implies a b => FImplies (write a env y) (write b env y)
  | Iff a b => FIff (write a env y) (write b env y)
  | Forall v d a =>
    FAll (fun z => FImplies (FIs (inside d env y (XVar z))) (write a (let_be v (XVar z) env) y))
  | Exists v d a =>
    FSome (fun z => FAnd (FIs (inside d env y (XVar z))) (write a (let_be v (XVar z) env) y))
  | x => is (translate x env y)
  end.

Definition inside_lacks (d : Syntax.domain) : list feature :=
  match d with Integers => [] | d => domain_lacks d end.

Fixpoint write_lacks {t : sort} (x : term t) {struct x} : list feature :=
  match x with
  | Not a => write_lacks a
  | And a b | Or a b | Implies a b | Iff a b => write_lacks a ++ write_lacks b
  | Forall _ d a | Exists _ d a => inside_lacks d ++ write_lacks a
  | x => lacks x
  end.
End Translate.

Arguments XVar {V}.
Arguments y_read {V}. Arguments y_state {V}. Arguments y_sent {V}. Arguments y_received {V}. Arguments y_lost {V}. Arguments
y_time {V}.
Arguments y_receiver {V}. Arguments y_charged {V}. Arguments y_clock {V}.
Arguments y_arrival {V}. Arguments y_now {V}. Arguments y_place {V}.
Arguments choose {V}. Arguments let_be {V}. Arguments translate {V t}. Arguments over {V}. Arguments ranging {V}. Arguments inside {V}. Arguments write
{V t}.
Arguments is {V t}.
