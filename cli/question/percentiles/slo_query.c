/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/slo_query.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/slice.h"
#include "base/vector.h"

enum { TERMS_MOST = 3 };

/* A metric, or the number 1. */
struct slo_term {
  bool is_one;
  struct slice name;
  struct text labels; /* but le: job="a",verb!="b", sorted */
  struct slice edge;  /* of le="..."; start NULL: none */
};

struct slo_formula {
  struct slo_term terms[TERMS_MOST];
  char operators[TERMS_MOST]; /* behind each term; 0: the end */
  size_t count;
};

/* --- scanning --------------------------------------------------------------------------------- */

static bool is_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == ':';
}

static const char *skip_blanks(const char *at) {
  while (isspace((unsigned char)*at))
    at++;
  return at;
}

static struct slice scan_name(const char **at) {
  struct slice name = {*at, 0};
  while (is_name(name.start[name.length]))
    name.length++;
  *at += name.length;
  return name;
}

/* Behind the bracket that closes the one at `at`; NULL: none does. */
static const char *skip_bracket(const char *at, char close) {
  const char *end = strchr(at, close);
  return end == NULL ? NULL : end + 1;
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One matcher; NULL: it is none. */
static const char *scan_matcher(char **text, struct slice *edge, bool *is_edge, const char *at) {
  struct slice name = scan_name(&at);
  at = skip_blanks(at);
  struct slice sign = {at, strcspn(at, "\"'` \t\n")};
  at = skip_blanks(at + sign.length);
  if (name.length == 0 || (*at != '"' && *at != '\'') ||
      (!slice_is(sign, "=") && !slice_is(sign, "!=") && !slice_is(sign, "=~") &&
       !slice_is(sign, "!~")))
    return NULL;
  char quote = *at++;
  struct slice value = {at, 0};
  while (at[value.length] != quote && at[value.length] != '\0')
    value.length += at[value.length] == '\\' && at[value.length + 1] != '\0' ? 2 : 1;
  if (at[value.length] == '\0')
    return NULL;
  *is_edge = slice_is(name, "le");
  if (*is_edge && !slice_is(sign, "="))
    return NULL;
  *edge = value;
  struct text out;
  text_init(&out);
  text_format(&out, "%.*s%.*s\"%.*s\"", (int)name.length, name.start, (int)sign.length, sign.start,
              (int)value.length, value.start);
  *text = text_take(&out);
  return skip_blanks(at + value.length + 1);
}

/* The matchers of a metric; NULL: they cannot be read. */
static const char *scan_labels(struct slo_term *term, const char *at) {
  VECTOR(char *) all = {0};
  while (at != NULL && *(at = skip_blanks(at)) != '}') {
    char *text = NULL;
    struct slice edge = {NULL, 0};
    bool is_edge = false;
    at = scan_matcher(&text, &edge, &is_edge, at);
    if (at != NULL && is_edge)
      term->edge = edge;
    if (at != NULL && !is_edge)
      vector_push(&all, text);
    else
      mem_free(text);
    if (at != NULL && *at == ',')
      at++;
    else if (at != NULL && *at != '}')
      at = NULL;
  }
  if (all.count > 1)
    qsort(all.data, all.count, sizeof *all.data, compare_texts);
  for (size_t i = 0; i < all.count; i++) {
    text_format(&term->labels, "%s%s", i == 0 ? "" : ",", all.data[i]);
    mem_free(all.data[i]);
  }
  vector_clear(&all);
  return at == NULL ? NULL : at + 1;
}

/* A metric with its matchers and its range. */
static const char *scan_metric(struct slo_term *term, struct slice name, const char *at) {
  term->name = name;
  at = skip_blanks(at);
  if (*at == '{')
    at = scan_labels(term, at + 1);
  if (at != NULL && *(at = skip_blanks(at)) == '[')
    at = skip_bracket(at, ']');
  return at;
}

static bool is_wrapper(struct slice name) {
  return slice_is(name, "sum") || slice_is(name, "rate") || slice_is(name, "increase");
}

static bool scan(struct slo_formula *formula, const char *at) {
  bool operand = false; /* the last thing that counts was one */
  while (at != NULL && *(at = skip_blanks(at)) != '\0') {
    if (*at == '(' || *at == ')') {
      at++;
    } else if ((*at == '-' || *at == '/') && operand) {
      formula->operators[formula->count - 1] = *at++;
      operand = false;
    } else if (isdigit((unsigned char)*at) || is_name(*at)) {
      struct slice name = scan_name(&at);
      if (is_wrapper(name))
        continue;
      if (slice_is(name, "by") || slice_is(name, "without")) {
        at = *skip_blanks(at) == '(' ? skip_bracket(at, ')') : NULL;
        continue;
      }
      if (operand || formula->count == TERMS_MOST)
        return false;
      struct slo_term *term = &formula->terms[formula->count++];
      operand = true;
      term->is_one = slice_is(name, "1");
      if (!term->is_one && isdigit((unsigned char)*name.start))
        return false;
      if (!term->is_one)
        at = scan_metric(term, name, at);
    } else {
      return false;
    }
  }
  return at != NULL && operand;
}

static void formula_clear(struct slo_formula *formula) {
  for (size_t i = 0; i < TERMS_MOST; i++)
    text_clear(&formula->terms[i].labels);
}

/* --- what it says ----------------------------------------------------------------------------- */

static bool take_suffix(struct slice *name, const char *suffix) {
  size_t length = strlen(suffix);
  if (name->length <= length || memcmp(name->start + name->length - length, suffix, length) != 0)
    return false;
  name->length -= length;
  return true;
}

/* All requests: rpc_seconds_count, or the bucket without an end. */
static bool is_total(struct slice *base, const struct slo_term *term) {
  *base = term->name;
  if (term->is_one)
    return false;
  return term->edge.start == NULL ? take_suffix(base, "_count")
                                  : slice_is(term->edge, "+Inf") && take_suffix(base, "_bucket");
}

static bool is_bucket(struct slice *base, const struct slo_term *term) {
  *base = term->name;
  return !term->is_one && term->edge.start != NULL && !slice_is(term->edge, "+Inf") &&
         take_suffix(base, "_bucket");
}

const char *slo_metric_unit(const char *metric) {
  static const struct {
    const char *suffix, *unit;
  } units[] = {{"_seconds", "s"},      {"_milliseconds", "ms"}, {"_microseconds", "us"},
               {"_nanoseconds", "ns"}, {"_ms", "ms"},           {"_us", "us"},
               {"_ns", "ns"}};
  struct slice name = {metric, strcspn(metric, "{")};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    struct slice base = name;
    if (take_suffix(&base, units[i].suffix))
      return units[i].unit;
  }
  return NULL;
}

static enum slo_queried fail(struct text *why, const char *words) {
  text_append(why, words);
  return SLO_QUERY_UNREAD;
}

static enum slo_queried read_pair(struct slo_query *out, struct text *why,
                                  const struct slo_term *bucket, const struct slo_term *total) {
  struct slice good, all;
  if (!is_bucket(&good, bucket))
    return fail(why, "the good requests are not a bucket le=\"...\" of a histogram");
  if (!is_total(&all, total))
    return fail(why, "the total is not the _count of a histogram");
  if (!slice_same(good, all))
    return fail(why, "the good requests and the total are of different metrics");
  if (strcmp(text_get(&bucket->labels), text_get(&total->labels)) != 0)
    return fail(why, "the good requests have other labels than the total, so that it is no "
                     "objective of latency alone: a request that failed has to be one that never "
                     "ended; say it with --slo");
  struct text of, limit;
  text_init(&of);
  text_init(&limit);
  text_format(&of, "%.*s{%s}", (int)good.length, good.start, text_get(&bucket->labels));
  const char *unit = slo_metric_unit(of.data);
  text_format(&limit, "%.*s%s", (int)bucket->edge.length, bucket->edge.start,
              unit == NULL ? "" : unit);
  out->of = text_take(&of);
  out->limit = text_take(&limit);
  if (unit != NULL)
    return SLO_QUERY_READ;
  slo_query_clear(out);
  return fail(why, "the metric's name ends in no unit (_seconds, _milliseconds, ...); say it with "
                   "--slo");
}

static bool is_form(const struct slo_formula *f, const char *operators) {
  return f->count == strlen(operators) + 1 && memcmp(f->operators, operators, f->count - 1) == 0;
}

static enum slo_queried read_formula(struct slo_query *out, struct text *why,
                                     enum slo_query_kind kind, const struct slo_formula *f,
                                     const struct slo_formula *total) {
  const struct slo_term *terms = f->terms;
  if (kind == SLO_QUERY_GOOD && is_form(f, "") && is_form(total, ""))
    return read_pair(out, why, &terms[0], &total->terms[0]);
  if (kind == SLO_QUERY_BAD && is_form(f, "-") && is_form(total, "")) {
    enum slo_queried pair = read_pair(out, why, &terms[1], &terms[0]);
    struct slice a, b;
    bool same = is_total(&a, &terms[0]) && is_total(&b, &total->terms[0]) && slice_same(a, b) &&
                strcmp(text_get(&terms[0].labels), text_get(&total->terms[0].labels)) == 0;
    if (pair != SLO_QUERY_READ || same)
      return pair;
    slo_query_clear(out);
    return fail(why, "what the bad requests are taken from is not the total");
  }
  if (kind == SLO_QUERY_RATIO && is_form(f, "-/") && terms[0].is_one)
    return read_pair(out, why, &terms[1], &terms[2]);
  return fail(why, "the query is none of those that are known (manual: Objectives); say it with "
                   "--slo");
}

enum slo_queried slo_query_read(struct slo_query *out, struct text *why, enum slo_query_kind kind,
                                const char *query, const char *total) {
  struct slo_formula f = {0}, all = {0};
  *out = (struct slo_query){NULL, NULL};
  bool scanned = scan(&f, query) && (total == NULL || scan(&all, total));
  enum slo_queried result;
  if (strstr(query, "_bucket") == NULL && strstr(query, "histogram_") == NULL)
    result = SLO_QUERY_OTHER;
  else if (!scanned)
    result = fail(why, "the query is none of those that are known (manual: Objectives); say it "
                       "with --slo");
  else
    result = read_formula(out, why, kind, &f, &all);
  formula_clear(&f);
  formula_clear(&all);
  return result;
}

void slo_query_clear(struct slo_query *query) {
  mem_free(query->of);
  mem_free(query->limit);
  *query = (struct slo_query){NULL, NULL};
}
