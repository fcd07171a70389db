/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is generated of sets, maps, messages and dispatchers, at the limits of each; and what is
 * refused. That the text is right is proved and compared with the interpreter elsewhere
 * (tests/generate); here is which text there is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/memory.h"
#include "generate/generate.h"
#include "tests/unit/generate/protocol_text.h"

struct made {
  struct protocol_text protocol;
  struct generated generated;
};

static bool make_as(struct made *made, const char *text, bool own_state) {
  protocol_text_make(&made->protocol, text);
  const struct generate_request request = {.model = made->protocol.model,
                                           .ast = made->protocol.ast,
                                           .source = "test.tp",
                                           .own_state = own_state};
  return generate(&made->generated, &request);
}

static void make(struct made *made, const char *text) {
  assert_true(make_as(made, text, false));
}

static void made_clear(struct made *made) {
  generated_clear(&made->generated);
  protocol_text_clear(&made->protocol);
}

static const struct generated_file *file_of(const struct made *made, const char *name) {
  for (size_t i = 0; i < made->generated.files.count; i++)
    if (strcmp(made->generated.files.data[i].name, name) == 0)
      return &made->generated.files.data[i];
  return NULL;
}

/* Line ends and the blanks around them count as one blank. */
static char *flat(const char *text) {
  char *copy = mem_copy_text(text, strlen(text)), *to = copy;
  bool blank = false;
  for (const char *c = text; *c != '\0'; c++) {
    const bool is_blank = *c == ' ' || *c == '\n';
    if (!is_blank || !blank)
      *to++ = is_blank ? ' ' : *c;
    blank = is_blank;
  }
  *to = '\0';
  return copy;
}

static size_t times(const struct made *made, const char *name, const char *part) {
  const struct generated_file *file = file_of(made, name);
  assert_non_null(file);
  char *text = flat(file->text);
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
    count++;
  mem_free(text);
  return count;
}

#define has(made, name, part) assert_int_not_equal(times(made, name, part), 0)
#define lacks(made, name, part) assert_int_equal(times(made, name, part), 0)

/* The message is refused at a place that has this in the text. */
static void check_refused(const char *text, const char *place, const char *reason) {
  struct made made;
  assert_false(make_as(&made, text, false));
  assert_int_equal(made.generated.files.count, 0);
  assert_non_null(strstr(text_get(&made.generated.refusal), reason));
  assert_memory_equal(text + made.generated.refused_at.start, place, strlen(place));
  made_clear(&made);
}

#define ROLES                                                                                      \
  "protocol p\n"                                                                                   \
  "param n : int >= 1\n"                                                                           \
  "enum Stage { idle, busy }\n"                                                                    \
  "role hub\n"                                                                                     \
  "role node[n]\n"                                                                                 \
  "component Work\n"                                                                               \
  "delay d\n"

static void sets(void **state) {
  (void)state;
  struct made made;
  make(&made, ROLES "message Ask(to: node) : hub -> node to\n"
                    "message Answer(from: node) : node from -> hub\n"
                    "state hub { seen : set of node = {} }\n"
                    "action hub.Go cost Work { when seen == {}  send Ask(b) for all b in node }\n"
                    "action hub.Take on Answer(b) cost Work { seen := seen + {b} }\n"
                    "action node i.Reply on Ask(i) cost Work { send Answer(i) }\n");
  has(&made, "p_hub.h", "tp_set seen; /* of node */");
  has(&made, "p_hub.h", "tp_within(self->seen, P_NODE_COUNT(params))");
  has(&made, "p_hub.h", "tp_set Ask; /* to each of these: node */");
  has(&made, "p_hub.h",
      "ensures seen: tp_same(self->seen, tp_union(\\old(self->seen), tp_one(b)));");
  has(&made, "p_hub.h",
      "ensures Ask: \\result == TP_DONE ==> tp_same(out->Ask, "
      "tp_all(P_NODE_COUNT(params)));");
  has(&made, "p.h", "1 <= P_NODE_COUNT(params) <= TP_NODES");
  /* without a map `assigns` alone says what stays */
  lacks(&made, "p_hub.h", "self->seen == \\old(self->seen);");
  assert_null(file_of(&made, "p_hub_own.h"));
  made_clear(&made);
}

static void maps(void **state) {
  (void)state;
  struct made made;
  make(&made, ROLES "message Tell(from: node, v: int) : node from -> hub\n"
                    "message Ask(to: node) : hub -> node to\n"
                    "state hub { x : int = 0  best : map node to int = 0  full : bool = false }\n"
                    "action hub.Take on Tell(b, v) cost Work { best[b] := v }\n"
                    "action node i.Say on Ask(i) cost Work { send Tell(i, 1) }\n");
  has(&made, "p_hub.h", "int32_t best[TP_NODES]; /* of node */");
  has(&made, "p_hub.h", "assigns self->best[b];");
  has(&made, "p_hub.h", "ensures best: self->best[b] == v;");
  has(&made, "p_hub.h",
      "ensures best: \\forall integer k; 0 <= k < TP_NODES && k != b ==> self->best[k] == "
      "\\old(self->best[k]);");
  has(&made, "p_hub.h", "ensures x: self->x == \\old(self->x);");
  has(&made, "p_hub.h", "ensures full: self->full == \\old(self->full);");
  made_clear(&made);
}

/* What comes in a message is looked at: but for integers, of which any is one. */
static void messages(void **state) {
  (void)state;
  struct made made;
  make(&made, ROLES "message Tell(from: node, v: int, s: Stage, b: bool) : node from -> hub\n"
                    "message Ask(to: node) : hub -> node to\n"
                    "state hub { stage : Stage = idle  flag : bool = false }\n"
                    "action hub.Take on Tell(i, v, s, b) cost Work { stage := s  flag := b }\n"
                    "action node i.Say on Ask(i) cost Work { send Tell(i, 1, busy, true) }\n");
  has(&made, "p_message.h", "enum p_kind { p_Tell, p_Ask };");
  has(&made, "p_message.c",
      "case p_Tell: return 0 <= m->field[0] && m->field[0] < P_NODE_COUNT(params) && "
      "0 <= m->field[2] && m->field[2] <= (int32_t)Stage_busy && "
      "0 <= m->field[3] && m->field[3] <= 1;");
  lacks(&made, "p_message.c", "m->field[1]");
  has(&made, "p_hub_step.c",
      "return hub_Take(self, params, m->field[0], m->field[1], (enum Stage)m->field[2], "
      "m->field[3] != 0);");
  made_clear(&made);
}

#define WIDE(fields, values)                                                                       \
  "protocol p\n"                                                                                   \
  "role hub\n"                                                                                     \
  "role other\n"                                                                                   \
  "component Work\n"                                                                               \
  "delay d\n"                                                                                      \
  "message Wide(" fields ") : hub -> other\n"                                                      \
  "state hub { done : bool = false }\n"                                                            \
  "action hub.Go cost Work { when not done  done := true  send Wide(" values ") }\n"               \
  "action other.Take on Wide(" values_of_take ") cost Work { }\n"

static void fields(void **state) {
  (void)state;
  struct made made;
#define values_of_take "a, b, c, e, f, g, h, k"
  make(&made, WIDE("a: int, b: int, c: int, e: int, f: int, g: int, h: int, k: int",
                   "1, 2, 3, 4, 5, 6, 7, 8"));
#undef values_of_take
  has(&made, "p_other_step.c", "m->field[7]");
  has(&made, "p_hub.h", "ensures Wide_k: \\result == TP_DONE ==> out->Wide_k == 8;");
  made_clear(&made);
#define values_of_take "a, b, c, e, f, g, h, k, l"
  check_refused(WIDE("a: int, b: int, c: int, e: int, f: int, g: int, h: int, k: int, l: int",
                     "1, 2, 3, 4, 5, 6, 7, 8, 9"),
                "Wide(", "a message has at most 8 fields where it is sent as bytes");
#undef values_of_take
}

/* Of several actions of a kind each is asked for its guard, if those before it are disabled; the
 * last one of a kind answers for the whole. */
static void dispatchers(void **state) {
  (void)state;
  struct made made;
  make(&made, ROLES "message Ask(to: node, v: int) : hub -> node to\n"
                    "message Stop(to: node) : hub -> node to\n"
                    "state node i { last : int = 0 }\n"
                    "action node i.Newer on Ask(i, v) cost Work { when v > last  last := v }\n"
                    "action node i.Older on Ask(i, v) cost Work { when v < last  last := v }\n"
                    "action node i.Halt on Stop(i) cost Work { last := 0 }\n");
  const char *name = "p_node_step.c";
  has(&made, name,
      "switch (m->kind) { case p_Ask: if (m->field[0] == i && node_Newer_ready(self, params, i, "
      "m->field[1])) { *action = node_did_Newer; "
      "return node_Newer(self, params, i, m->field[1]); } "
      "if (m->field[0] == i) { *action = node_did_Older; "
      "return node_Older(self, params, i, m->field[1]); } break; "
      "case p_Stop: if (m->field[0] == i) { *action = node_did_Halt; "
      "return node_Halt(self, params, i); } break; default: break; }");
  assert_int_equal(times(&made, name, "ensures truth:"), 1);
  has(&made, name, "ensures truth: \\result <==> node_Newer_enabled(self, params, i, v);");
  has(&made, "p_node_step.h",
      "ensures Older: \\result == TP_DONE && \\old(m->kind == p_Ask && m->field[0] == i && "
      "node_Older_enabled(self, params, i, m->field[1]) && !(m->kind == p_Ask && "
      "m->field[0] == i && node_Newer_enabled(self, params, i, m->field[1]))) ==> "
      "*action == node_did_Older && "
      "node_Older_step{Old, Here}(self, params, i, \\old(m->field[1]));");
  made_clear(&made);
}

/* Names of the protocol that are words of C, C++ or ACSL, and of what is beside the protocol. */
static void words(void **state) {
  (void)state;
  struct made made;
  make(&made, "protocol p\n"
              "role hub\n"
              "component Work\n"
              "delay d\n"
              "state hub { class : int = 0  explicit : int = 0  own : int = 0  ensures : int = 0\n"
              "  plain : int = 0 }\n"
              "action hub.Go cost Work { class := 1 }\n");
  has(&made, "p_hub.h",
      "int32_t class_; int32_t explicit_; int32_t own_; int32_t ensures_; int32_t plain;");
  has(&made, "p_hub.h", "#ifdef __cplusplus extern \"C\" { #endif");
  made_clear(&made);
}

#define COUNTED                                                                                    \
  ROLES                                                                                            \
  "message Ask(to: node) : hub -> node to\n"                                                       \
  "message Answer(from: node) : node from -> hub\n"                                                \
  "state hub { seen : set of node = {}  done : bool = false }\n"                                   \
  "action hub.Take on Answer(b) cost Work { seen := seen + {b} }\n"                                \
  "action hub.Go cost Work { when not done  done := true  send Ask(b) for all b in node }\n"       \
  "action node i.Reply on Ask(i) cost Work { send Answer(i) }\n"

static void own_state(void **state) {
  (void)state;
  struct made made, plain;
  assert_true(make_as(&made, COUNTED, true));
  make(&plain, COUNTED);
  assert_true(file_of(&made, "p_hub_own.h")->own);
  assert_true(file_of(&made, "p_hub_own.acsl")->own);
  assert_true(file_of(&made, "p_hub.c")->own);
  assert_null(file_of(&made, "p_node_own.h")); /* a node has no state */
  assert_false(file_of(&made, "p_node.c")->own);
  has(&made, "p_hub.h", "struct hub_own own; /* not of the protocol */");
  has(&made, "p_hub.h", "assigns self->seen, self->own, *out;");
  assert_int_equal(times(&made, "p_hub.h", "requires own: hub_own_valid(self, params);"), 2);
  assert_int_equal(times(&made, "p_hub.h", "ensures own: hub_own_valid(self, params);"), 3);
  assert_int_equal(times(&made, "p_hub_step.h", "ensures own: hub_own_valid(self, params);"), 2);
  lacks(&plain, "p_hub.h", "own");
  lacks(&plain, "p_hub_step.h", "own");
  /* with it --check sees other contracts */
  struct text stale;
  text_init(&stale);
  assert_false(generated_compare(&stale, file_of(&made, "p_hub.h"),
                                 file_of(&plain, "p_hub.h")->text, "p_hub.h"));
  assert_non_null(strstr(text_get(&stale), "p_hub.h: hub.Take: not what the protocol says now"));
  text_clear(&stale);
  made_clear(&made);
  made_clear(&plain);
}

static void refused(void **state) {
  (void)state;
  check_refused(ROLES "message Ask(to: node, k: int) : hub -> node to\n"
                      "state hub { done : bool = false }\n"
                      "action hub.Go cost Work { when not done  done := true\n"
                      "  send Ask(b, k) for all b in node, k in 1..2 }\n"
                      "action node i.Take on Ask(i, k) cost Work { }\n",
                "send Ask(b, k)", "a send \"for all\" of two variables has no C");
  check_refused(ROLES "message Ask(to: node) : hub -> node to\n"
                      "state hub { x : int = 0 }\n"
                      "action hub.Go cost Work { x := (x - 1) / 2 }\n"
                      "action node i.Take on Ask(i) cost Work { }\n",
                "(x - 1)", "what is divided here may be negative");
  check_refused(ROLES "message Ask(to: node) : hub -> node to\n"
                      "state hub { x : int = 0  number : map node to int = 0 }\n"
                      "action hub.Go cost Work { x := kth(1, b in node (number[b])) }\n"
                      "action node i.Take on Ask(i) cost Work { }\n",
                "kth(1, b in node (number[b]))", "the k-th smallest integer of a role has no C");
  check_refused(ROLES "message Done(b: node) : node b -> hub\n"
                      "message Ask(to: node) : hub -> node to\n"
                      "state hub { open : map node to int = 0 }\n"
                      "action hub.Take on Done(b) cost Work { when sum x in node (open[x]) > 0  "
                      "open[b] := 0 }\n"
                      "action node i.Take on Ask(i) cost Work { }\n",
                "sum x in node (open[x])", "a sum over a role has no C; keep it in a variable");
  check_refused(ROLES "message Ask(to: node) : hub -> node to\n"
                      "message Done(k: int) : node -> hub\n"
                      "state hub { last : int = 0 }\n"
                      "action hub.End(k in 0..j) on Done(j) cost Work { last := k }\n"
                      "action node i.Take on Ask(i) cost Work { }\n",
                "k in 0..j", "what a step chooses has no C; receive \"k\" in a message");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets),      cmocka_unit_test(maps),    cmocka_unit_test(messages),
      cmocka_unit_test(fields),    cmocka_unit_test(words),   cmocka_unit_test(dispatchers),
      cmocka_unit_test(own_state), cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests_name("generate/generate", tests, NULL, NULL);
}
