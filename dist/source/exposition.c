/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/exposition.h"

#include <ctype.h>
#include <string.h>

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  return at;
}

static struct slice take_name(const char **at, const char *end) {
  const char *start = *at;
  while (*at < end && (isalnum((unsigned char)**at) || **at == '_' || **at == ':') &&
         !(*at == start && isdigit((unsigned char)**at)))
    (*at)++;
  return (struct slice){start, (size_t)(*at - start)};
}

/* What stands between two quotes; start NULL when it is not closed. */
static struct slice take_quoted(const char **at, const char *end) {
  const char *start = ++*at;
  while (*at < end && **at != '"')
    *at += **at == '\\' && end - *at > 1 ? 2 : 1;
  if (*at >= end)
    return (struct slice){NULL, 0};
  return (struct slice){start, (size_t)((*at)++ - start)};
}

/* Behind the labels' opening brace; leaves *at behind the closing one. */
static bool take_labels(struct exposed *exposed, const char **at, const char *end) {
  const char *open = *at;
  exposed->before = (struct slice){open, 0};
  exposed->after = exposed->before;
  for (;;) {
    *at = skip_blanks(*at, end);
    if (*at < end && **at == '}')
      break;
    const char *pair = *at;
    struct slice name = take_name(at, end);
    *at = skip_blanks(*at, end);
    if (name.length == 0 || *at == end || **at != '=')
      return false;
    *at = skip_blanks(*at + 1, end);
    struct slice value = {NULL, 0};
    if (*at < end && **at == '"')
      value = take_quoted(at, end);
    *at = skip_blanks(*at, end);
    if (value.start == NULL || *at == end || (**at != ',' && **at != '}'))
      return false;
    *at += **at == ',';
    exposed->quantile = exposed->quantile || slice_is(name, "quantile");
    if (slice_is(name, "le")) {
      if (exposed->le.start != NULL)
        return false;
      exposed->le = value;
      exposed->before.length = (size_t)(pair - open);
      exposed->after.start = *at;
    }
  }
  if (exposed->le.start == NULL)
    exposed->before.length = (size_t)(*at - open);
  else
    exposed->after.length = (size_t)(*at - exposed->after.start);
  (*at)++;
  return true;
}

static enum exposed_kind fail_line(const struct reader *reader, struct slice line) {
  reader_fail_found(reader, line,
                    "where a line of a Prometheus exposition is expected, such as "
                    "rpc_seconds_bucket{le=\"0.005\"} 17");
  return EXPOSED_BAD;
}

/* A value, perhaps a time behind it, perhaps an exemplar ("# {...} ...") behind that. */
static bool take_value(struct exposed *exposed, const char *at, const char *end) {
  struct slice rest = {at, (size_t)(end - at)}, more;
  const char *mark = NULL;
  for (const char *p = at; p + 1 < end && mark == NULL; p++)
    if (p[0] == '#' && p > at && (p[-1] == ' ' || p[-1] == '\t'))
      mark = p;
  if (mark != NULL)
    rest.length = (size_t)(mark - at);
  if (!slice_field(&exposed->value, &rest, ' '))
    return false;
  uint64_t ignored;
  if (!slice_field(&more, &rest, ' '))
    return true;
  return decimal_upper(&ignored, NULL, more, 0) != DECIMAL_NOT && !slice_field(&more, &rest, ' ');
}

/* "{count:3,...}" of a native histogram, where labels would have "=". */
static bool is_composite(const char *at, const char *end) {
  at++;
  struct slice name = take_name(&at, end);
  return memchr(name.start, ':', name.length) != NULL;
}

enum exposed_kind exposed_line(struct exposed *exposed, const struct reader *reader,
                               struct slice line) {
  line = slice_trim(line);
  if (line.length == 0)
    return EXPOSED_NOTHING;
  if (line.start[0] == '#')
    return slice_is(line, "# EOF") ? EXPOSED_END : EXPOSED_NOTHING;
  const char *at = line.start, *end = line.start + line.length;
  *exposed = (struct exposed){.name = take_name(&at, end)};
  const char *behind = at;
  at = skip_blanks(at, end);
  exposed->before = exposed->after = (struct slice){at, 0};
  if (exposed->name.length == 0 || at == end)
    return fail_line(reader, line);
  if (*at == '{' && !is_composite(at, end)) {
    at++;
    if (!take_labels(exposed, &at, end))
      return fail_line(reader, line);
  } else if (at == behind && *at != '{') {
    return fail_line(reader, line);
  }
  at = skip_blanks(at, end);
  if (at < end && *at == '{') {
    exposed->value = (struct slice){at, (size_t)(end - at)};
    return EXPOSED_METRIC;
  }
  return take_value(exposed, at, end) ? EXPOSED_METRIC : fail_line(reader, line);
}

/* The length of `name="value"` at the start of the labels, up to the comma behind it. */
static size_t label_length(struct slice labels) {
  bool quoted = false;
  for (size_t i = 0; i < labels.length; i++) {
    if (quoted && labels.start[i] == '\\')
      i++;
    else if (labels.start[i] == '"')
      quoted = !quoted;
    else if (!quoted && labels.start[i] == ',')
      return i;
  }
  return labels.length;
}

size_t exposed_label(struct slice *name, struct slice *value, struct slice labels) {
  size_t length = label_length(labels);
  struct slice label = {labels.start, length};
  *name = *value = (struct slice){labels.start, 0};
  while (name->length < label.length && label.start[name->length] != '=')
    name->length++;
  if (name->length < label.length) {
    struct slice quoted = {label.start + name->length + 1, label.length - name->length - 1};
    quoted = slice_trim(quoted);
    *value = (struct slice){quoted.start + 1, quoted.length - 2};
  }
  *name = slice_trim(*name);
  return length + (length < labels.length);
}
