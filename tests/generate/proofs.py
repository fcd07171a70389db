#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the proofs of generated C cost: proofs.py [OPTION]... [SPEC[:ROLE]]...

Generates each protocol that has C, proves each role from nothing with the folder's prove.sh, and proves it again from the
answers that this gave. A line for each role goes to build/generated_proofs/results as it is done: goals, how many of them are
open, processor seconds of the proof and (where none is open) of that from kept answers, seconds of the slowest goal. ROLE is a
role of the protocol, or `messages` for what encodes and decodes them. Without names all are proved. What has a line, there or
in tests/generate/proofs.md, and reads what it read then, is not proved again (--again: it is).

    --list               says of each role whether it is proved, open, or has changed since; proves nothing
    --table              writes the lines into tests/generate/proofs.md; proves nothing
    --work FOLDER        instead of build/generated_proofs
    --program TAILPROOF  instead of build/tailproof

PROVE_SECONDS is the limit for a goal (default 60, elapsed), PROVE_JOBS how many provers run side by side (default 1). Exits
with 0 if all that was asked is proved, 1 if goals are open or a name is of no protocol or role.
"""
import argparse
import ctypes
import glob
import hashlib
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(ROOT, 'tests/generate/proofs.md')
PAXOS = 'examples/multi_paxos/paxos.tp'  # of which the example uses two roles
NO_C = pathlib.Path(f'{ROOT}/tests/generate/no_c.txt').read_text(encoding='utf-8').split()
COLUMNS = ('protocol', 'role', 'goals', 'open', 'fresh', 'kept', 'slowest', 'read')
PR_SET_CHILD_SUBREAPER = 36


def protocols():
    """The files with C, by the name that the table has for them."""
    paths = sorted(glob.glob(f'{ROOT}/specs/*.tp')) + sorted(glob.glob(f'{ROOT}/specs/performal/*.tp'))
    found = {os.path.relpath(path, f'{ROOT}/specs'): path for path in paths if os.path.basename(path) not in NO_C}
    return {**found, PAXOS: os.path.join(ROOT, PAXOS)}


def generate(program, protocol, path, work):
    """Writes the C, and gives the folder and what belongs to each role: sources, in the order of proof."""
    folder = os.path.join(work, protocol[:-3].replace('/', '_'))
    shutil.rmtree(folder, ignore_errors=True)
    for role in (['--role', 'leader'], ['--role', 'voter']) if protocol == PAXOS else [[]]:
        subprocess.run([program, 'generate', path, *role, '--out', folder], check=True, stdout=subprocess.DEVNULL)
    sources = sorted(os.path.basename(source) for source in glob.glob(f'{folder}/*.c'))
    sources = [source for source in sources if not source.startswith('tp_')]
    prefix = next(source for source in sources if source.endswith('_message.c'))[:-len('message.c')]
    roles = {}
    for source in sources:
        role = re.sub(r'_step$', '', source[len(prefix):-2])
        roles.setdefault('messages' if role == 'message' else role, []).append(source)
    return folder, roles


def read_by(folder, sources):
    """Digest of what the proof of the sources reads."""
    digest = hashlib.md5()
    for source in sources:
        rule = subprocess.run(['gcc', '-MM', source], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
        for name in sorted(set(re.findall(r'\S+\.(?:c|h|acsl)\b', rule))):
            with open(os.path.join(folder, name), 'rb') as file:
                digest.update(file.read())
    return digest.hexdigest()[:12]


def processor_seconds(command, folder):
    """Runs the command, waits for all that it left behind, and gives what it said and the processor time of it all."""
    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = spent()
    environment = dict(os.environ)
    environment.setdefault('PROVE_SECONDS', '60')
    environment.setdefault('PROVE_JOBS', '1')
    said = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False).stdout
    while True:  # the server of the provers ends behind Frama-C; PR_SET_CHILD_SUBREAPER makes it our child then
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return said, spent() - before


def counted(said, sources):
    """Goals, and how many of them are open."""
    goals = still_open = 0
    for source in sources:
        all_proved = re.search(rf'^{source}: all (\d+) goals', said, re.M)
        some = re.search(rf'^prove: {source}: (\d+) of (\d+) goals proved', said, re.M)
        if not all_proved and not some:
            sys.exit(f'{said}proofs: {source}: no proof')
        goals += int((all_proved or some).groups()[-1])
        still_open += 0 if all_proved else int(some.group(2)) - int(some.group(1))
    return goals, still_open


def slowest(folder):
    """Seconds of the slowest goal that was proved."""
    with open(f'{folder}/answers', encoding='utf-8') as file:
        answers = [line.split() for line in file]
    return max((float(answer[3]) for answer in answers if answer[2] == 'valid' and len(answer) > 3), default=0)


def forget(folder, name):
    if os.path.exists(os.path.join(folder, name)):
        os.remove(os.path.join(folder, name))


def measure(folder, role, sources):
    """Proves the sources from nothing, and again from the answers: the numbers of a line. The answers stay in FOLDER.ROLE."""
    for name in ('answers', 'proved'):
        forget(folder, name)
    said, fresh = processor_seconds(['./prove.sh', '--fresh', *sources], folder)
    goals, still_open = counted(said, sources)
    sys.stdout.write(''.join(f'  {line}\n' for line in said.splitlines() if line.startswith('prove:')))
    kept = '-'
    shutil.copy(f'{folder}/answers', f'{folder}.{role}')
    if not still_open:
        forget(folder, 'proved')
        kept = f"{processor_seconds(['./prove.sh', *sources], folder)[1]:.1f}"
    return goals, still_open, f'{fresh:.1f}', kept, f'{slowest(folder):.1f}'


def results(work):
    """The lines that are known, by protocol and role: the committed ones, and above them those of the results file."""
    known = {}
    for path, separator in ((TABLE, '|'), (os.path.join(work, 'results'), '\t')):
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                for line in file:
                    cells = [cell.strip() for cell in line.strip().strip('|').split(separator)]
                    if len(cells) == len(COLUMNS) and re.fullmatch(r'[0-9a-f]{12}', cells[-1]):
                        known[cells[0], cells[1]] = cells
    return known


def write_table(known):
    """Replaces the rows of the table, in the order of the protocols, and the sums above it."""
    with open(TABLE, encoding='utf-8') as file:
        lines = file.read().split('\n')
    start = next(i for i, line in enumerate(lines) if line.startswith('|---'))
    order = list(protocols())
    rows = [known[key] for key in sorted(known, key=lambda key: (order.index(key[0]), key[1]))]
    goals, still_open = (sum(int(row[i]) for row in rows) for i in (2, 3))
    fresh = sum(float(row[4]) for row in rows)
    total = (f'{len(rows)} rows, {goals} goals: {goals - still_open} proved, {still_open} open; {fresh:.0f} s of processor time '
             'in all.')
    lines = [total if re.match(r'\d+ rows, ', line) else line for line in lines[:start + 1]]
    with open(TABLE, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines + [f'| {" | ".join(row)} |' for row in rows]) + '\n')


def wanted(names, program, work):
    """Protocol, role, folder and sources of what is asked for, in the order of the names."""
    known = protocols()
    for name in names or known:
        protocol, _, role = name.partition(':')
        protocol = os.path.relpath(protocol, 'specs') if protocol.startswith('specs/') else protocol
        if protocol not in known:
            sys.exit(f'proofs: {protocol}: no protocol with C; there are: {" ".join(known)}')
        folder, roles = generate(program, protocol, known[protocol], work)
        if role and role not in roles:
            sys.exit(f'proofs: {protocol}: no role {role}; there are: {" ".join(roles)}')
        for each in [role] if role else roles:
            yield protocol, each, folder, roles[each]


def state(line, digest):
    """What is known of a role that reads this now."""
    if line is None or line[-1] != digest:
        return 'changed'
    return 'proved' if line[3] == '0' else 'open'


def tell(names, program, known):
    """A line for each role."""
    with tempfile.TemporaryDirectory() as work:
        for protocol, role, folder, sources in wanted(names, program, work):
            print(f'{protocol}:{role} {state(known.get((protocol, role)), read_by(folder, sources))}')


def prove(names, program, work, again):
    """Proves what has changed. True if no goal is open."""
    os.makedirs(work, exist_ok=True)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    all_proved = True
    for protocol, role, folder, sources in wanted(names, program, work):
        digest = read_by(folder, sources)
        line = results(work).get((protocol, role))
        if again or state(line, digest) == 'changed':
            line = [protocol, role, *map(str, measure(folder, role, sources)), digest]
            with open(os.path.join(work, 'results'), 'a', encoding='utf-8') as file:
                file.write('\t'.join(line) + '\n')
            print(' '.join(line), flush=True)
        all_proved &= state(line, digest) == 'proved'
    return all_proved


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', default=os.path.join(ROOT, 'build/tailproof'))
    parser.add_argument('--work', default=os.path.join(ROOT, 'build/generated_proofs'))
    for option in ('--list', '--table', '--again'):
        parser.add_argument(option, action='store_true')
    parser.add_argument('names', nargs='*')
    arguments = parser.parse_args()
    if arguments.table:
        write_table(results(arguments.work))
    elif arguments.list:
        tell(arguments.names, arguments.program, results(arguments.work))
    else:
        return 0 if prove(arguments.names, arguments.program, arguments.work, arguments.again) else 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
