/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON results: one object a line. cli/json.c is the only file that knows the JSON library.
 * A `struct jsonl` is owned until jsonl_print, which writes it to stdout with a newline and frees
 * it.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>

struct jsonl;

struct jsonl *jsonl_new(const char *kind);
void jsonl_text(struct jsonl *json, const char *key, const char *value); /* NULL: null */
void jsonl_flag(struct jsonl *json, const char *key, bool value);
void jsonl_integer(struct jsonl *json, const char *key, int64_t value);
void jsonl_seconds(struct jsonl *json, const char *key, double value); /* to the microsecond */

/* An object inside; owned by `json`, which must be printed after it was filled. */
struct jsonl *jsonl_inside(struct jsonl *json, const char *key);
void jsonl_print(struct jsonl *json);

#endif
