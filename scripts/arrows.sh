#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fails on an include that points the wrong way, or on a foreign library in a file that does not own
# it; scripts/arrows.txt says what is right.
set -eu
cd "$(dirname "$0")/.."

# Every include of the product: FILE:LINE:#include "WHAT".
find base format lang solver generate dist measure steps trace show cli -name '*.[chly]' | sort |
  xargs grep -noE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<][A-Za-z0-9_./]+' |
  awk '
    # The longest known folder that a path is in; a file may stand for itself.
    function part_of(path, known,   part) {
      part = path
      while (!(part in known) && sub(/\/[^\/]*$/, "", part))
        ;
      return part
    }
    # Whether a path is in one of the folders, or is one of the files, with or without its ending.
    function is_in(path, folders,   list, n, i) {
      n = split(folders, list, " ")
      for (i = 1; i <= n; i++)
        if (index(path "/", list[i] "/") == 1 || index(path, list[i] ".") == 1)
          return 1
      return 0
    }
    function complain(what) {
      print "wrong arrow: " place ": " what
      bad = 1
    }
    NR == FNR {
      if ($0 ~ /^[a-z<]/) {
        colon = index($0, ":")
        name = substr($0, 1, colon - 1)
        if (name ~ /^</) owners[substr(name, 2, length(name) - 2)] = substr($0, colon + 1)
        else may[name] = substr($0, colon + 1)
      }
      next
    }
    {
      split($0, field, ":")
      file = field[1]
      place = file ":" field[2]
      what = $0
      sub(/^[^"<]*["<]/, "", what)
      while (sub(/^\.\.\//, "", what))
        ;
      if (what ~ /^(base|lang|solver|generate|dist|measure|steps|cli|proofs)\//) {
        own = part_of(file, may)
        if (part_of(what, may) != own && !is_in(what, may[own]))
          complain(own "/ may not include " what)
        next
      }
      for (library in owners)
        if (what ~ "^" library "[a-z0-9_]*[./]" && index(owners[library] " ", " " file " ") == 0)
          complain("<" what "> belongs to" owners[library])
    }
    END { exit bad }' scripts/arrows.txt - >&2
