/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/glossary.h"

#include <strings.h>

static const struct term_meaning terms[] = {
#define TERM(word, meaning) {word, meaning},
#include "cli/present/glossary.def"
#undef TERM
};

const struct term_meaning *glossary(size_t *count) {
  *count = sizeof terms / sizeof *terms;
  return terms;
}

const struct term_meaning *glossary_find(const char *word) {
  for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
    if (strcasecmp(terms[i].word, word) == 0)
      return &terms[i];
  return NULL;
}
