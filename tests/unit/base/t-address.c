/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Addresses and key files of pausers: what is taken, and what is said of the rest.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/throughput/poker/key.h"
#include "base/address.h"

static void places(void **state) {
  (void)state;
  static const struct {
    const char *text, *host; /* NULL: refused */
    uint16_t least, port;
  } rows[] = {
      {"127.0.0.1:7000", "127.0.0.1", 1, 7000},
      {"cart:1", "cart", 1, 1},
      {"[::1]:65535", "::1", 1, 65535},
      {"[fe80::1%eth0]:80", "fe80::1%eth0", 1, 80},
      {"cart:0", "cart", 0, 0},
      {"cart:0", NULL, 1, 0},
      {"cart:65536", NULL, 1, 0},
      {"cart:99999", NULL, 1, 0},
      {"cart:070000", NULL, 1, 0},
      {"cart:", NULL, 0, 0},
      {"cart", NULL, 0, 0},
      {":80", NULL, 0, 0},
      {"", NULL, 0, 0},
      {":", NULL, 0, 0},
      {"[]:80", NULL, 0, 0},
      {"::1:80", NULL, 0, 0},
      {"cart:-1", NULL, 0, 0},
      {"cart:8o", NULL, 0, 0},
      {"cart:+8", NULL, 0, 0},
      {"ca rt:80", NULL, 0, 0},
      {"cart:80 ", NULL, 0, 0},
      {"cart\n:80", NULL, 0, 0},
      {"c\xc3\xa4rt:80", NULL, 0, 0},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:8",
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0, 8},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:8", NULL, 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct address place;
    bool good = address_read(&place, rows[i].text, rows[i].least);
    if (good != (rows[i].host != NULL))
      print_error("\"%s\"\n", rows[i].text);
    assert_int_equal(good, rows[i].host != NULL);
    if (good) {
      assert_string_equal(place.host, rows[i].host);
      assert_int_equal(place.port, rows[i].port);
    }
  }
}

static void printed(void **state) {
  (void)state;
  struct sockaddr_in v4 = {.sin_family = AF_INET};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
  struct sockaddr other = {.sa_family = AF_UNIX};
  char text[ADDRESS_TEXT];
  inet_pton(AF_INET, "127.3.2.1", &v4.sin_addr);
  address_set_port((struct sockaddr *)&v4, 80);
  address_print(text, (struct sockaddr *)&v4);
  assert_string_equal(text, "127.3.2.1:80");
  assert_true(address_is_loopback((struct sockaddr *)&v4));
  inet_pton(AF_INET, "128.0.0.1", &v4.sin_addr);
  assert_false(address_is_loopback((struct sockaddr *)&v4));
  static const char *const near[] = {"::1", "::ffff:127.0.0.1"}, *const far[] = {"::", "::2",
                                                                                 "::ffff:8.8.8.8"};
  for (size_t i = 0; i < 2; i++) {
    inet_pton(AF_INET6, near[i], &v6.sin6_addr);
    assert_true(address_is_loopback((struct sockaddr *)&v6));
  }
  for (size_t i = 0; i < 3; i++) {
    inet_pton(AF_INET6, far[i], &v6.sin6_addr);
    assert_false(address_is_loopback((struct sockaddr *)&v6));
  }
  inet_pton(AF_INET6, "::1", &v6.sin6_addr);
  address_set_port((struct sockaddr *)&v6, 65535);
  address_print(text, (struct sockaddr *)&v6);
  assert_string_equal(text, "[::1]:65535");
  address_print(text, &other);
  assert_string_equal(text, "?");
  assert_false(address_is_loopback(&other));
}

/* --- keys --- */

static char path[] = "/tmp/tailproof-key-XXXXXX";

static void write_key(const void *bytes, size_t size, mode_t mode) {
  int descriptor = open(path, O_WRONLY | O_TRUNC);
  assert_true(descriptor >= 0);
  assert_int_equal(write(descriptor, bytes, size), size);
  assert_int_equal(fchmod(descriptor, mode), 0);
  close(descriptor);
}

static void refused(int error, const char *part) {
  struct poker_key key;
  char message[KEY_MESSAGE];
  key.size = 99;
  assert_int_equal(key_read(&key, path, message), error);
  assert_int_equal(key.size, 0);
  assert_ptr_not_equal(strstr(message, path), NULL);
  if (strstr(message, part) == NULL)
    print_error("%s\n", message);
  assert_ptr_not_equal(strstr(message, part), NULL);
  assert_ptr_equal(strchr(message, '\n'), NULL);
}

static void keys(void **state) {
  (void)state;
  static char bytes[KEY_MOST + 2];
  struct poker_key key;
  char message[KEY_MESSAGE];
  memset(bytes, 'k', sizeof bytes);
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  refused(EBADMSG, "a key of 0 bytes");
  write_key("fifteen bytes..", 15, 0600);
  refused(EBADMSG, "a key of 15 bytes; at least 16");
  write_key("fifteen bytes..\n\n\n", 18, 0600); /* line ends do not count */
  refused(EBADMSG, "a key of 15 bytes; at least 16");
  write_key("sixteen bytes...\r\n", 18, 0400);
  assert_int_equal(key_read(&key, path, message), 0);
  assert_int_equal(key.size, 16);
  assert_memory_equal(key.bytes, "sixteen bytes...", 16);
  for (mode_t bit = 1; bit <= 040; bit *= 2) {
    assert_int_equal(chmod(path, 0600 | bit), 0);
    refused(EBADMSG, "chmod 600");
  }
  write_key(bytes, KEY_MOST, 0600);
  assert_int_equal(key_read(&key, path, message), 0);
  assert_int_equal(key.size, KEY_MOST);
  write_key(bytes, KEY_MOST + 1, 0600);
  refused(EBADMSG, "longer than 4096");
  unlink(path);
  refused(ENOENT, "No such file");
  assert_int_equal(mkdir(path, 0700), 0);
  refused(EISDIR, "directory");
  rmdir(path);
  assert_int_equal(mkfifo(path, 0600), 0); /* and does not wait for a writer */
  refused(ENODEV, "not a file");
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places),
      cmocka_unit_test(printed),
      cmocka_unit_test(keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
