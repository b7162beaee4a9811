#include "explain/explain-canvas.h"

#include "base/control-words.h"
#include "canvas/canvas-input.h"
#include "canvas/canvas.h"
#include "config.h"

struct _HirExplainCanvas
{
  GtkWidget parent_instance;

  HirExplaining *explaining;
  HirExplainLayout *layout;  /* for the width, or NULL */
  const HirExplain *explain; /* of the layout; only compared, like its trace */
  const HirTrace *trace;
  HirExplainSpot hovered, selected;
  GtkAdjustment *adjustment;
  guint idle; /* idle source that adapts the adjustment */
  HirMeasure *measure;
  HirDisplayList *list;
  HirTextCache *texts;
};

G_DEFINE_FINAL_TYPE (HirExplainCanvas, hir_explain_canvas, GTK_TYPE_WIDGET)

GtkAdjustment *
hir_explain_canvas_get_adjustment (HirExplainCanvas *self)
{
  return self->adjustment;
}

static gboolean
get_scene (HirExplainCanvas *self, HirExplainScene *scene)
{
  const HirExplain *explain = hir_explaining_get (self->explaining);
  const HirLoss *loss = NULL;
  double width = gtk_widget_get_width (GTK_WIDGET (self));

  if (explain == NULL)
    return FALSE;
  if (self->layout == NULL || self->layout->width != width)
    {
      g_clear_pointer (&self->layout, hir_explain_layout_free);
      self->layout = hir_explain_layout_new (explain, self->measure, width);
      self->hovered.link = self->selected.link = -1; /* lines break elsewhere */
    }
  *scene = (HirExplainScene){ .layout = self->layout,
                              .trace = explain->trace,
                              .theme = hir_canvas_get_theme (),
                              .hovered = self->hovered,
                              .selected = self->selected,
                              .width = width,
                              .height = gtk_widget_get_height (GTK_WIDGET (self)),
                              .scroll_y = gtk_adjustment_get_value (self->adjustment) };
  if (self->selected.row >= 0 && self->selected.row < (int) self->layout->rows->len)
    loss = g_array_index (self->layout->rows, HirExplainRow, self->selected.row).loss;
  scene->piece = loss != NULL ? hir_explaining_get_piece (self->explaining, loss) : 0;
  return TRUE;
}

#if HIR_TESTING
gboolean
hir_explain_canvas_get_scene (HirExplainCanvas *self, HirExplainScene *scene)
{
  return get_scene (self, scene);
}
#endif

static void
fit_adjustment (HirExplainCanvas *self)
{
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  HirExplainScene scene;
  double all = get_scene (self, &scene) ? scene.layout->height : 0;

  gtk_adjustment_configure (self->adjustment, gtk_adjustment_get_value (self->adjustment), 0,
                            MAX (all, height), 40, height * 0.9, height);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
fit_in_idle (gpointer user_data)
{
  HirExplainCanvas *self = user_data;

  self->idle = 0;
  fit_adjustment (self);
  return G_SOURCE_REMOVE;
}

static void
translate (char **text)
{
  char *words = hir_control_words_dup (*text);

  g_free (*text);
  *text = words;
}

static void
on_changed (HirExplainCanvas *self)
{
  const HirExplain *explain = hir_explaining_get (self->explaining);

  if (explain == self->explain)
    return;
  self->explain = explain;
  for (guint i = 0; explain != NULL && i < explain->notes->len; i++)
    translate ((char **) &explain->notes->pdata[i]);
  for (guint i = 0; explain != NULL && explain->gains != NULL && i < explain->gains->len; i++)
    translate (&g_array_index (explain->gains, HirGain, i).text);
  g_clear_pointer (&self->layout, hir_explain_layout_free);
  /* The explanation of the same trace with gains has the same rows before them. */
  if (explain == NULL || explain->trace != self->trace)
    self->hovered = self->selected = (HirExplainSpot){ -1, -1 };
  self->trace = explain != NULL ? explain->trace : NULL;
  fit_adjustment (self);
}

const HirGain *
hir_explain_canvas_get_gain (HirExplainCanvas *self)
{
  HirExplainScene scene;

  if (!get_scene (self, &scene) || self->selected.row < 0 ||
      self->selected.row >= (int) scene.layout->rows->len)
    return NULL;
  return g_array_index (scene.layout->rows, HirExplainRow, self->selected.row).gain;
}

static HirExplainSpot
get_hit (HirExplainCanvas *self, double x, double y)
{
  HirExplainScene scene;

  return get_scene (self, &scene) ? hir_explain_scene_hit (&scene, x, y)
                                  : (HirExplainSpot){ -1, -1 };
}

/* Follows a link, or goes to the interval of a row. */
static void
activate (HirExplainCanvas *self, HirExplainSpot spot)
{
  const HirExplainRow *row = &g_array_index (self->layout->rows, HirExplainRow, spot.row);

  if (hir_explain_row_is_selectable (row))
    self->selected = spot;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (spot.link >= 0)
    {
      /* A copy: what the link changes may change the rows. */
      g_autofree char *target =
          g_strdup (g_array_index (row->links, HirExplainLink, spot.link).target);

      gtk_widget_activate_action (GTK_WIDGET (self), "win.link", "s", target);
      return;
    }
  if (row->gain != NULL)
    hir_explaining_show_gain (self->explaining, row->gain);
  else
    hir_explaining_show_loss (self->explaining, row->loss);
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirExplainCanvas *self = user_data;
  HirExplainSpot spot = get_hit (self, x, y);
  HirExplainScene scene;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (spot.row < 0)
    return;
  activate (self, spot);
  if (get_scene (self, &scene) && spot.row < (int) scene.layout->rows->len &&
      hir_explain_scene_hits_predict (&scene, spot.row, x, y))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.predict", NULL);
}

static void
set_hovered (HirExplainCanvas *self, HirExplainSpot spot)
{
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), spot.row >= 0 ? "pointer" : NULL);
  if (spot.row == self->hovered.row && spot.link == self->hovered.link)
    return;
  self->hovered = spot;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  set_hovered (user_data, get_hit (user_data, x, y));
}

static void
on_leave (GtkEventControllerMotion *controller, gpointer user_data)
{
  set_hovered (user_data, (HirExplainSpot){ -1, -1 });
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, gpointer user_data)
{
  HirExplainCanvas *self = user_data;

  gtk_adjustment_set_value (self->adjustment,
                            gtk_adjustment_get_value (self->adjustment) + dy * 40);
  return TRUE;
}

/* Selects the next or previous row of a loss or a gain. */
static void
move (HirExplainCanvas *self, int by)
{
  HirExplainScene scene;

  if (!get_scene (self, &scene))
    return;
  for (int i = self->selected.row + by; i >= 0 && i < (int) scene.layout->rows->len; i += by)
    {
      const HirExplainRow *row = &g_array_index (scene.layout->rows, HirExplainRow, i);

      if (!hir_explain_row_is_selectable (row))
        continue;
      self->selected = (HirExplainSpot){ i, -1 };
      gtk_adjustment_clamp_page (self->adjustment, row->y, row->y + row->height);
      break;
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Selects the next or previous link of the selected row, or the row itself. */
static void
move_link (HirExplainCanvas *self, int by)
{
  HirExplainScene scene;
  int n;

  if (!get_scene (self, &scene) || self->selected.row < 0 ||
      self->selected.row >= (int) scene.layout->rows->len)
    return;
  n = (int) g_array_index (scene.layout->rows, HirExplainRow, self->selected.row).links->len;
  self->selected.link = CLAMP (self->selected.link + by, -1, n - 1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  HirExplainCanvas *self = user_data;

  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return FALSE;
  switch (keyval)
    {
    case GDK_KEY_Up:
    case GDK_KEY_Down:
      move (self, keyval == GDK_KEY_Down ? 1 : -1);
      return TRUE;
    case GDK_KEY_Left:
    case GDK_KEY_Right:
      move_link (self, keyval == GDK_KEY_Right ? 1 : -1);
      return TRUE;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
      if (self->selected.row >= 0 && self->layout != NULL)
        activate (self, self->selected);
      return TRUE;
    default:
      return FALSE;
    }
}

static void
hir_explain_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirExplainCanvas *self = HIR_EXPLAIN_CANVAS (widget);
  HirExplainScene scene;

  hir_display_list_clear (self->list);
  if (get_scene (self, &scene))
    hir_explain_scene_draw (&scene, self->list);
  hir_canvas_snapshot (widget, snapshot, self->list, self->texts,
                       hir_canvas_get_theme ()->background, 1, 0, 0);
}

/* Deferred: the scroll bar would queue a resize during size allocation. */
static void
hir_explain_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HirExplainCanvas *self = HIR_EXPLAIN_CANVAS (widget);

  if (self->idle == 0)
    self->idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fit_in_idle, self, NULL);
}

static void
hir_explain_canvas_dispose (GObject *object)
{
  HirExplainCanvas *self = HIR_EXPLAIN_CANVAS (object);

  if (self->explaining != NULL)
    g_signal_handlers_disconnect_by_data (self->explaining, self);
  g_clear_object (&self->explaining);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->layout, hir_explain_layout_free);
  g_clear_object (&self->adjustment);
  g_clear_pointer (&self->measure, hir_measure_free);
  g_clear_pointer (&self->list, hir_display_list_free);
  g_clear_pointer (&self->texts, hir_text_cache_free);
  G_OBJECT_CLASS (hir_explain_canvas_parent_class)->dispose (object);
}

static void
hir_explain_canvas_class_init (HirExplainCanvasClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hir_explain_canvas_dispose;
  widget_class->snapshot = hir_explain_canvas_snapshot;
  widget_class->size_allocate = hir_explain_canvas_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "explaincanvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
hir_explain_canvas_init (HirExplainCanvas *self)
{
  static const HirCanvasInput input = {
    .released = on_released,
    .motion = on_motion,
    .leave = on_leave,
    .scroll = on_scroll,
    .scroll_flags = GTK_EVENT_CONTROLLER_SCROLL_VERTICAL,
    .key = on_key,
  };
  GtkWidget *widget = GTK_WIDGET (self);

  self->hovered = self->selected = (HirExplainSpot){ -1, -1 };
  self->adjustment = g_object_ref_sink (gtk_adjustment_new (0, 0, 0, 0, 0, 0));
  self->list = hir_display_list_new ();
  self->texts = hir_text_cache_new ();
  self->measure = hir_measure_new ();
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Explanation", -1);
  g_signal_connect_object (self->adjustment, "value-changed", G_CALLBACK (gtk_widget_queue_draw),
                           self, G_CONNECT_SWAPPED);
  hir_canvas_input_add (widget, &input, self);
  hir_canvas_follow_style (widget);
}

GtkWidget *
hir_explain_canvas_new (HirExplaining *explaining)
{
  HirExplainCanvas *self = g_object_new (HIR_TYPE_EXPLAIN_CANVAS, NULL);

  self->explaining = g_object_ref (explaining);
  g_signal_connect_swapped (explaining, "changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (explaining, "shown", G_CALLBACK (gtk_widget_queue_draw), self);
  return GTK_WIDGET (self);
}
