/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/perf_fields.h"

#include <string.h>

#include "measure/outside/registers.h"

/* --- where fields come from --- */

/* The kernel's number for samples of a register, of its place in struct pt_regs. */
static unsigned bit_of(int place) {
  static const unsigned bits[] = {23, 22, 21, 20, 6, 1, 19, 18, 17, 16, 0, 2, 3, 4, 5};
  if (place == PLACE_IP)
    return 8;
  return place == PLACE_SP ? 7 : bits[place / 8];
}

static bool take_register(struct perf_source *source, int place, unsigned width, bool has_sign) {
  source->kind = PERF_REGISTER;
  source->bit = bit_of(place);
  source->width = width;
  source->has_sign = has_sign;
  return true;
}

static bool take_raw(struct perf_source *source, unsigned offset, unsigned width, bool has_sign) {
  source->kind = PERF_FIELD;
  source->offset = offset;
  source->width = width;
  source->has_sign = has_sign;
  return true;
}

static bool take_usdt(struct perf_source *source, const struct usdt_arguments *all,
                      uint64_t number) {
  if (number > all->count)
    return false;
  const struct usdt_argument *argument = &all->argument[number - 1];
  if (argument->kind == USDT_REGISTER)
    return take_register(source, argument->place, argument->width, argument->has_sign);
  source->number = (uint64_t)argument->value;
  return argument->kind == USDT_NUMBER;
}

static bool take_argument(struct perf_source *source, const struct outside_site *site,
                          const struct target_place *place, uint64_t number) {
  if (site->from_entry != 0)
    return false; /* they are kept by BPF alone */
  if (site->kind == SITE_USDT)
    return take_usdt(source, &place->arguments, number);
  if (site->kind == SITE_SYSCALL)
    return take_raw(source, 16 + 8 * (unsigned)(number - 1), 8, false);
  if (number > (site->go ? REGISTERS_GO : REGISTERS_C))
    return false;
  return take_register(source, site->go ? registers_go[number - 1] : registers_c[number - 1], 8,
                       false);
}

static bool take_field(struct perf_source *source, const struct planned_probe *planned,
                       const struct read_expression *read) {
  const struct tracepoint_field *field = tracepoint_field(&planned->tracepoint, read->value.field);
  if (field == NULL || (field->is_array || field->is_elsewhere) != read->is_text ||
      read->has_length)
    return false;
  if (!read->is_text)
    return (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8) &&
           take_raw(source, field->offset, field->size, field->has_sign);
  source->kind = field->is_array ? PERF_TEXT : PERF_TEXT_ELSEWHERE;
  source->offset = field->offset;
  return true;
}

/* False where it is in the process's memory, or nowhere. */
static bool find_source(struct perf_source *source, const struct outside_site *site,
                        const struct planned_probe *planned, const struct target_place *place,
                        const struct read_expression *read) {
  const struct read_value *value = &read->value;
  *source = (struct perf_source){.as_width = 8, .most = read->most};
  if (value->pointers != 0 || probe_plan_has_socket(site) ||
      (read->is_text && value->base != READ_FIELD))
    return false;
  if (read->big_endian || read->typed) {
    source->as_width = read->width;
    source->as_signed = read->has_sign;
    source->as_big = read->big_endian;
  }
  bool found = false;
  switch (value->base) {
  case READ_ARGUMENT:
    found = take_argument(source, site, place, value->number);
    break;
  case READ_RESULT:
    found = site->kind == SITE_SYSCALL_EXIT
                ? take_raw(source, 16, 8, false)
                : take_register(source, registers_go[value->number - 1], 8, false);
    break;
  case READ_FIELD:
    found = take_field(source, planned, read);
    break;
  case READ_GOROUTINE:
    found = take_register(source, PLACE_R14, 8, false);
    break;
  case READ_STACK: /* behind the return address */
    source->number = 8;
    found = take_register(source, PLACE_SP, 8, false);
    break;
  case READ_BEGUN: /* is kept by BPF alone */
    break;
  case READ_NUMBER:
    source->number = value->number;
    found = true;
    break;
  }
  source->number += (uint64_t)(int64_t)value->add[0];
  return found;
}

enum status perf_reading_make(struct perf_reading *reading, const struct outside_probe *probe,
                              const struct outside_site *site, const struct planned_probe *planned,
                              const struct target_place *place, struct text *message) {
  *reading = (struct perf_reading){.count = probe->field_count};
  for (uint32_t i = 0; i < probe->field_count; i++) {
    struct perf_source *source = &reading->source[i];
    if (!find_source(source, site, planned, place, &site->read[i])) {
      text_format(message,
                  "probe %s (line %u): %s is read from memory, which only BPF can: record with "
                  "--with bpf (root, or CAP_BPF and CAP_PERFMON), or leave the field out",
                  probe->name, site->line, probe->field[i].name);
      return STATUS_DATA;
    }
    if (source->kind == PERF_REGISTER)
      reading->registers |= UINT64_C(1) << source->bit;
    else if (source->kind != PERF_NUMBER)
      reading->raw = true;
  }
  return STATUS_OK;
}

/* --- samples --- */

struct perf_sample {
  const uint64_t *registers; /* NULL: none */
  const unsigned char *raw;
  uint32_t raw_size;
};

static bool locate(struct perf_sample *sample, const struct perf_reading *reading,
                   const uint64_t *words, size_t count) {
  enum { HEAD = 3 };
  size_t at = HEAD;
  *sample = (struct perf_sample){0};
  if (count < HEAD)
    return false;
  if (reading->raw) {
    if (at >= count)
      return false;
    memcpy(&sample->raw_size, &words[at], 4);
    sample->raw = (const unsigned char *)&words[at] + 4;
    size_t bytes = (size_t)sample->raw_size + 4;
    if (bytes % 8 != 0 || bytes / 8 > count - at)
      return false;
    at += bytes / 8;
  }
  if (reading->registers == 0)
    return true;
  if (at >= count)
    return false;
  if (words[at++] == 0)
    return true;
  sample->registers = words + at;
  return (size_t)__builtin_popcountll(reading->registers) <= count - at;
}

static uint64_t narrow(uint64_t value, unsigned width, bool has_sign) {
  unsigned bits = 64 - 8 * width;
  return has_sign ? (uint64_t)((int64_t)(value << bits) >> bits) : value << bits >> bits;
}

static bool read_text(struct outside_event *event, uint32_t i, const struct perf_source *source,
                      const struct perf_sample *sample) {
  uint32_t from = source->offset;
  if (source->kind == PERF_TEXT_ELSEWHERE) {
    if (sample->raw_size < 4 || from > sample->raw_size - 4)
      return false;
    memcpy(&from, sample->raw + source->offset, 4);
    from &= 0xffff;
  }
  if (from >= sample->raw_size || source->most > OUTSIDE_TEXT - event->text_size)
    return false;
  uint32_t most = sample->raw_size - from;
  if (most > source->most - 1)
    most = source->most - 1;
  uint32_t length = (uint32_t)strnlen((const char *)sample->raw + from, most);
  event->field[i] = outside_place(event->text_size, length);
  memcpy(event->text + event->text_size, sample->raw + from, length);
  return true;
}

static bool read_number(uint64_t *number, const struct perf_reading *reading,
                        const struct perf_source *source, const struct perf_sample *sample) {
  *number = 0;
  if (source->kind == PERF_REGISTER) {
    uint64_t below = reading->registers & ((UINT64_C(1) << source->bit) - 1);
    if (sample->registers == NULL)
      return false;
    *number =
        narrow(sample->registers[__builtin_popcountll(below)], source->width, source->has_sign);
  } else if (source->kind == PERF_FIELD) {
    if (sample->raw_size < source->width || source->offset > sample->raw_size - source->width)
      return false;
    memcpy(number, sample->raw + source->offset, source->width);
    *number = narrow(*number, source->width, source->has_sign);
  }
  *number += source->number;
  if (source->as_big)
    *number = __builtin_bswap64(*number) >> (64 - 8 * source->as_width);
  else
    *number = narrow(*number, source->as_width, source->as_signed);
  return true;
}

bool perf_sample_read(struct outside_event *event, const struct perf_reading *reading,
                      const uint64_t *words, size_t count) {
  struct perf_sample sample;
  *event = (struct outside_event){0};
  if (!locate(&sample, reading, words, count))
    return false;
  event->pid = (uint32_t)words[1];
  event->tid = (uint32_t)(words[1] >> 32);
  event->time_ns = words[2];
  for (uint32_t i = 0; i < reading->count; i++) {
    const struct perf_source *source = &reading->source[i];
    bool is_text = source->kind == PERF_TEXT || source->kind == PERF_TEXT_ELSEWHERE;
    bool good = is_text ? read_text(event, i, source, &sample)
                        : read_number(&event->field[i], reading, source, &sample);
    if (is_text)
      event->text_size += source->most;
    if (good)
      event->fields |= 1u << i;
  }
  return true;
}
