/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/stack.h"

#include <string.h>

enum { ROWS = 8192 };

struct asking {
  struct sampler *sampler;
  struct address_space *space;
};

/* The file's number of a module. */
static uint32_t number_of(struct sampler *sampler, uint32_t module) {
  while (sampler->module_numbers.count <= module)
    vector_push(&sampler->module_numbers, UINT32_MAX);
  uint32_t *number = &sampler->module_numbers.data[module];
  const struct module *what = sampler->spaces.modules.list.data[module];
  if (*number == UINT32_MAX)
    *number = tpp_write_module(&sampler->writer, &what->about, what->path);
  return *number;
}

static void find_row(struct sampler *sampler, uint32_t module, uint64_t address,
                     struct cfi_row *row) {
  uint64_t hash = (address ^ (uint64_t)module << 40) * 0x9e3779b97f4a7c15u;
  struct cached_row *cached = &sampler->rows[(hash >> 40) % ROWS];
  if (!cached->used || cached->module != module || cached->address != address) {
    cfi_find(&cached->row, sampler->spaces.modules.list.data[module]->cfi, address);
    cached->used = true;
    cached->module = module;
    cached->address = address;
  }
  *row = cached->row;
}

/* --- one frame --- */

/* Looks at the instruction that `address` is the last byte of: calls are E8 and four bytes, or FF
 * with 2 in the middle of the byte behind (Intel SDM 2, CALL). */
static void find_call(struct sampler *sampler, uint32_t module, uint64_t address,
                      struct unwind_place *place) {
  enum { DIRECT = 5, LONGEST = 7, SHORTEST = 2 };
  const struct image *image = &sampler->spaces.modules.list.data[module]->image;
  const unsigned char *bytes = image_bytes(image, address + 1 - LONGEST, LONGEST);
  if (bytes == NULL)
    return;
  const unsigned char *behind = bytes + LONGEST;
  if (behind[-DIRECT] == 0xe8) {
    int32_t distance;
    struct cfi_row row;
    memcpy(&distance, behind - sizeof distance, sizeof distance);
    find_row(sampler, module, address + 1 + (uint64_t)(int64_t)distance, &row);
    place->called = true;
    place->calls_bare = row.kind == CFI_NONE;
  }
  for (int length = SHORTEST; !place->called && length <= LONGEST; length++)
    place->called = place->calls_bare =
        behind[-length] == 0xff && (behind[1 - length] >> 3 & 7) == 2;
}

static void place_in_file(struct asking *asking, const struct space_mapping *mapping,
                          uint64_t address, struct unwind_place *place) {
  struct module *module = asking->sampler->spaces.modules.list.data[mapping->module];
  module_open(module, &(struct module_use){asking->space->process, mapping->start, mapping->end});
  uint64_t offset = address - mapping->start + mapping->offset, found = offset;
  if (module->kind == MODULE_VDSO)
    offset = address - mapping->start;
  if (module->image.elf != NULL && image_address(&module->image, offset, &found)) {
    find_row(asking->sampler, mapping->module, found, &place->row);
    find_call(asking->sampler, mapping->module, found, place);
  }
  place->frame = tpp_write_frame(
      &asking->sampler->writer,
      &(struct tpp_frame){TPP_FRAME_USER, number_of(asking->sampler, mapping->module), found});
}

/* Of code without a name only that it is there. */
static void place_in_memory(struct asking *asking, const struct space_mapping *mapping,
                            uint64_t address, struct unwind_place *place) {
  struct address_space *space = asking->space;
  struct tpp_writer *writer = &asking->sampler->writer;
  if (!space->compiles) {
    space->compiles = true;
    jit_read(&space->jit, space->process);
  }
  struct tpp_frame frame = {TPP_FRAME_JIT, number_of(asking->sampler, mapping->module), 0};
  struct jit_code *code = jit_find(&space->jit, address);
  if (code != NULL && code->frame == UINT32_MAX) {
    frame.address = code->start;
    code->frame = tpp_write_named_frame(writer, &frame, code->name);
  }
  place->frame = code != NULL ? code->frame : tpp_write_frame(writer, &frame);
  place->called = place->calls_bare = true; /* its bytes are not looked at */
}

static const struct unwind_place *find_place(void *context, uint64_t address, bool back) {
  struct asking *asking = context;
  struct address_space *space = asking->space;
  address -= back;
  if (space->cache == NULL)
    space->cache = mem_alloc(SPACE_CACHE, sizeof *space->cache);
  uint64_t hash = address * 0x9e3779b97f4a7c15u;
  struct cached_place *cached = &space->cache[(hash >> 32) % SPACE_CACHE];
  if (cached->address == address && cached->version == space->version)
    return &cached->place;
  const struct space_mapping *mapping = space_find(space, address);
  if (mapping == NULL)
    return NULL;
  const struct module *module = asking->sampler->spaces.modules.list.data[mapping->module];
  struct unwind_place place = {.row = {.kind = CFI_NONE}};
  if (module->kind == MODULE_MEMORY)
    place_in_memory(asking, mapping, address, &place);
  else
    place_in_file(asking, mapping, address, &place);
  *cached = (struct cached_place){address, space->version, place};
  return &cached->place;
}

void stack_forget(struct sampler *sampler) {
  for (size_t i = 0; i < sampler->spaces.list.count; i++) {
    struct address_space *space = sampler->spaces.list.data[i];
    space->version++;
    for (size_t j = 0; j < space->jit.codes.count; j++)
      space->jit.codes.data[j].frame = UINT32_MAX;
  }
  for (size_t i = 0; i < sampler->spaces.tasks.count; i++)
    sampler->spaces.tasks.data[i].number = UINT32_MAX;
}

/* --- one stack --- */

/* The parts of a chain, which marks of the kernel separate. */
struct parts {
  const uint64_t *kernel, *user;
  size_t kernel_count, user_count;
};

static struct parts split_chain(const struct ring_event *sample) {
  struct parts parts = {0};
  for (size_t at = 0; at < sample->chain_count;) {
    uint64_t mark = sample->chain[at++];
    size_t start = at;
    while (at < sample->chain_count && sample->chain[at] < (uint64_t)PERF_CONTEXT_MAX)
      at++;
    if (mark == (uint64_t)PERF_CONTEXT_KERNEL) {
      parts.kernel = sample->chain + start;
      parts.kernel_count = at - start;
    } else if (mark == (uint64_t)PERF_CONTEXT_USER) {
      parts.user = sample->chain + start;
      parts.user_count = at - start;
    }
  }
  return parts;
}

/* The node of a frame in a stack, `at` frames from the outermost, below that of its caller. */
static uint32_t node_of(struct sampler *sampler, struct space_path *path, size_t at,
                        uint32_t frame) {
  if (at < path->count && path->frames[at] == frame)
    return path->nodes[at];
  uint32_t parent = at == 0 ? 0 : path->nodes[at - 1];
  path->count = at + 1;
  path->frames[at] = frame;
  path->nodes[at] = tpp_write_node(&sampler->writer, parent, frame);
  return path->nodes[at];
}

/* From the outermost frame to the innermost. */
static uint32_t write_user(struct sampler *sampler, struct address_space *space,
                           const struct unwound *unwound) {
  size_t count = unwound->count, at = 0;
  if (space->path == NULL)
    space->path = mem_alloc(1, sizeof *space->path);
  if (space->path->version != space->version)
    *space->path = (struct space_path){.version = space->version};
  while (count != 0 && unwound->frames[count - 1] == UNWIND_GAP)
    count--;
  uint32_t node = 0;
  if (unwound->cut)
    node = node_of(sampler, space->path, at++, TPP_GAP);
  sampler->counts.cut += unwound->cut;
  while (count-- > 0)
    node = node_of(sampler, space->path, at++,
                   unwound->frames[count] == UNWIND_GAP ? TPP_GAP : unwound->frames[count]);
  return node;
}

static uint32_t write_kernel(struct sampler *sampler, uint32_t node, const struct parts *parts) {
  uint32_t module = parts->kernel_count == 0 ? 0 : number_of(sampler, sampler->kernel);
  for (size_t i = parts->kernel_count; i-- > 0;) {
    struct tpp_frame frame = {TPP_FRAME_KERNEL, module, parts->kernel[i] - (i != 0)};
    node = tpp_write_node(&sampler->writer, node, tpp_write_frame(&sampler->writer, &frame));
  }
  return node;
}

static uint32_t thread_of(struct sampler *sampler, uint32_t process, uint32_t thread) {
  struct task *task = spaces_task(&sampler->spaces, process, thread);
  if (task->number == UINT32_MAX)
    task->number =
        tpp_write_thread(&sampler->writer, &(struct tpp_thread){process, thread}, task->name);
  return task->number;
}

static void count_leaf(struct sampler *sampler, uint32_t node) {
  uint32_t frame = node == 0 ? TPP_GAP : sampler->writer.nodes.data[node - 1].frame;
  if (frame == TPP_GAP)
    return;
  while (sampler->leaves.count <= frame)
    vector_push(&sampler->leaves, 0);
  sampler->leaves.data[frame]++;
}

static uint32_t write_calls(struct sampler *sampler, const struct ring_event *sample,
                            const struct parts *parts) {
  struct asking asking = {sampler, spaces_get(&sampler->spaces, sample->process)};
  struct unwound unwound = {.count = 0};
  if (parts->user_count != 0)
    unwind(&unwound, sample, parts->user, parts->user_count, find_place, &asking);
  return write_user(sampler, asking.space, &unwound);
}

void stack_write(struct sampler *sampler, const struct ring_event *sample) {
  struct parts parts = split_chain(sample);
  uint32_t node = write_kernel(sampler, write_calls(sampler, sample, &parts), &parts);
  bool periods = sampler->counters.options.event == COUNTER_CYCLES || sampler->options.adaptive;
  if (sampler->options.adaptive)
    count_leaf(sampler, node);
  tpp_write_sample(&sampler->writer,
                   &(struct tpp_sample){(int64_t)sample->time,
                                        thread_of(sampler, sample->process, sample->thread), node,
                                        periods ? sample->period : 1});
}

/* --- waits --- */

uint32_t stack_write_waiting(struct sampler *sampler, const struct ring_event *sample,
                             uint64_t *place) {
  struct parts parts = split_chain(sample);
  size_t at = 0;
  while (at < parts.kernel_count && naming_in_scheduler(&sampler->naming, parts.kernel[at]))
    at++;
  *place = at != 0 && at < parts.kernel_count ? parts.kernel[at] - 1 : 0;
  return write_calls(sampler, sample, &parts);
}

static uint32_t write_innermost(struct sampler *sampler, const struct blocked_thread *waiting,
                                uint32_t node) {
  struct tpp_frame frame = {TPP_FRAME_KERNEL, TPP_NO_MODULE, 0};
  if (waiting->preempted && sampler->preempted == UINT32_MAX)
    sampler->preempted = tpp_write_named_frame(&sampler->writer, &frame, TPP_PREEMPTED);
  if (waiting->preempted)
    return tpp_write_node(&sampler->writer, node, sampler->preempted);
  if (waiting->place == 0)
    return node;
  frame.module = number_of(sampler, sampler->kernel);
  frame.address = waiting->place;
  return tpp_write_node(&sampler->writer, node, tpp_write_frame(&sampler->writer, &frame));
}

void stack_write_wait(struct sampler *sampler, const struct blocked_time *wait) {
  const struct blocked_thread *of = &wait->of;
  uint32_t node = of->has_stack ? of->node : tpp_write_node(&sampler->writer, 0, TPP_GAP);
  tpp_write_sample(&sampler->writer,
                   &(struct tpp_sample){(int64_t)wait->end,
                                        thread_of(sampler, of->process, of->thread),
                                        write_innermost(sampler, of, node), wait->end - of->since});
}

/* --- names --- */

/* The module that has this number in the file. */
static uint32_t module_of(const struct sampler *sampler, uint32_t number) {
  for (size_t i = 0; i < sampler->module_numbers.count; i++)
    if (sampler->module_numbers.data[i] == number)
      return (uint32_t)i;
  return 0;
}

bool stack_name_of(struct sampler *sampler, uint32_t number, struct text *name, uint64_t *start) {
  const struct tpp_frame *frame = &sampler->writer.frames.data[number];
  *start = frame->kind == TPP_FRAME_JIT ? number : frame->address;
  if (frame->kind == TPP_FRAME_JIT)
    return false;
  if (frame->kind == TPP_FRAME_KERNEL)
    return naming_find_kernel(&sampler->naming, frame->address, name);
  uint32_t module = module_of(sampler, frame->module);
  const struct module *what = sampler->spaces.modules.list.data[module];
  return naming_find(&sampler->naming, module, &what->image, what->path, frame->address, name,
                     start);
}

static void name_frame(struct sampler *sampler, uint32_t number, const struct tpp_frame *frame) {
  struct text name;
  text_init(&name);
  struct tpp_name record = {.frame = number, .start = frame->address};
  bool found = stack_name_of(sampler, number, &name, &record.start);
  record.names = found;
  if (found && frame->kind == TPP_FRAME_USER)
    record.names += naming_find_inlined(&sampler->naming, module_of(sampler, frame->module),
                                        frame->address, &name);
  if (found || record.start != frame->address)
    tpp_write_names(&sampler->writer, &record, text_get(&name), found ? name.length + 1 : 0);
  text_clear(&name);
}

void stack_name(struct sampler *sampler) {
  for (size_t i = 0; i < sampler->writer.frames.count; i++) {
    const struct tpp_frame *frame = &sampler->writer.frames.data[i];
    if (frame->kind != TPP_FRAME_JIT)
      name_frame(sampler, (uint32_t)i, frame);
  }
}
