#include "layouts.h"

#include "draw/lanes.h"
#include "draw/union.h"

struct _HirLayouts
{
  GObject parent_instance;

  HirProgram *program;
  HirMeasure *measure;
  HirLayouter *layouter;
  HirUnion *all;
  HirLayout *of_union;       /* NULL until it came */
  GPtrArray *steps;          /* HirLayout* or NULL, by step */
  GPtrArray *lane_steps;     /* the same for lanes */
  GCancellable *cancellable; /* of what is under way; NULL: nothing is */
};

typedef struct
{
  HirLayouts *self;
  guint step; /* of a program too large for a union */
} Job;

static guint ready_signal;

G_DEFINE_FINAL_TYPE (HirLayouts, hir_layouts, G_TYPE_OBJECT)

static void
unref_layout (gpointer layout)
{
  hir_layout_unref (layout);
}

static void
forget (HirLayouts *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->of_union, hir_layout_unref);
  g_clear_pointer (&self->all, hir_union_free);
  g_ptr_array_set_size (self->steps, 0);
  g_ptr_array_set_size (self->lane_steps, 0);
  g_clear_pointer (&self->program, hir_program_unref);
}

static void
hir_layouts_finalize (GObject *object)
{
  HirLayouts *self = HIR_LAYOUTS (object);

  forget (self);
  g_ptr_array_unref (self->steps);
  g_ptr_array_unref (self->lane_steps);
  g_clear_pointer (&self->layouter, hir_layouter_unref);
  g_clear_pointer (&self->measure, hir_measure_free);
  G_OBJECT_CLASS (hir_layouts_parent_class)->finalize (object);
}

static void
hir_layouts_class_init (HirLayoutsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hir_layouts_finalize;
  ready_signal = g_signal_new ("ready", HIR_TYPE_LAYOUTS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                               G_TYPE_NONE, 0);
}

static void
hir_layouts_init (HirLayouts *self)
{
  self->measure = hir_measure_new ();
  self->layouter = hir_layouter_new (NULL, 0);
  self->steps = g_ptr_array_new_with_free_func (unref_layout);
  self->lane_steps = g_ptr_array_new_with_free_func (unref_layout);
}

HirLayouts *
hir_layouts_new (void)
{
  return g_object_new (HIR_TYPE_LAYOUTS, NULL);
}

static const HirGraph *
graph_at (HirLayouts *self, guint step)
{
  return ((HirProgramView *) self->program->views->pdata[step])->graph;
}

void
hir_layouts_set_program (HirLayouts *self, HirProgram *program)
{
  if (program == self->program)
    return;

  forget (self);
  if (program == NULL || program->views->len == 0)
    return;
  self->program = hir_program_ref (program);
  self->all = hir_union_new_from_views (program->views, self->measure);
  g_ptr_array_set_size (self->steps, (int) program->views->len);
  g_ptr_array_set_size (self->lane_steps, (int) program->views->len);
}

static void
on_layout (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autofree Job *job = user_data;
  g_autoptr (HirLayouts) self = job->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirLayout) layout = hir_layouter_run_finish (result, &error);

  /* Cancelled: another program came, and self holds nothing of this job any more. */
  if (layout == NULL)
    return;

  g_clear_object (&self->cancellable);
  if (hir_union_is_too_large (self->all))
    self->steps->pdata[job->step] = g_steal_pointer (&layout);
  else
    self->of_union = g_steal_pointer (&layout);
  g_signal_emit (self, ready_signal, 0);
}

static void
start (HirLayouts *self, const HirSizes *sizes, HirLayout *fallback, guint step)
{
  Job *job = g_new0 (Job, 1);

  job->self = g_object_ref (self);
  job->step = step;
  self->cancellable = g_cancellable_new ();
  hir_layouter_run_async (self->layouter, sizes, fallback, self->cancellable, on_layout, job);
}

/* Above the union's limit each step is laid out by itself, seeded by the one before if that is
 * known. */
static void
start_step (HirLayouts *self, guint step)
{
  g_autoptr (HirSizes) sizes = hir_sizes_new (graph_at (self, step), self->measure);
  HirLayout *before = step > 0 ? self->steps->pdata[step - 1] : NULL;
  g_autoptr (HirLayout) fallback = hir_lanes_new (graph_at (self, step), sizes);

  if (before != NULL)
    hir_sizes_seed (sizes, graph_at (self, step), graph_at (self, step - 1), before);
  start (self, sizes, fallback, step);
}

static HirLayout *
get_lanes (HirLayouts *self, guint step)
{
  HirLayout *layout = self->lane_steps->pdata[step];

  if (layout == NULL)
    {
      g_autoptr (HirSizes) sizes = hir_sizes_new (graph_at (self, step), self->measure);

      layout = hir_lanes_new (graph_at (self, step), sizes);
      self->lane_steps->pdata[step] = layout;
    }
  return layout;
}

HirLayout *
hir_layouts_get (HirLayouts *self, guint step, gboolean lanes)
{
  HirLayout *layout;

  if (self->program == NULL || step >= self->steps->len)
    return NULL;
  if (lanes)
    return get_lanes (self, step);
  layout = self->steps->pdata[step];
  if (layout != NULL)
    return layout;

  if (!hir_union_is_too_large (self->all) && self->of_union != NULL)
    {
      layout = hir_union_project (self->all, self->of_union, step);
      self->steps->pdata[step] = layout;
      return layout;
    }
  if (self->cancellable == NULL)
    {
      if (hir_union_is_too_large (self->all))
        start_step (self, step);
      else
        start (self, hir_union_get_sizes (self->all), NULL, 0);
    }
  return NULL;
}
