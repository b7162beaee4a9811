/* Draws the minimap above a timeline: the whole trace, the activity of its devices, and the visible
 * window. Coordinates are pixels of the minimap, with (0, 0) at its top left. */
#pragma once

#include "draw/display-list.h"
#include "draw/theme.h"

G_BEGIN_DECLS

#define HIR_MINIMAP_HEIGHT 28.0

/* All fields are borrowed during a call. */
typedef struct
{
  const float *computation, *communication; /* shares (0 to 1) of n columns; NULL if not computed
                                             * yet */
  const HirLook *looks;                     /* n columns of computation, then n of communication */
  const guint8 *marks;                      /* nullable; columns with search results */
  guint n;
  gint64 first_ns, last_ns;          /* range of all columns */
  gint64 start_ns, end_ns;           /* visible window */
  gint64 band_start_ns, band_end_ns; /* selected range; none if equal */
  const char *label;                 /* nullable; drawn at the left */
  const HirTheme *theme;
  double width, height;
  double plot_x; /* x of the start of the time axis */
} HirMinimapScene;

typedef enum
{
  HIR_MINIMAP_OUTSIDE,
  HIR_MINIMAP_WINDOW,
  HIR_MINIMAP_START, /* edge of the window, with a tolerance of 5 pixels */
  HIR_MINIMAP_END,
} HirMinimapPart;

/* Draws the minimap and its background. If there is no space for a window, draws nothing. */
void hir_minimap_scene_draw (const HirMinimapScene *scene, HirDisplayList *list);
/* Returns the ends of the window in pixels, inside the minimap and with a minimum distance for
 * dragging. */
void hir_minimap_scene_get_window (const HirMinimapScene *scene, double *x0, double *x1);
HirMinimapPart hir_minimap_scene_hit (const HirMinimapScene *scene, double x);
/* Returns the time at @x, limited to the trace. */
gint64 hir_minimap_scene_get_time (const HirMinimapScene *scene, double x);

G_END_DECLS
