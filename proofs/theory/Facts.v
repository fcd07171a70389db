(* SPDX-License-Identifier: GPL-3.0-or-later

   The facts that the encoder hands to the solver beside a protocol's own formulas: what it may take of sums, of sets, of the k-th
   smallest, of powers. Each schema has a name in solver/encode/fact.def, and a lemma here, tagged with it, as the solver gets it: that
   some node is in A and not in B is what a Skolem constant says there. So what rests on a solver's word is the logic of the
   question, not what is asserted in it.

   Families are finite lists of nodes without repetition. Indices are integers. *)
From Coq Require Import List Bool ZArith Lia.
Import ListNotations.
From Theory Require Import Time.
From Theory Require Model.
Local Open Scope time_scope.

(* FACT_DEFINITION: a name that occurs nowhere else may be made equal to any term. *)
Lemma definition {A : Type} (term : A) : exists name, name = term.
Proof. now exists term. Qed.

(* --- occurrences ----------------------------------------------------------------------------------------------------- *)

Section Occurrences.
Context {T : times} {N : Model.names} (M : Model.model T N) (w : Model.world T N).

(* FACT_OCCURRENCE: none is negative or longer than its bare name. *)
Lemma occurrence_between o : Model.possible M w ->
  0 <= Model.length_of w o /\ Model.length_of w o <= Model.bare w (Model.part_of N o).
Proof. intros [_ ok]. exact (ok o). Qed.

(* FACT_BARE: so no bare name is negative, of a component that occurs. *)
Lemma bare_not_negative o : Model.possible M w -> 0 <= Model.bare w (Model.part_of N o).
Proof. intros [_ ok]. destruct (ok o). eauto using le_trans. Qed.
End Occurrences.

(* --- totals over lists ----------------------------------------------------------------------------------------------- *)

Section Totals.
Context {T : times} {A : Type}.
Implicit Types (f g : A -> T) (l : list A) (a b x y : A).

Definition total f l : T := fold_right (fun a sum => f a + sum) 0 l.

Lemma total_le f g l : (forall a, In a l -> f a <= g a) -> total f l <= total g l.
Proof.
  induction l as [ | a l IH]; intros H; simpl; [apply le_refl | ].
  apply plus_le_both; [apply H; now left | apply IH; intros; apply H; now right].
Qed.

Lemma plus_swap (a b c d : T) : (a + b) + (c + d) = (a + c) + (b + d).
Proof.
  rewrite <- (plus_assoc T a b), (plus_assoc T b c), (plus_comm T b c), <- (plus_assoc T c b), (plus_assoc T a c). reflexivity.
Qed.

Lemma total_plus f g l : total (fun a => f a + g a) l = total f l + total g l.
Proof.
  induction l as [ | a l IH]; simpl.
  - now rewrite plus_zero.
  - now rewrite IH, plus_swap.
Qed.

Lemma total_ext f g l : (forall a, In a l -> f a = g a) -> total f l = total g l.
Proof.
  induction l as [ | a l IH]; intros H; simpl; auto. rewrite (H a), IH; auto; [intros; apply H; now right | now left].
Qed.

Lemma total_not_negative f l : (forall a, In a l -> 0 <= f a) -> 0 <= total f l.
Proof.
  induction l as [ | a l IH]; intros H; simpl; [apply le_refl | ].
  apply plus_not_negative; [apply H; now left | apply IH; intros; apply H; now right].
Qed.

Lemma zero_plus (a : T) : 0 + a = a.
Proof. now rewrite plus_comm, plus_zero. Qed.

Lemma total_member f l x : (forall a, In a l -> 0 <= f a) -> In x l -> f x <= total f l.
Proof.
  induction l as [ | a l IH]; intros H I; simpl; [destruct I | ]. destruct I as [-> | I].
  - apply le_plus_right. apply total_not_negative. intros; apply H; now right.
  - apply le_trans with (total f l).
    + apply IH; auto. intros; apply H; now right.
    + rewrite <- (zero_plus (total f l)) at 1. apply plus_le. apply H. now left.
Qed.

Lemma total_two f l x y : (forall a, In a l -> 0 <= f a) -> In x l -> In y l -> x <> y -> f x + f y <= total f l.
Proof.
  induction l as [ | a l IH]; intros H X Y ne; simpl; [destruct X | ].
  assert (H' : forall a, In a l -> 0 <= f a) by (intros; apply H; now right).
  destruct X as [-> | X], Y as [<- | Y].
  - now destruct ne.
  - apply plus_le_both; [apply le_refl | now apply total_member].
  - rewrite plus_comm. apply plus_le_both; [apply le_refl | now apply total_member].
  - apply le_trans with (total f l); [now apply IH | ].
    rewrite <- (zero_plus (total f l)) at 1. apply plus_le. apply H. now left.
Qed.

Lemma difference (a b : T) : a + (b - a) = b.
Proof. rewrite plus_comm. apply minus_plus. Qed.

Lemma total_difference f g l : total g l = total f l + total (fun a => g a - f a) l.
Proof. rewrite <- total_plus. apply total_ext. intros. now rewrite difference. Qed.

(* Where no node has more of the one than of the other, all have not; and not with what one node lacks, nor two. *)
Lemma compared f g l : (forall a, In a l -> f a <= g a) -> total f l <= total g l /\
  (forall x, In x l -> total f l + (g x - f x) <= total g l) /\
  (forall x y, In x l -> In y l -> x <> y -> (total f l + (g x - f x)) + (g y - f y) <= total g l).
Proof.
  intros H. assert (D : forall a, In a l -> 0 <= g a - f a) by (intros; apply minus_not_negative; auto).
  split; [now apply total_le | ]. split.
  - intros x I. rewrite (total_difference f g l). apply plus_le_both; [apply le_refl | ].
    exact (total_member (fun a => g a - f a) l x D I).
  - intros x y I J ne. rewrite (total_difference f g l), <- plus_assoc. apply plus_le_both; [apply le_refl | ].
    exact (total_two (fun a => g a - f a) l x y D I J ne).
Qed.
End Totals.

(* --- sums of integers over a role: solver/encode/integer_sum.h --------------------------------------------------------- *)

Section Integers.
Context {A : Type}.
Implicit Types (f g : A -> Z) (nodes : list A) (x y : A) (each : Z).
Local Open Scope Z_scope.

Definition sum f nodes : Z := @total integers A f nodes.
Definition size nodes : Z := Z.of_nat (length nodes).

(* "less + part(x) <= more for each node x, and so for two of them together", where no part is negative. *)
Definition within (less more : Z) (part : A -> Z) nodes : Prop :=
  less <= more /\ (forall x, In x nodes -> less + part x <= more) /\
  forall x y, In x nodes -> In y nodes -> x <> y -> (less + part x) + part y <= more.

(* FACT_TOTAL_LARGER: E(x) <= F(x) for all x. *)
Lemma total_larger f g nodes : (forall x, In x nodes -> 0 <= g x - f x) ->
  within (sum f nodes) (sum g nodes) (fun x => g x - f x) nodes.
Proof.
  intros H. apply (@compared integers A f g nodes). intros a I. specialize (H a I). simpl. lia.
Qed.

Lemma sum_of_zero nodes : sum (fun _ => 0) nodes = 0.
Proof. induction nodes; simpl in *; auto. Qed.

Lemma sum_of_each each nodes : sum (fun _ => each) nodes = each * size nodes.
Proof. unfold size. induction nodes as [ | a nodes IH]; [simpl; lia | ]. unfold sum in *. simpl total. rewrite IH. simpl length. lia. Qed.

Lemma sum_of_opposite f nodes : sum (fun x => - f x) nodes = - sum f nodes.
Proof. induction nodes as [ | a nodes IH]; simpl; auto. unfold sum in *. simpl. rewrite IH. lia. Qed.

Lemma within_ext less more less' more' part part' nodes : less = less' -> more = more' ->
  (forall x, part x = part' x) -> within less more part nodes -> within less' more' part' nodes.
Proof.
  intros -> -> E (H & H1 & H2). split; auto. split; intros; rewrite <- !E; auto.
Qed.

(* FACT_TOTAL_ABOVE: E(x) >= 0 for all x. *)
Lemma total_above f nodes : (forall x, In x nodes -> 0 <= f x) -> within 0 (sum f nodes) f nodes.
Proof.
  intros H. apply (within_ext (sum (fun _ => 0) nodes) (sum f nodes) _ _ (fun x => f x - 0)); auto using sum_of_zero.
  - intros x. lia.
  - apply (total_larger (fun _ => 0) f). intros x I. specialize (H x I). lia.
Qed.

(* FACT_TOTAL_BELOW: E(x) <= 0 for all x. *)
Lemma total_below f nodes : (forall x, In x nodes -> 0 <= 0 - f x) -> within (sum f nodes) 0 (fun x => 0 - f x) nodes.
Proof.
  intros H. apply (within_ext (sum f nodes) (sum (fun _ => 0) nodes) _ _ (fun x => 0 - f x)); auto using sum_of_zero.
  apply (total_larger f (fun _ => 0)). auto.
Qed.

(* FACT_TOTAL_MOST: E(x) <= c for all x, for each number c. *)
Lemma total_most f each nodes : (forall x, In x nodes -> 0 <= each - f x) ->
  within (sum f nodes) (each * size nodes) (fun x => each - f x) nodes.
Proof.
  intros H. apply (within_ext (sum f nodes) (sum (fun _ => each) nodes) _ _ (fun x => each - f x)); auto using sum_of_each.
  apply (total_larger f (fun _ => each)). auto.
Qed.

(* FACT_TOTAL_FEW: E(x) <= 1 for all x. *)
Lemma total_few f nodes : (forall x, In x nodes -> 0 <= 1 - f x) -> within (sum f nodes) (size nodes) (fun x => 1 - f x) nodes.
Proof.
  intros H. apply (within_ext (sum f nodes) (1 * size nodes) _ _ (fun x => 1 - f x)); auto; [lia | ]. now apply total_most.
Qed.

(* FACT_TOTAL_LEAST: E(x) >= c for all x. *)
Lemma total_least f each nodes : (forall x, In x nodes -> 0 <= f x - each) ->
  within (each * size nodes) (sum f nodes) (fun x => f x - each) nodes.
Proof.
  intros H. apply (within_ext (sum (fun _ => each) nodes) (sum f nodes) _ _ (fun x => f x - each)); auto using sum_of_each.
  apply (total_larger (fun _ => each) f). auto.
Qed.
End Integers.

(* --- measures of sets of nodes: solver/encode/cardinality.h ------------------------------------------------------------ *)

Section Sets.
Context {T : times} {A : Type} (nodes : list A) (weight : A -> T).
Context (light : forall x, In x nodes -> 0 <= weight x).
Implicit Types (s r : A -> bool) (x y : A).

(* "Both count each member with its weight, so the same rules give both." *)
Definition measure s : T := total (fun a => if s a then weight a else 0) nodes.

Lemma parts_not_negative s a : In a nodes -> 0 <= (if s a then weight a else 0).
Proof. intros I. destruct (s a); [auto | apply le_refl]. Qed.

(* FACT_SET_NOT_NEGATIVE *)
Lemma set_not_negative s : 0 <= measure s.
Proof. apply total_not_negative. apply parts_not_negative. Qed.

(* FACT_SET_COUNTS: a member x implies weight(x) <= f. *)
Lemma set_counts s x : In x nodes /\ s x = true -> weight x <= measure s.
Proof.
  intros [I m]. assert (H := total_member (fun a => if s a then weight a else 0) nodes x (parts_not_negative s) I).
  simpl in H. now rewrite m in H.
Qed.

Lemma some_or_none s : (exists x, In x nodes /\ s x = true) \/ forall x, In x nodes -> s x = false.
Proof.
  destruct (existsb s nodes) eqn:E; [left; now apply existsb_exists | right].
  intros x I. destruct (s x) eqn:m; auto. rewrite <- E. symmetry. apply existsb_exists. eauto.
Qed.

Lemma in_or_out s r : (exists x, In x nodes /\ s x = true /\ r x = false) \/
  forall x, In x nodes -> s x = true -> r x = true.
Proof.
  destruct (some_or_none (fun x => s x && negb (r x))) as [(x & I & m) | none]; [left | right].
  - exists x. apply andb_true_iff in m. destruct m as [? m]. apply negb_true_iff in m. auto.
  - intros x I m. specialize (none x I). rewrite m in none. now destruct (r x).
Qed.

(* FACT_SET_SUBSET, FACT_SET_SUBSET_LESS: A in B implies f <= g; and then a member x of B alone implies f + weight(x) <= g. *)
Lemma set_subset s r : (exists x, In x nodes /\ s x = true /\ r x = false) \/
  measure s <= measure r /\ forall y, In y nodes /\ r y = true /\ s y = false -> measure s + weight y <= measure r.
Proof.
  destruct (in_or_out s r) as [out | inside]; [now left | right].
  assert (H : forall a, In a nodes -> (if s a then weight a else 0) <= (if r a then weight a else 0)).
  { intros a I. specialize (inside a I). destruct (s a) eqn:E.
    - rewrite inside by reflexivity. apply le_refl.
    - destruct (r a); [auto | apply le_refl]. }
  destruct (compared (fun a => if s a then weight a else 0) (fun a => if r a then weight a else 0) nodes H) as (all & one & _).
  split; [exact all | ]. intros y (I & m & no). specialize (one y I). simpl in one. rewrite m, no in one.
  replace (weight y - 0) with (weight y) in one; [exact one | ].
  apply plus_cancel with 0. now rewrite minus_plus, plus_zero.
Qed.

(* FACT_SET_SUM_WHOLE, FACT_SET_SUM_OUTSIDE: f <= W, the sum over the whole role; x not a member implies f + weight(x) <= W. *)
Lemma set_sum_whole s : measure s <= total weight nodes /\
  forall x, In x nodes /\ s x = false -> measure s + weight x <= total weight nodes.
Proof.
  assert (W : measure (fun _ => true) = total weight nodes) by (apply total_ext; auto).
  destruct (set_subset s (fun _ => true)) as [(x & _ & _ & no) | [all less]]; [discriminate | ]. rewrite W in *.
  split; [exact all | ]. intros x [I no]. apply less. auto.
Qed.

(* FACT_SET_NAMED: what the form of a set gives: of a union, a difference, and of a member more. *)
Lemma set_union s r :
  measure (fun x => s x || r x) + measure (fun x => s x && r x) = measure s + measure r.
Proof.
  unfold measure. rewrite <- !total_plus. apply total_ext. intros a _. destruct (s a), (r a); simpl; auto.
  - now rewrite (plus_comm T (weight a) 0).
Qed.

Lemma set_difference s r : measure (fun x => s x && negb (r x)) + measure (fun x => s x && r x) = measure s.
Proof.
  unfold measure. rewrite <- total_plus. apply total_ext. intros a _.
  destruct (s a), (r a); simpl; now rewrite ?plus_zero, ?zero_plus.
Qed.

Lemma set_all : measure (fun _ => true) = total weight nodes.
Proof. apply total_ext. auto. Qed.
End Sets.

Section Cardinalities.
Context {A : Type} (nodes : list A).
Implicit Types (s r : A -> bool) (x y : A).
Local Open Scope Z_scope.

Definition card s : Z := @measure integers A nodes (fun _ => 1) s.

Lemma one_light : forall x, In x nodes -> (0 <= 1)%Z.
Proof. intros; lia. Qed.

Lemma size_is : @total integers A (fun _ => 1) nodes = size nodes.
Proof. change (sum (fun _ : A => 1) nodes = size nodes). rewrite sum_of_each. lia. Qed.

Lemma card_at_most s : card s <= size nodes.
Proof. rewrite <- size_is. exact (proj1 (@set_sum_whole integers A nodes (fun _ => 1) one_light s)). Qed.

(* FACT_SET_AT_MOST_ALL: f <= size. *)
Lemma set_at_most_all s : 1 <= size nodes -> card s <= size nodes.
Proof. intros _. apply card_at_most. Qed.

(* FACT_SET_SOME: f >= 1 implies some member. *)
Lemma set_some s : 1 <= card s -> exists x, In x nodes /\ s x = true.
Proof.
  intros H. destruct (some_or_none nodes s) as [some | none]; auto. exfalso.
  assert (E : card s = 0); [ | lia].
  transitivity (sum (fun _ : A => 0) nodes); [ | apply sum_of_zero].
  apply (@total_ext integers A). intros a I. now rewrite (none a I).
Qed.

(* FACT_SET_MISSING: f < size implies that some node is none. *)
Lemma set_missing s : 1 <= size nodes -> (exists x, In x nodes /\ s x = false) \/ size nodes <= card s.
Proof.
  intros _. destruct (some_or_none nodes (fun x => negb (s x))) as [(x & I & m) | none].
  - left. exists x. now destruct (s x).
  - right. rewrite <- size_is. apply (@total_le integers A). intros a I. specialize (none a I). simpl.
    destruct (s a); [lia | discriminate].
Qed.

(* FACT_SET_FULL: f >= size implies that x is one. *)
Lemma set_full s x : 1 <= size nodes -> In x nodes /\ size nodes <= card s -> s x = true.
Proof.
  intros _ [I all]. destruct (s x) eqn:no; auto. exfalso.
  assert (H := proj2 (@set_sum_whole integers A nodes (fun _ => 1) one_light s) x (conj I no)).
  rewrite size_is in H. change (card s + 1 <= size nodes) in H. lia.
Qed.

(* FACT_SET_APART, FACT_SET_APART_LESS: no common member implies f + g <= size; and then a node in neither implies f + g < size. *)
Lemma set_apart s r : 1 <= size nodes -> (exists x, In x nodes /\ s x = true /\ r x = true) \/
  card s + card r <= size nodes /\
  forall y, In y nodes /\ s y = false /\ r y = false -> card s + card r < size nodes.
Proof.
  intros _. destruct (some_or_none nodes (fun x => s x && r x)) as [(x & I & m) | none].
  - left. exists x. apply andb_true_iff in m. tauto.
  - right. assert (U := @set_union integers A nodes (fun _ => 1) s r).
    assert (E : @measure integers A nodes (fun _ => 1) (fun x => s x && r x) = 0).
    { transitivity (sum (fun _ : A => 0) nodes); [ | apply sum_of_zero]. apply (@total_ext integers A). intros a I. now rewrite (none a I). }
    change (card (fun x => s x || r x) + card (fun x => s x && r x) = card s + card r) in U.
    change (card (fun x => s x && r x) = 0) in E. split.
    + pose proof (card_at_most (fun x => s x || r x)). lia.
    + intros y (I & no & no'). destruct (Z_lt_le_dec (card s + card r) (size nodes)) as [ | all]; auto. exfalso.
      assert (F : (s y || r y) = true).
      { apply (set_full (fun x => s x || r x) y); [ | split; auto; lia].
        destruct nodes; [destruct I | unfold size; simpl length; lia]. }
      rewrite no, no' in F. discriminate.
Qed.
End Cardinalities.

(* --- sums over a range, and products: solver/encode/sum.c -------------------------------------------------------------- *)

Section Prefixes.
Context {T : times}.
Implicit Types (a b : Z -> T) (p q : Z -> T) (i j k : Z).

Lemma opposite_plus (x : T) : (0 - x) + x = 0.
Proof. apply minus_plus. Qed.

(* P(j + 1) = P(j) + A(j), of all integers j. *)
Definition prefix_of a p : Prop := p 0%Z = 0 /\ forall j, p (j + 1)%Z = p j + a j.

Fixpoint up a (n : nat) : T := match n with O => 0 | S n => up a n + a (Z.of_nat n) end.
Fixpoint down a (n : nat) : T := match n with O => 0 | S n => down a n - a (- Z.of_nat n - 1)%Z end.
Definition prefix a j : T := if (0 <=? j)%Z then up a (Z.to_nat j) else down a (Z.to_nat (- j)).

(* FACT_SUM_DEFINED: there is such a function, *)
Lemma sum_defined a : prefix_of a (prefix a) /\ forall j, prefix a j = prefix a (j - 1)%Z + a (j - 1)%Z.
Proof.
  assert (H : forall j, prefix a (j + 1)%Z = prefix a j + a j).
  { intros j. unfold prefix. destruct (Z.leb_spec 0 j), (Z.leb_spec 0 (j + 1)); try lia.
    - replace (Z.to_nat (j + 1)) with (S (Z.to_nat j)) by lia. simpl. now rewrite Z2Nat.id.
    - assert (j = (-1)%Z) by lia. subst. simpl. now rewrite minus_plus.
    - replace (Z.to_nat (- j)) with (S (Z.to_nat (- (j + 1)))) by lia. simpl.
      rewrite Z2Nat.id by lia. replace (- - (j + 1) - 1)%Z with j by lia. now rewrite minus_plus. }
  split; [split; [reflexivity | exact H] | ]. intros j. specialize (H (j - 1)%Z). now replace (j - 1 + 1)%Z with j in H by lia.
Qed.

(* and it gives the sum of a range. *)
Lemma sum_of_range a p (low : Z) (n : nat) : prefix_of a p ->
  p (low + Z.of_nat n)%Z = p low + total (fun i : nat => a (low + Z.of_nat i)%Z) (seq 0 n).
Proof.
  intros [_ H]. induction n as [ | n IH].
  - simpl. rewrite plus_zero. f_equal. lia.
  - rewrite seq_S. replace (low + Z.of_nat (S n))%Z with (low + Z.of_nat n + 1)%Z by lia. rewrite H, IH.
    assert (E : forall l x, total (fun i : nat => a (low + Z.of_nat i)%Z) (l ++ [x]) =
      total (fun i : nat => a (low + Z.of_nat i)%Z) l + a (low + Z.of_nat x)%Z).
    { intros l x. induction l as [ | y l IHl]; simpl; [now rewrite plus_zero, zero_plus | now rewrite IHl, plus_assoc]. }
    rewrite E. simpl. now rewrite plus_assoc.
Qed.

Lemma growth a b p q j k : prefix_of a p -> prefix_of b q -> (forall i, (j <= i < k)%Z -> a i <= b i) -> (j <= k)%Z ->
  p k + q j <= q k + p j.
Proof.
  intros [_ P] [_ Q] H le. replace k with (j + Z.of_nat (Z.to_nat (k - j)))%Z in * by lia.
  induction (Z.to_nat (k - j)) as [ | n IH].
  - rewrite Z.add_0_r. rewrite plus_comm. apply le_refl.
  - replace (j + Z.of_nat (S n))%Z with (j + Z.of_nat n + 1)%Z in * by lia. rewrite P, Q.
    rewrite <- !plus_assoc, (plus_comm _ (a _) (q j)), (plus_comm _ (b _) (p j)), !plus_assoc.
    apply plus_le_both; [apply IH; [intros i lt; apply H; lia | lia] | apply H; lia].
Qed.

Lemma le_cancel (x y z : T) : x + z <= y + z -> x <= y.
Proof.
  intros H. apply (plus_le _ _ _ (0 - z)) in H. rewrite <- !plus_assoc, (plus_comm T z), minus_plus, !plus_zero in H. exact H.
Qed.

Lemma to_difference (x y z u : T) : x + y <= z + u -> x - u <= z - y.
Proof.
  intros H. apply le_cancel with (u + y). rewrite plus_assoc, minus_plus, (plus_comm T u y), plus_assoc, minus_plus. exact H.
Qed.

(* What each addend is said to be: not negative, and at most the bare name. *)
Record lemma_proved a (bare : T) := {
  (* OBLIGATION_LEMMA the addends of a sum *)
  lemma_step : forall j, 0 <= a j /\ a j <= bare
}.

Lemma zero_prefix : prefix_of (fun _ => 0) (fun _ => 0).
Proof. split; auto. intros. now rewrite plus_zero. Qed.

(* FACT_SUM_GROWS: for j <= k, P(j) <= P(k), hence P(j) + A(j) <= P(k) for j < k, and P(k) - P(j) <= B(k) - B(j). *)
Theorem sum_grows a p bare q : prefix_of a p -> prefix_of (fun _ => bare) q -> lemma_proved a bare -> forall j k, (j <= k)%Z ->
  p j <= p k /\ ((j < k)%Z -> p j + a j <= p k) /\ p k - p j <= q k - q j.
Proof.
  intros P Q [L] j k le.
  assert (G : forall j k, (j <= k)%Z -> p j <= p k).
  { intros j' k' le'. assert (H := growth (fun _ => 0) a (fun _ => 0) p j' k' zero_prefix P (fun i _ => proj1 (L i)) le').
    cbv beta in H. now rewrite zero_plus, plus_zero in H. }
  split; [now apply G | ]. split.
  - intros lt. rewrite <- (proj2 P j). apply G. lia.
  - apply to_difference. apply (growth a (fun _ => bare)); auto. intros i _. apply L.
Qed.

(* FACT_SUM_FROM_ZERO: and the same from 0. *)
Theorem sum_from_zero a p bare q : prefix_of a p -> prefix_of (fun _ => bare) q -> lemma_proved a bare -> forall j, (0 <= j)%Z ->
  0 <= p j /\ p j <= q j.
Proof.
  intros P Q L j le. destruct (sum_grows a p bare q P Q L 0%Z j le) as (H & _ & _). rewrite (proj1 P) in H.
  split; [exact H | ]. assert (G := growth a (fun _ => bare) p q 0%Z j P Q (fun i _ => proj2 (lemma_step _ _ L i)) le).
  now rewrite (proj1 P), (proj1 Q), !plus_zero in G.
Qed.

(* Of a max M, M(i) >= a(i) (a min, M(i) <= a(i)); and of a max of what is not negative, M(i) <= all a(i) together. *)
Record larger_proved a b := {
  (* OBLIGATION_LEMMA the addends of two sums *)
  larger_step : forall j, a j <= b j
}.

(* FACT_SUM_COMPARED: then so does what the sums grow by. *)
Theorem sum_compared a b p q : prefix_of a p -> prefix_of b q -> larger_proved a b -> forall j k, (j <= k)%Z ->
  p k - p j <= q k - q j.
Proof. intros P Q [L] j k le. apply to_difference. apply (growth a b); auto. Qed.

(* FACT_SUM_COMPARED_FROM_ZERO: and the sums. *)
Theorem sum_compared_from_zero a b p q : prefix_of a p -> prefix_of b q -> larger_proved a b -> forall j, (0 <= j)%Z -> p j <= q j.
Proof.
  intros P Q [L] j le. assert (G := growth a b p q 0%Z j P Q (fun i _ => L i) le).
  now rewrite (proj1 P), (proj1 Q), !plus_zero in G.
Qed.

Lemma prefix_unique a p q : prefix_of a p -> prefix_of a q -> forall j, p j = q j.
Proof.
  intros P Q.
  assert (E : forall j k, (j <= k)%Z -> p k + q j = q k + p j).
  { intros j k le. apply le_antisym; [apply (growth a a p q); auto using le_refl | apply (growth a a q p); auto using le_refl]. }
  intros j. destruct (Z_le_gt_dec 0 j) as [up_ | down_].
  - specialize (E 0%Z j up_). now rewrite (proj1 P), (proj1 Q), !plus_zero in E.
  - specialize (E j 0%Z ltac:(lia)). rewrite (proj1 P), (proj1 Q), !zero_plus in E. auto.
Qed.

(* FACT_SUM_GATHERED: the sum of addends is the sum of their sums. *)
Lemma sum_gathered a b p q r : prefix_of a p -> prefix_of b q -> prefix_of (fun i => a i + b i) r -> forall j, r j = p j + q j.
Proof.
  intros P Q R. apply (prefix_unique (fun i => a i + b i)); auto. split.
  - now rewrite (proj1 P), (proj1 Q), plus_zero.
  - intros j. rewrite (proj2 P), (proj2 Q). apply plus_swap.
Qed.

(* FACT_PRODUCT_DISTRIBUTES: (A + B)*E is A*E + B*E, and (A - B)*E is A*E - B*E, as k*E is the sum of k addends E. *)
Lemma product_distributes (c : T) p : prefix_of (fun _ => c) p -> forall i j, p (i + j)%Z = p i + p j /\ p (i - j)%Z = p i - p j.
Proof.
  intros P.
  assert (H : forall i j, p (i + j)%Z = p i + p j).
  { intros i j. assert (Q : prefix_of (fun _ => c) (fun j => p (i + j)%Z - p i)).
    { split.
      - rewrite Z.add_0_r. apply plus_cancel with (p i). now rewrite minus_plus, zero_plus.
      - intros k. rewrite Z.add_assoc, (proj2 P). apply plus_cancel with (p i).
        rewrite minus_plus, <- (plus_assoc T _ c (p i)), (plus_comm T c), plus_assoc, minus_plus. reflexivity. }
    rewrite (prefix_unique _ _ _ P Q j), plus_comm. now rewrite minus_plus. }
  intros i j. split; [apply H | ]. apply plus_cancel with (p j). rewrite minus_plus, <- H. f_equal. lia.
Qed.

(* FACT_SET_SUM_BARE: f <= |S| * C. *)
Lemma set_sum_bare {A : Type} (nodes : list A) weight (s : A -> bool) (c : T) p : prefix_of (fun _ => c) p ->
  (forall x, In x nodes -> weight x <= c) -> measure nodes weight s <= p (card nodes s).
Proof.
  intros P. induction nodes as [ | a nodes IH]; intros H.
  - unfold measure, card, measure. simpl. rewrite (proj1 P). apply le_refl.
  - assert (IH' := IH (fun x I => H x (or_intror I))).
    change (measure (a :: nodes) weight s) with ((if s a then weight a else 0) + measure nodes weight s).
    change (card (a :: nodes) s) with ((if s a then 1 else 0) + card nodes s)%Z. destruct (s a).
    + rewrite Z.add_comm, (proj2 P), plus_comm. apply plus_le_both; [exact IH' | apply H; now left].
    + rewrite zero_plus, Z.add_0_l. exact IH'.
Qed.
End Prefixes.

(* --- powers: solver/encode/power.c -------------------------------------------------------------------------------------- *)

Section Powers.
Context {T : times} (more : nat) (unit : T). (* the base is [more] + 2 *)
Implicit Types (j k : Z).

Fixpoint copies (n : nat) (x : T) : T := match n with O => 0 | S n => x + copies n x end.
Definition by_base x := copies (S (S more)) x.

Fixpoint raised (n : nat) : T := match n with O => unit | S n => by_base (raised n) end.
Definition power k : T := if (0 <=? k)%Z then raised (Z.to_nat k) else 0.

(* FACT_POWER_DEFINED: G(0) = E, G(k + 1) = b*G(k) for k >= 0, and 0 below. *)
Lemma power_defined k : power 0 = unit /\ ((k < 0)%Z -> power k = 0) /\ ((0 <= k)%Z -> power (k + 1)%Z = by_base (power k)) /\
  ((1 <= k)%Z -> power k = by_base (power (k - 1)%Z)).
Proof.
  assert (H : forall k, (0 <= k)%Z -> power (k + 1)%Z = by_base (power k)).
  { intros j le. unfold power. rewrite (proj2 (Z.leb_le 0 j)), (proj2 (Z.leb_le 0 (j + 1))) by lia.
    replace (Z.to_nat (j + 1)) with (S (Z.to_nat j)) by lia. reflexivity. }
  split; [reflexivity | ]. split; [ | split; auto].
  - intros lt. unfold power. destruct (Z.leb_spec 0 k); [lia | reflexivity].
  - intros le. rewrite <- H by lia. f_equal. lia.
Qed.

Record unit_proved := {
  (* OBLIGATION_LEMMA the unit of a power *)
  unit_step : 0 <= unit
}.

Lemma copies_not_negative n x : 0 <= x -> 0 <= copies n x.
Proof. intros H. induction n; simpl; [apply le_refl | now apply plus_not_negative]. Qed.

Lemma by_base_not_less x : 0 <= x -> x <= by_base x.
Proof. intros H. apply le_plus_right. now apply (copies_not_negative (S more)). Qed.

Lemma raised_not_negative n : 0 <= unit -> 0 <= raised n.
Proof. intros H. induction n as [ | n IH]; [exact H | ]. now apply (copies_not_negative (S (S more))). Qed.

Lemma raised_grows n d : 0 <= unit -> raised n <= raised (d + n).
Proof.
  intros H. induction d as [ | d IH]; simpl; [apply le_refl | ].
  apply le_trans with (raised (d + n)); auto. apply by_base_not_less. now apply raised_not_negative.
Qed.

(* FACT_POWER_GROWS: G(j) <= G(k), and b*G(j) <= G(k) for j < k. *)
Theorem power_grows : unit_proved -> forall j k, (0 <= j)%Z -> (j <= k)%Z ->
  power j <= power k /\ ((j < k)%Z -> by_base (power j) <= power k).
Proof.
  intros [U] j k j0 le. unfold power. destruct (Z.leb_spec 0 j), (Z.leb_spec 0 k); try lia. split.
  - replace (Z.to_nat k) with (Z.to_nat (k - j) + Z.to_nat j)%nat by lia. now apply raised_grows.
  - intros lt. change (raised (S (Z.to_nat j)) <= raised (Z.to_nat k)).
    replace (Z.to_nat k) with (Z.to_nat (k - j - 1) + S (Z.to_nat j))%nat by lia. now apply raised_grows.
Qed.

(* FACT_POWER_LEAST: E <= G(j). *)
Theorem power_least : unit_proved -> forall j, (0 <= j)%Z -> unit <= power j.
Proof. intros U j le. exact (proj1 (power_grows U 0%Z j ltac:(lia) le)). Qed.
End Powers.

(* "Of integers also j + 1 <= G(j)." *)
Lemma power_of_integers more j : (0 <= j)%Z -> (j + 1 <= @power integers more 1%Z j)%Z.
Proof.
  intros le. unfold power. rewrite (proj2 (Z.leb_le 0 j) le). rewrite <- (Z2Nat.id j) at 1 by lia.
  induction (Z.to_nat j) as [ | n IH]; [simpl; lia | ]. rewrite Nat2Z.inj_succ.
  set (r := @raised integers more 1%Z n) in *.
  assert (P : (0 <= r)%Z) by (apply (@raised_not_negative integers); simpl; lia).
  assert (C : (0 <= @copies integers more r)%Z) by exact (@copies_not_negative integers more r P).
  change (@raised integers more 1%Z (S n)) with (r + (r + @copies integers more r))%Z. lia.
Qed.

(* --- max and min over a domain: solver/encode/extremum.c ---------------------------------------------------------------- *)

Section Extrema.
Context {T : times} {A : Type} (body : A -> T).
Implicit Types (l : list A).

(* FACT_EXTREMUM_LIMITS, FACT_EXTREMUM_REACHED: m >= E(b) for each b in S, and m = E(b) for some b in S (0 if S is empty); so of a
   min, m <= E(b). *)
Lemma extremum_of l : exists most least : T,
  (forall b, In b l -> body b <= most) /\ ((exists b, In b l /\ most = body b) \/ l = [] /\ most = 0) /\
  (forall b, In b l -> least <= body b) /\ ((exists b, In b l /\ least = body b) \/ l = [] /\ least = 0).
Proof.
  induction l as [ | a l IH].
  - exists 0, 0. repeat split; auto; intros b [].
  - destruct IH as (most & least & M1 & M2 & L1 & L2).
    destruct M2 as [(m & Im & ->) | [-> ->]]; [ | exists (body a), (body a); repeat split;
      try (intros b [<- | []]; apply le_refl); left; exists a; split; auto; now left].
    destruct L2 as [(n & In_ & ->) | [-> _]]; [ | destruct Im].
    exists (if le_or_not (body a) (body m) then body m else body a), (if le_or_not (body n) (body a) then body n else body a).
    repeat split.
    + intros b [<- | I]; destruct (le_or_not (body a) (body m)) as [le_ | no]; auto using le_refl.
      destruct (le_total (body a) (body m)) as [X | X]; [contradiction | ]. eauto using le_trans.
    + left. destruct (le_or_not (body a) (body m)); [exists m | exists a]; split; auto; [now right | now left].
    + intros b [<- | I]; destruct (le_or_not (body n) (body a)) as [le_ | no]; auto using le_refl.
      destruct (le_total (body n) (body a)) as [X | X]; [contradiction | ]. eauto using le_trans.
    + left. destruct (le_or_not (body n) (body a)); [exists n | exists a]; split; auto; [now right | now left].
Qed.
End Extrema.

(* --- the k-th smallest: solver/encode/order_statistic.c ------------------------------------------------------------------ *)

Section Kth.
Context {T : times} {A : Type} (body : A -> T) (members : list A).
Local Open Scope Z_scope.

Definition at_most (v : T) (x : A) : bool := if le_or_not (body x) v then true else false.
Definition less (v : T) (x : A) : bool := if le_or_not v (body x) then false else true.

Lemma card_le (s r : A -> bool) : (forall x, In x members -> s x = true -> r x = true) -> card members s <= card members r.
Proof.
  intros H. destruct (@set_subset integers A members (fun _ => 1) (one_light members) s r) as [(x & I & m & no) | [le_ _]]; auto.
  rewrite (H x I m) in no. discriminate.
Qed.

(* At least k members have at most v, fewer than k have less, and one has v. *)
Lemma kth_smallest k : 1 <= k -> k <= size members ->
  exists v, k <= card members (at_most v) /\ card members (less v) < k /\ exists x, In x members /\ body x = v.
Proof.
  intros low high.
  (* the least of the values that enough members do not exceed *)
  set (enough := filter (fun x => k <=? card members (at_most (body x))) members).
  destruct (extremum_of body members) as (most & _ & M1 & M2 & _).
  destruct M2 as [(top & It & ->) | [E _]]; [ | subst members; unfold size in high; simpl in high; lia].
  assert (T1 : In top enough).
  { apply filter_In. split; auto. apply Z.leb_le. apply Z.le_trans with (size members); auto.
    rewrite <- size_is. apply (@total_le integers A). intros a I. simpl. unfold at_most.
    destruct (le_or_not (body a) (body top)) as [_ | no]; [lia | exfalso; auto]. }
  destruct (extremum_of body enough) as (_ & v & _ & _ & L1 & L2).
  destruct L2 as [(x & Ix & ->) | [E _]]; [ | rewrite E in T1; destruct T1].
  apply filter_In in Ix. destruct Ix as [Ix K]. apply Z.leb_le in K.
  exists (body x). split; auto. split; [ | eauto].
  destruct (Z_lt_le_dec (card members (less (body x))) k) as [ | many]; auto. exfalso.
  (* else the largest of the smaller values is exceeded by as few *)
  destruct (extremum_of body (filter (less (body x)) members)) as (u & _ & U1 & U2 & _).
  destruct U2 as [(y & Iy & ->) | [E _]].
  - apply filter_In in Iy. destruct Iy as [Iy lower]. unfold less in lower.
    destruct (le_or_not (body x) (body y)) as [ | no]; [discriminate | ].
    apply no. apply L1. apply filter_In. split; auto. apply Z.leb_le. apply Z.le_trans with (card members (less (body x))); auto.
    apply card_le. intros z Iz lz. unfold at_most. destruct (le_or_not (body z) (body y)) as [ | above]; auto.
    exfalso. apply above. apply U1. apply filter_In. auto.
  - destruct (set_some members (less (body x)) ltac:(lia)) as (z & Iz & lz).
    assert (F : In z (filter (less (body x)) members)) by (apply filter_In; auto). rewrite E in F. destruct F.
Qed.
(* FACT_KTH_VALUE: there is such a v, 0 where nothing is said of it otherwise. *)
Lemma kth_value k : exists v,
  (1 <= k /\ k <= size members ->
   k <= card members (at_most v) /\ card members (less v) < k /\ exists x, In x members /\ body x = v) /\
  (k < 1 -> v = zero) /\ ((forall x, In x members -> le zero (body x)) -> le zero v).
Proof.
  destruct (Z_le_gt_dec 1 k) as [low | below]; [destruct (Z_le_gt_dec k (size members)) as [high | above] | ].
  - destruct (kth_smallest k low high) as (v & many & few & x & I & <-). exists (body x).
    split; [eauto | ]. split; [lia | auto].
  - exists zero. split; [lia | ]. split; [auto | intros; apply le_refl].
  - exists zero. split; [lia | ]. split; [auto | intros; apply le_refl].
Qed.
End Kth.

(* --- families that belong to a family: solver/encode/owner.c ------------------------------------------------------------ *)

Section Owners.
Local Open Scope Z_scope.

(* FACT_OWNED_SIZE: there are at least as many as one node has, and as the owners. *)
Lemma owned_size each owners : 1 <= each /\ 1 <= owners -> each <= each * owners /\ owners <= each * owners.
Proof. nia. Qed.

(* FACT_OWNER_NODE: the owner of a node is a node; "those of shard p are p*n .. p*n + n - 1". *)
Lemma owner_node each owners x : 0 <= each -> 0 <= x < each * owners -> 0 <= x / each < owners.
Proof.
  intros pos H. assert (each <> 0) by (intros ->; lia). split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia].
Qed.

(* FACT_SET_OWNED: each owner has as many. *)
Lemma set_owned (each : nat) (owners : list Z) (a : Z) : NoDup owners -> In a owners ->
  card (flat_map (fun o => map (fun i => (o, i)) (seq 0 each)) owners) (fun x => if Z.eq_dec (fst x) a then true else false) =
  Z.of_nat each.
Proof.
  set (of_a := fun x : Z * nat => if Z.eq_dec (fst x) a then true else false).
  assert (cons : forall x (l : list (Z * nat)), card (x :: l) of_a = (if of_a x then 1 else 0) + card l of_a) by reflexivity.
  assert (app : forall l r : list (Z * nat), card (l ++ r) of_a = card l of_a + card r of_a).
  { intros l r. induction l as [ | x l IH]; [reflexivity | ]. simpl app. rewrite !cons, IH. lia. }
  assert (one : forall o, card (map (fun i => (o, i)) (seq 0 each)) of_a = if Z.eq_dec o a then Z.of_nat each else 0).
  { intros o. generalize 0%nat. induction each as [ | n IH]; intros start.
    - now destruct (Z.eq_dec o a).
    - simpl seq. simpl map. rewrite cons, IH. unfold of_a. simpl fst. destruct (Z.eq_dec o a); lia. }
  intros nodup I. induction owners as [ | o owners IH]; [destruct I | ].
  inversion nodup as [ | ? ? out nodup']; subst. simpl flat_map. rewrite app, one.
  destruct (Z.eq_dec o a) as [-> | ne].
  - assert (none : forall l, ~ In a l -> card (flat_map (fun o => map (fun i => (o, i)) (seq 0 each)) l) of_a = 0);
      [ | rewrite none by auto; lia].
    induction l as [ | o l IHl]; intros no; [reflexivity | ]. simpl flat_map. rewrite app, one.
    destruct (Z.eq_dec o a) as [-> | _]; [destruct no; now left | ]. rewrite IHl; [lia | intros X; apply no; now right].
  - destruct I as [-> | I]; [contradiction | ]. rewrite IH by auto. lia.
Qed.
End Owners.
