/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/prediction.h"

static const struct object_key calculated_keys[] = {
    KEY("throughput", NUMBER, .note = "requests/s, as measured"),
    KEY("saved_us", NUMBER, .note = "of a request"),
    KEY("refused", FLAG),
    KEY("predicted", NUMBER, .marks = MARK_MAYBE, .note = "this and what follows unless refused"),
    KEY("digits", DECIMAL, .marks = MARK_MAYBE, .note = "all of them"),
    KEY("low", NUMBER, .marks = MARK_MAYBE | MARK_LOWER),
    KEY("high", NUMBER, .marks = MARK_MAYBE | MARK_UPPER),
    KEY("amplification", NUMBER, .marks = MARK_MAYBE),
    {0}};
static const struct object_kind calculated_kind = {"calculated", "of `whatif predict`",
                                                   calculated_keys};

static const struct object_key point_keys[] = {
    KEY("line", COUNT, .marks = MARK_NAMES),
    KEY("saved_us", NUMBER),
    KEY("digits", DECIMAL, .marks = MARK_NULL, .note = "null: refused"),
    KEY("recorded", TEXT, .marks = MARK_NULL),
    KEY("same", TEXT, .marks = MARK_NULL, .words = "bits|digits|no"),
    {0}};
static const struct object_kind point_kind = {"point", "of `whatif predict --points`", point_keys};

static const struct object_key points_keys[] = {
    KEY("points", COUNT),
    KEY("recorded", COUNT, .note = "of them with a recorded prediction"),
    KEY("identical", COUNT, .note = "bit for bit"),
    KEY("rounded", COUNT, .note = "the same to the last printed digit"),
    KEY("other", COUNT),
    KEY("refused", COUNT),
    {0}};
static const struct object_kind points_kind = {"points", "of `whatif predict --points`, at the end",
                                               points_keys};

const struct object_kind *const prediction_kinds[] = {&calculated_kind, &point_kind, &points_kind,
                                                      NULL};

static void say_prediction(struct document *document, const struct prediction *p,
                           const char *digits) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s requests/s", digits);
  if (p->noise > 0)
    text_format(&text, ", %.6g to %.6g if %g is right within %g %%", p->low, p->high, p->throughput,
                100 * p->noise);
  document_take(document, LINES_CLOSE, 0, &text);
  document_say(document, LINES_CLOSE,
               "each request saves %.6g us of %.6g us; an error of 1 %% in the measurement is one "
               "of %.3g %% in the prediction",
               p->saved_us, 1e6 / p->throughput, p->predicted / p->throughput);
}

void prediction_document(struct document *document, const struct prediction *p) {
  char digits[32];
  document_init(document, "whatif predict", prediction_kinds);
  document_title(document, "A predicted throughput");
  struct objects *objects = document_objects(document, &calculated_kind);
  objects_add(objects);
  object_number(objects, "throughput", p->throughput);
  object_number(objects, "saved_us", p->saved_us);
  object_flag(objects, "refused", !p->given);
  if (!p->given) {
    document_say(document, LINES_CLOSE, "It cannot be predicted.");
    return;
  }
  calculator_digits(digits, p->predicted);
  say_prediction(document, p, digits);
  object_number(objects, "predicted", p->predicted);
  object_text(objects, "digits", digits);
  object_number(objects, "low", p->low);
  object_number(objects, "high", p->high);
  object_number(objects, "amplification", p->predicted / p->throughput);
}

static void put_point(struct objects *objects, const struct measured_point *point) {
  char saved[32];
  calculator_digits(saved, point->saved_us);
  objects_add(objects);
  object_count(objects, "line", point->line);
  object_number(objects, "saved_us", point->saved_us);
  object_words(objects, "saved_us", "%s", saved);
  if (point->digits[0] != '\0')
    object_text(objects, "digits", point->digits);
  else
    object_null(objects, "digits");
  if (point->digits[0] == '\0')
    object_words(objects, "digits", "refused");
  object_text(objects, "recorded", point->recorded[0] != '\0' ? point->recorded : NULL);
  object_text(objects, "same", point->same);
}

static void put_sums(struct document *document, const struct points *points) {
  document_say(document, LINES_APART,
               "%zu points; %lu of %lu recorded predictions reproduced to the last printed digit, "
               "%lu of them bit for bit; %lu refused",
               points->rows.count, points->bits + points->digits, points->compared, points->bits,
               points->refused);
  struct objects *objects = document_objects(document, &points_kind);
  objects_add(objects);
  object_count(objects, "points", points->rows.count);
  object_count(objects, "recorded", points->compared);
  object_count(objects, "identical", points->bits);
  object_count(objects, "rounded", points->digits);
  object_count(objects, "other", points->other);
  object_count(objects, "refused", points->refused);
}

void points_document(struct document *document, const struct points *points, bool complete) {
  static const struct object_column columns[] = {
      {.title = "line", .align = TABLE_RIGHT, .key = "line"},
      {.title = "saved (us)", .align = TABLE_RIGHT, .key = "saved_us"},
      {.title = "predicted (1/s)", .align = TABLE_RIGHT, .key = "digits"},
      {.title = "recorded", .align = TABLE_RIGHT, .key = "recorded"},
      {.title = "same", .key = "same"},
  };
  document_init(document, "whatif predict", prediction_kinds);
  document_title(document, "Predicted throughputs");
  struct objects *objects = document_objects(document, &point_kind);
  for (size_t i = 0; i < points->rows.count; i++)
    put_point(objects, &points->rows.data[i]);
  document_table(document, LINES_CLOSE, 2, objects, columns, sizeof columns / sizeof *columns);
  if (complete)
    put_sums(document, points);
}
