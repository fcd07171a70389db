/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/tpp_write.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

enum { KEPT_SAMPLES = 4096 };

static void append(struct tpp_writer *writer, const void *from, size_t size) {
  while (writer->bytes.capacity - writer->bytes.count < size) {
    writer->bytes.capacity = writer->bytes.capacity == 0 ? 1 << 16 : 2 * writer->bytes.capacity;
    writer->bytes.data = mem_resize(writer->bytes.data, writer->bytes.capacity, 1);
  }
  if (size != 0)
    memcpy(writer->bytes.data + writer->bytes.count, from, size);
  writer->bytes.count += size;
}

/* A record of a fixed part and a text of `length` bytes. */
static void write_record(struct tpp_writer *writer, enum tpp_kind kind, const void *fixed,
                         size_t size, const char *text, size_t length) {
  static const char zeros[8];
  size_t padding = (8 - (size + length) % 8) % 8;
  struct tpp_head head = {kind, (uint32_t)(size + length + padding)};
  append(writer, &head, sizeof head);
  append(writer, fixed, size);
  append(writer, text, length);
  append(writer, zeros, padding);
}

void tpp_writer_init(struct tpp_writer *writer, int descriptor, const struct tpp_header *header,
                     const char *event, const char *machine) {
  *writer = (struct tpp_writer){.descriptor = descriptor};
  vector_push(&writer->nodes, (struct tpp_node){UINT32_MAX, UINT32_MAX});
  char texts[512];
  size_t length = strlen(event) + 1, more = strlen(machine) + 1;
  more = more > sizeof texts - length ? sizeof texts - length : more;
  memcpy(texts, event, length);
  memcpy(texts + length, machine, more);
  texts[length + more - 1] = '\0';
  write_record(writer, TPP_HEADER, header, sizeof *header, texts, length + more);
}

void tpp_writer_clear(struct tpp_writer *writer) {
  vector_clear(&writer->bytes);
  vector_clear(&writer->samples);
  vector_clear(&writer->frames);
  vector_clear(&writer->nodes);
  index_clear(&writer->frame_index);
  index_clear(&writer->node_index);
  if (writer->descriptor >= 0)
    close(writer->descriptor);
  writer->descriptor = -1;
}

uint32_t tpp_write_module(struct tpp_writer *writer, const struct tpp_module *module,
                          const char *path) {
  write_record(writer, TPP_MODULE, module, sizeof *module, path, strlen(path) + 1);
  return writer->modules++;
}

uint32_t tpp_write_thread(struct tpp_writer *writer, const struct tpp_thread *thread,
                          const char *name) {
  write_record(writer, TPP_THREAD, thread, sizeof *thread, name, strlen(name) + 1);
  return writer->threads++;
}

static uint32_t add_frame(struct tpp_writer *writer, const struct tpp_frame *frame,
                          const char *name) {
  vector_push(&writer->frames, *frame);
  write_record(writer, TPP_FRAME, frame, sizeof *frame, name, name == NULL ? 0 : strlen(name) + 1);
  return (uint32_t)writer->frames.count - 1;
}

uint32_t tpp_write_frame(struct tpp_writer *writer, const struct tpp_frame *frame) {
  uint64_t hash = hash_word(hash_word(frame->kind, frame->module), frame->address);
  for (struct index_look look = index_look(&writer->frame_index, hash); index_next(&look);) {
    const struct tpp_frame *other = &writer->frames.data[look.row];
    if (other->address == frame->address && other->module == frame->module &&
        other->kind == frame->kind)
      return look.row;
  }
  uint32_t number = add_frame(writer, frame, NULL);
  index_add(&writer->frame_index, hash, number);
  return number;
}

uint32_t tpp_write_named_frame(struct tpp_writer *writer, const struct tpp_frame *frame,
                               const char *name) {
  return add_frame(writer, frame, name);
}

uint32_t tpp_write_node(struct tpp_writer *writer, uint32_t parent, uint32_t frame) {
  uint64_t hash = hash_word(0, (uint64_t)parent << 32 | frame);
  for (struct index_look look = index_look(&writer->node_index, hash); index_next(&look);) {
    const struct tpp_node *node = &writer->nodes.data[look.row];
    if (node->parent == parent && node->frame == frame)
      return look.row;
  }
  struct tpp_node node = {parent, frame};
  uint32_t number = (uint32_t)writer->nodes.count;
  index_add(&writer->node_index, hash, number);
  vector_push(&writer->nodes, node);
  write_record(writer, TPP_NODE, &node, sizeof node, NULL, 0);
  return number;
}

static void write_samples(struct tpp_writer *writer) {
  if (writer->samples.count != 0)
    write_record(writer, TPP_SAMPLES, writer->samples.data,
                 writer->samples.count * sizeof *writer->samples.data, NULL, 0);
  writer->samples.count = 0;
}

void tpp_write_sample(struct tpp_writer *writer, const struct tpp_sample *sample) {
  vector_push(&writer->samples, *sample);
  writer->sample_count++;
  if (writer->samples.count == KEPT_SAMPLES)
    write_samples(writer);
}

void tpp_write_names(struct tpp_writer *writer, const struct tpp_name *name, const char *names,
                     size_t length) {
  write_record(writer, TPP_NAME, name, sizeof *name, names, length);
}

void tpp_write_counts(struct tpp_writer *writer, const struct tpp_counts *counts) {
  write_samples(writer);
  write_record(writer, TPP_COUNTS, counts, sizeof *counts, NULL, 0);
}

void tpp_write_waits(struct tpp_writer *writer, const struct tpp_waits *waits) {
  write_samples(writer);
  write_record(writer, TPP_WAITS, waits, sizeof *waits, NULL, 0);
}

void tpp_write_window(struct tpp_writer *writer, const struct tpp_window *window) {
  write_samples(writer);
  write_record(writer, TPP_WINDOW, window, sizeof *window, NULL, 0);
}

void tpp_write_end(struct tpp_writer *writer) {
  write_samples(writer);
  write_record(writer, TPP_END, NULL, 0, NULL, 0);
}

bool tpp_flush(struct tpp_writer *writer) {
  write_samples(writer);
  const unsigned char *at = writer->bytes.data;
  size_t left = writer->bytes.count;
  while (left != 0 && writer->error == 0) {
    ssize_t written = write(writer->descriptor, at, left);
    if (written < 0 && errno != EINTR)
      writer->error = errno;
    if (written > 0) {
      at += written;
      left -= (size_t)written;
      writer->written += (uint64_t)written;
    }
  }
  writer->bytes.count = 0;
  return writer->error == 0;
}
