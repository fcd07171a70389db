(* SPDX-License-Identifier: GPL-3.0-or-later

   A step as expressions of the state before: its times, the state after it, and when it is enabled, but for the timing model. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
From Theory Require Import Time Syntax Formula Translate.
From Theory Require Denote GeneratorRun.
Local Open Scope Z_scope.

Section Written.
Variable V : Type.
Variable P : protocol.
Local Notation expression := (expression V).
Local Notation formula := (formula V).
Local Notation symbolic := (symbolic V).
Local Notation environment := (environment V).
Local Notation result := (result V).
Local Notation before := (GeneratorRun.before V). Local Notation unbound := (GeneratorRun.unbound V).
Local Notation of_parameters := (GeneratorRun.of_parameters V). Local Notation x_clamp := (GeneratorRun.x_clamp V).
Local Notation declared_fields := (GeneratorRun.declared_fields  P). Local Notation same_fields := (GeneratorRun.same_fields V).
Local Notation is_single := (GeneratorRun.is_single  P). Local Notation sent_by := (GeneratorRun.sent_by V).
Local Notation received_by := (GeneratorRun.received_by V). Local Notation placed_by := (GeneratorRun.placed_by V).
Local Notation sends_this := (GeneratorRun.sends_this V). Local Notation sends_message := (GeneratorRun.sends_message V).

Section Step.
Variable a : action.
Local Notation self_is := (GeneratorRun.self_is V P a). Local Notation picked := (GeneratorRun.picked V P a).
Local Notation taken := (GeneratorRun.taken V P a). Local Notation with_store := (GeneratorRun.with_store V P a).
Local Notation effect_of := (GeneratorRun.effect_of V P a).

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
End Written.
