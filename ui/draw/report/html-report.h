/* Writes a run as one HTML file: how it was made, the timeline as SVG with its critical path, where
 * the time went and what would help, statistics, passes, the final program as graph and text. It
 * needs no network. Its only script shows the bar under the pointer. */
#pragma once

#include "draw/report/figure.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

/* Lines of the program's text: those after @head up to and including @last are folded. From 0. */
typedef struct
{
  guint head, last;
} HirHtmlFold;

typedef struct
{
  HirFigureOptions
      figure;             /* options of the timeline, with the explanation; the format is ignored */
  const char *title;      /* nullable; name of the source */
  const GPtrArray *views; /* nullable; HirProgramView* of the passes and of the executed
                           * program */
  HirLayouter *layouter;  /* nullable: the graph is laid out in lanes; borrowed */
  GHashTable *folded;     /* nullable: set of gint64* keys of folded groups of the graph */
  const GArray *folds;    /* nullable: HirHtmlFold, by head, not nested; a click unfolds them */
} HirHtmlOptions;

/* Writes the report. Without a range, the timeline shows the program alone if setup and warm-up
 * take longer than it. Errors: see hir_figure_write_timeline(). */
gboolean hir_html_report_write (HirTrace *trace,
                                const HirHtmlOptions *options,
                                const char *path,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
