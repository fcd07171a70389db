#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Another release of Debian: in a clean Debian 13 the Makefile installs what it needs, the program is built of the source of a
# release without a warning of that release's compiler, and passes the unit tests. Needs mmdebstrap (root, or user
# namespaces) and a Debian mirror; part of `make test-all`.
cd "$(dirname "$0")/../.." || exit 1
command -v mmdebstrap >/dev/null || { echo "not ok 1 - mmdebstrap is missing (apt-get install mmdebstrap)"; exit 69; }
release=trixie
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
scripts/deb.sh --source "$scratch/source" || exit 1
mkdir "$scratch/result"
# What some unit tests ask: a solver, a program in Go, one on libuv, tools.
tools=ca-certificates,cvc5,z3,python3,curl,jq,procps,iproute2,nodejs,prometheus
cat >"$scratch/source/inside.sh" <<'END'
cd /source
mkdir -p /result
{ make -s compile-deps && make -s -j"$(nproc)" all && make -s -j"$(nproc)" $(make -s -p -n help 2>/dev/null | sed -n 's/^UNIT := //p'); } >/result/log 2>&1
echo $? >/result/status
[ "$(cat /result/status)" -ne 0 ] || tests/package/units.sh build 2 >/result/tap 2>&1
gcc --version | head -n 1 >/result/compiler
END
# shellcheck disable=SC2016
mmdebstrap --variant=minbase --include="make,gcc,libc6-dev,$tools" --aptopt='APT::Install-Recommends "false"' --skip=cleanup/apt/lists \
  '--customize-hook=mkdir "$1/source" "$1/result"' "--customize-hook=sync-in $scratch/source /source" \
  '--customize-hook=chroot "$1" bash /source/inside.sh' "--customize-hook=sync-out /result $scratch/result" \
  $release /dev/null >"$scratch/log" 2>&1
made=$?
if [ $made -ne 0 ] && [ ! -s "$scratch/result/status" ]; then
  echo "not ok 1 - a clean Debian ($release): is a mirror reachable?"
  tail -n 15 "$scratch/log" | sed 's/^/# /'
  echo 1..1
  exit 1
fi
echo "ok 1 - a clean Debian ($release), $(cat "$scratch/result/compiler")"
if [ "$(cat "$scratch/result/status")" = 0 ]; then
  echo "ok 2 - program, libraries, examples and unit tests are built"
else
  echo "not ok 2 - program, libraries, examples and unit tests are built"
  tail -n 30 "$scratch/result/log" | sed 's/^/# /'
  echo 1..2
  exit 1
fi
cat "$scratch/result/tap"
! grep -q '^not ok' "$scratch/result/tap"
