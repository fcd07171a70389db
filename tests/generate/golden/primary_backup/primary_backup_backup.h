/* Generated from primary_backup.tp by tailproof generate: role backup. */
#ifndef PRIMARY_BACKUP_BACKUP_H
#define PRIMARY_BACKUP_BACKUP_H

#include "primary_backup.h"

#ifdef __cplusplus
extern "C" {
#endif

struct backup {
  bool tidied;
};

/*@ predicate backup_valid(struct backup *self, struct primary_backup_params *params) = \true; */

/* What one step sends. */
struct backup_sends {
  bool Ack;
};

/*@ predicate backup_sends_nothing(struct backup_sends *out) = !out->Ack;
    predicate backup_sends_valid(struct backup_sends *out, struct primary_backup_params *params) =
      \true;
*/

/*@ requires storage: \valid(self) && \valid_read(params) && \separated(self, params);
    requires parameters: primary_backup_valid(params);
    requires node: 0 <= backup < PRIMARY_BACKUP_BACKUP_COUNT(params);
    assigns *self;
    ensures state: backup_valid(self, params);
    ensures tidied: !self->tidied;
*/
void backup_init(struct backup *self, const struct primary_backup_params *params, int32_t backup);

/* action backup b.Handle on Request(b) cost BackupRequest[b] {
 *   send Ack(b)
 * } */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) &&
      \separated(self, params, out);
    requires parameters: primary_backup_valid(params);
    requires state: backup_valid(self, params);
    requires node: 0 <= b < PRIMARY_BACKUP_BACKUP_COUNT(params);
    assigns *out;
    ensures verdict: \result == TP_DONE;
    ensures state: backup_valid(self, params);
    ensures sends: backup_sends_valid(out, params);
    ensures Ack: out->Ack;
*/
enum tp_verdict backup_Handle(struct backup *self, const struct primary_backup_params *params,
                              int32_t b, struct backup_sends *out);

/* action backup b.Tidy cost Tidy[b] {
 *   when not tidied
 *   tidied := true
 * } */
/*@ predicate backup_Tidy_enabled(struct backup *self, struct primary_backup_params *params,
      integer b) = !self->tidied; */
/*@ requires storage: \valid(self) && \valid_read(params) && \valid(out) &&
      \separated(self, params, out);
    requires parameters: primary_backup_valid(params);
    requires state: backup_valid(self, params);
    requires node: 0 <= b < PRIMARY_BACKUP_BACKUP_COUNT(params);
    assigns self->tidied, *out;
    ensures verdict: \result == TP_DONE || \result == TP_DISABLED;
    ensures state: backup_valid(self, params);
    ensures sends: backup_sends_valid(out, params);
    ensures enabled: \result == TP_DISABLED <==> !\old(backup_Tidy_enabled(self, params, b));
    ensures unchanged: \result != TP_DONE ==>
      self->tidied == \old(self->tidied) && backup_sends_nothing(out);
    ensures tidied: \result == TP_DONE ==> self->tidied;
    ensures Ack: \result == TP_DONE ==> !out->Ack;
*/
enum tp_verdict backup_Tidy(struct backup *self, const struct primary_backup_params *params,
                            int32_t b, struct backup_sends *out);

#ifdef __cplusplus
}
#endif

#endif
