#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the man page of the program, made of its own help, so of the tables of commands and options.
set -eu
program=${1:-build/tailproof}
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
echo ".TH TAILPROOF 1 \"\" \"tailproof $version\" \"User commands\""
cat <<'END'
.SH NAME
tailproof \- proved latency bounds of protocols, and the percentiles that follow from measurements
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
END
part() { # words of a command
  local help
  help=$("$program" "$@" --help)
  echo ".SS \"$(sed -n '1s/^usage: //p' <<<"$help" | text)\""
  sed -n '2p' <<<"$help" | text
  sed '/^questions,/,$d' <<<"$help" | options
}
for group in $groups; do
  help=$("$program" help "$group")
  echo ".SH \"$(tr '[:lower:]' '[:upper:]' <<<"$group") COMMANDS\""
  sed -nE '1{s/^[A-Z][a-z]+: //; s/; tailproof help .*//; s/^tailproof help .*//; /./p}' <<<"$help" | text
  for command in $(sed -nE 's/^  ([a-z]+) .*/\1/p' <<<"$help"); do
    part "$command"
    for question in $("$program" "$command" --help | sed -nE '/^questions,/,$s/^  ([a-z]+).*/\1/p'); do
      part "$command" "$question"
    done
  done
done
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
.SH SEE ALSO
The manual, the language and the glossary are in
.IR share/doc/tailproof/docs .
END
