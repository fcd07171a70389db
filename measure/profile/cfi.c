/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "measure/profile/machine.h"

struct Dwarf_CFI_s *cfi_new(const struct image *image) {
  return MACHINE_UNWINDS ? dwarf_getcfi_elf(image->elf) : NULL;
}

void cfi_free(struct Dwarf_CFI_s *cfi) {
  if (cfi != NULL)
    dwarf_cfi_end(cfi);
}

static bool is_small(Dwarf_Word number) {
  return (int64_t)number == (int32_t)number;
}

/* A register and an offset: DW_OP_breg7 and the like, also with the register behind the opcode. */
static bool read_register(const Dwarf_Op *op, struct cfi_place *place) {
  uint64_t number, offset;
  if (op->atom == DW_OP_bregx) {
    number = op->number;
    offset = op->number2;
  } else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
    number = (uint64_t)op->atom - DW_OP_breg0;
    offset = op->number;
  } else {
    return false;
  }
  if ((number != MACHINE_DWARF_STACK && number != MACHINE_DWARF_FRAME) || !is_small(offset))
    return false;
  place->base = number == MACHINE_DWARF_STACK ? CFI_STACK : CFI_FRAME;
  place->offset = (int32_t)offset;
  return true;
}

/* In tables of linkage, which linkers write: 8 more from some instruction of each entry of 16 bytes
 * on. breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus. */
static bool read_linkage(struct cfi_row *row, const Dwarf_Op *ops, size_t count, uint64_t address) {
  static const uint8_t wanted[] = {DW_OP_lit15, DW_OP_and, 0,         DW_OP_ge,
                                   DW_OP_lit3,  DW_OP_shl, DW_OP_plus};
  enum { FIRST = 2, ENTRY = 4, MOST = 9 };
  if (count != MOST || !read_register(&ops[0], &row->call) ||
      ops[1].atom != DW_OP_breg0 + MACHINE_DWARF_RETURN || ops[1].number != 0)
    return false;
  for (size_t i = 0; i < sizeof wanted; i++)
    if (wanted[i] != 0 && ops[FIRST + i].atom != wanted[i])
      return false;
  uint8_t from = ops[ENTRY].atom;
  if (from < DW_OP_lit0 || from > DW_OP_lit31)
    return false;
  row->call.offset += (address & 15) >= (uint64_t)(from - DW_OP_lit0) ? 8 : 0;
  return true;
}

static bool read_call(struct cfi_row *row, const Dwarf_Op *ops, size_t count, uint64_t address) {
  if (count == 1)
    return read_register(&ops[0], &row->call);
  if (count == 2 && ops[1].atom == DW_OP_deref && read_register(&ops[0], &row->call)) {
    row->load = true;
    return true;
  }
  return read_linkage(row, ops, count, address);
}

/* Where a register is stored: "CFA; plus N", or an expression of one register, which of a
 * DW_CFA_expression (DWARF 5, 6.4.2.3) stands behind the CFA that it does not use. */
static struct cfi_place read_place(const Dwarf_Op *ops, size_t count) {
  struct cfi_place place = {CFI_LOST, 0};
  if (count >= 1 && ops[0].atom == DW_OP_call_frame_cfa) {
    int64_t offset = 0;
    if (count == 2 && read_register(&ops[1], &place))
      return place;
    if (count == 2 && ops[1].atom == DW_OP_plus_uconst)
      offset = (int64_t)ops[1].number;
    else if (count == 3 && ops[1].atom == DW_OP_consts && ops[2].atom == DW_OP_plus)
      offset = (int64_t)ops[1].number;
    else if (count != 1)
      return place;
    if (is_small((Dwarf_Word)offset))
      place = (struct cfi_place){CFI_CALL, (int32_t)offset};
  } else if (count == 1 && !read_register(&ops[0], &place)) {
    place.base = CFI_LOST;
  }
  return place;
}

static struct cfi_place find_place(Dwarf_Frame *frame, int number) {
  Dwarf_Op memory[3], *ops;
  size_t count;
  if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
    return (struct cfi_place){CFI_LOST, 0};
  if (count == 0)
    return (struct cfi_place){ops == NULL ? CFI_SAME : CFI_LOST, 0};
  return read_place(ops, count);
}

/* The return address of what nobody called is undefined. */
static bool is_end(Dwarf_Frame *frame, int number) {
  Dwarf_Op memory[3], *ops;
  size_t count;
  return dwarf_frame_register(frame, number, memory, &ops, &count) == 0 && count == 0 &&
         ops == memory;
}

static void read_row(struct cfi_row *row, Dwarf_Frame *frame, uint64_t address) {
  Dwarf_Op *ops;
  size_t count;
  bool signal = false;
  int back = dwarf_frame_info(frame, NULL, NULL, &signal);
  row->interrupted = signal;
  if (is_end(frame, back)) {
    row->kind = CFI_END;
    return;
  }
  row->back = find_place(frame, back);
  row->frame = find_place(frame, MACHINE_DWARF_FRAME);
  bool known = back == MACHINE_DWARF_RETURN && row->back.base <= CFI_CALL &&
               dwarf_frame_cfa(frame, &ops, &count) == 0 && read_call(row, ops, count, address);
  row->kind = known ? CFI_ROW : CFI_FOREIGN;
}

void cfi_find(struct cfi_row *row, struct Dwarf_CFI_s *cfi, uint64_t address) {
  Dwarf_Frame *frame;
  *row = (struct cfi_row){.kind = CFI_NONE};
  if (cfi == NULL || dwarf_cfi_addrframe(cfi, address, &frame) != 0)
    return;
  read_row(row, frame, address);
  free(frame);
}

bool cfi_keeps_frame(const struct cfi_row *row) {
  return row->kind == CFI_ROW && !row->load && row->call.base == CFI_FRAME &&
         row->call.offset == 16 && row->back.base == CFI_CALL && row->back.offset == -8 &&
         row->frame.base == CFI_CALL && row->frame.offset == -16;
}
