(* SPDX-License-Identifier: GPL-3.0-or-later

   The bounds of specs/primary_backup.tp with no obligation left. Spec_primary_backup.v is what `tailproof certify --theory`
   writes of it. First what the invariants say, in plain words ([good]); then what each action does; then that each step keeps
   what is said. Invariants that the program adds have only a number, so [known_good] calls them by it. *)
From Coq Require Import ZArith List Bool Lia FinFun.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote Once Corollary Computed Discharge Spec_primary_backup.
From Theory Require Induction.
Local Open Scope Z_scope.

Section PrimaryBackup.
Variable unit : integers.
Local Notation N := (names_of (T := integers) the_protocol).
Local Notation M := (denote the_protocol unit).
Implicit Types (w : world integers N) (s : state integers N) (p : pick integers N) (b : Z).

(* --- names ----------------------------------------------------------------------------------------------------------- *)

Local Notation primary := (r_primary, 0).
Local Notation backup b := (r_backup, b).
Local Notation Request b := (m_Request, [b]).
Local Notation Ack b := (m_Ack, [b]).
Local Notation Reply := (m_Reply, @nil Z).
Local Notation started s := (bools (of s primary) s_primary_started).
Local Notation acked s b := (sets (of s primary) s_primary_acked b).
Local Notation tidied s b := (bools (of s (backup b)) s_backup_tidied).
Local Notation in_family w b := (0 <= b < parameter w p_n).
Local Notation all_backups w := (between_both 0 (parameter w p_n - 1)).
Local Notation PrimaryRequest w := (length_of w (Step c_PrimaryRequest [])).
Local Notation BackupRequest w b := (length_of w (Step c_BackupRequest [b])).
Local Notation PrimaryAck w b := (length_of w (Step c_PrimaryAck [b])).
Local Notation Tidy w b := (length_of w (Step c_Tidy [b])).
Local Notation d w m := (length_of w (Delayed c_d (fst m) (snd m))).
Local Notation Queuing w m := (length_of w (Delayed c_Queuing (fst m) (snd m))).

(* When backup b has its request, and the primary the answer, at the latest. *)
Definition asked w b : Z := PrimaryRequest w + d w (Request b).
Definition answered w b : Z := asked w b + Queuing w (Request b) + BackupRequest w b + d w (Ack b).

(* --- the invariants, in plain words ---------------------------------------------------------------------------------- *)

Record good w s : Prop := {
  idle : started s = false -> clock s primary <= 0;
  uncharged : started s = false -> charged s (Step c_PrimaryRequest []) = false;
  unsent b : in_family w b -> started s = false -> sent s (Request b) = false;
  request_time b : in_family w b -> sent s (Request b) = true -> 0 <= delivered s (Request b) <= asked w b;
  request_taken b : in_family w b -> received s (Request b) = true -> sent s (Request b) = true;
  answers b : in_family w b -> sent s (Ack b) = received s (Request b);
  ack_time b : in_family w b -> sent s (Ack b) = true -> 0 <= delivered s (Ack b) <= answered w b;
  ack_taken b : in_family w b -> received s (Ack b) = true -> sent s (Ack b) = true;
  collected b : in_family w b -> acked s b = received s (Ack b);
  replied : sent s Reply = true -> forall b, in_family w b -> acked s b = true;
  reply_time : sent s Reply = true -> 0 <= delivered s Reply;
  reply_taken : received s Reply = true -> sent s Reply = true;
  primary_clock : 0 <= clock s primary;
  backup_clock b : in_family w b -> 0 <= clock s (backup b);
  tidies b : in_family w b -> tidied s b = false -> charged s (Step c_Tidy [b]) = false
}.

Ltac open_good G := destruct G as
  [idle uncharged unsent request_time request_taken answers ack_time ack_taken collected replied reply_time reply_taken
  primary_clock backup_clock tidies].

Lemma known_good w x : known unit the_protocol invariants w x -> good w (fst x).
Proof.
  destruct x as [s more]. intros (_ & _ & K). cbn [fst]. assert (one : 0 <= 0 < 1) by lia. split.
  - intros no. apply not_true_iff_false in no. apply (K i_idle no).
  - rewrite <- !not_true_iff_false. exact (K i_generated_9 0 one).
  - intros b L. rewrite <- !not_true_iff_false. intros no. apply (K i_idle no), L.
  - intros b L S. split; [exact (K i_generated_2 b L S) | exact (K i_request_time b L S)].
  - exact (K i_generated_1).
  - intros b L. apply eq_true_iff_eq. split; [exact (K i_generated_13 b L) | exact (K i_generated_14 b L)].
  - intros b L S. split; [exact (K i_generated_4 b L S) | exact (K i_ack_time b L S)].
  - exact (K i_generated_3).
  - intros b L. apply eq_true_iff_eq. split; [exact (K i_generated_17 b L 0 one) | exact (K i_generated_18 b L 0 one)].
  - exact (K i_generated_19 0 one).
  - exact (K i_generated_6).
  - exact (K i_generated_5).
  - exact (K i_generated_7).
  - exact (K i_generated_8).
  - intros b L. rewrite <- !not_true_iff_false. exact (K i_generated_15 b L).
Qed.

Lemma good_known w x i : good w (fst x) -> has_invariant unit the_protocol invariants i w x.
Proof.
  destruct x as [s more]. cbn [fst]. intros G. open_good G.
  assert (yes : started s = true \/ started s = false) by (destruct (started s); auto).
  do 22 (try destruct i as [ | i]); [ .. | now destruct i]; unfold has_invariant; cbn.
  - rewrite not_true_iff_false. intros no. split; [now apply idle | intros b L]. rewrite not_true_iff_false. now apply unsent.
  - apply request_time.
  - apply ack_time.
  - exact request_taken.
  - apply request_time.
  - exact ack_taken.
  - apply ack_time.
  - exact reply_taken.
  - exact reply_time.
  - exact primary_clock.
  - exact backup_clock.
  - intros z Z. replace z with 0 by lia. rewrite !not_true_iff_false. exact uncharged.
  - intros z Z b L. replace z with 0 by lia. rewrite !not_true_iff_false. now apply unsent.
  - intros b L z Z. replace z with 0 by lia. intros S. split; [easy | intros _]. destruct yes as [ | no]; [easy | ].
    now rewrite unsent in S.
  - intros z Z. replace z with 0 by lia. intros S. split; [easy | intros _]. destruct yes as [ | no]; [easy | ].
    now rewrite uncharged in S.
  - intros b L. now rewrite answers.
  - intros b L. now rewrite answers.
  - intros b L. rewrite !not_true_iff_false. now apply tidies.
  - intros b L C. split; [easy | intros _]. destruct (tidied s b) eqn:no; [easy | ]. now rewrite tidies in C.
  - intros b L z Z. replace z with 0 by lia. now rewrite collected.
  - intros b L z Z. replace z with 0 by lia. now rewrite collected.
  - intros z Z. replace z with 0 by lia. exact replied.
Qed.

Lemma first_good w s : first M w s -> good w s.
Proof.
  intros (F & C & S & X & _). cbn in C, X.
  assert (none_sent : forall m, sent s m = false) by apply S. assert (none_taken : forall m, received s m = false) by apply S.
  assert (no : started s = false) by now rewrite F. assert (none : forall b, acked s b = false) by (intros b; now rewrite F).
  split; intros; rewrite ?C, ?X, ?none_sent, ?none_taken, ?none in *; try discriminate; auto; lia.
Qed.

(* --- what each action does ------------------------------------------------------------------------------------------- *)

Local Notation does w s p := (does unit the_protocol w s p).

Definition broadcasts w s p : Prop :=
  started s = false /\
  does w s p primary None (put Bool s_primary_started true (of s primary)) (clock s primary + PrimaryRequest w)
    (map (fun b => Request b) (all_backups w)) [Step c_PrimaryRequest []].

Definition handles w s p b : Prop :=
  in_family w b /\ sent s (Request b) = true /\ received s (Request b) = false /\
  clock s (backup b) <= delivered s (Request b) + Queuing w (Request b) /\
  does w s p (backup b) (Some (Request b)) (of s (backup b))
    (Z.max (clock s (backup b)) (delivered s (Request b)) + BackupRequest w b) [Ack b] [Step c_BackupRequest [b]].

Definition tidies_up w s p b : Prop :=
  in_family w b /\ tidied s b = false /\
  does w s p (backup b) None (put Bool s_backup_tidied true (of s (backup b))) (clock s (backup b) + Tidy w b)
    [] [Step c_Tidy [b]].

(* [all]: now all have answered; [v]: the primary's variables after it. *)
Definition collects w s p b (all : bool) v : Prop :=
  in_family w b /\ sent s (Ack b) = true /\ received s (Ack b) = false /\
  clock s primary <= delivered s (Ack b) + Queuing w (Ack b) /\
  bools v s_primary_started = started s /\ (forall z, sets v s_primary_acked z = acked s z || (z =? b)) /\
  (all = true -> forall z, in_family w z -> sets v s_primary_acked z = true) /\
  does w s p primary (Some (Ack b)) v (Z.max (clock s primary) (delivered s (Ack b)) + PrimaryAck w b)
    (if all then [Reply] else []) [Step c_PrimaryAck [b]].

Lemma broadcast w s p : by_action p = a_primary_Broadcast -> enabled M w s p -> broadcasts w s p.
Proof.
  unfold broadcasts. open_action the_protocol unit w s p. assert (n = 0) by lia. subst n. parts. same D.
  rewrite flat_map_one, !map_map. apply map_ext_in. intros z Z. apply between_both_in in Z.
  unfold sends_of, clamp_fields, clamp. cbn. in_range. reflexivity.
Qed.

Lemma handle w s p : by_action p = a_backup_Handle -> enabled M w s p -> exists b, handles w s p b.
Proof. unfold handles. open_action the_protocol unit w s p. exists n. in_range. parts. same D. reflexivity. Qed.

Lemma tidy w s p : by_action p = a_backup_Tidy -> enabled M w s p -> exists b, tidies_up w s p b.
Proof. unfold tidies_up. open_action the_protocol unit w s p. exists n. parts. same D. reflexivity. Qed.

Lemma some_backup w : possible M w -> 1 <= parameter w p_n.
Proof. intros ((_ & _ & A & _) & _). cbn in A. now apply Forall_inv in A. Qed.

Lemma collect w s p : possible M w -> by_action p = a_primary_Collect -> enabled M w s p ->
  exists b all v, collects w s p b all v.
Proof.
  intros ok. pose proof (some_backup w ok). unfold collects. open_action the_protocol unit w s p.
  assert (n = 0) by lia. subst n. cbn in D.
  assert (in_family w f1) by (destruct (Z.leb_spec 0 f1), (Z.ltb_spec f1 (parameter w p_n)); cbn in *; lia).
  set (now := fun z => acked s z || ((z =? f1) || false)).
  match type of D with context [forallb ?f ?l] =>
    assert (A : forallb f l = true -> forall z, in_family w z -> now z = true);
    [ | exists f1, (forallb f l), (put NodeSet s_primary_acked now (of s primary)); destruct (forallb f l); cbn in D] end.
  - intros A z Z. rewrite forallb_forall in A. apply eqb_prop, A, between_both_in. lia.
  - parts; [intros z; cbn; unfold now; now rewrite orb_false_r | same D; reflexivity].
  - parts; [intros z; cbn; unfold now; now rewrite orb_false_r | same D; reflexivity].
Qed.

(* --- each step keeps what is said ------------------------------------------------------------------------------------ *)

(* The reply, if sent, was sent by then. *)
Definition within w s (limit : Z) : Prop := sent s Reply = true -> delivered s Reply - d w Reply <= limit.

(* How long backup b needs, and the slowest. *)
Definition round w b : Z :=
  d w (Request b) + Queuing w (Request b) + BackupRequest w b + d w (Ack b) + Queuing w (Ack b) + PrimaryAck w b.
Definition slowest w : Z := extreme Z.max 0 (map (fun b => round w b) (all_backups w)).

Lemma no_slower w b : in_family w b -> round w b <= slowest w.
Proof. intros B. apply greatest_above, in_map_iff. exists b. split; [reflexivity | ]. apply between_both_in. lia. Qed.

(* The step keeps the invariants and each bound that is not below the slowest, and does nothing twice. *)
Definition fine w s p : Prop :=
  good w (after M w s p) /\
  (forall limit, PrimaryRequest w + slowest w <= limit -> within w s limit -> within w (after M w s p) limit) /\
  asked_once unit the_protocol follow w s p.

Ltac keeps C ok := split; intros; before C; unfold answered, asked in *; try follows_from ok.

Lemma broadcast_fine w s p : possible M w -> good w s -> broadcasts w s p -> fine w s p.
Proof.
  intros ok G (no & D). open_good G. pose proof (idle no). split; [ | split].
  - changed D C s'. keeps C ok.
  - changed D C s'. intros limit _ K. unfold within in *. now before C.
  - apply (does_once _ _ _ _ _ _ _ _ _ _ _ _ D); cbn.
    + apply Injective_map_NoDup; [congruence | apply between_once].
    + intros m I. apply in_map_iff in I. destruct I as (b & <- & B). apply between_both_in in B. apply unsent; [lia | exact no].
    + repeat constructor. easy.
    + intros o [<- | []]. auto.
Qed.

Lemma handle_fine w s p b : possible M w -> good w s -> handles w s p b -> fine w s p.
Proof.
  intros ok G (B & S & R & Q & D). open_good G. split; [ | split].
  - changed D C s'. keeps C ok.
  - changed D C s'. intros limit _ K. unfold within in *. now before C.
  - apply (does_once _ _ _ _ _ _ _ _ _ _ _ _ D); cbn; [now repeat constructor | | constructor | easy].
    intros m [<- | []]. now rewrite answers.
Qed.

Lemma tidy_fine w s p b : possible M w -> good w s -> tidies_up w s p b -> fine w s p.
Proof.
  intros ok G (B & no & D). open_good G. split; [ | split].
  - changed D C s'. keeps C ok.
  - changed D C s'. intros limit _ K. unfold within in *. now before C.
  - apply (does_once _ _ _ _ _ _ _ _ _ _ _ _ D); cbn; [constructor | easy | now repeat constructor | ].
    intros o [<- | []]. auto.
Qed.

Lemma collect_fine w s p b all v : possible M w -> good w s -> collects w s p b all v -> fine w s p.
Proof.
  intros ok G (B & S & R & Q & E & A & every & D). open_good G.
  assert (yes : started s = true).
  { destruct (started s) eqn:no; [reflexivity | ]. rewrite answers in S by exact B. apply request_taken in S; [ | exact B].
    now rewrite unsent in S. }
  split; [ | split].
  - changed D C s'. destruct all; keeps C ok; rewrite ?A in *; try follows_from ok; cases; auto.
  - changed D C s'. intros limit most K. pose proof (no_slower w b B) as slower. pose proof (ack_time b B S).
    pose proof (lasts_some (Delayed c_Queuing m_Ack [b]) ok).
    unfold within, round, answered, asked in *. before C. destruct all; cbn; [ | exact K]. intros _. lia.
  - apply (does_once _ _ _ _ _ _ _ _ _ _ _ _ D); cbn; [destruct all; now repeat constructor | | constructor | easy].
    destruct all; [ | easy]. intros m [<- | []]. apply not_true_iff_false. intros already.
    rewrite <- collected, replied in R by assumption. discriminate.
Qed.

(* --- the obligations ------------------------------------------------------------------------------------------------- *)

Lemma step_fine w s p : possible M w -> good w s -> enabled M w s p -> fine w s p.
Proof.
  intros ok G E. destruct (some_action_at unit the_protocol w s p E) as [a A].
  destruct (by_action p) as [ | [ | [ | [ | ]]]] eqn:is; try (destruct n; discriminate).
  - apply broadcast_fine; auto. now apply broadcast.
  - destruct (handle w s p is E) as (b & H). now apply handle_fine with b.
  - destruct (tidy w s p is E) as (b & H). now apply tidy_fine with b.
  - destruct (collect w s p ok is E) as (b & all & v & H). now apply collect_fine with b all v.
Qed.

Lemma known_fine w x p a : known unit the_protocol invariants w x -> takes_action unit the_protocol a w x p -> fine w (fst x) p.
Proof. intros K [E _]. apply step_fine; [apply K | now apply known_good | apply E]. Qed.

Lemma first_has i : initial_obligation unit the_protocol invariants i.
Proof. intros w x ok _ F. apply good_known, first_good, F. Qed.

Lemma step_has a i : step_obligation unit the_protocol invariants a i.
Proof. intros w x p K E. apply good_known. apply (known_fine w x p a K E). Qed.

Lemma step_once a : once_obligation unit the_protocol follow invariants a.
Proof. intros w x p K E. apply (known_fine w x p a K E). Qed.

(* What a bound allows, of the two here: both are on the reply. *)
Definition allowed (b : bound) w : Z := Induction.limit _ (bound_of unit the_protocol b) w [].

Lemma reply_is w x : kept unit the_protocol b_reply w x <-> within w (fst x) (allowed b_reply w).
Proof. split; [intros K S; exact (K [] (conj I S)) | intros K [ | ] [F S]; [exact (K S) | destruct F]]. Qed.

Lemma reply_uniform_is w x : kept unit the_protocol b_reply_uniform w x <-> within w (fst x) (allowed b_reply_uniform w).
Proof. split; [intros K S; exact (K [] (conj I S)) | intros K [ | ] [F S]; [exact (K S) | destruct F]]. Qed.

Lemma slowest_below w limit : possible M w -> (forall b, in_family w b -> round w b <= limit) -> slowest w <= limit.
Proof.
  intros ok most. apply greatest_below.
  - pose proof (some_backup w ok). specialize (most 0 ltac:(lia)). unfold round in most. cbn [fst snd] in most.
    revert most. lengths ok. lia.
  - intros x X. apply in_map_iff in X. destruct X as (b & <- & B). apply most. apply between_both_in in B. lia.
Qed.

Lemma reply_more w : possible M w -> PrimaryRequest w + slowest w <= allowed b_reply w.
Proof.
  intros ok. unfold allowed. cbn. apply Z.add_le_mono_l, slowest_below; [exact ok | ]. intros b B. unfold round. cbn [fst snd].
  match goal with |- _ <= extreme _ _ (map ?f ?l) =>
    assert (most : f b <= extreme Z.max 0 (map f l)) by (apply greatest_above, (in_map f), between_both_in; lia)
  end.
  revert most. cbn beta. lengths ok. lia.
Qed.

Lemma uniform_more w : possible M w -> PrimaryRequest w + slowest w <= allowed b_reply_uniform w.
Proof.
  intros ok. enough (slowest w <= allowed b_reply_uniform w - PrimaryRequest w) by lia.
  apply slowest_below; [exact ok | ]. intros b _. unfold round, allowed. cbn. lengths ok. lia.
Qed.

Lemma first_kept :
  bound_initial_obligation unit the_protocol b_reply /\ bound_initial_obligation unit the_protocol b_reply_uniform.
Proof.
  split; intros w x _ _ ((_ & _ & F & _) & _); [apply reply_is | apply reply_uniform_is]; intros S;
    destruct (F Reply); congruence.
Qed.

Lemma step_kept a :
  bound_step_obligation unit the_protocol invariants b_reply a /\
  bound_step_obligation unit the_protocol invariants b_reply_uniform a.
Proof.
  split; intros w x p K before E; destruct (known_fine w x p a K E) as (_ & keeps & _).
  - apply reply_is. apply reply_is in before. apply keeps; [apply reply_more, K | exact before].
  - apply reply_uniform_is. apply reply_uniform_is in before. apply keeps; [apply uniform_more, K | exact before].
Qed.
End PrimaryBackup.

(* The bounds, with no obligation left. *)
Ltac closed theorem :=
  intros unit w x; apply theorem;
  first [apply first_has | apply step_has | apply step_once | apply first_kept | apply step_kept].

Theorem reply : forall (unit : integers) w x, Induction.possible (s := executions the_protocol unit) w ->
  Induction.reachable (executions the_protocol unit) w x -> kept unit the_protocol b_reply w x.
Proof. closed bound_reply. Qed.

Theorem reply_uniform : forall (unit : integers) w x, Induction.possible (s := executions the_protocol unit) w ->
  Induction.reachable (executions the_protocol unit) w x -> kept unit the_protocol b_reply_uniform w x.
Proof. closed bound_reply_uniform. Qed.
