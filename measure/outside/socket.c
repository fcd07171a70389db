/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/socket.h"

#include <bpf/btf.h>
#include <string.h>

bool socket_has(const char *field) {
  static const char *const fields[] = {"bytes", "local", "remote", "begins", "ends"};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (strcmp(fields[i], field) == 0)
      return true;
  return false;
}

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

/* A struct tcp_sock begins with a struct sock, and that with a struct sock_common. */
static bool find(struct socket_layout *layout, const struct btf *btf, bool receives) {
  return member_of(&layout->local, btf, "sock_common", "skc_num") &&
         member_of(&layout->remote, btf, "sock_common", "skc_dport") &&
         member_of(&layout->position, btf, "tcp_sock", receives ? "copied_seq" : "write_seq");
}

enum status socket_find(struct socket_layout *layout, bool receives, struct text *message) {
  *layout = (struct socket_layout){0};
  struct btf *btf = btf__load_vmlinux_btf();
  bool found = btf != NULL && find(layout, btf, receives);
  btf__free(btf);
  if (found)
    return STATUS_OK;
  text_append(message, "this kernel does not describe its sockets (CONFIG_DEBUG_INFO_BTF, "
                       "/sys/kernel/btf/vmlinux); probe the system calls instead, as in "
                       "{syscall: sendto}");
  return STATUS_UNAVAILABLE;
}
