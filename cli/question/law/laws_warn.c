/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Warns of measurements in an unlikely unit and of series that drift (laws.h).
 */
#include <string.h>

#include "base/asker.h"
#include "cli/question/law/laws.h"
#include "cli/question/law/request.h"
#include "dist/statistics/exchange.h"
#include "dist/statistics/plausible.h"

static struct plausible_file file_of(const char *path, const struct sample *sample) {
  return (struct plausible_file){.path = path, .sample = sample, .unit = sample->evidence.unit};
}

void laws_warn(const struct laws *laws, const struct sample *observed, struct ledger *ledger) {
  VECTOR(struct plausible_file) files = {0};
  struct source_notes warnings;
  source_notes_init(&warnings);
  bool in_order = rational_sign(&laws->request->confidence) > 0; /* else nothing rests on it */
  for (size_t i = 0; i < laws->entries.count; i++) {
    const struct law_entry *entry = laws->entries.data[i];
    if (entry->compose != NULL)
      continue;
    vector_push(&files, file_of(entry->path, &entry->sample));
    if (in_order && entry->table == TABLE_NONE) /* of a table the values of its rows matter */
      exchange_warn(&warnings, &entry->sample, entry->path);
  }
  struct plausible_file end_to_end = {0};
  if (observed != NULL)
    end_to_end = file_of(laws->request->observed, observed);
  plausible_warn(&warnings, files.data, files.count, observed == NULL ? NULL : &end_to_end);
  for (size_t i = 0; i < warnings.count; i++)
    ledger_warn(ledger, LEDGER_DATA, "%s", warnings.lines[i]);
  source_notes_clear(&warnings);
  vector_clear(&files);
}
