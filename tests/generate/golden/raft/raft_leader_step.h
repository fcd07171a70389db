/* Generated from raft.tp by tailproof generate: role leader. */
#ifndef RAFT_LEADER_STEP_H
#define RAFT_LEADER_STEP_H

#include "raft_leader.h"
#include "raft_message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which action a step was. */
enum leader_action { leader_did_Propose, leader_did_Own, leader_did_Count };

/*@ predicate leader_same{K, L}(struct leader *self) =
      \at(self->proposed, K) == \at(self->proposed, L) &&
      \at(self->durable, K) == \at(self->durable, L) &&
      \at(self->matched, K) == \at(self->matched, L) &&
      \at(self->committed, K) == \at(self->committed, L); */

/*@ predicate leader_Own_step{K, L}(struct leader *self, struct raft_params *params,
      struct leader_sends *out) =
      \at(self->proposed, L) == \at(self->proposed, K) && \at(self->durable, L) &&
      \at(self->matched, L) == \at(self->matched, K) &&
      (\at(self->committed, L) <==>
      tp_card(\at(self->matched, K), \at(RAFT_FOLLOWER_COUNT(params), K)) >= \at(params->f, K) ||
      \at(self->committed, K)) && !\at(out->Write, L) && tp_empty(\at(out->AppendEntries, L)) &&
      (\at(out->Reply, L) <==>
      tp_card(\at(self->matched, K), \at(RAFT_FOLLOWER_COUNT(params), K)) >= \at(params->f, K)); */
/*@ predicate leader_Count_step{K, L}(struct leader *self, struct raft_params *params,
      struct leader_sends *out, integer r) =
      \at(self->proposed, L) == \at(self->proposed, K) &&
      \at(self->durable, L) == \at(self->durable, K) &&
      tp_same(\at(self->matched, L), tp_union(\at(self->matched, K), tp_one(r))) &&
      (\at(self->committed, L) <==>
      (\at(self->durable, K) && !\at(self->committed, K) &&
      tp_card(tp_union(\at(self->matched, K),
      tp_one(r)), \at(RAFT_FOLLOWER_COUNT(params), K)) >= \at(params->f, K)) ||
      \at(self->committed, K)) && !\at(out->Write, L) && tp_empty(\at(out->AppendEntries, L)) &&
      (\at(out->Reply, L) <==>
      \at(self->durable, K) && !\at(self->committed, K) &&
      tp_card(tp_union(\at(self->matched, K),
      tp_one(r)), \at(RAFT_FOLLOWER_COUNT(params), K)) >= \at(params->f, K)); */
/*@ predicate leader_takes(struct leader *self, struct raft_params *params, struct tp_message *m) =
      (m->kind == raft_Written) || (m->kind == raft_Success); */

/* Takes the message with the first action of its kind that is enabled. TP_DISABLED: none is. */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid_read(m) && \valid(out) &&
      \valid(action) && \separated(self, params, m, out, action);
    requires parameters: raft_valid(params);
    requires state: leader_valid(self, params);
    requires message: tp_message_valid(m) && raft_message(m, params);
    assigns *self, *out, *action;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED || \result == TP_RANGE;
    ensures state: leader_valid(self, params);
    ensures sends: leader_sends_valid(out, params);
    ensures none: \result == TP_DISABLED <==> !\old(leader_takes(self, params, m));
    ensures unchanged: \result != TP_DONE ==>
      leader_same{Old, Here}(self) && leader_sends_nothing(out);
    ensures Own: \result == TP_DONE && \old(m->kind == raft_Written) ==>
      *action == leader_did_Own && leader_Own_step{Old, Here}(self, params, out);
    ensures Count: \result == TP_DONE && \old(m->kind == raft_Success) ==>
      *action == leader_did_Count &&
      leader_Count_step{Old, Here}(self, params, out, \old(m->field[0]));
*/
enum tp_verdict leader_take(struct leader *self, const struct raft_params *params,
                            struct leader_sends *out, enum leader_action *action,
                            const struct tp_message *m);

/*@ predicate leader_Propose_step{K, L}(struct leader *self, struct raft_params *params,
      struct leader_sends *out) =
      \at(self->proposed, L) && \at(self->durable, L) == \at(self->durable, K) &&
      \at(self->matched, L) == \at(self->matched, K) &&
      \at(self->committed, L) == \at(self->committed, K) && \at(out->Write, L) &&
      tp_same(\at(out->AppendEntries, L), tp_all(\at(RAFT_FOLLOWER_COUNT(params), K))) &&
      !\at(out->Reply, L); */
/*@ predicate leader_acts(struct leader *self, struct raft_params *params) =
      (leader_Propose_enabled(self, params)); */

/* Takes the first enabled action that waits for no message and no timeout. TP_DISABLED: none is. */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) && \valid(action) &&
      \separated(self, params, out, action);
    requires parameters: raft_valid(params);
    requires state: leader_valid(self, params);
    assigns *self, *out, *action;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED || \result == TP_RANGE;
    ensures state: leader_valid(self, params);
    ensures sends: leader_sends_valid(out, params);
    ensures none: \result == TP_DISABLED <==> !\old(leader_acts(self, params));
    ensures unchanged: \result != TP_DONE ==>
      leader_same{Old, Here}(self) && leader_sends_nothing(out);
    ensures Propose: \result == TP_DONE && \old(leader_Propose_enabled(self, params)) ==>
      *action == leader_did_Propose && leader_Propose_step{Old, Here}(self, params, out);
*/
enum tp_verdict leader_act(struct leader *self, const struct raft_params *params,
                           struct leader_sends *out, enum leader_action *action);

#ifdef __cplusplus
}
#endif

#endif
