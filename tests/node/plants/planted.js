// SPDX-License-Identifier: GPL-3.0-or-later
// What the plants share: an example of examples/node with something added. PLANT=0 is the same
// program without what makes it slow, so that its removal can be measured.
'use strict';
const serve = require('../../../examples/node/serve');

const planted = process.env.PLANT !== '0';
const app = require(`../../../examples/node/${process.env.APP}`);

function start() {
  Promise.resolve(app.ready).then(() => serve(app.routes));
}

// Keeps the processor for so many ms.
function spin(ms) {
  const end = process.hrtime.bigint() + BigInt(Math.round(ms * 1e6));
  while (process.hrtime.bigint() < end);
}

module.exports = { planted, app, start, spin };
