/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words, numbers and signs of compose.h, one at a time, and the place of the first mistake.
 */
#ifndef DIST_EVALUATE_COMPOSE_SCAN_H
#define DIST_EVALUATE_COMPOSE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/rational.h"
#include "base/text.h"

enum token { TOKEN_END, TOKEN_NUMBER, TOKEN_DURATION, TOKEN_WORD, TOKEN_SIGN };

/* One token of a text, which is owned elsewhere. After a mistake only the end follows. */
struct scan {
  const char *text, *next; /* behind the token */
  const char *start;       /* of the token */
  size_t length;           /* of a word */
  enum token token;
  struct rational value; /* of a number; of a duration in ns */
  bool failed;
  struct text *message;
};

/* At the first token. */
void scan_init(struct scan *p, const char *text, struct text *message);
void scan_clear(struct scan *p);
void scan_next(struct scan *p);

bool scan_is_sign(const struct scan *p, char sign);
bool scan_is_word(const struct scan *p, const char *word);

/* Goes on behind the sign, or complains. */
void scan_expect(struct scan *p, char sign, const char *why);

/* Whether the token is followed by this word. */
bool scan_precedes(const struct scan *p, const char *word);

/* Appends "column N: ..." to the message, N being where the token starts; only for the first
 * mistake. */
void scan_complain(struct scan *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
