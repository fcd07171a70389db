#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What proofs/prove.sh remembers of successful replays (build/prove/replayed), as one text file, proofs/replayed,
# so that a fresh clone need not replay what is as it was. A line for each line of what is remembered:
#
#   PLACE DIGEST FILE TEXT
#
# PLACE is the source with _ for /, DIGEST that of all that the replay depends on, FILE is `counted` or `said`.
#
#   proofs/replayed.sh unpack FILE FOLDER  makes the folder
#   proofs/replayed.sh pack FOLDER         prints the lines
#
# Exits with 0, with 1 when a line or folder is not as described, with 64 for a wrong command line.
set -u
export LC_ALL=C

case ${1:-}:$# in
unpack:3)
  if grep -nvE '^[a-z_0-9]+\.c [0-9a-f]{32} (counted|said) .' "$2" >&2; then
    echo "replayed: $2: not remembered by a replay: delete the line" >&2
    exit 1
  fi
  cut -d' ' -f1,2 "$2" | sort -u | while read -r place digest; do mkdir -p "$3/$place/$digest" || exit 1; done &&
    awk -v folder="$3" '{ file = folder "/" $1 "/" $2 "/" $3; sub(/^[^ ]+ [^ ]+ [^ ]+ /, ""); print >>file; close(file) }' "$2"
  ;;
pack:2)
  cd "$2" || exit 1
  find . -type f -path './*/*/*' | sort | while read -r file; do
    sed "s|^|$(echo "${file#./}" | tr / ' ') |" "$file"
  done
  ;;
*)
  echo "usage: proofs/replayed.sh unpack FILE FOLDER | pack FOLDER" >&2
  exit 64
  ;;
esac
