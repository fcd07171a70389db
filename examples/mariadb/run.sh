#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A MariaDB primary and two replicas on this host (semi-synchronous, AFTER_SYNC), watched from outside while a client
# commits, and held against mariadb_commit.tp:
#
#   examples/mariadb/run.sh [COMMITS]
#
# The recording stays in $BUILD/examples/mariadb/run (that of the run before is replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=mariadb
run=$BUILD/examples/mariadb/run
commits=${1:-5000}
servers=()
data=
stop() {
  [ "${#servers[@]}" = 0 ] || kill "${servers[@]}" 2>/dev/null || true
  [ "${#servers[@]}" = 0 ] || wait "${servers[@]}" 2>/dev/null || true
  rm -rf "$data"
}
. examples/common/outside.sh
data=$(mktemp -d)
rm -rf "$run"
mkdir -p "$run"

base=$((20000 + $$ % 10000)) # ports that another run is not likely to have
start() { # NUMBER OPTIONS...
  mariadbd --no-defaults --user=root --datadir="$data/$1" --socket="$data/$1/socket" --pid-file="$data/$1/pid" \
    --bind-address=127.0.0.1 --port=$((base + $1)) --server-id="$1" --innodb-log-file-size=16M \
    --innodb-buffer-pool-size=64M "${@:2}" >"$data/$1.log" 2>&1 &
  servers+=($!)
}
client() { echo "mariadb --no-defaults --user=root --socket=$data/$1/socket --batch --skip-column-names"; }
ask() { $(client "$1") --execute="$2"; }

mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db --user=root \
  --innodb-log-file-size=16M --datadir="$data/1" >/dev/null 2>&1
cp -r "$data/1" "$data/2"
cp -r "$data/1" "$data/3"
start 1 --log-bin=binlog --sync-binlog=1 --rpl-semi-sync-master-wait-point=AFTER_SYNC \
  --rpl-semi-sync-master-timeout=600000
start 2 --rpl-semi-sync-slave-enabled=ON --sync-relay-log=1
start 3 --rpl-semi-sync-slave-enabled=ON --sync-relay-log=1
for i in 1 2 3; do await "ask $i 'select 1'"; done
ask 1 "create user copy@'127.0.0.1' identified by 'copy'; grant replication slave on *.* to copy@'127.0.0.1';
  create database shop; create table shop.item(id int, text text); set global rpl_semi_sync_master_enabled = on"
for i in 2 3; do
  ask $i "change master to master_host = '127.0.0.1', master_port = $((base + 1)), master_user = 'copy',
    master_password = 'copy', master_use_gtid = slave_pos; start slave"
done
await "ask 1 \"show status like 'Rpl_semi_sync_master_clients'\" | grep -w 2"
await "ask 2 'select count(*) from shop.item' && ask 3 'select count(*) from shop.item'"

insert() { # COUNT: statements
  seq -f "INSERT INTO shop.item VALUES (%.0f, 'a row of some forty bytes, more or less');" $((10000000 + 1)) $((10000000 + $1))
}
insert 100 | $(client 1)
insert "$commits" >"$data/commits.sql"
# shellcheck disable=SC2046
record "${servers[@]}" -- $(client 1) --execute="source $data/commits.sql"
echo "Commits that went on without an answer: $(ask 1 "show status like 'Rpl_semi_sync_master_no_tx'" | cut -f 2)"
echo
hold examples/mariadb/mariadb_commit.tp commit commit --set n=2 --set k=1
exit "$code"
