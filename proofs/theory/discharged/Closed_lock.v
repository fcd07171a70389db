(* SPDX-License-Identifier: GPL-3.0-or-later

   The bounds of specs/lock.tp with no obligation left. Spec_lock.v is what `tailproof certify --theory` writes of it. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote Once Corollary Discharge Spec_lock.
From Theory Require Induction.
Local Open Scope Z_scope.

Ltac known_facts K :=
  pose proof (K 0%nat) as K0; pose proof (K 1%nat) as K1; pose proof (K 2%nat) as K2; pose proof (K 3%nat) as K3;
  pose proof (K 4%nat) as K4; pose proof (K 5%nat) as K5; pose proof (K 6%nat) as K6; pose proof (K 7%nat) as K7;
  pose proof (K 8%nat) as K8; pose proof (K 9%nat) as K9; pose proof (K 10%nat) as K10; pose proof (K 11%nat) as K11;
  pose proof (K 12%nat) as K12; pose proof (K 13%nat) as K13; pose proof (K 14%nat) as K14; pose proof (K 15%nat) as K15;
  pose proof (K 16%nat) as K16; clear K; cbn in K0, K1, K2, K3, K4, K5, K6, K7, K8, K9, K10, K11, K12, K13, K14, K15, K16.

Section Lock.
Variable unit : integers.

Lemma accept_keeps i : step_obligation unit the_protocol invariants a_node_Accept i.
Proof.
  intros w. open_step the_protocol. known_facts K.
  destruct fs as [ | e [ | ]]; try discriminate. cbn in *. clear H3 H14 H15 H20 H13 H12 H19 H9 H11.
  pose proof (H10 (Step c_Accept [e - 1])) as length. cbn in length.
  open_after.
  do 17 (try destruct i as [ | i]); cbn; [ .. | now destruct i].
  all: intros; clear re wa; plain; touched; plain; repeat split; open_goal; try follows_now.
  all: try (instances tt; plain; follows_now).
  all: try (instances constr:((e + 1, tt)); plain; follows_now).
  all: try (replace (e - 1 + 1) with e in * by lia; congruence).
  - instances tt.
    match goal with |- _ <= fold_left Z.add (map ?f _) _ =>
      change (fold_left Z.add (map f (between_both 0 (e - 1))) 0) with (sum_to f (e - 1));
      change (fold_left Z.add (map f (between_both 0 (e - 2))) 0) with (sum_to f (e - 2)) in * end.
    rewrite sum_more by lia. cbn beta. replace (e - 1 - 1) with (e - 2) by lia. replace (e - 1 + 1) with e by lia. lia.
Qed.

Lemma grant_keeps i : step_obligation unit the_protocol invariants a_node_Grant i.
Proof.
  intros w. open_step the_protocol. known_facts K. cbn in *.
  pose proof (H10 (Step c_Grant [ints (of s (r_node, n)) s_node_epoch])) as length. cbn in length.
  pose proof (H10 (Delayed c_d m_Transfer [ints (of s (r_node, n)) s_node_epoch + 1])) as length'. cbn in length'.
  open_after. rewrite ?PeanoNat.Nat.eqb_refl, ?Z.eqb_refl; cbn. clear H9 H11 H12 H16 H13 H7 H3 H14 H10.
  do 17 (try destruct i as [ | i]); cbn; [ .. | now destruct i].
  all: intros; clear re wa; plain; touched; plain; repeat split; open_goal; try follows_now.
  all: try (instances tt; plain; follows_now).
  all: try (instances constr:((ints (of s (r_node, n)) s_node_epoch + 1, tt)); plain; follows_now).
  - instances tt. set (e := ints (of s (r_node, n)) s_node_epoch) in *.
    replace (e + 1 - 2) with (e - 1) by lia. replace (e + 1 - 1) with e by lia. lia.
Qed.

Lemma grant_once : once_obligation unit the_protocol follow invariants a_node_Grant.
Proof.
  intros w. open_step the_protocol. known_facts K. cbn in *. unfold asked_once. cbn.
  rewrite ?PeanoNat.Nat.eqb_refl, ?Z.eqb_refl; cbn. repeat split.
  - repeat constructor. now intros [].
  - intros m n' [E | []]. injection E as E _. subst m. cbn. rewrite Z.eqb_refl. cbn.
    apply not_true_iff_false. apply K15; [lia | assumption].
  - repeat constructor. now intros [].
  - intros o [<- | []]. apply not_true_iff_false. apply K14; [lia | assumption].
Qed.

Lemma first_has i : initial_obligation unit the_protocol invariants i.
Proof.
  intros w [s more] ok _ ((F & C & M & G & _) & _). unfold has_invariant, scene_at. cbn in *.
  assert (M1 : forall m, sent s m = false) by apply M. assert (M2 : forall m, received s m = false) by apply M.
  do 17 (try destruct i as [ | i]); cbn; [ .. | now destruct i].
  all: intros; plain.
  all: repeat match goal with H : _ = true |- _ => progress (rewrite ?F, ?C, ?M1, ?M2, ?G in H; cbn in H) end; plain.
  all: try discriminate; rewrite ?F, ?C, ?M1, ?M2, ?G; cbn; try discriminate; try lia.
Qed.

Lemma bounds_kept w x : Induction.possible w -> (forall i, has_invariant unit the_protocol invariants i w x) ->
  kept unit the_protocol b_full_circle w x /\ kept unit the_protocol b_full_circle_uniform w x /\
  kept unit the_protocol b_after_hops w x.
Proof.
  destruct x as [s more]. intros ((_ & _ & A & _) & B) K. pose proof (K 9%nat) as K9. clear K. cbn in *. plain. cbn in *.
  unfold kept, Induction.keeps. cbn. repeat split; intros v; cbn.
  - destruct v; [ | now intros []]. intros (_ & L & E). cbn in *. rewrite <- E. apply K9; [lia | exact L].
  - destruct v; [ | now intros []]. intros (_ & L & E). cbn in *.
    eapply Z.le_trans; [apply K9; [lia | exact L] | ]. rewrite E, multiple_is.
    match goal with |- fold_left Z.add (map ?f _) _ <= _ =>
      change (fold_left Z.add (map f (between_both 0 (parameter w p_n - 1))) 0) with (sum_to f (parameter w p_n - 1)) end.
    apply sum_at_most; [lia | ]. intros i. pose proof (B (Step c_Grant [i])) as B1.
    pose proof (B (Delayed c_d m_Transfer [i + 1])) as B2. pose proof (B (Step c_Accept [i])) as B3.
    cbn in *. unfold between in *. cbn in *. lia.
  - destruct v as [ | v [ | ]]; [now intros [[] _] | | now intros [[_ []] _]]. intros ((D & _) & L & E). cbn in *.
    rewrite <- E. apply K9; [lia | exact L].
Qed.

Lemma first_kept : 
  bound_initial_obligation unit the_protocol b_full_circle /\ bound_initial_obligation unit the_protocol b_full_circle_uniform /\
  bound_initial_obligation unit the_protocol b_after_hops.
Proof. repeat split; intros w x ok ty F; apply bounds_kept; auto; intros i; now apply first_has. Qed.

Lemma step_kept a : (forall i, step_obligation unit the_protocol invariants a i) ->
  bound_step_obligation unit the_protocol invariants b_full_circle a /\
  bound_step_obligation unit the_protocol invariants b_full_circle_uniform a /\
  bound_step_obligation unit the_protocol invariants b_after_hops a.
Proof. intros H. repeat split; intros w x p K _ E; (apply bounds_kept; [apply K | intros i; now apply H]). Qed.
End Lock.

(* The bounds, with no obligation left. *)
Ltac closed theorem := intros unit w x; apply theorem; first
  [apply first_has | apply grant_keeps | apply accept_keeps | apply grant_once | apply first_kept
  | apply (step_kept _ _ (grant_keeps _))
  | apply (step_kept _ _ (accept_keeps _))].

Theorem full_circle : forall (unit : integers) w x, Induction.possible (s := executions the_protocol unit) w ->
  Induction.reachable (executions the_protocol unit) w x -> kept unit the_protocol b_full_circle w x.
Proof. closed bound_full_circle. Qed.

Theorem full_circle_uniform : forall (unit : integers) w x, Induction.possible (s := executions the_protocol unit) w ->
  Induction.reachable (executions the_protocol unit) w x -> kept unit the_protocol b_full_circle_uniform w x.
Proof. closed bound_full_circle_uniform. Qed.

Theorem after_hops : forall (unit : integers) w x, Induction.possible (s := executions the_protocol unit) w ->
  Induction.reachable (executions the_protocol unit) w x -> kept unit the_protocol b_after_hops w x.
Proof. closed bound_after_hops. Qed.
