/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/find_returns.h"

#include <Zydis/Zydis.h>
#include <inttypes.h>

#include "measure/outside/go_functions.h"
#include "measure/outside/stepped.h"

struct returns {
  struct outside_target *target;
  struct target_file *file;
  uint64_t start, end;
  uint64_t left_at; /* by a jump; 0: by none */
  ZydisDecoder decoder;
};

static bool decode(const struct returns *returns, uint64_t at, ZydisDecodedInstruction *instruction,
                   ZydisDecodedOperand *operands) {
  const unsigned char *code = image_bytes(&returns->file->image, at, returns->end - at);
  return code != NULL && ZYAN_SUCCESS(ZydisDecoderDecodeFull(
                             &returns->decoder, code, returns->end - at, instruction, operands));
}

static bool add_place(const struct returns *returns, uint64_t address) {
  struct target_place place = {0};
  if (!image_offset(&returns->file->image, address, &place.offset))
    return false;
  vector_push(&returns->target->places, place);
  return true;
}

/* Go's code has no data between its instructions, so that they are found one behind the other. */
static bool of_go(const struct returns *returns) {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  for (uint64_t at = returns->start; at < returns->end; at += instruction.length) {
    if (!decode(returns, at, &instruction, operands))
      return false;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_RET && !add_place(returns, at))
      return false;
  }
  return true;
}

static bool leaves(const struct returns *returns, uint64_t at,
                   const ZydisDecodedInstruction *instruction,
                   const ZydisDecodedOperand *operands) {
  bool jumps = instruction->meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
               instruction->meta.category == ZYDIS_CATEGORY_COND_BR;
  if (!jumps)
    return false;
  if (operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE || !operands[0].imm.is_relative)
    return true;
  uint64_t aim = at + instruction->length + operands[0].imm.value.u;
  return aim < returns->start || aim >= returns->end;
}

/* Where instructions begin is known by the map: there may be data between them. */
static bool of_map(struct returns *returns) {
  const struct code_map *map = target_file_map(returns->file);
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  uint64_t nearest;
  for (uint64_t at = returns->start; at < returns->end;) {
    if (code_map_at(map, at, &nearest) != CODE_BEGINS) {
      at++;
      continue;
    }
    if (!decode(returns, at, &instruction, operands))
      return false;
    if (leaves(returns, at, &instruction, operands))
      returns->left_at = at;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_RET && !add_place(returns, at))
      return false;
    at += instruction.length;
  }
  return true;
}

static enum status say(struct text *message, const struct outside_site *site, const char *what) {
  text_format(message, "%s: %s", site->path, what);
  return STATUS_DATA;
}

enum status find_returns(struct outside_target *target, const struct outside_site *site,
                         struct target_file *file, const struct place_name *name,
                         struct text *message) {
  bool go = go_is(&file->image), wide = target_file_is_wide(file);
  struct returns returns = {.target = target, .file = file, .start = name->start, .end = name->end};
  if (site->go && !go)
    return say(message, site,
               "is no program in Go, of which each return instruction has a probe: leave out "
               "abi: go");
  ZydisDecoderInit(&returns.decoder,
                   wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                   wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
  if (name->end <= name->start || !(go ? of_go(&returns) : of_map(&returns)))
    return say(message, site,
               "this function has instructions that are not known, so that its returns cannot be "
               "found; probe another one");
  if (returns.left_at != 0) {
    text_format(
        message,
        "%s: %s goes on in another function by the jump at %s+%" PRIu64
        ", so that not all of its returns are its own; probe the function that calls it, or "
        "what comes after the call, by uprobe",
        site->path, site->symbol, site->symbol, returns.left_at - name->start);
    return STATUS_DATA;
  }
  if (target->places.count != 0)
    return STATUS_OK;
  return say(message, site, "this function has no return instruction; probe another one");
}
