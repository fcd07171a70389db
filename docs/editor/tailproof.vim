" SPDX-License-Identifier: GPL-3.0-or-later
" Vim syntax of Tailproof protocols. Save as ~/.vim/syntax/tailproof.vim and put into ~/.vimrc:
"   autocmd BufRead,BufNewFile *.tp set filetype=tailproof
" tests/cli/t-completion.sh holds the words against the scanner's.
if exists("b:current_syntax")
  finish
endif

syn match tpComment "#.*$" contains=@Spell
syn match tpNumber "\<\d\+\(\.\d\+\)\?\(\s*\(ns\|us\|ms\|s\)\)\?\>"
syn match tpOperator ":=\|->\|==\|!=\|<=\|>=\|[<>+*&=-]\|\.\."
syn match tpFunction "\<\(upto\|arrival\|paced\|handed\|released\|losses\|now\|began\|standard\|advanced\|eager\)\>"

syn keyword tpDeclaration protocol param assume enum role external component repeated delay queueing
syn keyword tpDeclaration timeout timing schedule message state action invariant bound phase ghost let arrivals
syn keyword tpClause on cost reads timer over fifo within by phases start end at any once before for all from every burst jitter loses paced priority
syn keyword tpStatement when send to if then else
syn keyword tpType bool int set map time of
syn keyword tpConstant true false first last
syn keyword tpLogic and or not implies iff forall exists in
syn keyword tpFunction sent pending received lost receiver delivered charged next prev index max min sum kth

hi def link tpComment Comment
hi def link tpNumber Number
hi def link tpOperator Operator
hi def link tpDeclaration Keyword
hi def link tpClause Statement
hi def link tpStatement Conditional
hi def link tpType Type
hi def link tpConstant Constant
hi def link tpLogic Operator
hi def link tpFunction Function

let b:current_syntax = "tailproof"
