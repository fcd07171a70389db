/* Generated from primary_backup.tp by tailproof generate: all roles. */
#ifndef PRIMARY_BACKUP_MESSAGE_H
#define PRIMARY_BACKUP_MESSAGE_H

#include "primary_backup.h"
#include "tp_message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The fields of a message are in the order of its declaration. */
enum primary_backup_kind { primary_backup_Request, primary_backup_Ack, primary_backup_Reply };

/*@ predicate primary_backup_message(struct tp_message *m, struct primary_backup_params *params) =
      (m->kind == primary_backup_Request &&
      0 <= m->field[0] < PRIMARY_BACKUP_BACKUP_COUNT(params)) ||
      (m->kind == primary_backup_Ack && 0 <= m->field[0] < PRIMARY_BACKUP_BACKUP_COUNT(params)) ||
      m->kind == primary_backup_Reply; */

/* Whether what tp_message_decode made of bytes is a message of the protocol. */
/*@ requires storage: \valid_read(m) && \valid_read(params);
    requires parameters: primary_backup_valid(params);
    assigns \nothing;
    ensures message: \result <==> primary_backup_message(m, params);
*/
bool primary_backup_message_valid(const struct tp_message *m,
                                  const struct primary_backup_params *params);

#ifdef __cplusplus
}
#endif

#endif
