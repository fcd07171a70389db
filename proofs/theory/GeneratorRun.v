(* SPDX-License-Identifier: GPL-3.0-or-later

   States of a protocol of Syntax.v as expressions of the state before, and what statements leave: what Denote.v says, written. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
From Theory Require Import Time Syntax Formula Translate.
From Theory Require Denote.
Local Open Scope Z_scope.

Section Written.
Variable V : Type.
Variable P : protocol.
Local Notation expression := (expression V).
Local Notation formula := (formula V).
Local Notation symbolic := (symbolic V).
Local Notation environment := (environment V).
Local Notation result := (result V).

(* --- states ---------------------------------------------------------------------------------------------------------- *)

Record store := {
  x_ints : nat -> expression Int;
  x_bools : nat -> expression Bool;
  x_durations : nat -> expression Syntax.Time;
  x_sets : nat -> expression Int -> expression Bool;
  x_maps : nat -> expression Int -> expression Int
}.

Definition x_get (t : sort) (x : nat) (s : store) : result t :=
  match t with
  | Int => x_ints s x | Bool => x_bools s x | Syntax.Time => x_durations s x | NodeSet => x_sets s x | Map => x_maps s x
  end.

Definition x_put (t : sort) (x : nat) : result t -> store -> store :=
  let at_ {A} (v : A) (f : nat -> A) (y : nat) := if Nat.eqb x y then v else f y in
  match t with
  | Int => fun v s =>
    {| x_ints := at_ v (x_ints s); x_bools := x_bools s; x_durations := x_durations s; x_sets := x_sets s; x_maps := x_maps s |}
  | Bool => fun v s =>
    {| x_ints := x_ints s; x_bools := at_ v (x_bools s); x_durations := x_durations s; x_sets := x_sets s; x_maps := x_maps s |}
  | Syntax.Time => fun v s =>
    {| x_ints := x_ints s; x_bools := x_bools s; x_durations := at_ v (x_durations s); x_sets := x_sets s; x_maps := x_maps s |}
  | NodeSet => fun v s =>
    {| x_ints := x_ints s; x_bools := x_bools s; x_durations := x_durations s; x_sets := at_ v (x_sets s); x_maps := x_maps s |}
  | Map => fun v s =>
    {| x_ints := x_ints s; x_bools := x_bools s; x_durations := x_durations s; x_sets := x_sets s; x_maps := at_ v (x_maps s) |}
  end.

Definition empty : store := {|
  x_ints _ := XInt 0; x_bools _ := XBool false; x_durations _ := XZero; x_sets _ _ := XBool false; x_maps _ _ := XInt 0
|}.

(* The variables of a node in the state before. *)
Definition store_at (role : nat) (node : expression Int) : store := {|
  x_ints x := XInts x role node; x_bools x := XBools x role node; x_durations x := XDurations x role node;
  x_sets x := XSets x role node; x_maps x := XMaps x role node
|}.

Definition before : symbolic := {|
  y_read := XRead; y_state t x r n := x_get t x (store_at r n); y_sent := XSent; y_received := XReceived; y_lost := XLost;
  y_time := XTimeOf; y_receiver := XReceiver; y_charged := XCharged; y_clock := XClock;
  y_arrival _ _ := XZero; y_now := XZero; y_place := XPlace
|}.

(* The same where there is no step that reads a clock: there alone the times of the timing model are spoken of. *)
Definition standing : symbolic := {|
  y_read := XZero; y_state t x r n := x_get t x (store_at r n); y_sent := XSent; y_received := XReceived; y_lost := XLost;
  y_time := XTimeOf; y_receiver := XReceiver; y_charged := XCharged; y_clock := XClock;
  y_arrival := XArrival; y_now := XNow; y_place := XPlace
|}.

(* Where terms are of parameters and bare names alone. *)
Definition nowhere : symbolic := {|
  y_read := XZero; y_state t x _ _ := x_get t x empty; y_sent _ _ := XBool false; y_received _ _ := XBool false;
  y_lost _ _ := XBool false; y_time _ _ := XZero; y_receiver _ _ := XInt 0; y_charged _ _ := XBool false; y_clock _ _ := XZero;
  y_arrival _ _ := XZero; y_now := XZero; y_place _ _ := XInt 0
|}.

Definition unbound : environment := fun _ => XInt 0.
Definition of_parameters {t : sort} (x : term t) : result t := translate x unbound nowhere.

Definition x_clamp (values : option (term Int)) (z : expression Int) : expression Int :=
  match values with
  | Some size => XIte (XAnd (XIntLe (XInt 0) z) (XIntLt z (of_parameters size))) z (XInt 0)
  | None => z
  end.

Definition x_clamp_to (t : sort) (values : option (term Int)) : result t -> result t :=
  match t with
  | Int => x_clamp values
  | Map => fun f n => x_clamp values (f n)
  | _ => fun v => v
  end.

Fixpoint x_clamp_all (declared : list (option (term Int))) (fields : list (expression Int)) : list (expression Int) :=
  match declared with
  | [] => []
  | values :: declared => x_clamp values (hd (XInt 0) fields) :: x_clamp_all declared (tl fields)
  end.

Definition declared_fields (m : nat) : list (option (term Int)) :=
  match nth_error (messages P) m with Some declared => fields_of declared | None => [] end.

Fixpoint same_fields (a b : list (expression Int)) : expression Bool :=
  match a, b with
  | [], [] => XBool true
  | x :: a, y :: b => XAnd (XIntEq x y) (same_fields a b)
  | _, _ => XBool false
  end.

(* The first state. *)
Definition first_store (role : nat) (node : expression Int) : store :=
  fold_left (fun s xv =>
      let x := snd xv in
      if Nat.eqb (owner x) role
      then x_put (sort_of x) (fst xv)
             (x_clamp_to (sort_of x) (values x) (translate (initial x) (let_be (initial_self x) node unbound) nowhere)) s
      else s)
    (combine (seq 0 (length (states P))) (states P)) empty.

Definition first : symbolic := {|
  y_read := XZero; y_state t x r n := x_get t x (first_store r n); y_sent _ _ := XBool false; y_received _ _ := XBool false;
  y_lost _ _ := XBool false; y_time := XTimeOf; y_receiver := XReceiver; y_charged _ _ := XBool false; y_clock _ _ := XZero;
  y_arrival _ _ := XZero; y_now := XZero; y_place := XPlace
|}.

(* --- a step ---------------------------------------------------------------------------------------------------------- *)

Section Step.
Variable a : action.

Definition is_single (role : nat) : bool :=
  match nth_error (roles P) role with
  | Some declared => match integer_in (size declared) with Some z => z =? 1 | None => false end
  | None => false
  end.

(* Of a single node the step is of node 0. *)
Definition self_is : expression Int := if is_single (acts a) then XInt 0 else XPicked (self a).
Definition picked : environment := fun v => if Nat.eqb v (self a) then self_is else XPicked v.
Definition taken : list (expression Int) := map picked (Denote.message_variables a).

(* What the statements leave: the variables of the node, and what was sent. *)
Record sending := {
  sends_message : nat;
  sends_this : list (expression Int) -> expression Bool;
  sends_to : list (expression Int) -> expression Int;
  sends_turn : nat (* how many statements that send come before *)
}.
Definition effect : Type := store * list sending.

Definition with_store (s : store) : symbolic := {|
  y_read := XRead;
  y_state t x r n := if Nat.eqb (acts a) r then choose (XIntEq self_is n) t (x_get t x s) (y_state before t x r n)
                     else y_state before t x r n;
  y_sent := XSent; y_received := XReceived; y_lost := XLost; y_time := XTimeOf; y_receiver := XReceiver; y_charged := XCharged;
  y_clock := XClock; y_arrival _ _ := XZero; y_now := XZero; y_place := XPlace
|}.

Fixpoint some_of (each : list (nat * domain)) (env : environment) (y : symbolic) (body : environment -> expression Bool)
  : expression Bool :=
  match each with
  | [] => body env
  | (v, d) :: each => over false d env y (fun z => some_of each (let_be v (XVar z) env) y body)
  end.

Definition variable_in {t : sort} (x : term t) : option nat := match x with Var v => Some v | _ => None end.

(* Whether they are written the same, of parameters and numbers: what sizes are. *)
Fixpoint same_term {t u : sort} (x : term t) (y : term u) : bool :=
  match x with
  | Integer z => match y with Integer z' => z =? z' | _ => false end
  | Param p => match y with Param q => Nat.eqb p q | _ => false end
  | Add a b => match y with Add c d => same_term a c && same_term b d | _ => false end
  | Sub a b => match y with Sub c d => same_term a c && same_term b d | _ => false end
  | Mul a b => match y with Mul c d => same_term a c && same_term b d | _ => false end
  | Div a b => match y with Div c d => same_term a c && same_term b d | _ => false end
  | _ => false
  end.

Definition same_size (a b : option (term Int)) : bool :=
  match a, b with Some a, Some b => same_term a b | _, _ => false end.

(* Where the receiver is a field of the message, it is there that it is found. *)
Fixpoint field_of (receiver : term Int) (among : option (term Int)) (fields : list (term Int)) (declared : list (option (term
  Int)))
  : option nat :=
  match fields, declared with
  | f :: fields, d :: declared =>
    match variable_in f, variable_in receiver with
    | Some u, Some v => if Nat.eqb u v && same_size d among then Some O else option_map S (field_of receiver among fields
    declared)
    | _, _ => option_map S (field_of receiver among fields declared)
    end
  | _, _ => None
  end.

Definition where_sent (m : nat) (fields : list (term Int)) (receiver : term Int) (each : list (nat * domain)) (y : symbolic)
  (l : list (expression Int)) : expression Int :=
  let among := Denote.size_receiving P m in
  match each, integer_in receiver with
  | [], _ => x_clamp among (translate receiver picked y)
  | _, Some z => x_clamp among (XInt z)
  | _, None =>
    match field_of receiver among fields (declared_fields m) with Some i => nth i l (XInt 0) | None => XInt 0 end
  end.

Fixpoint run (guard : expression Bool) (x : statement) (e : effect) {struct x} : effect :=
  let here := with_store (fst e) in
  match x with
  | Assign t x v =>
    let new := x_clamp_to t (Denote.values_of P x) (translate v picked here) in
    (x_put t x (choose guard t new (x_get t x (fst e))) (fst e), snd e)
  | AssignKey x k v =>
    let key := translate k picked here in
    let new := x_clamp (Denote.values_of P x) (translate v picked here) in
    let old := x_maps (fst e) x in
    (x_put Map x (fun z => XIte (XAnd guard (XIntEq z key)) new (old z)) (fst e), snd e)
  | If c yes no =>
    let c := translate c picked here in
    let e := fold_left (fun e x => run (XAnd guard c) x e) yes e in
    fold_left (fun e x => run (XAnd guard (XNot c)) x e) no e
  | Send m f r each =>
    (fst e, snd e ++ [{|
      sends_message := m;
      sends_this l := XAnd guard (some_of each picked here (fun env =>
        same_fields l (x_clamp_all (declared_fields m) (map (fun n => translate n env here) f))));
      sends_to := where_sent m f r each here;
      sends_turn := length (snd e)
    |}])
  end.

Definition effect_of : effect := fold_left (fun e x => run (XBool true) x e) (body a) (store_at (acts a) self_is, []).

Definition sent_by (all : list sending) (m : nat) (l : list (expression Int)) (old : expression Bool) : expression Bool :=
  fold_right (fun s others => if Nat.eqb (sends_message s) m then XOr (sends_this s l) others else others) old all.
Definition received_by (all : list sending) (m : nat) (l : list (expression Int)) (old : expression Int) : expression Int :=
  fold_right (fun s others => if Nat.eqb (sends_message s) m then XIte (sends_this s l) (sends_to s l) others else others) old
    all.

Definition placed_by (all : list sending) (m : nat) (l : list (expression Int)) (old : expression Int) : expression Int :=
  fold_right (fun s others =>
      if Nat.eqb (sends_message s) m
      then XIte (sends_this s l) (XAdd XPlaces (XInt (Z.of_nat (sends_turn s)))) others else others)
    old all.

End Step.
End Written.
