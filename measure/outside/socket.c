/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/socket.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

#include "measure/outside/tracefs.h"

/* --- structures --- */

/* Where a member is in a structure or union, also within members without a name. */
static bool offset_in(unsigned *offset, const struct btf *btf, uint32_t type, const char *name) {
  const struct btf_type *whole = btf__type_by_id(btf, type);
  const struct btf_member *member = btf_members(whole);
  for (uint32_t i = 0; i < btf_vlen(whole); i++, member++) {
    const char *own = btf__name_by_offset(btf, member->name_off);
    const struct btf_type *inner = btf__type_by_id(btf, member->type);
    *offset = btf_member_bit_offset(whole, i) / 8;
    if (strcmp(own, name) == 0)
      return true;
    unsigned within;
    if (own[0] == '\0' && btf_is_composite(inner) && offset_in(&within, btf, member->type, name)) {
      *offset += within;
      return true;
    }
  }
  return false;
}

static bool member_of(unsigned *offset, const struct btf *btf, const char *structure,
                      const char *name) {
  int type = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);
  return type > 0 && offset_in(offset, btf, (uint32_t)type, name);
}

/* A struct tcp_sock begins with a struct sock, and that with a struct sock_common; so does a struct
 * unix_sock. */
static bool find(struct socket_layout *layout, const struct btf *btf,
                 const struct outside_site *site) {
  bool receives = site->kind == SITE_SOCKET_RECEIVE;
  unsigned name, path;
  if (site->socket == SOCKET_UNIX) {
    bool found = member_of(&layout->peer, btf, "unix_sock", "peer") &&
                 member_of(&layout->address, btf, "unix_sock", "addr") &&
                 member_of(&layout->length, btf, "unix_address", "len") &&
                 member_of(&name, btf, "unix_address", "name") &&
                 member_of(&path, btf, "sockaddr_un", "sun_path");
    layout->path = found ? name + path : 0;
    return found;
  }
  return member_of(&layout->local, btf, "sock_common", "skc_num") &&
         member_of(&layout->remote, btf, "sock_common", "skc_dport") &&
         (site->socket == SOCKET_UDP ||
          member_of(&layout->position, btf, "tcp_sock", receives ? "copied_seq" : "write_seq"));
}

enum status socket_find(struct socket_layout *layout, const struct outside_site *site,
                        struct text *message) {
  *layout = (struct socket_layout){0};
  struct btf *btf = btf__load_vmlinux_btf();
  bool found = btf != NULL && find(layout, btf, site);
  btf__free(btf);
  if (found)
    return STATUS_OK;
  text_append(message, "this kernel does not describe its sockets (CONFIG_DEBUG_INFO_BTF, "
                       "/sys/kernel/btf/vmlinux); probe the system calls instead, as in "
                       "{syscall: sendto}");
  return STATUS_UNAVAILABLE;
}

/* --- calls --- */

struct form_of_call {
  const char *name;
  enum call_form form;
};

/* All system calls of x86-64 that lead to a socket. */
static const struct form_of_call sending[] = {
    {"sendto", CALL_ADDRESSED},     {"sendmsg", CALL_MESSAGE},
    {"sendmmsg", CALL_MESSAGES},    {"write", CALL_BUFFER},
    {"writev", CALL_VECTOR},        {"pwritev2", CALL_VECTOR},
    {"sendfile64", CALL_ELSEWHERE}, {"splice", CALL_ELSEWHERE},
    {"io_submit", CALL_ELSEWHERE},  {"io_uring_enter", CALL_ELSEWHERE}};
static const struct form_of_call receiving[] = {
    {"recvfrom", CALL_BUFFER},     {"recvmsg", CALL_MESSAGE},  {"recvmmsg", CALL_MESSAGES},
    {"read", CALL_BUFFER},         {"readv", CALL_VECTOR},     {"preadv2", CALL_VECTOR},
    {"io_submit", CALL_ELSEWHERE}, {"splice", CALL_ELSEWHERE}, {"io_uring_enter", CALL_ELSEWHERE}};

bool socket_keeps_call(const struct outside_site *site) {
  return site->kind == SITE_SOCKET_SEND ||
         (site->kind == SITE_SOCKET_RECEIVE && (site->begun || site->data));
}

static bool add_call(begun_calls *calls, int events, const char *group, const char *name,
                     enum call_form form) {
  struct tracepoint tracepoint;
  struct text why = {0};
  bool found = tracepoint_find(&tracepoint, events, group, name, &why) == STATUS_OK;
  if (found)
    vector_push(calls, (struct begun_call){tracepoint.id, form});
  tracepoint_clear(&tracepoint);
  text_clear(&why);
  return found;
}

enum status socket_find_calls(begun_calls *calls, const struct outside_site *site, int events,
                              struct text *message) {
  bool sends = site->kind == SITE_SOCKET_SEND;
  if (sends && site->socket == SOCKET_TCP && !site->data &&
      add_call(calls, events, "tcp", "tcp_sendmsg_locked", CALL_TAKEN))
    return STATUS_OK;
  const struct form_of_call *list = sends ? sending : receiving;
  size_t count = sends ? sizeof sending / sizeof *sending : sizeof receiving / sizeof *receiving;
  bool first = true;
  for (size_t i = 0; i < count; i++) {
    char name[64];
    snprintf(name, sizeof name, "sys_enter_%s", list[i].name);
    bool found = add_call(calls, events, "syscalls", name, list[i].form);
    first = first && (found || i > 0);
  }
  if (first)
    return STATUS_OK;
  text_append(message, "this kernel does not say when system calls begin "
                       "(CONFIG_FTRACE_SYSCALLS); use another");
  return STATUS_UNAVAILABLE;
}
