/* Generated from primary_backup.tp by tailproof generate: role primary. */
#ifndef PRIMARY_BACKUP_PRIMARY_STEP_H
#define PRIMARY_BACKUP_PRIMARY_STEP_H

#include "primary_backup_primary.h"
#include "primary_backup_message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which action a step was. */
enum primary_action { primary_did_Broadcast, primary_did_Collect };

/*@ predicate primary_same{K, L}(struct primary *self) =
      \at(self->started, K) == \at(self->started, L) &&
      \at(self->acked, K) == \at(self->acked, L); */

/*@ predicate primary_Collect_step{K, L}(struct primary *self, struct primary_backup_params *params,
      struct primary_sends *out, integer b) =
      \at(self->started, L) == \at(self->started, K) &&
      tp_same(\at(self->acked, L), tp_union(\at(self->acked, K), tp_one(b))) &&
      tp_empty(\at(out->Request, L)) &&
      (\at(out->Reply, L) <==>
      tp_same(tp_union(\at(self->acked, K), tp_one(b)),
      tp_all(\at(PRIMARY_BACKUP_BACKUP_COUNT(params), K)))); */
/*@ predicate primary_takes(struct primary *self, struct primary_backup_params *params,
      struct tp_message *m) = (m->kind == primary_backup_Ack); */

/* Takes the message with the first action of its kind that is enabled. TP_DISABLED: none is. */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid_read(m) && \valid(out) &&
      \valid(action) && \separated(self, params, m, out, action);
    requires parameters: primary_backup_valid(params);
    requires state: primary_valid(self, params);
    requires message: tp_message_valid(m) && primary_backup_message(m, params);
    assigns *self, *out, *action;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED || \result == TP_RANGE;
    ensures state: primary_valid(self, params);
    ensures sends: primary_sends_valid(out, params);
    ensures none: \result == TP_DISABLED <==> !\old(primary_takes(self, params, m));
    ensures unchanged: \result != TP_DONE ==>
      primary_same{Old, Here}(self) && primary_sends_nothing(out);
    ensures Collect: \result == TP_DONE && \old(m->kind == primary_backup_Ack) ==>
      *action == primary_did_Collect &&
      primary_Collect_step{Old, Here}(self, params, out, \old(m->field[0]));
*/
enum tp_verdict primary_take(struct primary *self, const struct primary_backup_params *params,
                             struct primary_sends *out, enum primary_action *action,
                             const struct tp_message *m);

/*@ predicate primary_Broadcast_step{K, L}(struct primary *self,
      struct primary_backup_params *params, struct primary_sends *out) =
      \at(self->started, L) && \at(self->acked, L) == \at(self->acked, K) &&
      tp_same(\at(out->Request, L), tp_all(\at(PRIMARY_BACKUP_BACKUP_COUNT(params), K))) &&
      !\at(out->Reply, L); */
/*@ predicate primary_acts(struct primary *self, struct primary_backup_params *params) =
      (primary_Broadcast_enabled(self, params)); */

/* Takes the first enabled action that waits for no message and no timeout. TP_DISABLED: none is. */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) && \valid(action) &&
      \separated(self, params, out, action);
    requires parameters: primary_backup_valid(params);
    requires state: primary_valid(self, params);
    assigns *self, *out, *action;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED || \result == TP_RANGE;
    ensures state: primary_valid(self, params);
    ensures sends: primary_sends_valid(out, params);
    ensures none: \result == TP_DISABLED <==> !\old(primary_acts(self, params));
    ensures unchanged: \result != TP_DONE ==>
      primary_same{Old, Here}(self) && primary_sends_nothing(out);
    ensures Broadcast: \result == TP_DONE && \old(primary_Broadcast_enabled(self, params)) ==>
      *action == primary_did_Broadcast && primary_Broadcast_step{Old, Here}(self, params, out);
*/
enum tp_verdict primary_act(struct primary *self, const struct primary_backup_params *params,
                            struct primary_sends *out, enum primary_action *action);

#ifdef __cplusplus
}
#endif

#endif
