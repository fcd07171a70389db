/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known of a call where it begins, kept until it is done: the time, and arguments, as a
 * pointer that was handed over leads to what was received.
 *
 * A call that is not seen to begin as the kernel was running a probe already (recursion_misses) is
 * counted as lost; the stamp before it would be taken for its own.
 */
#include <string.h>

#include "measure/outside/instructions.h"
#include "measure/outside/registers.h"

/* Whose call it is. The stack at the return is where it was at the entry, but for the return
 * address: that is off it unless the probe is on the return instruction itself. */
static void write_key(struct writer *w, uint32_t number, bool at_entry) {
  bool of_system = !probe_plan_has_path(w->site);
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

static void clear_kept(struct writer *w) {
  set(w, BPF_REG_1, 0);
  store(w, FRAME, KEPT, BPF_REG_1, 8);
  for (int i = 0; i < PROGRAM_ARGUMENTS; i++)
    store(w, FRAME, KEPT_ARGUMENT + 8 * i, BPF_REG_1, 8);
}

/* --- where messages are --- */

/* A struct program_call: in the frame, or where a register points. */
struct kept_in {
  int base, offset;
};

static void keep(struct writer *w, struct kept_in in, int what) {
  store(w, in.base, in.offset + 8 * what, BPF_REG_3, 8);
}

/* What stands `offset` behind where POINTER points. */
static void follow_from(struct writer *w, int offset) {
  load(w, BPF_REG_3, FRAME, POINTER, 8);
  add(w, BPF_REG_3, offset);
  program_follow(w, 8, false);
}

/* POINTER is of a struct iovec. */
static void keep_vector(struct writer *w, struct kept_in in) {
  follow_from(w, 8);
  keep(w, in, KEPT_SIZE);
  follow_from(w, 0);
  keep(w, in, KEPT_DATA);
}

/* POINTER is of a struct msghdr. */
static void keep_message(struct writer *w, struct kept_in in) {
  follow_from(w, 0);
  keep(w, in, KEPT_NAME);
  follow_from(w, 16);
  store(w, FRAME, POINTER, BPF_REG_3, 8);
  keep_vector(w, in);
}

/* The call's next message; register 9 points to what is kept. */
static void keep_next(struct writer *w) {
  enum { MMSGHDR = 64 };
  struct kept_in in = {RECORD, 0};
  load(w, BPF_REG_3, FRAME, KEPT_ARGUMENT + 8 * KEPT_NEXT, 8);
  size_t single = jump_if(w, BPF_JEQ, BPF_REG_3, 0);
  w->failures.count = 0;
  store(w, FRAME, POINTER, BPF_REG_3, 8);
  add(w, BPF_REG_3, MMSGHDR);
  keep(w, in, KEPT_NEXT);
  set(w, BPF_REG_3, 0);
  keep(w, in, KEPT_DATA);
  keep(w, in, KEPT_NAME);
  keep_message(w, in);
  for (size_t k = 0; k < w->failures.count; k++)
    land(w, w->failures.data[k]);
  land(w, single);
}

static void keep_system_argument(struct writer *w, int what, int number) {
  load(w, BPF_REG_3, CONTEXT, 16 + 8 * (number - 1), 8);
  keep(w, (struct kept_in){FRAME, KEPT_ARGUMENT}, what);
}

static bool wants_message(const struct outside_site *site) {
  return site->data || (site->socket == SOCKET_UDP && site->kind == SITE_SOCKET_SEND);
}

/* Of system calls that lead to a socket. What cannot be read stays 0. */
static void keep_where(struct writer *w, enum call_form form) {
  struct kept_in in = {FRAME, KEPT_ARGUMENT};
  if (!wants_message(w->site) || form == CALL_TAKEN || form == CALL_ELSEWHERE)
    return;
  if (form == CALL_BUFFER || form == CALL_ADDRESSED) {
    keep_system_argument(w, KEPT_DATA, 2);
    keep_system_argument(w, KEPT_SIZE, 3);
    if (form == CALL_ADDRESSED)
      keep_system_argument(w, KEPT_NAME, 5);
    return;
  }
  load(w, BPF_REG_3, CONTEXT, 16 + 8, 8);
  store(w, FRAME, POINTER, BPF_REG_3, 8);
  if (form == CALL_MESSAGES) {
    add(w, BPF_REG_3, 64);
    keep(w, in, KEPT_NEXT);
  }
  w->failures.count = 0;
  if (form == CALL_VECTOR)
    keep_vector(w, in);
  else
    keep_message(w, in);
  for (size_t k = 0; k < w->failures.count; k++)
    land(w, w->failures.data[k]);
  w->failures.count = 0;
}

/* --- programs --- */

/* Whether a call stays kept when something of it is done, as more may follow in it. */
static bool goes_on(const struct writer *w) {
  return probe_plan_has_socket(w->site) && w->calls->data[0].form != CALL_TAKEN;
}

void program_take_call(struct writer *w, uint32_t number, const struct program_maps *maps) {
  clear_kept(w);
  write_key(w, number, false);
  set_map(w, BPF_REG_1, maps->calls);
  point(w, BPF_REG_2, CALL);
  call(w, BPF_FUNC_map_lookup_elem);
  size_t none = jump_if(w, BPF_JEQ, BPF_REG_0, 0);
  for (int i = 0; i < PROGRAM_ARGUMENTS; i++) {
    load(w, BPF_REG_1, BPF_REG_0, 8 * i, 8);
    store(w, FRAME, KEPT_ARGUMENT + 8 * i, BPF_REG_1, 8);
  }
  load(w, BPF_REG_1, BPF_REG_0, offsetof(struct program_call, begun), 8);
  store(w, FRAME, KEPT, BPF_REG_1, 8);
  if (goes_on(w)) {
    move(w, RECORD, BPF_REG_0);
    call(w, BPF_FUNC_ktime_get_ns);
    store(w, RECORD, offsetof(struct program_call, begun), BPF_REG_0, 8);
    if (wants_message(w->site))
      keep_next(w);
  } else {
    set_map(w, BPF_REG_1, maps->calls);
    point(w, BPF_REG_2, CALL);
    call(w, BPF_FUNC_map_delete_elem);
  }
  land(w, none);
}

void program_write_entry(bpf_code *code, uint32_t number, const struct outside_site *site,
                         enum call_form form, const struct program_maps *maps, uint64_t places) {
  struct writer w = {.code = code, .site = site, .shared = !probe_plan_has_path(site)};
  program_start(&w);
  program_filter(&w, number, maps, places, false);
  write_key(&w, number, true);
  clear_kept(&w);
  call(&w, BPF_FUNC_ktime_get_ns);
  store(&w, FRAME, KEPT, BPF_REG_0, 8);
  if (form != CALL_ARGUMENTS)
    keep_where(&w, form);
  /* a tracepoint has no more arguments than its call has */
  for (int i = 0; i < (int)site->from_entry && form == CALL_ARGUMENTS; i++) {
    load(&w, BPF_REG_1, CONTEXT, probe_plan_has_path(site) ? registers_c[i] : 16 + 8 * i, 8);
    store(&w, FRAME, KEPT_ARGUMENT + 8 * i, BPF_REG_1, 8);
  }
  set_map(&w, BPF_REG_1, maps->calls);
  point(&w, BPF_REG_2, CALL);
  point(&w, BPF_REG_3, KEPT_ARGUMENT);
  /* one call takes over its bytes in several pieces */
  emit(&w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_4, 0, 0,
       form == CALL_TAKEN ? BPF_NOEXIST : BPF_ANY);
  call(&w, BPF_FUNC_map_update_elem);
  end(&w);
  vector_clear(&w.failures);
}
