#include "graph/layouts-job.h"

#include "draw/graph/lanes.h"
#include "testing/hold.h"

/* Steps with at most this many boxes share a layout only with steps of the same size: in a layout
 * with more boxes, a small graph has crooked columns. */
#define MAX_SMALL 8

HirLayoutShared *
hir_layout_shared_ref (HirLayoutShared *shared)
{
  g_atomic_ref_count_inc (&shared->ref_count);
  return shared;
}

void
hir_layout_shared_unref (HirLayoutShared *shared)
{
  if (shared == NULL || !g_atomic_ref_count_dec (&shared->ref_count))
    return;
  hir_union_free (shared->all);
  g_clear_pointer (&shared->rows, hir_layout_unref);
  g_clear_pointer (&shared->layout, hir_layout_unref);
  g_free (shared);
}

void
hir_layout_job_free (HirLayoutJob *job)
{
  g_object_unref (job->owner);
  hir_program_unref (job->program);
  hir_graph_choice_unref (job->choice);
  hir_picture_unref (job->from);
  hir_layout_shared_unref (job->shared);
  g_clear_pointer (&job->whole, hir_layout_unref);
  hir_picture_unref (job->picture);
  hir_picture_unref (job->preview);
  g_clear_pointer (&job->sizes, hir_sizes_free);
  g_clear_pointer (&job->rows, hir_layout_unref);
  g_object_unref (job->cancellable);
  g_free (job);
}

static guint
get_n_boxes (const HirProgramView *view)
{
  return view->graph->nodes->len;
}

guint
hir_layout_get_kind (const HirProgram *program, const HirProgramView *view)
{
  guint most = 0, n = get_n_boxes (view);

  for (guint i = 0; i < program->views->len; i++)
    most = MAX (most, get_n_boxes (program->views->pdata[i]));
  return (view->is_host ? 1 : 0) | (n <= most / 2 ? 2 : 0) | (n <= MAX_SMALL ? n << 2 : 0);
}

/* Returns the steps that share a layout with @view (borrowed). */
static GPtrArray *
dup_kin (const HirProgram *program, const HirProgramView *view)
{
  guint kind = hir_layout_get_kind (program, view);
  GPtrArray *kin = g_ptr_array_new ();

  for (guint i = 0; i < program->views->len; i++)
    {
      HirProgramView *other = program->views->pdata[i];

      if (hir_layout_get_kind (program, other) == kind)
        g_ptr_array_add (kin, other);
    }
  return kin;
}

/* Joins the graphs of all steps of one kind, with the same groups folded, into a union. */
static void
make_union (HirLayoutJob *job, HirMeasure *measure)
{
  g_autoptr (GPtrArray) views = dup_kin (job->program, job->choice->view);
  g_autoptr (GPtrArray) pictures =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_picture_unref);
  g_autofree const HirGraph **graphs = g_new0 (const HirGraph *, views->len + 1);
  HirLayoutShared *shared;

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
  shared = g_new0 (HirLayoutShared, 1);
  g_atomic_ref_count_init (&shared->ref_count);
  shared->folded = hir_graph_choice_hash_folded (job->choice);
  shared->kind = hir_layout_get_kind (job->program, job->choice->view);
  shared->all = hir_union_new_from_views (views, graphs, measure);
  job->shared = shared;
}

static void
make_sizes (HirLayoutJob *job, HirMeasure *measure)
{
  HirPicture *picture = job->picture;
  gboolean is_too_large = picture->graph->nodes->len > HIR_LAYOUTS_MAX_DOT_NODES;

  job->sizes = hir_sizes_new (picture->graph, measure);
  job->rows = hir_lanes_new (picture->graph, job->sizes);
  if (job->from != NULL && !job->from->choice->lanes)
    hir_sizes_seed (job->sizes, picture->graph, job->from->graph, job->from->layout);
  if (job->choice->lanes)
    picture->layout = hir_layout_ref (job->rows);
  else if (is_too_large)
    picture->layout = hir_layout_new_noted (job->rows, "too large for Graphviz; drawn in rows");
  else
    job->preview = hir_picture_new_preview (picture, job->rows);
}

static void
project (HirLayoutJob *job)
{
  g_autoptr (GPtrArray) views = dup_kin (job->program, job->choice->view);
  g_autoptr (HirLayout) layout = NULL;
  guint step = 0;

  g_ptr_array_find (views, job->choice->view, &step);
  layout = hir_union_project (job->shared->all, job->whole, step);
  if (job->is_final)
    job->picture->layout = g_steal_pointer (&layout);
  else
    job->preview = hir_picture_new_preview (job->picture, layout);
}

void
hir_layout_job_prepare (HirLayoutJob *job, HirMeasure **measure)
{
  hir_test_hold ("HIRSCOPE_TEST_MEASURE_HOLD", job->cancellable);
  if (g_cancellable_is_cancelled (job->cancellable))
    return;
  job->picture = hir_picture_new (job->choice);
  if (job->shared != NULL)
    {
      project (job);
      return;
    }
  if (*measure == NULL)
    *measure = hir_measure_new ();
  if (job->is_union_wanted)
    make_union (job, *measure);
  if (job->shared != NULL && hir_union_is_too_large (job->shared->all))
    {
      job->is_union_too_large = TRUE;
      g_clear_pointer (&job->shared, hir_layout_shared_unref);
    }
  if (job->shared == NULL)
    {
      make_sizes (job, *measure);
      return;
    }
  job->shared->rows = hir_lanes_new_layered (hir_union_get_sizes (job->shared->all));
  job->whole = hir_layout_ref (job->shared->rows);
  project (job);
}
