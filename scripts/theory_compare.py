# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a query of the encoder says what the theory's obligation says: asks a solver of each part."""
import re
import subprocess
import time

from theory_gather import Gathering
from theory_names import KINDS, Query, Translation
from theory_text import conjuncts, plain, show, simple, small, symbols


def unnumbered(parts):
    """The same in each query: sums, sets and extrema have numbers in the order in which a query needs them."""
    return re.sub(r'(?<=[A-Za-z])(?<!\bb)\.\d+\b|(?<=\bmax|\bmin|\bkth)!\d+', '.#', show(parts))


class Solver:
    def __init__(self, timeout, until):
        self.until = until
        self.process = subprocess.Popen(['z3', '-in', '-smt2', f'-t:{timeout}'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.cache, self.asked, self.open = {}, 0, 0

    def ask(self, declarations, asserted):
        text = '\n'.join(declarations + [f'(assert {show(x)})' for x in asserted])
        if text not in self.cache and time.monotonic() > self.until:
            return 'unknown'
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
        return self.cache[text]

    def valid(self, declarations, given, goal):
        """Whether the goal follows: 'unsat' is what the solver says of its negation.

        Where it says nothing, and quantifiers that range over 0 and 1 alone leave room for the negation, the goal does not."""
        if goal == 'true' or goal in given:
            return True
        answer = self.ask(declarations, [*given, ['not', goal]])
        if answer == 'unknown' and self.ask(declarations, [simple(small(x)) for x in [*given, ['not', goal]]]) != 'sat':
            self.open += 1
        return answer == 'unsat'


class Comparison:
    def __init__(self, theory, folder, units, solver):
        self.theory, self.folder, self.solver = theory, folder, solver
        self.units = units
        self.sizes = {}
        for key, lines in theory.lines.items():
            if key[0] == 'role':
                self.sizes[theory.names['r', int(key[1])]] = lines[0]
        self.matched, self.standing, self.met = {}, set(), set()
        self.ways = [Gathering(name, opens, self.ask, self.domain) for name, opens in (('gathered', True), ('collected', False))]
        self.gathering, self.sides = self.ways[0], None

    def ask(self, formula, variables):
        """Whether it holds of all that its symbols stand for in the query that is compared."""
        before = self.solver.open
        if self.sides.unknown(formula, {n for n, _ in variables}):
            return False
        declared = [f'(declare-const {n} {show(self.sides.query.integer(s))})' for n, s in variables]
        given = self.sides.assumed
        answer = self.solver.valid(self.sides.declare([formula, *given]) + declared, given, formula)
        self.solver.open = before
        return answer

    def domain(self, name):
        """The sorts of its arguments, if it is a function of the queries."""
        for declared in (self.sides.query.declared, self.sides.translate.declared, self.gathering.declared):
            if name in declared:
                return declared[name][0]
        return None

    def learn(self, queries):
        """What is asserted in each of these, one of each action."""
        self.standing = set()
        for self.gathering in self.ways if len(queries) > 1 else ():
            each = [{unnumbered(parts) for parts in Sides(self, *query).parts} for query in queries]
            self.standing |= set.intersection(*each)

    def unasked(self):
        """The keys of what the theory asks of a sending, and no query does."""
        without = self.theory.lacking
        for key, lines in self.theory.lines.items():
            if key[0] == 'once.sent' and ('protocol',) not in without and ('action', key[1]) not in without:
                if any((key, i) not in self.met for i in range(len(lines))):
                    yield key

    def equal(self, sides, a, b):
        key = show(a), show(b)
        if key not in self.matched:
            before = self.solver.open
            given = sides.types + sides.assumed
            answer = self.solver.valid(sides.declarations([a, b, *sides.assumed]), given, ['=', a, b])
            if self.solver.open > before:
                return False
            self.matched[key] = answer
        return self.matched[key]

    def follows(self, sides, given, goal, more=()):
        """Whether the goal follows from what is given: from what has the same symbols, else from all."""
        if goal in given or goal == 'true':
            return True
        if self.solver.valid(sides.declarations([*given, goal]), list(given), goal):
            return True
        return bool(more) and self.solver.valid(sides.declarations([*given, *more, goal]), [*given, *more], goal)

    def without_invariants(self, sides):
        """The query's assertions but for the invariants of the state before; or the invariant that none of them is."""
        left = list(sides.hypotheses)
        for formula in sides.invariants:
            found = formula if formula in left else None
            wanted = symbols(formula, set()) & set(sides.query.declared)
            if found is None:
                likely = [h for h in left if symbols(h, set()) & set(sides.query.declared) == wanted]
                found = next((h for h in likely if self.equal(sides, h, formula)), None)
            if found is None:
                found = next((h for h in left if self.equal(sides, h, formula)), None)
            if found is None and not self.gathering.unread(formula):
                return left, formula
            if found is not None:
                left.remove(found)
        return left, None

    def compare(self, path, action, key):
        """(verdict, why): 'equivalent', 'one way' (the query has premises that nothing is held against), 'open' or 'differs'."""
        for self.gathering in self.ways:
            before = self.solver.open
            sides = Sides(self, path, action, key)
            if sides.unnamed:
                self.met.update((key, i) for i in range(len(self.theory.lines.get(key, []))))
                return 'not generated', 'receivers that are no field'
            if any(self.gathering.unread(x) for x in sides.goals(key)):
                self.met.update((key, i) for i in range(len(self.theory.lines.get(key, []))))
                return 'not generated', min(f for x in sides.goals(key) for f in self.gathering.unread(x))
            differs = self.difference(sides, key)
            if differs is None:
                return 'equivalent', ''
            if differs.startswith('one way: '):
                return 'one way', differs[len('one way: '):]
            if not self.gathering.classes:
                break
        return ('open', differs.split('(')[0].strip()) if self.solver.open > before else ('differs', differs)

    def difference(self, sides, key):
        left, missing = self.without_invariants(sides)
        if missing is not None:
            return f'no assertion is the invariant {show(missing)}'
        facts = sides.types + sides.world
        rest = [h for h in left if h in sides.step or not self.follows(sides, facts, h)]
        guards = {f'guards with {f}' for x in sides.step for f in self.gathering.unread(x)}
        standing = {f'invariant with {f}' for x in sides.invariants for f in self.gathering.unread(x)}
        for formula in sides.premises():
            if not self.gathering.unread(formula) and not self.follows(sides, facts + rest, formula):
                return f'the query lacks {show(formula)}'
        more = [h for h in rest if not self.follows(sides, facts + sides.step, h)]
        enabling, unknown = sides.enabling(left), set()
        for formula in more:
            why = self.unwritten(('guards', sides.number), ('rule',)) | guards if formula in enabling else \
                self.unwritten(('invariant',), ('assumption',)) | standing or (set() if sides.is_standing(formula) else {'fact'})
            if not why and (formula in enabling or not sides.is_other(formula)):
                return f'the theory lacks {show(formula)}'
            unknown |= why - {'fact'}
        goals = sides.goals(key)
        if not goals:
            return 'no goal'
        if self.solver.valid(sides.declarations(facts + sides.step), facts + sides.step, 'false'):
            return 'the step is never enabled'
        met = [i for i, g in enumerate(goals)
               if g == sides.asked or self.follows(sides, facts, ['=', g, sides.asked], sides.step)]
        self.met.update((key, i) for i in met)
        if not met:
            return f'another goal: {show(sides.asked)} and {show(goals[0])}'
        return f'one way: {", ".join(sorted(unknown))}' if unknown else None

    def unwritten(self, *premises):
        """Which of these premises the generator has no form for."""
        return {f'{key[0]} with {feature}' for key, why in self.theory.lacking.items()
                if any(key[:len(p)] == p for p in premises) for feature in why}


class Sides:
    """One obligation of both, in one set of names."""

    def __init__(self, comparison, path, action, key):
        theory = comparison.theory
        self.query = Query(path, {r: '0' for r in comparison.sizes})
        number = None if action is None else str(theory.number('a', action))
        self.translate = Translation(theory, self.query, action)
        self.units = comparison.units
        self.translate.own(comparison.sizes)
        for role in list(self.query.sorts):
            self.query.sorts[role] = self.translate(comparison.sizes[plain(role)[len('role.'):]])
        self.query = Query(path, {plain(s)[len('role.'):]: n for s, n in self.query.sorts.items()})
        self.translate.query = self.query
        self.theory, self.number, self.comparison = theory, number, comparison
        comparison.sides = self
        line = theory.lines
        self.assumed = []
        self.assumed = [c for x in line.get(('assumption',), []) for c in self.conjuncts_of(x)]
        self.world = [y for x in line.get(('world',), []) for y in self.conjuncts_of(x)]
        step = line.get(('assumption',), []) + (line.get(('step', number), []) if number is not None else [])
        self.step = [c for x in step for c in self.conjuncts_of(x)]
        self.invariants = []
        if number is not None:
            for name, value in line.items():
                if name[0] == 'invariant.before':
                    self.invariants += [c for x in value for c in self.conjuncts_of(x)]
            if key[0] == 'bound.after':  # with itself as a hypothesis on the state before
                self.invariants += [c for x in line.get(('bound.before', key[2]), []) for c in self.conjuncts_of(x)]
        # Whose receiver no field names there, though the encoder knows one: not compared.
        named = {'new.receiver.' + theory.names['m', int(k[1])] for k in line if k[0] == 'receiver'}
        self.unnamed = any(s.startswith('new.receiver.') and s not in named for x in self.step for s in symbols(x, set()))
        self.invariants = [x for x in self.invariants
                           if all(s in named or not s.startswith('new.receiver.') for s in symbols(x, set()))]
        self.parts = [conjuncts(self.normal(x)) for x in self.query.asserted[:-1]]
        self.hypotheses = [c for parts in self.parts for c in parts]
        self.asked = self.normal(['not', self.query.asserted[-1]])
        types = [*self.query.ranges(), *self.lengths(), *self.receivers()]
        types += [self.translate(x) for x in line.get(('typed',), [])]
        self.types = [c for x in types for c in conjuncts(simple(x))]

    def normal(self, x):
        return simple(self.comparison.gathering(x))

    def conjuncts_of(self, x):
        return conjuncts(self.normal(self.translate(x)))

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
                named = f'x.{key[2]}'
                if len(lines) > 1:  # its owner
                    named = [self.translate.by_key.get('owner.' + lines[1], 'new.owner.' + lines[1]), named]
                    self.translate.declared.setdefault('new.owner.' + lines[1], (['Int'], 'Int'))
                yield ['forall', variables, ['=', receiver, named]]

    def premises(self):
        """What enables the step. A constant that the query does not mention is any that there is."""
        new = [n for n in self.translate.declared if re.fullmatch(r'(picked|executed)\.\d+|read|waited', n)]
        about = [x for x in self.step if symbols(x, set()) & set(new)]
        yield from (x for x in self.step if x not in about)
        if about:
            bound = [[n, self.translate.declared[n][1]] for n in new]
            yield simple(['exists', bound, ['and', *about, 'true']])

    def is_other(self, formula):
        """Whether it speaks of what the theory's formulas have no word for: sums, extrema, sets."""
        return any(n.strip('|').split('.')[0] not in KINDS and ('!' not in n or self.query.declared[n][0])
                   for n in symbols(formula, set()) & set(self.query.declared))

    def is_standing(self, formula):
        """Whether it is asserted in the queries of all actions: an assumption or an invariant; else it is a fact of this query."""
        if self.number is None:
            return not self.is_other(formula)
        return any(formula in parts for parts in self.parts if unnumbered(parts) in self.comparison.standing)

    def enabling(self, left):
        """The parts of the assertion that the step is enabled: the last that is neither a standing one nor a bound or a fact."""
        if self.number is None:
            return []
        return next((parts for parts in reversed(self.parts)
                     if unnumbered(parts) not in self.comparison.standing and any(h in left for h in parts)
                     and not all(self.is_other(part) for part in parts)), [])

    def goals(self, key):
        """What the theory asks: several where an action sends messages of a kind in several statements."""
        return [self.normal(self.translate(x)) for x in self.theory.lines.get(key, [])]

    def declarations(self, formulas):
        return self.declare([*formulas, *self.types])

    def unknown(self, formula, variables):
        """Whether it has symbols of another query."""
        declared = {**self.query.declared, **self.translate.declared, **self.comparison.gathering.declared}
        return any(n not in declared and n not in variables and not n.startswith('b.') and not n[0].isdigit() and ('.' in n or '!' in n)
                   for n in symbols(formula, set()))

    def declare(self, formulas):
        used = set()
        for x in formulas:
            symbols(x, used)
        lines = [f'(define-fun unit () Real (/ 1.0 {self.units}.0))']
        known = {**self.query.declared, **self.translate.declared, **self.comparison.gathering.declared}
        for name, (domain, result) in known.items():
            if name in used:
                sorts = ' '.join(show(self.query.integer(s)) for s in domain)
                lines.append(f'(declare-fun {name} ({sorts}) {show(self.query.integer(result))})')
        return lines
