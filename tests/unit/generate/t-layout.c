/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines of generated C: where they end, and that none loses a character.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "generate/layout.h"

/* Words of the given widths, '0' + level between them; what comes out. */
static char *laid(const size_t *widths, const char *levels, size_t indent, size_t continuation) {
  struct text line, out;
  text_init(&line);
  text_init(&out);
  for (size_t i = 0; widths[i] != 0; i++) {
    if (i != 0)
      layout_break(&line, (unsigned)(levels[i - 1] - '0'));
    for (size_t k = 0; k < widths[i]; k++)
      text_format(&line, "%c", (int)('a' + i));
  }
  layout_line(&out, &line, indent, continuation);
  text_clear(&line);
  return text_take(&out);
}

static void check_widths(const char *out, const size_t *expected) {
  for (size_t i = 0; expected[i] != 0; i++) {
    const size_t width = strcspn(out, "\n");
    assert_int_equal(width, expected[i]);
    assert_int_equal(out[width], '\n');
    out += width + 1;
  }
  assert_string_equal(out, "");
}

#define SIZES(...) ((const size_t[]){__VA_ARGS__, 0})

static void check(const size_t *widths, const char *levels, size_t indent, size_t continuation,
                  const size_t *expected) {
  char *out = laid(widths, levels, indent, continuation);
  check_widths(out, expected);
  free(out);
}

static void ends(void **state) {
  (void)state;
  check(SIZES(3, 4), "0", 2, 4, SIZES(2 + 3 + 1 + 4));
  check(SIZES(49, 50), "0", 0, 4, SIZES(LAYOUT_WIDTH));
  check(SIZES(50, 50), "0", 0, 4, SIZES(50, 4 + 50));
  check(SIZES(48, 50), "0", 2, 6, SIZES(2 + 48, 6 + 50));
  check(SIZES(30, 30, 30, 30), "000", 0, 4, SIZES(30 + 1 + 30 + 1 + 30, 4 + 30));
  check(SIZES(60, 60, 60), "00", 0, 30, SIZES(60, 90, 90)); /* two of them are too wide with 30 */
}

static void levels(void **state) {
  (void)state;
  check(SIZES(20, 30, 30, 30), "011", 0, 4, SIZES(20, 4 + 30 + 1 + 30 + 1 + 30));
  check(SIZES(30, 30, 30, 30), "101", 0, 4, SIZES(61, 4 + 61));
  check(SIZES(30, 30, 30, 30), "121", 0, 4, SIZES(92, 4 + 30)); /* the last that fits */
  char *deep = laid(SIZES(60, 60), "~", 0, 4);                  /* a level beyond the last */
  check_widths(deep, SIZES(60, 64));
  free(deep);
}

/* What cannot be broken stays as it is, and the next break behind it is taken. */
static void too_wide(void **state) {
  (void)state;
  check(SIZES(120), "", 2, 4, SIZES(122));
  check(SIZES(120, 10), "0", 2, 4, SIZES(122, 14));
  check(SIZES(10, 120, 10), "00", 0, 4, SIZES(10, 124, 14));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends),
      cmocka_unit_test(levels),
      cmocka_unit_test(too_wide),
  };
  return cmocka_run_group_tests_name("generate/layout", tests, NULL, NULL);
}
