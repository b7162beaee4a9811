/* Tests the accessible names of controls. Needs a display and GTK_A11Y=test. */
#include <adwaita.h>

#include "base/names.h"

static void
check (GtkWidget *widget, const char *expected)
{
  g_autofree char *why = NULL;

  g_object_ref_sink (widget);
  hir_names_fill (widget);
  why = gtk_test_accessible_check_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            expected);
  g_assert_cmpstr (why, ==, NULL);
  g_object_unref (widget);
}

static GtkWidget *
tell (GtkWidget *widget, const char *tooltip)
{
  gtk_widget_set_tooltip_text (widget, tooltip);
  return widget;
}

static void
test_labels (void)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *entry = gtk_entry_new (), *hidden = gtk_label_new ("not seen");

  check (gtk_button_new_with_label ("Run"), "Run");
  check (tell (gtk_button_new_from_icon_name ("list-add"), "Zoom in (+)"), "Zoom in (+)");
  check (gtk_button_new_from_icon_name ("edit-find-symbolic"), "Find");
  gtk_widget_set_visible (hidden, FALSE);
  gtk_box_append (GTK_BOX (box), hidden);
  gtk_box_append (GTK_BOX (box), gtk_label_new ("SegmentFusion"));
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  check (row, "SegmentFusion");
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "print T5");
  check (entry, "print T5");
}

/* The tooltip is a better name than the current choice. */
static void
test_choices (void)
{
  static const char *const items[] = { "4 streams", "8 streams", NULL };

  check (gtk_drop_down_new_from_strings (items), "4 streams");
  check (tell (gtk_drop_down_new_from_strings (items), "Streams of a run"), "Streams of a run");
  check (tell (gtk_switch_new (), "Animation"), "Animation");
  check (gtk_paned_new (GTK_ORIENTATION_HORIZONTAL), "Divider");
}

/* Names follow changed labels; a name set by the creator of the widget is kept. */
static void
test_changes (void)
{
  GtkWidget *button = g_object_ref_sink (gtk_button_new_with_label ("Cancel"));
  GtkWidget *given = g_object_ref_sink (gtk_button_new_with_label ("x"));

  check (button, "Cancel");
  gtk_button_set_label (GTK_BUTTON (button), "Compute");
  check (button, "Compute");
  gtk_accessible_update_property (GTK_ACCESSIBLE (given), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Close the debugger", -1);
  check (given, "Close the debugger");
  g_object_unref (button);
  g_object_unref (given);
}

/* Boxes and scrolled windows need no name. */
static void
test_unnamed (void)
{
  GtkWidget *others[] = { tell (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0), "Axes"),
                          tell (gtk_scrolled_window_new (), "Axes") };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_object_ref_sink (others[i]);
      hir_names_fill (others[i]);
      g_assert_false (gtk_test_accessible_has_property (GTK_ACCESSIBLE (others[i]),
                                                        GTK_ACCESSIBLE_PROPERTY_LABEL));
      g_object_unref (others[i]);
    }
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv);
  adw_init ();
  g_test_add_func ("/names/labels", test_labels);
  g_test_add_func ("/names/choices", test_choices);
  g_test_add_func ("/names/changes", test_changes);
  g_test_add_func ("/names/unnamed", test_unnamed);
  return g_test_run ();
}
