/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `profile show` and `profile diff`, as text, as JSON and as flame graphs; without
 * their ledgers.
 */
#ifndef CLI_PRESENT_STACKS_H
#define CLI_PRESENT_STACKS_H

#include "cli/question/stacks/show.h"

/* The `top` functions; 0: all. */
void show_print_text(const struct show_answer *answer, size_t top);
void show_print_json(const struct show_answer *answer, size_t top);
void change_print_text(const struct change_answer *answer, size_t top);
void change_print_json(const struct change_answer *answer, size_t top);

/* As flame_write. `typed`: the command line. */
enum status show_draw(const struct show_answer *answer, const char *path, const char *typed,
                      struct text *message);
enum status change_draw(const struct change_answer *answer, const char *path, const char *typed,
                        struct text *message);

#endif
