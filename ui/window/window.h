/* The window: header bar, gallery, and the panes of a document. Arranges and connects; what is shown is the
 * panes' own business, what is done is the document's. */
#pragma once

#include <adwaita.h>

#include "base/settings.h"
#include "document/document.h"
#include "window/gallery.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_WINDOW (hir_window_get_type ())
G_DECLARE_FINAL_TYPE (HirWindow, hir_window, HIR, WINDOW, AdwApplicationWindow)

/* Turns a word of the command line or a chosen file into a request: the examples are the program's, not the
 * window's. Errors: as hir_program_new(). */
typedef HirRequest *(*HirOpenFunc) (const char *spec, gpointer user_data, GError **error);

typedef struct
{
  const HirExampleCard *cards;
  guint n_cards;
  HirOpenFunc open;
  gpointer user_data;
} HirWindowHost;

/* @host: borrowed for the life of the window. */
GtkWidget *hir_window_new (GtkApplication *application,
                           const HirWindowHost *host,
                           HirSettings *settings);
/* Opens what @spec names: FILE.py::function, example:NAME, FILE.hirs. Errors are shown. */
void hir_window_open (HirWindow *self, const char *spec);
/* Opens traces of several ranks, a file each, as one; NULL-terminated. Errors are shown. */
void hir_window_open_ranks (HirWindow *self, const char *const *paths);

G_END_DECLS
