/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the histogram text of our own recorder (dist/source/tph.h).
 */
#include "dist/source/reader.h"
#include "dist/source/tph.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/vector.h"

/* The first KEY_REQUIRED stand exactly once. */
enum key {
  KEY_NAME,
  KEY_UNIT,
  KEY_SUB_BUCKETS,
  KEY_TOTAL,
  KEY_SATURATED,
  KEY_REQUIRED,
  KEY_FROM = KEY_REQUIRED,
  KEY_NOTE,
  KEY_WORTH,
  KEY_EVIDENCE,
  KEY_COUNT
};

static const char *const key_names[KEY_COUNT] = {
    "name", "unit", "sub_buckets", "total", "saturated", "from", "note", "worth", "evidence"};

struct header {
  bool seen[KEY_COUNT];
  uint64_t numbers[KEY_COUNT]; /* of the numeric keys */
  struct slice total;          /* where it is stated, for a message */
  /* of the order; 0: not listed */
  struct source_order order;
  uint64_t most;      /* of all that are listed */
  struct slice worth; /* where that is */
  struct evidence *evidence;
};

static enum status read_magic(const struct reader *reader, const char **at) {
  struct slice line, word;
  if (!reader_line(&line, reader, at))
    return reader_fail(reader, *at,
                       "the file is empty; a histogram starts with \"tailproof-histogram 1\"");
  struct slice rest = line;
  if (!slice_field(&word, &rest, ' ') || !slice_is(word, "tailproof-histogram"))
    return reader_fail_found(reader, line,
                             "but the first line of a .tph file is \"tailproof-histogram 1\"");
  if (!slice_field(&word, &rest, ' ') || !slice_is(word, "1") || slice_field(&word, &rest, ' '))
    return reader_fail_found(reader, line,
                             "but this program reads only version 1 of the format; write it anew "
                             "with this version's recorder");
  return STATUS_OK;
}

static enum status fail_key(const struct reader *reader, struct slice key) {
  char *name = mem_copy_text(key.start, key.length < 64 ? key.length : 64);
  size_t nearest = 0, least = SIZE_MAX;
  for (size_t i = 0; i < KEY_COUNT; i++) {
    size_t distance = text_distance(name, key_names[i]);
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  mem_free(name);
  return reader_fail_found(
      reader, key,
      "which is no key of a histogram; the nearest is \"%s\" (name, unit, "
      "sub_buckets, total, saturated, from, note, worth, evidence, then counts)",
      key_names[nearest]);
}

/* "all" is ORDER_LEVELS. */
static bool find_level(size_t *level, struct slice word) {
  uint64_t parts = 0;
  *level = ORDER_LEVELS;
  if (slice_is(word, "all"))
    return true;
  if (decimal_whole(&parts, word) != DECIMAL_OK)
    return false;
  for (*level = 0; *level < ORDER_LEVELS && order_level(*level) != parts; ++*level)
    ;
  return *level < ORDER_LEVELS;
}

/* "all 162 settled", "all 97 settled wanders", "90000 120 118 unsettled" */
static enum status read_worth(struct header *header, const struct reader *reader,
                              struct slice value) {
  struct slice word, rest = value;
  struct order_worth worth = {0};
  size_t level = 0;
  bool good = slice_field(&word, &rest, ' ') && find_level(&level, word) &&
              slice_field(&word, &rest, ' ') && decimal_whole(&worth.upper, word) == DECIMAL_OK;
  worth.lower = worth.upper;
  if (good && level < ORDER_LEVELS)
    good = slice_field(&word, &rest, ' ') && decimal_whole(&worth.lower, word) == DECIMAL_OK;
  good = good && slice_field(&word, &rest, ' ') && worth.upper != 0 && worth.lower != 0;
  worth.settled = good && slice_is(word, "settled");
  good = good && (worth.settled || slice_is(word, "unsettled"));
  if (good && slice_field(&word, &rest, ' ')) {
    good = level == ORDER_LEVELS && slice_is(word, "wanders") && !slice_field(&word, &rest, ' ');
    header->order.wanders = good;
  }
  struct order_worth *at = level < ORDER_LEVELS ? &header->order.at[level] : &header->order.all;
  if (!good)
    return reader_fail_found(reader, value,
                             "where \"worth all NUMBER settled\" or \"worth LEVEL NUMBER NUMBER "
                             "unsettled\" is expected; import the measurements again");
  if (at->upper != 0)
    return reader_fail_found(reader, value, "a second time; each level stands once");
  *at = worth;
  uint64_t most = worth.upper > worth.lower ? worth.upper : worth.lower;
  if (most > header->most) {
    header->most = most;
    header->worth = value;
  }
  return STATUS_OK;
}

/* What may stand there or not. */
static enum status read_more(struct header *header, const struct reader *reader, size_t key,
                             struct slice value) {
  if (key == KEY_WORTH)
    return read_worth(header, reader, value);
  if (key == KEY_EVIDENCE && !evidence_read(header->evidence, value))
    return reader_fail_found(reader, value,
                             "which is no evidence that this version knows; import the "
                             "measurements again");
  if (key == KEY_FROM)
    evidence_add_text(&header->evidence->sources, value.start, value.length);
  if (key == KEY_NOTE)
    source_notes_add(reader->notes, "%s: %.*s", reader->path, (int)value.length, value.start);
  if (key == KEY_NOTE && reader->about != NULL)
    vector_push(&reader->about->notes, mem_copy_text(value.start, value.length));
  return STATUS_OK;
}

static enum status read_value(struct header *header, const struct reader *reader, size_t key,
                              struct slice value) {
  if (key >= KEY_REQUIRED)
    return read_more(header, reader, key, value);
  if (key == KEY_NAME)
    return STATUS_OK;
  if (key == KEY_UNIT)
    return slice_is(value, "ns") && (reader->unit == NULL || slice_is(value, reader->unit))
               ? STATUS_OK
               : reader_fail_found(reader, value,
                                   "but a .tph file is always in ns; correct the file, or leave "
                                   "out --unit");
  if (decimal_whole(&header->numbers[key], value) != DECIMAL_OK)
    return reader_fail_found(reader, value, "where \"%s\" needs a whole number below 2^63",
                             key_names[key]);
  if (key == KEY_SUB_BUCKETS && header->numbers[key] == 0)
    return reader_fail_found(reader, value, "but there is at least one sub-bucket in an octave");
  if (key == KEY_SUB_BUCKETS && reader->about != NULL)
    reader->about->sub_buckets = header->numbers[key];
  if (key == KEY_TOTAL)
    header->total = value;
  return STATUS_OK;
}

static enum status read_key(struct header *header, const struct reader *reader, struct slice line) {
  struct slice key, value, rest = line;
  if (!slice_field(&key, &rest, ' '))
    return reader_fail_found(reader, line, "where a key and a value are expected");
  size_t index = 0;
  while (index < KEY_COUNT && !slice_is(key, key_names[index]))
    index++;
  if (index == KEY_COUNT)
    return fail_key(reader, key);
  if (index < KEY_REQUIRED && header->seen[index])
    return reader_fail_found(reader, key, "a second time; each key stands once");
  header->seen[index] = true;
  value = slice_trim(rest.start == NULL ? (struct slice){line.start + line.length, 0} : rest);
  if (value.length == 0)
    return reader_fail_found(reader, key, "without a value behind it");
  return read_value(header, reader, index, value);
}

static enum status read_header(struct header *header, const struct reader *reader,
                               const char **at) {
  struct slice line;
  for (;;) {
    if (!reader_line(&line, reader, at))
      return reader_fail(reader, *at,
                         "the file ends before the line \"counts\": it is truncated; record or "
                         "copy it again");
    if (slice_is(slice_trim(line), "counts"))
      break;
    enum status status = read_key(header, reader, line);
    if (status != STATUS_OK)
      return status;
  }
  for (size_t i = 0; i < KEY_REQUIRED; i++)
    if (!header->seen[i])
      return reader_fail(reader, line.start, "the line \"%s ...\" is missing before \"counts\"",
                         key_names[i]);
  return STATUS_OK;
}

static enum status read_count(struct sample *out, const struct reader *reader, struct slice line,
                              uint64_t *last, bool first) {
  struct slice edge_text = {line.start, 0}, count_text = edge_text, lower_text = edge_text;
  struct slice rest = line, more;
  uint64_t edge, count, lower = first ? 0 : *last;
  if (!slice_field(&edge_text, &rest, ' ') || !slice_field(&count_text, &rest, ' ') ||
      (slice_field(&lower_text, &rest, ' ') && decimal_whole(&lower, lower_text) != DECIMAL_OK) ||
      slice_field(&more, &rest, ' ') || decimal_whole(&edge, edge_text) != DECIMAL_OK ||
      decimal_whole(&count, count_text) != DECIMAL_OK)
    return reader_fail_found(reader, line,
                             "where \"UPPER_EDGE_NS COUNT\" and perhaps a lower edge, whole "
                             "numbers below 2^63, or \"end\" is expected");
  if (!first && edge <= *last)
    return reader_fail_found(reader, edge_text,
                             "but the edges must increase and the one before is %" PRIu64, *last);
  if (lower > edge)
    return reader_fail_found(reader, lower_text,
                             "but the lower edge is not above the upper one, %" PRIu64, edge);
  *last = edge;
  return sample_add_range(out, lower, edge, count) ? STATUS_OK
                                                   : reader_fail_total(reader, count_text.start);
}

static enum status read_counts(struct sample *out, const struct reader *reader, const char **at) {
  struct slice line;
  uint64_t last = 0;
  for (bool first = true;; first = false) {
    if (!reader_line(&line, reader, at))
      return reader_fail(reader, *at,
                         "the file ends before the line \"end\": it is truncated; record or copy "
                         "it again");
    if (slice_is(slice_trim(line), "end"))
      return STATUS_OK;
    enum status status = read_count(out, reader, line, &last, first);
    if (status != STATUS_OK)
      return status;
  }
}

static enum status check_end(const struct sample *out, const struct reader *reader,
                             const struct header *header, const char *at) {
  struct slice line;
  while (reader_line(&line, reader, &at))
    if (slice_trim(line).length != 0)
      return reader_fail_found(reader, line,
                               "behind the line \"end\"; one file holds one histogram");
  if (out->total != header->numbers[KEY_TOTAL])
    return reader_fail_found(reader, header->total,
                             "but the counts and \"saturated\" add up to %" PRIu64
                             "; the file is damaged, record or copy it again",
                             out->total);
  return STATUS_OK;
}

/* What is not listed is worth all there are. */
static enum status keep_order(struct sample *out, const struct reader *reader,
                              const struct header *header) {
  struct source_order order = header->order;
  if (header->most > out->real)
    return reader_fail_found(reader, header->worth,
                             "but the file counts %" PRIu64 " observations, which cannot be worth "
                             "more; it is damaged, import the measurements again",
                             out->real);
  if (out->evidence.runs > out->real)
    return reader_fail_found(reader, header->total,
                             "but \"evidence runs\" says that so few are of %" PRIu64
                             " runs; the file is damaged, import the measurements again",
                             out->evidence.runs);
  if (out->evidence.compared && header->most == 0)
    return reader_fail_found(reader, header->total,
                             "but \"evidence runs\" says that runs were compared, and no line "
                             "\"worth all ...\" what came out; import the measurements again");
  if (header->most != 0 && order.all.upper == 0)
    return reader_fail_found(reader, header->worth, "but the line \"worth all ...\" is missing");
  for (size_t i = 0; i < ORDER_LEVELS; i++)
    if (order.at[i].upper == 0)
      order.at[i] = (struct order_worth){.upper = out->real, .lower = out->real, .settled = true};
  if (header->most != 0)
    evidence_keep_order(&out->evidence, &order);
  return STATUS_OK;
}

enum status tph_read(struct sample *out, const struct reader *reader) {
  const char *at = reader->bytes;
  struct header header = {.evidence = &out->evidence};
  enum status status = read_magic(reader, &at);
  if (status == STATUS_OK)
    status = read_header(&header, reader, &at);
  if (status == STATUS_OK)
    status = read_counts(out, reader, &at);
  if (status != STATUS_OK)
    return status;
  out->evidence.unit = unit_name(0);
  uint64_t saturated = header.numbers[KEY_SATURATED];
  if (!sample_add_beyond(out, saturated))
    return reader_fail_total(reader, header.total.start);
  status = check_end(out, reader, &header, at);
  if (status == STATUS_OK)
    status = keep_order(out, reader, &header);
  if (status == STATUS_OK && saturated != 0)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64 " observations were larger than the recorder "
                     "holds and are taken as infinite",
                     reader->path, saturated, out->total);
  return status;
}
