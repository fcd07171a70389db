/* Generated from lock.tp by tailproof generate: all roles. */
#ifndef LOCK_MESSAGE_H
#define LOCK_MESSAGE_H

#include "lock.h"
#include "tp_message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The fields of a message are in the order of its declaration. */
enum lock_kind { lock_Transfer };

/*@ predicate lock_message(struct tp_message *m, struct lock_params *params) =
      m->kind == lock_Transfer; */

/* Whether what tp_message_decode made of bytes is a message of the protocol. */
/*@ requires storage: \valid_read(m) && \valid_read(params);
    requires parameters: lock_valid(params);
    assigns \nothing;
    ensures message: \result <==> lock_message(m, params);
*/
bool lock_message_valid(const struct tp_message *m, const struct lock_params *params);

#ifdef __cplusplus
}
#endif

#endif
