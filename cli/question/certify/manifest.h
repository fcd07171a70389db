/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The manifest of a certificate folder: which protocols, which obligations, which file and digest
 * each query has. docs/manual.md describes the format.
 */
#ifndef CLI_QUESTION_CERTIFY_MANIFEST_H
#define CLI_QUESTION_CERTIFY_MANIFEST_H

#include "base/status.h"
#include "base/jsonl.h"
#include "cli/question/verify/protocol.h"
#include "solver/prove/certificate.h"

#define MANIFEST_FILE "manifest.json"

struct manifest_query {
  const char *text, *file, *digest; /* the file relative to the folder */
  const char *kind;                 /* one of certificate_is_kind */
  const char *concern, *subject;    /* as in certificate_entry, or both NULL */
};

struct manifest_protocol {
  const char *name, *file, *digest;
  size_t first, count; /* its queries */
};

struct manifest {
  struct jsonl *json; /* owns the texts */
  const char *version, *solver;
  VECTOR(struct manifest_protocol) protocols;
  VECTOR(struct manifest_query) queries;
};

/* Reads FOLDER/manifest.json. STATUS_NO_INPUT or STATUS_DATA with one line in `message`; a manifest
 * without a protocol or a protocol without obligations, which any folder would agree with, and one
 * that names a file outside the folder, or one twice, is STATUS_DATA. Initialised in any case. */
enum status manifest_read(struct manifest *manifest, const char *folder, struct text *message);
void manifest_clear(struct manifest *manifest);

/* Calls found(path relative to the folder, context) for each file in the folder and one level below
 * that the manifest does not name, itself apart. False when the folder cannot be listed. */
bool manifest_extras(const struct manifest *manifest, const char *folder,
                     void (*found)(const char *path, void *context), void *context);

/* A new manifest, to be filled and written as MANIFEST_FILE. */
struct jsonl *manifest_new(void);
/* `protocols` is the list of that name; `folder` the protocol's, relative. */
void manifest_add(struct jsonl *protocols, const struct protocol *protocol, const char *folder,
                  const struct certificate *certificate);

#endif
