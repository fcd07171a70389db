(* SPDX-License-Identifier: GPL-3.0-or-later

   Terms that do not depend on the clock read, or on the state: they have one value, whatever is read, or in every state. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
From Theory Require Import Time Syntax Meaning.
Local Open Scope Z_scope.

(* [state]: no state is asked of, and no [read] either; else no [read] alone. *)
Fixpoint avoids (state : bool) {t : sort} (x : term t) {struct x} : bool :=
  match x with
  | Integer _ | Boolean _ | Literal _ | Param _ | Var _ | AllNodes | Bare _ => true
  | Read => false
  | Now => negb state
  | State _ _ _ a | Clock _ a | Arrival _ a | PacerNext _ _ a => negb state && avoids state a
  | Sent _ l | Pending _ l | Received _ l | Lost _ l | Receiver _ l | Charged _ l | TimeOf _ l | Paced _ l | Handed _ l
  | Place _ l => negb state && forallb (avoids state) l
  | SetOf l | Occurrence _ l | Delay _ _ l => forallb (avoids state) l
  | Not a | NumberOf a | EveryKey a => avoids state a
  | Next a b | Prev a b | Add a b | Sub a b | Mul a b | Div a b | Power a b | IntEq a b | IntLt a b | IntLe a b
  | OwnedNodes a b => avoids state a && avoids state b
  | Union a b | Difference a b | Intersection a b => avoids state a && avoids state b
  | In_ a s | Cardinality a s => avoids state a && avoids state s
  | SameSet z a b => avoids state z && avoids state a && avoids state b
  | Get m k => avoids state m && avoids state k
  | And a b | Or a b | Implies a b | Iff a b => avoids state a && avoids state b
  | TimeEq a b | TimeLt a b | TimeLe a b | TimeAdd a b | TimeSub a b => avoids state a && avoids state b
  | Times k a => avoids state k && avoids state a
  | Ite _ a b d => avoids state a && avoids state b && avoids state d
  | Forall _ d a | Exists _ d a => avoided state d && avoids state a
  | IntMax a l | IntMin a l => avoids state a && forallb (avoids state) l
  | TimeMax a l | TimeMin a l => avoids state a && forallb (avoids state) l
  | MaxOver _ d a | MinOver _ d a | SumOver _ d a => avoided state d && avoids state a
  | KthOver _ d a k => avoided state d && avoids state a && avoids state k
  | IntSumOver _ d a => avoided state d && avoids state a
  | IntKthOver _ d a k => avoided state d && avoids state a && avoids state k
  end
with avoided (state : bool) (d : Syntax.domain) : bool :=
  match d with
  | Family a => avoids state a
  | Among a s => avoids state a && avoids state s
  | Range a b => avoids state a && avoids state b
  | Integers => true
  end.

Section Independent.
Context {T : times}.
Implicit Types (c : @scene T).

(* Scenes that differ in the clock read alone; with [state], in the state, too. *)
Record alike (state : bool) c c' : Prop := {
  same_variables : forall v, variable_is c v = variable_is c' v;
  same_params : forall p, param_is c p = param_is c' p;
  same_unit : unit_is c = unit_is c';
  same_bare : forall k, bare_is c k = bare_is c' k;
  same_lengths : forall o, lasts c o = lasts c' o;
  same_state : state = false ->
    has c = has c' /\ clock_of c = clock_of c' /\ was_sent c = was_sent c' /\ was_received c = was_received c' /\
    was_lost c = was_lost c' /\ time_of c = time_of c' /\ received_at c = received_at c' /\ was_charged c = was_charged c' /\
    arrival_of c = arrival_of c' /\ now_is c = now_is c' /\ next_of c = next_of c' /\ paced_of c = paced_of c' /\
    handed_of c = handed_of c' /\ place_of c = place_of c'
}.

Lemma alike_bind state c c' v z : alike state c c' -> alike state (bind v z c) (bind v z c').
Proof. intros []. constructor; simpl; auto. intros u. unfold set_at. destruct (Nat.eqb v u); auto. Qed.

Definition same (t : sort) : @meaning T t -> meaning t -> Prop :=
  match t with NodeSet | Map => fun f g => forall z, f z = g z | _ => fun a b => a = b end.

Lemma filter_same {A} (f g : A -> bool) l : (forall a, f a = g a) -> filter f l = filter g l.
Proof. intros E. induction l as [ | a l IH]; simpl; [auto | now rewrite E, IH]. Qed.
Lemma forallb_same {A} (f g : A -> bool) l : (forall a, f a = g a) -> forallb f l = forallb g l.
Proof. intros E. induction l as [ | a l IH]; simpl; [auto | now rewrite E, IH]. Qed.
Lemma existsb_same {A} (f g : A -> bool) l : (forall a, f a = g a) -> existsb f l = existsb g l.
Proof. intros E. induction l as [ | a l IH]; simpl; [auto | now rewrite E, IH]. Qed.

Variable state : bool.

Lemma value_same : forall t (x : term t), avoids state x = true -> forall c c', alike state c c' -> same t (value x c) (value x c')
with members_same : forall d, avoided state d = true -> forall c c', alike state c c' -> members d c = members d c'.
Proof.
  - intros t x.
    assert (L : forall t' (l : list (term t')), same t' = eq -> forallb (avoids state) l = true -> forall c c', alike state c c' ->
      map (fun n => value n c) l = map (fun n => value n c') l).
    { intros t' l E. induction l as [ | n l IH]; simpl; intros H c c' A; [reflexivity | ].
      apply andb_true_iff in H. destruct H as [H1 H2]. f_equal; [ | now apply IH].
      pose proof (value_same _ n H1 c c' A) as V. rewrite E in V. exact V. }
    assert (Li := fun l => L Int l eq_refl). assert (Lt := fun l => L Syntax.Time l eq_refl). clear L.
    destruct x; intros H e e' A; simpl in H |- *; try discriminate H;
      repeat match goal with H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H end;
      try match goal with H : negb state = true |- _ => apply negb_true_iff in H; pose proof (same_state _ _ _ A H) end;
      repeat match goal with
      | H : avoids state ?a = true |- _ => let K := fresh "K" in pose proof (value_same _ a H) as K; clear H
      | H : avoided state ?d = true |- _ => let K := fresh "D" in pose proof (members_same d H e e' A) as K; clear H
      | H : forallb (avoids state) ?l = true |- _ =>
        let K := fresh "M" in first [pose proof (Li l H e e' A) as K | pose proof (Lt l H e e' A) as K]; clear H
      end; clear value_same members_same Li Lt;
      repeat match goal with K : _ /\ _ |- _ => destruct K end;
      repeat match goal with K : forall c c', alike _ c c' -> same _ (value _ c) _ |- _ =>
        pose proof (K e e' A); try pose proof (fun z => K _ _ (alike_bind state e e' v z A)); clear K
      end; simpl in *; try (intros n);
      try solve [reflexivity | now apply A];
      try solve [repeat match goal with K : value _ _ = value _ _ |- _ => rewrite K; clear K | K : map _ _ = map _ _ |- _ => rewrite K; clear K
        | K : members _ _ = members _ _ |- _ => rewrite K; clear K end;
        try (rewrite (same_unit _ _ _ A)); try (rewrite (same_lengths _ _ _ A)); auto;
        first [congruence | repeat match goal with K : _ = _ |- _ => rewrite K; clear K end; auto; fail
        | now (apply forallb_same || apply existsb_same) | f_equal; now apply map_ext
        | f_equal; apply f_equal; now apply filter_same ] ].
    + match goal with K : has e = _ |- _ => rewrite K end. match goal with K : value x0 e = _ |- _ => rewrite K end. now destruct t.
    + match goal with K : value x1 e = _ |- _ => rewrite K end. apply forallb_same. intros z. congruence.
    + match goal with K : value x1 e = _ |- _ => rewrite K end. destruct (value x1 e'); assumption.
  - intros [z | z s | a b | ] H c c' A; simpl in *; try reflexivity;
      repeat match goal with H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H end;
      repeat match goal with
      | H : avoids state ?a = true |- _ => let K := fresh "K" in pose proof (value_same _ a H c c' A) as K; clear H
      end; clear value_same members_same; simpl in *.
    + now rewrite K.
    + rewrite K0. now apply filter_same.
    + congruence.
Qed.
End Independent.
