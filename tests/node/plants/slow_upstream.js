// SPDX-License-Identifier: GPL-3.0-or-later
// The example's upstream, of which some answers are slow (SLOW_IN) while that is planted.
'use strict';
const { planted } = require('./turns');

const random = Math.random;
Math.random = () => (planted() ? random() : 1);
require('../../../examples/node/upstream');
