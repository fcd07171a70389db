/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/throughput/calculator.h"

#include "base/duration.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command/option_values.h"
#include "cli/present/json.h"

static const char command[] = "whatif predict";

double calculator_saved(double before_us, double after_us, double calls, double workers) {
  return (before_us - after_us) * calls / workers;
}

bool calculator_predict(double *predicted, double throughput, double saved_us, double noise) {
  double period_us = 1e6 / throughput, left_us = period_us - saved_us;
  if (!(left_us > noise * period_us) || !(left_us > period_us / 64))
    return false;
  *predicted = 1e6 / left_us;
  return true;
}

void calculator_digits(char digits[32], double value) {
  int precision = 0;
  do
    snprintf(digits, 32, "%.*e", precision, value);
  while (strtod(digits, NULL) != value && ++precision < 17);
  const char *power = strchr(digits, 'e');
  int exponent = power != NULL ? atoi(power + 1) : 0;
  if (power == NULL || exponent < -4 || exponent > 15)
    return;
  int places = precision - exponent;
  snprintf(digits, 32, "%.*f", places > 1 ? places : 1, value);
}

/* --- the command line ----------------------------------------------------------------------------
 */

/* A number above 0 with nothing behind it but the words of `behind`, each of which scales it. */
static bool read_number(double *value, const char *text, const char *const *behind,
                        const double *scales, size_t count) {
  char *end;
  if (text[0] < '0' || text[0] > '9')
    return false;
  errno = 0;
  double read = strtod(text, &end);
  while (*end == ' ')
    end++;
  for (size_t i = 0; i < count; i++)
    if (strcmp(end, behind[i]) == 0) {
      *value = read * scales[i];
      return errno == 0 && isfinite(*value);
    }
  return false;
}

static bool read_plain(double *value, const char *text) {
  static const char *const nothing[] = {""};
  static const double scale[] = {1};
  return read_number(value, text, nothing, scale, 1) && *value > 0;
}

static bool read_time_us(double *us, const char *text) {
  struct rational ns;
  rational_init(&ns);
  bool good = duration_parse(&ns, text) && rational_sign(&ns) > 0;
  if (good)
    *us = rational_double(&ns) / 1e3;
  rational_clear(&ns);
  return good;
}

static bool read_share(double *share, const char *text) {
  static const char *const units[] = {"%"};
  static const double scale[] = {1e-2};
  return read_number(share, text, units, scale, 1) && *share < 1;
}

struct question {
  double throughput, saved_us, calls, workers, noise;
};

static enum status read_question(struct question *question, const struct options *options) {
  *question = (struct question){.calls = 1, .workers = 1};
  if (options->throughput == NULL || options->saved == NULL)
    return option_complain(command,
                           "give --throughput N, measured while the others paused, and "
                           "--saved TIME, by which each call became shorter",
                           NULL, "or --points FILE");
  if (!read_plain(&question->throughput, options->throughput))
    return option_complain(command, "unusable throughput", options->throughput,
                           "give requests/s, such as 1250.5");
  if (!read_time_us(&question->saved_us, options->saved))
    return option_complain(command, "unusable time", options->saved,
                           "give a number and ns, us, ms or s: 225.8us");
  if (options->calls != NULL && !read_plain(&question->calls, options->calls))
    return option_complain(command, "unusable number of calls", options->calls,
                           "give a number above 0: calls for each user request");
  if (options->workers.count > 1 ||
      (options->workers.count == 1 && !read_plain(&question->workers, options->workers.data[0])))
    return option_complain(command, "unusable number of workers", options->workers.data[0],
                           "give a number above 0, once");
  if (options->noise != NULL && !read_share(&question->noise, options->noise))
    return option_complain(command, "unusable noise", options->noise,
                           "give a percentage below 100: 1.5%");
  return STATUS_OK;
}

/* --- the answer ----------------------------------------------------------------------------------
 */

struct answer {
  bool given;
  double saved_us, predicted, low, high;
};

static void print_json(const struct question *question, const struct answer *answer) {
  struct jsonl *json = jsonl_new("calculated");
  jsonl_seconds(json, "throughput", question->throughput);
  jsonl_seconds(json, "saved_us", answer->saved_us);
  jsonl_flag(json, "refused", !answer->given);
  if (answer->given) {
    char digits[32];
    calculator_digits(digits, answer->predicted);
    jsonl_seconds(json, "predicted", answer->predicted);
    jsonl_text(json, "digits", digits);
    jsonl_seconds(json, "low", answer->low);
    jsonl_seconds(json, "high", answer->high);
    jsonl_seconds(json, "amplification", answer->predicted / question->throughput);
  }
  jsonl_print(json);
}

static void print_text(const struct question *question, const struct answer *answer) {
  char digits[32];
  calculator_digits(digits, answer->predicted);
  printf("%s requests/s", digits);
  if (question->noise > 0)
    printf(", %.6g to %.6g if %g is right within %g %%", answer->low, answer->high,
           question->throughput, 100 * question->noise);
  printf("\n  each request saves %.6g us of %.6g us; an error of 1 %% in the measurement is one of "
         "%.3g %% in the prediction\n",
         answer->saved_us, 1e6 / question->throughput, answer->predicted / question->throughput);
}

enum status calculator_run(const struct options *options) {
  if (options->points != NULL &&
      (options->throughput != NULL || options->saved != NULL || options->calls != NULL ||
       options->noise != NULL || options->workers.count != 0))
    return option_complain(command, "--points FILE has all numbers in its rows", NULL,
                           "leave out the other options");
  if (options->points != NULL)
    return points_run(options);
  struct question question;
  enum status status = read_question(&question, options);
  if (status != STATUS_OK)
    return status;
  struct answer answer = {
      .saved_us = calculator_saved(question.saved_us, 0, question.calls, question.workers)};
  double t = question.throughput, noise = question.noise;
  answer.given = calculator_predict(&answer.predicted, t, answer.saved_us, noise) &&
                 calculator_predict(&answer.low, t * (1 - noise), answer.saved_us, 0) &&
                 calculator_predict(&answer.high, t * (1 + noise), answer.saved_us, 0);
  if (options->json)
    print_json(&question, &answer);
  else if (answer.given)
    print_text(&question, &answer);
  if (answer.given)
    return STATUS_OK;
  fprintf(
      stderr,
      "tailproof %s: cannot be predicted: of %.6g us per request %.6g us are saved, and what is "
      "left is not clearly more than nothing; ask about less, or measure more exactly\n",
      command, 1e6 / t, answer.saved_us);
  return STATUS_UNKNOWN;
}
