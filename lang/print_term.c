/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prints terms in lines that fit, with parentheses only where precedence needs them (printer.h).
 */
#include <string.h>

#include "lang/printer.h"

enum { CONTINUATION = 2, LEVELS = 16 };

void line_init(struct line *line) {
  memset(line, 0, sizeof *line);
}

void line_clear(struct line *line) {
  text_clear(&line->text);
  vector_clear(&line->breaks);
}

void line_truncate(struct line *line, size_t length) {
  line->text.length = length;
  line->text.data[length] = '\0';
  while (line->breaks.count != 0 && line->breaks.data[line->breaks.count - 1].position >= length)
    line->breaks.count--;
}

void line_break(struct line *line, unsigned level) {
  struct line_break here = {line->text.length, line->nesting * LEVELS + level};
  vector_push(&line->breaks, here);
  text_append(&line->text, " ");
}

size_t line_columns(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    count += ((unsigned char)text[i] & 0xC0) != 0x80;
  return count;
}

/* The best break behind `from`: of those that fit the one of the lowest level, the last of several;
 * when none fits the first one. NULL when there is none. */
static const struct line_break *best_break(const struct line *line, size_t from, size_t room) {
  const struct line_break *best = NULL;
  for (size_t i = 0; i < line->breaks.count; i++) {
    const struct line_break *b = &line->breaks.data[i];
    if (b->position <= from)
      continue;
    if (line_columns(line->text.data + from, b->position - from) > room)
      return best == NULL ? b : best;
    if (best == NULL || b->level <= best->level)
      best = b;
  }
  return best;
}

void line_flush(struct text *out, const struct line *line, size_t first) {
  const char *text = text_get(&line->text);
  size_t from = 0, length = line->text.length, indent = first;
  for (;;) {
    text_format(out, "%*s", (int)indent, "");
    const struct line_break *b = NULL;
    size_t room = indent < LINE_WIDTH / 2 ? LINE_WIDTH - indent : LINE_WIDTH / 2;
    if (line_columns(text + from, length - from) > room)
      b = best_break(line, from, room);
    size_t end = b == NULL ? length : b->position;
    text_append_bytes(out, text + from, end - from);
    text_append(out, "\n");
    if (b == NULL)
      return;
    indent = first + CONTINUATION * (1 + b->level / LEVELS);
    from = end + 1;
  }
}

enum { OPEN, IFF, IMPLIES, OR, AND, NOT, COMPARISON, SUM, PRODUCT, NEGATION, ATOM };

static int precedence(const struct syntax *term) {
  switch (term->kind) {
  case SYNTAX_FORALL:
  case SYNTAX_EXISTS:
  case SYNTAX_ITE:
    return OPEN;
  case SYNTAX_IFF:
    return IFF;
  case SYNTAX_IMPLIES:
    return IMPLIES;
  case SYNTAX_OR:
    return OR;
  case SYNTAX_AND:
    return AND;
  case SYNTAX_NOT:
    return NOT;
  case SYNTAX_EQ:
  case SYNTAX_NE:
  case SYNTAX_LT:
  case SYNTAX_LE:
  case SYNTAX_GT:
  case SYNTAX_GE:
  case SYNTAX_IN:
    return COMPARISON;
  case SYNTAX_ADD:
  case SYNTAX_SUB:
  case SYNTAX_INTERSECTION:
    return SUM;
  case SYNTAX_MUL:
  case SYNTAX_DIV:
    return PRODUCT;
  case SYNTAX_NEG:
  case SYNTAX_POWER:
    return NEGATION;
  case SYNTAX_CHARGED: /* `charged C` before "[" would take the bracket */
    return term->args.count == 0 ? NEGATION : ATOM;
  default:
    return ATOM;
  }
}

static const char *word(enum syntax_kind kind) {
  static const char *const words[] = {
      [SYNTAX_IFF] = "iff",      [SYNTAX_IMPLIES] = "implies", [SYNTAX_OR] = "or",
      [SYNTAX_AND] = "and",      [SYNTAX_EQ] = "==",           [SYNTAX_NE] = "!=",
      [SYNTAX_LT] = "<",         [SYNTAX_LE] = "<=",           [SYNTAX_GT] = ">",
      [SYNTAX_GE] = ">=",        [SYNTAX_IN] = "in",           [SYNTAX_ADD] = "+",
      [SYNTAX_SUB] = "-",        [SYNTAX_INTERSECTION] = "&",  [SYNTAX_MUL] = "*",
      [SYNTAX_DIV] = "/",        [SYNTAX_FORALL] = "forall",   [SYNTAX_EXISTS] = "exists",
      [SYNTAX_SENT] = "sent",    [SYNTAX_PENDING] = "pending", [SYNTAX_RECEIVED] = "received",
      [SYNTAX_LOST] = "lost",    [SYNTAX_MAX] = "max",         [SYNTAX_MIN] = "min",
      [SYNTAX_MAX_OVER] = "max", [SYNTAX_MIN_OVER] = "min",    [SYNTAX_SUM_OVER] = "sum",
      [SYNTAX_KTH_OVER] = "kth"};
  return words[kind];
}

/* Prints the term where an operand of precedence `least` may stand. `more`: an operator follows,
 * which a quantifier would swallow. `domain`: a "(" follows, which a name would take as a call. */
static void print(struct line *line, const struct syntax *term, int least, bool more, bool domain);

static void print_in_parentheses(struct line *line, const struct syntax *term) {
  text_append(&line->text, "(");
  line->nesting++;
  print(line, term, OPEN, false, false);
  line->nesting--;
  text_append(&line->text, ")");
}

static void print_list(struct line *line, const struct list *terms, size_t first, const char *open,
                       const char *close) {
  text_append(&line->text, open);
  line->nesting++;
  for (size_t i = first; i < terms->count; i++) {
    if (i != first) {
      text_append(&line->text, ",");
      line_break(line, 0);
    }
    print(line, terms->items[i], OPEN, false, false);
  }
  line->nesting--;
  text_append(&line->text, close);
}

void line_terms(struct line *line, const struct list *terms) {
  print_list(line, terms, 0, "(", ")");
}

void line_message(struct line *line, const struct name *name, const struct list *args) {
  text_append(&line->text, name->text);
  if (args->count != 0)
    line_terms(line, args);
}

void line_binders(struct line *line, const struct list *binders) {
  for (size_t i = 0; i < binders->count; i++) {
    const struct binder *binder = list_binder(binders, i);
    if (i != 0)
      text_append(&line->text, ", ");
    text_format(&line->text, "%s in ", binder->name.text);
    line->nesting++;
    print(line, binder->domain, SUM, true, true);
    line->nesting--;
  }
}

static void print_binary(struct line *line, const struct syntax *term, bool more, bool domain) {
  int level = precedence(term);
  bool right = term->kind == SYNTAX_IMPLIES, chain = level != COMPARISON && !right;
  print(line, syntax_arg(term, 0), chain ? level : level + 1, true, domain);
  if (level == PRODUCT) {
    text_append(&line->text, word(term->kind));
  } else if (level <= IMPLIES) {
    text_format(&line->text, " %s", word(term->kind));
    line_break(line, (unsigned)level);
  } else {
    if (level == COMPARISON)
      text_append(&line->text, " ");
    else
      line_break(line, (unsigned)level);
    text_format(&line->text, "%s ", word(term->kind));
  }
  print(line, syntax_arg(term, 1), right ? level : level + 1, more, domain);
}

static void print_binding(struct line *line, const struct syntax *term) {
  text_format(&line->text, "%s ", word(term->kind));
  line_binders(line, &term->binders);
  if (term->kind == SYNTAX_FORALL || term->kind == SYNTAX_EXISTS) {
    text_append(&line->text, ".");
    line_break(line, LEVELS - 1);
    print(line, syntax_arg(term, 0), OPEN, false, false);
  } else {
    text_append(&line->text, " ");
    print_in_parentheses(line, syntax_arg(term, 0));
  }
}

/* kth(RANK, x in D (BODY)) */
static void print_kth(struct line *line, const struct syntax *term) {
  text_append(&line->text, "kth(");
  line->nesting++;
  print(line, syntax_arg(term, 1), OPEN, false, false);
  text_append(&line->text, ",");
  line_break(line, 0);
  line_binders(line, &term->binders);
  text_append(&line->text, " ");
  print_in_parentheses(line, syntax_arg(term, 0));
  line->nesting--;
  text_append(&line->text, ")");
}

static void print_choice(struct line *line, const struct syntax *term) {
  static const char *const words[] = {"if ", "then ", "else "};
  for (size_t i = 0; i < 3; i++) {
    if (i != 0)
      line_break(line, OPEN);
    text_append(&line->text, words[i]);
    print(line, syntax_arg(term, i), OPEN, false, false);
  }
}

/* Terms without terms in them, and mentions of messages; false for others. */
static bool print_leaf(struct line *line, const struct syntax *term) {
  struct text *out = &line->text;
  switch (term->kind) {
  case SYNTAX_TRUE:
    text_append(out, "true");
    return true;
  case SYNTAX_FALSE:
    text_append(out, "false");
    return true;
  case SYNTAX_ALL_INTEGERS:
    text_append(out, "int");
    return true;
  case SYNTAX_INTEGER:
  case SYNTAX_TIME:
  case SYNTAX_NAME:
    text_append(out, term->name.text);
    return true;
  case SYNTAX_CALL:
    line_message(line, &term->name, &term->args);
    return true;
  case SYNTAX_SENT:
  case SYNTAX_PENDING:
  case SYNTAX_RECEIVED:
  case SYNTAX_LOST:
    text_format(out, "%s ", word(term->kind));
    line_message(line, &term->name, &term->args);
    return true;
  case SYNTAX_CHARGED:
    text_format(out, "charged %s", term->name.text);
    if (term->args.count != 0)
      print_list(line, &term->args, 0, "[", "]");
    return true;
  case SYNTAX_ERROR:
    text_append(out, "?");
    return true;
  default:
    return false;
  }
}

static void print_cardinality(struct line *line, const struct syntax *term) {
  text_append(&line->text, "|");
  line->nesting++;
  print(line, syntax_arg(term, 0), OPEN, false, false);
  line->nesting--;
  text_append(&line->text, "|");
}

/* FAMILY before NODE: the grammar's `end_node`, of which `first` and `last` are no calls. */
static void print_before(struct line *line, const struct syntax *term) {
  const struct syntax *node = syntax_arg(term, 1);
  print(line, syntax_arg(term, 0), SUM, true, true);
  text_append(&line->text, " before ");
  bool told = node->kind == SYNTAX_CALL &&
              (strcmp(node->name.text, "next") == 0 || strcmp(node->name.text, "prev") == 0);
  if (node->kind == SYNTAX_NAME || told)
    print(line, node, ATOM, true, false);
  else
    print_in_parentheses(line, node);
}

static void print_power(struct line *line, const struct syntax *term, bool more, bool domain) {
  print(line, syntax_arg(term, 0), ATOM, true, domain);
  text_append(&line->text, "^");
  print(line, syntax_arg(term, 1), ATOM, more, domain);
}

static void print_bare(struct line *line, const struct syntax *term, bool more, bool domain) {
  struct text *out = &line->text;
  if (print_leaf(line, term))
    return;
  switch (term->kind) {
  case SYNTAX_INDEX:
    print(line, syntax_arg(term, 0), ATOM, true, domain);
    print_list(line, &term->args, 1, "[", "]");
    return;
  case SYNTAX_FIELD:
    print(line, syntax_arg(term, 0), ATOM, true, domain);
    text_format(out, ".%s", term->name.text);
    return;
  case SYNTAX_SET:
    print_list(line, &term->args, 0, "{", "}");
    return;
  case SYNTAX_MAX:
  case SYNTAX_MIN:
    print_list(line, &term->args, 0, term->kind == SYNTAX_MAX ? "max(" : "min(", ")");
    return;
  case SYNTAX_NOT:
    text_append(out, "not ");
    print(line, syntax_arg(term, 0), NOT, more, false);
    return;
  case SYNTAX_NEG:
    text_append(out, "-");
    print(line, syntax_arg(term, 0), NEGATION, more, domain);
    return;
  case SYNTAX_POWER:
    print_power(line, term, more, domain);
    return;
  case SYNTAX_BEFORE:
    print_before(line, term);
    return;
  case SYNTAX_RANGE:
    print(line, syntax_arg(term, 0), SUM, true, true);
    text_append(out, "..");
    print(line, syntax_arg(term, 1), SUM, true, true);
    return;
  case SYNTAX_ITE:
    print_choice(line, term);
    return;
  case SYNTAX_KTH_OVER:
    print_kth(line, term);
    return;
  case SYNTAX_CARDINALITY:
    print_cardinality(line, term);
    return;
  case SYNTAX_FORALL:
  case SYNTAX_EXISTS:
  case SYNTAX_MAX_OVER:
  case SYNTAX_MIN_OVER:
  case SYNTAX_SUM_OVER:
    print_binding(line, term);
    return;
  default:
    print_binary(line, term, more, domain);
  }
}

/* Can the grammar's `sum_domain` be this term without parentheses around it? */
static bool is_domain(const struct syntax *term) {
  static const char *const calls[] = {"first", "last", "next", "prev", "index", "receiver"};
  static const char *const words[] = {"first", "last",     "next", "prev",
                                      "index", "receiver", "time", "kth"};
  switch (term->kind) {
  case SYNTAX_NAME:
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (strcmp(term->name.text, words[i]) == 0)
        return false;
    return true;
  case SYNTAX_CALL:
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
      if (strcmp(term->name.text, calls[i]) == 0)
        return true;
    return false;
  case SYNTAX_INTEGER:
  case SYNTAX_FIELD:
  case SYNTAX_INDEX:
  case SYNTAX_SET:
  case SYNTAX_CARDINALITY:
  case SYNTAX_MAX:
  case SYNTAX_MIN:
  case SYNTAX_MAX_OVER:
  case SYNTAX_MIN_OVER:
  case SYNTAX_SUM_OVER:
  case SYNTAX_KTH_OVER:
  case SYNTAX_NEG:
  case SYNTAX_ADD:
  case SYNTAX_SUB:
  case SYNTAX_INTERSECTION:
  case SYNTAX_MUL:
  case SYNTAX_DIV:
  case SYNTAX_POWER:
  case SYNTAX_RANGE:
  case SYNTAX_BEFORE:
  case SYNTAX_ALL_INTEGERS:
    return true;
  default:
    return false;
  }
}

static void print(struct line *line, const struct syntax *term, int least, bool more, bool domain) {
  int level = precedence(term);
  bool close = level == OPEN ? more : level < least;
  if (close || (domain && !is_domain(term)))
    print_in_parentheses(line, term);
  else
    print_bare(line, term, more, domain);
}

void line_term(struct line *line, const struct syntax *term) {
  print(line, term, OPEN, false, false);
}

void line_place(struct line *line, const struct syntax *term) {
  bool end = term->kind == SYNTAX_NAME &&
             (strcmp(term->name.text, "first") == 0 || strcmp(term->name.text, "last") == 0);
  if (!end && (!is_domain(term) || precedence(term) < ATOM))
    print_in_parentheses(line, term);
  else
    print_bare(line, term, true, !end);
}
