#include "canvas/scaler.h"

#include <math.h>

#define KEY "hir-scale"

struct _HirScaler
{
  GtkWidget parent_instance;

  GtkWidget *child;
  double scale;
};

G_DEFINE_FINAL_TYPE (HirScaler, hir_scaler, GTK_TYPE_WIDGET)

/* Returns the adjustment of @display that stores the scale and notifies its scalers. */
static GtkAdjustment *
get_scale (GdkDisplay *display)
{
  GtkAdjustment *scale = g_object_get_data (G_OBJECT (display), KEY);

  if (scale == NULL)
    {
      scale = g_object_ref_sink (gtk_adjustment_new (1, 1, 4, 0, 0, 0));
      g_object_set_data_full (G_OBJECT (display), KEY, scale, g_object_unref);
    }
  return scale;
}

void
hir_scaler_set_all (GdkDisplay *display, double scale)
{
  gtk_adjustment_set_value (get_scale (display), scale);
}

double
hir_scaler_get (GtkWidget *widget)
{
  GtkWidget *scaler = gtk_widget_get_ancestor (widget, HIR_TYPE_SCALER);

  return scaler != NULL ? HIR_SCALER (scaler)->scale : 1;
}

static void
on_scale (GtkAdjustment *scale, GParamSpec *pspec, gpointer user_data)
{
  HirScaler *self = user_data;

  self->scale = gtk_adjustment_get_value (scale);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  if (self->child != NULL)
    gtk_widget_queue_draw (self->child);
}

static GtkSizeRequestMode
hir_scaler_get_request_mode (GtkWidget *widget)
{
  return gtk_widget_get_request_mode (HIR_SCALER (widget)->child);
}

static void
hir_scaler_measure (GtkWidget *widget,
                    GtkOrientation orientation,
                    int for_size,
                    int *minimum,
                    int *natural,
                    int *minimum_baseline,
                    int *natural_baseline)
{
  HirScaler *self = HIR_SCALER (widget);
  int small, large;

  gtk_widget_measure (self->child, orientation,
                      for_size >= 0 ? (int) floor (for_size / self->scale) : -1, &small, &large,
                      NULL, NULL);
  *minimum = (int) ceil (small * self->scale);
  *natural = (int) ceil (large * self->scale);
}

static void
hir_scaler_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HirScaler *self = HIR_SCALER (widget);
  int minimum_width, minimum_height;
  int inner_width = (int) floor (width / self->scale),
      inner_height = (int) floor (height / self->scale);

  gtk_widget_measure (self->child, GTK_ORIENTATION_HORIZONTAL, -1, &minimum_width, NULL, NULL,
                      NULL);
  inner_width = MAX (inner_width, minimum_width);
  gtk_widget_measure (self->child, GTK_ORIENTATION_VERTICAL, inner_width, &minimum_height, NULL,
                      NULL, NULL);
  inner_height = MAX (inner_height, minimum_height);
  gtk_widget_allocate (self->child, inner_width, inner_height, -1,
                       self->scale > 1
                           ? gsk_transform_scale (NULL, (float) self->scale, (float) self->scale)
                           : NULL);
}

static gboolean
hir_scaler_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (HIR_SCALER (widget)->child);
}

static void
hir_scaler_dispose (GObject *object)
{
  g_clear_pointer (&HIR_SCALER (object)->child, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_scaler_parent_class)->dispose (object);
}

static void
hir_scaler_class_init (HirScalerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hir_scaler_dispose;
  widget_class->get_request_mode = hir_scaler_get_request_mode;
  widget_class->measure = hir_scaler_measure;
  widget_class->size_allocate = hir_scaler_size_allocate;
  widget_class->grab_focus = hir_scaler_grab_focus;
}

static void
hir_scaler_init (HirScaler *self)
{
  GtkAdjustment *scale = get_scale (gdk_display_get_default ());

  self->scale = gtk_adjustment_get_value (scale);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect_object (scale, "notify::value", G_CALLBACK (on_scale), self, 0);
}

GtkWidget *
hir_scaler_new (GtkWidget *child)
{
  HirScaler *self = g_object_new (HIR_TYPE_SCALER, NULL);

  self->child = child;
  gtk_widget_set_parent (child, GTK_WIDGET (self));
  gtk_widget_set_hexpand (GTK_WIDGET (self),
                          gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL));
  gtk_widget_set_vexpand (GTK_WIDGET (self),
                          gtk_widget_compute_expand (child, GTK_ORIENTATION_VERTICAL));
  return GTK_WIDGET (self);
}
