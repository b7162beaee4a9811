/* A small picture in a card of the inspector: a display list with parts that the pointer and the arrow keys
 * find. What it shows is the class's and its data's; the card knows none of it. */
#pragma once

#include <gtk/gtk.h>

#include "draw/display-list.h"
#include "draw/theme.h"

G_BEGIN_DECLS

/* @data of all of them: hir_scene_card_new()'s. @current: the part that is pointed at, or -1. */
typedef struct
{
  const char *name; /* for screen readers */
  double (*get_height) (gpointer data, HirMeasure *measure, double width);
  /* Parts are hits: their ids count from 0. */
  void (*draw) (gpointer data,
                HirDisplayList *list,
                const HirTheme *theme,
                HirMeasure *measure,
                double width,
                int current);
  /* The part in the direction of an arrow key. */
  int (*step) (gpointer data, HirMeasure *measure, double width, int current, int dx, int dy);
  /* Newly allocated. */
  char *(*dup_text) (gpointer data, int part);
  void (*free) (gpointer data);
} HirSceneCardClassTable;

#define HIR_TYPE_SCENE_CARD (hir_scene_card_get_type ())
G_DECLARE_FINAL_TYPE (HirSceneCard, hir_scene_card, HIR, SCENE_CARD, GtkWidget)

/* Takes @data. Signal: activate-part (int): clicked, or Enter. */
GtkWidget *hir_scene_card_new (const HirSceneCardClassTable *table, gpointer data);
/* What is said of the part that is pointed at; "" where none is. Newly allocated. For tests. */
char *hir_scene_card_dup_text (HirSceneCard *self);
/* The middle of part @i in widget pixels; FALSE past the last. To be asked from 0 on, in order. For tests that use a real pointer. */
gboolean hir_scene_card_get_part (HirSceneCard *self, guint i, double *x, double *y);
const char *hir_scene_card_get_name (HirSceneCard *self);
char *hir_scene_card_dup_part_text (HirSceneCard *self, int part);

G_END_DECLS
