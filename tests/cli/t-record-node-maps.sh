#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: the function that holds the loop is told with its place in the source, by the source map of a file, in it,
# or of code that was compiled in memory. Without a map the compiled file is named, or the position is said to be one of
# compiled code: never a compiled position under the name of its source.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
cd "$scratch" || exit 70

# What a compiler makes: one line of six. The function begins at column 7 of line 5.
cat >make.js <<'EOS'
const fs = require('fs');
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const vlq = (value) => { // of numbers from 0 on
  let text = '';
  for (let rest = 2 * value; ; rest >>= 5) {
    text += DIGITS[(rest & 31) | (rest > 31 ? 32 : 0)];
    if (rest < 32) return text;
  }
};
const code = 'exports.hold = p;const x = "a long line";function p(done){for(let i=0;i<400&&!done();i++)for(const t=Date.now();Date.now()-t<12;);}';
const source = '// one\ninterface Page { rows: number[] }\n\ntype Done = () => boolean;\nexport function holdTheLoop(done: Done) {\n}\n';
const map = (sources) => JSON.stringify({ version: 3, sources, sourcesContent: sources.map(() => source), names: [], mappings: `${vlq(code.indexOf('function'))}${vlq(0)}${vlq(4)}${vlq(7)}` });
const inline = (sources) => `data:application/json;charset=utf-8;base64,${Buffer.from(map(sources)).toString('base64')}`;
fs.mkdirSync('src');
fs.mkdirSync('dist');
for (const name of ['memory.ts', 'none.tsx']) fs.writeFileSync(`src/${name}`, source);
fs.writeFileSync('dist/beside.js', `${code}\n//# sourceMappingURL=beside.js.map\n`);
fs.writeFileSync('dist/beside.js.map', map(['../src/beside.ts']));
fs.writeFileSync('dist/inline.js', `${code}\n//# sourceMappingURL=${inline(['webpack://app/./src/inline.ts'])}`);
fs.writeFileSync('dist/lost.js', `${code}\n//# sourceMappingURL=lost.js.map`);
fs.writeFileSync('dist/wrong.js', `${code}\n//# sourceMappingURL=data:application/json,nonsense`);
fs.writeFileSync('main.js', `const fs = require('fs');
const log = process.env.TAILPROOF_STORE + '/' + process.pid + '.0.tpn';
const told = (what) => fs.existsSync(log) && fs.readFileSync(log, 'latin1').includes(what);
require.extensions['.ts'] = (module, file) => module._compile(${JSON.stringify(`${code}\n//# sourceMappingURL=${inline(['memory.ts'])}`)}, file);
require.extensions['.tsx'] = (module, file) => module._compile(${JSON.stringify(code)}, file);
const at = 'COLUMN p';
const cases = { './dist/beside.js': 'src/beside.ts:5:8 holdTheLoop', './dist/inline.js': 'src/inline.ts:5:8 holdTheLoop', './dist/lost.js': 'dist/lost.js:1:' + at,
  './dist/wrong.js': 'dist/wrong.js:1:' + at, './src/memory.ts': 'src/memory.ts:5:8 holdTheLoop', './src/none.tsx': 'src/none.tsx (compiled):1:' + at };
const next = ([file, wanted], ...rest) => {
  require(file).hold(() => told(wanted));
  console.log(file, told(wanted) ? wanted : 'is not told');
  if (rest.length > 0) setTimeout(next, 5, ...rest);
};
setTimeout(next, 5, ...Object.entries(cases));
`.replace('COLUMN', code.indexOf('function') + 1));
EOS
node make.js
TAILPROOF_NODE_WATCH=50 run record --node --out log -- node main.js
check "positions are those of the source" 'exits 0' '[ "$(grep -c ":5:8 holdTheLoop$" out)" = 3 ]'
check "or are said to be of compiled code" '[ "$(wc -l <out)" = 6 ]' 'out "dist/lost.js:1:"' 'out "dist/wrong.js:1:"' 'out "src/none.tsx (compiled):1:"'
check "which are no source's" '! grep -aqE "(memory|inline|beside)\.ts:1:|none\.tsx:" log/*.tpn'
finish
