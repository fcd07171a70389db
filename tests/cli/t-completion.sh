#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion scripts come from the tables: bash's is tried in bash; the others are checked by their
# shells where these are installed. The editors' word lists are the scanner's.
. "$(dirname "$0")/tap.sh"

commands=$(sed -nE 's/^COMMAND\(([a-z]+)\)$/\1/p' cli/command/commands.def)
. tests/help.sh
run completion bash
check "bash" 'exits 0' 'quiet_err' 'bash -n "$scratch/out"'
cp "$scratch/out" "$scratch/completion.bash"
mkdir "$scratch/here" "$scratch/here/folder"
touch "$scratch/here/one.tp" "$scratch/here/two.txt"

# What bash offers behind the words, of which the last is the one being completed.
offered() {
  (
    cd "$scratch/here" || exit 1
    tailproof() { "$program" "$@"; }
    # shellcheck disable=SC1091
    . "$scratch/completion.bash"
    COMP_WORDS=(tailproof "$@")
    COMP_CWORD=$#
    _tailproof
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ' | sed 's/ $//'
  )
}
sorted() { tr ' ' '\n' <<<"$1" | sort | tr '\n' ' ' | sed 's/ $//'; }

check "bash: the commands" '[ "$(offered "")" = "$(sorted "$(echo $commands) --help --version")" ]'
check "bash: the start of a command" '[ "$(offered ver)" = verify ]' '[ "$(offered ce)" = certify ]'
while read -r command; do
  options=$(options_of "$command" | sed 's/^/--/')
  check "bash: the options of $command" '[ -n "$options" ]' '[ "$(offered "$command" --)" = "$(sorted "$(echo $options)")" ]'
done <<<"$commands"
touch "$scratch/here/three.yaml"
check "bash: configurations of the agent" '[ "$(offered agent "")" = "folder three.yaml" ]'
check "bash: files" '[ "$(offered verify "")" = "folder one.tp" ]' '[ "$(offered certify --check "")" = folder ]'
check "bash: words" '[ "$(offered certify --with "")" = "cvc4 cvc5 z3" ]' '[ "$(offered verify --format s)" = sarif ]' \
  '[ "$(offered completion "")" = "bash fish zsh" ]'
# as bash parts the words, and as it does where "=" is none of $COMP_WORDBREAKS
check "bash: --option=value" '[ "$(offered verify --format = s)" = sarif ]' '[ "$(offered verify --format =)" = "csv html json junit markdown prometheus sarif text" ]' \
  '[ "$(offered verify --format=s)" = --format=sarif ]' '[ "$(offered certify --check = "")" = folder ]' \
  '[ "$(offered percentiles --plot = t)" = "$(sorted "two.txt three.yaml")" ]' '[ "$(offered percentiles --plot=tw)" = --plot=two.txt ]'
check "bash: a program behind --" '[[ " $(offered record -- ba) " == *" bash "* ]]' '[[ " $(offered poker --name a -- ba) " == *" bash "* ]]' \
  '[ "$(offered record -- bash o)" = one.tp ]' '[ "$(offered record -- bash --out tw)" = two.txt ]'
check "bash: the questions of whatif" '[ "$(offered whatif "")" = "latency predict throughput" ]' '[ "$(offered whatif pre)" = predict ]' \
  '[ "$(offered whatif throughput "")" = "folder three.yaml" ]' '[ "$(offered whatif predict --sa)" = --saved ]' \
  '[ -z "$(offered whatif predict --sv)" ]' '[ "$(offered whatif throughput --pl)" = --plot ]'
check "bash: codes" '[ "$(offered explain E020)" = "$(sorted "$(echo $(sed -nE "s/^DIAGNOSTIC\((E020[0-9]),.*/\1/p" lang/diagnostic.def))")" ]'
check "bash: nothing for a number" '[ -z "$(offered verify --jobs "")" ]' '[ -z "$(offered verify -j "")" ]'
for word in $(offered certify --with ''); do
  run certify --check "$scratch/here" --with "$word"
  check "the program knows solver $word" '! exits 64'
done
for word in $(offered verify --format ''); do
  run verify --format "$word" "$specs/lock.tp"
  check "and format $word" 'exits 0'
done

for shell in zsh fish; do
  run completion $shell
  check "$shell names every command and option" 'exits 0' 'quiet_err' \
    '[ -z "$(for word in $commands; do grep -q "[ '"'"']$word\>" "$scratch/out" || echo "$word"; done)" ]' \
    '[ -z "$(for command in $commands; do options_of "$command"; done | sort -u | while read -r word; do grep -qE -- "(--|-l )$word\>" "$scratch/out" || echo "$word"; done)" ]'
  check "$shell: the questions of whatif" 'grep -q "throughput.*measure what throughput" "$scratch/out"' 'grep -q "predict.*calculate the throughput from" "$scratch/out"'
  check "$shell: texts as in each command's help" 'grep -q "seed.*order in which windows" "$scratch/out"' 'grep -q "seed.*the solver" "$scratch/out"' \
    '! grep "seed.*the solver" "$scratch/out" | grep -q whatif'
  if command -v $shell >/dev/null; then
    check "$shell accepts it" '$shell --no-execute "$scratch/out" 2>/dev/null || $shell -n "$scratch/out"'
  fi
done
if command -v fish >/dev/null; then
  run completion fish
  check "fish offers the questions" '[ "$(fish --no-config -c "source $scratch/out; complete -C \"tailproof whatif \"" | cut -f1 | sort | tr "\n" " ")" = "latency predict throughput " ]'
fi
run completion tcsh
check "another shell" 'exits 64' 'quiet_out' 'err "bash, zsh or fish"'

# --- editors ------------------------------------------------------------------------------------

words=$(grep -hoE '\{"[a-z]+", TOKEN_[A-Z_]+|strcmp\(word, "[a-z]+"' lang/scanner.l lang/context.c | sed -E 's/.*"([a-z]+)".*/\1/' | sort -u)
check "the scanner has words" '[ "$(wc -w <<<"$words")" -ge 60 ]'
vim=$(sed -nE 's/^syn keyword tp[A-Z][A-Za-z]+ //p' docs/editor/tailproof.vim | tr ' ' '\n' | sort -u)
check "Vim knows exactly the language's words" '[ "$vim" = "$words" ] || { diff <(echo "$words") <(echo "$vim") | sed "s/^/# /"; false; }'
grammar=docs/editor/vscode/tailproof.tmLanguage.json
code=$(jq -r '.repository.words.patterns[].match' $grammar | grep -oE '\([a-z|]+\)' | tr -d '()' | tr '|' '\n' | sort -u)
check "VS Code knows exactly the language's words" '[ "$code" = "$words" ] || { diff <(echo "$words") <(echo "$code") | sed "s/^/# /"; false; }'
check "VS Code's package" 'jq -e ".contributes.languages[0].extensions == [\".tp\"] and .contributes.grammars[0].scopeName == \"source.tailproof\"" docs/editor/vscode/package.json >/dev/null' \
  '[ -f "docs/editor/vscode/$(jq -r ".contributes.grammars[0].path" docs/editor/vscode/package.json)" ]' \
  '[ -f "docs/editor/vscode/$(jq -r ".contributes.languages[0].configuration" docs/editor/vscode/package.json)" ]' \
  '[ "$(jq -r .scopeName $grammar)" = source.tailproof ]'
if command -v vim >/dev/null; then
  vim -es -u NONE -i NONE -c 'syntax on' -c "edit specs/lock.tp" -c 'syntax clear' -c 'unlet! b:current_syntax' \
    -c "source docs/editor/tailproof.vim" -c 'call search("^bound")' -c "call writefile([synIDattr(synID(line('.'), 1, 1), 'name')], '$scratch/vim')" -c 'qa!' >/dev/null 2>&1 </dev/null
  if [ -s "$scratch/vim" ]; then # a small Vim has no syntax highlighting
    check "Vim highlights with it" '[ "$(cat "$scratch/vim")" = tpDeclaration ]'
  fi
fi

finish
