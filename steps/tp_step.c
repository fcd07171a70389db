/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tp_step.h"

bool tp_fits(int64_t x) {
  return -TP_INT_MAX <= x && x <= TP_INT_MAX;
}

bool tp_fits_time(int64_t x) {
  return -TP_TIME_MAX <= x && x <= TP_TIME_MAX;
}

int32_t tp_next(int32_t i, int32_t n) {
  return i + 1 < n ? i + 1 : 0;
}

int32_t tp_prev(int32_t i, int32_t n) {
  return i == 0 ? n - 1 : i - 1;
}
