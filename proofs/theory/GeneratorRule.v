(* SPDX-License-Identifier: GPL-3.0-or-later

   Which message is the next of its channel, what a node could do instead, and the rules of the timing models: whether a step is
   enabled, as formulas of the state before. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
From Theory Require Import Time Syntax Formula Translate.
From Theory Require Denote GeneratorRun GeneratorStep.
Local Open Scope Z_scope.

Section Written.
Variable V : Type.
Variable P : protocol.
Local Notation expression := (expression V).
Local Notation formula := (formula V).
Local Notation symbolic := (symbolic V).
Local Notation environment := (environment V).
Local Notation result := (result V).
Local Notation before := (GeneratorRun.before V). Local Notation nowhere := (GeneratorRun.nowhere V).
Local Notation unbound := (GeneratorRun.unbound V). Local Notation first := (GeneratorRun.first V P).
Local Notation is_single := (GeneratorRun.is_single  P). Local Notation self_is := (GeneratorRun.self_is V P).
Local Notation taken := (GeneratorRun.taken V P). Local Notation start_is := (GeneratorStep.start_is V P).
Local Notation loses := GeneratorStep.loses. Local Notation in_role := (GeneratorStep.in_role V P).
Local Notation lives := (GeneratorStep.lives V P). Local Notation fields_fit := (GeneratorStep.fields_fit V P).
Local Notation pending := (GeneratorStep.pending V). Local Notation takes := (GeneratorStep.takes V P).
Local Notation executions := (GeneratorStep.executions V). Local Notation reads := (GeneratorStep.reads V P).
Local Notation guards_are := (GeneratorStep.guards_are V P). Local Notation choices_fit := (GeneratorStep.choices_fit V).
Local Notation let_all := (GeneratorStep.let_all V). Local Notation choices_are := (GeneratorStep.choices_are V P).

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
End Written.
