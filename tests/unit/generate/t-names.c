/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of a protocol that generated C cannot have: refused, by a line that has the word, or given
 * a _.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "generate/generate.h"
#include "generate/names.h"
#include "tests/unit/generate/protocol_text.h"

/* Protocol, roles and names of one protocol; "" where nothing is changed. */
struct words {
  const char *protocol, *role, *other, *action, *state, *message, *field;
};

static void make(struct protocol_text *protocol, struct generated *generated,
                 const struct words *w) {
  char text[2048];
  snprintf(text, sizeof text,
           "protocol %1$s\nrole %2$s\nrole %3$s\ncomponent C\ndelay d\n"
           "message %6$s(%7$s: int) : %2$s -> %3$s\nmessage Back(f: int) : %3$s -> %2$s\n"
           "state %2$s { s : int = 0 }\nstate %3$s { %5$s : int = 0  more : int = 0 }\n"
           "action %2$s.Go at any time { s := s + 1  send %6$s(s) }\n"
           "action %2$s.Hear on Back(f) cost C { s := f }\n"
           "action %3$s.%4$s on %6$s(e) cost C { when e > %5$s  %5$s := e  send Back(e) }\n",
           w->protocol, w->role, w->other, w->action, w->state, w->message, w->field);
  protocol_text_make(protocol, text);
  generate(generated,
           &(struct generate_request){
               .model = protocol->model, .ast = protocol->ast, .source = "test.tp", .loop = true});
}

static void refuse(const struct words *words, const char *wanted) {
  struct protocol_text protocol;
  struct generated generated;
  make(&protocol, &generated, words);
  if (strstr(text_get(&generated.refusal), wanted) == NULL)
    fail_msg("\"%s\", not \"%s\"", text_get(&generated.refusal), wanted);
  assert_int_equal(generated.files.count, 0);
  generated_clear(&generated);
  protocol_text_clear(&protocol);
}

/* `member` is declared in the header of the second role. */
static void accept(const struct words *words, const char *member) {
  struct protocol_text protocol;
  struct generated generated;
  make(&protocol, &generated, words);
  assert_string_equal(text_get(&generated.refusal), "");
  bool found = false;
  for (size_t i = 0; i < generated.files.count; i++)
    found = found || strstr(generated.files.data[i].text, member) != NULL;
  if (!found)
    fail_msg("nothing has \"%s\"", member);
  generated_clear(&generated);
  protocol_text_clear(&protocol);
}

#pragma GCC diagnostic ignored "-Woverride-init"

/* The words of a protocol that generates, but for those given. */
#define WORDS(...)                                                                                 \
  (&(struct words){.protocol = "p",                                                                \
                   .role = "a",                                                                    \
                   .other = "b",                                                                   \
                   .action = "Get",                                                                \
                   .state = "x",                                                                   \
                   .message = "M",                                                                 \
                   .field = "k",                                                                   \
                   __VA_ARGS__})

static void test_refused(void **state) {
  (void)state;
  refuse(WORDS(.protocol = "tp_p"), "a protocol named \"tp_p\" has no C");
  refuse(WORDS(.protocol = "main"), "a protocol named \"main\" has no C");
  refuse(WORDS(.protocol = "hand_p"), "a protocol named \"hand_p\" has no C");
  refuse(WORDS(.protocol = "unix"), "a protocol named \"unix\" has no C");
  refuse(WORDS(.other = "loop"), "would be the file p_loop.c");
  refuse(WORDS(.other = "x_loop"), "would be the file p_x_loop.c");
  refuse(WORDS(.other = "main"), "would be the file p_main.c");
  refuse(WORDS(.other = "a_step"), "would be the file p_a_step.h");
  refuse(WORDS(.other = "a_loop"), "would be the file p_a_loop.");
  refuse(WORDS(.other = "A"), "would be the file p_A.h");
  refuse(WORDS(.other = "a_sends"), "would be a_sends_valid in C");
  refuse(WORDS(.other = "tp_x"), "would be tp_x_init in C");
  for (size_t i = 0; i < 7; i++) {
    static const char *const actions[] = {"init", "take", "act", "valid", "sends", "same", "node"};
    char wanted[64];
    snprintf(wanted, sizeof wanted, "action b.%1$s would be b_%1$s in C", actions[i]);
    refuse(WORDS(.action = actions[i]), wanted);
  }
  refuse(WORDS(.action = "unix"), "cannot say unix");
  refuse(WORDS(.other = "clock", .action = "gettime"), "would be clock_gettime in C");
  refuse(WORDS(.other = "gamma", .action = "r"), "would be gamma_r in C"); /* gcc knows it */
  refuse(WORDS(.other = "a_Go", .action = "Go"), "a_Go in C");
  refuse(WORDS(.message = "Back_f"), "would be out->Back_f in C");
  refuse(WORDS(.state = "P_B_H"), "state P_B_H would be b->P_B_H in C");
}

static void test_renamed(void **state) {
  (void)state;
  static const char *const names[] = {
      "INT32_MAX", "unix",    "linux",    "static_assert", "thread_local", "reinterpret_cast",
      "char16_t",  "int32_t", "TP_NODES", "tp_set",        "own"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char member[64];
    snprintf(member, sizeof member, "int32_t %s_;", names[i]);
    accept(WORDS(.state = names[i]), member);
  }
  accept(WORDS(.state = "INT_more"), "int32_t INT_more;"); /* no macro has small letters */
  accept(WORDS(.state = "unix_time"), "int32_t unix_time;");
  accept(WORDS(.other = "loops"), "struct loops {");
  accept(WORDS(.other = "accept"), "struct accept {"); /* a function of a header is no tag */
  accept(WORDS(.state = "getpid"), "int32_t getpid;");
  accept(WORDS(.other = "timespec"), "struct timespec_ {");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_renamed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
