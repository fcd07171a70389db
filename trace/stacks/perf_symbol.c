/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/perf_symbol.h"

#include <string.h>

#include "trace/stacks/frame.h"

static const char deleted[] = " (deleted)";

static bool blank(char byte) {
  return byte == ' ' || byte == '\t';
}

static bool hexadecimal(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

static bool ends_with(struct slice text, const char *end) {
  size_t length = strlen(end);
  return text.length >= length && memcmp(text.start + text.length - length, end, length) == 0;
}

/* Cuts ` (MODULE)` from the end; a file that is gone has ` (deleted)` within. */
static bool take_module(struct perf_symbol *symbol, struct slice *rest) {
  *rest = slice_trim(*rest);
  if (rest->length == 0 || rest->start[rest->length - 1] != ')')
    return false;
  struct slice within = {rest->start, rest->length - 1};
  if (ends_with(within, deleted))
    within.length -= sizeof deleted - 1;
  size_t open = within.length;
  while (open > 0 &&
         !(within.start[open - 1] == '(' && (open == 1 || blank(within.start[open - 2]))))
    open--;
  if (open == 0)
    return false;
  symbol->module = (struct slice){within.start + open, within.length - open};
  *rest = slice_trim((struct slice){rest->start, open - 1});
  return true;
}

static void cut_offset(struct slice *name) {
  size_t end = name->length;
  while (end > 0 && hexadecimal(name->start[end - 1]))
    end--;
  if (end < name->length && end >= 3 && memcmp(name->start + end - 3, "+0x", 3) == 0)
    name->length = end - 3;
}

bool perf_symbol_parse(struct perf_symbol *symbol, struct slice line) {
  struct slice rest = slice_trim(line);
  size_t end = 0;
  while (end < rest.length && !blank(rest.start[end]))
    end++;
  symbol->address = (struct slice){rest.start, end};
  rest = slice_trim((struct slice){rest.start + end, rest.length - end});
  if (end == 0 || !take_module(symbol, &rest) || (rest.length != 0 && rest.start[0] == '('))
    return false;
  cut_offset(&rest);
  symbol->left = rest.length == 0 ? (struct slice){" ", 1} : rest; /* as it is recorded */
  return true;
}

bool perf_symbol_next(struct perf_symbol *symbol, struct slice *name) {
  struct slice left = symbol->left;
  if (left.length == 0)
    return false;
  const char *arrow = stack_find(left, "->");
  size_t length = arrow == NULL ? left.length : (size_t)(arrow - left.start);
  size_t taken = arrow == NULL ? length : length + 2;
  *name = (struct slice){left.start, length};
  symbol->left = (struct slice){left.start + taken, left.length - taken};
  return true;
}

/* `net/http.(*Client).Do` keeps its brackets: they are part of the name of a method of Go. */
static bool is_go_method(struct slice name) {
  const char *open = stack_find(name, ".(");
  if (open == NULL)
    return false;
  open += 2;
  return stack_find((struct slice){open, name.length - (size_t)(open - name.start)}, ").") != NULL;
}

/* Where the arguments of a function begin. */
static size_t arguments_of(struct slice name) {
  static const char anonymous[] = "(anonymous namespace)";
  for (size_t i = 0; i < name.length; i++)
    if (name.start[i] == '(' && (name.length - i < sizeof anonymous - 1 ||
                                 memcmp(name.start + i, anonymous, sizeof anonymous - 1) != 0))
      return i;
  return name.length;
}

/* The name without arguments, unless it is wanted whole, quotes and, of Java, the L before a class. */
static void tidy(struct text *text, struct slice name, bool java, bool whole) {
  text->length = 0;
  if (!whole && !is_go_method(name))
    name.length = arguments_of(name);
  if (java && name.length != 0 && name.start[0] == 'L' &&
      memchr(name.start, '/', name.length) != NULL)
    name = (struct slice){name.start + 1, name.length - 1};
  text_append_bytes(text, name.start, name.length);
  text->length = 0;
  for (size_t i = 0; i < name.length; i++)
    if (name.start[i] != '"' && name.start[i] != '\'')
      text->data[text->length++] = name.start[i] == ';' ? ':' : name.start[i];
  text->data[text->length] = '\0';
}

static bool is_map(struct slice module) {
  static const char folder[] = "/tmp/perf-";
  const char *at = stack_find(module, folder);
  if (at == NULL)
    return false;
  const char *end = module.start + module.length;
  const char *digits = at += sizeof folder - 1;
  while (at < end && *at >= '0' && *at <= '9')
    at++;
  return at != digits && end - at >= 4 && memcmp(at, ".map", 4) == 0;
}

/* Debian's is /usr/lib/debug/boot/vmlinux-6.1.0-13-amd64. */
static bool is_kernel(struct slice module) {
  struct slice base = stack_base_name(module);
  return (module.length != 0 && module.start[0] == '[') || ends_with(module, "vmlinux") ||
         slice_starts(base, "vmlinux-");
}

static enum frame_kind kind_of(struct slice module) {
  bool kernel = is_kernel(module);
  if (kernel && stack_find(module, "unknown") == NULL)
    return FRAME_KERNEL;
  return is_map(module) ? FRAME_JIT : FRAME_USER;
}

/* A place without a symbol: what is known of it is the module, and where it is. */
static void unknown_frame(struct perf_symbol *symbol, bool addresses, struct span_names *names,
                          struct stack_frame *frame) {
  bool known = symbol->module.length != 0 && !slice_is(symbol->module, "[unknown]");
  frame->module = known ? names_number(names, symbol->module) : 0;
  if (!addresses)
    return;
  struct slice module = stack_base_name(symbol->module);
  symbol->text.length = 0;
  text_append(&symbol->text, "[");
  text_append_bytes(&symbol->text, known ? module.start : "unknown", known ? module.length : 7);
  text_append(&symbol->text, " <");
  text_append_bytes(&symbol->text, symbol->address.start, symbol->address.length);
  text_append(&symbol->text, ">]");
  frame->function =
      names_number(names, (struct slice){text_get(&symbol->text), symbol->text.length});
}

void perf_symbol_frame(struct perf_symbol *symbol, struct slice name, bool inlined, bool java,
                       bool addresses, struct span_names *names, struct stack_frame *frame) {
  *frame = (struct stack_frame){.kind = inlined ? FRAME_INLINED : kind_of(symbol->module)};
  if (slice_is(name, "[unknown]")) {
    unknown_frame(symbol, addresses, names, frame);
    return;
  }
  tidy(&symbol->text, name, java, symbol->whole);
  frame->function =
      names_number(names, (struct slice){text_get(&symbol->text), symbol->text.length});
  if (frame->kind != FRAME_JIT)
    frame->module = names_number(names, symbol->module);
}

void perf_symbol_clear(struct perf_symbol *symbol) {
  text_clear(&symbol->text);
}
