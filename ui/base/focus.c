#include "base/focus.h"

void
hir_focus_leave (GtkWidget *inside, GtkWidget *heir)
{
  GtkRoot *root = gtk_widget_get_root (inside);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus == NULL || (focus != inside && !gtk_widget_is_ancestor (focus, inside)))
    return;
  if (heir == NULL || !gtk_widget_grab_focus (heir))
    gtk_root_set_focus (root, NULL);
}
