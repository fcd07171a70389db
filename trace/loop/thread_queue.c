/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/thread_queue.h"

#include "trace/loop/pool_work.h"

enum { MARK = THREAD_WORK_NONE - 1, TAKEN_MOST = 4096 };

static void add(struct thread_line *line, uint32_t number) {
  vector_push(&line->numbers, number);
}

static size_t waiting(const struct thread_line *line) {
  return line->numbers.count - line->first;
}

/* The first; there is one. */
static uint32_t take(struct thread_line *line) {
  uint32_t number = line->numbers.data[line->first++];
  if (waiting(line) == 0)
    line->numbers.count = line->first = 0;
  if (line->first < TAKEN_MOST || line->first < waiting(line))
    return number;
  for (size_t i = line->first; i < line->numbers.count; i++)
    line->numbers.data[i - line->first] = line->numbers.data[i];
  line->numbers.count = waiting(line);
  line->first = 0;
  return number;
}

void thread_queue_clear(struct thread_queue *queue) {
  vector_clear(&queue->common.numbers);
  vector_clear(&queue->names.numbers);
  vector_clear(&queue->coming.items);
  vector_clear(&queue->ending.items);
}

void thread_queue_ask(struct thread_queue *queue, int64_t time, uint32_t number) {
  heap_add(&queue->coming, time, number);
}

static int64_t first_of(const struct heap *heap) {
  return heap->items.count == 0 ? INT64_MAX : heap->items.data[0].key;
}

int64_t thread_queue_next(const struct thread_queue *queue) {
  int64_t coming = first_of(&queue->coming), ending = first_of(&queue->ending);
  return coming < ending ? coming : ending;
}

static void set_mark(struct thread_queue *queue) {
  queue->marked = true;
  add(&queue->common, MARK);
}

uint32_t thread_queue_step(struct thread_queue *queue) {
  if (first_of(&queue->ending) <= first_of(&queue->coming)) {
    uint32_t number = heap_take(&queue->ending).number;
    thread_queue_leave(queue, number);
    return number;
  }
  uint32_t number = heap_take(&queue->coming).number;
  if (queue->is_name[number] == 0) {
    add(&queue->common, number);
  } else {
    add(&queue->names, number);
    if (!queue->marked)
      set_mark(queue);
  }
  return THREAD_WORK_NONE;
}

static bool may_look_up(const struct thread_queue *queue) {
  return queue->looking_up < pool_threads_for_names(queue->threads);
}

uint32_t thread_queue_take(struct thread_queue *queue) {
  while (queue->busy < queue->threads && waiting(&queue->common) != 0) {
    bool only_names = waiting(&queue->common) == 1 && queue->marked;
    if (only_names && !may_look_up(queue))
      break;
    uint32_t number = take(&queue->common);
    if (number == MARK && !may_look_up(queue)) {
      add(&queue->common, MARK);
      continue;
    }
    if (number == MARK) {
      queue->marked = false;
      number = take(&queue->names);
      queue->looking_up++;
      if (waiting(&queue->names) != 0)
        set_mark(queue);
    }
    queue->busy++;
    return number;
  }
  return THREAD_WORK_NONE;
}

void thread_queue_leave(struct thread_queue *queue, uint32_t number) {
  queue->busy--;
  queue->looking_up -= queue->is_name[number] != 0;
}

void thread_queue_end_at(struct thread_queue *queue, uint32_t number, int64_t end) {
  heap_add(&queue->ending, end, number);
}
