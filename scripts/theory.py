#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The theory in Coq beside the code that it is about: which hypothesis of a theorem an obligation is.

    scripts/theory.py [FOLDER]          prints the table of proofs/theory/README.md; FOLDER: the tree
    scripts/theory.py [FOLDER] --write  puts it there
    scripts/theory.py [FOLDER] --check  complains of what does not fit; exit 1 if anything does not
    scripts/theory.py [FOLDER] --ask    prints the file in Coq that asks of each theorem what it assumes

A kind of solver/prove/proof.h has tags, comments `OBLIGATION_KIND ...` in front of a field of a record `..._proved`, or a line
`NOT YET OBLIGATION_KIND: why`. Every field of such a record has a tag, and every such record is a hypothesis of a theorem.
What a comment quotes of the code must stand there, so that who changes the meaning of a protocol sees the theory."""
import glob
import os
import re
import sys

KINDS = "solver/prove/proof.h"
SOURCES = ("lang/model.h", "lang/term.h", KINDS, "solver/prove/progress.h", "solver/prove/property.c", "SOUNDNESS.md",
           "solver/encode/fifo.h", "solver/encode/sum.c", "solver/encode/power.c", "solver/encode/cardinality.h", "solver/encode/integer_sum.c",
           "solver/encode/extremum.c", "solver/encode/order_statistic.c")
FACTS = "solver/encode/fact.def"
PAGE = "proofs/theory/README.md"
START, END = "<!-- obligations -->\n", "<!-- end of obligations -->"
FACT_START, FACT_END = "<!-- facts -->\n", "<!-- end of facts -->"
TAGGED = re.compile(r"\(\* ((?:FACT_\w+,? ?)+)((?:(?!\*\)).)*)\*\)\n(?:Lemma|Theorem) (\w+)", re.S)
FORBIDDEN = r"\b(Admitted|admit|Axioms?|Parameters?|Conjectures?|Hypothes[ie]s|Primitive|bypass_check|Unset)\b"
RECORD = re.compile(r"^Record (\w+_proved)\b[^\n]*:= \{\n(.*?)^\}\.", re.M | re.S)
FIELD = re.compile(r"^  (?:\(\* (OBLIGATION_\w+)([^*]*)\*\)\n  )?(\w+) :", re.M)
THEOREM = re.compile(r"^(?:Theorem|Lemma|Corollary) (\w+)(.*?)\nProof", re.M | re.S)


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def words(text):
    """Text of a comment as one line: without the stars at the starts of lines, and what Markdown marks."""
    return " ".join(re.sub(r"^ *\*(?= |$)|`", " ", text, flags=re.M).split())


def kinds():
    """Each kind, with the first sentence of its comment."""
    body = re.search(r"enum obligation_kind \{(.*?)\n\};", read(KINDS), re.S).group(1)
    found = re.findall(r"(OBLIGATION_\w+),\s*/\*(.*?)\*/", body, re.S)
    named = re.findall(r"^\s*(OBLIGATION_\w+)\b", body, re.M)
    said = {kind: re.split(r"[;:](?: |$)", words(comment))[0] for kind, comment in found}
    return {kind: said.get(kind, "") for kind in named}


def facts():
    """Each schema of the encoder, with what it says."""
    return dict(re.findall(r'^FACT\((\w+), "([^"]*)"\)', read(FACTS), re.M))


def assumed():
    """The schemas that the encoder asserts, and the files that assert something past it."""
    used, past = set(), []
    for name in sorted(glob.glob("solver/encode/*.[ch]")):
        text = read(name)
        used |= set(re.findall(r"\bFACT_(\w+)", text))
        if name != "solver/encode/encoder.c" and re.search(r"vector_push\(&\w+->axioms", text):
            past.append(name)
    return used, past


class Theory:
    """What the files in Coq say: fields by kind, kinds that are not yet used, and complaints."""

    def __init__(self):
        self.texts = {os.path.basename(name)[:-2]: read(name) for name in sorted(glob.glob("proofs/theory/*.v"))}
        self.fields, self.open, self.theorems, self.wrong, self.lemmas = {}, {}, [], [], {}
        for name, text in self.texts.items():
            self.add(name, text)

    def add(self, name, text):
        """The statements of one file."""
        code = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
        self.wrong += [f"{name}.v: {found.group()} is not for this folder" for found in re.finditer(FORBIDDEN, code)]
        theorems = THEOREM.findall(code)
        self.theorems += [f"{name}.{theorem}" for theorem, _ in theorems]
        for tags, _, lemma in TAGGED.findall(text):
            for fact in re.findall(r"FACT_(\w+)", tags):
                self.lemmas.setdefault(fact, []).append(f"{name}.{lemma}")
        for kind, why in re.findall(r"NOT YET (OBLIGATION_\w+): ([^\n]*)", text):
            self.open[kind] = why.replace("*)", "").strip()
        for record, body in RECORD.findall(text):
            if not any(record in said for _, said in theorems):
                self.wrong.append(f"{name}.v: no theorem rests on {record}")
            for kind, detail, field in FIELD.findall(body):
                if kind:
                    self.fields.setdefault(kind, []).append((f"{name}.{field}", detail.strip()))
                else:
                    self.wrong.append(f"{name}.v: {field} of {record} has no tag")

    def check_quotes(self):
        """Each quotation of three words or more stands in the code."""
        sources = [words(read(name)) for name in SOURCES]
        for name, text in self.texts.items():
            for comment in re.findall(r"\(\*.*?\*\)", text, re.S):
                for quote in re.findall(r'"([^"]*)"', comment):
                    for part in words(quote).split("[...]"):
                        part = part.strip().rstrip(".,;:")
                        if part.count(" ") >= 2 and not any(part in source for source in sources):
                            self.wrong.append(f'{name}.v quotes "{part}", which is said nowhere')


def table(theory):
    """The rows, in the order of the code."""
    lines = ["| obligation | what it says | in the theory |", "|---|---|---|"]
    for kind, said in kinds().items():
        here = [f"`{field}`" + (f" ({detail})" if detail else "") for field, detail in theory.fields.get(kind, [])]
        place = ", ".join(here) or "not yet: " + theory.open.get(kind, "?")
        lines.append(f"| {kind[len('OBLIGATION_'):]} | {said} | {place} |")
    return "\n".join(lines) + "\n"


def fact_table(theory):
    """The rows, in the order of the code."""
    rows = [f"| {name} | {says} | {', '.join(f'`{lemma}`' for lemma in theory.lemmas.get(name, []))} |" for name, says in facts().items()]
    return "\n".join(["| fact | what it says | lemma |", "|---|---|---|"] + rows) + "\n"


def wrong_facts(theory):
    """Schemas without a lemma, lemmas without a schema, and what is asserted without a name."""
    known, (used, past) = facts(), assumed()
    wrong = [f"{FACTS}: {name} has no lemma in proofs/theory" for name in known if name not in theory.lemmas]
    wrong += [f"{FACTS}: {name} is asserted nowhere" for name in known if name not in used]
    wrong += [f"proofs/theory: FACT_{name} is no schema of {FACTS}" for name in theory.lemmas if name not in known]
    return wrong + [f"{name} asserts an axiom without a name: encoder_assume is for that" for name in past]


def complaints(theory):
    """What does not fit."""
    theory.check_quotes()
    known = kinds()
    wrong = theory.wrong
    for kind in known:
        if kind not in theory.fields and kind not in theory.open:
            wrong.append(f"{KINDS}: {kind} is neither a hypothesis in proofs/theory nor said not to be one yet")
        if kind in theory.fields and kind in theory.open:
            wrong.append(f"{kind} is a hypothesis in proofs/theory and said not to be one yet")
    wrong += [f"proofs/theory: {kind} is no kind of {KINDS}" for kind in {**theory.fields, **theory.open} if kind not in known]
    wrong += wrong_facts(theory)
    if put(theory) != read(PAGE):
        wrong.append(f"{PAGE}: its table is not what scripts/theory.py prints")
    return wrong


def put(theory):
    """The page with the table, and with how many theorems there are in what it shows of `make theory`."""
    shown = re.sub(r"all \d+ theorems and lemmas", f"all {len(theory.theorems)} theorems and lemmas", read(PAGE))
    for start, rows, end in ((START, table(theory), END), (FACT_START, fact_table(theory), FACT_END)):
        before, rest = shown.split(start)
        shown = before + start + rows + end + rest.split(end)[1]
    return shown


def main():
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    folders = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    os.chdir(folders[0] if folders else os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
    theory = Theory()
    if options == ["--check"]:
        wrong = complaints(theory)
        for line in wrong:
            print(line, file=sys.stderr)
        return 1 if wrong else 0
    if options == ["--ask"]:
        for name in theory.texts:
            print(f"From Theory Require {name}.")
        for name in theory.theorems:
            print(f"Print Assumptions {name}.")
    elif options == ["--write"]:
        page = put(theory)
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)
    else:
        print(table(theory), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
