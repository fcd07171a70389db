#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the Debian packages and their source package into a folder: deb.sh OUT. What is built is a copy of the files
# that belong to the source, so the tree stays as it is. deb.sh --source OUT makes that copy alone.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES BUILD # of a make that this is called by

# Without git, all files but what was built.
list() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard
  else
    find . -type f -not -path './build*' -print0
  fi | while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done
}

copy_source() {
  rm -rf "$1"
  mkdir -p "$1"
  list | tar -c --null --exclude=.gitattributes --exclude=.gitignore --files-from=- | tar -x -C "$1"
}

if [ "${1:-}" = --source ]; then
  copy_source "${2:?usage: scripts/deb.sh --source OUT}"
  exit
fi
out=${1:?usage: scripts/deb.sh OUT}
rm -rf "$out"
copy_source "$out/tailproof"
cd "$out/tailproof"
DEB_BUILD_OPTIONS="parallel=$(nproc) ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage --unsigned-source --unsigned-changes
cd ..
rm -r tailproof
ls ./*.deb
