/* What the graph and the timeline share: a display list on the screen as one texture, without a widget or
 * a node an item. */
#pragma once

#include <gtk/gtk.h>

#include "draw/display-list.h"
#include "draw/text-cache.h"
#include "draw/theme.h"

G_BEGIN_DECLS

/* Paints @list over @background into a texture of @widget's size and appends it. A point (x, y) of the list
 * comes to (x * zoom + dx, y * zoom + dy) of the widget. @texts: what the widget keeps from frame to frame. */
void hir_canvas_snapshot (GtkWidget *widget,
                          GtkSnapshot *snapshot,
                          const HirDisplayList *list,
                          HirTextCache *texts,
                          HirColor background,
                          double zoom,
                          double dx,
                          double dy);

/* Once, at the start of a program that shows canvases: the C library keeps what a frame took for the next one. Else the
 * toolkit's own pictures of a window are cleared by the system again each frame, which costs as much as painting them. */
void hir_canvas_keep_memory (void);

/* The theme that the application's style asks for now. */
const HirTheme *hir_canvas_get_theme (void);
/* Redraws @widget when dark and light change. */
void hir_canvas_follow_style (GtkWidget *widget);

G_END_DECLS
