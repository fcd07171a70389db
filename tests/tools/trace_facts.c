/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known of each request of traces, one line each with tabs between: trace, spans, services,
 * roots, id, service and operation of the root, its start and latency in us; with --count only how
 * many requests and spans there are. The ledger goes to stderr.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/span/read.h"

static uint64_t spans, requests;

static void hear(void *context, enum saying saying, const char *line) {
  (void)context;
  (void)saying;
  fprintf(stderr, "%s\n", line);
}

static uint32_t count_services(const struct span_store *store, const struct request *request) {
  uint32_t count = 0;
  for (uint32_t i = request->first; i < request->first + request->count; i++) {
    uint32_t k = request->first;
    while (store->service.data[k] != store->service.data[i])
      k++;
    count += k == i;
  }
  return count;
}

static uint32_t count_roots(const struct span_store *store, const struct request *request) {
  uint32_t count = 0;
  for (uint32_t i = request->first; i < request->first + request->count; i++)
    count += store->parent.data[i] == SPAN_NONE;
  return count;
}

static enum status show(struct span_store *store, size_t index, void *context) {
  const struct request *request = &store->requests.data[index];
  uint32_t root = request->first;
  requests++;
  spans += request->count;
  if (*(const bool *)context)
    return STATUS_OK;
  struct slice id = span_store_id(store, root);
  printf("%.*s\t%u\t%u\t%u\t%.*s\t%s\t%s\t%" PRId64 "\t%" PRId64 "\n", (int)request->id.length,
         request->id.start, request->count, count_services(store, request),
         count_roots(store, request), (int)id.length, id.start,
         names_text(&store->names, store->service.data[root]),
         names_text(&store->names, store->operation.data[root]), store->start.data[root] / 1000,
         span_store_latency(store, request) / 1000);
  return STATUS_OK;
}

int main(int count, char **arguments) {
  bool counting = count > 1 && strcmp(arguments[1], "--count") == 0;
  struct span_store store;
  struct ledger ledger;
  span_store_init(&store);
  ledger_init(&ledger);
  struct trace_reading reading = {.ids = true, .visit = show, .context = &counting};
  enum status status =
      trace_read(&store, (const char *const *)arguments + 1 + counting,
                 (size_t)(count - 1 - counting), &reading, &ledger, &(struct asker){.say = hear});
  for (size_t i = 0; i < ledger.count; i++)
    fprintf(stderr, "# %s\n", ledger.lines[i].text);
  if (counting)
    printf("%" PRIu64 " requests, %" PRIu64 " spans\n", requests, spans);
  ledger_clear(&ledger);
  span_store_clear(&store);
  return (int)status;
}
