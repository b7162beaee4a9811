#include "graph/split-dialog.h"

#include <adwaita.h>

#include "base/names.h"

typedef struct
{
  AdwMessageDialog *dialog; /* borrowed: it owns this */
  GtkEditable *entry;
  GtkLabel *refusal;
  void (*split) (gint64 factor, gpointer user_data);
  gpointer user_data;
  GDestroyNotify destroy;
} Asking;

static void
asking_free (gpointer data)
{
  Asking *asking = data;

  if (asking->destroy != NULL)
    asking->destroy (asking->user_data);
  g_free (asking);
}

/* Parses the entered factor. Returns FALSE if an axis cannot be split by it. */
static gboolean
get_factor (const Asking *asking, gint64 *factor)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (asking->entry)));

  return g_ascii_string_to_signed (text, 10, 1, G_MAXINT64, factor, NULL);
}

static void
on_changed (Asking *asking)
{
  gint64 factor;
  gboolean is_good = get_factor (asking, &factor);
  gboolean is_empty = *gtk_editable_get_text (asking->entry) == '\0';

  adw_message_dialog_set_response_enabled (asking->dialog, "split", is_good);
  gtk_label_set_text (asking->refusal, is_good || is_empty ? "" : "Enter a whole number of 1 or more");
}

static void
on_response (AdwMessageDialog *dialog, const char *response, gpointer user_data)
{
  Asking *asking = user_data;
  gint64 factor;

  if (g_str_equal (response, "split") && get_factor (asking, &factor))
    asking->split (factor, asking->user_data);
}

static GtkWidget *
create_entry (Asking *asking)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *entry = gtk_entry_new ();
  GtkWidget *refusal = gtk_label_new ("");

  asking->entry = GTK_EDITABLE (entry);
  asking->refusal = GTK_LABEL (refusal);
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "3");
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, "Factor",
                                  -1);
  gtk_widget_add_css_class (refusal, "error");
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (on_changed), asking);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), refusal);
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
  Asking *asking = g_new0 (Asking, 1);

  asking->dialog = dialog;
  asking->split = split;
  asking->user_data = user_data;
  asking->destroy = destroy;
  adw_message_dialog_format_heading (dialog, "Split %s", what);
  adw_message_dialog_set_body (dialog,
                               is_outer
                                   ? "Enter the size of the outer axis. The inner axis gets the rest."
                                   : "Enter the size of the inner axis. The outer axis gets the rest.");
  adw_message_dialog_set_extra_child (dialog, create_entry (asking));
  adw_message_dialog_add_responses (dialog, "cancel", "_Cancel", "split", "_Split", NULL);
  adw_message_dialog_set_response_appearance (dialog, "split", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_response_enabled (dialog, "split", FALSE);
  adw_message_dialog_set_default_response (dialog, "split");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "hir-asking", asking, asking_free);
  g_signal_connect (dialog, "response", G_CALLBACK (on_response), asking);
  hir_names_follow (GTK_WINDOW (dialog));
  gtk_window_present (GTK_WINDOW (dialog));
  gtk_widget_grab_focus (GTK_WIDGET (asking->entry));
}
