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

Definition charged_in (all : list charge) (c : nat) (l : list (expression Int)) : expression Bool :=
  fold_right (fun k others =>
      if Nat.eqb (component_charged k) c && negb (repeated k)
      then XOr (XAnd (charged_if k) (same_fields l (indices_are k))) others else others)
    (XCharged c l) all.
Definition charged_by : nat -> list (expression Int) -> expression Bool := charged_in (charges a).

(* The state after. *)
Definition loses : bool := match trigger_of a with Losing _ _ => true | _ => false end.

(* When it waited, nothing was there to be taken. *)
Definition arrival_is : expression Syntax.Time :=
  match trigger_of a with
  | On m _ => XTimeOf m taken
  | After _ | At _ =>
    if idle_step a then start_is else XIte (XTimeLe start_is clock_is) (XArrival (acts a) self_is) start_is
  | _ => XArrival (acts a) self_is
  end.

Definition on_channel (m : nat) : bool := match nth_error (messages P) m with Some declared => on_fifo declared | None => false end.

Definition after_step : symbolic := {|
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
  y_clock r n := if Nat.eqb (acts a) r then XIte (XIntEq self_is n) finish_is (XClock r n) else XClock r n;
  y_arrival r n :=
    match timing_of P with
    | AdvancedModel => if Nat.eqb (acts a) r then XIte (XIntEq self_is n) arrival_is (XArrival r n) else XArrival r n
    | _ => XArrival r n
    end;
  y_now := match timing_of P with EagerModel => start_is | _ => XNow end;
  y_place m l := if on_channel m then placed_by (snd effect_of) m l (XPlace m l) else XPlace m l
|}.

(* "A loss is a step of no node: no clock moves". *)
Definition after_loss (m : nat) : symbolic := {|
  y_read := XZero;
  y_state t x r n := y_state (with_store (fst effect_of)) t x r n;
  y_sent := XSent; y_received := XReceived;
  y_lost m' l := if Nat.eqb m m' then XOr (same_fields taken l) (XLost m' l) else XLost m' l;
  y_time := XTimeOf; y_receiver := XReceiver; y_charged := XCharged; y_clock := XClock; y_arrival := XArrival; y_now := XNow;
  y_place := XPlace
|}.

Definition after : symbolic := match trigger_of a with Losing m _ => after_loss m | _ => after_step end.

(* That nothing is sent or charged twice: of each statement that sends, and of each charge. Compared with the encoder's, and not
   proved to imply Corollary.once_obligation. *)
Definition once_sent : list (nat * (list (expression Int) -> expression Bool)) :=
  let all := snd effect_of in
  map (fun is =>
      let m := sends_message (snd is) in
      (m, fun l => XImplies (sends_this (snd is) l) (XNot (sent_by (firstn (fst is) all) m l (XSent m l)))))
    (combine (seq 0 (length all)) all).

Definition once_charged : list (nat * expression Bool) :=
  flat_map (fun ik =>
      let k := snd ik in let c := component_charged k in
      if repeated k then []
      else [(c, XImplies (charged_if k) (XNot (charged_in (firstn (fst ik) (charges a)) c (indices_are k))))])
    (combine (seq 0 (length (charges a))) (charges a)).

(* --- when it is enabled --- *)

Definition between_zero_and (x y : expression Syntax.Time) : expression Bool := XAnd (XTimeLe XZero x) (XTimeLe x y).

Definition in_role (role : nat) (node : expression Int) : list (expression Bool) :=
  if is_single role then []
  else match nth_error (roles P) role with
       | Some declared => [XAnd (XIntLe (XInt 0) node) (XIntLt node (of_parameters (size declared)))]
       | None => []
       end.

Definition lives : list (expression Bool) := in_role (acts a) self_is.

(* Each field is one of its type. *)
Definition fields_fit (m : nat) (l : list (expression Int)) : list (expression Bool) :=
  map (fun vz => XIntEq (x_clamp (fst vz) (snd vz)) (snd vz)) (combine (declared_fields m) l).

Definition pending (m : nat) (l : list (expression Int)) : list (expression Bool) :=
  [XSent m l; XNot (XReceived m l); XNot (XLost m l)].

Definition taken_from (m : nat) : list (expression Bool) :=
  fields_fit m taken ++ pending m taken ++
  if is_single (acts a) then [] else [XIntEq (XReceiver m taken) self_is].

Definition in_time (m : nat) : list (expression Bool) :=
  match slot_timeout a with
  | Some c => [XTimeLe (XTimeOf m taken) (XTimeAdd clock_is (XBare c))]
  | None => []
  end ++
  match queueing P with
  | Some q => [XTimeLe clock_is (XTimeAdd (XTimeOf m taken) (XDelay q m taken))]
  | None => []
  end.

Definition takes : list (expression Bool) :=
  match trigger_of a with
  | On m _ => taken_from m ++ in_time m
  | After k => [between_zero_and XWaited (XBare k)]
  | Losing m _ => taken_from m
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

(* Each choice is in its domain, in the state before and with the choices before it. *)
Fixpoint choices_fit (all : list (nat * domain)) (chosen : list (expression Int)) (env : environment) : list (expression Bool) :=
  match all, chosen with
  | (v, d) :: all, z :: chosen => inside d env before z :: choices_fit all chosen (let_be v z env)
  | _, _ => []
  end.

Fixpoint let_all (names : list nat) (all : list (expression Int)) (env : environment) : environment :=
  match names, all with
  | v :: names, z :: all => let_all names all (let_be v z env)
  | _, _ => env
  end.

Definition before_choices : environment :=
  let_all (Denote.message_variables a) (map XPicked (Denote.message_variables a)) (let_be (self a) self_is unbound).
Definition choices_are : list (expression Bool) :=
  choices_fit (choices_of a) (map XPicked (map fst (choices_of a))) before_choices.
End Step.

(* --- which message is the next of its channel ------------------------------------------------------------------------ *)

Fixpoint for_all (number : nat) (body : list (expression Int) -> expression Bool) (bound : list (expression Int)) : formula :=
  match number with
  | O => FIs (body (rev bound))
  | S number => FAll (fun z => for_all number body (XVar z :: bound))
  end.

Fixpoint conjunction (all : list (expression Bool)) : expression Bool :=
  match all with [] => XBool true | x :: all => XAnd x (conjunction all) end.

Definition sender_is (d : message) (l : list (expression Int)) : expression Int :=
  translate (sent_from d) (let_all (seq 0 (length l)) l unbound) nowhere.

Definition is_next (m : nat) (l : list (expression Int)) : list formula :=
  match nth_error (messages P) m with
  | Some d =>
    if on_fifo d then
      flat_map (fun kd =>
          let k := fst kd in let d' := snd kd in
          if on_fifo d' && Nat.eqb (Syntax.sent_by d') (Syntax.sent_by d) && Nat.eqb (Syntax.received_by d') (Syntax.received_by d)
          then [for_all (length (fields_of d')) (fun l' =>
                 XImplies (conjunction (pending k l' ++ [XIntEq (sender_is d l) (sender_is d' l'); XIntEq (XReceiver m l) (XReceiver k l')]))
                   (XIntLe (XPlace m l) (XPlace k l'))) []]
          else [])
        (combine (seq 0 (length (messages P))) (messages P))
    else []
  | None => []
  end.

(* --- what a node could do instead ------------------------------------------------------------------------------------ *)

(* The action at the node that takes these fields and chooses so. *)
Section Could.
Variables (b : action) (node : expression Int) (fields chosen : list (expression Int)).

Definition could_env : environment :=
  let_all (map fst (choices_of b)) chosen (let_all (Denote.message_variables b) fields (let_be (self b) node unbound)).

Definition could : list formula :=
  map FIs (in_role (acts b) node ++ [XIntEq (could_env (self b)) node] ++
    map (fun vz => XIntEq (could_env (fst vz)) (snd vz)) (combine (Denote.message_variables b) fields) ++
    choices_fit (choices_of b) chosen (let_all (Denote.message_variables b) fields (let_be (self b) node unbound))) ++
  map (fun g => write g could_env before) (guards b).

Definition could_receive (m : nat) : list formula :=
  map FIs (fields_fit m fields ++ pending m fields) ++ is_next m fields ++ could ++
  match slot_timeout b with
  | Some c => [FIs (XTimeLe (XTimeOf m fields) (XTimeAdd (XClock (acts b) node) (XBare c)))]
  | None => []
  end.
End Could.

(* All that is said of it can be written. *)
Definition could_lacks (b : action) : list feature :=
  flat_map write_lacks (guards b) ++ flat_map (fun vd => inside_lacks (snd vd)) (choices_of b) ++
  match trigger_of b with At due => lacks due | _ => [] end.

Definition concerns (b : action) : bool :=
  negb (existsb Denote.mentions_read (guards b)) && match could_lacks b with [] => true | _ => false end &&
  match nth_error (roles P) (acts b) with Some _ => true | None => false end.

Fixpoint all_of (number : nat) (body : list (expression Int) -> formula) (bound : list (expression Int)) : formula :=
  match number with
  | O => body (rev bound)
  | S number => FAll (fun z => all_of number body (XVar z :: bound))
  end.

Fixpoint implied (all : list formula) (x : formula) : formula :=
  match all with [] => x | y :: all => FImplies y (implied all x) end.

(* Of each message that the action could take: [says] with its kind, its fields and its receiver. *)
Definition of_messages (b : action) (says : nat -> list (expression Int) -> expression Int -> list formula * expression Bool)
  : list formula :=
  match trigger_of b with
  | On m f =>
    match nth_error (messages P) m with
    | Some d =>
      if concerns b && Nat.eqb (Syntax.received_by d) (acts b) && Nat.eqb (length f) (length (fields_of d)) then
        [all_of (length (fields_of d)) (fun l =>
           let node := if is_single (acts b) then XInt 0 else XReceiver m l in
           all_of (length (choices_of b)) (fun chosen =>
             let (more, x) := says m l node in implied (could_receive b node l chosen m ++ more) (FIs x)) []) []]
      else []
    | None => []
    end
  | _ => []
  end.

(* Of each node at which the action waits for a timer. *)
Definition of_timers (b : action) (says : expression Syntax.Time -> expression Bool) : list formula :=
  match trigger_of b with
  | At due =>
    if concerns b then
      let for_node node :=
        all_of (length (choices_of b)) (fun chosen =>
          implied (could b node [] chosen)
            (FIs (says (XLater (XClock (acts b) node) (translate due (could_env b node [] chosen) before))))) [] in
      [if is_single (acts b) then for_node (XInt 0) else FAll (fun z => for_node (XVar z))]
    else []
  | _ => []
  end.

Section Rules.
Variable a : action.

(* No message and no timer is passed over, nor a message of a higher priority. *)
Definition eager_rule : list formula :=
  FIs (XTimeLe XNow (start_is a)) ::
  flat_map (fun b =>
      match queueing P with
      | Some q => of_messages b (fun m l _ => ([], XTimeLe (start_is a) (XTimeAdd (XTimeOf m l) (XDelay q m l))))
      | None => []
      end ++ of_timers b (fun due => XTimeLe (start_is a) due))
    (actions P) ++
  match trigger_of a with
  | On m _ =>
    let priority k := match nth_error (messages P) k with Some d => priority_of d | None => O end in
    flat_map (fun b =>
        match trigger_of b with
        | On k _ =>
          if Nat.eqb (acts b) (acts a) && Nat.ltb (priority m) (priority k)
          then of_messages b (fun k l node => ([FIs (XIntEq node (self_is a))], XTimeLe (start_is a) (XTimeOf k l)))
          else []
        | _ => []
        end)
      (actions P)
  | _ => []
  end.

(* A node takes what was delivered first. *)
Definition advanced_rule : list formula :=
  match trigger_of a with
  | On m _ =>
    FIs (XTimeLe (XArrival (acts a) (self_is a)) (XTimeOf m (taken a))) ::
    flat_map (fun b =>
        if Nat.eqb (acts b) (acts a)
        then of_messages b (fun k l node => ([FIs (XIntEq node (self_is a))], XTimeLe (XTimeOf m (taken a)) (XTimeOf k l)))
        else [])
      (actions P)
  | _ => []
  end.

Definition timing_rule : list formula :=
  if loses a then [] else match timing_of P with StandardModel => [] | EagerModel => eager_rule | AdvancedModel => advanced_rule end.

Definition next_is_taken : list formula :=
  match trigger_of a with On m _ | Losing m _ => is_next m (taken a) | _ => [] end.

Definition enabled : list formula :=
  map FIs (lives a ++ takes a ++ (if loses a then [] else executions O (charges a) ++ reads a) ++ choices_are a) ++ guards_are a ++
  next_is_taken ++ timing_rule.
End Rules.

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
  match x with At due => lacks due | _ => [] end.

Fixpoint apart (l : list nat) : bool :=
  match l with [] => true | v :: l => negb (existsb (Nat.eqb v) l) && apart l end.

Definition choices_lack (a : action) : list feature :=
  (if apart (map fst (choices_of a)) then [] else [Choices]) ++ flat_map (fun vd => inside_lacks (snd vd)) (choices_of a).

Definition action_lacks (a : action) : list feature :=
  trigger_lacks (trigger_of a) ++ choices_lack a ++ flat_map charge_lacks (charges a) ++ flat_map statement_lacks (body a).

(* The sizes of all that has one, and the first values. *)
Definition protocol_lacks : list feature :=
  flat_map (fun r => lacks (size r)) (roles P) ++ flat_map (fun m => flat_map size_lacks (fields_of m)) (messages P) ++
  flat_map (fun m => (if on_fifo m then lacks (sent_from m) else []) ++ match pacer_of m with Some _ => [Pacers] | None => [] end)
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

Definition lossy (m : nat) : bool :=
  existsb (fun a => match trigger_of a with Losing k _ => Nat.eqb k m | _ => false end) (actions P).

Definition typed_messages : list formula :=
  flat_map (fun md =>
      let m := fst md in let number := length (fields_of (snd md)) in
      (if lossy m then for_all number (fun l => XImplies (XLost m l) (XNot (XReceived m l))) []
       else for_all number (fun l => XNot (XLost m l)) []) ::
      if on_fifo (snd md) then [for_all number (fun l => XImplies (XSent m l) (XIntLt (XPlace m l) XPlaces)) []] else [])
    (combine (seq 0 (length (messages P))) (messages P)).

(* Every value is one of its type; only what may be lost is lost, and is not received; a place on a FIFO channel was given. *)
Definition typed : list formula :=
  flat_map (fun x =>
      let v := snd x in
      match sort_of v with
      | Int => [FAll (fun z => FIs (XIntEq (x_clamp (values v) (XInts (fst x) (owner v) (XVar z))) (XInts (fst x) (owner v)
      (XVar z))))]
      | _ => []
      end)
    (combine (seq 0 (length (states P))) (states P)) ++ typed_messages.

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

(* The obligations that the first state has the invariant; and of a bound, which may be used of the state before. *)
Definition generate_first (i : nat) : obligation V + list feature :=
  match nth_error invariants i with
  | Some x =>
    match protocol_lacks ++ write_lacks x with [] => inl (initial_obligation (write x unbound first)) | why => inr why end
  | None => inr [UnknownInvariant]
  end.

Definition generate_bound_first (b : bound) : obligation V + list feature :=
  match protocol_lacks ++ bound_lacks b with [] => inl (initial_obligation (bound_is b first)) | why => inr why end.

Definition generate_bound (a : nat) (b : bound) : obligation V + list feature :=
  match nth_error (actions P) a with
  | Some action =>
    match protocol_lacks ++ action_lacks action ++ bound_lacks b with
    | [] => inl (step_obligation action (FImplies (bound_is b standing) (bound_is b (after action))))
    | why => inr why
    end
  | None => inr [UnknownAction]
  end.
End Generator.
