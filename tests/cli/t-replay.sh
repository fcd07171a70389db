#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recorded runs held against protocols: those that follow them, those that do not in one place each,
# and what cannot be judged. The stores are made by the library, of scripts (tests/tools).
. "$(dirname "$0")/tap.sh"

case $BUILD in /*) stores=$BUILD ;; *) stores=$PWD/$BUILD ;; esac
stores=$stores/tests/tools/script_stores
[ -x "$stores" ] || { echo "not ok 1 - $stores is not built"; exit 69; }
cd "$scratch" || exit 1

# file, sed script: makes the stores in run/ of the file as edited
make_run() {
  rm -rf run
  sed -e "$2" "$1" >edited
  ! cmp -s "$1" edited || [ -z "$2" ] || echo "not ok - no line changed by: $2"
  "$stores" run <edited 2>tool.err || echo "not ok - the stores were not made: $(cat tool.err)"
}

# ---- a ring of two: one lap, 240 us

cat >lap <<'END'
node[0] action node.Grant 7 1000000 1010000
node[0] send Transfer 7 1010000 1 1
node[1] arrive Transfer 7 1010000 1110000 1
node[1] action node.Accept 7 1110000 1115000 1
node[1] action node.Grant 7 1115000 1125000
node[1] send Transfer 7 1125000 2 0
node[0] arrive Transfer 7 1125000 1235000 2
node[0] action node.Accept 7 1235000 1240000 2
node[0] request round 7 1000000 1240000
END

ring() { run replay "$specs/lock.tp" run --set n=2 "$@"; }

make_run lap ''
ring
check "a lap that follows the protocol" 'exits 0' 'quiet_err' \
  'said "the run follows it: 1 complete instance of 2 stores, 4 steps, 2 messages"' \
  'out "bound full_circle: held 1 time; closest 240.000 us of 240.000 us, in instance 7"' \
  'out "bound full_circle_uniform: held 1 time; closest 240.000 us of 250.000 us"' \
  'out "bound after_hops is not judged; it needs --set hops=..."'
ring --set hops=1 --json
check "the same as JSON" 'exits 0' 'json_lines' \
  'json ".[0] | .follows and .timed and .complete == 1 and .steps == 4 and .messages == 2"' \
  'json ".[0].bounds | length == 3 and (.[2].closest_ns == 115000 and .[2].allowed_ns == 115000)"'
run replay "$specs/lock.tp" run/node*.tps --set n=2 --bound full_circle
check "stores named one by one, one bound" 'exits 0' 'out "full_circle:"' '! out "uniform"'

ring --request lap --bound full_circle
check "a request that nobody recorded" 'exits 64' 'quiet_out' 'err "--request lap: no store of this run has a request of that name"'
ring --request round --bound full_circle
check "requests of that name do" 'exits 0' 'out "1 complete instance"'

# title, what is changed, where the event is, what is said of it
refuse() {
  make_run lap "$2"
  ring --bound full_circle
  check "refused: $1" 'exits 1' 'quiet_err' "said '$3'" "said '$4'" 'out "no bound of it can be applied"'
}
refuse "a missing step" '/Accept.*1$/d' 'record 2: instance 7, 115.000 us' 'node[1].Grant is not enabled'
check "the steps that were possible are listed" 'out "    node[1].Accept on Transfer(1)"'
refuse "a step twice" '/Grant 7 1115000/{p;s/1115000 1125000/1125000 1126000/}' 'record 4' \
  'node[1].Grant is not enabled'
refuse "a message that nobody sent" '/node.1. send/d' 'record 3' \
  'node[1].Grant sends Transfer(2) in the protocol, but not in the recording'
refuse "a message that no step sends" '/node.1. send/{p;s/ 2 0$/ 5 0/}' '125.000 us after its start' \
  'node[1]: Transfer(5) is sent in the recording, but by no step that the protocol takes there'
refuse "a step before its message" 's/Accept 7 1110000/Accept 7 1100000/' 'record 2: instance 7, 100.000 us' \
  'node[1].Accept on Transfer(1) starts 10.000 us before its message arrives'
refuse "a message sent twice" '/node.1. send/{p;s/1125000/1125001/}' 'record 5' \
  'node[1]: Transfer(2) is sent a second time in one instance'
refuse "swapped steps" 's/Accept 7 1110000 1115000 1/X/;s/Grant 7 1115000 1125000/Accept 7 1115000 1125000 1/;s/X/Grant 7 1110000 1115000/' \
  'record 2: instance 7, 110.000 us' 'node[1].Grant is not enabled'
refuse "a wrong field" 's/1240000 2$/1240000 1/' 'record 4' \
  'node[0].Accept on Transfer(1) receives Transfer(1), which is sent to node[1]'
refuse "a missing field" 's/1240000 2$/1240000/' 'record 4' 'is recorded with 0 arguments instead of 1'
refuse "steps that overlap" 's/Grant 7 1115000/Grant 7 1114000/' 'record 3' \
  'starts 1.000 us before the step of the same node before it has ended, node[1].Accept on Transfer(1)'
refuse "time that belongs to no component" \
  's/Accept 7 1110000/Accept 7 1112000/' 'record 2' \
  'starts 2.000 us after its node was free and its message there: time that belongs to no component'
refuse "a pause between two steps" 's/1115000 1125000/1118000 1125000/' 'record 3' \
  'starts 3.000 us after its node was free: time that belongs to no component'
refuse "another node" 's/^node.1. \(.*Accept\)/node[0] \1/' 'node[0].' 'which is sent to node[1]'
refuse "a node that there is not" 's/^node.1. action/node[9] action/' 'node[9].' \
  'comes from "node[9]", which is no node of the protocol with these parameters'
refuse "an action that there is not" 's/node.Accept 7 1235/node.Take 7 1235/' 'record 4' \
  'is of an action "node.Take", which the protocol does not have'
refuse "a message to somebody else" 's/1125000 2 0/1125000 2 1/' 'record 4' \
  'Transfer(2) is sent to another node than in the protocol, which says node[0]'
refuse "an arrival that is not recorded" '/node.0. arrive/d' 'record 3' \
  'receives Transfer(2), whose arrival is not recorded'
refuse "a sender and a receiver that disagree" 's/1125000 1235000 2/1124000 1235000 2/' 'record 3' \
  'is said by its receiver to have been sent -1.000 us later than by its sender'
refuse "a message sent outside its step" 's/1125000 2 0/1126000 2 0/;s/1125000 1235000 2/1126000 1235000 2/' \
  'record 4' 'Transfer(2) is sent outside the step that sends it, node[1].Grant'
refuse "a request that begins before its steps" 's/round 7 1000000/round 7 970000/' 'record 1' \
  'node[0].Grant starts 30.000 us after its node was free: time that belongs to no component'
refuse "a request that takes longer than its steps" 's/1000000 1240000/1000000 1270000/' 'record 5' \
  'the request round took 270.000 us, but the steps recorded from its first to the event of its bound only 240.000 us'
refuse "a request without its event" '/Accept 7 1235000/d' 'record 4' \
  'is recorded as answered, but the event of no bound judged has happened'

refuse "an arrival that is said to be of another node" 's/1110000 1$/1110000 1 0/' 'record 1' \
  'node[1]: Transfer(1) arrives at another node; it is sent to node[1]'
refuse "a delay that its series has shorter" 's/arrive Transfer 7 1010000/arrive Transfer 7 1110000/' 'record 1' \
  'is said by its receiver to have been sent 100.000 us later than by its sender'
refuse "an occurrence that no step charges" '$anode[1] component Grant 8 2000000 2000000 1' 'instance 8' \
  'node[1]: Grant[1] is recorded, but no step recorded charges it'
refuse "a request recorded twice" '/request/p' 'record 6' 'the request round is recorded a second time in one instance'
refuse "a request answered before its event" 's/1000000 1240000/1000000 1200000/' 'record 5' \
  'the request round is answered 40.000 us before the event of its bound happens'
refuse "another name of a node" 's/^node.1. action node.Grant/node[01] action node.Grant/' 'record 1' \
  'comes from "node[01]", which is no node of the protocol'

# A sender that begins the delay before the end of its step, and a clock read twice.
make_run lap 's/1010000 1 1$/1007000 1 1/;s/1010000 1110000/1007000 1110000/'
ring --bound full_circle
check "sent before the end of its step" 'exits 0' 'out "240.000 us of 243.000 us"'
make_run lap 's/1115000 1125000/1115300 1125000/'
ring --bound full_circle --slack 400ns
check "slack" 'exits 0' 'out "1 step started up to 300 ns off, within the slack of 400 ns; the bounds were given as much"'
ring --bound full_circle --slack 200ns
check "too little slack" 'exits 1' 'out "starts 300 ns after its node was free"'

# ---- several instances: cut off, overwritten, under way

laps() { # how many
  for ((i = 0; i < $1; i++)); do
    awk -v "i=$i" '{ $4 = i; $5 += 1000000 * i; if ($2 != "send") $6 += 1000000 * i; print }' lap
  done
}
laps 3 | sed '$d' >three
make_run three ''
ring --bound full_circle
check "an instance without its request is not claimed" 'exits 0' 'out "2 complete instances"' \
  'out "not claimed: 1 without an end, cut off or still under way"'
{ echo 'node[1] killed'; laps 3 | sed '/node.1. action node.Grant 2/,$d'; } >killed
echo 'node[1] send Transfer 2 3125000 2 0' >>killed
make_run killed ''
ring --bound full_circle
check "a process that died while it recorded" 'exits 0' 'out "2 complete instances"' 'out "not claimed: 1 without"'
make_run killed '/killed/d'
ring --bound full_circle
check "the same of one that did not" 'exits 1' 'out "Transfer(2) is sent in the recording, but by no step"'
{ echo 'node[0] log 16'; laps 9; } >overwritten
make_run overwritten ''
ring --bound full_circle
check "what was overwritten is not claimed" 'exits 0' 'out "2 complete instances of 2 stores"' \
  'out "not claimed: 7 whose beginning was overwritten"'
laps 4 | sed 's/node.Accept 2 3110000/node.Accept 2 3111000/' >late
make_run late ''
ring --bound full_circle --json
check "the first event that does not fit, as JSON" 'exits 1' 'json_lines' \
  'json ".[0] | (.follows | not) and .instance == 2 and .record == 10 and .node == \"node[1]\" and .time_ns == 111000 and .event == \"node[1].Accept on Transfer(1)\" and .allowed == [\"node[1].Accept on Transfer(1)\"]"'

# ---- clocks that cannot be compared

make_run lap '$anode[1] elsewhere'
ring --bound full_circle
check "two clocks: order by messages alone, nothing claimed" 'exits 2' \
  'out "nothing to object to: 1 complete instance"' 'out "clocks cannot be compared"' \
  'out "bound full_circle: not judged without times"'
make_run lap '$anode[1] elsewhere
s/1240000 2$/1240000 1/'
ring --bound full_circle
check "two clocks: what does not fit is found" 'exits 1' 'out "node[0].Accept on Transfer(1)"'

# ---- a primary with two backups: queueing, housekeeping

cat >request <<'END'
primary action primary.Broadcast 1 1000000 1002000
primary send Request 1 1002000 0
primary send Request 1 1002000 1
backup[0] arrive Request 1 1002000 1052000 0
backup[0] wait Request 1 1052000 1052000 0
backup[0] action backup.Handle 1 1052000 1060000 0
backup[0] send Ack 1 1060000 0
backup[1] action backup.Tidy 1 1040000 1070000
backup[1] arrive Request 1 1002000 1055000 1
backup[1] wait Request 1 1055000 1070000 1
backup[1] action backup.Handle 1 1070000 1079000 1
backup[1] send Ack 1 1079000 1
primary arrive Ack 1 1060000 1110000 0
primary action primary.Collect 1 1110000 1115000 0
primary arrive Ack 1 1079000 1111000 1
primary wait Ack 1 1111000 1115000 1
primary action primary.Collect 1 1115000 1121000 1
primary send Reply 1 1121000
primary request reply 1 1000000 1121000
END

make_run request ''
run replay "$specs/primary_backup.tp" run --set n=2
check "queueing and housekeeping" 'exits 0' 'said "5 steps" || said "6 steps"' \
  'out "bound reply: held 1 time; closest 121.000 us of 121.000 us"' \
  'said "1 step started up to 40.000 us late, which counts as part of what they cost; no bound judged mentions it"'
make_run request 's/wait Request 1 1055000 1070000/wait Request 1 1055000 1069000/'
run replay "$specs/primary_backup.tp" run --set n=2
check "refused: a wait that ends before the step begins" 'exits 1' \
  'said "backup[1]: Request(1) is taken out of the queue 1.000 us before the step that receives it starts"'
make_run request '$aprimary wait Request 1 1055000 1070000 1
/wait Request 1 1055000/d'
run replay "$specs/primary_backup.tp" run --set n=2
check "refused: a wait at another node" 'exits 1' \
  'out "primary: Request(1) is taken out of the queue of a node that it is not sent to"'
make_run request '/backup.1. action backup.Handle/d;/backup.1. send/d;/Ack 1 1079000/d;/Ack 1 1111/d;/Collect 1 1115/,$d'
run replay "$specs/primary_backup.tp" run --set n=2
check "refused: a message taken by no step" 'exits 1' \
  'said "backup[1]: Request(1) is taken out of the queue, but no step receives it"'
make_run request '/Tidy/d'
run replay "$specs/primary_backup.tp" run --set n=2
check "a wait that no step explains is counted" 'exits 0' \
  'said "1 step started up to 15.000 us late, and nothing in their instance says why; queueing pays for it, but no proof knows of it"'
sed 's/+ Queuing(Request(b)) + Backup/+ Backup/' "$specs/primary_backup.tp" >hidden.tp
run replay hidden.tp run --set n=2 --bound reply
check "refused: a bound exceeded by a hidden pause" 'exits 1' 'said "primary.Collect on Ack(1)"' \
  'said "brings about the event of bound reply 121.000 us after the start, and the recorded values allow 115.000 us"'

# ---- assumptions, several costs, timers and clock reads, idle slots

cat >timed.tp <<'END'
protocol timed
param WAIT : time
role node
component Look
component Work
component Save
component Late
assume Work <= 2 us
state node { stage : int = 0  since : time = 0 }
action node.Note reads t cost Look { when stage == 0  since := t  stage := 1 }
action node.Expire on timer since + WAIT cost Late { when stage == 1  stage := 2 }
action node.Both cost Work + Save { when stage == 2  stage := 3 }
bound done: when stage == 3 at node within 2*Look + WAIT + Late + Work + Save
END
cat >steps <<'END'
node action node.Note 1 1000 1100 40
node action node.Expire 1 6040 6200
node action node.Both 1 6200 8500
node component Work 1 6200 8100
node component Save 1 8100 8500
END
run check timed.tp
check "the protocol with a timer is one" 'exits 0'
timed() { run replay timed.tp run --set WAIT=5us --slack 10ns; }
make_run steps ''
timed
check "a timer, a clock read, two costs" 'exits 0' 'out "closest 7.500 us of"'
refuse_timed() {
  make_run steps "$2"
  timed
  check "refused: $1" 'exits 1' "said '$3'"
}
refuse_timed "a step before its timer" 's/6040/6000/' 'starts 40 ns before its timer'
refuse_timed "a timer that rings late" 's/6040 6200/6140 6200/' 'its timer had passed: time that belongs to no component'
refuse_timed "two costs in one record" '/Save/d' 'charges 2 occurrences, but Save has no record of its own'
refuse_timed "parts that leave something out" 's/Save 1 8100/Save 1 8300/' 'takes 200 ns longer than its parts together'
refuse_timed "a part outside its step" 's/Save 1 8100 8500/Save 1 9100 9500/' 'Save is recorded outside the step that charges it'
refuse_timed "a reading outside its step" 's/1100 40/1100 140/' 'reads its clock before its start or after its end'
refuse_timed "an assumption that does not hold" 's/8500/8900/;s/8100/8400/' \
  'Work takes 2.200 us, so the assumption Work <= 2 us does not hold'

# ---- a choice on a message

cat >balance.tp <<'END'
protocol balance
role client
role proxy
param n : int >= 2
role server[n]
component Send, Forward
delay d
message Request(k: int) : client -> proxy
message Ask(s: server, k: int) : proxy -> server s
state client { issued : bool = false }
state proxy { down : set of server = {} }
action client.Send cost Send { when not issued  issued := true  send Request(7) }
action proxy.Forward(s in server - down) on Request(k) cost Forward { when s != first  send Ask(s, k) }
bound asked: sent Ask(last, 7) within Send + d(Request(7)) + Forward
END
cat >balanced <<'END'
client action client.Send 1 1000 1100
client send Request 1 1100 7
proxy arrive Request 1 1100 1300 7
proxy action proxy.Forward 1 1300 1400 7 2
proxy send Ask 1 1400 2 7
server[2] arrive Ask 1 1400 1500 2 7
END
balanced() { run replay balance.tp run --set n=3; }
make_run balanced ''
balanced
check "a step on a message says what it chose behind its fields" 'exits 0' 'said "2 steps, 2 messages"' 'out "bound asked: held 1 time"'
refuse_balanced() {
  make_run balanced "$2"
  balanced
  check "refused: $1" 'exits 1' "said '$3'" "said '$4'"
}
refuse_balanced "another choice than what was sent" 's/1300 1400 7 2/1300 1400 7 1/' 'proxy.Forward(1) on Request(7)' 'Ask(1, 7)'
refuse_balanced "a choice that a guard forbids" 's/1300 1400 7 2/1300 1400 7 0/;s/1400 2 7/1400 0 7/' 'is not enabled' 'proxy.Forward(1) on Request(7)'
refuse_balanced "a node that is not there" 's/1300 1400 7 2/1300 1400 7 3/' 'is not enabled' 'proxy.Forward(2) on Request(7)'
refuse_balanced "no choice in the record" 's/1300 1400 7 2/1300 1400 7/' 'is recorded with 1 arguments instead of 2' 'proxy'

cat >loop.tp <<'END'
protocol loop
role client
role server
timeout T
delay d
queueing Queuing
message Ask : client -> server
message Answer : server -> client
state client { asked : bool = false }
state server { due : bool = false }
schedule server = [Take, Do] timeout T
action client.Ask { when not asked  asked := true  send Ask }
action server.OnAsk in Take on Ask { due := true }
action server.Serve in Do { when due  due := false  send Answer }
bound answered: sent Answer within d(Ask) + Queuing(Ask) + 2*Take + 2*Do + T
END
cat >slots <<'END'
client action client.Ask 1 1000 1000
client send Ask 1 1000
server action server.idle.Take 1 1500 1600
server action server.idle.Do 1 1600 1650
server arrive Ask 1 1000 1620
server wait Ask 1 1620 1650
server action server.OnAsk 1 1650 1700
server action server.Serve 1 1700 1800
server send Answer 1 1800
END
run check loop.tp
check "the protocol with a loop is one" 'exits 0'
make_run slots ''
run replay loop.tp run
check "idle slots" 'exits 0' 'out "5 steps, 2 messages"'
make_run slots 's/idle.Do 1 1600/idle.Do 1 1620/'
run replay loop.tp run --slack 10ns
check "refused: time between two slots" 'exits 1' 'out "server.idle(Do) starts 20 ns after its node was free"'
make_run slots '/idle.Do/d'
run replay loop.tp run
check "refused: an idle slot left out" 'exits 1' 'said "server.OnAsk on Ask is not enabled"' 'out "    server.idle(Do)"'

cat >repeated.tp <<'END'
protocol repeated
role node
component Save
repeated Tick
state node { stage : int = 0 }
action node.Do cost Tick { when stage == 0  stage := 1 }
action node.Both cost Save + Tick { when stage == 1  stage := 2 }
bound done: when stage == 2 at node within Save + 2*Tick
END
cat >ticks <<'END'
node action node.Do 1 1000 1100
node component Tick 1 1000 1100
node action node.Both 1 1100 1300
node component Save 1 1100 1250
node component Tick 1 1250 1300
END
make_run ticks ''
run replay repeated.tp run
check "occurrences of a repeated component" 'exits 0' 'out "closest 300 ns of 350 ns"'
refuse_tick() {
  make_run ticks "$2"
  run replay repeated.tp run
  check "refused: $1" 'exits 1' 'out "node: Tick is recorded, but no step recorded charges it"'
}
refuse_tick "one that is shorter than its step" 's/Tick 1 1000 1100/Tick 1 1000 1000/'
refuse_tick "one more than the step charges" '/Tick 1 1250/{p;s/1250 1300/1300 1300/}'
refuse_tick "one outside any step" '/Tick 1 1250/{p;s/1250 1300/2250 2300/}'

# ---- what is not a run

make_run lap ''
run replay "$specs/lock.tp" run
check "a parameter is missing" 'exits 64' 'err "say what the run was made with: --set n=..."' 'quiet_out'
run replay "$specs/lock.tp" run run --set n=2
check "a store named twice" 'exits 65' 'err "is a store that was read already; name each once"' 'quiet_out'
run replay "$specs/lock.tp" run --set n=2 --bound after_hops
check "a parameter of the bound is missing" 'exits 64' 'err "bound after_hops is not judged; it needs --set hops=..."'
run replay "$specs/lock.tp" run --set n=0
check "a parameter that cannot be" 'exits 64' 'err "the assumption"' 'err "does not hold for"'
run replay "$specs/lock.tp" run --set n=1
check "fewer nodes than ran" 'exits 1' 'out "which is no node of the protocol with these parameters"'
"${stores%script_stores}recorder" --folder nameless action node.Grant Grant 1 1000
run replay "$specs/lock.tp" nameless --set n=2
check "a process that does not say which node it is" 'exits 1' 'out "(no node): "' 'said "set TAILPROOF_NODE, or give"'
run replay "$specs/lock.tp" --set n=2
check "no stores named" 'exits 64' 'err "name a protocol file and the folder with the stores of one run"'
run replay "$specs/lock.tp" nowhere --set n=2
check "no such folder" 'exits 66' 'err "nowhere"'
mkdir empty
run replay "$specs/lock.tp" empty --set n=2
check "a folder without stores" 'exits 66' 'err "empty: has no store (.tps)"'
head -c 9000 /dev/zero >zero.tps
run replay "$specs/lock.tp" zero.tps --set n=2
check "a file that is no store" 'exits 65' 'err "zero.tps"'
ring --slack soon
check "an unusable slack" 'exits 64' 'err "give a time with its unit (100ns)"'
run replay "$specs/raft.tp" run --set f=1
check "the run of another protocol" 'exits 1' 'out "which is no node of the protocol"'

# ---- where time is that belongs to no component: of 40 laps every fourth follows the protocol; in the others node 1
# syncs before it grants, for 1, 2, .. 30 times 10 us, and nobody recorded that

laps() {
  awk 'BEGIN { for (i = 1; i <= 40; i++) {
    t = 1000000 * i; gap = i % 4 == 0 ? 0 : 10000 * ++n
    printf "node[0] action node.Grant %d %d %d\nnode[0] send Transfer %d %d 1 1\n", i, t, t + 10000, i, t + 10000
    printf "node[1] arrive Transfer %d %d %d 1\nnode[1] action node.Accept %d %d %d 1\n", i, t + 10000, t + 110000, i, t + 110000, t + 115000
    u = t + 115000 + gap
    printf "node[1] action node.Grant %d %d %d\nnode[1] send Transfer %d %d 2 0\n", i, u, u + 10000, i, u + 10000
    printf "node[0] arrive Transfer %d %d %d 2\nnode[0] action node.Accept %d %d %d 2\n", i, u + 10000, u + 120000, i, u + 120000, u + 125000
    printf "node[0] request round %d %d %d\n", i, t, u + 125000
  } }'
}
laps >laps
make_run laps ''
ring --bound full_circle --slack 1us --json
check "the place of a forgotten step is named, with its size" 'exits 1' 'json_lines' \
  'json ".[0] | .requests == 40 and .misfits == 30"' \
  'json ".[0].gaps | length == 1 and (.[0] | .where == \"before\" and .step == \"node.Grant\" and .after == \"node.Accept\" and .requests == 30)"' \
  'json ".[0].gaps[0] | .p50_ns == 150000 and .p90_ns == 270000 and .p99_ns == 300000"'
ring --bound full_circle --slack 1us
check "in words" 'exits 1' 'said "30 of 40 requests do not follow it. Time that belongs to no component, by the first place in each:"' \
  'grep -qE "before node.Grant, after node.Accept +30 +150.000 us +270.000 us +300.000 us" out' \
  'said "instance 1, 125.000 us after its start"'
make_run lap 's/node.Grant 7 1115000/node.Grant 7 1117000/'
ring --bound full_circle
check "one request alone is not added up" 'exits 1' '! out "do not follow it. Time"'

# ---- messages that are lost: the first of two copies, then the first two of three

# copied N: a message that is sent N times, 1 us apart; the last copy alone arrives.
copied() {
  for ((copy = 1; copy <= $1; copy++)); do
    printf 'sender action sender.Send 1 %d000 %d000\nsender send Data 1 %d000 %d\n' $copy $copy $copy $copy
  done
  cat <<END
receiver arrive Data 1 ${1}000 ${1}400 $1
receiver action receiver.Take 1 ${1}400 ${1}500 $1
receiver send Read 1 ${1}500
receiver send Ack 1 ${1}500 $1
app arrive Read 1 ${1}500 ${1}600
sender arrive Ack 1 ${1}500 ${1}700 $1
sender action sender.Acked 1 ${1}700 ${1}700 $1
END
}
copied 2 >copies
copied 3 >thrice
copies() { run replay "$specs/retransmission.tp" run --set RTO=1us "$@"; }
make_run copies ''
copies --set k=1
check "what nobody receives is lost" 'exits 0' 'said "the run follows it"' 'said "1 message was lost, as the protocol allows"' \
  'out "bound read: held 1 time; closest 1.600 us of 1.600 us"'
copies --set k=1 --json
check "the same as JSON" 'exits 0' 'json ".[0] | .lost == 1 and .messages == 4 and .bounds[0].allowed_ns == 1600"'
copies --set k=0
check "refused: one more than may be lost" 'exits 1' 'out "receiver.Take on Data(2) is not enabled"' 'out "receiver.Take on Data(1)"' '! out "loses"'
make_run thrice ''
copies --set k=2
check "two in a row" 'exits 0' 'said "2 messages were lost, as the protocol allows"' 'out "closest 2.600 us of 2.600 us"'
copies --set k=1
check "refused: the second of them" 'exits 1' 'out "receiver.Take on Data(3) is not enabled"' 'out "receiver.Take on Data(2)"'
sed 's/receiver fifo loses/receiver loses/' "$specs/retransmission.tp" >any_order.tp
run replay any_order.tp run --set RTO=1us --set k=1
check "without an order: what is not lost may still be on its way" 'exits 0' 'said "1 message was lost, as the protocol allows"'

# ---- priorities: both messages are there when the node is free

cat >urgent.tp <<'END'
protocol urgent
timing eager
role a
role b
component Busy, Slow, Fast
delay d
message Low  : a -> b
message High : a -> b priority 1
state a { gone : bool = false }
state b { began : bool = false }
action a.Go { when not gone  gone := true  send Low  send High }
action b.Begin cost Busy { when not began  began := true }
action b.Low on Low cost Slow { }
action b.High on High cost Fast { }
bound high: delivered High within d(High)
END
cat >urgent <<'END'
b action b.Begin 1 1000 1500
a action a.Go 1 1000 1000
a send Low 1 1000
a send High 1 1000
b arrive Low 1 1000 1100
b arrive High 1 1000 1200
b action b.High 1 1500 1600
b action b.Low 1 1600 1700
END
make_run urgent ''
run replay urgent.tp run
check "a message of a higher priority is taken first" 'exits 0' 'said "4 steps, 2 messages"'
make_run urgent 's/b.High 1 1500 1600/b.Low 1 1500 1600/;t;s/b.Low 1 1600 1700/b.High 1 1600 1700/'
run replay urgent.tp run
check "refused: not the one that was there before" 'exits 1' 'out "b.Low on Low receives a message while one of a higher priority was there"'
make_run urgent 's/High 1 1000 1200/High 1 1000 1550/;s/b.High 1 1500 1600/b.Low 1 1500 1600/;t;s/b.Low 1 1600 1700/b.High 1 1600 1700/'
run replay urgent.tp run
check "unless that came later" 'exits 0' 'said "4 steps, 2 messages"'

finish
