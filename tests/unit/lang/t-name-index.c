/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The index of names: on small files by hand; on every shipped protocol and every case against what
 * the checker takes each name for, and every word is a word of the language or in the index. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <glob.h>
#include <string.h>

#include "lang/check.h"
#include "lang/name_index.h"
#include "lang/parse.h"
#include "lang/source.h"

struct file {
  struct source *source;
  struct diagnostics queue;
  struct ast *ast;
  struct model *model;
  struct name_index *index;
};

static void file_open(struct file *f, struct source *source) {
  f->source = source;
  diagnostics_init(&f->queue);
  f->ast = parse(source, &f->queue);
  assert_int_equal(error_count(&f->queue), 0);
  f->index = name_index_new(f->ast);
  f->model = check(f->ast, source, &f->queue);
}

static void file_close(struct file *f) {
  model_free(f->model);
  name_index_free(f->index);
  ast_free(f->ast);
  diagnostics_clear(&f->queue);
  source_free(f->source);
}

/* Where `what` of the text stands for the n-th time, from 0. */
static size_t offset_of(const struct file *f, const char *what, int n) {
  const char *at = f->source->bytes - 1;
  for (int i = 0; i <= n; i++) {
    at = strstr(at + 1, what);
    assert_non_null(at);
  }
  return (size_t)(at - f->source->bytes);
}

static void expect_same(const struct file *f, const char *what, int use, const char *declaration) {
  const struct name_use *found = name_index_at(f->index, offset_of(f, what, use));
  assert_non_null(found);
  assert_int_equal(found->entry->span.start, offset_of(f, declaration, 0));
}

static const char small[] =
    "protocol p\n"
    "param n : int >= 1\n"
    "role boss\nrole hand[n]\nexternal client\n"
    "component Ask, Work[hand]\ndelay d\nqueueing Q\n"
    "message Do(h: hand) : boss -> hand h\nmessage Did(h: hand) : hand h -> client\n"
    "state boss { asked : bool = false  best : hand = first }\n"
    "state hand h1 { busy : bool = h1 == first }\n"
    "action boss.Start cost Ask { when not asked  asked := true  send Do(x) for all x in hand }\n"
    "action boss.Spare(x in hand - {best}, k in 0..index(x)) at any time { when k > n or x == best "
    "}\n"
    "action hand i.Serve on Do(i) cost Work[i] { busy := false  send Did(i) }\n"
    "invariant one: forall k in hand. not sent Do(k) and (boss.asked or boss.best.busy) or asked\n"
    "bound b for all j in hand: when busy at j within Ask + d(Do(j)) + Q(Do(j)) + Work[j]\n";

static void test_meanings(void **state) {
  (void)state;
  struct file f;
  file_open(&f, source_from_text("p.tp", small, sizeof small - 1));
  assert_non_null(f.model);
  expect_same(&f, "n]", 0, "n : int");
  expect_same(&f, "asked  asked", 0, "asked : bool");
  expect_same(&f, "asked or", 0, "asked : bool");
  expect_same(&f, "asked\nbound", 0, "asked : bool"); /* of the only boss */
  expect_same(&f, "best.busy", 0, "best : hand");
  expect_same(&f, "busy) or", 0, "busy : bool"); /* of the node that a state is */
  expect_same(&f, "busy at", 0, "busy : bool");
  expect_same(&f, "h1 ==", 0, "h1 {");
  expect_same(&f, "x) for", 0, "x in hand");
  expect_same(&f, "i) cost", 0, "i.Serve");
  expect_same(&f, "j)) + Q", 0, "j in hand");
  expect_same(&f, "h\nmessage", 0, "h: hand"); /* hand h: the field */
  assert_null(name_index_at(f.index, offset_of(&f, "first", 0)));
  const struct name_use *serve = name_index_at(f.index, offset_of(&f, "Serve", 0) + 5);
  assert_int_equal(serve->entry->kind, NAME_ACTION);
  assert_string_equal(serve->entry->owner->text, "hand");
  file_close(&f);
}

/* What belongs to a name where it is used. */
static void test_wholes(void **state) {
  (void)state;
  static const char *const wholes[] = {"Do(j)", "d(Do(j))", "Work[j]", "Q(Do(j))"};
  struct file f;
  file_open(&f, source_from_text("p.tp", small, sizeof small - 1));
  for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
    size_t at = offset_of(&f, wholes[i], 0);
    const struct name_use *use = name_index_at(f.index, at);
    assert_int_equal(use->whole.start, at);
    assert_int_equal(use->whole.end, at + strlen(wholes[i]));
  }
  const struct name_use *declared = name_index_at(f.index, offset_of(&f, "Work[hand]", 0));
  assert_int_equal(declared->whole.end, declared->span.end);
  file_close(&f);
}

/* A file that the checker refuses is indexed all the same. */
static void test_mistakes(void **state) {
  (void)state;
  static const char text[] = "protocol p\nrole a\ncomponent C\nstate a { x : int = 0 }\n"
                             "action a.Go cost C { x := unknown + x }\n";
  struct file f;
  file_open(&f, source_from_text("p.tp", text, sizeof text - 1));
  assert_null(f.model);
  expect_same(&f, "x }\n", 0, "x : int");
  assert_null(name_index_at(f.index, offset_of(&f, "unknown", 0)));
  file_close(&f);
}

static void test_empty(void **state) {
  (void)state;
  struct file f;
  file_open(&f, source_from_text("p.tp", "protocol p", 10));
  assert_int_equal(f.index->uses.count, 1);
  assert_int_equal(f.index->entries.data[0]->kind, NAME_PROTOCOL);
  assert_null(name_index_at(f.index, 0));
  assert_non_null(name_index_at(f.index, 10)); /* just behind */
  file_close(&f);
}

static size_t compared;

/* The name that begins at `offset` is declared at `span`, where it is written there at all. */
static void compare(const struct file *f, size_t offset, const char *name,
                    struct source_span span) {
  size_t length = strlen(name);
  if (offset + length > f->source->length || strncmp(f->source->bytes + offset, name, length) != 0)
    return; /* a term that the checker made */
  char next = f->source->bytes[offset + length];
  if (isalnum((unsigned char)next) || next == '_')
    return;
  const struct name_use *use = name_index_at(f->index, offset);
  if (use == NULL || use->entry->span.start != span.start)
    print_message("%s: \"%s\" at byte %zu\n", f->source->name, name, offset);
  assert_non_null(use);
  assert_int_equal(use->span.start, offset);
  assert_int_equal(use->entry->span.start, span.start);
  compared++;
}

static void compare_term(const struct file *f, const struct term *t) {
  if (t == NULL)
    return;
  size_t start = t->span.start;
  if (t->kind == TERM_VARIABLE && start != t->variable->span.start) /* not the node of a role */
    compare(f, start, t->variable->name, t->variable->span);
  if (t->kind == TERM_PARAM)
    compare(f, start, t->param->name, t->param->span);
  if (t->kind == TERM_BARE || t->kind == TERM_OCCURRENCE || t->kind == TERM_DELAY)
    compare(f, start, t->component->name, t->component->span);
  if (t->kind == TERM_STATE && t->span.end >= strlen(t->state->name) && !t->state->hidden)
    compare(f, t->span.end - strlen(t->state->name), t->state->name, t->state->span);
  for (size_t i = 0; i < t->count; i++)
    compare_term(f, t->args[i]);
  for (size_t i = 0; i < t->variable_count; i++) {
    compare_term(f, t->variables[i]->set);
    compare_term(f, t->variables[i]->low);
    compare_term(f, t->variables[i]->high);
  }
}

static void compare_block(const struct file *f, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    compare_term(f, s->key);
    compare_term(f, s->value);
    compare_term(f, s->condition);
    compare_term(f, s->to);
    for (size_t k = 0; k < s->arg_count; k++)
      compare_term(f, s->args[k]);
    if (s->kind == STATEMENT_ASSIGN && strcmp(s->state->name, "slot") != 0)
      compare(f, s->span.start, s->state->name, s->state->span);
    compare_block(f, &s->then_block);
    compare_block(f, &s->else_block);
  }
}

static void compare_model(const struct file *f) {
  const struct model *m = f->model;
  for (size_t i = 0; i < m->invariants.count; i++)
    if (strchr(m->invariants.items[i]->name, '(') == NULL) /* of a pacer: nobody wrote it */
      compare_term(f, m->invariants.items[i]->formula);
  for (size_t i = 0; i < m->states.count; i++)
    compare_term(f, m->states.items[i]->initial);
  for (size_t i = 0; i < m->bounds.count; i++) {
    const struct bound *bound = m->bounds.items[i];
    compare_term(f, bound->formula);
    compare_term(f, bound->node);
    compare_term(f, bound->expression);
    for (size_t k = 0; k < bound->arg_count; k++)
      compare_term(f, bound->args[k]);
  }
  for (size_t i = 0; i < m->actions.count; i++) {
    const struct action *action = m->actions.items[i];
    if (action->idle || action->loses)
      continue;
    for (size_t k = 0; k < action->guard_count; k++)
      compare_term(f, action->guards[k]);
    for (size_t k = 0; k < action->cost_count; k++)
      compare_term(f, action->costs[k]);
    compare_block(f, &action->body);
  }
}

static bool is_word_of_language(const char *word, size_t length) {
  static const char words[] =
      " action advanced all and any arrival arrivals assume at before began bool bound burst by "
      "charged "
      "component cost delay delivered eager else end enum every exists external false fifo first "
      "for forall from ghost handed if iff implies in index int invariant jitter kth last let "
      "loses "
      "losses lost map max "
      "message min next not now of on once or over paced param pending phase phases prev priority "
      "protocol "
      "queueing reads received receiver released repeated role schedule send sent set standard "
      "start state "
      "sum then time timeout timer timing to true upto when within ns us ms s ";
  char spaced[80];
  assert_true(length + 3 <= sizeof spaced);
  spaced[0] = ' ';
  memcpy(spaced + 1, word, length);
  memcpy(spaced + 1 + length, " ", 2);
  return strstr(words, spaced) != NULL;
}

static void expect_every_word(const struct file *f) {
  const char *text = f->source->bytes;
  for (size_t i = 0; i < f->source->length; i++) {
    if (text[i] == '#')
      i += strcspn(text + i, "\n");
    if (!isalpha((unsigned char)text[i]) && text[i] != '_')
      continue;
    size_t end = i;
    while (isalnum((unsigned char)text[end]) || text[end] == '_')
      end++;
    const struct name_use *use = name_index_at(f->index, i);
    bool found = use != NULL && use->span.start == i && use->span.end == end;
    if (!found && !is_word_of_language(text + i, end - i)) {
      print_message("%s: %.*s\n", f->source->name, (int)(end - i), text + i);
      fail();
    }
    i = end;
  }
}

static void test_against_checker(void **state) {
  (void)state;
  static const char *const patterns[] = {"specs/*.tp", "specs/*/*.tp", "tests/cases/proved/*.tp",
                                         "tests/cases/refuted/*.tp", "tests/cases/unknown/*.tp"};
  glob_t files = {0};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    assert_int_equal(glob(patterns[i], i == 0 ? 0 : GLOB_APPEND, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    struct source *source;
    struct text message;
    text_init(&message);
    assert_int_equal(source_load(&source, files.gl_pathv[i], &message), STATUS_OK);
    struct file f;
    file_open(&f, source);
    assert_non_null(f.model);
    compare_model(&f);
    expect_every_word(&f);
    file_close(&f);
    text_clear(&message);
  }
  print_message("%zu names of %zu files compared\n", compared, files.gl_pathc);
  assert_true(files.gl_pathc > 40 && compared > 5000);
  globfree(&files);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_meanings),        cmocka_unit_test(test_wholes),
      cmocka_unit_test(test_mistakes),        cmocka_unit_test(test_empty),
      cmocka_unit_test(test_against_checker),
  };
  return cmocka_run_group_tests_name("lang/name_index", tests, NULL, NULL);
}
