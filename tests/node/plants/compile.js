// SPDX-License-Identifier: GPL-3.0-or-later
// A route of one in fifty requests compiles a large program: WORK "require" loads a module anew that holds a table,
// "script" makes a vm.Script of it.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const vm = require('vm');
const { planted, app, start } = require('./planted');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'compile-'));
const file = path.join(folder, 'table.js');
const rows = Array.from({ length: 25000 }, (_, i) => `  (a, b) => ({ id: ${i}, name: 'row ' + a, next: b + ${i} }),\n`);
const text = `exports.rows = () => [\n${rows.join('')}];\n`;
fs.writeFileSync(file, text);
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

let times = 0; // V8 keeps what it compiled of a text that it has seen: each time it is a new one
function load() {
  fs.appendFileSync(file, `// ${times++}\n`);
  delete require.cache[file];
  return require(file);
}
const script = () => new vm.Script(`${text}// ${times++}\n`, { filename: 'table.js' });
const work = process.env.WORK === 'script' ? script : load;

app.routes['/report'] = function report(request, response) {
  if (planted()) work();
  response.end('done\n');
};
start();
