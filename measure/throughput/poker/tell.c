/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/poker/tell.h"

#include <stdarg.h>
#include <stdio.h>

#include <uv.h>

enum { MOST = 8, LINE = 512 };

void tell(struct teller *teller, const char *format, ...) {
  uint64_t now_ns = uv_hrtime();
  if (now_ns - teller->begin_ns >= 1000000000) {
    if (teller->left_out != 0)
      fprintf(stderr, "tailproof poker %s: %u more lines were left out\n", teller->name,
              teller->left_out);
    teller->begin_ns = now_ns;
    teller->said = teller->left_out = 0;
  }
  if (teller->said == MOST) {
    teller->left_out++;
    return;
  }
  teller->said++;
  char line[LINE];
  va_list values;
  va_start(values, format);
  vsnprintf(line, sizeof line, format, values);
  va_end(values);
  fprintf(stderr, "tailproof poker %s: %s\n", teller->name, line);
}
