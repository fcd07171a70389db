/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What requests are made of: values by name, and lists of texts. The texts belong to whoever asks,
 * and live as long as the request.
 */
#ifndef CLI_QUESTION_SETTING_H
#define CLI_QUESTION_SETTING_H

#include "base/vector.h"

struct setting {
  const char *name, *value; /* of NAME=VALUE */
};
typedef VECTOR(struct setting) settings;

typedef VECTOR(const char *) texts;

/* The value set for a name, or NULL. */
const char *settings_find(const settings *list, const char *name);

#endif
