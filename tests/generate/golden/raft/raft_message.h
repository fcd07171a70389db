/* Generated from raft.tp by tailproof generate: all roles. */
#ifndef RAFT_MESSAGE_H
#define RAFT_MESSAGE_H

#include "raft.h"
#include "tp_message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The fields of a message are in the order of its declaration. */
enum raft_kind { raft_Write, raft_Written, raft_AppendEntries, raft_Success, raft_Reply };

/*@ predicate raft_message(struct tp_message *m, struct raft_params *params) =
      m->kind == raft_Write || m->kind == raft_Written ||
      (m->kind == raft_AppendEntries && 0 <= m->field[0] < RAFT_FOLLOWER_COUNT(params)) ||
      (m->kind == raft_Success && 0 <= m->field[0] < RAFT_FOLLOWER_COUNT(params)) ||
      m->kind == raft_Reply; */

/* Whether what tp_message_decode made of bytes is a message of the protocol. */
/*@ requires storage: \valid_read(m) && \valid_read(params);
    requires parameters: raft_valid(params);
    assigns \nothing;
    ensures message: \result <==> raft_message(m, params);
*/
bool raft_message_valid(const struct tp_message *m, const struct raft_params *params);

#ifdef __cplusplus
}
#endif

#endif
