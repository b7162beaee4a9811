/* One line below the header bar with a text and buttons. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct
{
  const char *label;
  const char *action;
  const char *tooltip;
} HirOfferButton;

/* Creates the strip, which is hidden, with @buttons. */
GtkWidget *hir_offer_strip_new (const HirOfferButton *buttons, guint n_buttons);
/* Shows @text, or hides the strip if it is NULL. */
void hir_offer_strip_set (GtkWidget *strip, const char *text);

G_END_DECLS
