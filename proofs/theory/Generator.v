(* SPDX-License-Identifier: GPL-3.0-or-later

   The obligations of a protocol of Syntax.v as formulas of the state before: what Denote.v says of a step, written. A premise
   may be
   left out, as that asks for more; what the conclusion needs and has no form here is a feature that is refused by name. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
From Theory Require Import Time Syntax Formula Translate.
From Theory Require Denote Corollary.
Local Open Scope Z_scope.

Record obligation (V : Type) := {
  of_world : list (formula V);     (* no length is negative or longer than its bare name *)
  of_assumptions : list (formula V);
  of_step : list (formula V);      (* the step is enabled *)
  of_invariants : list (formula V);
  concludes : formula V
}.
Arguments of_world {V}. Arguments of_assumptions {V}. Arguments of_step {V}. Arguments of_invariants {V}. Arguments concludes {V}.

Section Generator.
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
  y_time := XTimeOf; y_receiver := XReceiver; y_charged := XCharged; y_clock := XClock
|}.

(* The same where there is no step that reads a clock. *)
Definition standing : symbolic := {|
  y_read := XZero; y_state t x r n := x_get t x (store_at r n); y_sent := XSent; y_received := XReceived; y_lost := XLost;
  y_time := XTimeOf; y_receiver := XReceiver; y_charged := XCharged; y_clock := XClock
|}.

(* Where terms are of parameters and bare names alone. *)
Definition nowhere : symbolic := {|
  y_read := XZero; y_state t x _ _ := x_get t x empty; y_sent _ _ := XBool false; y_received _ _ := XBool false;
  y_lost _ _ := XBool false; y_time _ _ := XZero; y_receiver _ _ := XInt 0; y_charged _ _ := XBool false; y_clock _ _ := XZero
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
  y_lost _ _ := XBool false; y_time := XTimeOf; y_receiver := XReceiver; y_charged _ _ := XBool false; y_clock _ _ := XZero
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
  sends_to : list (expression Int) -> expression Int
}.
Definition effect : Type := store * list sending.

Definition with_store (s : store) : symbolic := {|
  y_read := XRead;
  y_state t x r n := if Nat.eqb (acts a) r then choose (XIntEq self_is n) t (x_get t x s) (y_state before t x r n)
                     else y_state before t x r n;
  y_sent := XSent; y_received := XReceived; y_lost := XLost; y_time := XTimeOf; y_receiver := XReceiver; y_charged := XCharged;
  y_clock := XClock
|}.

Fixpoint some_of (each : list (nat * domain)) (env : environment) (y : symbolic) (body : environment -> expression Bool)
  : expression Bool :=
  match each with
  | [] => body env
  | (v, d) :: each => over false d env y (fun z => some_of each (let_be v (XVar z) env) y body)
  end.

Definition variable_in {t : sort} (x : term t) : option nat := match x with Var v => Some v | _ => None end.

Definition parameter_in {t : sort} (x : term t) : option nat := match x with Param p => Some p | _ => None end.

Definition same_size (a b : option (term Int)) : bool :=
  match a, b with
  | Some a, Some b => match parameter_in a, parameter_in b with Some p, Some q => Nat.eqb p q | _, _ => false end
  | _, _ => false
  end.

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
      sends_to := where_sent m f r each here
    |}])
  end.

Definition effect_of : effect := fold_left (fun e x => run (XBool true) x e) (body a) (store_at (acts a) self_is, []).

Definition sent_by (all : list sending) (m : nat) (l : list (expression Int)) (old : expression Bool) : expression Bool :=
  fold_right (fun s others => if Nat.eqb (sends_message s) m then XOr (sends_this s l) others else others) old all.
Definition received_by (all : list sending) (m : nat) (l : list (expression Int)) (old : expression Int) : expression Int :=
  fold_right (fun s others => if Nat.eqb (sends_message s) m then XIte (sends_this s l) (sends_to s l) others else others) old
    all.

(* --- times --- *)

Definition clock_is : expression Syntax.Time := XClock (acts a) self_is.

Definition start_is : expression Syntax.Time :=
  match trigger_of a with
  | On m _ => XLater clock_is (XTimeOf m taken)
  | After _ => XTimeAdd clock_is XWaited
  | At due => XLater clock_is (translate due picked before)
  | _ => clock_is
  end.

Definition charged_if (k : charge) : expression Bool :=
  match condition k with Some x => translate x picked before | None => XBool true end.
Definition indices_are (k : charge) : list (expression Int) := map (fun i => translate i picked before) (indices k).
Definition lasts_long (place : nat) (k : charge) : expression Syntax.Time :=
  if repeated k then XExecuted place
  else match indices k with [] => XBare (component_charged k) | _ => XOccurrence (component_charged k) (indices_are k) end.

Fixpoint paid (place : nat) (all : list charge) : expression Syntax.Time :=
  match all with
  | [] => XZero
  | k :: all => XTimeAdd (XIte (charged_if k) (lasts_long place k) XZero) (paid (S place) all)
  end.
Definition finish_is : expression Syntax.Time := XTimeAdd start_is (paid O (charges a)).

Definition charged_by (c : nat) (l : list (expression Int)) : expression Bool :=
  fold_right (fun k others =>
      if Nat.eqb (component_charged k) c && negb (repeated k)
      then XOr (XAnd (charged_if k) (same_fields l (indices_are k))) others else others)
    (XCharged c l) (charges a).

(* The state after. *)
Definition after : symbolic := {|
  y_read := XZero;
  y_state t x r n := y_state (with_store (fst effect_of)) t x r n;
  y_sent m l := sent_by (snd effect_of) m l (XSent m l);
  y_received m l :=
    match trigger_of a with
    | On m' _ => if Nat.eqb m' m then XOr (same_fields taken l) (XReceived m l) else XReceived m l
    | _ => XReceived m l
    end;
  y_lost := XLost;
  y_time m l :=
    let part := match nth_error (messages P) m with Some declared => delay declared | None => O end in
    XIte (sent_by (snd effect_of) m l (XBool false)) (XTimeAdd finish_is (XDelay part m l)) (XTimeOf m l);
  y_receiver m l := received_by (snd effect_of) m l (XReceiver m l);
  y_charged := charged_by;
  y_clock r n := if Nat.eqb (acts a) r then XIte (XIntEq self_is n) finish_is (XClock r n) else XClock r n
|}.

(* --- when it is enabled --- *)

Definition between_zero_and (x y : expression Syntax.Time) : expression Bool := XAnd (XTimeLe XZero x) (XTimeLe x y).

Definition lives : list (expression Bool) :=
  if is_single (acts a) then []
  else match nth_error (roles P) (acts a) with
       | Some declared => [XAnd (XIntLe (XInt 0) self_is) (XIntLt self_is (of_parameters (size declared)))]
       | None => []
       end.

Definition takes : list (expression Bool) :=
  match trigger_of a with
  | On m _ =>
    map (fun vz => XIntEq (x_clamp (fst vz) (snd vz)) (snd vz)) (combine (declared_fields m) taken) ++
    [XSent m taken; XNot (XReceived m taken); XNot (XLost m taken)] ++
    (if is_single (acts a) then [] else [XIntEq (XReceiver m taken) self_is]) ++
    match queueing P with
    | Some q => [XTimeLe clock_is (XTimeAdd (XTimeOf m taken) (XDelay q m taken))]
    | None => []
    end
  | After k => [between_zero_and XWaited (XBare k)]
  | _ => []
  end.

Fixpoint executions (place : nat) (all : list charge) : list (expression Bool) :=
  match all with
  | [] => []
  | k :: all =>
    (if repeated k then [between_zero_and (XExecuted place) (XBare (component_charged k))] else []) ++ executions (S place) all
  end.

Fixpoint statement_reads (x : statement) : bool :=
  match x with
  | Assign _ _ v => Denote.mentions_read v
  | If c yes no => Denote.mentions_read c || existsb statement_reads yes || existsb statement_reads no
  | _ => false
  end.

Definition reads : list (expression Bool) :=
  if existsb Denote.mentions_read (guards a) || existsb statement_reads (body a)
     || match trigger_of a with At due => Denote.mentions_read due | _ => false end
  then [XAnd (XTimeLe start_is XRead) (XTimeLe XRead finish_is)] else [].

Definition guards_are : list formula :=
  flat_map (fun g => match write_lacks g with [] => [write g picked before] | _ => [] end) (guards a).

Definition enabled : list formula :=
  map FIs (lives ++ takes ++ executions O (charges a) ++ reads) ++ guards_are.
End Step.

(* --- what is not covered --------------------------------------------------------------------------------------------- *)

Definition size_lacks (values : option (term Int)) : list feature := match values with Some size => lacks size | None => [] end.

Definition receiver_lacks (m : nat) (f : list (term Int)) (r : term Int) (each : list (nat * domain)) : list feature :=
  match each, integer_in r with
  | [], _ => lacks r
  | _, Some _ => []
  | _, None =>
    match field_of r (Denote.size_receiving P m) f (declared_fields m) with Some _ => [] | None => [SeveralReceivers] end
  end.

Fixpoint statement_lacks (x : statement) : list feature :=
  match x with
  | Assign _ _ v => lacks v
  | AssignKey _ k v => lacks k ++ lacks v
  | If c yes no => lacks c ++ flat_map statement_lacks yes ++ flat_map statement_lacks no
  | Send m f r each => flat_map lacks f ++ flat_map (fun vd => domain_lacks (snd vd)) each ++ receiver_lacks m f r each
  end.

Definition charge_lacks (k : charge) : list feature :=
  flat_map lacks (indices k) ++ match condition k with Some x => lacks x | None => [] end ++
  match batch k with Some _ => [Batches] | None => [] end.

Definition trigger_lacks (x : trigger) : list feature :=
  match x with At due => lacks due | Losing _ _ => [Losses] | _ => [] end.

Definition action_lacks (a : action) : list feature :=
  trigger_lacks (trigger_of a) ++ (if in_slot a then [Schedules] else []) ++ match choices_of a with [] => [] | _ => [Choices]
    end ++ flat_map charge_lacks (charges a) ++
  flat_map statement_lacks (body a).

(* The sizes of all that has one, and the first values. *)
Definition protocol_lacks : list feature :=
  flat_map (fun r => lacks (size r)) (roles P) ++ flat_map (fun m => flat_map size_lacks (fields_of m)) (messages P) ++
  flat_map (fun m => (if on_fifo m then [Channels] else []) ++ match pacer_of m with Some _ => [Pacers] | None => [] end)
    (messages P) ++
  flat_map (fun x => size_lacks (values x) ++ lacks (initial x)) (states P).

(* The place of the field that names the receiver, where it is the same in each send of the message. *)
Fixpoint receivers_in (m : nat) (x : statement) {struct x} : list (option nat) :=
  match x with
  | If _ yes no => flat_map (receivers_in m) yes ++ flat_map (receivers_in m) no
  | Send m' f r _ => if Nat.eqb m' m then [field_of r (Denote.size_receiving P m) f (declared_fields m)] else []
  | _ => []
  end.

Definition named_receiver (m : nat) : option nat :=
  match flat_map (fun a => flat_map (receivers_in m) (body a)) (actions P) with
  | Some i :: others =>
    if forallb (fun j => match j with Some j => Nat.eqb i j | None => false end) others then Some i else None
  | _ => None
  end.

(* --- obligations ----------------------------------------------------------------------------------------------------- *)

Fixpoint for_all (number : nat) (body : list (expression Int) -> expression Bool) (bound : list (expression Int)) : formula :=
  match number with
  | O => FIs (body (rev bound))
  | S number => FAll (fun z => for_all number body (XVar z :: bound))
  end.

Definition world_facts : list formula :=
  map (fun c => for_all (length (indices c))
      (fun l => between_zero_and (match l with [] => XBare (component_charged c) | _ => XOccurrence (component_charged c) l end)
                  (XBare (component_charged c))) [])
    (flat_map charges (actions P)) ++
  flat_map (fun mi =>
      let m := snd mi in
      let number := length (fields_of m) in
      let fact := fun k => for_all number (fun l => between_zero_and (XDelay k (fst mi) l) (XBare k)) [] in
      fact (delay m) :: match queueing P with Some q => [fact q] | None => [] end)
    (combine (seq 0 (length (messages P))) (messages P)).

Definition written_if (x : term Bool) (y : symbolic) : list formula :=
  match write_lacks x with [] => [write x unbound y] | _ => [] end.

Definition assumed : list formula := flat_map (fun x => written_if x nowhere) (assumptions P).

Variable invariants : list (term Bool).

(* Every value is one of its type. *)
Definition typed : list formula :=
  flat_map (fun x =>
      let v := snd x in
      match sort_of v with
      | Int => [FAll (fun z => FIs (XIntEq (x_clamp (values v) (XInts (fst x) (owner v) (XVar z))) (XInts (fst x) (owner v)
      (XVar z))))]
      | _ => []
      end)
    (combine (seq 0 (length (states P))) (states P)).

Definition known : list formula := typed ++ flat_map (fun x => written_if x standing) invariants.

Definition initial_obligation (conclusion : formula) : obligation V :=
  {| of_world := world_facts; of_assumptions := assumed; of_step := []; of_invariants := []; concludes := conclusion |}.

Definition step_obligation (a : action) (conclusion : formula) : obligation V :=
  {| of_world := world_facts; of_assumptions := assumed; of_step := enabled a; of_invariants := known; concludes := conclusion |}.

(* The obligation that the action keeps the invariant; or what of it is not covered. *)
Definition generate (a i : nat) : obligation V + list feature :=
  match nth_error (actions P) a, nth_error invariants i with
  | Some action, Some x =>
    match protocol_lacks ++ action_lacks action ++ write_lacks x with
    | [] => inl (step_obligation action (write x unbound (after action)))
    | why => inr why
    end
  | None, _ => inr [UnknownAction]
  | _, None => inr [UnknownInvariant]
  end.

(* A bound: for all values of its variables, when its event has happened it was in time. *)
Fixpoint bound_in (variables : list (nat * domain)) (env : environment) (y : symbolic) (body : environment -> formula) : formula
  :=
  match variables with
  | [] => body env
  | (v, d) :: others =>
    FAll (fun z => FImplies (FIs (inside d env y (XVar z))) (bound_in others (let_be v (XVar z) env) y body))
  end.

Definition bound_is (b : bound) (y : symbolic) : formula :=
  bound_in (bound_variables b) unbound y (fun env =>
    FImplies (write (Corollary.event_term b) env y)
      (FIs (XTimeLe (translate (Corollary.time_term P b) env y) (translate (Syntax.expression b) env nowhere)))).

Definition bound_lacks (b : bound) : list feature :=
  flat_map (fun vd => inside_lacks (snd vd)) (bound_variables b) ++ write_lacks (Corollary.event_term b) ++
  lacks (Corollary.time_term P b) ++ lacks (Syntax.expression b).
End Generator.
