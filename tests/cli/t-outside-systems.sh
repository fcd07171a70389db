#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The models and probe files of examples/etcd, http2, mariadb, postgres and zookeeper: proved for any number of members, and events as the
# systems make them become requests that follow the models. TEST_ALL=1 also runs the systems themselves, as root.
. "$(dirname "$0")/tap.sh"
examples=$PWD/examples
cd "$scratch" || exit 1

for model in etcd/etcd_put.tp http2/http2.tp grpc/grpc_hedge.tp mariadb/mariadb_commit.tp postgres/postgres_commit.tp zookeeper/zookeeper_write.tp; do
  run verify --infer "$examples/$model"
  check "$model is proved" 'exits 0' 'out " proved, 0 refuted, 0 unknown"'
done

# Two puts that raft writes and sends as one batch; the faster follower is the second. The other one's answer comes last.
cat >etcd.events <<'END'
1000 write 10 11 bytes=207 key=71
1100 write 10 12 bytes=207 key=72
2000 put 1 5 key=71
2100 put 1 6 key=72
3000 send 1 5 type=3 index=40 count=2
3100 send 1 5 type=3 index=40 count=2
3500 log 1 5 g=9 index=41 key=71
3600 log 1 5 g=9 index=42 key=72
3900 logged 1 8 g=8
4000 step 3 31 type=3 to=303 from=101 index=40 count=2
4200 step 2 21 type=3 to=202 from=101 index=40 count=2
5000 send 3 32 type=4 index=42 count=0
5500 step 1 5 type=4 to=101 from=303 index=42 count=0
6000 logged 1 7 g=9
6500 apply 1 6 g=4 index=41
6600 applied 1 8 g=4
6700 apply 1 6 g=4 index=42
6800 applied 1 6 g=4
7000 read 10 11 bytes=50
7100 read 10 12 bytes=50
8000 send 2 22 type=4 index=42 count=0
8500 step 1 5 type=4 to=101 from=202 index=42 count=0
END
cat >etcd.processes <<'END'
1 etcd --name m1 --data-dir x
2 etcd --name m2 --data-dir x
3 etcd --name m3 --data-dir x
10 build/examples/etcd/etcd --puts 2
END
run record pair "$examples/etcd/etcd.yaml" etcd.events --processes etcd.processes --out etcd.store
check "two puts in one batch" 'exits 0' 'out "2 of 2 requests paired (100.00 %)"'
run replay "$examples/etcd/etcd_put.tp" etcd.store --set n=3 --set q=1
check "follow the model" 'exits 0' 'said "2 complete instances"' 'said "held 2 times; closest 6.000 us of 6.000 us"'

# Two commits; the second backend's flush covers both, and a standby has them before the first backend's has returned.
cat >postgres.events <<'END'
1000 send 10 11 bytes=80 kind=73 text="INSERT 1"
1100 send 10 12 bytes=80 kind=73 text="INSERT 2"
2000 query 1 1 text="INSERT 1"
2100 query 2 2 text="INSERT 2"
3000 flush.begin 1 1 lsn=1000
3100 flush.begin 2 2 lsn=1200
4000 flush.end 2 2
4100 send 3 3 bytes=330 kind=119 start=900 flushed=0
4200 send 4 4 bytes=330 kind=119 start=900 flushed=0
4300 receive 5 5 bytes=330
4400 receive 6 6 bytes=330
4500 flush.end 1 1
4600 send 5 5 bytes=39 kind=114 start=1200 flushed=900
5000 send 5 5 bytes=39 kind=114 start=1200 flushed=1200
5100 release 3 3
5200 woken 1 1
5300 woken 2 2
5400 receive 10 11 bytes=30
5500 receive 10 12 bytes=30
6000 send 6 6 bytes=39 kind=114 start=1200 flushed=1200
6100 release 4 4
END
cat >postgres.processes <<'END'
1 postgres: main: postgres postgres [local] INSERT
2 postgres: main: postgres postgres [local] INSERT
3 postgres: main: walsender s1 [local] streaming 0/5000060
4 postgres: main: walsender s2 [local] streaming 0/5000060
5 postgres: s1: walreceiver streaming 0/5000060
6 postgres: s2: walreceiver streaming 0/5000060
10 /usr/lib/postgresql/15/bin/pgbench -n
END
run record pair "$examples/postgres/postgres.yaml" postgres.events --processes postgres.processes --out postgres.store
check "two commits of one flush" 'exits 0' 'out "2 of 2 requests paired (100.00 %)"'
run replay "$examples/postgres/postgres_commit.tp" postgres.store --set n=2 --set k=1
check "follow the model" 'exits 0' 'said "2 complete instances"' 'said "held 2 times; closest 4.400 us of 4.400 us"'

# A commit whose second replica answers first; the client's set-up looks much like it.
cat >mariadb.events <<'END'
900 send 10 10 bytes=80 kind=3 letter=83 logged=0
910 receive 1 6 bytes=76
1000 send 10 10 bytes=87 kind=3 letter=73 logged=0
2000 receive 1 6 bytes=83
3000 prepare 1 6
4000 prepared 1 6
4100 write 1 6 type=162 position=1042
5000 sync 1 6
5100 send 1 7 bytes=239 kind=0 letter=239 logged=117
5200 receive 2 21 bytes=239
5300 receive 3 31 bytes=239
5310 write 3 31 type=162 position=1042
5320 write 2 21 type=162 position=1042
5600 send 3 31 bytes=27 kind=239 letter=1200 logged=1200
5700 send 2 21 bytes=27 kind=239 letter=1200 logged=1200
5800 answer 1 8 server=3 logged=1200
5900 woken 1 6
5950 answer 1 8 server=2 logged=1200
6000 send 1 6 bytes=11 kind=0 letter=0 logged=0
6100 receive 10 10 bytes=11
END
cat >mariadb.processes <<'END'
1 mariadbd --no-defaults --server-id=1 --log-bin
2 mariadbd --no-defaults --server-id=2 --sync-relay-log=1
3 mariadbd --no-defaults --server-id=3 --sync-relay-log=1
10 mariadb --no-defaults --execute=source
END
run record pair "$examples/mariadb/mariadb.yaml" mariadb.events --processes mariadb.processes --out mariadb.store
check "a commit of MariaDB" 'exits 0' 'out "1 of 1 requests paired (100.00 %)"'
run replay "$examples/mariadb/mariadb_commit.tp" mariadb.store --set n=2 --set k=1
check "follows the model" 'exits 0' 'said "1 complete instance"' 'said "held 1 time; closest 5.100 us of 5.100 us"'

# Two writes of ZooKeeper. The third member lags: it logs, syncs and acknowledges both at once, after the first answer.
# A kernel thread that is woken in between is none that hears acknowledgements.
cat >zookeeper.events <<'END'
1000 ask 10 10 bytes=211 xid=2 kind=5
1900 read 3 31 bytes=4
2000 read 3 31 bytes=207
2500 write 3 32 bytes=263 type=2 xid=1 size=259 proposed=2 done=0 first=0
2510 write 3 33 bytes=263 type=2 xid=1 size=259 proposed=2 done=0 first=0
2600 write 3 30 bytes=256 type=0 xid=9 size=243 proposed=0 done=0 first=25600
3000 write 1 11 bytes=256 type=0 xid=9 size=243 proposed=0 done=0 first=25600
4000 sync 1 11
4100 write 1 11 bytes=20 type=3 xid=0 size=0 proposed=0 done=0 first=0
4150 wake 1 11 woken=99 name="ksoftirqd/0"
4200 wake 1 11 woken=34 name="LearnerHandler-"
4300 read 3 34 bytes=20
5000 sync 3 30
5500 write 3 35 bytes=88 type=84 xid=2 size=0 proposed=0 done=25600 first=0
6000 answer 10 10 bytes=88
7000 ask 10 10 bytes=211 xid=3 kind=5
8000 read 3 31 bytes=207
8500 write 3 32 bytes=263 type=2 xid=1 size=259 proposed=3 done=0 first=0
8600 write 3 30 bytes=256 type=0 xid=9 size=243 proposed=0 done=0 first=25856
9000 write 2 21 bytes=512 type=0 xid=9 size=243 proposed=0 done=0 first=25600
9100 sync 2 21
9200 write 2 21 bytes=40 type=3 xid=0 size=0 proposed=0 done=0 first=0
9300 wake 2 21 woken=36 name="LearnerHandler-"
9400 read 3 36 bytes=40
9500 write 1 11 bytes=256 type=0 xid=9 size=243 proposed=0 done=0 first=25856
9510 sync 1 11
9520 write 1 11 bytes=20 type=3 xid=0 size=0 proposed=0 done=0 first=0
9530 wake 1 11 woken=34 name="LearnerHandler-"
9540 read 3 34 bytes=20
9700 write 3 35 bytes=88 type=84 xid=3 size=0 proposed=0 done=25856 first=0
9800 answer 10 10 bytes=88
9900 sync 3 30
END
for member in 1 2 3; do
  echo "$member java org.apache.zookeeper.server.quorum.QuorumPeerMain /tmp/x/$member.cfg"
done >zookeeper.processes
echo "10 python3 examples/zookeeper/client.py --port 1" >>zookeeper.processes
run record pair "$examples/zookeeper/zookeeper.yaml" zookeeper.events --processes zookeeper.processes --out zookeeper.store
check "two writes of ZooKeeper" 'exits 0' 'out "2 of 2 requests paired (100.00 %)"'
run replay "$examples/zookeeper/zookeeper_write.tp" zookeeper.store --set n=3 --set q=2
check "follow the model" 'exits 0' 'said "2 complete instances"' 'said "held 2 times; closest 5.000 us of 5.000 us"'

sed 's/|acks| >= q {/|acks| >= q and first in acks {/' "$examples/zookeeper/zookeeper_write.tp" >own.tp
run replay own.tp zookeeper.store --set n=3 --set q=2
check "the leader's own log may come last" 'exits 1' 'said "no step recorded before has sent"' \
  'said "1 of 2 instances do not follow it"'

# Two connections with two streams each, of the same numbers, served by one thread; the frames of streams are sent together, and
# answered in another order.
cat >http2.events <<'END'
1000 submit 10 10 session=5 id=1
1010 submit 11 11 session=6 id=1
1020 submit 10 10 session=5 id=3
1030 submit 11 11 session=6 id=3
1200 send 10 10 local=100 remote=8443 ends=50 begun=1100
1210 send 11 11 local=101 remote=8443 ends=50 begun=1110
2000 take 1 1 local=8443 remote=101 ends=50
2100 feed 1 1 session=8
2200 respond 1 1 session=8 id=3
2300 respond 1 1 session=8 id=1
2500 send 1 1 local=8443 remote=101 ends=70 begun=2400
2600 take 1 1 local=8443 remote=100 ends=50
2700 feed 1 1 session=9
2800 respond 1 1 session=9 id=3
2900 send 1 1 local=8443 remote=100 ends=60 begun=2850
3000 respond 1 1 session=9 id=1
3100 send 1 1 local=8443 remote=100 ends=70 begun=3050
4000 take 10 10 local=100 remote=8443 ends=60
4100 forget 10 10 session=5 id=3 data=0
4200 take 10 10 local=100 remote=8443 ends=70
4300 forget 10 10 session=5 id=1 data=0
4400 take 11 11 local=101 remote=8443 ends=70
4500 forget 11 11 session=6 id=3 data=0
4600 forget 11 11 session=6 id=1 data=0
END
printf '1 nghttpd 8443 key cert \n10 curl --parallel \n11 curl --parallel \n' >http2.processes
run record pair "$examples/http2/http2.yaml" http2.events --processes http2.processes --out http2.store
check "streams of HTTP/2" 'exits 0' 'out "4 of 4 requests paired (100.00 %)"'
run import --out http2.in http2.store
column() { zcat http2.in/joint.csv.gz | grep -v '^#' | awk -F, -v name="$1" 'NR == 1 { while ($++c != name); next } { print $c }' | sort -n | paste -sd' '; }
check "each has its own times" '[ "$(column request.page_ns)" = "3080 3300 3470 3590" ]' '[ "$(column Work_ns)" = "250 400 400 450" ]'
run replay "$examples/http2/http2.tp" http2.store
check "follow the model" 'exits 0' 'said "4 complete instances"' 'said "held 4 times; closest"'

# Of the real systems: what docs/outside.md claims.
whole() { # at least 99 of 100 are paired
  sed -n 's/^\([0-9]*\) of \([0-9]*\) requests paired.*/\1 \2/p' "$scratch/out" | awk '{ exit !($2 > 0 && $1 >= 0.99 * $2) }'
}
example() { # NAME OPTIONS
  last="make example NAME=$1"
  (cd "$examples/.." && make -s example NAME="$1" OPTIONS="$2" BUILD="$BUILD") >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}
# A model that forgets the steps COMPONENTS, held against the recording of the example.
forgetful() { # SYSTEM MODEL BOUND COMPONENTS SETTINGS...
  local system=$1 model=$2 bound=$3 components=$4 component
  shift 4
  cp "$examples/$system/$model.tp" forgetful.tp
  for component in $components; do
    sed -i -e "/^component $component\b/d" -e "s/ cost $component\(\[r\]\)\?//" -e "s/ + $component\(\[r\]\)\?//" forgetful.tp
  done
  run percentiles forgetful.tp --bound "$bound" "$@" --joint "$(dirname "$program")/examples/$system/run/components" \
    --observed "request.$bound" -p 50
  check "$system: a model without $components is wrong, and that is named" '[ "$status" -le 2 ]' \
    'said "took longer than the bound evaluated"' \
    "tr -s '\n ' ' ' <out | grep -qE '(${components// /|})([.][0-9]+)?(, [A-Za-z.0-9]+)* (was|were) measured, but (is|are) in no term of the bound'"
}
if [ -n "${TEST_ALL:-}" ]; then
  for system in etcd http2 mariadb postgres zookeeper; do
    case $system in
    etcd | postgres) example "$system" "3000 1 100" ;;
    *) example "$system" 3000 ;;
    esac
    check "$system, watched from outside" '[ "$status" -le 2 ]' whole 'said "the run follows it"' 'said "took no longer than the bound evaluated for it"'
    check "$system leaves nothing behind" '! pgrep -f "^etcd --name m1|^mariadbd --no-defaults|QuorumPeerMain|cluster_name|postgres: s1:" >/dev/null'
  done
  for forgotten in 'Append Save' Append Save; do forgetful etcd etcd_put put "$forgotten" --set n=3 --set q=1; done
  forgetful postgres postgres_commit commit Flush --set n=2 --set k=1
  example grpc '--requests 500'
  check "a client of gRPC that hedges" '[ "$status" -le 2 ]' 'said "the run follows it"' 'said "took no longer than the bound evaluated for it"'
fi
finish
