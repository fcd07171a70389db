/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes a file of sampled stacks (tpp_format.h), in pieces: what was flushed is there whatever
 * becomes of the program. Equal modules, frames and nodes are written once.
 */
#ifndef MEASURE_PROFILE_TPP_WRITE_H
#define MEASURE_PROFILE_TPP_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/index.h"
#include "base/vector.h"
#include "measure/profile/tpp_format.h"

struct tpp_writer {
  int descriptor;
  int error; /* errno of the first write that failed; what follows is not written */
  VECTOR(unsigned char) bytes; /* not yet written */
  VECTOR(struct tpp_sample) samples;
  VECTOR(struct tpp_frame) frames;
  VECTOR(struct tpp_node) nodes;
  struct index frame_index, node_index; /* not of named frames, and not of the root */
  uint32_t modules, threads;            /* how many */
  uint64_t sample_count;
  uint64_t written; /* bytes of the file */
};

/* Takes the descriptor of an empty file, which tpp_writer_clear closes. */
void tpp_writer_init(struct tpp_writer *writer, int descriptor, const struct tpp_header *header,
                     const char *event, const char *machine);
/* Without writing what is not written. */
void tpp_writer_clear(struct tpp_writer *writer);

uint32_t tpp_write_module(struct tpp_writer *writer, const struct tpp_module *module,
                          const char *path);
uint32_t tpp_write_thread(struct tpp_writer *writer, const struct tpp_thread *thread,
                          const char *name);
/* The number of an equal one, or of a new one. A frame with a name is new each time. */
uint32_t tpp_write_frame(struct tpp_writer *writer, const struct tpp_frame *frame);
uint32_t tpp_write_named_frame(struct tpp_writer *writer, const struct tpp_frame *frame,
                               const char *name);
uint32_t tpp_write_node(struct tpp_writer *writer, uint32_t parent, uint32_t frame);
void tpp_write_sample(struct tpp_writer *writer, const struct tpp_sample *sample);
/* `names` of `length` bytes: as many as name->names, each ending in a NUL. */
void tpp_write_names(struct tpp_writer *writer, const struct tpp_name *name, const char *names,
                     size_t length);
void tpp_write_counts(struct tpp_writer *writer, const struct tpp_counts *counts);
void tpp_write_waits(struct tpp_writer *writer, const struct tpp_waits *waits);
void tpp_write_window(struct tpp_writer *writer, const struct tpp_window *window);
void tpp_write_end(struct tpp_writer *writer);

/* Hands everything so far to the system. False, with errno in writer->error, if it cannot. */
bool tpp_flush(struct tpp_writer *writer);

#endif
