/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/draw/observed.h"

void observed_add(struct sample *sample, struct row_value value) {
  if (row_is_absent(value))
    value = (struct row_value){0, ROW_INFINITE};
  if (value.lower_ns >= ROW_INFINITE)
    sample_add_beyond(sample, 1);
  else
    sample_add_range(sample, value.lower_ns, value.upper_ns, 1);
  sample_add_range_to_series(sample, value.lower_ns, value.upper_ns);
}
