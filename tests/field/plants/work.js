// SPDX-License-Identifier: GPL-3.0-or-later
// What a page of an application does besides: it looks for words in a catalogue, waits for a timer as for a database, looks for
// others, and renders what it found. How much it looks at is said by the number of the request (/page?n=7) and is the same in
// each turn: EACH requests come in one.
'use strict';
const LEAST = 0.5; // of the mean
const MOST = 4;
const ANSWER = 2; // ms
const BEST = 20;

// Evenly spread in 0 .. 1, the same for the same number.
function spread(number) {
  let x = (number + 1) >>> 0;
  for (let i = 0; i < 3; i++) x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d + i) >>> 0;
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
}

// Its mean is 1: half of it is the same for all, and the rest exponential, as times of service are said to be.
function sizeOf(number) {
  return Math.min(MOST, LEAST - (1 - LEAST) * Math.log(1 - spread(number)));
}

const catalogue = Array.from({ length: 20000 }, (_, i) => ({ id: i, name: `item ${(i * 7919) % 10007} of ${(i * 31) % 97}`, price: (i * 13) % 1000 }));

// How well a name matches: pairs of letters that it shares with the word.
function score(name, word) {
  let found = 0;
  for (let i = 0; i + 1 < name.length; i++) {
    for (let k = 0; k + 1 < word.length; k++) {
      if (name.charCodeAt(i) === word.charCodeAt(k) && name.charCodeAt(i + 1) === word.charCodeAt(k + 1)) found++;
    }
  }
  return found;
}

// Looks at so many items, from the number on.
function search(number, many) {
  const word = `${number % 1000} of`;
  const best = [];
  for (let i = 0; i < many; i++) {
    const item = catalogue[(number * 97 + i) % catalogue.length];
    const points = score(item.name, word);
    if (best.length === BEST && points <= best[BEST - 1].points) continue;
    best.push({ item, points });
    best.sort((a, b) => b.points - a.points);
    if (best.length > BEST) best.pop();
  }
  return best.map(({ item, points }) => `<tr><td>${item.id}</td><td>${item.name}</td><td>${(item.price / 100).toFixed(2)}</td><td>${points}</td></tr>`).join('');
}

// Items in a millisecond, once the code is compiled.
function speed() {
  const times = [];
  for (let i = 0; i < 400; i++) {
    const begin = performance.now();
    search(i, 4000);
    times.push(performance.now() - begin);
  }
  return 4000 / times.slice(200).sort((a, b) => a - b)[100];
}

function working(page, mean) {
  const rate = speed();
  const each = Number(process.env.EACH ?? 1);
  return (answer, url) => {
    const number = Number(url.split('n=')[1] ?? 0);
    const half = Math.ceil((rate * mean * sizeOf(Math.floor(number / each / 3) * each + (number % each))) / 2);
    page((body) => {
      const first = search(number, half);
      setTimeout(() => answer(body + first + search(number + 1, half)), ANSWER);
    }, url);
  };
}

module.exports = { working };
