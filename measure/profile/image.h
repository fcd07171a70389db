/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program or library as the loader sees it: which bytes of the file stand at which address, and
 * the build id that says which build it is.
 */
#ifndef MEASURE_PROFILE_IMAGE_H
#define MEASURE_PROFILE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

struct Elf;

struct image_segment {
  uint64_t offset, address, size;
  bool executable;
};

enum { IMAGE_BUILD_ID = 41 }; /* 20 bytes in hexadecimal and a NUL; longer ones are cut */

struct image {
  struct Elf *elf;               /* NULL: not open */
  int descriptor;                /* -1: in memory */
  char build_id[IMAGE_BUILD_ID]; /* "": none */
  VECTOR(struct image_segment) segments;
};

/* Takes a descriptor of a regular file, which it closes. False where it is no ELF file; the image
 * is then empty. */
bool image_open(struct image *image, int descriptor);
/* The same with the file's bytes as they are on disk, in memory of their own: the kernel puts the breakpoints of
 * probes into mappings of the file, this program's too. */
bool image_open_copy(struct image *image, int descriptor);
/* The same of the page that the kernel puts into every process, [vdso]. */
bool image_open_vdso(struct image *image);
void image_clear(struct image *image);

/* The address, as the file's symbols and tables give addresses, of a place in the file. */
bool image_address(const struct image *image, uint64_t offset, uint64_t *address);

/* The place in the file of an address; false where none of it is loaded there. */
bool image_offset(const struct image *image, uint64_t address, uint64_t *offset);

/* The bytes at an address, as the file has them; NULL where it has not so many there. */
const unsigned char *image_bytes(const struct image *image, uint64_t address, size_t size);

#endif
