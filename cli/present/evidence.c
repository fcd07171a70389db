/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/evidence.h"

#include "dist/source/sample.h"

#define LOST_NOTE "those of which it is known"

static const struct object_key keys[] = {
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("observations", COUNT),
    KEY("order_known", FLAG, .note = "of the observations"),
    KEY("worth", COUNT, .marks = MARK_MAYBE,
        .note = "as many independent draws, for limits of the whole law; where the order is known"),
    KEY("settled", FLAG, .marks = MARK_MAYBE, .note = "with `worth`: whether that can be promised"),
    KEY("wanders", FLAG, .marks = MARK_MAYBE,
        .note = "with `worth`: its level moves more slowly than the run lasts"),
    KEY("runs", COUNT, .marks = MARK_MAYBE, .note = "stretches of time that they come from"),
    KEY("kinds", TEXTS, .note = "of requests: labels that went in"),
    KEY("failed", COUNT, .marks = MARK_MAYBE, .note = LOST_NOTE),
    KEY("cut_off", COUNT, .marks = MARK_MAYBE, .note = LOST_NOTE),
    KEY("left_out", COUNT, .marks = MARK_MAYBE, .note = LOST_NOTE),
    KEY("edges", TEXT, .words = "exact|open below|between|unknown",
        .note = "which edge belongs to a bucket"),
    KEY("clock", TEXTS),
    KEY("clock_step_ns", NS, .marks = MARK_MAYBE, .note = "at most"),
    KEY("sources", TEXTS, .note = "files by their digest, recordings by their process"),
    KEY("tools", TEXTS),
    KEY("unknown", TEXT, .note = "what nobody said, in words; empty: nothing"),
    {0}};
const struct object_kind evidence_kind = {"evidence", "of each file", keys};

static void put_texts(struct objects *objects, const char *key,
                      const struct evidence_texts *texts) {
  object_texts(objects, key);
  for (size_t i = 0; i < texts->list.count; i++)
    object_item(objects, key, texts->list.data[i]);
}

static void put_lost(struct objects *objects, const char *key, const struct evidence *evidence,
                     enum evidence_lost which) {
  const struct evidence_count *count = &evidence->lost[which];
  if (count->known || count->least != 0)
    object_count(objects, key, count->least);
}

void evidence_put(struct objects *objects, const char *name, const struct sample *sample,
                  const struct serial *serial) {
  const struct evidence_known known = {name, &sample->evidence, sample->real,
                                       sample_has_order(sample), *serial};
  evidence_put_known(objects, &known);
}

void evidence_put_known(struct objects *objects, const struct evidence_known *known) {
  static const char *const edges[] = {"exact", "open below", "between", "unknown"};
  const struct evidence *evidence = known->evidence;
  struct text unknown;
  objects_add(objects);
  object_text(objects, "name", known->name);
  object_count(objects, "observations", known->real);
  object_flag(objects, "order_known", known->ordered);
  if (known->serial.known) {
    object_count(objects, "worth", serial_worth(&known->serial, known->real));
    object_flag(objects, "settled", known->serial.settled);
    object_flag(objects, "wanders", known->serial.wanders);
  }
  if (evidence->runs != 0)
    object_count(objects, "runs", evidence->runs);
  put_texts(objects, "kinds", &evidence->kinds);
  put_lost(objects, "failed", evidence, EVIDENCE_FAILED);
  put_lost(objects, "cut_off", evidence, EVIDENCE_CUT_OFF);
  put_lost(objects, "left_out", evidence, EVIDENCE_LEFT_OUT);
  object_text(objects, "edges", edges[evidence->edges]);
  put_texts(objects, "clock", &evidence->clocks);
  if (evidence->resolution_ns.known)
    object_ns(objects, "clock_step_ns", evidence->resolution_ns.upper);
  put_texts(objects, "sources", &evidence->sources);
  put_texts(objects, "tools", &evidence->tools);
  text_init(&unknown);
  evidence_print_unknown(&unknown, evidence);
  object_text(objects, "unknown", text_get(&unknown));
  text_clear(&unknown);
}
