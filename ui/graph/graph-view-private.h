/* Internal declarations of the graph view. */
#pragma once

#include "graph/graph-camera.h"
#include "graph/graph-painter.h"
#include "graph/graph-view.h"
#include "graph/layouts.h"

#define HIR_GRAPH_MIN_ZOOM 0.02
#define HIR_GRAPH_MAX_ZOOM 4.0
/* size of the map and distance from the edges of the pane, in pixels */
#define HIR_GRAPH_MAP_WIDTH 148
#define HIR_GRAPH_MAP_HEIGHT 108
#define HIR_GRAPH_MAP_MARGIN 10

struct _HirGraphView
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirLayouts *layouts;
  HirGraphPainter *painter;
  const HirGraphPainted *painted; /* last painted frame (borrowed from the painter) */

  /* Requested picture: */
  HirGraphChoice *choice; /* NULL: create it from the following fields */
  guint request_idle;     /* idle source that requests the picture; 0 if it was requested */
  gboolean lanes, is_diff, is_near;
  guint n_hops;
  HirNearDirection direction;
  GArray *near; /* guint64: nodes at the center of the neighborhood */
  GHashTable *folded;
  GArray *marks;  /* HirGraphMark */
  guint n_marked; /* number of highlights ever set; selects the next color */
  gboolean has_map, has_note;
  gboolean is_map_above; /* in the upper corner; chosen when the picture is fitted */

  /* Displayed picture: */
  gint64 requested_us; /* time of the last request; 0 if the requested picture is displayed */
  double latency_ms;   /* time from the last request until its picture was displayed */
  HirPicture *shown;   /* nullable; may differ from the requested picture */
  gboolean has_better; /* a better layout of the displayed picture is available */
  HirRect bounds;      /* bounds of its boxes */
  HirLayout *moving;   /* nullable: intermediate layout of the animation */
  HirLayout *origin;   /* start layout of the animation */
  int *match;          /* box of the start layout for each box, or -1 */
  gint64 move_start_us;
  guint move; /* tick callback; 0: none */

  gboolean is_fitted;   /* fit each new picture to the pane */
  gboolean is_revealed; /* no longer fitted, but only to show a selected box: fit at a new size */
  gboolean shows_all;   /* fit the whole picture, even if it is too small to read */
  HirCamera now;
  HirCamera from, to; /* start and end of the camera animation */
  gint64 glide_start_us;
  guint glide;       /* tick callback; 0: none */
  gboolean is_new;   /* no picture of this program was displayed yet, so there is no animation */
  int width, height; /* size of the last frame */
  double pointer_x, pointer_y;
  double drag_dx, drag_dy;
  gboolean is_map_drag;
  guint64 pointer; /* current instruction of a debugged program that was made visible */
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
/* Makes the selected nodes the center of the neighborhood, and fits it to the pane. Does nothing if
 * none is selected. */
void hir_graph_view_take_near (HirGraphView *self);

/* graph-move.c */

/* Stops the animation of the camera at its current position. */
void hir_graph_view_stop_glide (HirGraphView *self);
/* Keeps the picture fitted to the pane: at once if the pane or the program changed, otherwise
 * animated. */
void hir_graph_view_follow_fit (HirGraphView *self);
/* Zooms around pixel (@x, @y). */
void hir_graph_view_zoom_at (HirGraphView *self, double factor, double x, double y);
/* Moves the picture by pixels. */
void hir_graph_view_move_by (HirGraphView *self, double dx, double dy);
/* Fits the selected nodes to the pane; the whole picture if it has none of them. */
void hir_graph_view_fit_selection (HirGraphView *self);
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
