/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of calls that stand below each other in a picture, and how they are shortened: the service
 * at the beginning and the end stay, something between them goes, and names that differ still do
 * afterwards.
 *
 *   frontend/hipstershop.RecommendationService/ListRecommendations     frontend/...istRecommendations
 *   recommendation//hipstershop.RecommendationService/ListRecommendations recommendation/...mmendations
 */
#ifndef CLI_PRESENT_FIGURE_CHART_NAMES_H
#define CLI_PRESENT_FIGURE_CHART_NAMES_H

#include "base/text.h"
#include "base/vector.h"

/* Owns its texts, which are valid UTF-8. */
struct chart_names {
  double width, most; /* of their column, in pixels: as they need, up to `most` */
  VECTOR(char *) names;
};

/* For a picture as wide as that. */
void chart_names_init(struct chart_names *names, double width);
void chart_names_clear(struct chart_names *names);

/* `before`: pixels between the column's edge and the name; `name` is cleaned. */
void chart_names_add(struct chart_names *names, double before, const char *name);

/* Appends the name, which is valid UTF-8, in at most `room` >= 4 characters, such that no other of
 * `names`, shortened at the same places, looks alike. `names` may be NULL. */
void chart_names_shorten(struct text *out, const struct chart_names *names, const char *name,
                         size_t room);

/* Where a name that is longer than `room` bytes is broken to be two lines of at most `room`: behind
 * a mark, the first line as long as can be; 0: nowhere. */
size_t chart_name_break(const char *name, size_t room);

#endif
