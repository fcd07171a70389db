/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/smt/term_digest.h"

#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/text.h"
#include "base/vector.h"
#include "solver/smt/z3_loaded.h"

struct term_writer {
  Z3_context context;
  struct text *text;
  VECTOR(unsigned) ids; /* by line: the solver's number of the subterm */
  struct index index;   /* of ids */
  bool known;
};

/* With its length, so that no name can be taken for two. */
static void put_name(struct term_writer *w, const char *name) {
  text_format(w->text, " %zu:%s", strlen(name), name);
}

static void put_sort(struct term_writer *w, Z3_sort sort) {
  text_format(w->text, " %d", (int)z3.get_sort_kind(w->context, sort));
  put_name(w, z3.sort_to_string(w->context, sort));
}

static unsigned put_term(struct term_writer *w, Z3_ast a);

static void put_application(struct term_writer *w, Z3_ast a) {
  Z3_context c = w->context;
  Z3_app app = z3.to_app(c, a);
  Z3_func_decl function = z3.get_app_decl(c, app);
  unsigned count = z3.get_app_num_args(c, app);
  unsigned *args = mem_alloc(count, sizeof *args);
  for (unsigned i = 0; i < count; i++)
    args[i] = put_term(w, z3.get_app_arg(c, app, i));
  w->known = w->known && z3.get_decl_num_parameters(c, function) == 0;
  text_format(w->text, "a %d", (int)z3.get_decl_kind(c, function));
  put_name(w, z3.get_symbol_string(c, z3.get_decl_name(c, function)));
  put_sort(w, z3.get_range(c, function));
  for (unsigned i = 0; i < count; i++)
    text_format(w->text, " %u", args[i]);
  mem_free(args);
}

/* Without patterns, which say when a fact is used and not what it says. */
static void put_quantifier(struct term_writer *w, Z3_ast a) {
  Z3_context c = w->context;
  unsigned body = put_term(w, z3.get_quantifier_body(c, a));
  bool all = z3.is_quantifier_forall(c, a);
  w->known = w->known && (all || z3.is_quantifier_exists(c, a));
  text_format(w->text, "%s %u", all ? "all" : "some", body);
  for (unsigned i = 0; i < z3.get_quantifier_num_bound(c, a); i++)
    put_sort(w, z3.get_quantifier_bound_sort(c, a, i));
}

static void put_line(struct term_writer *w, Z3_ast a) {
  Z3_context c = w->context;
  switch (z3.get_ast_kind(c, a)) {
  case Z3_NUMERAL_AST:
    text_append(w->text, "n");
    put_name(w, z3.get_numeral_string(c, a));
    put_sort(w, z3.get_sort(c, a));
    break;
  case Z3_APP_AST:
    put_application(w, a);
    break;
  case Z3_VAR_AST:
    text_format(w->text, "v %u", z3.get_index_value(c, a));
    put_sort(w, z3.get_sort(c, a));
    break;
  case Z3_QUANTIFIER_AST:
    put_quantifier(w, a);
    break;
  default:
    w->known = false;
  }
  text_append(w->text, "\n");
}

/* The number of its line, from 1. */
static unsigned put_term(struct term_writer *w, Z3_ast a) {
  unsigned id = z3.get_ast_id(w->context, a);
  for (struct index_look look = index_look(&w->index, hash_word(0, id)); index_next(&look);)
    if (w->ids.data[look.row] == id)
      return look.row + 1;
  put_line(w, a);
  index_add(&w->index, hash_word(0, id), (uint32_t)w->ids.count);
  vector_push(&w->ids, id);
  return (unsigned)w->ids.count;
}

/* False: it has something that is not known here. */
static bool put_all(struct text *text, Z3_context context, Z3_ast term) {
  struct term_writer w = {.context = context, .text = text, .known = true};
  put_term(&w, term);
  vector_clear(&w.ids);
  index_clear(&w.index);
  return w.known;
}

const char *term_digest(struct term_digests *d, Z3_context context, Z3_ast term) {
  unsigned id = z3.get_ast_id(context, term);
  while (d->by_id.count <= id)
    vector_push(&d->by_id, NULL);
  if (d->by_id.data[id] != NULL)
    return d->by_id.data[id];
  struct text text;
  char *digest = mem_alloc(DIGEST_LENGTH + 1, 1);
  text_init(&text);
  if (put_all(&text, context, term))
    digest_bytes(digest, text.data, text.length);
  text_clear(&text);
  return d->by_id.data[id] = digest;
}

static bool is_among(Z3_ast term, const Z3_ast *terms, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (terms[i] == term)
      return true;
  return false;
}

bool term_digest_all(struct term_digests *d, Z3_context context, const Z3_ast *terms, size_t count,
                     const Z3_ast *without, size_t without_count, char digest[DIGEST_LENGTH + 1]) {
  struct text text;
  bool known = true;
  text_init(&text);
  for (size_t i = 0; i < count && known; i++) {
    if (terms[i] == NULL || is_among(terms[i], without, without_count))
      continue;
    const char *one = term_digest(d, context, terms[i]);
    known = *one != '\0';
    text_append(&text, one);
  }
  digest_bytes(digest, text_get(&text), text.length);
  text_clear(&text);
  return known;
}

void term_digests_clear(struct term_digests *d) {
  for (size_t i = 0; i < d->by_id.count; i++)
    mem_free(d->by_id.data[i]);
  vector_clear(&d->by_id);
}
