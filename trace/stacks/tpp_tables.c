/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/tpp_tables.h"

#include <string.h>

/* A record's body: a fixed part, and what is behind it. */
static bool take(void *fixed, size_t size, struct slice *body) {
  if (body->length < size)
    return false;
  memcpy(fixed, body->start, size);
  body->start += size;
  body->length -= size;
  return true;
}

/* The bytes up to a NUL; what follows it stays in `body`. */
static bool take_text(struct slice *text, struct slice *body) {
  const char *end = body->length == 0 ? NULL : memchr(body->start, '\0', body->length);
  if (end == NULL)
    return false;
  *text = (struct slice){body->start, (size_t)(end - body->start)};
  body->length -= text->length + 1;
  body->start = end + 1;
  return true;
}

static bool read_header(struct tpp_tables *tables, struct slice body) {
  return take(&tables->header, sizeof tables->header, &body) && take_text(&tables->event, &body) &&
         take_text(&tables->machine, &body);
}

static bool read_module(struct tpp_tables *tables, struct slice body) {
  struct tpp_module_row row = {0};
  if (!take(&row.about, sizeof row.about, &body) || !take_text(&row.path, &body))
    return false;
  row.about.build_id[TPP_BUILD_ID - 1] = '\0';
  vector_push(&tables->modules, row);
  return true;
}

static bool read_frame(struct tpp_tables *tables, struct slice body) {
  struct tpp_frame_row row = {0};
  if (!take(&row.about, sizeof row.about, &body) || row.about.kind > TPP_FRAME_JIT ||
      (row.about.module != TPP_NO_MODULE && row.about.module >= tables->modules.count))
    return false;
  row.name.start = row.about.address;
  row.names = body;
  if (body.length != 0) {
    struct slice name;
    if (!take_text(&name, &body))
      return false;
    row.name.names = 1;
  }
  vector_push(&tables->frames, row);
  return true;
}

static bool read_node(struct tpp_tables *tables, struct slice body) {
  struct tpp_node node;
  if (!take(&node, sizeof node, &body) || node.parent >= tables->nodes.count ||
      (node.frame != TPP_GAP && node.frame >= tables->frames.count))
    return false;
  vector_push(&tables->nodes, node);
  return true;
}

static bool read_thread(struct tpp_tables *tables, struct slice body) {
  struct tpp_thread_row row;
  if (!take(&row.about, sizeof row.about, &body) || !take_text(&row.name, &body))
    return false;
  vector_push(&tables->threads, row);
  return true;
}

static bool read_samples(struct tpp_tables *tables, struct slice body) {
  struct tpp_sample sample;
  while (take(&sample, sizeof sample, &body)) {
    if (sample.thread >= tables->threads.count || sample.node >= tables->nodes.count)
      return false;
    vector_push(&tables->samples, sample);
  }
  return body.length == 0;
}

static bool read_name(struct tpp_tables *tables, struct slice body) {
  struct tpp_name name;
  struct slice text;
  if (!take(&name, sizeof name, &body) || name.frame >= tables->frames.count)
    return false;
  struct slice names = body;
  for (uint32_t i = 0; i < name.names; i++)
    if (!take_text(&text, &body))
      return false;
  tables->frames.data[name.frame].name = name;
  tables->frames.data[name.frame].names = names;
  return true;
}

static bool read_window(struct tpp_tables *tables, struct slice body) {
  struct tpp_window window;
  if (!take(&window, sizeof window, &body) || window.verdict > ADAPT_UNSURE || window.alone > 1 ||
      window.samples > tables->samples.count - tables->phases.samples)
    return false;
  phases_add(&tables->phases, (enum adapt_verdict)window.verdict, (size_t)window.samples,
             window.alone);
  return true;
}

static bool read_record(struct tpp_tables *tables, uint32_t kind, struct slice body) {
  switch (kind) {
  case TPP_MODULE:
    return read_module(tables, body);
  case TPP_FRAME:
    return read_frame(tables, body);
  case TPP_NODE:
    return read_node(tables, body);
  case TPP_THREAD:
    return read_thread(tables, body);
  case TPP_SAMPLES:
    return read_samples(tables, body);
  case TPP_NAME:
    return read_name(tables, body);
  case TPP_COUNTS:
    return take(&tables->counts, sizeof tables->counts, &body);
  case TPP_WAITS:
    return take(&tables->waits, sizeof tables->waits, &body);
  case TPP_WINDOW:
    return read_window(tables, body);
  case TPP_END:
    tables->whole = true;
    return true;
  default:
    return false;
  }
}

static enum status fail(const char *name, size_t offset, struct text *message) {
  text_format(message,
              "%s: byte %zu: no record of a profile; the file was changed or is damaged: sample "
              "again",
              name, offset);
  return STATUS_DATA;
}

enum status tpp_tables_read(struct tpp_tables *tables, struct slice bytes, const char *name,
                            struct text *message) {
  *tables = (struct tpp_tables){.whole = false};
  vector_push(&tables->nodes, (struct tpp_node){UINT32_MAX, UINT32_MAX});
  struct slice rest = bytes;
  struct tpp_head head;
  while (!tables->whole && take(&head, sizeof head, &rest) && head.size <= rest.length) {
    size_t offset = (size_t)(rest.start - bytes.start) - sizeof head;
    struct slice body = {rest.start, head.size};
    bool right = offset == 0 ? head.kind == TPP_HEADER && read_header(tables, body)
                             : read_record(tables, head.kind, body);
    if (!right || head.size % 8 != 0)
      return fail(name, offset, message);
    rest.start += head.size;
    rest.length -= head.size;
  }
  return tables->event.start == NULL ? fail(name, 0, message) : STATUS_OK;
}

void tpp_tables_clear(struct tpp_tables *tables) {
  vector_clear(&tables->modules);
  vector_clear(&tables->frames);
  vector_clear(&tables->nodes);
  vector_clear(&tables->threads);
  vector_clear(&tables->samples);
  phases_clear(&tables->phases);
}
