// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing added: for plants outside the server, and for runs in which nothing is to be blamed.
'use strict';
require('./planted').start();
