/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/prediction.h"

#include <stdio.h>

#include "base/jsonl.h"

static void print_json(const struct prediction *p) {
  struct jsonl *json = jsonl_new("calculated");
  jsonl_seconds(json, "throughput", p->throughput);
  jsonl_seconds(json, "saved_us", p->saved_us);
  jsonl_flag(json, "refused", !p->given);
  if (p->given) {
    char digits[32];
    calculator_digits(digits, p->predicted);
    jsonl_seconds(json, "predicted", p->predicted);
    jsonl_text(json, "digits", digits);
    jsonl_seconds(json, "low", p->low);
    jsonl_seconds(json, "high", p->high);
    jsonl_seconds(json, "amplification", p->predicted / p->throughput);
  }
  jsonl_print(json);
}

static void print_text(const struct prediction *p) {
  char digits[32];
  calculator_digits(digits, p->predicted);
  printf("%s requests/s", digits);
  if (p->noise > 0)
    printf(", %.6g to %.6g if %g is right within %g %%", p->low, p->high, p->throughput,
           100 * p->noise);
  printf("\n  each request saves %.6g us of %.6g us; an error of 1 %% in the measurement is one of "
         "%.3g %% in the prediction\n",
         p->saved_us, 1e6 / p->throughput, p->predicted / p->throughput);
}

void prediction_print(const struct prediction *p, bool json) {
  if (p->asked && json)
    print_json(p);
  else if (p->given)
    print_text(p);
}

static void print_point_json(const struct measured_point *point) {
  struct jsonl *json = jsonl_new("point");
  jsonl_integer(json, "line", point->line);
  jsonl_seconds(json, "saved_us", point->saved_us);
  jsonl_text(json, "digits", point->digits[0] != '\0' ? point->digits : NULL);
  jsonl_text(json, "recorded", point->recorded[0] != '\0' ? point->recorded : NULL);
  jsonl_text(json, "same", point->same);
  jsonl_print(json);
}

static void print_point_text(const struct measured_point *point) {
  char saved[32];
  calculator_digits(saved, point->saved_us);
  printf("%u,%s,%s,%s,%s\n", point->line, saved,
         point->digits[0] != '\0' ? point->digits : "refused", point->recorded,
         point->same != NULL ? point->same : "");
}

void points_print(const struct points *points, bool complete, bool json) {
  if (!json && (complete || points->rows.count != 0))
    printf("line,saved_us,predicted_rps,recorded_rps,same\n");
  for (size_t i = 0; i < points->rows.count; i++)
    (json ? print_point_json : print_point_text)(&points->rows.data[i]);
  if (complete)
    fprintf(stderr,
            "%zu points; %lu of %lu recorded predictions reproduced to the last printed digit, %lu "
            "of them bit for bit; %lu refused\n",
            points->rows.count, points->bits + points->digits, points->compared, points->bits,
            points->refused);
}
