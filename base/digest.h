/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SHA-256 of bytes. base/digest.c is the only file that knows the library.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

enum { DIGEST_LENGTH = 64 }; /* characters */

/* Writes 64 lower-case hexadecimal digits and a NUL. */
void digest_bytes(char digest[DIGEST_LENGTH + 1], const void *bytes, size_t length);

/* The same of what a file holds, as it is (gzip is not expanded), of any size. STATUS_NO_INPUT with
 * one line in `message`, which names the file: it cannot be read, or is no regular file. */
enum status digest_file(char digest[DIGEST_LENGTH + 1], const char *path, struct text *message);

#endif
