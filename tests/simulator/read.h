/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_SIMULATOR_READ_H
#define TESTS_SIMULATOR_READ_H

#include "lang/source.h"

/* The checked model, owned by the caller (model_free); or NULL with what is wrong with the source.
 */
struct model *read_model(const struct source *source, struct text *message);

#endif
