/* The picture of the strip above a timeline: all of the trace, how busy its devices are, and the
 * window that the timeline shows. Pixels of the strip, (0, 0) its top left corner. */
#pragma once

#include "draw/display-list.h"
#include "draw/theme.h"

G_BEGIN_DECLS

#define HIR_MINIMAP_HEIGHT 28.0

/* Everything is borrowed for the time of the call. */
typedef struct
{
  const float *computation, *communication; /* shares 0..1 of n columns; NULL: not known yet */
  const HirLook *looks;                     /* of n columns of computation, then of communication */
  const guint8 *marks;                      /* nullable: columns where something was found */
  guint n;
  gint64 first_ns, last_ns;          /* of all columns */
  gint64 start_ns, end_ns;           /* of the window */
  gint64 band_start_ns, band_end_ns; /* of a chosen range; equal: none */
  const char *label;                 /* nullable, at the left */
  const HirTheme *theme;
  double width, height;
  double plot_x; /* where time begins */
} HirMinimapScene;

typedef enum
{
  HIR_MINIMAP_OUTSIDE,
  HIR_MINIMAP_WINDOW,
  HIR_MINIMAP_START, /* its edges, which are found within 5 pixels */
  HIR_MINIMAP_END,
} HirMinimapPart;

/* Over its own ground; where there is no room for a window it draws nothing. */
void hir_minimap_scene_draw (const HirMinimapScene *scene, HirDisplayList *list);
/* The window's ends in pixels: within the strip, and far enough from each other to be taken. */
void hir_minimap_scene_get_window (const HirMinimapScene *scene, double *x0, double *x1);
HirMinimapPart hir_minimap_scene_hit (const HirMinimapScene *scene, double x);
/* Kept within the trace. */
gint64 hir_minimap_scene_get_time (const HirMinimapScene *scene, double x);

G_END_DECLS
