#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints a protocol of that many rounds in turn, each of which waits for a majority of 2*f + 1 replicas.
# `quorums.sh ROUNDS`; `quorums.sh ROUNDS phases`: with a phase for each.
set -eu
rounds=${1:?how many rounds}
awk -v last="$((rounds - 1))" -v phases="${2:-}" 'BEGIN {
  print "protocol quorums\ntiming eager\nparam f : int >= 1\nrole leader\nrole replica[2*f + 1]\nexternal client"
  print "component Begin\ndelay d\nqueueing Queuing"
  for (i = 0; i <= last; i++) {
    printf "component Handle%d[replica], Collect%d\n", i, i
    printf "message Ask%d(to: replica) : leader -> replica to\nmessage Ack%d(from: replica) : replica from -> leader\n", i, i
  }
  print "message Reply : leader -> client\nstate leader {\n  started : bool = false"
  for (i = 0; i <= last; i++) printf "  acked%d : set of replica = {}\n  done%d : bool = false\n", i, i
  print "}\naction leader.Begin cost Begin {\n  when not started\n  started := true\n  send Ask0(r) for all r in replica\n}"
  for (i = 0; i <= last; i++) {
    printf "action replica r.Handle%d on Ask%d(r) cost Handle%d[r] { send Ack%d(r) }\n", i, i, i, i
    printf "action leader.Collect%d on Ack%d(r) cost if not done%d and |acked%d| + 1 >= f + 1 then Collect%d else 0 {\n", i, i, i, i, i
    printf "  acked%d := acked%d + {r}\n  if not done%d and |acked%d| >= f + 1 {\n    done%d := true\n", i, i, i, i, i
    if (i < last) printf "    send Ask%d(s) for all s in replica\n  }\n}\n", i + 1
    else print "    send Reply\n  }\n}"
  }
  print "invariant idle: not started implies time(leader) <= 0"
  time = "Begin"
  for (i = 0; i <= last; i++) {
    way = sprintf("d(Ask%d(r)) + Queuing(Ask%d(r)) + Handle%d[r] + d(Ack%d(r))", i, i, i, i)
    printf "invariant enough%d: not done%d implies |acked%d| <= f\n", i, i, i
    printf "invariant after%d: done%d implies %s\n", i, i, i == 0 ? "started" : "done" i - 1
    printf "invariant charged%d: charged Collect%d iff done%d\n", i, i, i
    printf "invariant sent%d: forall r in replica. sent Ask%d(r) iff %s\n", i, i, i == 0 ? "started" : "done" i - 1
    if (phases == "") printf "invariant asked%d: forall r in replica. sent Ask%d(r) implies time(Ask%d(r)) <= %s + d(Ask%d(r))\n", i, i, i, time, i
    if (phases == "") printf "invariant acked%d: forall r in replica. sent Ack%d(r) implies time(Ack%d(r)) <= %s + %s\n", i, i, i, time, way
    fastest = way " + Queuing(Ack" i "(r))"
    gsub(/\(r\)/, "(q)", fastest)
    gsub(/\[r\]/, "[q]", fastest)
    spent = (i == 0 ? "Begin + " : "") "kth(f + 1, q in replica (" fastest ")) + Collect" i
    if (phases != "") {
      printf "phase round%d {\n", i
      if (i > 0) printf "  start done%d and forall r in replica. time(Ask%d(r)) <= began + d(Ask%d(r)) and not sent Ack%d(r) and not done%d\n", i - 1, i, i, i, i
      if (i > 0) printf "  invariant entered%d: done%d\n", i, i - 1
      printf "  invariant asked%d: forall r in replica. sent Ask%d(r) implies time(Ask%d(r)) <= began + %sd(Ask%d(r))\n", i, i, i, i == 0 ? "Begin + " : "", i
      printf "  invariant acked%d: forall r in replica. sent Ack%d(r) implies time(Ack%d(r)) <= began + %s%s\n", i, i, i, i == 0 ? "Begin + " : "", way
      printf "  invariant late%d: %s implies %s <= began + %s\n", i, i == last ? "sent Reply" : "done" i, i == last ? "time(Reply) - d(Reply)" : "time(leader)", spent
      if (i < last) printf "  invariant next%d: done%d implies forall r in replica. time(Ask%d(r)) <= began + %s + d(Ask%d(r)) and not sent Ack%d(r) and not done%d\n", i, i, i + 1, spent, i + 1, i + 1, i + 1
      printf "  end %s within %s\n}\n", i == last ? "sent Reply" : "when done" i " at leader", spent
    }
    time = time " + " (i == 0 ? substr(spent, 9) : spent)
  }
  printf "invariant replied: sent Reply iff done%d\nbound reply: sent Reply within %s%s\n", last, time, phases == "" ? "" : " by phases"
}'
