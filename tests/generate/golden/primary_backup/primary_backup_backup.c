/* Generated from primary_backup.tp by tailproof generate: role backup. */
#include "primary_backup_backup.h"

void backup_init(struct backup *self, const struct primary_backup_params *params, int32_t backup) {
  (void)params, (void)backup;
  self->tidied = false;
}

enum tp_verdict backup_Handle(struct backup *self, const struct primary_backup_params *params,
                              int32_t b, struct backup_sends *out) {
  (void)self, (void)params, (void)b;
  out->Ack = false;
  out->Ack = true;
  return TP_DONE;
}

enum tp_verdict backup_Tidy(struct backup *self, const struct primary_backup_params *params,
                            int32_t b, struct backup_sends *out) {
  (void)params, (void)b;
  out->Ack = false;
  if (self->tidied)
    return TP_DISABLED;
  self->tidied = true;
  return TP_DONE;
}
