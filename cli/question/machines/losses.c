/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/machines/losses.h"

#include <string.h>

#include "base/number.h"

static const struct message *message_called(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->messages.count; i++)
    if (strcmp(model->messages.items[i]->name, name) == 0)
      return model->messages.items[i];
  return NULL;
}

static bool read_one(double *shares, const struct model *model, const struct setting *setting,
                     struct text *message) {
  const struct message *kind = message_called(model, setting->name);
  if (kind == NULL || kind->loss == NULL)
    text_format(message, "--lose %s: %s", setting->name,
                kind == NULL
                    ? "the protocol has no such message"
                    : "the protocol says of no such message that it may be lost (loses K)");
  else if (!number_share_real(&shares[kind->id], setting->value))
    text_format(message, "--lose %s=%s: give the share that is lost, from 0 to 1 (0.01 or 1%%)",
                setting->name, setting->value);
  return message->length == 0;
}

double *losses_read(const struct model *model, const settings *given, struct ledger *ledger,
                    struct text *message) {
  double *shares = mem_alloc(model->messages.count + 1, sizeof *shares);
  for (size_t i = 0; i < given->count; i++)
    if (!read_one(shares, model, &given->data[i], message)) {
      mem_free(shares);
      return NULL;
    }
  for (size_t i = 0; i < model->messages.count; i++) {
    const struct message *kind = model->messages.items[i];
    const char *share = kind->loss == NULL ? NULL : settings_find(given, kind->name);
    if (share != NULL)
      ledger_note(ledger, LEDGER_MODEL,
                  "of the %s that may still be lost each is so with probability %s, by itself "
                  "(given with --lose)",
                  kind->name, share);
    else if (kind->loss != NULL)
      ledger_note(ledger, LEDGER_MODEL,
                  "no %s is lost in the simulation (--lose %s=SHARE has some lost)", kind->name,
                  kind->name);
  }
  return shares;
}
