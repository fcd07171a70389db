// SPDX-License-Identifier: GPL-3.0-or-later
// When what is planted makes the server slow: PLANT=1 always, PLANT=0 never, PLANT=turns for two seconds out of four, by
// the clock, so that all processes agree (where PLANT says which plant, ON says this); PLANT=middle in the second of each
// three turns, which take TURN ms. OWN_TAIL=1: some pages are slow by themselves.
'use strict';
const TURN = Number(process.env.TURN ?? 2000); // ms
const AFTER = 500; // ms in which a turn may still feel the one before

const SLOW_ONE_IN = 20; // pages
const SLOW_LEAST = 10; // ms
const SLOW_RANGE = 20; // ms

const plant = process.env.ON ?? process.env.PLANT;

function planted() {
  if (plant === 'middle') return Math.floor(Date.now() / TURN) % 3 === 1;
  return plant === 'turns' ? Math.floor(Date.now() / TURN) % 2 === 0 : plant !== '0';
}

// What the path of a request begins with in the recording. Quiet turns are of four kinds, one after the other, that letters
// split into halves in three ways: what halves of them differ by is chance.
const QUIET = ['/quiet/ax-bx-cx', '/quiet/ax-by-cy', '/quiet/ay-bx-cy', '/quiet/ay-by-cx'];
// Around a planted turn in the middle: the one before and the one behind are in different halves, in turns of three the other
// way around.
function around(turn) {
  const three = Math.floor(turn / 3);
  const half = (swapped) => 'xy'[(Number(turn % 3 === 2) + swapped) % 2];
  return `/quiet/a${half(0)}-b${half(three % 2)}-c${half(Math.floor(three / 2) % 2)}`;
}
function prefix(path) {
  const now = Date.now();
  if (now % TURN < AFTER && path === '/page') return '/between'; // what is planted has its name all the time
  if (planted()) return '';
  return plant === 'middle' ? around(Math.floor(now / TURN)) : QUIET[Math.floor(now / TURN / 2) % QUIET.length];
}

// As a framework would, the request says which route it matched.
function mark(request, path) {
  if (plant === 'turns' || plant === 'middle') request.route = { path: prefix(path) + path };
}

// Every twentieth page first waits for 10 to 30 ms, as if it asked somebody else. So the slowest percent of the pages
// is the server's own without what is planted, too, and not what the machine did meanwhile. Times are spread evenly.
function withOwnTail(routes) {
  if (process.env.OWN_TAIL !== '1') return routes;
  const handler = routes['/page'];
  let pages = 0;
  function page(request, response, url) {
    if (++pages % SLOW_ONE_IN !== 0) return handler(request, response, url);
    const share = ((pages / SLOW_ONE_IN) * 0.6180339887) % 1;
    setTimeout(() => handler(request, response, url), SLOW_LEAST + SLOW_RANGE * share);
  }
  return { ...routes, '/page': page };
}

function withRoutes(routes) {
  if (plant !== 'turns') return routes;
  const named = {};
  for (const [path, handler] of Object.entries(routes))
    named[path] = (request, response, url) => {
      mark(request, path);
      return handler(request, response, url);
    };
  return named;
}

module.exports = { planted, mark, withRoutes, withOwnTail };
