#include "stats/stats-canvas.h"

#include "base/long-text.h"
#include "canvas/canvas-input.h"
#include "canvas/canvas.h"

#define NAME_STEP 4

struct _HirStatsCanvas
{
  GtkWidget parent_instance;

  HirTrace *trace;
  HirStats *stats; /* strings belong to the trace */
  char **notes;
  GArray *order;
  GHashTable *names; /* of the kernels, shortened to name_chars; NULL: not computed yet */
  guint name_chars;
  guint sort_column;
  gboolean is_descending;
  int hovered;
  int selected;
  GtkAdjustment *adjustment;
  guint idle; /* idle source that adapts the adjustment to a new size */
  HirMeasure *measure;
  HirDisplayList *list;
  HirTextCache *texts;
};

static guint kernel_activated, iteration_activated;

G_DEFINE_FINAL_TYPE (HirStatsCanvas, hir_stats_canvas, GTK_TYPE_WIDGET)

/* Shortens the names of the kernels again if the width of their column has changed. */
static void
shorten_names (HirStatsCanvas *self, HirStatsScene *scene)
{
  /* In steps, so that not each width of a resize needs other names. */
  guint chars = hir_stats_scene_get_name_chars (scene) / NAME_STEP * NAME_STEP;

  if (self->names == NULL || self->name_chars != chars)
    {
      g_clear_pointer (&self->names, g_hash_table_unref);
      self->names = hir_stats_dup_kernel_names (self->stats, chars);
      self->name_chars = chars;
    }
  scene->names = self->names;
}

gboolean
hir_stats_canvas_get_scene (HirStatsCanvas *self, HirStatsScene *scene)
{
  if (self->stats == NULL)
    return FALSE;
  *scene = (HirStatsScene){
    .trace = self->trace,
    .stats = self->stats,
    .notes = (const char *const *) self->notes,
    .order = self->order,
    .sort_column = self->sort_column,
    .is_descending = self->is_descending,
    .hovered_kernel = self->hovered,
    .selected_kernel = self->selected,
    .theme = hir_canvas_get_theme (),
    .measure = self->measure,
    .width = gtk_widget_get_width (GTK_WIDGET (self)),
    .height = gtk_widget_get_height (GTK_WIDGET (self)),
    .scroll_y = gtk_adjustment_get_value (self->adjustment),
  };
  shorten_names (self, scene);
  return TRUE;
}

GtkAdjustment *
hir_stats_canvas_get_adjustment (HirStatsCanvas *self)
{
  return self->adjustment;
}

static void
fit_adjustment (HirStatsCanvas *self)
{
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  HirStatsScene scene;
  double all = hir_stats_canvas_get_scene (self, &scene) ? hir_stats_scene_get_height (&scene) : 0;

  gtk_adjustment_configure (self->adjustment, gtk_adjustment_get_value (self->adjustment), 0,
                            MAX (all, height), 40, height * 0.9, height);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
sort (HirStatsCanvas *self)
{
  guint chosen = G_MAXUINT;

  if (self->order != NULL && self->selected >= 0 && self->selected < (int) self->order->len)
    chosen = g_array_index (self->order, guint, self->selected);
  g_clear_pointer (&self->order, g_array_unref);
  self->selected = -1;
  if (self->stats == NULL)
    return;
  self->order = hir_stats_scene_dup_order (self->stats, self->sort_column, self->is_descending);
  for (guint i = 0; i < self->order->len; i++)
    if (g_array_index (self->order, guint, i) == chosen)
      self->selected = (int) i;
}

void
hir_stats_canvas_set_stats (HirStatsCanvas *self, HirTrace *trace, HirStats *stats)
{
  const char *name = NULL;
  HirEventKind kind = HIR_EVENT_KERNEL;
  g_autoptr (HirTrace) old_trace = g_steal_pointer (&self->trace); /* owns the name */
  g_autoptr (HirStats) old_stats = g_steal_pointer (&self->stats);

  if (old_stats != NULL && self->selected >= 0)
    {
      const HirKernelStats *row =
          &g_array_index (old_stats->kernels, HirKernelStats,
                          g_array_index (self->order, guint, self->selected));

      name = row->name;
      kind = row->kind;
    }
  g_clear_pointer (&self->notes, g_strfreev);
  g_clear_pointer (&self->names, g_hash_table_unref);
  self->hovered = self->selected = -1;
  self->stats = stats;
  if (stats != NULL)
    {
      self->trace = hir_trace_ref (trace);
      self->notes = hir_stats_scene_dup_notes (stats, trace);
    }
  sort (self);
  for (guint i = 0; name != NULL && stats != NULL && i < self->order->len; i++)
    {
      const HirKernelStats *row =
          &g_array_index (stats->kernels, HirKernelStats, g_array_index (self->order, guint, i));

      if (row->kind == kind && g_str_equal (row->name, name))
        self->selected = (int) i;
    }
  fit_adjustment (self);
}

static gboolean
fit_in_idle (gpointer user_data)
{
  HirStatsCanvas *self = user_data;

  self->idle = 0;
  fit_adjustment (self);
  return G_SOURCE_REMOVE;
}

static gboolean
get_hit (HirStatsCanvas *self, double x, double y, HirStatsHit *hit)
{
  HirStatsScene scene;

  return hir_stats_canvas_get_scene (self, &scene) && hir_stats_scene_hit (&scene, x, y, hit);
}

static void
activate_kernel (HirStatsCanvas *self, int row)
{
  self->selected = row;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, kernel_activated, 0, g_array_index (self->order, guint, row));
}

/* Selects the iteration at @x of the heat strips. */
static void
activate_iteration (HirStatsCanvas *self, double x)
{
  HirStatsScene scene;
  int iteration =
      hir_stats_canvas_get_scene (self, &scene) ? hir_stats_scene_get_iteration (&scene, x) : -1;

  if (iteration >= 0)
    g_signal_emit (self, iteration_activated, 0, (guint) iteration);
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirStatsCanvas *self = user_data;
  HirStatsHit hit;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (!get_hit (self, x, y, &hit))
    return;
  if (hit.section == HIR_STATS_HEAT)
    {
      activate_iteration (self, x);
      return;
    }
  if (hit.section != HIR_STATS_KERNELS)
    return;
  if (hit.row >= 0)
    {
      activate_kernel (self, hit.row);
      return;
    }
  /* Initial order: numbers descending, names ascending. */
  self->is_descending = hit.column == self->sort_column ? !self->is_descending : hit.column != 0;
  self->sort_column = hit.column;
  sort (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
set_hovered (HirStatsCanvas *self, int row)
{
  if (row == self->hovered)
    return;
  self->hovered = row;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  HirStatsHit hit;
  gboolean is_hit = get_hit (user_data, x, y, &hit);
  gboolean is_kernel = is_hit && hit.section == HIR_STATS_KERNELS;

  gtk_widget_set_cursor_from_name (user_data, is_kernel || (is_hit && hit.section == HIR_STATS_HEAT)
                                                  ? "pointer"
                                                  : NULL);
  set_hovered (user_data, is_kernel ? hit.row : -1);
}

static void
on_leave (GtkEventControllerMotion *controller, gpointer user_data)
{
  set_hovered (user_data, -1);
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, gpointer user_data)
{
  HirStatsCanvas *self = user_data;

  gtk_adjustment_set_value (self->adjustment,
                            gtk_adjustment_get_value (self->adjustment) + dy * 40);
  return TRUE;
}

static void
reveal (HirStatsCanvas *self)
{
  HirStatsScene scene;
  double y, height;

  if (!hir_stats_canvas_get_scene (self, &scene) || self->selected < 0)
    return;
  y = hir_stats_scene_get_kernel_y (&scene, (guint) self->selected, &height);
  gtk_adjustment_clamp_page (self->adjustment, y, y + height);
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  HirStatsCanvas *self = user_data;
  int last = self->order != NULL ? (int) self->order->len - 1 : -1;

  if (last < 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)))
    return FALSE;
  switch (keyval)
    {
    case GDK_KEY_Up:
    case GDK_KEY_Down:
      self->selected = CLAMP (self->selected + (keyval == GDK_KEY_Down ? 1 : -1), 0, last);
      reveal (self);
      gtk_widget_queue_draw (GTK_WIDGET (self));
      return TRUE;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
      if (self->selected >= 0)
        activate_kernel (self, self->selected);
      return TRUE;
    default:
      return FALSE;
    }
}

/* The tooltip is the full name of a row or the explanation of a column. */
static gboolean
hir_stats_canvas_query_tooltip (
    GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  HirStatsCanvas *self = HIR_STATS_CANVAS (widget);
  g_autofree char *text = NULL, *shown = NULL;
  HirStatsScene scene;
  HirStatsHit hit;

  if (keyboard || !hir_stats_canvas_get_scene (self, &scene) ||
      !hir_stats_scene_hit (&scene, x, y, &hit))
    return FALSE;
  if (hit.section == HIR_STATS_HEAT)
    {
      int iteration = hir_stats_scene_get_iteration (&scene, x);

      if (iteration >= 0 && hit.row >= 0)
        text = hir_stats_scene_dup_late (&scene, hit.row, iteration);
    }
  else if (hit.row < 0)
    text = g_strdup (hir_stats_section_get_help (hit.section, hit.column));
  else if (hit.column == 0)
    text = hir_stats_scene_dup_cell (&scene, hit.section, hit.row, 0);
  if (text == NULL)
    return FALSE;
  shown = hir_long_text_dup (text, HIR_TOOLTIP_MAX_CHARS, NULL);
  gtk_tooltip_set_text (tooltip, shown);
  return TRUE;
}

static void
hir_stats_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirStatsCanvas *self = HIR_STATS_CANVAS (widget);
  HirStatsScene scene;

  hir_display_list_clear (self->list);
  if (hir_stats_canvas_get_scene (self, &scene))
    hir_stats_scene_draw (&scene, self->list);
  hir_canvas_snapshot (widget, snapshot, self->list, self->texts,
                       hir_canvas_get_theme ()->background, 1, 0, 0);
}

static void
hir_stats_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HirStatsCanvas *self = HIR_STATS_CANVAS (widget);

  /* Deferred: the scroll bar would queue a resize during size allocation. */
  if (self->idle == 0)
    self->idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fit_in_idle, self, NULL);
}

static void
hir_stats_canvas_finalize (GObject *object)
{
  HirStatsCanvas *self = HIR_STATS_CANVAS (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->notes, g_strfreev);
  g_clear_pointer (&self->order, g_array_unref);
  g_clear_pointer (&self->names, g_hash_table_unref);
  g_clear_pointer (&self->stats, hir_stats_free);
  g_clear_pointer (&self->trace, hir_trace_unref);
  g_clear_object (&self->adjustment);
  g_clear_pointer (&self->measure, hir_measure_free);
  g_clear_pointer (&self->list, hir_display_list_free);
  g_clear_pointer (&self->texts, hir_text_cache_free);
  G_OBJECT_CLASS (hir_stats_canvas_parent_class)->finalize (object);
}

static void
hir_stats_canvas_class_init (HirStatsCanvasClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = hir_stats_canvas_finalize;
  widget_class->snapshot = hir_stats_canvas_snapshot;
  widget_class->size_allocate = hir_stats_canvas_size_allocate;
  widget_class->query_tooltip = hir_stats_canvas_query_tooltip;
  gtk_widget_class_set_css_name (widget_class, "statscanvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  iteration_activated =
      g_signal_new ("iteration-activated", HIR_TYPE_STATS_CANVAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  kernel_activated = g_signal_new ("kernel-activated", HIR_TYPE_STATS_CANVAS, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
hir_stats_canvas_init (HirStatsCanvas *self)
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

  self->hovered = self->selected = -1;
  self->sort_column = 2;
  self->is_descending = TRUE;
  self->adjustment = g_object_ref_sink (gtk_adjustment_new (0, 0, 0, 0, 0, 0));
  self->list = hir_display_list_new ();
  self->texts = hir_text_cache_new ();
  self->measure = hir_measure_new ();
  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_has_tooltip (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Statistics", -1);
  g_signal_connect_object (self->adjustment, "value-changed", G_CALLBACK (gtk_widget_queue_draw),
                           self, G_CONNECT_SWAPPED);
  hir_canvas_input_add (widget, &input, self);
  hir_canvas_follow_style (widget);
}

GtkWidget *
hir_stats_canvas_new (void)
{
  return g_object_new (HIR_TYPE_STATS_CANVAS, NULL);
}
