#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Percentiles as metrics: written, shown by an agent, accepted by promtool, and alerts on them.
. "$(dirname "$0")/tap.sh"
command -v promtool >/dev/null || { echo "not ok 1 - promtool is missing (apt-get install prometheus)"; exit 69; }
trap '[ -z "${agent:-}" ] || kill "$agent"; rm -rf "$scratch" "$scratch.cache"' EXIT

prom=$scratch/bounds.prom
of() { # NAME LABELS: the value
  awk -v name="tailproof_$1{" -v labels="$2" 'index($0, name) == 1 && index($0, labels) { print $NF; exit }' "$prom"
}
seconds() { printf '%d.%09d' $(($1 / 1000000000)) $(($1 % 1000000000)); }
ask() { run percentiles "$specs/redis_wait.tp" --bound reply --set n=3 --joint examples/redis/recorded --observed request.round "$@"; }

ask --set k=2 -p 50,99,99.99 --metrics "$prom" --json
upper=$(jq -r 'select(.kind == "percentile" and .p == "99").upper_ns' "$scratch/out")
lower=$(jq -r 'select(.kind == "percentile" and .p == "99").lower_ns' "$scratch/out")
seen=$(jq -r 'select(.kind == "percentile" and .p == "99").observed_ns' "$scratch/out")
check 'bound and observation stand side by side' \
  '[ "$(of bound_seconds "p=\"99\",dependence=\"independent\",side=\"upper\"")" = "$(seconds "$upper")" ]' \
  '[ "$(of bound_seconds "p=\"99\",dependence=\"independent\",side=\"lower\"")" = "$(seconds "$lower")" ]' \
  '[ "$(of observed_seconds "p=\"99\"")" = "$(seconds "$seen")" ]'
check 'what is infinite is +Inf' '[ "$(of bound_seconds "p=\"99.99\",dependence=\"independent\",side=\"upper\"")" = +Inf ]'
check 'one state of an observation is 1' '[ "$(of observation "p=\"99\",state=\"dominated\"")" = 1 ]' \
  '[ "$(of observation "p=\"99\",state=\"not dominated\"")" = 0 ]' '[ "$(of observation "p=\"99.99\",state=\"cannot tell\"")" = 1 ]'
check 'the moment is there' '[ "$(of calculated_timestamp_seconds protocol)" -ge 1700000000 ]'
promtool check metrics <"$prom" >"$scratch/out" 2>"$scratch/err"
status=$?
check 'promtool has nothing against them' 'exits 0' 'quiet_out' 'quiet_err'

ask --set k=2 -p 99 --metrics "$scratch/none/bounds.prom"
check 'a folder that is not there is one message' 'exits 70' 'err "none/bounds.prom: cannot be written"' '[ "$(wc -l <"$scratch/err")" -eq 1 ]'
cp "$prom" "$scratch/before"
ask --set k=9 -p 99 --metrics "$prom"
check 'without percentiles nothing is written' '[ "$status" -ge 64 ]' 'cmp -s "$prom" "$scratch/before"'

# --- alerts ------------------------------------------------------------------------------------
promtool check rules examples/agent/alerts.yml >"$scratch/out" 2>&1
status=$?
check 'promtool has nothing against the alerts' 'exits 0' 'out "4 rules"'
series() { # what a file of metrics says for 20 minutes, as promtool writes it
  grep '^tailproof' "$1" | sed -E "s/^(.*) ([^ ]+)\$/      - series: '\1'\n        values: '\2x20'/; s/'([0-9.]+)x20'/'\1+0x20'/; s/'\+Infx20'/'+Inf+0x20'/"
}
sed 's/\(p="99",state="not dominated"} \)0/\11/; s/\(p="99",state="dominated"} \)1/\10/' "$prom" >"$scratch/slower.prom"
{
  printf 'rule_files: [%s/examples/agent/alerts.yml]\nevaluation_interval: 1m\ntests:\n' "$PWD"
  printf '  - interval: 1m\n    input_series:\n' && series "$prom"
  printf '    alert_rule_test:\n      - {eval_time: 15m, alertname: SlowerThanItsDesign}\n      - {eval_time: 15m, alertname: DesignOverBudget}\n'
  printf '  - interval: 1m\n    input_series:\n' && series "$scratch/slower.prom"
  printf '    promql_expr_test:\n      - expr: count(ALERTS{alertname="SlowerThanItsDesign",alertstate="firing"})\n        eval_time: 15m\n        exp_samples: [{value: 1}]\n'
} >"$scratch/alerts_test.yml"
promtool test rules "$scratch/alerts_test.yml" >"$scratch/out" 2>&1
status=$?
check 'an alert fires when the system is slower than its design, and only then' 'exits 0' 'out SUCCESS'

# --- the agent ---------------------------------------------------------------------------------
page=$(free_ports 2)
printf 'node: a\nlisten: 127.0.0.1\nport: %s\npeers: [{name: b, address: 127.0.0.1, port: 1}]\nstore: ""\nmetrics: {port: %s, file: %s}\n' $((page + 1)) "$page" "$prom" >"$scratch/a.yaml"
"$program" agent "$scratch/a.yaml" 2>"$scratch/agent.err" </dev/null &
agent=$!
get() {
  exec 3<>"/dev/tcp/127.0.0.1/$page" || return 1
  printf 'GET /metrics%s HTTP/1.0\r\n\r\n' "${1:-}" >&3
  sed '1,/^\r$/d' <&3
  exec 3<&- 3>&-
}
until_true 'get >"$scratch/page" && [ -s "$scratch/page" ]'
last="agent a.yaml" status=0
check 'an agent shows them beside its own' 'grep -q "^tailproof_agent_garbage_total" "$scratch/page"' \
  '[ "$(grep -c "^tailproof_[bco][a-z_]*{" "$scratch/page")" -eq "$(grep -c "^tailproof" "$prom")" ]'
promtool check metrics <"$scratch/page" >"$scratch/out" 2>"$scratch/err"
status=$?
check 'promtool has nothing against the page' 'exits 0' 'quiet_out' 'quiet_err'
ask --set k=2 -p 50,99,99.99 --slo 'p99<5ms' --format prometheus
cp "$scratch/out" "$scratch/verdicts.prom"
"$program" explain --schema >"$scratch/schema.json"
last="dashboard.json against what is shown"
tests/cli/dashboard.py examples/agent/dashboard.json "$scratch/schema.json" "$scratch/page" "$scratch/verdicts.prom" >"$scratch/dashboard_test.yml" 2>"$scratch/err"
status=$?
check 'the dashboard has the form that Grafana reads, and asks for metrics and labels that there are' 'exits 0' 'quiet_err'
promtool test rules "$scratch/dashboard_test.yml" >"$scratch/out" 2>"$scratch/err"
status=$?
check 'each of its queries has an answer' 'exits 0' 'out SUCCESS'
sed 's/tailproof_observed_seconds/tailproof_observed_second/; s/"h": 8/"h": 9/; s/{{slo}}/{{objective}}/' examples/agent/dashboard.json >"$scratch/broken.json"
tests/cli/dashboard.py "$scratch/broken.json" "$scratch/schema.json" "$scratch/page" "$scratch/verdicts.prom" >"$scratch/out" 2>"$scratch/err"
status=$?
check 'what is wrong with one is found' 'exits 1' 'err "which nothing shows"' 'err " covers "' 'err "names {'"'objective'"'}"'

get '?name[]=tailproof_agent_file' >"$scratch/out"
check 'or alone' 'cmp -s "$scratch/out" "$prom"'
rm "$prom" && get >"$scratch/out"
check 'a file that is gone is a comment on the page' 'grep -q "^# .*bounds.prom: cannot be opened" "$scratch/out"' 'out tailproof_agent_garbage_total'
mkfifo "$prom" && get >"$scratch/out"
check 'a pipe does not hold the agent up' 'out "is no regular file"'
rm "$prom" && head -c 9000 /dev/zero | tr '\0' x >"$prom" && get >"$scratch/out"
check 'nor is a large file shown' '! out xxxx' 'grep -q "^# .*bounds.prom" "$scratch/out"'
kill "$agent" && wait "$agent"
agent=
finish
