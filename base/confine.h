/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a program that reads somebody else's input is kept from doing, whatever that input makes it do. A second lock:
 * what the kernel does not offer is left out, and the caller may ask.
 */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

/* Bits of what confine_thread took away. */
enum {
  CONFINED_FILES =
      1, /* no file is made, opened for writing, emptied, renamed or removed, but /dev/null is written;
                           needs Landlock (Linux 5.13; that a file that may be read is emptied by truncate(2): 6.2) */
  CONFINED_NETWORK = 2, /* no socket is made; needs seccomp, and x86-64, aarch64 or riscv64 */
};

/* Takes both away from the calling thread, for good, and from all processes and threads that it starts from then on, as is
 * to gain rights by exec (PR_SET_NO_NEW_PRIVS). What is open stays open. Other threads keep what they have. Returns the bits
 * of what was taken away. */
int confine_thread(void);

#endif
