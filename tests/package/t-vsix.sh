#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The extension for VS Code as `make vsix` packs it: it has what editors read and nothing else, and, unpacked and loaded, shows a
# protocol's mistakes. Needs npm and, once, the network; part of `make test-all`.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
. tests/tap.sh
check "make vsix" make -s vsix BUILD="$BUILD"
vsix=$(tail -n 1 "$scratch/out")
cp "$vsix" "$scratch/" || { finish; exit 1; }
looked_at() {
  python3 - "$vsix" "$scratch/unpacked" <<'END'
import json, sys, xml.etree.ElementTree as xml, zipfile
with zipfile.ZipFile(sys.argv[1]) as packed:
    assert packed.testzip() is None
    packed.extractall(sys.argv[2])
    names = set(packed.namelist())
    manifest = xml.fromstring(packed.read("extension.vsixmanifest"))
    about = json.loads(packed.read("extension/package.json"))
    space = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"
    identity = manifest.find(f".//{space}Identity").attrib
    assert (identity["Id"], identity["Version"]) == ("tailproof", about["version"]), identity
    assert about["version"] == open("VERSION").read().strip().split("-")[0], about["version"]
    assert "[Content_Types].xml" in names and "extension/LICENSE.txt" in names and "extension/README.md" in names
    contributed = about["contributes"]
    for path in [about["main"], *(g["path"] for g in contributed["grammars"]), *(l["configuration"] for l in contributed["languages"])]:
        assert "extension/" + path.removeprefix("./") in names, path
    grammar = json.loads(packed.read("extension/tailproof.tmLanguage.json"))
    assert grammar["scopeName"] == contributed["grammars"][0]["scopeName"]
    client = json.loads(packed.read("extension/node_modules/vscode-languageclient/package.json"))
    assert client["version"] == about["dependencies"]["vscode-languageclient"]
    extra = [n for n in names if n.startswith("extension/") and "/node_modules/" not in n]
    assert len(extra) == 6, extra
    assert not [n for n in names if "vsce" in n or n.endswith((".lock", "package-lock.json", ".map", ".d.ts"))]
    print(len(names), "files")
END
}
check "it has manifest, grammar and client, and not what packs it" looked_at
printf 'protocol x\nrole a\nbound b: sent X within A\n' >"$scratch/wrong.tp"
shows() { PATH=$BUILD:$PATH timeout 7200 node tests/package/vscode_host.js "$scratch/unpacked/extension" "$scratch/wrong.tp" | grep -qx '3:15: unknown message "X"'; }
check "unpacked and loaded it starts tailproof lsp, and shows what is wrong" shows
without() { # an editor whose PATH has no tailproof
  mkdir -p "$scratch/bin" && ln -sf "$(command -v node)" "$scratch/bin/node"
  PATH=$scratch/bin "$scratch/bin/node" tests/package/vscode_host.js "$scratch/unpacked/extension" "$scratch/wrong.tp" 2>"$scratch/err"
  [ $? -eq 1 ] && grep -q "install tailproof, or name the program in the setting tailproof.path" "$scratch/err"
}
check "without the program it says so" without
finish
