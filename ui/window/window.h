/* The main window: header bar, gallery, and the panes of one document. It arranges and connects the
 * panes, which display the document by themselves. Main thread.
 *
 * Signal: new-window returns a further window of the application (transfer full), which is
 * presented and empty. */
#pragma once

#include <adwaita.h>

#include "base/settings.h"
#include "document/document.h"
#include "selection/selection.h"
#include "window/gallery.h"

G_BEGIN_DECLS

#define HIR_TYPE_WINDOW (hir_window_get_type ())
G_DECLARE_FINAL_TYPE (HirWindow, hir_window, HIR, WINDOW, AdwApplicationWindow)

/* Creates a request (transfer full) from a command-line argument or a file name. Returns NULL with
 * the errors of hir_program_new(). Provided by the program, which contains the examples. */
typedef HirRequest *(*HirOpenFunc) (const char *spec, gpointer user_data, GError **error);

typedef struct
{
  const HirExampleCard *cards;
  guint n_cards;
  HirOpenFunc open;
  gpointer user_data;
} HirWindowHost;

/* Creates a window. @host is borrowed for the lifetime of the window; takes a reference to
 * @settings. */
GtkWidget *
hir_window_new (GtkApplication *application, const HirWindowHost *host, HirSettings *settings);
/* Opens @spec: FILE.py::function, example:NAME, or a recording or trace. The window shows
 * errors. */
void hir_window_open (HirWindow *self, const char *spec);

/* Opens the traces @paths (NULL-terminated), one per rank, as one trace. The window shows
 * errors. */
void hir_window_open_ranks (HirWindow *self, const char *const *paths);

G_END_DECLS
