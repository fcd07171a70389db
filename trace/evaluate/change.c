/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/evaluate/change.h"

#include <string.h>

#include "base/decimal.h"
#include "base/duration.h"

enum { SHARDS_MAX = 1000, PROCESSES_MAX = 64 };

/* A change while it is read. */
struct reading {
  struct request_change *change;
  const char *text;
  struct text *message;
};

static enum status complain(const struct reading *r, const char *place, const char *what) {
  text_format(r->message, "column %zu: %s", (size_t)(place - r->text) + 1, what);
  return STATUS_USAGE;
}

static const char *skip(const char *at) {
  return at + strspn(at, " \t");
}

static struct slice rest_of(const char *at) {
  return slice_trim((struct slice){at, strlen(at)});
}

static void set_name(struct request_change *change, struct slice name) {
  if (name.length >= 2 && name.start[0] == '"' && name.start[name.length - 1] == '"')
    name = (struct slice){name.start + 1, name.length - 2};
  mem_free(change->name);
  change->name = mem_copy_text(name.start, name.length);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static bool read_rational(struct rational *value, struct slice digits) {
  char *number = mem_copy_text(digits.start, digits.length);
  bool good = digits.length != 0 && rational_parse(value, number) && rational_sign(value) >= 0;
  mem_free(number);
  return good;
}

static bool read_whole(uint64_t *number, struct slice digits) {
  return decimal_whole(number, digits) == DECIMAL_OK && *number >= 1 && *number <= 1000000000;
}

static enum status read_number(const struct reading *r, struct slice digits) {
  return read_whole(&r->change->number, digits)
             ? STATUS_OK
             : complain(r, digits.start, "expected a whole number from 1 to 1000000000");
}

static struct slice until(const char *at, char end) {
  const char *stop = strchr(at, end);
  return slice_trim((struct slice){at, stop == NULL ? strlen(at) : (size_t)(stop - at)});
}

/* --- behind NAME: ----------------------------------------------------------------------------- */

static enum status read_scale(const struct reading *r, const char *at) {
  r->change->kind = CHANGE_SCALE;
  at = skip(at + 1);
  if (!read_rational(&r->change->value, rest_of(at)))
    return complain(r, at, "expected a factor, as in *0.5");
  return STATUS_OK;
}

static bool read_duration(struct rational *value, const char *at) {
  char *duration = mem_copy_text(rest_of(at).start, rest_of(at).length);
  bool good = duration_parse(value, duration);
  mem_free(duration);
  return good;
}

static enum status read_shift(const struct reading *r, const char *at) {
  bool less = *at == '-';
  at = skip(at + 1);
  r->change->kind = CHANGE_SHIFT;
  if (!read_duration(&r->change->value, at))
    return complain(r, at, "expected a time, as in + 3 ms");
  struct rational zero;
  rational_init(&zero);
  if (less)
    rational_sub(&r->change->value, &zero, &r->change->value);
  rational_clear(&zero);
  return STATUS_OK;
}

/* Words behind NAME: of event loops, and whether a number follows. */
static const struct loop_word {
  const char *word;
  enum change_kind kind;
  bool counts;
} loop_words[] = {{"split", CHANGE_SPLIT, true},
                  {"offload", CHANGE_OFFLOAD, false},
                  {"rarer", CHANGE_RARER, true},
                  {"at most", CHANGE_MOST, false}};

static const struct loop_word *find_loop_word(const char *at) {
  for (size_t i = 0; i < sizeof loop_words / sizeof *loop_words; i++) {
    size_t length = strlen(loop_words[i].word);
    if (strncmp(at, loop_words[i].word, length) == 0 &&
        (at[length] == 0 || at[length] == ' ' || at[length] == '\t'))
      return &loop_words[i];
  }
  return NULL;
}

static enum status read_loop_word(const struct reading *r, const char *at) {
  const struct loop_word *word = find_loop_word(at);
  struct slice rest = rest_of(at + strlen(word->word));
  r->change->kind = word->kind;
  if (word->kind == CHANGE_MOST)
    return read_duration(&r->change->value, rest.start) && rational_sign(&r->change->value) >= 0
               ? STATUS_OK
               : complain(r, rest.start, "expected a time, as in at most 5 ms");
  if (word->counts)
    return read_number(r, rest);
  return rest.length == 0 ? STATUS_OK : complain(r, rest.start, "nothing follows this word");
}

/* "processes: 2" */
static enum status read_processes(const struct reading *r, const char *at) {
  r->change->kind = CHANGE_PROCESSES;
  set_name(r->change, (struct slice){"*", 1});
  enum status status = read_number(r, rest_of(at));
  if (status == STATUS_OK && r->change->number > PROCESSES_MAX)
    return complain(r, skip(at), "more than 64 processes");
  return status;
}

static bool is_processes(const char *start, const char *behind) {
  struct slice name = slice_trim((struct slice){start, strcspn(start, ":")});
  return behind == start && strchr(start, ':') != NULL && slice_is(name, "processes");
}

/* The last colon with a sign or word behind it: names of operations may have colons. */
static const char *find_sign(const char *from) {
  const char *found = NULL;
  for (const char *at = from; (at = strchr(at, ':')) != NULL; at++) {
    const char *sign = skip(at + 1);
    if ((*sign != 0 && strchr("*+-", *sign) != NULL) || find_loop_word(sign) != NULL)
      found = at;
  }
  return found;
}

/* --- behind = --------------------------------------------------------------------------------- */

static enum status read_law(const struct reading *r, const char *at) {
  struct slice law = rest_of(at);
  if (law.length == 0)
    return complain(r, at,
                    "expected a file of measurements, or a law such as mix(0.9 Hit, 0.1 "
                    "Miss)");
  r->change->law = mem_copy_text(law.start, law.length);
  r->change->law_column = (size_t)(law.start - r->text) + 1;
  return STATUS_OK;
}

/* NAME@60 */
static enum status read_profile(const struct reading *r, struct slice left, const char *at) {
  size_t where = left.length;
  while (where != 0 && left.start[where - 1] != '@')
    where--;
  r->change->kind = CHANGE_PROFILE;
  set_name(r->change, slice_trim((struct slice){left.start, where - 1}));
  enum status status =
      read_number(r, slice_trim((struct slice){left.start + where, left.length - where}));
  return status == STATUS_OK ? read_law(r, at) : status;
}

static bool is_profile(struct slice left) {
  size_t digits = 0;
  while (digits < left.length && left.start[left.length - 1 - digits] >= '0' &&
         left.start[left.length - 1 - digits] <= '9')
    digits++;
  return digits != 0 && digits < left.length && left.start[left.length - 1 - digits] == '@';
}

/* --- scenarios with a word in front ----------------------------------------------------------- */

static enum status read_fail(const struct reading *r, const char *at) {
  struct slice failed = until(at, '/');
  const char *slash = strchr(at, '/');
  struct request_change *change = r->change;
  if (slash == NULL || !read_whole(&change->failed, failed) ||
      !read_whole(&change->number, rest_of(slash + 1)))
    return complain(r, at, "expected how many of how many replicas fail, as in fail=1/3");
  if (change->failed >= change->number)
    return complain(r, at, "no replica is left; fewer must fail than there are, as in fail=1/3");
  return STATUS_OK;
}

/* Whether the shares are as many as the shards, and add up to 1. */
static bool shares_add_up(const struct request_change *change) {
  struct rational sum, share, one;
  rational_init(&sum);
  rational_init(&share);
  rational_init(&one);
  rational_set_integer(&one, 1);
  struct slice rest = {change->skew, strlen(change->skew)}, field;
  uint64_t count = 0;
  bool good = true;
  for (; slice_field(&field, &rest, ','); count++) {
    good = good && read_rational(&share, field);
    rational_add(&sum, &sum, &share);
  }
  good = good && count == change->number && rational_compare(&sum, &one) == 0;
  rational_clear(&sum);
  rational_clear(&share);
  rational_clear(&one);
  return good;
}

static enum status read_shards(const struct reading *r, const char *at) {
  struct slice count = until(at, 's');
  enum status status = read_number(r, count);
  if (status != STATUS_OK)
    return status;
  if (r->change->number > SHARDS_MAX)
    return complain(r, at, "more than 1000 shards");
  const char *skew = skip(count.start + count.length);
  if (*skew == 0)
    return STATUS_OK;
  const char *equals = strchr(skew, '=');
  if (strncmp(skew, "skew", 4) != 0 || equals == NULL)
    return complain(r, skew, "expected skew=SHARE,SHARE,... or the end");
  r->change->skew = mem_copy_text(rest_of(equals + 1).start, rest_of(equals + 1).length);
  if (!shares_add_up(r->change))
    return complain(r, skip(equals + 1),
                    "expected as many shares as shards, which add up to 1, as in skew=0.7,0.3");
  return STATUS_OK;
}

static enum status read_cpu(const struct reading *r, const char *at) {
  const char *percent = strchr(at, '%');
  if (percent == NULL || !read_rational(&r->change->value, until(at, '%')))
    return complain(r, at,
                    "expected how busy the processor is and a file of factors, as in "
                    "cpu=40% factors.csv");
  return read_law(r, percent + 1);
}

static enum status read_count(const struct reading *r, const char *at) {
  return read_number(r, rest_of(at));
}

static const struct keyword {
  const char *word;
  enum change_kind kind;
  bool needs_name;
  enum status (*read)(const struct reading *r, const char *at);
} keywords[] = {
    {"limit", CHANGE_LIMIT, true, read_count}, {"load", CHANGE_LOAD, false, read_count},
    {"fail", CHANGE_FAIL, false, read_fail},   {"shards", CHANGE_SHARDS, false, read_shards},
    {"cpu", CHANGE_CPU, false, read_cpu},
};

/* The keyword that a text starts with, "load=" or "load NAME="; NULL: none. */
static const struct keyword *find_keyword(struct slice left) {
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    size_t length = strlen(keywords[i].word);
    if (left.length >= length && strncmp(left.start, keywords[i].word, length) == 0 &&
        (left.length == length || left.start[length] == ' '))
      return &keywords[i];
  }
  return NULL;
}

static enum status read_keyword(const struct reading *r, const struct keyword *keyword,
                                struct slice left, const char *at) {
  size_t length = strlen(keyword->word);
  struct slice name = slice_trim((struct slice){left.start + length, left.length - length});
  if (name.length == 0 && keyword->needs_name)
    return complain(r, left.start + length, "expected whose limit it is, as in limit sql=30");
  set_name(r->change, name.length == 0 ? (struct slice){"*", 1} : name);
  r->change->kind = keyword->kind;
  return keyword->read(r, at);
}

/* --- all of it -------------------------------------------------------------------------------- */

static enum status read_equals(const struct reading *r, const char *start, const char *equals) {
  struct slice left = slice_trim((struct slice){start, (size_t)(equals - start)});
  const struct keyword *keyword = find_keyword(left);
  if (left.length == 0)
    return complain(r, start, "expected the name of a call, as in cart/redis.get");
  if (keyword != NULL)
    return read_keyword(r, keyword, left, skip(equals + 1));
  if (is_profile(left))
    return read_profile(r, left, equals + 1);
  r->change->kind = CHANGE_LAW;
  set_name(r->change, left);
  return read_law(r, equals + 1);
}

static enum status read_change(const struct reading *r) {
  const char *start = skip(r->text), *behind = start;
  if (*start == '"') {
    behind = strchr(start + 1, '"');
    if (behind == NULL)
      return complain(r, start, "no second \" ends this name");
  }
  if (is_processes(start, behind))
    return read_processes(r, strchr(start, ':') + 1);
  const char *equals = strchr(behind, '='), *colon = find_sign(behind);
  if (colon != NULL && (equals == NULL || strchr(colon, '=') == NULL)) {
    struct slice name = slice_trim((struct slice){start, (size_t)(colon - start)});
    if (name.length == 0)
      return complain(r, start, "expected the name of a call, as in cart/redis.get: *0.5");
    set_name(r->change, name);
    const char *sign = skip(colon + 1);
    if (find_loop_word(sign) != NULL)
      return read_loop_word(r, sign);
    return *sign == '*' ? read_scale(r, sign) : read_shift(r, sign);
  }
  if (equals == NULL)
    return complain(r, start + strlen(start),
                    "expected a change: NAME: *0.5, NAME: + 3 ms, NAME = FILE, limit NAME=30, "
                    "load=60, fail=1/3, shards=4, cpu=40% FILE");
  return read_equals(r, start, equals);
}

enum status change_parse(struct request_change *change, const char *text, struct text *message) {
  *change = (struct request_change){.text = mem_copy_text(text, strlen(text))};
  rational_init(&change->value);
  struct reading reading = {change, text, message};
  enum status status = read_change(&reading);
  if (status != STATUS_OK)
    change_clear(change);
  return status;
}

void change_clear(struct request_change *change) {
  mem_free(change->text);
  mem_free(change->name);
  mem_free(change->law);
  mem_free(change->skew);
  rational_clear(&change->value);
}

void change_share(struct rational *share, const struct request_change *change, uint64_t i) {
  rational_set_fraction(share, 1, (int64_t)change->number);
  if (change->skew == NULL)
    return;
  struct slice rest = {change->skew, strlen(change->skew)}, field = {0};
  for (uint64_t k = 0; k <= i; k++)
    slice_field(&field, &rest, ',');
  read_rational(share, field);
}

/* --- names ------------------------------------------------------------------------------------ */

/* The last * is tried longer and longer: linear but for patterns with many of them. */
static bool fits(const char *pattern, const char *text) {
  const char *star = NULL, *from = text;
  while (*text != 0) {
    if (*pattern == '*') {
      star = pattern++;
      from = text;
    } else if (*pattern == *text) {
      pattern++;
      text++;
    } else if (star != NULL) {
      pattern = star + 1;
      text = ++from;
    } else {
      return false;
    }
  }
  return pattern[strspn(pattern, "*")] == 0;
}

bool change_means(const char *pattern, const char *service, const char *operation) {
  struct text name;
  text_init(&name);
  text_format(&name, "%s/%s", service, operation);
  bool means = fits(pattern, service) || fits(pattern, name.data);
  text_clear(&name);
  return means;
}
