#include "window/gallery.h"

#include <adwaita.h>

#include "base/focus.h"
#include "base/recent.h"

#define MAX_RECENT 6

struct _HirGallery
{
  GtkWidget parent_instance;

  GtkWidget *scroller;
  GtkFlowBox *cards;
  GtkWidget *recent_heading;
  GtkListBox *recent;
};

static guint open_signal;

G_DEFINE_FINAL_TYPE (HirGallery, hir_gallery, GTK_TYPE_WIDGET)

static GtkWidget *
label_new (const char *text, const char *css_class, gboolean wrap)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_overflow (label, GTK_OVERFLOW_HIDDEN);
  gtk_label_set_wrap (GTK_LABEL (label), wrap);
  gtk_label_set_ellipsize (GTK_LABEL (label), wrap ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static void
on_card_clicked (GtkButton *button, gpointer user_data)
{
  g_signal_emit (user_data, open_signal, 0, g_object_get_data (G_OBJECT (button), "spec"));
}

static void
add_card (HirGallery *self, const HirExampleCard *card)
{
  GtkWidget *button = gtk_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *summary = label_new (card->summary, "dim-label", TRUE);

  gtk_label_set_max_width_chars (GTK_LABEL (summary), 30);
  gtk_label_set_width_chars (GTK_LABEL (summary), 24);
  gtk_widget_add_css_class (summary, "card-text");
  gtk_widget_set_valign (box, GTK_ALIGN_START);
  gtk_box_append (GTK_BOX (box), label_new (card->title, "card-title", FALSE));
  gtk_box_append (GTK_BOX (box), summary);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "card");
  gtk_widget_add_css_class (button, "example-card");
  g_object_set_data (G_OBJECT (button), "spec", (gpointer) card->spec);
  g_signal_connect (button, "clicked", G_CALLBACK (on_card_clicked), self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  card->title, -1);
  gtk_flow_box_append (self->cards, button);
  /* The button gets the focus, not its cell. */
  gtk_widget_set_focusable (gtk_widget_get_parent (button), FALSE);
}

static void
on_recent_activated (GtkListBox *list, GtkListBoxRow *row, gpointer user_data)
{
  g_signal_emit (user_data, open_signal, 0, g_object_get_data (G_OBJECT (row), "spec"));
}

void
hir_gallery_refresh_recent (HirGallery *self)
{
  g_autoptr (GPtrArray) recent = hir_recent_dup (MAX_RECENT);
  GtkWidget *child;

  hir_focus_leave (GTK_WIDGET (self->recent), NULL);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->recent))) != NULL)
    gtk_list_box_remove (self->recent, child);
  for (guint i = 0; i < recent->len; i++)
    {
      const HirRecent *file = g_ptr_array_index (recent, i);
      GtkWidget *row = adw_action_row_new ();

      adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), file->name);
      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), file->path);
      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
      g_object_set_data_full (G_OBJECT (row), "spec", g_strdup (file->path), g_free);
      gtk_list_box_append (self->recent, row);
    }
  gtk_widget_set_visible (self->recent_heading, recent->len > 0);
  gtk_widget_set_visible (GTK_WIDGET (self->recent), recent->len > 0);
}

static void
hir_gallery_dispose (GObject *object)
{
  HirGallery *self = HIR_GALLERY (object);

  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_gallery_parent_class)->dispose (object);
}

static void
hir_gallery_class_init (HirGalleryClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_gallery_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  open_signal = g_signal_new ("open", HIR_TYPE_GALLERY, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                              G_TYPE_NONE, 1, G_TYPE_STRING);
}

/* Creates the icon, the name and the purpose of the program. */
static GtkWidget *
create_head (void)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 18);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *icon = gtk_image_new_from_icon_name ("org.hirscope.Hirscope");
  GtkWidget *tagline =
      label_new ("Step through the passes that lower a fusion to a host program, run it, and "
                 "view all streams.",
                 "gallery-tagline", TRUE);

  gtk_image_set_pixel_size (GTK_IMAGE (icon), 72);
  gtk_widget_add_css_class (tagline, "dim-label");
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_widget_set_valign (texts, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (texts), label_new ("Hirscope", "gallery-title", FALSE));
  gtk_box_append (GTK_BOX (texts), tagline);
  gtk_box_append (GTK_BOX (head), icon);
  gtk_box_append (GTK_BOX (head), texts);
  return head;
}

/* Creates the three most important hints, with their keys. */
static GtkWidget *
create_steps (void)
{
  static const struct
  {
    const char *key, *text;
  } steps[] = {
    { "j", "next pass" }, { "k", "previous pass" },
    { "space", "run" },   { "click", "a line, a box or a bar: everything related is highlighted" },
    { "F1", "all keys" },
  };
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      GtkWidget *text = label_new (steps[i].text, "dim-label", FALSE);

      gtk_widget_add_css_class (text, "card-text");
      gtk_widget_set_margin_end (text, 10);
      gtk_box_append (GTK_BOX (row), label_new (steps[i].key, "step-key", FALSE));
      gtk_box_append (GTK_BOX (row), text);
    }
  gtk_widget_set_margin_bottom (row, 10);
  return row;
}

static void
create_lists (HirGallery *self)
{
  self->cards = GTK_FLOW_BOX (gtk_flow_box_new ());
  gtk_flow_box_set_selection_mode (self->cards, GTK_SELECTION_NONE);
  gtk_flow_box_set_homogeneous (self->cards, TRUE);
  gtk_flow_box_set_max_children_per_line (self->cards, 3);
  gtk_flow_box_set_min_children_per_line (self->cards, 2);
  gtk_flow_box_set_row_spacing (self->cards, 12);
  gtk_flow_box_set_column_spacing (self->cards, 12);

  self->recent_heading = label_new ("Recent", "title-4", FALSE);
  gtk_widget_set_margin_top (self->recent_heading, 12);
  self->recent = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->recent, GTK_SELECTION_NONE);
  gtk_widget_add_css_class (GTK_WIDGET (self->recent), "boxed-list");
  g_signal_connect (self->recent, "row-activated", G_CALLBACK (on_recent_activated), self);
}

static void
hir_gallery_init (HirGallery *self)
{
  GtkWidget *clamp = adw_clamp_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *hint =
      label_new ("Or open a script (.py), a recording (.hirs) or a trace (.json, .sqlite) with "
                 "Ctrl+O, or drop it here. Opening a script never runs Python.",
                 "dim-label", TRUE);

  adw_clamp_set_maximum_size (ADW_CLAMP (clamp), 1020);
  adw_clamp_set_tightening_threshold (ADW_CLAMP (clamp), 1020);
  gtk_widget_set_margin_top (box, 40);
  gtk_widget_set_margin_bottom (box, 36);
  gtk_widget_set_margin_start (box, 24);
  gtk_widget_set_margin_end (box, 24);
  gtk_widget_add_css_class (hint, "card-text");
  gtk_widget_set_margin_top (hint, 6);

  create_lists (self);
  gtk_box_append (GTK_BOX (box), create_head ());
  gtk_box_append (GTK_BOX (box), create_steps ());
  gtk_box_append (GTK_BOX (box), label_new ("Start with an example", "title-4", FALSE));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->cards));
  gtk_box_append (GTK_BOX (box), hint);
  gtk_box_append (GTK_BOX (box), self->recent_heading);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->recent));
  adw_clamp_set_child (ADW_CLAMP (clamp), box);
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), clamp);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

GtkWidget *
hir_gallery_new (const HirExampleCard *cards, guint n_cards)
{
  HirGallery *self = g_object_new (HIR_TYPE_GALLERY, NULL);

  for (guint i = 0; i < n_cards; i++)
    add_card (self, &cards[i]);
  hir_gallery_refresh_recent (self);
  return GTK_WIDGET (self);
}
