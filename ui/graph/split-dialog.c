#include "graph/split-dialog.h"

#include <adwaita.h>

#include "base/names.h"

typedef struct
{
  AdwMessageDialog *dialog; /* borrowed: it owns this */
  GtkEditable *entry;
  GtkLabel *error;
  void (*split) (gint64 factor, gpointer user_data);
  gpointer user_data;
  GDestroyNotify destroy;
} SplitDialog;

static void
split_dialog_free (gpointer data)
{
  SplitDialog *self = data;

  if (self->destroy != NULL)
    self->destroy (self->user_data);
  g_free (self);
}

/* Parses the entered factor. Returns FALSE if an axis cannot be split by it. */
static gboolean
get_factor (const SplitDialog *self, gint64 *factor)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (self->entry)));

  return g_ascii_string_to_signed (text, 10, 1, G_MAXINT64, factor, NULL);
}

static void
on_changed (SplitDialog *self)
{
  gint64 factor;
  gboolean is_valid = get_factor (self, &factor);
  gboolean is_empty = *gtk_editable_get_text (self->entry) == '\0';

  adw_message_dialog_set_response_enabled (self->dialog, "split", is_valid);
  gtk_label_set_text (self->error, is_valid || is_empty ? "" : "Enter a whole number of 1 or more");
}

static void
on_response (AdwMessageDialog *dialog, const char *response, gpointer user_data)
{
  SplitDialog *self = user_data;
  gint64 factor;

  if (g_str_equal (response, "split") && get_factor (self, &factor))
    self->split (factor, self->user_data);
}

static GtkWidget *
create_entry (SplitDialog *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *entry = gtk_entry_new ();
  GtkWidget *error = gtk_label_new ("");

  self->entry = GTK_EDITABLE (entry);
  self->error = GTK_LABEL (error);
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "3");
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, "Factor",
                                  -1);
  gtk_widget_add_css_class (error, "error");
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (on_changed), self);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), error);
  return box;
}

void
hir_split_dialog_present (GtkWindow *parent,
                          const char *what,
                          gboolean is_outer,
                          void (*split) (gint64 factor, gpointer user_data),
                          gpointer user_data,
                          GDestroyNotify destroy)
{
  GtkWidget *widget = adw_message_dialog_new (parent, NULL, NULL);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (widget);
  SplitDialog *self = g_new0 (SplitDialog, 1);

  self->dialog = dialog;
  self->split = split;
  self->user_data = user_data;
  self->destroy = destroy;
  adw_message_dialog_format_heading (dialog, "Split %s", what);
  adw_message_dialog_set_body (
      dialog, is_outer ? "Enter the size of the outer axis. The inner axis gets the rest."
                       : "Enter the size of the inner axis. The outer axis gets the rest.");
  adw_message_dialog_set_extra_child (dialog, create_entry (self));
  adw_message_dialog_add_responses (dialog, "cancel", "_Cancel", "split", "_Split", NULL);
  adw_message_dialog_set_response_appearance (dialog, "split", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_response_enabled (dialog, "split", FALSE);
  adw_message_dialog_set_default_response (dialog, "split");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "hir-asking", self, split_dialog_free);
  g_signal_connect (dialog, "response", G_CALLBACK (on_response), self);
  hir_names_follow (GTK_WINDOW (dialog));
  gtk_window_present (GTK_WINDOW (dialog));
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
}
