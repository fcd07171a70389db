#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages for people: links lead to files and headings that exist, lines can be read in an editor, and the index has all."""
import os
import re
import shutil
import subprocess

LONGEST = 130
os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))


def pages():
    """The pages that belong to the tree; without git (a source package) all that are no output of the build."""
    if os.path.exists(".git") and shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True)
        found = [p for p in listed.stdout.split() if os.path.exists(p)]
    else:
        found = [os.path.relpath(os.path.join(d, f)) for d, _, files in os.walk(".") for f in files
                 if f.endswith(".md") and not d.startswith("./build")]
    return sorted(found)


PAGES = pages()
GENERATED = {"docs/evaluation.md", "docs/evaluation_throughput.md", "docs/performal.md", "docs/glossary.md", "docs/diagnostics.md",
             "docs/files.md", "ARCHITECTURE.md"}


def prose(path):
    """[(line number, line)] outside of fenced blocks."""
    inside, found = False, []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.lstrip().startswith("```"):
                inside = not inside
            elif not inside:
                found.append((number, line.rstrip("\n")))
    return found


def commands(path):
    with open(path, encoding="utf-8") as file:
        return [(n, x.rstrip("\n")) for n, x in enumerate(file, 1) if x.startswith(("$ ", "> "))]


def anchors(path):
    """As GitHub makes them of headings."""
    found = set()
    for _, line in prose(path):
        if re.match(r"#+ ", line):
            text = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "]", line).lstrip("#").strip().lower())
            anchor = text.replace(" ", "-")
            found.add(anchor if anchor not in found else anchor + "-1")
    return found


def links(path):
    text = "\n".join(re.sub(r"`[^`]*`", "", line) for _, line in prose(path) if not line.startswith("    "))
    return [m.group(1) for m in re.finditer(r"\]\(([^)\s]+)\)", text)]


def broken(path):
    wrong = []
    for link in links(path):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(target):
            wrong.append(f"{path}: {link}: no such file")
        elif anchor and anchor not in anchors(target):
            wrong.append(f"{path}: {link}: no such heading; there are {', '.join(sorted(anchors(target)))}")
    return wrong


def too_long(path):
    if path in GENERATED:
        return []
    return [f"{path}:{n}: {len(x)} characters" for n, x in prose(path) + commands(path)
            if len(x) > LONGEST and not x.startswith(("|", "![", "    "))]


def not_listed():
    """Pages of docs/ that the index does not name."""
    index = {os.path.normpath(os.path.join("docs", x.partition("#")[0])) for x in links("docs/README.md")}
    return [f"{p}: not in docs/README.md" for p in PAGES if os.path.dirname(p) == "docs" and p not in index | {"docs/README.md"}]


COUNT = 0


def check(title, wrong):
    global COUNT
    COUNT += 1
    print(f"{'not ' if wrong else ''}ok {COUNT} - {title}")
    for line in wrong:
        print("#", line)


check("there are pages", [] if len(PAGES) > 10 else [str(PAGES)])
for page in PAGES:
    check(f"links of {page}", broken(page))
    check(f"lines of {page}", too_long(page))
check("the index has every page", not_listed())
print(f"1..{COUNT}")
