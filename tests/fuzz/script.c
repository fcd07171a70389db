/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a script of a certificate: refused with one message that begins with a line, or text in
 * which no command is one that a solver does anything for but declare, assert and answer. With
 * clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that replays the files it
 * is given.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "solver/smt/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition)
    abort();
}

/* Whether one of the commands that may be there follows a parenthesis of the outermost level. */
static bool known(const char *at, size_t left) {
  static const char *const commands[] = {"set-info",    "set-logic", "declare-sort",
                                         "declare-fun", "assert",    "check-sat"};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    size_t length = strlen(commands[i]);
    if (left > length && strncmp(at, commands[i], length) == 0 &&
        (isspace((unsigned char)at[length]) || strchr("();", at[length]) != NULL))
      return true;
  }
  return false;
}

/* Read in another way than script.c does: by levels of parentheses alone. */
static void require_harmless(const char *bytes, size_t size) {
  size_t level = 0;
  bool comment = false;
  for (size_t i = 0; i < size; i++) {
    require(bytes[i] == '\n' || isprint((unsigned char)bytes[i]));
    if (bytes[i] == '\n')
      comment = false;
    else if (bytes[i] == ';')
      comment = true;
    if (comment)
      continue;
    if (bytes[i] == '(' && level++ == 0) {
      size_t at = i + 1;
      for (const char *end; at < size; at = end == NULL ? size : (size_t)(end + 1 - bytes))
        if (bytes[at] == ';')
          end = memchr(bytes + at, '\n', size - at);
        else if (isspace((unsigned char)bytes[at]))
          end = bytes + at;
        else
          break;
      require(known(bytes + at, size - at));
    }
    level -= bytes[i] == ')';
  }
  require(level == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct text message;
  text_init(&message);
  if (script_is_plain((const char *)data, size, &message))
    require_harmless((const char *)data, size);
  else
    require(message.length != 0 && isdigit((unsigned char)message.data[0]) &&
            memchr(message.data, '\n', message.length) == NULL);
  text_clear(&message);
  return 0;
}

#include "tests/fuzz/standalone.h"
