/* What node.rs holds steps.rs against. The numbers of steps.rs are checked here. */
#include "lock_node_step.h"

_Static_assert(TP_DONE == 0 && TP_DISABLED == 1 && TP_RANGE == 2, "verdicts as in steps.rs");
_Static_assert(lock_Transfer == 0 && TP_FIELDS == 8 && TP_NODES == 64, "numbers as in steps.rs");
_Static_assert(offsetof(struct lock_params, hops) == 4 && offsetof(struct node, epoch) == 4 &&
                   offsetof(struct node_sends, Transfer_epoch) == 4 &&
                   offsetof(struct node_sends, Transfer_to) == 8 &&
                   offsetof(struct tp_message, field) == 4,
               "members in the order of steps.rs");
_Static_assert(sizeof(enum tp_verdict) == 4 && sizeof(enum node_action) == 4, "as in steps.rs");

extern const size_t steps_layout[7];
const size_t steps_layout[7] = {sizeof(struct lock_params),
                                sizeof(struct node),
                                _Alignof(struct node),
                                sizeof(struct node_sends),
                                _Alignof(struct node_sends),
                                sizeof(struct tp_message),
                                TP_BYTES};
