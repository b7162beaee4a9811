/* What the files of the graph view share. */
#pragma once

#include "graph/graph-camera.h"
#include "graph/graph-painter.h"
#include "graph/graph-view.h"
#include "graph/layouts.h"

#define HIR_GRAPH_MIN_ZOOM 0.02
#define HIR_GRAPH_MAX_ZOOM 4.0
/* Pixels of the map, and from it to the edges of the pane. */
#define HIR_GRAPH_MAP_WIDTH 148
#define HIR_GRAPH_MAP_HEIGHT 108
#define HIR_GRAPH_MAP_MARGIN 10

struct _HirGraphView
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirLayouts *layouts;
  HirGraphPainter *painter;
  const HirGraphPainted *painted; /* borrowed from the painter, as of the last frame */

  /* What is wanted. */
  HirGraphChoice *choice; /* NULL: to be made of what follows */
  guint asking;           /* an idle; 0: it was asked for */
  gboolean lanes, is_diff, is_near;
  guint n_hops;
  HirNearDirection direction;
  GArray *near; /* guint64: what was selected last */
  GHashTable *folded;
  GArray *marks; /* HirGraphMark */
  guint n_marked; /* ever: the next colour */
  gboolean has_map, has_note;

  /* What is there. */
  gint64 asked_us;    /* when something else was wanted; 0: it is shown */
  double latency_ms;  /* how long the last one took to be seen */
  HirPicture *shown;  /* nullable; maybe not yet what is wanted */
  gboolean has_better; /* the same picture, laid out better, is there */
  HirRect bounds;     /* of its boxes */
  HirLayout *moving;  /* nullable: on the way to the picture's */
  HirLayout *origin;  /* of the movement */
  int *match;         /* of the movement */
  gint64 move_start_us;
  guint move; /* tick callback; 0: none */

  gboolean is_fitted; /* follow the picture's size ... */
  gboolean shows_all; /* ... also where that makes it too small to read */
  HirCamera now;
  HirCamera from, to; /* of a glide */
  gint64 glide_start_us;
  guint glide;       /* tick callback; 0: none */
  gboolean is_new;   /* no picture of this program was shown yet: nothing to glide from */
  int width, height; /* of the last frame */
  double pointer_x, pointer_y;
  double drag_dx, drag_dy;
  gboolean is_map_drag;
  guint64 pointer; /* of a debugged program: what was revealed */
  guint64 hovered;
};

/* graph-choose.c */

/* Emits "changed". */
void hir_graph_view_changed (HirGraphView *self);
/* Returns the choice made by the current options (borrowed), or NULL if there is no program. */
HirGraphChoice *hir_graph_view_get_choice (HirGraphView *self);
/* Requests a new picture because the options, the step or the program changed. */
void hir_graph_view_invalidate (HirGraphView *self);
/* Folds or unfolds the group @group_key; 0 does nothing. */
void hir_graph_view_toggle_fold (HirGraphView *self, guint64 group_key);
/* Makes the selected nodes the center of the neighborhood. */
void hir_graph_view_take_near (HirGraphView *self);

/* graph-move.c */

/* Stops the animation of the camera at its current position. */
void hir_graph_view_stop_glide (HirGraphView *self);
/* Keeps the picture fitted to the pane: at once if the pane or the program changed, otherwise animated. */
void hir_graph_view_follow_fit (HirGraphView *self);
/* Zooms around pixel (@x, @y). */
void hir_graph_view_zoom_at (HirGraphView *self, double factor, double x, double y);
/* Moves the picture by pixels. */
void hir_graph_view_move_by (HirGraphView *self, double dx, double dy);
/* Makes the selected node visible. */
void hir_graph_view_reveal (HirGraphView *self);
/* Centers the pane on a position of the map, given in widget pixels. */
void hir_graph_view_go_to_map (HirGraphView *self, double x, double y);
/* Displays @picture. Boxes that the previous picture has, too, move to their new positions. */
void hir_graph_view_take_picture (HirGraphView *self, HirPicture *picture);
/* Stops the animation of the boxes at their final positions. */
void hir_graph_view_stop_move (HirGraphView *self);
/* Returns the layout of this frame (borrowed). */
HirLayout *hir_graph_view_get_layout (HirGraphView *self);

/* graph-input.c */

/* Adds the controllers for pointer and keys. */
void hir_graph_view_add_controllers (HirGraphView *self);
