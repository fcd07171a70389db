/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls that lead to a sample. The kernel follows frame pointers, which skips the caller of a
 * function that keeps none (yet), and yields nonsense where the register holds something else. So
 * every step is held against the function's row of the unwind table:
 *
 *  - while the sample's copy of the stack reaches, the row alone says who the caller is;
 *  - beyond it the kernel's next address is taken where the row says that the function keeps a
 *    frame pointer, and it is known that the register is part of the kernel's chain;
 *  - a function without a row (compiled at run time, assembler) is taken to keep one, if the
 *    register points up the stack, to another one that does, and to behind a call of such a
 * function;
 *  - anything else leaves a gap: callers are missing there, and it says so.
 */
#ifndef MEASURE_PROFILE_UNWIND_H
#define MEASURE_PROFILE_UNWIND_H

#include "measure/profile/cfi.h"
#include "measure/profile/event.h"

enum { UNWIND_MOST = 256 };

/* What is known of an address of the process. */
struct unwind_place {
  struct cfi_row row;
  uint32_t frame; /* of whom asks; not looked at here */
  /* Of a return address, as far as can be told: whether a call stands before it, and whether that
   * may go to a function without a row. */
  bool called, calls_bare;
};

/* NULL: nothing that can be executed is at the address. `back`: it is a return address, and so
 * behind the call. What is returned lives until the next call. */
typedef const struct unwind_place *unwind_find(void *context, uint64_t address, bool back);

struct unwound {
  uint32_t frames[UNWIND_MOST]; /* the innermost first */
  size_t count;
  bool cut; /* there are callers beyond the last one that are not known */
};

#define UNWIND_GAP UINT32_MAX /* among frames: callers are missing here */

/* `chain`: the part of the sample's chain that is of the program itself, [0] the address sampled.
 */
void unwind(struct unwound *unwound, const struct ring_event *sample, const uint64_t *chain,
            size_t chain_count, unwind_find *find, void *context);

#endif
