/* Tests that a scaled child is laid out in its own pixels. Needs a display. */
#include <adwaita.h>

#include "canvas/scaler.h"

static GtkWidget *
create_child (int width, int height)
{
  GtkWidget *child = gtk_drawing_area_new ();

  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (child), width);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (child), height);
  return child;
}

static void
check_natural (GtkWidget *widget, GtkOrientation orientation, int expected)
{
  int minimum, natural;

  gtk_widget_measure (widget, orientation, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, ==, expected);
  g_assert_cmpint (natural, ==, expected);
}

static void
allocate (GtkWidget *widget, int width, int height)
{
  int least;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_allocate (widget, width, height, -1, NULL);
}

static void
test_sizes (void)
{
  GdkDisplay *display = gdk_display_get_default ();
  GtkWidget *child = create_child (100, 41);
  GtkWidget *scaler = g_object_ref_sink (hir_scaler_new (child));
  static const double scales[] = { 1, 1.5, 2, 1.25 };

  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      double x, y;

      hir_scaler_set_all (display, scales[i]);
      g_assert_cmpfloat (hir_scaler_get (child), ==, scales[i]);
      check_natural (scaler, GTK_ORIENTATION_HORIZONTAL, (int) (100 * scales[i]));
      check_natural (scaler, GTK_ORIENTATION_VERTICAL, (int) (41 * scales[i] + 0.99));
      allocate (scaler, 300, 201);
      g_assert_cmpint (gtk_widget_get_width (child), ==, (int) (300 / scales[i]));
      g_assert_cmpint (gtk_widget_get_height (child), ==, (int) (201 / scales[i]));
      /* Coordinates are translated to the child. */
      g_assert_true (gtk_widget_translate_coordinates (scaler, child, 150, 60, &x, &y));
      g_assert_cmpfloat_with_epsilon (x, 150 / scales[i], 1e-3);
      g_assert_cmpfloat_with_epsilon (y, 60 / scales[i], 1e-3);
    }
  hir_scaler_set_all (display, 1);
  g_object_unref (scaler);
}

/* A scaler created later has the current scale. A widget outside of a scaler has scale 1. */
static void
test_all (void)
{
  GdkDisplay *display = gdk_display_get_default ();
  GtkWidget *alone = g_object_ref_sink (create_child (10, 10));
  GtkWidget *child, *scaler;

  hir_scaler_set_all (display, 2);
  child = create_child (10, 10);
  scaler = g_object_ref_sink (hir_scaler_new (child));
  g_assert_cmpfloat (hir_scaler_get (child), ==, 2);
  g_assert_cmpfloat (hir_scaler_get (alone), ==, 1);
  g_object_unref (scaler);
  g_object_unref (alone);
  /* Changing the scale after a scaler is destroyed does nothing. */
  hir_scaler_set_all (display, 1);
}

/* The height of a wrapping text is computed for the available width. */
static void
test_wrapped (void)
{
  GtkWidget *label = gtk_label_new (
      "some words that go over several lines where there is no room for them in one");
  GtkWidget *scaler;
  int in_half, scaled;

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  scaler = g_object_ref_sink (hir_scaler_new (label));
  gtk_widget_measure (label, GTK_ORIENTATION_VERTICAL, 150, &in_half, NULL, NULL, NULL);
  hir_scaler_set_all (gdk_display_get_default (), 2);
  gtk_widget_measure (scaler, GTK_ORIENTATION_VERTICAL, 300, &scaled, NULL, NULL, NULL);
  g_assert_cmpint (scaled, ==, 2 * in_half);
  hir_scaler_set_all (gdk_display_get_default (), 1);
  g_object_unref (scaler);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv);
  adw_init ();
  g_test_add_func ("/scaler/sizes", test_sizes);
  g_test_add_func ("/scaler/all", test_all);
  g_test_add_func ("/scaler/wrapped", test_wrapped);
  return g_test_run ();
}
