/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/place_check.h"

#include <Zydis/Zydis.h>
#include <inttypes.h>

#include "measure/outside/stepped.h"
#include "measure/profile/cfi.h"

enum { LONGEST = 15 };

/* --- in words --- */

static void append_place(struct text *text, const struct target_file *file,
                         const struct place_name *name, uint64_t address) {
  uint64_t offset = 0;
  if (name->site->symbol != NULL && name->start <= address) {
    text_append(text, name->site->symbol);
    if (address != name->start)
      text_format(text, "+%" PRIu64, address - name->start);
    return;
  }
  (void)image_offset(&file->image, address, &offset);
  text_format(text, "+0x%" PRIx64, offset);
}

/* "PATH: PLACE WHAT" */
static void begin(struct text *message, const struct target_file *file,
                  const struct place_name *name, uint64_t address, const char *what) {
  text_format(message, "%s: ", file->path);
  append_place(message, file, name, address);
  text_format(message, " %s", what);
}

/* --- instructions --- */

static size_t bytes_at(const unsigned char **code, const struct target_file *file,
                       uint64_t address) {
  for (size_t size = LONGEST; size > 0; size--)
    if ((*code = image_bytes(&file->image, address, size)) != NULL)
      return size;
  return 0;
}

static bool decode(ZydisDecodedInstruction *instruction, const struct target_file *file,
                   uint64_t address) {
  const unsigned char *code;
  size_t size = bytes_at(&code, file, address);
  bool wide = target_file_is_wide(file);
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                   wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
  return size != 0 &&
         ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, size, instruction));
}

static bool is_unreached(struct target_file *file, uint64_t address) {
  uint64_t nearest;
  return code_map_at(target_file_map(file), address, &nearest) == CODE_UNREACHED;
}

static bool is_nop(const ZydisDecodedInstruction *at) {
  bool exchange = at->mnemonic == ZYDIS_MNEMONIC_XCHG && at->length == 2 && at->opcode == 0x90;
  return at->mnemonic == ZYDIS_MNEMONIC_NOP || exchange;
}

/* Filling that nobody comes by: from where code ends to where it goes on, at an address that
 * compilers align to, there are only nops, of which one begins at the address. */
static bool is_filling(struct target_file *file, uint64_t address) {
  enum { ALIGNED = 8, MOST = 63 };
  const struct code_start *function = code_starts_find(target_file_starts(file), address);
  ZydisDecodedInstruction at;
  uint64_t first = address, next, nearest;
  bool met = false;
  if (function == NULL)
    return false;
  while (first > function->start && is_unreached(file, first - 1))
    first--;
  for (next = first; next - first <= MOST && is_unreached(file, next); next += at.length) {
    met = met || next == address;
    if (!decode(&at, file, next) || !is_nop(&at))
      return false;
  }
  return met && next % ALIGNED == 0 &&
         code_map_at(target_file_map(file), next, &nearest) == CODE_BEGINS;
}

static enum status check_steps(struct target_file *file, const struct place_name *name,
                               uint64_t address, struct text *message) {
  const unsigned char *code;
  ZydisDecodedInstruction at = {.length = 0};
  size_t size = bytes_at(&code, file, address);
  bool wide = target_file_is_wide(file);
  bool refused = size == 0 || stepped_refused(code, size, wide);
  if (!refused && !stepped_deadly(code, size, wide))
    return STATUS_OK;
  begin(message, file, name, address,
        refused ? "is an instruction that the kernel puts no probe on (arch/x86/kernel/uprobes.c)"
                : "is a system call or stores the flags, which a program does not survive with a "
                  "probe on it");
  if (decode(&at, file, address)) {
    text_append(message, "; take the next one, ");
    append_place(message, file, name, address + at.length);
  }
  return STATUS_DATA;
}

static bool is_executed(struct target_file *file, uint64_t address) {
  return code_starts_are_code(target_file_starts(file), address);
}

static enum status say_data(struct target_file *file, const struct place_name *name,
                            uint64_t address, struct text *message) {
  begin(message, file, name, address,
        "is in no part of the file that is code: there is data, which a probe would change; "
        "give the place of an instruction, as `objdump -d` shows them");
  return STATUS_DATA;
}

static enum status say_inside(struct target_file *file, const struct place_name *name,
                              uint64_t address, uint64_t nearest, struct text *message) {
  ZydisDecodedInstruction at;
  begin(message, file, name, address,
        "is inside an instruction, and a probe there would kill the program; ");
  if (nearest == 0 || !decode(&at, file, nearest)) {
    text_append(message, "give a place where one begins, as `objdump -d` shows them");
    return STATUS_DATA;
  }
  text_append(message, "it begins at ");
  append_place(message, file, name, nearest);
  text_append(message, " and the next one at ");
  append_place(message, file, name, nearest + at.length);
  text_append(message, "; write one of these");
  return STATUS_DATA;
}

static enum status check_map(struct target_file *file, const struct place_name *name,
                             uint64_t address, struct text *message) {
  uint64_t nearest;
  switch (code_map_at(target_file_map(file), address, &nearest)) {
  case CODE_BEGINS:
    return check_steps(file, name, address, message);
  case CODE_INSIDE:
    return say_inside(file, name, address, nearest, message);
  case CODE_NOWHERE:
    return say_data(file, name, address, message);
  case CODE_UNREACHED:
    break;
  }
  if (is_filling(file, address))
    return check_steps(file, name, address, message);
  begin(message, file, name, address,
        "is not known to be an instruction: from no function's beginning does code lead there, so "
        "that it may be data, which a probe would change");
  text_append(message, nearest == 0 ? "; take a place in a function that has a symbol, or install "
                                      "the file's debug symbols"
                                    : "; the last instruction before it is ");
  if (nearest != 0)
    append_place(message, file, name, nearest);
  return STATUS_DATA;
}

/* --- what may be probed --- */

enum status place_check(struct target_file *file, const struct place_name *name, uint64_t address,
                        struct text *message) {
  bool by_symbol = name->site->symbol != NULL;
  if (by_symbol && name->end != name->start && address - name->start >= name->end - name->start) {
    begin(message, file, name, address, "is behind the function, ");
    text_format(message,
                "which has %" PRIu64 " bytes; give a smaller number, or name the function that "
                "the place is in",
                name->end - name->start);
    return STATUS_DATA;
  }
  const struct code_start *function = code_starts_find(target_file_starts(file), address);
  if (by_symbol && name->end == name->start &&
      (function == NULL || function->start != name->start)) {
    begin(
        message, file, name, address,
        "is behind the function, whose size its symbol does not say, as another one begins before "
        "it; name that one");
    return STATUS_DATA;
  }
  return is_executed(file, address) ? check_map(file, name, address, message)
                                    : say_data(file, name, address, message);
}

/* Whether an address is in a function that begins earlier: then it may be inside an instruction. */
static bool is_within_other(struct target_file *file, uint64_t address) {
  const struct code_start *before =
      address == 0 ? NULL : code_starts_find(target_file_starts(file), address - 1);
  return before != NULL && before->end > address;
}

enum status place_check_start(struct target_file *file, const struct place_name *name,
                              uint64_t address, struct text *message) {
  if (!is_executed(file, name->start))
    return say_data(file, name, name->start, message);
  return is_within_other(file, name->start) ? check_map(file, name, address, message)
                                            : check_steps(file, name, address, message);
}

/* Whether the return address is on top of the stack, as far as the unwind table says. */
static bool is_entry(const struct target_file *file, uint64_t address, bool unknown) {
  struct Dwarf_CFI_s *cfi = cfi_new(&file->image);
  struct cfi_row row = {.kind = CFI_NONE};
  if (cfi != NULL)
    cfi_find(&row, cfi, address);
  cfi_free(cfi);
  if (row.kind == CFI_NONE || row.kind == CFI_FOREIGN)
    return unknown;
  if (row.kind == CFI_END)
    return false; /* where a program or thread begins: it returns to nobody */
  return !row.load && !row.interrupted && row.call.base == CFI_STACK &&
         row.call.offset == (target_file_is_wide(file) ? 8 : 4);
}

enum status place_check_return(struct target_file *file, const struct place_name *name,
                               uint64_t address, struct text *message) {
  const struct code_start *function = code_starts_find(target_file_starts(file), address);
  if (function != NULL && function->start == address &&
      is_entry(file, address, function->named || name->site->symbol != NULL))
    return STATUS_OK;
  begin(message, file, name, address,
        "is not where a function is entered, and what is on top of the stack there would be taken "
        "for its return address; ");
  uint64_t offset = 0;
  if (function != NULL && function->start != address && name->site->symbol == NULL &&
      image_offset(&file->image, function->start, &offset))
    text_format(message, "the function that it is in begins at +0x%" PRIx64, offset);
  else
    text_append(message, "probe its beginning (uprobe), or the return of another function");
  return STATUS_DATA;
}

enum status place_check_note(struct target_file *file, const struct outside_site *site,
                             uint64_t address, struct text *message) {
  ZydisDecodedInstruction at;
  uint64_t nearest;
  bool fine = is_executed(file, address) && decode(&at, file, address) &&
              at.mnemonic == ZYDIS_MNEMONIC_NOP &&
              code_map_at(target_file_map(file), address, &nearest) != CODE_INSIDE;
  if (fine)
    return STATUS_OK;
  text_format(message,
              "%s: at the place that its note gives for %s:%s is no nop, as a USDT probe has: the "
              "file was changed after it was built; install it again",
              file->path, site->group, site->name);
  return STATUS_DATA;
}
