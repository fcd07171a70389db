/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/load/tls.h"

#include "base/invariant.h"
#include "base/loaded.h"
#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                               \
  X(gnutls_init)                                                                                   \
  X(gnutls_deinit)                                                                                 \
  X(gnutls_bye)                                                                                    \
  X(gnutls_handshake)                                                                              \
  X(gnutls_record_recv)                                                                            \
  X(gnutls_record_send)                                                                            \
  X(gnutls_record_check_pending)                                                                   \
  X(gnutls_record_get_direction)                                                                   \
  X(gnutls_error_is_fatal)                                                                         \
  X(gnutls_strerror)                                                                               \
  X(gnutls_alert_get)                                                                              \
  X(gnutls_alert_get_name)                                                                         \
  X(gnutls_set_default_priority)                                                                   \
  X(gnutls_server_name_set)                                                                        \
  X(gnutls_alpn_set_protocols)                                                                     \
  X(gnutls_credentials_set)                                                                        \
  X(gnutls_certificate_allocate_credentials)                                                       \
  X(gnutls_certificate_free_credentials)                                                           \
  X(gnutls_certificate_set_x509_system_trust)                                                      \
  X(gnutls_certificate_set_x509_trust_file)                                                        \
  X(gnutls_session_set_verify_cert)                                                                \
  X(gnutls_session_get_verify_cert_status)                                                         \
  X(gnutls_transport_set_int2)

static struct {
  FUNCTIONS(LOADED_POINTER)
} tls; /* the library's functions, as they are in its header */

_Static_assert(sizeof GNUTLS_LIBRARY > 1, "the Makefile found no SONAME");

static const char *const names[] = {FUNCTIONS(LOADED_NAME)};
static struct loaded_library library = {GNUTLS_LIBRARY, &tls, names, sizeof names / sizeof *names,
                                        false};

struct tls_context {
  const struct tls_options *options;
  gnutls_certificate_credentials_t trusted;
};

struct tls_session {
  const struct tls_context *context;
  gnutls_session_t session;
  bool greeted;
  int error; /* of GnuTLS, that ended it; or 0 */
};

/* --- what all share ---------------------------------------------------------------------------
 */

static enum status trust(struct tls_context *context, struct text *message) {
  const struct tls_options *options = context->options;
  if (options->insecure)
    return STATUS_OK;
  if (options->ca == NULL) {
    int count = tls.gnutls_certificate_set_x509_system_trust(context->trusted);
    if (count > 0)
      return STATUS_OK;
    text_append(message, "this machine trusts no authority that signs certificates; install "
                         "ca-certificates, or name a file of them with --ca FILE");
    return STATUS_UNAVAILABLE;
  }
  if (access(options->ca, R_OK) != 0) {
    text_format(message, "--ca %s: %s", options->ca, strerror(errno));
    return STATUS_NO_INPUT;
  }
  int count = tls.gnutls_certificate_set_x509_trust_file(context->trusted, options->ca,
                                                         GNUTLS_X509_FMT_PEM);
  if (count > 0)
    return STATUS_OK;
  text_format(message, "--ca %s: holds no certificate in PEM", options->ca);
  return STATUS_DATA;
}

/* What the machine says of TLS (GnuTLS reads a file of its own) may be wrong, or leave nothing. */
static enum status check_settings(struct text *message) {
  gnutls_session_t session;
  if (tls.gnutls_init(&session, GNUTLS_CLIENT) != 0)
    bug("no memory for a session of TLS");
  int error = tls.gnutls_set_default_priority(session);
  tls.gnutls_deinit(session);
  if (error == 0)
    return STATUS_OK;
  text_format(message, "this machine's settings of TLS (/etc/gnutls/config) are refused: %s",
              tls.gnutls_strerror(error));
  return STATUS_UNAVAILABLE;
}

struct tls_context *tls_context_new(enum status *status, const struct tls_options *options,
                                    struct text *message) {
  *status = STATUS_UNAVAILABLE;
  if (!loaded_open(&library, message))
    return NULL;
  struct tls_context *context = mem_alloc(1, sizeof *context);
  context->options = options;
  if (tls.gnutls_certificate_allocate_credentials(&context->trusted) != 0)
    bug("no memory for certificates");
  *status = check_settings(message);
  if (*status == STATUS_OK)
    *status = trust(context, message);
  if (*status == STATUS_OK)
    return context;
  tls_context_free(context);
  return NULL;
}

void tls_context_free(struct tls_context *context) {
  if (context == NULL)
    return;
  tls.gnutls_certificate_free_credentials(context->trusted);
  mem_free(context);
}

/* --- a connection -----------------------------------------------------------------------------
 */

static bool is_number(const char *host) {
  struct in6_addr address;
  return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1;
}

struct tls_session *tls_session_new(struct tls_context *context, int descriptor) {
  const struct tls_options *options = context->options;
  struct tls_session *session = mem_alloc(1, sizeof *session);
  session->context = context;
  gnutls_datum_t protocol = {(unsigned char *)(uintptr_t)options->protocol,
                             (unsigned)strlen(options->protocol)};
  if (tls.gnutls_init(&session->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) != 0 ||
      tls.gnutls_set_default_priority(session->session) != 0 ||
      tls.gnutls_credentials_set(session->session, GNUTLS_CRD_CERTIFICATE, context->trusted) != 0 ||
      tls.gnutls_alpn_set_protocols(session->session, &protocol, 1, 0) != 0)
    bug("a session of TLS cannot be begun");
  /* a name of the server, by which it chooses a certificate: addresses are none (RFC 6066) */
  if (!is_number(options->host))
    tls.gnutls_server_name_set(session->session, GNUTLS_NAME_DNS, options->host,
                               strlen(options->host));
  if (!options->insecure)
    tls.gnutls_session_set_verify_cert(session->session, options->host, 0);
  tls.gnutls_transport_set_int2(session->session, descriptor, descriptor);
  return session;
}

void tls_session_free(struct tls_session *session) {
  if (session == NULL)
    return;
  if (session->greeted)
    tls.gnutls_bye(session->session, GNUTLS_SHUT_WR);
  tls.gnutls_deinit(session->session);
  mem_free(session);
}

/* All that is wrong with the certificate, "has expired and is of another name". */
static void put_wrong(char *why, size_t size, unsigned status) {
  static const struct {
    unsigned bit;
    const char *what;
  } all[] = {{GNUTLS_CERT_EXPIRED, "has expired"},
             {GNUTLS_CERT_NOT_ACTIVATED, "is not valid yet"},
             {GNUTLS_CERT_REVOKED, "was revoked"},
             {GNUTLS_CERT_UNEXPECTED_OWNER, "is of another name"},
             {GNUTLS_CERT_SIGNER_NOT_FOUND, "is signed by nobody who is trusted here"},
             {GNUTLS_CERT_SIGNER_NOT_CA, "is signed by what is no authority"},
             {GNUTLS_CERT_INSECURE_ALGORITHM, "is signed in a way that is not safe any more"}};
  const char *and = "its certificate ";
  size_t length = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all && length < size; i++)
    if ((status & all[i].bit) != 0) {
      length += (size_t)snprintf(why + length, size - length, "%s%s", and, all[i].what);
      and = " and ";
    }
  if (length == 0)
    length = (size_t)snprintf(why, size, "its certificate does not pass");
  if (length < size)
    snprintf(why + length, size - length, "; %s--insecure takes any",
             (status & GNUTLS_CERT_SIGNER_NOT_FOUND) != 0
                 ? "--ca FILE names a file with who signed it, "
                 : "");
}

static void explain(const struct tls_session *session, int error, char *why, size_t size) {
  if (error == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR)
    put_wrong(why, size, tls.gnutls_session_get_verify_cert_status(session->session));
  else if (error == GNUTLS_E_FATAL_ALERT_RECEIVED)
    snprintf(why, size, "the server ends the connection: %s",
             tls.gnutls_alert_get_name(tls.gnutls_alert_get(session->session)));
  else if (error == GNUTLS_E_UNEXPECTED_PACKET_LENGTH || error == GNUTLS_E_UNEXPECTED_PACKET ||
           error == GNUTLS_E_UNSUPPORTED_VERSION_PACKET)
    snprintf(why, size, "what answers speaks no TLS; is it http://?");
  else
    snprintf(why, size, "the TLS handshake fails: %s", tls.gnutls_strerror(error));
}

enum tls_step tls_handshake(struct tls_session *session, char *why, size_t size) {
  int result;
  do
    result = tls.gnutls_handshake(session->session);
  while (result == GNUTLS_E_INTERRUPTED || result == GNUTLS_E_WARNING_ALERT_RECEIVED);
  session->greeted = result == GNUTLS_E_SUCCESS;
  if (session->greeted)
    return TLS_DONE;
  if (result == GNUTLS_E_AGAIN)
    return tls.gnutls_record_get_direction(session->session) == 0 ? TLS_READS : TLS_WRITES;
  explain(session, result, why, size);
  return TLS_FAILED;
}

/* What is not fatal, such as a ticket for a later session, brings no bytes. */
static ssize_t as_errno(struct tls_session *session, ssize_t result) {
  if (result >= 0)
    return result;
  bool ended = tls.gnutls_error_is_fatal((int)result) != 0;
  if (ended)
    session->error = (int)result;
  errno = ended ? ECONNRESET : EAGAIN;
  return -1;
}

ssize_t tls_receive(struct tls_session *session, void *bytes, size_t size) {
  return as_errno(session, tls.gnutls_record_recv(session->session, bytes, size));
}

ssize_t tls_send(struct tls_session *session, const void *bytes, size_t size) {
  return as_errno(session, tls.gnutls_record_send(session->session, bytes, size));
}

bool tls_has_more(const struct tls_session *session) {
  return tls.gnutls_record_check_pending(session->session) > 0;
}

bool tls_was_ended(const struct tls_session *session, char *why, size_t size) {
  bool ended = session->error == GNUTLS_E_FATAL_ALERT_RECEIVED;
  if (ended)
    explain(session, session->error, why, size);
  return ended;
}
