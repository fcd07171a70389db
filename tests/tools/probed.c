/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What probes from outside are tried on: probed CALLS PAUSE_US [fork | exec PROGRAM]. Calls a
 * function and writes a byte to /dev/null so often, with a pause behind each; then prints the sum
 * of what was returned and how many system calls were interrupted. In the middle it starts a child
 * that does the rest as well, or becomes another program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct order {
  uint64_t id;
  uint32_t size, kind;
  const char *key;
};

long serve_order(const struct order *order, int two, const char *text, long length, int five,
                 int six, long seven);

__attribute__((noinline)) long serve_order(const struct order *order, int two, const char *text,
                                           long length, int five, int six, long seven) {
  __asm__ volatile("" : : "r"(two), "r"(text), "r"(length), "r"(five), "r"(six) : "memory");
  return (long)order->id * 2 - seven;
}

static void half_way(char **arguments) {
  if (arguments[0] == NULL)
    return;
  while (access("go", F_OK) != 0)
    usleep(10000);
  if (strcmp(arguments[0], "fork") == 0)
    fork();
  if (strcmp(arguments[0], "exec") == 0 && arguments[1] != NULL)
    execl(arguments[1], arguments[1], "1000", (char *)NULL);
}

int main(int argc, char **argv) {
  long sum = 0, interrupted = 0;
  long calls = argc > 1 ? atol(argv[1]) : 0, pause_us = argc > 2 ? atol(argv[2]) : 0;
  int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (long i = 0; i < calls; i++) {
    char key[32];
    snprintf(key, sizeof key, "key-%ld", i);
    struct order order = {(uint64_t)i, 16, 0x01020304, key};
    sum += serve_order(&order, -3, "hello world", 5, 5, 6, 1);
    if (write(nothing, "x", 1) < 0 || (pause_us != 0 && usleep((unsigned)pause_us) != 0))
      interrupted++;
    if (argc > 3 && i == calls / 2)
      half_way(argv + 3);
  }
  printf("%ld %ld\n", sum, interrupted);
  fflush(stdout);
  while (wait(NULL) > 0)
    ;
  return 0;
}
