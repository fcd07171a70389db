/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the readers of joint measurements share; private to them, dist/source/joint.c and their
 * tests.
 */
#ifndef DIST_SOURCE_JOINT_READER_H
#define DIST_SOURCE_JOINT_READER_H

#include "dist/source/joint.h"
#include "dist/source/reader.h"

/* Appends the name of a column ("d.Ack.2.3") for one that is written as such, or as a bound writes
 * it ("d(Ack(2, 3))", "Receive[0]"). false, with nothing appended, when it is neither. */
bool joint_name(struct text *name, struct slice written);

/* The readers. *out is initialised; what is in it after a failure is the caller's to clear. */
enum status joint_csv_read(struct joint *out, const struct reader *reader);
enum status joint_folder_read(struct joint *out, struct source_notes *notes, const char *path,
                              const struct source_options *options, struct text *message);

/* Counts the missing and absent cells of all columns. */
void joint_count(struct joint *joint);

/* Whether the joint holds what its header says. */
bool joint_is_valid(const struct joint *joint);

/* Puts the rows into the order of their stamps, one a row: numbers, or dates as they are written;
 * false when they are in it, or are neither. The order of equal ones stays. */
bool joint_order_rows(struct joint *joint, const struct slice *stamps);

#endif
