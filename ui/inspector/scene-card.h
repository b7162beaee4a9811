/* Small drawing in a card of the inspector: a display list with parts that the pointer and the
 * arrow keys can select. A table of functions and its data define the content. */
#pragma once

#include <gtk/gtk.h>

#include "draw/display-list.h"
#include "draw/theme.h"

G_BEGIN_DECLS

/* Functions of a drawing. @data was passed to hir_scene_card_new(); @current is the current
 * part, or -1. */
typedef struct
{
  const char *name; /* for screen readers */
  double (*get_height) (gpointer data, HirMeasure *measure, double width);
  /* Draws. Parts are hit areas with ids counted from 0. */
  void (*draw) (gpointer data,
                HirDisplayList *list,
                const HirTheme *theme,
                HirMeasure *measure,
                double width,
                int current);
  /* Returns the next part in the direction of an arrow key. */
  int (*step) (gpointer data, HirMeasure *measure, double width, int current, int dx, int dy);
  /* Returns the description of a part (transfer full). */
  char *(*dup_text) (gpointer data, int part);
  void (*free) (gpointer data);
} HirSceneCardClassTable;

#define HIR_TYPE_SCENE_CARD (hir_scene_card_get_type ())
G_DECLARE_FINAL_TYPE (HirSceneCard, hir_scene_card, HIR, SCENE_CARD, GtkWidget)

/* Creates a card (@data: transfer full). Signal `activate-part` (int): a part was clicked or
 * activated with Enter. */
GtkWidget *hir_scene_card_new (const HirSceneCardClassTable *table, gpointer data);
/* Returns the center of part @i in widget pixels. Returns FALSE past the last part. Call in
 * order, starting with 0. For tests. */
gboolean hir_scene_card_get_part (HirSceneCard *self, guint i, double *x, double *y);
/* Returns the name of the drawing. */
const char *hir_scene_card_get_name (HirSceneCard *self);
/* Returns the description of @part, or of the current part if @part is -1; "" if there is none
 * (transfer full). For tests. */
char *hir_scene_card_dup_part_text (HirSceneCard *self, int part);

G_END_DECLS
