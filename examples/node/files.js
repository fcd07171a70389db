// SPDX-License-Identifier: GPL-3.0-or-later
// A page made of files: GET /page reads a folder and eight files in it, GET /file reads one.
//
//   PORT=8080 FOLDER=/some/folder node files.js
//
// Without FOLDER it makes one of its own, with eight files of 20 kB.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const serve = require('./serve');

const PARTS = 8;
const folder = process.env.FOLDER || makeFolder();

function makeFolder() {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'));
  for (let i = 0; i < PARTS; i++)
    fs.writeFileSync(path.join(made, `part-${i}.html`), `<p>${i}</p>\n`.repeat(2000));
  process.on('exit', () => fs.rmSync(made, { recursive: true }));
  return made;
}

function fail(response, error) {
  response.statusCode = 500;
  response.end(`${error.message}\n`);
}

function page(request, response) {
  fs.readdir(folder, function listed(error, names) {
    if (error) return fail(response, error);
    const parts = [];
    let left = PARTS;
    names.slice(0, PARTS).forEach((name, i) => {
      fs.readFile(path.join(folder, name), 'utf8', function read(error, text) {
        if (left < 0) return;
        if (error) {
          left = -1;
          return fail(response, error);
        }
        parts[i] = text.length;
        if (--left === 0) response.end(`${parts.join(' ')}\n`);
      });
    });
  });
}

function file(request, response) {
  fs.readFile(path.join(folder, 'part-0.html'), function read(error, bytes) {
    if (error) return fail(response, error);
    response.end(bytes);
  });
}

const routes = { '/page': page, '/file': file };
if (require.main === module) serve(routes);
module.exports = { routes, folder };
