/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tables of a .tpp file, as they stand in it and checked; private to its reader.
 */
#ifndef TRACE_STACKS_TPP_TABLES_H
#define TRACE_STACKS_TPP_TABLES_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "measure/profile/phases.h"
#include "measure/profile/tpp_format.h"

struct tpp_module_row {
  struct tpp_module about;
  struct slice path;
};

struct tpp_frame_row {
  struct tpp_frame about;
  struct tpp_name name; /* names 0: none; start: of the function, if it is known */
  struct slice names;
};

struct tpp_thread_row {
  struct tpp_thread about;
  struct slice name;
};

struct tpp_tables {
  struct tpp_header header;
  struct slice event, machine;
  struct tpp_counts counts;
  struct tpp_waits waits;
  bool whole;
  VECTOR(struct tpp_module_row) modules;
  VECTOR(struct tpp_frame_row) frames;
  VECTOR(struct tpp_node) nodes; /* [0] is the root */
  VECTOR(struct tpp_thread_row) threads;
  VECTOR(struct tpp_sample) samples;
  struct phases phases; /* of the first of the samples; no windows where the rate did not change */
};

/* Texts point into the bytes. STATUS_DATA where a record names what is not there; a torn record at
 * the end is no mistake. */
enum status tpp_tables_read(struct tpp_tables *tables, struct slice bytes, const char *name,
                            struct text *message);
void tpp_tables_clear(struct tpp_tables *tables);

#endif
