/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where probes are and what they read, as a probe file says it (docs/outside.md):
 *
 *   probes:
 *     flush.begin: {uprobe: "/usr/lib/postgresql/15/bin/postgres:XLogFlush", read: {lsn: arg1}}
 *     flush.end:   {uretprobe: "/usr/lib/postgresql/15/bin/postgres:XLogFlush"}
 *     put.end:     {uretprobe: "/usr/bin/etcd:main.put", abi: go, read: {error: ret}}
 *     read:        {uretprobe: "/lib/x86_64-linux-gnu/libc.so.6:read", children: no}
 *     resumed:     {uretprobe: "/usr/bin/fibers:resume", returns: each}
 *     stripped:    {uprobe: "/opt/server+0x1234 build-id=0123abcd"}
 *     begin:       {usdt: "/opt/server:provider:name", read: {xid: arg1}}
 *     sync.begin:  {syscall: fdatasync, read: {fd: arg1}}
 *     sync.end:    {syscall.exit: fdatasync, read: {result: ret}}
 *     switch:      {tracepoint: "sched:sched_switch", read: {prev: prev_pid}}
 *     asked:       {socket.receive: 2379, read: {client: remote, ends: ends}}
 *     answered:    {socket.send: 2379, read: {client: remote, bytes: bytes}}
 *     moved:       {socket.send: tcp, read: {client: remote, bytes: bytes}}
 *     queried:     {socket.receive: udp 53, read: {id: "*(data) be16"}}
 *     passed:      {socket.send: unix /run/app.sock, read: {size: bytes}}
 *
 * A probe on sockets that are sent to has a field "begun" beside those that it reads: when the call
 * began.
 *
 * Other keys of the file than probes are not looked at.
 */
#ifndef MEASURE_OUTSIDE_PROBES_H
#define MEASURE_OUTSIDE_PROBES_H

#include "base/vector.h"
#include "measure/outside/event.h"
#include "measure/outside/expression.h"
#include "measure/yaml/tree.h"

enum site_kind {
  SITE_UPROBE,
  SITE_URETPROBE,
  SITE_USDT,
  SITE_SYSCALL,
  SITE_SYSCALL_EXIT,
  SITE_TRACEPOINT,
  SITE_SOCKET_SEND,
  SITE_SOCKET_RECEIVE,
};

enum socket_kind { SOCKET_TCP, SOCKET_UDP, SOCKET_UNIX };

enum { SITE_BUILD_ID = 41, SITE_SOCKET_PATH = 107 };

/* As written; texts are owned. */
struct outside_site {
  enum site_kind kind;
  unsigned line;
  uint32_t process;        /* in which an IFUNC means what it chose; 0: not known */
  bool named;              /* only in processes that the user named (children: no) */
  bool go;                 /* arguments and results as Go passes them in registers */
  unsigned from_entry;     /* so many arguments are kept from its entry for its return */
  bool begun;              /* when the call began is read */
  bool data;               /* of sockets: what is sent or received is read */
  enum socket_kind socket; /* of probes on sockets */
  bool nested;             /* the user says that calls return in order (returns: nested) */
  bool each_return;        /* a probe at each return instruction (returns: each; Go always) */
  char *path;              /* of the first three */
  char *symbol;            /* or NULL: by offset */
  uint64_t offset;         /* in the file, or beyond the symbol; of sockets: the port; 0: any */
  char build_id[SITE_BUILD_ID]; /* "": any */
  char *group;                  /* provider of a USDT probe; the first part of a tracepoint */
  char *name; /* of a USDT probe, the second part of a tracepoint; of a system call; the path of a
                 Unix socket, "@..." of an abstract one, or NULL: any */
  struct read_expression read[OUTSIDE_FIELDS]; /* as many as the probe has fields */
};

/* The two lists have one place for each probe. */
struct outside_probes {
  VECTOR(struct outside_probe) list;
  VECTOR(struct outside_site) sites;
};

/* Of the root of a probe file. False with one line in `message` that begins with the place
 * ("line 3: "); `probes` is then empty. */
bool probes_read(struct outside_probes *probes, const struct tree_node *root, char *message,
                 size_t size);
void probes_clear(struct outside_probes *probes);

#endif
