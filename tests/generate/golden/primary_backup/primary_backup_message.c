/* Generated from primary_backup.tp by tailproof generate: all roles. */
#include "primary_backup_message.h"

bool primary_backup_message_valid(const struct tp_message *m,
                                  const struct primary_backup_params *params) {
  switch (m->kind) {
  case primary_backup_Request:
    return 0 <= m->field[0] && m->field[0] < PRIMARY_BACKUP_BACKUP_COUNT(params);
  case primary_backup_Ack:
    return 0 <= m->field[0] && m->field[0] < PRIMARY_BACKUP_BACKUP_COUNT(params);
  case primary_backup_Reply:
    return true;
  default:
    return false;
  }
}
