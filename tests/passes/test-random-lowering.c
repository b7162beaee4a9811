/* Tests random fusions: each lowers or is rejected with a message, the verifier hook accepts every
 * snapshot, and lowering again gives the same ids. HIR_RANDOM_COUNT and HIR_RANDOM_SEED select
 * other fusions. */
#include "build-random.h"
#include "pipeline.h"
#include "print/print.h"
#include "structural-hash.h"
#include "verify/verify.h"

typedef struct
{
  guint n, refused, looped, merged;
} Counts;

static guint64
get_number (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

static gboolean
collect_id (HirExpr *expr, guint depth, gpointer user_data)
{
  g_array_append_val ((GArray *) user_data, expr->node.id);
  return TRUE;
}

static GArray *
dup_ids (HirContainer *program)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));

  hir_container_foreach_expr (program, collect_id, ids);
  for (guint i = 0; i < program->tensors.len; i++)
    g_array_append_val (ids, ((HirTensor *) program->tensors.items[i])->base.node.id);
  return ids;
}

/* Returns TRUE if the schedule gives the tensor of step @i other axes: a copy, or a smaller
 * reduction. */
static gboolean
is_renewed (const HirRandomFusion *random, guint i)
{
  for (guint k = 0; k < random->schedule->len; k++)
    {
      const HirRandomSchedule *schedule = &g_array_index (random->schedule, HirRandomSchedule, k);

      if (schedule->tensor == i &&
          (schedule->kind == HIR_RANDOM_RFACTOR || schedule->kind == HIR_RANDOM_CACHE_BEFORE))
        return TRUE;
    }
  return FALSE;
}

/* The generator's axes must equal those of the ops; otherwise its schedules would be meaningless.
 */
static void
check_axes (const HirRandomFusion *random, HirContainer *fusion)
{
  for (guint i = 0, k = 0; i < random->steps->len; i++)
    {
      const HirRandomStep *step = &g_array_index (random->steps, HirRandomStep, i);
      HirTensor *tensor;

      /* Ops may add tensors (broadcasts, casts) before the result. */
      do
        tensor = fusion->tensors.items[k++];
      while (tensor->base.node.pos.line < i + 1 ||
             (k < fusion->tensors.len &&
              ((HirTensor *) fusion->tensors.items[k])->base.node.pos.line == i + 1));
      g_assert_cmpuint (tensor->base.node.pos.line, ==, i + 1);
      if (is_renewed (random, i))
        continue;
      g_assert_cmpuint (tensor->logical.n, ==, step->n_axes);
      for (guint a = 0; a < step->n_axes; a++)
        {
          g_assert_cmpint (hir_iter_domain_is_reduction (tensor->logical.ids[a]), ==,
                           step->axes[a].is_reduced);
          g_assert_cmpint (hir_iter_domain_is_broadcast (tensor->logical.ids[a]), ==,
                           step->axes[a].is_broadcast && !step->axes[a].is_reduced);
        }
    }
}

static gboolean
count_loop (HirExpr *expr, guint depth, gpointer user_data)
{
  Counts *found = user_data;
  guint n_ops = 0;

  if (expr->kind != HIR_EXPR_FOR)
    return TRUE;
  for (guint i = 0; i < expr->u.loop.body.exprs.len; i++)
    n_ops += hir_expr_is_standalone (expr->u.loop.body.exprs.items[i]);
  found->looped += n_ops > 0;
  found->merged += n_ops > 1;
  return TRUE;
}

/* Checks what the verifier does not: slices exist before they are read, and every streamed result
 * is written completely. */
static void
check_program (HirContainer *before, HirContainer *after)
{
  for (guint i = 0; i < after->top.exprs.len; i++)
    {
      HirExpr *expr = after->top.exprs.items[i];
      HirTensor *result = hir_expr_get_result (expr);

      if (expr->kind == HIR_EXPR_ALLOCATE || result == NULL || expr->n_outputs != 1)
        continue;
      for (guint a = 0; a < result->loop.n; a++)
        g_assert_false (hir_iter_domain_is_stream (result->loop.ids[a]));
    }
  g_assert_cmpuint (before->units.len, ==, after->units.len);
}

static void
lower (guint64 seed, Counts *counts)
{
  g_autoptr (HirRandomFusion) random = hir_random_fusion_new (seed);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirContainer) fusion = hir_random_fusion_build (random, &error);
  g_autoptr (HirLowering) first = NULL;
  g_autoptr (HirLowering) second = NULL;
  Counts found = { 0 };

  counts->n++;
  if (fusion == NULL)
    {
      g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
      counts->refused++;
      return;
    }
  check_axes (random, fusion);
  first = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
  second = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
  if (first->error != NULL)
    {
      g_assert_error (first->error, HIR_ERROR, HIR_ERROR_REFUSED);
      g_assert_error (second->error, HIR_ERROR, HIR_ERROR_REFUSED);
      g_assert_cmpstr (first->error->message, ==, second->error->message);
      g_assert_cmpuint (hir_error_get_pos (first->error).line, >, 0);
      counts->refused++;
      return;
    }
  for (guint i = 0; i < first->snapshots->len; i++)
    {
      HirSnapshot *a = first->snapshots->pdata[i], *b = second->snapshots->pdata[i];
      g_autoptr (GArray) ids_a = dup_ids (a->program);
      g_autoptr (GArray) ids_b = dup_ids (b->program);

      g_assert_cmpmem (ids_a->data, ids_a->len * sizeof (guint64), ids_b->data,
                       ids_b->len * sizeof (guint64));
      g_assert_cmpuint (a->hash, ==, b->hash);
    }
  check_program (hir_lowering_lookup (first, "SegmentFusion")->program,
                 hir_lowering_get_last (first)->program);
  hir_container_foreach_expr (hir_lowering_get_last (first)->program, count_loop, &found);
  counts->looped += found.looped > 0;
  counts->merged += found.merged > 0;
}

static void
test_random (void)
{
  guint64 count = get_number ("HIR_RANDOM_COUNT", 2000);
  guint64 seed = get_number ("HIR_RANDOM_SEED", 1);
  Counts counts = { 0 };

  for (guint64 i = 0; i < count; i++)
    {
      if (g_test_verbose ())
        g_test_message ("seed %" G_GUINT64_FORMAT, seed + i);
      lower (seed + i, &counts);
    }
  g_test_message ("%u fusions: %u refused, %u accepted; %u with a stream loop, %u with a loop of "
                  "several ops",
                  counts.n, counts.refused, counts.n - counts.refused, counts.looped,
                  counts.merged);
  g_assert_cmpuint (counts.looped * 100, >=, counts.n * 40);
  g_assert_cmpuint (counts.looped * 100, >, (counts.n - counts.refused) * 60);
  g_assert_cmpuint (counts.merged * 100, >=, counts.n * 15);
  g_assert_cmpuint (counts.refused * 100, >=, counts.n * 3);
}

/* Returns a digest of all ids of @count fusions after lowering. */
static guint64
digest_ids (guint count)
{
  guint64 digest = 0;

  for (guint seed = 0; seed < count; seed++)
    {
      g_autoptr (HirRandomFusion) random = hir_random_fusion_new (seed);
      g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
      g_autoptr (HirContainer) fusion = hir_random_fusion_build (random, NULL);
      g_autoptr (HirLowering) lowering = NULL;
      g_autoptr (GArray) ids = NULL;

      if (fusion == NULL)
        continue;
      lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
      ids = dup_ids (hir_lowering_get_last (lowering)->program);
      for (guint i = 0; i < ids->len; i++)
        digest = hir_hash_mix (digest, g_array_index (ids, guint64, i));
    }
  return digest;
}

/* Addresses differ between processes; ids must not. */
static void
test_other_process (void)
{
  g_autofree char *digest =
      g_strdup_printf ("*digest %016" G_GINT64_MODIFIER "x*", digest_ids (100));

  if (g_test_subprocess ())
    {
      g_print ("%s\n", digest);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout (digest);
}

static void
test_same_seed (void)
{
  g_autoptr (HirRandomFusion) a = hir_random_fusion_new (42);
  g_autoptr (HirRandomFusion) b = hir_random_fusion_new (42);
  g_autoptr (HirRandomFusion) c = hir_random_fusion_new (43);
  g_autofree char *script_a = hir_random_fusion_to_script (a);
  g_autofree char *script_b = hir_random_fusion_to_script (b);
  g_autofree char *script_c = hir_random_fusion_to_script (c);

  g_assert_cmpstr (script_a, ==, script_b);
  g_assert_cmpstr (script_a, !=, script_c);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/random/same-seed", test_same_seed);
  g_test_add_func ("/passes/random/other-process", test_other_process);
  g_test_add_func ("/passes/random/lowering", test_random);
  return g_test_run ();
}
