#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of the tree, made of scripts/arrows.txt, scripts/map.txt and the head comments of the sources.

    scripts/map.py          prints the parts of ARCHITECTURE.md and docs/files.md that are generated
    scripts/map.py --write  puts them there
    scripts/map.py --check  complains of parts that are not as printed (but for the numbers, which change with
                            every edit), and of whatever breaks a rule of docs/contributing.md about files
"""
import collections
import os
import re
import sys

PRODUCT = ("base", "format", "show", "lang", "solver", "generate", "dist", "measure", "steps", "trace", "cli")
OTHERS = ("tests", "examples", "bench")
FILE_LINES, FUNCTION_LINES, CHAIN, SENTENCE = 500, 60, 8, 110
PAGES = {"arrows": "ARCHITECTURE.md", "tree": "docs/files.md", "numbers": "ARCHITECTURE.md"}  # of each part
QUESTIONS = ("cli/question/", "measure/throughput/experiment/")
OUTPUT_HEADERS = ("cli/command/", "cli/present/", "show/")
OUTPUT_CALL = re.compile(r"\b(?:v?printf|puts|putchar|perror)\s*\(|\bv?fprintf\s*\(\s*(?:stdout|stderr)\b"
                         r"|\b(?:fputs|fputc|putc|fwrite)\s*\([^;]*\b(?:stdout|stderr)\b")
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
NO_LINE = re.compile(r"[^\n]")


class Source:
    """A file of the tree: its text, also without comments and strings, and the files of the tree that it includes."""

    def __init__(self, path, text):
        self.path, self.text, self.lines = path, text, text.splitlines()
        blank = lambda m: " " * len(m[0]) if "\n" not in m[0] else NO_LINE.sub(" ", m[0])
        self.code = NO_CODE.sub(blank, text)
        self.names = re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', text, re.M)
        self.includes = []

    def place(self, offset):
        return f"{self.path}:{self.text.count(chr(10), 0, offset) + 1}"


def read_tree():
    sources = {}
    for top in PRODUCT + OTHERS:
        for folder, _, names in os.walk(top):
            for name in names:
                if name.endswith((".c", ".h", ".l", ".y")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        sources[path] = Source(path, file.read())
    for source in sources.values():
        for name in source.names:
            path = os.path.normpath(os.path.join(os.path.dirname(source.path), name))
            path = name if name in sources else path
            if path in sources:
                source.includes.append(path)
    return sources


def of_product(sources):
    return [s for path, s in sorted(sources.items()) if path.split("/")[0] in PRODUCT]


# --- head comments --------------------------------------------------------------------------------------------------

def head(text):
    """The first paragraph of the head comment after the licence, as one line; "" without."""
    comment = re.match(r"/\*(.*?)\*/", text, re.S)
    lines = [re.sub(r"^ ?\* ?", "", line).strip() for line in comment.group(1).split("\n")] if comment else []
    lines = [line for line in lines if "SPDX-License-Identifier" not in line]
    while lines and not lines[0]:
        lines.pop(0)
    return " ".join(lines[:lines.index("")] if "" in lines else lines)


def sentence(text):
    """The head's first sentence, or as much of it as fits: up to a colon or semicolon, else up to a comma."""
    paragraph = head(text)
    first = re.match(r"(.*?)(?<!\.)\.(?:\s|$)", paragraph)
    first = first.group(1) if first else paragraph
    if len(first) <= SENTENCE:
        return first.rstrip(":,")
    for marks, least in ((":;", 30), (",", 0)):
        ends = [m.start() for m in re.finditer(rf"[{marks}] ", first) if least <= m.start() <= SENTENCE]
        ends = [end for end in ends if first.count("(", 0, end) == first.count(")", 0, end)]
        if ends:
            return first[:ends[-1]]
    return ""


def is_orphan(path):
    """A source that defines what another header declares: nothing else says what it is for."""
    return not path.endswith(".h") and not os.path.exists(os.path.splitext(path)[0] + ".h")


def check_heads(sources, complain):
    for source in of_product(sources):
        if source.path.endswith(".h") or is_orphan(source.path):
            if not head(source.text):
                complain(f"{source.path}:1: no head comment says what the file is for")
            elif not sentence(source.text):
                complain(f"{source.path}:3: the first sentence of the head comment has more than {SENTENCE} characters,"
                         " and no colon or comma where it could end")


# --- sizes ----------------------------------------------------------------------------------------------------------

LABEL = re.compile(r"\w+:\s*$")


def functions(source):
    """[(lines, name, first line)]: a function ends with a brace in the first column, as the formatter has it."""
    found, start = [], 0
    lines = source.code.split("\n")
    for i, line in enumerate(lines):
        if line[:1].isalpha() or line[:1] == "_":
            start = start if LABEL.match(line) else i
        elif line == "}":
            name = re.search(r"(\w+)\s*\(", " ".join(lines[start:i]))
            if name and not lines[start].startswith("extern "):
                found.append((i - start + 1, name.group(1), start + 1))
    return found


def check_sizes(sources, complain):
    for path, source in sorted(sources.items()):
        if len(source.lines) > FILE_LINES:
            complain(f"{path}: {len(source.lines)} lines, more than {FILE_LINES}")
        for lines, name, first in functions(source):
            if lines > FUNCTION_LINES:
                complain(f"{path}:{first}: {name} has {lines} lines, more than {FUNCTION_LINES}")


# --- includes -------------------------------------------------------------------------------------------------------

def chains(sources):
    """By path the longest chain of includes that begins there."""
    known = {}

    def longest(path):
        if path not in known:
            known[path] = [path]  # a header that includes itself in the end adds nothing
            known[path] = [path] + max((longest(p) for p in sources[path].includes), key=len, default=[])
        return known[path]

    for path in sorted(sources):
        longest(path)
    return known


def check_chains(sources, complain):
    for path, chain in chains(sources).items():
        if not path.endswith(".h") and len(chain) - 1 > CHAIN:
            complain(f"{path}: a chain of {len(chain) - 1} includes, more than {CHAIN}: {' '.join(chain[1:])}")


def circle(sources):
    """Folders of the product that include each other in a circle, the first one again at the end; or []."""
    arrows = collections.defaultdict(set)
    for source in of_product(sources):
        for path in source.includes:
            arrows[os.path.dirname(source.path)].add(os.path.dirname(path))
    done = set()

    def walk(folder, way):
        if folder in way:
            return way[way.index(folder):] + [folder]
        if folder in done:
            return []
        for other in sorted(arrows[folder] - {folder}):
            found = walk(other, way + [folder])
            if found:
                return found
        done.add(folder)
        return []

    return next((found for found in (walk(f, []) for f in sorted(arrows)) if found), [])


def check_circle(sources, complain):
    folders = circle(sources)
    if folders:
        complain("folders in a circle: " + " -> ".join(folders))


# --- tags, questions ------------------------------------------------------------------------------------------------

def reached(sources, path):
    seen, left = set(), [path]
    while left:
        for other in sources[left.pop()].includes:
            if other not in seen:
                seen.add(other)
                left.append(other)
    return seen


def check_tags(sources, complain):
    """A tag of a header is nobody else's; that of a source may be another source's too, which never meet."""
    homes = collections.defaultdict(list)
    for source in of_product(sources):
        for m in re.finditer(r"\b(struct|enum|union)\s+(\w+)\s*\{", source.code):
            homes[m.group(2)].append((source, m.start()))
    for tag, places in sorted(homes.items()):
        headers = [p for p in places if p[0].path.endswith(".h")]
        if headers and len(places) > 1:
            complain(f"{places[1][0].place(places[1][1])}: the tag {tag} is also defined in "
                     f"{places[0][0].place(places[0][1])}")


def check_questions(sources, complain):
    for source in of_product(sources):
        if not source.path.startswith(QUESTIONS):
            continue
        for name in source.names:
            if name.startswith(OUTPUT_HEADERS):
                complain(f"{source.path}: a question may not include {name}")
        for m in OUTPUT_CALL.finditer(source.code):
            complain(f"{source.place(m.start())}: a question prints nothing: {m.group().strip()}")


# --- the page -------------------------------------------------------------------------------------------------------

def entries(path):
    """[(what is before the first colon, what is behind)] of a table of lines."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return [(name, rest.strip()) for name, _, rest in (line.partition(":") for line in lines)]


def print_arrows():
    rows = entries("scripts/arrows.txt")
    out = ["| part | may include |", "|---|---|"]
    out += [f"| {n} | {r or 'nothing'} |" for n, r in rows if not n.startswith("<")]
    out += ["", "| library | the files that include it |", "|---|---|"]
    return out + [f"| {n.strip('<>')} | {r} |" for n, r in rows if n.startswith("<")]


def files_of(folder):
    """By stem the file that says what it is for."""
    ends = (".h", ".c", ".l", ".y", ".def")
    stems = collections.defaultdict(list)
    for name in os.listdir(folder):
        if name.endswith(ends):
            stems[os.path.splitext(name)[0]].append(name)
    return {s: os.path.join(folder, min(n, key=lambda x: ends.index(os.path.splitext(x)[1])))
            for s, n in sorted(stems.items())}


def print_tree():
    out = []
    for folder, purpose in sorted(entries("scripts/map.txt"), key=lambda e: order(e[0])):
        out += [f"**{folder}/** {purpose}", ""]
        if folder.split("/")[0] not in PRODUCT:
            continue
        for stem, path in files_of(folder).items():
            with open(path, encoding="utf-8") as file:
                out.append(f"* `{stem}`: {sentence(file.read())}")
        out.append("")
    return out[:-1]


def order(folder):
    top = folder.split("/")[0]
    return (PRODUCT.index(top) if top in PRODUCT else len(PRODUCT), folder)


def print_numbers(sources):
    product = of_product(sources)
    longest = max(sources.values(), key=lambda s: len(s.lines))
    lines, name, first, path = max((*f, s.path) for s in sources.values() for f in functions(s))
    chain = max(chains(sources).values(), key=len)
    tags = []
    check_tags(sources, tags.append)
    heads = []
    check_heads(sources, heads.append)
    return [f"* {len(product)} files of the product with {sum(len(s.lines) for s in product)} lines; "
            f"{len(sources) - len(product)} of tests, examples and benchmarks",
            f"* longest file: {longest.path}, {len(longest.lines)} lines (at most {FILE_LINES})",
            f"* longest function: {name} in {path}, {lines} lines (at most {FUNCTION_LINES})",
            f"* longest chain of includes: {len(chain) - 1} (at most {CHAIN}): {' > '.join(chain)}",
            f"* circles between folders: {' > '.join(circle(sources)) or 'none'}",
            f"* files without a head comment: {len(heads)}; tags defined twice: {len(tags)}"]


def parts(sources):
    return {**checked_parts(), "numbers": print_numbers(sources)}


def checked_parts():
    return {"arrows": print_arrows(), "tree": print_tree()}


def block(name):
    return re.compile(rf"(<!-- {name}: scripts/map\.py --write -->\n).*?(<!-- end of {name} -->\n)", re.S)


def filled(page, name, lines):
    return block(name).sub(lambda m: m.group(1) + "\n" + "\n".join(lines) + "\n\n" + m.group(2), page)


def read_page(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def check_page(sources, complain):
    for name, page in PAGES.items():
        if not block(name).search(read_page(page)):
            complain(f"{page}: no part {name}")
    for name, lines in checked_parts().items():
        page = read_page(PAGES[name])
        if filled(page, name, lines) != page:
            complain(f"{PAGES[name]}: the part {name} is not what scripts/map.py prints: run scripts/map.py --write")


def check_folders(sources, complain):
    listed = [name for name, _ in entries("scripts/map.txt")]
    for folder in sorted({os.path.dirname(s.path) for s in of_product(sources)} - set(listed)):
        complain(f"scripts/map.txt: no line for {folder}")
    for folder in listed:
        if not os.path.isdir(folder):
            complain(f"scripts/map.txt: no folder {folder}")


CHECKS = (check_heads, check_sizes, check_chains, check_circle, check_tags, check_questions, check_folders)


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
    sources = read_tree()
    if sys.argv[1:] == ["--write"]:
        for name, lines in parts(sources).items():
            page = filled(read_page(PAGES[name]), name, lines)
            with open(PAGES[name], "w", encoding="utf-8") as file:
                file.write(page)
    elif sys.argv[1:] == ["--check"]:
        wrong = []
        for check in CHECKS:
            check(sources, wrong.append)
        if not wrong:
            check_page(sources, wrong.append)
        print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
        sys.exit(1 if wrong else 0)
    elif not sys.argv[1:]:
        for name, lines in parts(sources).items():
            print("\n".join([f"<!-- {name} -->", *lines, ""]))
    else:
        sys.exit("usage: scripts/map.py [--write | --check]")


if __name__ == "__main__":
    main()
