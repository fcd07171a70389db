(* SPDX-License-Identifier: GPL-3.0-or-later

   Which terms must mean something, and what they would mean otherwise: an extremum over no node, the k-th of fewer than k, a quorum
   that does not fit. Where FAMILY, RANK and QUORUM hold, what the encoder says of such a term has one value, that of Meaning.v.
   Without each of them it has not. *)
From Coq Require Import List Bool ZArith Lia Permutation Sorted.
Import ListNotations.
From Theory Require Import Time Facts.
From Theory Require Syntax Meaning.
From Theory Require Induction.
Local Open Scope Z_scope.

Section Readings.
Context {T : times} {A : Type} (body : A -> T) (members : list A).
Implicit Types (v : T) (k : Z) (s : A -> bool).

(* What the encoder says of a max over a family, and of a min: "No axiom takes for granted that a family has nodes". *)
Definition read_as_max v : Prop :=
  (forall b, In b members -> le (body b) v) /\ (1 <= size members -> exists b, In b members /\ v = body b).
Definition read_as_min v : Prop :=
  (forall b, In b members -> le v (body b)) /\ (1 <= size members -> exists b, In b members /\ v = body b).

(* And of the k-th smallest: "Of a rank that is not between 1 and the number of members nothing is said". *)
Definition is_kth k v : Prop :=
  k <= card members (at_most body v) /\ card members (less body v) < k /\ exists b, In b members /\ body b = v.
Definition read_as_kth k v : Prop := 1 <= k /\ k <= size members -> is_kth k v.

Lemma max_is_one v u : 1 <= size members -> read_as_max v -> read_as_max u -> v = u.
Proof.
  intros some [Lv Rv] [Lu Ru]. destruct (Rv some) as (b & Ib & ->), (Ru some) as (c & Ic & ->).
  apply le_antisym; auto.
Qed.

Lemma min_is_one v u : 1 <= size members -> read_as_min v -> read_as_min u -> v = u.
Proof.
  intros some [Lv Rv] [Lu Ru]. destruct (Rv some) as (b & Ib & ->), (Ru some) as (c & Ic & ->).
  apply le_antisym; auto.
Qed.

Lemma kth_not_less k v u : is_kth k v -> is_kth k u -> le u v.
Proof.
  intros (many & _ & _) (_ & few & _). destruct (le_or_not u v) as [ | above]; [assumption | exfalso].
  apply (Z.lt_irrefl k). eapply Z.le_lt_trans; [exact many | ]. eapply Z.le_lt_trans; [ | exact few].
  apply card_le. intros x _ m. unfold at_most, less in *. destruct (le_or_not (body x) v) as [le_ | ]; [ | discriminate].
  destruct (le_or_not u (body x)); [ | reflexivity]. exfalso. apply above. eauto using le_trans.
Qed.

Lemma kth_is_one k v u : 1 <= k <= size members -> read_as_kth k v -> read_as_kth k u -> v = u.
Proof. intros rank Hv Hu. specialize (Hv rank). specialize (Hu rank). apply le_antisym; eapply kth_not_less; eauto. Qed.

(* A quorum fits where there is a set of so many: then all nodes are one. *)
Lemma quorum_fits q : q <= size members <-> exists s, q <= card members s.
Proof.
  split.
  - intros fits. exists (fun _ => true). rewrite <- size_is in fits. exact fits.
  - intros [s many]. pose proof (card_at_most members s). lia.
Qed.
End Readings.

(* --- the obligations ------------------------------------------------------------------------------------------------- *)

(* Of families [family], quorums [quorum] and ranks [rank], in each world that the assumptions allow. *)
Section Obligations.
Context {world family quorum rank : Type} (possible : world -> Prop) (size_of : world -> family -> Z)
  (asked : world -> quorum -> Z) (of_family : quorum -> family) (place : world -> rank -> Z) (members : world -> rank -> Z).

Record terms_proved := {
  (* OBLIGATION_FAMILY *)
  terms_family : forall w f, possible w -> 1 <= size_of w f;
  (* OBLIGATION_QUORUM *)
  terms_quorum : forall w q, possible w -> asked w q <= size_of w (of_family q);
  (* OBLIGATION_RANK *)
  terms_rank : forall w r, possible w -> 1 <= place w r <= members w r
}.
End Obligations.

(* With them every such term has one value, and every quorum can be had. *)
Theorem terms_are_defined {T : times} {world family quorum rank A : Type} possible size_of asked of_family place members
  (nodes : world -> family -> list A) (set : world -> rank -> list A) :
  @terms_proved world family quorum rank possible size_of asked of_family place members ->
  (forall w f, size (nodes w f) = size_of w f) -> (forall w r, size (set w r) = members w r) ->
  forall w (body : A -> T), possible w ->
  (forall f v u, read_as_max body (nodes w f) v -> read_as_max body (nodes w f) u -> v = u) /\
  (forall f v u, read_as_min body (nodes w f) v -> read_as_min body (nodes w f) u -> v = u) /\
  (forall r v u, read_as_kth body (set w r) (place w r) v -> read_as_kth body (set w r) (place w r) u -> v = u) /\
  (forall q, exists s, asked w q <= card (nodes w (of_family q)) s).
Proof.
  intros [F Q R] same same' w body ok. repeat split.
  - intros f v u. apply max_is_one. rewrite same. auto.
  - intros f v u. apply min_is_one. rewrite same. auto.
  - intros r v u. apply kth_is_one. rewrite same'. auto.
  - intros q. apply quorum_fits. rewrite same. auto.
Qed.

(* --- the value of Meaning.v is that value ---------------------------------------------------------------------------- *)

Section Values.
Context {T : times}.

Lemma card_is_length {A} (l : list A) s : card l s = Z.of_nat (length (filter s l)).
Proof.
  induction l as [ | a l IH]; [reflexivity | ]. change (card (a :: l) s) with ((if s a then 1 else 0) + card l s). rewrite IH. cbn [filter].
  destruct (s a); cbn [length]; lia.
Qed.

Lemma card_of_map {A B} (f : A -> B) (l : list A) s : card (map f l) s = card l (fun x => s (f x)).
Proof.
  induction l as [ | a l IH]; [reflexivity | ].
  change ((if s (f a) then 1 else 0) + card (map f l) s = (if s (f a) then 1 else 0) + card l (fun x => s (f x))). now rewrite IH.
Qed.

Lemma size_of_map {A B} (f : A -> B) (l : list A) : size (map f l) = size l.
Proof. unfold size. now rewrite map_length. Qed.

Lemma extreme_from (pick : T -> T -> T) (R : T -> T -> Prop) : (forall a b, R a (pick a b) /\ R b (pick a b)) ->
  (forall a, R a a) -> (forall a b c, R a b -> R b c -> R a c) -> (forall a b, pick a b = a \/ pick a b = b) ->
  forall l a, (forall b, In b (a :: l) -> R b (fold_left pick l a)) /\ In (fold_left pick l a) (a :: l).
Proof.
  intros both refl trans one l. induction l as [ | b l IH]; intros a; simpl.
  - split; [intros b [<- | []]; apply refl | now left].
  - destruct (IH (pick a b)) as [all some]. split.
    + intros c [<- | [<- | I]]; [apply trans with (pick a b) | apply trans with (pick a b) | ]; try apply both; apply all; simpl; auto.
    + destruct some as [some | some]; [ | auto]. rewrite <- some. destruct (one a b) as [-> | ->]; auto.
Qed.

(* A max over a family that has nodes. *)
Theorem max_means {A} (body : A -> T) members : 1 <= size members ->
  read_as_max body members (Meaning.extreme latest zero (map body members)).
Proof.
  destruct members as [ | x members]; [intros H; unfold size in H; simpl in H; lia | ]. intros _.
  destruct (extreme_from latest le) with (l := map body members) (a := body x) as [all some].
  - intros a b. split; [apply latest_left | apply latest_right].
  - apply le_refl.
  - apply le_trans.
  - apply latest_is.
  - simpl. split.
    + intros b I. apply all. change (In (body b) (map body (x :: members))). now apply in_map.
    + intros _. change (In (fold_left latest (map body members) (body x)) (map body (x :: members))) in some.
      apply in_map_iff in some. destruct some as (b & E & I). exists b. auto.
Qed.

Theorem min_means {A} (body : A -> T) members : 1 <= size members ->
  read_as_min body members (Meaning.extreme Meaning.lesser zero (map body members)).
Proof.
  destruct members as [ | x members]; [intros H; unfold size in H; simpl in H; lia | ]. intros _.
  destruct (extreme_from Meaning.lesser (fun a b => le b a)) with (l := map body members) (a := body x) as [all some].
  - intros a b. unfold Meaning.lesser. destruct (le_or_not a b) as [ | no]; [auto using le_refl | ].
    destruct (le_total a b); [contradiction | auto using le_refl].
  - apply le_refl.
  - intros a b c ba cb. eauto using le_trans.
  - intros a b. unfold Meaning.lesser. destruct (le_or_not a b); auto.
  - simpl. split.
    + intros b I. apply all. change (In (body b) (map body (x :: members))). now apply in_map.
    + intros _. change (In (fold_left Meaning.lesser (map body members) (body x)) (map body (x :: members))) in some.
      apply in_map_iff in some. destruct some as (b & E & I). exists b. auto.
Qed.

Notation sorted_list := (fold_right (Meaning.insert Meaning.before_or_at) (@nil T)).

Lemma insert_permutes (a : T) l : Permutation (a :: l) (Meaning.insert Meaning.before_or_at a l).
Proof.
  induction l as [ | b l IH]; simpl; [apply Permutation_refl | ]. destruct (Meaning.before_or_at a b); [apply Permutation_refl | ].
  apply perm_trans with (b :: a :: l); [apply perm_swap | now apply perm_skip].
Qed.

Lemma sort_permutes l : Permutation l (sorted_list l).
Proof.
  induction l as [ | a l IH]; simpl; [apply Permutation_refl | ].
  apply perm_trans with (a :: sorted_list l); [now apply perm_skip | apply insert_permutes].
Qed.

Lemma insert_sorts (a : T) l : StronglySorted le l -> StronglySorted le (Meaning.insert Meaning.before_or_at a l).
Proof.
  induction 1 as [ | b l S IH F]; simpl; [repeat constructor | ].
  unfold Meaning.before_or_at at 1. destruct (le_or_not a b) as [ab | no].
  - repeat constructor; auto. apply Forall_forall. rewrite Forall_forall in F. eauto using le_trans.
  - constructor; [exact IH | ]. apply Forall_forall. intros c I. apply (Permutation_in _ (Permutation_sym (insert_permutes a l))) in I.
    destruct I as [<- | I]; [destruct (le_total a b); [contradiction | assumption] | ]. rewrite Forall_forall in F. auto.
Qed.

Lemma sort_sorts l : StronglySorted le (sorted_list l).
Proof. induction l; simpl; [constructor | now apply insert_sorts]. Qed.

Lemma card_permuted (l r : list T) s : Permutation l r -> card l s = card r s.
Proof.
  induction 1 as [ | a l r _ IH | a b l | l m r _ IH1 _ IH2]; auto.
  - change ((if s a then 1 else 0) + card l s = (if s a then 1 else 0) + card r s). now rewrite IH.
  - change ((if s b then 1 else 0) + ((if s a then 1 else 0) + card l s) = (if s a then 1 else 0) + ((if s b then 1 else 0) + card l s)).
    lia.
  - congruence.
Qed.

(* In a list in order the i-th is the k-th smallest, k = i + 1. *)
Lemma nth_of_sorted (l : list T) : StronglySorted le l -> forall i none, (i < length l)%nat ->
  Z.of_nat i < card l (at_most (fun x => x) (nth i l none)) /\ card l (less (fun x => x) (nth i l none)) <= Z.of_nat i.
Proof.
  induction 1 as [ | a l S IH F]; intros i none lt; simpl in lt; [lia | ].
  set (v := nth i (a :: l) none).
  change (Z.of_nat i < (if at_most (fun x => x) v a then 1 else 0) + card l (at_most (fun x => x) v) /\
    (if less (fun x => x) v a then 1 else 0) + card l (less (fun x => x) v) <= Z.of_nat i).
  rewrite Forall_forall in F. destruct i as [ | i]; simpl in v.
  - assert (va : v = a) by reflexivity. clearbody v. subst v. rename a into v.
    assert (card l (less (fun x => x) v) = 0) as ->.
    { rewrite card_is_length. assert (N : forall r, (forall b, In b r -> le v b) -> filter (less (fun x => x) v) r = []).
      { induction r as [ | b r IHr]; intros H; [reflexivity | ]. simpl. unfold less at 1.
        destruct (le_or_not v b) as [_ | no]; [apply IHr; simpl in H; auto | ]. exfalso. apply no. apply H. now left. }
      now rewrite N. }
    pose proof (@set_not_negative integers T l (fun _ => 1) (one_light l) (at_most (fun x => x) v)) as pos.
    unfold at_most at 1, less. destruct (le_or_not v v) as [_ | no]; [ | exfalso; apply no, le_refl].
    change (0 <= card l (at_most (fun x => x) v)) in pos. simpl Z.of_nat. lia.
  - destruct (IH i none ltac:(lia)) as [many few]. fold v in many, few.
    assert (av : le a v) by (apply F, nth_In; lia).
    unfold at_most at 1. destruct (le_or_not a v) as [_ | no]; [ | contradiction].
    destruct (less (fun x => x) v a); lia.
Qed.

(* The k-th of at least k. *)
Theorem kth_means {A} (body : A -> T) members k : 1 <= k <= size members ->
  is_kth body members k (Meaning.kth Meaning.before_or_at zero k (map body members)).
Proof.
  intros rank. unfold Meaning.kth. destruct (Z.ltb_spec k 1); [lia | ]. set (l := sorted_list (map body members)).
  assert (P : Permutation (map body members) l) by apply sort_permutes.
  assert (lt : (Z.to_nat (k - 1) < length l)%nat).
  { rewrite <- (Permutation_length P), map_length. unfold size in rank. lia. }
  destruct (nth_of_sorted l (sort_sorts _) (Z.to_nat (k - 1)) zero lt) as [many few].
  set (v := nth (Z.to_nat (k - 1)) l zero) in *.
  rewrite <- (card_permuted _ _ _ P), card_of_map in many. rewrite <- (card_permuted _ _ _ P), card_of_map in few. unfold is_kth.
  change (card members (fun x => at_most (fun y => y) v (body x))) with (card members (at_most body v)) in many.
  change (card members (fun x => less (fun y => y) v (body x))) with (card members (less body v)) in few.
  repeat split; [lia | lia | ].
  assert (I : In v (map body members)) by (apply (Permutation_in _ (Permutation_sym P)), nth_In, lt).
  apply in_map_iff in I. destruct I as (b & E & I). exists b. auto.
Qed.

(* So of terms: what the encoder says of them is said of their value, and of no other. *)
Theorem terms_mean (c : @Meaning.scene T) v d (a : Syntax.term Syntax.Time) (rank : Syntax.term Syntax.Int) :
  let all := Meaning.members d c in
  let body z := Meaning.value a (Meaning.bind v z c) in
  (1 <= size all -> forall m, read_as_max body all m <-> m = Meaning.value (Syntax.MaxOver v d a) c) /\
  (1 <= size all -> forall m, read_as_min body all m <-> m = Meaning.value (Syntax.MinOver v d a) c) /\
  (1 <= Meaning.value rank c <= size all ->
   forall m, read_as_kth body all (Meaning.value rank c) m <-> m = Meaning.value (Syntax.KthOver v d a rank) c).
Proof.
  intros all body. split; [ | split]; intros H m; split.
  - intros R. apply (max_is_one body all); auto. now apply max_means.
  - intros ->. now apply max_means.
  - intros R. apply (min_is_one body all); auto. now apply min_means.
  - intros ->. now apply min_means.
  - intros R. apply (kth_is_one body all (Meaning.value rank c)); auto. intros _. now apply kth_means.
  - intros ->. intros _. now apply kth_means.
Qed.
End Values.

(* --- without them ---------------------------------------------------------------------------------------------------- *)

(* Over no node everything is read as the greatest, and so no two agree. *)
Lemma without_family : exists v u : integers, v <> u /\
  read_as_max (fun _ : nat => 0 : integers) [] v /\ read_as_max (fun _ : nat => 0 : integers) [] u.
Proof. exists (0 : integers), (1 : integers). split; [discriminate | ]. split; split; try (intros b []); intros H; now contradict H. Qed.

(* The second of one node, and the one before the first: no value is it, and everything is read as it. *)
Lemma without_rank k : k = 2 \/ k = 0 ->
  (forall v : integers, ~ is_kth (fun _ : nat => 0 : integers) [O] k v) /\
  forall v : integers, read_as_kth (fun _ : nat => 0 : integers) [O] k v.
Proof.
  intros H. split.
  - intros v (many & few & _). pose proof (card_at_most [O] (at_most (fun _ : nat => 0 : integers) v)).
    pose proof (@set_not_negative integers nat [O] (fun _ => 1) (one_light [O]) (less (fun _ : nat => 0 : integers) v)) as pos.
    change (0 <= card [O] (less (fun _ : nat => 0 : integers) v)) in pos. unfold size in *. simpl length in *. lia.
  - intros v [low high]. unfold size in high. simpl length in high. lia.
Qed.

(* An action that waits for more answers than there are nodes is never taken; so whatever it were to send is sent in time, and late. *)
Theorem without_quorum {T : times} (S : Induction.system) {A} (nodes : list A) (answers : Induction.state S -> A -> bool) (q : Z)
  (takes : Induction.pick S -> Prop) :
  (forall w s p, Induction.enabled w s p -> takes p -> q <= card nodes (answers s)) -> size nodes < q ->
  forall w s p, Induction.enabled w s p -> ~ takes p.
Proof. intros guard many w s p E t. pose proof (card_at_most nodes (answers s)). specialize (guard w s p E t). lia. Qed.
