/* Tests random pairs of snapshots, of one pipeline and of two: the text diff, the graph diff and
 * the hashes of the programs agree on what was added, removed and changed. HIR_RANDOM_COUNT (pairs)
 * and HIR_RANDOM_SEED select other pairs. */
#include <string.h>

#include "build-random.h"
#include "pipeline.h"
#include "structural-hash.h"
#include "view/graph-derive.h"

#ifdef __SANITIZE_ADDRESS__
#define RANDOM_COUNT 200
#else
#define RANDOM_COUNT 1000
#endif

typedef struct
{
  HirSnapshot *snapshot;
  HirProgramView *view;
  GHashTable *hashes; /* of the program itself, not through the view */
} Side;

static guint64
get_number (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

static Side
side_new (HirSnapshot *snapshot)
{
  Side side = { snapshot, hir_program_view_new (snapshot->program, HIR_FORMAT_2025),
                hir_container_dup_node_hashes (snapshot->program) };

  side.view->pass_name = g_strdup (snapshot->pass_name);
  return side;
}

static void
side_clear (Side *side)
{
  hir_program_view_unref (side->view);
  g_hash_table_unref (side->hashes);
}

static HirChange
get_wanted (const Side *before, const Side *after, guint64 id)
{
  const guint64 *old = g_hash_table_lookup (before->hashes, &id);
  const guint64 *new = g_hash_table_lookup (after->hashes, &id);

  if (old == NULL || new == NULL)
    return new != NULL ? HIR_CHANGE_CREATED : old != NULL ? HIR_CHANGE_REMOVED : HIR_CHANGE_NONE;
  return *old == *new ? HIR_CHANGE_NONE : HIR_CHANGE_CHANGED;
}

/* The rows contain both texts completely and in order. */
static void
check_texts (const HirProgramDiff *diff)
{
  g_autoptr (GString) old = g_string_new (NULL);
  g_autoptr (GString) new = g_string_new (NULL);

  for (guint i = 0; i < diff->rows->len; i++)
    {
      const HirDiffRow *row = &g_array_index (diff->rows, HirDiffRow, i);

      if (row->old_line >= 0 && (row->is_departure || !row->is_moved))
        {
          g_string_append_len (old, diff->before->text + row->old_start,
                               row->old_end - row->old_start);
          g_string_append_c (old, '\n');
        }
      if (row->new_line >= 0 && !row->is_departure)
        {
          g_string_append_len (new, diff->after->text + row->new_start,
                               row->new_end - row->new_start);
          g_string_append_c (new, '\n');
        }
    }
  g_assert_cmpstr (old->str, ==, diff->before->text);
  g_assert_cmpstr (new->str, ==, diff->after->text);
}

/* Number of times an Expr is reported with each HirChange. An op in several HostUnits is reported
 * in each. */
typedef struct
{
  guint n[HIR_CHANGE_REMOVED + 1];
} Told;

static void
tell (GHashTable *all, guint64 id, HirChange change)
{
  Told *told = g_hash_table_lookup (all, &id);

  if (told == NULL)
    {
      told = g_new0 (Told, 1);
      g_hash_table_insert (all, g_memdup2 (&id, sizeof id), told);
    }
  told->n[change]++;
}

static gboolean
begins_span (const HirProgramView *view, guint start, guint64 id)
{
  while (view->text[start] == ' ')
    start++;
  for (guint i = 0; i < view->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (view->spans, HirSpan, i);

      if (span->is_expr && span->id == id && span->start == start)
        return TRUE;
    }
  return FALSE;
}

/* Collects what the rows report for each Expr, one entry per span. */
static GHashTable *
collect_text (const HirProgramDiff *diff)
{
  GHashTable *all = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);

  for (guint i = 0; i < diff->rows->len; i++)
    {
      const HirDiffRow *row = &g_array_index (diff->rows, HirDiffRow, i);
      HirChange change = row->kind == HIR_ROW_ADDED     ? HIR_CHANGE_CREATED
                         : row->kind == HIR_ROW_REMOVED ? HIR_CHANGE_REMOVED
                         : row->kind == HIR_ROW_CHANGED ? HIR_CHANGE_CHANGED
                                                        : HIR_CHANGE_NONE;

      if (row->id == 0 || row->is_departure)
        continue;
      if (change == HIR_CHANGE_NONE || change == HIR_CHANGE_CHANGED ||
          begins_span (row->new_line >= 0 ? diff->after : diff->before,
                       row->new_line >= 0 ? row->new_start : row->old_start, row->id))
        tell (all, row->id, change);
    }
  return all;
}

static GHashTable *
collect_graph (const HirGraph *merged)
{
  GHashTable *all = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);

  for (guint i = 0; i < merged->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (merged->nodes, HirGraphNode, i);

      tell (all, node->id, node->change);
    }
  for (guint i = 0; i < merged->groups->len; i++)
    {
      const HirGraphGroup *group = &g_array_index (merged->groups, HirGraphGroup, i);

      tell (all, group->id, group->change);
    }
  return all;
}

static gboolean
defines_changed (const HirProgramDiff *diff, const Side *before, const Side *after, guint64 expr)
{
  const HirProgramView *view = diff->after;

  for (guint i = 0; i < view->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (view->spans, HirSpan, i);

      if (!span->is_expr || span->id != expr)
        continue;
      for (guint k = 0; k < view->spans->len; k++)
        {
          const HirSpan *tensor = &g_array_index (view->spans, HirSpan, k);

          if (!tensor->is_expr && tensor->start == span->start &&
              get_wanted (before, after, tensor->id) != HIR_CHANGE_NONE)
            return TRUE;
        }
    }
  return FALSE;
}

static const HirNodeInfo *
lookup (const HirProgramDiff *diff, guint64 id)
{
  const HirNodeInfo *info = hir_program_view_lookup (diff->after, id);

  return info != NULL ? info : hir_program_view_lookup (diff->before, id);
}

/* Returns whether a changed tensor of the line of @expr has a box. */
static gboolean
has_changed_box (const HirProgramDiff *diff, GHashTable *all, guint64 expr)
{
  const HirNodeInfo *info = hir_program_view_lookup (diff->after, expr);

  for (guint i = 0; info != NULL && i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);
      const Told *told = g_str_equal (fact->name, "output") && fact->id != 0
                             ? g_hash_table_lookup (all, &fact->id)
                             : NULL;

      if (told != NULL && told->n[HIR_CHANGE_CHANGED] > 0)
        return TRUE;
    }
  return FALSE;
}

/* For an Expr, text, graph and hashes agree. If a line changed but its Expr did not, the tensor
 * that it produces did, and the box of that tensor, if any, shows it instead of that of the Expr.
 */
static void
check_expr (const HirProgramDiff *diff,
            const Side *before,
            const Side *after,
            guint64 id,
            const Told *text,
            GHashTable *graph)
{
  const Told *drawn = g_hash_table_lookup (graph, &id);
  HirChange wanted = get_wanted (before, after, id);

  g_assert_nonnull (text);
  g_assert_cmpuint (text->n[HIR_CHANGE_CREATED], ==, drawn->n[HIR_CHANGE_CREATED]);
  g_assert_cmpuint (text->n[HIR_CHANGE_REMOVED], ==, drawn->n[HIR_CHANGE_REMOVED]);
  if (wanted == HIR_CHANGE_CREATED || wanted == HIR_CHANGE_REMOVED)
    {
      g_assert_cmpuint (drawn->n[wanted], >, 0);
      g_assert_cmpuint (drawn->n[HIR_CHANGE_NONE] + drawn->n[HIR_CHANGE_CHANGED], ==, 0);
      g_assert_cmpuint (text->n[HIR_CHANGE_NONE] + text->n[HIR_CHANGE_CHANGED], ==, 0);
    }
  else if (wanted == HIR_CHANGE_CHANGED)
    {
      g_assert_cmpuint (drawn->n[HIR_CHANGE_NONE], ==, 0);
      g_assert_cmpuint (drawn->n[HIR_CHANGE_CHANGED], >, 0);
      g_assert_cmpuint (text->n[HIR_CHANGE_CHANGED], >, 0);
    }
  else
    {
      gboolean is_told = text->n[HIR_CHANGE_CHANGED] > 0;

      g_assert_cmpint (is_told && !has_changed_box (diff, graph, id), ==,
                       drawn->n[HIR_CHANGE_CHANGED] > 0);
      g_assert_true (!is_told || defines_changed (diff, before, after, id));
      /* The marks without a comparison are the same. */
      g_assert_cmpint (is_told, ==,
                       hir_program_view_get_line_change (before->view, after->view, id) ==
                           HIR_CHANGE_CHANGED);
    }
}

static guint
check_pair (const Side *before, const Side *after)
{
  g_autoptr (HirProgramDiff) diff = hir_program_diff_new (before->view, after->view);
  g_autoptr (HirGraph) merged = hir_graph_new_merged (diff);
  g_autoptr (GHashTable) text = collect_text (diff);
  g_autoptr (GHashTable) drawn = collect_graph (merged);
  GHashTableIter iter;
  gpointer key, value;

  check_texts (diff);
  g_hash_table_iter_init (&iter, drawn);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      guint64 id = *(const guint64 *) key;
      const Told *told = value;

      if (lookup (diff, id)->is_expr)
        check_expr (diff, before, after, id, g_hash_table_lookup (text, key), drawn);
      else
        g_assert_cmpuint (told->n[get_wanted (before, after, id)], >, 0);
    }
  /* Conversely, the graph shows what the text reports. The box of a unit's header is its
   * PostOnStream. */
  g_hash_table_iter_init (&iter, text);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_assert_true (g_hash_table_contains (drawn, key) ||
                   g_str_equal (lookup (diff, *(const guint64 *) key)->kind, "HostUnit"));
  return diff->n_created + diff->n_removed + diff->n_changed;
}

static HirLowering *
lower (HirContainer *fusion, gboolean in_loop)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (GError) error = NULL;

  if (in_loop &&
      !hir_pipeline_set_option (pipeline, "StreamParallelType.initial_sync=in_loop", &error))
    g_error ("%s", error->message);
  return hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
}

static void
test_random_pairs (void)
{
  guint64 wanted = get_number ("HIR_RANDOM_COUNT", RANDOM_COUNT);
  guint64 seed = get_number ("HIR_RANDOM_SEED", 1);
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);
  guint n_pairs = 0, n_different = 0;

  for (; n_pairs < wanted; seed++)
    {
      g_autoptr (HirRandomFusion) random =
          seed % 2 ? hir_random_fusion_new (seed) : hir_random_fusion_new_sharded (seed);
      g_autoptr (HirContainer) fusion = hir_random_fusion_build (random, NULL);
      g_autoptr (HirLowering) lowering = NULL, other = NULL;

      if (fusion == NULL)
        continue;
      lowering = lower (fusion, FALSE);
      other = lower (fusion, TRUE);
      for (guint i = 0; i < 4 && lowering->snapshots->len > 0 && other->snapshots->len > 0; i++)
        {
          HirLowering *right = i % 2 ? other : lowering;
          guint a = (guint) g_rand_int_range (rand, 0, (gint32) lowering->snapshots->len);
          guint b = (guint) g_rand_int_range (rand, 0, (gint32) right->snapshots->len);
          Side before = side_new (lowering->snapshots->pdata[a]);
          Side after = side_new (right->snapshots->pdata[b]);

          if (g_test_verbose ())
            g_test_message ("seed %" G_GUINT64_FORMAT ", %u and %u%s", seed, a, b,
                            i % 2 ? " in the loop" : "");
          n_different += check_pair (&before, &after) > 0;
          n_pairs++;
          side_clear (&before);
          side_clear (&after);
        }
    }
  g_test_message ("%u pairs, %u of them differ", n_pairs, n_different);
  g_assert_cmpuint (n_different * 2, >, n_pairs);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/diff-agreement/random", test_random_pairs);
  return g_test_run ();
}
