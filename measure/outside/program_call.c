/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arguments of a call, kept from its entry for a probe at its return: a pointer that was handed
 * over leads to what was received.
 */
#include <string.h>

#include "measure/outside/instructions.h"
#include "measure/outside/registers.h"

/* Whose call it is. The stack at the return is where it was at the entry, but for the return
 * address: that is off it unless the probe is on the return instruction itself. */
static void write_key(struct writer *w, uint32_t number, bool at_entry) {
  bool of_system = w->site->kind == SITE_SYSCALL_EXIT;
  store(w, FRAME, CALL, WHO, 4);
  set(w, BPF_REG_1, number);
  store(w, FRAME, CALL + 4, BPF_REG_1, 4);
  set(w, BPF_REG_1, 0);
  if (!of_system)
    load(w, BPF_REG_1, CONTEXT, PLACE_SP, 8);
  if (!of_system && !at_entry && !w->site->each_return)
    add(w, BPF_REG_1, -8);
  store(w, FRAME, CALL + 8, BPF_REG_1, 8);
}

void program_take_call(struct writer *w, uint32_t number, const struct program_maps *maps) {
  set(w, BPF_REG_1, 0);
  store(w, FRAME, KEPT, BPF_REG_1, 8);
  for (int i = 0; i < PROGRAM_ARGUMENTS; i++)
    store(w, FRAME, KEPT_ARGUMENT + 8 * i, BPF_REG_1, 8);
  write_key(w, number, false);
  set_map(w, BPF_REG_1, maps->calls);
  point(w, BPF_REG_2, CALL);
  call(w, BPF_FUNC_map_lookup_elem);
  size_t none = jump_if(w, BPF_JEQ, BPF_REG_0, 0);
  for (int i = 0; i < PROGRAM_ARGUMENTS; i++) {
    load(w, BPF_REG_1, BPF_REG_0, 8 * i, 8);
    store(w, FRAME, KEPT_ARGUMENT + 8 * i, BPF_REG_1, 8);
  }
  set(w, BPF_REG_1, 1);
  store(w, FRAME, KEPT, BPF_REG_1, 8);
  set_map(w, BPF_REG_1, maps->calls);
  point(w, BPF_REG_2, CALL);
  call(w, BPF_FUNC_map_delete_elem);
  land(w, none);
}

/* Ends for processes that are not traced, or of which the probe is not asked for. */
static void write_filter(struct writer *w, const struct program_maps *maps, uint64_t places) {
  if (maps->traced < 0)
    return;
  move(w, BPF_REG_1, WHO);
  emit(w, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_1, 0, 0, 32);
  store(w, FRAME, KEY, BPF_REG_1, 4);
  set_map(w, BPF_REG_1, maps->traced);
  point(w, BPF_REG_2, KEY);
  call(w, BPF_FUNC_map_lookup_elem);
  size_t there = jump_if(w, BPF_JNE, BPF_REG_0, 0);
  end(w);
  land(w, there);
  load(w, BPF_REG_1, BPF_REG_0, 0, 8);
  set(w, BPF_REG_2, places);
  emit(w, BPF_ALU64 | BPF_AND | BPF_X, BPF_REG_1, BPF_REG_2, 0, 0);
  there = jump_if(w, BPF_JNE, BPF_REG_1, 0);
  end(w);
  land(w, there);
}

void program_write_entry(bpf_code *code, uint32_t number, const struct outside_site *site,
                         const struct program_maps *maps, uint64_t places) {
  struct writer w = {.code = code, .site = site};
  move(&w, CONTEXT, BPF_REG_1);
  call(&w, BPF_FUNC_get_current_pid_tgid);
  move(&w, WHO, BPF_REG_0);
  write_filter(&w, maps, places);
  write_key(&w, number, true);
  set(&w, BPF_REG_1, 0);
  for (int i = 0; i < PROGRAM_ARGUMENTS; i++) {
    int from = site->kind == SITE_SYSCALL_EXIT ? 16 + 8 * i : registers_c[i];
    if ((unsigned)i < site->from_entry) /* a tracepoint has no more than its call has */
      load(&w, BPF_REG_1, CONTEXT, from, 8);
    store(&w, FRAME, KEPT_ARGUMENT + 8 * i, BPF_REG_1, 8);
  }
  set_map(&w, BPF_REG_1, maps->calls);
  point(&w, BPF_REG_2, CALL);
  point(&w, BPF_REG_3, KEPT_ARGUMENT);
  emit(&w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_4, 0, 0, BPF_ANY);
  call(&w, BPF_FUNC_map_update_elem);
  end(&w);
}
