/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/probes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/outside/socket_site.h"

struct probes_reader {
  struct outside_probes *probes;
  char *message;
  size_t size;
};

static const char *const keys[] = {[SITE_UPROBE] = "uprobe",
                                   [SITE_URETPROBE] = "uretprobe",
                                   [SITE_USDT] = "usdt",
                                   [SITE_SYSCALL] = "syscall",
                                   [SITE_SYSCALL_EXIT] = "syscall.exit",
                                   [SITE_TRACEPOINT] = "tracepoint",
                                   [SITE_SOCKET_SEND] = "socket.send",
                                   [SITE_SOCKET_RECEIVE] = "socket.receive"};
static const char forms[] =
    "a probe has one of uprobe, uretprobe, usdt, syscall, syscall.exit, "
    "tracepoint, socket.send, socket.receive; and perhaps abi, returns, children and read";

#define COMPLAIN(...) tree_complain(reader->message, reader->size, __VA_ARGS__)

/* Letters, digits and _ . - : as in flush.begin. */
static bool is_name(const char *name) {
  size_t length = strlen(name);
  for (const char *at = name; *at != '\0'; at++)
    if (!isalnum((unsigned char)*at) && strchr("_.-:", *at) == NULL)
      return false;
  return length > 0 && length <= OUTSIDE_NAME && !isdigit((unsigned char)name[0]);
}

/* --- where --- */

static bool read_build_id(struct probes_reader *reader, struct outside_site *site,
                          const struct tree_node *node, char *text) {
  char *found = strstr(text, " build-id=");
  if (found == NULL)
    return true;
  const char *id = found + strlen(" build-id=");
  size_t length = strlen(id);
  if (length == 0 || length >= SITE_BUILD_ID || strspn(id, "0123456789abcdef") != length)
    return COMPLAIN(node,
                    "build-id=%.50s: give the lower-case hexadecimal digits that "
                    "`file PROGRAM` shows",
                    id);
  memcpy(site->build_id, id, length + 1);
  *found = '\0';
  return true;
}

/* "+0x1234" or "+12" at the end of the text, which is cut off there. */
static bool take_offset(uint64_t *offset, char *text) {
  char *plus = strrchr(text, '+'), *end;
  if (plus == NULL || !isdigit((unsigned char)plus[1]))
    return false;
  *offset = strtoull(plus + 1, &end, 0);
  if (*end != '\0')
    return false;
  *plus = '\0';
  return true;
}

/* PATH:SYMBOL, PATH:SYMBOL+OFFSET or PATH+OFFSET build-id=ID. */
static bool read_function(struct probes_reader *reader, struct outside_site *site,
                          const struct tree_node *node, char *text) {
  if (!read_build_id(reader, site, node, text))
    return false;
  bool has_offset = take_offset(&site->offset, text);
  char *colon = strchr(text, ':');
  if (text[0] != '/' || (colon == NULL && !has_offset) || (colon != NULL && colon[1] == '\0'))
    return COMPLAIN(node, "write %s: \"/PATH:SYMBOL\" or \"/PATH+0xOFFSET build-id=ID\"",
                    keys[site->kind]);
  if (colon == NULL && site->build_id[0] == '\0')
    return COMPLAIN(node, "an offset is of one build alone: add build-id=ID, as `file PROGRAM` "
                          "shows it");
  if (site->kind == SITE_URETPROBE && has_offset && colon != NULL)
    return COMPLAIN(node, "a uretprobe is of a whole function: leave out the offset");
  if (colon != NULL) {
    *colon = '\0';
    site->symbol = mem_copy_text(colon + 1, strlen(colon + 1));
  }
  site->path = mem_copy_text(text, strlen(text));
  return true;
}

/* Two or three parts, divided by colons; false where there are not so many. */
static bool split(char **parts, unsigned count, char *text) {
  for (unsigned i = 0; i < count; i++) {
    char *colon = i + 1 < count ? strchr(text, ':') : NULL;
    if ((i + 1 < count && colon == NULL) || *text == '\0' || colon == text)
      return false;
    if (colon != NULL)
      *colon = '\0';
    parts[i] = text;
    text = colon == NULL ? text : colon + 1;
  }
  return true;
}

static bool is_word(const char *text) {
  for (const char *at = text; *at != '\0'; at++)
    if (!isalnum((unsigned char)*at) && *at != '_')
      return false;
  return *text != '\0' && strlen(text) <= OUTSIDE_NAME;
}

static bool read_place(struct probes_reader *reader, struct outside_site *site,
                       const struct tree_node *node, char *text) {
  char *part[3];
  switch (site->kind) {
  case SITE_UPROBE:
  case SITE_URETPROBE:
    return read_function(reader, site, node, text);
  case SITE_USDT:
    if (text[0] != '/' || !split(part, 3, text))
      return COMPLAIN(node, "write usdt: \"/PATH:PROVIDER:NAME\"");
    site->path = mem_copy_text(part[0], strlen(part[0]));
    site->group = mem_copy_text(part[1], strlen(part[1]));
    site->name = mem_copy_text(part[2], strlen(part[2]));
    return true;
  case SITE_TRACEPOINT:
    if (!split(part, 2, text) || !is_word(part[0]) || !is_word(part[1]))
      return COMPLAIN(node, "write tracepoint: \"GROUP:NAME\", as in sched:sched_switch");
    site->group = mem_copy_text(part[0], strlen(part[0]));
    site->name = mem_copy_text(part[1], strlen(part[1]));
    return true;
  case SITE_SOCKET_SEND:
  case SITE_SOCKET_RECEIVE:
    return socket_site_read(site, text) ||
           COMPLAIN(
               node,
               "write the port of one end, from 1 to 65535 (%s: 2379), or tcp, udp 53, udp, unix, "
               "unix /PATH",
               keys[site->kind]);
  case SITE_SYSCALL:
  case SITE_SYSCALL_EXIT:
    if (!is_word(text))
      return COMPLAIN(node, "write the name of one system call, as in fdatasync");
    site->name = mem_copy_text(text, strlen(text));
    return true;
  }
  return false;
}

/* --- what is read --- */

/* What is wrong with a value at such a place, or with where a text starts; NULL: nothing. */
static const char *mistake_of(const struct outside_site *site, const struct read_value *value,
                              bool starts) {
  bool enters = site->kind == SITE_UPROBE || site->kind == SITE_USDT || site->kind == SITE_SYSCALL;
  bool leaves = site->kind == SITE_URETPROBE || site->kind == SITE_SYSCALL_EXIT;
  bool system = site->kind == SITE_SYSCALL;
  if (site->kind >= SITE_SOCKET_SEND)
    return socket_site_mistake(site, value, starts);
  uint64_t most = site->go ? 9 : system ? 6 : site->kind == SITE_USDT ? 12 : 32;
  switch (value->base) {
  case READ_ARGUMENT:
    if (!enters && !leaves)
      return "a tracepoint has fields by name, not arguments";
    if (leaves && (site->go || value->number > 6))
      return site->go ? "in Go arguments are gone when it returns: read them at its entry, and pair"
                      : "at its return the first six arguments can be read, as they were at its "
                        "entry";
    return value->number > most ? "no such argument there: functions have up to 32, of Go 9 words "
                                  "in registers, system calls 6"
                                : NULL;
  case READ_RESULT:
    if (!leaves)
      return "there is no result yet: read it at a uretprobe or syscall.exit";
    return value->number > (site->go ? 9 : 1) ? "only Go has several results: ret" : NULL;
  case READ_FIELD:
    return site->kind == SITE_TRACEPOINT
               ? NULL
               : "only tracepoints have fields by name; read arg1, arg2, ... or ret";
  case READ_GOROUTINE:
    return site->go ? NULL : "only programs in Go have goroutines: add abi: go";
  case READ_STACK:
    return site->kind == SITE_UPROBE ? NULL
                                     : "only where a function begins is its stack as it was called";
  case READ_NUMBER:
    return NULL;
  case READ_BEGUN:
    return leaves && !site->go ? NULL
                               : "when a call began can be read at a uretprobe (not of Go), a "
                                 "syscall.exit and of sockets";
  }
  return NULL;
}

/* What must be kept from the entry of a call. */
static void note_value(struct outside_site *site, const struct read_value *value) {
  bool leaves = site->kind == SITE_URETPROBE || site->kind == SITE_SYSCALL_EXIT;
  if (leaves && value->base == READ_ARGUMENT && value->number > site->from_entry)
    site->from_entry = (unsigned)value->number;
  site->begun |= value->base == READ_BEGUN;
  site->data |= site->kind >= SITE_SOCKET_SEND && socket_site_is_data(value);
}

static void add_field(struct outside_probe *probe, const char *name,
                      const struct read_expression *expression) {
  struct outside_field *field = &probe->field[probe->field_count];
  memcpy(field->name, name, strlen(name) + 1);
  field->kind = expression->is_text    ? OUTSIDE_TEXTS
                : expression->has_sign ? OUTSIDE_SIGNED
                                       : OUTSIDE_UNSIGNED;
  if (expression->value.base == READ_BEGUN && probe->begun == 0)
    probe->begun = probe->field_count + 1;
  probe->field_count++;
}

static bool read_field(struct probes_reader *reader, struct outside_probe *probe,
                       struct outside_site *site, const struct tree_node *node) {
  char what[300];
  uint32_t i = probe->field_count;
  if (i == OUTSIDE_FIELDS)
    return COMPLAIN(node, "a probe reads at most %d fields", OUTSIDE_FIELDS);
  if (!is_name(node->key) || strchr(node->key, ':') != NULL)
    return COMPLAIN(node, "\"%.70s\": name a field by letters, digits and _", node->key);
  if (node->kind != TREE_TEXT)
    return COMPLAIN(node, "write what is read as text, as in %s: arg1", node->key);
  struct read_expression *expression = &site->read[i];
  if (!expression_parse(expression, node->text, what, sizeof what))
    return COMPLAIN(node, "%s", what);
  const char *mistake = mistake_of(site, &expression->value, expression->is_text);
  if (mistake == NULL && expression->has_length)
    mistake = mistake_of(site, &expression->length, false);
  if (mistake != NULL)
    return COMPLAIN(node, "\"%.80s\": %s", node->text, mistake);
  note_value(site, &expression->value);
  if (expression->has_length)
    note_value(site, &expression->length);
  if (strcmp(node->key, "begun") == 0 && expression->value.base != READ_BEGUN)
    return COMPLAIN(node, "begun is when the call began: name this field otherwise");
  add_field(probe, node->key, expression);
  return true;
}

static bool read_fields(struct probes_reader *reader, struct outside_probe *probe,
                        struct outside_site *site, const struct tree_node *node) {
  unsigned text = 0;
  if (node->kind != TREE_MAPPING)
    return COMPLAIN(node, "write what is read as names and values: read: {id: arg1}");
  for (size_t i = 0; i < node->count; i++) {
    if (!read_field(reader, probe, site, node->items[i]))
      return false;
    text += site->read[i].most;
  }
  return text <= OUTSIDE_TEXT ||
         COMPLAIN(node, "texts of more than %d bytes together; shorten them", OUTSIDE_TEXT);
}

/* Of what is sent it is always read when the call began. */
static bool add_begun(struct probes_reader *reader, struct outside_probe *probe,
                      struct outside_site *site, const struct tree_node *node) {
  probe->sends = site->kind == SITE_SOCKET_SEND;
  if (!probe->sends || probe->begun != 0)
    return true;
  if (probe->field_count == OUTSIDE_FIELDS)
    return COMPLAIN(node,
                    "of what is sent it is read, too, when the call began: name at most %d "
                    "fields",
                    OUTSIDE_FIELDS - 1);
  struct read_expression *expression = &site->read[probe->field_count];
  *expression = (struct read_expression){.value = {.base = READ_BEGUN}, .width = 8};
  note_value(site, &expression->value);
  add_field(probe, "begun", expression);
  return true;
}

/* --- probes --- */

/* The one key that says where; NULL after a complaint. */
static const struct tree_node *find_site(struct probes_reader *reader, struct outside_site *site,
                                         const struct tree_node *node) {
  const struct tree_node *found = NULL;
  for (size_t i = 0; i < node->count; i++) {
    const struct tree_node *item = node->items[i];
    bool known = strcmp(item->key, "abi") == 0 || strcmp(item->key, "children") == 0 ||
                 strcmp(item->key, "read") == 0 || strcmp(item->key, "returns") == 0;
    for (size_t kind = 0; kind < sizeof keys / sizeof *keys; kind++) {
      if (strcmp(item->key, keys[kind]) != 0)
        continue;
      if (found != NULL || item->kind != TREE_TEXT) {
        COMPLAIN(item, "%.60s: %s", node->key, forms);
        return NULL;
      }
      known = true;
      found = item;
      site->kind = (enum site_kind)kind;
    }
    if (!known) {
      COMPLAIN(item, "unknown key \"%.60s\": %s", item->key, forms);
      return NULL;
    }
  }
  if (found == NULL)
    COMPLAIN(node, "%.60s: %s", node->key, forms);
  return found;
}

static bool read_abi(struct probes_reader *reader, struct outside_site *site,
                     const struct tree_node *abi) {
  if (abi == NULL)
    return true;
  bool is_function = site->kind == SITE_UPROBE || site->kind == SITE_URETPROBE;
  if (!is_function || abi->kind != TREE_TEXT || strcmp(abi->text, "go") != 0)
    return COMPLAIN(abi, "abi: go is all that can be said, of a uprobe or uretprobe; leave it out "
                         "for C, C++ and Rust");
  site->go = true;
  site->each_return = site->kind == SITE_URETPROBE;
  return true;
}

static bool read_returns(struct probes_reader *reader, struct outside_site *site,
                         const struct tree_node *returns) {
  if (returns == NULL)
    return true;
  bool is_text = site->kind == SITE_URETPROBE && returns->kind == TREE_TEXT;
  site->nested = is_text && strcmp(returns->text, "nested") == 0;
  site->each_return =
      site->go || (is_text && site->symbol != NULL && strcmp(returns->text, "each") == 0);
  return site->nested || (site->each_return && !site->go) ||
         COMPLAIN(returns, "returns: each (a probe on each return instruction, of a uretprobe by "
                           "symbol) or nested (calls return in order); leave it out elsewhere");
}

static bool read_children(struct probes_reader *reader, struct outside_site *site,
                          const struct tree_node *children) {
  if (children == NULL)
    return true;
  if (site->path == NULL || children->kind != TREE_TEXT || strcmp(children->text, "no") != 0)
    return COMPLAIN(children, "children: no is all that can be said, of a probe in a file: it is "
                              "then in the processes named by --pid alone; leave it out elsewhere");
  site->named = true;
  return true;
}

static bool read_probe(struct probes_reader *reader, struct outside_probe *probe,
                       struct outside_site *site, const struct tree_node *node) {
  if (!is_name(node->key))
    return COMPLAIN(node,
                    "\"%.70s\": name a probe by letters, digits and _ . - : with a letter "
                    "first",
                    node->key);
  if (node->kind != TREE_MAPPING)
    return COMPLAIN(node, "%.60s: %s", node->key, forms);
  memcpy(probe->name, node->key, strlen(node->key) + 1);
  site->line = node->line;
  const struct tree_node *place = find_site(reader, site, node);
  const struct tree_node *read = tree_find(node, "read");
  if (place == NULL || !read_abi(reader, site, tree_find(node, "abi")))
    return false;
  char *text = mem_copy_text(place->text, strlen(place->text));
  bool good = read_place(reader, site, place, text);
  mem_free(text);
  return good && read_children(reader, site, tree_find(node, "children")) &&
         read_returns(reader, site, tree_find(node, "returns")) &&
         (read == NULL || read_fields(reader, probe, site, read)) &&
         add_begun(reader, probe, site, node);
}

static bool read_all(struct probes_reader *reader, const struct tree_node *root) {
  const struct tree_node *list = tree_find(root, "probes");
  if (list == NULL || list->kind != TREE_MAPPING || list->count == 0)
    return COMPLAIN(list != NULL ? list : root,
                    "no probes; write probes: with a line for each, as in begin: {syscall: "
                    "fdatasync}");
  if (list->count > OUTSIDE_PROBES)
    return COMPLAIN(list, "%zu probes; at most %d can be in a file", list->count, OUTSIDE_PROBES);
  for (size_t i = 0; i < list->count; i++) {
    vector_push(&reader->probes->list, (struct outside_probe){.field_count = 0});
    vector_push(&reader->probes->sites, (struct outside_site){.kind = SITE_UPROBE});
    if (!read_probe(reader, &reader->probes->list.data[i], &reader->probes->sites.data[i],
                    list->items[i]))
      return false;
  }
  return true;
}

bool probes_read(struct outside_probes *probes, const struct tree_node *root, char *message,
                 size_t size) {
  struct probes_reader reader = {probes, message, size};
  *probes = (struct outside_probes){0};
  bool good = read_all(&reader, root);
  if (!good)
    probes_clear(probes);
  return good;
}

void probes_clear(struct outside_probes *probes) {
  for (size_t i = 0; i < probes->sites.count; i++) {
    mem_free(probes->sites.data[i].path);
    mem_free(probes->sites.data[i].symbol);
    mem_free(probes->sites.data[i].group);
    mem_free(probes->sites.data[i].name);
  }
  vector_clear(&probes->list);
  vector_clear(&probes->sites);
}
