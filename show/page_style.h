/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Style sheet and scripts of every HTML page; for show/page.c.
 */
#ifndef SHOW_PAGE_STYLE_H
#define SHOW_PAGE_STYLE_H

extern const char page_style[], page_read_script[], page_look_script[];

#endif
