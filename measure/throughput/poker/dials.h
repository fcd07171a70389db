/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The neighbours that a poker keeps connected to: whoever does not answer, or goes away, is tried
 * again after a while that doubles up to DIALS_LATEST_MS. Host names are looked up beside the loop,
 * each time anew. Nothing that a neighbour does or leaves undone is an error here.
 */
#ifndef MEASURE_THROUGHPUT_POKER_DIALS_H
#define MEASURE_THROUGHPUT_POKER_DIALS_H

#include "measure/throughput/poker/links.h"
#include "measure/throughput/poker/tell.h"

#define DIALS_MOST 96
#define DIALS_FIRST_MS 50
#define DIALS_LATEST_MS 3200

struct dials;

struct dial {
  struct dials *dials;
  char address[ADDRESS_TEXT];
  struct address place;
  struct link *link; /* NULL: none */
  bool looking;      /* a look-up is under way */
  bool unwanted;     /* not to be tried any more */
  bool told;         /* that it cannot be reached */
  uint32_t wait_ms, tries;
  uv_timer_t timer;
  uv_getaddrinfo_t lookup;
};

struct dials {
  uv_loop_t *loop;
  struct links *links;
  struct teller *teller;
  bool closing;
  uint32_t count;
  struct dial list[DIALS_MOST];
};

void dials_init(struct dials *dials, uv_loop_t *loop, struct links *links, struct teller *teller);

/* A neighbour to be reached from now on. 0, also when it is one already; EINVAL: no address;
 * ENOSPC: too many. */
int dials_add(struct dials *dials, const char *address);

/* What the owner of a link has to be told: that the neighbour is there (its link has joined), that
 * the link is closed, that it is not to be tried again. */
void dial_reached(struct dial *dial);
void dial_lost(struct dial *dial, const char *why);
void dial_forget(struct dial *dial);

/* Ends; the loop has to run until the handles are closed. Links are not closed. */
void dials_close(struct dials *dials);

#endif
