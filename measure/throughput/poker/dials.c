/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/dials.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

static void try_again(struct dial *dial);

void dials_init(struct dials *dials, uv_loop_t *loop, struct links *links, struct teller *teller) {
  memset(dials, 0, sizeof *dials);
  dials->loop = loop;
  dials->links = links;
  dials->teller = teller;
}

/* Says so once, until it has been reached. */
static void complain(struct dial *dial, const char *why) {
  if (!dial->told)
    tell(dial->dials->teller, "neighbour %s: %s; it is tried again and again", dial->address, why);
  dial->told = true;
}

/* One of the addresses of the host, each time another. */
static const struct addrinfo *choose(const struct dial *dial, const struct addrinfo *found) {
  uint32_t count = 0;
  for (const struct addrinfo *at = found; at != NULL; at = at->ai_next)
    count++;
  const struct addrinfo *at = found;
  for (uint32_t skip = dial->tries % (count == 0 ? 1 : count); skip > 0; skip--)
    at = at->ai_next;
  return at;
}

static void looked_up(uv_getaddrinfo_t *lookup, int status, struct addrinfo *found) {
  struct dial *dial = lookup->data;
  dial->looking = false;
  if (!dial->dials->closing && !dial->unwanted) {
    if (status == 0 && found != NULL) {
      struct sockaddr *address = choose(dial, found)->ai_addr;
      address_set_port(address, dial->place.port);
      dial->tries++;
      dial->link = links_connect(dial->dials->links, address, dial);
      if (dial->link == NULL)
        complain(dial, "no connection can be begun");
    } else {
      complain(dial, uv_strerror(status));
    }
    if (dial->link == NULL)
      try_again(dial);
  }
  uv_freeaddrinfo(found);
}

static void start(uv_timer_t *timer) {
  struct dial *dial = timer->data;
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  if (dial->looking || dial->link != NULL || dial->unwanted || dial->dials->closing)
    return;
  int error =
      uv_getaddrinfo(dial->dials->loop, &dial->lookup, looked_up, dial->place.host, NULL, &hints);
  dial->looking = error == 0;
  if (error != 0) {
    complain(dial, uv_strerror(error));
    try_again(dial);
  }
}

/* A little earlier or later, so that many that lost one neighbour do not all come at once. */
static void try_again(struct dial *dial) {
  uint32_t wait_ms = dial->wait_ms;
  if (dial->unwanted || dial->dials->closing)
    return;
  dial->wait_ms = wait_ms * 2 < DIALS_LATEST_MS ? wait_ms * 2 : DIALS_LATEST_MS;
  wait_ms += (uint32_t)(uv_hrtime() / 1024 % (wait_ms / 4 + 1));
  uv_timer_start(&dial->timer, start, wait_ms, 0);
}

int dials_add(struct dials *dials, const char *address) {
  struct address place;
  if (!address_read(&place, address, 1))
    return EINVAL;
  for (uint32_t i = 0; i < dials->count; i++)
    if (strcmp(dials->list[i].address, address) == 0)
      return 0;
  if (dials->count == DIALS_MOST)
    return ENOSPC;
  struct dial *dial = &dials->list[dials->count];
  dial->dials = dials;
  dial->place = place;
  dial->wait_ms = DIALS_FIRST_MS;
  memcpy(dial->address, address, strlen(address) + 1);
  dial->lookup.data = dial;
  uv_timer_init(dials->loop, &dial->timer);
  dial->timer.data = dial;
  dials->count++;
  start(&dial->timer);
  return 0;
}

void dial_reached(struct dial *dial) {
  dial->wait_ms = DIALS_FIRST_MS;
  dial->told = false;
}

void dial_lost(struct dial *dial, const char *why) {
  dial->link = NULL;
  if (dial->unwanted || dial->dials->closing)
    return;
  complain(dial, *why == '\0' ? "the connection was closed" : why);
  try_again(dial);
}

void dial_forget(struct dial *dial) {
  dial->unwanted = true;
}

void dials_close(struct dials *dials) {
  dials->closing = true;
  for (uint32_t i = 0; i < dials->count; i++) {
    if (dials->list[i].looking)
      uv_cancel((uv_req_t *)&dials->list[i].lookup);
    uv_close((uv_handle_t *)&dials->list[i].timer, NULL);
  }
}
