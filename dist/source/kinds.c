/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/kinds.h"

#include <inttypes.h>
#include <string.h>

enum { KNOWN_MAX = 64, LISTED_MAX = 8, SHOWN_BYTES = 100 };

enum status kinds_init(struct kinds *kinds, const struct reader *reader) {
  const char *select = reader->select;
  *kinds = (struct kinds){.reader = reader, .chosen = select != NULL};
  text_init(&kinds->labels);
  if (select == NULL || strchr(select, '{') == NULL)
    return STATUS_OK;
  kinds->parsed = selection_parse(&kinds->choice, select);
  if (kinds->parsed)
    return STATUS_OK;
  return reader_fail(reader, reader->bytes,
                     "--select %.64s: cannot be read; write {LABEL=\"VALUE\"}, or a VALUE alone",
                     select);
}

void kinds_clear(struct kinds *kinds) {
  if (kinds->parsed)
    selection_clear(&kinds->choice);
  for (size_t i = 0; i < kinds->known.count; i++)
    mem_free(kinds->known.data[i].labels);
  vector_clear(&kinds->known);
  text_clear(&kinds->labels);
}

void kinds_begin(struct kinds *kinds) {
  kinds->labels.length = 0;
  if (kinds->labels.data != NULL)
    kinds->labels.data[0] = '\0';
}

void kinds_label(struct kinds *kinds, struct slice name, struct slice value) {
  labels_append(&kinds->labels, name, value);
}

/* Where the next label of a set starts; *name and *value (escaped) are those of this one. */
static const char *next_label(struct slice *name, struct slice *value, const char *at) {
  *name = (struct slice){at, strcspn(at, "=")};
  const char *start = at + name->length + 2, *end = start;
  while (*end != '"')
    end += *end == '\\' ? 2 : 1;
  *value = (struct slice){start, (size_t)(end - start)};
  return end + (end[1] == ',' ? 2 : 1);
}

static bool has_value(const char *labels, const char *wanted) {
  struct slice name, value;
  for (const char *at = labels; *at != '\0';) {
    at = next_label(&name, &value, at);
    if (slice_is(value, wanted))
      return true;
  }
  return false;
}

static bool is_chosen(const struct kinds *kinds, const char *labels) {
  if (!kinds->chosen)
    return true;
  if (!kinds->parsed)
    return has_value(labels, kinds->reader->select);
  const char *metric = kinds->choice.metric;
  return (metric == NULL || slice_is(labels_value(labels, "metric"), metric)) &&
         selection_takes(&kinds->choice, labels);
}

static bool is_known(const struct kinds *kinds, size_t i) {
  return i < kinds->known.count &&
         strcmp(kinds->known.data[i].labels, text_get(&kinds->labels)) == 0;
}

/* Its index among those that are known, SIZE_MAX for one too many. */
static size_t find(struct kinds *kinds, const char *at) {
  if (is_known(kinds, kinds->last))
    return kinds->last;
  for (size_t i = 0; i < kinds->known.count; i++)
    if (is_known(kinds, i))
      return kinds->last = i;
  if (kinds->known.count == 1)
    kinds->other = at;
  if (kinds->known.count == KNOWN_MAX)
    return SIZE_MAX;
  const char *labels = text_get(&kinds->labels);
  const struct request_kind kind = {mem_copy_text(labels, strlen(labels)),
                                    is_chosen(kinds, labels)};
  vector_push(&kinds->known, kind);
  kinds->taken += kind.taken;
  return kinds->last = kinds->known.count - 1;
}

bool kinds_take(struct kinds *kinds, const char *at) {
  size_t index = find(kinds, at);
  bool taken = index == SIZE_MAX ? is_chosen(kinds, text_get(&kinds->labels))
                                 : kinds->known.data[index].taken;
  kinds->more = kinds->more || index == SIZE_MAX;
  kinds->more_taken = kinds->more_taken || (index == SIZE_MAX && taken);
  kinds->requests++;
  kinds->requests_taken += taken;
  return taken;
}

/* Whether the label is the same in all kinds that are known, and so tells none apart. */
static bool is_common(const struct kinds *kinds, struct slice name, struct slice value) {
  char *text = mem_copy_text(name.start, name.length);
  bool common = kinds->known.count > 1;
  for (size_t i = 0; i < kinds->known.count && common; i++)
    common = slice_same(labels_value(kinds->known.data[i].labels, text), value);
  mem_free(text);
  return common;
}

/* Of a kind that has none of the labels that tell kinds apart: the first that another has. */
static void put_absent(struct text *out, const struct kinds *kinds) {
  struct slice name, value;
  for (size_t i = 0; i < kinds->known.count; i++)
    for (const char *at = kinds->known.data[i].labels; *at != '\0';) {
      at = next_label(&name, &value, at);
      if (is_common(kinds, name, value))
        continue;
      text_format(out, "{%.*s=\"\"", (int)name.length, name.start);
      return;
    }
  text_append(out, "{");
}

/* {method="GET"}; what never is shown becomes blanks. */
static void put_labels(struct text *out, const char *labels) {
  struct slice name, value;
  text_append(out, "{");
  for (const char *at = labels; *at != '\0';) {
    at = next_label(&name, &value, at);
    text_format(out, "%s%.*s=\"%.*s\"", out->length == 1 ? "" : ",", (int)name.length, name.start,
                (int)value.length, value.start);
  }
  text_append(out, "}");
  reader_blank(out, 0);
}

/* {method="GET"}, without what is common. */
static void put_kind(struct text *out, const struct kinds *kinds, size_t index) {
  struct slice name, value;
  size_t start = out->length;
  for (const char *at = kinds->known.data[index].labels; *at != '\0';) {
    at = next_label(&name, &value, at);
    if (!is_common(kinds, name, value))
      text_format(out, "%s%.*s=\"%.*s\"", out->length == start ? "{" : ",", (int)name.length,
                  name.start, (int)value.length, value.start);
  }
  if (out->length == start)
    put_absent(out, kinds);
  text_append(out, "}");
}

static void list_kinds(struct text *out, const struct kinds *kinds) {
  size_t listed = kinds->known.count < LISTED_MAX ? kinds->known.count : LISTED_MAX;
  for (size_t i = 0; i < listed; i++) {
    struct text kind;
    text_init(&kind);
    put_kind(&kind, kinds, i);
    text_format(out, "%s%.*s%s", i == 0 ? "" : ", ", SHOWN_BYTES, kind.data,
                kind.length > SHOWN_BYTES ? "..." : "");
    text_clear(&kind);
  }
  if (listed < kinds->known.count || kinds->more)
    text_append(out, " and others");
}

/* The choice of the shortest kind, so that it can be shown whole. */
static void put_choice(struct text *out, const struct kinds *kinds) {
  struct text kind, least;
  text_init(&least);
  for (size_t i = 0; i < kinds->known.count && i < LISTED_MAX; i++) {
    text_init(&kind);
    put_kind(&kind, kinds, i);
    bool better = kind.length > 2 && (least.length == 0 || kind.length < least.length);
    if (better) {
      text_clear(&least);
      least = kind;
    } else
      text_clear(&kind);
  }
  bool whole = least.length != 0 && least.length <= SHOWN_BYTES;
  text_append(out, whole ? text_get(&least) : "{LABEL=\"VALUE\"}");
  text_clear(&least);
}

static enum status fail_several(const struct kinds *kinds, const char *list) {
  struct text choice;
  text_init(&choice);
  put_choice(&choice, kinds);
  enum status status = reader_fail(
      kinds->reader, kinds->other,
      "%s%zu kinds of requests: %s; choose one: --select 'NAME=%s', or all of them: --select "
      "'NAME={}'",
      kinds->more ? "more than " : "", kinds->known.count, list, text_get(&choice));
  text_clear(&choice);
  return status;
}

static void keep_kinds(const struct kinds *kinds, struct evidence *evidence) {
  for (size_t i = 0; i < kinds->known.count; i++) {
    struct text labels;
    text_init(&labels);
    put_labels(&labels, kinds->known.data[i].labels);
    if (kinds->known.data[i].taken && labels.length > strlen("{}"))
      evidence_add_kind(evidence, labels.data, labels.length);
    text_clear(&labels);
  }
  evidence->kinds.known = evidence->kinds.list.count != 0 && !kinds->more_taken;
}

void kinds_keep_one(struct evidence *evidence, const char *name, struct slice value) {
  struct text labels, shown;
  text_init(&labels);
  text_init(&shown);
  labels_append(&labels, (struct slice){name, strlen(name)}, value);
  put_labels(&shown, text_get(&labels));
  evidence_add_kind(evidence, shown.data, shown.length);
  evidence->kinds.known = true;
  text_clear(&labels);
  text_clear(&shown);
}

enum status kinds_settle(const struct kinds *kinds, struct evidence *evidence) {
  const struct reader *reader = kinds->reader;
  bool several = kinds->known.count > 1 || kinds->more;
  enum status status = STATUS_OK;
  struct text list;
  text_init(&list);
  list_kinds(&list, kinds);
  if (!kinds->chosen && several)
    status = fail_several(kinds, text_get(&list));
  else if (kinds->chosen && kinds->requests_taken == 0)
    status =
        reader_fail(reader, reader->bytes, "--select %.64s: nothing is of this kind; there is %s",
                    reader->select, kinds->known.count == 0 ? "none" : text_get(&list));
  else if (kinds->chosen)
    source_notes_add(reader->notes,
                     "%s: %" PRIu64 " of %" PRIu64 " requests are chosen by --select %.64s%s",
                     reader->path, kinds->requests_taken, kinds->requests, reader->select,
                     kinds->taken > 1 || kinds->more_taken
                         ? "; several kinds of them are taken as one measurement"
                         : "");
  text_clear(&list);
  if (status == STATUS_OK)
    keep_kinds(kinds, evidence);
  return status;
}

bool kinds_took(const struct kinds *kinds, const char *name, struct slice value) {
  for (size_t i = 0; i < kinds->known.count; i++)
    if (kinds->known.data[i].taken &&
        slice_same(labels_value(kinds->known.data[i].labels, name), value))
      return true;
  return kinds->more_taken;
}
