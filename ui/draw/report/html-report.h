/* A run as one HTML file for a report or an issue: the timeline as SVG, statistics, the passes and
 * the program they ended in, how it was made. Opens without a network; the only script in it shows what the bar under the pointer is. */
#pragma once

#include "draw/report/figure.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

typedef struct
{
  HirFigureOptions figure;     /* of the timeline; its format does not count */
  const char *title;           /* nullable: the source's name */
  const GPtrArray *views;      /* nullable: HirProgramView*, the passes and the program of the trace */
} HirHtmlOptions;

/* Errors: as hir_figure_write_timeline(). */
gboolean hir_html_report_write (HirTrace *trace,
                                const HirHtmlOptions *options,
                                const char *path,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
