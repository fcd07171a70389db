/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What holds of both printers of protocols, and the files that they are tried on.
 */
#ifndef TESTS_UNIT_LANG_PRINT_LAW_H
#define TESTS_UNIT_LANG_PRINT_LAW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "lang/check.h"
#include "lang/parse.h"
#include "lang/print.h"
#include "lang/source.h"

/* The tree of a text; NULL when it has syntax errors. */
static inline struct ast *tree_of(const char *text, size_t length) {
  struct source *source = source_from_text("test.tp", text, length);
  struct diagnostics queue;
  diagnostics_init(&queue);
  struct ast *ast = parse(source, &queue);
  if (error_count(&queue) != 0) {
    ast_free(ast);
    ast = NULL;
  }
  diagnostics_clear(&queue);
  source_free(source);
  return ast;
}

/* The characters of all comments, in order. */
static inline void comments_of(struct text *out, const struct ast *ast) {
  for (size_t i = 0; i < ast->comments.count; i++) {
    const struct comment *comment = ast->comments.items[i];
    text_append_bytes(out, ast->bytes + comment->span.start,
                      comment->span.end - comment->span.start);
    text_append(out, "\n");
  }
}

static inline void fail_with(const char *what, const char *input, const char *output) {
  print_message("%s; input:\n%s\noutput:\n%s\n", what, input, output);
  fail();
}

typedef void printer(struct text *out, const struct ast *ast);

/* Checks the law on a text; false when the text has syntax errors. */
static inline bool check_law_of(printer *print, const char *text, size_t length) {
  struct ast *ast = tree_of(text, length);
  if (ast == NULL)
    return false;
  struct text once, twice, before, after;
  text_init(&once);
  text_init(&twice);
  text_init(&before);
  text_init(&after);
  print(&once, ast);
  struct ast *again = tree_of(text_get(&once), once.length);
  if (again == NULL || !ast_equal(ast, again))
    fail_with("printing changed the meaning", text, text_get(&once));
  print(&twice, again);
  if (strcmp(text_get(&once), text_get(&twice)) != 0)
    fail_with("printing is not stable", text_get(&once), text_get(&twice));
  comments_of(&before, ast);
  comments_of(&after, again);
  if (strcmp(text_get(&before), text_get(&after)) != 0)
    fail_with("printing lost a comment", text, text_get(&once));
  text_clear(&once);
  text_clear(&twice);
  text_clear(&before);
  text_clear(&after);
  ast_free(ast);
  ast_free(again);
  return true;
}

/* What is printed of a tree alone is formatted, too. */
static inline void check_formatted(const char *text, size_t length) {
  struct text printed, formatted;
  text_init(&printed);
  text_init(&formatted);
  struct ast *ast = tree_of(text, length);
  print_ast(&printed, ast);
  struct ast *again = tree_of(text_get(&printed), printed.length);
  format_ast(&formatted, again);
  if (strcmp(text_get(&printed), text_get(&formatted)) != 0)
    fail_with("formatting changes what is printed", text_get(&printed), text_get(&formatted));
  ast_free(ast);
  ast_free(again);
  text_clear(&printed);
  text_clear(&formatted);
}

static inline bool check_law(const char *text, size_t length) {
  return check_law_of(print_ast, text, length) && check_law_of(format_ast, text, length);
}

typedef void visitor(const char *text, size_t length);

/* Of the folder and those in it. */
static inline void each_file(const char *folder, visitor *visit) {
  DIR *directory = opendir(folder);
  assert_non_null(directory);
  size_t count = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (entry->d_name[0] == '.')
      continue;
    struct text path, message;
    text_init(&path);
    text_init(&message);
    text_format(&path, "%s/%s", folder, entry->d_name);
    count++;
    DIR *inner = opendir(path.data);
    if (inner != NULL) {
      closedir(inner);
      each_file(path.data, visit);
      text_clear(&path);
      continue;
    }
    char *bytes;
    size_t length;
    assert_int_equal(file_read(path.data, 1u << 20, &bytes, &length, &message), STATUS_OK);
    visit(bytes, length);
    mem_free(bytes);
    text_clear(&path);
  }
  closedir(directory);
  assert_true(count > 0);
}

#endif
