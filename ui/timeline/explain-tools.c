#include "timeline/explain-tools.h"

#include <adwaita.h>

#include "base/focus.h"
#include "canvas/canvas.h"
#include "draw/timeline/timeline-explain.h"

#define N_TOGGLES (1 + HIR_N_SPAN_KINDS)

typedef struct
{
  HirExplaining *explaining;
  HirSelection *selection;
  GtkWidget *box;
  GtkToggleButton *toggles[N_TOGGLES]; /* path, then one per HirSpanKind */
  GtkLabel *labels[N_TOGGLES];
} Tools;

static const struct
{
  const char *label, *tooltip;
} texts[N_TOGGLES] = {
  { "Path", "Draw the critical path (Shift+D)" },
  [1 + HIR_SPAN_EXPOSED] = { "Exposed", "Shade exposed communication and copies (Shift+X)" },
  [1 + HIR_SPAN_IDLE] = { "Idle", "Shade idle gaps (Shift+I)" },
  [1 + HIR_SPAN_WAITING] = { "Waiting", "Shade waiting for other ranks (Shift+W)" },
};

static gboolean
is_shown (const Tools *tools, guint i)
{
  if (i == 0)
    return hir_explaining_get_shows_path (tools->explaining);
  return ((hir_explaining_get_shades (tools->explaining) >> (i - 1)) & 1u) != 0;
}

static void
update (Tools *tools)
{
  gboolean has_trace = hir_selection_get_trace (tools->selection) != NULL;

  if (!has_trace)
    hir_focus_leave (tools->box, NULL);
  gtk_widget_set_visible (tools->box, has_trace);
  for (guint i = 0; i < N_TOGGLES; i++)
    gtk_toggle_button_set_active (tools->toggles[i], is_shown (tools, i));
}

/* Colors the marks like the shades. */
static void
update_colors (Tools *tools)
{
  const HirTheme *theme = hir_canvas_get_theme ();

  for (guint i = 1; i < N_TOGGLES; i++)
    {
      HirColor color = hir_timeline_span_get_color (theme, (HirSpanKind) (i - 1));
      g_autofree char *markup = g_strdup_printf ("<span foreground=\"#%06x\">\u25a0</span> %s",
                                                 color & 0xffffffu, texts[i].label);

      gtk_label_set_markup (tools->labels[i], markup);
    }
}

static void
on_toggled (GtkToggleButton *button, gpointer user_data)
{
  Tools *tools = user_data;
  gboolean is_active = gtk_toggle_button_get_active (button);
  guint shades = hir_explaining_get_shades (tools->explaining);

  for (guint i = 0; i < N_TOGGLES; i++)
    if (tools->toggles[i] == button && is_active != is_shown (tools, i))
      {
        if (i == 0)
          hir_explaining_set_shows_path (tools->explaining, is_active);
        else
          hir_explaining_set_shades (tools->explaining, shades ^ (1u << (i - 1)));
      }
}

static void
tools_free (gpointer data)
{
  Tools *tools = data;

  g_signal_handlers_disconnect_by_data (tools->explaining, tools);
  g_signal_handlers_disconnect_by_data (adw_style_manager_get_default (), tools);
  g_object_unref (tools->explaining);
  g_object_unref (tools->selection);
  g_free (tools);
}

GtkWidget *
hir_explain_tools_new (HirExplaining *explaining, HirSelection *selection)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  Tools *tools = g_new0 (Tools, 1);

  tools->explaining = g_object_ref (explaining);
  tools->selection = g_object_ref (selection);
  tools->box = box;
  for (guint i = 0; i < N_TOGGLES; i++)
    {
      GtkWidget *button = gtk_toggle_button_new (), *label = gtk_label_new (texts[i].label);

      gtk_button_set_child (GTK_BUTTON (button), label);
      gtk_widget_add_css_class (button, "flat");
      gtk_widget_set_focus_on_click (button, FALSE);
      gtk_widget_set_tooltip_text (button, texts[i].tooltip);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      texts[i].tooltip, -1);
      g_signal_connect (button, "toggled", G_CALLBACK (on_toggled), tools);
      gtk_box_append (GTK_BOX (box), button);
      tools->toggles[i] = GTK_TOGGLE_BUTTON (button);
      tools->labels[i] = GTK_LABEL (label);
    }
  g_signal_connect_swapped (explaining, "changed", G_CALLBACK (update), tools);
  g_signal_connect_swapped (adw_style_manager_get_default (), "notify::dark",
                            G_CALLBACK (update_colors), tools);
  g_object_set_data_full (G_OBJECT (box), "tools", tools, tools_free);
  update_colors (tools);
  update (tools);
  return box;
}
