/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A protocol without bounds for tests that add their own: z works, and takes a message of a.
 */
#ifndef TESTS_UNIT_SOLVER_MEETING_H
#define TESTS_UNIT_SOLVER_MEETING_H

static const char meeting[] = "protocol meeting\n"
                              "role a\n"
                              "role z\n"
                              "component A, W, R\n"
                              "delay d\n"
                              "queueing Q\n"
                              "message M(ok: bool) : a -> z\n"
                              "message Done : z -> z\n"
                              "state a { s : bool = false }\n"
                              "state z { w : bool = false }\n"
                              "action a.Go cost A {\n"
                              "  when not s\n"
                              "  s := true\n"
                              "  send M(true)\n"
                              "}\n"
                              "action z.Work cost W {\n"
                              "  when not w\n"
                              "  w := true\n"
                              "}\n"
                              "action z.Take on M(ok) cost R { send Done }\n";

#endif
