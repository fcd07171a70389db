/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Settings of V8's heap, and the command that runs a program on Node.js with one.
 *
 * The young generation consists of two semi-spaces. A collection of it copies what is alive from
 * one to the other: larger semi-spaces make it rarer, and give objects more time to die; but there
 * is more to copy, and so a longer pause, where they do not.
 */
#ifndef MEASURE_TUNE_HEAP_H
#define MEASURE_TUNE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vector.h"

/* In MB; 0: as the command has it. */
struct heap_setting {
  uint32_t semi;     /* --max-semi-space-size */
  uint32_t semi_min; /* --min-semi-space-size: from the start */
  uint32_t old;      /* --max-old-space-size */
};

bool heap_setting_same(const struct heap_setting *a, const struct heap_setting *b);

/* Appends "--max-semi-space-size=64 --min-semi-space-size=64", or "as it is". */
void heap_setting_print(struct text *text, const struct heap_setting *setting);

/* The command's words with the setting, which replaces options of the command for the same sizes;
 * NULL behind the last. Owns all words. */
struct heap_command {
  VECTOR(char *) words;
};
void heap_command_make(struct heap_command *command, const char *const *words, size_t count,
                       const struct heap_setting *setting);
void heap_command_clear(struct heap_command *command);

/* Whether the first word is a Node.js: "node", "/usr/bin/nodejs", "node18". */
bool heap_command_is_node(const char *word);

#endif
