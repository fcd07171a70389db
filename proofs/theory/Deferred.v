(* SPDX-License-Identifier: GPL-3.0-or-later

   Why DEFERRAL is asked. A worker takes Job only when it is told to (Go). Job is there at once, Go comes 10 later; the worker is
   free all the time, so nothing ever queues: Queuing(Job) is 0. A machine takes Job at 10. The model has no such step, as 10 is
   more than Job's delivery and 0: what is proved of the model (that no Job is ever taken) is false of the machine. *)
From Coq Require Import List Bool ZArith Lia.
Import ListNotations.
From Theory Require Import Time Model Small Standard Timing Adequacy.
From Theory Require Induction.

Inductive role := boss | worker.
Inductive kind := Job | Go.
Inductive act := Send_job | Send_go | Take_go | Take_job.
Inductive part := Think | d | Queuing.
Inductive length := think | delayed (m : kind) | queued.

Definition late_names : names.
Proof.
  refine (small_names (part := part) (length := length) (role := role) (kind := kind) (act := act) (value := nat) _ _ _
    (fun o => match o with think => Think | delayed _ => d | queued => Queuing end) delayed
    (fun m => match m with Job => Some queued | Go => None end) (fun _ => false) false (fun _ => false)); repeat decide equality.
Defined.

Notation T := integers.
Notation job := (Job : message late_names).
Notation go := (Go : message late_names).
Notation the_worker := (worker : node late_names).
Notation state := (state T late_names).
Notation pick := (pick T late_names).

Definition late : model T late_names := small_model T late_names O
  (fun a =>
    match a with
    | Take_go => Receives (fun m => match m with Go => true | Job => false end)
    | Take_job => Receives (fun m => match m with Job => true | Go => false end)
    | _ => Plain
    end)
  (fun a n => match a, n with Send_job, boss | Send_go, boss | Take_go, worker | Take_job, worker => True | _, _ => False end)
  (fun s p =>
    match by_action p with
    | Send_job => of s (at_node p) = O
    | Send_go => of s (at_node p) = 1%nat
    | Take_go => True
    | Take_job => of s (at_node p) = 1%nat
    end)
  (fun a => match a with Send_go => [Named (think : occurrence late_names)] | _ => [] end)
  (fun _ p => match by_action p with Send_job | Take_go => 1%nat | _ => 2%nat end)
  (fun a => match a with Send_job => [(job, the_worker)] | Send_go => [(go, the_worker)] | _ => [] end)
  (fun _ => boss : node late_names) (fun _ => O) (0%Z : time T) (0%Z : time T).

Definition w : world T late_names :=
  {| parameter := (tt : parameters late_names);
     bare c := (match (c : part) with Think => 10%Z | _ => 0%Z end : time T);
     length_of o := (match (o : length) with think => 10%Z | _ => 0%Z end : time T) |}.

Definition step (i : nat) : pick :=
  match i with
  | 0 => small_pick T late_names tt Send_job boss None 0%Z
  | 1 => small_pick T late_names tt Send_go boss None 0%Z
  | 2 => small_pick T late_names tt Take_go worker (Some Go) 10%Z
  | _ => small_pick T late_names tt Take_job worker (Some Job) 10%Z
  end%nat.

Fixpoint st (i : nat) : state :=
  match i with O => small_first T late_names O worker | S i => after late w (st i) (step i) end.

Definition unslotted := guard late.

Lemma well_formed : protocol late unslotted.
Proof.
  constructor.
  - auto.
  - intros w' s s' q E. split; auto. unfold unslotted, guard, late. simpl. rewrite E. auto.
  - intros w' s q t _. split; auto.
  - intros w' s q m t no. unfold loses in no. simpl in no. destruct (by_action q); discriminate.
Qed.

(* What can be taken, and when. *)
Lemma can_is s m t : can late unslotted w s m t <->
  receiver s m = worker /\ (m = Go \/ m = Job /\ of s the_worker = 1%nat).
Proof.
  split.
  - intros (q & (k & W & K & E & at_) & _ & D & G & _).
    destruct q as [a n tk ch r u x]. unfold unslotted in G. simpl in *. subst tk n. destruct a; simpl in *; try discriminate; inversion W; subst k;
      destruct m; try discriminate; (destruct (receiver s _) eqn:R'; try contradiction); split; auto.
  - intros [R' H].
    exists {| by_action := match m with Go => Take_go | Job => Take_job end : action late_names; at_node := receiver s m; takes := Some m;
              chooses := (tt : choices late_names); reads := t; waited := t; executions _ := t |}.
    unfold unslotted. simpl. rewrite R'. destruct m; simpl; repeat split; auto; try (destruct H as [H | [_ H]]; [discriminate | auto]);
      eexists; repeat split; eauto; simpl; auto.
Qed.

Lemma takeable_is s m t : takeable late w s m t <-> can late unslotted w s m t.
Proof.
  split.
  - intros (q & ? & ? & ? & G & _ & ?). exists q. auto.
  - intros (q & Q & ? & ? & ? & ?). exists q. repeat split; auto.
    destruct q as [a n tk ch r u x]. unfold patient. simpl. destruct a, tk; exact I.
Qed.

(* The four steps: at 0, 0, 10 and 10. *)
Lemma begins : forall i, (i < 4)%nat -> begin late w st step i = (if (i <? 2)%nat then 0%Z else 10%Z).
Proof. intros [ | [ | [ | [ | i]]]] lt; try reflexivity. lia. Qed.

Lemma no_timers : forall s q due, waits_for late (by_action q) = Timer due -> could late w s q -> False.
Proof. intros s q due W _. simpl in W. destruct (by_action q); discriminate. Qed.

Theorem machine : real late unslotted w st step 4 10%Z.
Proof.
  constructor.
  - split; [exact I | ]. intros o. destruct (o : length); split; simpl; lia.
  - repeat split; reflexivity.
  - intros i lt. split; [reflexivity | ].
    assert (E : executes late w (st i) (step i)).
    { split; [ | now destruct i as [ | [ | [ | i]]]]. intros j c E. exfalso. destruct i as [ | [ | [ | i]]]; simpl in E;
        destruct j as [ | [ | j]]; discriminate. }
    destruct i as [ | [ | [ | [ | i]]]]; try lia; (split; [exact I | ]; split; [repeat split; reflexivity || now apply next_without_channels | ];
      split; [exact I | ]; split; [exact I || reflexivity | ]; intros _; split; [vm_compute; discriminate | ];
      split; [vm_compute; discriminate | ]; split; [exact E | exact I]).
  - intros i lt _ _. now apply paces_without_pacers.
  - intros i m m' _ _ _ (F & _). discriminate F.
  - intros i j m _ _ _ _ F. discriminate F.
  - intros i j lt _ _. rewrite !begins by lia. destruct (Nat.ltb_spec i 2), (Nat.ltb_spec j 2); simpl; lia.
  - intros i lt _. rewrite begins by lia. destruct (i <? 2)%nat; simpl; lia.
  - intros i m le K _ C. apply takeable_is, can_is in C. destruct C as [R' C]. right.
    destruct i as [ | [ | [ | [ | [ | i]]]]]; try lia; destruct m; try discriminate K;
      destruct C as [C | [C C']]; try discriminate; try discriminate C'.
    + exists 2%nat. split; [lia | ]. split; [repeat split; auto; lia | vm_compute; discriminate].
    + exists 3%nat. split; [lia | ]. split; [repeat split; auto; lia | vm_compute; discriminate].
  - intros i q due _ W C. destruct (no_timers _ _ _ W C).
  - intros i m o a le Q K free. destruct m; [ | discriminate]. injection Q as <-.
    assert (there : delivered (st i) job = 0%Z).
    { destruct i as [ | [ | [ | [ | [ | i]]]]]; try lia; try discriminate K; reflexivity. }
    rewrite there in *. change (a <= 0)%Z. destruct (Z_le_gt_dec a 0) as [ | more_]; [assumption | exfalso]. apply (free 0%Z).
    + vm_compute; discriminate.
    + exact (fun no => Zgt_not_le _ _ more_ no).
    + assert (kept : forall j, ~ exists m', ahead late w (st j) m' job /\ can late unslotted w (st j) m' (ready st j m') /\
        ~ takeable late w (st j) m' (ready st j m')).
      { intros j (m' & _ & H & no). apply no. now apply takeable_is. }
      destruct i as [ | [ | [ | [ | [ | i]]]]]; try lia; try discriminate K.
      * exists 1%nat. split; [lia | ]. split; [vm_compute; discriminate | ]. split; [now left | apply kept].
      * exists 2%nat. split; [lia | ]. split; [vm_compute; discriminate | ]. split; [now left | apply kept].
      * exists 2%nat. split; [lia | ]. split; [vm_compute; discriminate | ].
        split; [right; split; [repeat split; auto; lia | intros early; now vm_compute in early] | apply kept].
Qed.

(* The step that the machine takes at 10 is none of the model. *)
Theorem machine_is_not_of_the_model : ~ enabled late w (st 3) (step 3).
Proof.
  intros (_ & _ & _ & _ & H). destruct (H eq_refl) as (_ & _ & _ & _ & S). now vm_compute in S.
Qed.

(* So the obligation must fail, whatever the invariants are; and it does, at the step that takes Go. *)
Theorem deferral_fails {I : Type} (holds : I -> world T late_names -> state * more plain -> Prop) :
  Induction.invariants_proved (executions_with late plain) holds -> ~ deferral_proved late unslotted plain holds.
Proof.
  intros O D. pose proof (real_possible _ _ _ _ _ _ _ machine) as possible_w.
  assert (no_pacers : pace_proved late plain holds) by (constructor; intros; now apply paces_without_pacers).
  assert (R : Induction.reachable (executions_with late plain) w (st 2, tt)).
  { exact (real_reachable late unslotted w st step 4 10%Z well_formed machine plain holds O D no_pacers (fun _ _ _ _ => Logic.I)
      (fun _ _ _ _ _ => Logic.I) 2%nat ltac:(lia)). }
  assert (E : enabled late w (st 2) (step 2)).
  { destruct (real_step _ _ _ _ _ _ _ machine 2%nat ltac:(lia)) as (_ & L & K & Dm & G & X).
    split; [exact L | ]. split; [exact K | ]. split; [exact Dm | ]. split; [exact G | ].
    intros no. destruct (X no) as (? & ? & ? & ?). repeat (split; [assumption || exact Logic.I | ]).
    now apply paces_without_pacers. }
  apply (deferral_step _ _ _ _ D w (st 2, tt) (step 2) job possible_w); try reflexivity.
  - now apply (Induction.invariants_hold _ _ O).
  - split; [exact E | exact Logic.I].
  - intros early. now vm_compute in early.
  - intros C. apply can_is in C. destruct C as [_ [C | [_ C]]]; discriminate.
  - apply can_is. split; [reflexivity | right; split; reflexivity].
Qed.
