/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every scalar is read as text: the library would take 07355 as octal and 10/s as 10.
 */
#include "measure/agent/config_raw.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 20 };

#define TEXT(key, structure, member, flags)                                                        \
  CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | (flags), structure, member, 0, CYAML_UNLIMITED)

static const cyaml_schema_field_t peer_fields[] = {
    TEXT("name", struct raw_peer, name, 0),
    TEXT("address", struct raw_peer, address, 0),
    TEXT("port", struct raw_peer, port, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t peer_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_peer, peer_fields),
};

static const cyaml_schema_field_t metrics_fields[] = {
    TEXT("address", struct raw_metrics, address, CYAML_FLAG_OPTIONAL),
    TEXT("port", struct raw_metrics, port, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t fields[] = {
    TEXT("node", struct raw_config, node, 0),
    TEXT("listen", struct raw_config, listen, CYAML_FLAG_OPTIONAL),
    TEXT("port", struct raw_config, port, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_SEQUENCE("peers", CYAML_FLAG_POINTER, struct raw_config, peers, &peer_value, 0,
                         CYAML_UNLIMITED),
    TEXT("probes_per_second", struct raw_config, rate, CYAML_FLAG_OPTIONAL),
    TEXT("timeout_ms", struct raw_config, timeout, CYAML_FLAG_OPTIONAL),
    TEXT("drift_ppm", struct raw_config, drift, CYAML_FLAG_OPTIONAL),
    TEXT("answer", struct raw_config, answer, CYAML_FLAG_OPTIONAL),
    TEXT("store", struct raw_config, store, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_MAPPING_PTR("metrics", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct raw_config,
                            metrics, metrics_fields),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_config, fields),
};

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

static const char *remedy_of(cyaml_err_t error, const struct complaint *complaint) {
  switch (error) {
  case CYAML_ERR_LIBYAML_PARSER:
    return "is no YAML there; indent with blanks, not tabs, and close quotes";
  case CYAML_ERR_INVALID_KEY:
    return "known keys are node, listen, port, peers (each: name, address, port), "
           "probes_per_second, timeout_ms, drift_ppm, answer, store, metrics (address, port)";
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

static bool load(struct raw_config **raw, const cyaml_config_t *library, const char *bytes,
                 size_t length, char message[AGENT_MESSAGE]) {
  struct complaint *complaint = library->log_ctx;
  cyaml_err_t error =
      cyaml_load_data((const uint8_t *)bytes, length, library, &schema, (cyaml_data_t **)raw, NULL);
  correct_place(complaint, error, bytes, length);
  if (error == CYAML_OK && *raw == NULL)
    snprintf(message, AGENT_MESSAGE,
             "the file is empty; give at least node and peers, as examples/agent/agent.yaml does");
  else if (error != CYAML_OK || complaint->text[0] != '\0')
    snprintf(message, AGENT_MESSAGE, "%.190s%s%s; %s",
             complaint->text[0] != '\0' ? complaint->text : cyaml_strerror(error),
             complaint->place[0] != '\0' ? ", " : "", complaint->place,
             remedy_of(error, complaint));
  else
    return true;
  return false;
}

void agent_config_name_file(char message[AGENT_MESSAGE], const char *path) {
  char said[AGENT_MESSAGE];
  snprintf(said, sizeof said, "%s", message);
  snprintf(message, AGENT_MESSAGE, "%.120s: %.380s", path, said);
}

int agent_config_parse(struct agent_config *config, const char *path, const char *bytes,
                       size_t length, char message[AGENT_MESSAGE]) {
  struct complaint complaint = {.text = ""};
  cyaml_config_t library = {.log_fn = take_complaint,
                            .log_ctx = &complaint,
                            .mem_fn = cyaml_mem,
                            .log_level = CYAML_LOG_WARNING,
                            .flags = CYAML_CFG_NO_ALIAS};
  struct raw_config *raw = NULL;
  bool good = load(&raw, &library, bytes, length, message);
  struct agent_config *read = good ? calloc(1, sizeof *read) : NULL;
  if (good && read == NULL)
    snprintf(message, AGENT_MESSAGE, "there is no memory left");
  if (read != NULL && config_check(read, raw, message))
    *config = *read;
  else
    good = false;
  free(read);
  if (raw != NULL)
    cyaml_free(&library, &schema, raw, 0);
  if (!good)
    agent_config_name_file(message, path);
  return good ? 0 : EBADMSG;
}

/* 0 and all bytes of the file, which the caller frees, or an errno value. */
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

int agent_config_read(struct agent_config *config, const char *path, char message[AGENT_MESSAGE]) {
  char *bytes = NULL;
  size_t length = 0;
  FILE *file = fopen(path, "rbe");
  int error = file != NULL ? read_all(&bytes, &length, file) : errno;
  if (file != NULL)
    fclose(file);
  if (error != 0)
    snprintf(message, AGENT_MESSAGE, "%.300s: cannot be read: %s; name a configuration file", path,
             strerror(error));
  else
    error = agent_config_parse(config, path, bytes, length, message);
  free(bytes);
  return error;
}
