#include "base/figure-dialog.h"

#include <adwaita.h>

#include "base/names.h"

/* As in `hirscope export`. */
#define MIN_MM 20
#define MAX_MM 5000
#define MIN_PT 3
#define MAX_PT 72

typedef struct
{
  HirFigureLook *look;
  GtkSpinButton *width, *height, *font;
  AdwComboRow *background;
  AdwComboRow *rows; /* NULL for a graph */
  GtkSwitch *legend;
  GFunc done;
  gpointer data, user_data;
} Dialog;

void
hir_figure_look_init (HirFigureLook *look, gboolean is_timeline)
{
  *look = (HirFigureLook){ .width_mm = is_timeline ? 180 : 0, .font_pt = 8, .legend = TRUE };
}

/* Returns the length in @spin, at least MIN_MM; 0 stays 0 if @may_be_needed. */
static double
read_mm (GtkSpinButton *spin, gboolean may_be_needed)
{
  double mm;

  gtk_spin_button_update (spin);
  mm = gtk_spin_button_get_value (spin);
  return mm > 0 || !may_be_needed ? MAX (mm, MIN_MM) : 0;
}

static void
on_response (Dialog *self, const char *response)
{
  HirFigureLook *look = self->look;

  if (!g_str_equal (response, "choose"))
    return;
  gtk_spin_button_update (self->font);
  look->width_mm = read_mm (self->width, self->rows == NULL);
  look->height_mm = read_mm (self->height, TRUE);
  look->font_pt = gtk_spin_button_get_value (self->font);
  look->background = (HirFigureBackground) adw_combo_row_get_selected (self->background);
  look->legend = gtk_switch_get_active (self->legend);
  look->all_rows = self->rows != NULL && adw_combo_row_get_selected (self->rows) == 1;
  self->done (self->data, self->user_data);
}

static void
free_dialog (gpointer data, GClosure *closure)
{
  g_free (data);
}

/* Adds a row with @control at its end, which gets the name of the row. */
static void
add_row (GtkListBox *list, const char *title, const char *subtitle, GtkWidget *control)
{
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  if (subtitle != NULL)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  gtk_widget_set_valign (control, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (control), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), control);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), control);
  gtk_list_box_append (list, row);
}

static GtkSpinButton *
add_number (
    GtkListBox *list, const char *title, const char *subtitle, double min, double max, double value)
{
  GtkWidget *spin = gtk_spin_button_new_with_range (min, max, 1);

  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), value);
  gtk_editable_set_width_chars (GTK_EDITABLE (spin), 5);
  add_row (list, title, subtitle, spin);
  return GTK_SPIN_BUTTON (spin);
}

static AdwComboRow *
add_choice (GtkListBox *list, const char *title, const char *const *words, guint selected)
{
  GtkWidget *row = adw_combo_row_new ();
  g_autoptr (GtkStringList) model = gtk_string_list_new (words);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (model));
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), selected);
  gtk_list_box_append (list, row);
  return ADW_COMBO_ROW (row);
}

static GtkWidget *
create_rows (Dialog *self, gboolean is_timeline)
{
  static const char *const backgrounds[] = { "White", "As in the Window", "Transparent", NULL };
  static const char *const rows[] = { "As in the Window", "All", NULL };
  const HirFigureLook *look = self->look;
  GtkWidget *list = gtk_list_box_new ();

  gtk_widget_add_css_class (list, "boxed-list");
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  self->width = add_number (GTK_LIST_BOX (list), "Width in mm",
                            is_timeline ? NULL : "0: as large as the graph needs",
                            is_timeline ? MIN_MM : 0, MAX_MM, look->width_mm);
  self->height =
      add_number (GTK_LIST_BOX (list), "Height in mm",
                  is_timeline ? "0: as high as the rows need" : "0: as large as the graph needs", 0,
                  MAX_MM, look->height_mm);
  self->font =
      add_number (GTK_LIST_BOX (list), "Font Size in pt", NULL, MIN_PT, MAX_PT, look->font_pt);
  self->background =
      add_choice (GTK_LIST_BOX (list), "Background", backgrounds, (guint) look->background);
  if (is_timeline)
    self->rows = add_choice (GTK_LIST_BOX (list), "Rows", rows, look->all_rows ? 1 : 0);
  self->legend = GTK_SWITCH (gtk_switch_new ());
  gtk_switch_set_active (self->legend, look->legend);
  add_row (GTK_LIST_BOX (list), "Legend", "Explains the colors", GTK_WIDGET (self->legend));
  return list;
}

void
hir_figure_dialog_present (GtkWindow *parent,
                           const char *time,
                           HirFigureLook *look,
                           GFunc done,
                           gpointer data,
                           gpointer user_data)
{
  gboolean is_timeline = time != NULL;
  g_autofree char *text =
      g_strconcat (is_timeline ? time : "", "The file name selects the format: .svg, .pdf or .png",
                   NULL);
  GtkWidget *window =
      adw_message_dialog_new (parent, is_timeline ? "Export Timeline" : "Export Graph", text);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (window);
  Dialog *self = g_new0 (Dialog, 1);

  self->look = look;
  self->done = done;
  self->data = data;
  self->user_data = user_data;
  adw_message_dialog_set_extra_child (dialog, create_rows (self, is_timeline));
  adw_message_dialog_add_responses (dialog, "cancel", "_Cancel", "choose",
                                    "Choose _File\xe2\x80\xa6", NULL);
  adw_message_dialog_set_response_appearance (dialog, "choose", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, "choose");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_response), self, free_dialog,
                         G_CONNECT_SWAPPED);
  hir_names_follow (GTK_WINDOW (window));
  gtk_window_present (GTK_WINDOW (window));
}
