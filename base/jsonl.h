/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON: results, one object a line, and whole documents. base/jsonl.c is the only file that
 * knows the JSON library. What jsonl_new or jsonl_parse gives is owned until jsonl_print,
 * jsonl_take or jsonl_free; what is inside belongs to it.
 */
#ifndef BASE_JSONL_H
#define BASE_JSONL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct jsonl;

struct jsonl *jsonl_new(const char *kind); /* an object; NULL: without "kind" */
void jsonl_text(struct jsonl *json, const char *key, const char *value); /* NULL: null */
void jsonl_flag(struct jsonl *json, const char *key, bool value);
void jsonl_integer(struct jsonl *json, const char *key, int64_t value);
void jsonl_number(struct jsonl *json, const char *key, double value); /* to nine digits */

/* An object, which may be there already, a list inside; to be filled before `json` is printed. */
struct jsonl *jsonl_inside(struct jsonl *json, const char *key);
struct jsonl *jsonl_list(struct jsonl *json, const char *key);
struct jsonl *jsonl_item(struct jsonl *list);                /* a new object at the end of a list */
void jsonl_item_text(struct jsonl *list, const char *value); /* NULL: null */

void jsonl_print(struct jsonl *json);                  /* on one line of stdout */
void jsonl_line(struct jsonl *json, struct text *out); /* appended to a text */
void jsonl_write(struct jsonl *json, FILE *file); /* the same elsewhere; errors stay in the file */
char *jsonl_take(struct jsonl *json); /* over several lines, with a newline behind them; owned */
void jsonl_free(struct jsonl *json);

/* The object that the bytes are, or NULL with one line in `message`. */
struct jsonl *jsonl_parse(const char *bytes, size_t length, struct text *message);
/* What is there under a key, or at a place of a list; NULL where there is none of that type. */
const char *jsonl_get_text(const struct jsonl *json, const char *key);
bool jsonl_get_integer(int64_t *value, const struct jsonl *json, const char *key);
bool jsonl_get_number(double *value, const struct jsonl *json, const char *key); /* or an integer */
bool jsonl_get_flag(const struct jsonl *json, const char *key); /* false also where there is none */
const struct jsonl *jsonl_get_list(const struct jsonl *json, const char *key);
size_t jsonl_count(const struct jsonl *list);
const struct jsonl *jsonl_at(const struct jsonl *list, size_t index);

#endif
