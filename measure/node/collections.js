// SPDX-License-Identifier: GPL-3.0-or-later
// Collections of the heap, by kind.
'use strict';

const { PerformanceObserver, constants } = require('perf_hooks');

const MAJOR = 1;
const kinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 0],
  [constants.NODE_PERFORMANCE_GC_MAJOR, MAJOR],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 2],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 3],
]);

// Until what is returned is called.
function watchCollections(log) {
  const observer = new PerformanceObserver(log.guarded((list) => {
    for (const entry of list.getEntries()) {
      const written = log.writeCollection(kinds.get(entry.detail.kind) ?? MAJOR, Math.round(entry.startTime * 1e6), Math.round(entry.duration * 1e6));
      if (!written) return;
    }
  }));
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}

module.exports = { watchCollections };
