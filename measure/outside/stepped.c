/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/stepped.h"

#include <Zydis/Zydis.h>

struct decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode(struct decoded *decoded, const unsigned char *code, size_t size) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return ZYAN_SUCCESS(
      ZydisDecoderDecodeFull(&decoder, code, size, &decoded->instruction, decoded->operands));
}

static bool is_stepped(const ZydisDecodedInstruction *instruction) {
  unsigned code = instruction->opcode;
  bool push = instruction->mnemonic == ZYDIS_MNEMONIC_PUSH && code >= 0x50 && code <= 0x57;
  bool one_byte = instruction->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
  bool two_bytes = instruction->opcode_map == ZYDIS_OPCODE_MAP_0F;
  bool jump = (one_byte && ((code >= 0x70 && code <= 0x7f) || code == 0xe9 || code == 0xeb)) ||
              (two_bytes && code >= 0x80 && code <= 0x8f);
  bool call = one_byte && code == 0xe8, nop = one_byte && code == 0x90;
  return !(push && instruction->length <= 2) &&
         !((jump || call || nop) && instruction->raw.prefix_count == 0);
}

bool stepped(const unsigned char *code, size_t size) {
  struct decoded decoded;
  return !decode(&decoded, code, size) || is_stepped(&decoded.instruction);
}

/* Registers in which nothing is handed over. */
static bool is_free(ZydisRegister reg, bool go) {
  if (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_FLAGS)
    return true;
  ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  return go ? whole == ZYDIS_REGISTER_R12 || whole == ZYDIS_REGISTER_R13
            : whole == ZYDIS_REGISTER_RAX || whole == ZYDIS_REGISTER_R11;
}

/* Whether the instruction leaves all as it is that a probe may read. */
static bool is_harmless(const struct decoded *decoded, bool go) {
  switch (decoded->instruction.mnemonic) {
  case ZYDIS_MNEMONIC_CMP:
  case ZYDIS_MNEMONIC_TEST:
  case ZYDIS_MNEMONIC_LEA:
  case ZYDIS_MNEMONIC_MOV:
  case ZYDIS_MNEMONIC_NOP:
  case ZYDIS_MNEMONIC_ENDBR64:
    break;
  default:
    return false;
  }
  for (size_t i = 0; i < decoded->instruction.operand_count; i++) {
    const ZydisDecodedOperand *operand = &decoded->operands[i];
    bool written = (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    if (written &&
        (operand->type != ZYDIS_OPERAND_TYPE_REGISTER || !is_free(operand->reg.value, go)))
      return false;
  }
  return true;
}

size_t stepped_avoid(const unsigned char *code, size_t size, bool go) {
  struct decoded decoded;
  size_t at = 0;
  for (; decode(&decoded, code + at, size - at); at += decoded.instruction.length) {
    if (!is_stepped(&decoded.instruction))
      return at;
    if (!is_harmless(&decoded, go))
      break;
  }
  return 0;
}
