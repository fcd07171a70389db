#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A PostgreSQL primary and two standbys on this host (ANY 1), watched from outside while pgbench commits, and held
# against postgres_commit.tp:
#
#   examples/postgres/run.sh [COMMITS [CLIENTS [RATE]]]
#
# RATE: commits a second; 0: as many as the clients can. Spread over minutes, commits meet many slow stretches of the
# disk instead of one, and say more about percentiles.
# The recording stays in $BUILD/examples/postgres/run (that of the run before is replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=postgres
run=$BUILD/examples/postgres/run
commits=${1:-6000} clients=${2:-1} rate=${3:-50}
bin=/usr/lib/postgresql/15/bin
data=$(mktemp -d)
stop() {
  local server
  for server in s2 s1 main; do
    [ ! -d "$data/$server" ] || as_postgres "$bin/pg_ctl" -D "$data/$server" -m immediate stop >/dev/null 2>&1 || true
  done
  rm -rf "$data"
}
as_postgres() { (cd / && runuser -u postgres -- "$@"); }
ask() { as_postgres psql -qAth "$data" -p 5432 -c "$1" postgres; }
. examples/common/outside.sh
rm -rf "$run"
mkdir -p "$run"
chown postgres "$data"

as_postgres "$bin/initdb" -D "$data/main" -A trust -N >/dev/null
cat >>"$data/main/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$data'
cluster_name = 'main'
synchronous_standby_names = 'ANY 1 (s1, s2)'
autovacuum = off
END
as_postgres "$bin/pg_ctl" -D "$data/main" -l "$data/main.log" -w start >/dev/null
for i in 1 2; do
  ask "set synchronous_commit = local; create role s$i login replication"
  as_postgres "$bin/pg_basebackup" -h "$data" -p 5432 -U s$i -D "$data/s$i" -R -c fast
  printf "port = %d\ncluster_name = 's%d'\nsynchronous_standby_names = ''\n" $((5432 + i)) $i >>"$data/s$i/postgresql.conf"
  as_postgres "$bin/pg_ctl" -D "$data/s$i" -l "$data/s$i.log" -w start >/dev/null
done
await "[ \"\$(ask \"select count(*) from pg_stat_replication where sync_state = 'quorum'\")\" = 2 ]"
ask 'create table item(client int, id bigint, text text)'

bench() { echo "$bin/pgbench -n -h $data -p 5432 -U postgres -c $clients -j $clients -f examples/postgres/insert.sql"; }
$(bench) -t 100 postgres >/dev/null 2>&1
# shellcheck disable=SC2046
record $(head -qn 1 "$data"/*/postmaster.pid) -- $(bench) $([ "$rate" = 0 ] || echo "-R $rate") -t $((commits / clients)) postgres
hold examples/postgres/postgres_commit.tp commit commit --set n=2 --set k=1
exit "$code"
