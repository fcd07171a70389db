// SPDX-License-Identifier: GPL-3.0-or-later
// Where code that was compiled says which map it has: a comment in one of its last lines.
'use strict';

const LINES = 4;
const HEADS = ['//# sourceMappingURL=', '//@ sourceMappingURL='];

// The address of the map, or undefined. The map may be in it, and long.
function commentOf(text) {
  let end = text.length;
  for (let lines = 0; lines < LINES && end > 0; lines++) {
    const at = text.lastIndexOf('\n', end - 1) + 1;
    const head = HEADS.find((one) => text.startsWith(one, at));
    if (head !== undefined) return text.slice(at + head.length, end).trim();
    end = at - 1;
  }
  return undefined;
}

module.exports = { commentOf };
