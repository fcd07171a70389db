/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/experiment/calculator.h"

#include "base/duration.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* --- the question -------------------------------------------------------------------------------
 */

static bool read_plain(double *value, const char *text) {
  return number_real(value, text) && *value > 0;
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
  return number_share_real(share, text) && *share < 1;
}

static enum status complain(const struct prediction_request *request, const char *what,
                            const char *value, const char *remedy) {
  return asker_fail(request->asker, STATUS_USAGE, "--%s %s: %s", what, value, remedy);
}

static enum status read_request(struct prediction *p, const struct prediction_request *request) {
  p->calls = p->workers = 1;
  if (request->throughput == NULL || request->saved == NULL)
    return asker_fail(request->asker, STATUS_USAGE,
                      "give --throughput N, measured while the others paused, and --saved TIME, by "
                      "which each call became shorter; or --points FILE");
  if (!read_plain(&p->throughput, request->throughput))
    return complain(request, "throughput", request->throughput,
                    "give requests/s, a number above 0, such as 1250.5");
  if (!read_time_us(&p->each_us, request->saved))
    return complain(request, "saved", request->saved, "give a number and ns, us, ms or s: 225.8us");
  if (request->calls != NULL && !read_plain(&p->calls, request->calls))
    return complain(request, "calls", request->calls,
                    "give a number above 0: calls for each user request");
  if (request->workers != NULL && !read_plain(&p->workers, request->workers))
    return complain(request, "workers", request->workers,
                    "give a number above 0, once: the workers that there are");
  if (request->noise != NULL && !read_share(&p->noise, request->noise))
    return complain(request, "noise", request->noise,
                    "give a share below 100%, such as 1.5% or 0.015");
  return STATUS_OK;
}

enum status prediction_ask(struct prediction *p, const struct prediction_request *request) {
  *p = (struct prediction){0};
  enum status status = read_request(p, request);
  if (status != STATUS_OK)
    return status;
  double t = p->throughput;
  p->asked = true;
  p->saved_us = calculator_saved(p->each_us, 0, p->calls, p->workers);
  p->given = calculator_predict(&p->predicted, t, p->saved_us, p->noise) &&
             calculator_predict(&p->low, t * (1 - p->noise), p->saved_us, 0) &&
             calculator_predict(&p->high, t * (1 + p->noise), p->saved_us, 0);
  if (p->given)
    return STATUS_OK;
  asker_say(
      request->asker, SAYING_MISTAKE,
      "cannot be predicted: of %.6g us per request %.6g us are saved, and what is left is not "
      "clearly more than nothing; ask about less, or measure more exactly",
      1e6 / t, p->saved_us);
  return STATUS_UNKNOWN;
}
