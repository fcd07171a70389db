/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "measure/agent/keeper.h"

enum page_kind {
  PAGE_COUNTER, /* of a peer: a uint64_t of struct peer_counts */
  PAGE_OWN,     /* of the agent: a uint64_t of struct agent_counts */
  PAGE_UP,
  PAGE_OFFSET, /* an end of the interval of clock differences, ns */
  PAGE_HISTOGRAM,
  PAGE_SAMPLING,  /* of the sampling: a uint64_t of struct keeper_counts */
  PAGE_FUNCTIONS, /* text of its own */
  PAGE_FILE,      /* text of another program */
};

#define PREFIX "tailproof_agent_"
#define COUNTER(name, member, help)                                                                \
  { PREFIX name "_total", help, PAGE_COUNTER, offsetof(struct peer, counts.member) }
#define OWN(name, member, help)                                                                    \
  { PREFIX name "_total", help, PAGE_OWN, offsetof(struct agent_counts, member) }

#define SAMPLING(name, member, help)                                                               \
  { PREFIX name, help, PAGE_SAMPLING, offsetof(struct keeper_counts, member) }

static const struct page_metric {
  const char *name, *help;
  enum page_kind kind;
  size_t offset;
} metrics[] = {
    {PREFIX "delay_seconds",
     "Upper bound of the delay of a question to the peer, by the interval of clock differences. "
     "Lost ones are infinite: they count in +Inf, not in the sum.",
     PAGE_HISTOGRAM, offsetof(struct peer, delay)},
    {PREFIX "roundtrip_seconds",
     "From a question to its answer. Lost ones are infinite: they count in +Inf, not in the sum.",
     PAGE_HISTOGRAM, offsetof(struct peer, roundtrip)},
    COUNTER("sent", sent, "Questions to the peer: answered, lost, clock_back or under way."),
    COUNTER("answered", answered, "Questions that the peer answered in time."),
    COUNTER("lost", lost, "Questions without an answer in time."),
    COUNTER("unknown", unknown, "Answers that nothing awaits: duplicates and late ones."),
    COUNTER("clock_back", clock_back, "Answers before their question, by the agent's clock."),
    COUNTER("clock_jumps", clock_jumps,
            "Answers that contradict what was known of the peer's clock."),
    COUNTER("questions", questions, "Questions of the peer that were answered."),
    COUNTER("unsent", unsent, "Questions that the system refused to send; they end as lost."),
    COUNTER("skipped", skipped, "Questions not asked, since the agent was held up."),
    COUNTER("unrecorded", unrecorded, "Durations that the store had no place for."),
    {PREFIX "peer_up", "0 after three lost questions in a row, until the next answer.", PAGE_UP, 0},
    {PREFIX "clock_offset_low_seconds",
     "The peer's clock minus this one was at least this at its latest answer.", PAGE_OFFSET,
     offsetof(struct peer, offset.low)},
    {PREFIX "clock_offset_high_seconds",
     "The peer's clock minus this one was at most this at its latest answer.", PAGE_OFFSET,
     offsetof(struct peer, offset.high)},
    OWN("garbage", garbage, "Packets that are no probes."),
    OWN("strangers", strangers, "Probes from addresses of no peer, not answered."),
    OWN("answered_strangers", answered_strangers, "Questions of no peer that were answered."),
    OWN("bad_reloads", bad_reloads, "Configurations that were not taken over."),
    SAMPLING("profile_samples_total", samples, "Stacks that were sampled, of whole files."),
    SAMPLING("profile_lost_total", lost, "Samples for which there was no space."),
    SAMPLING("profile_files_total", files, "Files of samples that were finished."),
    SAMPLING("profile_breaches_total", breaches, "Breaches of the objective that were kept."),
    SAMPLING("profile_rate", rate, "Samples a second of processor time, now."),
    SAMPLING(
        "profile_sample_cost", cost,
        "Nanoseconds that a sample takes from the program it interrupts, measured at the start."),
    {PREFIX "profile_functions", "", PAGE_FUNCTIONS, 0},
    {PREFIX "file", "", PAGE_FILE, 0},
};

enum { METRICS = sizeof metrics / sizeof *metrics };

struct part {
  char *text;
  size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct part *part, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int length = vsnprintf(part->text + part->length, PAGE_PART - part->length, format, values);
  va_end(values);
  if (length > 0 && (size_t)length < PAGE_PART - part->length)
    part->length += (size_t)length;
}

uint32_t page_metrics(void) {
  return METRICS;
}

int page_metric_find(const char *name) {
  for (int i = 0; i < METRICS; i++)
    if (strcmp(metrics[i].name, name) == 0)
      return i;
  return -1;
}

uint32_t page_metric_parts(const struct page_source *source, uint32_t metric) {
  switch (metrics[metric].kind) {
  case PAGE_OWN:
    return 1;
  case PAGE_SAMPLING:
    return source->keeper != NULL;
  case PAGE_FUNCTIONS:
    return source->keeper == NULL ? 0 : keeper_pages(source->keeper, PAGE_PART);
  case PAGE_FILE:
    return source->file != NULL && source->file[0] != '\0';
  default:
    return source->fleet->count;
  }
}

static void add_histogram(struct part *part, const char *name, const char *labels,
                          const struct ladder *ladder) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < LADDER_EDGES; i++) {
    count += ladder->counts[i];
    add(part, "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", name, labels, ladder_edges[i].seconds,
        count);
  }
  count += ladder->counts[LADDER_EDGES];
  add(part, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels, count);
  add(part, "%s_sum{%s} %" PRIu64 ".%09" PRIu64 "\n", name, labels, ladder->sum_ns / 1000000000,
      ladder->sum_ns % 1000000000);
  add(part, "%s_count{%s} %" PRIu64 "\n", name, labels, count);
}

/* Exact, and without the sign being lost below one second. */
static void add_seconds(struct part *part, const char *name, const char *labels, int64_t ns) {
  uint64_t size = ns < 0 ? (uint64_t) - (ns + 1) + 1 : (uint64_t)ns;
  add(part, "%s{%s} %s%" PRIu64 ".%09" PRIu64 "\n", name, labels, ns < 0 ? "-" : "",
      size / 1000000000, size % 1000000000);
}

static void add_peer(struct part *part, const struct page_metric *metric, const char *labels,
                     const struct peer *peer) {
  const void *value = (const char *)peer + metric->offset;
  switch (metric->kind) {
  case PAGE_HISTOGRAM:
    add_histogram(part, metric->name, labels, value);
    break;
  case PAGE_OFFSET:
    if (peer->has_offset)
      add_seconds(part, metric->name, labels, *(const int64_t *)value);
    break;
  case PAGE_UP:
    add(part, "%s{%s} %d\n", metric->name, labels, !peer->watch.gone);
    break;
  default:
    add(part, "%s{%s} %" PRIu64 "\n", metric->name, labels, *(const uint64_t *)value);
  }
}

static const char *type_of(const struct page_metric *metric) {
  size_t length = strlen(metric->name);
  if (metric->kind == PAGE_HISTOGRAM)
    return "histogram";
  return length > 6 && strcmp(metric->name + length - 6, "_total") == 0 ? "counter" : "gauge";
}

/* What is of the agent and of no peer. */
static void add_own(struct part *part, const struct page_source *source,
                    const struct page_metric *row) {
  struct keeper_counts counts = {0};
  const void *base = source->counts;
  if (row->kind == PAGE_SAMPLING) {
    counts = keeper_counts(source->keeper);
    base = &counts;
  }
  const uint64_t *value = (const void *)((const char *)base + row->offset);
  add(part, "%s{node=\"%s\"} %" PRIu64 "\n", row->name, source->node, *value);
}

/* Whole, since it fits into one part; else a comment says why not. Nothing that may make the reader
 * wait is opened. */
static void add_file(struct part *part, const char *path) {
  struct stat about;
  struct text message;
  char *bytes = NULL;
  size_t length = 0;
  text_init(&message);
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
    text_format(&message, "%s: is no regular file", path);
  else
    file_read(path, PAGE_PART - 2, &bytes, &length, &message);
  if (message.length != 0)
    add(part, "# %.1000s\n", message.data);
  else
    add(part, "%s%s", bytes, length == 0 || bytes[length - 1] == '\n' ? "" : "\n");
  mem_free(bytes);
  text_clear(&message);
}

size_t page_part(char text[PAGE_PART], const struct page_source *source, uint32_t metric,
                 uint32_t number, bool head, const char *peer) {
  const struct page_metric *row = &metrics[metric];
  struct part part = {.text = text};
  if (row->kind == PAGE_FUNCTIONS)
    return peer == NULL ? keeper_page(source->keeper, number, text, PAGE_PART) : 0;
  if (row->kind == PAGE_FILE) {
    if (peer == NULL)
      add_file(&part, source->file);
    return part.length;
  }
  if (head)
    add(&part, "# HELP %s %s\n# TYPE %s %s\n", row->name, row->help, row->name, type_of(row));
  char labels[160];
  if (row->kind == PAGE_OWN || row->kind == PAGE_SAMPLING) {
    if (peer == NULL)
      add_own(&part, source, row);
    return part.length;
  }
  const struct peer *shown = source->fleet->peers[number];
  if (peer != NULL && strcmp(peer, shown->name) != 0)
    return part.length;
  snprintf(labels, sizeof labels, "node=\"%s\",peer=\"%s\"", source->node, shown->name);
  add_peer(&part, row, labels, shown);
  return part.length;
}
