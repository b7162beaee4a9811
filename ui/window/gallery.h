/* The start page: examples, recent files and other ways to open a document. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A built-in example. All strings are static. */
typedef struct
{
  const char *spec;    /* "example:two_set_ops" */
  const char *title;   /* "Two set ops" */
  const char *summary; /* one or two lines */
} HirExampleCard;

#define HIR_TYPE_GALLERY (hir_gallery_get_type ())
G_DECLARE_FINAL_TYPE (HirGallery, hir_gallery, HIR, GALLERY, GtkWidget)

/* Creates the page. The signal "open" (const char *spec) is emitted when a card or a recent file is
 * activated. */
GtkWidget *hir_gallery_new (const HirExampleCard *cards, guint n_cards);

/* Updates the recent files from GtkRecentManager. */
void hir_gallery_refresh_recent (HirGallery *self);

G_END_DECLS
