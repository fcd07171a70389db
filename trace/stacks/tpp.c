/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/tpp.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>

#include "measure/profile/naming.h"
#include "trace/stacks/tpp_tables.h"

/* What the file's numbers are in the profile. */
struct tpp_intake {
  const struct tpp_tables *tables;
  struct stack_profile *profile;
  uint32_t *outer;          /* frames: the function itself */
  VECTOR(uint32_t) between; /* frames of functions put into others, of all frames */
  uint32_t *first_between;  /* by frame; the last one's end is between.count */
  uint32_t *nodes, *threads;
  uint32_t *starts; /* by frame: find_starts */
  bool *sampled;    /* nodes */
  uint32_t gap;     /* the frame that says that callers are missing */
};

bool stack_is_tpp(struct slice bytes) {
  size_t at = sizeof(struct tpp_head);
  return bytes.length >= at + 8 && memcmp(bytes.start + at, TPP_MAGIC, 8) == 0;
}

static uint32_t name_of(struct stack_profile *profile, struct slice text) {
  return names_number(&profile->names, text);
}

/* --- names that the file does not have yet --- */

/* The program of a module, if it is the one that was sampled. */
static void open_module(struct image *image, const struct tpp_module_row *row) {
  *image = (struct image){.descriptor = -1};
  struct text path;
  text_init(&path);
  text_append_bytes(&path, row->path.start, row->path.length);
  int descriptor = open(text_get(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  text_clear(&path);
  if (descriptor < 0 || !image_open(image, descriptor))
    return;
  if (row->about.build_id[0] == '\0' || strcmp(image->build_id, row->about.build_id) != 0)
    image_clear(image);
}

/* Names frames of a file that was not ended; texts are kept in `names`. */
static void find_names(struct tpp_tables *tables, struct span_names *names) {
  VECTOR(struct image) images = {0};
  struct namer naming = {.kernel_loaded = false};
  for (size_t i = 0; i < tables->modules.count; i++) {
    struct image image;
    open_module(&image, &tables->modules.data[i]);
    vector_push(&images, image);
  }
  for (size_t i = 0; i < tables->frames.count; i++) {
    struct tpp_frame_row *row = &tables->frames.data[i];
    uint32_t module = row->about.module;
    struct text text;
    if (row->about.kind != TPP_FRAME_USER || row->name.names != 0 || module == TPP_NO_MODULE)
      continue;
    text_init(&text);
    row->name.names = naming_find(&naming, module, &images.data[module], "", row->about.address,
                                  &text, &row->name.start);
    if (row->name.names != 0)
      row->name.names += naming_find_inlined(&naming, module, row->about.address, &text);
    uint32_t number = names_number(names, (struct slice){text_get(&text), text.length});
    row->names = (struct slice){names_text(names, number), text.length + 1};
    text_clear(&text);
  }
  naming_clear(&naming);
  for (size_t i = 0; i < images.count; i++)
    image_clear(&images.data[i]);
  vector_clear(&images);
}

/* --- into the profile --- */

static uint32_t add_frame(struct tpp_intake *intake, const struct tpp_frame_row *row,
                          struct slice name, enum frame_kind kind) {
  struct stack_profile *profile = intake->profile;
  struct stack_frame frame = {.function = name_of(profile, name), .kind = kind};
  if (row->about.module != TPP_NO_MODULE)
    frame.module = name_of(profile, intake->tables->modules.data[row->about.module].path);
  frame.offset = frame.function == 0 ? row->name.start : 0;
  return stack_profile_frame(profile, &frame);
}

static void add_frames(struct tpp_intake *intake) {
  static const enum frame_kind kinds[] = {FRAME_USER, FRAME_KERNEL, FRAME_JIT};
  for (size_t i = 0; i < intake->tables->frames.count; i++) {
    const struct tpp_frame_row *row = &intake->tables->frames.data[i];
    const char *at = row->names.start;
    struct slice name = {at, row->name.names == 0 ? 0 : strlen(at)};
    intake->outer[i] = add_frame(intake, row, name, kinds[row->about.kind]);
    intake->first_between[i] = (uint32_t)intake->between.count;
    for (uint32_t more = 1; more < row->name.names; more++) {
      at += strlen(at) + 1;
      vector_push(&intake->between,
                  add_frame(intake, row, (struct slice){at, strlen(at)}, FRAME_INLINED));
    }
  }
  intake->first_between[intake->tables->frames.count] = (uint32_t)intake->between.count;
}

/* The node below `parent` for a frame of the file: several where functions were put into it. */
static uint32_t add_node(struct tpp_intake *intake, uint32_t parent, uint32_t frame) {
  if (frame == TPP_GAP)
    return stack_profile_node(intake->profile, parent, intake->gap);
  uint32_t node = stack_profile_node(intake->profile, parent, intake->outer[frame]);
  for (uint32_t i = intake->first_between[frame]; i < intake->first_between[frame + 1]; i++)
    node = stack_profile_node(intake->profile, node, intake->between.data[i]);
  return node;
}

enum { START_UP = 3 }; /* frames that every program and thread begins with, at most */

/* Whether the node's outermost callers are known and few. */
static bool is_start(const struct tpp_tables *tables, uint32_t node) {
  for (unsigned depth = 0; depth <= START_UP; depth++) {
    if (node == 0)
      return true;
    if (tables->nodes.data[node].frame == TPP_GAP)
      return false;
    node = tables->nodes.data[node].parent;
  }
  return false;
}

/* By frame, the node that calls it wherever its callers are known, if they are few and always the
 * same: how programs and threads start is the same each time. STACK_NONE where it is not; owned. */
static uint32_t *find_starts(const struct tpp_tables *tables) {
  uint32_t *starts = mem_alloc(tables->frames.count, sizeof *starts);
  bool *seen = mem_alloc(tables->frames.count, sizeof *seen);
  for (size_t i = 0; i < tables->frames.count; i++)
    starts[i] = STACK_NONE;
  for (size_t i = 1; i < tables->nodes.count; i++) {
    const struct tpp_node *node = &tables->nodes.data[i];
    if (node->frame == TPP_GAP || tables->nodes.data[node->parent].frame == TPP_GAP)
      continue;
    bool one = !seen[node->frame] && is_start(tables, node->parent);
    starts[node->frame] = one ? node->parent : STACK_NONE;
    seen[node->frame] = true;
  }
  mem_free(seen);
  return starts;
}

/* A stack that is cut off where programs start goes on as they do. */
static uint32_t parent_of(const struct tpp_intake *intake, uint32_t node) {
  const struct tpp_tables *tables = intake->tables;
  uint32_t frame = tables->nodes.data[node].frame, parent = tables->nodes.data[node].parent;
  const struct tpp_node *above = &tables->nodes.data[parent];
  bool cut = parent != 0 && above->frame == TPP_GAP && above->parent == 0;
  return cut && frame != TPP_GAP && intake->starts[frame] != STACK_NONE ? intake->starts[frame]
                                                                        : parent;
}

/* The profile's node; callers of a start may come behind it in the file, but are few. */
static uint32_t map_node(struct tpp_intake *intake, uint32_t node) {
  if (node != 0 && intake->nodes[node] == 0) {
    uint32_t parent = map_node(intake, parent_of(intake, node));
    intake->nodes[node] = add_node(intake, parent, intake->tables->nodes.data[node].frame);
  }
  return intake->nodes[node];
}

static void add_nodes(struct tpp_intake *intake) {
  for (size_t i = 1; i < intake->tables->nodes.count; i++)
    if (intake->sampled[i])
      map_node(intake, (uint32_t)i);
}

static void add_threads(struct tpp_intake *intake) {
  for (size_t i = 0; i < intake->tables->threads.count; i++) {
    const struct tpp_thread_row *row = &intake->tables->threads.data[i];
    intake->threads[i] = (uint32_t)intake->profile->threads.count;
    vector_push(&intake->profile->threads,
                (struct stack_thread){row->about.process, row->about.thread,
                                      name_of(intake->profile, row->name), 0});
  }
}

static void add_samples(struct tpp_intake *intake) {
  struct stack_profile *profile = intake->profile;
  for (size_t i = 0; i < intake->tables->samples.count; i++) {
    const struct tpp_sample *sample = &intake->tables->samples.data[i];
    uint32_t thread = intake->threads[sample->thread], node = intake->nodes[sample->node];
    vector_push(&profile->samples,
                (struct stack_sample){sample->time, thread, node, sample->weight});
    stack_profile_add(profile, node, sample->weight);
    profile->threads.data[thread].weight += sample->weight;
    profile->heaviest = sample->weight > profile->heaviest ? sample->weight : profile->heaviest;
  }
  profile->count += intake->tables->samples.count;
}

/* The weight of stacks that begin in a gap. */
static uint64_t weigh_cut(const struct stack_profile *profile, uint32_t gap) {
  uint64_t cut = 0;
  bool *below = mem_alloc(profile->nodes.count, sizeof *below);
  for (size_t i = 1; i < profile->nodes.count; i++) {
    const struct stack_node *node = &profile->nodes.data[i];
    below[i] = node->parent == 0 ? node->frame == gap : below[node->parent];
    cut += below[i] ? node->own : 0;
  }
  mem_free(below);
  return cut;
}

/* A thread is first sampled after a whole period on a processor, and what it does after its last
 * sample is in none; so is what the kernel held back or lost. Cycles have no period that is known. */
static uint64_t find_unseen(const struct tpp_tables *tables) {
  uint64_t used = tables->counts.processor_time, seen = 0;
  if (used == 0 || tables->header.unit == TPP_UNIT_PERIODS || slice_is(tables->event, TPP_WAITING))
    return 0;
  for (size_t i = 0; i < tables->samples.count; i++)
    seen += tables->samples.data[i].weight;
  if (tables->header.unit == TPP_UNIT_SAMPLES)
    used = (uint64_t)ceil((double)used * tables->header.rate / 1e9);
  return used > seen ? used - seen : 0;
}

static void describe(struct tpp_intake *intake, struct stack_recording *recording) {
  const struct tpp_tables *tables = intake->tables;
  const struct tpp_counts *counts = &tables->counts;
  struct stack_profile *profile = intake->profile;
  size_t count = tables->samples.count;
  profile->unit = tables->header.unit == TPP_UNIT_PERIODS       ? STACK_PERIODS
                  : tables->header.unit == TPP_UNIT_NANOSECONDS ? STACK_NANOSECONDS
                                                                : STACK_SAMPLES;
  profile->event = name_of(profile, tables->event);
  profile->rate = profile->unit == STACK_SAMPLES ? tables->header.rate : 0;
  profile->realtime = tables->header.calendar - tables->header.start;
  profile->torn |= !tables->whole;
  profile->lost += counts->lost;
  profile->throttled += counts->throttled;
  profile->pruned += counts->pruned;
  profile->unseen += find_unseen(tables);
  profile->used = counts->processor_time;
  profile->start = tables->header.start;
  profile->end = counts->end != 0 ? counts->end
                 : count != 0     ? tables->samples.data[count - 1].time
                                  : profile->start;
  if (recording != NULL)
    *recording = (struct stack_recording){.rate = tables->header.rate,
                                          .processor_time = counts->processor_time,
                                          .cut = weigh_cut(profile, intake->gap),
                                          .user_only = counts->user_only != 0,
                                          .whole = tables->whole,
                                          .calendar = tables->header.calendar,
                                          .waits = tables->waits};
}

static void take_tables(struct tpp_intake *intake, struct stack_recording *recording) {
  const struct tpp_tables *tables = intake->tables;
  intake->outer = mem_alloc(tables->frames.count, sizeof *intake->outer);
  intake->first_between = mem_alloc(tables->frames.count + 1, sizeof *intake->first_between);
  intake->nodes = mem_alloc(tables->nodes.count, sizeof *intake->nodes);
  intake->threads = mem_alloc(tables->threads.count, sizeof *intake->threads);
  intake->gap = stack_profile_frame(intake->profile, &(struct stack_frame){.kind = FRAME_USER});
  intake->starts = find_starts(tables);
  intake->sampled = mem_alloc(tables->nodes.count, sizeof *intake->sampled);
  for (size_t i = 0; i < tables->samples.count; i++)
    intake->sampled[tables->samples.data[i].node] = true;
  add_frames(intake);
  add_nodes(intake);
  add_threads(intake);
  add_samples(intake);
  describe(intake, recording);
  mem_free(intake->outer);
  mem_free(intake->first_between);
  mem_free(intake->nodes);
  mem_free(intake->starts);
  mem_free(intake->sampled);
  mem_free(intake->threads);
  vector_clear(&intake->between);
}

static enum status read(struct stack_profile *profile, struct stack_recording *recording,
                        struct phases *phases, struct slice bytes, const char *name,
                        struct text *message) {
  struct tpp_tables tables;
  enum status status = tpp_tables_read(&tables, bytes, name, message);
  bool first = profile->samples.count == 0;
  if (status == STATUS_OK) {
    struct span_names names;
    names_init(&names);
    if (!tables.whole)
      find_names(&tables, &names);
    struct tpp_intake intake = {.tables = &tables, .profile = profile};
    take_tables(&intake, recording);
    names_clear(&names);
  }
  if (phases != NULL && status == STATUS_OK && first) {
    *phases = tables.phases;
    tables.phases = (struct phases){0};
  }
  tpp_tables_clear(&tables);
  return status;
}

enum status stack_read_tpp(struct stack_profile *profile, struct stack_recording *recording,
                           struct slice bytes, const char *name, struct text *message) {
  return read(profile, recording, NULL, bytes, name, message);
}

enum status stack_read_tpp_phases(struct stack_profile *profile, struct phases *phases,
                                  struct slice bytes, const char *name, struct text *message) {
  return read(profile, NULL, phases, bytes, name, message);
}
