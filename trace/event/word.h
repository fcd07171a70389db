/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What people call a type of resource of Node.js: "FSREQCALLBACK" is a file, "HTTPINCOMINGMESSAGE" a request.
 *
 * Behind the type of a connection stands where it goes to ("TCPWRAP 10.0.0.2:6379"), and behind
 * that of a timer which runs again its time ("Timeout 700 ms").
 */
#ifndef TRACE_EVENT_WORD_H
#define TRACE_EVENT_WORD_H

struct text;

/* Of the type alone: "connection", "timer"; NULL: there is none, people call it as Node.js does. */
const char *event_word(const char *type);

/* Appends "Redis 10.0.0.2:6379", "connection to 10.0.0.2:8080", "timer of 700 ms", "file"; what has
 * no word is said as it is, and "" as "callback". */
void event_word_append(struct text *text, const char *type);

#endif
