#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs in a Debian that has nothing but its base, with the packages in /packages: installs, uses and removes them, as root.
# Its argument is the number of the first check; prints TAP. /console.py is tests/docs/console.py.
count=$(($1 - 1))
out=$(mktemp)
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 XDG_CACHE_HOME=/tmp/cache # what was proved stays with its user
check() { # title, command...
  title=$1
  shift
  count=$((count + 1))
  if "$@" >"$out" 2>&1; then
    echo "ok $count - $title"
  else
    echo "not ok $count - $title"
    tail -n 25 "$out" | sed 's/^/# /'
  fi
}
install_packages() { apt-get install --yes --no-install-recommends "$@"; }
files() { find /usr /etc /opt /srv /root /home ! -name '*.pyc' ! -name __pycache__ | sort; }

files >/before
check "tailproof is installed" sh -c 'apt-get install --yes --no-install-recommends /packages/tailproof_*.deb'
proves() { tailproof verify /usr/share/tailproof/specs/lock.tp; }
check "and proves an installed protocol" proves
check "without what draws, or the desktop's libraries" sh -c '! dpkg-query -W | grep -E "cairo|libx11|fontconfig|pango"'
knows_commands() { bash -c '. /usr/share/bash-completion/completions/tailproof && complete -p tailproof'; }
check "bash completes it" knows_commands
check "pages of its manual are there, to be read as they are" test -f /usr/share/doc/tailproof/docs/manual.md -a -f /usr/share/doc/tailproof/CHANGELOG.md

install_packages man-db >/dev/null 2>&1
page() { MANWIDTH=80 man --warnings tailproof >"$out.page" 2>"$out.warnings" && grep -q "tailproof verify" "$out.page" && ! grep . "$out.warnings"; }
check "man shows its page, without a warning" page

mkdir /tmp/data
for step in Grant Accept d; do { echo latency_us; seq 100 1099; } >/tmp/data/$step.csv; done
picture() { tailproof percentiles /usr/share/tailproof/specs/lock.tp --bound full_circle --set n=3 --data /tmp/data -p 50 --plot /tmp/data/x.png; }
no_picture() {
  picture
  [ $? -eq 69 ] && [ ! -e /tmp/data/x.png ]
}
check "a PNG asks for another package" no_picture
install_packages librsvg2-bin fonts-dejavu-core >/dev/null 2>&1
check "and is drawn with it" picture

# --- a newcomer's way: the pages' commands as they are written, in the folder that `tailproof examples` makes
install_packages python3 make cvc5 >/dev/null 2>&1
page_runs() { INSTALLED=/usr/bin/tailproof python3 /console.py "/usr/share/doc/tailproof/$1" >/tap; ! grep -A 40 '^not ok' /tap && grep -q '^ok' /tap; }
# Those that compile come later; that of foreign needs three languages.
later=" docs/generate.md docs/measure.md examples/foreign/README.md "
pages=$(cd /usr/share/doc/tailproof && grep -rl --include='*.md' '^```console' README.md docs examples | sort)
for name in $pages; do case $later in *" $name "*) ;; *) check "the commands of $name" page_runs "$name" ;; esac done
several() { [ "$(echo "$pages" | wc -l)" -ge 10 ]; }
check "there are such pages" several
try_it() { cd /root && tailproof examples try && cd try && tailproof verify examples/etcd/etcd_put.tp --infer; }
check "tailproof examples try && cd try" try_it
without_library() { make -C /root/try example NAME=token_ring >"$out.made" 2>&1; ! grep -q dominated "$out.made" && grep -q "install libtailproof-measure-dev" "$out.made"; }
check "an example in C says what it needs" without_library

check "the library is installed" sh -c 'apt-get install --yes --no-install-recommends /packages/libtailproof-measure*1_*.deb /packages/libtailproof-measure-dev_*.deb'
install_packages gcc libc6-dev pkgconf >/dev/null 2>&1
sed -n "/^\`\`\`c ping.c\$/,/^\`\`\`\$/p" /usr/share/doc/tailproof/docs/measure.md | grep -v "^\`\`\`" >/tmp/documented.c
links() {
  # shellcheck disable=SC2046
  gcc -std=c11 -Wall -Werror -o /tmp/documented /tmp/documented.c $(pkg-config --cflags --libs tailproof-measure) &&
    ldd /tmp/documented | grep -q 'libtailproof-measure.so.1 => /lib/'
}
check "the program in measure.md is linked to it" links
records() { TAILPROOF_STORE=/tmp/store /tmp/documented && tailproof import --out /tmp/components /tmp/store && grep -qx 'total 1000' /tmp/components/round.tph; }
check "and records" records
for name in docs/generate.md docs/measure.md; do check "the commands of $name" page_runs $name; done

# What it prints, and not its exit code: a busy machine leaves percentiles undecided. That each request kept to the bound is
# no matter of that.
example_runs() {
  make -C /root/try example NAME="$1" >"$out.made" 2>&1
  tail -n 30 "$out.made"
  grep -qE "^ +p50 .* (dominated|cannot tell)" "$out.made" && grep -qE "^ +Each of the [0-9]+ requests took no longer" "$out.made"
}
check "make example NAME=token_ring" example_runs token_ring
# Servers are watched by probes, which the kernel lets root alone place, and none in a user namespace.
if [ "$(awk '{ print $3; exit }' /proc/self/uid_map)" = 4294967295 ]; then
  for watched in nginx etcd; do check "make example NAME=$watched" example_runs $watched; done
fi

check "all is removed" sh -c 'rm -rf /root/try && apt-get purge --yes tailproof libtailproof-measure1 libtailproof-measure-dev gcc libc6-dev pkgconf man-db librsvg2-bin fonts-dejavu-core && apt-get autoremove --purge --yes'
none_left() { files >/after && diff /before /after | grep '^>' >"$out.left"; ! grep -i tailproof "$out.left" && [ "$(dpkg-query -W 2>/dev/null | grep -c tailproof)" -eq 0 ]; }
check "and nothing of it is left" none_left
echo "1..$count"
