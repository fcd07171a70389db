/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One line for each declaration: all of it, or of one with a block what comes before the block. */
#include <string.h>

#include "lang/printer.h"

static void line_types(struct line *line, const struct list *types) {
  for (size_t i = 0; i < types->count; i++)
    text_format(&line->text, "%s%s", i == 0 ? "[" : ", ",
                ((const struct type_syntax *)types->items[i])->name.text);
  if (types->count != 0)
    text_append(&line->text, "]");
}

void line_type(struct line *line, const struct type_syntax *type) {
  if (type->kind == TYPE_SYNTAX_SET)
    text_append(&line->text, "set of ");
  if (type->kind == TYPE_SYNTAX_MAP)
    text_append(&line->text, "map ");
  text_append(&line->text, type->name.text);
  if (type->kind == TYPE_SYNTAX_MAP) {
    text_append(&line->text, " to ");
    line_type(line, type->element);
  }
}

/* NAME(x: TYPE, ...) */
static void line_typed(struct line *line, const struct declaration *d) {
  text_append(&line->text, d->name.text);
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *item = d->items.items[i];
    text_format(&line->text, "%s%s: ", i == 0 ? "(" : ", ", item->name.text);
    line_type(line, item->type);
  }
  if (d->items.count != 0)
    text_append(&line->text, ")");
}

static void line_let(struct line *line, const struct declaration *d) {
  text_append(&line->text, "let ");
  line_typed(line, d);
  text_append(&line->text, " =");
  line_break(line, 0);
  line_term(line, d->formula);
}

/* What a message declaration says behind its names. */
static void line_channel(struct line *line, const struct declaration *d) {
  struct text *out = &line->text;
  text_append(out, " : ");
  const struct side_syntax *sides[] = {&d->sender, &d->receiver};
  for (size_t i = 0; i < 2; i++)
    text_format(out, "%s%s%s%s", i == 0 ? "" : " -> ", sides[i]->role.text,
                sides[i]->field.text == NULL ? "" : " ",
                sides[i]->field.text == NULL ? "" : sides[i]->field.text);
  if (d->over.text != NULL)
    text_format(out, " over %s", d->over.text);
  if (d->fifo)
    text_append(out, " fifo");
  if (d->formula != NULL) {
    text_append(out, " loses ");
    line_term(line, d->formula);
  }
  if (d->burst != NULL) {
    text_append(out, " paced every ");
    line_term(line, d->expression);
    text_append(out, " burst ");
    line_term(line, d->burst);
  }
  if (d->priority.text != NULL)
    text_format(out, " priority %s", d->priority.text);
}

/* TARGET within EXPRESSION */
static void line_claim(struct line *line, const struct declaration *d) {
  if (d->target == TARGET_WHEN) {
    text_append(&line->text, "when ");
    line->nesting++;
    line_term(line, d->formula);
    line->nesting--;
    text_append(&line->text, " at ");
    line_place(line, d->at);
  } else {
    text_append(&line->text, d->target == TARGET_SENT ? "sent " : "delivered ");
    line_message(line, &d->message, &d->args);
  }
  text_append(&line->text, " within");
  line_break(line, 0);
  if (d->expression == NULL)
    text_append(&line->text, "?");
  else
    line_term(line, d->expression);
  if (!d->by_phases)
    return;
  line_break(line, 0);
  text_append(&line->text, "by phases");
}

static void line_bound(struct line *line, const struct declaration *d) {
  text_format(&line->text, "bound %s", d->name.text);
  line_for_all(line, &d->binders);
  text_append(&line->text, ": ");
  if (d->from.text != NULL) {
    text_append(&line->text, "from sent ");
    line_message(line, &d->from, &d->from_args);
    line_break(line, 1);
  }
  line_claim(line, d);
}

/* NAME, NAME[COUNT], NAME[OWNER, EACH] */
static void line_sized(struct line *line, const struct declaration *d) {
  text_append(&line->text, d->name.text);
  if (d->formula == NULL)
    return;
  text_append(&line->text, "[");
  line_term(line, d->formula);
  if (d->expression != NULL) {
    text_append(&line->text, ", ");
    line_term(line, d->expression);
  }
  text_append(&line->text, "]");
}

/* What a parameter's declaration says behind the names. */
static void line_param(struct line *line, const struct declaration *d) {
  static const char *const words[] = {[SYNTAX_EQ] = "==", [SYNTAX_NE] = "!=", [SYNTAX_LT] = "<",
                                      [SYNTAX_LE] = "<=", [SYNTAX_GT] = ">",  [SYNTAX_GE] = ">="};
  text_format(&line->text, " : %s", d->time ? "time" : "int");
  if (d->formula == NULL)
    return;
  text_format(&line->text, " %s ", words[d->formula->kind]);
  line_term(line, syntax_arg(d->formula, 1));
}

void line_listed(struct line *line, const struct declaration *const *list, size_t count) {
  const struct declaration *first = list[0];
  text_append(&line->text, first->kind == DECLARATION_PARAM     ? "param"
                           : first->kind == DECLARATION_MESSAGE ? "message"
                           : first->external                    ? "external"
                                                                : "role");
  for (size_t i = 0; i < count; i++) {
    text_append(&line->text, i == 0 ? " " : ",");
    if (i != 0)
      line_break(line, 1);
    if (first->kind == DECLARATION_PARAM)
      text_append(&line->text, list[i]->name.text);
    else if (first->kind == DECLARATION_ROLE)
      line_sized(line, list[i]);
    else
      line_typed(line, list[i]);
  }
  if (first->kind == DECLARATION_PARAM)
    line_param(line, first);
  else if (first->kind == DECLARATION_MESSAGE)
    line_channel(line, first);
}

static void line_names(struct line *line, const struct list *names) {
  for (size_t i = 0; i < names->count; i++) {
    if (i != 0) {
      text_append(&line->text, ",");
      line_break(line, 1);
    }
    text_append(&line->text, ((const struct name *)names->items[i])->text);
  }
}

static void line_components(struct line *line, const struct list *items) {
  text_append(&line->text, "component ");
  for (size_t i = 0; i < items->count; i++) {
    const struct item_syntax *item = items->items[i];
    if (i != 0) {
      text_append(&line->text, ",");
      line_break(line, 0);
    }
    text_append(&line->text, item->name.text);
    line_types(line, &item->index);
  }
}

static void line_named(struct line *line, const char *keyword, const struct list *names) {
  text_format(&line->text, "%s ", keyword);
  line_names(line, names);
}

static void line_arrivals(struct line *line, const struct declaration *d) {
  text_format(&line->text, "arrivals %s every ", d->message.text);
  line_term(line, d->expression);
  text_append(&line->text, d->time ? " jitter " : " burst ");
  line_term(line, d->formula);
}

static void line_schedule(struct line *line, const struct declaration *d) {
  text_format(&line->text, "schedule %s = [", d->role.text);
  line->nesting++;
  line_names(line, &d->names);
  line->nesting--;
  text_append(&line->text, "]");
  if (d->timeout.text != NULL) /* on the line of the bracket: elsewhere it is a declaration */
    text_format(&line->text, " timeout %s", d->timeout.text);
}

/* `on M`, `on M(x, y)`; before `reads` a message `timer` or `timeout` needs parentheses. */
static void line_pattern(struct line *line, const struct declaration *d) {
  const char *name = d->message.text;
  bool word = d->read.text != NULL && (strcmp(name, "timer") == 0 || strcmp(name, "timeout") == 0);
  text_format(&line->text, " on %s", name);
  if (d->names.count == 0 && !word)
    return;
  text_append(&line->text, "(");
  line_names(line, &d->names);
  text_append(&line->text, ")");
}

/* A timer that started with a brace would be the block of an action on a message `timer`. */
static void line_timer(struct line *line, const struct syntax *timer) {
  text_append(&line->text, " on timer ");
  size_t start = line->text.length, breaks = line->breaks.count;
  line_term(line, timer);
  if (line->text.data[start] != '{')
    return;
  line->text.length = start;
  line->breaks.count = breaks;
  text_append(&line->text, "(");
  line_term(line, timer);
  text_append(&line->text, ")");
}

static void line_action(struct line *line, const struct declaration *d) {
  struct text *out = &line->text;
  text_format(out, "action %s%s%s.%s", d->role.text, d->node.text == NULL ? "" : " ",
              d->node.text == NULL ? "" : d->node.text, d->name.text);
  if (d->binders.count != 0) {
    text_append(out, "(");
    line_binders(line, &d->binders);
    text_append(out, ")");
  }
  if (d->slot.text != NULL)
    text_format(out, " in %s", d->slot.text);
  if (d->message.text != NULL)
    line_pattern(line, d);
  if (d->timeout.text != NULL)
    text_format(out, " on timeout %s", d->timeout.text);
  if (d->timer != NULL)
    line_timer(line, d->timer);
  if (d->any_time || d->at_once)
    text_append(out, d->any_time ? " at any time" : " at once");
  if (d->read.text != NULL)
    text_format(out, " reads %s", d->read.text);
  if (d->cost != NULL) {
    text_append(out, " cost ");
    line_term(line, d->cost);
  }
}

/* Claims and what stands in phases. */
static void line_part(struct line *line, const struct declaration *d) {
  struct text *out = &line->text;
  switch (d->kind) {
  case DECLARATION_INVARIANT:
    text_format(out, "invariant %s:", d->name.text);
    line_break(line, 3); /* behind an "implies" is better */
    line_term(line, d->formula);
    return;
  case DECLARATION_BOUND:
    line_bound(line, d);
    return;
  case DECLARATION_PHASE:
    text_format(out, "phase %s {", d->name.text);
    return;
  case DECLARATION_START:
    text_append(out, "start ");
    line_term(line, d->formula);
    return;
  default:
    text_append(out, "end ");
    line_claim(line, d);
  }
}

void line_declaration(struct line *line, const struct declaration *d) {
  struct text *out = &line->text;
  switch (d->kind) {
  case DECLARATION_TIMING:
    text_format(out, "timing %s", d->name.text);
    return;
  case DECLARATION_PARAM:
  case DECLARATION_ROLE:
  case DECLARATION_MESSAGE:
    line_listed(line, &d, 1);
    return;
  case DECLARATION_ASSUME:
    text_append(out, "assume ");
    line_term(line, d->formula);
    return;
  case DECLARATION_LET:
    line_let(line, d);
    return;
  case DECLARATION_ENUM:
    text_format(out, "enum %s { ", d->name.text);
    line_names(line, &d->names);
    text_append(out, " }");
    return;
  case DECLARATION_COMPONENT:
    line_components(line, &d->items);
    return;
  case DECLARATION_REPEATED:
    line_named(line, "repeated", &d->names);
    return;
  case DECLARATION_TIMEOUT:
    line_named(line, "timeout", &d->names);
    return;
  case DECLARATION_DELAY:
    line_named(line, "delay", &d->names);
    return;
  case DECLARATION_QUEUEING:
    text_format(out, "queueing %s", d->name.text);
    return;
  case DECLARATION_STATE:
    text_format(out, "state %s%s%s {", d->name.text, d->node.text == NULL ? "" : " ",
                d->node.text == NULL ? "" : d->node.text);
    return;
  case DECLARATION_ARRIVALS:
    line_arrivals(line, d);
    return;
  case DECLARATION_SCHEDULE:
    line_schedule(line, d);
    return;
  case DECLARATION_ACTION:
    line_action(line, d);
    return;
  default:
    line_part(line, d);
  }
}
