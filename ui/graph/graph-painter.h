/* The graph's picture as pixels, made on a thread of its own where it is large, so that the main loop never
 * waits for 10,000 boxes: what is on show meanwhile is the last picture, moved and stretched. */
#pragma once

#include <gtk/gtk.h>

#include "draw/graph/graph-picture.h"
#include "draw/graph/graph-scene.h"
#include "graph/graph-camera.h"

G_BEGIN_DECLS

/* Boxes and lines past which a picture is painted on the thread. */
#define HIR_GRAPH_PAINT_HERE 1500

/* Everything that is to be seen. Immutable once it is handed over. */
typedef struct
{
  gatomicrefcount ref_count;
  HirPicture *picture;
  HirLayout *layout; /* the picture's, or one on the way to it */
  const HirTheme *theme;
  GHashTable *selected; /* set of gint64* ids, owned */
  GArray *marks;        /* HirGraphMark */
  guint64 hovered;
  guint64 pair[2];
  guint64 pointer;
  GHashTable *breaks; /* gint64* id -> HirGraphBreak, owned */
  gboolean can_break;
  gboolean is_diff;
  gboolean has_map;
  HirRect map; /* where, in widget pixels */
  HirCamera camera;
  int width, height; /* of the widget */
  double scale;         /* pixels of the screen each */
} HirGraphFrame;

HirGraphFrame *hir_graph_frame_new (HirPicture *picture, HirLayout *layout);

typedef struct
{
  HirGraphFrame *frame;
  GdkTexture *texture;
  GdkTexture *map; /* nullable */
  HirDisplayList *list; /* its hit areas, in layout pixels */
} HirGraphPainted;

typedef struct _HirGraphPainter HirGraphPainter;

/* @ready is called on the main thread when a frame of the thread is there. */
HirGraphPainter *hir_graph_painter_new (void (*ready) (gpointer user_data), gpointer user_data);
/* Waits for the thread to end; @ready is not called any more. */
void hir_graph_painter_free (HirGraphPainter *painter);

/* The newest picture there is: @frame itself where it is small, else what the thread has made last, and @frame
 * is made next. Takes @frame. Borrowed, until the next call; NULL: there is none yet. */
const HirGraphPainted *hir_graph_painter_get (HirGraphPainter *painter, HirGraphFrame *frame);

G_END_DECLS
