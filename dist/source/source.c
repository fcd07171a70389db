/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/source.h"

#include <stdio.h>
#include <string.h>

#include "base/invariant.h"
#include "base/file.h"
#include "base/memory.h"
#include "dist/source/reader.h"
#include "dist/source/tool.h"
#include "format/tell.h"

#define FILE_BYTES_MAX ((size_t)1 << 30)

void source_notes_init(struct source_notes *notes) {
  *notes = (struct source_notes){0};
}

void source_notes_clear(struct source_notes *notes) {
  for (size_t i = 0; i < notes->count; i++)
    mem_free(notes->lines[i]);
  mem_free(notes->lines);
  source_notes_init(notes);
}

static void notes_push(struct source_notes *notes, char *line) {
  if (notes->count == notes->capacity) {
    notes->capacity = notes->capacity == 0 ? 8 : 2 * notes->capacity;
    notes->lines = mem_resize(notes->lines, notes->capacity, sizeof *notes->lines);
  }
  notes->lines[notes->count++] = line;
}

void source_notes_add(struct source_notes *notes, const char *format, ...) {
  struct text line;
  text_init(&line);
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&line, format, arguments);
  va_end(arguments);
  reader_blank(&line, 0);
  notes_push(notes, text_take(&line));
}

void source_notes_move(struct source_notes *to, struct source_notes *from) {
  for (size_t i = 0; i < from->count; i++)
    notes_push(to, from->lines[i]);
  from->count = 0;
  source_notes_clear(from);
}

/* A table of HdrHistogram within what wrk2 prints, or alone. */
static enum status table_read(struct sample *out, const struct reader *reader) {
  const char *at = reader->bytes;
  struct slice line;
  return reader_line(&line, reader, &at) && wrk2_is_header(line) ? wrk2_read(out, reader)
                                                                 : hgrm_read(out, reader);
}

static enum status read_tool(struct sample *out, const struct reader *reader) {
  const struct tool *tool = tool_find(reader->known);
  return tool != NULL ? tool_read(out, reader, tool)
                      : reader_fail(reader, reader->bytes,
                                    "the file begins as none of the load tools that are known");
}

/* The first of several formats with one suffix stands for the suffix; which of them a file is, its
 * content says. */
static const struct {
  enum source_format format;
  enum format_id id; /* in the table; KNOWN_NONE: several, or none */
  const char *suffix, *name;
  enum status (*read)(struct sample *, const struct reader *);
} formats[] = {
    {FORMAT_CSV, KNOWN_NONE, ".csv", "a CSV table", csv_read},
    {FORMAT_PGBENCH, KNOWN_PGBENCH, ".csv", "a log of pgbench", pgbench_read},
    {FORMAT_JMETER, KNOWN_JMETER, ".csv", "a table of JMeter", jmeter_read},
    {FORMAT_TOOL, KNOWN_NONE, ".csv", "a table of a load tool", read_tool},
    {FORMAT_GO_BENCH, KNOWN_GO_BENCH, ".csv", "what Go's benchmarks print", go_bench_read},
    {FORMAT_HGRM, KNOWN_HGRM, ".hgrm", "a HdrHistogram percentile table", table_read},
    {FORMAT_REDIS, KNOWN_REDIS, ".hgrm", "a report of redis-benchmark", redis_read},
    {FORMAT_SYSBENCH, KNOWN_SYSBENCH, ".hgrm", "a report of sysbench", sysbench_read},
    {FORMAT_YCSB, KNOWN_YCSB, ".hgrm", "a report of YCSB", ycsb_read},
    {FORMAT_YCSB_RAW, KNOWN_YCSB_RAW, ".csv", "raw data of YCSB", ycsb_read},
    {FORMAT_HLOG, KNOWN_HLOG, ".hlog", "a HdrHistogram log", hlog_read},
    {FORMAT_TPH, KNOWN_TPH, ".tph", "a tailproof histogram", tph_read},
    {FORMAT_PROMETHEUS, KNOWN_PROMETHEUS, ".prom", "a Prometheus exposition", prometheus_read},
    {FORMAT_PROTOBUF, KNOWN_PROMETHEUS_PROTOBUF, ".pb", "a page of metrics in protobuf",
     prometheus_read},
    {FORMAT_JSON, KNOWN_NONE, ".json", "JSON", json_read},
    {FORMAT_TDIGEST, KNOWN_NONE, ".tdigest", "a t-digest", tdigest_read},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static bool ends_in(const char *path, size_t length, const char *suffix) {
  size_t size = strlen(suffix);
  return length > size && memcmp(path + length - size, suffix, size) == 0;
}

static enum source_format format_of_name(const char *path) {
  size_t length = strlen(path);
  if (ends_in(path, length, ".gz"))
    length -= strlen(".gz");
  for (size_t i = 0; i < FORMATS; i++)
    if (ends_in(path, length, formats[i].suffix))
      return formats[i].format;
  return FORMAT_UNKNOWN;
}

static enum source_format format_of_id(enum format_id id) {
  for (size_t i = 0; i < FORMATS && id != KNOWN_NONE; i++)
    if (formats[i].id == id)
      return formats[i].format;
  if (tool_find(id) != NULL)
    return FORMAT_TOOL;
  if (id == KNOWN_NONE || (format_row(id)->rank == FORMAT_FALLBACK && id != KNOWN_JSON_TEXT))
    return FORMAT_UNKNOWN;
  const char *suffix = format_row(id)->suffix;
  return suffix != NULL && strcmp(suffix, ".json") == 0 ? FORMAT_JSON : FORMAT_UNKNOWN;
}

/* What the beginning says; UNKNOWN is what may be a CSV table. */
static enum source_format format_of_content(const struct reader *reader) {
  return format_of_id(reader->known);
}

static size_t format_index(enum source_format format) {
  size_t i = 0;
  while (formats[i].format != format)
    i++;
  return i;
}

static const char *name_of(const struct reader *reader, enum source_format format) {
  return format == FORMAT_TOOL && tool_find(reader->known) != NULL
             ? format_row(reader->known)->name
             : formats[format_index(format)].name;
}

/* Whether one file may hold several measurements, of which --select chooses. */
static bool takes_choice(enum source_format format) {
  return format == FORMAT_PROMETHEUS || format == FORMAT_PROTOBUF || format == FORMAT_JSON ||
         format == FORMAT_YCSB || format == FORMAT_YCSB_RAW || format == FORMAT_CSV ||
         format == FORMAT_HLOG || format == FORMAT_PGBENCH || format == FORMAT_JMETER ||
         format == FORMAT_TOOL || format == FORMAT_GO_BENCH;
}

/* A page in protobuf; one that is damaged has only its name to tell. */
static bool is_binary(const struct reader *reader, enum source_format named) {
  if (protobuf_is(reader))
    return true;
  return named == FORMAT_PROTOBUF &&
         (memchr(reader->bytes, '\0', (size_t)(reader->end - reader->bytes)) != NULL ||
          format_of_content(reader) == FORMAT_UNKNOWN);
}

/* Whether the table knows it as what holds no measured times, under any name. */
static bool is_foreign(struct text *why, const struct reader *reader) {
  static const struct format_wanted samples = {1u << YIELDS_SAMPLES, "measured times", ""};
  struct text message;
  text_init(&message);
  bool foreign = format_refuse_bytes(
      &message, reader->path, (struct slice){reader->bytes, (size_t)(reader->end - reader->bytes)},
      &samples);
  if (foreign) /* without the name, which the reader's message has */
    text_append(why, text_get(&message) + strlen(file_name(reader->path)) + 2);
  text_clear(&message);
  return foreign;
}

/* *says is what the name says, and becomes what it is. */
static enum status read_as(struct sample *out, const struct reader *reader,
                           enum source_format *says) {
  enum source_format named = *says;
  struct text why;
  if (named == FORMAT_TDIGEST) /* whatever it looks like, text or not */
    return tdigest_read(out, reader);
  text_init(&why);
  bool foreign = is_foreign(&why, reader);
  if (foreign)
    reader_fail(reader, reader->bytes, "the file %s", text_get(&why));
  text_clear(&why);
  if (foreign)
    return STATUS_DATA;
  enum source_format content = reader->binary ? FORMAT_PROTOBUF : FORMAT_UNKNOWN;
  if (!reader->binary) {
    enum status status = reader_require_text(reader);
    if (status != STATUS_OK)
      return status;
    content = format_of_content(reader);
  }
  if (content == FORMAT_HLOG && named == FORMAT_HGRM && hlog_is_memtier(reader))
    named = FORMAT_HLOG;
  if (named != FORMAT_UNKNOWN && content != FORMAT_UNKNOWN &&
      strcmp(formats[format_index(named)].suffix, formats[format_index(content)].suffix) != 0)
    return reader_fail(
        reader, reader->bytes, "the name says it is %s, but it is %s; rename it to %s",
        name_of(reader, named), name_of(reader, content), formats[format_index(content)].suffix);
  if (content != FORMAT_UNKNOWN)
    named = content;
  if (named == FORMAT_UNKNOWN)
    named = FORMAT_CSV;
  if (reader->select != NULL && !takes_choice(named))
    return reader_fail(reader, reader->bytes,
                       "--select %.64s: there is nothing to choose in %s; leave it out",
                       reader->select, formats[format_index(named)].name);
  *says = named;
  return formats[format_index(named)].read(out, reader);
}

/* What follows from the observations. A histogram of ours says itself which edges belong to a
 * bucket. */
static void complete_evidence(struct sample *out, enum source_format format) {
  struct evidence *evidence = &out->evidence;
  evidence->draws = out->real;
  bool exact = true;
  for (size_t i = 0; i < out->count && exact; i++)
    exact = out->bins[i].lower_ns == out->bins[i].upper_ns;
  if (evidence->edges == EDGES_UNKNOWN && format != FORMAT_TPH)
    evidence->edges = exact || out->series_count != 0 ? EDGES_EXACT : EDGES_BETWEEN;
  if (out->series_count != 0)
    evidence->runs = 1;
}

enum status source_parse_as(struct sample *out, struct source_notes *notes,
                            enum source_format format, const struct source_page *page,
                            const struct source_options *options, struct tph_about *about,
                            struct text *message) {
  const char *unit = options->unit;
  sample_clear(out);
  if (unit != NULL && unit_exponent((struct slice){unit, strlen(unit)}) < 0) {
    text_format(message, "%s: the unit \"%s\" is none of ns, us, ms and s", page->name, unit);
    return STATUS_USAGE;
  }
  struct source_notes found;
  source_notes_init(&found);
  struct reader reader = {.path = page->name,
                          .bytes = page->bytes,
                          .end = page->bytes + page->length,
                          .unit = unit,
                          .notes = &found,
                          .message = message,
                          .is_delay = options->is_delay,
                          .about = about,
                          .select = options->select,
                          .since = options->since,
                          .time_ms = page->time_ms};
  reader_skip_mark(&reader);
  reader.known = format_tell_bytes(
                     (struct slice){reader.bytes, (size_t)(reader.end - reader.bytes)}, page->name)
                     .id;
  reader.binary = is_binary(&reader, format);
  evidence_set_unknown(&out->evidence, 0);
  enum status status = read_as(out, &reader, &format);
  if (status == STATUS_OK && out->total == 0)
    status = reader_fail(&reader, reader.bytes,
                         "the file counts no observation; at least one is needed");
  if (status == STATUS_OK && page->unchecked)
    source_notes_add(&found, "%s: whose answer it is was not checked (--insecure)", page->name);
  if (status == STATUS_OK) {
    sample_finish(out);
    complete_evidence(out, format);
    invariant(sample_is_valid(out) && evidence_is_valid(&out->evidence));
    source_notes_move(notes, &found);
  } else {
    sample_clear(out);
    source_notes_clear(&found);
  }
  return status;
}

enum status source_parse(struct sample *out, struct source_notes *notes, enum source_format format,
                         const char *path, const char *bytes, size_t length, const char *unit,
                         struct tph_about *about, struct text *message) {
  const struct source_page page = {.name = path, .bytes = bytes, .length = length};
  const struct source_options options = {.unit = unit, .is_delay = true};
  return source_parse_as(out, notes, format, &page, &options, about, message);
}

enum status source_read(struct sample *out, struct source_notes *notes, const char *path,
                        const char *unit, struct text *message) {
  const struct source_options options = {.unit = unit};
  return source_read_with(out, notes, NULL, path, &options, message);
}

enum status source_read_with(struct sample *out, struct source_notes *notes,
                             struct source_about *about, const char *path,
                             const struct source_options *options, struct text *message) {
  char *bytes;
  size_t length;
  sample_clear(out);
  enum status status = file_read_or_input(path, FILE_BYTES_MAX, &bytes, &length, message);
  if (status != STATUS_OK)
    return status;
  const struct source_page page = {.name = file_name(path), .bytes = bytes, .length = length};
  status = source_parse_as(out, notes, format_of_name(path), &page, options,
                           about == NULL ? NULL : &about->histogram, message);
  if (status == STATUS_OK)
    source_keep_digest(&out->evidence, bytes, length);
  mem_free(bytes);
  return status;
}

void source_keep_digest(struct evidence *evidence, const char *bytes, size_t length) {
  char line[DIGEST_LENGTH + 16], digest[DIGEST_LENGTH + 1];
  if (evidence->sources.list.count != 0)
    return;
  digest_bytes(digest, bytes, length);
  snprintf(line, sizeof line, "file sha256=%s", digest);
  evidence_add_text(&evidence->sources, line, strlen(line));
  evidence->sources.known = true;
}

bool source_is_ycsb(const char *path) {
  char *bytes;
  size_t length;
  struct text ignored;
  text_init(&ignored);
  enum source_format format = FORMAT_UNKNOWN;
  if (file_read_or_input(path, FILE_BYTES_MAX, &bytes, &length, &ignored) == STATUS_OK) {
    struct reader reader = {.bytes = bytes, .end = bytes + length};
    reader_skip_mark(&reader);
    format = format_of_content(&reader);
    mem_free(bytes);
  }
  text_clear(&ignored);
  return format == FORMAT_YCSB || format == FORMAT_YCSB_RAW;
}

bool source_is_protobuf(const char *bytes, size_t length) {
  const struct reader reader = {.bytes = bytes, .end = bytes + length};
  return protobuf_is(&reader);
}

enum status source_read_page(struct sample *out, struct source_notes *notes,
                             const struct source_page *page, const struct source_options *options,
                             struct text *message) {
  return source_parse_as(out, notes, FORMAT_UNKNOWN, page, options, NULL, message);
}
