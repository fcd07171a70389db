/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Always on: samples what runs on this host at a low rate, in a thread of its own, and keeps the
 * last minutes in a ring of files, `minute-00.tpp` and so on. When an objective is breached in a
 * minute, that minute and those before and after it are kept as `breach-00-before.tpp`, `-at.tpp`
 * and `-after.tpp`, of the last KEEPER_BREACHES times. So the disk holds a bounded number of files.
 * Their bytes are bounded, too, those of the ring and of what was kept each by `bytes` of the
 * configuration: a file that has an eighth of them ends before its minute does, and the oldest
 * files are removed where the next would find no room.
 *
 * The rate is lowered where samples cost more than the budget: what the thread itself takes, by its
 * processor clock, and what each interrupts programs for, which is measured at the start
 * (measure/profile/interrupt.h).
 */
#ifndef MEASURE_AGENT_KEEPER_H
#define MEASURE_AGENT_KEEPER_H

#include "measure/agent/config.h"

enum { KEEPER_BREACHES = 20, KEEPER_TOP = 10 };

struct keeper;

struct keeper_counts {
  uint64_t samples, lost, files, breaches;
  uint64_t rate; /* samples a second of processor time, now */
  uint64_t cost; /* ns that a sample takes from the program that it interrupts */
};

/* Starts; `config` must outlive it. NULL with `message` when the kernel does not let it, or the
 * folder cannot be made. */
struct keeper *keeper_open(const struct profile_config *config, char message[AGENT_MESSAGE]);

/* Stops sampling and finishes the file; NULL is accepted. */
void keeper_close(struct keeper *keeper);

struct keeper_counts keeper_counts(struct keeper *keeper);

/* The text for Prometheus on the functions of the last whole minute, in parts that are lines and no
 * longer than `size`: part `number`, and its length, 0 behind the last. */
size_t keeper_page(struct keeper *keeper, uint32_t number, char *text, size_t size);
uint32_t keeper_pages(struct keeper *keeper, size_t size);

#endif
