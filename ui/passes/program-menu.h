/* The menu button of the header bar that sets the number of devices of the program and the shapes
 * of its inputs. */
#pragma once

#include <gtk/gtk.h>

#include "document/document-edit.h"

G_BEGIN_DECLS

/* Creates the button, which shows the number of devices. @document is borrowed and must outlive the
 * button. Changes are edits of the document. */
GtkWidget *hir_program_menu_new (HirDocument *document);

/* Opens the menu with the focus in the first input, or in the number of devices. */
void hir_program_menu_open (GtkWidget *menu, gboolean at_inputs);

G_END_DECLS
