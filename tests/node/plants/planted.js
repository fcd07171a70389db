// SPDX-License-Identifier: GPL-3.0-or-later
// What the plants share: an example of examples/node with something added, which planted() says
// whether to do. So its removal can be measured with the same program.
'use strict';
const serve = require('../../../examples/node/serve');

const { planted, withRoutes, withOwnTail } = require('./turns');
const app = require(`../../../examples/node/${process.env.APP}`);

function start() {
  Promise.resolve(app.ready).then(() => serve(withRoutes(withOwnTail(app.routes))));
}

// Keeps the processor for so many ms.
function spin(ms) {
  const end = process.hrtime.bigint() + BigInt(Math.round(ms * 1e6));
  while (process.hrtime.bigint() < end);
}

module.exports = { planted, app, start, spin };
