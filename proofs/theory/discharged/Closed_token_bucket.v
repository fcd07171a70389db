(* SPDX-License-Identifier: GPL-3.0-or-later

   The bound of specs/token_bucket.tp with no obligation left. Spec_token_bucket.v is what `tailproof certify --theory` writes of
   it: the advanced model, a FIFO channel, and a pacer. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
From Theory Require Import Time Syntax Meaning Model Standard Timing Denote Once Corollary Discharge Spec_token_bucket.
From Theory Require Induction.
Local Open Scope Z_scope.

Section Token_bucket.
Variable unit : integers.

Local Notation N := (names_of (T := integers) the_protocol).
Local Notation sensor := (r_sensor, 0).
Local Notation server := (r_server, 0).
Local Notation report k := (m_Report, [k]).
Local Notation alarm k := (m_Alarm, [k]).
Local Notation made s := (ints (of s sensor) s_sensor_made).
Local Notation done s := (ints (of s server) s_server_done).
(* How long a message is on its way, and when it was sent. *)
Local Notation way w m k := (length_of w (Delayed c_d m [k])).
Local Notation sent_at w s m k := (delivered s (m%nat, [k]) - way w m k).
Local Notation handling w k := (length_of w (Step c_Handle [k])).
(* (B - 1)*T *)
Local Notation burst w := (multiple (parameter w p_B - 1) (bare w c_T)).

(* The invariants of Spec_token_bucket.v, in their order, as said of a state, and of what the advanced model has beside it. *)
Record good (w : world integers N) (s : state integers N) (arrival : a_node -> Z) : Prop := {
  within_burst : forall k, sent s (report k) = true -> sent_at w s m_Report k <= paced s (report k) /\
    paced s (report k) <= sent_at w s m_Report k + burst w /\ paced s (report k) + bare w c_T <= next s sensor m_Report;
  apart : forall j k, sent s (report j) = true -> sent s (report k) = true -> j <> k ->
    paced s (report j) + bare w c_T <= paced s (report k) \/ paced s (report k) + bare w c_T <= paced s (report j);
  counting : 0 <= done s <= made s;
  numbered : forall k, sent s (report k) = true -> 1 <= k <= made s;
  in_order : forall k, sent s (report k) = true -> received s (report k) = true <-> k <= done s;
  in_turn : forall j k, sent s (report j) = true -> sent s (report k) = true -> j < k ->
    paced s (report j) + bare w c_T <= paced s (report k);
  kept_ : 1 <= done s -> sent s (report (done s)) = true;
  keeps_up : 1 <= done s -> clock s server <= paced s (report (done s)) + bare w c_D + bare w c_Handle;
  rested : done s = 0 -> clock s server <= 0;
  report_sent : forall k, received s (report k) = true -> sent s (report k) = true;
  report_late : forall k, sent s (report k) = true -> 0 <= delivered s (report k);
  alarm_sent : forall k, received s (alarm k) = true -> sent s (alarm k) = true;
  alarm_late : forall k, sent s (alarm k) = true -> 0 <= delivered s (alarm k);
  places_rise : forall k j, sent s (report k) = true -> sent s (report j) = true -> j < k ->
    Z.of_nat (place s (report j)) < Z.of_nat (place s (report k));
  none_left : forall k j, received s (report k) = true -> sent s (report j) = true -> j < k -> received s (report j) = true;
  sensor_runs : 0 <= clock s sensor;
  sensor_began : 0 <= arrival sensor;
  sensor_after : arrival sensor <= clock s sensor;
  server_runs : 0 <= clock s server;
  server_began : 0 <= arrival server;
  server_after : arrival server <= clock s server;
  pacer_runs : 0 <= next s sensor m_Report;
  alarm_for_report : forall k, sent s (alarm k) = true -> received s (report k) = true;
  report_has_alarm : forall k, received s (report k) = true -> sent s (alarm k) = true;
  charge_has_alarm : forall k, charged s (Step c_Handle [k]) = true -> sent s (alarm k) = true
}.
Local Arguments within_burst {w s arrival}. Local Arguments apart {w s arrival}. Local Arguments counting {w s arrival}.
Local Arguments numbered {w s arrival}. Local Arguments in_order {w s arrival}. Local Arguments in_turn {w s arrival}.
Local Arguments kept_ {w s arrival}. Local Arguments keeps_up {w s arrival}. Local Arguments rested {w s arrival}.
Local Arguments report_sent {w s arrival}. Local Arguments report_late {w s arrival}. Local Arguments alarm_sent {w s arrival}.
Local Arguments alarm_late {w s arrival}. Local Arguments places_rise {w s arrival}. Local Arguments none_left {w s arrival}.
Local Arguments sensor_runs {w s arrival}. Local Arguments sensor_began {w s arrival}. Local Arguments sensor_after {w s arrival}.
Local Arguments server_runs {w s arrival}. Local Arguments server_began {w s arrival}. Local Arguments server_after {w s arrival}.
Local Arguments pacer_runs {w s arrival}. Local Arguments alarm_for_report {w s arrival}.
Local Arguments report_has_alarm {w s arrival}. Local Arguments charge_has_alarm {w s arrival}.

Local Notation all_hold w s a := (forall i, has_invariant unit the_protocol invariants i w (s, a : a_node -> integers)).

Lemma good_is w s a : good w s a -> all_hold w s a.
Proof.
  intros G i. do 25 (try destruct i as [ | i]); [ .. | now destruct i].
  - exact (fun k _ => within_burst G k).
  - intros j _ k _ [[J K] D]. now apply (apart G).
  - exact (counting G).
  - exact (fun k _ => numbered G k).
  - exact (fun k _ => in_order G k).
  - intros j _ k _ [[J K] D]. now apply (in_turn G).
  - exact (kept_ G).
  - exact (keeps_up G).
  - exact (rested G).
  - exact (fun k _ => report_sent G k).
  - exact (fun k _ => report_late G k).
  - exact (fun k _ => alarm_sent G k).
  - exact (fun k _ => alarm_late G k).
  - intros k _ j _ (K & J & D). now apply (places_rise G k j).
  - intros k _ j _ (K & J & D). now apply (none_left G k j).
  - exact (sensor_runs G).
  - exact (sensor_began G).
  - exact (sensor_after G).
  - exact (server_runs G).
  - exact (server_began G).
  - exact (server_after G).
  - exact (pacer_runs G).
  - exact (fun k _ => alarm_for_report G k).
  - exact (fun k _ => report_has_alarm G k).
  - exact (fun k _ => charge_has_alarm G k).
Qed.

Lemma is_good w s a : all_hold w s a -> good w s a.
Proof.
  intros K. split.
  - exact (fun k => K 0%nat k I).
  - exact (fun j k J L D => K 1%nat j I k I (conj (conj J L) D)).
  - exact (K 2%nat).
  - exact (fun k => K 3%nat k I).
  - exact (fun k => K 4%nat k I).
  - exact (fun j k J L D => K 5%nat j I k I (conj (conj J L) D)).
  - exact (K 6%nat).
  - exact (K 7%nat).
  - exact (K 8%nat).
  - exact (fun k => K 9%nat k I).
  - exact (fun k => K 10%nat k I).
  - exact (fun k => K 11%nat k I).
  - exact (fun k => K 12%nat k I).
  - exact (fun k j L J D => K 13%nat k I j I (conj L (conj J D))).
  - exact (fun k j L J D => K 14%nat k I j I (conj L (conj J D))).
  - exact (K 15%nat).
  - exact (K 16%nat).
  - exact (K 17%nat).
  - exact (K 18%nat).
  - exact (K 19%nat).
  - exact (K 20%nat).
  - exact (K 21%nat).
  - exact (fun k => K 22%nat k I).
  - exact (fun k => K 23%nat k I).
  - exact (fun k => K 24%nat k I).
Qed.

(* A report is on the channel to the one server, in a place of its own. *)
Lemma report_typed w s k : typed unit the_protocol w s -> sent s (report k) = true ->
  receiver s (report k) = server /\ (place s (report k) < places s)%nat.
Proof.
  intros (_ & A & _) S. destruct (A _ S) as [(_ & R & Z) P]. split; [ | now apply P]. destruct (receiver s (report k)) as [r n].
  cbn in R, Z. unfold clamp in Z. cbn in Z. destruct ((0 <=? n) && (n <? 1)) eqn:E; subst; [ | reflexivity].
  plain. now replace n with 0 by lia.
Qed.

(* What is known of parameters and lengths. *)
Lemma lengths w : Induction.possible (s := executions the_protocol unit) w ->
  0 <= burst w /\ 0 <= bare w c_T /\ bare w c_Handle <= bare w c_T /\ bare w c_d <= bare w c_D /\
  (forall k, 0 <= way w m_Report k <= bare w c_d) /\ (forall k, 0 <= way w m_Alarm k) /\
  forall k, 0 <= handling w k <= bare w c_Handle.
Proof.
  intros ((_ & _ & A & _) & B). cbn in A. plain. unfold between, holds in *. cbn in *.
  pose proof (B (Step c_T [])) as T. cbn in T. rewrite multiple_is.
  repeat split; try (intros; apply B); [apply Z.mul_nonneg_nonneg; lia | lia | assumption | assumption].
Qed.

(* What is known of the reports that were sent. *)
Ltac of_reports K ty := repeat match goal with H : sent ?s (report ?k) = true |- _ =>
  pose proof (numbered K k H); pose proof (within_burst K k H); pose proof (report_typed _ s k ty H); revert H end; intros.

(* The messages that a step sends or takes, and others. *)
Ltac cases := repeat match goal with |- context [?x =? ?y] => destruct (Z.eqb_spec x y); subst; cbn end.

(* --- the sensor makes a report --------------------------------------------------------------------------------------- *)

Ltac open_sample := open_typed_step the_protocol;
  match goal with H : 0 <= ?n, H' : ?n < 1 |- _ => assert (n = 0) by lia; subst n end;
  match goal with H : false = true \/ _ |- _ => destruct H as [ | may_send]; [discriminate | ] end;
  match goal with H : between _ c_Rest _ |- _ => unfold between in H; cbn in H; rename H into rests end;
  match goal with H : forall i, has_invariant _ _ _ i _ _ |- _ => apply is_good in H end.

Lemma sample_keeps i : step_obligation unit the_protocol invariants a_sensor_Sample i.
Proof.
  intros w x p H. pose proof (lengths w (proj1 H)) as (B & T & _ & _ & W & _). revert x p H. open_sample.
  refine (good_is w _ _ _ i). clear i. specialize (W (made s + 1)).
  pose proof (counting K). pose proof (sensor_runs K). pose proof (pacer_runs K). pose proof (sensor_began K).
  pose proof (sensor_after K).
  split; open_state; cases.
  all: try solve [destruct K; auto].
  all: intros; try match goal with H : received _ (report ?k) = true |- _ => pose proof (report_sent K k H) end.
  all: of_reports K ty; try lia.
  - split; [ | lia]. intros R. pose proof (numbered K _ (report_sent K _ R)). lia.
  - now apply (none_left K k j).
  - destruct (Z_le_dec _ _); lia.
  - destruct (Z_le_dec _ _); lia.
Qed.

Lemma sample_once : once_obligation unit the_protocol follow invariants a_sensor_Sample.
Proof.
  intros w. open_sample. unfold asked_once. cbn. split; [ | split; [ | split]].
  all: try now repeat constructor; intros [].
  all: try easy.
  intros m n [[= <- <-] | []]. cbn. apply not_true_iff_false. intros S. pose proof (numbered K _ S). lia.
Qed.

(* --- the server works on it ------------------------------------------------------------------------------------------ *)

(* A report that is received next comes after those that were received. *)
Lemma next_is_new w s a k : good w s a -> sent s (report k) = true -> received s (report k) = false -> done s < k.
Proof. intros K S R. apply not_true_iff_false in R. rewrite (in_order K k S) in R. lia. Qed.

(* And no earlier one is left on the channel. *)
Lemma next_is_first w s a k j : typed unit the_protocol w s -> good w s a -> (forall m : a_message, lost s m = false) ->
  is_next (denote the_protocol unit) w s (report k) -> sent s (report k) = true ->
  sent s (report j) = true -> j < k -> received s (report j) = true.
Proof.
  intros ty K lossless first S S' L. apply not_false_iff_true. intros R.
  assert (P : pending s (report j) = true) by (unfold pending; rewrite S', R; cbn; now rewrite lossless).
  assert (C : receiver s (report k) = receiver s (report j)).
  { now rewrite (proj1 (report_typed w s k ty S)), (proj1 (report_typed w s j ty S')). }
  pose proof (first _ P (conj eq_refl (conj eq_refl (conj eq_refl C)))). pose proof (places_rise K k j S S' L). lia.
Qed.

(* The server can begin when the pacer has let it go, and the channel handed it over. *)
Lemma ready w s a k : Induction.possible (s := executions the_protocol unit) w -> good w s a ->
  sent s (report k) = true -> received s (report k) = false ->
  Z.max (clock s server) (delivered s (report k)) <= paced s (report k) + bare w c_D.
Proof.
  intros ok K S R. pose proof (lengths w ok) as (B & T & H & D & W & _). specialize (W k).
  pose proof (next_is_new w s a k K S R) as new. pose proof (within_burst K k S). pose proof (report_late K k S).
  pose proof (counting K). pose proof (rested K). destruct (Z.eq_dec (done s) 0); [lia | ].
  pose proof (keeps_up K ltac:(lia)). pose proof (in_turn K (done s) k (kept_ K ltac:(lia)) S new). lia.
Qed.

Ltac open_work := open_typed_step the_protocol;
  match goal with H : 0 <= ?n, H' : ?n < 1 |- _ => assert (n = 0) by lia; subst n end;
  match goal with fs : list Z |- _ => destruct fs as [ | k [ | ]]; try discriminate end; 
  match goal with H : forall i, has_invariant _ _ _ i _ _ |- _ => apply is_good in H end; cbn in *;
  match goal with H : is_next _ _ _ _ |- _ => rename H into first_there end;
  match goal with H : sent _ _ = true |- _ => rename H into is_sent end;
  match goal with H : received _ _ = false |- _ => rename H into not_received end.

Lemma work_keeps i : step_obligation unit the_protocol invariants a_server_Work i.
Proof.
  intros w x p H. pose proof (proj1 H) as allowed. pose proof (lengths w allowed) as (_ & _ & _ & _ & _ & W & W').
  revert x p H. open_work.
  refine (good_is w _ _ _ i). clear i.
  pose proof (ready w s more k allowed K is_sent not_received) as begins.
  pose proof (next_is_new w s more k K is_sent not_received) as new.
  pose proof (fun j => next_is_first w s more k j ty K lossless first_there is_sent) as earlier.
  pose proof (counting K). pose proof (server_runs K). pose proof (server_began K). pose proof (server_after K).
  specialize (W k). specialize (W' k).
  split; open_state; cases.
  all: try solve [destruct K; auto].
  all: intros; try match goal with H : received _ (report ?k) = true |- _ => pose proof (report_sent K k H) end.
  all: of_reports K ty; try lia.
  - split; [ | intros; apply earlier; [assumption | lia]]. intros R. apply (in_order K) in R; [lia | assumption].
  - now apply (none_left K k0 j).
Qed.

Lemma work_once : once_obligation unit the_protocol follow invariants a_server_Work.
Proof.
  intros w. open_work. unfold asked_once. cbn. split; [ | split; [ | split]].
  all: try now repeat constructor; intros [].
  all: try easy.
  intros m n [[= <- <-] | []]. cbn. apply not_true_iff_false. intros S. apply (alarm_for_report K) in S. congruence.
Qed.

(* --- the first state ------------------------------------------------------------------------------------------------- *)

Lemma first_is i : initial_obligation unit the_protocol invariants i.
Proof.
  intros w [s more] ok _ ((F & C & M & G & _ & N0) & A). refine (good_is w s more _ i). clear i. cbn in A. subst more.
  assert (none_sent : forall m, sent s m = false) by apply M. assert (none_received : forall m, received s m = false) by apply M.
  split; intros; rewrite ?F, ?C, ?N0, ?none_sent, ?none_received, ?G in *; cbn in *; try discriminate; try lia.
Qed.

(* --- the bound ------------------------------------------------------------------------------------------------------- *)

(* What the bound says: of each report, how long after it its alarm is sent. *)
Definition in_time (w : world integers N) (s : state integers N) : Prop :=
  forall k, sent s (alarm k) = true -> sent s (report k) = true ->
  sent_at w s m_Alarm k - sent_at w s m_Report k <= Induction.limit _ (bound_of unit the_protocol b_alarm) w [k].

Lemma kept_is w x : kept unit the_protocol b_alarm w x <-> in_time w (fst x).
Proof.
  destruct x as [s a]. split.
  - intros K k A R. exact (K [k] (conj (conj I I) (conj A R))).
  - intros K [ | k [ | ]] (F & A & R); cbn in F; try contradiction; [exact (K k A R) | now destruct F].
Qed.

Lemma bound_first : bound_initial_obligation unit the_protocol b_alarm.
Proof.
  intros w [s more] _ _ ((_ & _ & M & _) & _). apply kept_is. intros k A. 
  destruct (M (alarm k)) as [E _]. cbn in A, E. congruence.
Qed.

Lemma sample_keeps_bound : bound_step_obligation unit the_protocol invariants b_alarm a_sensor_Sample.
Proof.
  intros w x p H L S. apply kept_is in L. revert L. revert S. revert H. revert p. revert x. open_sample. intros L.
  apply kept_is. unfold in_time. open_state; cases; intros A R; [ | now apply L].
  pose proof (numbered K _ (report_sent K _ (alarm_for_report K _ A))). lia.
Qed.

Lemma work_keeps_bound : bound_step_obligation unit the_protocol invariants b_alarm a_server_Work.
Proof.
  intros w x p H L S. pose proof (proj1 H) as allowed. apply kept_is in L. revert L. revert S. revert H. revert p. revert x.
  open_work. intros L.
  pose proof (ready w s more k allowed K is_sent not_received) as begins. pose proof (within_burst K k is_sent).
  apply kept_is. unfold in_time. open_state; cases; intros A R; [lia | now apply L].
Qed.
End Token_bucket.

(* The bound, with no obligation left. *)
Theorem alarm : forall (unit : integers) w x, Induction.possible (s := executions the_protocol unit) w ->
  Induction.reachable (executions the_protocol unit) w x -> kept unit the_protocol b_alarm w x.
Proof.
  intros unit w x. apply bound_alarm; first
    [apply first_is | apply sample_keeps | apply work_keeps | apply sample_once | apply work_once | apply bound_first
    | apply sample_keeps_bound | apply work_keeps_bound].
Qed.
