#include "fact-card.h"

/* A longer name is wrapped, so that its value has room; to that width. */
#define MAX_NAME_CHARS 18
#define WRAPPED_CHARS 14

struct _HirFactCard
{
  GtkWidget parent_instance;

  GtkGrid *grid;
  int n_rows;
};

static guint link_signal;

G_DEFINE_FINAL_TYPE (HirFactCard, hir_fact_card, GTK_TYPE_WIDGET)

GtkWidget *
hir_fact_heading_new (const char *text)
{
  g_autofree char *upper = g_utf8_strup (text, -1);
  GtkWidget *label = gtk_label_new (upper);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (label, text);
  gtk_widget_add_css_class (label, "pane-heading");
  gtk_widget_add_css_class (label, "dim-label");
  return label;
}

static void
hir_fact_card_dispose (GObject *object)
{
  HirFactCard *self = HIR_FACT_CARD (object);

  if (self->grid != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->grid));
  self->grid = NULL;
  G_OBJECT_CLASS (hir_fact_card_parent_class)->dispose (object);
}

static void
hir_fact_card_class_init (HirFactCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_fact_card_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  link_signal = g_signal_new ("activate-link", HIR_TYPE_FACT_CARD, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
hir_fact_card_init (HirFactCard *self)
{
  self->grid = GTK_GRID (gtk_grid_new ());
  gtk_grid_set_column_spacing (self->grid, 12);
  gtk_grid_set_row_spacing (self->grid, 5);
  gtk_widget_set_parent (GTK_WIDGET (self->grid), GTK_WIDGET (self));
  gtk_widget_add_css_class (GTK_WIDGET (self), "card");
  gtk_widget_add_css_class (GTK_WIDGET (self), "facts");
}

HirFactCard *
hir_fact_card_new (void)
{
  return g_object_new (HIR_TYPE_FACT_CARD, NULL);
}

static gboolean
on_link (GtkLabel *label, const char *uri, gpointer user_data)
{
  g_signal_emit (user_data, link_signal, 0, uri);
  return TRUE;
}

static GtkWidget *
value_new (HirFactCard *self, const char *value, const char *uri)
{
  GtkWidget *label = gtk_label_new (NULL);
  PangoAttrList *attributes = pango_attr_list_new ();

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  /* A name that is broken is still that name. */
  pango_attr_list_insert (attributes, pango_attr_insert_hyphens_new (FALSE));
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  pango_attr_list_unref (attributes);
  gtk_widget_set_hexpand (label, TRUE);
  if (uri != NULL)
    {
      g_autofree char *markup = g_markup_printf_escaped ("<a href=\"%s\">%s</a>", uri, value);

      gtk_label_set_markup (GTK_LABEL (label), markup);
      g_signal_connect (label, "activate-link", G_CALLBACK (on_link), self);
    }
  else
    {
      gtk_label_set_text (GTK_LABEL (label), value);
    }
  return label;
}

void
hir_fact_card_add (HirFactCard *self, const char *name, const char *value, const char *uri)
{
  GtkWidget *label = value_new (self, value, uri);
  GtkWidget *heading;

  if (name == NULL)
    {
      /* To be copied; of the values, Tab finds the links alone. */
      gtk_label_set_selectable (GTK_LABEL (label), uri == NULL);
      gtk_widget_add_css_class (label, "fact-title");
      gtk_grid_attach (self->grid, label, 0, self->n_rows++, 2, 1);
      return;
    }
  heading = gtk_label_new (name);
  gtk_label_set_xalign (GTK_LABEL (heading), 0);
  gtk_label_set_yalign (GTK_LABEL (heading), 0);
  if (g_utf8_strlen (name, -1) > MAX_NAME_CHARS)
    {
      gtk_label_set_wrap (GTK_LABEL (heading), TRUE);
      gtk_label_set_wrap_mode (GTK_LABEL (heading), PANGO_WRAP_WORD_CHAR);
      gtk_label_set_width_chars (GTK_LABEL (heading), WRAPPED_CHARS);
      gtk_label_set_max_width_chars (GTK_LABEL (heading), WRAPPED_CHARS);
    }
  gtk_widget_add_css_class (heading, "dim-label");
  gtk_widget_add_css_class (heading, "fact-name");
  gtk_widget_add_css_class (label, "fact-value");
  gtk_grid_attach (self->grid, heading, 0, self->n_rows, 1, 1);
  gtk_grid_attach (self->grid, label, 1, self->n_rows++, 1, 1);
}

void
hir_fact_card_add_note (HirFactCard *self, const char *text)
{
  GtkWidget *label = value_new (self, text, NULL);

  gtk_widget_add_css_class (label, "dim-label");
  gtk_grid_attach (self->grid, label, 0, self->n_rows++, 2, 1);
}
