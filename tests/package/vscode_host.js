// SPDX-License-Identifier: GPL-3.0-or-later
// Loads an unpacked extension as an editor does, with a stand-in for the editor's own module, opens a protocol, and prints the
// diagnostics that its language server sends of it: vscode_host.js EXTENSION FILE.tp
const fs = require('fs'), Module = require('module'), path = require('path');
const [folder, file] = process.argv.slice(2).map(name => path.resolve(name));

// Whatever is asked of it is there, can be called, made and waited for, and says nothing.
function anything() {
  return new Proxy(function () {}, {
    get: (_, key) => (key === 'then' || key === Symbol.iterator || key === 'toJSON' ? undefined : key === Symbol.toPrimitive ? () => '' : anything()),
    apply: () => anything(),
    construct: () => anything(),
  });
}
const nothing = { dispose() {} };
const event = () => nothing;
class EventEmitter {
  constructor() { this.listeners = []; this.event = listener => { this.listeners.push(listener); return nothing; }; }
  fire(what) { for (const listener of this.listeners) listener(what); }
  dispose() {}
}
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(a, b, c, d) { this.start = new Position(a, b); this.end = new Position(c, d); } }
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
const uri = { scheme: 'file', path: file, fsPath: file, toString: () => 'file://' + file };
const source = fs.readFileSync(file, 'utf8');
const opened = { uri, fileName: file, languageId: 'tailproof', version: 1, getText: () => source, isClosed: false, notebook: undefined };
const events = { get: (target, key) => (key in target ? target[key] : typeof key === 'string' && /^on(Did|Will)/.test(key) ? event : anything()) };
let said;
const diagnosed = new Promise(resolve => { said = resolve; });
const vscode = new Proxy({
  version: '1.67.0',
  EventEmitter, Position, Range, Diagnostic, Disposable: class { constructor(end) { this.end = end; } dispose() { this.end?.(); } },
  CancellationTokenSource: class { constructor() { this.token = { onCancellationRequested: event }; } cancel() {} dispose() {} },
  CancellationError: class extends Error {}, CodeAction: class {}, CodeLens: class {}, CompletionItem: class {}, DocumentLink: class {},
  InlayHint: class {}, CallHierarchyItem: class {}, TypeHierarchyItem: class {}, SymbolInformation: class {}, LogOutputChannel: class {},
  CodeActionKind: anything(), DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 }, DiagnosticTag: {},
  Uri: { parse: text => ({ ...uri, toString: () => text }), file: () => uri },
  env: { appName: 'stand-in', language: 'en' },
  l10n: {},
  commands: { registerCommand: () => nothing, executeCommand: () => Promise.resolve() },
  workspace: new Proxy({ workspaceFolders: undefined, textDocuments: [opened], notebookDocuments: [],
    getConfiguration: () => ({ get: (_, otherwise) => otherwise }) }, events),
  window: new Proxy({ visibleTextEditors: [], tabGroups: { all: [], onDidChangeTabs: event, onDidChangeTabGroups: event },
    showErrorMessage: text => { console.error(text); process.exitCode = 1; return Promise.resolve(); }, showWarningMessage: text => { console.error(text); process.exit(1); },
    createOutputChannel: () => ({ append: text => process.stderr.write(text), appendLine: text => console.error(text), show() {}, dispose() {} }) }, events),
  languages: new Proxy({ match: () => 10,
    createDiagnosticCollection: () => ({ set: (_, all) => said(all ?? []), delete() {}, clear() {}, dispose() {} }) }, events),
}, { get: (target, key) => (key in target ? target[key] : anything()) });

const load = Module._load;
Module._load = function (name, ...rest) { return name === 'vscode' ? vscode : load.call(this, name, ...rest); };

(async () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json')));
  const extension = require(path.join(folder, manifest.main));
  await extension.activate({ subscriptions: [] });
  for (const { range, message } of await diagnosed)
    console.log(`${range.start.line + 1}:${range.start.character + 1}: ${message}`);
  await extension.deactivate();
  process.exit(0);
})().catch(error => { console.error(error); process.exit(1); });
