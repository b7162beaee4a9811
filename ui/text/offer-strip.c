#include "text/offer-strip.h"

#include "base/focus.h"

static void
add_button (GtkWidget *strip, const HirOfferButton *offer)
{
  GtkWidget *button = gtk_button_new_with_label (offer->label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), offer->action);
  gtk_widget_set_tooltip_text (button, offer->tooltip);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (strip), button);
}

GtkWidget *
hir_offer_strip_new (const HirOfferButton *buttons, guint n_buttons)
{
  GtkWidget *strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new ("");

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (strip, "load-strip");
  gtk_box_append (GTK_BOX (strip), label);
  for (guint i = 0; i < n_buttons; i++)
    add_button (strip, &buttons[i]);
  gtk_widget_set_visible (strip, FALSE);
  return strip;
}

void
hir_offer_strip_set (GtkWidget *strip, const char *text)
{
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_first_child (strip)), text != NULL ? text : "");
  if (text == NULL)
    hir_focus_leave (strip, NULL);
  gtk_widget_set_visible (strip, text != NULL);
}
