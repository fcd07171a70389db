#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Setting up on machines of all kinds, played by fakes: each machine is a folder of commands that is
# the whole PATH, so nothing is installed and nobody needs to be root.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
machine=$scratch/bin

fake() { # name, body
  printf '#!/bin/sh\n%s\n' "$2" >"$machine/$1"
  chmod +x "$machine/$1"
}

# A Debian where `installed` lists what is there; apt-get writes its calls to the log and installs.
debian() { # uid
  rm -rf "$machine" "$scratch/log"
  mkdir "$machine"
  for tool in sh mktemp rm tail head cat grep dirname env sed; do
    ln -s "$(command -v $tool)" "$machine/$tool"
  done
  fake id "echo $1"
  fake dpkg-query "
    for package; do :; done
    if grep -qx \"\$package\" $scratch/installed; then printf installed; exit 0; fi
    if grep -qx \"removed:\$package\" $scratch/installed; then printf config-files; exit 0; fi
    echo \"dpkg-query: no packages found matching \$package\" >&2
    exit 1"
  fake apt-get "
    echo \"apt-get \$*\" >>$scratch/log
    [ \"\$1\" = update ] && exit 0
    for package; do case \$package in -*|install) ;; *) echo \$package >>$scratch/installed ;; esac; done"
}

deps() {
  PATH=$machine "$machine/sh" scripts/deps.sh "$@" >"$scratch/out" 2>"$scratch/err"
  status=$?
}

silent() { [ ! -s "$scratch/out" ] && [ ! -s "$scratch/err" ]; }
says() { grep -qF -- "$1" "$scratch/err"; }

debian 0
printf '%s\n' gcc libz3-dev frama-c-base >"$scratch/installed"
deps --if-missing gcc libz3-dev
[ $status -eq 0 ] && silent && [ ! -e "$scratch/log" ]
report $? "everything installed: silent with --if-missing, apt untouched"

deps gcc libz3-dev
[ $status -eq 0 ] && grep -q installed "$scratch/out" && [ ! -s "$scratch/err" ]
report $? "everything installed: one line without it"

deps --if-missing gcc flex libz3-dev bison
[ $status -eq 0 ] && grep -q '^apt-get update' "$scratch/log" &&
  grep -qE '^apt-get install .* flex bison$' "$scratch/log" && says flex && ! says libz3-dev
report $? "as root: what is missing, and only that, is installed"

deps --if-missing gcc flex libz3-dev bison
[ $status -eq 0 ] && silent
report $? "and then nothing is left to do"

# An example's servers are installed, and their services are not started.
debian 0
for tool in tee chmod; do ln -s "$(command -v $tool)" "$machine/$tool"; done
echo gcc >"$scratch/installed"
fake apt-get "[ \"\$1\" = update ] || { [ -x $scratch/policy ] && $scratch/policy; echo \"policy \$?\" >>$scratch/log; echo nginx >>$scratch/installed; }"
POLICY_RC_D=$scratch/policy deps --if-missing --idle gcc nginx
[ $status -eq 0 ] && grep -qx 'policy 101' "$scratch/log" && [ ! -e "$scratch/policy" ]
report $? "--idle: while it is installed the policy is to start nothing, and afterwards it is gone"
sed -i /nginx/d "$scratch/installed"
printf '#!/bin/sh\nexit 104\n' >"$scratch/policy"
chmod +x "$scratch/policy"
POLICY_RC_D=$scratch/policy deps --if-missing --idle gcc nginx
[ $status -eq 0 ] && grep -qx 'policy 104' "$scratch/log" && [ -x "$scratch/policy" ]
report $? "a policy that there is stays"
rm "$scratch/policy" "$scratch/log"
sed -i /nginx/d "$scratch/installed"
POLICY_RC_D=$scratch/policy deps --if-missing gcc nginx
[ $status -eq 0 ] && ! grep -q 'policy 10' "$scratch/log"
report $? "without it there is none"

# Of two names the one that this release has, and none where one is installed.
debian 0
echo gcc >"$scratch/installed"
fake apt-cache 'case $2 in old) echo "  Candidate: (none)" ;; *) echo "  Candidate: 3.1" ;; esac'
deps --if-missing gcc old/new other/another
[ $status -eq 0 ] && grep -qE '^apt-get install .*recommends new other$' "$scratch/log"
report $? "of alternatives the first that there is"
rm "$scratch/log"
deps --if-missing old/new another/other
[ $status -eq 0 ] && silent && [ ! -e "$scratch/log" ]
report $? "an installed one will do"

echo removed:why3 >>"$scratch/installed"
deps --if-missing why3
[ $status -eq 0 ] && grep -q 'install.* why3$' "$scratch/log"
report $? "a removed package whose configuration is left counts as missing"

for package in libz3-dev frama-c-base; do
  debian 0
  echo gcc >"$scratch/installed"
  fake apt-get '[ "$1" = update ] && exit 0; echo "E: Unable to locate package" >&2; exit 100'
  deps --if-missing gcc $package
  [ $status -eq 69 ] && says "$package" && says "E: Unable to locate package" && ! says "gcc"
  report $? "apt-get fails: exit 69 naming $package, with apt's own words"
done

debian 0
echo gcc >"$scratch/installed"
fake apt-get "[ \"\$1\" = update ] || { echo flex >>$scratch/installed; echo 'E: no cvc4' >&2; exit 100; }"
deps --if-missing gcc flex cvc4
[ $status -eq 69 ] && grep -q 'installed: cvc4$' "$scratch/err"
report $? "only what is still missing afterwards is named"

debian 0
echo gcc >"$scratch/installed"
fake apt-get 'echo "E: The network is unreachable" >&2; exit 100'
deps --if-missing gcc cvc4
[ $status -eq 69 ] && says cvc4
report $? "no package lists: exit 69 naming the package"

debian 0
echo gcc >"$scratch/installed"
fake apt-get "echo \"apt-get \$*\" >>$scratch/log
  [ \"\$1\" = update ] && { echo 'E: a mirror is down' >&2; exit 100; }
  echo flex >>$scratch/installed"
deps --if-missing gcc flex
[ $status -eq 0 ] && grep -q 'install.* flex$' "$scratch/log"
report $? "lists that cannot be refreshed do not stop an installation from those there are"

debian 0
echo gcc >"$scratch/installed"
fake apt-get 'exit 0'
deps --if-missing gcc flex
[ $status -eq 69 ] && says flex
report $? "apt-get that claims success without installing: exit 69 naming the package"

# Another apt run: each lock is held for two calls of `sleep`, which here takes no time.
for lock in lists:update archives:install dpkg:install; do
  debian 0
  echo gcc >"$scratch/installed"
  echo 2 >"$scratch/held"
  fake sleep "read -r held <$scratch/held; echo \$((held - 1)) >$scratch/held"
  fake apt-get "echo \"apt-get \$*\" >>$scratch/log
    read -r held <$scratch/held
    if [ \"\$1\" = ${lock#*:} ] && [ \$held -gt 0 ]; then
      echo 'E: Could not get lock /var/lib/${lock%:*}/lock. It is held by process 123 (apt-get)' >&2
      exit 100
    fi
    [ \"\$1\" = update ] || echo flex >>$scratch/installed"
  deps --if-missing gcc flex
  [ $status -eq 0 ] && [ "$(grep -c "^apt-get ${lock#*:}" "$scratch/log")" -eq 3 ] &&
    [ "$(grep -c "waiting for another apt run, which holds /var/lib/${lock%:*}/lock$" "$scratch/err")" -eq 1 ]
  report $? "another apt run holds the lock of ${lock%:*}: it waits, saying so once"
done

: >"$scratch/sleeps"
fake sleep "echo slept >>$scratch/sleeps"
fake apt-get "echo 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 123 (apt-get)' >&2; exit 100"
echo gcc >"$scratch/installed"
deps --if-missing gcc flex
[ $status -eq 69 ] && says "held by process 123" && says flex && [ "$(cat "$scratch/sleeps" | wc -l)" -eq 300 ]
report $? "a lock that is never given back: exit 69 with apt's own words"

# The real apt-get and a real lock, of lists of its own: what apt says is what the script looks for.
if command -v apt-get >/dev/null; then
  debian 0
  rm "$machine/apt-get"
  mkdir -p "$scratch/apt/lists/partial"
  : >"$scratch/installed"
  printf 'Dir::State::Lists "%s";\nDir::Etc::SourceList "/dev/null";\nDir::Etc::SourceParts "/dev/null";\n' \
    "$scratch/apt/lists" >"$scratch/apt.conf"
  mkfifo "$scratch/locked" "$scratch/release"
  python3 - "$scratch" <<'END' &
import fcntl, sys
scratch = sys.argv[1]
with open(scratch + '/apt/lists/lock', 'w') as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    open(scratch + '/locked', 'w').close()
    open(scratch + '/release').read()
END
  cat "$scratch/locked"
  fake sleep "[ ! -e $scratch/release ] || { : >$scratch/release; rm $scratch/release; }"
  ln -s "$(command -v apt-get)" "$machine/apt-get"
  APT_CONFIG=$scratch/apt.conf deps --if-missing tailproof-no-such-package
  [ ! -e "$scratch/release" ] || : >"$scratch/release" # it did not wait
  wait
  [ $status -eq 69 ] && says "which holds $scratch/apt/lists/lock" && says "no-such-package"
  report $? "the lock of a real apt-get: waits until it is given back"
fi

debian 1000
echo gcc >"$scratch/installed"
deps --if-missing gcc libgsl-dev jq
[ $status -eq 69 ] && says "apt-get install libgsl-dev jq" && [ ! -e "$scratch/log" ]
report $? "neither root nor sudo: exit 69 and the command to run"

deps --if-missing gcc
[ $status -eq 0 ] && silent
report $? "neither root nor sudo, but nothing to do: silent"

fake sudo "echo \"sudo \$*\" >>$scratch/log; exec \"\$@\""
deps --if-missing gcc libgsl-dev
[ $status -eq 0 ] && grep -q '^sudo .*apt-get install.* libgsl-dev$' "$scratch/log"
report $? "with sudo: installed through it"

echo gcc >"$scratch/installed"
fake sudo 'echo "sudo: a password is required" >&2; exit 1'
deps --if-missing gcc libgsl-dev
[ $status -eq 69 ] && says libgsl-dev && says "a password is required"
report $? "sudo refuses: exit 69 naming the package, with sudo's own words"

debian 0
rm "$machine/apt-get" "$machine/dpkg-query"
deps --if-missing gcc libz3-dev
[ $status -eq 69 ] && says "no apt" && says libz3-dev
report $? "no apt and no compiler: exit 69, saying what to install"

for tool in gcc make flex bison; do fake $tool 'exit 0'; done
deps --if-missing gcc make flex bison
[ $status -eq 0 ] && silent
report $? "no apt, all tools there: silent with --if-missing"

deps gcc make flex bison libz3-dev
[ $status -eq 0 ] && says "no apt" && says libz3-dev
report $? "no apt: asked for, the list of packages to find equivalents of"

finish
