/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/rational.h"

#include <ctype.h>
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct rational_value {
  mpq_t q;
};

_Static_assert(sizeof(long) == 8, "the conversions below take int64_t as GMP's long");

void rational_init(struct rational *x) {
  x->value = mem_alloc(1, sizeof *x->value);
  mpq_init(x->value->q);
}

void rational_clear(struct rational *x) {
  if (x->value == NULL)
    return;
  mpq_clear(x->value->q);
  mem_free(x->value);
  x->value = NULL;
}

void rational_set(struct rational *x, const struct rational *y) {
  mpq_set(x->value->q, y->value->q);
}

void rational_set_integer(struct rational *x, int64_t n) {
  mpq_set_si(x->value->q, n, 1);
}

void rational_set_fraction(struct rational *x, int64_t n, int64_t d) {
  mpz_set_si(mpq_numref(x->value->q), n);
  mpz_set_si(mpq_denref(x->value->q), d);
  mpq_canonicalize(x->value->q);
}

/* Splits digits "12.5" into an integer numeral and the count of decimals. */
static bool read_digits(const char **cursor, struct text *numeral, long *decimals) {
  const char *at = *cursor;
  size_t digits = 0;
  bool point = false;
  *decimals = 0;
  for (; isdigit((unsigned char)*at) || (*at == '.' && !point); at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    text_append_bytes(numeral, at, 1);
    digits++;
    *decimals += point;
  }
  *cursor = at;
  return digits != 0;
}

static bool read_exponent(const char **cursor, long *exponent) {
  *exponent = 0;
  if (**cursor != 'e' && **cursor != 'E')
    return true;
  const char *at = *cursor + 1;
  if (!isdigit((unsigned char)*at) &&
      !((*at == '-' || *at == '+') && isdigit((unsigned char)at[1])))
    return false;
  char *end;
  *exponent = strtol(at, &end, 10);
  *cursor = end;
  return *exponent >= -4096 && *exponent <= 4096;
}

static void scale_by_ten(mpq_t q, long exponent) {
  mpz_t power;
  mpz_init(power);
  mpz_ui_pow_ui(power, 10, (unsigned long)labs(exponent));
  mpz_ptr part = exponent < 0 ? mpq_denref(q) : mpq_numref(q);
  mpz_mul(part, part, power);
  mpq_canonicalize(q);
  mpz_clear(power);
}

bool rational_parse(struct rational *x, const char *string) {
  const char *at = string;
  bool negative = *at == '-';
  at += *at == '-' || *at == '+';
  struct text numeral, below;
  text_init(&numeral);
  text_init(&below);
  long decimals = 0, exponent = 0, none = 0;
  bool good = read_digits(&at, &numeral, &decimals) && read_exponent(&at, &exponent);
  if (good && *at == '/' && decimals == 0 && exponent == 0) {
    at++;
    good = read_digits(&at, &below, &none) && none == 0 &&
           strspn(below.data, "0") != strlen(below.data);
  }
  good = good && *at == '\0';
  if (good) {
    mpz_set_str(mpq_numref(x->value->q), numeral.data, 10);
    mpz_set_str(mpq_denref(x->value->q), below.length ? below.data : "1", 10);
    scale_by_ten(x->value->q, exponent - decimals);
    if (negative)
      mpq_neg(x->value->q, x->value->q);
  }
  text_clear(&numeral);
  text_clear(&below);
  return good;
}

void rational_add(struct rational *x, const struct rational *y, const struct rational *z) {
  mpq_add(x->value->q, y->value->q, z->value->q);
}

void rational_sub(struct rational *x, const struct rational *y, const struct rational *z) {
  mpq_sub(x->value->q, y->value->q, z->value->q);
}

void rational_mul(struct rational *x, const struct rational *y, const struct rational *z) {
  mpq_mul(x->value->q, y->value->q, z->value->q);
}

void rational_div(struct rational *x, const struct rational *y, const struct rational *z) {
  if (rational_sign(z) == 0)
    bug("division of a rational by zero");
  mpq_div(x->value->q, y->value->q, z->value->q);
}

void rational_max(struct rational *x, const struct rational *y, const struct rational *z) {
  rational_set(x, rational_compare(y, z) >= 0 ? y : z);
}

void rational_min(struct rational *x, const struct rational *y, const struct rational *z) {
  rational_set(x, rational_compare(y, z) <= 0 ? y : z);
}

int rational_compare(const struct rational *y, const struct rational *z) {
  return mpq_cmp(y->value->q, z->value->q);
}

int rational_sign(const struct rational *y) {
  return mpq_sgn(y->value->q);
}

bool rational_is_integer(const struct rational *y) {
  return mpz_cmp_ui(mpq_denref(y->value->q), 1) == 0;
}

static bool round_to(int64_t *n, const struct rational *y,
                     void (*divide)(mpz_ptr, mpz_srcptr, mpz_srcptr)) {
  mpz_t rounded;
  mpz_init(rounded);
  divide(rounded, mpq_numref(y->value->q), mpq_denref(y->value->q));
  bool fits = mpz_fits_slong_p(rounded) != 0;
  if (fits)
    *n = mpz_get_si(rounded);
  mpz_clear(rounded);
  return fits;
}

bool rational_ceil(int64_t *n, const struct rational *y) {
  return round_to(n, y, mpz_cdiv_q);
}

bool rational_floor(int64_t *n, const struct rational *y) {
  return round_to(n, y, mpz_fdiv_q);
}

static void print_integer(struct text *text, mpz_srcptr n) {
  char *digits = mem_alloc(mpz_sizeinbase(n, 10) + 2, 1);
  mpz_get_str(digits, 10, n);
  text_append(text, digits);
  mem_free(digits);
}

double rational_double(const struct rational *y) {
  return mpq_get_d(y->value->q);
}

void rational_print(struct text *text, const struct rational *y) {
  print_integer(text, mpq_numref(y->value->q));
  if (rational_is_integer(y))
    return;
  text_append(text, "/");
  print_integer(text, mpq_denref(y->value->q));
}

/* The least k <= 9 for which 10^k y is an integer, or -1. */
static int decimal_places(const struct rational *y) {
  mpz_t power, rest;
  mpz_init_set_ui(power, 1);
  mpz_init(rest);
  int places = -1;
  for (int k = 0; k <= 9 && places < 0; k++) {
    mpz_fdiv_r(rest, power, mpq_denref(y->value->q));
    if (mpz_sgn(rest) == 0)
      places = k;
    mpz_mul_ui(power, power, 10);
  }
  mpz_clear(power);
  mpz_clear(rest);
  return places;
}

void rational_print_short(struct text *text, const struct rational *y) {
  int places = decimal_places(y);
  if (places <= 0) {
    rational_print(text, y);
    return;
  }
  mpz_t scaled, whole, part;
  mpz_inits(scaled, whole, part, NULL);
  mpz_ui_pow_ui(scaled, 10, (unsigned long)places);
  mpz_mul(part, scaled, mpq_numref(y->value->q));
  mpz_divexact(part, part, mpq_denref(y->value->q));
  if (mpz_sgn(part) < 0)
    text_append(text, "-");
  mpz_abs(part, part);
  mpz_fdiv_qr(whole, part, part, scaled);
  print_integer(text, whole);
  char *digits = mem_alloc(mpz_sizeinbase(part, 10) + 2, 1);
  mpz_get_str(digits, 10, part);
  text_format(text, ".%.*s%s", places - (int)strlen(digits), "000000000", digits);
  mem_free(digits);
  mpz_clears(scaled, whole, part, NULL);
}
