/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/smt/smtlib.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* An open parenthesis. */
struct level {
  size_t at;       /* in the output */
  bool annotation; /* "(!" */
  bool attribute;  /* one was kept */
};

struct rewrite {
  struct text *out;
  VECTOR(struct level) levels;
  VECTOR(size_t) names; /* by number in Z3's name of a subterm: the new number, from 1; 0: none */
  size_t named;
};

/* The length of `|...|`, a string, or a comment at `at`; 0 for anything else. */
static size_t opaque(const char *at) {
  if (*at != '|' && *at != '"' && *at != ';')
    return 0;
  const char *end = strchr(at + 1, *at == ';' ? '\n' : *at);
  return end == NULL ? strlen(at) : (size_t)(end - at) + 1;
}

static bool is_symbol(char c) {
  return c != '\0' && strchr(" \t\n()|\";", c) == NULL;
}

/* The length of a symbol at `at`, copied; Z3's names of subterms, $x123 and ?x123, get a new number
 * in order of appearance, because the old one depends on what else was in memory. */
static size_t copy_symbol(struct rewrite *r, const char *at) {
  size_t length = 0;
  while (is_symbol(at[length]))
    length++;
  bool named = (at[0] == '$' || at[0] == '?') && at[1] == 'x' && length > 2 && length < 12 &&
               strspn(at + 2, "0123456789") == length - 2;
  if (!named) {
    text_append_bytes(r->out, at, length);
    return length;
  }
  size_t old = strtoul(at + 2, NULL, 10);
  while (r->names.count <= old)
    vector_push(&r->names, 0);
  if (r->names.data[old] == 0)
    r->names.data[old] = ++r->named;
  text_format(r->out, "%.2s%zu", at, r->names.data[old]);
  return length;
}

static void close_level(struct rewrite *r) {
  if (r->levels.count == 0) {
    text_append(r->out, ")");
    return;
  }
  struct level level = r->levels.data[--r->levels.count];
  if (!level.annotation || level.attribute) {
    text_append(r->out, ")");
    return;
  }
  r->out->data[level.at] = ' ';
  r->out->data[level.at + 1] = ' ';
}

/* At a colon that starts an attribute of an annotation: what of it is not to be copied. */
static size_t dropped(struct rewrite *r, const char *at) {
  static const char weight[] = ":weight ";
  size_t count = r->levels.count;
  if (count == 0 || !r->levels.data[count - 1].annotation)
    return 0;
  if (strncmp(at, weight, strlen(weight)) == 0)
    return strlen(weight) + strspn(at + strlen(weight), "0123456789");
  r->levels.data[count - 1].attribute = true;
  return 0;
}

void smtlib_portable(struct text *out, const char *script) {
  struct rewrite r = {.out = out};
  for (const char *at = script; *at != '\0';) {
    size_t skip = opaque(at);
    if (skip != 0) {
      text_append_bytes(out, at, skip);
      at += skip;
      continue;
    }
    if (*at == ':' && (skip = dropped(&r, at)) != 0) {
      at += skip;
      continue;
    }
    if (is_symbol(*at)) {
      at += copy_symbol(&r, at);
      continue;
    }
    if (*at == '(')
      vector_push(&r.levels, (struct level){out->length, at[1] == '!' && at[2] == ' ', false});
    if (*at == ')')
      close_level(&r);
    else
      text_append_bytes(out, at, 1);
    at++;
  }
  vector_clear(&r.levels);
  vector_clear(&r.names);
}
