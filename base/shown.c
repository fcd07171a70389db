/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/shown.h"

#include <string.h>

/* First and last, in order (Unicode 15: General_Category Cc, Zl, Zp, and Bidi_Control; of Cf those
 * without a glyph that names can hide in). */
static const uint32_t hidden[][2] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0xad, 0xad},
                                     {0x61c, 0x61c},   {0x180e, 0x180e},  {0x200b, 0x200f},
                                     {0x2028, 0x202e}, {0x2060, 0x206f},  {0xfeff, 0xfeff},
                                     {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

bool shown_never(uint32_t character) {
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
    if (character <= hidden[i][1])
      return character >= hidden[i][0];
  return false;
}

/* The least character that may have so many bytes (RFC 3629). */
static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

size_t shown_character(uint32_t *character, const char *bytes, size_t length) {
  unsigned char first = (unsigned char)bytes[0];
  *character = first;
  if (first < 0x80)
    return 1;
  size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || size > length)
    return 0;
  uint32_t read = first & (0x7fu >> size);
  for (size_t i = 1; i < size; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    if (byte >> 6 != 2)
      return 0;
    read = read << 6 | (byte & 0x3f);
  }
  *character = read;
  bool surrogate = read >= 0xd800 && read < 0xe000;
  return read < least[size] || read > 0x10ffff || surrogate ? 0 : size;
}

static bool is_plain(unsigned char byte) {
  return byte >= 0x20 && byte < 0x7f;
}

bool shown_is_clean(const char *bytes, size_t length) {
  for (size_t i = 0; i < length;) {
    uint32_t character;
    size_t size =
        is_plain((unsigned char)bytes[i]) ? 1 : shown_character(&character, bytes + i, length - i);
    if (size == 0 || (!is_plain((unsigned char)bytes[i]) && shown_never(character)))
      return false;
    i += size;
  }
  return true;
}

size_t shown_clean(char *bytes, size_t length, char instead, bool lines) {
  size_t kept = 0;
  for (size_t i = 0; i < length;) {
    if (is_plain((unsigned char)bytes[i]) || (lines && (bytes[i] == '\n' || bytes[i] == '\t'))) {
      bytes[kept++] = bytes[i++];
      continue;
    }
    uint32_t character;
    size_t size = shown_character(&character, bytes + i, length - i);
    if (size == 0 || shown_never(character)) {
      bytes[kept++] = instead;
    } else {
      memmove(bytes + kept, bytes + i, size);
      kept += size;
    }
    i += size == 0 ? 1 : size;
  }
  return kept;
}

void shown_clean_text(char *text, char instead) {
  text[shown_clean(text, strlen(text), instead, false)] = '\0';
}

void shown_append(struct text *out, const char *bytes, size_t length) {
  for (size_t i = 0; i < length;) {
    uint32_t character;
    size_t size = shown_character(&character, bytes + i, length - i);
    if (size == 0 || shown_never(character))
      text_append(out, "\xef\xbf\xbd");
    else
      text_append_bytes(out, bytes + i, size);
    i += size == 0 ? 1 : size;
  }
}
