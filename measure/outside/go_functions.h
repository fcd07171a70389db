/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The functions of a program in Go, by the table that its runtime needs and that stripping leaves
 * there (Go's debug/gosym, runtime/symtab.go: pcHeader), of Go 1.16 and later.
 */
#ifndef MEASURE_OUTSIDE_GO_FUNCTIONS_H
#define MEASURE_OUTSIDE_GO_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct image; /* measure/profile/image.h */

/* Whether the image is a program in Go. */
bool go_is(const struct image *image);

/* Gives all functions, until `take` returns false: names end in a NUL and live as long as the
 * image; start and end are addresses. Tables of other shapes give none. */
void go_functions(const struct image *image,
                  bool (*take)(void *context, const char *name, uint64_t start, uint64_t end),
                  void *context);

#endif
