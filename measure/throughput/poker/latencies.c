/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long each request of the service took, and how much of that the others were paused, as rows
 * of a file (work.h); and its own pauses. Requests come from the page in the order in which they
 * ended.
 */
#include "measure/throughput/poker/work.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { LATENCIES_MS = 1 };

/* A service that is followed is not paused itself: its pauses are the others', which it began. */
static enum pauser_known paused(struct poker *poker, uint64_t begin_ns, uint64_t end_ns,
                                uint64_t *paused_ns) {
  if (!poker->follow.on)
    return pauser_paused(poker->pauser, begin_ns, end_ns, paused_ns);
  return history_paused(paused_ns, &poker->follow.others, begin_ns, end_ns) ? PAUSER_KNOWN
                                                                            : PAUSER_FORGOTTEN;
}

/* The next request: false when it has not ended, or cannot be told yet. */
static bool take(struct poker *poker) {
  struct poker_latencies *latencies = &poker->latencies;
  uint64_t begin_ns, end_ns, paused_ns;
  enum folder_times found = folder_times(&poker->folder, latencies->next, &begin_ns, &end_ns);
  if (found == FOLDER_TIMES_NONE)
    return false;
  enum pauser_known known =
      found == FOLDER_TIMES ? paused(poker, begin_ns, end_ns, &paused_ns) : PAUSER_FORGOTTEN;
  if (known == PAUSER_LATER)
    return false;
  latencies->next++;
  if (known == PAUSER_FORGOTTEN || end_ns < begin_ns)
    latencies->lost++;
  else
    fprintf(latencies->file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",request\n", begin_ns,
            end_ns - begin_ns, paused_ns);
  return true;
}

/* The service's own pauses, as they were. */
static void take_pauses(struct poker *poker) {
  struct poker_latencies *latencies = &poker->latencies;
  uint64_t from_ns, until_ns;
  for (; pauser_pause(poker->pauser, latencies->pauses, &from_ns, &until_ns); latencies->pauses++)
    fprintf(latencies->file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",pause\n", from_ns,
            until_ns - from_ns, until_ns - from_ns);
}

void latencies_take(struct poker *poker) {
  if (poker->latencies.file == NULL)
    return;
  while (take(poker))
    ;
  take_pauses(poker);
  fflush(poker->latencies.file);
}

static void due(uv_timer_t *timer) {
  latencies_take(timer->data);
}

int latencies_start(struct poker *poker) {
  if (poker->latencies.file == NULL)
    return 0;
  uv_timer_init(&poker->loop, &poker->latencies.timer);
  poker->latencies.timer.data = poker;
  return uv_timer_start(&poker->latencies.timer, due, LATENCIES_MS, LATENCIES_MS);
}

int latencies_open(struct poker *poker) {
  const char *path = poker->options->latencies;
  if (path == NULL)
    return 0;
  poker->latencies.next = 1;
  poker->latencies.file = fopen(path, "we");
  if (poker->latencies.file == NULL)
    return errno;
  fputs("begin_ns,took_ns,paused_ns,what\n", poker->latencies.file);
  return fflush(poker->latencies.file) == 0 ? 0 : errno;
}

void latencies_close(struct poker *poker) {
  struct poker_latencies *latencies = &poker->latencies;
  if (latencies->file == NULL)
    return;
  bool failed = ferror(latencies->file) != 0;
  if (fclose(latencies->file) != 0 || failed)
    tell(&poker->teller, "%s: cannot be written: %s", poker->options->latencies, strerror(errno));
  latencies->file = NULL;
}
