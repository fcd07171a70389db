/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * YAML files with a fixed shape, and what is wrong with them in one line. Whoever has such a file
 * describes it by a schema of libcyaml in which every scalar is text: the library would take 07355
 * as octal and 10/s as 10. What the texts mean is the owner's to check (measure/yaml/value.h).
 *
 * Names that begin with yaml_ would be those of libyaml, which the program is linked with.
 */
#ifndef MEASURE_YAML_LOAD_H
#define MEASURE_YAML_LOAD_H

#include <cyaml/cyaml.h>
#include <stdbool.h>
#include <stddef.h>

/* A text; `flags`: 0 or CYAML_FLAG_OPTIONAL. */
#define YAML_TEXT(key, structure, member, flags)                                                   \
  CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | (flags), structure, member, 0, CYAML_UNLIMITED)

struct yaml_shape {
  const cyaml_schema_value_t *schema; /* of a pointer to a mapping */
  const char *keys;                   /* "known keys are ...", said where one is unknown */
  const char *least;                  /* "give at least ...", said of an empty file */
};

/* The mapping that the bytes are, owned by the caller (shaped_free), or NULL with one line in
 * `message`: what, place, remedy. */
void *shaped_load(const struct yaml_shape *shape, const char *bytes, size_t length, char *message,
                  size_t size);
void shaped_free(const struct yaml_shape *shape, void *mapping);

/* All bytes of a file of at most 1 MB, which the caller frees; 0, or an errno value (then *bytes
 * may still have to be freed). */
int shaped_read_file(char **bytes, size_t *length, const char *path);

#endif
