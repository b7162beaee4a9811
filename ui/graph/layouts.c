#include "graph/layouts.h"

#include "draw/graph/layout-worker.h"
#include "graph/layouts-job.h"

/* Number of cached pictures and unions: stepping back displays a picture at once. */
#define MAX_PICTURES 24
#define MAX_UNIONS 4

/* For more boxes Graphviz takes longer than HIR_LAYOUTS_LATE_MS, so the rows are displayed at
 * once. */
#define MAX_QUICK_BOXES 200

/* Time budget of Graphviz. Rows are displayed meanwhile. */
#define BUDGET_MS 8000

/* A running Graphviz layout, of either a union or a picture. */
typedef struct
{
  HirLayouts *self;
  HirLayoutShared *shared; /* nullable */
  HirPicture *picture;     /* nullable; has no layout until Graphviz has finished */
  HirLayout *rows;
  guint n_boxes;
  GCancellable *cancellable;
} Laying;

struct _HirLayouts
{
  GObject parent_instance;

  HirProgram *program;
  HirLayouter *layouter;
  /* A single thread that is never replaced, so that its cache of measured labels stays valid. */
  GThreadPool *pool;
  HirMeasure *measure;      /* used by the pool's thread only; created on first use */
  gboolean is_too_large;    /* too large for a union: each step has a separate layout */
  GPtrArray *pictures;      /* HirPicture*, oldest first */
  GPtrArray *unions;        /* HirLayoutShared*, oldest first */
  HirLayoutJob *job;        /* job on the worker thread (borrowed from its task), or NULL */
  Laying *laying;           /* running layout (borrowed from its callback), or NULL */
  HirPicture *preview;      /* nullable: rows displayed while Graphviz is running */
  HirGraphChoice *given_up; /* nullable: choice whose layout the user stopped before any picture
                               was available */
  guint timer;              /* 0 if no layout is running, or if it is already late */
  gboolean is_late;
};

static guint changed_signal;

G_DEFINE_FINAL_TYPE (HirLayouts, hir_layouts, G_TYPE_OBJECT)

static void
emit_changed (HirLayouts *self)
{
  g_signal_emit (self, changed_signal, 0);
}

static void
stop_waiting (HirLayouts *self)
{
  g_clear_handle_id (&self->timer, g_source_remove);
  self->is_late = FALSE;
}

static gboolean
on_late (gpointer user_data)
{
  HirLayouts *self = user_data;

  self->timer = 0;
  self->is_late = TRUE;
  emit_changed (self);
  return G_SOURCE_REMOVE;
}

static void
wait_no_longer (HirLayouts *self)
{
  g_clear_handle_id (&self->timer, g_source_remove);
  self->is_late = TRUE;
}

static void
begin_waiting (HirLayouts *self)
{
  stop_waiting (self);
  self->timer = g_timeout_add (HIR_LAYOUTS_LATE_MS, on_late, self);
}

static void
drop_job (HirLayouts *self)
{
  if (self->job != NULL)
    g_cancellable_cancel (self->job->cancellable);
  self->job = NULL;
}

static void
drop_laying (HirLayouts *self)
{
  if (self->laying != NULL)
    g_cancellable_cancel (self->laying->cancellable);
  self->laying = NULL;
  g_clear_pointer (&self->preview, hir_picture_unref);
}

static void
forget (HirLayouts *self)
{
  drop_job (self);
  drop_laying (self);
  stop_waiting (self);
  g_clear_pointer (&self->given_up, hir_graph_choice_unref);
  g_ptr_array_set_size (self->pictures, 0);
  g_ptr_array_set_size (self->unions, 0);
  g_clear_pointer (&self->program, hir_program_unref);
}

static void
hir_layouts_finalize (GObject *object)
{
  HirLayouts *self = HIR_LAYOUTS (object);

  forget (self);
  g_ptr_array_unref (self->pictures);
  g_ptr_array_unref (self->unions);
  g_clear_pointer (&self->layouter, hir_layouter_unref);
  /* No job exists anymore, because jobs hold a reference to @self. */
  g_thread_pool_free (self->pool, FALSE, TRUE);
  g_clear_pointer (&self->measure, hir_measure_free);
  G_OBJECT_CLASS (hir_layouts_parent_class)->finalize (object);
}

static void
hir_layouts_class_init (HirLayoutsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hir_layouts_finalize;
  changed_signal = g_signal_new ("changed", HIR_TYPE_LAYOUTS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
}

/* Test hook: the result must not depend on the load of the machine. */
static guint
get_budget_ms (void)
{
  const char *text = g_getenv ("HIRSCOPE_LAYOUT_BUDGET_MS");

  return text != NULL ? (guint) MIN (g_ascii_strtoull (text, NULL, 10), G_MAXINT) : BUDGET_MS;
}

static void prepare (gpointer task, gpointer user_data);

static void
hir_layouts_init (HirLayouts *self)
{
  self->pool = g_thread_pool_new (prepare, self, 1, TRUE, NULL);
  self->layouter = hir_layouter_new (NULL, get_budget_ms ());
  self->pictures = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_picture_unref);
  self->unions = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_layout_shared_unref);
}

HirLayouts *
hir_layouts_new (void)
{
  return g_object_new (HIR_TYPE_LAYOUTS, NULL);
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
  /* A union has at least as many nodes as each step. */
  for (guint i = 0; i < program->views->len; i++)
    self->is_too_large |=
        ((HirProgramView *) program->views->pdata[i])->graph->nodes->len > HIR_UNION_MAX_NODES;
}

static void
prepare (gpointer data, gpointer user_data)
{
  g_autoptr (GTask) task = data;
  HirLayoutJob *job = g_task_get_task_data (task);

  hir_layout_job_prepare (job, &HIR_LAYOUTS (user_data)->measure);
  g_task_return_boolean (task, TRUE);
}

static void
cache_picture (HirLayouts *self, HirPicture *picture)
{
  if (self->pictures->len >= MAX_PICTURES)
    g_ptr_array_remove_index (self->pictures, 0);
  g_ptr_array_add (self->pictures, hir_picture_ref (picture));
}

static void
laying_free (Laying *laying)
{
  g_object_unref (laying->self);
  hir_layout_shared_unref (laying->shared);
  hir_picture_unref (laying->picture);
  hir_layout_unref (laying->rows);
  g_object_unref (laying->cancellable);
  g_free (laying);
}

/* Stores the layout of the running request. */
static void
end_laying (HirLayouts *self, HirLayout *layout)
{
  Laying *laying = self->laying;

  if (laying->shared != NULL)
    {
      laying->shared->layout = hir_layout_ref (layout);
    }
  else
    {
      laying->picture->layout = hir_layout_ref (layout);
      cache_picture (self, laying->picture);
    }
  self->laying = NULL;
  g_clear_pointer (&self->preview, hir_picture_unref);
  if (self->job == NULL)
    stop_waiting (self);
  emit_changed (self);
}

static void
on_layout (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Laying *laying = user_data;
  g_autoptr (HirLayout) layout = hir_layouter_run_finish (result, NULL);

  if (layout != NULL && laying->self->laying == laying)
    end_laying (laying->self, layout);
  laying_free (laying);
}

static void
begin_laying (HirLayouts *self, HirLayoutJob *job)
{
  Laying *laying = g_new0 (Laying, 1);
  const HirSizes *sizes = job->shared != NULL ? hir_union_get_sizes (job->shared->all) : job->sizes;

  laying->self = g_object_ref (self);
  if (job->shared != NULL)
    laying->shared = hir_layout_shared_ref (job->shared);
  else
    laying->picture = hir_picture_ref (job->picture);
  laying->rows = hir_layout_ref (job->shared != NULL ? job->shared->rows : job->rows);
  laying->n_boxes = sizes->nodes->len;
  laying->cancellable = g_cancellable_new ();
  self->laying = laying;
  hir_layouter_run_async (self->layouter, sizes, laying->rows, laying->cancellable, on_layout,
                          laying);
}

static void
cache_shared (HirLayouts *self, HirLayoutShared *shared)
{
  if (g_ptr_array_find (self->unions, shared, NULL))
    return;
  if (self->unions->len >= MAX_UNIONS)
    g_ptr_array_remove_index (self->unions, 0);
  g_ptr_array_add (self->unions, hir_layout_shared_ref (shared));
}

/* Handles the end of @job, the current job. */
static void
take_job (HirLayouts *self, HirLayoutJob *job)
{
  self->job = NULL;
  self->is_too_large |= job->is_union_too_large;
  if (job->shared != NULL)
    cache_shared (self, job->shared);
  if (job->picture->layout != NULL)
    {
      cache_picture (self, job->picture);
    }
  else if (job->shared == NULL || job->shared->layout == NULL)
    {
      g_clear_pointer (&self->preview, hir_picture_unref);
      self->preview = hir_picture_ref (job->preview);
      if (self->laying == NULL || job->shared == NULL || self->laying->shared != job->shared)
        begin_laying (self, job);
    }
  if (self->laying == NULL)
    stop_waiting (self);
  else if (self->laying->n_boxes > MAX_QUICK_BOXES)
    wait_no_longer (self);
  if (self->laying == NULL || self->is_late)
    emit_changed (self);
}

static void
on_prepared (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HirLayoutJob *job = g_task_get_task_data (G_TASK (result));
  HirLayouts *self = job->owner;

  if (self->job == job)
    take_job (self, job);
  /* Cache the result of an outdated job: the user may step back to it. */
  else if (job->program == self->program && job->picture != NULL && job->picture->layout != NULL)
    cache_picture (self, job->picture);
  hir_layout_job_free (job);
}

static HirLayoutShared *
find_shared (HirLayouts *self, const HirGraphChoice *choice)
{
  guint64 folded = hir_graph_choice_hash_folded (choice);
  guint kind = hir_layout_get_kind (self->program, choice->view);

  for (guint i = 0; i < self->unions->len; i++)
    {
      HirLayoutShared *shared = self->unions->pdata[i];

      if (shared->folded == folded && shared->kind == kind)
        return shared;
    }
  return NULL;
}

static HirPicture *
find_picture (HirLayouts *self, const HirGraphChoice *choice)
{
  for (guint i = self->pictures->len; i-- > 0;)
    {
      HirPicture *picture = self->pictures->pdata[i];

      if (hir_graph_choice_equal (picture->choice, choice))
        return picture;
    }
  return NULL;
}

static gboolean
wants_union (HirLayouts *self, const HirGraphChoice *choice)
{
  return !self->is_too_large && !choice->lanes && choice->base == NULL && choice->near->len == 0;
}

/* Returns whether the current job creates the picture of @choice, or a union with the same
 * folds. */
static gboolean
is_in_progress (HirLayouts *self, const HirGraphChoice *choice)
{
  const HirLayoutJob *job = self->job;

  if (job == NULL)
    return FALSE;
  return hir_graph_choice_equal (job->choice, choice) ||
         (job->is_union_wanted && wants_union (self, choice) &&
          hir_layout_get_kind (self->program, job->choice->view) ==
              hir_layout_get_kind (self->program, choice->view) &&
          hir_graph_choice_hash_folded (job->choice) == hir_graph_choice_hash_folded (choice));
}

static void
begin_job (HirLayouts *self, HirGraphChoice *choice, HirPicture *from)
{
  HirLayoutJob *job = g_new0 (HirLayoutJob, 1);
  gboolean is_wanted = wants_union (self, choice);
  HirLayoutShared *shared = is_wanted ? find_shared (self, choice) : NULL;
  GTask *task;

  job->owner = g_object_ref (self);
  job->program = hir_program_ref (self->program);
  job->choice = hir_graph_choice_ref (choice);
  job->from = from != NULL ? hir_picture_ref (from) : NULL;
  job->cancellable = g_cancellable_new ();
  job->is_union_wanted = is_wanted && shared == NULL;
  if (shared != NULL)
    {
      job->shared = hir_layout_shared_ref (shared);
      job->is_final = shared->layout != NULL;
      job->whole = hir_layout_ref (job->is_final ? shared->layout : shared->rows);
    }
  /* Keep the running layout if it belongs to the same union. */
  if (self->laying != NULL && (shared == NULL || self->laying->shared != shared))
    drop_laying (self);
  if (self->job == NULL && self->laying == NULL)
    begin_waiting (self);
  drop_job (self);
  self->job = job;
  task = g_task_new (NULL, NULL, on_prepared, NULL);
  g_task_set_task_data (task, job, NULL);
  g_thread_pool_push (self->pool, task, NULL);
}

HirPicture *
hir_layouts_get (HirLayouts *self, HirGraphChoice *choice, HirPicture *from)
{
  HirPicture *picture;
  gboolean has_preview;

  if (self->program == NULL || !g_ptr_array_find (self->program->views, choice->view, NULL))
    return NULL;
  picture = find_picture (self, choice);
  if (picture != NULL || self->given_up == NULL || !hir_graph_choice_equal (self->given_up, choice))
    g_clear_pointer (&self->given_up, hir_graph_choice_unref);
  if (picture != NULL || self->given_up != NULL)
    return picture;
  has_preview = self->preview != NULL && hir_graph_choice_equal (self->preview->choice, choice);
  if (has_preview)
    return self->is_late ? self->preview : NULL;
  if (!is_in_progress (self, choice))
    begin_job (self, choice, from);
  return NULL;
}

gboolean
hir_layouts_get_busy (HirLayouts *self, guint *n_boxes)
{
  if (!self->is_late || (self->job == NULL && self->laying == NULL))
    return FALSE;
  *n_boxes =
      self->laying != NULL ? self->laying->n_boxes : self->job->choice->view->graph->nodes->len;
  return TRUE;
}

void
hir_layouts_stop (HirLayouts *self)
{
  if (self->laying != NULL)
    {
      g_autoptr (HirLayout) layout =
          hir_layout_new_noted (self->laying->rows, "Layout stopped; drawn in rows");

      g_cancellable_cancel (self->laying->cancellable);
      end_laying (self, layout);
    }
  else if (self->job != NULL)
    {
      self->given_up = hir_graph_choice_ref (self->job->choice);
      drop_job (self);
      stop_waiting (self);
      emit_changed (self);
    }
}

gboolean
hir_layouts_is_stopped (HirLayouts *self)
{
  return self->given_up != NULL;
}

void
hir_layouts_resume (HirLayouts *self)
{
  if (self->given_up == NULL)
    return;
  g_clear_pointer (&self->given_up, hir_graph_choice_unref);
  emit_changed (self);
}
