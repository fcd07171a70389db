// SPDX-License-Identifier: GPL-3.0-or-later
// node --import tailproof-node/index.mjs app.mjs
import './index.js';
