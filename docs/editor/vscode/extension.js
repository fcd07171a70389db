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
  const command = vscode.workspace.getConfiguration('tailproof').get('path', 'tailproof');
  const server = { command, args: ['lsp'] };
  client = new languageClient.LanguageClient('tailproof', 'Tailproof', server, { documentSelector: [{ language: 'tailproof' }] });
  return client.start().catch(error => {
    client = undefined;
    vscode.window.showErrorMessage(`Tailproof: "${command} lsp" does not start (${error.message ?? error}); install tailproof, or name the program in the setting tailproof.path`);
  });
}

function deactivate() {
  return client === undefined ? undefined : client.stop();
}

module.exports = { activate, deactivate };
