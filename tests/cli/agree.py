#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the formats of one answer against each other, number by number.

    agree.py TEXT JSON MARKDOWN CSV HTML PROMETHEUS SCHEMA

Each is a file with what one command printed in that format, text and Markdown with --full; SCHEMA is what
`tailproof explain --schema` prints. Says what differs, a line each.

  * CSV has the lines that JSON has, in the same order, with the same values.
  * Prometheus has a sample for each number of JSON, with the same value, and none besides.
  * Text, Markdown and the page have the same tables, cell for cell.
  * Each time in a table is one that JSON has, rounded; to the side that it is an end of, where the key says one.
  * JSON is as the schema says."""
import csv
import decimal
import html.parser
import json
import re
import sys

BEFORE = ("bound", "diagnostic")  # what may be printed before an answer: whether its bound is proved
VARIES = ("seconds", "median_ms", "worst_ms", "worst", "median", "obligations_asked", "reused")  # of a bound: each run's own
MAPS = ("scope", "constants_ns")  # objects whose keys are the user's names
complaints = []


def complain(text):
    complaints.append(text)


# --- JSON, flat ------------------------------------------------------------------------------------------------------

def flat(value, prefix=""):
    """{"a.b": scalar or list of texts} of an object, and [(key, [objects])] of the lists of objects in it."""
    scalars, lists = {}, []
    for key, inner in value.items():
        if isinstance(inner, dict) and key in MAPS:
            scalars[prefix + key] = json.dumps(inner, separators=(",", ":"), ensure_ascii=False)
        elif isinstance(inner, dict):
            more, below = flat(inner, prefix + key + ".")
            scalars.update(more)
            lists += below
        elif isinstance(inner, list) and inner and isinstance(inner[0], dict):
            lists.append((prefix + key, inner))
        else:
            scalars[prefix + key] = inner
    return scalars, lists


def lines_of(objects):
    """[(kind, {key: value})], an inner object behind its outer one, as kind.list."""
    out = []

    def add(kind, prefix, value):
        scalars, lists = flat(value)
        out.append((kind, {prefix + key: inner for key, inner in scalars.items() if inner != []}))
        for key, inner in lists:
            for one in inner:
                if key.startswith("tightness.") and "term" not in one:
                    one = {"scope": one}
                add(f"{kind}.{key}", f"{prefix}{key}.", one)

    for value in objects:
        add(value["kind"], "", {key: inner for key, inner in value.items() if key != "kind"})
    return out


def cell_of(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return str(value)


def same_value(cell, value):
    text = cell_of(value)
    if cell == text or cell.replace("inf", "infinite") == text:
        return True
    if isinstance(value, str) and "\n" in value:
        return cell.splitlines() == value.splitlines()
    if isinstance(value, str):
        return cell.lstrip("'") == text
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return cell != "" and float(cell) == float(value)
    return False


def check_csv(path, objects):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    header, wanted = rows[0], lines_of(objects)
    if len(set(header)) != len(header):
        complain("csv: a column twice")
    if len(rows) - 1 != len(wanted):
        complain(f"csv: {len(rows) - 1} lines, json: {len(wanted)}")
    for row, (kind, values) in zip(rows[1:], wanted):
        cells = {key: cell for key, cell in zip(header, row) if kind != "bound" or key not in VARIES}
        if len(row) != len(header) or cells["kind"] != kind:
            complain(f"csv: {row} is no line of {kind}")
            continue
        for key, value in values.items():
            if value is not None and (key not in cells or not same_value(cells[key], value)):
                complain(f"csv: {kind} {key} is {cells.get(key)!r}, json: {value!r}")
        inside = kind.count(".")
        for key, cell in cells.items():
            if cell not in ("", "[]") and key != "kind" and key not in values and not (inside and key.count(".") < inside):
                complain(f"csv: {kind} has {key} {cell!r}, json has none")


# --- Prometheus ------------------------------------------------------------------------------------------------------

SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[^"}]|"(?:\\.|[^"\\])*")*)\})? (\S+)')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:\\.|[^"\\])*)"')


def read_samples(path):
    samples = {}
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("#"):
                continue
            found = SAMPLE.fullmatch(line)
            if not found:
                complain(f"prometheus: {line}")
                continue
            samples.setdefault(found.group(1), []).append((dict(LABEL.findall(found.group(2) or "")), found.group(3)))
    return samples


def metric_of(kind, key):
    words = re.split(r"[._]", key)
    if "ns" in words:
        words.remove("ns")
        words.append("seconds")
    name = "_".join(["tailproof", kind.replace(".", "_")] + words)
    return re.sub(r"_count$", "", name)


def same_digits(a, b):
    """A mean in ns that became seconds has nine digits again."""
    return a.is_finite() and b.is_finite() and f"{float(a):.8g}" == f"{float(b):.8g}"


def check_prometheus(path, objects):
    samples = read_samples(path)
    left = {name: [value for _, value in many] for name, many in samples.items() if name != "tailproof_assumptions"
            and name.replace("tailproof_bound_", "").removesuffix("_seconds") not in VARIES}
    for kind, values in lines_of(objects):
        depth = kind.count(".")
        for key, value in values.items():
            if value is None:
                continue
            base = ".".join(key.split(".")[depth:])
            name = metric_of(kind, base)
            name = name if name in samples else name + "_ratio" if name + "_ratio" in samples else name
            if name not in samples:
                continue  # a label, or a text
            if isinstance(value, str) and not re.fullmatch(r"[0-9.e+-]+|-?infinite", value):
                wanted = "1"
                if not any(labels.get(base.replace(".", "_")) == value for labels, _ in samples[name]):
                    complain(f"prometheus: {name} has no {value!r}")
            elif isinstance(value, bool):
                wanted = str(int(value))
            else:
                wanted = str(value).replace("-infinite", "-Inf").replace("infinite", "+Inf")
            number = decimal.Decimal(wanted.replace("Inf", "Infinity"))
            if name.endswith("_seconds") and "ns" in re.split(r"[._]", key) and number.is_finite():
                number = number.scaleb(-9)
            for at, other in enumerate(left[name]):
                given = decimal.Decimal(other.replace("Inf", "Infinity"))
                if given == number or float(given) == float(number) or same_digits(given, number):
                    del left[name][at]
                    break
            else:
                complain(f"prometheus: no {name} is {number}, as {kind} {key} in json")
    for name, values in left.items():
        if values:
            complain(f"prometheus: {name} {values} is no number of json")
    for level in ("standard", "notable", "warning"):
        count = sum(1 for o in objects if o["kind"] == "assumption" and o["level"] == level)
        told = [value for labels, value in samples.get("tailproof_assumptions", []) if labels["level"] == level]
        if told != [str(count)] and (told or count):
            complain(f"prometheus: {told} assumptions are {level}, json: {count}")
    for name, many in samples.items():
        keys = [tuple(sorted(labels.items())) for labels, _ in many]
        if len(set(keys)) != len(keys):
            complain(f"prometheus: {name} twice with the same labels")


# --- tables ----------------------------------------------------------------------------------------------------------

VOID = ("meta", "br", "hr", "link", "img", "input", "wbr", "col")


class Tables(html.parser.HTMLParser):
    """The cells of all tables of a page, row by row; each element that begins ends."""

    def __init__(self):
        super().__init__()
        self.rows, self.inside, self.open = [], False, []

    def handle_starttag(self, tag, attributes):
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("td", "th")
        if self.inside:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            complain(f"the page ends <{tag}> where it is not open")
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def squeezed(cell):
    return " ".join(cell.split())


def page_rows(path):
    parser = Tables()
    with open(path, encoding="utf-8") as file:
        parser.feed(file.read())
    if parser.open:
        complain(f"the page leaves {parser.open} open")
    return [[squeezed(cell) for cell in row] for row in parser.rows]


def markdown_rows(path):
    """Of the answer; a report of findings, with a title of its own, may come before it."""
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n## ")[-1].splitlines():
            if line.startswith("|") and not re.fullmatch(r"(\|(---|--:))+\|", line):
                cells = re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]
                rows.append([squeezed(html.unescape(re.sub(r"\\([^A-Za-z0-9])", r"\1", cell))) for cell in cells])
    return rows


NUMBER = re.compile(r"(?<![\w.])-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?(?: (?:ns|us|ms|s|%)(?!\w))?")


def check_tables(text, markdown, page):
    pages = page_rows(page)
    with open(markdown, encoding="utf-8") as file:
        is_report = file.read().count("\n## ") == 0 and file.name.startswith("verify.")
    rows = pages if is_report else markdown_rows(markdown)  # of verify, Markdown is the report of findings
    for row in rows:
        if row not in pages and any(row):
            complain(f"the page has no row {row}")
    with open(text, encoding="utf-8") as file:
        printed = file.read()
    numbers = NUMBER.findall(printed)
    for row in rows:
        for cell in row:
            for number in NUMBER.findall(cell):
                if number not in numbers:
                    complain(f"text has no {number}, of the row {row}")
    return rows


UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def check_times(rows, objects):
    """A time of a table, as a number of its last digit, is a time of JSON, up to less than that digit."""
    times = []
    for _, values in lines_of(objects):
        for key, value in values.items():
            if "ns" in re.split(r"[._]", key):
                if isinstance(value, (int, float)) or str(value).isdigit():
                    times.append(decimal.Decimal(str(value)))
            elif key.endswith("seconds") and isinstance(value, (int, float)):
                times.append(decimal.Decimal(str(value)) * 10**9)
    seen = 0
    for row in rows:
        for cell in row:
            for shown, unit in re.findall(r"(-?[0-9]+(?:\.[0-9]+)?) (ns|us|ms|s)(?!\w)", cell):
                number = decimal.Decimal(shown)
                digit = decimal.Decimal(1).scaleb(number.as_tuple().exponent) * UNITS[unit]
                number *= UNITS[unit]
                seen += 1
                if not any(abs(abs(time) - abs(number)) < digit for time in times):
                    complain(f"{shown} {unit} of the row {row} is no time of json")
    return seen


# --- the schema ------------------------------------------------------------------------------------------------------

TYPES = {"string": str, "integer": int, "boolean": bool, "object": dict, "array": list}


def is_type(value, name):
    if name == "null":
        return value is None
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name]) and not (name == "integer" and isinstance(value, bool))


def fits(value, schema):
    """What of JSON schema the program uses; one with another word is refused."""
    for word, rule in schema.items():
        if word in ("$schema", "title", "description"):
            good = True
        elif word == "type":
            good = any(is_type(value, name) for name in ([rule] if isinstance(rule, str) else rule))
        elif word == "const":
            good = value == rule
        elif word == "enum":
            good = value in rule
        elif word == "pattern":
            good = not isinstance(value, str) or re.search(rule, value) is not None
        elif word == "required":
            good = all(key in value for key in rule)
        elif word == "properties":
            good = all(key not in value or fits(value[key], inner) for key, inner in rule.items())
        elif word == "additionalProperties":
            good = rule is not False or all(key in schema["properties"] for key in value)
        elif word == "items":
            good = all(fits(inner, rule) for inner in value)
        elif word == "anyOf":
            good = any(fits(value, inner) for inner in rule)
        elif word == "not":
            good = not fits(value, rule)
        else:
            raise ValueError(f"the schema has the word {word}")
        if not good:
            return False
    return True


def main():
    text, lines, markdown, table, page, metrics, schema = sys.argv[1:]
    with open(lines, encoding="utf-8") as file:
        objects = [json.loads(line) for line in file.read().splitlines()]
    with open(table, encoding="utf-8") as file:
        header = file.readline().split(",")
    objects = [value for value in objects if value["kind"] not in BEFORE or "obligations" in header]
    for value in objects:
        for key in VARIES if value["kind"] == "bound" else ():
            value.pop(key, None)
    with open(schema, encoding="utf-8") as file:
        rules = json.load(file)
    with open(lines, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if not fits(json.loads(line), rules):
                complain(f"schema: {line}")
    known = {inner["title"] for inner in rules["anyOf"]}
    for value in objects:
        if value["kind"] not in known:
            complain(f"schema: knows no {value['kind']}")
        elif value["kind"] != "bound" and not fits(value, rules):
            complain(f"schema: {json.dumps(value)}")
    check_csv(table, objects)
    check_prometheus(metrics, objects)
    rows = check_tables(text, markdown, page)
    seen = check_times(rows, objects)
    if not objects:
        complain("nothing to compare")
    print(f"{len(objects)} objects, {len(rows)} rows, {seen} times")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


sys.exit(main())
