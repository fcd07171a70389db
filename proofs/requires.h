/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the checks that proofs/requires.py writes are made of: each `requires` of a proved function
 * as C. A call that breaks one ends with abort() and a line that names function, label and text.
 *
 * Integers of ACSL have no bounds; here they are __int128, which holds every sum and product that
 * the contracts have. Storage is asked of the address sanitizer where there is one; without, it
 * only must not be NULL. The predicates below are those of proofs/logic/ that a `requires` uses.
 */
#ifndef PROOFS_REQUIRES_H
#define PROOFS_REQUIRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REQUIRES_ADDRESSES
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define REQUIRES_ADDRESSES
#endif
#ifdef REQUIRES_ADDRESSES
void *__asan_region_is_poisoned(void *begin, size_t size);
#endif

typedef __int128 requires_integer;

/* The items low .. high, of so many bytes, of an array. */
struct requires_span {
  const void *base;
  size_t item;
  requires_integer low, high;
};

#define REQUIRES(function, label, text, condition)                                                 \
  ((condition) ? (void)0 : requires_broken(function, label, text))

static inline _Noreturn void requires_broken(const char *function, const char *label,
                                             const char *text) {
  fprintf(stderr, "tailproof: internal error: %s requires %s: %s\n", function, label, text);
  abort();
}

static inline uintptr_t requires_begin(struct requires_span s) {
  return (uintptr_t)s.base + (uintptr_t)s.low * s.item;
}

static inline size_t requires_size(struct requires_span s) {
  return s.high < s.low ? 0 : (size_t)(s.high - s.low + 1) * s.item;
}

static inline bool requires_valid(struct requires_span s) {
  if (requires_size(s) == 0)
    return true;
#ifdef REQUIRES_ADDRESSES
  if (s.base != NULL && __asan_region_is_poisoned((void *)requires_begin(s), requires_size(s)))
    return false;
#endif
  return s.base != NULL;
}

static inline bool requires_separated(struct requires_span a, struct requires_span b) {
  uintptr_t x = requires_begin(a), y = requires_begin(b);
  return requires_size(a) == 0 || requires_size(b) == 0 || x + requires_size(a) <= y ||
         y + requires_size(b) <= x;
}

/* proofs/logic/pause.acsl */
#define pause_balanced(ledger)                                                                     \
  ((ledger)->owed_ns <= PAUSE_TOTAL_MAX && (ledger)->realised_ns <= PAUSE_TOTAL_MAX &&             \
   (requires_integer)(ledger)->owed_ns ==                                                          \
       (requires_integer)(ledger)->realised_ns + (ledger)->carried_ns)

/* proofs/logic/stack_fold.acsl */
static inline requires_integer stack_fold_sum(const uint64_t *weights, requires_integer count) {
  requires_integer sum = 0;
  for (requires_integer i = 0; i < count; i++)
    sum += weights[i];
  return sum;
}

/* proofs/logic/share_interval.acsl */
#define share_excess(hits, samples, p)                                                             \
  ((requires_integer)SHARE_WHOLE * (hits) - (requires_integer)(samples) * (p))
#define share_too_low(hits, samples, z2, p)                                                        \
  (share_excess(hits, samples, p) > 0 &&                                                           \
   (samples) * (((requires_integer)(z2) * ((requires_integer)(p) * (SHARE_WHOLE - (p))) +          \
                 (SHARE_Z2_ONE - 1)) /                                                             \
                SHARE_Z2_ONE) <                                                                    \
       share_excess(hits, samples, p) * share_excess(hits, samples, p))

/* measure/core/rate.h */
#define rate_limits_valid(l)                                                                       \
  ((l)->floor <= (l)->ceiling && (l)->ceiling <= RATE_MAX && (l)->budget <= 1000000000 &&          \
   (l)->shrink < RATE_SHRINK_ONE)

/* proofs/logic/predict.acsl */
#define predict_within(y, from, to, low, high)                                                     \
  requires_within(y, (size_t)(from), (size_t)(to), (uint64_t)(low), (uint64_t)(high))

static inline bool requires_within(const uint64_t *y, size_t from, size_t to, uint64_t low,
                                   uint64_t high) {
  for (size_t i = from; i < to; i++)
    if (y[i] < low || high < y[i])
      return false;
  return true;
}

/* proofs/logic/poke.acsl */
#define poke_text(poke)                                                                            \
  requires_text((const unsigned char *)(poke)->text, sizeof(poke)->text / sizeof *(poke)->text)
#define poke_fits(poke)                                                                            \
  (POKE_HELLO <= (poke)->kind && (poke)->kind <= POKE_REFUSE && (poke)->count <= POKE_VALUES &&    \
   requires_within((poke)->values, (poke)->count, POKE_VALUES, 0, 0) && poke_text(poke))

static inline bool requires_text(const unsigned char *text, size_t size) {
  bool ended = false;
  for (size_t i = 0; i < size; i++) {
    if (text[i] != 0 && (ended || text[i] <= 32 || text[i] >= 127))
      return false;
    ended = ended || text[i] == 0;
  }
  return ended;
}

/* proofs/logic/histogram.acsl */
#define histogram_conserved(h)                                                                     \
  ((requires_integer)(h)->total ==                                                                 \
   requires_sum((h)->counts, sizeof(h)->counts / sizeof *(h)->counts) + (h)->saturated)

static inline requires_integer requires_sum(const uint64_t *counts, size_t count) {
  requires_integer sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += counts[i];
  return sum;
}

#endif
