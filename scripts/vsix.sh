#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Packs docs/editor/vscode with its language client into BUILD/tailproof-VERSION.vsix: vsix.sh BUILD. The packer and the
# client are those of package-lock.json, installed into BUILD/vsix unless they are there; of them only the packer is run.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1/vsix/extension"
build=$(cd "$1" && pwd)
state=$build/vsix folder=$build/vsix/extension
from=docs/editor/vscode
exec 9>"$state/lock"
flock 9
if ! cmp -s $from/package-lock.json "$state/installed"; then
  for tool in node npm; do
    command -v $tool >/dev/null 2>&1 || { echo "tailproof: $tool is missing; install it: apt-get install nodejs npm" >&2; exit 69; }
  done
  rm -rf "$folder" "$state/installed"
  mkdir "$folder"
  cp $from/package.json $from/package-lock.json "$folder/"
  if ! npm --prefix "$folder" ci --ignore-scripts --omit=optional --no-audit --no-fund >"$state/log" 2>&1; then
    tail -n 5 "$state/log" >&2
    echo "tailproof: the packages of $from/package.json could not be installed; npm needs the network for that, once" >&2
    exit 69
  fi
  cp $from/package-lock.json "$state/installed"
fi
for file in $from/* $from/.vscodeignore LICENSE; do
  [ -d "$file" ] || cp "$file" "$folder/"
done
version=$(sed 's/-.*//' VERSION) # editors have no versions that are to come
cd "$folder"
if ! node_modules/.bin/vsce package "$version" --no-git-tag-version --allow-missing-repository \
  --out "$build/tailproof-$version.vsix" >"$state/log" 2>&1 </dev/null; then
  cat "$state/log" >&2
  exit 70
fi
echo "$build/tailproof-$version.vsix"
