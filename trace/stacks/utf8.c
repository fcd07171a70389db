/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/utf8.h"

#include <stdbool.h>

/* The least character that may have so many bytes (RFC 3629). */
static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};

size_t utf8_length(struct slice text) {
  unsigned char first = (unsigned char)text.start[0];
  if (first < 0x80)
    return 1;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || length > text.length)
    return 0;
  unsigned character = first & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) {
    unsigned char byte = (unsigned char)text.start[i];
    if (byte >> 6 != 2)
      return 0;
    character = character << 6 | (byte & 0x3f);
  }
  bool surrogate = character >= 0xd800 && character < 0xe000;
  return character < least[length] || character > 0x10ffff || surrogate ? 0 : length;
}

void utf8_append(struct text *out, struct slice name) {
  while (name.length != 0) {
    size_t length = utf8_length(name), taken = length == 0 ? 1 : length;
    unsigned char first = (unsigned char)name.start[0];
    if (length == 0 || first < 0x20 || first == 0x7f ||
        (first == 0xc2 && (unsigned char)name.start[1] < 0xa0))
      text_append(out, "\xef\xbf\xbd");
    else
      text_append_bytes(out, name.start, length);
    name.start += taken;
    name.length -= taken;
  }
}
