/* Writes figures of timelines and graphs to SVG, PDF or PNG files, without a window. The format
 * depends on the file name. The same input gives the same bytes, except for the date that cairo
 * writes into a PDF. */
#pragma once

#include "draw/graph/graph-picture.h"
#include "draw/graph/layout-worker.h"
#include "explain/explain.h"
#include "trace/export-progress.h"
#include "trace/trace.h"
#include "view/graph.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_FIGURE_SVG,
  HIR_FIGURE_PDF,
  HIR_FIGURE_PNG,
} HirFigureFormat;

#define HIR_FIGURE_ARRANGEMENT "rows"

typedef struct
{
  HirFigureFormat format;
  double width_mm;      /* 0 means 180 for timelines, and the needed size for graphs */
  double height_mm;     /* 0 means as needed */
  double font_pt;       /* 0 means 8; scales the whole figure */
  gboolean dark;        /* otherwise dark text on white */
  gboolean transparent; /* no background */
  gboolean legend;
  /* Only for timelines: range from the start of the trace; everything if both are equal. */
  gint64 range_start_ns, range_end_ns;
  const GArray *tracks; /* nullable, borrowed: only these (trace/track-set.h) */
  /* Nullable, borrowed. The group HIR_FIGURE_ARRANGEMENT arranges the rows (timeline-arrange.h). */
  GKeyFile *arrangement;
  /* An event to highlight with its related events: the parts of its collective on other ranks. */
  gboolean has_selection;
  guint selected_track, selected_index;
  const HirExplain *explain;   /* nullable, borrowed; its critical path is drawn */
  gboolean hover;              /* bars of SVG timelines have tooltips */
  const char *title;           /* nullable; title of the document */
  double dpi;                  /* for PNG; 0 means 200 */
  HirExportProgress *progress; /* nullable, borrowed */
} HirFigureOptions;

/* Sets the format from the extension of @path. Returns FALSE for other extensions. */
gboolean hir_figure_format_from_path (const char *path, HirFigureFormat *format);

/* Writes a timeline. The file is replaced only when the figure is complete. Errors: HIR_ERROR_INPUT
 * (an empty range or glob, sizes out of range), HIR_ERROR_RUN (cannot write the file),
 * HIR_ERROR_CANCELLED. */
gboolean hir_figure_write_timeline (HirTrace *trace,
                                    const HirFigureOptions *options,
                                    const char *path,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Writes a graph. @changes (nullable): see HirGraphScene. Without @layouter (nullable), the graph
 * is laid out in lanes. */
gboolean hir_figure_write_graph (const HirGraph *graph,
                                 GHashTable *changes,
                                 HirLayouter *layouter,
                                 const HirFigureOptions *options,
                                 const char *path,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Writes a graph as displayed: @picture must have a layout. Folded boxes, a neighborhood, lanes and
 * the changes are those of @picture. */
gboolean hir_figure_write_picture (const HirPicture *picture,
                                   const HirFigureOptions *options,
                                   const char *path,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
