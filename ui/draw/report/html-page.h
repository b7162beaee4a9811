/* Pieces of an HTML page. Texts are escaped, except where a comment says otherwise. */
#pragma once

#include "trace/text-out.h"

G_BEGIN_DECLS

/* Adds text. */
void hir_html_add_text (HirTextOut *out, const char *text);
/* Adds a cell of a table. Names are aligned to the left. */
void hir_html_add_cell (HirTextOut *out, gboolean is_name, const char *text);
/* Adds a cell with a time. */
void hir_html_add_time_cell (HirTextOut *out, double ns);
/* Adds a cell with a share in percent. */
void hir_html_add_share_cell (HirTextOut *out, gint64 ns, gint64 total_ns);
/* Starts a table. @title and @names are HTML; @names has the headings, separated by "|". The first
 * column has names. */
void hir_html_begin_table (HirTextOut *out, const char *title, const char *names);
void hir_html_end_table (HirTextOut *out);
/* Adds a line "note: ...". */
void hir_html_add_note (HirTextOut *out, const char *text);
/* Adds a figure; @svg is a file of SVG. */
void hir_html_add_figure (HirTextOut *out, const char *svg);

G_END_DECLS
