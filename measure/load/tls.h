/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TLS on the connections of a client, by GnuTLS, which is loaded when the first address asks for
 * it. Nothing blocks: all of it waits as the descriptor does.
 *
 * The server's certificate is checked against the authorities that this machine trusts, or those of
 * a file, and against the name that was asked for, unless the user says otherwise. Every handshake
 * is a whole one: no session resumes another.
 */
#ifndef MEASURE_LOAD_TLS_H
#define MEASURE_LOAD_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"
#include "base/text.h"

struct tls_options {
  const char *host;     /* a name or an address, whose certificate it is to be */
  const char *ca;       /* a file of certificates (PEM) that are trusted; NULL: the machine's */
  bool insecure;        /* any certificate will do */
  const char *protocol; /* the one that is spoken, in the words of ALPN: "http/1.1" */
};

struct tls_context; /* what all connections share */
struct tls_session; /* one of them */

/* NULL after a line in `message`: the library is missing (*status UNAVAILABLE), the file has no
 * certificate or cannot be read (NO_INPUT, DATA). The options outlive the context. */
struct tls_context *tls_context_new(enum status *status, const struct tls_options *options,
                                    struct text *message);
void tls_context_free(struct tls_context *context);

/* For a connected socket that does not block. */
struct tls_session *tls_session_new(struct tls_context *context, int descriptor);
/* Says goodbye without waiting; the descriptor stays open. NULL is no session. */
void tls_session_free(struct tls_session *session);

enum tls_step {
  TLS_DONE,   /* both ends know each other */
  TLS_READS,  /* go on when there is something to read ... */
  TLS_WRITES, /* ... or space to write */
  TLS_FAILED
};

/* Goes on with the handshake. On TLS_FAILED `why`, of `size` bytes, has a clause with the remedy, if
 * there is one: "its certificate has expired; ...". */
enum tls_step tls_handshake(struct tls_session *session, char *why, size_t size);

/* As recv(2) and send(2), with errno EAGAIN where one has to wait. 0 is the end that the other side
 * has announced; a connection that ends without is ECONNRESET. What was to be sent is given again
 * after EAGAIN. */
ssize_t tls_receive(struct tls_session *session, void *bytes, size_t size);
ssize_t tls_send(struct tls_session *session, const void *bytes, size_t size);

/* Whether the server has said why it ended the session, and if so a clause in `why`: it may want a
 * certificate of its clients. */
bool tls_was_ended(const struct tls_session *session, char *why, size_t size);

/* Whether tls_receive has something that no event of the descriptor announces any more. */
bool tls_has_more(const struct tls_session *session);

#endif
