(* SPDX-License-Identifier: GPL-3.0-or-later

   What Translate.v writes means what the term means. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Formula Translate.
Local Open Scope Z_scope.

Section Sound.
Context {T : times}.
Variable I : @interpretation T.

Definition means (t : sort) : result Z t -> meaning t -> Prop :=
  match t with
  | Int | Bool | Syntax.Time => fun x v => sense I x = v
  | NodeSet | Map => fun f g => forall n, sense I (f n) = g (sense I n)
  end.

Definition each_of (l : list (expression Z Int)) : list Z := map (fun n => sense I n) l.

(* The scene is what the expressions of the state say. *)
Record shows (y : symbolic Z) (c : @scene T) : Prop := {
  shows_read : sense I (y_read y) = reads_as c;
  shows_params : param_is (symbols I) = param_is c;
  shows_unit : unit_is (symbols I) = unit_is c;
  shows_bare : bare_is (symbols I) = bare_is c;
  shows_lasts : lasts (symbols I) = lasts c;
  shows_single : forall k, lasts c (Step k []) = bare_is c k;
  shows_state : forall t x r n, means t (y_state y t x r n) (get t x (has c (r, sense I n)));
  shows_sent : forall m l, sense I (y_sent y m l) = was_sent c (m, each_of l);
  shows_received : forall m l, sense I (y_received y m l) = was_received c (m, each_of l);
  shows_lost : forall m l, sense I (y_lost y m l) = was_lost c (m, each_of l);
  shows_time : forall m l, sense I (y_time y m l) = time_of c (m, each_of l);
  shows_receiver : forall m l, sense I (y_receiver y m l) = received_at c (m, each_of l);
  shows_charged : forall k l, sense I (y_charged y k l) = was_charged c (Step k (each_of l));
  shows_clock : forall r n, sense I (y_clock y r n) = clock_of c (r, sense I n);
  shows_arrival : forall r n, sense I (y_arrival y r n) = arrival_of c (r, sense I n);
  shows_now : sense I (y_now y) = now_is c;
  shows_place : forall m l, sense I (y_place y m l) = place_of c (m, each_of l)
}.

Definition stands (env : environment Z) (c : @scene T) : Prop := forall v, sense I (env v) = variable_is c v.

Lemma shows_bind y c v z : shows y c -> shows y (bind v z c).
Proof. intros []. now constructor. Qed.

Lemma stands_bind env c v a z : sense I a = z -> stands env c -> stands (let_be v a env) (bind v z c).
Proof. intros <- H u. unfold let_be, bind, set_at. simpl. now destruct (Nat.eqb v u). Qed.

Lemma none_of {A} (a b : list A) : a ++ b = [] -> a = [] /\ b = [].
Proof. destruct a, b; easy. Qed.

Lemma between_both_in low high z : In z (between_both low high) <-> low <= z <= high.
Proof.
  unfold between_both. rewrite in_map_iff. split.
  - intros (i & <- & H). apply in_seq in H. lia.
  - intros H. exists (Z.to_nat (z - low)). split; [lia | apply in_seq; lia].
Qed.

Lemma family_in n z : In z (between_both 0 (n - 1)) <-> 0 <= z < n.
Proof. rewrite between_both_in. lia. Qed.

Lemma forallb_same {A} (f g : A -> bool) l : (forall a, f a = g a) -> forallb f l = forallb g l.
Proof. intros E. induction l as [ | a l IH]; simpl; [auto | now rewrite E, IH]. Qed.
Lemma existsb_same {A} (f g : A -> bool) l : (forall a, f a = g a) -> existsb f l = existsb g l.
Proof. intros E. induction l as [ | a l IH]; simpl; [auto | now rewrite E, IH]. Qed.

Lemma forallb_filter {A} (f g : A -> bool) l : forallb f (filter g l) = forallb (fun a => negb (g a) || f a) l.
Proof. induction l as [ | a l IH]; simpl; auto. destruct (g a); simpl; now rewrite IH. Qed.
Lemma existsb_filter {A} (f g : A -> bool) l : existsb f (filter g l) = existsb (fun a => g a && f a) l.
Proof. induction l as [ | a l IH]; simpl; auto. destruct (g a); simpl; now rewrite IH. Qed.

Lemma means_choose a t x y v w : means t x v -> means t y w ->
  means t (choose a t x y) (if sense I a then v else w).
Proof. destruct t; simpl; intros H K; try intros n; destruct (sense I a); auto. Qed.

Ltac no_lack := repeat match goal with H : _ ++ _ = [] |- _ => apply none_of in H; destruct H end.

(* The nodes that each owns: those that are divided by that many to the owner. *)
Lemma owned_is each n z : (0 <? each) && (z / each =? n) = (each * n <=? z) && (z <? each * (n + 1)).
Proof.
  apply eq_true_iff_eq. rewrite !andb_true_iff, Z.ltb_lt, Z.eqb_eq, Z.leb_le, Z.ltb_lt. split.
  - intros [H <-]. pose proof (Z.mul_div_le z each H). pose proof (Z.mul_succ_div_gt z each H). lia.
  - intros [A B]. assert (H : 0 < each) by nia. split; [exact H | ]. symmetry. apply Z.div_unique with (z - each * n); lia.
Qed.

Lemma filter_all {A} (l : list A) : filter (fun _ => true) l = l.
Proof. induction l as [ | a l IH]; simpl; congruence. Qed.

(* The values of all that are in a domain. *)
Definition ranges (r : expression Z Int * expression Z Int * (Z -> expression Z Bool)) (all : list Z) : Prop :=
  let '(low, high, inside) := r in filter (fun z => sense I (inside z)) (between_both (sense I low) (sense I high)) = all.

Ltac gather translated ranged v d a rank L env y sc S E :=
  cbn [lacks] in L; no_lack;
  let B := fresh "B" in let Q := fresh "Q" in let R := fresh "R" in
  assert (B : forall z, sense I (translate a (let_be v (XVar z) env) y) = value a (bind v z sc));
  [intros z; match goal with A : lacks a = [] |- _ =>
     exact (translated _ a A _ y _ (shows_bind _ _ v z S) (stands_bind _ _ v (XVar z) z eq_refl E)) end | ];
  match goal with A : lacks rank = [] |- _ => pose proof (translated _ rank A env y sc S E) as Q end;
  match goal with A : domain_lacks d = [] |- _ => pose proof (ranged d A env y sc S E) as R end;
  clear translated ranged; simpl in Q |- *; unfold ranges in R;
  destruct (ranging d env y) as [[low high] inside]; simpl; rewrite R, ?Q, (map_ext _ _ B); reflexivity.

Lemma translate_sound : forall t (x : term t), lacks x = [] -> forall env y c, shows y c -> stands env c ->
  means t (translate x env y) (value x c)
with over_sound : forall d, domain_lacks d = [] -> forall env y c, shows y c -> stands env c -> forall body f,
  (forall z, sense I (body z) = f z) ->
  sense I (over true d env y body) = forallb f (members d c) /\ sense I (over false d env y body) = existsb f (members d c)
with ranging_sound : forall d, domain_lacks d = [] -> forall env y c, shows y c -> stands env c ->
  ranges (ranging d env y) (members d c).
Proof.
  - intros t x.
    assert (Ls : forall (l : list (term Int)), flat_map lacks l = [] -> forall env y c, shows y c -> stands env c ->
      each_of (map (fun n => translate n env y) l) = map (fun n => value n c) l).
    { fix go 1. intros [ | n l] L env y c S E; simpl; [reflexivity | ]. simpl in L. apply none_of in L. destruct L as [L1 L2].
      f_equal; [exact (translate_sound _ n L1 env y c S E) | exact (go l L2 env y c S E)]. }
    assert (Lt : forall (l : list (term Syntax.Time)), flat_map lacks l = [] -> forall env y c, shows y c -> stands env c ->
      map (fun n => sense I n) (map (fun n => translate n env y) l) = map (fun n => value n c) l).
    { fix go 1. intros [ | n l] L env y c S E; simpl; [reflexivity | ]. simpl in L. apply none_of in L. destruct L as [L1 L2].
      f_equal; [exact (translate_sound _ n L1 env y c S E) | exact (go l L2 env y c S E)]. }
    destruct x; intros L env y sc S E;
    try match goal with
    | |- means _ (translate (MaxOver ?v ?d ?a) _ _) _ => gather translate_sound ranging_sound v d a a L env y sc S E
    | |- means _ (translate (MinOver ?v ?d ?a) _ _) _ => gather translate_sound ranging_sound v d a a L env y sc S E
    | |- means _ (translate (SumOver ?v ?d ?a) _ _) _ => gather translate_sound ranging_sound v d a a L env y sc S E
    | |- means _ (translate (KthOver ?v ?d ?a ?k) _ _) _ => gather translate_sound ranging_sound v d a k L env y sc S E
    | |- means _ (translate (IntSumOver ?v ?d ?a) _ _) _ => gather translate_sound ranging_sound v d a a L env y sc S E
    | |- means _ (translate (IntKthOver ?v ?d ?a ?k) _ _) _ => gather translate_sound ranging_sound v d a k L env y sc S E
    end;
    clear ranging_sound; simpl in L |- *; try discriminate L; try (destruct (integer_in _); [ | discriminate L]);
    no_lack;
      repeat match goal with
      | H : lacks ?a = [] |- _ => let K := fresh "K" in pose proof (translate_sound _ a H) as K; clear H
      | H : domain_lacks ?d = [] |- _ => let K := fresh "D" in pose proof (over_sound d H env y sc S E) as K; clear H
      | H : flat_map lacks ?l = [] |- _ =>
        let K := fresh "M" in first [pose proof (Ls l H env y sc S E) as K | pose proof (Lt l H env y sc S E) as K]; clear H
      end;
      clear translate_sound over_sound Ls Lt;
      try (destruct (D _ _ (fun z => K _ y _ (shows_bind _ _ v z S) (stands_bind _ _ v (XVar z) z eq_refl E))); assumption);
      repeat match goal with
      | K : forall env y c, shows y c -> stands env c -> means _ (translate ?a env y) _ |- _ => specialize (K env y sc S E);
      simpl in K
      end;
      unfold each_of in *; try (intros n);
      repeat match goal with K : sense I (translate _ env y) = _ |- _ => rewrite K; clear K end;
      rewrite ?(shows_sent _ _ S), ?(shows_received _ _ S), ?(shows_lost _ _ S), ?(shows_time _ _ S), ?(shows_receiver _ _ S),
        ?(shows_charged _ _ S), ?(shows_clock _ _ S), ?(shows_arrival _ _ S), ?(shows_now _ _ S), ?(shows_place _ _ S), ?(shows_params _ _ S), ?(shows_unit _ _ S), ?(shows_bare _ _ S),
        ?(shows_lasts _ _ S);
      unfold each_of in *;
      repeat match goal with K : map _ (map _ _) = map _ _ |- _ => rewrite K; clear K end;
      auto using shows_read;
      try (destruct indices; simpl in *; rewrite ?(shows_bare _ _ S), ?(shows_single _ _ S), ?(shows_lasts _ _ S), <- ?M;
      reflexivity);
      try (simpl in *; congruence);
      try (repeat (try exact M; f_equal); fail).
    + rewrite <- K. apply (shows_state _ _ S).
    + apply owned_is.
    + simpl. revert nodes M. induction nodes as [ | a l IH]; simpl; auto. intros M. injection M as M1 M2. rewrite M1. f_equal.
      now apply IH.
    + apply f_equal, f_equal, filter_ext. intros z. exact (K (XVar z)).
    + apply forallb_same. intros z. rewrite (K (XVar z)), (K0 (XVar z)). reflexivity.
    + rewrite <- K1. now apply means_choose.
    + revert K. generalize (translate x env y), (value x sc). revert others M.
      induction others as [ | a l IH]; simpl; auto. intros M u w <-. injection M as M1 M2. apply IH; [exact M2 | simpl; now
      rewrite M1].
    + revert K. generalize (translate x env y), (value x sc). revert others M.
      induction others as [ | a l IH]; simpl; auto. intros M u w <-. injection M as M1 M2. apply IH; [exact M2 | simpl; now
      rewrite M1].
    + revert K. generalize (translate x env y), (value x sc). revert others M.
      induction others as [ | a l IH]; simpl; auto. intros M u w <-. injection M as M1 M2. apply IH; [exact M2 | simpl; now
      rewrite M1].
    + revert K. generalize (translate x env y), (value x sc). revert others M.
      induction others as [ | a l IH]; simpl; auto. intros M u w <-. injection M as M1 M2. apply IH; [exact M2 | simpl; now
      rewrite M1].
  - intros d L env y sc S E body f B. destruct d; simpl in L |- *; no_lack; try discriminate L;
      repeat match goal with
      | H : lacks ?a = [] |- _ => let K := fresh "K" in pose proof (translate_sound _ a H env y sc S E) as K; clear H
      end; clear translate_sound over_sound; simpl in *; rewrite ?K, ?K0.
    + split; [now apply forallb_same | now apply existsb_same].
    + rewrite forallb_filter, existsb_filter. split; [apply forallb_same | apply existsb_same]; intros z; now rewrite (K (XVar
      z)), B.
    + split; [now apply forallb_same | now apply existsb_same].
  - intros d L env y sc S E. destruct d; simpl in L |- *; no_lack; try discriminate L; unfold ranges;
      repeat match goal with
      | H : lacks ?a = [] |- _ => let K := fresh "K" in pose proof (translate_sound _ a H env y sc S E) as K; clear H
      end; clear translate_sound over_sound ranging_sound; simpl in *; rewrite ?K, ?K0, ?filter_all; try reflexivity.
    apply filter_ext. intros z. exact (K (XVar z)).
Qed.

Lemma before_or_at_is (a b : T) : before_or_at a b = true <-> le a b.
Proof. unfold before_or_at. now destruct (le_or_not a b). Qed.

Lemma inside_sound d env y c a : inside_lacks d = [] -> shows y c -> stands env c ->
  (sense I (inside d env y a) = true <-> in_domain d c (sense I a)).
Proof.
  intros L S E. destruct d; simpl in L |- *; no_lack;
    repeat match goal with
    | H : lacks ?a = [] |- _ => let K := fresh "K" in pose proof (translate_sound _ a H env y c S E) as K; clear H
    end; simpl in *; rewrite ?K, ?K0, ?andb_true_iff, ?Z.leb_le, ?Z.ltb_lt; try lia; try tauto.
Qed.

Definition agrees (t : sort) : written Z t -> said t -> Prop :=
  match t with Bool => fun a b => true_of I a <-> b | _ => fun _ _ => True end.

Lemma is_sound t (x : term t) env y c : lacks x = [] -> shows y c -> stands env c ->
  agrees t (is (translate x env y)) (is_true x c).
Proof. intros L S E. pose proof (translate_sound t x L env y c S E). destruct t; simpl in *; auto. rewrite H. reflexivity. Qed.

Lemma write_sound : forall t (x : term t), write_lacks x = [] -> forall env y c, shows y c -> stands env c ->
  agrees t (write x env y) (says x c).
Proof.
  fix go 2. intros t x L env y sc S E.
  pose proof (fun L => is_sound t x env y sc L S E) as A.
  destruct x; simpl in L; try exact (A L); try exact I; clear A; no_lack;
    try (repeat match goal with
      | H : lacks ?a = [] |- _ => let K := fresh "K" in pose proof (translate_sound _ a H env y sc S E) as K; clear H
      end; clear go; simpl in *; rewrite ?K, ?K0; clear K K0;
      first [apply Z.eqb_eq | apply Z.ltb_lt | apply Z.leb_le | apply before_or_at_is]; fail).
  - simpl. destruct b; split; easy.
  - repeat match goal with
    | H : lacks ?a = [] |- _ => let K := fresh "K" in pose proof (translate_sound _ a H env y sc S E) as K; clear H
    end. clear go. simpl in *. rewrite K1, forallb_forall.
    split.
    + intros H z B. apply family_in in B. apply H, eqb_prop in B. pose proof (K (XVar z)) as A. pose proof (K0 (XVar z)) as C.
      simpl in A, C. rewrite <- A, <- C. exact B.
    + intros H z B. apply family_in in B. apply eqb_true_iff. rewrite (K (XVar z)), (K0 (XVar z)). now apply H.
  - pose proof (go _ x L env y sc S E) as K. simpl in *; clear go; tauto.
  - pose proof (go _ x1 H env y sc S E) as K. pose proof (go _ x2 H0 env y sc S E) as K0. simpl in *; clear go; tauto.
  - pose proof (go _ x1 H env y sc S E) as K. pose proof (go _ x2 H0 env y sc S E) as K0. simpl in *; clear go; tauto.
  - pose proof (go _ x1 H env y sc S E) as K. pose proof (go _ x2 H0 env y sc S E) as K0. simpl in *; clear go; tauto.
  - pose proof (go _ x1 H env y sc S E) as K. pose proof (go _ x2 H0 env y sc S E) as K0. simpl in *; clear go; tauto.
  - pose proof (translate_sound _ x1 H env y sc S E) as K. pose proof (translate_sound _ x2 H0 env y sc S E) as K0. clear go.
    simpl in *. rewrite K, K0, andb_true_iff, !before_or_at_is. split; [intros [A B]; now apply le_antisym | intros ->; auto
    using le_refl].
  - pose proof (translate_sound _ x1 H env y sc S E) as K. pose proof (translate_sound _ x2 H0 env y sc S E) as K0. clear go.
    simpl in *. rewrite K, K0, negb_true_iff. rewrite <- before_or_at_is. now destruct (before_or_at _ _).
  - assert (K : forall z, true_of I (write x (let_be v (XVar z) env) y) <-> says x (bind v z sc)).
    { intros z. apply (go _ x H0 _ y _ (shows_bind _ _ v z S) (stands_bind _ _ v (XVar z) z eq_refl E)). }
    clear go. simpl. split; intros A z B; apply K, A; apply (inside_sound d env y sc (XVar z)); auto.
  - assert (K : forall z, true_of I (write x (let_be v (XVar z) env) y) <-> says x (bind v z sc)).
    { intros z. apply (go _ x H0 _ y _ (shows_bind _ _ v z S) (stands_bind _ _ v (XVar z) z eq_refl E)). }
    clear go. simpl. split; intros (z & B & A); exists z; (split; [apply (inside_sound d env y sc (XVar z)) in B || apply
    (inside_sound d env y sc (XVar z)); auto | now apply K]).
Qed.
End Sound.
