/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/yaml/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 20 };

/* What the library says: its first complaint, and the innermost place of the backtrace. */
struct complaint {
  char text[200], place[120];
};

static void take_complaint(cyaml_log_t level, void *context, const char *format, va_list values) {
  struct complaint *complaint = context;
  char line[200];
  if (level < CYAML_LOG_WARNING)
    return;
  vsnprintf(line, sizeof line, format, values);
  line[strcspn(line, "\n")] = '\0';
  for (char *at = line; *at != '\0'; at++)
    if ((unsigned char)*at < ' ' || (unsigned char)*at >= 0x7f)
      *at = '?';
  const char *said = strncmp(line, "Load: ", 6) == 0 ? line + 6 : line;
  said += strspn(said, " ");
  bool place = strncmp(said, "in ", 3) == 0;
  if (strcmp(said, "Backtrace:") == 0)
    return;
  char *target = place ? complaint->place : complaint->text;
  size_t size = place ? sizeof complaint->place : sizeof complaint->text;
  if (*target == '\0')
    snprintf(target, size, "%.*s", (int)size - 1, said);
}

static const char *remedy_of(cyaml_err_t error, const struct complaint *complaint,
                             const struct yaml_shape *shape) {
  switch (error) {
  case CYAML_ERR_LIBYAML_PARSER:
    return "is no YAML there; indent with blanks, not tabs, and close quotes";
  case CYAML_ERR_INVALID_KEY:
    return shape->keys;
  case CYAML_ERR_MAPPING_FIELD_MISSING:
    return "add it";
  case CYAML_ERR_ALIAS:
    return "write the value again instead of an alias";
  case CYAML_OK:
    return "keep one document in the file";
  default:
    return strstr(complaint->text, "already seen") != NULL ? "give each key once"
                                                           : "give what the key expects";
  }
}

/* The line, from line `from` on, that begins with this key; 0 if none. */
static unsigned line_of_key(const char *key, const char *bytes, size_t length, unsigned from) {
  const char *end = bytes + length;
  unsigned line = 1;
  for (const char *at = bytes; at < end; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (stop == NULL)
      stop = end;
    while (at < stop && (*at == ' ' || *at == '-' || *at == '{' || *at == '"' || *at == '\''))
      at++;
    if (line >= from && (size_t)(stop - at) >= strlen(key) && memcmp(at, key, strlen(key)) == 0)
      return line;
    at = stop + (stop < end);
  }
  return 0;
}

/* The library's place of an unknown key is that of what it read before; that of a missing one is
 * some field of the mapping that lacks it, at its end. */
static void correct_place(struct complaint *complaint, cyaml_err_t error, const char *bytes,
                          size_t length) {
  static const char unknown[] = "Unexpected key: ";
  const char *number = strstr(complaint->place, "(line: ");
  unsigned line = number == NULL ? 0 : (unsigned)strtoul(number + 7, NULL, 10);
  if (error == CYAML_ERR_INVALID_KEY && strncmp(complaint->text, unknown, strlen(unknown)) == 0)
    line = line_of_key(complaint->text + strlen(unknown), bytes, length, line);
  else if (error != CYAML_ERR_MAPPING_FIELD_MISSING)
    return;
  if (line != 0)
    snprintf(complaint->place, sizeof complaint->place, "in %sline %u",
             error == CYAML_ERR_INVALID_KEY ? "" : "what ends at ", line);
}

static cyaml_config_t library_of(struct complaint *complaint) {
  return (cyaml_config_t){.log_fn = take_complaint,
                          .log_ctx = complaint,
                          .mem_fn = cyaml_mem,
                          .log_level = CYAML_LOG_WARNING,
                          .flags = CYAML_CFG_NO_ALIAS};
}

void *shaped_load(const struct yaml_shape *shape, const char *bytes, size_t length, char *message,
                  size_t size) {
  struct complaint complaint = {.text = ""};
  cyaml_config_t library = library_of(&complaint);
  cyaml_data_t *mapping = NULL;
  cyaml_err_t error =
      cyaml_load_data((const uint8_t *)bytes, length, &library, shape->schema, &mapping, NULL);
  correct_place(&complaint, error, bytes, length);
  if (error == CYAML_OK && complaint.text[0] == '\0' && mapping != NULL)
    return mapping;
  if (error == CYAML_OK && mapping == NULL)
    snprintf(message, size, "the file is empty; %s", shape->least);
  else
    snprintf(message, size, "%.190s%s%s; %s",
             complaint.text[0] != '\0' ? complaint.text : cyaml_strerror(error),
             complaint.place[0] != '\0' ? ", " : "", complaint.place,
             remedy_of(error, &complaint, shape));
  shaped_free(shape, mapping);
  return NULL;
}

void shaped_free(const struct yaml_shape *shape, void *mapping) {
  struct complaint complaint = {.text = ""};
  cyaml_config_t library = library_of(&complaint);
  if (mapping != NULL)
    cyaml_free(&library, shape->schema, mapping, 0);
}

/* 0 and all bytes of the file, or an errno value. */
static int read_all(char **bytes, size_t *length, FILE *file) {
  *bytes = malloc(FILE_MAX + 1);
  if (*bytes == NULL)
    return ENOMEM;
  errno = 0;
  *length = fread(*bytes, 1, FILE_MAX + 1, file);
  if (ferror(file))
    return errno != 0 ? errno : EIO;
  return *length > FILE_MAX ? EFBIG : 0;
}

int shaped_read_file(char **bytes, size_t *length, const char *path) {
  *bytes = NULL;
  *length = 0;
  FILE *file = fopen(path, "rbe");
  int error = file != NULL ? read_all(bytes, length, file) : errno;
  if (file != NULL)
    fclose(file);
  return error;
}
