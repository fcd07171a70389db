#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# On a machine that has nothing, a target installs what it needs: every library on the lines that link
# it, and the programs behind it. Nothing is built here: make only says what it would do.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL

# The Debian package a library is linked from; those of the C library come with every compiler.
package_of() {
  case $1 in
  z3 | zstd | gmp | gsl | jansson | cmocka | cyaml | yaml | bpf | microhttpd | fftw3) echo "lib$1-dev" ;;
  gslcblas) echo libgsl-dev ;;
  flint) echo libflint-arb-dev/libflint-dev ;; # and flint-arb, before FLINT 3
  nettle) echo nettle-dev ;;
  z) echo zlib1g-dev ;;
  uv) echo libuv1-dev ;;
  curl) echo libcurl4-gnutls-dev ;;
  gnutls) echo libgnutls28-dev ;;
  Zydis) echo libzydis-dev ;;
  http_parser) echo libhttp-parser-dev ;;
  dw | elf) echo "lib$1-dev" ;;
  iberty) echo libiberty-dev ;;
  m | pthread | dl) echo gcc ;;
  *) echo "unknown:$1" ;;
  esac
}

# TARGET: what make would do for it goes into $scratch/plan.
plan() {
  local kept="$scratch/plan of $1"
  # shellcheck disable=SC2086
  [ -s "$kept" ] || make -n -B BUILD="$scratch/build" $1 >"$kept" 2>"$scratch/err" || { rm -f "$kept"; return 1; }
  ln -sf "$kept" "$scratch/plan"
}

# The packages of the libraries on the lines of the plan.
linked() {
  grep -oE -- ' -l[A-Za-z0-9_]+| -D[A-Z0-9]+_LIBRARY=' "$scratch/plan" | sort -u | sed -E 's/^ -l//; s/^ -D(.*)_LIBRARY=/\L\1/' |
    while read -r library; do package_of "$library"; done | sort -u
}

# TARGET, then packages of programs it runs: all of these and those of its libraries are installed.
installs() {
  local target=$1 needed package
  shift
  plan "$target" || { cat "$scratch/err" >"$scratch/log"; report 1 "$target"; return; }
  case $target in
  fuzz) cat scripts/fuzz.sh >>"$scratch/plan" ;;
  esac
  grep 'scripts/deps\.sh' "$scratch/plan" | tr ' ' '\n' >"$scratch/installed"
  needed=$(linked)
  for package in $needed "$@"; do
    grep -qxF "$package" "$scratch/installed" || echo "$package is not installed"
  done >"$scratch/log"
  [ -n "$needed$*" ] && [ ! -s "$scratch/log" ]
  report $? "make $target"
}

# What every link line of the Makefile has is known above, and the plan of all of them is not empty.
installs test python3 jq cvc5 frama-c-base why3 cvc4 chromium redis-server
grep -q -- '-lcmocka' "$scratch/plan" && grep -q -- '-lhttp_parser' "$scratch/plan"
report $? "the plan of the tests has their link lines"
# Most of the tests' packages are installed while these are compiled.
grep -m 1 'scripts/deps\.sh' "$scratch/plan" | tr ' ' '\n' >"$scratch/installed"
linked | grep -vxF -f "$scratch/installed" >"$scratch/log"
[ -s "$scratch/installed" ] && [ ! -s "$scratch/log" ]
report $? "what they are linked with is there before"
installs bench jq time wrk cvc5 python3-scipy r-cran-distr
grep -q -- '-lfftw3' "$scratch/plan" && grep -q -- '-lcmocka' "$scratch/plan"
report $? "the plan of the benchmarks has their link lines"

# What the scripts of a target run and every Debian does not have comes from a package that is installed first (by
# apt, which therefore is there). Words that may be commands: those that begin a line, or follow what begins a command.
commands_of() { # scripts
  sed -E 's/^ *#.*//' "$@" | grep -oE '(^|[|;&(!]|\b(if|then|do|else|while|run|measure|env|timeout [0-9]+)\b) *(/usr/bin/)?[a-z][a-z0-9._-]*' |
    grep -oE '[a-z0-9._-]+$' | grep -vxE "print|file" | sort -u # print: of awk; file: its variable
}
# Lines "COMMAND PACKAGE" of those that are programs of this machine; all are asked about at once, as each question reads
# the lists of all packages.
packages_with() { # a file of commands
  local command path
  while read -r command; do
    path=$(type -P "$command") && printf '%s %s %s %s\n' "$command" "$path" "${path#/usr}" "$(readlink -f "$path")"
  done <"$1" >"$scratch/paths"
  cut -d' ' -f2- "$scratch/paths" | tr ' ' '\n' | sort -u | xargs -r dpkg -S 2>/dev/null | grep -v '^diversion ' |
    awk 'FNR == NR { package = $1; sub(/[:,].*/, "", package); of[$NF] = package; next }
      { for (i = 2; i <= NF; i++) if ($i in of) { print $1, of[$i]; next } }' - "$scratch/paths"
}
runs() { # target, a command that must be found, scripts
  local target=$1 found=$2 command package
  shift 2
  plan "$target" && grep 'scripts/deps\.sh' "$scratch/plan" | tr ' ' '\n' >"$scratch/installed"
  commands_of "$@" >"$scratch/commands"
  while read -r command package; do
    [ "$command" = awk ] && package=mawk # the one of every Debian; another may be installed, too
    [ "$package" = apt ] || [ "$(dpkg-query -W -f '${Essential}' "$package")" = yes ] ||
      dpkg-query -W -f '${Priority}' "$package" | grep -qx required || grep -qxF "$package" "$scratch/installed" ||
      echo "$command of $package is not installed"
  done < <(packages_with "$scratch/commands") >"$scratch/log"
  grep -qx "$found" "$scratch/commands" && [ ! -s "$scratch/log" ]
  report $? "the commands of $*"
}
runs bench jq bench/run.sh
runs bench awk bench/chain.sh
runs bench awk scripts/performal.sh scripts/performal_lines.sh
runs fuzz clang scripts/fuzz.sh
installs verify
installs "example NAME=redis" redis-server
installs "example NAME=redis_load" redis-server redis-tools jq
installs "example NAME=zookeeper" libzookeeper-java default-jre-headless python3
installs "example NAME=node_fanout" nodejs node-redis redis-server
installs "example NAME=token_ring"
installs mutants
installs certify cvc5
installs evaluate python3 redis-server
installs evaluate-throughput python3 nginx gunicorn postgresql wrk golang-go
installs lint cppcheck clang-format
installs prove gcc frama-c-base why3 cvc4
installs prove-fresh gcc frama-c-base why3 cvc4
installs prove-generated frama-c-base why3 cvc4 z3 python3
installs prove-mutants gcc frama-c-base why3 cvc4
installs fuzz clang libclang-rt-14-dev
installs sanitize clang libclang-rt-14-dev

# In parallel nothing is compiled before the packages are there: they are the only prerequisites.
make -pn BUILD="$scratch/build" help 2>/dev/null >"$scratch/rules"
for target in test bench verify example mutants certify evaluate evaluate-throughput lint prove fuzz sanitize; do
  grep -E "^$target: " "$scratch/rules" | grep -vE "^$target: [a-z]+-deps\$"
done >"$scratch/log"
[ -s "$scratch/rules" ] && [ ! -s "$scratch/log" ]
report $? "packages are installed before anything is built"

finish
