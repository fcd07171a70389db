/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/proxy/head.h"

#include <string.h>
#include <strings.h>

bool proxy_slice_is(struct proxy_slice slice, const char *text) {
  return strlen(text) == slice.length && strncasecmp(slice.at, text, slice.length) == 0;
}

static bool is_token(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_blank(unsigned char c) {
  return c == ' ' || c == '\t';
}

static bool is_digit(unsigned char c) {
  return c >= '0' && c <= '9';
}

ptrdiff_t proxy_head_length(const char *bytes, size_t size, size_t *seen) {
  for (size_t at = *seen; at < size;) {
    const char *feed = memchr(bytes + at, '\n', size - at);
    if (feed == NULL)
      break;
    size_t length = (size_t)(feed - bytes) + 1;
    if (length < 2 || feed[-1] != '\r')
      return -1;
    if (length == 2 || feed[-2] == '\n')
      return (ptrdiff_t)length;
    at = length;
  }
  *seen = size;
  return 0;
}

/* The line at bytes[*at], without its CRLF; *at is behind it then. Every line of a head ends so. */
static struct proxy_slice next_line(const char *bytes, size_t length, size_t *at) {
  const char *feed = memchr(bytes + *at, '\n', length - *at);
  size_t end = feed == NULL ? length : (size_t)(feed - bytes);
  struct proxy_slice line = {bytes + *at, end - *at};
  if (line.length > 0 && line.at[line.length - 1] == '\r')
    line.length--;
  *at = end < length ? end + 1 : length;
  return line;
}

/* What remains behind the first `count` bytes. */
static struct proxy_slice rest_of(struct proxy_slice slice, size_t count) {
  return (struct proxy_slice){slice.at + count, slice.length - count};
}

static struct proxy_slice without_blanks(struct proxy_slice slice) {
  while (slice.length > 0 && is_blank((unsigned char)slice.at[0]))
    slice = rest_of(slice, 1);
  while (slice.length > 0 && is_blank((unsigned char)slice.at[slice.length - 1]))
    slice.length--;
  return slice;
}

static const char *read_field(struct proxy_field *field, struct proxy_slice line) {
  size_t name = 0;
  while (name < line.length && is_token((unsigned char)line.at[name]))
    name++;
  if (is_blank((unsigned char)line.at[0]))
    return "a field is folded over several lines";
  if (name == 0 || name == line.length || line.at[name] != ':')
    return "a field's name is not a token with a colon right behind it";
  field->name = (struct proxy_slice){line.at, name};
  field->value = without_blanks(rest_of(line, name + 1));
  for (size_t i = 0; i < field->value.length; i++) {
    unsigned char c = (unsigned char)field->value.at[i];
    if ((c < ' ' && c != '\t') || c == 127)
      return "a field's value has a control character";
  }
  return NULL;
}

const char *proxy_fields_read(struct proxy_fields *fields, const char *bytes, size_t length) {
  fields->count = 0;
  for (size_t at = 0; at < length;) {
    struct proxy_slice line = next_line(bytes, length, &at);
    if (line.length == 0)
      return at == length ? NULL : "there is an empty line within the head";
    if (fields->count == PROXY_FIELDS)
      return "there are more than 256 fields";
    const char *why = read_field(&fields->all[fields->count], line);
    if (why != NULL)
      return why;
    fields->count++;
  }
  return "the head does not end";
}

/* 1*DIGIT up to PROXY_LENGTH_MAX. */
static bool read_number(uint64_t *number, struct proxy_slice text) {
  *number = 0;
  for (size_t i = 0; i < text.length; i++) {
    if (!is_digit((unsigned char)text.at[i]))
      return false;
    uint64_t digit = (uint64_t)(text.at[i] - '0');
    if (*number > (PROXY_LENGTH_MAX - digit) / 10)
      return false;
    *number = *number * 10 + digit;
  }
  return text.length > 0;
}

/* "HTTP/1.x": false when it is none; *major is the first digit. */
static bool read_version(struct proxy_slice text, unsigned *major, unsigned *minor) {
  if (text.length != 8 || memcmp(text.at, "HTTP/", 5) != 0 || text.at[6] != '.' ||
      !is_digit((unsigned char)text.at[5]) || !is_digit((unsigned char)text.at[7]))
    return false;
  *major = (unsigned)(text.at[5] - '0');
  *minor = text.at[7] == '0' ? 0 : 1;
  return true;
}

/* The next element of a comma-separated list; false at its end. */
static bool next_element(struct proxy_slice *list, struct proxy_slice *element) {
  while (list->length > 0) {
    const char *comma = memchr(list->at, ',', list->length);
    size_t length = comma == NULL ? list->length : (size_t)(comma - list->at);
    *element = without_blanks((struct proxy_slice){list->at, length});
    *list = rest_of(*list, comma == NULL ? length : length + 1);
    if (element->length > 0)
      return true;
  }
  return false;
}

static const char *read_connection(struct proxy_head *head, struct proxy_slice list) {
  struct proxy_slice element;
  while (next_element(&list, &element)) {
    if (proxy_slice_is(element, "close"))
      head->close = true;
    else if (proxy_slice_is(element, "keep-alive"))
      head->keep_alive = true;
    else if (proxy_slice_is(element, "upgrade"))
      head->upgrade = true;
    else if (head->named_count == PROXY_NAMED)
      return "Connection has more than 32 options";
    else
      head->named[head->named_count++] = element;
  }
  return NULL;
}

struct head_seen {
  unsigned lengths, codings, hosts, upgrades;
  bool chunked; /* the coding is it alone */
};

static const char *read_meaning(struct proxy_head *head, const struct proxy_field *field,
                                struct head_seen *seen) {
  struct proxy_slice name = field->name, value = field->value, element;
  if (proxy_slice_is(name, "content-length")) {
    if (!read_number(&head->length, value))
      return "Content-Length is not one number below 2^63";
    seen->lengths++;
  } else if (proxy_slice_is(name, "transfer-encoding")) {
    seen->chunked = proxy_slice_is(value, "chunked");
    seen->codings++;
  } else if (proxy_slice_is(name, "connection")) {
    return read_connection(head, value);
  } else if (proxy_slice_is(name, "host")) {
    head->authority = value;
    seen->hosts++;
  } else if (proxy_slice_is(name, "upgrade")) {
    seen->upgrades++;
  } else if (proxy_slice_is(name, "te")) {
    while (next_element(&value, &element))
      head->trailers = head->trailers || proxy_slice_is(element, "trailers");
  } else if (proxy_slice_is(name, "max-forwards")) {
    head->hops_known = read_number(&head->hops, value);
  }
  return NULL;
}

/* What the fields mean for the connection; what goes for both kinds of heads is judged here. */
static const char *read_meanings(struct proxy_head *head, struct head_seen *seen) {
  *seen = (struct head_seen){0};
  for (size_t i = 0; i < head->fields.count; i++) {
    const char *why = read_meaning(head, &head->fields.all[i], seen);
    if (why != NULL)
      return why;
  }
  head->upgrade = head->upgrade && seen->upgrades > 0 && head->minor == 1;
  if (seen->lengths > 0 && seen->codings > 0)
    return "there are Content-Length and Transfer-Encoding";
  if (seen->lengths > 1)
    return "there is more than one Content-Length";
  if (seen->codings > 1)
    return "there is more than one Transfer-Encoding";
  if (seen->codings > 0 && head->minor == 0)
    return "there is Transfer-Encoding in a message of HTTP/1.0";
  return NULL;
}

static enum proxy_method method_of(struct proxy_slice verb) {
  static const struct {
    const char *name;
    enum proxy_method method;
  } known[] = {
      {"GET", PROXY_METHOD_SAFE},        {"HEAD", PROXY_METHOD_HEAD},
      {"PUT", PROXY_METHOD_SAFE},        {"DELETE", PROXY_METHOD_SAFE},
      {"TRACE", PROXY_METHOD_TRACE},     {"OPTIONS", PROXY_METHOD_OPTIONS},
      {"CONNECT", PROXY_METHOD_CONNECT},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i].name) == verb.length && memcmp(known[i].name, verb.at, verb.length) == 0)
      return known[i].method;
  return PROXY_METHOD_OTHER;
}

/* "/path", "*" of OPTIONS, "host:port" of CONNECT, or "http://host/path", whose host then is what
 * Host is to say (RFC 9112, 3.2.2). */
static const char *read_target(struct proxy_head *head) {
  struct proxy_slice target = head->target;
  for (size_t i = 0; i < target.length; i++)
    if (target.at[i] <= ' ' || target.at[i] >= 127)
      return "the target has a character that is not visible ASCII";
  if (target.length == 0)
    return "there is no target";
  if (head->method == PROXY_METHOD_CONNECT)
    return target.at[0] == '/' ? "the target of CONNECT is not HOST:PORT" : NULL;
  if (target.at[0] == '/' ||
      (head->method == PROXY_METHOD_OPTIONS && target.length == 1 && target.at[0] == '*'))
    return NULL;
  size_t scheme = target.length > 7 && strncasecmp(target.at, "http://", 7) == 0    ? 7
                  : target.length > 8 && strncasecmp(target.at, "https://", 8) == 0 ? 8
                                                                                    : 0;
  if (scheme == 0)
    return "the target is no path and no http address";
  struct proxy_slice authority = rest_of(target, scheme);
  size_t length = 0;
  while (length < authority.length && strchr("/?#", authority.at[length]) == NULL)
    length++;
  authority.length = length;
  if (length == 0)
    return "the target's host is empty";
  head->authority = authority;
  return NULL;
}

/* "GET /path HTTP/1.1". */
static unsigned read_request_line(struct proxy_head *head, struct proxy_slice line,
                                  const char **why) {
  size_t verb = 0;
  while (verb < line.length && is_token((unsigned char)line.at[verb]))
    verb++;
  *why = "the first line is not METHOD TARGET HTTP/1.1";
  if (verb == 0 || verb == line.length || line.at[verb] != ' ')
    return 400;
  head->verb = (struct proxy_slice){line.at, verb};
  head->method = method_of(head->verb);
  struct proxy_slice rest = rest_of(line, verb + 1);
  const char *blank = memchr(rest.at, ' ', rest.length);
  unsigned major;
  if (blank == NULL)
    return 400;
  head->target = (struct proxy_slice){rest.at, (size_t)(blank - rest.at)};
  if (!read_version(rest_of(rest, head->target.length + 1), &major, &head->minor))
    return 400;
  *why = "the version is not HTTP/1.1";
  return major == 1 ? 0 : 505;
}

/* As far as it matters here: nothing that ends a host in some reader's eyes. */
static bool is_host(struct proxy_slice text) {
  for (size_t i = 0; i < text.length; i++)
    if (strchr(" \t,/?#@\\\"<>", text.at[i]) != NULL)
      return false;
  return true;
}

static unsigned judge_request(struct proxy_head *head, const struct head_seen *seen,
                              const char **why) {
  *why = "there is more than one Host";
  if (seen->hosts > 1)
    return 400;
  *why = "there is no Host";
  if (seen->hosts == 0 && head->minor == 1)
    return 400;
  *why = "Host is no host";
  if (!is_host(head->authority))
    return 400;
  if ((*why = read_target(head)) != NULL)
    return 400;
  *why = "the target's host is no host";
  if (!is_host(head->authority))
    return 400;
  *why = "the Transfer-Encoding is not chunked";
  if (seen->codings > 0 && !seen->chunked)
    return 501;
  *why = "CONNECT has a body";
  if (head->method == PROXY_METHOD_CONNECT && (seen->codings > 0 || head->length > 0))
    return 400;
  head->framing = seen->codings > 0  ? PROXY_CHUNKED
                  : head->length > 0 ? PROXY_LENGTH
                                     : PROXY_NO_BODY;
  return 0;
}

unsigned proxy_request_read(struct proxy_head *head, const char *bytes, size_t length,
                            const char **why) {
  struct head_seen seen;
  size_t at = 0;
  memset(head, 0, offsetof(struct proxy_head, fields));
  unsigned status = read_request_line(head, next_line(bytes, length, &at), why);
  if (status != 0)
    return status;
  *why = proxy_fields_read(&head->fields, bytes + at, length - at);
  if (*why != NULL)
    return head->fields.count == PROXY_FIELDS ? 431 : 400;
  if ((*why = read_meanings(head, &seen)) != NULL)
    return 400;
  return judge_request(head, &seen, why);
}

/* "HTTP/1.1 200 OK"; the blank before an empty reason may be missing. */
static const char *read_status_line(struct proxy_head *head, struct proxy_slice line) {
  unsigned major;
  if (line.length < 12 || !read_version((struct proxy_slice){line.at, 8}, &major, &head->minor) ||
      major != 1 || line.at[8] != ' ')
    return "its first line is not HTTP/1.1 STATUS REASON";
  for (size_t i = 9; i < 12; i++) {
    if (!is_digit((unsigned char)line.at[i]))
      return "its status is not three digits";
    head->status = head->status * 10 + (unsigned)(line.at[i] - '0');
  }
  if (head->status < 100 || (line.length > 12 && line.at[12] != ' '))
    return "its status is not three digits from 100 on";
  head->reason = line.length > 13 ? rest_of(line, 13) : rest_of(line, line.length);
  for (size_t i = 0; i < head->reason.length; i++) {
    unsigned char c = (unsigned char)head->reason.at[i];
    if ((c < ' ' && c != '\t') || c == 127)
      return "its reason has a control character";
  }
  return NULL;
}

/* RFC 9112, 6.3. */
static const char *judge_answer(struct proxy_head *head, const struct head_seen *seen,
                                enum proxy_method method) {
  if (seen->codings > 0 && !seen->chunked)
    return "its Transfer-Encoding is not chunked";
  bool none = head->status < 200 || head->status == 204 || head->status == 304 ||
              method == PROXY_METHOD_HEAD || (method == PROXY_METHOD_CONNECT && head->status < 300);
  head->framing = none                ? PROXY_NO_BODY
                  : seen->codings > 0 ? PROXY_CHUNKED
                  : seen->lengths > 0 ? PROXY_LENGTH
                                      : PROXY_UNTIL_CLOSE;
  return NULL;
}

unsigned proxy_answer_read(struct proxy_head *head, const char *bytes, size_t length,
                           enum proxy_method method, const char **why) {
  struct head_seen seen;
  size_t at = 0;
  memset(head, 0, offsetof(struct proxy_head, fields));
  if ((*why = read_status_line(head, next_line(bytes, length, &at))) != NULL ||
      (*why = proxy_fields_read(&head->fields, bytes + at, length - at)) != NULL ||
      (*why = read_meanings(head, &seen)) != NULL ||
      (*why = judge_answer(head, &seen, method)) != NULL)
    return 502;
  return 0;
}
