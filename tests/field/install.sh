#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the packages of package-lock.json into build/field, unless they are there: install.sh BUILD; those of a folder
# beside this file into build/field-FOLDER: install.sh BUILD FOLDER. Nothing of them is run. Another run that installs into
# the same folder is waited for. What npm has kept of earlier runs is not asked for again: the digests of package-lock.json
# hold for it, too.
set -eu
here=$(dirname "$0")${2:+/$2}
folder=$1/field${2:+-$2}
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9
cmp -s "$here/package-lock.json" "$folder/installed" && exit 0
for tool in node npm; do
  command -v $tool >/dev/null 2>&1 || { echo "tailproof: $tool is missing; install it: apt-get install nodejs npm" >&2; exit 69; }
done
rm -rf "$folder/node_modules" "$folder/installed"
cp "$here/package.json" "$here/package-lock.json" "$folder/"
if ! npm --prefix "$folder" ci --ignore-scripts --no-audit --no-fund --prefer-offline >"$folder/log" 2>&1; then
  tail -n 5 "$folder/log" >&2
  echo "tailproof: the packages of $here/package.json could not be installed; npm needs the network for that, once" >&2
  exit 69
fi
cp "$here/package-lock.json" "$folder/installed"
