/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/instantiate.h"

#include <inttypes.h>

#include "lang/alike.h"
#include "lang/print.h"
#include "lang/term_time.h"

struct instantiation {
  struct expression_table *table;
  const struct model *model;
  const int64_t *params;
  const struct rational *const *times; /* by component id, or NULL */
  int64_t *variables;
  size_t nodes, nodes_max;
  struct text *message;
  bool failed;
  enum status refusal; /* what a failure means: STATUS_USAGE when it is about what was given */
};

static const struct expression *expand(struct instantiation *x, const struct term *term);

static void fail(struct instantiation *x, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void fail(struct instantiation *x, const char *format, ...) {
  if (x->failed)
    return;
  x->failed = true;
  va_list arguments;
  va_start(arguments, format);
  text_format_list(x->message, format, arguments);
  va_end(arguments);
}

static const struct expression *constant(struct instantiation *x, int64_t n) {
  struct rational value;
  rational_init(&value);
  rational_set_integer(&value, n);
  const struct expression *made = expression_constant(x->table, &value);
  rational_clear(&value);
  return made;
}

static bool is_counted(struct instantiation *x) {
  if (++x->nodes > x->nodes_max)
    fail(x, "the bound has more than %zu terms at these parameters; choose smaller ones",
         x->nodes_max);
  return !x->failed;
}

static int64_t integer(struct instantiation *x, const struct term *term) {
  int64_t result = 0;
  if (!term_integer(&result, x->model, term, x->params, x->variables))
    fail(x, "an index or factor of the bound is too large at these parameters");
  return result;
}

static const struct expression *occurrence(struct instantiation *x, const struct term *term) {
  int64_t *indices = mem_alloc(term->count, sizeof *indices);
  for (size_t i = 0; i < term->count; i++)
    indices[i] = integer(x, term->args[i]);
  const char *message = term->message == NULL ? NULL : term->message->name;
  const struct expression *made =
      expression_term(x->table, expression_occurrence(x->table, term->component->name, message,
                                                      indices, term->count));
  mem_free(indices);
  return made;
}

static const struct expression *scaled(struct instantiation *x, const struct term *term) {
  int64_t factor = integer(x, term->args[0]);
  if (factor < 0)
    fail(x, "a time is multiplied by %" PRId64 " at these parameters", factor);
  const struct expression *part = expand(x, term->args[1]);
  if (x->failed)
    return NULL;
  struct rational value;
  rational_init(&value);
  rational_set_integer(&value, factor);
  const struct expression *made = expression_scale(x->table, &value, part);
  rational_clear(&value);
  return made;
}

struct parts {
  VECTOR(const struct expression *) items;
};

/* Empty sums add nothing to a sum. */
static void drop_zeros(struct parts *parts) {
  size_t kept = 0;
  for (size_t i = 0; i < parts->items.count; i++) {
    const struct expression *part = parts->items.data[i];
    if (part->kind != EXPRESSION_CONSTANT || rational_sign(&part->value) != 0)
      parts->items.data[kept++] = part;
  }
  parts->items.count = kept;
}

/* Consumes the parts. A maximum, minimum or sum of nothing is 0; a rank is one of the parts'. */
static const struct expression *combined(struct instantiation *x, enum expression_kind kind,
                                         struct parts *parts, int64_t rank) {
  const struct expression *made = NULL;
  if (!x->failed && kind == EXPRESSION_ADD)
    drop_zeros(parts);
  if (!x->failed && parts->items.count == 0)
    made = constant(x, 0);
  else if (!x->failed)
    made = expression_combine(x->table, kind, parts->items.data, parts->items.count, rank);
  vector_clear(&parts->items);
  return made;
}

static const struct expression *combine(struct instantiation *x, const struct term *term,
                                        enum expression_kind kind) {
  struct parts parts = {0};
  for (size_t i = 0; i < term->count && !x->failed; i++)
    vector_push(&parts.items, expand(x, term->args[i]));
  return combined(x, kind, &parts, 0);
}

/* left - right, as left + (-1)*right. */
static const struct expression *difference(struct instantiation *x, const struct term *term) {
  struct parts parts = {0};
  vector_push(&parts.items, expand(x, term->args[0]));
  const struct expression *taken = expand(x, term->args[1]);
  if (!x->failed) {
    struct rational minus_one;
    rational_init(&minus_one);
    rational_set_integer(&minus_one, -1);
    vector_push(&parts.items, expression_scale(x->table, &minus_one, taken));
    rational_clear(&minus_one);
  }
  return combined(x, EXPRESSION_ADD, &parts, 0);
}

static int64_t size_of(struct instantiation *x, const struct role *role) {
  int64_t size = 0;
  if (!role_size(&size, x->model, role, x->params))
    fail(x, "role \"%s\" has no valid number of nodes at these parameters", role->name);
  return size;
}

static bool is_member(struct instantiation *x, const struct variable *v) {
  if (v->domain != DOMAIN_SET)
    return true;
  struct term node = {.kind = TERM_VARIABLE, .type = v->type, .variable = v};
  const struct term *args[] = {&node, v->set};
  struct term in = {.kind = TERM_IN, .type = {.kind = TYPE_BOOL}, .count = 2, .args = args};
  return integer(x, &in) != 0;
}

/* The last value of a type, counted from 0. Of the integers of a request any will do: bound_unlike
 * has seen to it that they are alike. */
static int64_t largest_of(struct instantiation *x, const struct type *type) {
  switch (type->kind) {
  case TYPE_NODE:
    return size_of(x, type->role) - 1;
  case TYPE_ENUM:
    return (int64_t)type->enumeration->count - 1;
  case TYPE_BOOL:
    return 1;
  default:
    return 0;
  }
}

/* Adds the body once for every value of the variables from `binder` on. */
static void expand_over(struct instantiation *x, struct parts *parts,
                        const struct variable *const *variables, size_t count,
                        const struct term *body) {
  if (count == 0) {
    if (is_counted(x))
      vector_push(&parts->items, expand(x, body));
    return;
  }
  const struct variable *v = variables[0];
  bool range = v->domain == DOMAIN_RANGE;
  int64_t low = range ? integer(x, v->low) : 0;
  int64_t high = range ? integer(x, v->high) : largest_of(x, &v->type);
  for (int64_t i = low; i <= high && is_counted(x); i++) {
    x->variables[v->id] = i;
    if (is_member(x, v))
      expand_over(x, parts, variables + 1, count - 1, body);
    if (i == INT64_MAX)
      break;
  }
}

static const struct expression *over(struct instantiation *x, const struct term *term,
                                     enum expression_kind kind) {
  struct parts parts = {0};
  expand_over(x, &parts, term->variables, term->variable_count, term->args[0]);
  return combined(x, kind, &parts, 0);
}

static const struct expression *kth(struct instantiation *x, const struct term *term) {
  struct parts parts = {0};
  int64_t rank = integer(x, term->args[1]);
  expand_over(x, &parts, term->variables, term->variable_count, term->args[0]);
  if (!x->failed && (rank < 1 || (uint64_t)rank > parts.items.count)) {
    struct text whole;
    text_init(&whole);
    print_term(&whole, x->model, term);
    fail(x, "%s: the rank is %" PRId64 ", but there are %zu members at these parameters",
         text_get(&whole), rank, parts.items.count);
    text_clear(&whole);
  }
  return combined(x, EXPRESSION_KTH, &parts, rank);
}

static const struct expression *bare(struct instantiation *x, const struct component *component) {
  const struct rational *given = NULL;
  if (x->times != NULL && component->kind == COMPONENT_CONSTANT)
    given = x->times[component->id];
  return given == NULL ? expression_bare(x->table, component->name)
                       : expression_constant(x->table, given);
}

/* Conditions of a bound are free of times. */
static const struct expression *chosen(struct instantiation *x, const struct term *term) {
  int64_t holds = integer(x, term->args[0]);
  return x->failed ? NULL : expand(x, term->args[holds != 0 ? 1 : 2]);
}

static const struct expression *expand(struct instantiation *x, const struct term *term) {
  if (!is_counted(x))
    return NULL;
  switch (term->kind) {
  case TERM_TIME:
    return expression_constant(x->table, &term->value);
  case TERM_OCCURRENCE:
  case TERM_DELAY:
    return occurrence(x, term);
  case TERM_BARE:
    return bare(x, term->component);
  case TERM_MUL:
    return scaled(x, term);
  case TERM_ADD:
    return combine(x, term, EXPRESSION_ADD);
  case TERM_SUB:
    return difference(x, term);
  case TERM_MAX:
    return combine(x, term, EXPRESSION_MAX);
  case TERM_MIN:
    return combine(x, term, EXPRESSION_MIN);
  case TERM_SUM_OVER:
    return over(x, term, EXPRESSION_ADD);
  case TERM_MAX_OVER:
    return over(x, term, EXPRESSION_MAX);
  case TERM_MIN_OVER:
    return over(x, term, EXPRESSION_MIN);
  case TERM_KTH_OVER:
    return kth(x, term);
  case TERM_ITE:
    return chosen(x, term);
  default:
    bug("a bound with a term of kind %d", (int)term->kind);
  }
}

static void need_role(bool *needed, const struct role *role);

static void need(bool *needed, const struct term *term) {
  if (term->kind == TERM_PARAM)
    needed[term->param->id] = true;
  if (term->type.kind == TYPE_NODE &&
      (term->kind == TERM_LAST || term->kind == TERM_NEXT || term->kind == TERM_PREV))
    need_role(needed, term->type.role);
  if (term->kind == TERM_OWNER)
    need_role(needed, term->args[0]->type.role);
  for (size_t i = 0; i < term->count; i++)
    need(needed, term->args[i]);
  for (size_t i = 0; i < term->variable_count; i++) {
    const struct variable *v = term->variables[i];
    if (v->domain == DOMAIN_RANGE) {
      need(needed, v->low);
      need(needed, v->high);
    } else if (v->type.kind == TYPE_NODE) {
      need_role(needed, v->type.role);
    }
    if (v->domain == DOMAIN_SET)
      need(needed, v->set);
  }
}

static void need_role(bool *needed, const struct role *role) {
  if (role->count != NULL)
    need(needed, role->count);
}

/* Names the parameters that are needed and not given. */
static bool are_given(const struct model *model, const bool *needed, const bool *given,
                      struct text *message) {
  size_t missing = 0;
  for (size_t i = 0; i < model->params.count; i++)
    missing += needed[i] && !given[i];
  if (missing == 0 || message == NULL)
    return missing == 0;
  text_append(message, missing == 1 ? "a parameter is not given:" : "parameters are not given:");
  for (size_t i = 0; i < model->params.count; i++)
    if (needed[i] && !given[i])
      text_format(message, " --set %s=...", model->params.items[i]->name);
  return false;
}

/* The values given do not meet the assumption; without any it can never be met. */
static void violated(struct instantiation *x, const struct assumption *assumption,
                     const bool *needed, bool timed) {
  struct text values;
  text_init(&values);
  for (size_t i = 0; i < x->model->params.count; i++)
    if (needed[i])
      text_format(&values, "%s%s = %" PRId64, values.length == 0 ? "" : ", ",
                  x->model->params.items[i]->name, x->params[i]);
  x->refusal = timed || values.length != 0 ? STATUS_USAGE : STATUS_DATA;
  fail(x, "the assumption \"%s\" does not hold for %s", assumption->text,
       timed                ? "these times"
       : values.length == 0 ? "any parameters"
                            : text_get(&values));
  text_clear(&values);
}

static void assume(struct instantiation *x, const struct assumption *assumption,
                   const bool *given) {
  bool *needed = mem_alloc(x->model->params.count, sizeof *needed);
  need(needed, assumption->formula);
  int64_t holds = 0;
  bool timed = term_mentions_time(assumption->formula);
  bool looked_at = are_given(x->model, needed, given, NULL) && (!timed || x->times != NULL);
  bool known = looked_at && term_integer_given(&holds, x->model, assumption->formula, x->params,
                                               x->variables, x->times);
  looked_at &= known || !timed; /* unknown, it depends on times that are not given */
  if (looked_at && !known) {
    fail(x, "the assumption \"%s\" cannot be computed at these parameters", assumption->text);
  } else if (looked_at && holds == 0) {
    violated(x, assumption, needed, timed);
  }
  mem_free(needed);
}

static void assume_all(struct instantiation *x, const bool *given) {
  x->refusal = STATUS_DATA;
  for (size_t i = 0; i < x->model->assumptions.count && !x->failed; i++)
    assume(x, x->model->assumptions.items[i], given);
}

static bool mentions(const struct term *term, const struct variable *variable) {
  bool found = term->kind == TERM_VARIABLE && term->variable == variable;
  for (size_t i = 0; i < term->count && !found; i++)
    found = mentions(term->args[i], variable);
  for (size_t i = 0; i < term->variable_count && !found; i++) {
    const struct variable *v = term->variables[i];
    found = (v->low != NULL && (mentions(v->low, variable) || mentions(v->high, variable))) ||
            (v->set != NULL && mentions(v->set, variable));
  }
  return found;
}

static bool subtracts(const struct term *term) {
  bool found = term->kind == TERM_SUB && term->type.kind == TYPE_TIME;
  for (size_t i = 0; i < term->count && !found; i++)
    found = subtracts(term->args[i]);
  return found;
}

/* The bound at every choice of those of its variables that the expression mentions. */
static void expand_for_all(struct instantiation *x, struct parts *parts,
                           const struct bound *bound) {
  const struct variable *unlike = bound_unlike(bound);
  if (unlike != NULL)
    fail(x,
         "the bound \"%s\" is not the same for every %s, so no distribution is that of a request: "
         "write what each of them is at most, or make %s a parameter (param %s : int) and give it "
         "with --set; or have percentiles evaluate it for each request of a recorded stream "
         "(--stream)",
         bound->name, unlike->name, unlike->name, unlike->name);
  if (subtracts(bound->expression))
    fail(x,
         "the bound \"%s\" subtracts times, so it has a value for each request of a recorded "
         "stream alone (percentiles --stream)",
         bound->name);
  const struct variable **used = mem_alloc(bound->variable_count, sizeof *used);
  size_t count = 0;
  for (size_t i = 0; i < bound->variable_count; i++)
    if (mentions(bound->expression, bound->variables[i]))
      used[count++] = bound->variables[i];
  expand_over(x, parts, used, count, bound->expression);
  mem_free(used);
}

static enum status instantiate(const struct expression **out, struct instantiation *x,
                               const struct bound *bound, const int64_t *nodes, const bool *given) {
  assume_all(x, given);
  for (size_t i = 0; nodes != NULL && i < bound->variable_count; i++)
    x->variables[bound->variables[i]->id] = nodes[i];
  struct parts parts = {0};
  if (!x->failed && nodes == NULL)
    expand_for_all(x, &parts, bound);
  else if (!x->failed)
    vector_push(&parts.items, expand(x, bound->expression));
  const struct expression *made = combined(x, EXPRESSION_MAX, &parts, 0);
  if (x->failed)
    return x->refusal;
  *out = made;
  return STATUS_OK;
}

enum status assumptions_meet(const struct model *model, const int64_t *params, const bool *given,
                             const struct rational *const *times, struct text *message) {
  struct instantiation x = {.model = model,
                            .params = params,
                            .times = times,
                            .message = message,
                            .nodes_max = INSTANTIATE_LIMIT};
  x.variables = mem_alloc(model->variable_count, sizeof *x.variables);
  assume_all(&x, given);
  mem_free(x.variables);
  return x.failed ? x.refusal : STATUS_OK;
}

enum status bound_instantiate_within(const struct expression **out, struct expression_table *table,
                                     const struct model *model, const struct bound *bound,
                                     const int64_t *nodes, const int64_t *params, const bool *given,
                                     const struct rational *const *times, size_t nodes_max,
                                     struct text *message) {
  if (bound->expression == NULL) {
    text_format(message,
                "the bound \"%s\" has no expression: it asks for one (within ?), which tailproof "
                "verify --infer looks for",
                bound->name);
    return STATUS_DATA;
  }
  bool *needed = mem_alloc(model->params.count, sizeof *needed);
  need(needed, bound->expression);
  for (size_t i = 0; i < bound->variable_count; i++)
    if (bound->variables[i]->type.kind == TYPE_NODE)
      need_role(needed, bound->variables[i]->type.role);
  bool complete = are_given(model, needed, given, message);
  mem_free(needed);
  if (!complete)
    return STATUS_USAGE;
  struct instantiation x = {.table = table,
                            .model = model,
                            .params = params,
                            .times = times,
                            .message = message,
                            .nodes_max = nodes_max};
  x.variables = mem_alloc(model->variable_count, sizeof *x.variables);
  enum status status = instantiate(out, &x, bound, nodes, given);
  mem_free(x.variables);
  return status;
}

enum status bound_instantiate_at(const struct expression **out, struct expression_table *table,
                                 const struct model *model, const struct bound *bound,
                                 const int64_t *nodes, const int64_t *params, const bool *given,
                                 const struct rational *const *times, struct text *message) {
  return bound_instantiate_within(out, table, model, bound, nodes, params, given, times,
                                  INSTANTIATE_LIMIT, message);
}

enum status bound_instantiate(const struct expression **out, struct expression_table *table,
                              const struct model *model, const struct bound *bound,
                              const int64_t *params, const bool *given, struct text *message) {
  return bound_instantiate_at(out, table, model, bound, NULL, params, given, NULL, message);
}
