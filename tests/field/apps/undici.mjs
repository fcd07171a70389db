// SPDX-License-Identifier: GPL-3.0-or-later
// A client of HTTP, from an ES module: its parser is WebAssembly, its globals are made by getters.
import * as undici from 'undici';
import { use } from './use_undici.mjs';

await use(undici);
