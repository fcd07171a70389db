// SPDX-License-Identifier: GPL-3.0-or-later
// What the examples share: a server of routes at PORT of this host. It knows nothing of Tailproof.
'use strict';
const http = require('http');

// routes: { '/page': (request, response, url) => ... }
function serve(routes, ready) {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const route = routes[url.pathname];
    if (route === undefined) {
      response.statusCode = 404;
      response.end('no such page\n');
      return;
    }
    route(request, response, url);
  });
  server.listen(Number(process.env.PORT || 8080), '127.0.0.1', () => {
    console.log(`listens at port ${server.address().port}`);
    if (ready) ready(server);
  });
  process.on('SIGTERM', () => process.exit(0));
  return server;
}

module.exports = serve;
