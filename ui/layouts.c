#include "layouts.h"

#include "draw/lanes.h"
#include "draw/union.h"

/* Pictures, and unions, that are kept: to step back is to see it at once. */
#define MAX_PICTURES 24
#define MAX_UNIONS 4

/* A union and its layout, for all steps with the same groups folded. Counted: threads use it too.
 */
typedef struct
{
  gatomicrefcount ref_count;
  guint64 folded;
  HirUnion *all;
  HirLayout *layout;
} Shared;

struct _HirLayouts
{
  GObject parent_instance;

  HirProgram *program;
  HirLayouter *layouter;
  /* One thread, always the same, so that what was measured once is known: labels hardly change. */
  GThreadPool *pool;
  HirMeasure *measure;   /* that thread's; NULL until it is needed */
  gboolean is_too_large; /* for a union: each step is laid out by itself */
  GPtrArray *pictures;   /* HirPicture*, oldest first */
  GPtrArray *unions;     /* Shared*, oldest first */
  struct Job *job;       /* what is under way; borrowed from its task; NULL: nothing is */
};

typedef struct Job
{
  HirLayouts *self;
  HirProgram *program;
  HirGraphChoice *choice;
  HirPicture *from;    /* nullable */
  Shared *shared;      /* nullable: there already, or made */
  HirPicture *picture; /* made in the thread; without a layout until the end */
  HirSizes *sizes;     /* of the picture, where it is laid out by itself */
  HirLayout *fallback;
  gboolean is_union_wanted, is_union_too_large;
  GCancellable *cancellable;
} Job;

static guint ready_signal;

G_DEFINE_FINAL_TYPE (HirLayouts, hir_layouts, G_TYPE_OBJECT)

static void
shared_unref (Shared *shared)
{
  if (shared == NULL || !g_atomic_ref_count_dec (&shared->ref_count))
    return;
  hir_union_free (shared->all);
  g_clear_pointer (&shared->layout, hir_layout_unref);
  g_free (shared);
}

static void
forget (HirLayouts *self)
{
  if (self->job != NULL)
    g_cancellable_cancel (self->job->cancellable);
  self->job = NULL;
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
  /* Jobs keep a reference: there are none. */
  g_thread_pool_free (self->pool, FALSE, TRUE);
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

/* Pictures of a busy machine are to be as those of an idle one: a test hook. */
static guint
get_budget_ms (void)
{
  const char *text = g_getenv ("HIRSCOPE_LAYOUT_BUDGET_MS");

  return text != NULL ? (guint) MIN (g_ascii_strtoull (text, NULL, 10), G_MAXINT) : 0;
}

static void prepare (gpointer task, gpointer user_data);

static void
hir_layouts_init (HirLayouts *self)
{
  self->pool = g_thread_pool_new (prepare, self, 1, TRUE, NULL);
  self->layouter = hir_layouter_new (NULL, get_budget_ms ());
  self->pictures = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_picture_unref);
  self->unions = g_ptr_array_new_with_free_func ((GDestroyNotify) shared_unref);
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
  /* A union has at least the nodes of each. */
  for (guint i = 0; i < program->views->len; i++)
    self->is_too_large |=
        ((HirProgramView *) program->views->pdata[i])->graph->nodes->len > HIR_UNION_MAX_NODES;
}

static void
job_free (Job *job)
{
  g_object_unref (job->self);
  hir_program_unref (job->program);
  hir_graph_choice_unref (job->choice);
  hir_picture_unref (job->from);
  shared_unref (job->shared);
  hir_picture_unref (job->picture);
  g_clear_pointer (&job->sizes, hir_sizes_free);
  g_clear_pointer (&job->fallback, hir_layout_unref);
  g_object_unref (job->cancellable);
  g_free (job);
}

static int
find_step (const HirProgram *program, const HirProgramView *view)
{
  for (guint i = 0; i < program->views->len; i++)
    if (program->views->pdata[i] == view)
      return (int) i;
  return -1;
}

/* The same folded in every step. */
static void
make_union (Job *job, HirMeasure *measure)
{
  GPtrArray *views = job->program->views;
  g_autoptr (GPtrArray) pictures =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_picture_unref);
  g_autofree const HirGraph **graphs = g_new0 (const HirGraph *, views->len + 1);
  Shared *shared;

  for (guint i = 0; i < views->len; i++)
    {
      g_autoptr (HirGraphChoice) choice = hir_graph_choice_new (views->pdata[i], NULL, NULL);
      GHashTableIter iter;
      gpointer key;

      g_hash_table_iter_init (&iter, job->choice->folded);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        g_hash_table_add (choice->folded, g_memdup2 (key, sizeof (guint64)));
      g_ptr_array_add (pictures, hir_picture_new (choice));
      graphs[i] = ((HirPicture *) pictures->pdata[i])->graph;
    }
  shared = g_new0 (Shared, 1);
  g_atomic_ref_count_init (&shared->ref_count);
  shared->folded = hir_graph_choice_hash_folded (job->choice);
  shared->all = hir_union_new_from_views (views, graphs, measure);
  job->shared = shared;
}

static void
make_sizes (Job *job, HirMeasure *measure)
{
  HirPicture *picture = job->picture;

  job->sizes = hir_sizes_new (picture->graph, measure);
  job->fallback = hir_lanes_new (picture->graph, job->sizes);
  if (job->from != NULL && !job->from->choice->lanes)
    hir_sizes_seed (job->sizes, picture->graph, job->from->graph, job->from->layout);
  if (!job->choice->lanes && picture->graph->nodes->len > HIR_LAYOUTS_MAX_DOT_NODES)
    {
      g_free (job->fallback->note);
      job->fallback->note = g_strdup ("too large for Graphviz; drawn in rows");
    }
  if (job->choice->lanes || picture->graph->nodes->len > HIR_LAYOUTS_MAX_DOT_NODES)
    picture->layout = hir_layout_ref (job->fallback);
}

static void
project (Job *job)
{
  int step = find_step (job->program, job->choice->view);

  job->picture->layout = hir_union_project (job->shared->all, job->shared->layout, (guint) step);
}

/* Measures every label, joins graphs. */
static void
prepare (gpointer data, gpointer user_data)
{
  g_autoptr (GTask) task = data;
  Job *job = g_task_get_task_data (task);
  HirLayouts *self = user_data;

  /* The user moved on before it began. */
  if (g_cancellable_is_cancelled (job->cancellable))
    {
      g_task_return_boolean (task, TRUE);
      return;
    }
  if (job->picture == NULL)
    job->picture = hir_picture_new (job->choice);
  if (job->shared != NULL)
    {
      project (job);
      g_task_return_boolean (task, TRUE);
      return;
    }
  if (self->measure == NULL)
    self->measure = hir_measure_new ();
  if (job->is_union_wanted)
    make_union (job, self->measure);
  if (job->shared != NULL && hir_union_is_too_large (job->shared->all))
    {
      job->is_union_too_large = TRUE;
      g_clear_pointer (&job->shared, shared_unref);
    }
  if (job->shared == NULL)
    make_sizes (job, self->measure);
  g_task_return_boolean (task, TRUE);
}

/* The job may have been given up meanwhile: then nobody waits for it. */
static gboolean
is_current (const Job *job)
{
  return job->self->job == job;
}

static void
keep (HirLayouts *self, HirPicture *picture)
{
  if (self->pictures->len >= MAX_PICTURES)
    g_ptr_array_remove_index (self->pictures, 0);
  g_ptr_array_add (self->pictures, hir_picture_ref (picture));
}

static void
finish (Job *job)
{
  HirLayouts *self = job->self;

  self->job = NULL;
  keep (self, job->picture);
  g_signal_emit (self, ready_signal, 0);
}

static void begin (Job *job);

static void
on_layout (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Job *job = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirLayout) layout = hir_layouter_run_finish (result, &error);

  if (layout == NULL || !is_current (job))
    {
      job_free (job);
      return;
    }
  if (job->shared == NULL)
    {
      job->picture->layout = g_steal_pointer (&layout);
      finish (job);
      job_free (job);
      return;
    }
  job->shared->layout = g_steal_pointer (&layout);
  if (job->self->unions->len >= MAX_UNIONS)
    g_ptr_array_remove_index (job->self->unions, 0);
  g_atomic_ref_count_inc (&job->shared->ref_count);
  g_ptr_array_add (job->self->unions, job->shared);
  begin (job);
}

static void
on_prepared (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Job *job = g_task_get_task_data (G_TASK (result));
  HirLayouts *self = job->self;

  if (!is_current (job))
    {
      /* The user may come back to it. */
      if (job->program == self->program && job->picture != NULL && job->picture->layout != NULL)
        keep (self, job->picture);
      job_free (job);
      return;
    }
  self->is_too_large |= job->is_union_too_large;
  if (job->picture->layout != NULL)
    {
      finish (job);
      job_free (job);
      return;
    }
  hir_layouter_run_async (self->layouter,
                          job->shared != NULL ? hir_union_get_sizes (job->shared->all) : job->sizes,
                          job->shared != NULL ? NULL : job->fallback, job->cancellable, on_layout,
                          job);
}

static void
begin (Job *job)
{
  GTask *task = g_task_new (NULL, NULL, on_prepared, NULL);

  g_task_set_task_data (task, job, NULL);
  g_thread_pool_push (job->self->pool, task, NULL);
}

static Shared *
find_shared (HirLayouts *self, guint64 folded)
{
  for (guint i = 0; i < self->unions->len; i++)
    {
      Shared *shared = self->unions->pdata[i];

      if (shared->folded == folded)
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

/* What is under way is what all steps with the same folded wait for, or this very picture. */
static gboolean
is_under_way (HirLayouts *self, const HirGraphChoice *choice)
{
  const Job *job = self->job;

  if (job == NULL)
    return FALSE;
  return hir_graph_choice_equal (job->choice, choice) ||
         (job->is_union_wanted && wants_union (self, choice) &&
          hir_graph_choice_hash_folded (job->choice) == hir_graph_choice_hash_folded (choice));
}

HirPicture *
hir_layouts_get (HirLayouts *self, HirGraphChoice *choice, HirPicture *from)
{
  HirPicture *picture;
  Shared *shared;
  Job *job;

  if (self->program == NULL || find_step (self->program, choice->view) < 0)
    return NULL;
  picture = find_picture (self, choice);
  if (picture != NULL || is_under_way (self, choice))
    return picture;

  if (self->job != NULL)
    g_cancellable_cancel (self->job->cancellable);
  job = g_new0 (Job, 1);
  job->self = g_object_ref (self);
  job->program = hir_program_ref (self->program);
  job->choice = hir_graph_choice_ref (choice);
  job->from = from != NULL ? hir_picture_ref (from) : NULL;
  job->cancellable = g_cancellable_new ();
  job->is_union_wanted = wants_union (self, choice);
  shared = job->is_union_wanted ? find_shared (self, hir_graph_choice_hash_folded (choice)) : NULL;
  if (shared != NULL)
    {
      g_atomic_ref_count_inc (&shared->ref_count);
      job->shared = shared;
    }
  self->job = job;
  begin (job);
  return NULL;
}
