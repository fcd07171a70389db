// SPDX-License-Identifier: GPL-3.0-or-later
// What a request asks for, without what differs from request to request or is nobody's business: names, numbers and tokens
// in a path reach neither log nor page. The same as trace/event/route.c, which does so for logs of others.
'use strict';

const KNOWN = 4096; // paths that are remembered
const LONG = 32; // characters of a part

// A word of at most 16 letters, perhaps with a version or a small number behind it (v1, oauth2); a part may have several
// (log-in, app.min.js). Long hexadecimal numbers are none.
const WORD = /^(?:[A-Za-z]{1,16}\d{0,2})?$/;
const HEXADECIMAL = /^(?=.*\d)[0-9a-f-]{8,}$/i;
const isPlain = (part) => part.length <= LONG && !HEXADECIMAL.test(part) && part.split(/[-_.]/).every((word) => WORD.test(word));

// `/users/17/posts?page=2` is `/users/:id/posts`.
const fold = (path) => path.split('/').map((part) => (isPlain(part) || part === '*' || /^:\w+$/.test(part) ? part : ':id')).join('/');

// A pattern of a framework keeps its words and names, and nothing else.
const patternOf = (text) => text.split('/').map((part) => (/^[:*({?]|[:*(]\w*/.test(part) || isPlain(part) ? part : ':id')).join('/');

// Patterns of TAILPROOF_NODE_ROUTES: `/reset/:token /files/*`. A part with `:` is any one, `*` at the end any that follow.
const parse = (text) => (text ?? '').split(/[\s,]+/).filter((one) => one.startsWith('/')).map((one) => ({ one, parts: one.split('/') }));

function matches({ parts }, path) {
  const open = parts[parts.length - 1] === '*';
  if (open ? path.length < parts.length : path.length !== parts.length) return false;
  return parts.every((part, i) => (open && i === parts.length - 1) || part.startsWith(':') || part === '*' || part === path[i]);
}

class Routes {
  constructor(rules) {
    this.rules = parse(rules);
    this.methods = new Map(); // method to url to route
    this.patterns = new Map(); // pattern to the last route that it was part of
  }

  // Of a request whose pattern nobody has told.
  of(method, url) {
    let paths = this.methods.get(method);
    if (paths === undefined) this.methods.set(method, (paths = new Map()));
    let text = paths.get(url);
    if (text === undefined) {
      const path = url.replace(/[?#;].*$/s, '').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
      const parts = path.split('/');
      const rule = this.rules.find((one) => matches(one, parts));
      text = `${method} ${rule?.one ?? fold(path)}`.slice(0, 200);
      if (paths.size >= KNOWN) paths.clear();
      paths.set(url, text);
    }
    return text;
  }

  // Of one that a framework has matched: below a path that is no pattern.
  matched(method, base, pattern) {
    const known = this.patterns.get(pattern);
    if (known !== undefined && known.method === method && known.base === base) return known.text;
    const text = `${method} ${fold(base ?? '')}${patternOf(pattern)}`.slice(0, 200);
    if (this.patterns.size >= KNOWN) this.patterns.clear();
    this.patterns.set(pattern, { method, base, text });
    return text;
  }
}

module.exports = { Routes };
