/* Generated from primary_backup.tp by tailproof generate: role primary. */
#ifndef PRIMARY_BACKUP_PRIMARY_H
#define PRIMARY_BACKUP_PRIMARY_H

#include "primary_backup.h"

#ifdef __cplusplus
extern "C" {
#endif

struct primary {
  bool started;
  tp_set acked; /* of backup */
};

/*@ predicate primary_valid(struct primary *self, struct primary_backup_params *params) =
      tp_within(self->acked, PRIMARY_BACKUP_BACKUP_COUNT(params)); */

/* What one step sends. */
struct primary_sends {
  tp_set Request; /* to each of these: backup */
  bool Reply;
};

/*@ predicate primary_sends_nothing(struct primary_sends *out) =
      tp_empty(out->Request) && !out->Reply;
    predicate primary_sends_valid(struct primary_sends *out, struct primary_backup_params *params) =
      tp_within(out->Request, PRIMARY_BACKUP_BACKUP_COUNT(params));
*/

/*@ requires storage: \valid(self) && \valid_read(params) && \separated(self, params);
    requires parameters: primary_backup_valid(params);
    assigns *self;
    ensures state: primary_valid(self, params);
    ensures started: !self->started;
    ensures acked: tp_empty(self->acked);
*/
void primary_init(struct primary *self, const struct primary_backup_params *params);

/* action primary.Broadcast cost PrimaryRequest {
 *   when not started
 *   started := true
 *   send Request(b) for all b in backup
 * } */
/*@ predicate primary_Broadcast_enabled(struct primary *self,
      struct primary_backup_params *params) = !self->started; */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) &&
      \separated(self, params, out);
    requires parameters: primary_backup_valid(params);
    requires state: primary_valid(self, params);
    assigns self->started, *out;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED;
    ensures state: primary_valid(self, params);
    ensures sends: primary_sends_valid(out, params);
    ensures enabled: \result == TP_DISABLED <==> !\old(primary_Broadcast_enabled(self, params));
    ensures unchanged: \result != TP_DONE ==>
      self->started == \old(self->started) && primary_sends_nothing(out);
    ensures started: \result == TP_DONE ==> self->started;
    ensures Request: \result == TP_DONE ==>
      tp_same(out->Request, tp_all(PRIMARY_BACKUP_BACKUP_COUNT(params)));
    ensures Reply: \result == TP_DONE ==> !out->Reply;
*/
enum tp_verdict primary_Broadcast(struct primary *self, const struct primary_backup_params *params,
                                  struct primary_sends *out);

/* action primary.Collect on Ack(b) cost PrimaryAck[b] {
 *   acked := acked + {b}
 *   if acked == backup { send Reply }
 * } */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) &&
      \separated(self, params, out);
    requires parameters: primary_backup_valid(params);
    requires state: primary_valid(self, params);
    requires message: 0 <= b < PRIMARY_BACKUP_BACKUP_COUNT(params);
    assigns self->acked, *out;
    ensures verdict: \result == TP_DONE;
    ensures state: primary_valid(self, params);
    ensures sends: primary_sends_valid(out, params);
    ensures acked: tp_same(self->acked, tp_union(\old(self->acked), tp_one(b)));
    ensures Request: tp_empty(out->Request);
    ensures Reply: out->Reply <==>
      tp_same(tp_union(\old(self->acked), tp_one(b)), tp_all(PRIMARY_BACKUP_BACKUP_COUNT(params)));
*/
enum tp_verdict primary_Collect(struct primary *self, const struct primary_backup_params *params,
                                struct primary_sends *out, int32_t b);

#ifdef __cplusplus
}
#endif

#endif
