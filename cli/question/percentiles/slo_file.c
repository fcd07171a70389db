/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/slo_file.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/question/percentiles/slo_query.h"
#include "measure/yaml/tree.h"

enum { BYTES_MOST = 1 << 20, DOCUMENTS_MOST = 256 };

struct loading {
  slo_list *list;
  const char *path;
  const struct asker *asker;
  VECTOR(struct tree_node *) documents;
  size_t found, passed; /* objectives; those that are none of latency */
};

static enum status fail_at(const struct loading *l, const struct tree_node *at, const char *what) {
  return asker_fail(l->asker, STATUS_DATA, "%s:%u: %s", l->path,
                    at->key != NULL ? at->key_line : at->line, what);
}

/* The text below a path of keys, "sli.events.error_query", or NULL. */
static const struct tree_node *node_at(const struct tree_node *node, const char *path) {
  while (node != NULL && *path != '\0') {
    char key[64];
    size_t length = strcspn(path, ".");
    if (node->kind != TREE_MAPPING || length >= sizeof key)
      return NULL;
    memcpy(key, path, length);
    key[length] = '\0';
    node = tree_find(node, key);
    path += length + (path[length] == '.');
  }
  return node;
}

static const char *text_at(const struct tree_node *node, const char *path) {
  const struct tree_node *found = node_at(node, path);
  return found != NULL && found->kind == TREE_TEXT ? found->text : NULL;
}

/* The first that there is. */
static const char *either(const struct tree_node *node, const char *a, const char *b) {
  const char *text = text_at(node, a);
  return text != NULL ? text : text_at(node, b);
}

/* --- one objective ---------------------------------------------------------------------------- */

/* "0.995" of 1 as "99.5", by moving the point; NULL: it is no decimal below 1. Owned. */
static char *per_cent(const char *share) {
  const char *point = strchr(share, '.');
  struct text out;
  if (point == NULL || strspn(share, "0") != (size_t)(point - share) ||
      strspn(point + 1, "0123456789") != strlen(point + 1))
    return NULL;
  char digits[3] = {point[1], '\0', '\0'};
  size_t given = strlen(point + 1);
  digits[0] = given > 0 ? point[1] : '0';
  digits[1] = given > 1 ? point[2] : '0';
  text_init(&out);
  text_append(&out, digits[0] == '0' ? digits + 1 : digits);
  if (given > 2)
    text_format(&out, ".%s", point + 3);
  return text_take(&out);
}

/* `share` is in per cent. */
static enum status add(struct loading *l, const struct tree_node *at, const char *name,
                       const char *share, const struct slo_query *query) {
  struct text text, origin;
  text_init(&text);
  text_init(&origin);
  text_format(&text, "p%s<=%s", share, query->limit);
  text_format(&origin, "%s: \"%s\" is %s of %s; that what was measured are these requests", l->path,
              name == NULL ? "" : name, text_get(&text), query->of);
  bool good = slo_take(l->list, &text, &origin);
  l->found += good;
  return good ? STATUS_OK
              : fail_at(l, at,
                        "the objective is no share above 0 and below 100 %, or its edge no "
                        "time; say it with --slo");
}

static enum status add_query(struct loading *l, const struct tree_node *at, const char *name,
                             const char *share, enum slo_query_kind kind, const char *query,
                             const char *total) {
  struct slo_query read;
  struct text why;
  text_init(&why);
  enum status status = STATUS_OK;
  switch (slo_query_read(&read, &why, kind, query, total)) {
  case SLO_QUERY_READ:
    status = share == NULL ? fail_at(l, at, "the objective has no target")
                           : add(l, at, name, share, &read);
    break;
  case SLO_QUERY_OTHER:
    l->passed++;
    break;
  case SLO_QUERY_UNREAD:
    status = fail_at(l, at, text_get(&why));
  }
  slo_query_clear(&read);
  text_clear(&why);
  return status;
}

/* --- Sloth ------------------------------------------------------------------------------------ */

static enum status read_sloth_slo(struct loading *l, const struct tree_node *slo) {
  const char *name = text_at(slo, "name"), *share = text_at(slo, "objective");
  const char *errors = either(slo, "sli.events.error_query", "sli.events.errorQuery");
  const char *total = either(slo, "sli.events.total_query", "sli.events.totalQuery");
  const char *ratio = either(slo, "sli.raw.error_ratio_query", "sli.raw.errorRatioQuery");
  if (errors != NULL && total != NULL)
    return add_query(l, slo, name, share, SLO_QUERY_BAD, errors, total);
  if (ratio != NULL)
    return add_query(l, slo, name, share, SLO_QUERY_RATIO, ratio, NULL);
  l->passed++; /* of a plugin */
  return STATUS_OK;
}

static enum status read_sloth(struct loading *l, const struct tree_node *spec) {
  const struct tree_node *slos = node_at(spec, "slos");
  enum status status = STATUS_OK;
  if (slos == NULL || slos->kind != TREE_LIST)
    return fail_at(l, spec, "there is no list \"slos\"");
  for (size_t i = 0; i < slos->count && status == STATUS_OK; i++)
    status = read_sloth_slo(l, slos->items[i]);
  return status;
}

/* --- Pyrra ------------------------------------------------------------------------------------ */

/* Of native histograms, whose edges are powers; the limit is a time. */
static enum status read_pyrra_native(struct loading *l, const struct tree_node *root,
                                     const struct tree_node *native) {
  const char *limit = text_at(native, "latency"), *total = text_at(native, "total.metric");
  const char *share = text_at(root, "spec.target");
  if (limit == NULL || total == NULL || share == NULL)
    return fail_at(l, native, "\"latency\", \"total.metric\" and the target are needed");
  struct slo_query query = {mem_copy_text(total, strlen(total)),
                            mem_copy_text(limit, strlen(limit))};
  enum status status = add(l, native, text_at(root, "metadata.name"), share, &query);
  slo_query_clear(&query);
  return status;
}

static enum status read_pyrra(struct loading *l, const struct tree_node *root) {
  const struct tree_node *latency = node_at(root, "spec.indicator.latency");
  const struct tree_node *native = node_at(root, "spec.indicator.latencyNative");
  if (native != NULL)
    return read_pyrra_native(l, root, native);
  if (latency == NULL) {
    l->passed++;
    return STATUS_OK;
  }
  const char *good = text_at(latency, "success.metric"), *total = text_at(latency, "total.metric");
  if (good == NULL || total == NULL)
    return fail_at(l, latency, "\"success.metric\" and \"total.metric\" are needed");
  return add_query(l, latency, text_at(root, "metadata.name"), text_at(root, "spec.target"),
                   SLO_QUERY_GOOD, good, total);
}

/* --- OpenSLO ---------------------------------------------------------------------------------- */

/* The query of a source of metrics: of v1alpha "query", of v1 a text of its own kind. */
static const char *query_of(const struct tree_node *part) {
  const char *query = text_at(part, "query");
  const struct tree_node *spec = node_at(part, "metricSource.spec");
  if (query != NULL)
    return query;
  query = either(part, "metricSource.spec.query", "metricSource.spec.promql");
  return query != NULL || spec == NULL || spec->kind != TREE_MAPPING || spec->count != 1
             ? query
             : spec->items[0]->text;
}

static const struct tree_node *find_sli(const struct loading *l, const char *name) {
  for (size_t i = 0; i < l->documents.count; i++) {
    const char *kind = text_at(l->documents.data[i], "kind");
    const char *other = text_at(l->documents.data[i], "metadata.name");
    if (kind != NULL && other != NULL && strcmp(kind, "SLI") == 0 && strcmp(other, name) == 0)
      return node_at(l->documents.data[i], "spec");
  }
  return NULL;
}

static enum status read_ratio(struct loading *l, const struct tree_node *objective,
                              const char *name, const char *share, const struct tree_node *ratio) {
  const struct tree_node *good = node_at(ratio, "good"), *bad = node_at(ratio, "bad");
  const struct tree_node *all = node_at(ratio, "total");
  const char *query = query_of(good != NULL ? good : bad), *total = query_of(all);
  if (query == NULL || total == NULL)
    return fail_at(l, ratio, "queries of good (or bad) and total are needed; say it with --slo");
  return add_query(l, objective, name, share, good != NULL ? SLO_QUERY_GOOD : SLO_QUERY_BAD, query,
                   total);
}

static enum status read_openslo_objective(struct loading *l, const struct tree_node *root,
                                          const struct tree_node *indicator,
                                          const struct tree_node *objective) {
  const char *whole = text_at(objective, "targetPercent"), *target = text_at(objective, "target");
  const char *name = text_at(root, "metadata.name");
  const struct tree_node *ratio = node_at(objective, "ratioMetrics");
  if (ratio == NULL)
    ratio = node_at(indicator, "ratioMetric");
  if (ratio == NULL)
    return fail_at(l, objective,
                   "it is of a value over time (thresholdMetric), not of a share of "
                   "requests; say it with --slo");
  char *share = whole != NULL    ? mem_copy_text(whole, strlen(whole))
                : target != NULL ? per_cent(target)
                                 : NULL;
  if (share == NULL)
    return fail_at(l, objective, "the target is no share above 0 and below 1; say it with --slo");
  enum status status = read_ratio(l, objective, name, share, ratio);
  mem_free(share);
  return status;
}

static enum status read_openslo(struct loading *l, const struct tree_node *root) {
  const struct tree_node *objectives = node_at(root, "spec.objectives");
  const struct tree_node *indicator = node_at(root, "spec.indicator.spec");
  const char *reference = text_at(root, "spec.indicatorRef");
  enum status status = STATUS_OK;
  if (indicator == NULL && reference != NULL && (indicator = find_sli(l, reference)) == NULL)
    return fail_at(l, node_at(root, "spec.indicatorRef"),
                   "no SLI of this file is called so; put it into the file, behind a line ---");
  if (indicator == NULL)
    indicator = node_at(root, "spec.indicator");
  if (objectives == NULL || objectives->kind != TREE_LIST)
    return fail_at(l, root, "there is no list \"objectives\"");
  for (size_t i = 0; i < objectives->count && status == STATUS_OK; i++)
    status = read_openslo_objective(l, root, indicator, objectives->items[i]);
  return status;
}

/* Of those that are asked the last one says how many are not. */
static void tell_passed(const struct loading *l) {
  struct slo *last = &l->list->data[l->list->count - 1];
  struct text origin;
  if (l->passed == 0)
    return;
  text_init(&origin);
  text_format(&origin,
              "%s; %zu of the %zu objectives of the file are not of latency, and not asked",
              last->origin, l->passed, l->passed + l->found);
  mem_free(last->origin);
  last->origin = text_take(&origin);
}

/* --- files ------------------------------------------------------------------------------------ */

static bool begins(const char *text, const char *with) {
  return text != NULL && strncmp(text, with, strlen(with)) == 0;
}

static enum status read_document(struct loading *l, const struct tree_node *root) {
  const char *api = text_at(root, "apiVersion"), *kind = text_at(root, "kind");
  const struct tree_node *spec = node_at(root, "spec");
  if (begins(text_at(root, "version"), "prometheus/"))
    return read_sloth(l, root);
  if (begins(api, "sloth.") && spec != NULL)
    return read_sloth(l, spec);
  if (begins(api, "openslo/"))
    return kind != NULL && strcmp(kind, "SLO") == 0 ? read_openslo(l, root) : STATUS_OK;
  if (kind != NULL && strcmp(kind, "ServiceLevelObjective") == 0)
    return read_pyrra(l, root);
  return fail_at(l, root,
                 "it is none of Sloth (version: prometheus/v1), Pyrra (kind: "
                 "ServiceLevelObjective) and OpenSLO (apiVersion: openslo/v1); say objectives "
                 "with --slo");
}

/* Whether a line begins a document. */
static bool is_mark(const char *line) {
  return strncmp(line, "---", 3) == 0 &&
         (line[3] == '\n' || line[3] == '\r' || line[3] == ' ' || line[3] == '\0');
}

static bool is_empty(const char *at, const char *end) {
  while (at < end) {
    const char *line = at;
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
      line++;
    if (line < end && *line != '\n' && *line != '#')
      return false;
    at = memchr(at, '\n', (size_t)(end - at));
    at = at == NULL ? end : at + 1;
  }
  return true;
}

/* The document between two marks, with as many lines before it as in the file. */
static enum status take_document(struct loading *l, const char *bytes, const char *from,
                                 const char *end) {
  char message[600];
  struct text text;
  if (is_empty(from, end))
    return STATUS_OK;
  if (l->documents.count == DOCUMENTS_MOST)
    return asker_fail(l->asker, STATUS_DATA, "%s: more than %d documents", l->path, DOCUMENTS_MOST);
  text_init(&text);
  for (const char *at = bytes; at < from; at++)
    if (*at == '\n')
      text_append(&text, "\n");
  text_append_bytes(&text, from, (size_t)(end - from));
  struct tree_node *root = tree_parse(text.data, text.length, message, sizeof message);
  text_clear(&text);
  if (root == NULL)
    return asker_fail(l->asker, STATUS_DATA, "%s: %s", l->path, message);
  vector_push(&l->documents, root);
  return STATUS_OK;
}

static enum status take_documents(struct loading *l, const char *bytes, size_t length) {
  const char *from = bytes, *at = bytes, *end = bytes + length;
  enum status status = STATUS_OK;
  while (at < end && status == STATUS_OK) {
    const char *line = memchr(at, '\n', (size_t)(end - at));
    line = line == NULL ? end : line + 1;
    if (is_mark(at)) {
      status = take_document(l, bytes, from, at);
      from = line;
    }
    at = line;
  }
  return status == STATUS_OK ? take_document(l, bytes, from, end) : status;
}

enum status slo_file_read(slo_list *list, const char *path, const struct asker *asker) {
  struct loading l = {.list = list, .path = file_name(path), .asker = asker};
  struct text message;
  char *bytes;
  size_t length;
  text_init(&message);
  enum status status = file_read(path, BYTES_MOST, &bytes, &length, &message);
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  text_clear(&message);
  if (status != STATUS_OK)
    return status;
  status = take_documents(&l, bytes, length);
  for (size_t i = 0; i < l.documents.count && status == STATUS_OK; i++)
    status = read_document(&l, l.documents.data[i]);
  if (status == STATUS_OK && l.found == 0)
    status = asker_fail(asker, STATUS_DATA, "%s: none of its %zu objectives is one of latency",
                        l.path, l.passed);
  if (status == STATUS_OK)
    tell_passed(&l);
  for (size_t i = 0; i < l.documents.count; i++)
    tree_free(l.documents.data[i]);
  vector_clear(&l.documents);
  mem_free(bytes);
  return status;
}
