#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# https: certificates are checked against authorities and names, an answer that is cut off is none, the handshake is measured
# apart, and a request that meets the end of an idle connection is sent again. Nothing here depends on how fast anything is;
# exit code 2 says that the machine was too busy.
. "$(dirname "$0")/tap.sh"
server=$PWD/tests/cli/tls_server.py
cd "$scratch" || exit 1
command -v openssl >/dev/null || { echo "not ok 1 - openssl is missing (apt-get install openssl)"; exit 69; }

key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
openssl req -x509 "${key[@]}" -days 30 -subj /CN=authority -keyout ca.key -out ca.pem 2>log
openssl req -x509 "${key[@]}" -days 30 -subj /CN=alone -addext subjectAltName=IP:127.0.0.1 -keyout alone.key -out alone.pem 2>>log
sign() { # NAME, what it is of, days
  openssl req -new "${key[@]}" -subj "/CN=$1" -keyout "$1.key" -out "$1.csr" 2>>log
  echo "subjectAltName=$2" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -extfile "$1.ext" -days "$3" -out "$1.pem" 2>>log
}
sign good DNS:localhost,IP:127.0.0.1 30
sign other DNS:elsewhere.example 30
sign expired DNS:localhost,IP:127.0.0.1 -1
python3 "$server" "$scratch" good other expired alone late mutual page plain &
servers=$!
trap 'kill $servers 2>/dev/null; rm -rf "$scratch" "$scratch.cache"' EXIT
until_true '[ -s plain.port ] || ! kill -0 $servers'
at() { echo "https://${2:-127.0.0.1}:$(cat "$1.port")"; }
ran() { [ "$status" -eq 0 ] || [ "$status" -eq 2 ]; }
of() { jq -se "map(select(.kind == \"load\"))[0] | $1" out >/dev/null; }
loaded() { run load "$@" --timeout 60 --constant --json --out x.csv; }

loaded "$(at good)/page" --ca ca.pem --requests 20 --rate 100
check "a certificate of the authority, for an address" ran 'quiet_err' 'of ".good == 20 and .handshakes == .connections and .retried == 0"' \
  '[ "$(grep -c "^good None http/1.1 GET /page HTTP/1.1$" asked)" -eq 20 ]'
loaded "$(at good localhost)/name" --ca ca.pem --requests 5 --rate 100
check "and for a name, of which the server is told; where it does not listen at the first address, at the next" ran 'of ".good == 5"' \
  '[ "$(grep -c "^good localhost http/1.1 GET /name " asked)" -eq 5 ]'
loaded "$(at good)/" --ca ca.pem --routes '/large,/until-end,/cut' --requests 30 --rate 100
check "what is cut off is no answer, what ends is one, however large" ran \
  'awk -F, "NR > 1 && (\$2 == \"/cut\") != (\$4 == \"timeout\") { exit 1 } END { exit NR != 31 }" x.csv' 'of ".broken > 0 and .good > 10 and .timed_out == 0"'
loaded "$(at late)/" --ca ca.pem --requests 8 --rate 20 --connections 1
check "a slow handshake is measured apart, and is in the latency of who waited for it" ran \
  'of ".handshakes == 1 and (.handshake_median_ns | tonumber) >= 2e8 and .handshake_longest_ns == .handshake_median_ns"' \
  'awk -F, "NR == 2 && \$4 < 2e8 { exit 1 }" x.csv'
run load "$(at late)/" --ca ca.pem --requests 1 --timeout 60 --out x.csv
check "it says so" ran 'said "1 TLS handshake took"' 'said "each is part of the latency"'

# Every second request on a connection finds it closed: with one connection, each but the first is sent twice.
loaded "$(at good)/once" --ca ca.pem --requests 12 --rate 100 --connections 1
check "requests that met the end of a connection are sent again" ran 'of ".good == 12 and .retried == 11 and .connections == 12"' \
  '[ "$(grep -c "GET /once " asked)" -eq 23 ]'
loaded "http://127.0.0.1:$(cat plain.port)/once" --requests 12 --rate 100 --connections 1
check "also without TLS" ran 'of ".good == 12 and .retried == 11 and .handshakes == null"'
loaded "http://127.0.0.1:$(cat plain.port)/" --routes '/reset,/until-end' --requests 20 --rate 100
check "an answer that a reset ends is none, also without TLS" ran \
  'awk -F, "NR > 1 && (\$2 == \"/reset\") != (\$4 == \"timeout\") { exit 1 } END { exit NR != 21 }" x.csv'
run load "http://127.0.0.1:$(cat plain.port)/once" --requests 2 --rate 100 --connections 1 --timeout 60 --out x.csv
check "that is said" ran 'said "1 request was sent again, as the server closed the connection that it was sent on"'
loaded "$(at good)/once" --ca ca.pem --requests 12 --rate 100 --connections 1 --method POST
check "but not what may not be repeated" ran 'of ".good == 6 and .broken == 6 and .retried == 0"'

refused() { # exit code, what is said, arguments
  local code=$1 said=$2
  shift 2
  run "$@" --out bad.csv
  check "$*: refused" "exits $code" '[ "$(wc -l <err)" -eq 1 ]' 'err "'"$said"'"' '[ ! -e bad.csv ]'
}
asked_before=$(wc -l <asked)
refused 69 'is signed by nobody who is trusted here; --ca FILE names' load "$(at good)/secret"
refused 69 'its certificate has expired; --insecure takes any' load "$(at expired)/secret" --ca ca.pem
refused 69 'its certificate is of another name; ' load "$(at other)/secret" --ca ca.pem
refused 69 'its certificate is of another name; ' load "$(at other localhost)/secret" --ca ca.pem
refused 69 'is signed by nobody who is trusted here' load "$(at alone)/secret" --ca ca.pem
refused 69 'is signed by nobody who is trusted here' load "$(at good)/secret" --ca alone.pem
refused 69 'what answers speaks no TLS; is it http://?' load "$(at plain)/secret" --ca ca.pem
refused 69 'start the server first' load https://127.0.0.1:1/ --ca ca.pem
refused 66 '--ca none.pem: No such file' load "$(at good)/" --ca none.pem
refused 65 '--ca x.csv: holds no certificate' load "$(at good)/" --ca x.csv
refused 64 'write https://HOST:PORT/PATH' load https://:1/
refused 64 '--ca and --insecure are of https://' load --insecure -- true
printf '[overrides]\ndefault-priority-string = NONE-SUCH\n' >settings
GNUTLS_SYSTEM_PRIORITY_FILE=$scratch/settings refused 69 'settings of TLS (/etc/gnutls/config) are refused' load "$(at good)/secret" --ca ca.pem
check "none of these was asked for anything" '[ "$(wc -l <asked)" -eq "$asked_before" ]'
loaded "$(at mutual)/" --ca ca.pem --requests 3 --rate 100
check "a server that wants a certificate of the client" '[ "$status" -eq 69 ]' 'err "the server ends the connection: Certificate is required"'
loaded "$(at alone)/" --ca alone.pem --requests 3 --rate 100
check "one that is signed by itself is trusted when it is named" ran 'of ".good == 3"'
run load "$(at expired)/" --insecure --requests 3 --rate 100 --timeout 60 --out x.csv
check "any is taken when told so, and the result says it" ran 'said "3 good"' 'said "x.csv: whose answers these are was not checked (--insecure)"'

# --- what import and percentiles fetch
page() { run import "$@" --out series --select 'A=a_seconds'; }
page "$(at page)/metrics" --ca ca.pem
check "import: a page over https" 'exits 0' '! said "--insecure"' 'grep -q "^total 100$" series/A.tph'
page "$(at page)/metrics"
check "import: a certificate of nobody who is trusted" 'exits 66' 'err "--ca FILE names a file"'
page "$(at expired)/metrics" --ca ca.pem
check "import: one that has expired" 'exits 66' '[ "$(wc -l <err)" -eq 1 ]'
page "$(at other)/metrics" --ca ca.pem
check "import: one of another name" 'exits 66'
page "$(at expired)/metrics" --insecure
check "import: any, and the result says so" 'exits 0' 'said "was not checked (--insecure)"'
page "$(at page)/metrics" --ca none.pem
check "import: no such file" 'exits 66' 'err "--ca none.pem: No such file"'
page "http://127.0.0.1:$(cat plain.port)/metrics" --insecure
check "import: not of http" 'exits 64' 'err "what is not https://"'
run percentiles --prometheus "$(at page)" --query 'a=a_seconds_bucket' -p 50
check "percentiles --prometheus: the same check" 'exits 66' 'err "--ca FILE names a file"'
run percentiles --prometheus "$(at page)" --query 'a=a_seconds_bucket' -p 50 --ca ca.pem
check "and the same option: the answer is none of Prometheus, but came" '! exits 66' '! err "--ca"' 'grep -q "^page .* GET /api/v1/query" asked'
finish
