// SPDX-License-Identifier: GPL-3.0-or-later
// When what is planted makes the server slow: PLANT=1 always, PLANT=0 never, PLANT=turns for two seconds out of four, by
// the clock, so that all processes agree. OWN_TAIL=1: some pages are slow by themselves.
'use strict';
const TURN = 2000; // ms
const AFTER = 300; // ms in which a turn may still feel the one before

const SLOW_ONE_IN = 20; // pages
const SLOW_LEAST = 10; // ms
const SLOW_RANGE = 20; // ms

const plant = process.env.PLANT;

function planted() {
  return plant === 'turns' ? Math.floor(Date.now() / TURN) % 2 === 0 : plant !== '0';
}

// What the path of a request begins with in the recording.
function prefix() {
  if (Date.now() % TURN < AFTER) return '/between';
  return planted() ? '' : '/quiet';
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

// As a framework would, the routes say which of them a request matched.
function withRoutes(routes) {
  if (plant !== 'turns') return routes;
  const named = {};
  for (const [path, handler] of Object.entries(routes))
    named[path] = (request, response, url) => {
      request.route = { path: prefix() + path };
      return handler(request, response, url);
    };
  return named;
}

module.exports = { planted, withRoutes, withOwnTail };
