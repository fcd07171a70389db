(* SPDX-License-Identifier: GPL-3.0-or-later

   What Generator.v writes of the next message of a channel, and of what a node could do instead of a step, is what Model.v and
   Timing.v say of it. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Timing Denote Corollary Formula Translate TranslateSound RunSound.
From Theory Require GeneratorRun GeneratorStep GeneratorRule Generator.
Local Open Scope Z_scope.

Ltac no_lack := repeat match goal with H : _ ++ _ = [] |- _ => apply none_of in H; destruct H end.

Lemma combined {A} (l : list A) : forall k v d, In (v, d) (combine (seq k (length l)) l) <-> (k <= v)%nat /\ nth_error l (v - k) = Some d.
Proof.
  induction l as [ | x l IH]; intros k v d; simpl.
  - split; [easy | ]. intros [_ H]. now destruct (v - k)%nat.
  - rewrite IH. split.
    + intros [E | [L H]].
      * injection E as <- <-. rewrite PeanoNat.Nat.sub_diag. auto.
      * split; [lia | ]. replace (v - k)%nat with (S (v - S k)) by lia. exact H.
    + intros [L H]. destruct (v - k)%nat as [ | j] eqn:E.
      * left. injection H as <-. f_equal. lia.
      * right. split; [lia | ]. replace (v - S k)%nat with j by lia. exact H.
Qed.

Section RuleSound.
Context {T : times} (unit : T) (P : protocol).
Local Notation N := (names_of (T := T) P).
Local Notation M := (denote P unit).
Variables (w : world T N) (s : state T N) (read : T).
Variable I : @interpretation T.
Local Notation sense := (sense I).
Local Notation base := (scene_of P unit w s no_extra read).
Context (of_world : of_this_world unit P w I).
Context (before_is : shows I (GeneratorRun.before Z) base).
Context (typed_so : typed unit P w s).
Context (protocol_covered : Generator.protocol_lacks P = []).

Definition all_true (l : list (expression Z Bool)) : Prop := List.Forall (fun x : expression Z Bool => sense x = true) l.

Lemma all_true_formulas l : List.Forall (true_of I) (map FIs l) <-> all_true l.
Proof. unfold all_true. now rewrite Forall_map. Qed.

Lemma conjunction_sound l : sense (GeneratorRule.conjunction Z l) = true <-> all_true l.
Proof.
  induction l as [ | x l IH]; [split; [constructor | reflexivity] | ].
  unfold all_true. cbn [GeneratorRule.conjunction Formula.sense]. rewrite andb_true_iff, Forall_cons_iff. now rewrite IH.
Qed.

Lemma implies_sound a b : sense (XImplies a b) = true <-> (sense a = true -> sense b = true).
Proof. simpl. destruct (sense a), (sense b); simpl; intuition congruence. Qed.

Lemma implied_sound l x : true_of I (GeneratorRule.implied Z l x) <-> (List.Forall (true_of I) l -> true_of I x).
Proof.
  induction l as [ | y l IH]; simpl; [split; auto | ]. rewrite Forall_cons_iff, IH. tauto.
Qed.

Lemma variables_mean zs : each_of I (map XVar zs) = zs.
Proof. unfold each_of. rewrite map_map. exact (map_id zs). Qed.

Lemma all_of_sound number body : forall bound, (forall zs, length zs = number -> true_of I (body (rev bound ++ map XVar zs))) ->
  true_of I (GeneratorRule.all_of Z number body bound).
Proof.
  induction number as [ | number IH]; intros bound H; simpl.
  - specialize (H [] eq_refl). now rewrite app_nil_r in H.
  - intros z. apply IH. intros zs L. simpl. rewrite <- app_assoc. apply (H (z :: zs)). simpl. now rewrite L.
Qed.

Lemma for_all_sound number body : forall bound, true_of I (GeneratorRule.for_all Z number body bound) <->
  (forall zs, length zs = number -> sense (body (rev bound ++ map XVar zs)) = true).
Proof.
  induction number as [ | number IH]; intros bound; simpl.
  - split; [ | intros H; specialize (H [] eq_refl); now rewrite app_nil_r in H].
    intros H [ | z zs] L; [now rewrite app_nil_r | discriminate].
  - split.
    + intros H [ | z zs] L; [discriminate | ]. injection L as L. specialize (H z). rewrite IH in H. specialize (H zs L).
      simpl in H. now rewrite <- app_assoc in H.
    + intros H z. apply IH. intros zs L. simpl. rewrite <- app_assoc. apply (H (z :: zs)). simpl. now rewrite L.
Qed.

(* --- what the protocol covers --- *)

Lemma covered_size r : In r (roles P) -> lacks (size r) = [].
Proof. pose proof protocol_covered as L. unfold Generator.protocol_lacks in L. no_lack. intros R. now apply (flat_map_nil (fun r => lacks (size r)) (roles P)). Qed.
Lemma covered_declared m : flat_map Generator.size_lacks (GeneratorRun.declared_fields P m) = [].
Proof.
  pose proof protocol_covered as L. unfold Generator.protocol_lacks in L. no_lack. unfold GeneratorRun.declared_fields.
  destruct (nth_error (messages P) m) eqn:E; auto. apply nth_error_In in E.
  now apply (flat_map_nil (fun m => flat_map Generator.size_lacks (fields_of m)) (messages P)) in E.
Qed.
Lemma covered_sender d : In d (messages P) -> on_fifo d = true -> lacks (sent_from d) = [].
Proof.
  pose proof protocol_covered as L. unfold Generator.protocol_lacks in L. no_lack. intros H' F.
  match goal with K : flat_map (fun m => (if on_fifo m then _ else _) ++ _) _ = [] |- _ => pose proof (flat_map_nil _ _ K d H') as Q end.
  simpl in Q. rewrite F in Q. now apply none_of in Q.
Qed.

(* --- parts of it --- *)

Lemma fields_fit_sound m l : length l = length (GeneratorRun.declared_fields P m) ->
  (all_true (GeneratorStep.fields_fit Z P m l) <-> message_fits P unit w (m, each_of I l)).
Proof.
  unfold GeneratorStep.fields_fit, message_fits, clamp_fields, all_true. simpl.
  pose proof (covered_declared m) as C. revert C. unfold GeneratorRun.declared_fields.
  destruct (nth_error (messages P) m) as [d | ]; simpl.
  - intros C. revert l. induction (fields_of d) as [ | v declared IH]; intros [ | x l] L; try discriminate L; simpl;
      [split; [reflexivity | constructor] | ].
    simpl in C. apply none_of in C. destruct C as [C1 C2]. injection L as L. rewrite Forall_cons_iff, (IH C2 l L).
    cbn [Formula.sense fst snd]. rewrite Z.eqb_eq, (clamp_sound unit P w I of_world) by assumption. split; [intros [A B]; congruence | ].
    intros E. injection E as E1 E2. auto.
  - intros _. destruct l; [split; [reflexivity | constructor] | discriminate].
Qed.

Lemma pending_sound m l : all_true (GeneratorStep.pending Z m l) <-> pending s (m, each_of I l : list Z) = true.
Proof.
  pose proof (shows_sent I _ _ before_is m l) as A. pose proof (shows_received I _ _ before_is m l) as B.
  pose proof (shows_lost I _ _ before_is m l) as C. cbn [GeneratorRun.before y_sent y_received y_lost] in A, B, C.
  unfold GeneratorStep.pending, all_true, pending. rewrite !Forall_cons_iff. cbn [Formula.sense] in *. rewrite A, B, C.
  simpl. rewrite !andb_true_iff. intuition.
Qed.

Lemma sent_if_pending m : pending s (m : message N) = true -> sent s m = true.
Proof. unfold pending. destruct (sent s m); auto. Qed.

Lemma received_role m d : sent s (m : message N) = true -> nth_error (messages P) (fst (m : a_message)) = Some d ->
  fst (receiver s m : a_node) = Syntax.received_by d.
Proof.
  intros S E. destruct typed_so as (_ & A & _). destruct (A m S) as ((_ & R & _) & _). rewrite R. unfold role_receiving. now rewrite E.
Qed.

Lemma receiver_sound m l : sense (XReceiver m l) = snd (receiver s ((m, each_of I l) : message N) : a_node).
Proof. exact (shows_receiver I _ _ before_is m l). Qed.

Lemma place_sound m l : sense (XPlace m l) = Z.of_nat (place s ((m, each_of I l) : message N)).
Proof. exact (shows_place I _ _ before_is m l). Qed.

Lemma stands_all names : forall xs env c, stands I env c -> stands I (GeneratorStep.let_all Z names xs env) (bind_all names (each_of I xs) c).
Proof.
  induction names as [ | v names IH]; intros [ | x xs] env c E; simpl; auto. apply IH. now apply stands_bind.
Qed.

Lemma shows_all y names : forall zs c, shows I y c -> shows I y (bind_all names zs c).
Proof. induction names as [ | v names IH]; intros [ | z zs] c E; simpl; auto using shows_bind. Qed.

Lemma sender_sound d l : lacks (sent_from d) = [] ->
  sense (GeneratorRule.sender_is Z d l) =
    value (sent_from d) (bind_all (seq 0 (length (each_of I l))) (each_of I l) (scene_of_world P unit w)).
Proof.
  intros L. unfold GeneratorRule.sender_is. apply (translate_sound I Int (sent_from d) L).
  - apply shows_all. exact (shows_nowhere unit P w I of_world).
  - unfold each_of at 1. rewrite map_length. apply stands_all. now apply stands_unbound.
Qed.

(* --- the next message of a channel --- *)

Lemma not_on_channel m : match nth_error (messages P) m with Some d => on_fifo d | None => false end = false ->
  forall i, is_next M w s ((m, i) : message N).
Proof. intros E i m' _ (F & _). simpl in F. rewrite E in F. discriminate. Qed.

Lemma next_written m l : sent s ((m, each_of I l) : message N) = true -> is_next M w s ((m, each_of I l) : message N) ->
  List.Forall (true_of I) (GeneratorRule.is_next Z P m l).
Proof.
  intros S Nx. unfold GeneratorRule.is_next. destruct (nth_error (messages P) m) as [d | ] eqn:E; [ | constructor].
  destruct (on_fifo d) eqn:F; [ | constructor]. apply Forall_forall. intros x H. apply in_flat_map in H. destruct H as ([k d'] & K & H).
  apply combined in K. destruct K as [_ K]. rewrite PeanoNat.Nat.sub_0_r in K. simpl in H.
  destruct (on_fifo d' && _ && _) eqn:G; [ | easy]. apply andb_true_iff in G. destruct G as [G G3]. apply andb_true_iff in G.
  destruct G as [G1 G2]. apply PeanoNat.Nat.eqb_eq in G2, G3. destruct H as [<- | []]. apply for_all_sound. intros zs _.
  change (rev [] ++ map XVar zs) with (map (@XVar Z) zs). cbv beta. apply implies_sound. intros C.
  apply (proj1 (conjunction_sound (GeneratorStep.pending Z k (map XVar zs) ++
    [XIntEq (GeneratorRule.sender_is Z d l) (GeneratorRule.sender_is Z d' (map XVar zs)); XIntEq (XReceiver m l) (XReceiver k (map XVar zs))]))) in C.
  unfold all_true in C. rewrite Forall_app, !Forall_cons_iff in C. destruct C as (C1 & C2 & C3 & _).
  apply pending_sound in C1. rewrite variables_mean in C1. cbn [Formula.sense] in C2, C3. apply Z.eqb_eq in C2, C3.
  rewrite !sender_sound in C2 by (apply covered_sender; eauto using nth_error_In).
  pose proof (receiver_sound m l) as R1. pose proof (receiver_sound k (map XVar zs)) as R2. rewrite variables_mean in R2, C2.
  cbn [Formula.sense] in R1, R2. rewrite R1, R2 in C3.
  pose proof (place_sound m l) as P1. pose proof (place_sound k (map XVar zs)) as P2. rewrite variables_mean in P2.
  cbn [Formula.sense] in P1, P2 |- *. rewrite P1, P2. apply Z.leb_le, Nat2Z.inj_le. apply Nx; [exact C1 | ].
  repeat split; simpl.
  - now rewrite E.
  - now rewrite K.
  - rewrite E, K, G2. now rewrite C2.
  - pose proof (received_role (m, each_of I l) d S E) as A.
    pose proof (received_role (k, zs) d' (sent_if_pending _ C1) K) as B.
    destruct (receiver s ((m, each_of I l) : message N)) as [r z], (receiver s ((k, zs) : message N)) as [r' z'].
    simpl in A, B, C3. congruence.
Qed.

Lemma fits_length m i d : message_fits P unit w (m, i) -> nth_error (messages P) m = Some d -> length i = length (fields_of d).
Proof.
  unfold message_fits, clamp_fields. simpl. intros F E. rewrite E in F. rewrite <- F. generalize i.
  clear. induction (fields_of d) as [ | v l IH]; intros j; simpl; [reflexivity | now rewrite IH].
Qed.

Lemma next_read m l : sent s ((m, each_of I l) : message N) = true -> List.Forall (true_of I) (GeneratorRule.is_next Z P m l) ->
  is_next M w s ((m, each_of I l) : message N).
Proof.
  intros S H. unfold GeneratorRule.is_next in H. destruct (nth_error (messages P) m) as [d | ] eqn:E;
    [ | apply not_on_channel; now rewrite E].
  destruct (on_fifo d) eqn:F; [ | apply not_on_channel; now rewrite E].
  intros [k zs] Pe (_ & F' & Se & Re). simpl in F', Se. rewrite E in Se.
  destruct (nth_error (messages P) k) as [d' | ] eqn:K; [ | discriminate]. injection Se as Se1 Se2.
  pose proof (received_role (m, each_of I l) d S E) as A.
  pose proof (received_role (k, zs) d' (sent_if_pending _ Pe) K) as B. simpl in Re. rewrite <- Re in B.
  rewrite Forall_forall in H.
  assert (L : length zs = length (fields_of d')).
  { destruct typed_so as (_ & Q & _). destruct (Q _ (sent_if_pending _ Pe)) as ((Q1 & _) & _). exact (fits_length k zs d' Q1 K). }
  eassert (X : true_of I _).
  { apply H, in_flat_map. exists (k, d'). split; [apply combined; rewrite PeanoNat.Nat.sub_0_r; split; [lia | exact K] | ].
    simpl. rewrite F', <- Se1, <- A, <- B, !PeanoNat.Nat.eqb_refl. now left. }
  apply (proj1 (for_all_sound _ _ _)) with (zs := zs) in X; [ | exact L].
  apply (proj1 (implies_sound (GeneratorRule.conjunction Z (GeneratorStep.pending Z k (map XVar zs) ++
    [XIntEq (GeneratorRule.sender_is Z d l) (GeneratorRule.sender_is Z d' (map XVar zs)); XIntEq (XReceiver m l) (XReceiver k (map XVar zs))])) _)) in X.
  2: { apply conjunction_sound, Forall_app. split.
    + apply pending_sound. now rewrite variables_mean.
    + pose proof (receiver_sound m l) as R1. pose proof (receiver_sound k (map XVar zs)) as R2. rewrite variables_mean in R2.
      cbn [Formula.sense] in R1, R2.
      repeat constructor; cbn [Formula.sense]; apply Z.eqb_eq.
      * rewrite !sender_sound by (apply covered_sender; eauto using nth_error_In). rewrite variables_mean. exact Se2.
      * rewrite R1, R2. now rewrite Re. }
  pose proof (place_sound m l) as P1. pose proof (place_sound k (map XVar zs)) as P2. rewrite variables_mean in P2.
  change ((sense (XPlace m l) <=? sense (XPlace k (map XVar zs))) = true) in X. rewrite P1, P2 in X. now apply Z.leb_le, Nat2Z.inj_le in X.
Qed.

(* --- what a node could do --- *)

Lemma size_is r d : nth_error (roles P) r = Some d -> sense (GeneratorRun.of_parameters Z (size d)) = size_of P unit w r.
Proof.
  intros E. unfold size_of. rewrite E.
  exact (of_parameters_sound unit P w I of_world Int (size d) (covered_size d (nth_error_In _ _ E))).
Qed.

Lemma single_size r : GeneratorRun.is_single P r = true -> size_of P unit w r = 1.
Proof.
  unfold GeneratorRun.is_single, size_of. destruct (nth_error (roles P) r) as [d | ]; [ | discriminate].
  destruct (integer_in (size d)) as [z | ] eqn:Q; [ | discriminate]. intros E. apply Z.eqb_eq in E. subst z.
  exact (integer_in_sound Int (size d) 1 (scene_of_world P unit w) Q).
Qed.

Lemma in_role_sound r (x : expression Z Int) : 0 <= sense x < size_of P unit w r -> all_true (GeneratorStep.in_role Z P r x).
Proof.
  intros H. unfold GeneratorStep.in_role. destruct (GeneratorRun.is_single P r); [constructor | ].
  destruct (nth_error (roles P) r) as [d | ] eqn:E; [ | constructor]. constructor; [ | constructor].
  cbn [Formula.sense]. rewrite (size_is r d E), andb_true_iff, Z.leb_le, Z.ltb_lt. exact H.
Qed.

Lemma in_role_read r d (x : expression Z Int) : nth_error (roles P) r = Some d -> (GeneratorRun.is_single P r = true -> sense x = 0) ->
  all_true (GeneratorStep.in_role Z P r x) -> 0 <= sense x < size_of P unit w r.
Proof.
  intros E S H. unfold GeneratorStep.in_role in H. destruct (GeneratorRun.is_single P r) eqn:Q.
  - rewrite (S eq_refl), (single_size r Q). lia.
  - rewrite E in H. apply Forall_inv in H. cbn [Formula.sense] in H.
    now rewrite (size_is r d E), andb_true_iff, Z.leb_le, Z.ltb_lt in H.
Qed.

Lemma choices_read all : flat_map (fun vd => inside_lacks (snd vd)) all = [] -> forall zs env c, length zs = length all ->
  shows I (GeneratorRun.before Z) c -> stands I env c -> all_true (GeneratorStep.choices_fit Z all (map XVar zs) env) ->
  choices_fit all zs c.
Proof.
  induction all as [ | [v d] all IH]; intros L [ | z zs] env c Ln S E H; try discriminate Ln; simpl; auto.
  simpl in L. apply none_of in L. destruct L as [L1 L2]. injection Ln as Ln. simpl in H. apply Forall_cons_iff in H.
  destruct H as [H1 H2]. split; [now apply (inside_sound I d env _ c (XVar z) L1 S E) | ].
  apply (IH L2 zs (let_be v (XVar z) env)); auto using shows_bind. now apply stands_bind.
Qed.

Section Could.
Variables (j : nat) (b : Syntax.action) (n : a_node) (x : expression Z Int) (zs cs : list Z) (t : option (message N)).
Context (is_action : action_at P j = Some b).
Context (concerns : GeneratorRule.concerns P b = true).
Context (at_role : fst n = acts b) (at_node_is : sense x = snd n) (at_single : GeneratorRun.is_single P (acts b) = true -> sense x = 0).
Context (as_many : length zs = length (message_variables b)) (as_many_choices : length cs = length (choices_of b)).
Context (takes_them : match t with Some m => snd (m : a_message) | None => [] end = zs).
Context (they_fit : match t with Some m => message_fits P unit w m | None => True end).
Context (so : List.Forall (true_of I) (GeneratorRule.could Z P b x (map XVar zs) (map XVar cs))).

Definition other : pick T N := {|
  by_action := (j : action N); at_node := (n : node N); takes := t; chooses := (cs : choices N); reads := read; waited := zero;
  Model.executions _ := zero
|}.

Lemma concerned : existsb mentions_read (guards b) = false /\ GeneratorRule.could_lacks b = [] /\
  exists d, nth_error (roles P) (acts b) = Some d.
Proof.
  pose proof concerns as C. unfold GeneratorRule.concerns in C. apply andb_true_iff in C. destruct C as [C D]. apply andb_true_iff in C.
  destruct C as [C E]. apply negb_true_iff in C. destruct (GeneratorRule.could_lacks b); [ | discriminate].
  destruct (nth_error (roles P) (acts b)) as [d | ]; [ | discriminate]. eauto.
Qed.

Lemma stands_fields : stands I (GeneratorStep.let_all Z (message_variables b) (map XVar zs) (let_be (self b) x (GeneratorRun.unbound Z)))
  (bind_all (message_variables b) zs (bind (self b) (snd n) base)).
Proof.
  rewrite <- (variables_mean zs) at 2. apply stands_all. apply stands_bind; [exact at_node_is | now apply stands_unbound].
Qed.

Lemma stands_other : stands I (GeneratorRule.could_env Z b x (map XVar zs) (map XVar cs)) (step_scene P unit b w s other).
Proof.
  unfold GeneratorRule.could_env, step_scene, taken_fields, other. cbn [chooses takes at_node reads].
  assert (F : match t with Some m => snd (m : a_message) | None => [] end = zs) by exact takes_them. simpl in F |- *. rewrite F.
  rewrite <- (variables_mean cs) at 2. apply stands_all, stands_fields.
Qed.

Lemma shows_other : shows I (GeneratorRun.before Z) (step_scene P unit b w s other).
Proof. unfold step_scene. apply shows_all, shows_all, shows_bind. exact before_is. Qed.

Lemma could_sound : could M w s other.
Proof.
  destruct concerned as (C1 & C2 & d & C3). pose proof so as H. unfold GeneratorRule.could in H. rewrite Forall_app in H.
  destruct H as [H G]. rewrite all_true_formulas in H. unfold all_true in H. rewrite !Forall_app in H. destruct H as (H1 & H2 & H3 & H4).
  unfold GeneratorRule.could_lacks in C2. no_lack.
  assert (Sel : variable_is (step_scene P unit b w s other) (self b) = snd n).
  { apply Forall_inv in H2. cbn [Formula.sense] in H2. apply Z.eqb_eq in H2. now rewrite stands_other, at_node_is in H2. }
  assert (Fields : map (fun v => variable_is (step_scene P unit b w s other) v) (message_variables b) = zs).
  { pose proof stands_other as E. pose proof as_many as Ln. revert H3 E Ln.
    generalize (GeneratorRule.could_env Z b x (map XVar zs) (map XVar cs)), (step_scene P unit b w s other). clear.
    intros env c H3 E. revert H3. generalize zs.
    induction (message_variables b) as [ | v l IH]; intros [ | z zs']; simpl; try discriminate; auto.
    intros H L. apply Forall_cons_iff in H. destruct H as [H1 H2]. cbn [Formula.sense fst snd] in H1. apply Z.eqb_eq in H1.
    injection L as L. rewrite E in H1. f_equal; [exact H1 | now apply IH]. }
  split; [ | split; [ | split]].
  - simpl. now rewrite is_action.
  - simpl. rewrite at_role, <- at_node_is. apply (in_role_read _ d); auto.
  - simpl. unfold step_fits. cbn [by_action other]. rewrite is_action. repeat split.
    + exact at_role.
    + rewrite Fields. unfold taken_fields. symmetry. exact takes_them.
    + exact Sel.
    + exact they_fit.
    + simpl. assert (F : taken_fields P other = zs) by exact takes_them. rewrite F.
      eapply (choices_read (choices_of b)); [assumption | exact as_many_choices | | exact stands_fields | exact H4].
      apply shows_all, shows_bind. exact before_is.
  - simpl. rewrite is_action. apply Forall_forall. intros g K. rewrite Forall_forall in G.
    apply (write_sound I Bool g) with (env := GeneratorRule.could_env Z b x (map XVar zs) (map XVar cs)) (y := GeneratorRun.before Z).
    + match goal with Q : flat_map write_lacks (guards b) = [] |- _ => exact (flat_map_nil _ _ Q g K) end.
    + exact shows_other.
    + exact stands_other.
    + apply G, in_map_iff. eauto.
Qed.
End Could.

Lemma node_of_receiver m d l b : sent s ((m, each_of I l) : message N) = true -> nth_error (messages P) m = Some d ->
  Syntax.received_by d = acts b ->
  sense (if GeneratorRun.is_single P (acts b) then XInt 0 else XReceiver m l) = snd (receiver s ((m, each_of I l) : message N) : a_node) /\
  fst (receiver s ((m, each_of I l) : message N) : a_node) = acts b.
Proof.
  intros S E R. pose proof (received_role (m, each_of I l) d S E) as A. rewrite R in A. split; [ | exact A].
  destruct (GeneratorRun.is_single P (acts b)) eqn:Q; [ | apply receiver_sound].
  destruct typed_so as (_ & B & _). destruct (B _ S) as ((_ & _ & C) & _). simpl in C. simpl.
  unfold size_receiving, role_receiving in C. rewrite E, R in C. pose proof (single_size _ Q) as D. unfold size_of in D.
  destruct (nth_error (roles P) (acts b)) as [r | ]; [ | discriminate]. simpl in C. rewrite D in C.
  destruct (_ && _) eqn:F in C; [ | exact C]. apply andb_true_iff in F. destruct F as [F G]. apply Z.leb_le in F. apply Z.ltb_lt in G.
  match goal with |- 0 = ?z => lia end.
Qed.

Lemma clock_is_clock r (x : expression Z Int) n : sense x = snd (n : a_node) -> fst n = r -> sense (XClock r x) = clock s (n : node N).
Proof.
  intros A B. pose proof (shows_clock I _ _ before_is r x) as C. cbn [GeneratorRun.before y_clock] in C. rewrite C, A, <- B. simpl.
  now destruct n.
Qed.

Lemma time_sound m l : sense (XTimeOf m l) = delivered s ((m, each_of I l) : message N).
Proof. exact (shows_time I _ _ before_is m l). Qed.

Lemma bare_sound c : sense (XBare c) = bare w (c : component N).
Proof. pose proof (same_bare _ _ _ _ of_world) as B. simpl in B |- *. now rewrite B. Qed.

Lemma could_receive_sound j b m f d zs cs : action_at P j = Some b -> trigger_of b = On m f -> GeneratorRule.concerns P b = true ->
  nth_error (messages P) m = Some d -> Syntax.received_by d = acts b -> length f = length (fields_of d) ->
  length zs = length (fields_of d) -> length cs = length (choices_of b) ->
  List.Forall (true_of I) (GeneratorRule.could_receive Z P b
    (if GeneratorRun.is_single P (acts b) then XInt 0 else XReceiver m (map XVar zs)) (map XVar zs) (map XVar cs) m) ->
  could_receive M w s ((m, zs) : message N).
Proof.
  intros A Tr C E R Lf Lz Lc H. unfold GeneratorRule.could_receive in H. rewrite !Forall_app, all_true_formulas in H.
  destruct H as (H1 & H2 & H3 & H4). unfold all_true in H1. rewrite Forall_app in H1. destruct H1 as [H0 H1].
  apply pending_sound in H1. rewrite variables_mean in H1. pose proof (sent_if_pending _ H1) as S.
  pose proof (node_of_receiver m d (map XVar zs) b) as Nd. rewrite variables_mean in Nd. specialize (Nd S E R).
  destruct Nd as [Nd Rl]. set (x := if GeneratorRun.is_single P (acts b) then XInt 0 else XReceiver m (map XVar zs)) in *.
  assert (Fit : message_fits P unit w (m, zs)).
  { apply fields_fit_sound in H0; [now rewrite variables_mean in H0 | ]. rewrite map_length, Lz. unfold GeneratorRun.declared_fields. now rewrite E. }
  split; [exact H1 | ]. split.
  - pose proof (next_read m (map XVar zs)) as Q. rewrite variables_mean in Q. now apply Q.
  - exists (other j (receiver s ((m, zs) : message N)) cs (Some ((m, zs) : message N))).
    exists (fun i : message N => Nat.eqb (fst (i : a_message)) m). simpl.
    rewrite A, Tr. split; [reflexivity | ]. split; [apply PeanoNat.Nat.eqb_refl | ]. split; [reflexivity | ]. split; [reflexivity | ].
    split.
    + apply (could_sound j b (receiver s ((m, zs) : message N)) x zs cs (Some ((m, zs) : message N))); auto.
      * unfold x. intros Q. now rewrite Q.
      * unfold message_variables. rewrite Tr. congruence.
    + unfold patient. simpl. rewrite A, Tr. destruct (slot_timeout b) as [c | ]; [ | exact Logic.I]. apply Forall_inv in H4.
      change (sense (XTimeLe (XTimeOf m (map XVar zs)) (XTimeAdd (XClock (acts b) x) (XBare c))) = true) in H4.
      cbn [Formula.sense] in H4. apply before_or_at_is in H4.
      pose proof (time_sound m (map XVar zs)) as T1. rewrite variables_mean in T1. cbn [Formula.sense] in T1.
      pose proof (clock_is_clock (acts b) x _ Nd Rl) as T2. cbn [Formula.sense] in T2.
      pose proof (bare_sound c) as T3. cbn [Formula.sense] in T3. rewrite T1, T2, T3 in H4. exact H4.
Qed.

Lemma of_messages_true j b (says : nat -> list (expression Z Int) -> expression Z Int -> list (formula Z) * expression Z Bool) : action_at P j = Some b ->
  (forall m f zs (x : expression Z Int), trigger_of b = On m f -> could_receive M w s ((m, zs) : message N) ->
     sense x = snd (receiver s ((m, zs) : message N) : a_node) -> fst (receiver s ((m, zs) : message N) : a_node) = acts b ->
     List.Forall (true_of I) (fst (says m (map XVar zs) x)) -> sense (snd (says m (map XVar zs) x)) = true) ->
  List.Forall (true_of I) (GeneratorRule.of_messages Z P b says).
Proof.
  intros A Q. unfold GeneratorRule.of_messages. destruct (trigger_of b) as [ | m f | | | ] eqn:Tr; try constructor.
  destruct (nth_error (messages P) m) as [d | ] eqn:E; [ | constructor].
  destruct (_ && _ && _) eqn:C; [ | constructor]. apply andb_true_iff in C. destruct C as [C C3]. apply andb_true_iff in C.
  destruct C as [C1 C2]. apply PeanoNat.Nat.eqb_eq in C2, C3. constructor; [ | constructor].
  apply all_of_sound. intros zs Lz. change (rev [] ++ map XVar zs) with (map (@XVar Z) zs). cbv beta zeta.
  apply all_of_sound. intros cs Lc. change (rev [] ++ map XVar cs) with (map (@XVar Z) cs). cbv beta zeta.
  set (x := if GeneratorRun.is_single P (acts b) then XInt 0 else XReceiver m (map XVar zs)).
  specialize (Q m f zs x eq_refl). destruct (says m (map XVar zs) x) as [more y] eqn:Y. apply implied_sound.
  rewrite Forall_app. intros [H1 H2]. 
  assert (S : could_receive M w s ((m, zs) : message N)) by (apply (could_receive_sound j b m f d zs cs); auto).
  pose proof (node_of_receiver m d (map XVar zs) b) as Nd. rewrite variables_mean in Nd.
  destruct (Nd (sent_if_pending _ (proj1 S)) E C2) as [N1 N2]. now apply Q.
Qed.

Lemma of_timers_true j b (says : expression Z Syntax.Time -> expression Z Bool) : action_at P j = Some b ->
  (forall due (q : pick T N) (x : expression Z Syntax.Time), trigger_of b = At due -> by_action q = j -> could M w s q ->
     sense x = latest (clock s (at_node q)) (value due (step_scene P unit b w s q)) -> sense (says x) = true) ->
  List.Forall (true_of I) (GeneratorRule.of_timers Z P b says).
Proof.
  intros A Q. unfold GeneratorRule.of_timers. destruct (trigger_of b) as [ | m f | | due | ] eqn:Tr; try constructor.
  destruct (GeneratorRule.concerns P b) eqn:C; [ | constructor]. constructor; [ | constructor].
  assert (F : forall (x : expression Z Int) z, sense x = z -> (GeneratorRun.is_single P (acts b) = true -> sense x = 0) ->
    true_of I (GeneratorRule.all_of Z (length (choices_of b)) (fun chosen =>
          GeneratorRule.implied Z (GeneratorRule.could Z P b x [] chosen)
            (FIs (says (XLater (XClock (acts b) x) (translate due (GeneratorRule.could_env Z b x [] chosen) (GeneratorRun.before Z)))))) [])).
  { intros x z X Sg. apply all_of_sound. intros cs Lc. change (rev [] ++ map XVar cs) with (map (@XVar Z) cs). cbv beta.
    apply implied_sound. intros H. destruct (concerned b C) as (_ & L & _). unfold GeneratorRule.could_lacks in L. rewrite Tr in L. no_lack.
    assert (Em : message_variables b = []) by (unfold message_variables; now rewrite Tr).
    pose proof (fun a1 a2 => could_sound j b (acts b, z) x [] cs None A C eq_refl X Sg a1 Lc eq_refl Logic.I a2) as K.
    rewrite Em in K. specialize (K eq_refl H).
    apply (Q due (other j (acts b, z) cs None) _ eq_refl eq_refl K). cbn [Formula.sense]. f_equal.
    - exact (clock_is_clock (acts b) x (acts b, z) X eq_refl).
    - pose proof (translate_sound I Syntax.Time due) as V. simpl in V. apply V; [assumption | apply shows_other | ].
      exact (stands_other j b (acts b, z) x [] cs None X eq_refl). }
  destruct (GeneratorRun.is_single P (acts b)) eqn:Sg; [exact (F (XInt 0) 0 eq_refl (fun _ => eq_refl)) | ].
  intros z. apply (F (XVar z) z eq_refl). discriminate.
Qed.
End RuleSound.
