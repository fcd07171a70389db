#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of what is compared of the encoder's queries with the theory's formulas.

theory_compared.py FOLDER writes proofs/theory/compared.md from what proofs/theory/encoder.sh left in FOLDER (a line for each
obligation: verdict, identifier, why, text). Of a protocol that it left nothing of the row stays. With --check it compares
nothing, and fails when a shipped protocol has no row.
"""
import collections
import glob
import os
import re
import sys
import textwrap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
TABLE = os.path.join(ROOT, 'proofs/theory/compared.md')
VERDICTS = ('equivalent', 'one way', 'differs', 'open', 'not generated')
HEAD = """# The encoder's queries beside the theory's formulas

Made by `scripts/theory_compared.py` from what `make theory-against-encoder` left;
[README.md](README.md#the-encoder-beside-the-theory) says what is compared. A row for each shipped
protocol, a number for each of its obligations:

* *equivalent*: each part of the query follows from the theory's, and the other way round.
* *one way*: all that the theory says is in the query; the query has a premise more that the generator does not write. It is
  named, and nothing is said of it.
* *differs*: a part says something else. *open*: the solver does not say in time.
* *not generated*: the generator has no form for the obligation; the last column says for which construct.
* *not run*: the protocol was not compared, or took longer than the limit. *refused*: `certify --theory` does not cover it.

A row stays until its protocol is compared again, so a construct that it names may have a form by now.

"""


def protocols():
    """The name of each shipped protocol, and its file without the ending."""
    for path in sorted(glob.glob(os.path.join(ROOT, 'specs/*.tp')) + glob.glob(os.path.join(ROOT, 'specs/*/*.tp'))):
        shown = os.path.relpath(path, os.path.join(ROOT, 'specs'))[:-len('.tp')]
        yield shown.replace('/', '_'), shown


def reasons(lines, verdict):
    """'12 sums, 3 once': the first reason of each obligation."""
    counts = collections.Counter(why.split(', ')[0] for v, _, why, _ in lines if v == verdict)
    return ', '.join(f'{n} {why}' for why, n in sorted(counts.items(), key=lambda x: (-x[1], x[0])))


def row(shown, lines):
    if not lines:
        return [shown, *[''] * len(VERDICTS), 'not run']
    if lines[0][0] == 'refused':
        return [shown, *[''] * len(VERDICTS), f'refused: {lines[0][2]}']
    counts = collections.Counter(v for v, *_ in lines)
    why = '; '.join(f'{v}: {reasons(lines, v)}' for v in VERDICTS[1:] if counts[v])
    return [shown, *[str(counts[v]) if counts[v] else '' for v in VERDICTS], why]


def rows_now():
    """The cells of each row that the table has, by protocol."""
    lines = open(TABLE).read().splitlines() if os.path.exists(TABLE) else []
    cells = ([cell.strip() for cell in line.split('|')[1:-1]] for line in lines if re.match(r'\| [a-z]\S* \|', line))
    return {row[0]: row for row in cells}


def table(folder):
    rows, total, why, old = [], collections.Counter(), collections.Counter(), rows_now()
    for name, shown in protocols():
        file = os.path.join(folder, name)
        lines = [line.split('\t') for line in open(file).read().splitlines()] if os.path.exists(file) else []
        rows.append(row(shown, lines) if lines or shown not in old else old[shown])
        total.update({v: int(n or 0) for v, n in zip(VERDICTS, rows[-1][1:])})
        for part in rows[-1][-1].split('; '):
            if part.startswith('not generated: '):
                why.update({w: int(n) for n, w in re.findall(r'(\d+) ([^,]+)', part.split(': ', 1)[1])})
    text = HEAD + '| protocol | ' + ' | '.join(VERDICTS) + ' | why |\n' + '|---' * (len(VERDICTS) + 2) + '|\n'
    text += ''.join('| ' + ' | '.join(r) + ' |\n' for r in rows)
    text += '| *all* | ' + ' | '.join(f'{total[v]:,}' for v in VERDICTS) + ' | |\n\n'
    last = 'Not generated, by the first construct: ' + ', '.join(f'{w} {n:,}' for w, n in why.most_common()) + '.'
    return text + textwrap.fill(last, 128) + '\n'


def check():
    shown = set(re.findall(r'^\| ([a-z]\S*) \|', open(TABLE).read(), re.M))
    missing = [name for _, name in protocols() if name not in shown]
    for name in missing:
        print(f'proofs/theory/compared.md: no row for specs/{name}.tp', file=sys.stderr)
    return 1 if missing else 0


if __name__ == '__main__':
    if sys.argv[1:] == ['--check']:
        sys.exit(check())
    text = table(sys.argv[1])
    with open(TABLE, 'w') as out:
        out.write(text)
