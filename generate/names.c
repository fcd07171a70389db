/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate/names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "generate/library.h"
#include "generate/reserved.h"

/* Beginnings of the macros of stdint.h, limits.h and float.h, which are of capitals: other machines
 * and later headers have more of them than any list. */
static const char *const beginnings[] = {"INT",   "UINT",  "SIZE_",  "SSIZE_", "PTRDIFF_", "SIG_",
                                         "WCHAR", "WINT",  "CHAR_",  "SCHAR_", "UCHAR_",   "SHRT_",
                                         "USHRT", "LONG_", "ULONG_", "LLONG_", "ULLONG_",  "BOOL_",
                                         "FLT_",  "DBL_",  "LDBL_",  "MB_",    "TP_"};

static bool is_capitals(const char *name) {
  for (; *name != '\0'; name++)
    if (islower((unsigned char)*name))
      return false;
  return true;
}

bool name_is_taken(const char *name) {
  size_t length = strlen(name);
  if (name[0] == '_' || strncmp(name, "tp_", 3) == 0 ||
      (length > 2 && strcmp(name + length - 2, "_t") == 0))
    return true;
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
    if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0 && is_capitals(name))
      return true;
  return reserved_is_word(name);
}

/* A name that generated C will have, and of what. */
struct made_name {
  const char *name, *what, *of;
  struct source_span span;
};

struct names {
  struct plan_context *context;
  VECTOR(struct made_name) made;
};

static const char *kept(struct names *names, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *kept(struct names *names, const char *format, ...) {
  struct text text;
  text_init(&text);
  va_list arguments;
  va_start(arguments, format);
  text_format_list(&text, format, arguments);
  va_end(arguments);
  const char *copy = arena_text(names->context->arena, text_get(&text), text.length);
  text_clear(&text);
  return copy;
}

/* Whether the generated headers may have a macro of that name: their guards, and how many nodes a
 * family has. */
static bool is_macro(const struct names *names, const char *name, const char *what) {
  const char *protocol = names->context->model->name;
  size_t length = strlen(protocol);
  return strcmp(what, "family") != 0 && is_capitals(name) &&
         strncasecmp(name, protocol, length) == 0 && name[length] == '_';
}

/* outside: it is a function or a value, which cannot have the name of one of a header. */
static void add_name(struct names *names, struct source_span span, const char *what, const char *of,
                     const char *name, bool outside) {
  for (size_t i = 0; i < names->made.count; i++) {
    const struct made_name *other = &names->made.data[i];
    if (strcmp(other->name, name) == 0 &&
        (strcmp(other->what, what) != 0 || strcmp(other->of, of) != 0))
      plan_refuse(names->context, span,
                  "%s %s would be %s in C, as is %s %s; give one of them another name", what, of,
                  name, other->what, other->of);
  }
  const char *member = strstr(name, "->");
  if ((outside && reserved_is_outside(name)) || name_is_taken(name) ||
      is_macro(names, member == NULL ? name : member + 2, what))
    plan_refuse(names->context, span,
                "%s %s would be %s in C, which means something there already; give it another name",
                what, of, name);
  vector_push(&names->made, (struct made_name){name, what, of, span});
}

static void add(struct names *names, struct source_span span, const char *what, const char *of,
                const char *name) {
  add_name(names, span, what, of, name, true);
}

/* A tag, a parameter or a member of a struct, that gets a _ where it is taken: which another one
 * may have. */
static void add_renamed(struct names *names, struct source_span span, const char *what,
                        const char *of, const char *before, const char *name) {
  const char *made = kept(names, "%s%s%s", before, name, name_is_taken(name) ? "_" : "");
  add_name(names, span, what, of, made, false);
}

static void add_role(struct names *names, const struct role *role) {
  static const char *const endings[] = {"init",        "take",          "act",    "valid",
                                        "sends",       "sends_nothing", "own",    "own_valid",
                                        "sends_valid", "node",          "action", "same"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    add(names, role->span, "role", role->name, kept(names, "%s_%s", role->name, endings[i]));
  const char *protocol = names->context->model->name;
  add(names, role->span, "role", role->name, kept(names, "%s_%s_role", protocol, role->name));
  add(names, role->span, "role", role->name, kept(names, "%s_%s_wrong", protocol, role->name));
  add_renamed(names, role->span, "role", role->name, "", role->name);
  if (role->count == NULL)
    return;
  const char *made = kept(names, "%s_%s", protocol, role->name);
  char *count = arena_text(names->context->arena, made, strlen(made));
  for (char *c = count; *c != '\0'; c++)
    *c = (char)toupper((unsigned char)*c);
  add(names, role->span, "family", role->name, kept(names, "%s_COUNT", count));
}

/* The parameters of an action's function are its variables. */
static void add_parameters(struct names *names, const struct action *action) {
  const char *before = kept(names, "%s(", action->name);
  add_renamed(names, action->span, "variable", action->node->name, before, action->node->name);
  if (action->read != NULL)
    add_renamed(names, action->span, "variable", action->read->name, before, action->read->name);
  for (size_t i = 0; action->message != NULL && i < action->message->field_count; i++)
    add_renamed(names, action->span, "variable", action->fields[i]->name, before,
                action->fields[i]->name);
}

static void add_action(struct names *names, const struct action *action) {
  const char *role = action->role->name, *name = strchr(action->name, '.') + 1;
  static const char *const endings[] = {"", "_enabled", "_fits", "_step"};
  if (action->idle)
    return;
  if (name_is_taken(name))
    plan_refuse(names->context, action->span,
                "the contract of action %s cannot say %s, which means something to C or to the "
                "proof; give it "
                "another name",
                action->name, name);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    add(names, action->span, "action", action->name,
        kept(names, "%s_%s%s", role, name, endings[i]));
  add(names, action->span, "action", action->name, kept(names, "%s_did_%s", role, name));
  add_parameters(names, action);
}

static void add_message(struct names *names, const struct message *message) {
  const char *protocol = names->context->model->name;
  add(names, message->span, "message", message->name,
      kept(names, "%s_%s", protocol, message->name));
  add(names, message->span, "message", message->name, kept(names, "out->%s", message->name));
  for (size_t i = 0; i < message->field_count; i++)
    add(names, message->span, "message", message->name,
        kept(names, "out->%s_%s", message->name, message->fields[i].name));
}

static void add_all(struct names *names) {
  const struct model *model = names->context->model;
  for (size_t i = 0; i < model->enumerations.count; i++) {
    const struct enumeration *e = model->enumerations.items[i];
    add_renamed(names, e->span, "enumeration", e->name, "", e->name);
    for (size_t k = 0; k < e->count; k++)
      add(names, e->span, "a value of", e->name, kept(names, "%s_%s", e->name, e->values[k]));
  }
  for (size_t i = 0; i < model->roles.count; i++)
    add_role(names, model->roles.items[i]);
  for (size_t i = 0; i < model->actions.count; i++)
    add_action(names, model->actions.items[i]);
  for (size_t i = 0; i < model->messages.count; i++)
    add_message(names, model->messages.items[i]);
  for (size_t i = 0; i < model->states.count; i++) {
    const struct state *state = model->states.items[i];
    if (!state->hidden && !state->ghost)
      add_renamed(names, state->span, "state", state->name, kept(names, "%s->", state->role->name),
                  state->name);
  }
  for (size_t i = 0; i < model->params.count; i++)
    add_renamed(names, model->params.items[i]->span, "param", model->params.items[i]->name,
                "params->", model->params.items[i]->name);
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->kind == COMPONENT_CONSTANT)
      add_renamed(names, model->components.items[i]->span, "component",
                  model->components.items[i]->name, "params->", model->components.items[i]->name);
}

static void add_protocol(struct names *names, struct source_span span) {
  static const char *const endings[] = {"params", "kind", "message_valid"};
  const char *name = names->context->model->name;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    add(names, span, "protocol", name, kept(names, "%s_%s", name, endings[i]));
}

void names_refuse(struct plan_context *context) {
  const struct model *model = context->model;
  struct source_span begin = {0};
  if (name_is_taken(model->name) || strcmp(model->name, "hand") == 0 ||
      strncmp(model->name, "hand_", strlen("hand_")) == 0)
    plan_refuse(
        context, begin,
        "a protocol named \"%s\" has no C: the name, or how it begins, means something to C "
        "or to the proof of its folder; give the protocol another name",
        model->name);
  struct names names = {.context = context};
  add_protocol(&names, begin);
  add_all(&names);
  vector_clear(&names.made);
}

static bool ends(const char *name, const char *ending) {
  size_t length = strlen(name), tail = strlen(ending);
  return length >= tail && strcmp(name + length - tail, ending) == 0;
}

/* Why a file cannot have its name, or NULL. */
static const char *why_not(const struct generated *generated, size_t index) {
  const struct generated_file *file = &generated->files.data[index];
  for (size_t i = 0; i < index; i++)
    if (strcasecmp(generated->files.data[i].name, file->name) == 0)
      return "another role or the protocol has a file of this name";
  for (size_t i = 0; i < library_file_count; i++)
    if (strcasecmp(library_files[i].name, file->name) == 0)
      return "the library has a file of this name";
  if (!file->around && (ends(file->name, "_loop.c") || ends(file->name, "_main.c")))
    return "files of such names are the loop around the steps, which is not proved";
  return NULL;
}

void names_refuse_files(struct plan_context *context, const struct generated *generated) {
  for (size_t i = 0; i < generated->files.count; i++) {
    const struct generated_file *file = &generated->files.data[i];
    const char *why = why_not(generated, i);
    if (why != NULL)
      plan_refuse(context, file->span,
                  "the C of this would be the file %s, but %s; give it another name", file->name,
                  why);
  }
}
