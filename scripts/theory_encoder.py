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
import subprocess
import sys


TOKEN = re.compile(r'\s*(?:;[^\n]*)?\s*(\(|\)|\|[^|]*\||"[^"]*"|[^\s();]+)')


def parse_all(text):
    stack, position = [[]], 0
    text = text.rstrip()
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            break
        position = match.end()
        token = match.group(1)
        if token == '(':
            stack.append([])
        elif token == ')':
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0]


def show(x):
    return x if isinstance(x, str) else '(' + ' '.join(map(show, x)) + ')'


def expand(x, env):
    """Without `let`, and without patterns."""
    if isinstance(x, str):
        return env.get(x, x)
    if x and x[0] == 'let':
        inner = dict(env)
        inner.update((name, expand(value, env)) for name, value in x[1])
        return expand(x[2], inner)
    if x and x[0] == '!':
        return expand(x[1], env)
    if x and x[0] in ('forall', 'exists'):
        inner = {k: v for k, v in env.items() if k not in {n for n, _ in x[1]}}
        return [x[0], x[1], expand(x[2], inner)]
    return [expand(y, env) for y in x]


def conjuncts(x):
    if isinstance(x, list) and x and x[0] == 'and':
        return [z for y in x[1:] for z in conjuncts(y)]
    return [] if x == 'true' else [x]


def symbols(x, into):
    if isinstance(x, str):
        into.add(x)
    else:
        for y in x:
            symbols(y, into)
    return into


def plain(name):
    return re.sub(r'[^A-Za-z0-9.]', '_', name.strip('|'))


class Theory:
    """What certify --theory wrote: names by number; and the formulas of Print.v."""

    def __init__(self, file, formulas):
        text = open(file).read()
        self.names = {}
        for kind, name, number in re.findall(r'^Definition ([prcmsai])_(\w+) := (\d+)%nat\.', text, re.M):
            self.names[kind, int(number)] = name
        self.bounds = re.findall(r'^Definition b_(\w+) : bound', text, re.M)
        self.variables = {number: name for number, name in re.findall(r'(\d+) \(\*(.*?)\*\)', text)}
        self.timing = re.search(r'timing_of := (\w+)', text).group(1)
        self.states = re.findall(r'owner := r_\w+; sort_of := (\w+)', text)
        self.lossy = {name for name in re.findall(r'trigger_of := Losing m_(\w+) ', text)}
        self.timeouts = re.findall(r'Definition a_(\w+)_action.*?trigger_of := (?:After c_(\w+))?', text, re.S)
        self.timeouts = dict(self.timeouts)
        self.charges = {}
        for name, body in re.findall(r'^Definition a_(\w+)_action(.*?)^\|\}\.', text, re.M | re.S):
            self.charges[name] = re.findall(r'component_charged := c_(\w+)', body)
        self.lines, self.lacking = {}, {}
        for x in parse_all(open(formulas).read()):
            if x[0] == 'lacks':
                key = tuple(x[1]) if isinstance(x[1], list) else (x[1],)
                self.lacking.setdefault(key, set()).add(x[2].strip('"'))
            else:
                self.lines.setdefault(tuple(x[:-1]), []).append(expand(x[-1], {}))

    def number(self, kind, name):
        return next((n for (k, n), m in self.names.items() if k == kind and m == name), None)

    def key(self, symbol):
        """The encoder's name, as plain() makes it, of a symbol of Print.v."""
        kind, *numbers = symbol.split('.')
        numbers = [int(n) for n in numbers]
        if kind in ('sent', 'received', 'lost', 'delivery', 'receiver'):
            return f'{kind}.{self.names["m", numbers[0]]}'
        if kind in ('charged', 'bare'):
            return f'{kind}.{self.names["c", numbers[0]]}'
        if kind == 'occurrence':
            message = self.names['m', numbers[1]] if len(numbers) > 1 else ''
            return f'occurrence.{self.names["c", numbers[0]]}.{message}'
        if kind == 'param':
            return f'param.{self.names["p", numbers[0]]}'
        if kind == 'clock':
            return f'clock.{self.names["r", numbers[0]]}'
        role = self.names['r', numbers[1]]
        return f'state.{role}.{self.names["s", numbers[0]][len(role) + 1:]}'


RESULT = {'sent': 'Bool', 'received': 'Bool', 'lost': 'Bool', 'delivery': 'Real', 'receiver': 'Int', 'charged': 'Bool',
          'bare': 'Real', 'occurrence': 'Real', 'param': 'Int', 'clock': 'Real', 'state': None}
KINDS = tuple(RESULT)
RESULTS = {'Int': 'Int', 'Bool': 'Bool', 'Time': 'Real', 'NodeSet': 'Bool', 'Map': 'Int'}


class Query:
    def __init__(self, path, sizes):
        self.declared, self.asserted, self.sorts = {}, [], {}
        for x in parse_all(open(path).read()):
            if x[0] == 'declare-fun':
                self.declared[x[1]] = (x[2], x[3])
            elif x[0] == 'declare-sort':
                self.sorts[x[1]] = sizes.get(plain(x[1])[len('role.'):])
            elif x[0] == 'assert':
                self.asserted.append(self.relative(expand(x[1], {})))

    def inside(self, name, sort):
        return ['and', ['<=', '0', name], ['<', name, self.sorts[sort]]]

    def relative(self, x):
        """The same of integers: a quantifier over nodes is one over integers in the family's range."""
        if isinstance(x, str):
            return x
        if x and x[0] in ('forall', 'exists'):
            ranges = [self.inside(n, s) for n, s in x[1] if isinstance(s, str) and s in self.sorts]
            body = self.relative(x[2])
            if ranges:
                body = ['=>' if x[0] == 'forall' else 'and', ['and', *ranges, 'true'], body]
            return [x[0], [[n, self.integer(s)] for n, s in x[1]], body]
        return [self.relative(y) for y in x]

    def integer(self, sort):
        return 'Int' if isinstance(sort, str) and sort in self.sorts else sort

    def ranges(self):
        """What is of a sort of nodes is a node: of constants, and of functions where their arguments are."""
        for name, (domain, result) in self.declared.items():
            if result in self.sorts:
                variables = [[f'x.{i}', self.integer(s)] for i, s in enumerate(domain)]
                given = [self.inside(f'x.{i}', s) for i, s in enumerate(domain) if s in self.sorts]
                fact = self.inside([name, *[v for v, _ in variables]] if domain else name, result)
                yield ['forall', variables, ['=>', ['and', *given, 'true'], fact]] if domain else fact


class Translation:
    def __init__(self, theory, query, action):
        self.theory, self.query, self.action = theory, query, action
        self.by_key = {plain(name): name for name in query.declared}
        self.fresh, self.declared = {}, {}
        for name in query.declared:
            match = re.fullmatch(r'\|?(.*)!(\d+)\|?', name)
            if match and not query.declared[name][0]:
                self.fresh.setdefault(plain(match.group(1)), []).append((int(match.group(2)), name))
        for names in self.fresh.values():
            names.sort()
        self.used = {}
        self.components = []
        if action is not None:
            waits = theory.timeouts.get(action)
            self.components = [waits] if waits else []
            self.components += theory.charges.get(action, [])

    def constant(self, symbol, base, sort, place=0):
        """The encoder's constant for what the step picks: the next of that name; else a new one."""
        if symbol not in self.used:
            names = self.fresh.get(plain(base), []) if base else []
            if place < len(names):
                self.used[symbol] = names[place][1]
            else:
                self.declared[symbol] = ([], sort)
                self.used[symbol] = symbol
        name = self.used[symbol]
        if sort == 'Int' and self.query.declared.get(name, ([], ''))[1] == 'Bool':
            return ['ite', name, '1', '0']
        return name

    def picked(self, symbol):
        if symbol == 'read':
            if symbol not in self.used:
                taken = {plain(c) for c in self.theory.charges.get(self.action, [])} | set(self.components)
                left = [n for base, names in self.fresh.items() if base not in taken
                        for k, n in names if self.query.declared[n][1] == 'Real']
                if len(left) == 1:
                    self.used[symbol] = left[0]
            return self.constant(symbol, None, 'Real')
        if symbol == 'waited':
            return self.constant(symbol, self.theory.timeouts.get(self.action), 'Real')
        kind, number = symbol.split('.')
        if kind == 'picked':
            return self.constant(symbol, self.theory.variables.get(number), 'Int')
        waits = 1 if self.theory.timeouts.get(self.action) else 0
        component = self.components[waits + int(number)]
        return self.constant(symbol, component, 'Real', self.components[:waits + int(number)].count(component))

    def apply(self, symbol, arguments):
        kind = symbol.split('.')[0]
        key = self.theory.key(symbol)
        if kind in ('received', 'lost'):
            message = key.split('.', 1)[1]
            if message not in self.theory.lossy:
                return 'false' if kind == 'lost' else self.function(key, symbol, arguments)
            gone = self.function('received.' + message, symbol, arguments)
            lost = self.function('lost.' + message, symbol, arguments)
            return ['and', gone, lost if kind == 'lost' else ['not', lost]]
        return self.function(key, symbol, arguments)

    def function(self, key, symbol, arguments):
        kind = key.split('.')[0]
        name = self.by_key.get(key)
        if name is None:
            result = RESULT[kind] or RESULTS[self.theory.states[int(symbol.split('.')[1])]]
            self.declared.setdefault('new.' + key, (['Int'] * len(arguments), result))
            name = 'new.' + key
            domain, result = self.declared[name]
        else:
            domain, result = self.query.declared[name]
        arguments = [['=', a, '1'] if s == 'Bool' else a for a, s in zip(arguments, domain)]
        value = [name, *arguments] if arguments else name
        number = RESULT[kind] == 'Int' or kind == 'state' and self.theory.states[int(symbol.split('.')[1])] in ('Int', 'Map')
        return ['ite', value, '1', '0'] if result == 'Bool' and number else value

    def __call__(self, x):
        if isinstance(x, str):
            head = x.split('.')[0]
            if x in ('read', 'waited') or re.fullmatch(r'(picked|executed)\.\d+', x):
                return self.picked(x)
            if head in KINDS and re.fullmatch(r'[a-z]+(\.\d+)+', x):
                return self.apply(x, [])
            return x
        if x and isinstance(x[0], str) and x[0].split('.')[0] in KINDS and re.fullmatch(r'[a-z]+(\.\d+)+', x[0]):
            return self.apply(x[0], [self(y) for y in x[1:]])
        if x and x[0] in ('forall', 'exists'):
            return [x[0], x[1], self(x[2])]
        return [self(y) for y in x]


class Solver:
    def __init__(self, timeout):
        self.process = subprocess.Popen(['z3', '-in', '-smt2', f'-t:{timeout}'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.cache, self.asked, self.open = {}, 0, 0

    def valid(self, declarations, given, goal):
        """Whether the goal follows: 'unsat' is what the solver says of its negation."""
        if goal == 'true' or goal in given:
            return True
        lines = declarations + [f'(assert {show(x)})' for x in given] + [f'(assert (not {show(goal)}))']
        text = '\n'.join(lines)
        if text not in self.cache:
            self.asked += 1
            self.process.stdin.write(f'(push)\n{text}\n(check-sat)\n(pop)\n(echo "end")\n')
            self.process.stdin.flush()
            answer = []
            while True:
                line = self.process.stdout.readline().strip()
                if line == 'end' or not line:
                    break
                answer.append(line)
            if any(line.startswith('(error') for line in answer):
                raise RuntimeError('\n'.join(answer) + '\n' + text)
            self.cache[text] = answer[-1] if answer else 'unknown'
        if self.cache[text] == 'unknown':
            self.open += 1
        return self.cache[text] == 'unsat'


class Comparison:
    def __init__(self, theory, folder, units, solver):
        self.theory, self.folder, self.solver = theory, folder, solver
        self.units = units
        self.sizes = {}
        for (kind, number), lines in ((k, v) for k, v in theory.lines.items() if k[0] == 'role'):
            self.sizes[theory.names['r', int(number)]] = lines[0]
        self.matched = {}

    def equal(self, sides, a, b):
        key = show(a), show(b)
        if key not in self.matched:
            before = self.solver.open
            answer = self.solver.valid(sides.declarations([a, b]), sides.types, ['=', a, b])
            if self.solver.open > before:
                return False
            self.matched[key] = answer
        return self.matched[key]

    def compare(self, path, action, property_key):
        """'equivalent', or what differs."""
        sides = Sides(self, path, action, property_key)
        if sides.unnamed:
            return 'unnamed'
        left = list(sides.hypotheses)
        for formula in sides.invariants:
            found = next((h for h in left if h == formula), None)
            wanted = symbols(formula, set()) & set(sides.query.declared)
            if found is None:
                likely = [h for h in left if symbols(h, set()) & set(sides.query.declared) == wanted]
                found = next((h for h in likely if self.equal(sides, h, formula)), None)
            if found is None:
                found = next((h for h in left if self.equal(sides, h, formula)), None)
            if found is None:
                return f'no assertion is the invariant {show(formula)}'
            if left.count(found) > 0:
                left.remove(found)
        facts = sides.types + sides.world
        rest = [h for h in left if h in sides.step or not self.solver.valid(sides.declarations(facts + [h]), facts, h)]
        declarations = sides.declarations(facts + rest + sides.step)
        for formula in sides.premises():
            if not self.solver.valid(declarations, facts + rest, formula):
                return f'the query lacks {show(formula)}'
        more = [h for h in rest if not self.solver.valid(declarations, facts + sides.step, h)]
        for formula in more:
            if self.theory.timing == 'StandardModel' and not sides.is_other(formula):
                return f'the theory lacks {show(formula)}'
        if self.theory.timing == 'StandardModel' and not any(k[0] == 'invariant' for k in self.theory.lacking):
            more = []  # what is left are the encoder's facts, of sums, extrema, sets
        goal = sides.goal(property_key)
        if goal is None:
            return 'no goal'
        declarations = sides.declarations(facts + sides.step + [goal, sides.asked])
        if self.solver.valid(declarations, facts + sides.step, 'false'):
            return 'the step is never enabled'
        if not self.solver.valid(declarations, facts + sides.step, ['=', goal, sides.asked]):
            return f'another goal: {show(sides.asked)} and {show(goal)}'
        return 'one way' if more else 'equivalent'


class Sides:
    """One obligation of both, in one set of names."""

    def __init__(self, comparison, path, action, key):
        theory = comparison.theory
        self.query = Query(path, {r: '0' for r in comparison.sizes})
        number = None if action is None else str(theory.number('a', action))
        self.translate = Translation(theory, self.query, action)
        self.units = comparison.units
        for role in list(self.query.sorts):
            self.query.sorts[role] = self.translate(comparison.sizes[plain(role)[len('role.'):]])
        self.query = Query(path, {plain(s)[len('role.'):]: n for s, n in self.query.sorts.items()})
        self.translate.query = self.query
        self.theory, self.number = theory, number
        line = theory.lines
        self.world = [self.translate(x) for x in line.get(('world',), [])]
        step = line.get(('assumption',), []) + (line.get(('step', number), []) if number is not None else [])
        self.step = [c for x in step for c in conjuncts(self.translate(x))]
        self.invariants = []
        if number is not None:
            for name, value in line.items():
                if name[0] == 'invariant.before':
                    self.invariants += [c for x in value for c in conjuncts(self.translate(x))]
            if key[0] == 'bound.after':  # with itself as a hypothesis on the state before
                self.invariants += [c for x in line['bound.before', key[2]] for c in conjuncts(self.translate(x))]
        # Whose receiver no field names there, though the encoder knows one: not compared.
        named = {'new.receiver.' + theory.names['m', int(k[1])] for k in line if k[0] == 'receiver'}
        self.unnamed = any(s.startswith('new.receiver.') and s not in named for x in self.step for s in symbols(x, set()))
        self.invariants = [x for x in self.invariants
                           if all(s in named or not s.startswith('new.receiver.') for s in symbols(x, set()))]
        self.hypotheses = [c for x in self.query.asserted[:-1] for c in conjuncts(x)]
        asked = self.query.asserted[-1]
        self.asked = asked[1] if asked[0] == 'not' else ['not', asked]
        self.types = list(self.query.ranges()) + list(self.lengths()) + list(self.receivers())
        self.types += [self.translate(x) for x in line.get(('typed',), [])]

    def lengths(self):
        """No length is negative, or longer than its bare name."""
        for name, (domain, _) in self.query.declared.items():
            kind, *parts = name.strip('|').split('.')
            if kind == 'bare':
                yield ['<=', '0.0', name]
            bare = f'bare.{parts[0]}' if kind == 'occurrence' else None
            if bare in self.query.declared:
                variables = [[f'x.{i}', self.query.integer(s)] for i, s in enumerate(domain)]
                length = [name, *[v for v, _ in variables]] if domain else name
                fact = ['and', ['<=', '0.0', length], ['<=', length, bare]]
                yield ['forall', variables, fact] if domain else fact

    def receivers(self):
        """A message whose field names its receiver is received by that node."""
        for key, lines in self.theory.lines.items():
            if key[0] == 'receiver':
                fields = int(lines[0])
                variables = [[f'x.{i}', 'Int'] for i in range(fields)]
                receiver = self.translate(['receiver.' + key[1], *[v for v, _ in variables]])
                yield ['forall', variables, ['=', receiver, f'x.{key[2]}']]

    def premises(self):
        """What enables the step. A constant that the query does not mention is any that there is."""
        new = [n for n in self.translate.declared if re.fullmatch(r'(picked|executed)\.\d+|read|waited', n)]
        about = [x for x in self.step if symbols(x, set()) & set(new)]
        yield from (x for x in self.step if x not in about)
        if about:
            bound = [[n, self.translate.declared[n][1]] for n in new]
            yield ['exists', bound, ['and', *about, 'true']]

    def is_other(self, formula):
        """Whether it speaks of what the theory's formulas have no word for: sums, extrema, `now`."""
        return any(not self.query.declared[n][0] == [] or '!' not in n
                   for n in symbols(formula, set()) & set(self.query.declared)
                   if n.strip('|').split('.')[0] not in KINDS)

    def goal(self, key):
        lines = self.theory.lines.get(key)
        return None if lines is None else self.translate(lines[0])

    def declarations(self, formulas):
        used = set()
        for x in formulas:
            symbols(x, used)
        for x in self.types:
            symbols(x, used)
        lines = [f'(define-fun unit () Real (/ 1.0 {self.units}.0))']
        for name, (domain, result) in {**self.query.declared, **self.translate.declared}.items():
            if name in used:
                sorts = ' '.join(show(self.query.integer(s)) for s in domain)
                lines.append(f'(declare-fun {name} ({sorts}) {show(self.query.integer(result))})')
        return lines


def subject(theory, obligation):
    """(action or None, the theory's line) of an obligation, or why it is not compared."""
    text = obligation['text']
    if obligation['kind'] not in ('step', 'initial'):
        return None, obligation['kind']
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('theory')
    parser.add_argument('formulas')
    parser.add_argument('certificate')
    parser.add_argument('--timeout', type=int, default=3000, help='milliseconds for each question')
    parser.add_argument('--verbose', action='store_true')
    options = parser.parse_args()
    theory = Theory(options.theory, options.formulas)
    units = re.search(r'(\d+) units', open(options.theory).read())
    solver = Solver(options.timeout)
    comparison = Comparison(theory, options.certificate, int(units.group(1)) if units else 1, solver)
    manifest = json.load(open(os.path.join(options.certificate, 'manifest.json')))
    counts, differ, uncovered = {'equivalent': 0, 'one way': 0, 'open': 0}, [], {}
    for protocol in manifest['protocols']:
        for obligation in protocol['obligations']:
            found, why = subject(theory, obligation)
            if found is None:
                uncovered[why] = uncovered.get(why, 0) + 1
                continue
            action, key, lacking = found
            if lacking:
                for feature in sorted(lacking)[:1]:
                    uncovered[feature] = uncovered.get(feature, 0) + 1
                continue
            before = solver.open
            result = comparison.compare(os.path.join(options.certificate, obligation['file']), action, key)
            if result == 'unnamed':
                uncovered['receivers that are no field'] = uncovered.get('receivers that are no field', 0) + 1
            elif result in counts:
                counts[result] += 1
            elif solver.open > before:
                counts['open'] += 1  # the solver does not say in time
            else:
                differ.append((obligation['id'], obligation['text'], result))
    for line in differ if options.verbose else differ[:3]:
        print('differs: %s, %s: %s' % line)
    print(f'{manifest["protocols"][0]["protocol"]}: {counts["equivalent"]} equivalent, {counts["one way"]} one way, '
          f'{len(differ)} differ, {counts["open"]} open, '
          + f'{sum(uncovered.values())} not compared ('
          + ', '.join(f'{n} {w}' for w, n in sorted(uncovered.items()))
          + f'), {solver.asked} questions')
    return 1 if differ else 0


if __name__ == '__main__':
    sys.exit(main())
