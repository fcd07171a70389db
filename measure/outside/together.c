/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/together.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/memory.h"
#include "measure/outside/attach.h"
#include "measure/outside/instructions.h"

/* What is put together into one link. */
struct group {
  const struct together_place *first;
  VECTOR(uint64_t) offsets, semaphores, cookies;
  VECTOR(uint32_t) probes;
};

/* Of a link: goes on in the program whose number is the place's cookie. -1 with errno. */
static int load_passing(int programs) {
  const struct bpf_prog_load_opts options = {
      .sz = sizeof options, .expected_attach_type = (enum bpf_attach_type)ATTACH_LINK_TYPE};
  bpf_code code = {0};
  struct writer w = {.code = &code};
  move(&w, CONTEXT, BPF_REG_1);
  call(&w, BPF_FUNC_get_attach_cookie);
  move(&w, BPF_REG_3, BPF_REG_0);
  set_map(&w, BPF_REG_2, programs);
  move(&w, BPF_REG_1, CONTEXT);
  call(&w, BPF_FUNC_tail_call);
  end(&w);
  int program =
      bpf_prog_load(BPF_PROG_TYPE_KPROBE, "tp_passing", "GPL", code.data, code.count, &options);
  vector_clear(&code);
  return program;
}

/* Of the programs that places have numbers of; -1 with errno. */
static int make_array(const int *programs, const together_places *places) {
  uint32_t most = 0;
  for (size_t i = 0; i < places->count; i++)
    most = places->data[i].number > most ? places->data[i].number : most;
  int array = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "tp_programs", 4, 4, most + 1, NULL);
  bool good = array >= 0;
  for (size_t i = 0; good && i < places->count; i++) {
    uint32_t number = places->data[i].number;
    good = bpf_map_update_elem(array, &number, &programs[number], BPF_ANY) == 0;
  }
  if (good || array < 0)
    return array;
  int error = errno;
  close(array);
  errno = error;
  return -1;
}

static int attach_group(const struct group *group, size_t first, size_t count, int passing) {
  char path[TARGET_PATH];
  target_path(path, group->first->target);
  const struct attach_places places = {.offsets = group->offsets.data + first,
                                       .semaphores = group->semaphores.data + first,
                                       .cookies = group->cookies.data + first,
                                       .count = (uint32_t)count};
  return attach_link(path, &places, group->first->at_return, group->first->process, passing);
}

/* Where not all can be attached, each is by itself, up to the first that cannot, which is named. */
static int attach_link_of(together_descriptors *open, const struct group *group, int passing,
                          uint32_t *probe) {
  size_t count = group->offsets.count;
  int link = attach_group(group, 0, count, passing), error = link < 0 ? errno : 0;
  if (link >= 0)
    vector_push(open, link);
  if (link >= 0 || error == ESRCH)
    return 0;
  for (size_t i = 0; i < count; i++) {
    *probe = group->probes.data[i];
    link = attach_group(group, i, 1, passing);
    if (link < 0)
      return errno == ESRCH ? 0 : errno;
    vector_push(open, link);
  }
  return 0;
}

static bool belongs(const struct group *group, const struct together_place *place) {
  return group->first == NULL ||
         (group->first->target->file == place->target->file &&
          group->first->process == place->process && group->first->at_return == place->at_return);
}

static void clear(struct group *group) {
  vector_clear(&group->offsets);
  vector_clear(&group->semaphores);
  vector_clear(&group->cookies);
  vector_clear(&group->probes);
}

/* The first place that is in no group yet, and all that go with it. */
static void gather(struct group *group, const together_places *places, bool at_return, bool *done) {
  *group = (struct group){0};
  for (size_t i = 0; i < places->count; i++) {
    const struct together_place *place = &places->data[i];
    if (done[i] || place->at_return != at_return || !belongs(group, place))
      continue;
    done[i] = true;
    group->first = group->first == NULL ? place : group->first;
    vector_push(&group->offsets, place->offset);
    vector_push(&group->semaphores, place->semaphore);
    vector_push(&group->cookies, (uint64_t)place->number);
    vector_push(&group->probes, place->probe);
  }
}

static int attach_links(together_descriptors *open, const together_places *places, int passing,
                        uint32_t *probe) {
  bool *done = mem_alloc(places->count + 1, sizeof *done);
  int error = 0;
  for (int at_return = 0; at_return < 2; at_return++) {
    struct group group = {0};
    do {
      clear(&group);
      gather(&group, places, at_return != 0, done);
      if (group.first != NULL)
        error = attach_link_of(open, &group, passing, probe);
    } while (group.first != NULL && error == 0);
    clear(&group);
    if (error != 0)
      break;
  }
  mem_free(done);
  return error;
}

static int attach_events(together_descriptors *open, const together_places *places,
                         const int *programs, uint32_t *probe) {
  for (size_t i = 0; i < places->count; i++) {
    const struct together_place *place = &places->data[i];
    char path[TARGET_PATH];
    target_path(path, place->target);
    int event = attach_file(path, place->offset, place->semaphore, place->at_return, place->process,
                            programs[place->number]);
    *probe = place->probe;
    if (event >= 0)
      vector_push(open, event);
    else if (errno != ESRCH)
      return errno;
  }
  return 0;
}

int together_attach(together_descriptors *open, const together_places *places, const int *programs,
                    bool links, uint32_t *probe) {
  if (places->count == 0)
    return 0;
  *probe = places->data[0].probe;
  if (!links)
    return attach_events(open, places, programs, probe);
  int array = make_array(programs, places), passing = array < 0 ? -1 : load_passing(array);
  if (passing < 0) {
    int error = errno;
    if (array >= 0)
      close(array);
    return error;
  }
  int error = attach_links(open, places, passing, probe);
  vector_push(open, array); /* closed behind the links: programs are in it as long as it is open */
  vector_push(open, passing);
  return error;
}
