(* SPDX-License-Identifier: GPL-3.0-or-later

   What Generator.v writes of a state and of statements is what Denote.v says of them. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Denote Formula Translate TranslateSound.
From Theory Require GeneratorRun GeneratorStep GeneratorRule Generator.
Local Open Scope Z_scope.

Lemma flat_map_nil {A B} (f : A -> list B) l : flat_map f l = [] -> forall x, In x l -> f x = [].
Proof.
  induction l as [ | a l IH]; simpl; [easy | ]. intros H x. apply none_of in H. destruct H as [H1 H2]. intros [<- | H]; auto.
Qed.

Lemma existsb_flat_map {A B} (f : B -> bool) (g : A -> list B) l : existsb f (flat_map g l) = existsb (fun a => existsb f (g a))
  l.
Proof. induction l as [ | a l IH]; simpl; auto. now rewrite existsb_app, IH. Qed.

Section RunSound.
Context {T : times} (unit : T) (P : protocol).
Local Notation N := (names_of (T := T) P).
Variable w : world T N.
Variable I : @interpretation T.
Local Notation sense := (sense I).
Local Notation world_scene := (scene_of_world P unit w).

(* The symbols are of the world. *)
Record of_this_world : Prop := {
  same_params : param_is (symbols I) = parameter w;
  same_unit : unit_is (symbols I) = unit;
  same_bare : bare_is (symbols I) = bare w;
  same_lasts : lasts (symbols I) = length_of w;
  same_single : forall k, length_of w (Step k [] : occurrence N) = bare w (k : component N)
}.
Context (of_world : of_this_world).

Lemma empty_means t x : means I t (GeneratorRun.x_get Z t x (GeneratorRun.empty Z))
  (get t x {| ints _ := 0; bools _ := false; durations _ := zero; sets _ _ := false; maps _ _ := 0 |}).
Proof. destruct t; simpl; auto. Qed.

Lemma shows_nowhere : shows I (GeneratorRun.nowhere Z) world_scene.
Proof.
  destruct of_world. constructor; simpl; auto. intros t x r n. apply empty_means.
Qed.

Lemma stands_unbound c : variable_is c = (fun _ => 0) -> stands I (GeneratorRun.unbound Z) c.
Proof. intros E v. now rewrite E. Qed.

Lemma of_parameters_sound t (x : term t) : lacks x = [] -> means I t (GeneratorRun.of_parameters Z x) (value x world_scene).
Proof. intros L. apply translate_sound; auto using shows_nowhere. now apply stands_unbound. Qed.

Lemma clamp_sound values z : Generator.size_lacks values = [] -> sense (GeneratorRun.x_clamp Z values z) = clamp P unit values w
  (sense z).
Proof.
  destruct values as [size | ]; simpl; auto. intros L. pose proof (of_parameters_sound Int size L) as E. simpl in E. now rewrite
    E.
Qed.

Lemma clamp_to_sound t values (a : result Z t) v : Generator.size_lacks values = [] -> means I t a v ->
  means I t (GeneratorRun.x_clamp_to Z t values a) (clamp_to P unit t values w v).
Proof.
  intros L. destruct t; simpl; auto.
  - intros <-. now apply clamp_sound.
  - intros H n. rewrite clamp_sound by assumption. now rewrite H.
Qed.

Lemma clamp_all_sound declared : flat_map Generator.size_lacks declared = [] -> forall fields,
  each_of I (GeneratorRun.x_clamp_all Z declared fields) = clamp_all P unit w declared (each_of I fields).
Proof.
  unfold each_of. induction declared as [ | values declared IH]; intros L fields; simpl; auto. apply none_of in L. destruct L as
    [L1 L2].
  rewrite clamp_sound by assumption. f_equal.
  - destruct fields; simpl; auto.
  - rewrite IH by assumption. now destruct fields.
Qed.

Lemma same_fields_sound a : forall b, sense (GeneratorRun.same_fields Z a b) = true <-> each_of I a = each_of I b.
Proof.
  induction a as [ | x a IH]; intros [ | y b]; simpl; try easy. rewrite andb_true_iff, Z.eqb_eq, IH. split.
  - intros [A B]. now rewrite A, B.
  - intros E. now injection E as A B.
Qed.

(* --- variables of a node --- *)

Definition holds_store (s : GeneratorRun.store Z) (c : @store T) : Prop := forall t x, means I t (GeneratorRun.x_get Z t x s) (get t x
  c).

Lemma store_at_sound r n : holds_store (GeneratorRun.store_at Z r n) (has (symbols I) (r, sense n)).
Proof. intros t x. destruct t; simpl; auto. Qed.

Lemma put_sound t x a v s c : means I t a v -> holds_store s c -> holds_store (GeneratorRun.x_put Z t x a s) (put t x v c).
Proof.
  intros H K u y. specialize (K u y). destruct t, u; simpl in *; unfold set_at; try exact K;
    try (intros m; destruct (Nat.eqb x y); auto; fail); destruct (Nat.eqb x y); auto.
Qed.

Lemma first_sound r n : flat_map (fun x => Generator.size_lacks (values x) ++ lacks (initial x)) (states P) = [] ->
  holds_store (GeneratorRun.first_store Z P r n) (first_store P unit w (r, sense n)).
Proof.
  intros L. unfold GeneratorRun.first_store, first_store. simpl.
  set (s := GeneratorRun.empty Z). set (c := {| ints := _ |}). assert (H : holds_store s c) by (intros t x; apply empty_means).
  clearbody s c. revert s c H. generalize O. revert L. induction (states P) as [ | x l IH]; intros L k s c H; simpl; auto.
  simpl in L. apply none_of in L. destruct L as [L L']. apply none_of in L. destruct L as [L1 L2].
  apply IH; auto. destruct (Nat.eqb (owner x) r); auto. apply put_sound; auto. apply clamp_to_sound; auto.
  apply translate_sound; auto.
  - apply shows_bind, shows_nowhere.
  - apply stands_bind; auto. now apply stands_unbound.
Qed.

(* --- statements --- *)

Variable a : Syntax.action.
Variable n : a_node.
Variable c0 : @scene T.
Context (c0_is : c0 = symbols I).
Context (no_arrival : forall m, arrival_of c0 m = zero) (no_now : now_is c0 = zero).
Context (at_role : fst n = acts a).
Context (at_self : sense (GeneratorRun.self_is Z P a) = snd n).
Context (bound_so : stands I (GeneratorRun.picked Z P a) c0).

Lemma shows_before : shows I (GeneratorRun.before Z) c0.
Proof.
  destruct of_world. subst c0. constructor; simpl; auto.
  - intros k. rewrite same_lasts0, same_bare0. apply same_single0.
  - intros t x r m. apply store_at_sound.
Qed.

Lemma shows_with_store s c : holds_store s c -> shows I (GeneratorRun.with_store Z P a s) (with_store n c c0).
Proof.
  intros H. destruct shows_before. constructor; simpl; auto.
  intros t x r m. rewrite at_role. destruct (Nat.eqb (acts a) r) eqn:E; simpl.
  - pose proof (means_choose I (XIntEq (GeneratorRun.self_is Z P a) m) t _ _ _ _ (H t x) (shows_state t x r m)) as K.
    simpl in K. rewrite at_self in K. now destruct (snd n =? sense m).
  - apply shows_state.
Qed.

Lemma some_of_sound each : flat_map (fun vd => domain_lacks (snd vd)) each = [] -> forall env y c body f,
  shows I y c -> stands I env c ->
  (forall env c', shows I y c' -> stands I env c' -> sense (body env) = f c') ->
  sense (GeneratorRun.some_of Z each env y body) = existsb f (every each c).
Proof.
  induction each as [ | [v d] each IH]; simpl; intros L env y c body f S E B.
  - rewrite (B env c S E). now rewrite orb_false_r.
  - apply none_of in L. destruct L as [L1 L2]. rewrite existsb_flat_map.
    apply (over_sound I d L1 env y c S E _ (fun z => existsb f (every each (bind v z c)))). intros z.
    apply IH; auto using shows_bind. now apply stands_bind.
Qed.

Context (receivers_covered : forall m, Generator.size_lacks (size_receiving P m) = []).
Context (fields_covered : forall m, flat_map Generator.size_lacks (GeneratorRun.declared_fields P m) = []).
Context (values_covered : forall x, Generator.size_lacks (values_of P x) = []).

(* Whether the message is sent with these fields. *)
Definition hits m (f : list (term Int)) (l : list Z) (c : @scene T) : bool :=
  if list_eq_dec Z.eq_dec l (clamp_fields P unit w m (map (fun x => value x c) f)) then true else false.

Lemma receiver_of_sends m f (r : term Int) l cs :
  match Model.receiver_of ((m, l) : message N) (map (sends_of P unit w m f r) cs) with
  | Some k => existsb (hits m f l) cs = true /\
      exists c, In c cs /\ l = clamp_fields P unit w m (map (fun x => value x c) f) /\
        snd (k : a_node) = clamp P unit (size_receiving P m) w (value r c)
  | None => existsb (hits m f l) cs = false
  end.
Proof.
  induction cs as [ | c cs IH]; simpl; auto.
  match goal with |- context [same_message ?x ?y] => destruct (same_message x y) as [E | E] end.
  - injection E as E. unfold hits at 1. destruct (list_eq_dec Z.eq_dec l _) as [F | F]; [ | now elim F]. simpl.
    split; auto. exists c. auto.
  - unfold hits at 1 3. destruct (list_eq_dec Z.eq_dec l _) as [F | F]; [elim E; now f_equal | ]. simpl.
    destruct (Model.receiver_of _ _) as [k | ]; auto. destruct IH as [IH1 (c' & H & K)]. split; auto. exists c'. auto.
Qed.

Lemma receiver_of_others m m' f (r : term Int) l cs : m' <> m ->
  Model.receiver_of ((m', l) : message N) (map (sends_of P unit w m f r) cs) = None.
Proof.
  intros D. induction cs as [ | c cs IH]; simpl; auto. destruct (same_message _ _) as [E | E]; auto. injection E as E _.
    congruence.
Qed.

Lemma receiver_of_app (m : message N) es es' : Model.receiver_of m (es ++ es') =
  match Model.receiver_of m es with Some k => Some k | None => Model.receiver_of m es' end.
Proof. induction es as [ | [m' k] es IH]; simpl; auto. destruct (same_message m' m); auto. Qed.

Definition says_sent (ss : list (GeneratorRun.sending Z)) (es : list (a_message * a_node)) : Prop := forall m l old olds,
  sense (GeneratorRun.sent_by Z ss m l olds) =
    match Model.receiver_of ((m, each_of I l) : message N) es with Some _ => true | None => sense olds end /\
  sense (GeneratorRun.received_by Z ss m l old) =
    match Model.receiver_of ((m, each_of I l) : message N) es with Some k => snd (k : a_node) | None => sense old end.

Lemma says_sent_more ss es s es' : says_sent ss es ->
  (forall m l old olds,
    sense (if Nat.eqb (GeneratorRun.sends_message Z s) m then XOr (GeneratorRun.sends_this Z s l) olds else olds) =
      match Model.receiver_of ((m, each_of I l) : message N) es' with Some _ => true | None => sense olds end /\
    sense (if Nat.eqb (GeneratorRun.sends_message Z s) m then XIte (GeneratorRun.sends_this Z s l) (GeneratorRun.sends_to Z s l) old else
    old) =
      match Model.receiver_of ((m, each_of I l) : message N) es' with Some k => snd (k : a_node) | None => sense old end) ->
  says_sent (ss ++ [s]) (es ++ es').
Proof.
  intros A B m l old olds. unfold GeneratorRun.sent_by, GeneratorRun.received_by. rewrite !fold_right_app, receiver_of_app. simpl
    fold_right.
  destruct (B m l old olds) as [B1 B2].
  match type of B1 with sense ?x = _ => match type of B2 with sense ?y = _ => destruct (A m l y x) as [A1 A2] end end.
  rewrite B1 in A1. rewrite B2 in A2. split; [etransitivity; [exact A1 | ] | etransitivity; [exact A2 | ]];
    now destruct (Model.receiver_of ((m, each_of I l) : message N) (es : list (message N * node N))).
Qed.

Lemma says_sent_send ss es s f (r : term Int) cs (g : bool) : says_sent ss es ->
  (forall l, sense (GeneratorRun.sends_this Z s l) = g && existsb (hits (GeneratorRun.sends_message Z s) f (each_of I l)) cs) ->
  (forall l c', In c' cs ->
    each_of I l = clamp_fields P unit w (GeneratorRun.sends_message Z s) (map (fun x => value x c') f) ->
    sense (GeneratorRun.sends_to Z s l) = clamp P unit (size_receiving P (GeneratorRun.sends_message Z s)) w (value r c')) ->
  says_sent (ss ++ [s]) (es ++ if g then map (sends_of P unit w (GeneratorRun.sends_message Z s) f r) cs else []).
Proof.
  intros A this to. apply says_sent_more; [exact A | ]. intros m l old olds. destruct (Nat.eqb _ m) eqn:M.
  - apply PeanoNat.Nat.eqb_eq in M. subst m. cbn [Formula.sense]. rewrite this. destruct g; cbn [andb orb Model.receiver_of];
    auto.
    pose proof (receiver_of_sends (GeneratorRun.sends_message Z s) f r (each_of I l) cs) as Q.
    destruct (Model.receiver_of _ _) as [k | ].
    + destruct Q as [Q (c' & In' & F & V)]. rewrite Q. cbn [orb]. split; [reflexivity | ]. rewrite V. now apply to.
    + now rewrite Q.
  - destruct g; cbn [Model.receiver_of]; auto.
    rewrite receiver_of_others by (intros X; subst; now rewrite PeanoNat.Nat.eqb_refl in M). auto.
Qed.

Lemma variable_in_sound t (x : term t) v (c : @scene T) : GeneratorRun.variable_in x = Some v ->
  match t return @meaning T t -> Prop with Int => fun z => z = variable_is c v | _ => fun _ => True end (value x c).
Proof. destruct x; simpl; try discriminate; try congruence; destruct t; auto. Qed.

Lemma integer_in_sound t (x : term t) z (c : @scene T) : integer_in x = Some z ->
  match t return @meaning T t -> Prop with Int => fun v => v = z | _ => fun _ => True end (value x c).
Proof. destruct x; simpl; try discriminate; try congruence; destruct t; auto. Qed.

Definition as_integer {t : sort} (x : term t) (c : @scene T) : option Z :=
  match t return @meaning T t -> option Z with Int => fun z => Some z | _ => fun _ => None end (value x c).

Lemma same_term_sound t (x : term t) : forall u (y : term u) (c : @scene T), GeneratorRun.same_term x y = true ->
  as_integer x c = as_integer y c.
Proof.
  induction x; intros u y e H; simpl in H; try discriminate H; destruct y; try discriminate H;
    try (apply andb_true_iff in H; destruct H as [H1 H2]; specialize (IHx1 _ _ e H1); specialize (IHx2 _ _ e H2);
         unfold as_integer in *; simpl in *; congruence);
    unfold as_integer; simpl; do 2 f_equal.
  - now apply Z.eqb_eq.
  - now apply PeanoNat.Nat.eqb_eq.
Qed.

Lemma same_size_sound d d' z : GeneratorRun.same_size d d' = true -> clamp P unit d w z = clamp P unit d' w z.
Proof.
  destruct d as [d | ], d' as [d' | ]; simpl; try discriminate. intros H.
  pose proof (same_term_sound _ d _ d' (scene_of_world P unit w) H) as E. unfold as_integer in E. injection E as E. now rewrite E.
Qed.

Lemma field_of_sound (r : term Int) among f (c : @scene T) : forall declared i, GeneratorRun.field_of r among f declared = Some i ->
  nth i (clamp_all P unit w declared (map (fun x => value x c) f)) 0 = clamp P unit among w (value r c).
Proof.
  induction f as [ | x f IH]; intros [ | d declared] i H; try discriminate H.
  assert (K : forall i, option_map S (GeneratorRun.field_of r among f declared) = Some i ->
    nth i (clamp_all P unit w (d :: declared) (map (fun x => value x c) (x :: f))) 0 = clamp P unit among w (value r c)).
  { intros j K. destruct (GeneratorRun.field_of r among f declared) eqn:E; [ | discriminate K]. injection K as <-. simpl. now apply
    IH. }
  simpl in H. destruct (GeneratorRun.variable_in x) as [u | ] eqn:X; auto. destruct (GeneratorRun.variable_in r) as [v | ] eqn:R; auto.
  destruct (Nat.eqb u v && GeneratorRun.same_size d among) eqn:E; auto. injection H as <-.
  apply andb_true_iff in E. destruct E as [E F]. apply PeanoNat.Nat.eqb_eq in E. subst.
  simpl. rewrite (variable_in_sound Int x v c X), (variable_in_sound Int r v c R). now apply same_size_sound.
Qed.

Lemma where_sent_sound m f r each y c l : Generator.receiver_lacks P m f r each = [] ->
  shows I y c -> stands I (GeneratorRun.picked Z P a) c -> forall c', In c' (every each c) ->
  each_of I l = clamp_fields P unit w m (map (fun x => value x c') f) ->
  sense (GeneratorRun.where_sent Z P a m f r each y l) = clamp P unit (size_receiving P m) w (value r c').
Proof.
  unfold GeneratorRun.where_sent, Generator.receiver_lacks. intros L S E c' H F.
  destruct each as [ | vd each].
  - destruct H as [<- | []]. rewrite clamp_sound by apply receivers_covered.
    pose proof (translate_sound I Int r L _ y c S E) as K. simpl in K. now rewrite K.
  - destruct (integer_in r) as [z | ] eqn:R.
    + rewrite clamp_sound by apply receivers_covered. simpl. now rewrite (integer_in_sound Int r z c' R).
    + destruct (GeneratorRun.field_of r _ f _) as [i | ] eqn:G; [ | discriminate L].
      rewrite <- (field_of_sound r _ f c' _ i G). unfold each_of, clamp_fields, GeneratorRun.declared_fields in *.
      destruct (nth_error (messages P) m) as [d | ]; [ | destruct f; discriminate G].
      rewrite <- F. change 0 with (sense (XInt 0)). now rewrite map_nth.
Qed.

(* --- in which order --- *)

Definition says_placed (ss : list (GeneratorRun.sending Z)) (E : list (nat * (a_message * a_node))) : Prop := forall m l old,
  sense (GeneratorRun.placed_by Z ss m l old) =
    match Model.receiver_of ((m, each_of I l) : message N) (map snd E : list (message N * node N)) with
    | Some _ => places_is I + Z.of_nat (turn_of (m, each_of I l) E)
    | None => sense old
    end.

Lemma turn_of_app (m : a_message) E E' : turn_of m (E ++ E') =
  match Model.receiver_of (m : message N) (map snd E : list (message N * node N)) with Some _ => turn_of m E | None => turn_of m E' end.
Proof.
  unfold turn_of. induction E as [ | [k [m' n']] E IH]; simpl; auto. destruct (same_message m' m); auto.
Qed.

Lemma turn_of_same (m : a_message) (k : nat) {A} (f : A -> a_message * a_node) cs j :
  Model.receiver_of (m : message N) (map snd (map (fun c => (k, f c)) cs) : list (message N * node N)) = Some j ->
  turn_of m (map (fun c => (k, f c)) cs) = k.
Proof.
  unfold turn_of. induction cs as [ | c cs IH]; simpl; [discriminate | ]. destruct (f c) as [m' n']. simpl.
  destruct (same_message m' m); auto.
Qed.

Lemma says_placed_send ss E s f (r : term Int) cs (g : bool) k : says_placed ss E -> GeneratorRun.sends_turn Z s = k ->
  (forall l, sense (GeneratorRun.sends_this Z s l) = g && existsb (hits (GeneratorRun.sends_message Z s) f (each_of I l)) cs) ->
  says_placed (ss ++ [s]) (E ++ if g then map (fun c => (k, sends_of P unit w (GeneratorRun.sends_message Z s) f r c)) cs else []).
Proof.
  intros A turn this m l old. unfold GeneratorRun.placed_by. rewrite fold_right_app. simpl fold_right.
  match goal with |- sense (fold_right _ ?x ss) = _ => transitivity (sense (GeneratorRun.placed_by Z ss m l x)); [reflexivity | ] end.
  rewrite A, map_app, receiver_of_app, turn_of_app.
  destruct (Model.receiver_of ((m, each_of I l) : message N) (map snd E : list (message N * node N))); auto.
  destruct (Nat.eqb (GeneratorRun.sends_message Z s) m) eqn:M.
  - apply PeanoNat.Nat.eqb_eq in M. subst m. cbn [Formula.sense]. rewrite this. destruct g; cbn [andb]; auto.
    pose proof (receiver_of_sends (GeneratorRun.sends_message Z s) f r (each_of I l) cs) as Q.
    pose proof (turn_of_same (GeneratorRun.sends_message Z s, each_of I l) k (sends_of P unit w (GeneratorRun.sends_message Z s) f r) cs) as R.
    rewrite map_map in R |- *. simpl in R |- *. destruct (Model.receiver_of _ _) as [n' | ].
    + destruct Q as [Q _]. rewrite Q, (R n' eq_refl), turn. reflexivity.
    + now rewrite Q.
  - destruct g; cbn [map Model.receiver_of]; auto. rewrite map_map. simpl.
    rewrite receiver_of_others by (intros X; subst; now rewrite PeanoNat.Nat.eqb_refl in M). auto.
Qed.

(* --- running them --- *)

Definition leaves (k : nat) (e : GeneratorRun.effect Z) (E : @effect T) : Prop :=
  holds_store (fst e) (fst E) /\ says_sent (snd e) (map snd (snd E)) /\ says_placed (snd e) (snd E) /\ length (snd e) = k.

Lemma stands_with_store s : stands I (GeneratorRun.picked Z P a) (with_store n s c0).
Proof. exact bound_so. Qed.

Lemma run_sound : forall (x : statement), Generator.statement_lacks P x = [] -> forall k g e E, leaves k e E ->
  leaves (k + sends_in x) (GeneratorRun.run Z P a g x e) (if sense g then run P unit w n c0 x k E else E).
Proof.
  fix go 1. intros [t v x | v k x | x yes no | m f r each] L place g e E [H K]; simpl in L |- *; rewrite <- ?plus_n_O.
  - pose proof (shows_with_store (fst e) (fst E) H) as S.
    pose proof (translate_sound I t x L _ _ _ S (stands_with_store (fst E))) as V.
    apply (clamp_to_sound t (values_of P v)) in V; auto.
    pose proof (put_sound t v _ _ _ _ (means_choose I g t _ _ _ _ V (H t v)) H) as Q.
    destruct (sense g); simpl; split; auto; simpl.
    intros u y. specialize (Q u y). clear - Q. revert Q. destruct t, u; simpl; unfold set_at; auto; destruct (Nat.eqb v y)
    eqn:F; auto;
      apply PeanoNat.Nat.eqb_eq in F; now subst.
  - apply none_of in L. destruct L as [L1 L2].
    pose proof (shows_with_store (fst e) (fst E) H) as S.
    pose proof (translate_sound I Int k L1 _ _ _ S (stands_with_store (fst E))) as K1.
    pose proof (translate_sound I Int x L2 _ _ _ S (stands_with_store (fst E))) as K2. simpl in K1, K2.
    pose proof (H Map v) as M. simpl in M.
    destruct (sense g) eqn:G; (split; [ | exact K]); intros u y; destruct u;
      try exact (H Int y); try exact (H Bool y); try exact (H Syntax.Time y); try exact (H NodeSet y); simpl; unfold set_at;
      destruct (Nat.eqb v y) eqn:F; try exact (H Map y).
    + intros z. simpl. rewrite G, K1. simpl. destruct (sense z =? value k _) eqn:Z0; [ | apply M].
      rewrite clamp_sound by apply values_covered. now rewrite K2.
    + apply PeanoNat.Nat.eqb_eq in F. subst y. intros z. simpl. rewrite G. simpl. apply M.
  - apply none_of in L. destruct L as [L1 L2]. apply none_of in L2. destruct L2 as [L2 L3].
    pose proof (shows_with_store (fst e) (fst E) H) as S.
    pose proof (translate_sound I Bool x L1 _ _ _ S (stands_with_store (fst E))) as C. simpl in C.
    set (step := fun ke x => ((fst ke + sends_in x)%nat, run P unit w n c0 x (fst ke) (snd ke))).
    assert (R : forall l, flat_map (Generator.statement_lacks P) l = [] -> forall k g e E, leaves k e E ->
      leaves (k + list_sum (map sends_in l)) (fold_left (fun e y => GeneratorRun.run Z P a g y e) l e) (if sense g then snd (fold_left step l (k, E)) else E)).
    { fix gol 1. intros [ | y l] Ll k g' e' E' Q; simpl; [rewrite <- plus_n_O; now destruct (sense g') | ]. simpl in Ll. apply none_of in Ll.
      destruct Ll as [La Lb]. pose proof (gol l Lb (k + sends_in y)%nat g' _ _ (go y La k g' e' E' Q)) as B.
      rewrite PeanoNat.Nat.add_assoc. now destruct (sense g'). }
    clear go. set (c := translate x _ _) in *.
    pose proof (R no L3 _ (XAnd g (XNot c)) _ _ (R yes L2 place (XAnd g c) e E (conj H K))) as B. simpl in B. rewrite C in B.
    rewrite PeanoNat.Nat.add_assoc.
    destruct (sense g), (value x (with_store n (fst E) c0)); simpl in B; exact B.
  - apply none_of in L. destruct L as [L1 L2]. apply none_of in L2. destruct L2 as [L2 L3].
    pose proof (shows_with_store (fst e) (fst E) H) as S. pose proof (stands_with_store (fst E)) as B.
    assert (HIT : forall l, sense (GeneratorRun.some_of Z each (GeneratorRun.picked Z P a) (GeneratorRun.with_store Z P a (fst e)) (fun
    env =>
        GeneratorRun.same_fields Z l (GeneratorRun.x_clamp_all Z (GeneratorRun.declared_fields P m)
          (map (fun x => translate x env (GeneratorRun.with_store Z P a (fst e))) f)))) =
        existsb (hits m f (each_of I l)) (every each (with_store n (fst E) c0))).
    { intros l. apply some_of_sound; auto. intros env c' S' B'. unfold hits.
      assert (F : each_of I (map (fun x => translate x env (GeneratorRun.with_store Z P a (fst e))) f) = map (fun x => value x c')
      f).
      { clear - L1 S' B'. induction f as [ | x f IH]; simpl; auto. simpl in L1. apply none_of in L1. destruct L1 as [La Lb].
        unfold each_of in *. simpl. f_equal; [exact (translate_sound I Int x La env _ c' S' B') | exact (IH Lb)]. }
      assert (Q : each_of I (GeneratorRun.x_clamp_all Z (GeneratorRun.declared_fields P m)
          (map (fun x => translate x env (GeneratorRun.with_store Z P a (fst e))) f)) =
        clamp_fields P unit w m (map (fun x => value x c') f)).
      { rewrite clamp_all_sound by apply fields_covered. rewrite F. unfold clamp_fields, GeneratorRun.declared_fields.
        now destruct (nth_error (messages P) m). }
      destruct (list_eq_dec Z.eq_dec _ _) as [D | D].
      - apply same_fields_sound. now rewrite Q.
      - apply not_true_is_false. intros X. apply same_fields_sound in X. apply D. now rewrite <- Q. }
    destruct K as (K & Pl & Ln).
    match goal with |- leaves _ (_, _ ++ [?new]) _ =>
      pose proof (says_sent_send (snd e) (map snd (snd E)) new f r (every each (with_store n (fst E) c0)) (sense g) K) as Q;
      pose proof (says_placed_send (snd e) (snd E) new f r (every each (with_store n (fst E) c0)) (sense g) place Pl Ln) as Q'
    end.
    cbn [GeneratorRun.sends_message GeneratorRun.sends_this] in Q'.
    cbn [GeneratorRun.sends_message GeneratorRun.sends_this GeneratorRun.sends_to] in Q.
    match type of Q with ?A -> ?B -> _ => assert (Q1 : A); [ | assert (Q2 : B)] end.
    { intros l. rewrite <- (HIT l). reflexivity. }
    { intros l c' In' F. exact (where_sent_sound m f r each _ _ l L3 S B c' In' F). }
    specialize (Q' Q1). specialize (Q Q1 Q2). clear Q1 Q2 HIT.
    destruct (sense g); (split; [exact H | split; [ | split]]); cbn [fst snd]; rewrite ?app_length; cbn [length];
      try (rewrite PeanoNat.Nat.add_1_r; lia).
    + rewrite map_app, map_map. exact Q.
    + exact Q'.
    + rewrite app_nil_r in Q. exact Q.
    + rewrite app_nil_r in Q'. exact Q'.
Qed.

Lemma effect_sound : flat_map (Generator.statement_lacks P) (body a) = [] ->
  forall E, holds_store (GeneratorRun.store_at Z (acts a) (GeneratorRun.self_is Z P a)) E ->
  exists k, leaves k (GeneratorRun.effect_of Z P a) (runs P unit w n c0 (body a) O (E, [])).
Proof.
  unfold GeneratorRun.effect_of, runs. intros L E H.
  assert (Q : leaves O (GeneratorRun.store_at Z (acts a) (GeneratorRun.self_is Z P a), []) (E, [])) by (split; [exact H | repeat split]).
  revert Q. generalize O, (GeneratorRun.store_at Z (acts a) (GeneratorRun.self_is Z P a), @nil (GeneratorRun.sending Z)),
    (E, @nil (nat * (a_message * a_node))).
  revert L. induction (body a) as [ | x l IH]; simpl; intros L k e E' Q; [eauto | ]. apply none_of in L. destruct L as [L1 L2].
  apply IH; auto. exact (run_sound x L1 k (XBool true) e E' Q).
Qed.
End RunSound.
