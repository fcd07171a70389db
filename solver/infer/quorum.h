/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Smaller bounds where a quorum is counted. What was found waits for the last of a role, `max r in
 * replica (E)`; where the text compares the number of members of a set of that role with k, it may
 * be that the k-th suffices: `kth(k, r in replica (E))`. Where it waits for the later of two ways,
 * it may be that the earlier suffices. Each is tried, in the invariants found and in one bound
 * after the other; what is not proved is left as it was.
 */
#ifndef SOLVER_INFER_QUORUM_H
#define SOLVER_INFER_QUORUM_H

struct infer_work;

/* After all was proved. */
void quorums_try(struct infer_work *w);

#endif
