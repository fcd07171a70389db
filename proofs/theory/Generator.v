(* SPDX-License-Identifier: GPL-3.0-or-later

   The obligations of a protocol of Syntax.v as formulas of the state before: what Denote.v says of a step, written. A premise
   may be
   left out, as that asks for more; what the conclusion needs and has no form here is a feature that is refused by name. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
From Theory Require Import Time Syntax Formula Translate.
From Theory Require Denote Corollary GeneratorRun GeneratorStep GeneratorRule.
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
Local Notation before := (GeneratorRun.before V). Local Notation standing := (GeneratorRun.standing V).
Local Notation nowhere := (GeneratorRun.nowhere V). Local Notation unbound := (GeneratorRun.unbound V).
Local Notation x_clamp := (GeneratorRun.x_clamp V). Local Notation declared_fields := (GeneratorRun.declared_fields  P).
Local Notation first := (GeneratorRun.first V P). Local Notation field_of := GeneratorRun.field_of.
Local Notation after := (GeneratorStep.after V P). Local Notation between_zero_and := (GeneratorStep.between_zero_and V).
Local Notation for_all := (GeneratorRule.for_all V). Local Notation enabled := (GeneratorRule.enabled V P).

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
