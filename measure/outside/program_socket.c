/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Of probes on sockets: which ones are asked for, and what is read of them.
 */
#include <string.h>

#include "measure/outside/instructions.h"

enum { INET = 2 /* AF_INET */, INET6 = 10, UNIX = 1, TCP = 6 /* IPPROTO_TCP */, UDP = 17 };

/* Of the kernel's memory, from where register 3 points. */
static void follow_kernel(struct writer *w, unsigned width) {
  point(w, BPF_REG_1, BUFFER);
  emit(w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, (int32_t)width);
  call(w, BPF_FUNC_probe_read_kernel);
  vector_push(&w->failures, jump_if(w, BPF_JNE, BPF_REG_0, 0));
  load(w, BPF_REG_3, FRAME, BUFFER, width);
}

/* A field of the tracepoint, which is known to have it; with its sign. */
static void load_field(struct writer *w, int target, const char *name) {
  const struct tracepoint_field *field = tracepoint_field(w->tracepoint, name);
  load(w, target, CONTEXT, (int)field->offset, field->size);
  if (field->size != 4)
    return;
  emit(w, BPF_ALU64 | BPF_LSH | BPF_K, target, 0, 0, 32);
  emit(w, BPF_ALU64 | BPF_ARSH | BPF_K, target, 0, 0, 32);
}

static void load_socket(struct writer *w, unsigned offset, unsigned width) {
  load_field(w, BPF_REG_3, "sk");
  add(w, BPF_REG_3, (int32_t)offset);
  follow_kernel(w, width);
}

static size_t jump_between(struct writer *w, int op, int one, int other) {
  emit(w, BPF_JMP | op | BPF_X, one, other, 0, 0);
  return w->code->count - 1;
}

static void land_failures(struct writer *w) {
  for (size_t k = 0; k < w->failures.count; k++)
    land(w, w->failures.data[k]);
  w->failures.count = 0;
}

/* --- ports --- */

static void swap_port(struct writer *w) {
  emit(w, BPF_ALU | BPF_END | BPF_TO_BE, BPF_REG_3, 0, 0, 16);
  store(w, FRAME, REMOTE, BPF_REG_3, 8);
}

/* Where it is sent to says the call, or else the socket if it is connected. */
static void take_named_port(struct writer *w) {
  load(w, BPF_REG_3, FRAME, KEPT_ARGUMENT + 8 * KEPT_NAME, 8);
  size_t none = jump_if(w, BPF_JEQ, BPF_REG_3, 0);
  add(w, BPF_REG_3, 2); /* behind the family */
  point(w, BPF_REG_1, BUFFER);
  emit(w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 2);
  call(w, BPF_FUNC_probe_read_user);
  set(w, BPF_REG_3, 0);
  size_t unread = jump_if(w, BPF_JNE, BPF_REG_0, 0);
  load(w, BPF_REG_3, FRAME, BUFFER, 2);
  land(w, unread);
  swap_port(w);
  land(w, none);
}

/* Goes on for the port, at one of both ends. */
static void write_ports(struct writer *w) {
  int32_t port = (int32_t)w->site->offset;
  load_socket(w, w->socket->local, 2);
  store(w, FRAME, LOCAL, BPF_REG_3, 8);
  load_socket(w, w->socket->remote, 2);
  swap_port(w);
  if (w->site->socket == SOCKET_UDP && w->site->kind == SITE_SOCKET_SEND)
    take_named_port(w);
  if (port == 0)
    return;
  load(w, BPF_REG_3, FRAME, REMOTE, 8);
  size_t theirs = jump_if(w, BPF_JEQ, BPF_REG_3, port);
  load(w, BPF_REG_3, FRAME, LOCAL, 8);
  vector_push(&w->failures, jump_if(w, BPF_JNE, BPF_REG_3, port));
  land(w, theirs);
}

/* --- Unix sockets --- */

/* Which socket it is, and no address of the kernel: register 3. */
static void mix(struct writer *w, int slot) {
  set(w, BPF_REG_1, w->socket->key);
  emit(w, BPF_ALU64 | BPF_MUL | BPF_X, BPF_REG_3, BPF_REG_1, 0, 0);
  move(w, BPF_REG_1, BPF_REG_3);
  emit(w, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_1, 0, 0, 32);
  emit(w, BPF_ALU64 | BPF_XOR | BPF_X, BPF_REG_3, BPF_REG_1, 0, 0);
  store(w, FRAME, slot, BPF_REG_3, 8);
}

/* The path as a socket is bound to it: with its NUL, or with one before it. How many bytes. */
static int path_of(char *path, const char *name) {
  size_t length = strlen(name);
  memset(path, 0, SITE_SOCKET_PATH + 5);
  memcpy(path, name, length);
  if (name[0] == '@')
    path[0] = '\0';
  return (int)length + (name[0] == '@' ? 0 : 1);
}

/* Fails unless the socket that register 3 points to, if any, is bound to the path. */
static void match_path(struct writer *w) {
  char path[SITE_SOCKET_PATH + 5];
  int size = path_of(path, w->site->name), words = (size + 7) / 8;
  vector_push(&w->failures, jump_if(w, BPF_JEQ, BPF_REG_3, 0));
  add(w, BPF_REG_3, (int32_t)w->socket->address);
  follow_kernel(w, 8);
  vector_push(&w->failures, jump_if(w, BPF_JEQ, BPF_REG_3, 0));
  store(w, FRAME, POINTER, BPF_REG_3, 8);
  if (path[0] == '\0') {
    add(w, BPF_REG_3, (int32_t)w->socket->length);
    follow_kernel(w, 4);
    vector_push(&w->failures, jump_if(w, BPF_JNE, BPF_REG_3, size + 2));
  }
  set(w, BPF_REG_1, 0);
  for (int i = 0; i < words; i++)
    store(w, FRAME, PATH + 8 * i, BPF_REG_1, 8);
  load(w, BPF_REG_3, FRAME, POINTER, 8);
  add(w, BPF_REG_3, (int32_t)w->socket->path);
  point(w, BPF_REG_1, PATH);
  emit(w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, size);
  call(w, BPF_FUNC_probe_read_kernel);
  vector_push(&w->failures, jump_if(w, BPF_JNE, BPF_REG_0, 0));
  for (int i = 0; i < words; i++) {
    uint64_t word;
    memcpy(&word, path + 8 * i, 8);
    load(w, BPF_REG_3, FRAME, PATH + 8 * i, 8);
    set(w, BPF_REG_1, word);
    vector_push(&w->failures, jump_between(w, BPF_JNE, BPF_REG_3, BPF_REG_1));
  }
}

/* Goes on where one of both ends is bound to the path, if one is asked for. */
static void write_unix(struct writer *w) {
  load_socket(w, w->socket->peer, 8);
  store(w, FRAME, REMOTE, BPF_REG_3, 8);
  if (w->site->name != NULL) {
    struct writer own = {.code = w->code, .site = w->site, .socket = w->socket};
    load_field(w, BPF_REG_3, "sk");
    match_path(&own);
    size_t bound = jump_if(w, BPF_JA, BPF_REG_0, 0);
    land_failures(&own);
    vector_clear(&own.failures);
    load(w, BPF_REG_3, FRAME, REMOTE, 8);
    match_path(w);
    land(w, bound);
  }
  load_field(w, BPF_REG_3, "sk");
  mix(w, LOCAL);
  load(w, BPF_REG_3, FRAME, REMOTE, 8);
  mix(w, REMOTE);
}

/* --- all --- */

/* Fails for sockets of other protocols. Netlink numbers its protocols by itself. */
static void match_protocol(struct writer *w) {
  enum socket_kind kind = w->site->socket;
  load_field(w, BPF_REG_1, "family");
  if (kind == SOCKET_UNIX) {
    vector_push(&w->failures, jump_if(w, BPF_JNE, BPF_REG_1, UNIX));
    return;
  }
  size_t inet = jump_if(w, BPF_JEQ, BPF_REG_1, INET);
  vector_push(&w->failures, jump_if(w, BPF_JNE, BPF_REG_1, INET6));
  land(w, inet);
  load_field(w, BPF_REG_1, "protocol");
  vector_push(&w->failures, jump_if(w, BPF_JNE, BPF_REG_1, kind == SOCKET_TCP ? TCP : UDP));
}

/* How much of the message can be read at once: it may be in pieces, or shorter than its buffer. */
static void keep_reach(struct writer *w) {
  load_field(w, BPF_REG_1, "ret");
  load(w, BPF_REG_2, FRAME, KEPT_ARGUMENT + 8 * KEPT_SIZE, 8);
  size_t shorter = jump_between(w, BPF_JLE, BPF_REG_2, BPF_REG_1);
  move(w, BPF_REG_2, BPF_REG_1);
  land(w, shorter);
  store(w, FRAME, KEPT_ARGUMENT + 8 * KEPT_SIZE, BPF_REG_2, 8);
}

void program_socket_filter(struct writer *w) {
  enum { PEEK = 2 /* MSG_PEEK */ };
  w->failures.count = 0;
  match_protocol(w);
  load_field(w, BPF_REG_1, "ret");
  vector_push(&w->failures, jump_if(w, BPF_JSLE, BPF_REG_1, 0));
  load_field(w, BPF_REG_1, "flags");
  if (w->site->kind == SITE_SOCKET_RECEIVE)
    vector_push(&w->failures, jump_if(w, BPF_JSET, BPF_REG_1, PEEK));
  if (w->site->socket == SOCKET_UNIX)
    write_unix(w);
  else
    write_ports(w);
  size_t wanted = jump_if(w, BPF_JA, BPF_REG_0, 0);
  land_failures(w);
  end(w);
  land(w, wanted);
  if (w->site->data)
    keep_reach(w);
}

/* --- what is read --- */

void program_socket_reach(struct writer *w, int32_t size) {
  load(w, BPF_REG_1, FRAME, KEPT_ARGUMENT + 8 * KEPT_SIZE, 8);
  vector_push(&w->failures, jump_if(w, BPF_JLT, BPF_REG_1, size));
}

void program_socket_cut(struct writer *w, int32_t from) {
  load(w, BPF_REG_1, FRAME, KEPT_ARGUMENT + 8 * KEPT_SIZE, 8);
  vector_push(&w->failures, jump_if(w, BPF_JLE, BPF_REG_1, from));
  add(w, BPF_REG_1, -from);
  size_t fits = jump_between(w, BPF_JLE, BPF_REG_3, BPF_REG_1);
  move(w, BPF_REG_3, BPF_REG_1);
  land(w, fits);
}

/* A socket's position is behind the bytes. Positions are in the upper half of a number, so that
 * they wrap around as numbers do. */
static void load_position(struct writer *w, bool at_begin) {
  load_socket(w, w->socket->position, 4);
  if (at_begin) {
    load_field(w, BPF_REG_1, "ret");
    emit(w, BPF_ALU64 | BPF_SUB | BPF_X, BPF_REG_3, BPF_REG_1, 0, 0);
  }
  emit(w, BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_3, 0, 0, 32);
}

void program_socket_field(struct writer *w, const char *name) {
  bool remote = strcmp(name, "remote") == 0, data = strcmp(name, "data") == 0;
  if (strcmp(name, "bytes") == 0) {
    load_field(w, BPF_REG_3, "ret");
  } else if (remote || data || strcmp(name, "local") == 0) {
    load(w, BPF_REG_3, FRAME, data ? KEPT_ARGUMENT + 8 * KEPT_DATA : remote ? REMOTE : LOCAL, 8);
    if (remote || data) /* 0: it is not known */
      vector_push(&w->failures, jump_if(w, BPF_JEQ, BPF_REG_3, 0));
  } else {
    load_position(w, strcmp(name, "begins") == 0);
  }
}
