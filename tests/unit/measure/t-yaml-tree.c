/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "measure/yaml/tree.h"

static char message[512];

static struct tree_node *parse(const char *text) {
  message[0] = '\0';
  return tree_parse(text, strlen(text), message, sizeof message);
}

static void test_tree(void **state) {
  (void)state;
  struct tree_node *root = parse("# a comment\na: 1\nb:\n  c: {d: 'x y', e: }\n  f: [1, [2]]\n");
  assert_non_null(root);
  assert_int_equal(TREE_MAPPING, root->kind);
  assert_int_equal(2, root->count);
  assert_string_equal("1", tree_find(root, "a")->text);
  assert_null(tree_find(root, "c"));
  const struct tree_node *b = tree_find(root, "b"), *c = tree_find(b, "c"), *f = tree_find(b, "f");
  assert_int_equal(3, b->key_line);
  assert_int_equal(4, c->line);
  assert_int_equal(6, c->column);
  assert_string_equal("x y", tree_find(c, "d")->text);
  assert_string_equal("", tree_find(c, "e")->text);
  assert_int_equal(TREE_LIST, f->kind);
  assert_int_equal(2, f->count);
  assert_string_equal("2", f->items[1]->items[0]->text);
  assert_null(f->items[0]->key);
  tree_free(root);
}

static void test_many(void **state) {
  (void)state;
  char text[20000] = "a: [0";
  for (unsigned i = 1; i < 1000; i++)
    strcat(text, ",7");
  strcat(text, "]");
  struct tree_node *root = parse(text);
  assert_int_equal(1000, root->items[0]->count);
  assert_string_equal("7", root->items[0]->items[999]->text);
  tree_free(root);
}

static void refuse(const char *text, const char *what) {
  struct tree_node *root = parse(text);
  assert_null(root);
  if (strstr(message, what) == NULL || strncmp(message, "line ", 5) != 0)
    fail_msg("%s", message);
}

static void test_mistakes(void **state) {
  (void)state;
  refuse("", "the file is empty");
  refuse("# nothing\n", "the file is empty");
  refuse("- a\n", "give keys and values");
  refuse("a: 1\na: 2\n", "line 2: this key stands above already");
  refuse("a: &x 1\nb: *x\n", "line 2: an alias");
  refuse("[a]: 1\n", "a key is a word");
  refuse("a: \"x\\0y\"\n", "line 1: a value with a NUL");
  refuse("\"x\\0y\": 1\n", "line 1: a key with a NUL");
  refuse("a: 1\n---\nb: 2\n", "a second document");
  refuse("a: [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n", "too many levels");
  refuse("a: 1\n\tb: 2\n", "line 2: ");
  refuse("a: [1\n", "line 2: ");
  refuse("a: 1\nb: {c: 1, c: 2}\n", "line 2: this key");
  refuse("\xff\xfe\xff", "line 1: ");
}

static void test_any(void **state) {
  (void)state;
  static const char good[] = "a: {b: [1, 'x'], c: \"y\"}\nd:\n  - e: 1\n    f: 2\n";
  srand(2);
  for (unsigned i = 0; i < 20000; i++) {
    char bytes[sizeof good];
    memcpy(bytes, good, sizeof good);
    for (unsigned k = 0; k < 3; k++)
      bytes[(unsigned)rand() % (sizeof good - 1)] =
          (char)(rand() % 2 ? rand() : "{}[]:,\n-&*"[rand() % 10]);
    message[0] = '\0';
    struct tree_node *root = tree_parse(bytes, sizeof good - 1, message, sizeof message);
    assert_true(root != NULL ? message[0] == '\0' : strncmp(message, "line ", 5) == 0);
    tree_free(root);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tree),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_any),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
