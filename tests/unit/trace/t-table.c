/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of spans: those of known columns, and those whose columns are given.
 */
#include "tests/unit/trace/reading.h"

#define BOTH "t:\na shop/buy 1000000000000+1000000000\nb<a bank/pay 1000100000000+500000000\n"

static void test_tables_of_data_bases(void **state) {
  (void)state;
  check_read("\"Timestamp\",\"TraceId\",\"SpanId\",\"ParentSpanId\",\"SpanName\",\"ServiceName\","
             "\"Duration\"\n"
             "\"1970-01-01 00:16:40.100000000\",\"t\",\"b\",\"a\",\"pay\",\"bank\",500000000\r\n"
             "\"1970-01-01 00:16:40\",\"t\",\"a\",\"\",\"buy\",\"shop\",1000000000",
             BOTH);
  check_read("trace_id\tspan_id\tparent_span_id\tname\tservice_name\tstart_us\tduration_ms\n"
             "t\tb\ta\tpay\tbank\t1000100000\t500\n\nt\ta\t\tbuy\tshop\t1000000000\t1e3\n",
             BOTH);
  check_read("traceid;spanid;parentid;operation;service;start_time;end_time\n"
             "t;b;a;pay;bank;1970-01-01T00:16:40.1Z;1970-01-01T00:16:40.600Z\n"
             "t;a;;buy;shop;1970-01-01 01:16:40+0100;1970-01-01 00:16:41 UTC\n",
             BOTH);
  check_read(
      "trace.trace_id,trace.span_id,trace.parent_id,name,service.name,duration_ms,Timestamp\n"
      "t,b,a,pay,bank,500,1970-01-01T00:16:40.1Z\nt,a,,buy,shop,1000,1970-01-01T00:16:40Z\n",
      BOTH);
}

/* A call has a row of its caller and one of the called, with a negative duration. */
static void test_alibaba(void **state) {
  (void)state;
  check_read(",traceid,timestamp,rpcid,um,rpctype,dm,interface,rt\n"
             "0,t,1000,0,user,http,gw,buy,30\n1,t,1000,0.1,gw,rpc,item,get,13\n"
             "2,t,1001,0.1,gw,rpc,item,get,-11\n3,t,1003,0.1.2,item,db,store,,4\n"
             "4,t,1009,0.2,gw,mq,mail,send,1\n",
             "t:\n0 user/buy 1000000000+30000000 client\n0.1<0 gw/get 1000000000+13000000 client\n"
             "0.1<0.1 item/get 1001000000+11000000 server\n"
             "0.1.2<0.1 item/db 1003000000+4000000 client\n"
             "0.2<0 mail/send 1009000000+1000000 consumer\n");
}

static void test_cells(void **state) {
  (void)state;
  static const char columns[] = "trace=id,span=s,start:ns=at,end:ns=to,name=what,service=who";
  check_read_by("id,s,at,to,what,who\nt,a,1,2,\"a \"\"b\"\", c\nd\",C:\\new\\u\n", columns,
                "t:\na C:\\new\\u/a \"b\", c d 1+1\n");
  check_noted_by("id,s,at,to,what,who\nt,a,1,2,x,y\nt,b,1,2,x\n", columns,
                 "1 rows have another number of cells than the first line and are left out");
}

static void test_what_is_refused(void **state) {
  (void)state;
  static const char columns[] = "trace=id,span=s,start:ns=at,end:ns=to";
  check_refused_by("id,s,at,to\nt,\"a\"b,1,2\n", columns,
                   ":2:6: this stands behind a quoted cell; the table is damaged");
  check_refused_by("id,s,at,to\nt,a,1,2\nt,b,1", columns,
                   ":3:1: the file ends within a row; it is truncated: fetch or write it again");
  check_refused_by("id,s,at,to\nt,\"a,1,2\n", columns,
                   ":3:1: the file ends within a value; it is truncated: fetch or write it again");
  check_refused_by("id,s,at,to\nt,a,one,2\n", columns,
                   ":2:5: the start 'one' is no number; write the traces again");
  check_refused_by("a,b\n1,2\n", columns,
                   ": nothing in it is called as --columns has it for the trace; name a column of "
                   "its first line, or a key of its JSON");
  check_refused_by("id,s,at,to\n1,2\n", columns,
                   ": no row has as many cells as the first line, which names them; export the "
                   "table again");
  check_refused(
      "trace_id,span_id,start,duration_ms\nt,a,5,2\n",
      ":2:5: nothing says in which unit the start 5 is; say which key it has and in which "
      "unit: --columns ..,start:ms=KEY,.. (ns, us, ms or s)");
  check_refused("trace_id,span_id,start,duration_ms\nt,a,2026-13-31 12:00:00,2\n",
                ":2:5: the start '2026-13-31 12:00:00' is no moment; write it as "
                "2026-01-31T12:00:00.25Z");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tables_of_data_bases),
      cmocka_unit_test(test_alibaba),
      cmocka_unit_test(test_cells),
      cmocka_unit_test(test_what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
