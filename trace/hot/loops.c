/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/hot/loops.h"

static void add_link(hot_stretches *stretches, const struct event_link *link,
                     const struct hot_stretch *where) {
  struct hot_stretch stretch = *where;
  stretch.start = link->ready_high;
  stretch.end = link->begin;
  stretch.waiting = true;
  if (stretch.start < stretch.end)
    vector_push(stretches, stretch);
  stretch.start = link->begin;
  stretch.end = link->stop;
  stretch.waiting = false;
  if (stretch.start < stretch.end)
    vector_push(stretches, stretch);
}

void hot_stretches_of_loops(hot_stretches *stretches, const struct event_log *log,
                            const struct event_chains *chains) {
  for (uint32_t c = 0; c < chains->chains.count; c++) {
    const struct event_chain *chain = &chains->chains.data[c];
    if (chain->state != CHAIN_COMPLETE)
      continue;
    uint32_t number = log->requests.data[chain->request].loop;
    const struct event_loop *loop = &log->loops.data[number];
    struct hot_stretch where = {.request = c, .process = (uint32_t)loop->process};
    where.thread = loop->thread == 0 ? where.process : 0;
    for (uint32_t i = 0; i < chain->count; i++) {
      const struct event_link link = event_link_at(chains, log, chain, i);
      add_link(stretches, &link, &where);
    }
  }
}
