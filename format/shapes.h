/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signs of formats that neither words nor keys say; private to format/.
 */
#ifndef FORMAT_SHAPES_H
#define FORMAT_SHAPES_H

#include "format/beginning.h"

/* ---- text: format/shapes.c */

/* The first line names one column of times, or several (latency_ns, wait_ms). */
bool tell_values(const struct format_beginning *beginning);
bool tell_joint(const struct format_beginning *beginning);
/* There is no table of HdrHistogram among the lines. */
bool tell_no_table(const struct format_beginning *beginning);
/* Raw data of YCSB begins at once. */
bool tell_ycsb_raw(const struct format_beginning *beginning);
bool tell_no_ycsb_raw(const struct format_beginning *beginning);
bool tell_node_trace(const struct format_beginning *beginning);
bool tell_no_node_trace(const struct format_beginning *beginning);
/* All lines but comments are stacks with a number, and some have a semicolon; with two numbers. */
bool tell_folded(const struct format_beginning *beginning);
bool tell_folded_pair(const struct format_beginning *beginning);
/* What it is made of; of each file one holds. */
bool tell_json(const struct format_beginning *beginning);
bool tell_table(const struct format_beginning *beginning);
bool tell_text(const struct format_beginning *beginning);
bool tell_binary(const struct format_beginning *beginning);

/* ---- bytes: format/binary.c */

bool tell_vegeta_gob(const struct format_beginning *beginning);
bool tell_gatling_binary(const struct format_beginning *beginning);
bool tell_pcapng(const struct format_beginning *beginning);
/* Protocol buffers: a page of Prometheus' metrics, requests of OTLP (as they are, or each behind its
 * length in four bytes, as the collector's file exporter puts them), packets of Perfetto, pprof. */
bool tell_metrics_protobuf(const struct format_beginning *beginning);
bool tell_otlp_spans(const struct format_beginning *beginning);
bool tell_otlp_metrics(const struct format_beginning *beginning);
bool tell_perfetto(const struct format_beginning *beginning);
bool tell_pprof(const struct format_beginning *beginning);

#endif
