/* The keyboard's focus, where widgets go away. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For the moment before what @inside holds is removed or destroyed: GTK 4.8 keeps a focus that goes
 * so, and reads it once it is freed. A focus in there, or on @inside itself, goes to @heir; NULL:
 * to the window, whose keys then work as before. Main thread. */
void hir_focus_leave (GtkWidget *inside, GtkWidget *heir);

G_END_DECLS
