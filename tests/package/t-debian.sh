#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian packages: built and looked at by lintian in a clean Debian 12, installed in another that has nothing else, used,
# and taken away again. Needs mmdebstrap (root, or user namespaces) and a Debian mirror; part of `make test-all`.
cd "$(dirname "$0")/../.." || exit 1
command -v mmdebstrap >/dev/null || { echo "not ok 1 - mmdebstrap is missing (apt-get install mmdebstrap)"; exit 69; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
failed() { # title, log
  echo "not ok 1 - $1"
  tail -n 30 "$2" | sed 's/^/# /'
  echo 1..1
  exit 1
}

# Debian without what is only recommended; HOOKS... run in it.
in_debian() { # packages, hooks...
  local include=$1 hook arguments=()
  shift
  for hook in "$@"; do arguments+=("--customize-hook=$hook"); done
  mmdebstrap --variant=minbase ${include:+--include="$include"} --aptopt='APT::Install-Recommends "false"' "${arguments[@]}" bookworm /dev/null
}

scripts/deb.sh --source "$scratch/source" && cp tests/package/installed.sh tests/docs/console.py "$scratch/" || exit 1
mkdir "$scratch/packages" "$scratch/result"
# shellcheck disable=SC2016
in_debian build-essential,debhelper,lintian 'mkdir "$1/source" "$1/packages"' \
  "sync-in $scratch/source /source" \
  'chroot "$1" sh -c "cd /source && apt-get build-dep --yes ./ && scripts/deb.sh /packages"' \
  'chroot "$1" sh -c "lintian --allow-root --fail-on error,warning --info /packages/*.changes >/packages/lintian; echo \$? >/packages/lintian.status"' \
  "sync-out /packages $scratch/packages" >"$scratch/log" 2>&1 || failed "the packages are built with what they say they need" "$scratch/log"
echo "ok 1 - the packages are built with what they say they need"
if [ "$(cat "$scratch/packages/lintian.status")" = 0 ]; then
  echo "ok 2 - lintian has nothing to complain of"
else
  echo "not ok 2 - lintian has nothing to complain of"
  sed 's/^/# /' "$scratch/packages/lintian"
fi

# shellcheck disable=SC2016
in_debian "" 'mkdir "$1/packages" "$1/result"' "sync-in $scratch/packages /packages" "copy-in $scratch/installed.sh $scratch/console.py /" \
  'chroot "$1" sh /installed.sh 3 >"$1/result/tap"' "sync-out /result $scratch/result" >"$scratch/log" 2>&1 ||
  failed "they are installed" "$scratch/log"
cat "$scratch/result/tap"
