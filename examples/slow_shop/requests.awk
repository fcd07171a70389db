# SPDX-License-Identifier: GPL-3.0-or-later
# Makes requests.csv: awk -f requests.awk >requests.csv. Whole numbers only, so that every awk makes the same.

function draw(below) { # the minimal standard generator of Park and Miller
  x = x * 16807 % 2147483647
  return int(x / 2147483647 * below)
}

# In us: at least `least`, and some up to three times `spread` more.
function work(least, spread) { return least + draw(spread) + draw(spread) + draw(spread) }

function ms(us) { return sprintf("%d.%03d", int(us / 1000), us % 1000) }

BEGIN {
  x = 20
  print "latency_ms,cart_get_ms,db_read_ms,price_query_ms,audit_write_ms,db_host,version"
  for (i = 0; i < 1000; i++) {
    host = 1 + draw(3)
    version = 1 + draw(2)
    # the disk of db-3 is slow at times, and so is what version 2 of price does now and then
    db = work(2000, 1500) + (host == 3 && draw(100) < 15 ? work(35000, 5000) : 0)
    cart = work(4000, 1500) + db
    price = work(6000, 2000) + (version == 2 && draw(100) < 6 ? work(25000, 5000) : 0)
    audit = work(3000, 1000) + (draw(2) == 0 ? 60000 : 0) # nobody waits for it
    latency = work(8000, 3000) + cart + price
    print ms(latency) "," ms(cart) "," ms(db) "," ms(price) "," ms(audit) ",db-" host ",v" version
  }
}
