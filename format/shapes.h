/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signs of formats that neither words nor keys say; private to format/.
 */
#ifndef FORMAT_SHAPES_H
#define FORMAT_SHAPES_H

#include "format/beginning.h"

/* ---- text: format/shapes.c */

/* The first line names one column of times, or several (latency_ns, wait_ms). */
bool shape_values(const struct format_beginning *beginning);
bool shape_joint(const struct format_beginning *beginning);
/* It names none, so that it is no table of measured times beside other columns. */
bool shape_no_values(const struct format_beginning *beginning);
/* There is no table of HdrHistogram among the lines. */
bool shape_no_table(const struct format_beginning *beginning);
/* Raw data of YCSB begins at once. */
bool shape_ycsb_raw(const struct format_beginning *beginning);
bool shape_no_ycsb_raw(const struct format_beginning *beginning);
bool shape_node_trace(const struct format_beginning *beginning);
bool shape_no_node_trace(const struct format_beginning *beginning);
/* All lines but comments are stacks with a number, and some have a semicolon; with two numbers. */
bool shape_folded(const struct format_beginning *beginning);
bool shape_folded_pair(const struct format_beginning *beginning);
/* What it is made of; of each file one holds. */
bool shape_json(const struct format_beginning *beginning);
bool shape_table(const struct format_beginning *beginning);
bool shape_text(const struct format_beginning *beginning);
bool shape_binary(const struct format_beginning *beginning);

/* ---- bytes: format/binary.c */

bool shape_vegeta_gob(const struct format_beginning *beginning);
bool shape_gatling_binary(const struct format_beginning *beginning);
bool shape_pcapng(const struct format_beginning *beginning);
/* Protocol buffers: a page of Prometheus' metrics, requests of OTLP (as they are, or each behind its
 * length in four bytes, as the collector's file exporter puts them), packets of Perfetto, pprof. */
bool shape_metrics_protobuf(const struct format_beginning *beginning);
bool shape_otlp_spans(const struct format_beginning *beginning);
bool shape_otlp_metrics(const struct format_beginning *beginning);
bool shape_perfetto(const struct format_beginning *beginning);
bool shape_pprof(const struct format_beginning *beginning);

#endif
