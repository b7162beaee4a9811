/* Shared by all widgets that draw a display list: paints the list as one texture instead of one
 * widget or node per item. */
#pragma once

#include <gtk/gtk.h>

#include "canvas/canvas-pool.h"
#include "draw/display-list.h"
#include "draw/text-cache.h"
#include "draw/theme.h"

G_BEGIN_DECLS

/**
 * hir_canvas_snapshot:
 * @widget: the widget
 * @snapshot: its snapshot
 * @list: what to draw
 * @texts: the widget's text cache
 * @background: background color
 * @zoom: scale of the list
 * @dx: horizontal offset in widget pixels
 * @dy: vertical offset in widget pixels
 *
 * Paints @list over @background into a texture of @widget's size and appends it to @snapshot. Point
 * (x, y) of the list is drawn at (x * zoom + dx, y * zoom + dy).
 */
void hir_canvas_snapshot (GtkWidget *widget,
                          GtkSnapshot *snapshot,
                          const HirDisplayList *list,
                          HirTextCache *texts,
                          HirColor background,
                          double zoom,
                          double dx,
                          double dy);

/* Appends @picture, scaled to @bounds, in the way that is fastest for @widget's renderer. */
void hir_canvas_append_picture (GtkWidget *widget,
                                GtkSnapshot *snapshot,
                                HirCanvasPicture *picture,
                                const graphene_rect_t *bounds);

/* Makes the C library keep freed memory for the next frame. Otherwise the kernel clears the
 * toolkit's images of a window in each frame, which costs as much as painting them. Call once at
 * startup. */
void hir_canvas_keep_memory (void);

/* Returns the theme of the application's current style. */
const HirTheme *hir_canvas_get_theme (void);
/* Redraws @widget when the style changes between light and dark. */
void hir_canvas_follow_style (GtkWidget *widget);

G_END_DECLS
