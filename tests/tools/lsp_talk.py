#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Talks to `tailproof lsp` as an editor does, and judges its answers: lsp_talk.py PROGRAM. Prints TAP.
Waits for messages, never for a time. What is sent together in one write is read together by the
server, so the order of what it does is known."""
import json
import re
import subprocess
import sys

PROGRAM = sys.argv[1]
count = 0


def check(title, *facts):
    global count
    count += 1
    good = all(facts)
    print(f"{'ok' if good else 'not ok'} {count} - {title}", flush=True)
    if not good:
        print(f"# facts: {facts}", flush=True)


class Server:
    def __init__(self, capabilities=None, start=True, options=()):
        self.process = subprocess.Popen([PROGRAM, "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.last_id = 0
        self.held = []
        if start:
            self.initialized = self.ask("initialize", {"processId": None, "rootUri": None,
                                                       "capabilities": capabilities or {}})["result"]
            self.notify("initialized", {})

    def frame(self, message):
        content = json.dumps(message, ensure_ascii=False).encode()
        return b"Content-Length: %d\r\n\r\n" % len(content) + content

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *messages):
        self.write(b"".join(self.frame(m) for m in messages))

    def request(self, method, params):
        self.last_id += 1
        return {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}

    def notification(self, method, params):
        return {"jsonrpc": "2.0", "method": method, "params": params}

    def notify(self, method, params):
        self.send(self.notification(method, params))

    def read(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError(self.process.stderr.read().decode())
            if line == b"\r\n":
                break
            name, value = line.split(b":")
            if name == b"Content-Length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def wait(self, wanted):
        """The first message that is wanted; others are kept for later waits."""
        for i, message in enumerate(self.held):
            if wanted(message):
                return self.held.pop(i)
        while True:
            message = self.read()
            if wanted(message):
                return message
            self.held.append(message)

    def answer(self, identifier):
        return self.wait(lambda m: "method" not in m and m.get("id") == identifier)

    def ask(self, method, params):
        self.send(self.request(method, params))
        return self.answer(self.last_id)

    def notice(self, method):
        return self.wait(lambda m: m.get("method") == method)

    def published(self):
        return self.notice("textDocument/publishDiagnostics")["params"]

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "tailproof",
                                                              "version": version, "text": text}})
        return self.published()

    def changed(self, uri, text, version):
        return self.notification("textDocument/didChange", {"textDocument": {"uri": uri, "version": version},
                                                            "contentChanges": [{"text": text}]})

    def saved(self, uri):
        return self.notification("textDocument/didSave", {"textDocument": {"uri": uri}})

    def at(self, method, uri, line, character, **more):
        return self.ask("textDocument/" + method, {"textDocument": {"uri": uri},
                                                   "position": {"line": line, "character": character}, **more})

    def end(self):
        """The exit code, and what was said on stderr."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        return self.left()

    def left(self):
        self.process.stdin.close()
        error = self.process.stderr.read().decode()
        return self.process.wait(), error


def place(text, what, n=0, shift=0):
    """Line and character (of ASCII text) of the n-th `what`."""
    at = -1
    for _ in range(n + 1):
        at = text.index(what, at + 1)
    at += shift
    return text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1)


def spot(range_, text):
    """What a range is about, in ASCII text."""
    lines = text.split("\n")
    start, end = range_["start"], range_["end"]
    assert start["line"] == end["line"]
    return lines[start["line"]][start["character"]:end["character"]]


EDITOR = {"general": {"positionEncodings": ["utf-16", "utf-8"]},
          "window": {"workDoneProgress": True},
          "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
          "textDocument": {"publishDiagnostics": {"relatedInformation": True},
                           "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                           "hover": {"contentFormat": ["markdown", "plaintext"]}}}
LOCK = open("specs/lock.tp", encoding="utf-8").read()
BACKUP = open("specs/primary_backup.tp", encoding="utf-8").read()
ASKED = re.sub(r"(?ms)^bound reply: .*?^$", "bound reply: sent Reply within ?\n",
               re.sub(r"(?ms)^invariant ack_time.*?^$", "", BACKUP))
URI = "file:///a.tp"


def lifecycle():
    s = Server(start=False)
    early = s.ask("textDocument/hover", {})
    s.notify("textDocument/didOpen", {"textDocument": {"uri": URI, "version": 1, "text": "x"}})
    first = s.ask("initialize", {"capabilities": {}})
    again = s.ask("initialize", {"capabilities": {}})
    unknown = s.ask("textDocument/rename", {})
    s.notify("$/unknown", {})
    closed = s.at("hover", URI, 0, 0)
    check("requests before initialize: -32002, a second one: -32600, unknown methods: -32601",
          early["error"]["code"] == -32002, "capabilities" in first["result"],
          again["error"]["code"] == -32600, unknown["error"]["code"] == -32601,
          closed["error"]["code"] == -32602)
    check("what is said of itself: name, version, whole texts, UTF-16 where nothing else is offered",
          first["result"]["serverInfo"]["name"] == "tailproof",
          first["result"]["capabilities"]["textDocumentSync"]["change"] == 1,
          first["result"]["capabilities"]["positionEncoding"] == "utf-16")
    s.ask("shutdown", None)
    late = s.ask("textDocument/hover", {})
    s.notify("exit", None)
    code, error = s.left()
    check("after shutdown: -32600, and exit ends it with 0", late["error"]["code"] == -32600, code == 0, error == "")
    s = Server()
    s.notify("exit", None)
    check("exit without shutdown: 1", s.left()[0] == 1)
    s = Server(options=["--stdio"])
    check("no more input: 1", s.left()[0] == 1)
    refused = subprocess.run([PROGRAM, "lsp", "a.tp"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    check("a file is refused", refused.returncode == 64, refused.stdout == "", "the editor sends them" in refused.stderr)
    s = Server(start=False)
    s.write(b"Content-Length: 10\r\n\r\n{")
    code, error = s.left()
    check("no more input inside a message: 65", code == 65, "in the middle of a message" in error)


def malformed():
    s = Server()
    s.write(s.frame({}).replace(b"{}", b"{]"))
    broken = s.answer(None)
    s.write(b"content-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n[]")
    empty = s.answer(None)
    s.write(s.frame(1))
    number = s.answer(None)
    s.write(b'Content-Length: 33\r\n\r\n{"jsonrpc":"2.0","id":1,"m":"\xff"} ')
    bytes_ = s.answer(None)
    s.send({"jsonrpc": "2.0", "id": [1], "method": "shutdown"})
    bad_id = s.answer(None)
    s.send({"id": 5, "method": "shutdown"})
    version = s.answer(5)
    check("JSON that is none: -32700; no request: -32600",
          [m["error"]["code"] for m in (broken, empty, number, bytes_, bad_id, version)] ==
          [-32700, -32600, -32600, -32700, -32600, -32600])
    s.send([s.request("textDocument/hover", {"textDocument": {"uri": "x"}}), s.saved("x"), 7,
            s.request("shutdown", None)])
    answers = s.wait(lambda m: isinstance(m, list))
    check("a batch: the answers together, none for a notification", len(answers) == 3,
          [a.get("error", {}).get("code") for a in answers] == [-32602, -32600, None])
    s.notify("exit", None)
    check("and the server goes on", s.left()[0] == 0)
    for name, header, said in (("a huge message", b"Content-Length: 67108865\r\n\r\n", "67108865 bytes; the limit is 67108864"),
                               ("a length beyond numbers", b"Content-Length: 99999999999999999999\r\n\r\n", "not a number of bytes"),
                               ("a negative length", b"Content-Length: -1\r\n\r\n", "not a number of bytes"),
                               ("no length", b"Content-Type: x\r\n\r\n", "without Content-Length"),
                               ("no header", b"hello\r\n\r\n", "without a colon"),
                               ("endless headers", b"a: " + 9000 * b"b", "within 8 KiB")):
        s = Server()
        s.write(header)
        error = s.process.stderr.read().decode()
        check(f"{name}: 65, and a message", s.process.wait() == 65, said in error, error.count("\n") == 1)


def diagnostics():
    s = Server(EDITOR)
    wrong = LOCK.replace("role node", "role nodes", 1)
    first = s.open(URI, wrong, 7)
    d = first["diagnostics"][0]
    check("mistakes are shown as one types", first["version"] == 7, first["uri"] == URI, d["severity"] == 1,
          d["source"] == "tailproof", re.fullmatch(r"E\d{4}", d["code"]) is not None,
          "hint: did you mean" in d["message"])
    s.send(s.changed(URI, LOCK, 8))
    check("and cleared", s.published() == {"uri": URI, "version": 8, "diagnostics": []})
    twice = LOCK + "\nbound full_circle: when held at first within ?\n"
    s.send(s.changed(URI, twice, 9))
    d = [d for d in s.published()["diagnostics"] if d["code"] == "E0201"][0]
    related = d["relatedInformation"][0]
    check("a second place is related information", spot(d["range"], twice) == "full_circle",
          spot(related["location"]["range"], twice) == "full_circle",
          related["location"]["range"]["start"]["line"] < d["range"]["start"]["line"])
    s.send(s.changed(URI, LOCK.replace("delay     d", "delay     d, e"), 10))
    check("warnings are warnings", [d["severity"] for d in s.published()["diagnostics"]].count(1) > 0)
    s.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    check("a closed file has none", s.published()["diagnostics"] == [])
    s.send(s.changed(URI, LOCK, 11), s.saved(URI))
    check("a change of a file that is not open is nothing", s.at("hover", URI, 0, 0)["error"]["code"] == -32602)
    nul = s.open(URI, "protocol p\0")["diagnostics"]
    check("bytes that are no text are a mistake of the text", len(nul) == 1, nul[0]["severity"] == 1)
    check("ends with 0", s.end() == (0, ""))


def names():
    s = Server(EDITOR)
    s.open(URI, BACKUP)
    use = place(BACKUP, "Ack(b)", 3)
    hover = s.at("hover", URI, *use)["result"]
    value = hover["contents"]["value"]
    uses = len(re.findall(r"\bAck\b", re.sub("#.*", "", BACKUP)))
    check("hover: kind, declaration, where it is used", hover["contents"]["kind"] == "markdown",
          "**message** `Ack`" in value, "message Ack(from: backup) : backup from -> primary" in value,
          f"used {uses - 1} times: lines " in value, spot(hover["range"], BACKUP) == "Ack")
    commented = re.search(r"(?m)^component +(\w+).*# (.*)$", BACKUP)
    line, character = place(BACKUP, commented[1])
    check("hover: the comment beside the declaration", commented[2] in s.at("hover", URI, line, character)["result"]["contents"]["value"])
    value = s.at("hover", URI, *place(BACKUP, "BackupRequest[backup]"))["result"]["contents"]["value"]
    check("hover of a component: the occurrences that the file speaks of",
          "Occurrences in this file: `BackupRequest[b]`\n" in value)
    where = s.at("definition", URI, *use)["result"]
    check("definition", where["uri"] == URI, spot(where["range"], BACKUP) == "Ack",
          BACKUP.split("\n")[where["range"]["start"]["line"]].startswith("message Ack"))
    every = s.at("references", URI, *use, context={"includeDeclaration": True})["result"]
    others = s.at("references", URI, *use, context={"includeDeclaration": False})["result"]
    check("references: all of them, with and without the declaration", len(every) == uses, len(others) == uses - 1,
          all(spot(r["range"], BACKUP) == "Ack" for r in every))
    check("highlights are the same places", [h["range"] for h in s.at("documentHighlight", URI, *use)["result"]] ==
          [r["range"] for r in every])
    variable = place(BACKUP, "forall b in backup. sent Ack(b)", 0, len("forall b in backup. sent Ack("))
    here = s.at("references", URI, *variable, context={"includeDeclaration": True})["result"]
    check("a variable is that of its own formula", len(here) > 1,
          spot(here[0]["range"], BACKUP) == "b", all(r["range"]["start"]["line"] - variable[0] in range(0, 6) for r in here))
    symbols = s.ask("textDocument/documentSymbol", {"textDocument": {"uri": URI}})["result"]
    check("the outline has what is declared, in order", [x["name"] for x in symbols][:3] == ["n", "primary", "backup"],
          [x["range"]["start"]["line"] for x in symbols] == sorted(x["range"]["start"]["line"] for x in symbols),
          any(x["name"] == "reply" and x["detail"] == "bound" for x in symbols))
    check("no name, no answer", s.at("hover", URI, 0, 0)["result"] is None, s.at("definition", URI, 0, 0)["result"] is None)
    check("beyond the end of line and text", s.at("hover", URI, 10 ** 9, 10 ** 9)["result"] is None,
          s.at("hover", URI, -1, 0)["error"]["code"] == -32602, s.at("hover", URI, "1", 0)["error"]["code"] == -32602)
    wrong = BACKUP.replace("sent Ack(b) implies", "sent Ack(c) implies", 1)
    s.send(s.changed(URI, wrong, 2))
    d = s.published()["diagnostics"][0]
    at = d["range"]["start"]
    value = s.at("hover", URI, at["line"], at["character"])["result"]["contents"]["value"]
    check("hover of a mistake: its explanation", f"**{d['code']}**" in value, "Wrong:" in value, "Right:" in value)
    check("a file with a mistake of meaning has names", s.at("definition", URI, *use)["result"] is not None)
    s.send(s.changed(URI, BACKUP + "\nbound bound", 3))
    check("one with a syntax error has none", s.at("definition", URI, *use)["result"] is None)
    check("ends with 0", s.end() == (0, ""))
    s = Server()
    s.open(URI, BACKUP)
    value = s.at("hover", URI, *use)["result"]["contents"]
    check("hover without Markdown", value["kind"] == "plaintext", "`" not in value["value"], "**" not in value["value"],
          value["value"].startswith("message Ack: "))
    symbols = s.ask("textDocument/documentSymbol", {"textDocument": {"uri": URI}})["result"]
    check("an outline for clients without DocumentSymbol", all("location" in x for x in symbols), len(symbols) > 10)
    s.end()


def encodings():
    # the character that is wrong stands behind those of several bytes
    wide = "/* \u00e9\u20ac\U0001F600 "
    text = "protocol p\r\nrole a\rcomponent C\naction a.Go cost C { }\n"
    for name, offer, character in (("utf-16", ["utf-16"], len(wide.encode("utf-16-le")) // 2),
                                   ("utf-8", ["utf-16", "utf-8"], len(wide.encode()))):
        s = Server({"general": {"positionEncodings": offer}})
        check(f"{name}: agreed on", s.initialized["capabilities"]["positionEncoding"] == name)
        marks = [d["range"]["start"] for d in s.open(URI, text + wide + "!")["diagnostics"] if '"!"' in d["message"]]
        check(f"{name}: a column behind characters of several bytes", marks == [{"line": 4, "character": character}])
        s.send(s.changed(URI, text + "# " + wide, 2))
        s.published()
        check(f"{name}: lines that end with \\r or \\r\\n", s.at("definition", URI, 3, 17)["result"]["range"]["start"] ==
              {"line": 2, "character": 10})
        s.end()


def formatting():
    s = Server(EDITOR)
    loose = re.sub("  +", "   ", LOCK)
    s.open(URI, loose)
    ask = {"textDocument": {"uri": URI}, "options": {"tabSize": 2, "insertSpaces": True}}
    edits = s.ask("textDocument/formatting", ask)["result"]
    printed = subprocess.run([PROGRAM, "format", "-"], input=loose, capture_output=True, text=True, check=True).stdout
    check("formatting is what `format` prints", len(edits) == 1, edits[0]["newText"] == printed,
          edits[0]["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": LOCK.count("\n"), "character": 0}})
    s.send(s.changed(URI, printed, 2))
    check("nothing to do: no edit", s.ask("textDocument/formatting", ask)["result"] == [])
    s.send(s.changed(URI, LOCK + "bound", 3))
    check("with mistakes: nothing", s.ask("textDocument/formatting", ask)["result"] is None)
    s.end()


def verdicts():
    s = Server(EDITOR)
    text = BACKUP.replace("+ d(Ack(b)) + Queuing(Ack", "+ Queuing(Ack", 1)
    assert text != BACKUP
    s.open(URI, text)
    # all in one write: the answers come before the verdicts, which take a while
    hover = s.request("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}})
    s.send(s.saved(URI), hover)
    order = []
    message = s.wait(lambda m: order.append(m) or m.get("method") == "textDocument/publishDiagnostics")
    before = [m.get("id") for m in order[:-1]]
    check("requests are answered while bounds are verified", hover["id"] in before)
    created = [m for m in order if m.get("method") == "window/workDoneProgress/create"]
    check("the client is asked to show progress", len(created) == 1)
    marks = {d["code"]: d for d in message["params"]["diagnostics"] if d["source"] == "tailproof verify"}
    check("on save: a verdict for each bound, at its name", set(marks) == {"refuted", "proved"},
          marks["refuted"]["severity"] == 1, spot(marks["refuted"]["range"], text) == "reply",
          "reply is refuted: an execution takes " in marks["refuted"]["message"],
          marks["proved"]["severity"] == 3, spot(marks["proved"]["range"], text) == "reply_uniform",
          "is proved, tight" in marks["proved"]["message"])
    start = marks["refuted"]["range"]["start"]
    value = s.at("hover", URI, start["line"], start["character"])["result"]["contents"]["value"]
    check("hover of a bound: the execution", "primary" in value, "```\n" in value, "is refuted" in value)
    s.send(s.changed(URI, text + "# more\n", 2))
    check("a change takes the verdicts away", s.published()["diagnostics"] == [])
    # A change behind the save: its result is never shown, that of the next save is.
    s.send(s.saved(URI), s.changed(URI, BACKUP, 3), s.saved(URI), s.saved(URI))
    none = s.published()
    all_ = s.published()
    check("a newer change cancels a verification", none["version"] == 3, none["diagnostics"] == [], all_["version"] == 3,
          sorted(d["code"] for d in all_["diagnostics"]) == ["proved", "proved"])
    s.send(s.saved(URI), s.notification("textDocument/didClose", {"textDocument": {"uri": URI}}))
    check("closing cancels it too", s.published()["diagnostics"] == [], s.end() == (0, ""))
    # The client's agreement to progress is sent with the save, so that the verification still runs.
    s = Server(EDITOR)
    s.open(URI, LOCK)
    s.open("file:///b.tp", BACKUP)
    s.send(s.saved(URI), {"jsonrpc": "2.0", "id": "tailproof-1", "result": None}, s.saved("file:///b.tp"))
    asked = s.notice("window/workDoneProgress/create")
    begin, end = s.notice("$/progress")["params"], s.notice("$/progress")["params"]
    check("progress of what the client agreed to", asked["id"] == "tailproof-1", begin["token"] == asked["params"]["token"],
          begin["value"]["kind"] == "begin", begin["value"]["title"] == "Verifying bounds", end == {"token": begin["token"], "value": {"kind": "end"}})
    first, second = s.published(), s.published()
    check("two files: one after the other", first["uri"] == URI, second["uri"] == "file:///b.tp",
          len(first["diagnostics"]) == 3)
    s.end()
    s = Server()
    s.open(URI, re.sub(r"(?ms)^invariant ack_time.*?^$", "", BACKUP))
    s.send(s.saved(URI))
    marks = [d for d in s.published()["diagnostics"] if d["code"] == "unknown"]
    check("unknown is a warning", len(marks) == 2, all(d["severity"] == 2 for d in marks))
    s.open("file:///empty.tp", "protocol p\n")
    s.send(s.saved("file:///empty.tp"))
    check("a shutdown while nothing runs", s.end() == (0, ""))
    s = Server()
    s.open(URI, LOCK)
    s.send(s.saved(URI))
    check("a shutdown while a verification runs", s.end() == (0, ""))


def actions():
    s = Server(EDITOR)
    s.open(URI, ASKED)
    where = {"textDocument": {"uri": URI}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}}
    found = s.ask("textDocument/codeAction", {**where, "context": {"diagnostics": []}})["result"]
    unknown = {"range": where["range"], "source": "tailproof verify", "code": "unknown", "message": "x"}
    fix = s.ask("textDocument/codeAction", {**where, "context": {"diagnostics": [unknown]}})["result"]
    only = s.ask("textDocument/codeAction", {**where, "context": {"diagnostics": [], "only": ["quickfix"]}})["result"]
    part = s.ask("textDocument/codeAction", {**where, "context": {"diagnostics": [], "only": ["source"]}})["result"]
    check("the code action is offered, as a quick fix where a bound is unknown", len(found) == 1,
          found[0]["title"] == "Insert inferred invariants", found[0]["kind"] == "source.infer",
          fix[0]["kind"] == "quickfix", fix[0]["diagnostics"] == [unknown], only == [], part == found)
    command = found[0]["command"]
    run = s.request("workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]})
    s.send(run)
    edit = s.notice("workspace/applyEdit")
    answer = s.answer(run["id"])
    change = edit["params"]["edit"]["documentChanges"][0]
    text = change["edits"][0]["newText"]
    check("it makes one edit of this version of the document", change["textDocument"] == {"uri": URI, "version": 1},
          len(change["edits"]) == 1, answer["result"] is None)
    check("which has the invariant, and the expression instead of ?", "invariant ack_time: forall b in backup." in text,
          "within ?" not in text, "# " in text)
    shown = s.notice("window/showMessage")["params"]
    check("and says so", shown["type"] == 3, shown["message"].startswith("inserted 1 invariant and 1 bound; with them 2 proved"))
    s.send({"jsonrpc": "2.0", "id": edit["id"], "result": {"applied": True}})
    s.send(s.changed(URI, text, 2), s.saved(URI))
    s.published()
    check("with it everything is proved", [d["code"] for d in s.published()["diagnostics"]] == ["proved", "proved"])
    again = s.ask("workspace/executeCommand", {"command": command["command"], "arguments": [URI]})
    check("again: nothing to insert, no edit", again["result"] is None,
          s.notice("window/showMessage")["params"]["message"].startswith("nothing to insert"),
          not any(m.get("method") == "workspace/applyEdit" for m in s.held))
    s.send(s.changed(URI, ASKED, 3))
    s.published()
    run = s.request("workspace/executeCommand", {"command": command["command"], "arguments": [URI]})
    s.send(run, s.notification("$/cancelRequest", {"id": run["id"]}))
    check("cancelled: -32800", s.answer(run["id"])["error"]["code"] == -32800)
    run = s.request("workspace/executeCommand", {"command": command["command"], "arguments": [URI]})
    s.send(run, s.changed(URI, ASKED + "\n", 4))
    check("overtaken by a change: -32801", s.answer(run["id"])["error"]["code"] == -32801)
    first = s.request("workspace/executeCommand", {"command": command["command"], "arguments": [URI]})
    second = s.request("workspace/executeCommand", {"command": command["command"], "arguments": [URI]})
    s.send(first, second, s.notification("$/cancelRequest", {"id": second["id"]}), s.notification("$/cancelRequest", {"id": 999}))
    check("cancelled in the line: -32800, the other goes on", s.answer(second["id"])["error"]["code"] == -32800,
          s.answer(first["id"])["result"] is None)
    none = s.ask("workspace/executeCommand", {"command": "other", "arguments": [URI]})
    closed = s.ask("workspace/executeCommand", {"command": command["command"], "arguments": ["file:///no.tp"]})
    s.send(s.changed(URI, "protocol", 5))
    wrong = s.ask("workspace/executeCommand", {"command": command["command"], "arguments": [URI]})
    check("commands that cannot be: -32602", [m["error"]["code"] for m in (none, closed, wrong)] == 3 * [-32602])
    check("ends with 0", s.end() == (0, ""))


for part in (lifecycle, malformed, diagnostics, names, encodings, formatting, verdicts, actions):
    part()
print(f"1..{count}")
