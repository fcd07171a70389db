(* SPDX-License-Identifier: GPL-3.0-or-later

   What terms of Syntax.v mean. [value] computes, as the interpreter does; [holds] says what a formula says, of all integers, too.
   Both of a scene: a world, a state, and what the variables stand for. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
From Theory Require Import Time Syntax.

Section Meaning.
Context {T : times}.

Definition meaning (t : sort) : Type :=
  match t with Int => Z | Bool => bool | Syntax.Time => T | NodeSet => Z -> bool | Map => Z -> Z end.

Definition nothing (t : sort) : meaning t :=
  match t with Int => 0%Z | Bool => false | Syntax.Time => zero | NodeSet => fun _ => false | Map => fun _ => 0%Z end.

(* The state variables of a node, by number. *)
Record store := {
  ints : nat -> Z;
  bools : nat -> bool;
  durations : nat -> T;
  sets : nat -> Z -> bool;
  maps : nat -> Z -> Z
}.

Definition get (t : sort) (x : nat) (s : store) : meaning t :=
  match t with
  | Int => ints s x | Bool => bools s x | Syntax.Time => durations s x | NodeSet => sets s x | Map => maps s x
  end.

Definition set_at {A} (x : nat) (v : A) (f : nat -> A) (y : nat) : A := if Nat.eqb x y then v else f y.

Definition put (t : sort) (x : nat) : meaning t -> store -> store :=
  match t with
  | Int => fun v s => {| ints := set_at x v (ints s); bools := bools s; durations := durations s; sets := sets s; maps := maps s |}
  | Bool => fun v s => {| ints := ints s; bools := set_at x v (bools s); durations := durations s; sets := sets s; maps := maps s |}
  | Syntax.Time =>
    fun v s => {| ints := ints s; bools := bools s; durations := set_at x v (durations s); sets := sets s; maps := maps s |}
  | NodeSet => fun v s => {| ints := ints s; bools := bools s; durations := durations s; sets := set_at x v (sets s); maps := maps s |}
  | Map => fun v s => {| ints := ints s; bools := bools s; durations := durations s; sets := sets s; maps := set_at x v (maps s) |}
  end.

Definition a_node : Type := nat * Z.
Definition a_message : Type := nat * list Z.
Inductive an_occurrence := Step (c : nat) (indices : list Z) | Delayed (c m : nat) (fields : list Z).

Record scene := {
  variable_is : nat -> Z;
  reads_as : T;
  param_is : nat -> Z;
  unit_is : T;
  bare_is : nat -> T;
  lasts : an_occurrence -> T;
  has : a_node -> store;
  clock_of : a_node -> T;
  was_sent : a_message -> bool;
  was_received : a_message -> bool;
  was_lost : a_message -> bool;
  time_of : a_message -> T;
  received_at : a_message -> Z;
  was_charged : an_occurrence -> bool;
  arrival_of : a_node -> T;
  now_is : T;
  next_of : nat -> a_node -> T;
  paced_of : a_message -> T;
  handed_of : a_message -> T;
  place_of : a_message -> Z
}.

Definition bind (v : nat) (z : Z) (c : scene) : scene := {|
  variable_is := set_at v z (variable_is c); reads_as := reads_as c; param_is := param_is c; unit_is := unit_is c;
  bare_is := bare_is c; lasts := lasts c; has := has c; clock_of := clock_of c; was_sent := was_sent c;
  was_received := was_received c; was_lost := was_lost c; time_of := time_of c; received_at := received_at c;
  was_charged := was_charged c; arrival_of := arrival_of c; now_is := now_is c;
  next_of := next_of c; paced_of := paced_of c; handed_of := handed_of c; place_of := place_of c
|}.

(* The same with other state variables: "each seeing the assignments before it". *)
Definition with_store (n : a_node) (s : store) (c : scene) : scene := {|
  variable_is := variable_is c; reads_as := reads_as c; param_is := param_is c; unit_is := unit_is c;
  bare_is := bare_is c; lasts := lasts c;
  has m := if Nat.eqb (fst n) (fst m) && Z.eqb (snd n) (snd m) then s else has c m;
  clock_of := clock_of c; was_sent := was_sent c;
  was_received := was_received c; was_lost := was_lost c; time_of := time_of c; received_at := received_at c;
  was_charged := was_charged c; arrival_of := arrival_of c; now_is := now_is c;
  next_of := next_of c; paced_of := paced_of c; handed_of := handed_of c; place_of := place_of c
|}.

(* --- numbers and times ----------------------------------------------------------------------------------------------- *)

Definition between_both (low high : Z) : list Z :=
  map (fun i => (low + Z.of_nat i)%Z) (seq 0 (Z.to_nat (high - low + 1))).

Definition lesser (a b : T) : T := if le_or_not a b then a else b.

Definition multiple (k : Z) (a : T) : T :=
  match k with
  | Z0 => zero
  | Zpos p => Pos.iter (fun b => plus b a) zero p
  | Zneg p => minus zero (Pos.iter (fun b => plus b a) zero p)
  end.

Definition extreme {A} (pick : A -> A -> A) (none : A) (all : list A) : A :=
  match all with [] => none | a :: others => fold_left pick others a end.

Definition total (all : list T) : T := fold_left plus all zero.
Definition int_total (all : list Z) : Z := fold_left Z.add all 0%Z.

Fixpoint insert {A} (before : A -> A -> bool) (a : A) (sorted : list A) : list A :=
  match sorted with
  | [] => [a]
  | b :: others => if before a b then a :: sorted else b :: insert before a others
  end.

(* "args[1]-th smallest"; "0 when the rank is below 1". *)
Definition kth {A} (before : A -> A -> bool) (none : A) (rank : Z) (all : list A) : A :=
  if (rank <? 1)%Z then none else nth (Z.to_nat (rank - 1)) (fold_right (insert before) [] all) none.

Definition before_or_at (a b : T) : bool := if le_or_not a b then true else false.

(* --- terms, computed ------------------------------------------------------------------------------------------------- *)

Local Open Scope Z_scope.

Fixpoint value {t : sort} (x : term t) (c : scene) {struct x} : meaning t :=
  match x in term t return meaning t with
  | Integer z => z
  | Boolean b => b
  | Literal n => multiple n (unit_is c)
  | Param p => param_is c p
  | Var v => variable_is c v
  | Read => reads_as c
  | State t x r n => get t x (has c (r, value n c))
  | Next size n => if value n c + 1 <? value size c then value n c + 1 else 0
  | Prev size n => if 0 <? value n c then value n c - 1 else value size c - 1
  | AllNodes => fun _ => true
  | OwnedNodes each n => fun z => (value each c * value n c <=? z) && (z <? value each c * (value n c + 1))
  | SetOf nodes => fun z => existsb (Z.eqb z) (map (fun n => value n c) nodes)
  | Union a b => fun z => value a c z || value b c z
  | Difference a b => fun z => value a c z && negb (value b c z)
  | Intersection a b => fun z => value a c z && value b c z
  | In_ n s => value s c (value n c)
  | Cardinality size s => Z.of_nat (length (filter (value s c) (between_both 0 (value size c - 1))))
  | SameSet size a b => forallb (fun z => Bool.eqb (value a c z) (value b c z)) (between_both 0 (value size c - 1))
  | EveryKey e => fun _ => value e c
  | Get m k => value m c (value k c)
  | Sent m f => was_sent c (m, map (fun n => value n c) f)
  | Pending m f =>
    let i := (m, map (fun n => value n c) f) in was_sent c i && negb (was_received c i) && negb (was_lost c i)
  | Received m f => was_received c (m, map (fun n => value n c) f)
  | Lost m f => was_lost c (m, map (fun n => value n c) f)
  | Receiver m f => received_at c (m, map (fun n => value n c) f)
  | Charged k i => was_charged c (Step k (map (fun n => value n c) i))
  | TimeOf m f => time_of c (m, map (fun n => value n c) f)
  | Clock r n => clock_of c (r, value n c)
  | Arrival r n => arrival_of c (r, value n c)
  | Now => now_is c
  | PacerNext m r n => next_of c m (r, value n c)
  | Paced m f => paced_of c (m, map (fun n => value n c) f)
  | Handed m f => handed_of c (m, map (fun n => value n c) f)
  | Place m f => place_of c (m, map (fun n => value n c) f)
  | Occurrence k i => lasts c (Step k (map (fun n => value n c) i))
  | Delay k m f => lasts c (Delayed k m (map (fun n => value n c) f))
  | Bare k => bare_is c k
  | Not a => negb (value a c)
  | And a b => value a c && value b c
  | Or a b => value a c || value b c
  | Implies a b => negb (value a c) || value b c
  | Iff a b => Bool.eqb (value a c) (value b c)
  | IntEq a b => value a c =? value b c
  | IntLt a b => value a c <? value b c
  | IntLe a b => value a c <=? value b c
  | TimeEq a b => before_or_at (value a c) (value b c) && before_or_at (value b c) (value a c)
  | TimeLt a b => negb (before_or_at (value b c) (value a c))
  | TimeLe a b => before_or_at (value a c) (value b c)
  | Add a b => value a c + value b c
  | Sub a b => value a c - value b c
  | Mul a b => value a c * value b c
  | Div a b => value a c / value b c
  | Power a b => value a c ^ value b c
  | TimeAdd a b => plus (value a c) (value b c)
  | TimeSub a b => minus (value a c) (value b c)
  | Times k a => multiple (value k c) (value a c)
  | Ite t a yes no => if value a c then value yes c else value no c
  | NumberOf a => if value a c then 1 else 0
  | Forall v d a => forallb (fun z => value a (bind v z c)) (members d c)
  | Exists v d a => existsb (fun z => value a (bind v z c)) (members d c)
  | IntMax a others => fold_left Z.max (map (fun n => value n c) others) (value a c)
  | IntMin a others => fold_left Z.min (map (fun n => value n c) others) (value a c)
  | TimeMax a others => fold_left latest (map (fun n => value n c) others) (value a c)
  | TimeMin a others => fold_left lesser (map (fun n => value n c) others) (value a c)
  | MaxOver v d a => extreme latest zero (map (fun z => value a (bind v z c)) (members d c))
  | MinOver v d a => extreme lesser zero (map (fun z => value a (bind v z c)) (members d c))
  | SumOver v d a => total (map (fun z => value a (bind v z c)) (members d c))
  | KthOver v d a k => kth before_or_at zero (value k c) (map (fun z => value a (bind v z c)) (members d c))
  | IntSumOver v d a => int_total (map (fun z => value a (bind v z c)) (members d c))
  | IntKthOver v d a k => kth Z.leb 0 (value k c) (map (fun z => value a (bind v z c)) (members d c))
  end
with members (d : Syntax.domain) (c : scene) {struct d} : list Z :=
  match d with
  | Family size => between_both 0 (value size c - 1)
  | Among size s => filter (value s c) (between_both 0 (value size c - 1))
  | Range low high => between_both (value low c) (value high c)
  | Integers => [] (* see [computes] *)
  end.

(* Whether all that [value] runs over is finite. *)
Fixpoint computes {t : sort} (x : term t) {struct x} : bool :=
  match x with
  | Integer _ | Boolean _ | Literal _ | Param _ | Var _ | Read | AllNodes | Now | Bare _ => true
  | State _ _ _ a | EveryKey a | Clock _ a | Arrival _ a | PacerNext _ _ a => computes a
  | Not a | NumberOf a => computes a
  | Next a b | Prev a b | Add a b | Sub a b | Mul a b | Div a b | Power a b | IntEq a b | IntLt a b | IntLe a b =>
    computes a && computes b
  | OwnedNodes a b => computes a && computes b
  | SetOf l | Sent _ l | Pending _ l | Received _ l | Lost _ l | Receiver _ l | Charged _ l | TimeOf _ l | Occurrence _ l | Paced _ l
  | Handed _ l | Place _ l
  | Delay _ _ l => forallb computes l
  | Union a b | Difference a b | Intersection a b => computes a && computes b
  | In_ a s | Cardinality a s => computes a && computes s
  | SameSet z a b => computes z && computes a && computes b
  | Get m k => computes m && computes k
  | And a b | Or a b | Implies a b | Iff a b => computes a && computes b
  | TimeEq a b | TimeLt a b | TimeLe a b | TimeAdd a b | TimeSub a b => computes a && computes b
  | Times k a => computes k && computes a
  | Ite _ a b d => computes a && computes b && computes d
  | Forall _ d a | Exists _ d a => finite d && computes a
  | IntMax a l | IntMin a l => computes a && forallb computes l
  | TimeMax a l | TimeMin a l => computes a && forallb computes l
  | MaxOver _ d a | MinOver _ d a | SumOver _ d a => finite d && computes a
  | KthOver _ d a k => finite d && computes a && computes k
  | IntSumOver _ d a => finite d && computes a
  | IntKthOver _ d a k => finite d && computes a && computes k
  end
with finite (d : Syntax.domain) : bool :=
  match d with
  | Family a => computes a
  | Among a s => computes a && computes s
  | Range a b => computes a && computes b
  | Integers => false
  end.

(* --- formulas, said -------------------------------------------------------------------------------------------------- *)

Definition in_domain (d : Syntax.domain) (c : scene) (z : Z) : Prop :=
  match d with
  | Family size => 0 <= z < value size c
  | Among size s => 0 <= z < value size c /\ value s c z = true
  | Range low high => value low c <= z <= value high c
  | Integers => True
  end.

Definition said (t : sort) : Type := match t with Bool => Prop | _ => unit end.

Definition is_true {t : sort} : term t -> scene -> said t :=
  match t return term t -> scene -> said t with
  | Bool => fun x c => value x c = true
  | _ => fun _ _ => tt
  end.

Fixpoint says {t : sort} (x : term t) (c : scene) {struct x} : said t :=
  match x in term t return said t with
  | Boolean b => if b then True else False
  | Not a => ~ says a c
  | And a b => says a c /\ says b c
  | Or a b => says a c \/ says b c
  | Implies a b => says a c -> says b c
  | Iff a b => says a c <-> says b c
  | IntEq a b => value a c = value b c
  | IntLt a b => value a c < value b c
  | IntLe a b => value a c <= value b c
  | TimeEq a b => value a c = value b c
  | TimeLt a b => ~ le (value b c) (value a c)
  | TimeLe a b => le (value a c) (value b c)
  | SameSet size a b => forall z, 0 <= z < value size c -> value a c z = value b c z
  | Forall v d a => forall z, in_domain d c z -> says a (bind v z c)
  | Exists v d a => exists z, in_domain d c z /\ says a (bind v z c)
  | x => is_true x c
  end.

Definition holds (x : term Bool) (c : scene) : Prop := says x c.

(* Whether integers without end are ranged over only where [holds] says so, and not where a value is computed. *)
Fixpoint sayable {t : sort} (x : term t) {struct x} : bool :=
  match x with
  | Not a => sayable a
  | And a b | Or a b | Implies a b | Iff a b => sayable a && sayable b
  | Forall _ Integers a | Exists _ Integers a => sayable a
  | Forall _ d a | Exists _ d a => finite d && sayable a
  | x => computes x
  end.
End Meaning.
