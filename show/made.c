/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/made.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void made_when(char *text, size_t size, const char *format) {
  const char *epoch = getenv("SOURCE_DATE_EPOCH");
  time_t now = epoch != NULL && *epoch != '\0' ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts) == NULL || strftime(text, size, format, &parts) == 0)
    text[0] = '\0';
}

void made_where(char *text, size_t size) {
  if (gethostname(text, size) != 0 || text[0] == '\0')
    snprintf(text, size, "unnamed host");
  text[size - 1] = '\0';
}
