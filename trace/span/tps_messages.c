/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Messages of a request in our own stores: where each came from, how long it was under way and how
 * long it waited.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/span/tps_inside.h"

static int compare_letters(const void *a, const void *b) {
  const struct tps_letter *x = a, *y = b;
  if (x->message != y->message)
    return x->message < y->message ? -1 : 1;
  if (x->arrived != y->arrived)
    return x->arrived ? 1 : -1;
  return (x->at > y->at) - (x->at < y->at);
}

static void sort_letters(struct tps *tps) {
  if (tps->letters.count != 0)
    qsort(tps->letters.data, tps->letters.count, sizeof *tps->letters.data, compare_letters);
}

static const struct tps_letter *find_letter(const struct tps *tps, const struct tps_part *part,
                                            bool arrived) {
  struct tps_letter key = {.message = part->message, .arrived = arrived, .at = part->start};
  if (tps->letters.count == 0)
    return NULL;
  return bsearch(&key, tps->letters.data, tps->letters.count, sizeof *tps->letters.data,
                 compare_letters);
}

/* "d.Ack from backup[2]", where several nodes have the sender's role. */
static struct slice name_sender(struct tps *tps, struct slice operation, struct slice sender) {
  if (sender.length == 0 || memchr(sender.start, '[', sender.length) == NULL)
    return operation;
  struct text text;
  text_init(&text);
  text_format(&text, "%s from %s", operation.start, sender.start);
  struct slice named = intake_text(tps->intake, tps_name(tps, text.data));
  text_clear(&text);
  return named;
}

/* Sendings are no parts of the request, but say where messages come from. */
static void take_sendings(struct tps *tps) {
  size_t kept = 0;
  tps->letters.count = 0;
  for (size_t i = 0; i < tps->parts.count; i++) {
    const struct tps_part *part = &tps->parts.data[i];
    if (part->kind == FORMAT_SEND)
      vector_push(&tps->letters, (struct tps_letter){.message = part->message,
                                                     .at = part->start,
                                                     .sender = part->service});
    else
      tps->parts.data[kept++] = *part;
  }
  tps->parts.count = kept;
  sort_letters(tps);
}

/* A delay begins when its message was sent, on the same clock. */
static void take_arrivals(struct tps *tps) {
  VECTOR(struct tps_letter) arrived = {0};
  for (size_t i = 0; i < tps->parts.count; i++) {
    const struct tps_part *part = &tps->parts.data[i];
    if (part->kind != FORMAT_DELAY)
      continue;
    const struct tps_letter *sent = find_letter(tps, part, false);
    vector_push(&arrived,
                (struct tps_letter){part->message, true, part->end,
                                    sent == NULL ? (struct slice){"", 0} : sent->sender, i});
  }
  for (size_t i = 0; i < arrived.count; i++)
    vector_push(&tps->letters, arrived.data[i]);
  vector_clear(&arrived);
  sort_letters(tps);
}

/* A wait begins when its message arrived: the two stand in one part, so that requests whose
 * messages do not wait look like those whose messages do. */
static void pair_waits(struct tps *tps) {
  size_t count = tps->parts.count;
  tps->pairs.count = 0;
  vector_push(&tps->pairs, SIZE_MAX);
  for (size_t i = 0; i < count; i++) {
    struct tps_part wait = tps->parts.data[i];
    const struct tps_letter *letter =
        wait.kind == FORMAT_WAIT ? find_letter(tps, &wait, true) : NULL;
    if (letter == NULL || tps->parts.data[letter->delay].pair != 0)
      continue;
    struct tps_part around = tps->parts.data[letter->delay];
    around.end = wait.end;
    around.kind = TPS_MESSAGE;
    around.pair = tps->pairs.count;
    around.operation = name_sender(tps, intake_text(tps->intake, around.message), letter->sender);
    tps->parts.data[letter->delay].pair = tps->parts.data[i].pair = around.pair;
    vector_push(&tps->pairs, SIZE_MAX);
    vector_push(&tps->parts, around);
  }
}

void tps_join_messages(struct tps *tps) {
  take_sendings(tps);
  take_arrivals(tps);
  pair_waits(tps);
  for (size_t i = 0; i < tps->letters.count; i++) {
    const struct tps_letter *letter = &tps->letters.data[i];
    struct tps_part *delay = &tps->parts.data[letter->delay];
    if (letter->arrived && delay->pair == 0)
      delay->operation = name_sender(tps, delay->operation, letter->sender);
  }
}
