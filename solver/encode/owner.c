/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Families that belong to a family: the node's owner, and how many nodes there are (encode.h).
 */
#include "base/text.h"
#include "solver/encode/encode.h"

/* "prefix.ROLE", a function of `count` arguments. */
static smt_function named(struct encoder *e, const char *prefix, const struct role *role,
                          const smt_sort *domain, size_t count, smt_sort range) {
  struct text name;
  text_init(&name);
  text_format(&name, "%s.%s", prefix, role->name);
  smt_function function = smt_declare(e->smt, name.data, domain, count, range);
  text_clear(&name);
  return function;
}

/* With as many as one for each, there are at least as many as one node has, and as the owners. */
static smt_term unknown_size(struct encoder *e, const struct role *role) {
  struct smt *smt = e->smt;
  smt_function function = named(e, "size", role, NULL, 0, smt_sort_int(smt));
  smt_term size = smt_apply(smt, function, NULL, 0), one = smt_int(smt, 1);
  if (!encoder_is_new(e, size))
    return size;
  smt_term each = encode(e, role->each, NULL), owners = encode_role_size(e, role->owner);
  smt_term some = smt_and2(smt, smt_le(smt, one, each), smt_le(smt, one, owners));
  smt_term least = smt_and2(smt, smt_le(smt, each, size), smt_le(smt, owners, size));
  encoder_assume(e, FACT_OWNED_SIZE, smt_implies(smt, some, least));
  return size;
}

smt_term encode_role_size(struct encoder *e, const struct role *role) {
  if (role->count == NULL)
    return smt_int(e->smt, 1);
  if (role->owner == NULL || e->scope != NULL)
    return encode(e, role->count, NULL);
  if (role->each == NULL)
    return encode_role_size(e, role->owner);
  if (role->each->kind == TERM_INT)
    return smt_mul(e->smt, encode(e, role->each, NULL), encode_role_size(e, role->owner));
  return unknown_size(e, role);
}

smt_term encode_owner(struct encoder *e, const struct role *role, smt_term node) {
  struct smt *smt = e->smt;
  struct type type = {.kind = TYPE_NODE, .role = role};
  struct type of = {.kind = TYPE_NODE, .role = role->owner};
  if (role->each == NULL)
    return node;
  if (e->scope != NULL) {
    smt_term each = encode(e, role->each, NULL);
    int64_t number;
    bool told = smt_is_numeral(smt, each, &number) && number >= 1;
    return told ? smt_div(smt, node, each) : node;
  }
  smt_sort domain = encode_sort(e, &type);
  smt_function function = named(e, "owner", role, &domain, 1, encode_sort(e, &of));
  if (encoder_is_new(e, function)) {
    smt_term x = smt_fresh(smt, "x", domain), owner = smt_apply(smt, function, &x, 1);
    smt_term fact = smt_implies(smt, encode_is_node(e, &type, x), encode_is_node(e, &of, owner));
    if (!smt_is_true(smt, fact))
      encoder_assume(e, FACT_OWNER_NODE, smt_forall(smt, &x, 1, fact, &owner, 1));
  }
  return smt_apply(smt, function, &node, 1);
}

smt_term encode_of_role(struct encoder *e, const struct role *from, const struct role *to,
                        smt_term node) {
  return from->owner == to ? encode_owner(e, from, node) : node;
}
