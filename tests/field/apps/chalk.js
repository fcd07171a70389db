// SPDX-License-Identifier: GPL-3.0-or-later
// Colours: each style is a module's getter.
'use strict';

const chalk = require('chalk');

const own = new chalk.Instance({ level: 3 });
for (const text of [own.red('red'), own.bold.underline.bgBlue('bold'), own.hex('#a0c0ff')('hex'), own`{green of a {bold template}}`]) {
  console.log(JSON.stringify(text));
}
