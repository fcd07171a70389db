// SPDX-License-Identifier: GPL-3.0-or-later
// When what is planted makes the server slow: PLANT=1 always, PLANT=0 never, PLANT=turns for two seconds out of four, by
// the clock, so that all processes agree.
'use strict';
const TURN = 2000; // ms
const AFTER = 300; // ms in which a turn may still feel the one before

const plant = process.env.PLANT;

function planted() {
  return plant === 'turns' ? Math.floor(Date.now() / TURN) % 2 === 0 : plant !== '0';
}

// What the path of a request begins with in the recording.
function prefix() {
  if (Date.now() % TURN < AFTER) return '/between';
  return planted() ? '' : '/quiet';
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

module.exports = { planted, withRoutes };
