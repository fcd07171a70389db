/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/throughput/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *memory, size_t size) {
  void *larger = realloc(memory, size);
  if (larger == NULL) {
    fputs("simulator: out of memory\n", stderr);
    abort();
  }
  return larger;
}

void agenda_free(struct agenda *agenda) {
  free(agenda->heap);
  free(agenda->line);
}

static bool before(const struct event *a, const struct event *b) {
  return a->at < b->at || (a->at == b->at && a->order < b->order);
}

void agenda_add(struct agenda *agenda, struct event event) {
  if (agenda->used == agenda->room) {
    agenda->room = agenda->room == 0 ? 256 : 2 * agenda->room;
    agenda->heap = grown(agenda->heap, agenda->room * sizeof *agenda->heap);
  }
  event.order = agenda->order++;
  uint64_t at = agenda->used++;
  while (at > 0 && before(&event, &agenda->heap[(at - 1) / 2])) {
    agenda->heap[at] = agenda->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  agenda->heap[at] = event;
}

void agenda_append(struct agenda *agenda, struct event event) {
  if (agenda->tail - agenda->head == agenda->line_room) {
    uint64_t room = agenda->line_room == 0 ? 1024 : 2 * agenda->line_room;
    struct event *line = grown(NULL, room * sizeof *line);
    for (uint64_t i = agenda->head; i < agenda->tail; i++)
      line[i & (room - 1)] = agenda->line[i & (agenda->line_room - 1)];
    free(agenda->line);
    agenda->line = line;
    agenda->line_room = room;
  }
  event.order = agenda->order++;
  agenda->line[agenda->tail++ & (agenda->line_room - 1)] = event;
}

static void heap_remove_first(struct agenda *agenda) {
  struct event last = agenda->heap[--agenda->used];
  uint64_t at = 0;
  for (;;) {
    uint64_t child = 2 * at + 1;
    if (child >= agenda->used)
      break;
    if (child + 1 < agenda->used && before(&agenda->heap[child + 1], &agenda->heap[child]))
      child++;
    if (!before(&agenda->heap[child], &last))
      break;
    agenda->heap[at] = agenda->heap[child];
    at = child;
  }
  agenda->heap[at] = last;
}

bool agenda_next(struct agenda *agenda, struct event *event) {
  const struct event *line =
      agenda->head == agenda->tail ? NULL : &agenda->line[agenda->head & (agenda->line_room - 1)];
  if (agenda->used > 0 && (line == NULL || before(&agenda->heap[0], line))) {
    *event = agenda->heap[0];
    heap_remove_first(agenda);
    return true;
  }
  if (line == NULL)
    return false;
  *event = *line;
  agenda->head++;
  return true;
}

void line_push(struct line *line, int32_t item) {
  if (line->tail - line->head == line->room) {
    uint32_t room = line->room == 0 ? 64 : 2 * line->room;
    int32_t *items = grown(NULL, room * sizeof *items);
    for (uint32_t i = line->head; i != line->tail; i++)
      items[i & (room - 1)] = line->items[i & (line->room - 1)];
    free(line->items);
    line->items = items;
    line->room = room;
  }
  line->items[line->tail++ & (line->room - 1)] = item;
}

int32_t line_pop(struct line *line) {
  return line->items[line->head++ & (line->room - 1)];
}
