/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Greatest times that the user states of components (--cap).
 */
#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "cli/question/law/laws.h"
#include "cli/question/setting.h"

/* "d" caps d and d.Ack. */
static bool is_name_of(const char *name, const struct law_entry *entry) {
  size_t length = strlen(name);
  return strncmp(entry->name, name, length) == 0 &&
         (entry->name[length] == '\0' || entry->name[length] == '.');
}

static enum status check_cap(const struct law_entry *entry, const char *value,
                             struct text *message) {
  int64_t cap = 0;
  if (entry->compose != NULL || !rational_floor(&cap, &entry->cap_ns))
    return STATUS_OK;
  uint64_t above = entry->sample.beyond;
  for (size_t i = 0; i < entry->sample.count; i++)
    if (entry->sample.bins[i].lower_ns > (uint64_t)cap)
      above += entry->sample.bins[i].count;
  if (above == 0)
    return STATUS_OK;
  text_format(message,
              "--cap %s=%s: %s has observations above it (%" PRIu64 "); give a cap that holds, or "
              "none",
              entry->name, value, entry->path, above);
  return STATUS_DATA;
}

enum status laws_read_cap(struct laws *laws, const struct setting *cap, struct ledger *ledger,
                          struct text *message) {
  const char *colon = strchr(cap->value, ':');
  char *time = mem_copy_text(cap->value, colon == NULL ? 0 : (size_t)(colon - cap->value));
  struct rational ns;
  rational_init(&ns);
  enum status status = STATUS_OK;
  if (colon == NULL || colon[1] == '\0' || !duration_parse(&ns, time) || rational_sign(&ns) <= 0) {
    text_format(message,
                "--cap %s=%s: give a time with its unit and why nothing exceeds it, such as "
                "%s=20ms:\"the caller gives up then\"",
                cap->name, cap->value, cap->name);
    status = STATUS_USAGE;
  }
  size_t used = 0;
  for (size_t i = 0; i < laws->entries.count && status == STATUS_OK; i++) {
    struct law_entry *entry = laws->entries.data[i];
    if (!is_name_of(cap->name, entry))
      continue;
    entry->has_cap = true;
    rational_set(&entry->cap_ns, &ns);
    status = check_cap(entry, time, message);
    used++;
    ledger_note(ledger, LEDGER_DATA, "no latency of %s exceeds %s: %s (given with --cap)",
                entry->name, time, colon + 1);
  }
  if (status == STATUS_OK && used == 0) {
    text_format(message, "--cap %s=%s: no component of the bound is called so", cap->name,
                cap->value);
    status = STATUS_USAGE;
  }
  mem_free(time);
  rational_clear(&ns);
  return status;
}
