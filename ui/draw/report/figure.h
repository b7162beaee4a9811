/* Whole pictures as files: SVG, PDF or PNG by the file's ending. For papers and reports, without a
 * window. The same input makes the same bytes (PDF: but for the date that cairo writes). */
#pragma once

#include "draw/graph/layout-worker.h"
#include "view/graph.h"
#include "trace/export-progress.h"
#include "trace/trace.h"

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
  double width_mm;  /* 0: 180 for timelines, as large as needed for graphs */
  double height_mm; /* 0: as high as it needs to be */
  double font_pt;   /* 0: 8; the whole picture scales with it */
  gboolean dark;
  gboolean legend;
  /* Timelines. From the start of the trace; equal: all of it. */
  gint64 range_start_ns, range_end_ns;
  const char *tracks; /* nullable glob, see timeline-rows.h */
  /* Nullable, borrowed. Its group HIR_FIGURE_ARRANGEMENT tells how rows are arranged (timeline-arrange.h). */
  GKeyFile *arrangement;
  /* An event that is marked, with what belongs to it: the parts of its collective on other ranks. */
  gboolean has_selection;
  guint selected_track, selected_index;
  gboolean hover;     /* of SVG timelines: bars say what they are when pointed at */
  const char *title;  /* nullable: of the document */
  double dpi;         /* of PNG; 0: 200 */
  HirExportProgress *watch; /* nullable, borrowed */
} HirFigureOptions;

/* By the ending of @path. FALSE where it is none of the three. */
gboolean hir_figure_format_from_path (const char *path, HirFigureFormat *format);

/* Errors: HIR_ERROR_INPUT (a range or glob that leaves nothing, sizes that are out of bounds),
 * HIR_ERROR_RUN (a file that can't be written), HIR_ERROR_CANCELLED. The file is replaced only when the picture is
 * whole. */
gboolean hir_figure_write_timeline (HirTrace *trace,
                                    const HirFigureOptions *options,
                                    const char *path,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* @changes: nullable, as in HirGraphScene. @layouter: nullable; without it the graph is drawn in
 * lanes. */
gboolean hir_figure_write_graph (const HirGraph *graph,
                                 GHashTable *changes,
                                 HirLayouter *layouter,
                                 const HirFigureOptions *options,
                                 const char *path,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
