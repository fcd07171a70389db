// SPDX-License-Identifier: GPL-3.0-or-later
// What a turn of 64 awaits takes, in us: node [--require measure/node/index.js] node_awaits.js [context] [HOOKS]. With `context`
// within an AsyncLocalStorage; HOOKS, as `init,before,after`, are empty hooks of promises. Of 3000 turns the tenth percentile,
// which other programs on the machine change little.
'use strict';
const { AsyncLocalStorage } = require('async_hooks');
const { promiseHooks } = require('v8');

const AWAITS = 64;
const TURNS = 6000; // the first half is not compiled yet
const [context, hooks] = process.argv[2] === 'context' ? [new AsyncLocalStorage(), process.argv[3]] : [undefined, process.argv[2]];
const kinds = { init: 'onInit', before: 'onBefore', after: 'onAfter', settled: 'onSettled' };
let told = 0;
for (const name of hooks?.split(',') ?? []) promiseHooks[kinds[name]](() => { told++; });

const leaf = async (i) => i;
const work = async () => {
  let sum = 0;
  for (let i = 0; i < AWAITS; i++) sum += await leaf(i);
  return sum;
};

const took = [];
const turn = () => {
  const begin = process.hrtime.bigint();
  if (context === undefined) work();
  else context.run(begin, work);
  setImmediate(() => {
    took.push(Number(process.hrtime.bigint() - begin) / 1e3);
    if (took.length < TURNS) setImmediate(turn);
    else console.log(took.slice(TURNS / 2).sort((a, b) => a - b)[TURNS / 20].toFixed(1));
  });
};
setTimeout(turn, 10);
