/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A form as text, shortened, for the ledger (form.h).
 */
#include "dist/evaluate/form.h"

enum { SHOWN = 3, LEVELS = 2 };

static void print_form(struct text *text, const struct form *form, int levels);

static void print_parts(struct text *text, const struct atom *atom, int levels) {
  if (levels == 0) {
    text_append(text, "...");
    return;
  }
  size_t shown = atom->part_count <= SHOWN + 1 ? atom->part_count : SHOWN;
  for (size_t i = 0; i < shown; i++) {
    text_append(text, i == 0 ? "" : ", ");
    print_form(text, atom->parts[i], levels - 1);
  }
  if (shown < atom->part_count)
    text_format(text, ", ... %zu in all", atom->part_count);
}

static void print_atom(struct text *text, const struct atom *atom, int levels) {
  if (atom->kind == ATOM_OCCURRENCE || atom->kind == ATOM_BARE) {
    text_append(text, atom->kind == ATOM_BARE ? atom->component : atom->occurrence->label);
    return;
  }
  if (atom->kind == ATOM_KTH)
    text_format(text, "kth(%zu, ", atom->rank);
  else
    text_append(text, atom->kind == ATOM_MAX ? "max(" : "min(");
  print_parts(text, atom, levels);
  text_append(text, ")");
}

static void print_form(struct text *text, const struct form *form, int levels) {
  size_t shown = form->count <= SHOWN + 1 ? form->count : SHOWN;
  struct rational one;
  rational_init(&one);
  rational_set_integer(&one, 1);
  for (size_t i = 0; i < shown; i++) {
    text_append(text, i == 0 ? "" : " + ");
    if (rational_compare(form->addends[i].coefficient, &one) != 0) {
      rational_print_short(text, form->addends[i].coefficient);
      text_append(text, "*");
    }
    print_atom(text, form->addends[i].atom, levels);
  }
  if (shown < form->count)
    text_append(text, " + ...");
  else if (form->count == 0 || rational_sign(form->constant) != 0) {
    text_append(text, form->count == 0 ? "" : " + ");
    rational_print_short(text, form->constant);
    text_append(text, " ns");
  }
  rational_clear(&one);
}

void form_print(struct text *text, const struct form *form) {
  print_form(text, form, LEVELS);
}
