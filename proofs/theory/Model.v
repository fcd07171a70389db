(* SPDX-License-Identifier: GPL-3.0-or-later

   A checked protocol and what one step of it does: the head of lang/model.h, sentence by sentence, in the standard model;
   Timing.v has the others. Its sentences are quoted in double quotes, beside what they became. Terms are their meaning here: a
   guard is what it says of a state, an assignment is the values after it. README.md lists the sentences that are not here yet. *)
From Coq Require Import List Bool.
Import ListNotations.
From Theory Require Import Time.
Local Open Scope time_scope.

(* What a step waits for. *)
Inductive waiting (message component moment : Type) :=
| Plain                            (* "without message, timeout and timer" *)
| Receives (kind : message -> bool)
| Waits (timeout : component)      (* "with a timeout"; `at any time` is one that has no name *)
| Timer (due : moment)
| Loses (kind : message -> bool).  (* "The checker makes an action of it, `loses`, at the receiver" *)
Arguments Plain {message component moment}.
Arguments Receives {message component moment}.
Arguments Waits {message component moment}.
Arguments Timer {message component moment}.
Arguments Loses {message component moment}.

(* "A component without an index has a single occurrence, which is its bare name; a repeated one is executed any number of
   times, and its executions have no names". *)
Inductive cost (component occurrence : Type) :=
| Named (o : occurrence)
| Executed (c : component).
Arguments Named {component occurrence}.
Arguments Executed {component occurrence}.

(* The names of a protocol. Every message is an identity: its kind with its fields. Nodes are those of all roles, of families of
   every size. *)
Record names := {
  parameters : Type;
  component : Type;
  occurrence : Type;
  node : Type;
  message : Type;
  variables : Type; (* the values of a node's state variables; ghosts, `slot` and losses(M) are among them *)
  choices : Type;
  action : Type;
  is_node : forall a b : node, {a = b} + {a <> b};
  is_message : forall a b : message, {a = b} + {a <> b};
  is_occurrence : forall a b : occurrence, {a = b} + {a <> b};
  part_of : occurrence -> component;
  delay_of : message -> occurrence;
  queueing_of : message -> option occurrence; (* "when the protocol declares a queueing term" *)
  pacing : Type; (* the kinds of messages that have pacers: "`arrivals M every T burst B`" or "`paced every T burst B`" *)
  is_pacing : forall a b : pacing, {a = b} + {a <> b};
  pacing_of : message -> option pacing;
  holds_back : pacing -> bool; (* `paced`: "what is sent waits there" *)
  fifo : message -> bool       (* it is "on a FIFO channel" *)
}.

(* What an execution does not change: parameters, and the lengths of what has a name. *)
Record world (T : times) (N : names) := {
  parameter : parameters N;
  bare : component N -> T;
  length_of : occurrence N -> T
}.
Arguments parameter {T N}.
Arguments bare {T N}.
Arguments length_of {T N}.

(* "A state gives every node its state variables and its clock (time since the start, initially 0), every message identity
   whether it was sent and received, its delivery time and its receiver, and every occurrence whether it was charged." "Every
   message on one has a place in the order of sending". A pacer at each node has "a time `next`"; of a message, [handed] is the
   end of the step that sent it and [paced] when a pacer lets it go. *)
Record state (T : times) (N : names) := {
  of : node N -> variables N;
  clock : node N -> T;
  sent : message N -> bool;
  received : message N -> bool;
  lost : message N -> bool;
  delivered : message N -> T;
  receiver : message N -> node N;
  charged : occurrence N -> bool;
  place : message N -> nat;
  places : nat; (* how many were given: the next one *)
  next : node N -> pacing N -> T;
  handed : message N -> T;
  paced : message N -> T
}.
Arguments of {T N}.
Arguments clock {T N}.
Arguments sent {T N}.
Arguments received {T N}.
Arguments lost {T N}.
Arguments delivered {T N}.
Arguments receiver {T N}.
Arguments charged {T N}.
Arguments place {T N}.
Arguments places {T N}.
Arguments next {T N}.
Arguments handed {T N}.
Arguments paced {T N}.

(* "A step picks an action, a node of its role and, with `message`, a pending message [...]; for each of its `choices` any
   value of its domain". What else is open in a step: the clock read, "u a new execution" of a timeout, and the executions of
   the repeated components among its costs, by place. *)
Record pick (T : times) (N : names) := {
  by_action : action N;
  at_node : node N;
  takes : option (message N);
  chooses : choices N;
  reads : T;
  waited : T;
  executions : nat -> T
}.
Arguments by_action {T N}.
Arguments at_node {T N}.
Arguments takes {T N}.
Arguments chooses {T N}.
Arguments reads {T N}.
Arguments waited {T N}.
Arguments executions {T N}.

(* The protocol. Statements are their effect all together: "The statements run in order, each seeing the assignments before
   it", so the values they leave and the messages they send are functions of the state before and of what the step picks. *)
Record model (T : times) (N : names) := {
  assumed : world T N -> Prop;
  lives : world T N -> node N -> Prop; (* families have as many nodes as the parameters say *)
  first_variables : world T N -> node N -> variables N;
  waits_for : action N -> waiting (N.(message)) (N.(component)) (world T N -> state T N -> pick T N -> T);
  patience : action N -> option (component N); (* the timeout of the schedule whose slot it is *)
  idle : action N -> bool;                     (* "the idle step of a slot" *)
  reads_clock : action N -> bool;              (* a guard mentions its clock read *)
  priority : message N -> nat;
  domain : world T N -> state T N -> pick T N -> Prop; (* its node is of the role, its choices are in their domains *)
  guard : world T N -> state T N -> pick T N -> Prop;
  costs : world T N -> state T N -> pick T N -> list (cost (N.(component)) (N.(occurrence)));
  assigns : world T N -> state T N -> pick T N -> variables N;
  sends : world T N -> state T N -> pick T N -> list (message N * node N);
  (* "the messages of one step are sent in the order of its statements, and those of one statement at once": how many statements
     that send come before the one that sends the message, and how many an action has, executed or not. *)
  turn : world T N -> state T N -> pick T N -> message N -> nat;
  turns : action N -> nat;
  sender : world T N -> message N -> node N; (* of a message on a FIFO channel *)
  scheduled : action N -> bool;              (* it is in a slot of a schedule *)
  interval : world T N -> pacing N -> T;        (* T *)
  tolerance : world T N -> pacing N -> T     (* "(B - 1)*T", or "With `jitter J` the limit is J" *)
}.
Arguments assumed {T N}.
Arguments lives {T N}.
Arguments first_variables {T N}.
Arguments waits_for {T N}.
Arguments patience {T N}.
Arguments idle {T N}.
Arguments reads_clock {T N}.
Arguments priority {T N}.
Arguments domain {T N}.
Arguments guard {T N}.
Arguments costs {T N}.
Arguments assigns {T N}.
Arguments sends {T N}.
Arguments turn {T N}.
Arguments turns {T N}.
Arguments sender {T N}.
Arguments scheduled {T N}.
Arguments interval {T N}.
Arguments tolerance {T N}.

Section Steps.
Context {T : times} {N : names} (M : model T N).
Implicit Types (w : world T N) (s : state T N) (p : pick T N) (m : message N) (n : node N) (o : occurrence N).

(* "Occurrences (costs, delays, waits) are non-negative unknown reals, each at most the constant that its bare name stands
   for." A world is a value of all parameters and occurrences that the assumptions allow. *)
Definition between w (c : component N) (x : T) : Prop := 0 <= x /\ x <= bare w c.
Definition possible w : Prop := assumed M w /\ forall o, between w (part_of N o) (length_of w o).

Definition delay w m : T := length_of w (delay_of N m).

(* "a pending message (sent, not received)"; "what is lost is neither pending nor received any more". *)
Definition pending s m : bool := sent s m && negb (received s m) && negb (lost s m).

(* The first state. What it says of the delivery of what was not sent is of no account. *)
Definition first w s : Prop :=
  (forall n, of s n = first_variables M w n) /\ (forall n, clock s n = 0) /\
  (forall m, sent s m = false /\ received s m = false /\ lost s m = false) /\
  (forall o, charged s o = false) /\ places s = O /\ (forall n c, next s n c = 0).

Definition tN s p : T := clock s (at_node p).

(* "start = tN without message, timeout and timer", "max(tN, tM) with a message", "tN + u with a timeout, u a new execution of
   it", "max(tN, E) with a timer E, evaluated in the state before". *)
Definition start w s p : T :=
  match waits_for M (by_action p), takes p with
  | Receives _, Some m => latest (tN s p) (delivered s m)
  | Waits _, _ => tN s p + waited p
  | Timer due, _ => latest (tN s p) (due w s p)
  | _, _ => tN s p
  end.

Fixpoint paid w p (number : nat) (all : list (cost (N.(component)) (N.(occurrence)))) : T :=
  match all with
  | [] => 0
  | Named o :: others => length_of w o + paid w p (S number) others
  | Executed _ :: others => executions p number + paid w p (S number) others
  end.

(* "end = start + the costs charged = the node's new clock". *)
Definition finish w s p : T := start w s p + paid w p 0 (costs M w s p).

Definition loses p : bool := match waits_for M (by_action p) with Loses _ => true | _ => false end.

(* Of a repeated component "each is some real between 0 and the bare name". *)
Definition executes w s p : Prop :=
  (forall i c, nth_error (costs M w s p) i = Some (Executed c) -> between w c (executions p i)) /\
  match waits_for M (by_action p) with Waits c => between w c (waited p) | _ => True end.

(* "by the same node to the same node and also on a FIFO channel" *)
Definition same_channel w s m m' : Prop :=
  fifo N m = true /\ fifo N m' = true /\ sender M w m = sender M w m' /\ receiver s m = receiver s m'.

(* "A message on a FIFO channel is received only when no message sent before it, by the same node to the same node and also on a
   FIFO channel, is pending"; "and so it is with one that is lost". *)
Definition is_next w s m : Prop :=
  forall m', pending s m' = true -> same_channel w s m m' -> (place s m <= place s m')%nat.

(* "a pending message (sent, not received) whose receiver is that node", of the kind that the action receives or loses, and in turn; without
   `message` none. *)
Definition takes_pending w s p : Prop :=
  match waits_for M (by_action p), takes p with
  | Receives kind, Some m | Loses kind, Some m =>
    kind m = true /\ pending s m = true /\ receiver s m = at_node p /\ is_next w s m
  | Receives _, None | Loses _, None => False
  | _, Some _ => False
  | _, None => True
  end.

(* "A receive in a slot of a schedule with a timeout T requires tM <= tN + T (the bare name)". *)
Definition patient w s p : Prop :=
  match waits_for M (by_action p), takes p, patience M (by_action p) with
  | Receives _, Some m, Some c => delivered s m <= tN s p + bare w c
  | _, _, _ => True
  end.

(* "standard a receive requires tN <= tM + Queuing(m) (when the protocol declares a queueing term; otherwise nothing is
   required)". *)
Definition standard w s p : Prop :=
  match waits_for M (by_action p), takes p with
  | Receives _, Some m =>
    match queueing_of N m with
    | Some o => tN s p <= delivered s m + length_of w o
    | None => True
    end
  | _, _ => True
  end.

(* A pacer, of the acting node: "next becomes paced(M) + T", where "paced(M) = max(next, end)". *)
Definition lets_go w (e : T) (m : message N) (at_ : pacing N -> T) : pacing N -> T :=
  match pacing_of N m with
  | Some c => fun c' => if is_pacing N c c' then latest (at_ c) e + interval M w c else at_ c'
  | None => at_
  end.

Fixpoint let_go w (e : T) (at_ : pacing N -> T) (all : list (message N * node N)) : pacing N -> T :=
  match all with [] => at_ | (m, _) :: others => let_go w e (lets_go w e m at_) others end.

(* What the pacer of a message says when its statement is executed: those before it have gone. *)
Fixpoint pacer_at w (e : T) (at_ : pacing N -> T) m (all : list (message N * node N)) : option (pacing N * T) :=
  match all with
  | [] => None
  | (m', _) :: others =>
    if is_message N m' m then match pacing_of N m with Some c => Some (c, at_ c) | None => None end
    else pacer_at w e (lets_go w e m' at_) m others
  end.

(* "A step that ends at `end` may send M only when next <= end + (B - 1)*T"; "no step has to wait for" a pacer that holds back. *)
Fixpoint may_send w (e : T) (at_ : pacing N -> T) (all : list (message N * node N)) : Prop :=
  match all with
  | [] => True
  | (m, _) :: others =>
    match pacing_of N m with
    | Some c => holds_back N c = true \/ at_ c <= e + tolerance M w c
    | None => True
    end /\ may_send w e (lets_go w e m at_) others
  end.

Definition paces w s p : Prop := may_send w (finish w s p) (next s (at_node p)) (sends M w s p).

(* "released(M) = max(end, next - (B - 1)*T) and leaves then; it is delivered at released(M) + d(M)". What no pacer holds back
   leaves at the end of the step. *)
Definition leaves w s p m : T :=
  match pacer_at w (finish w s p) (next s (at_node p)) m (sends M w s p) with
  | Some (c, n) => if holds_back N c then latest (finish w s p) (n - tolerance M w c) else finish w s p
  | None => finish w s p
  end.

Definition paced_at w s p m : T :=
  match pacer_at w (finish w s p) (next s (at_node p)) m (sends M w s p) with
  | Some (_, n) => latest n (finish w s p)
  | None => finish w s p
  end.

(* Of a loss hold "the guard losses(M) < K [...] and nothing else that is said of actions here". Otherwise "All guards hold in
   the state before", and "start <= t <= end with a clock read t". *)
Definition enabled w s p : Prop :=
  lives M w (at_node p) /\ takes_pending w s p /\ domain M w s p /\ guard M w s p /\
  (loses p = false ->
   start w s p <= reads p /\ reads p <= finish w s p /\ executes w s p /\ patient w s p /\ standard w s p /\ paces w s p).

(* The same but for limits on arrivals. "What is sent by a plain step, on a timeout or at any time may be limited: nobody has to
   send it then"; [asked] are the steps that a machine takes when it can. *)
Definition enabled_unpaced w s p : Prop :=
  lives M w (at_node p) /\ takes_pending w s p /\ domain M w s p /\ guard M w s p /\
  (loses p = false ->
   start w s p <= reads p /\ reads p <= finish w s p /\ executes w s p /\ patient w s p /\ standard w s p).

Definition asked p : bool :=
  match waits_for M (by_action p) with Receives _ | Timer _ => true | _ => scheduled M (by_action p) end.

Fixpoint named_in (all : list (cost (N.(component)) (N.(occurrence)))) : list (occurrence N) :=
  match all with
  | [] => []
  | Named o :: others => o :: named_in others
  | Executed _ :: others => named_in others
  end.

(* "An identity is sent at most once and a named occurrence charged at most once: a step that would break this is an error of
   the model". *)
Definition once w s p : Prop :=
  NoDup (map fst (sends M w s p)) /\ (forall m n, In (m, n) (sends M w s p) -> sent s m = false) /\
  NoDup (named_in (costs M w s p)) /\ (forall o, In o (named_in (costs M w s p)) -> charged s o = false).

Definition take_is p m : bool :=
  match takes p with Some m' => if is_message N m' m then true else false | None => false end.

Fixpoint receiver_of m (all : list (message N * node N)) : option (node N) :=
  match all with
  | [] => None
  | (m', n) :: others => if is_message N m' m then Some n else receiver_of m others
  end.

Definition charges_now o (all : list (cost (N.(component)) (N.(occurrence)))) : bool :=
  if in_dec (is_occurrence N) o (named_in all) then true else false.

(* The state after. "every message m sent gets delivery time end + d(m); one that a pacer holds (below) later". "A loss is a step of no node: no clock moves": it
   charges and sends nothing. *)
Definition after w s p : state T N :=
  if loses p then
    {| of n := if is_node N (at_node p) n then assigns M w s p else of s n;
       clock := clock s; sent := sent s; received := received s;
       lost m := take_is p m || lost s m;
       delivered := delivered s; receiver := receiver s; charged := charged s;
       place := place s; places := places s; next := next s; handed := handed s; paced := paced s |}
  else
    {| of n := if is_node N (at_node p) n then assigns M w s p else of s n;
       clock n := if is_node N (at_node p) n then finish w s p else clock s n;
       sent m := match receiver_of m (sends M w s p) with Some _ => true | None => sent s m end;
       received m := take_is p m || received s m;
       lost := lost s;
       delivered m :=
         match receiver_of m (sends M w s p) with
         | Some _ => leaves w s p m + delay w m
         | None => delivered s m
         end;
       receiver m := match receiver_of m (sends M w s p) with Some n => n | None => receiver s m end;
       charged o := charges_now o (costs M w s p) || charged s o;
       place m :=
         match receiver_of m (sends M w s p) with
         | Some _ => if fifo N m then places s + turn M w s p m else place s m
         | None => place s m
         end%nat;
       places := (places s + turns M (by_action p))%nat;
       next n := if is_node N (at_node p) n then let_go w (finish w s p) (next s n) (sends M w s p) else next s n;
       handed m := match receiver_of m (sends M w s p) with Some _ => finish w s p | None => handed s m end;
       paced m := match receiver_of m (sends M w s p) with Some _ => paced_at w s p m | None => paced s m end |}.
End Steps.
