(* SPDX-License-Identifier: GPL-3.0-or-later

   Obligations as text for a solver (SMT-LIB 2). Symbols are their kinds with the numbers of what they are of: sent.3 is that of
   message 3; of a single node no symbol has an argument for it. A line is a kind with numbers and a formula. *)
From Coq Require Import ZArith List Bool String DecimalString.
Import ListNotations.
From Theory Require Import Time Syntax Formula Translate GeneratorRun GeneratorStep GeneratorRule Generator.
From Theory Require Corollary.
Local Open Scope string_scope.

Definition of_integer (z : Z) : string :=
  match z with Zneg p => "(- " ++ NilZero.string_of_int (Z.to_int (Zpos p)) ++ ")" | _ => NilZero.string_of_int (Z.to_int z) end.
Definition of_nat (n : nat) : string := of_integer (Z.of_nat n).

Definition apply (f : string) (arguments : list string) : string :=
  match arguments with [] => f | _ => "(" ++ f ++ " " ++ concat " " arguments ++ ")" end.

Section Print.
Variable P : protocol.

Definition numbered (kind : string) (numbers : list nat) : string := concat "." (kind :: map of_nat numbers).
Definition of_node (kind : string) (numbers : list nat) (role : nat) (arguments : list string) : string :=
  apply (numbered kind numbers) (if is_single P role then tl arguments else arguments).

(* (ite (<= a b) a b), and each of the two written once. *)
Definition between_two (a b : string) (test : string) : string :=
  "(let ((l. " ++ a ++ ") (r. " ++ b ++ ")) (ite " ++ test ++ " l. r.))".

(* Coq divides towards less, by 0 with 0; the solver's [div] does so where the divisor is positive. *)
Definition divide (a b : string) : string :=
  "(let ((l. " ++ a ++ ") (r. " ++ b ++ ")) (ite (< 0 r.) (div l. r.) (ite (< r. 0) (div (- l.) (- r.)) 0)))".

Definition bound_name (depth : nat) : string := "v." ++ of_nat depth.
Definition quantified (quantifier : string) (depth : nat) (body : string) : string :=
  apply quantifier ["((" ++ bound_name depth ++ " Int))"; body].
Definition in_range (low high : string) (depth : nat) : string :=
  apply "and" [apply "<=" [low; bound_name depth]; apply "<=" [bound_name depth; high]].

(* No function of the solver: scripts/theory_gather.py finds which of the encoder's it is. *)
Definition gathered (what : string) (more : list string) (low high : string) (depth : nat) (inside body : string) : string :=
  apply what (app ["((" ++ bound_name depth ++ " Int))"; apply "and" [in_range low high depth; inside]; body] more).

Fixpoint text {t : sort} (x : expression string t) (depth : nat) {struct x} : string :=
  match x with
  | XVar v => v
  | XInt z => of_integer z
  | XBool b => if b then "true" else "false"
  | XLiteral n => apply "*" [apply "to_real" [of_integer n]; "unit"]
  | XZero => "0.0"
  | XPicked v => numbered "picked" [v]
  | XRead => "read"
  | XWaited => "waited"
  | XExecuted i => numbered "executed" [i]
  | XParam p => numbered "param" [p]
  | XInts x r n | XBools x r n | XDurations x r n => of_node "state" [x; r] r [text n depth]
  | XSets x r n e => of_node "state" [x; r] r [text n depth; text e depth]
  | XMaps x r n k => of_node "state" [x; r] r [text n depth; text k depth]
  | XSent m f => apply (numbered "sent" [m]) (map (fun n => text n depth) f)
  | XReceived m f => apply (numbered "received" [m]) (map (fun n => text n depth) f)
  | XLost m f => apply (numbered "lost" [m]) (map (fun n => text n depth) f)
  | XTimeOf m f => apply (numbered "delivery" [m]) (map (fun n => text n depth) f)
  | XReceiver m f => apply (numbered "receiver" [m]) (map (fun n => text n depth) f)
  | XCharged c i => apply (numbered "charged" [c]) (map (fun n => text n depth) i)
  | XClock r n => of_node "clock" [r] r [text n depth]
  | XOccurrence c i => apply (numbered "occurrence" [c]) (map (fun n => text n depth) i)
  | XDelay c m f => apply (numbered "occurrence" [c; m]) (map (fun n => text n depth) f)
  | XBare c => numbered "bare" [c]
  | XPlace m f => apply (numbered "order" [m]) (map (fun n => text n depth) f)
  | XPlaces => "places"
  | XNow => "now"
  | XArrival r n => of_node "arrival" [r] r [text n depth]
  | XNot a => apply "not" [text a depth]
  | XAnd a b => apply "and" [text a depth; text b depth]
  | XOr a b => apply "or" [text a depth; text b depth]
  | XImplies a b => apply "=>" [text a depth; text b depth]
  | XIff a b => apply "=" [text a depth; text b depth]
  | XIntEq a b => apply "=" [text a depth; text b depth]
  | XTimeEq a b => apply "=" [text a depth; text b depth]
  | XIntLt a b => apply "<" [text a depth; text b depth]
  | XTimeLt a b => apply "<" [text a depth; text b depth]
  | XIntLe a b => apply "<=" [text a depth; text b depth]
  | XTimeLe a b => apply "<=" [text a depth; text b depth]
  | XAdd a b => apply "+" [text a depth; text b depth]
  | XTimeAdd a b => apply "+" [text a depth; text b depth]
  | XSub a b => apply "-" [text a depth; text b depth]
  | XTimeSub a b => apply "-" [text a depth; text b depth]
  | XMul a b => apply "*" [text a depth; text b depth]
  | XDiv a b => divide (text a depth) (text b depth)
  | XTimes k a => apply "*" [apply "to_real" [text k depth]; text a depth]
  | XMax a b => between_two (text a depth) (text b depth) "(<= r. l.)"
  | XLater a b => between_two (text a depth) (text b depth) "(<= r. l.)"
  | XMin a b => between_two (text a depth) (text b depth) "(<= l. r.)"
  | XEarlier a b => between_two (text a depth) (text b depth) "(<= l. r.)"
  | XIte a b c => apply "ite" [text a depth; text b depth; text c depth]
  | XAll low high body =>
    quantified "forall" depth
      (apply "=>" [in_range (text low depth) (text high depth) depth; text (body (bound_name depth)) (S depth)])
  | XSome low high body =>
    quantified "exists" depth
      (apply "and" [in_range (text low depth) (text high depth) depth; text (body (bound_name depth)) (S depth)])
  | XCount low high inside =>
    quantified "count" depth (apply "and" [in_range (text low depth) (text high depth) depth; text (inside (bound_name depth)) (S depth)])
  | XGather how low high inside body =>
    gathered (match how with Greatest => "greatest" | Least => "least" | Total => "total" end) []
      (text low depth) (text high depth) depth (text (inside (bound_name depth)) (S depth)) (text (body (bound_name depth)) (S depth))
  | XKth rank low high inside body | XIntKth rank low high inside body =>
    gathered "kth" [text rank depth]
      (text low depth) (text high depth) depth (text (inside (bound_name depth)) (S depth)) (text (body (bound_name depth)) (S depth))
  | XIntTotal low high inside body =>
    gathered "total.int" []
      (text low depth) (text high depth) depth (text (inside (bound_name depth)) (S depth)) (text (body (bound_name depth)) (S depth))
  end.

Fixpoint text_of (x : formula string) (depth : nat) : string :=
  match x with
  | FIs a => text a depth
  | FNot a => apply "not" [text_of a depth]
  | FAnd a b => apply "and" [text_of a depth; text_of b depth]
  | FOr a b => apply "or" [text_of a depth; text_of b depth]
  | FImplies a b => apply "=>" [text_of a depth; text_of b depth]
  | FIff a b => apply "=" [text_of a depth; text_of b depth]
  | FAll body => quantified "forall" depth (text_of (body (bound_name depth)) (S depth))
  | FSome body => quantified "exists" depth (text_of (body (bound_name depth)) (S depth))
  end.

Definition line (kind : string) (numbers : list nat) (x : formula string) : string :=
  apply kind (app (map of_nat numbers) [text_of x O]).

Definition name_of (f : feature) : string :=
  match f with
  | Powers => "powers" | EndlessDomains => "all integers in a value"
  | Pacers => "pacers" | Choices => "choices that are not apart"
  | Batches => "charges of several" | SeveralReceivers => "receivers that are no field"
  | UnknownAction => "no such action" | UnknownInvariant => "no such invariant"
  end.

Definition lacking (kind : string) (numbers : list nat) (all : list feature) : list string :=
  map (fun f => apply "lacks" [apply kind (map of_nat numbers); """" ++ name_of f ++ """"]) all.

Definition count_up {A} (l : list A) : list (nat * A) := combine (seq 0 (List.length l)) l.

(* All obligations, each formula once. *)
Definition sizes : list string :=
  map (fun r => apply "role" [of_nat (fst r); text (of_parameters string (size (snd r))) O]) (count_up (roles P)).

Definition receivers : list string :=
  flat_map (fun m => match named_receiver P (fst m) with
                     | Some i => [apply "receiver" [of_nat (fst m); of_nat i; of_nat (List.length (fields_of (snd m)))]]
                     | None => []
                     end) (count_up (messages P)).

(* What is asked of one property, of the first state and of that after each action; and what it is of the state before. *)
Definition of_property (kind : string) (i : nat) (why : list feature) (x : symbolic string -> formula string) : list string :=
  match why with
  | [] =>
    line (kind ++ ".before") [i] (x (standing string)) :: line (kind ++ ".first") [i] (x (first string P)) ::
    map (fun ja => line (kind ++ ".after") [fst ja; i] (x (after string P (snd ja)))) (count_up (actions P))
  | _ => lacking kind [i] why
  end.

Definition print (invariants : list (term Bool)) (bounds : list Syntax.bound) : list string := (
  sizes ++ receivers ++
  lacking "protocol" [] (protocol_lacks P) ++
  map (line "world" []) (world_facts string P) ++
  map (line "typed" []) (typed string P) ++
  map (line "assumption" []) (assumed string P) ++
  lacking "assumption" [] (flat_map write_lacks (assumptions P)) ++
  flat_map (fun ia =>
      lacking "guards" [fst ia] (flat_map write_lacks (guards (snd ia))) ++
      match timing_of P with StandardModel => [] | _ => lacking "rule" [fst ia] (could_lacks (snd ia)) end)
    (count_up (actions P)) ++
  flat_map (fun ia => lacking "action" [fst ia] (action_lacks P (snd ia)) ++ map (line "step" [fst ia]) (enabled string P (snd ia)) ++
      map (fun mx => line "once.sent" [fst ia; fst mx] (for_all string (List.length (declared_fields P (fst mx))) (snd mx) []))
        (once_sent string P (snd ia)) ++
      map (fun cx => line "once.charged" [fst ia; fst cx] (FIs (snd cx))) (once_charged string P (snd ia)))
    (count_up (actions P)) ++
  flat_map (fun ix => of_property "invariant" (fst ix) (write_lacks (snd ix : term Bool)) (fun y => write (snd ix : term Bool) (unbound string) y))
    (count_up invariants) ++
  flat_map (fun ib => of_property "bound" (fst ib) (bound_lacks P (snd ib)) (bound_is string P (snd ib))) (count_up bounds))%list.
End Print.
