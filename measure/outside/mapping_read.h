/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of reading a mapping share (measure/outside/mapping.h). All that return bool leave
 * one line in the reading's message when they return false.
 */
#ifndef MEASURE_OUTSIDE_MAPPING_READ_H
#define MEASURE_OUTSIDE_MAPPING_READ_H

#include "measure/outside/mapping.h"

struct mapping_reading {
  struct outside_mapping *mapping;
  const struct tree_node *file;
  const struct outside_probe *probes;
  uint32_t probe_count;
  char *message;
  size_t size;
};

/* A word that stands for a member's number, up to what is `behind` it: `r`, `upstream`. */
bool mapping_read_letter(char letter[16], const char *text, const char *behind);

/* "client", "standby[0]", "standby[r]". */
bool mapping_read_name(struct mapping_reading *reading, struct mapping_name *name,
                       const struct tree_node *at, const char *text);

/* A text that must be there and not empty; NULL after a complaint. */
const char *mapping_text(struct mapping_reading *reading, const struct tree_node *mapping,
                         const char *key);

/* The same, copied into CONDITION_NAME + 1 bytes. */
bool mapping_copy(struct mapping_reading *reading, char *to, const struct tree_node *mapping,
                  const char *key);

/* Whether it is a mapping with no other keys than these; NULL ends them. */
bool mapping_known(struct mapping_reading *reading, const struct tree_node *mapping,
                   const char *const *keys);

/* A section of the file, a mapping of 1 to `most` items; NULL after a complaint. */
const struct tree_node *mapping_section(struct mapping_reading *reading, const char *key,
                                        size_t most);

/* The moment that the key's text names. */
bool mapping_read_moment(struct mapping_reading *reading, uint32_t *moment,
                         const struct tree_node *mapping, const char *key);

/* From the key `chose`, where it is there, of what has the index of the node or arguments. */
bool mapping_read_chose(struct mapping_reading *reading, uint32_t *chose,
                        const struct tree_node *mapping, bool family);

/* From the keys `from` and `to`. */
bool mapping_read_stretch(struct mapping_reading *reading, struct mapping_stretch *stretch,
                          const struct tree_node *mapping);

bool mapping_read_moments(struct mapping_reading *reading);
bool mapping_read_steps(struct mapping_reading *reading);
bool mapping_read_messages(struct mapping_reading *reading);

#endif
