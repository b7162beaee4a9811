/* The head of an HTML report: its title, which range it shows, and how the run was made. */
#pragma once

#include "draw/report/html-report.h"
#include "trace/text-out.h"

G_BEGIN_DECLS

/* Writes the document up to and including the facts of the run. @is_program: the range of @options
 * is that of the program, and was not selected. @style is CSS. */
void hir_html_write_head (HirTextOut *out,
                          HirTrace *trace,
                          const HirHtmlOptions *options,
                          gboolean is_program,
                          const char *style);

G_END_DECLS
