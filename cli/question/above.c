/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/above.h"

#include "base/duration.h"
#include "base/number.h"

enum status above_read(double *percent, int64_t *threshold_ns, const char *above,
                       const struct asker *asker) {
  *percent = 0;
  *threshold_ns = 0;
  if (above[0] == 'p')
    return number_real(percent, above + 1) && *percent > 0 && *percent < 100
               ? STATUS_OK
               : asker_fail(asker, STATUS_USAGE,
                            "--above %s: give a percentile above 0 and below 100, such as p99",
                            above);
  struct rational ns;
  rational_init(&ns);
  bool good = duration_parse(&ns, above) && rational_floor(threshold_ns, &ns);
  rational_clear(&ns);
  return good ? STATUS_OK
              : asker_fail(asker, STATUS_USAGE,
                           "--above %s: give a percentile (p99) or a time with its unit (250ms)",
                           above);
}
