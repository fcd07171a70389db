/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How to get from an address in a function to its caller: one row of the unwind table that
 * compilers write for exceptions (DWARF 5, 6.4; section .eh_frame), as few numbers. elfutils reads
 * the table.
 */
#ifndef MEASURE_PROFILE_CFI_H
#define MEASURE_PROFILE_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/profile/image.h"

enum cfi_kind {
  CFI_NONE,    /* the table says nothing of this address */
  CFI_END,     /* nobody called this */
  CFI_ROW,     /* the rest is known */
  CFI_FOREIGN, /* it is said in a way that is not understood here */
};

/* What an offset is added to. CFI_SAME: the register still holds the caller's value; CFI_LOST:
 * nobody knows it. */
enum cfi_base { CFI_STACK, CFI_FRAME, CFI_CALL /* the frame's end, "CFA" */, CFI_SAME, CFI_LOST };

struct cfi_place {
  enum cfi_base base;
  int32_t offset;
};

struct cfi_row {
  enum cfi_kind kind;
  bool load;              /* `call` is where the frame's end is stored, not the end itself */
  bool interrupted;       /* by a signal: the address in the caller is no return address */
  struct cfi_place call;  /* CFI_STACK or CFI_FRAME */
  struct cfi_place back;  /* where the return address is stored */
  struct cfi_place frame; /* where the caller's frame pointer is stored; or CFI_SAME, _LOST */
};

struct Dwarf_CFI_s;

/* The table of an image, which must stay open; NULL: it has none. For cfi_free. */
struct Dwarf_CFI_s *cfi_new(const struct image *image);
void cfi_free(struct Dwarf_CFI_s *cfi);

/* The row of an address of the image. */
void cfi_find(struct cfi_row *row, struct Dwarf_CFI_s *cfi, uint64_t address);

/* Whether it is the row of a function that keeps a frame pointer: [frame] is the caller's,
 * [frame + 8] the return address. */
bool cfi_keeps_frame(const struct cfi_row *row);

#endif
