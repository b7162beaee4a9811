#include "layouts.h"

#include "draw/lanes.h"
#include "draw/union.h"

struct _HirLayouts
{
  GObject parent_instance;

  HirProgram *program;
  HirLayouter *layouter;
  gboolean is_too_large; /* for a union: each step is laid out by itself */
  HirUnion *all;         /* NULL until it was made, or too large */
  HirLayout *of_union;   /* NULL until it came */
  GPtrArray *steps;      /* HirLayout* or NULL, by step */
  GPtrArray *lane_steps; /* the same for lanes */
  /* What is under way; NULL: nothing is. */
  GCancellable *graph_work;
  GCancellable *lane_work;
};

typedef enum
{
  WORK_UNION,
  WORK_STEP,
  WORK_LANES,
} WorkKind;

/* What is made on a worker thread: it measures every label, and joins graphs. */
typedef struct
{
  WorkKind kind;
  HirProgram *program;
  guint step;
  HirLayout *before; /* nullable: of the step before, to begin from */
  HirUnion *all;     /* made for WORK_UNION */
  HirSizes *sizes;   /* made for WORK_STEP */
  HirLayout *lanes;  /* made for WORK_STEP, as the fallback, and WORK_LANES */
} Work;

typedef struct
{
  HirLayouts *self;
  WorkKind kind;
  guint step;
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
  if (self->graph_work != NULL)
    g_cancellable_cancel (self->graph_work);
  if (self->lane_work != NULL)
    g_cancellable_cancel (self->lane_work);
  g_clear_object (&self->graph_work);
  g_clear_object (&self->lane_work);
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
graph_at (HirProgram *program, guint step)
{
  return ((HirProgramView *) program->views->pdata[step])->graph;
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
  self->is_too_large = FALSE;
  /* A union has at least the nodes of each. */
  for (guint i = 0; i < program->views->len; i++)
    self->is_too_large |= graph_at (program, i)->nodes->len > HIR_UNION_MAX_NODES;
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

  g_clear_object (&self->graph_work);
  if (job->kind == WORK_STEP)
    self->steps->pdata[job->step] = g_steal_pointer (&layout);
  else
    self->of_union = g_steal_pointer (&layout);
  g_signal_emit (self, ready_signal, 0);
}

static void
work_free (Work *work)
{
  hir_program_unref (work->program);
  g_clear_pointer (&work->before, hir_layout_unref);
  g_clear_pointer (&work->all, hir_union_free);
  g_clear_pointer (&work->sizes, hir_sizes_free);
  g_clear_pointer (&work->lanes, hir_layout_unref);
  g_free (work);
}

static void
work_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  Work *work = task_data;
  const HirGraph *graph = graph_at (work->program, work->step);
  g_autoptr (HirMeasure) measure = hir_measure_new ();

  if (work->kind == WORK_UNION)
    {
      work->all = hir_union_new_from_views (work->program->views, measure);
    }
  else
    {
      work->sizes = hir_sizes_new (graph, measure);
      work->lanes = hir_lanes_new (graph, work->sizes);
      if (work->before != NULL)
        hir_sizes_seed (work->sizes, graph, graph_at (work->program, work->step - 1), work->before);
    }
  g_task_return_boolean (task, TRUE);
}

static void
lay_out (HirLayouts *self, WorkKind kind, guint step, const HirSizes *sizes, HirLayout *fallback)
{
  Job *job = g_new0 (Job, 1);

  job->self = g_object_ref (self);
  job->kind = kind;
  job->step = step;
  hir_layouter_run_async (self->layouter, sizes, fallback, self->graph_work, on_layout, job);
}

static void
on_worked (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirLayouts *self = HIR_LAYOUTS (source);
  Work *work = g_task_get_task_data (G_TASK (result));

  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  switch (work->kind)
    {
    case WORK_LANES:
      g_clear_object (&self->lane_work);
      self->lane_steps->pdata[work->step] = g_steal_pointer (&work->lanes);
      g_signal_emit (self, ready_signal, 0);
      break;
    case WORK_UNION:
      if (hir_union_is_too_large (work->all))
        {
          self->is_too_large = TRUE;
          g_clear_object (&self->graph_work);
          /* Who waits asks again. */
          g_signal_emit (self, ready_signal, 0);
          break;
        }
      self->all = g_steal_pointer (&work->all);
      lay_out (self, WORK_UNION, 0, hir_union_get_sizes (self->all), NULL);
      break;
    case WORK_STEP:
    default:
      lay_out (self, WORK_STEP, work->step, work->sizes, work->lanes);
      break;
    }
}

static void
start (HirLayouts *self, WorkKind kind, guint step, GCancellable **under_way)
{
  g_autoptr (GTask) task = NULL;
  Work *work;

  if (*under_way != NULL)
    return;
  *under_way = g_cancellable_new ();
  work = g_new0 (Work, 1);
  work->kind = kind;
  work->program = hir_program_ref (self->program);
  work->step = step;
  if (kind == WORK_STEP && step > 0 && self->steps->pdata[step - 1] != NULL)
    work->before = hir_layout_ref (self->steps->pdata[step - 1]);
  task = g_task_new (self, *under_way, on_worked, NULL);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, work, (GDestroyNotify) work_free);
  g_task_run_in_thread (task, work_in_thread);
}

static HirLayout *
get_lanes (HirLayouts *self, guint step)
{
  if (self->lane_steps->pdata[step] == NULL)
    start (self, WORK_LANES, step, &self->lane_work);
  return self->lane_steps->pdata[step];
}

HirLayout *
hir_layouts_get (HirLayouts *self, guint step, gboolean lanes)
{
  if (self->program == NULL || step >= self->steps->len)
    return NULL;
  if (lanes)
    return get_lanes (self, step);
  if (self->steps->pdata[step] != NULL)
    return self->steps->pdata[step];

  if (self->of_union != NULL)
    self->steps->pdata[step] = hir_union_project (self->all, self->of_union, step);
  else
    start (self, self->is_too_large ? WORK_STEP : WORK_UNION, step, &self->graph_work);
  return self->steps->pdata[step];
}
