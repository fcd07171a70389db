/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/pause_kind.h"

#include <string.h>

bool pause_kind(struct slice name, enum event_pause_kind *kind) {
  static const struct {
    const char *prefix;
    enum event_pause_kind kind;
  } kinds[] = {
      {"MinorGC", EVENT_PAUSE_MINOR},
      {"MajorGC", EVENT_PAUSE_MAJOR},
      {"V8.GCScavenger", EVENT_PAUSE_MINOR},
      {"V8.GCMinorMC", EVENT_PAUSE_MINOR},
      {"V8.GCFinalizeMC", EVENT_PAUSE_MAJOR},
      {"V8.GCCompactor", EVENT_PAUSE_MAJOR},
      {"V8.GCIncrementalMarking", EVENT_PAUSE_STEP},
      {"V8.GCPhantomHandle", EVENT_PAUSE_WEAK},
      {"V8.Compile", EVENT_PAUSE_COMPILE},
      {"V8.ParseFunction", EVENT_PAUSE_COMPILE},
      {"V8.OptimizeCode", EVENT_PAUSE_COMPILE},
      {"V8.InstallOptimized", EVENT_PAUSE_COMPILE},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (slice_starts(name, kinds[i].prefix)) {
      *kind = kinds[i].kind;
      return true;
    }
  return false;
}
