/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The grammar of laws that users write (compose.h), by recursive descent.
 */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "dist/evaluate/compose.h"
#include "dist/evaluate/compose_scan.h"
#include "dist/evaluate/compose_tree.h"

enum { DEPTH_LIMIT = 64, PARTS_LIMIT = 256, SHOWN = 40 };
#define COPIES_LIMIT UINT64_C(10000)
#define ATTEMPTS_LIMIT UINT64_C(1000000)

struct parser {
  struct compose *compose;
  struct scan scan;
  unsigned depth;
};

static struct compose_node *new_node(struct parser *p, enum compose_kind kind) {
  struct compose_node *node = arena_alloc(&p->compose->arena, 1, sizeof *node);
  node->kind = kind;
  rational_init(&node->value);
  rational_init(&node->pause);
  vector_push(&p->compose->nodes, node);
  return node;
}

static struct compose_node *parse_sum(struct parser *p);

static void parse_duration(struct parser *p, struct rational *value, bool positive,
                           const char *example) {
  if (p->scan.token != TOKEN_DURATION)
    scan_complain(&p->scan, "expected a duration such as %s", example);
  else if (positive && rational_sign(&p->scan.value) == 0)
    scan_complain(&p->scan, "a limit of 0; use a duration above it, such as %s", example);
  rational_set(value, &p->scan.value);
  scan_next(&p->scan);
}

static uint64_t parse_count(struct parser *p, uint64_t limit, const char *what) {
  int64_t count = 0;
  if (p->scan.token != TOKEN_NUMBER || !rational_is_integer(&p->scan.value) ||
      !rational_floor(&count, &p->scan.value) || count < 1 || (uint64_t)count > limit)
    scan_complain(&p->scan, "expected %s, a whole number from 1 to %" PRIu64, what, limit);
  scan_next(&p->scan);
  return (uint64_t)count;
}

static void add_part(struct parser *p, struct compose_node *node, struct compose_node *part,
                     uint64_t copies) {
  if (node->parts.count == PARTS_LIMIT)
    scan_complain(&p->scan, "more than %d parts; write alike ones as 3 of X", PARTS_LIMIT);
  else
    vector_push(&node->parts, (struct compose_part){part, copies, 0});
}

/* [COUNT "of"] sum, by commas, up to the closing parenthesis. */
static void parse_list(struct parser *p, struct compose_node *node) {
  for (bool more = true; more && !p->scan.failed;) {
    uint64_t copies = 1;
    if (p->scan.token == TOKEN_NUMBER && scan_precedes(&p->scan, "of")) {
      copies = parse_count(p, COPIES_LIMIT, "how many");
      scan_next(&p->scan);
    }
    add_part(p, node, parse_sum(p), copies);
    more = scan_is_sign(&p->scan, ',');
    if (more)
      scan_next(&p->scan);
  }
}

/* Chances to weights over a common denominator, which is a product of theirs. */
static void set_weights(struct parser *p, struct compose_node *node,
                        const struct rational *chances) {
  struct rational total, part;
  rational_init(&total);
  rational_init(&part);
  for (size_t i = 0; i < node->parts.count; i++)
    rational_add(&total, &total, &chances[i]);
  rational_set_integer(&part, 1);
  if (rational_compare(&total, &part) != 0) {
    struct text sum;
    text_init(&sum);
    rational_print_short(&sum, &total);
    scan_complain(&p->scan, "the chances of this mixture add up to %s; make them add up to 1",
                  text_get(&sum));
    text_clear(&sum);
  }
  int64_t whole = 0;
  rational_set_integer(&total, 1);
  for (size_t i = 0; i < node->parts.count && !p->scan.failed; i++) {
    struct text digits;
    text_init(&digits);
    rational_mul(&part, &total, &chances[i]);
    rational_print(&digits, &part);
    const char *bar = strchr(text_get(&digits), '/');
    if (bar != NULL && rational_parse(&part, bar + 1))
      rational_mul(&total, &total, &part);
    text_clear(&digits);
    if (!rational_floor(&whole, &total) || whole > INT64_C(1) << 62)
      scan_complain(&p->scan, "the chances of this mixture have too many places; use fewer");
  }
  for (size_t i = 0; i < node->parts.count && !p->scan.failed; i++) {
    rational_mul(&part, &total, &chances[i]);
    rational_floor(&whole, &part);
    node->parts.data[i].weight = (uint64_t)whole;
  }
  rational_clear(&part);
  rational_clear(&total);
}

static void parse_mixture(struct parser *p, struct compose_node *node) {
  const char *start = p->scan.start;
  struct rational chances[PARTS_LIMIT + 1];
  size_t count = 0;
  for (bool more = true; more && !p->scan.failed;) {
    rational_init(&chances[count]);
    if (p->scan.token != TOKEN_NUMBER)
      scan_complain(&p->scan, "expected a chance, as in mix(0.9 Hit, 0.1 Miss)");
    rational_set(&chances[count++], &p->scan.value);
    scan_next(&p->scan);
    if (scan_is_sign(&p->scan, '*'))
      scan_complain(&p->scan, "expected a law behind the chance, without \"*\"");
    add_part(p, node, parse_sum(p), 1);
    more = scan_is_sign(&p->scan, ',');
    if (more)
      scan_next(&p->scan);
  }
  if (!p->scan.failed && scan_is_sign(&p->scan, ')')) {
    const char *here = p->scan.start;
    p->scan.start = start;
    set_weights(p, node, chances);
    p->scan.start = here;
  }
  for (size_t i = 0; i < count; i++)
    rational_clear(&chances[i]);
}

static void parse_rank(struct parser *p, struct compose_node *node) {
  const char *start = p->scan.start;
  node->number = parse_count(p, COPIES_LIMIT * PARTS_LIMIT, "a rank");
  scan_expect(&p->scan, ',', "and laws, as in kth(2, X, Y, Z)");
  parse_list(p, node);
  uint64_t copies = 0;
  for (size_t i = 0; i < node->parts.count; i++)
    copies += node->parts.data[i].copies;
  if (!p->scan.failed && node->number > copies) {
    p->scan.start = start;
    scan_complain(&p->scan, "rank %" PRIu64 " of %" PRIu64 " laws; use a rank up to %" PRIu64,
                  node->number, copies, copies);
  }
}

static void parse_limited(struct parser *p, struct compose_node *node, const char *example) {
  add_part(p, node, parse_sum(p), 1);
  scan_expect(&p->scan, ',', "and a duration");
  parse_duration(p, &node->value, true, example);
}

static void parse_timeout(struct parser *p, struct compose_node *node) {
  parse_limited(p, node, "5ms, as in timeout(X, 5ms, Y)");
  if (!scan_is_sign(&p->scan, ','))
    return;
  scan_next(&p->scan);
  add_part(p, node, parse_sum(p), 1);
}

static void parse_retry(struct parser *p, struct compose_node *node) {
  parse_limited(p, node, "5ms, as in retry(X, 5ms, 3)");
  scan_expect(&p->scan, ',', "and how many attempts, as in retry(X, 5ms, 3)");
  node->number = parse_count(p, ATTEMPTS_LIMIT, "how many attempts");
  bool more = scan_is_sign(&p->scan, ',');
  if (more)
    scan_next(&p->scan);
  if (more && !scan_is_word(&p->scan, "wait")) {
    parse_duration(p, &node->pause, false, "1ms between attempts, or the word wait");
    more = scan_is_sign(&p->scan, ',');
    if (more)
      scan_next(&p->scan);
  }
  if (!more)
    return;
  if (!scan_is_word(&p->scan, "wait"))
    scan_complain(&p->scan, "expected the word wait, or the end of retry(...)");
  node->wait = true;
  scan_next(&p->scan);
}

static void parse_arguments(struct parser *p, struct compose_node *node) {
  switch (node->kind) {
  case COMPOSE_MAX:
  case COMPOSE_MIN:
  case COMPOSE_SUM:
    parse_list(p, node);
    break;
  case COMPOSE_KTH:
    parse_rank(p, node);
    break;
  case COMPOSE_MIX:
    parse_mixture(p, node);
    break;
  case COMPOSE_CAP:
    parse_limited(p, node, "20ms, as in cap(X, 20ms)");
    break;
  case COMPOSE_TIMEOUT:
    parse_timeout(p, node);
    break;
  case COMPOSE_RETRY:
    parse_retry(p, node);
    break;
  case COMPOSE_NAME:
  case COMPOSE_CONSTANT:
  case COMPOSE_NEVER:
  case COMPOSE_SCALE:
    break;
  }
}

static const char *intern(struct compose *compose, const char *text, size_t length) {
  for (size_t i = 0; i < compose->names.count; i++)
    if (strlen(compose->names.data[i]) == length &&
        strncmp(compose->names.data[i], text, length) == 0)
      return compose->names.data[i];
  const char *name = arena_text(&compose->arena, text, length);
  vector_push(&compose->names, name);
  return name;
}

static struct compose_node *parse_word(struct parser *p) {
  static const struct {
    const char *word;
    enum compose_kind kind;
  } words[] = {{"max", COMPOSE_MAX},         {"min", COMPOSE_MIN},    {"sum", COMPOSE_SUM},
               {"kth", COMPOSE_KTH},         {"mix", COMPOSE_MIX},    {"cap", COMPOSE_CAP},
               {"timeout", COMPOSE_TIMEOUT}, {"retry", COMPOSE_RETRY}};
  struct compose_node *node;
  const char *start = p->scan.start;
  size_t length = p->scan.length;
  if (scan_is_word(&p->scan, "never")) {
    node = new_node(p, COMPOSE_NEVER);
    scan_next(&p->scan);
    return node;
  }
  scan_next(&p->scan);
  if (!scan_is_sign(&p->scan, '(')) {
    node = new_node(p, COMPOSE_NAME);
    node->name = intern(p->compose, start, length);
    return node;
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].word) == length && strncmp(words[i].word, start, length) == 0) {
      node = new_node(p, words[i].kind);
      scan_next(&p->scan);
      parse_arguments(p, node);
      scan_expect(&p->scan, ')', "at the end of the list");
      return node;
    }
  p->scan.start = start;
  scan_complain(&p->scan, "%.*s is no operation; there are max min sum kth mix cap timeout retry",
                (int)(length < SHOWN ? length : SHOWN), start);
  return new_node(p, COMPOSE_NEVER);
}

static struct compose_node *parse_factor(struct parser *p) {
  struct compose_node *node;
  if (p->scan.token == TOKEN_WORD)
    return parse_word(p);
  if (p->scan.token == TOKEN_DURATION) {
    node = new_node(p, COMPOSE_CONSTANT);
    rational_set(&node->value, &p->scan.value);
    scan_next(&p->scan);
    return node;
  }
  if (scan_is_sign(&p->scan, '(')) {
    scan_next(&p->scan);
    node = parse_sum(p);
    scan_expect(&p->scan, ')', "for the \"(\" before");
    return node;
  }
  scan_complain(
      &p->scan,
      "expected a law: a name, a duration such as 5ms, or an operation such as max(X, Y)");
  return new_node(p, COMPOSE_NEVER);
}

static struct compose_node *parse_product(struct parser *p) {
  struct rational factor;
  rational_init(&factor);
  rational_set_integer(&factor, 1);
  bool scaled = p->scan.token == TOKEN_NUMBER;
  while (p->scan.token == TOKEN_NUMBER) {
    rational_mul(&factor, &factor, &p->scan.value);
    const char *start = p->scan.start;
    scan_next(&p->scan);
    if (!scan_is_sign(&p->scan, '*')) {
      p->scan.start = start;
      scan_complain(&p->scan, "a number by itself; write a duration (5ms), or a multiple (2 * X)");
    }
    scan_next(&p->scan);
  }
  struct compose_node *node = parse_factor(p);
  if (scan_is_sign(&p->scan, '*'))
    scan_complain(&p->scan, "only numbers stand before \"*\": 2 * X, not X * 2");
  if (scaled && !p->scan.failed) {
    struct compose_node *outer = new_node(p, COMPOSE_SCALE);
    rational_set(&outer->value, &factor);
    add_part(p, outer, node, 1);
    node = outer;
  }
  rational_clear(&factor);
  return node;
}

static struct compose_node *parse_sum(struct parser *p) {
  if (++p->depth > DEPTH_LIMIT)
    scan_complain(&p->scan,
                  "more than %d levels of parentheses; name a part of it by a law of its own",
                  DEPTH_LIMIT);
  struct compose_node *node = p->scan.failed ? new_node(p, COMPOSE_NEVER) : parse_product(p);
  if (scan_is_sign(&p->scan, '+')) {
    struct compose_node *sum = new_node(p, COMPOSE_SUM);
    add_part(p, sum, node, 1);
    while (scan_is_sign(&p->scan, '+')) {
      scan_next(&p->scan);
      add_part(p, sum, parse_product(p), 1);
    }
    node = sum;
  }
  p->depth--;
  return node;
}

enum status compose_parse(struct compose **compose, const char *expression, struct text *message) {
  struct compose *made = mem_alloc(1, sizeof *made);
  arena_init(&made->arena);
  made->expression = arena_text(&made->arena, expression, strlen(expression));
  struct parser p = {.compose = made};
  scan_init(&p.scan, made->expression, message);
  made->root = parse_sum(&p);
  if (p.scan.token != TOKEN_END)
    scan_complain(&p.scan, "expected the end, or \"+\" and another law");
  bool good = !p.scan.failed;
  scan_clear(&p.scan);
  *compose = made;
  if (good)
    return STATUS_OK;
  compose_clear(made);
  *compose = NULL;
  return STATUS_USAGE;
}

void compose_clear(struct compose *compose) {
  if (compose == NULL)
    return;
  for (size_t i = 0; i < compose->nodes.count; i++) {
    rational_clear(&compose->nodes.data[i]->value);
    rational_clear(&compose->nodes.data[i]->pause);
    vector_clear(&compose->nodes.data[i]->parts);
  }
  vector_clear(&compose->nodes);
  vector_clear(&compose->names);
  arena_clear(&compose->arena);
  mem_free(compose);
}
