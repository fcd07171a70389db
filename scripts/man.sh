#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The man pages of the program, made of its own help, so of the tables of commands and options:
#
#   scripts/man.sh PROGRAM [COMMAND]      prints tailproof(1), or the page of a command, tailproof-COMMAND(1)
#   scripts/man.sh PROGRAM --into FOLDER  writes them all
set -eu
program=${1:-build/tailproof} asked=${2:-}
groups=$("$program" --help | sed -nE 's/^([A-Z][a-z]+): .*/\1/p')

text() { sed -e 's/\\/\\\\/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"; }

# "  -j, --jobs N             threads" and the lines that continue it: an item with its text.
options() {
  sed '1,/^$/d' | awk '
    function close_item() { if (name != "") { print ".TP"; print "NAME " name; print body } name = "" }
    /^  (-[a-zA-Z],|   ) --/ {
      close_item()
      head = $0; sub(/^ +/, "", head)
      name = head; sub(/   *.*/, "", name)
      body = substr(head, length(name) + 1); gsub(/^ +/, "", body)
      next
    }
    name != "" { line = $0; gsub(/^ +/, "", line); body = body == "" ? line : body "\n" line }
    END { close_item() }' | text | sed -E 's/^NAME (.*)/.B "\1"/; s/^\\&\.TP$/.TP/'
}

version=$("$program" --version | awk 'NR == 1 { print $2 }')
title() { # NAME, what it is for
  echo ".TH $(tr '[:lower:]' '[:upper:]' <<<"$1" | text) 1 \"\" \"tailproof $version\" \"User commands\""
  echo ".SH NAME"
  echo "$(text <<<"$1") \\- $(text <<<"$2")"
}
commands_of() { "$program" help "$1" | sed -nE 's/^  ([a-z]+) .*/\1/p'; }
questions_of() { "$program" "$1" --help | sed -nE '/^questions,/,$s/^  ([a-z]+).*/\1/p'; }
summary_of() { "$program" "$@" --help | sed -n 2p; }

exit_status() {
  cat <<'END'
.SH EXIT STATUS
.TP
.B 0
all proved, or done
.TP
.B 1
refuted, broken, or not dominated
.TP
.B 2
unknown: cannot tell
.TP
.B 3
met or broken only if components are independent
.TP
.B 4
met or broken in this run alone
.TP
.B 64
wrong usage
.TP
.B 65
mistakes in a file
.TP
.B 66
a file that cannot be read
.TP
.B 69
a tool is missing
.TP
.B 70
internal error
END
}

# What a command is for, in the words of a user; the options are held against the program by tests/build/t-install.sh.
examples() {
  cat <<'END'
Is the design's bound true, for every number of nodes?
    tailproof verify specs/redis_wait.tp --bound reply
Find the bound (written as "within ?") and what proves it, and write both into the file.
    tailproof verify --infer --write FILE.tp
Is p99 below 5 ms? Of a table with a row for each request.
    tailproof percentiles FILE.tp --joint requests.csv --observed request.put -p 50,99 --slo 'p99<5ms'
Which part spends it?
    tailproof percentiles FILE.tp --joint requests.csv -p 99 --contributions 99
Measure a running system that knows nothing of it: a first draft, a recording, and whether that follows the draft.
    tailproof draft --probes 4711 --out draft
    tailproof record --probes draft/NAME.yaml --seconds 60 --out store
    tailproof replay draft/NAME.tp store
Why are the slow requests of these traces slow?
    tailproof tail traces --above p99
Is the new version slower? Exit code 1 says so to a script.
    tailproof compare old.csv new.csv --margin 1.05
END
}

show_examples() {
  echo ".SH EXAMPLES"
  examples | text | awk '
    /^    / { if (!pre) { print ".PP"; print ".nf"; print ".RS 4" } pre = 1; sub(/^    /, ""); print; next }
    { if (pre) { print ".RE"; print ".fi" } pre = 0; print ".PP"; print }
    END { if (pre) { print ".RE"; print ".fi" } }'
}

main_page() {
  title tailproof "proved latency bounds of protocols, and the percentiles that follow from measurements"
  cat <<'END'
.SH SYNOPSIS
.B tailproof
.I COMMAND
.RI [ OPTION ]...
.RI [ FILE ]...
.SH DESCRIPTION
A protocol file describes who takes steps, what each step costs, and what is claimed of the time until an event.
.B tailproof verify
proves each claim or shows an execution that breaks it;
.B tailproof percentiles
turns a proved bound into percentiles that are not below the true ones, with the confidence asked for.
Each command has a page of its own.
END
  for group in $groups; do
    echo ".SH \"$(tr '[:lower:]' '[:upper:]' <<<"$group") COMMANDS\""
    "$program" help "$group" | sed -nE '1{s/^[A-Z][a-z]+: //; s/; tailproof help .*//; s/^tailproof help .*//; /./p}' | text
    for command in $(commands_of "$group"); do
      printf '.TP\n.BR tailproof\\-%s (1)\n' "$command"
      summary_of "$command" | text
    done
  done
  show_examples
  exit_status
  cat <<'END'
.SH SEE ALSO
The manual, the language and the glossary are in
.IR share/doc/tailproof/docs .
END
}

part() { # words of a command
  "$program" "$@" --help | sed '/^questions,/,$d' | options
}

command_page() {
  title "tailproof-$1" "$(summary_of "$1")"
  echo ".SH SYNOPSIS"
  "$program" "$1" --help | sed -n '1s/^usage: //p' | text
  echo ".SH OPTIONS"
  part "$1"
  for question in $(questions_of "$1"); do
    echo ".SH \"$("$program" "$1" "$question" --help | sed -n '1s/^usage: //p' | text)\""
    summary_of "$1" "$question" | text
    part "$1" "$question"
  done
  exit_status
  printf '.SH SEE ALSO\n.BR tailproof (1)\n'
}

if [ "$asked" = --into ]; then
  main_page >"$3/tailproof.1"
  for group in $groups; do
    for command in $(commands_of "$group"); do command_page "$command" >"$3/tailproof-$command.1"; done
  done
elif [ -n "$asked" ]; then
  command_page "$asked"
else
  main_page
fi
