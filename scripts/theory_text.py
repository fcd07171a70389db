# SPDX-License-Identifier: GPL-3.0-or-later
"""Formulas of SMT-LIB as lists of lists: read, written, and brought into a form in which many that say the same are the same."""
import re

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


def boolean(x):
    """Without what is true or false whatever the symbols are, in one of the forms that say the same."""
    head = x[0] if x else ''
    if head == '=' and len(x) == 3:
        if x[1] == x[2]:
            return 'true'
        if 'true' in x[1:]:
            return x[2] if x[1] == 'true' else x[1]
        return ['=', *sorted(x[1:], key=show)]
    if head == 'not':
        known = {'true': 'false', 'false': 'true'}
        if isinstance(x[1], str):
            return known.get(x[1], x)
        return x[1][1] if x[1] and x[1][0] == 'not' else x
    if head in ('and', 'or'):
        unit, zero = ('true', 'false') if head == 'and' else ('false', 'true')
        flat = {}
        for y in x[1:]:
            for z in y[1:] if isinstance(y, list) and y and y[0] == head else [y]:
                flat[show(z)] = z
        if zero in flat:
            return zero
        flat.pop(unit, None)
        parts = [flat[key] for key in sorted(flat)]
        return [head, *parts] if len(parts) > 1 else parts[0] if parts else unit
    if head == '=>':
        *given, then = x[1:]
        while isinstance(then, list) and then and then[0] == '=>':
            *more, then = then[1:]
            given += more
        premise = boolean(['and', *given])
        if premise == 'true' or then == 'true':
            return then
        return 'true' if premise == 'false' else boolean(['not', premise]) if then == 'false' else ['=>', premise, then]
    if head == 'ite':
        if x[1] in ('true', 'false'):
            return x[2] if x[1] == 'true' else x[3]
        return x[2] if x[2] == x[3] else x
    return x


def simple(x, depth=0, env=None):
    """The same in a normal form: variables are numbered from the outside, and(or) has its parts in one order."""
    env = env or {}
    if isinstance(x, str):
        return env.get(x, x)
    if x and x[0] in ('forall', 'exists'):
        variables, body = list(x[1]), x[2]
        while isinstance(body, list) and body and body[0] == x[0]:
            variables, body = variables + list(body[1]), body[2]
        inner = {**env, **{name: f'b.{depth + i}' for i, (name, _) in enumerate(variables)}}
        body = simple(body, depth + len(variables), inner)
        if body in ('true', 'false'):
            return body
        return [x[0], [[f'b.{depth + i}', sort] for i, (_, sort) in enumerate(variables)], body]
    return boolean([simple(y, depth, env) for y in x])


def put(x, name, value):
    if isinstance(x, str):
        return value if x == name else x
    return [put(y, name, value) for y in x]


def small(x):
    """With quantifiers that range over 0 and 1, or over both truth values."""
    if isinstance(x, str) or not x:
        return x
    if x[0] not in ('forall', 'exists'):
        return [small(y) for y in x]
    bodies = [small(x[2])]
    for name, sort in x[1]:
        values = ('true', 'false') if sort == 'Bool' else ('0', '1') if sort == 'Int' else None
        if values is None:
            return x
        bodies = [put(body, name, value) for body in bodies for value in values]
    return ['and' if x[0] == 'forall' else 'or', *bodies]
