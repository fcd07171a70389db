(* SPDX-License-Identifier: GPL-3.0-or-later

   Which protocol of Model.v a protocol of Syntax.v is. Its quotations are of lang/model.h. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing.
From Theory Require Induction.
Local Open Scope Z_scope.

Definition same_node (a b : a_node) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition same_message (a b : a_message) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition same_occurrence (a b : an_occurrence) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Global Arguments same_node _ _ : simpl never.
Global Arguments same_message _ _ : simpl never.
Global Arguments same_occurrence _ _ : simpl never.

Section Protocol.
Context {T : times}.
Variable P : protocol.
(* The length of the unit of literals, which is not 0. *)
Variable unit : T.

(* A pacer is known by its kind of message. *)
Definition pacer_at_kind (m : nat) : option pacer :=
  match nth_error (messages P) m with Some declared => pacer_of declared | None => None end.

Definition names_of : names := {|
  parameters := nat -> Z;
  component := nat;
  occurrence := an_occurrence;
  node := a_node;
  message := a_message;
  variables := @store T;
  choices := list Z;
  action := nat;
  is_node := same_node;
  is_message := same_message;
  is_occurrence := same_occurrence;
  part_of o := match o with Step k _ | Delayed k _ _ => k end;
  delay_of m :=
    match nth_error (messages P) (fst m) with
    | Some declared => Delayed (Syntax.delay declared) (fst m) (snd m)
    | None => Delayed O (fst m) (snd m)
    end;
  queueing_of m := match queueing P with Some k => Some (Delayed k (fst m) (snd m)) | None => None end;
  pacing := nat;
  is_pacing := PeanoNat.Nat.eq_dec;
  pacing_of m := match pacer_at_kind (fst m) with Some _ => Some (fst m) | None => None end;
  holds_back k := match pacer_at_kind k with Some d => holds_it d | None => false end;
  fifo m := match nth_error (messages P) (fst m) with Some declared => on_fifo declared | None => false end
|}.

Let world := world T names_of.
Let state := state T names_of.
Let pick := pick T names_of.

(* Of the eager and the advanced model there is more in a state. *)
Record extra := { arrival : a_node -> T; now : T }.
Definition no_extra : extra := {| arrival _ := zero; now := zero |}.

Definition scene_of (w : world) (s : state) (more : extra) (read : T) : @scene T := {|
  variable_is _ := 0; reads_as := read;
  param_is := parameter w : nat -> Z; unit_is := unit;
  bare_is := bare w : nat -> T; lasts := length_of w : an_occurrence -> T;
  has := of s : a_node -> @store T; clock_of := clock s : a_node -> T;
  was_sent := sent s : a_message -> bool; was_received := received s : a_message -> bool;
  was_lost := lost s : a_message -> bool; time_of := delivered s : a_message -> T;
  received_at m := snd (receiver s (m : message names_of) : a_node);
  was_charged := charged s : an_occurrence -> bool;
  arrival_of := arrival more; now_is := now more;
  next_of k n := (next s : a_node -> nat -> T) n k;
  paced_of := paced s : a_message -> T; handed_of := handed s : a_message -> T;
  place_of m := Z.of_nat (place s (m : message names_of))
|}.

(* A state of which nothing is asked: where terms are of parameters and bare names. *)
Definition nowhere : state := {|
  of _ := {| ints _ := 0; bools _ := false; durations _ := zero; sets _ _ := false; maps _ _ := 0 |} : variables names_of;
  clock _ := zero; sent _ := false; received _ := false; lost _ := false; delivered _ := zero;
  receiver _ := (O, 0) : node names_of; charged _ := false;
  place _ := O; places := O; next _ _ := zero; handed _ := zero; paced _ := zero
|}.

Definition scene_of_world (w : world) : @scene T := scene_of w nowhere no_extra zero.

Definition size_of (w : world) (r : nat) : Z :=
  match nth_error (roles P) r with Some declared => value (size declared) (scene_of_world w) | None => 0 end.

(* A value of its type: what is written is a node of its family, a value of its enumeration. *)
Definition clamp (values : option (term Int)) (w : world) (z : Z) : Z :=
  match values with
  | Some size => if (0 <=? z) && (z <? value size (scene_of_world w)) then z else 0
  | None => z
  end.

Definition clamp_to (t : sort) (values : option (term Int)) (w : world) : @meaning T t -> @meaning T t :=
  match t with
  | Int => clamp values w
  | Map => fun f z => clamp values w (f z)
  | _ => fun v => v
  end.

Fixpoint clamp_all (w : world) (declared : list (option (term Int))) (fields : list Z) : list Z :=
  match declared with
  | [] => []
  | values :: declared => clamp values w (hd 0 fields) :: clamp_all w declared (tl fields)
  end.

Definition clamp_fields (w : world) (m : nat) (fields : list Z) : list Z :=
  match nth_error (messages P) m with Some declared => clamp_all w (fields_of declared) fields | None => [] end.

Definition first_store (w : world) (n : a_node) : store :=
  fold_left (fun s xv =>
      let x := snd xv in
      if Nat.eqb (owner x) (fst n)
      then put (sort_of x) (fst xv)
             (clamp_to (sort_of x) (values x) w (value (initial x) (bind (initial_self x) (snd n) (scene_of_world w)))) s
      else s)
    (combine (seq 0 (length (states P))) (states P))
    {| ints _ := 0; bools _ := false; durations _ := zero; sets _ _ := false; maps _ _ := 0 |}.

Definition action_at (a : nat) : option Syntax.action := nth_error (actions P) a.

(* --- what a step binds --- *)

Fixpoint bind_all (names : list nat) (all : list Z) (c : @scene T) : @scene T :=
  match names, all with
  | v :: names, z :: all => bind_all names all (bind v z c)
  | _, _ => c
  end.

Definition message_variables (a : Syntax.action) : list nat :=
  match trigger_of a with On _ f | Losing _ f => f | _ => [] end.

Definition taken_fields (p : pick) : list Z := match takes p with Some m => snd (m : a_message) | None => [] end.

(* The node, the fields of the message, the choices. *)
Definition step_scene (a : Syntax.action) (w : world) (s : state) (p : pick) : @scene T :=
  bind_all (map fst (choices_of a)) (chooses p)
    (bind_all (message_variables a) (taken_fields p)
      (bind (self a) (snd (at_node p : a_node)) (scene_of w s no_extra (reads p)))).

(* "a variable may be `node` or occur twice": "the fields are then equal". *)
Definition fields_fit (a : Syntax.action) (w : world) (s : state) (p : pick) : Prop :=
  map (fun v => variable_is (step_scene a w s p) v) (message_variables a) = taken_fields p /\
  variable_is (step_scene a w s p) (self a) = snd (at_node p : a_node).

(* As many fields as are declared, each one of its type. *)
Definition message_fits (w : world) (m : a_message) : Prop := clamp_fields w (fst m) (snd m) = snd m.

(* "for each of its `choices` any value of its domain", "message's fields and the choices before". *)
Fixpoint choices_fit (all : list (nat * Syntax.domain)) (chosen : list Z) (c : @scene T) : Prop :=
  match all, chosen with
  | [], [] => True
  | (v, d) :: all, z :: chosen => in_domain d c z /\ choices_fit all chosen (bind v z c)
  | _, _ => False
  end.

Definition step_fits (w : world) (s : state) (p : pick) : Prop :=
  match action_at (by_action p) with
  | None => False
  | Some a =>
    fst (at_node p : a_node) = acts a /\ fields_fit a w s p /\
    match takes p with Some m => message_fits w m | None => True end /\
    choices_fit (choices_of a) (chooses p)
      (bind_all (message_variables a) (taken_fields p)
        (bind (self a) (snd (at_node p : a_node)) (scene_of w s no_extra (reads p))))
  end.

(* --- what it costs --- *)

Definition cost_of (k : charge) (c : @scene T) : cost nat an_occurrence :=
  if repeated k then Executed (component_charged k) else Named (Step (component_charged k) (map (fun i => value i c) (indices k))).

Definition costs_of_charge (c : @scene T) (k : charge) : list (cost nat an_occurrence) :=
  if match condition k with Some x => value x c | None => true end then
    match batch k with
    | None => [cost_of k c]
    | Some (v, d) => map (fun z => cost_of k (bind v z c)) (members d c)
    end
  else [].

(* --- what it does --- *)

(* What the statements leave: the state variables, and what was sent, each by the so manieth statement that sends. *)
Definition effect : Type := @store T * list (nat * (a_message * a_node)).

Fixpoint sends_in (x : statement) : nat :=
  match x with
  | Send _ _ _ _ => 1
  | If _ yes no => list_sum (map sends_in yes) + list_sum (map sends_in no)
  | _ => 0
  end.

Fixpoint every (each : list (nat * Syntax.domain)) (c : @scene T) : list (@scene T) :=
  match each with
  | [] => [c]
  | (v, d) :: each => flat_map (fun z => every each (bind v z c)) (members d c)
  end.

Definition role_receiving (m : nat) : nat :=
  match nth_error (messages P) m with Some declared => received_by declared | None => O end.

Definition size_receiving (m : nat) : option (term Int) :=
  match nth_error (roles P) (role_receiving m) with Some declared => Some (size declared) | None => None end.

Definition sends_of (w : world) (m : nat) (fields : list (term Int)) (receiver : term Int) (c : @scene T) : a_message * a_node :=
  ((m, clamp_fields w m (map (fun f => value f c) fields)), (role_receiving m, clamp (size_receiving m) w (value receiver c))).

Definition values_of (x : nat) : option (term Int) :=
  match nth_error (states P) x with Some declared => values declared | None => None end.

Fixpoint run (w : world) (n : a_node) (c : @scene T) (x : statement) (k : nat) (e : effect) {struct x} : effect :=
  let here := with_store n (fst e) c in
  match x with
  | Assign t x v => (put t x (clamp_to t (values_of x) w (value v here)) (fst e), snd e)
  | AssignKey x key v =>
    (put Map x (fun z => if Z.eqb z (value key here) then clamp (values_of x) w (value v here) else maps (fst e) x z) (fst e), snd e)
  | If a yes no =>
    snd (fold_left (fun ke x => ((fst ke + sends_in x)%nat, run w n c x (fst ke) (snd ke)))
      (if value a here then yes else no)
      (if value a here then k else (k + list_sum (map sends_in yes))%nat, e))
  | Send m f r each => (fst e, snd e ++ map (fun here => (k, sends_of w m f r here)) (every each here))
  end.

Definition runs (w : world) (n : a_node) (c : @scene T) (all : list statement) (k : nat) (e : effect) : effect :=
  snd (fold_left (fun ke x => ((fst ke + sends_in x)%nat, run w n c x (fst ke) (snd ke))) all (k, e)).

Definition effect_of (w : world) (s : state) (p : pick) : effect :=
  match action_at (by_action p) with
  | Some a => runs w (at_node p : a_node) (step_scene a w s p) (body a) O (of s (at_node p) : @store T, [])
  | None => (of s (at_node p) : @store T, [])
  end.

Definition turn_of (m : a_message) (all : list (nat * (a_message * a_node))) : nat :=
  match find (fun e => if same_message (fst (snd e)) m then true else false) all with Some (k, _) => k | None => O end.

(* --- the clock read in guards --- *)

Fixpoint mentions_read {t : sort} (x : term t) {struct x} : bool :=
  match x with
  | Read => true
  | Not a => mentions_read a
  | And a b | Or a b | Implies a b | Iff a b => mentions_read a || mentions_read b
  | TimeEq a b | TimeLt a b | TimeLe a b | TimeAdd a b | TimeSub a b => mentions_read a || mentions_read b
  | Times _ a => mentions_read a
  | TimeMax a l | TimeMin a l => mentions_read a || existsb mentions_read l
  | Ite _ a b d => mentions_read a || mentions_read b || mentions_read d
  | Forall _ _ a | Exists _ _ a => mentions_read a
  | MaxOver _ _ a | MinOver _ _ a | SumOver _ _ a | KthOver _ _ a _ => mentions_read a
  | _ => false
  end.

Definition denote : model T names_of := {|
  assumed w :=
    le zero unit /\ ~ le unit zero /\
    List.Forall (fun x => holds x (scene_of_world w)) (assumptions P) /\
    forall k : nat, length_of w (Step k [] : occurrence names_of) = bare w (k : component names_of);
  lives w n := 0 <= snd (n : a_node) < size_of w (fst (n : a_node));
  first_variables := fun w n => first_store w n : variables names_of;
  waits_for a :=
    match action_at a with
    | Some a' =>
      match trigger_of a' with
      | Always => Plain
      | On m _ => Receives (fun i : message names_of => Nat.eqb (fst (i : a_message)) m)
      | After k => Waits (k : component names_of)
      | At due => Timer (fun w s p => value due (step_scene a' w s p))
      | Losing m _ => Loses (fun i : message names_of => Nat.eqb (fst (i : a_message)) m)
      end
    | None => Plain
    end;
  patience a := match action_at a with Some a' => slot_timeout a' : option (component names_of) | None => None end;
  idle a := match action_at a with Some a' => idle_step a' | None => false end;
  reads_clock a := match action_at a with Some a' => existsb mentions_read (guards a') | None => false end;
  priority m := match nth_error (messages P) (fst (m : a_message)) with Some declared => priority_of declared | None => O end;
  domain := step_fits;
  guard w s p :=
    match action_at (by_action p) with
    | Some a => List.Forall (fun g => holds g (step_scene a w s p)) (guards a)
    | None => False
    end;
  costs w s p :=
    match action_at (by_action p) with
    | Some a => flat_map (costs_of_charge (step_scene a w s p)) (charges a)
    | None => []
    end;
  assigns := fun w s p => fst (effect_of w s p) : variables names_of;
  sends := fun w s p => map snd (snd (effect_of w s p));
  turn := fun w s p m => turn_of m (snd (effect_of w s p));
  turns a := match action_at a with Some a' => list_sum (map sends_in (body a')) | None => O end;
  sender := fun w m =>
    match nth_error (messages P) (fst (m : a_message)) with
    | Some declared =>
      (sent_by declared,
       value (sent_from declared) (bind_all (seq 0 (length (snd (m : a_message)))) (snd (m : a_message)) (scene_of_world w)))
    | None => (O, 0)
    end;
  scheduled a := match action_at a with Some a' => in_slot a' | None => false end;
  interval w k := match pacer_at_kind k with Some d => value (every_ d) (scene_of_world w) | None => zero end;
  tolerance w k := match pacer_at_kind k with Some d => value (allows d) (scene_of_world w) | None => zero end
|}.

(* --- executions ------------------------------------------------------------------------------------------------------ *)

Definition standard_timing : timing (T := T) (N := names_of) := {|
  more := Datatypes.unit; at_first := tt; rule _ _ _ _ := True; changes _ _ _ _ := tt
|}.

(* The rules of its timing model, and what of them is more in a state. *)
Definition timing_for : timing (T := T) (N := names_of) :=
  match timing_of P with
  | StandardModel => standard_timing
  | EagerModel => eager denote
  | AdvancedModel => advanced denote
  end.

Definition extra_of : more timing_for -> extra.
Proof.
  unfold timing_for. destruct (timing_of P).
  - exact (fun _ => no_extra).
  - exact (fun n : T => {| arrival _ := zero; now := n |}).
  - exact (fun a : a_node -> T => {| arrival := a; now := zero |}).
Defined.

Definition executions : Induction.system := executions_with denote timing_for.

Definition scene_at (w : Induction.world executions) (x : Induction.state executions) : @scene T :=
  scene_of w (fst x) (extra_of (snd x)) zero.
End Protocol.
