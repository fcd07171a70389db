/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What makes the page of a flame graph answer: its style and buttons, the place of a function's
 * callers and callees, and the script; private to cli/present/figure/flame.c.
 */
#ifndef CLI_PRESENT_FIGURE_FLAME_SCRIPT_H
#define CLI_PRESENT_FIGURE_FLAME_SCRIPT_H

extern const char flame_controls[], flame_calls[], flame_script[];

#endif
