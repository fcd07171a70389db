import * as http from 'http';

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

let left = 6;
const timer = setInterval(() => {
  render({ title: 'a', rows: new Array(60).fill(1) });
  if (--left === 0) clearInterval(timer);
}, 30);
