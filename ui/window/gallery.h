/* The first page: examples to open with a click, recent files, and what else can be opened. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* An example that the program carries. Static strings. */
typedef struct
{
  const char *spec;    /* "example:two_set_ops" */
  const char *title;   /* "Two set ops" */
  const char *summary; /* one or two lines: what there is to see */
} HirExampleCard;

#define HIR_TYPE_GALLERY (hir_gallery_get_type ())
G_DECLARE_FINAL_TYPE (HirGallery, hir_gallery, HIR, GALLERY, GtkWidget)

/* Signal `open` (const char *spec): a card or a recent file was chosen. */
GtkWidget *hir_gallery_new (const HirExampleCard *cards, guint n_cards);
/* Recent files as GtkRecentManager has them for this application. */
void hir_gallery_refresh_recent (HirGallery *self);

G_END_DECLS
