# SPDX-License-Identifier: GPL-3.0-or-later
# What tests read from help; sourced, with $program set.
# shellcheck shell=bash disable=SC2154

all_commands() { sed -nE 's/^COMMAND\(([a-z]+)\)$/\1/p' cli/command/commands.def; }
# The questions of a command, each of which has options of its own.
questions_of() { "$program" "$1" --help | sed -nE '/^questions,/,$s/^  ([a-z]+).*/\1/p'; }
# The help of a command, and of each of its questions.
helps() {
  local question
  "$program" "$1" --help
  for question in $(questions_of "$1"); do "$program" "$1" "$question" --help; done
}
# The names of its options, without dashes; those of its questions as well.
options_of() { helps "$1" | sed -nE 's/^  (-.,|   ) --([a-z-]+).*/\2/p' | sort -u; }
