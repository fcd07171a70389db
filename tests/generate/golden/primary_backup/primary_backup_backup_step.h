/* Generated from primary_backup.tp by tailproof generate: role backup. */
#ifndef PRIMARY_BACKUP_BACKUP_STEP_H
#define PRIMARY_BACKUP_BACKUP_STEP_H

#include "primary_backup_backup.h"
#include "primary_backup_message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which action a step was. */
enum backup_action { backup_did_Handle, backup_did_Tidy };

/*@ predicate backup_same{K, L}(struct backup *self) =
      \at(self->tidied, K) == \at(self->tidied, L); */

/*@ predicate backup_Handle_step{K, L}(struct backup *self, struct primary_backup_params *params,
      integer b, struct backup_sends *out) =
      \at(self->tidied, L) == \at(self->tidied, K) && \at(out->Ack, L); */
/*@ predicate backup_takes(struct backup *self, struct primary_backup_params *params, integer i,
      struct tp_message *m) = (m->kind == primary_backup_Request && m->field[0] == i); */

/* Takes the message with the first action of its kind that is enabled. TP_DISABLED: none is. */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid_read(m) && \valid(out) &&
      \valid(action) && \separated(self, params, m, out, action);
    requires parameters: primary_backup_valid(params);
    requires state: backup_valid(self, params);
    requires node: 0 <= i < PRIMARY_BACKUP_BACKUP_COUNT(params);
    requires message: tp_message_valid(m) && primary_backup_message(m, params);
    assigns *self, *out, *action;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED || \result == TP_RANGE;
    ensures state: backup_valid(self, params);
    ensures sends: backup_sends_valid(out, params);
    ensures none: \result == TP_DISABLED <==> !\old(backup_takes(self, params, i, m));
    ensures unchanged: \result != TP_DONE ==>
      backup_same{Old, Here}(self) && backup_sends_nothing(out);
    ensures Handle: \result == TP_DONE && \old(m->kind == primary_backup_Request &&
      m->field[0] == i) ==>
      *action == backup_did_Handle && backup_Handle_step{Old, Here}(self, params, i, out);
*/
enum tp_verdict backup_take(struct backup *self, const struct primary_backup_params *params,
                            int32_t i, struct backup_sends *out, enum backup_action *action,
                            const struct tp_message *m);

/*@ predicate backup_Tidy_step{K, L}(struct backup *self, struct primary_backup_params *params,
      integer b, struct backup_sends *out) = \at(self->tidied, L) && !\at(out->Ack, L); */
/*@ predicate backup_acts(struct backup *self, struct primary_backup_params *params, integer i) =
      (backup_Tidy_enabled(self, params, i)); */

/* Takes the first enabled action that waits for no message and no timeout. TP_DISABLED: none is. */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) && \valid(action) &&
      \separated(self, params, out, action);
    requires parameters: primary_backup_valid(params);
    requires state: backup_valid(self, params);
    requires node: 0 <= i < PRIMARY_BACKUP_BACKUP_COUNT(params);
    assigns *self, *out, *action;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED || \result == TP_RANGE;
    ensures state: backup_valid(self, params);
    ensures sends: backup_sends_valid(out, params);
    ensures none: \result == TP_DISABLED <==> !\old(backup_acts(self, params, i));
    ensures unchanged: \result != TP_DONE ==>
      backup_same{Old, Here}(self) && backup_sends_nothing(out);
    ensures Tidy: \result == TP_DONE && \old(backup_Tidy_enabled(self, params, i)) ==>
      *action == backup_did_Tidy && backup_Tidy_step{Old, Here}(self, params, i, out);
*/
enum tp_verdict backup_act(struct backup *self, const struct primary_backup_params *params,
                           int32_t i, struct backup_sends *out, enum backup_action *action);

#ifdef __cplusplus
}
#endif

#endif
