#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `tailproof poker`: services that are counted and paused together, directed from outside; neighbours
# that are killed and come back, strangers without the key, garbage; what is wrong on the command line.
# Waits for what is to happen, never for a time, so that a busy machine does not matter.
export TMPDIR=/var/tmp # not where tests/run.sh has its folder: /dev/shm is mounted anew below
. "$(dirname "$0")/tap.sh"
tools=${program%/*}/tests/tools
for tool in direct counted; do
  [ -x "$tools/$tool" ] || { echo "not ok 1 - $tools/$tool is not built"; exit 69; }
done
declare -A poker at
left=
end_all() { # the pokers first, by TERM, so that none leaves its service behind
  local name
  for name in "${!poker[@]}"; do kill -CONT "${poker[$name]}"; kill "${poker[$name]}"; done 2>/dev/null
  for name in "${!poker[@]}"; do wait "${poker[$name]}"; done 2>/dev/null
  kill -KILL $(cat ./*.pid) $left 2>/dev/null
  # what the killed pokers left, which the next one would remove after a minute
  xargs -r -a folders -d '\n' rm -rf
  rm -rf "$scratch"
}
trap end_all EXIT
cd "$scratch" || exit 1
export TMPDIR=$scratch

start() { # name, options, --, command, whose first process leaves its number in NAME.pid
  local name=$1 options=()
  shift
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  set -- "${options[@]}" -- sh -c 'echo $$ >"$0.pid" && echo "$TAILPROOF_POKER" >>folders && exec "$@"' "$name" "$@"
  rm -f "$name.ready"
  last="poker --name $name $*"
  : >"$name.err"
  "$program" poker --name "$name" --listen "${listen:-127.0.0.1:0}" --ready "$name.ready" "$@" >"$name.out" 2>"$name.err" </dev/null &
  poker[$name]=$!
  until_true "[ -e $name.ready ] || ! kill -0 ${poker[$name]}"
  at[$name]=$(cat "$name.ready" 2>/dev/null)
}
stop() { # name; status is its exit code
  kill "${poker[$1]}" 2>/dev/null
  finished "$1"
}
finished() {
  wait "${poker[$1]}" 2>/dev/null
  status=$?
  unset "poker[$1]"
}
direct() { # name, words
  local name=$1
  shift
  timeout 2h "$tools/direct" "${at[$name]}" "${key:--}" "$@" >out 2>err
  status=$?
}
value() { # name, which
  timeout 2h "$tools/direct" "${at[$1]}" "${key:--}" ask | tr ' ' '\n' | sed -n "s/^$2=//p"
}
balanced() { # name: owed = realised + carried
  timeout 2h "$tools/direct" "${at[$1]}" "${key:--}" ask | tr ' ' '\n' |
    awk -F= '{ v[$1] = $2 } END { exit !(v["owed"] > 0 && v["owed"] == v["realised"] + v["carried"]) }'
}
said() { grep -qF -- "$2" "$1.err"; } # name, text
runs() { # it is there, and not stopped
  grep -q '^State:[[:space:]]*[RSDI]' "/proc/$1/status"
}
lines() { # of the last command's stderr: one, and of this program
  [ "$(wc -l <err)" -eq 1 ] && grep -q '^tailproof poker: ' err
}

# --- what is wrong on the command line ----------------------------------------------------------
good=(--name a --listen 127.0.0.1:0)
run poker
check "name and address are needed" 'exits 64' 'lines' 'err "--name cart --listen"'
run poker "${good[@]}"
check "a program is needed" 'exits 64' 'lines' 'err "-- CMD ARGS"'
run poker --name "a b" --listen 127.0.0.1:0 -- true
check "a name has no blanks" 'exits 64' 'lines' 'err "no blanks"'
for listen_wrong in 127.0.0.1 127.0.0.1:70000 :80 ::1:80 ""; do
  run poker --name a --listen "$listen_wrong" -- true
  check "no address to listen at: \"$listen_wrong\"" 'exits 64' 'lines' 'err "HOST:PORT"'
done
run poker "${good[@]}" --neighbour cart:0 -- true
check "a neighbour has a port" 'exits 64' 'lines' 'err "--neighbour \"cart:0\""'
run poker "${good[@]}" --pause never -- true
check "a way of pausing that is none" 'exits 64' 'lines' 'err "auto, freeze or signal"'
run poker "${good[@]}" --proxy 8080 -- true
check "a proxy has two ends" 'exits 64' 'lines' 'err "LISTEN=BACKEND"'
run poker "${good[@]}" --proxy :0=:1 --count-pipe -- true
check "requests are counted once" 'exits 64' 'lines' 'err "give one"'
last="poker --proxy, with 100 open files"
(ulimit -n 100; exec "$program" poker "${good[@]}" --proxy 127.0.0.1:0=127.0.0.1:1 -- sleep 60) >out 2>err </dev/null
status=$?
check "a proxy that could serve nobody says so" '[ "$status" -ne 0 ]' 'lines' 'err "needs at least 132 open files, and this process may have 100"'
run poker --name a --listen 0.0.0.0:0 -- true
check "whoever can be reached from outside has a key" 'exits 64' 'lines' 'err "--key FILE is needed"'
run poker "${good[@]}" --key nowhere -- true
check "a key file that is not there" 'exits 66' 'lines' 'err "nowhere: No such file"'
echo short >short && chmod 600 short
run poker "${good[@]}" --key short -- true
check "a short key" 'exits 65' 'lines' 'err "short: a key of 5 bytes; at least 16"'
echo sixteen bytes of key >open && chmod 644 open
run poker "${good[@]}" --key open -- true
check "a key that others can read" 'exits 65' 'lines' 'err "chmod 600"'
run poker "${good[@]}" --ready nowhere/file -- touch ran
check "a file that cannot be written is noticed before the service runs" 'exits 70' 'lines' 'err "nowhere/file"' '[ ! -e ran ]'
run poker "${good[@]}" --ready file -- ./no-such-program
check "a program that is not there" 'exits 69' 'lines' 'err "no-such-program"' '[ -z "$(ls file* 2>/dev/null)" ]'
full='mount -t tmpfs -o size=4k none /dev/shm && dd if=/dev/zero of=/dev/shm/full bs=4k count=1 2>/dev/null'
last="poker with a full /dev/shm"
timeout 2h unshare -m sh -c "$full && exec \"\$@\"" sh "$program" poker "${good[@]}" -- touch ran >out 2>err
status=$?
check "no space for the counters" 'exits 70' 'lines' 'err "/dev/shm: no folder for the service"' '[ ! -e ran ]'

# --- the service's end is the poker's -----------------------------------------------------------
run poker "${good[@]}" -- sh -c 'echo "$TAILPROOF_POKER"; exit 7'
check "the exit code is the service's" 'exits 7' '[ "$(wc -l <err)" -ge 1 ]' 'err "poker a listens on 127.0.0.1:"' '[ ! -e "$(cat out)" ]'
run poker "${good[@]}" -- sh -c 'kill -KILL $$'
check "128 and the signal that ended it" 'exits 137'

# --- two services -------------------------------------------------------------------------------
mkdir -p "$scratch"
start a -- "$tools/counted" 4 1000 100000000
start b -- "$tools/counted" 2 1000 100000000 "${at[a]}"
run poker --name c --listen "${at[a]}" -- true
check "an address that is taken" 'exits 70' 'lines' 'err "address already in use"'
check "a service names a neighbour" 'until_true "said a \"b at ${at[b]} is a neighbour\""' 'until_true "said b \"a at ${at[a]} is a neighbour\""'
check "each has a folder of its own, for itself alone" \
  '[ "$(find /dev/shm "$scratch" -maxdepth 1 -name "tailproof-poker-*" -perm 700 2>/dev/null | wc -l)" -ge 2 ]'
direct b set 1 100 0 0 0
check "a setting" 'exits 0' '[ "$(cat out)" = set ]'
direct a set 1 0 50 0 0 until rounds 10
check "rounds begin after each batch" 'exits 0'
direct b until rounds 10 until pauses 5 ask
check "and reach the neighbour, which pauses" 'exits 0' 'out "epoch=1 "'
check "what was owed was had or is carried" 'balanced b' '[ "$(value a owed)" = 0 ]' '[ "$(value a pauses)" = 0 ]'
check "workers are counted" '[ "$(value a at_once)" = 4 ]' '[ "$(value b at_once)" = 2 ]'

direct b set 1 100 0 0 0 ask
check "a setting of the same epoch is refused" 'exits 3' 'out "not later than the poker"' 'out "epoch=1 "'
direct b set 2 18446744073709551 0 0 0 set 2 4611686018427387 0 0 0 set 2 10000001 0 0 0 set 2 1 0 2 1 set 2 1 0 0 10000001 ask
check "huge and negative pauses, and wrong limits, are refused" 'exits 3' '[ "$(grep -c "refuses the setting" out)" -eq 5 ]' 'out "epoch=1 "'
direct b set 2 0 0 0 0
owed=$(value b owed)
direct a set 2 0 50 0 0 until rounds 30
direct b until rounds 30
check "requests of a new epoch owe what it says" '[ "$(value b owed)" = "$owed" ]'
direct a set 3 0 0 0 0 # no rounds, so that requests gather that the next epoch has nothing to do with
direct b set 3 0 0 0 0
direct b until begun $(($(value b begun) + 1000))
direct a set 4 0 0 0 0
direct b set 4 500 0 0 1000
before=$(value b begun) rounds=$(value a rounds)
direct a set 5 0 20 0 0
direct b set 5 500 0 0 1000 until rounds $((rounds + 2)) ask
check "requests before it owe nothing" 'exits 0' \
  'owes=$(tr " " "\n" <out | sed -n "s/^owed=//p") now=$(value b begun)' '[ $((owes - owed)) -gt 0 ]' '[ $((owes - owed)) -le $(((now - before + 10) * 500000)) ]'

# --- strangers ----------------------------------------------------------------------------------
port=${at[a]##*:}
for trash in 'GET / HTTP/1.1\r\n\r\n' "$(printf 'x%.0s' {1..600})" 'TK'; do
  # shellcheck disable=SC2059
  timeout 2h bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; printf '$trash' >&3; head -c 300 <&3 | wc -c >trash" 2>/dev/null &
  left="$left $!"
done
check "garbage is refused, and told" 'until_true "said a \"whose seal does not fit\""'
head -c 32 /dev/urandom >key && chmod 600 key
key=key
direct a ask
check "a director with a key where there is none" 'exits 1' 'out "use the key of the poker"'
key=
direct a ask
check "nobody is worse off for it" 'exits 0'

# --- neighbours that die and come back ----------------------------------------------------------
service=$(cat b.pid)
kill -KILL "${poker[b]}"
finished b
check "a poker that is killed leaves its neighbour running" 'until_true "said a \"b is a neighbour no more\""' 'runs "${poker[a]}"' \
  'rounds=$(value a rounds); until_true "[ \$(value a rounds) -gt $rounds ]"'
check "and its service, which goes on" 'until_true "runs $service || ! kill -0 $service"' 'runs "$service"'
kill -KILL "$service"
start c --pause signal --neighbour "${at[a]}" -- "$tools/counted" 2 1000 100000000
check "another joins" 'said c ", pauses by signals"' 'until_true "said a \"c at ${at[c]} is a neighbour\""'
listen=${at[a]}
stop a
check "a poker ends with its service, by the signal" 'exits 143'
check "and is missed" 'until_true "said c \"neighbour $listen: \""' '[ "$(grep -c "neighbour $listen: " c.err)" -le 2 ]'
start a -- "$tools/counted" 4 1000 100000000
listen=
check "it comes back where it was" '[ -n "${at[a]}" ]' 'until_true "said a \"c at ${at[c]} is a neighbour\""'
direct c set 15 200 0 0 0
direct a set 15 0 50 0 0
direct c until rounds 5 until pauses 3
check "and they pause together again" 'exits 0' 'balanced c'

# --- what dies during a pause ---------------------------------------------------------------------
# A pause of seconds: the service is stopped when whoever asked for it goes away.
served() { value c begun; }
service=$(cat c.pid)
direct c set 16 9000000 1 0 3000000
check "a long pause begins" 'until_true "[ \$(value c state) = 2 ]"'
kill -KILL "${poker[a]}"
finished a
kill -KILL "$(cat a.pid)"
before=$(served)
check "it ends although the neighbour was killed" 'until_true "[ \$(served) -gt $before ]"'
direct c set 17 0 0 0 0
check "and another setting ends them all" 'exits 0'
direct c set 18 9000000 1 0 3000000
until_true '[ "$(value c state)" = 2 ]'
direct c ask
stop c
check "a signal during a pause continues the service, which ends by it" 'exits 143' '! kill -0 "$service" 2>/dev/null'

# --- the FIFO -----------------------------------------------------------------------------------
start d --count-pipe -- bash -c 'exec 9<>"$TAILPROOF_POKER_COUNT"; printf ......... >&9; exec sleep 1000'
check "each byte in the FIFO is a request" 'until_true "[ \$(value d begun) = 9 ]"' '[ "$(value d ended)" = 0 ]'
stop d
check "its end" 'exits 143'

# --- a key --------------------------------------------------------------------------------------
start e --key key -- "$tools/counted" 1 1000 100000000
head -c 32 /dev/urandom >other && chmod 600 other
start f --key other --neighbour "${at[e]}" -- sleep 1000
check "a neighbour with another key is refused, and told" 'until_true "said e \"whose seal does not fit\""' 'until_true "said f \"neighbour ${at[e]}: \""' '! said e "f at"'
start g --key key --neighbour "${at[e]}" -- sleep 1000
check "one with the key is not" 'until_true "said e \"g at ${at[g]} is a neighbour\""'
direct e ask
check "a director without the key is refused" 'exits 1' 'out "use the key of the poker"'
key=key
direct e set 1 0 10 0 0 until rounds 3
check "one with the key is not" 'exits 0'
direct g ask
check "rounds of an epoch that nobody has set here are left alone" 'exits 0' 'out "epoch=0 "' 'out "rounds=0 "'
for name in e f g; do stop $name; done
check "nothing is left" '[ -z "$(find "$scratch" -name "tailproof-poker-*")" ]'
finish
