#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the encoder's obligations with the theory's, part by part.

theory_encoder.py THEORY.v FORMULAS CERTIFICATE: THEORY.v is what `tailproof certify --theory` wrote,
FORMULAS what proofs/theory/Print.v made of it, CERTIFICATE the folder of `tailproof certify --out`.

Both sides of an obligation that is proved are false, so whole obligations would be equivalent
whatever they say. Asked is therefore of each part by itself, without the invariants:
  hypotheses   each invariant of the theory is one of the query's assertions, and the other way round
  step         the assertions that are left say that the step is enabled, and the other way round
  goal         under what enables the step, the property after it is that of the query
Sorts of nodes become integers with the family's size as range; what the solver knows of lengths
(no less than 0, no more than the bare name) and of types is known on either side.
"""
import argparse
import json
import os
import re
import sys
import time

from theory_compare import Comparison, Solver
from theory_names import Theory
from theory_text import plain

VERDICTS = ('equivalent', 'one way', 'differs', 'open', 'not generated')


def once(theory, text):
    """The same of an obligation that nothing is sent or charged twice."""
    action, verb, name = re.fullmatch(r'action (\S+) (sends|charges) each (.*) at most once', text).groups()
    action = plain(action).replace('.', '_')
    of = theory.number('a', action)
    number = theory.number(*(('m', plain(name)) if verb == 'sends' else ('c', plain(name))))
    if of is None or number is None:
        return None
    lacking = theory.lacking.get(('protocol',), set()) | theory.lacking.get(('action', str(of)), set())
    return action, ('once.sent' if verb == 'sends' else 'once.charged', str(of), str(number)), lacking


def subject(theory, obligation):
    """(action or None, the theory's line) of an obligation, or why it is not compared."""
    text = obligation['text']
    if obligation['kind'] == 'once':
        return once(theory, text), 'unnamed'
    if obligation['kind'] not in ('step', 'initial'):
        return None, obligation['kind']
    if ' in phase ' in text:
        return None, 'phases'
    match = re.fullmatch(r'(?:action (\S+) keeps|the first state has) (invariant|bound) (.*)', text)
    if match is None:
        return None, text
    action, kind, name = match.groups()
    name = plain(name).replace('.', '_')
    number = theory.number('i', name) if kind == 'invariant' else (
        theory.bounds.index(name) if name in theory.bounds else None)
    if number is None:
        return None, 'unnamed'
    lacking = theory.lacking.get((kind, str(number)), set()) | theory.lacking.get(('protocol',), set())
    if action is None:
        return (None, (kind + '.first', str(number)), lacking), None
    action = plain(action).replace('.', '_')
    of = theory.number('a', action)
    if of is None:
        return None, 'unnamed'
    lacking = lacking | theory.lacking.get(('action', str(of)), set())
    return (action, (kind + '.after', str(of), str(number)), lacking), None


def verdicts(theory, comparison, folder):
    """(obligation, verdict, why) of each obligation of the certificate."""
    manifest = json.load(open(os.path.join(folder, 'manifest.json')))
    for protocol in manifest['protocols']:
        of_actions = {}
        for obligation in protocol['obligations']:
            found, _ = subject(theory, obligation)
            if found is not None and found[0] is not None:
                of_actions.setdefault(found[0], (os.path.join(folder, obligation['file']), found[0], found[1]))
        comparison.learn(list(of_actions.values()))
        for obligation in protocol['obligations']:
            found, why = subject(theory, obligation)
            if found is None:
                yield obligation, 'not generated', why
                continue
            action, key, lacking = found
            if lacking:
                yield obligation, 'not generated', ', '.join(sorted(lacking))
            else:
                yield obligation, *comparison.compare(os.path.join(folder, obligation['file']), action, key)
        for key in comparison.unasked():
            text = f'action {theory.names["a", int(key[1])]} sends each {theory.names["m", int(key[2])]} at most once'
            yield {'id': protocol['protocol'], 'text': text}, 'differs' if comparison.solver.open == 0 else 'open', 'no query asks it'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('theory')
    parser.add_argument('formulas')
    parser.add_argument('certificate')
    parser.add_argument('--timeout', type=int, default=3000, help='milliseconds for each question')
    parser.add_argument('--seconds', type=int, default=600, help='what is not compared then is open')
    parser.add_argument('--out', help='a line for each obligation: verdict, identifier, why, text')
    options = parser.parse_args()
    theory = Theory(options.theory, options.formulas)
    units = re.search(r'(\d+) units', open(options.theory).read())
    solver = Solver(options.timeout, time.monotonic() + options.seconds)
    comparison = Comparison(theory, options.certificate, int(units.group(1)) if units else 1, solver)
    counts, lines = dict.fromkeys(VERDICTS, 0), []
    for obligation, verdict, why in verdicts(theory, comparison, options.certificate):
        counts[verdict] += 1
        lines.append((verdict, obligation['id'], why, obligation['text']))
        if verdict == 'differs':
            print(f'differs: {obligation["id"]}, {obligation["text"]}: {why}')
    if options.out:
        with open(options.out, 'w') as out:
            out.writelines('\t'.join(line) + '\n' for line in lines)
    name = os.path.basename(options.theory)[:-len('.v')].removeprefix('Encoded_')
    print(f'{name}: ' + ', '.join(f'{counts[v]} {v}' for v in VERDICTS) + f', {solver.asked} questions')
    return 1 if counts['differs'] else 0


if __name__ == '__main__':
    sys.exit(main())
