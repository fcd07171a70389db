/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether an image switches stacks (bystanders.h), told by the names of functions that it calls or
 * brings along.
 */
#include <gelf.h>
#include <string.h>

#include "measure/outside/bystanders.h"
#include "measure/profile/image.h"

/* That a program calls in a library; there they stand in every process. */
static const char *const called[] = {"swapcontext", "setcontext", "makecontext"};
static const char *const of_signals[] = {"sigaltstack"};

/* By which a program, or a library, has exceptions, in C++, Rust, Ada: called or brought along. */
static const char *const of_exceptions[] = {
    "__cxa_throw",          "__cxa_rethrow",       "_Unwind_Resume",       "_Unwind_RaiseException",
    "__gxx_personality_v0", "rust_eh_personality", "__gnat_personality_v0"};

enum sought { WANTED_SWITCHES, WANTED_SIGNALS, WANTED_EXCEPTIONS };

/* Whose use of such functions does not count: OpenSSL switches stacks for the asynchronous jobs of a
 * few programs alone, and is in most; Python's stack is that of its fault handler. */
static const char *const excused[] = {"ASYNC_start_job", "PyErr_SetInterrupt"};

/* That a program brings along. A name that ends in '*' is the beginning of one. */
static const char *const defined[] = {
    "jump_fcontext",       "make_fcontext",       "bthread_jump_fcontext",
    "coroutine_transfer",  "co_switch",           "aco_*",
    "qemu_coroutine_*",    "zend_fiber_switch_*", "caml_perform",
    "caml_runstack",       "coro_transfer",       "libucontext_swapcontext",
    "_st_vp_schedule",     "minicoro_*",          "_mco_switch",
    "slp_switch",          "PyGreenlet_Switch",   "ACE_coroutine_*",
    "pth_mctx_switch",     "lthread_*",           "tb_context_jump",
    "photon_switch_*",     "_photon_switch_*",    "boost_context_*",
    "stack_switch_thread", "rust_psm_on_stack",   "rust_psm_replace_stack"};

static const char *find(const char *const *names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    size_t length = strcspn(names[i], "*@");
    if (strncmp(name, names[i], length) == 0 &&
        (names[i][length] == '*' || name[length] == '\0' || name[length] == '@'))
      return name;
  }
  return NULL;
}

/* The function of a table of symbols; *excuse is set where the file is one whose use does not count.
 */
static const char *look(const struct image *image, Elf_Scn *section, const GElf_Shdr *header,
                        enum sought wanted, bool *excuse) {
  Elf_Data *data = elf_getdata(section, NULL);
  size_t count = data == NULL || header->sh_entsize == 0 ? 0 : data->d_size / header->sh_entsize;
  const char *found = NULL;
  for (size_t i = 0; i < count; i++) {
    GElf_Sym symbol;
    const char *use = NULL;
    if (gelf_getsym(data, (int)i, &symbol) == NULL)
      return NULL;
    const char *name = elf_strptr(image->elf, header->sh_link, symbol.st_name);
    if (name == NULL)
      continue;
    bool undefined = symbol.st_shndx == SHN_UNDEF;
    if (wanted == WANTED_EXCEPTIONS)
      use = find(of_exceptions, sizeof of_exceptions / sizeof *of_exceptions, name);
    else if (wanted == WANTED_SIGNALS)
      use = undefined ? find(of_signals, 1, name) : NULL;
    else if (undefined)
      use = find(called, sizeof called / sizeof *called, name);
    else
      use = find(defined, sizeof defined / sizeof *defined, name);
    *excuse = *excuse || (wanted != WANTED_EXCEPTIONS && !undefined &&
                          find(excused, sizeof excused / sizeof *excused, name));
    found = found == NULL ? use : found;
  }
  return found;
}

static const char *look_all(const struct image *image, enum sought wanted) {
  const char *found = NULL;
  bool excuse = false;
  for (Elf_Scn *section = NULL;
       found == NULL && (section = elf_nextscn(image->elf, section)) != NULL;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != NULL &&
        (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
      found = look(image, section, &header, wanted, &excuse);
  }
  return excuse ? NULL : found;
}

const char *stacks_switched_by(const struct image *image) {
  return look_all(image, WANTED_SWITCHES);
}

bool stacks_for_signals(const struct image *image) {
  return look_all(image, WANTED_SIGNALS) != NULL;
}

const char *exceptions_by(const struct image *image) {
  return look_all(image, WANTED_EXCEPTIONS);
}
