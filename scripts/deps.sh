#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the Debian packages named; with --if-missing says nothing when all are there. NAME/OTHER: one of them will do, as
# not every release has both; the first that there is gets installed. While another apt run holds a lock it waits, up to ten
# minutes. --idle: the services of what is installed are not started, as invoke-rc.d's policy says for the time being.
set -eu
tries=300 pause_s=2
quiet='' idle='' policy=${POLICY_RC_D:-/usr/sbin/policy-rc.d}
while :; do
  case ${1:-} in
  --if-missing) quiet=1 ;;
  --idle) idle=1 ;;
  *) break ;;
  esac
  shift
done
if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  missing=
  for tool in gcc make flex bison; do
    command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
  done
  [ -n "$quiet" ] && [ -z "$missing" ] && exit 0
  echo "tailproof: this machine has no apt; install the equivalents of these Debian packages: $*" >&2
  [ -z "$missing" ] && exit 0
  exit 69
fi
alternatives() { echo "$1" | sed 's|/| |g'; }
find_missing() {
  missing=
  for package in "$@"; do
    state=
    for name in $(alternatives "$package"); do
      [ "$state" = installed ] || state=$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)
    done
    [ "$state" = installed ] || missing="$missing $package"
  done
}
# What is missing, with the first of alternatives that this release has; the last one where it has none.
choose() {
  chosen=
  for package in $missing; do
    for name in $(alternatives "$package"); do
      [ "$package" = "$name" ] || ! apt-cache policy "$name" 2>/dev/null | grep -q 'Candidate: [^(]' || break
    done
    chosen="$chosen $name"
  done
}

find_missing "$@"
if [ -z "$missing" ]; then
  [ -n "$quiet" ] || echo "all packages are installed"
  exit 0
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "tailproof: missing packages:$missing; run as root: apt-get install$missing" >&2
    exit 69
  fi
  as_root=sudo
fi
echo "installing:$missing" >&2
log=$(mktemp)
clean() {
  rm -f "$log"
  [ "$idle" != set ] || $as_root rm -f "$policy"
}
trap clean EXIT
trap 'exit 130' INT TERM HUP
if [ -n "$idle" ] && [ ! -e "$policy" ]; then
  idle='set'
  printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
  $as_root chmod +x "$policy"
fi

# apt ARGUMENTS: runs apt-get until it is not turned away at a lock. Its own DPkg::Lock::Timeout
# covers neither the lock of the package lists nor that of the downloads.
apt() {
  while ! $as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get "$@" >"$log" 2>&1; do
    held=$(sed -n 's/^E: Could not get lock \([^ ]*[^ .]\).*/\1/p' "$log" | head -n 1)
    [ -n "$held" ] && [ "$tries" -gt 0 ] || return 0
    [ -n "${waits:-}" ] || echo "waiting for another apt run, which holds $held" >&2
    waits=1 tries=$((tries - 1))
    sleep "$pause_s"
  done
}
# Old package lists may do where a mirror is down, so a failing update is no reason to give up.
apt update
choose
# shellcheck disable=SC2086
apt install -y --no-install-recommends $chosen
find_missing "$@"
if [ -n "$missing" ]; then
  tail -n 5 "$log" >&2
  echo "tailproof: these packages are missing and could not be installed:$missing" >&2
  exit 69
fi
