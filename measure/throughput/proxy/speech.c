/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/throughput/proxy/speech_inside.h"

#include <stdlib.h>
#include <string.h>

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
_Static_assert(sizeof preface - 1 == SPEECH_OPENING, "what an opening holds");

const char *speech_name(enum speech_kind kind) {
  static const char *const names[SPEECH_KINDS] = {"nothing", "turns",  "RESP",        "PostgreSQL",
                                                  "MySQL",   "HTTP/2", "turns of TLS"};
  return kind < SPEECH_KINDS ? names[kind] : "?";
}

void speech_init(struct speech *speech, const struct speech_calls *calls) {
  *speech = (struct speech){.calls = calls};
}

/* --- requests that are open --------------------------------------------------------------------
 */

static void end_at(struct speech *speech, size_t place, uint64_t at_ns, enum speech_end end) {
  struct speech_open one = speech->open[place];
  size_t behind = speech->first + speech->count - place - 1;
  if (place == speech->first)
    speech->first++;
  else
    memmove(&speech->open[place], &speech->open[place + 1], behind * sizeof *speech->open);
  speech->count--;
  speech->last_ns = at_ns;
  if (speech->calls->ended != NULL)
    speech->calls->ended(speech->calls->of, one.began_ns, at_ns, end);
}

void speech_end(struct speech *speech, uint64_t at_ns, enum speech_end end) {
  if (speech->count > 0)
    end_at(speech, speech->first, at_ns, end);
}

void speech_end_stream(struct speech *speech, uint32_t stream, uint64_t at_ns,
                       enum speech_end end) {
  for (size_t i = speech->first; i < speech->first + speech->count; i++)
    if (speech->open[i].stream == stream) {
      end_at(speech, i, at_ns, end);
      return;
    }
}

/* A place behind the last; false: no memory. */
static bool make_room(struct speech *speech) {
  if (speech->first + speech->count < speech->room)
    return true;
  if (speech->first > speech->room / 2) {
    memmove(speech->open, &speech->open[speech->first], speech->count * sizeof *speech->open);
    speech->first = 0;
    return true;
  }
  size_t room = speech->room == 0 ? 4 : 2 * speech->room;
  struct speech_open *more = realloc(speech->open, room * sizeof *more);
  if (more == NULL)
    return false;
  speech->open = more;
  speech->room = room;
  return true;
}

/* One that cannot be kept is not counted at all. */
void speech_begin(struct speech *speech, uint32_t stream, uint64_t at_ns) {
  if (speech->count == SPEECH_OPEN_MOST)
    speech_end(speech, at_ns, SPEECH_CUT);
  if (!make_room(speech))
    return;
  speech->open[speech->first + speech->count++] =
      (struct speech_open){.began_ns = at_ns, .stream = stream};
  if (speech->calls->begun != NULL)
    speech->calls->begun(speech->calls->of, at_ns);
}

void speech_cut(struct speech *speech, uint64_t at_ns) {
  while (speech->count > 0)
    speech_end(speech, at_ns, SPEECH_CUT);
}

void speech_close(struct speech *speech, uint64_t at_ns) {
  speech_cut(speech, at_ns);
  free(speech->open);
  speech->open = NULL;
  speech->first = speech->room = 0;
}

/* --- messages ----------------------------------------------------------------------------------
 */

void frames_next(struct speech_frames *frames, size_t head) {
  *frames = (struct speech_frames){.head = head};
}

size_t frames_take(struct speech_frames *frames, const char *bytes, size_t size) {
  bool headed = frames_headed(frames);
  uint64_t wanted = headed ? frames->left : frames->head - frames->have;
  size_t taken = size < wanted ? size : (size_t)wanted;
  size_t kept = SPEECH_KEPT - frames->have < taken ? SPEECH_KEPT - frames->have : taken;
  memcpy(frames->kept + frames->have, bytes, kept);
  frames->have += kept;
  if (headed)
    frames->left -= taken;
  return taken;
}

/* --- by turns ----------------------------------------------------------------------------------
 */

void speech_mistaken(struct speech *speech) {
  speech->kind = SPEECH_TURNS;
  speech->answered = speech->count == 0;
}

static void turns_client(struct speech *speech, uint64_t at_ns) {
  if (speech->answered || speech->count == 0)
    speech_begin(speech, 0, at_ns);
  speech->answered = false;
}

static void turns_server(struct speech *speech, uint64_t at_ns) {
  bool more = speech->count == 0 && speech->answered && speech->last_ns != 0;
  uint64_t before_ns = speech->last_ns;
  while (speech->count > 0)
    speech_end(speech, at_ns, SPEECH_SERVED);
  speech->answered = true;
  if (!more)
    return;
  speech->last_ns = at_ns;
  if (speech->calls->extended != NULL && at_ns > before_ns)
    speech->calls->extended(speech->calls->of, before_ns, at_ns);
}

/* --- RESP --------------------------------------------------------------------------------------
 */

static size_t resp_client(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns) {
  size_t taken;
  switch (resp_take(&speech->commands, bytes, size, &taken)) {
  case RESP_PART:
    return size;
  case RESP_GOOD:
    speech_begin(speech, 0, at_ns);
    return taken;
  default:
    speech_mistaken(speech);
    return 0;
  }
}

/* Whether it is the server that is to blame, and not the command. */
static bool resp_overloaded(const char *word) {
  static const char *const words[] = {"OOM ",      "LOADING ", "BUSY ",       "MASTERDOWN ",
                                      "MISCONF ",  "TRYAGAIN", "CLUSTERDOWN", "NOREPLICAS",
                                      "READONLY ", "ERR max n"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strncmp(word, words[i], strlen(words[i])) == 0)
      return true;
  return false;
}

static size_t resp_server(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns) {
  size_t taken;
  switch (resp_take(&speech->answers, bytes, size, &taken)) {
  case RESP_PART:
    return size;
  case RESP_PUSH:
    return taken;
  case RESP_GOOD:
    speech_end(speech, at_ns, SPEECH_SERVED);
    return taken;
  case RESP_ERROR:
    speech_end(speech, at_ns,
               resp_overloaded(speech->answers.word) ? SPEECH_FAILED : SPEECH_SERVED);
    return taken;
  default:
    speech_mistaken(speech);
    return 0;
  }
}

/* --- which protocol ----------------------------------------------------------------------------
 */

static enum speech_kind first_of_postgres(const uint8_t *opening, size_t said) {
  if (said < 8)
    return SPEECH_UNKNOWN;
  uint32_t length = big_endian(opening, 4), code = big_endian(opening + 4, 4);
  bool asks = code >= 80877102 && code <= 80877104; /* to cancel, for TLS, for GSSAPI */
  return length >= 8 && length < 65536 && (asks || code >> 16 == 3) ? SPEECH_POSTGRES
                                                                    : SPEECH_TURNS;
}

/* By what the client has said; UNKNOWN: more is needed. */
static enum speech_kind kind_by_client(const uint8_t *opening, size_t said) {
  if (opening[0] == 0)
    return first_of_postgres(opening, said);
  if (opening[0] == '*' || opening[0] == 0x16) {
    if (said < 2)
      return SPEECH_UNKNOWN;
    bool digit = opening[1] >= '0' && opening[1] <= '9';
    return opening[0] == '*' ? (digit ? SPEECH_RESP : SPEECH_TURNS)
                             : (opening[1] == 3 ? SPEECH_TLS : SPEECH_TURNS);
  }
  if (memcmp(opening, preface, said) != 0)
    return SPEECH_TURNS;
  return said == SPEECH_OPENING ? SPEECH_HTTP2 : SPEECH_UNKNOWN;
}

/* By a greeting of the server. */
static enum speech_kind kind_by_server(const uint8_t *opening, size_t said) {
  if (said < 5)
    return SPEECH_UNKNOWN;
  return opening[1] == 0 && opening[2] == 0 && opening[3] == 0 && opening[4] == 10 ? SPEECH_MYSQL
                                                                                   : SPEECH_TURNS;
}

static void settle(struct speech *speech, enum speech_kind kind) {
  speech->kind = kind;
  speech->answered = true;
  if (kind == SPEECH_POSTGRES)
    postgres_start(speech);
  else if (kind == SPEECH_MYSQL)
    mysql_start(speech);
  else if (kind == SPEECH_HTTP2)
    http2_start(speech);
}

static size_t take(struct speech *speech, bool client, const char *bytes, size_t size,
                   uint64_t at_ns) {
  switch (speech->kind) {
  case SPEECH_RESP:
    return (client ? resp_client : resp_server)(speech, bytes, size, at_ns);
  case SPEECH_POSTGRES:
    return (client ? postgres_client : postgres_server)(speech, bytes, size, at_ns);
  case SPEECH_MYSQL:
    return (client ? mysql_client : mysql_server)(speech, bytes, size, at_ns);
  case SPEECH_HTTP2:
    return (client ? http2_client : http2_server)(speech, bytes, size, at_ns);
  default:
    (client ? turns_client : turns_server)(speech, at_ns);
    return size;
  }
}

static void take_all(struct speech *speech, bool client, const char *bytes, size_t size,
                     uint64_t at_ns) {
  while (size > 0) {
    size_t taken = take(speech, client, bytes, size, at_ns);
    bytes += taken;
    size -= taken;
  }
}

/* What was said before it was known how. */
static void take_opening(struct speech *speech, uint64_t at_ns) {
  size_t said = speech->said, from = speech->kind == SPEECH_HTTP2 ? said : 0;
  char opening[SPEECH_OPENING];
  memcpy(opening, speech->opening, said);
  speech->said = 0;
  take_all(speech, !speech->by_server, opening + from, said - from, at_ns);
}

/* Bytes of a beginning; how many. */
static size_t open_speech(struct speech *speech, bool client, const char *bytes, size_t size,
                          uint64_t at_ns) {
  if (speech->said > 0 && speech->by_server == client) { /* the other side answers already */
    settle(speech, SPEECH_TURNS);
    take_opening(speech, at_ns);
    return 0;
  }
  size_t taken = 0;
  speech->by_server = !client;
  while (taken < size && speech->kind == SPEECH_UNKNOWN) {
    speech->opening[speech->said++] = (uint8_t)bytes[taken++];
    enum speech_kind kind =
        (client ? kind_by_client : kind_by_server)(speech->opening, speech->said);
    if (kind != SPEECH_UNKNOWN) {
      settle(speech, kind);
      take_opening(speech, at_ns);
    }
  }
  return taken;
}

static void hear(struct speech *speech, bool client, const char *bytes, size_t size,
                 uint64_t at_ns) {
  while (size > 0 && speech->kind == SPEECH_UNKNOWN) {
    size_t taken = open_speech(speech, client, bytes, size, at_ns);
    bytes += taken;
    size -= taken;
  }
  take_all(speech, client, bytes, size, at_ns);
}

void speech_client(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns) {
  hear(speech, true, bytes, size, at_ns);
}

void speech_server(struct speech *speech, const char *bytes, size_t size, uint64_t at_ns) {
  hear(speech, false, bytes, size, at_ns);
}
