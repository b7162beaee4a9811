#include "inspector/scene-card.h"

#include "config.h"

#include <math.h>

#include "canvas/canvas-input.h"
#include "canvas/canvas.h"
#include "draw/text-cache.h"

#define PADDING 10.0
#define NATURAL_WIDTH 240

struct _HirSceneCard
{
  GtkWidget parent_instance;

  const HirSceneCardClassTable *table;
  gpointer data;
  HirMeasure *measure;
  HirDisplayList *list;
  HirTextCache *texts;
  int current;
  double pointer_x, pointer_y; /* position on the surface at the last motion event */
};

static guint part_signal;

G_DEFINE_FINAL_TYPE (HirSceneCard, hir_scene_card, GTK_TYPE_WIDGET)

static double
get_width (HirSceneCard *self)
{
  return MAX (gtk_widget_get_width (GTK_WIDGET (self)) - 2 * PADDING, 40);
}

static void
fill_list (HirSceneCard *self)
{
  hir_display_list_clear (self->list);
  self->table->draw (self->data, self->list, hir_canvas_get_theme (), self->measure,
                     get_width (self), self->current);
}

static char *
dup_text (HirSceneCard *self, int part)
{
  return part >= 0 ? self->table->dup_text (self->data, part) : g_strdup ("");
}

static void
set_current (HirSceneCard *self, int current)
{
  g_autofree char *text = NULL;

  if (current == self->current)
    return;
  self->current = current;
  text = dup_text (self, current);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                  -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static int
find_part (HirSceneCard *self, double x, double y)
{
  const HirHit *hit;

  fill_list (self);
  hit = hir_display_list_get_hit (self->list, x - PADDING, y - PADDING);
  return hit != NULL ? (int) hit->id : -1;
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  HirSceneCard *self = user_data;
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (controller));
  double at_x = 0, at_y = 0;

  /* Ignore motion events caused by scrolling under an idle pointer. */
  if (event != NULL && gdk_event_get_position (event, &at_x, &at_y) && at_x == self->pointer_x &&
      at_y == self->pointer_y)
    return;
  self->pointer_x = at_x;
  self->pointer_y = at_y;
  set_current (self, find_part (self, x, y));
}

static void
on_leave (GtkEventControllerMotion *controller, gpointer user_data)
{
  if (!gtk_widget_has_focus (user_data))
    set_current (user_data, -1);
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirSceneCard *self = user_data;
  int part = find_part (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  set_current (self, part);
  if (part >= 0)
    g_signal_emit (self, part_signal, 0, part);
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  HirSceneCard *self = user_data;
  int dx = keyval == GDK_KEY_Right ? 1 : keyval == GDK_KEY_Left ? -1 : 0;
  int dy = keyval == GDK_KEY_Down ? 1 : keyval == GDK_KEY_Up ? -1 : 0;

  if ((state & gtk_accelerator_get_default_mod_mask ()) != 0)
    return FALSE;
  if (dx != 0 || dy != 0)
    {
      set_current (self, self->table->step (self->data, self->measure, get_width (self),
                                            self->current, dx, dy));
      return TRUE;
    }
  if (keyval != GDK_KEY_Return && keyval != GDK_KEY_KP_Enter)
    return FALSE;
  if (self->current >= 0)
    g_signal_emit (self, part_signal, 0, self->current);
  return TRUE;
}

static GtkSizeRequestMode
hir_scene_card_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
hir_scene_card_measure (GtkWidget *widget,
                        GtkOrientation orientation,
                        int for_size,
                        int *minimum,
                        int *natural,
                        int *minimum_baseline,
                        int *natural_baseline)
{
  HirSceneCard *self = HIR_SCENE_CARD (widget);
  double width = (for_size > 0 ? for_size : NATURAL_WIDTH) - 2 * PADDING;

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = 100;
  else
    *minimum = *natural = (int) ceil (
        self->table->get_height (self->data, self->measure, MAX (width, 40)) + 2 * PADDING);
}

static void
hir_scene_card_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirSceneCard *self = HIR_SCENE_CARD (widget);

  fill_list (self);
  hir_canvas_snapshot (widget, snapshot, self->list, self->texts,
                       hir_canvas_get_theme ()->background, 1, PADDING, PADDING);
}

static void
hir_scene_card_dispose (GObject *object)
{
  HirSceneCard *self = HIR_SCENE_CARD (object);

  if (self->data != NULL)
    self->table->free (self->data);
  self->data = NULL;
  g_clear_pointer (&self->measure, hir_measure_free);
  g_clear_pointer (&self->list, hir_display_list_free);
  g_clear_pointer (&self->texts, hir_text_cache_free);
  G_OBJECT_CLASS (hir_scene_card_parent_class)->dispose (object);
}

static void
hir_scene_card_class_init (HirSceneCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hir_scene_card_dispose;
  widget_class->get_request_mode = hir_scene_card_get_request_mode;
  widget_class->measure = hir_scene_card_measure;
  widget_class->snapshot = hir_scene_card_snapshot;
  gtk_widget_class_set_css_name (widget_class, "scenecard");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  part_signal = g_signal_new ("activate-part", HIR_TYPE_SCENE_CARD, G_SIGNAL_RUN_LAST, 0, NULL,
                              NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
}

static void
hir_scene_card_init (HirSceneCard *self)
{
  static const HirCanvasInput input = {
    .released = on_released,
    .motion = on_motion,
    .leave = on_leave,
    .key = on_key,
  };
  GtkWidget *widget = GTK_WIDGET (self);

  self->current = -1;
  self->measure = hir_measure_new ();
  self->list = hir_display_list_new ();
  self->texts = hir_text_cache_new ();
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (widget, "card");
  hir_canvas_input_add (widget, &input, self);
  hir_canvas_follow_style (widget);
}

GtkWidget *
hir_scene_card_new (const HirSceneCardClassTable *table, gpointer data)
{
  HirSceneCard *self = g_object_new (HIR_TYPE_SCENE_CARD, NULL);

  self->table = table;
  self->data = data;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, table->name,
                                  -1);
  return GTK_WIDGET (self);
}

#if HIR_TESTING
char *
hir_scene_card_dup_part_text (HirSceneCard *self, int part)
{
  return dup_text (self, part >= 0 ? part : self->current);
}
#endif

const char *
hir_scene_card_get_name (HirSceneCard *self)
{
  return self->table->name;
}

#if HIR_TESTING
gboolean
hir_scene_card_get_part (HirSceneCard *self, guint i, double *x, double *y)
{
  guint n;

  /* A map has thousands of parts: draw it only for the first one. */
  if (i == 0)
    fill_list (self);
  n = self->list->hits->len;
  for (guint h = 0; h < n; h++)
    {
      /* Hits are mostly in the order of their parts. */
      const HirHit *hit = &g_array_index (self->list->hits, HirHit, (h + i) % n);

      if (hit->id != i)
        continue;
      *x = PADDING + hit->rect.x + hit->rect.width / 2;
      *y = PADDING + hit->rect.y + hit->rect.height / 2;
      return TRUE;
    }
  return FALSE;
}
#endif
