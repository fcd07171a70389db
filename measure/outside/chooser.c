/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/chooser.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include "measure/outside/elf_functions.h"
#include "measure/profile/debug_file.h"

static void add(chooser_list *list, const struct code_starts *starts, uint64_t address) {
  const struct code_start *start = code_starts_find(starts, address);
  if (start == NULL || start->start != address || list->count == CHOOSER_MOST)
    return;
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i].address == address)
      return;
  vector_push(list, (struct chooser_choice){.address = address});
}

static bool give_name(void *context, const struct elf_function *function) {
  chooser_list *list = context;
  for (size_t i = 0; function->defined && !function->old && i < list->count; i++) {
    struct chooser_choice *choice = &list->data[i];
    if (choice->address != function->start || choice->name[0] != '\0' ||
        function->length >= sizeof choice->name)
      continue;
    memcpy(choice->name, function->name, function->length);
    choice->name[function->length] = '\0';
  }
  return true;
}

static int by_address(const void *a, const void *b) {
  const struct chooser_choice *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

void chooser_find(chooser_list *list, const struct image *image, const struct code_starts *starts,
                  const char *path, uint64_t address, uint64_t size) {
  const unsigned char *code = image_bytes(image, address, size);
  ZydisDecoder decoder;
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  struct image debug;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  for (uint64_t at = 0; code != NULL && at < size; at += instruction.length) {
    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&decoder, code + at, size - at, &instruction, operands)))
      break;
    uint64_t next = address + at + instruction.length;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_LEA && operands[1].mem.base == ZYDIS_REGISTER_RIP)
      add(list, starts, next + (uint64_t)operands[1].mem.disp.value);
    if (instruction.mnemonic == ZYDIS_MNEMONIC_MOV &&
        operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
      add(list, starts, operands[1].imm.value.u);
  }
  if (list->count == 0)
    return;
  qsort(list->data, list->count, sizeof *list->data, by_address);
  elf_functions(image->elf, give_name, list);
  if (!debug_file_open(&debug, image, path))
    return;
  elf_functions(debug.elf, give_name, list);
  image_clear(&debug);
}
