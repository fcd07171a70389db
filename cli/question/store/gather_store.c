/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The series of one store (gather.h): its histograms, records, and messages whose delay is not
 * known.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/question/store/gather.h"
#include "measure/core/ticks.h"
#include "measure/read/store_read.h"

/* A word: what is printed into a line of its own and found again. */
static void put_word(struct text *text, const char *key, const char *value) {
  text_format(text, " %s=", key);
  for (; *value != '\0'; value++) {
    char c = *value > ' ' && *value < 127 ? *value : '_';
    text_append_bytes(text, &c, 1);
  }
}

char *gather_identity(const struct format_header *header) {
  struct text text;
  text_init(&text);
  text_append(&text, "store");
  put_word(&text, "node", header->node);
  put_word(&text, "host", header->host);
  text_format(&text, " process=%" PRIu64 " start=%" PRIu64 ".%" PRIu64, header->process,
              header->start_realtime_ns, header->start_ticks);
  return text_take(&text);
}

int gather_kind(const struct format_name *name) {
  if (name->series[0] == '\0' || name->kind == FORMAT_SEND || name->kind == FORMAT_ARRIVAL)
    return 0;
  return name->kind == FORMAT_ACTION ? FORMAT_COMPONENT : (int)name->kind;
}

uint32_t gather_first(const struct store_reader *reader, uint32_t name) {
  const char *series = store_reader_name(reader, name)->series;
  for (uint32_t i = 0; i < name; i++) {
    const struct format_name *other = store_reader_name(reader, i);
    if (gather_kind(other) != 0 && strcmp(other->series, series) == 0)
      return i;
  }
  return name;
}

/* A name is of one kind; what failed has no mark, and what was refused has no time. */
static void describe_evidence(struct evidence *evidence, const struct store_facts *facts) {
  const struct format_header *header = facts->header;
  const char *clock = header->clock == 2 ? "time stamp counter" : "CLOCK_MONOTONIC";
  char *identity = gather_identity(header);
  evidence_set_unknown(evidence, 0);
  evidence_add_text(&evidence->sources, identity, strlen(identity));
  evidence_add_text(&evidence->clocks, clock, strlen(clock));
  evidence->sources.known = evidence->clocks.known = evidence->kinds.known = true;
  evidence->edges = EDGES_BETWEEN;
  if (header->clock_resolution_ns <= INT64_MAX)
    evidence_set_range(&evidence->resolution_ns, 0, (int64_t)header->clock_resolution_ns);
  evidence_set_lost(evidence, EVIDENCE_CUT_OFF, facts->refused + facts->torn);
  mem_free(identity);
}

/* What all series of the store have in common; its name and sample are set for each. */
static void describe(struct series *about, const struct store_facts *facts) {
  const struct format_header *header = facts->header;
  series_init(about, "");
  about->steps = HISTOGRAM_SUB_BUCKETS;
  about->stores = (struct series_stores){.count = 1,
                                         .open = facts->closed ? 0 : 1,
                                         .missing = facts->refused + facts->torn,
                                         .resolution_ns = header->clock_resolution_ns,
                                         .cost_ps = header->clock_cost_ps,
                                         .counter = header->clock == 2,
                                         .monotonic = header->clock == 1};
  describe_evidence(&about->sample.evidence, facts);
}

static const char *group_of(const struct gather *gather, const struct format_header *header) {
  return gather->by == BY_NODE ? header->node : gather->by == BY_HOST ? header->host : NULL;
}

/* Adds the histograms of all names with the series of `first`. */
static enum status add_histograms(struct series *part, const struct store_reader *reader,
                                  uint32_t first, const char *path, struct text *message) {
  const struct format_header *header = store_reader_facts(reader)->header;
  struct histogram *histogram = mem_alloc(1, sizeof *histogram);
  const struct format_name *name;
  enum status status = STATUS_OK;
  for (uint32_t i = first; status == STATUS_OK && (name = store_reader_name(reader, i)) != NULL;
       i++) {
    if (gather_kind(name) == 0 || strcmp(name->series, part->name) != 0)
      continue;
    store_reader_histogram(reader, i, histogram);
    if (gather_kind(name) != part->kind) {
      text_format(message,
                  "%s: %s is a component and a message, or a request; give different things "
                  "different names",
                  path, part->name);
      status = STATUS_DATA;
    } else if (!series_add_histogram(part, histogram, header->ns_per_tick_up,
                                     header->ns_per_tick_down)) {
      text_format(message, "%s: %s counts more than 2^63-1 observations; the file is damaged", path,
                  part->name);
      status = STATUS_DATA;
    }
  }
  mem_free(histogram);
  return status;
}

/* A component d.PEER beside rtt.PEER is the network agent's (measure/agent/fleet.h): true for these
 * upper bounds of delays, which say nothing from below. */
static bool note_agent(struct series *part, const struct store_reader *reader) {
  const struct format_name *name;
  if (part->kind != FORMAT_COMPONENT || strncmp(part->name, "d.", 2) != 0)
    return false;
  for (uint32_t i = 0; (name = store_reader_name(reader, i)) != NULL; i++)
    if (name->kind == FORMAT_COMPONENT && strncmp(name->series, "rtt.", 4) == 0 &&
        strcmp(name->series + 4, part->name + 2) == 0) {
      lines_add(&part->notes, "upper bounds of delays, which the network agent took from round "
                              "trips and clocks: `at least` says nothing of them");
      return true;
    }
  return false;
}

/* Of the request itself, those that were not paired, as they have no record that ends. What may
 * have ended all the same is nothing at one end, and infinite at the other. */
static bool add_unfinished(struct sample *sample, const struct gather *gather,
                           const struct format_name *name) {
  const struct left_over *left = &gather->left_over;
  bool request = name->kind == FORMAT_REQUEST && strcmp(name->name, text_get(&left->request)) == 0;
  if (!request || left->excluded)
    return true;
  uint64_t doubtful = left_over_doubtful(left);
  return sample_add_beyond(sample, left->unpaired - doubtful) &&
         sample_add_range(sample, 0, SAMPLE_NS_MAX, doubtful);
}

static enum status add_series(struct gather *gather, const struct store_reader *reader,
                              uint32_t first, const struct series *about, const char *path,
                              struct text *message) {
  const struct format_name *what = store_reader_name(reader, first);
  const struct store_facts *facts = store_reader_facts(reader);
  struct series part;
  series_init(&part, what->series);
  part.kind = gather_kind(what);
  part.steps = about->steps;
  part.stores = about->stores;
  if (part.kind == FORMAT_DELAY || part.kind == FORMAT_ROUNDTRIP)
    part.stores.bad_stamps = facts->bad_stamps;
  evidence_copy(&part.sample.evidence, &about->sample.evidence);
  for (size_t i = 0; i < about->notes.count; i++)
    lines_add(&part.notes, about->notes.data[i]);
  bool bounds = note_agent(&part, reader);
  bool fits = sample_add_beyond(&part.sample, about->stores.missing) &&
              add_unfinished(&part.sample, gather, what);
  enum status status = add_histograms(&part, reader, first, path, message);
  for (size_t i = 0; i < part.sample.count && bounds; i++)
    part.sample.bins[i].lower_ns = 0;
  if (status == STATUS_OK && !fits) {
    text_format(message, "%s: says that 2^63 recordings were refused; the file is damaged", path);
    status = STATUS_DATA;
  }
  /* round trips stand for delays, so they are those that were measured */
  uint64_t least = part.kind == FORMAT_ROUNDTRIP ? about->stores.missing : 0;
  if (status == STATUS_OK && part.sample.total > least)
    status =
        series_table_add(&gather->table, &part, group_of(gather, facts->header), path, message);
  series_clear(&part);
  return status;
}

/* --- messages whose delay is not known --- */

static struct gathered_link *find_link(struct gather *gather, const char *delay) {
  for (size_t i = 0; i < gather->links.count; i++)
    if (strcmp(gather->links.data[i].delay, delay) == 0)
      return &gather->links.data[i];
  return NULL;
}

static const struct format_name *other_kind(const struct store_reader *reader, uint32_t kind,
                                            const char *name) {
  const struct format_name *found;
  for (uint32_t i = 0; (found = store_reader_name(reader, i)) != NULL; i++)
    if (found->kind == kind && strcmp(found->name, name) == 0)
      return found;
  return NULL;
}

static void note_link(struct gather *gather, const struct store_reader *reader,
                      const struct format_name *name) {
  const struct store_facts *facts = store_reader_facts(reader);
  struct gathered_link *link = find_link(gather, name->series);
  if (link == NULL) {
    const struct format_name *trip = other_kind(reader, FORMAT_ROUNDTRIP, name->name);
    struct gathered_link made = {
        .delay = mem_copy_text(name->series, strlen(name->series)),
        .round_trip = trip == NULL ? NULL : mem_copy_text(trip->series, strlen(trip->series)),
        .clock = facts->header->clock_identity};
    sample_init(&made.answers);
    vector_push(&gather->links, made);
    link = &gather->links.data[gather->links.count - 1];
  }
  link->lost_records += facts->overwritten;
  link->clocks_differ |= link->clock != facts->header->clock_identity;
}

struct arrivals {
  struct gather *gather;
  const struct store_reader *reader;
  const char *identity;
  struct store_record before;
  struct gathered_link *links[FORMAT_NAMES_MAX]; /* by name; NULL of what is no message */
};

static void note_links(struct arrivals *arrivals) {
  const struct format_name *name, *delay;
  for (uint32_t i = 0; (name = store_reader_name(arrivals->reader, i)) != NULL; i++)
    if (name->kind == FORMAT_DELAY)
      note_link(arrivals->gather, arrivals->reader, name);
  for (uint32_t i = 0; (name = store_reader_name(arrivals->reader, i)) != NULL; i++)
    if ((name->kind == FORMAT_SEND || name->kind == FORMAT_DELAY || name->kind == FORMAT_ARRIVAL) &&
        (delay = other_kind(arrivals->reader, FORMAT_DELAY, name->name)) != NULL)
      arrivals->links[i] = find_link(arrivals->gather, delay->series);
}

/* The round trip that ends with this arrival, which the recorder puts before it; false without. */
static bool ends_round_trip(uint64_t *ns, const struct arrivals *arrivals,
                            const struct store_record *arrival) {
  const struct store_record *before = &arrivals->before;
  const struct format_header *header = store_reader_facts(arrivals->reader)->header;
  if (before->position == 0 || before->position + 1 != arrival->position ||
      before->writer != arrival->writer || before->record.kind != FORMAT_ROUNDTRIP)
    return false;
  *ns = ticks_to_ns_up(before->record.end - before->record.start, header->ns_per_tick_up);
  return true;
}

static void add_arrival(struct arrivals *arrivals, struct gathered_link *link,
                        const struct store_record *record) {
  uint64_t ns;
  lines_add(&link->from, arrivals->identity);
  link->overwritten |= store_reader_facts(arrivals->reader)->overwritten != 0;
  if (!ends_round_trip(&ns, arrivals, record))
    link->unknown++;
  else if (ns > HISTOGRAM_VALUE_MAX_NS)
    sample_add_beyond(&link->answers, 1);
  else
    sample_add(&link->answers, histogram_upper_edge_ns(histogram_bucket(ns)), 1);
}

static int count_arrival(void *context, const struct store_record *record) {
  struct arrivals *arrivals = context;
  struct gathered_link *link = arrivals->links[record->record.name];
  if (link != NULL) {
    link->sent += record->record.kind == FORMAT_SEND;
    link->arrived += record->record.kind != FORMAT_SEND;
    if (record->record.kind == FORMAT_ARRIVAL)
      add_arrival(arrivals, link, record);
  }
  arrivals->before = *record;
  return 0;
}

static void gather_links(struct gather *gather, const struct store_reader *reader,
                         const char *identity) {
  struct arrivals *arrivals = mem_alloc(1, sizeof *arrivals);
  arrivals->gather = gather;
  arrivals->reader = reader;
  arrivals->identity = identity;
  note_links(arrivals);
  store_reader_each(reader, count_arrival, arrivals);
  mem_free(arrivals);
}

/* --- the whole --- */

/* What could not be paired, for the series of the store and for the table. */
static void note_left_over(struct gather *gather, struct series *about) {
  struct text note;
  text_init(&note);
  left_over_tell(&note, &gather->left_over);
  if (note.length != 0) {
    lines_add(&about->notes, note.data);
    lines_add(&gather->joined.unpaired, note.data);
    left_over_take_doubtful(&gather->joined.doubtful, &gather->left_over);
  }
  text_clear(&note);
}

static enum status check_whole(const struct gather *gather, const struct store_facts *facts,
                               const char *path, struct text *message) {
  if (facts->damaged && !gather->look) {
    text_format(message,
                "%s: was cut short or damaged, and how many recordings are missing is not known; "
                "copy it again from where it was recorded, or leave it out",
                path);
    return STATUS_DATA;
  }
  if (facts->clock_off && !gather->look) {
    text_format(
        message,
        "%s: the time stamp counter did not keep the rate that it was calibrated to (was the "
        "host stopped, or moved?), so that durations may be too short; record with "
        "TAILPROOF_CLOCK_MONOTONIC",
        path);
    return STATUS_DATA;
  }
  if (gather->by == BY_INDEX && facts->overwritten != 0) {
    text_format(message,
                "%s: --by index needs the whole log, but %" PRIu64 " of %" PRIu64
                " records were overwritten; record with larger logs (log_records of "
                "tailproof_open), or import without --by index",
                path, facts->overwritten, facts->overwritten + facts->records);
    return STATUS_DATA;
  }
  return STATUS_OK;
}

enum status gather_store(struct gather *gather, const struct store_reader *reader, const char *path,
                         struct text *message) {
  const struct store_facts *facts = store_reader_facts(reader);
  enum status status = check_whole(gather, facts, path, message);
  if (status != STATUS_OK)
    return status;
  status = left_over_read(&gather->left_over, path, message);
  if (status != STATUS_OK)
    return status;
  struct series about;
  describe(&about, facts);
  note_left_over(gather, &about);
  const struct format_name *name;
  for (uint32_t i = 0; status == STATUS_OK && (name = store_reader_name(reader, i)) != NULL; i++)
    if (gather_kind(name) != 0 && gather_first(reader, i) == i)
      status = add_series(gather, reader, i, &about, path, message);
  if (status == STATUS_OK)
    gather_links(gather, reader, about.sample.evidence.sources.list.data[0]);
  if (status == STATUS_OK && gather->by == BY_INDEX)
    status = gather_logs(gather, reader, path, &about, message);
  if (status == STATUS_OK && !gather->look)
    joined_add_store(&gather->joined, reader);
  series_clear(&about);
  return status;
}
