/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/duration.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

int unit_exponent(struct slice name) {
  for (int exponent = 0; exponent <= 9; exponent += 3)
    if (slice_is(name, unit_name(exponent)))
      return exponent;
  return slice_is(name, "\u00B5s") || slice_is(name, "\u03BCs") ? 3 : -1;
}

const char *unit_name(int exponent) {
  static const char *const names[] = {"ns", "us", "ms", "s"};
  return names[exponent / 3];
}

static int64_t unit_ns(int exponent) {
  static const int64_t ns[] = {1, 1000, 1000000, 1000000000};
  return ns[exponent / 3];
}

bool duration_parse(struct rational *ns, const char *text) {
  size_t digits = strspn(text, "0123456789.");
  const char *unit = text + digits + strspn(text + digits, " \t");
  int exponent = unit_exponent((struct slice){unit, strlen(unit)});
  char *number = mem_copy_text(text, digits);
  bool good = exponent >= 0 && rational_parse(ns, number);
  mem_free(number);
  if (!good)
    return false;
  struct rational factor;
  rational_init(&factor);
  rational_set_integer(&factor, unit_ns(exponent));
  rational_mul(ns, ns, &factor);
  rational_clear(&factor);
  return true;
}

enum rounding { ROUND_DOWN, ROUND_NEAREST, ROUND_UP };

static void print(struct text *text, uint64_t ns, enum rounding rounding) {
  int exponent = 9;
  while (exponent > 0 && (uint64_t)unit_ns(exponent) > ns)
    exponent -= 3;
  if (exponent == 0) {
    text_format(text, "%" PRIu64 " ns", ns);
    return;
  }
  uint64_t part = (uint64_t)unit_ns(exponent - 3); /* a thousandth of the unit */
  uint64_t more = rounding == ROUND_UP ? part - 1 : rounding == ROUND_NEAREST ? part / 2 : 0;
  uint64_t thousandths = ns / part + (ns % part + more) / part;
  text_format(text, "%" PRIu64 ".%03" PRIu64 " %s", thousandths / 1000, thousandths % 1000,
              unit_name(exponent));
}

void duration_print_upper(struct text *text, uint64_t ns) {
  print(text, ns, ROUND_UP);
}

void duration_print_lower(struct text *text, uint64_t ns) {
  print(text, ns, ROUND_DOWN);
}

void duration_print_nearest(struct text *text, int64_t ns) {
  if (ns < 0)
    text_append(text, "-");
  print(text, ns < 0 ? -(uint64_t)ns : (uint64_t)ns, ROUND_NEAREST);
}

void duration_print_exact(struct text *text, const struct rational *ns) {
  struct rational scale, quotient;
  rational_init(&scale);
  rational_init(&quotient);
  int exponent = rational_sign(ns) == 0 ? 0 : 9;
  for (;; exponent -= 3) {
    rational_set_integer(&scale, unit_ns(exponent));
    rational_div(&quotient, ns, &scale);
    if (exponent == 0 || rational_is_integer(&quotient))
      break;
  }
  rational_print_short(text, &quotient);
  text_format(text, " %s", unit_name(exponent));
  rational_clear(&scale);
  rational_clear(&quotient);
}
