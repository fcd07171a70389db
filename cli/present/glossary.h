/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words of reports and manual, and what they mean (glossary.def). `tailproof explain WORD`
 * prints one; scripts/glossary.sh makes docs/glossary.md of all.
 */
#ifndef CLI_PRESENT_GLOSSARY_H
#define CLI_PRESENT_GLOSSARY_H

#include <stddef.h>

struct term_meaning {
  const char *word, *meaning; /* the meaning is one paragraph without line ends */
};

/* In the order of the alphabet; *count of them. */
const struct term_meaning *glossary(size_t *count);

/* In upper or lower case; NULL: there is no such word. */
const struct term_meaning *glossary_find(const char *word);

#endif
