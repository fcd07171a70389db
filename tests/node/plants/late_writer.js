// SPDX-License-Identifier: GPL-3.0-or-later
// The other end of the FIFOs of disk.js.
'use strict';
const fs = require('fs');

process.on('message', fifo => setTimeout(() => fs.writeFile(fifo, 'late', () => {}), 40));
process.on('disconnect', () => process.exit(0));
