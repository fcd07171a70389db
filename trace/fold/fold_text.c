/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A fold as the text of its file, and back (fold.h). The last line has the digest of all before it,
 * so that a file that was cut or changed is noticed.
 */
#include <inttypes.h>
#include <string.h>

#include "trace/fold/counts.h"
#include "trace/fold/fold.h"
#include "trace/fold/request.h"

#define FIRST_LINE "tailproof-fold 2"

static void print_flow(struct text *text, const struct fold_flow *flow) {
  text_format(text, "flow %" PRIu64 " %zu %zu\n%s", flow->requests, flow->calls, flow->kept.count,
              flow->key);
  for (size_t i = 0; i < flow->kept.count; i++)
    text_format(text, "%s\n", flow->kept.data[i].line);
  if (flow->counts != NULL)
    fold_counts_print(text, flow->counts);
}

void fold_print(struct text *text, const struct trace_fold *fold) {
  size_t first = text->length;
  char digest[DIGEST_LENGTH + 1];
  text_format(text, FIRST_LINE "\nkeep %" PRIu64 "\n", fold->keep);
  for (size_t i = 0; i < fold->shards.count; i++) {
    const struct fold_shard *shard = &fold->shards.data[i];
    text_format(text, "shard %s ", shard->digest);
    fold_escape(text, shard->name, strlen(shard->name));
    text_append(text, "\n");
  }
  for (size_t f = 0; f < fold->flows.count; f++)
    print_flow(text, fold->flows.data[f]);
  digest_bytes(digest, text->data + first, text->length - first);
  text_format(text, "end %s\n", digest);
}

/* ---- back */

struct fold_reader {
  struct trace_fold *fold;
  const char *at, *end;
  size_t line;
  struct text *message;
};

static enum status fail(struct fold_reader *reader, const char *what) {
  text_format(reader->message, "line %zu: %s; fold its shards again", reader->line, what);
  return STATUS_DATA;
}

/* The next line, without its end; false at the end of the text. */
static bool next_line(struct fold_reader *reader, struct slice *line) {
  const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
  if (end == NULL)
    return false;
  *line = (struct slice){reader->at, (size_t)(end - reader->at)};
  reader->at = end + 1;
  reader->line++;
  return true;
}

static bool starts(struct slice *line, const char *with) {
  size_t length = strlen(with);
  if (line->length < length || memcmp(line->start, with, length) != 0)
    return false;
  line->start += length;
  line->length -= length;
  return true;
}

static bool whole(uint64_t *value, struct slice *line, uint64_t least, uint64_t most) {
  int64_t number;
  if (!fold_number(&number, line) || number < 0 || (uint64_t)number < least ||
      (uint64_t)number > most)
    return false;
  *value = (uint64_t)number;
  return true;
}

static enum status read_shard(struct fold_reader *reader, struct slice line) {
  struct trace_fold *fold = reader->fold;
  char digest[DIGEST_LENGTH + 1] = {0};
  struct text name;
  text_init(&name);
  bool good = line.length > DIGEST_LENGTH + 1 && line.start[DIGEST_LENGTH] == ' ';
  if (good) {
    memcpy(digest, line.start, DIGEST_LENGTH);
    good = strspn(digest, "0123456789abcdef") == DIGEST_LENGTH &&
           (fold->shards.count == 0 ||
            strcmp(fold->shards.data[fold->shards.count - 1].digest, digest) < 0) &&
           fold_unescape(&name, (struct slice){line.start + DIGEST_LENGTH + 1,
                                               line.length - DIGEST_LENGTH - 1});
  }
  if (good)
    fold_shard_add(fold, digest, text_get(&name));
  text_clear(&name);
  return good ? STATUS_OK : fail(reader, "is not \"shard DIGEST NAME\" after the shard before it");
}

/* The lines of the calls, as one stretch. */
static bool read_key(struct fold_reader *reader, struct slice *key, uint64_t calls) {
  struct slice line;
  key->start = reader->at;
  for (uint64_t p = 0; p < calls; p++)
    if (!next_line(reader, &line))
      return false;
  key->length = (size_t)(reader->at - key->start);
  return true;
}

static enum status read_kept(struct fold_reader *reader, struct fold_flow *flow, uint64_t count) {
  struct slice line;
  for (uint64_t i = 0; i < count; i++) {
    if (!next_line(reader, &line) || !fold_request_is_valid(line, flow->calls))
      return fail(reader, "is no request of the flow's calls");
    fold_keep(reader->fold, flow, fold_request_hash(line), line);
  }
  return STATUS_OK;
}

static void make_counts(struct fold_flow *flow, const struct fold_call *calls) {
  uint32_t *parents = mem_alloc(flow->calls, sizeof *parents);
  for (size_t p = 0; p < flow->calls; p++)
    parents[p] = calls[p].parent;
  flow->counts = fold_counts_new(parents, flow->calls);
  mem_free(parents);
}

static enum status read_counts(struct fold_reader *reader, struct fold_flow *flow) {
  struct slice line;
  const char *at = reader->at;
  while (next_line(reader, &line) && !starts(&line, "flow ") && !starts(&line, "end ")) {
    if (!fold_counts_parse(flow->counts, line, flow->requests))
      return fail(reader, "is no count of the flow's calls");
    at = reader->at;
  }
  reader->line -= reader->at != at;
  reader->at = at;
  return fold_counts_are_whole(flow->counts, flow->requests)
             ? STATUS_OK
             : fail(reader, "ends counts that are not of all requests of the flow");
}

static enum status read_flow(struct fold_reader *reader, struct slice line) {
  struct trace_fold *fold = reader->fold;
  uint64_t requests, count, kept;
  struct slice key;
  if (!whole(&requests, &line, 1, INT64_MAX) || !starts(&line, " ") ||
      !whole(&count, &line, 1, UINT32_MAX - 1) || !starts(&line, " ") ||
      !whole(&kept, &line, 1, fold->keep) || line.length != 0 ||
      kept != (requests < fold->keep ? requests : fold->keep))
    return fail(reader, "is not \"flow REQUESTS CALLS KEPT\"");
  if (!read_key(reader, &key, count))
    return fail(reader, "is the last: the file was cut");
  size_t before = fold->flows.count;
  struct fold_flow *flow = fold_flow_of(fold, key.start, key.length);
  struct fold_call *calls = fold_calls_new(flow->key, (size_t)count);
  if (fold->flows.count == before || calls == NULL) {
    fold_calls_free(calls, calls == NULL ? 0 : (size_t)count);
    return fail(reader, "ends a list of calls that is none, or occurs twice");
  }
  flow->requests = requests;
  enum status status = read_kept(reader, flow, kept);
  if (status == STATUS_OK && requests > kept) {
    make_counts(flow, calls);
    status = read_counts(reader, flow);
  }
  fold_calls_free(calls, (size_t)count);
  return status;
}

static enum status read_end(struct fold_reader *reader, const char *bytes, struct slice line) {
  char digest[DIGEST_LENGTH + 1];
  digest_bytes(digest, bytes, (size_t)(line.start - 4 - bytes));
  if (!slice_is(line, digest) || reader->at != reader->end)
    return fail(reader, "does not end what is before it: the file was changed or cut");
  return STATUS_OK;
}

static enum status read_all(struct fold_reader *reader, const char *bytes) {
  struct slice line;
  uint64_t keep;
  if (!next_line(reader, &line) || !slice_is(line, FIRST_LINE)) {
    text_append(reader->message,
                "is no summary of this version's `trace fold`; fold its shards again");
    return STATUS_DATA;
  }
  if (!next_line(reader, &line) || !starts(&line, "keep ") ||
      !whole(&keep, &line, 1, FOLD_KEEP_MAX) || line.length != 0)
    return fail(reader, "is not \"keep NUMBER\"");
  reader->fold->keep = keep;
  while (next_line(reader, &line)) {
    if (starts(&line, "end "))
      return read_end(reader, bytes, line);
    enum status status = starts(&line, "shard ")  ? read_shard(reader, line)
                         : starts(&line, "flow ") ? read_flow(reader, line)
                                                  : fail(reader, "is of no known kind");
    if (status != STATUS_OK)
      return status;
  }
  return fail(reader, "is the last, but the file's end is missing: it was cut");
}

enum status fold_parse(struct trace_fold *fold, const char *bytes, size_t length,
                       struct text *message) {
  struct fold_reader reader = {fold, bytes, bytes + length, 0, message};
  fold_init(fold, FOLD_KEEP);
  enum status status = read_all(&reader, bytes);
  if (status != STATUS_OK)
    fold_clear(fold);
  return status;
}
