/* Generated from raft.tp by tailproof generate: role leader. */
#ifndef RAFT_LEADER_H
#define RAFT_LEADER_H

#include "raft.h"

#ifdef __cplusplus
extern "C" {
#endif

struct leader {
  bool proposed;
  bool durable;
  tp_set matched; /* of follower */
  bool committed;
};

/*@ predicate leader_valid(struct leader *self, struct raft_params *params) =
      tp_within(self->matched, RAFT_FOLLOWER_COUNT(params)); */

/* What one step sends. */
struct leader_sends {
  bool Write;
  tp_set AppendEntries; /* to each of these: follower */
  bool Reply;
};

/*@ predicate leader_sends_nothing(struct leader_sends *out) =
      !out->Write && tp_empty(out->AppendEntries) && !out->Reply;
    predicate leader_sends_valid(struct leader_sends *out, struct raft_params *params) =
      tp_within(out->AppendEntries, RAFT_FOLLOWER_COUNT(params));
*/

/*@ requires storage: \valid(self) && \valid_read(params) && \separated(self, params);
    requires parameters: raft_valid(params);
    assigns *self;
    ensures state: leader_valid(self, params);
    ensures proposed: !self->proposed;
    ensures durable: !self->durable;
    ensures matched: tp_empty(self->matched);
    ensures committed: !self->committed;
*/
void leader_init(struct leader *self, const struct raft_params *params);

/* action leader.Propose cost Append {
 *   when not proposed
 *   proposed := true
 *   send Write
 *   send AppendEntries(r) for all r in follower
 * } */
/*@ predicate leader_Propose_enabled(struct leader *self, struct raft_params *params) =
      !self->proposed; */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) &&
      \separated(self, params, out);
    requires parameters: raft_valid(params);
    requires state: leader_valid(self, params);
    assigns self->proposed, *out;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED;
    ensures state: leader_valid(self, params);
    ensures sends: leader_sends_valid(out, params);
    ensures enabled: \result == TP_DISABLED <==> !\old(leader_Propose_enabled(self, params));
    ensures unchanged: \result != TP_DONE ==>
      self->proposed == \old(self->proposed) && leader_sends_nothing(out);
    ensures parameters: params->f == \old(params->f);
    ensures proposed: \result == TP_DONE ==> self->proposed;
    ensures durable: self->durable == \old(self->durable);
    ensures matched: self->matched == \old(self->matched);
    ensures committed: self->committed == \old(self->committed);
    ensures Write: \result == TP_DONE ==> out->Write;
    ensures AppendEntries: \result == TP_DONE ==>
      tp_same(out->AppendEntries, tp_all(\old(RAFT_FOLLOWER_COUNT(params))));
    ensures Reply: \result == TP_DONE ==> !out->Reply;
*/
enum tp_verdict leader_Propose(struct leader *self, const struct raft_params *params,
                               struct leader_sends *out);

/* action leader.Own on Written cost Own {
 *   durable := true
 *   if |matched| >= f { committed := true  send Reply }
 * } */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) &&
      \separated(self, params, out);
    requires parameters: raft_valid(params);
    requires state: leader_valid(self, params);
    assigns self->durable, self->committed, *out;
    ensures verdict: \result == TP_DONE;
    ensures state: leader_valid(self, params);
    ensures sends: leader_sends_valid(out, params);
    ensures parameters: params->f == \old(params->f);
    ensures proposed: self->proposed == \old(self->proposed);
    ensures durable: self->durable;
    ensures matched: self->matched == \old(self->matched);
    ensures committed: self->committed <==>
      tp_card(\old(self->matched), \old(RAFT_FOLLOWER_COUNT(params))) >= \old(params->f) ||
      \old(self->committed);
    ensures Write: !out->Write;
    ensures AppendEntries: tp_empty(out->AppendEntries);
    ensures Reply: out->Reply <==>
      tp_card(\old(self->matched), \old(RAFT_FOLLOWER_COUNT(params))) >= \old(params->f);
*/
enum tp_verdict leader_Own(struct leader *self, const struct raft_params *params,
                           struct leader_sends *out);

/* action leader.Count on Success(r) cost Count[|matched|] {
 *   matched := matched + {r}
 *   if durable and not committed and |matched| >= f { committed := true  send Reply }
 * } */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) &&
      \separated(self, params, out);
    requires parameters: raft_valid(params);
    requires state: leader_valid(self, params);
    requires message: 0 <= r < RAFT_FOLLOWER_COUNT(params);
    assigns self->matched, self->committed, *out;
    ensures verdict: \result == TP_DONE;
    ensures state: leader_valid(self, params);
    ensures sends: leader_sends_valid(out, params);
    ensures parameters: params->f == \old(params->f);
    ensures proposed: self->proposed == \old(self->proposed);
    ensures durable: self->durable == \old(self->durable);
    ensures matched: tp_same(self->matched, tp_union(\old(self->matched), tp_one(r)));
    ensures committed: self->committed <==>
      (\old(self->durable) && !\old(self->committed) &&
      tp_card(tp_union(\old(self->matched),
      tp_one(r)), \old(RAFT_FOLLOWER_COUNT(params))) >= \old(params->f)) || \old(self->committed);
    ensures Write: !out->Write;
    ensures AppendEntries: tp_empty(out->AppendEntries);
    ensures Reply: out->Reply <==>
      \old(self->durable) && !\old(self->committed) &&
      tp_card(tp_union(\old(self->matched),
      tp_one(r)), \old(RAFT_FOLLOWER_COUNT(params))) >= \old(params->f);
*/
enum tp_verdict leader_Count(struct leader *self, const struct raft_params *params,
                             struct leader_sends *out, int32_t r);

#ifdef __cplusplus
}
#endif

#endif
