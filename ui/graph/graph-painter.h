/* Paints the graph into images. Large graphs are painted on a worker thread, so that the main
 * loop does not wait for 10,000 boxes; meanwhile the view transforms the previous image. */
#pragma once

#include <gtk/gtk.h>

#include "canvas/canvas-pool.h"
#include "draw/graph/graph-picture.h"
#include "draw/graph/graph-scene.h"
#include "graph/graph-camera.h"

G_BEGIN_DECLS

/* A graph with more boxes and edges than this is painted on the worker thread. */
#define HIR_GRAPH_PAINT_HERE 1500

/* Everything that determines the pixels of a frame. Immutable once passed to the painter. */
typedef struct
{
  gatomicrefcount ref_count;
  HirPicture *picture;
  HirLayout *layout; /* layout of the picture, or an intermediate one during an animation */
  const HirTheme *theme;
  GHashTable *selected; /* set of ids (guint64 *, owned) */
  GArray *marks;        /* HirGraphMark */
  guint64 hovered;
  guint64 pair[2];
  guint64 pointer;
  GHashTable *breaks; /* id (guint64 *, owned) -> HirGraphBreak */
  gboolean can_break;
  gboolean is_diff;
  gboolean has_map;
  HirRect map; /* rectangle of the map in widget pixels */
  HirCamera camera;
  int width, height; /* size of the widget */
  double scale;      /* device pixels per widget pixel */
} HirGraphFrame;

/* Creates a frame of @picture and @layout, and takes references. The caller sets all other
 * fields. */
HirGraphFrame *hir_graph_frame_new (HirPicture *picture, HirLayout *layout);

typedef struct
{
  HirGraphFrame *frame;
  HirCanvasPicture *image;
  HirCanvasPicture *map; /* nullable */
  HirDisplayList *list;  /* has the hit areas, in layout pixels */
} HirGraphPainted;

typedef struct _HirGraphPainter HirGraphPainter;

/* Creates a painter. Calls @ready on the main thread when the worker thread has finished a
 * frame. */
HirGraphPainter *hir_graph_painter_new (void (*ready) (gpointer user_data), gpointer user_data);
/* Waits for the worker thread to end, then frees @painter. @ready is not called anymore. */
void hir_graph_painter_free (HirGraphPainter *painter);

/**
 * hir_graph_painter_get:
 * @painter: the painter
 * @frame: (transfer full): the frame to paint
 *
 * Paints @frame if its graph is small. Otherwise returns the last frame that the worker thread has
 * painted, and requests @frame.
 *
 * Returns: (nullable): the newest frame, valid until the next call; NULL if there is none yet
 */
const HirGraphPainted *hir_graph_painter_get (HirGraphPainter *painter, HirGraphFrame *frame);

G_END_DECLS
