/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When requests arrive: at a constant rate, as a Poisson process (the time between two is
 * exponential, so it is -log(u) / rate for u uniform), or as a table says.
 */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"
#include "cli/question/arrivals/times.h"
#include "cli/question/machines/machines.h"

static bool read_rate(double *per_second, const char *text) {
  size_t length = strlen(text);
  if (length > 2 && strcmp(text + length - 2, "/s") == 0)
    length -= 2;
  char *number = mem_copy_text(text, length);
  struct rational rate;
  rational_init(&rate);
  bool good = number_exact(&rate, number) && rational_sign(&rate) > 0;
  *per_second = good ? rational_double(&rate) : 0;
  rational_clear(&rate);
  mem_free(number);
  return good && *per_second >= 1e-6 && *per_second <= 1e9;
}

static double uniform(struct random *random) {
  return ldexp((double)(random_bits(random) >> 11) + 0.5, -53);
}

static enum status read_table(moments *times, const struct machines_question *question,
                              size_t count, struct ledger *ledger, struct text *message) {
  struct times table;
  struct times_wanted wanted = {.column = question->column, .units = &question->of.units};
  enum status status = times_read(&table, &question->arrivals, 1, &wanted, ledger, message);
  for (size_t i = 0; status == STATUS_OK && i < table.streams.count; i++)
    for (size_t j = 0; j < table.streams.data[i].ns.count && times->count < count; j++)
      vector_push(times, table.streams.data[i].ns.data[j] - table.streams.data[0].ns.data[0]);
  times_clear(&table);
  if (status == STATUS_OK && times->count == 0) {
    text_format(message, "%s: has no time of an arrival", question->arrivals);
    status = STATUS_DATA;
  }
  return status;
}

enum status process_make(moments *times, const struct machines_question *question, size_t count,
                         struct ledger *ledger, struct text *message) {
  static const char *const words[] = {"constant:", "poisson:"};
  const char *text = question->arrivals;
  for (size_t w = 0; w < 2; w++) {
    if (strncmp(text, words[w], strlen(words[w])) != 0)
      continue;
    double rate, now = 0;
    struct random random = {question->seed ^ UINT64_C(0xa5a5a5a5a5a5a5a5)};
    if (!read_rate(&rate, text + strlen(words[w]))) {
      text_format(message,
                  "--arrivals %s: give a rate from 0.000001/s to 1000000000/s, such as %s200/s",
                  text, words[w]);
      return STATUS_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
      vector_push(times, (int64_t)fmin(w == 0 ? (double)i * 1e9 / rate : now, 4e18));
      now -= log(uniform(&random)) * 1e9 / rate;
    }
    return STATUS_OK;
  }
  return read_table(times, question, count, ledger, message);
}
