/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/stepped.h"

#include <Zydis/Zydis.h>
#include <string.h>

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

/* Opcodes that the kernel refuses. It looks up those of VEX and EVEX, too, in the table of the
 * oldest instructions, of one byte. */
static bool is_bad_opcode(unsigned code, bool of_vectors) {
  static const unsigned char always[][2] = {{0x6c, 0x6f}, {0xcc, 0xcf}, {0xe4, 0xe7}, {0xec, 0xef},
                                            {0xf1, 0xf1}, {0xf4, 0xf4}, {0xfa, 0xfb}};
  static const unsigned char vectors[][2] = {{0x06, 0x07}, {0x0e, 0x0f}, {0x16, 0x17}, {0x1e, 0x1f},
                                             {0x26, 0x27}, {0x2e, 0x2f}, {0x36, 0x37}, {0x3e, 0x4f},
                                             {0x60, 0x62}, {0x66, 0x67}, {0x82, 0x82}, {0xc4, 0xc5},
                                             {0xd4, 0xd6}, {0xf0, 0xf0}};
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    if (code >= always[i][0] && code <= always[i][1])
      return true;
  for (size_t i = 0; of_vectors && i < sizeof vectors / sizeof *vectors; i++)
    if (code >= vectors[i][0] && code <= vectors[i][1])
      return true;
  return false;
}

bool stepped_refused(const unsigned char *code, size_t size, bool wide) {
  static const unsigned char bad[] = {0x26, 0x2e, 0x36, 0x3e, 0xf0};
  ZydisDecoder decoder;
  ZydisDecodedInstruction at;
  ZydisDecoderInit(&decoder, wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                   wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, size, &at)))
    return true;
  bool short_aim = false; /* a jump or call of 16 bits */
  for (size_t i = 0; i < at.raw.prefix_count; i++) {
    unsigned prefix = at.raw.prefixes[i].value;
    if (memchr(bad, (int)prefix, sizeof bad) != NULL)
      return true;
    short_aim = short_aim || prefix == 0x66;
  }
  bool jumps = at.meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR ||
               at.meta.branch_type == ZYDIS_BRANCH_TYPE_SHORT;
  if (jumps && short_aim && at.raw.imm[0].size != 0)
    return true;
  bool of_vectors = at.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ||
                    at.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
  return (of_vectors || at.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT) &&
         is_bad_opcode(at.opcode, of_vectors);
}

bool stepped_deadly(const unsigned char *code, size_t size, bool wide) {
  ZydisDecoder decoder;
  ZydisDecodedInstruction at;
  ZydisDecoderInit(&decoder, wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                   wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, size, &at)))
    return true;
  switch (at.mnemonic) {
  case ZYDIS_MNEMONIC_PUSHF:
  case ZYDIS_MNEMONIC_PUSHFD:
  case ZYDIS_MNEMONIC_PUSHFQ:
  case ZYDIS_MNEMONIC_SYSCALL:
  case ZYDIS_MNEMONIC_SYSENTER:
  case ZYDIS_MNEMONIC_INT:
  case ZYDIS_MNEMONIC_INT1:
  case ZYDIS_MNEMONIC_IRET:
  case ZYDIS_MNEMONIC_IRETD:
  case ZYDIS_MNEMONIC_IRETQ:
    return true;
  default:
    return false;
  }
}

/* Instructions that do nothing but to read, and to write what their operands say. */
static bool is_plain(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
  case ZYDIS_MNEMONIC_ADD:
  case ZYDIS_MNEMONIC_AND:
  case ZYDIS_MNEMONIC_CMP:
  case ZYDIS_MNEMONIC_ENDBR64:
  case ZYDIS_MNEMONIC_LEA:
  case ZYDIS_MNEMONIC_MOV:
  case ZYDIS_MNEMONIC_MOVSX:
  case ZYDIS_MNEMONIC_MOVSXD:
  case ZYDIS_MNEMONIC_MOVZX:
  case ZYDIS_MNEMONIC_NEG:
  case ZYDIS_MNEMONIC_NOP:
  case ZYDIS_MNEMONIC_NOT:
  case ZYDIS_MNEMONIC_OR:
  case ZYDIS_MNEMONIC_PXOR:
  case ZYDIS_MNEMONIC_SAR:
  case ZYDIS_MNEMONIC_SHL:
  case ZYDIS_MNEMONIC_SHR:
  case ZYDIS_MNEMONIC_SUB:
  case ZYDIS_MNEMONIC_TEST:
  case ZYDIS_MNEMONIC_XOR:
    return true;
  default:
    return false;
  }
}

static bool is_kept(ZydisRegister reg, unsigned kept) {
  switch (ZydisRegisterGetClass(reg)) {
  case ZYDIS_REGCLASS_GPR8:
  case ZYDIS_REGCLASS_GPR16:
  case ZYDIS_REGCLASS_GPR32:
  case ZYDIS_REGCLASS_GPR64:
    reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    return (kept >> ZydisRegisterGetId(reg) & 1) != 0;
  case ZYDIS_REGCLASS_FLAGS:
  case ZYDIS_REGCLASS_XMM:
  case ZYDIS_REGCLASS_YMM:
  case ZYDIS_REGCLASS_ZMM:
    return false;
  default:
    return true;
  }
}

/* Whether the instruction leaves all as it is that the probe reads. */
static bool is_harmless(const struct decoded *decoded, unsigned kept) {
  if (!is_plain(decoded->instruction.mnemonic))
    return false;
  for (size_t i = 0; i < decoded->instruction.operand_count; i++) {
    const ZydisDecodedOperand *operand = &decoded->operands[i];
    bool written = (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    if (written &&
        (operand->type != ZYDIS_OPERAND_TYPE_REGISTER || is_kept(operand->reg.value, kept)))
      return false;
  }
  return true;
}

/* Whether the function jumps to behind its beginning, up to `last`: a probe there would be come by
 * more often than the function is called. */
static bool comes_back(const unsigned char *code, size_t size, size_t last) {
  struct decoded decoded;
  for (size_t at = 0; decode(&decoded, code + at, size - at); at += decoded.instruction.length) {
    uint64_t target;
    for (size_t i = 0; i < decoded.instruction.operand_count_visible; i++)
      if (decoded.operands[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
          decoded.operands[i].imm.is_relative &&
          ZYAN_SUCCESS(
              ZydisCalcAbsoluteAddress(&decoded.instruction, &decoded.operands[i], at, &target)) &&
          target > 0 && target <= last)
        return true;
  }
  return false;
}

size_t stepped_avoid(const unsigned char *code, size_t size, unsigned kept) {
  struct decoded decoded;
  size_t at = 0;
  for (; decode(&decoded, code + at, size - at); at += decoded.instruction.length) {
    if (!is_stepped(&decoded.instruction))
      return at != 0 && comes_back(code, size, at) ? 0 : at;
    if (!is_harmless(&decoded, kept))
      break;
  }
  return 0;
}
