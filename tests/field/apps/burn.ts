import * as http from 'http';
import * as fs from 'fs';
interface Page {
  title: string;
  rows: number[];
}

type Handler = (page: Page) => string;

// comment
export function burnTheLoop(ms: number): number {
  const until: number = Date.now() + ms;
  let rounds = 0;
  while (Date.now() < until) rounds++;
  return rounds;
}

const render: Handler = (page) => `${page.title} ${burnTheLoop(page.rows.length)}`;

// Until a look of the recorder's has told of it; the limit is that of a recorder that never looks.
const store = process.env.TAILPROOF_STORE ?? '.';
const named = (): boolean => fs.readdirSync(store).some((file) => /burn\.m?ts:11:|none\.js:1:/.test(fs.readFileSync(`${store}/${file}`, 'latin1')));
let left = 100;
const timer = setInterval(() => {
  render({ title: 'a', rows: new Array(60).fill(1) });
  if (--left === 0 || named()) clearInterval(timer);
}, 30);
