/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * parse(print(x)) = x, and printing what was printed changes nothing: on the shipped protocols, on
 * a text with every construct, and on random mutations of them that still parse. */
#include "tests/unit/lang/print_law.h"

static void must_hold(const char *text, size_t length) {
  assert_true(check_law(text, length));
  check_formatted(text, length);
}

static void must_be_formatted(const char *text, size_t length) {
  struct ast *ast = tree_of(text, length);
  struct text out;
  text_init(&out);
  format_ast(&out, ast);
  assert_string_equal(text_get(&out), text);
  text_clear(&out);
  ast_free(ast);
}

static void test_shipped(void **state) {
  (void)state;
  each_file("specs", must_hold);
  each_file("specs", must_be_formatted);
}

static size_t parsed;

static uint64_t draw(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *seed >> 33;
}

/* The text with other white space, of which some is in columns. */
static void relayout(struct text *out, const char *text, size_t length, uint64_t *seed) {
  bool comment = false;
  uint64_t often = 2 + draw(seed) % 40;
  for (size_t i = 0; i < length; i++) {
    comment = text[i] == '#' || (comment && text[i] != '\n');
    bool change = !comment && (text[i] == ' ' || text[i] == '\n') && draw(seed) % often == 0;
    uint64_t what = draw(seed) % 8;
    if (change && what < 3 && text[i] == ' ')
      text_append(out, what == 0 ? "\n" : what == 1 ? "\n     " : "\t");
    else if (change && text[i] == '\n' && text[i + 1] == ' ')
      text_append(out, what < 4 ? "\n    " : "\n");
    else
      text_append_bytes(out, text + i, 1);
    if (change && what >= 3)
      text_format(out, "%*s", (int)(what - 2), "");
  }
}

static void other_layouts(const char *text, size_t length) {
  const char *all = getenv("TEST_ALL");
  for (uint64_t i = 0; i < (all != NULL && *all != '\0' ? 300 : 8); i++) {
    uint64_t seed = i * 1000003 + length;
    struct text out;
    text_init(&out);
    relayout(&out, text, length, &seed);
    parsed += check_law_of(format_ast, text_get(&out), out.length);
    text_clear(&out);
  }
}

static void test_layouts(void **state) {
  (void)state;
  parsed = 0;
  each_file("specs", other_layouts);
  assert_true(parsed > 200);
}

/* What mutations put in. */
static const char *const words[] = {"(",
                                    ")",
                                    "not ",
                                    " and ",
                                    " or ",
                                    " implies ",
                                    " - ",
                                    "-",
                                    " + ",
                                    "*",
                                    "first",
                                    " iff ",
                                    " == ",
                                    ".",
                                    "if a then b else c",
                                    "forall x in S. ",
                                    "sum k in 0..n (d)",
                                    "# c",
                                    "\n",
                                    "{",
                                    "}",
                                    " in ",
                                    "3 ms",
                                    "d(M)",
                                    "charged C",
                                    "[b]",
                                    " for all x in (first) ",
                                    "max b in next(b) (d)",
                                    "kth(f, b in S (d))",
                                    "|S + T|",
                                    " over wan",
                                    " fifo",
                                    " reads t ",
                                    " by phases",
                                    " within ? ",
                                    " on timer {a} ",
                                    " on timeout T ",
                                    " at any time ",
                                    "(x in S)",
                                    " / 2",
                                    "2^3",
                                    "^",
                                    "/",
                                    " timeout T\n",
                                    " timeout ",
                                    "\nphase ",
                                    "\nrepeated ",
                                    " ghost ",
                                    " end sent M within d ",
                                    " kth "};

/* Exchanges, drops and repeats tokens: most results are wrong, the others are unusual. */
static void mutate(struct text *out, const char *text, size_t length, uint64_t *seed) {
  size_t at = 0;
  while (at < length) {
    uint64_t drawn = draw(seed);
    size_t step = 1 + strcspn(text + at, " \n(){}[],");
    if (at + step > length)
      step = length - at;
    if (drawn % 150 == 1)
      text_append(out, words[drawn / 150 % (sizeof words / sizeof *words)]);
    if (drawn % 151 != 2)
      text_append_bytes(out, text + at, step);
    if (drawn % 152 == 3)
      text_append_bytes(out, text + at, step);
    at += step;
  }
}

static void mutations(const char *text, size_t length) {
  const char *all = getenv("TEST_ALL");
  uint64_t step = all != NULL && *all != '\0' ? 1 : 5; /* a sample */
  for (uint64_t start = 0; start < 400; start += step) {
    /* Line by line, so that one bad line does not spoil the file. */
    uint64_t seed = start;
    struct text out;
    text_init(&out);
    size_t window = (size_t)(start * 7919 % (length + 1));
    const char *from = strstr(text + window, "\n\n");
    if (from == NULL)
      continue;
    const char *to = strstr(from + 2, "\n\n");
    text_append_bytes(&out, text, (size_t)(from - text));
    mutate(&out, from, to == NULL ? strlen(from) : (size_t)(to - from), &seed);
    text_append(&out, to == NULL ? "" : to);
    bool good = check_law(text_get(&out), out.length);
    if (good && start % 4 == 0)
      check_formatted(text_get(&out), out.length);
    parsed += good;
    text_clear(&out);
  }
}

static void test_mutations(void **state) {
  (void)state;
  parsed = 0;
  each_file("specs", mutations);
  each_file("tests/fuzz/corpus/lang", mutations);
  assert_true(parsed > 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shipped), cmocka_unit_test(test_layouts),
                                     cmocka_unit_test(test_mutations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
