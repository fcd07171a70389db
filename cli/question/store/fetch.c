/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/store/fetch.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/invariant.h"
#include "base/loaded.h"
#include "base/memory.h"

enum { TIMEOUT_MS = 30000 };

/* What becomes of it in memory is some ten times as large. */
#define ANSWER_BYTES_MAX ((size_t)32 << 20)

/* What a Prometheus server asks for; and any other form rather than none. */
static const char protobuf_type[] = "application/vnd.google.protobuf";
static const char accept_protobuf[] =
    "Accept: application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
    "encoding=delimited,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

#undef curl_easy_setopt /* macros that check types would hide the pointers */
#undef curl_easy_getinfo
#define FUNCTIONS(X)                                                                               \
  X(curl_easy_init)                                                                                \
  X(curl_easy_setopt)                                                                              \
  X(curl_easy_perform)                                                                             \
  X(curl_easy_getinfo)                                                                             \
  X(curl_easy_strerror)                                                                            \
  X(curl_easy_cleanup)                                                                             \
  X(curl_slist_append)                                                                             \
  X(curl_slist_free_all)

static struct {
  FUNCTIONS(LOADED_POINTER)
} curl; /* the library's functions, as they are in its header */

_Static_assert(sizeof CURL_LIBRARY > 1, "the Makefile found no SONAME");

static const char *const names[] = {FUNCTIONS(LOADED_NAME)};
static struct loaded_library library = {CURL_LIBRARY, &curl, names, sizeof names / sizeof *names,
                                        false};

struct answer_bytes {
  struct text text;
  bool too_large;
};

bool fetch_is_secure(const char *text) {
  return strncmp(text, "https://", 8) == 0;
}

bool fetch_is_address(const char *text) {
  return strncmp(text, "http://", 7) == 0 || fetch_is_secure(text);
}

bool fetch_is_unchecked(const char *address, const struct fetch_trust *trust) {
  return trust->insecure && fetch_is_secure(address);
}

char *fetch_name(const char *address) {
  struct text name;
  text_init(&name);
  const char *host = strstr(address, "://") + 3;
  size_t length = strcspn(host, "?#"), own = strcspn(host, "/?#");
  const char *behind = host;
  for (size_t i = 0; i < own; i++)
    if (host[i] == '@')
      behind = host + i + 1;
  text_append_bytes(&name, address, (size_t)(host - address));
  text_append_bytes(&name, behind, (size_t)(host + length - behind));
  return text_take(&name);
}

void fetch_put_parameter(struct text *address, const char *name, const char *value) {
  text_format(address, "%s=", name);
  for (const char *c = value; *c != '\0'; c++)
    if (isalnum((unsigned char)*c) || strchr("-_.~", *c) != NULL)
      text_append_bytes(address, c, 1);
    else
      text_format(address, "%%%02X", (unsigned char)*c);
}

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  struct answer_bytes *answer = context;
  answer->too_large = size * count > ANSWER_BYTES_MAX - answer->text.length;
  if (answer->too_large)
    return 0;
  text_append_bytes(&answer->text, bytes, size * count);
  return size * count;
}

static void set_up(CURL *handle, struct answer_bytes *answer, const char *address,
                   const struct fetch_options *options) {
  unsigned timeout_ms = options->timeout_ms;
  curl.curl_easy_setopt(handle, CURLOPT_URL, address);
  curl.curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl.curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl.curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "");
  curl.curl_easy_setopt(handle, CURLOPT_USERAGENT, "tailproof");
  curl.curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS,
                        (long)(timeout_ms == 0 ? TIMEOUT_MS : timeout_ms));
  if (options->trust.ca != NULL)
    curl.curl_easy_setopt(handle, CURLOPT_CAINFO, options->trust.ca);
  curl.curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, options->trust.insecure ? 0L : 1L);
  curl.curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, options->trust.insecure ? 0L : 2L);
  curl.curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take);
  curl.curl_easy_setopt(handle, CURLOPT_WRITEDATA, answer);
}

static enum status explain(CURLcode code, const struct answer_bytes *answer, const char *name,
                           struct text *message) {
  if (answer->too_large) {
    text_format(message,
                "%s: the answer is larger than %zu MiB; ask for fewer series or a larger --step",
                name, ANSWER_BYTES_MAX >> 20);
    return STATUS_DATA;
  }
  if (code == CURLE_OPERATION_TIMEDOUT)
    text_format(message,
                "%s: no whole answer in time; is it the right address? A larger --timeout waits "
                "longer",
                name);
  else
    text_format(
        message, "%s: cannot be fetched: %s%s", name, curl.curl_easy_strerror(code),
        code == CURLE_PEER_FAILED_VERIFICATION
            ? "; --ca FILE names a file with who signed its certificate, --insecure takes any"
            : "");
  return code == CURLE_PARTIAL_FILE ? STATUS_DATA : STATUS_NO_INPUT;
}

static bool is_protobuf(CURL *handle) {
  char *type = NULL;
  curl.curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type);
  return type != NULL && strncmp(type, protobuf_type, strlen(protobuf_type)) == 0;
}

/* Whether what came is data, or an explanation in JSON. */
static enum status judge(CURL *handle, const struct answer_bytes *answer, const char *name,
                         struct text *message) {
  long code = 0;
  char *location = NULL;
  bool text = !is_protobuf(handle);
  const char *start = text_get(&answer->text);
  start += text ? strspn(start, " \t\r\n") : 0;
  curl.curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
  curl.curl_easy_getinfo(handle, CURLINFO_REDIRECT_URL, &location);
  if (code >= 300 && code < 400)
    text_format(message, "%s: redirects (HTTP %ld)%s%.200s; name the address that answers", name,
                code, location == NULL ? "" : " to ", location == NULL ? "" : location);
  else if (code >= 400 && (!text || *start != '{'))
    text_format(message, "%s: the server answers HTTP %ld and no data", name, code);
  else if (text && *start == '<')
    text_format(message,
                "%s: the answer is a page for people (HTML), no metrics; is it the right address, "
                "or is a login needed?",
                name);
  else if (text ? *start == '\0' : answer->text.length == 0)
    text_format(message, "%s: the answer is empty", name);
  else
    return STATUS_OK;
  return STATUS_DATA;
}

static enum status check_file(const struct fetch_trust *trust, struct text *message) {
  if (trust->ca == NULL || access(trust->ca, R_OK) == 0)
    return STATUS_OK;
  text_format(message, "--ca %s: %s", trust->ca, strerror(errno));
  return STATUS_NO_INPUT;
}

enum status fetch(char **bytes, size_t *length, const char *address,
                  const struct fetch_options *options, struct text *message) {
  *bytes = NULL;
  if (check_file(&options->trust, message) != STATUS_OK)
    return STATUS_NO_INPUT;
  if (!loaded_open(&library, message))
    return STATUS_UNAVAILABLE;
  CURL *handle = curl.curl_easy_init();
  invariant(handle != NULL);
  struct answer_bytes answer = {.too_large = false};
  char *name = fetch_name(address);
  text_init(&answer.text);
  set_up(handle, &answer, address, options);
  struct curl_slist *headers =
      options->form == FETCH_PROTOBUF ? curl.curl_slist_append(NULL, accept_protobuf) : NULL;
  curl.curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  CURLcode code = curl.curl_easy_perform(handle);
  enum status status = code != CURLE_OK ? explain(code, &answer, name, message)
                                        : judge(handle, &answer, name, message);
  if (status == STATUS_OK) {
    *length = answer.text.length;
    *bytes = text_take(&answer.text);
  }
  text_clear(&answer.text);
  mem_free(name);
  curl.curl_easy_cleanup(handle);
  curl.curl_slist_free_all(headers);
  return status;
}
