// SPDX-License-Identifier: GPL-3.0-or-later
// Starts the language server for *.tp files. `npm install` in this folder gets the client; without it there is
// highlighting alone.
const vscode = require('vscode');

let client;

function activate() {
  let languageClient;
  try {
    languageClient = require('vscode-languageclient/node');
  } catch {
    vscode.window.showWarningMessage('Tailproof: run "npm install" in the extension\'s folder for diagnostics and verdicts');
    return undefined;
  }
  const server = { command: 'tailproof', args: ['lsp'] };
  client = new languageClient.LanguageClient('tailproof', 'Tailproof', server, { documentSelector: [{ language: 'tailproof' }] });
  return client.start();
}

function deactivate() {
  return client === undefined ? undefined : client.stop();
}

module.exports = { activate, deactivate };
