#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contracts of proved functions as checks at run time: requires.py OUT SOURCE...

Writes each source to OUT/SOURCE with a check at the start of every function that has a contract: one
for each of its `requires`. Builds with checks compile these instead; the sources stay as the prover
reads them. A `requires` that is not understood is an error: none goes unchecked in silence. With
--list instead of OUT the checks are printed, one a line.
"""
import os
import re
import sys

CONTRACT = re.compile(r'/\*@\s*(requires\b.*?)\*/\s*', re.S)
HEADING = re.compile(r'([A-Za-z_][\w \t\n]*?[\s*])(\w+)\(([^;{]*?)\)\s*([;{])', re.S)
CLAUSE = re.compile(r'requires\s+(\w+):\s*((?:\\forall\s+integer\s+\w+;)?.*?);', re.S)
TOKEN = re.compile(r'\s*(\\\w+|==>|==|!=|<=|>=|&&|\|\||->|\.\.|\d+|\w+|[-+*<>!()\[\],;&.])')
TYPES = ('\\valid', '\\valid_read')


def parameters(text):
    return [re.search(r'(\w+)(?:\[\w*\])?$', item.strip()).group(1) for item in text.split(',')]


class Translation:
    """A recursive descent over one clause; every method returns C."""

    def __init__(self, text):
        self.tokens = []
        at = 0
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            if match is None:
                raise ValueError(text[at:])
            self.tokens.append(match.group(1))
            at = match.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ''

    def take(self, expected=None):
        token = self.peek()
        if token == '' or (expected is not None and token != expected):
            raise ValueError(f'{token or "the end"} instead of {expected}')
        self.at += 1
        return token

    def whole(self):
        result = self.implication()
        if self.peek() != '':
            raise ValueError(self.peek())
        return result

    def implication(self):
        if self.peek() == '\\forall':
            return self.every()
        left = self.chain('||', lambda: self.chain('&&', self.comparison))
        if self.peek() != '==>':
            return left
        self.take()
        return f'(!({left}) || ({self.implication()}))'

    def every(self):
        """\\forall integer i; low <= i < high ==> ..."""
        self.take()
        self.take('integer')
        name = self.take()
        self.take(';')
        low = self.sum()
        self.take('<=')
        self.take(name)
        self.take('<')
        high = self.sum()
        self.take('==>')
        return (f'__extension__({{ bool requires_all = true; for (requires_integer {name} = {low}; {name} < {high}; {name}++) '
                f'requires_all = requires_all && {self.implication()}; requires_all; }})')

    def chain(self, operator, part):
        parts = [part()]
        while self.peek() == operator:
            self.take()
            parts.append(part())
        return parts[0] if len(parts) == 1 else '(' + f' {operator} '.join(parts) + ')'

    def comparison(self):
        """a <= b < c means a <= b && b < c."""
        if self.peek() in TYPES or self.peek() == '\\separated':
            return self.storage()
        if self.peek() == '!':
            self.take()
            return f'!({self.comparison()})'
        left = self.sum()
        parts = []
        while self.peek() in ('<', '<=', '>', '>=', '==', '!='):
            operator = self.take()
            right = self.sum()
            parts.append(f'{left} {operator} {right}')
            left = right
        return left if not parts else '(' + ' && '.join(parts) + ')'

    def sum(self):
        result = self.product()
        while self.peek() in ('+', '-'):
            operator = self.take()
            result = f'({result} {operator} {self.product()})'
        return result

    def product(self):
        result = self.leaf()
        while self.peek() == '*':
            self.take()
            result = f'({result} * {self.leaf()})'
        return result

    def leaf(self):
        token = self.take()
        if token == '(':
            inner = self.implication()
            self.take(')')
            return f'({inner})'
        if token == '*':
            return f'(requires_integer)*({self.take()})'
        if token.isdigit():
            high, low = divmod(int(token), 1 << 62)
            return f'((requires_integer){low}u + (requires_integer){high}u * ((requires_integer)1 << 62))'
        if not re.fullmatch(r'[A-Za-z_]\w*', token):
            raise ValueError(token)
        if self.peek() == '(':
            return self.predicate(token)
        while self.peek() in ('->', '.', '['):
            operator = self.take()
            if operator == '[':
                token += f'[{self.sum()}]'
                self.take(']')
            else:
                token += operator + self.take()
        return f'(requires_integer)({token})'

    def predicate(self, name):
        """Its arguments are given as they are: they may be pointers."""
        self.take('(')
        arguments = []
        while self.peek() != ')':
            token = self.take()
            if not re.fullmatch(r'\w+', token):
                raise ValueError(token)
            arguments.append(token)
            if self.peek() != ')':
                self.take(',')
        self.take(')')
        return f'{name}({", ".join(arguments)})'

    def storage(self):
        kind = self.take()
        self.take('(')
        spans = [self.span()]
        while self.peek() == ',':
            self.take()
            spans.append(self.span())
        self.take(')')
        if kind in TYPES:
            if len(spans) != 1:
                raise ValueError(kind)
            return f'requires_valid({spans[0]})'
        pairs = [f'requires_separated({a}, {b})' for i, a in enumerate(spans) for b in spans[i + 1:]]
        return '(' + ' && '.join(pairs) + ')'

    def span(self):
        """p, p + (low .. high), or &p[low .. high]."""
        is_array = self.peek() == '&'
        if is_array:
            self.take()
        base, low, high = self.take(), '0', '0'
        if is_array or self.peek() == '+':
            opening = self.take('[') if is_array else self.take('+') and self.take('(')
            low = self.sum()
            self.take('..')
            high = self.sum()
            self.take(']' if opening == '[' else ')')
        return f'(struct requires_span){{{base}, sizeof *({base}), {low}, {high}}}'


def contracts_of(source, text, known):
    """Adds NAME: (parameters, [(label, expression)]) of all contracts in the text."""
    for contract in CONTRACT.finditer(text):
        heading = HEADING.match(text, contract.end())
        clauses = CLAUSE.findall(contract.group(1))
        rest = re.sub(r'//.*', '', contract.group(1))
        if heading is None or len(clauses) != len(re.findall(r'\brequires\b', rest)):
            line = text.count('\n', 0, contract.start()) + 1
            sys.exit(f'{source}:{line}: a contract whose function or whose requires are not understood')
        if 'behavior' in rest and rest.rindex('requires') > rest.index('behavior'):
            sys.exit(f'{source}: {heading.group(2)}: a requires of one behavior alone')
        name = heading.group(2)
        if name in known:
            sys.exit(f'{source}: {name} has two contracts')
        known[name] = (source, parameters(heading.group(3)), clauses)


def check(name, label, expression):
    text = ' '.join(expression.split())
    try:
        condition = Translation(expression).whole()
    except ValueError as error:
        sys.exit(f'{name}: {label}: {text}: not understood at {error}')
    return 'REQUIRES("%s", "%s", "%s", %s);' % (name, label, text.replace('\\', '\\\\'), condition)


def checked(source, text, contracts, found):
    def insert(match):
        name = match.group(2)
        if match.group(4) != '{' or name not in contracts:
            return match.group(0)
        _, names, clauses = contracts[name]
        if parameters(match.group(3)) != names:
            sys.exit(f'{source}: {name}: the parameters have other names than in its contract')
        found.add(name)
        return match.group(0) + ' ' + ' '.join(check(name, *clause) for clause in clauses)

    heading = re.compile(r'^' + HEADING.pattern, re.S | re.M)
    return f'#include "proofs/requires.h"\n#line 1 "{source}"\n' + heading.sub(insert, text)


def main():
    out, sources = sys.argv[1], sys.argv[2:]
    texts, contracts, found = {}, {}, set()
    for source in sources:
        with open(source, encoding='utf-8') as file:
            texts[source] = file.read()
        contracts_of(source, texts[source], contracts)
    results = {source: checked(source, text, contracts, found) for source, text in texts.items()}
    for name in contracts:
        if name not in found:
            sys.exit(f'{contracts[name][0]}: {name} has a contract, but its definition was not found')
    if out == '--list':
        for name, (source, _, clauses) in sorted(contracts.items()):
            for label, expression in clauses:
                print(source, name, label, ' '.join(expression.split()))
        return
    for source, text in results.items():
        path = os.path.join(out, source)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


main()
