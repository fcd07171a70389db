/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/program.h"

#include <string.h>

#include "measure/outside/instructions.h"
#include "measure/outside/registers.h"
#include "measure/outside/socket_site.h"

/* --- values, into register 3 --- */

static bool complain(struct writer *w, const char *format, ...) {
  va_list values;
  va_start(values, format);
  text_format_list(w->message, format, values);
  va_end(values);
  return false;
}

/* The lowest `width` bytes of register 3, with or without a sign. */
void program_narrow(struct writer *w, unsigned width, bool has_sign) {
  int32_t bits = 64 - 8 * (int32_t)width;
  if (bits == 0)
    return;
  emit(w, BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_3, 0, 0, bits);
  emit(w, BPF_ALU64 | (has_sign ? BPF_ARSH : BPF_RSH) | BPF_K, BPF_REG_3, 0, 0, bits);
}

/* What register 3 points to in the program's memory. */
void program_follow(struct writer *w, unsigned width, bool has_sign) {
  point(w, BPF_REG_1, BUFFER);
  emit(w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, (int32_t)width);
  call(w, BPF_FUNC_probe_read_user);
  vector_push(&w->failures, jump_if(w, BPF_JNE, BPF_REG_0, 0));
  load(w, BPF_REG_3, FRAME, BUFFER, width);
  if (has_sign)
    program_narrow(w, width, true);
}

static bool write_usdt(struct writer *w, const struct read_value *value) {
  const struct usdt_arguments *all = &w->place->arguments;
  if (value->number > all->count)
    return complain(w, "it has %u arguments; read another one", all->count);
  const struct usdt_argument *argument = &all->argument[value->number - 1];
  switch (argument->kind) {
  case USDT_NUMBER:
    set(w, BPF_REG_3, (uint64_t)argument->value);
    return true;
  case USDT_REGISTER:
    load(w, BPF_REG_3, CONTEXT, argument->place, 8);
    program_narrow(w, argument->width, argument->has_sign);
    return true;
  case USDT_MEMORY:
    load(w, BPF_REG_3, CONTEXT, argument->place, 8);
    add(w, BPF_REG_3, (int32_t)argument->value);
    program_follow(w, argument->width, argument->has_sign);
    return true;
  case USDT_STRANGE:
    break;
  }
  return complain(w, "its arg%u is where this version cannot read it; read another one",
                  (unsigned)value->number);
}

static bool write_argument(struct writer *w, const struct read_value *value) {
  int number = (int)value->number;
  if (w->site->kind == SITE_USDT)
    return write_usdt(w, value);
  if (w->site->from_entry != 0) {
    load(w, BPF_REG_1, FRAME, KEPT, 8);
    vector_push(&w->failures, jump_if(w, BPF_JEQ, BPF_REG_1, 0));
    load(w, BPF_REG_3, FRAME, KEPT_ARGUMENT + 8 * (number - 1), 8);
    return true;
  }
  if (w->site->kind == SITE_SYSCALL) {
    load(w, BPF_REG_3, CONTEXT, 16 + 8 * (number - 1), 8);
  } else if (w->site->go) {
    load(w, BPF_REG_3, CONTEXT, registers_go[number - 1], 8);
  } else if (number <= REGISTERS_C) {
    load(w, BPF_REG_3, CONTEXT, registers_c[number - 1], 8);
  } else { /* on the stack, above the return address */
    load(w, BPF_REG_3, CONTEXT, PLACE_SP, 8);
    add(w, BPF_REG_3, 8 * (number - REGISTERS_C));
    program_follow(w, 8, false);
  }
  return true;
}

static bool write_field(struct writer *w, const struct read_value *value) {
  const struct tracepoint_field *field = tracepoint_field(w->tracepoint, value->field);
  if (field == NULL)
    return complain(w, "tracepoint %s:%s has no field %s; its file \"format\" has them",
                    w->site->group, w->site->name, value->field);
  if (field->is_array || field->is_elsewhere)
    return complain(w, "%s is a text or an array: write string(%s, 64)", value->field,
                    value->field);
  bool whole = field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
  if (!whole || field->offset % field->size != 0)
    return complain(w, "%s is no number of 1, 2, 4 or 8 bytes; read another one", value->field);
  load(w, BPF_REG_3, CONTEXT, (int)field->offset, field->size);
  if (field->has_sign)
    program_narrow(w, field->size, true);
  return true;
}

static bool write_base(struct writer *w, const struct read_value *value) {
  switch (value->base) {
  case READ_ARGUMENT:
    return write_argument(w, value);
  case READ_RESULT:
    if (w->site->kind == SITE_SYSCALL_EXIT)
      load(w, BPF_REG_3, CONTEXT, 16, 8);
    else
      load(w, BPF_REG_3, CONTEXT, registers_go[value->number - 1], 8); /* of C, too: AX */
    return true;
  case READ_FIELD:
    if (!probe_plan_has_socket(w->site))
      return write_field(w, value);
    program_socket_field(w, value->field);
    return true;
  case READ_BEGUN:
    load(w, BPF_REG_3, FRAME, KEPT, 8);
    vector_push(&w->failures, jump_if(w, BPF_JEQ, BPF_REG_3, 0));
    return true;
  case READ_GOROUTINE:
    load(w, BPF_REG_3, CONTEXT, PLACE_R14, 8);
    return true;
  case READ_STACK: /* behind the return address */
    load(w, BPF_REG_3, CONTEXT, PLACE_SP, 8);
    add(w, BPF_REG_3, 8);
    return true;
  case READ_NUMBER:
    set(w, BPF_REG_3, value->number);
    return true;
  }
  return false;
}

/* Of the last pointer `width` bytes are read. */
static bool write_value(struct writer *w, const struct read_value *value, unsigned width,
                        bool has_sign) {
  if (!write_base(w, value))
    return false;
  if (probe_plan_has_socket(w->site) && socket_site_is_data(value) && value->pointers != 0)
    program_socket_reach(w, value->add[0] + (int32_t)width);
  add(w, BPF_REG_3, value->add[0]);
  for (unsigned i = 1; i <= value->pointers; i++) {
    bool last = i == value->pointers;
    program_follow(w, last ? width : 8, last && has_sign);
    add(w, BPF_REG_3, value->add[i]);
  }
  return true;
}

/* --- fields --- */

static bool write_number(struct writer *w, const struct read_expression *read) {
  if (!write_value(w, &read->value, read->width, read->has_sign))
    return false;
  if (read->big_endian)
    emit(w, BPF_ALU | BPF_END | BPF_TO_BE, BPF_REG_3, 0, 0, (int32_t)read->width * 8);
  else if (read->typed && read->value.pointers == 0)
    program_narrow(w, read->width, read->has_sign);
  return true;
}

/* Where a text begins, into register 3; whether it is in the kernel's memory: in the record of a
 * tracepoint. */
static bool write_text_start(struct writer *w, const struct read_value *value, bool *in_kernel) {
  bool named = value->base == READ_FIELD && !probe_plan_has_socket(w->site);
  const struct tracepoint_field *field =
      named && value->pointers == 0 ? tracepoint_field(w->tracepoint, value->field) : NULL;
  *in_kernel = field != NULL && (field->is_array || field->is_elsewhere);
  if (!*in_kernel)
    return write_value(w, value, 8, false);
  move(w, BPF_REG_3, CONTEXT);
  if (field->is_array) {
    add(w, BPF_REG_3, (int32_t)field->offset);
  } else {
    load(w, BPF_REG_1, CONTEXT, (int)field->offset, 4);
    emit(w, BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_1, 0, 0, 0xffff);
    emit(w, BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_3, BPF_REG_1, 0, 0);
  }
  return true;
}

/* Puts the text behind `at` in the record, and its place into register 3. */
static bool write_text(struct writer *w, const struct read_expression *read, int at,
                       uint32_t offset) {
  bool in_kernel;
  bool is_data = probe_plan_has_socket(w->site), has_length = read->has_length || is_data;
  if (has_length) {
    if (!read->has_length)
      set(w, BPF_REG_3, read->most);
    else if (!write_value(w, &read->length, 8, false))
      return false;
    if (is_data)
      program_socket_cut(w, read->value.add[0]);
    size_t short_enough = jump_if(w, BPF_JLE, BPF_REG_3, (int32_t)read->most);
    set(w, BPF_REG_3, read->most);
    land(w, short_enough);
    store(w, FRAME, LENGTH, BPF_REG_3, 8);
  }
  if (!write_text_start(w, &read->value, &in_kernel))
    return false;
  emit(w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, (int32_t)read->most);
  if (has_length)
    load(w, BPF_REG_2, FRAME, LENGTH, 8);
  move(w, BPF_REG_1, RECORD);
  add(w, BPF_REG_1, at);
  if (has_length) {
    call(w, in_kernel ? BPF_FUNC_probe_read_kernel : BPF_FUNC_probe_read_user);
    vector_push(&w->failures, jump_if(w, BPF_JNE, BPF_REG_0, 0));
    load(w, BPF_REG_3, FRAME, LENGTH, 8);
  } else {
    call(w, in_kernel ? BPF_FUNC_probe_read_kernel_str : BPF_FUNC_probe_read_user_str);
    vector_push(&w->failures, jump_if(w, BPF_JSLE, BPF_REG_0, 0));
    move(w, BPF_REG_3, BPF_REG_0);
    add(w, BPF_REG_3, -1); /* without its NUL */
  }
  set(w, BPF_REG_1, outside_place(offset, 0));
  emit(w, BPF_ALU64 | BPF_OR | BPF_X, BPF_REG_3, BPF_REG_1, 0, 0);
  return true;
}

/* A field that cannot be read is 0, and its bit is not set. */
static bool write_fields(struct writer *w, const struct outside_probe *probe) {
  int texts = (int)sizeof(struct program_record) + 8 * (int)probe->field_count;
  uint32_t offset = 0;
  set(w, BPF_REG_1, 0);
  store(w, FRAME, MASK, BPF_REG_1, 8);
  for (uint32_t i = 0; i < probe->field_count; i++) {
    const struct read_expression *read = &w->site->read[i];
    int slot = (int)(sizeof(struct program_record) + 8 * i);
    set(w, BPF_REG_1, 0);
    store(w, RECORD, slot, BPF_REG_1, 8);
    w->failures.count = 0;
    if (!(read->is_text ? write_text(w, read, texts + (int)offset, offset) : write_number(w, read)))
      return false;
    offset += read->most;
    store(w, RECORD, slot, BPF_REG_3, 8);
    load(w, BPF_REG_1, FRAME, MASK, 8);
    emit(w, BPF_ALU64 | BPF_OR | BPF_K, BPF_REG_1, 0, 0, 1 << i);
    store(w, FRAME, MASK, BPF_REG_1, 8);
    for (size_t k = 0; k < w->failures.count; k++)
      land(w, w->failures.data[k]);
  }
  return true;
}

/* --- a program --- */

/* What is seldom: each time the place of the count is looked for. */
static void count(struct writer *w, uint32_t number, const struct program_maps *maps, size_t what) {
  set(w, BPF_REG_1, number);
  store(w, FRAME, KEY, BPF_REG_1, 4);
  set_map(w, BPF_REG_1, maps->counts);
  point(w, BPF_REG_2, KEY);
  call(w, BPF_FUNC_map_lookup_elem);
  size_t none = jump_if(w, BPF_JEQ, BPF_REG_0, 0);
  load(w, BPF_REG_1, BPF_REG_0, (int)what, 8);
  add(w, BPF_REG_1, 1);
  store(w, BPF_REG_0, (int)what, BPF_REG_1, 8);
  land(w, none);
}

void program_filter(struct writer *w, uint32_t number, const struct program_maps *maps,
                    uint64_t places, bool counts) {
  if (maps->traced < 0)
    return;
  move(w, BPF_REG_1, WHO);
  emit(w, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_1, 0, 0, 32);
  store(w, FRAME, KEY, BPF_REG_1, 4);
  set_map(w, BPF_REG_1, maps->traced);
  point(w, BPF_REG_2, KEY);
  call(w, BPF_FUNC_map_lookup_elem);
  size_t there = jump_if(w, BPF_JNE, BPF_REG_0, 0);
  if (counts)
    count(w, number, maps, offsetof(struct program_count, others));
  end(w);
  land(w, there);
  if (places == PROGRAM_EVERYWHERE)
    return;
  load(w, BPF_REG_1, BPF_REG_0, 0, 8);
  set(w, BPF_REG_2, places);
  emit(w, BPF_ALU64 | BPF_AND | BPF_X, BPF_REG_1, BPF_REG_2, 0, 0);
  there = jump_if(w, BPF_JNE, BPF_REG_1, 0);
  if (counts)
    count(w, number, maps, offsetof(struct program_count, aside));
  end(w);
  land(w, there);
}

void program_start(struct writer *w) {
  move(w, CONTEXT, BPF_REG_1);
  call(w, BPF_FUNC_get_current_pid_tgid);
  move(w, WHO, BPF_REG_0);
}

/* Whose thread this is; ends for those that program_filter leaves. */
static void write_head(struct writer *w, uint32_t number, const struct program_maps *maps,
                       uint64_t places) {
  program_start(w);
  program_filter(w, number, maps, places, true);
}

/* Takes a record of `size` bytes, or counts it as lost. */
static void write_record(struct writer *w, uint32_t number, size_t size,
                         const struct program_maps *maps) {
  set_map(w, BPF_REG_1, maps->ring);
  emit(w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, (int32_t)size);
  emit(w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, 0);
  call(w, BPF_FUNC_ringbuf_reserve);
  size_t there = jump_if(w, BPF_JNE, BPF_REG_0, 0);
  count(w, number, maps, offsetof(struct program_count, lost));
  end(w);
  land(w, there);
  move(w, RECORD, BPF_REG_0);
  call(w, BPF_FUNC_ktime_get_ns);
  store(w, RECORD, offsetof(struct program_record, time_ns), BPF_REG_0, 8);
  set(w, BPF_REG_1, number);
  store(w, RECORD, offsetof(struct program_record, probe), BPF_REG_1, 4);
  store(w, RECORD, offsetof(struct program_record, tid), WHO, 8); /* and pid above it */
}

/* Register 1 is the mask of fields. Nobody is woken: the ring is looked at by time. */
static void write_tail(struct writer *w) {
  store(w, RECORD, offsetof(struct program_record, fields), BPF_REG_1, 4);
  move(w, BPF_REG_1, RECORD);
  set(w, BPF_REG_2, BPF_RB_NO_WAKEUP);
  call(w, BPF_FUNC_ringbuf_submit);
  end(w);
}

bool program_write(bpf_code *code, uint32_t number, const struct outside_probe *probe,
                   const struct outside_site *site, const struct planned_probe *planned,
                   const struct target_place *place, const struct program_maps *maps,
                   uint64_t places, struct text *message) {
  struct writer w = {.code = code,
                     .site = site,
                     .shared = !probe_plan_has_path(site),
                     .place = place,
                     .tracepoint = &planned->tracepoint,
                     .socket = &planned->socket,
                     .calls = &planned->calls,
                     .message = message};
  size_t size = sizeof(struct program_record) + 8 * probe->field_count;
  for (uint32_t i = 0; i < probe->field_count; i++)
    size += site->read[i].most;
  write_head(&w, number, maps, places);
  bool has_socket = probe_plan_has_socket(site), keeps_call = probe_plan_keeps_call(site);
  if (has_socket && keeps_call) /* of each call that is done, whichever socket's it is */
    program_take_call(&w, number, maps);
  if (has_socket)
    program_socket_filter(&w);
  write_record(&w, number, size, maps);
  if (!has_socket && keeps_call)
    program_take_call(&w, number, maps);
  bool good = write_fields(&w, probe);
  load(&w, BPF_REG_1, FRAME, MASK, 8);
  write_tail(&w);
  vector_clear(&w.failures);
  return good;
}

bool program_write_fate(bpf_code *code, uint32_t number, const struct tracepoint *tracepoint,
                        const char *field, bool follow_it, const struct program_maps *maps) {
  struct writer w = {.code = code, .shared = true};
  const struct tracepoint_field *found = field == NULL ? NULL : tracepoint_field(tracepoint, field);
  if (field != NULL && (found == NULL || found->size != 4))
    return false;
  write_head(&w, number, maps, PROGRAM_EVERYWHERE);
  set(&w, BPF_REG_3, 0);
  if (found != NULL)
    load(&w, BPF_REG_3, CONTEXT, (int)found->offset, 4);
  store(&w, FRAME, POINTER, BPF_REG_3, 8);
  if (follow_it && maps->traced >= 0) {
    store(&w, FRAME, KEY, BPF_REG_3, 4);
    set_map(&w, BPF_REG_1, maps->traced);
    point(&w, BPF_REG_2, KEY);
    set(&w, BPF_REG_3, PROGRAM_EVERYWHERE);
    store(&w, FRAME, BUFFER, BPF_REG_3, 8);
    point(&w, BPF_REG_3, BUFFER);
    emit(&w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_4, 0, 0, BPF_ANY);
    call(&w, BPF_FUNC_map_update_elem);
  }
  write_record(&w, number, sizeof(struct program_record) + 8, maps);
  load(&w, BPF_REG_3, FRAME, POINTER, 8);
  store(&w, RECORD, (int)sizeof(struct program_record), BPF_REG_3, 8);
  set(&w, BPF_REG_1, 1);
  write_tail(&w);
  return true;
}
