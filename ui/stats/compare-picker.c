#include "stats/compare-picker.h"

#include <adwaita.h>
#include <string.h>

#define WIDTH 420
#define HEIGHT 460

typedef struct
{
  GtkWindow *window;
  HirSelection *selection;
  HirComparePicked picked;
  gpointer user_data;
  GtkListBox *list;
  GtkEditable *entry;
} Picker;

static void
picker_free (gpointer data)
{
  Picker *picker = data;

  g_object_unref (picker->selection);
  g_free (picker);
}

/* Destroys the window, and with it @picker, before the callback is called. */
static void
choose (Picker *picker, GtkListBoxRow *row)
{
  HirComparePicked picked = picker->picked;
  gpointer user_data = picker->user_data;
  g_autoptr (HirProgramView) view = NULL;
  g_autofree char *name = NULL;

  if (row == NULL)
    return;
  view = hir_program_view_ref (g_object_get_data (G_OBJECT (row), "view"));
  name = g_strdup (g_object_get_data (G_OBJECT (row), "name"));
  gtk_window_destroy (picker->window);
  picked (view, name, user_data);
}

static void
on_row (GtkListBox *list, GtkListBoxRow *row, gpointer user_data)
{
  choose (user_data, row);
}

static void
add_row (Picker *picker, HirProgramView *view, const char *name, const char *note_text)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *title = gtk_label_new (view->pass_name);
  GtkWidget *note = gtk_label_new (note_text);

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (note, "dim-label");
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), note);
  gtk_widget_set_margin_start (box, 10);
  gtk_widget_set_margin_end (box, 10);
  gtk_widget_set_margin_top (box, 7);
  gtk_widget_set_margin_bottom (box, 7);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_widget_set_tooltip_text (row, name);
  g_object_set_data_full (G_OBJECT (row), "view", hir_program_view_ref (view),
                          (GDestroyNotify) hir_program_view_unref);
  g_object_set_data_full (G_OBJECT (row), "name", g_strdup (name), g_free);
  gtk_list_box_append (picker->list, row);
}

/* Adds one row per step of @program. @group NULL: the displayed program, whose steps are named
 * by their passes only. */
static void
add_program (Picker *picker, HirProgram *program, const char *group)
{
  HirProgramView *current = hir_selection_get_view (picker->selection);

  for (guint i = program->views->len; i-- > 0;)
    {
      HirProgramView *view = program->views->pdata[i];
      g_autofree char *name = group != NULL ? g_strdup_printf ("%s, %s", view->pass_name, group)
                                            : g_strdup (view->pass_name);
      g_autofree char *note = NULL;

      if (view == current)
        continue;
      if (group == NULL)
        note =
            g_strdup (view == hir_selection_get_previous_view (picker->selection) ? "previous step"
                      : view->changed                                             ? ""
                                                                                  : "no change");
      add_row (picker, view, name, group != NULL ? group : note);
    }
}

static void
add_rows (Picker *picker)
{
  HirProgram *program = hir_selection_get_program (picker->selection);
  HirProgram *earlier = hir_selection_get_earlier_program (picker->selection);
  HirRankPrograms *ranks = hir_selection_get_ranks (picker->selection);

  add_program (picker, program, NULL);
  if (earlier != NULL)
    add_program (picker, earlier, "before the last change");
  for (guint i = 0; ranks != NULL && i < ranks->programs->len; i++)
    {
      const HirRankProgram *other = hir_rank_programs_get (ranks, i);
      g_autofree char *name = NULL;

      if (other->program == program || other->ranks->len == 0)
        continue;
      name = g_strdup_printf ("rank %d", g_array_index (other->ranks, int, 0));
      add_program (picker, other->program, name);
    }
}

static gboolean
filter (GtkListBoxRow *row, gpointer user_data)
{
  Picker *picker = user_data;
  g_autofree char *wanted = g_utf8_casefold (gtk_editable_get_text (picker->entry), -1);
  g_autofree char *name = g_utf8_casefold (g_object_get_data (G_OBJECT (row), "name"), -1);

  return strstr (name, wanted) != NULL;
}

static GtkListBoxRow *
find_first (Picker *picker)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (picker->list, i)) != NULL; i++)
    if (gtk_widget_get_child_visible (GTK_WIDGET (row)))
      return row;
  return NULL;
}

static void
on_search (Picker *picker)
{
  gtk_list_box_invalidate_filter (picker->list);
  gtk_list_box_select_row (picker->list, find_first (picker));
}

static void
on_activate (Picker *picker)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (picker->list);

  choose (picker, row != NULL ? row : find_first (picker));
}

/* In the entry, Up and Down move the selection of the list. */
static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  Picker *picker = user_data;
  GtkListBoxRow *row = gtk_list_box_get_selected_row (picker->list);
  int by = keyval == GDK_KEY_Down ? 1 : keyval == GDK_KEY_Up ? -1 : 0;
  int at = row != NULL ? gtk_list_box_row_get_index (row) : -1;

  if (keyval == GDK_KEY_Escape)
    {
      gtk_window_destroy (picker->window);
      return TRUE;
    }
  if (by == 0)
    return FALSE;
  do
    {
      at += by;
      row = at >= 0 ? gtk_list_box_get_row_at_index (picker->list, at) : NULL;
    }
  while (row != NULL && !gtk_widget_get_child_visible (GTK_WIDGET (row)));
  if (row != NULL)
    gtk_list_box_select_row (picker->list, row);
  return TRUE;
}

static GtkWidget *
create_content (Picker *picker)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *header = adw_header_bar_new ();
  GtkWidget *entry = gtk_search_entry_new ();
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *list = gtk_list_box_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  picker->entry = GTK_EDITABLE (entry);
  picker->list = GTK_LIST_BOX (list);
  g_object_set (entry, "placeholder-text", "Pass or rank", NULL);
  gtk_widget_set_margin_start (entry, 12);
  gtk_widget_set_margin_end (entry, 12);
  /* "changed" has no delay, unlike "search-changed": Enter may follow at once. */
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (on_search), picker);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_activate), picker);
  g_signal_connect (list, "row-activated", G_CALLBACK (on_row), picker);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), picker);
  gtk_widget_add_controller (entry, keys);
  gtk_list_box_set_filter_func (picker->list, filter, picker, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_widget_set_vexpand (scroller, TRUE);
  gtk_box_append (GTK_BOX (box), header);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), scroller);
  return box;
}

void
hir_compare_picker_present (GtkWindow *parent,
                            HirSelection *selection,
                            HirComparePicked picked,
                            gpointer user_data)
{
  HirProgramView *view = hir_selection_get_view (selection);
  Picker *picker;
  g_autofree char *title = NULL;

  if (view == NULL)
    return;
  picker = g_new0 (Picker, 1);
  picker->selection = g_object_ref (selection);
  picker->picked = picked;
  picker->user_data = user_data;
  title = g_strdup_printf ("Compare %s With", view->pass_name);
  picker->window = g_object_new (ADW_TYPE_WINDOW, "title", title, "transient-for", parent, "modal",
                                 TRUE, "default-width", WIDTH, "default-height", HEIGHT, NULL);
  g_object_set_data_full (G_OBJECT (picker->window), "hir-picker", picker, picker_free);
  adw_window_set_content (ADW_WINDOW (picker->window), create_content (picker));
  add_rows (picker);
  gtk_list_box_select_row (picker->list, gtk_list_box_get_row_at_index (picker->list, 0));
  gtk_window_present (picker->window);
  gtk_widget_grab_focus (GTK_WIDGET (picker->entry));
}
