/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/proxy/resp.h"

#include <string.h>

#define STRING_MOST (512LL << 20) /* what Redis allows in a string */
#define VALUES_MOST (1LL << 32)   /* of one answer */

/* The number behind the type; -1 stands for a value that is not there. */
static bool number_read(const struct resp_reader *reader, int64_t *number) {
  *number = 0;
  if (reader->length == 3 && memcmp(reader->line + 1, "-1", 2) == 0) {
    *number = -1;
    return true;
  }
  if (reader->length < 2 || reader->length > 12)
    return false;
  for (size_t i = 1; i < reader->length; i++) {
    if (reader->line[i] < '0' || reader->line[i] > '9')
      return false;
    *number = *number * 10 + (reader->line[i] - '0');
  }
  return true;
}

static void begin(struct resp_reader *reader, char type) {
  size_t size = reader->length < RESP_NUMBER ? reader->length : RESP_NUMBER;
  reader->begun = true;
  reader->left = 1;
  reader->error = type == '-' || type == '!';
  reader->push = type == '>';
  if (type != '-')
    return;
  memcpy(reader->word, reader->line + 1, size - 1);
  reader->word[size - 1] = '\0';
}

/* A whole line, without its end. false: no value begins so. */
static bool line_take(struct resp_reader *reader) {
  char type = reader->length == 0 ? '\0' : reader->line[0];
  int64_t number;
  if (!reader->begun)
    begin(reader, type);
  reader->left--;
  if (type != '\0' && strchr("+-:_#,(", type) != NULL)
    return true;
  if (type == '\0' || strchr("$!=*~>%|", type) == NULL || !number_read(reader, &number))
    return false;
  bool string = strchr("$!=", type) != NULL;
  if (string && number >= 0)
    reader->skip = (uint64_t)number + 2;
  else if (number > 0)
    reader->left += (uint64_t)number * (type == '%' || type == '|' ? 2 : 1);
  reader->left += type == '|'; /* attributes come before what they are about */
  return number <= (string ? STRING_MOST : VALUES_MOST) && reader->left <= VALUES_MOST;
}

/* One byte outside a string. */
static bool byte_take(struct resp_reader *reader, char byte) {
  if (reader->returned) {
    bool fine = byte == '\n' && line_take(reader);
    reader->returned = false;
    reader->length = 0;
    return fine;
  }
  if (byte == '\r') {
    reader->returned = true;
    return true;
  }
  if (reader->length < RESP_NUMBER)
    reader->line[reader->length] = byte;
  reader->length++;
  return byte != '\n' && reader->length <= RESP_LINE_MOST;
}

/* Bytes of a string and the end of line behind it. */
static bool string_take(struct resp_reader *reader, const char *bytes, size_t size, size_t *at) {
  if (reader->skip > 2) {
    uint64_t more = reader->skip - 2, here = size - *at;
    more = more < here ? more : here;
    reader->skip -= more;
    *at += (size_t)more;
    return true;
  }
  reader->skip--;
  return bytes[(*at)++] == (reader->skip == 1 ? '\r' : '\n');
}

enum resp_state resp_take(struct resp_reader *reader, const char *bytes, size_t size,
                          size_t *taken) {
  *taken = 0;
  while (*taken < size) {
    bool fine = reader->skip > 0 ? string_take(reader, bytes, size, taken)
                                 : byte_take(reader, bytes[(*taken)++]);
    if (!fine)
      return RESP_BROKEN;
    if (reader->begun && reader->left == 0 && reader->skip == 0) {
      enum resp_state state = reader->error ? RESP_ERROR : reader->push ? RESP_PUSH : RESP_GOOD;
      struct resp_reader next = {0};
      if (state == RESP_ERROR)
        memcpy(next.word, reader->word, sizeof next.word);
      *reader = next;
      return state;
    }
  }
  return RESP_PART;
}
