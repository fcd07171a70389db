/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a service and its poker share: one page of memory, in which the service counts its requests
 * (tailproof_counter_open) and the poker reads them. The poker makes a folder of its own (mode
 * 0700) and names it to the service in the environment variable TAILPROOF_POKER; in it:
 *
 *   page     this structure, one page
 *   wake     a FIFO: the service writes one byte when `begun` has reached `wake_at`
 *   count    a FIFO for programs in any language: each byte written is one request that begins;
 *            its path is also in TAILPROOF_POKER_COUNT
 *
 * The service owns begun, ended, busy_ns, at_once_most, told, recent and neighbours; the poker the
 * rest. All counters only grow and are changed by atomic additions, so that threads and processes
 * of the service may share the page. The service never waits for its poker.
 */
#ifndef MEASURE_RECORD_COUNT_PAGE_H
#define MEASURE_RECORD_COUNT_PAGE_H

#include <stdint.h>

#define PAGE_MAGIC 0x454741504b4f5054u /* "TPOKPAGE" */
#define PAGE_VERSION 2
#define PAGE_NEIGHBOURS 32
#define PAGE_NEIGHBOUR_TEXT 64
#define PAGE_RECENT 64

/* A request that ended. Whoever reads it looks at `number` before and after: it is 0 while the
 * times are written. */
struct page_request {
  uint64_t number;           /* of the request among those that ended, from 1 */
  uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
};

struct poker_page {
  uint64_t magic;
  uint32_t version, bytes; /* sizeof(struct poker_page) */
  uint64_t begun;          /* requests whose work began */
  uint64_t ended;
  uint64_t busy_ns;      /* sum of the time between, of those that ended */
  uint64_t at_once_most; /* most requests between beginning and end at one time */
  uint64_t wake_at;      /* who makes `begun` at least this sets it to UINT64_MAX by exchange and,
                          * if it was not that before, writes a byte to `wake`; UINT64_MAX: nobody */
  uint64_t told;         /* requests that have, or are getting, a place in `recent` */
  uint32_t neighbours_used; /* slots taken, each by compare-and-exchange */
  uint32_t reserved;
  /* HOST:PORT of the pokers of services that this one calls; the first byte is written last, so a
   * slot that begins with zero is not filled yet. After that a byte goes to `wake`. */
  char neighbours[PAGE_NEIGHBOURS][PAGE_NEIGHBOUR_TEXT];
  struct page_request recent[PAGE_RECENT]; /* request n is in place (n - 1) % PAGE_RECENT */
};

_Static_assert(sizeof(struct poker_page) <= 4096, "one page");

#endif
