#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A log whose oldest half goes begins with what lives: connections and intervals keep their type and what they are, and what
# a compressing stream asked for is known. The log is written by the recorder's own writer, without a server.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
facts=$(dirname "$program")/tests/tools/event_log
[ -x "$facts" ] || { echo "not ok 1 - $facts is not built"; exit 69; }
package=$(realpath "$(dirname "$program")/../measure/node")
cd "$scratch" || exit 70
mkdir log

# A writer that comes late: the loop goes on for ten seconds, a record every 60 ms, and none is left out. One that has come gets them
# soon.
mkdir late
cat >late.js <<'EOS'
const path = require('path');
const { Log, OP } = require(path.join(process.argv[2], 'log.js'));
const { Writer } = require(path.join(process.argv[2], 'writer.js'));
let ms = 1;
const log = new Log(() => ms, 0n);
const writer = new Writer({ shared: log.shared, originNs: 0n, folder: 'late', run: 0, name: 'app.js', process: 7, thread: 0, systemThread: 0, pool: 4, version: 'v20', partBytes: 1e6 });
writer.openPart();
writer.about.descriptor = writer.file;
const turns = (count) => {
  for (let i = 0; i < count; i++, ms += 60) {
    if (log.due(ms)) log.publish(ms);
    if (log.room(ms)) log.head(OP.RUN, 0), log.id(i), log.signed(0), log.varint(1), log.done();
  }
};
turns(167);
console.log(log.records, log.dropped);
writer.drain();
turns(2);
writer.drain();
console.log(log.sequence > 1, log.dropped);
EOS
node late.js "$package" >said
status=$? last="late.js"
check "nothing is left out where the writer is late, and there is room" 'exits 0' '[ "$(tr "\n" " " <said)" = "167 0 true 0 " ]'

# Turns of 0.1 ms. A connection, an interval and a timer that is long, then files without end; at times one of the first.
cat >write.js <<'EOS'
const path = require('path');
const [, , folder] = process.argv;
const { Log, OP, MORE } = require(path.join(folder, 'log.js'));
const { Writer } = require(path.join(folder, 'writer.js'));
let ms = 1;
const log = new Log(() => ms, 0n);
const writer = new Writer({ shared: log.shared, originNs: 0n, folder: 'log', run: 0, name: 'app.js', process: 7, thread: 0, systemThread: 0, pool: 4, version: 'v20', partBytes: 100000 });
const add = (...all) => {
  if (!log.room(ms)) throw new Error('no room');
  for (const one of all) one();
  log.done();
};
const now = () => Math.round(ms * 1e6);
const init = (id, type, length) => {
  let text;
  add(() => { text = log.string(type); }, () => log.head(length === undefined ? OP.INIT : OP.TIMER, text < 31 ? text : 31), () => text >= 31 && log.varint(text),
    () => log.id(id), () => log.time(now()), () => length !== undefined && log.varint(length));
};
const run = (id) => {
  const begin = now();
  ms += 0.1;
  add(() => log.head(OP.RUN, 0), () => log.id(id), () => log.signed(begin - log.lastTime), () => log.varint(now() - begin));
  log.lastTime = now();
};
const more = (kind, id, ...rest) => add(() => log.head(OP.MORE, kind), () => log.id(id), ...rest);
writer.openPart();
writer.about.descriptor = writer.file;
init(5, 'TCPWRAP');
init(6, 'Timeout', 10);
init(8, 'HTTPINCOMINGMESSAGE');
init(9, 'ZLIB');
init(10, 'FSREQCALLBACK');
init(11, 'Timeout', 10);
run(1);
const place = (text) => { let number; add(() => { number = log.string(text); }, () => log.head(OP.MORE, MORE.PEER), () => log.id(5), () => log.varint(number)); };
place('10.0.0.2:6379');
for (const id of [5, 6, 6, 8, 9, 10, 11]) run(id);
for (let id = 100; writer.part < 3; id++) {
  init(id, 'FSREQCALLBACK');
  run(id);
  if (id % 5000 === 0) [5, 6, 8].forEach(run);
  log.due(ms) && log.publish(ms);
  writer.drain();
}
more(MORE.ASKED, 9, () => log.time(now()));
run(10);
for (const id of [5, 6, 8, 9]) run(id);
log.publish(ms);
writer.drain();
EOS
node write.js "$package"
status=$? last="write.js"
check "parts are written, and the oldest goes" 'exits 0' '[ "$(ls log | tr "\n" " ")" = "7.2.tpn 7.3.tpn " ]'
EVENT_LOG_ROWS=1 "$facts" log >facts
last="event_log log"
row() { grep -q "^row [0-9]* $1#$2 .* run [0-9]" facts || { grep "#$2 " facts >&2; return 1; }; }
check "what lives has its type" 'row "TCPWRAP 10.0.0.2:6379" 5' 'row Timeout 6' 'row HTTPINCOMINGMESSAGE 8' 'row ZLIB 9'
check "what does not, has none" '! row FSREQCALLBACK 10 2>/dev/null' 'grep -q "^row [0-9]* #10 " facts'
check "what was asked for is known" 'grep -qE "^row [0-9]+ ZLIB#9 registered ([0-9.]+) .* by [0-9]+ " facts'
finish
