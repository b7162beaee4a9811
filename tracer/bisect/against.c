/* Evaluates a program and the lowered fusion, and finds the first instruction that differs. */
#include "bisect/against.h"

#include "bisect/compare-records.h"
#include "bisect/difference.h"
#include "bisect/evaluated.h"
#include "diagnostic.h"

void
hir_against_clear (HirAgainst *against)
{
  g_clear_pointer (&against->inputs, g_free);
  g_clear_pointer (&against->outputs, g_free);
  g_clear_pointer (&against->report, g_free);
  g_clear_pointer (&against->program, hir_container_unref);
  g_clear_error (&against->failure);
}

typedef struct
{
  HirProgram *program;
  HirContainer *fusion;
  const HirRunSettings *settings;
  GCancellable *cancellable;
} Search;

static HirEvaluated *
evaluated_new (const Search *it, const GPtrArray *hosts, GError **error)
{
  return hir_evaluated_new (hosts, it->fusion, it->program->request->inputs, it->settings,
                            it->cancellable, error);
}

/* Lowers the fusion for @n_ranks. Returns NULL if this fails: the programs are then not paired. */
static GPtrArray *
lower_fusion (HirProgram *lowered, guint n_ranks, GCancellable *cancellable)
{
  g_autoptr (GPtrArray) hosts =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);

  for (guint rank = 0; rank < n_ranks; rank++)
    {
      g_autoptr (HirLowering) lowering =
          hir_program_lower_for_rank (lowered, rank, cancellable, NULL);
      HirSnapshot *last =
          lowering != NULL && lowering->error == NULL ? hir_lowering_get_last (lowering) : NULL;

      if (last == NULL || last->program->kind != HIR_CONTAINER_HOST)
        return NULL;
      g_ptr_array_add (hosts, hir_container_ref (last->program));
    }
  return g_steal_pointer (&hosts);
}

/* Lowerings that differ in their instructions or in the order of these. */
typedef struct
{
  HirPipelineKind pipeline;
  const char *enable, *set; /* nullable */
} Variant;

static const Variant variants[] = {
  { HIR_PIPELINE_EXECUTOR, NULL, NULL },
  { HIR_PIPELINE_EXECUTOR, "ReorderShardedAxis", NULL },
  { HIR_PIPELINE_HOSTIR, NULL, NULL },
  { HIR_PIPELINE_HOSTIR, NULL, "DecomposeReshardings.insert_resharding_after=on" },
};

/* Puts @text (nullable) in front of @list, so that options that are given win. */
static void
prepend (char ***list, const char *text)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) rest = NULL;

  if (text == NULL)
    return;
  rest = g_steal_pointer (list);
  g_strv_builder_add (builder, text);
  if (rest != NULL)
    g_strv_builder_addv (builder, (const char **) rest);
  *list = g_strv_builder_end (builder);
}

/* Returns NULL if the options select another pipeline. A printed program does not name its
 * pipeline, and the script of the fusion may select one. */
static GPtrArray *
lower_variant (const Search *it, const Variant *variant, guint n_ranks)
{
  g_autoptr (HirProgram) lowered = hir_program_new_from_fusion (it->program, it->fusion);
  HirRequest *request = lowered->request;

  if (request->pipeline_given && request->pipeline != variant->pipeline)
    return NULL;
  request->pipeline = variant->pipeline;
  prepend (&request->enable, variant->enable);
  prepend (&request->set, variant->set);
  return lower_fusion (lowered, n_ranks, it->cancellable);
}

/* Returns the lowering of the fusion with the most instructions in common with @hosts, or NULL. */
static GPtrArray *
dup_nearest (const Search *it, const GPtrArray *hosts)
{
  g_autoptr (GPtrArray) ops = hir_recorded_ops_new (hosts->pdata[0]);
  GPtrArray *best = NULL;
  guint most = 0;

  for (guint i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      g_autoptr (GPtrArray) found = lower_variant (it, &variants[i], hosts->len);
      g_autoptr (GPtrArray) others = NULL;
      g_autoptr (HirAlignment) alignment = NULL;

      if (found == NULL)
        continue;
      others = hir_recorded_ops_new (found->pdata[0]);
      alignment = hir_alignment_new (ops, others);
      if (best != NULL && alignment->n_paired <= most && !alignment->is_whole)
        continue;
      g_clear_pointer (&best, g_ptr_array_unref);
      best = g_steal_pointer (&found);
      most = alignment->is_whole ? G_MAXUINT : alignment->n_paired;
      if (alignment->is_whole)
        break;
    }
  return best;
}

static void
set_place (HirAgainst *against,
           const HirReferenceRank *rank,
           const HirRecord *record,
           const HirRecorded *entry,
           char *report)
{
  const GPtrArray *ops = record->ops->pdata[entry->rank];

  against->expr = ((const HirRecordedOp *) ops->pdata[entry->op])->expr;
  against->program = hir_container_ref (rank->program);
  against->iteration = entry->iteration;
  against->rank = rank->rank;
  against->report = report;
}

/* Compares with the lowered fusion, instruction by instruction. */
static gboolean
find_by_instruction (const Search *it,
                     const GPtrArray *hosts,
                     const HirReferenceRank *ranks,
                     const HirRecord *record,
                     HirAgainst *against,
                     GError **error)
{
  g_autoptr (GPtrArray) lowered = dup_nearest (it, hosts);
  g_autoptr (HirEvaluated) other = lowered != NULL ? evaluated_new (it, lowered, NULL) : NULL;
  g_autoptr (HirRecord) wanted = NULL;
  const HirRecorded *entry;
  char *report = NULL;

  if (other == NULL)
    return TRUE;
  wanted = hir_record_new (other->ranks, other->n, it->settings->n_streams, it->cancellable, error);
  if (wanted == NULL)
    return FALSE;
  entry = hir_records_compare (record, ranks, wanted, other->ranks, &against->n_compared, &report);
  if (entry != NULL)
    set_place (against, &ranks[entry->rank], record, entry, report);
  return TRUE;
}

/* Finds the instruction that wrote the first wrong element. */
static void
find_by_output (const HirReferenceRank *ranks,
                const HirRecord *record,
                const HirWrongOutput *wrong,
                HirAgainst *against)
{
  const HirRecorded *entry =
      wrong->element >= 0
          ? hir_record_find_writer (record, wrong->rank, wrong->output, wrong->element)
          : NULL;

  if (entry != NULL)
    set_place (against, &ranks[entry->rank], record, entry,
               g_strdup ("writes the first incorrect element of the outputs"));
  else if (wrong->element >= 0)
    against->report = g_strdup ("no instruction writes the first incorrect element of the outputs");
}

/* Finds the instruction after the outputs are known to differ. */
static gboolean
locate (const Search *it,
        const GPtrArray *hosts,
        const HirReferenceRank *ranks,
        const HirWrongOutput *wrong,
        HirAgainst *against,
        GError **error)
{
  g_autoptr (HirRecord) record =
      hir_record_new (ranks, hosts->len, it->settings->n_streams, it->cancellable, error);

  if (record == NULL || !find_by_instruction (it, hosts, ranks, record, against, error))
    return FALSE;
  if (against->expr == NULL && against->outputs != NULL)
    find_by_output (ranks, record, wrong, against);
  return TRUE;
}

/* Finds the reason for @failure (taken), which prevents the program from running, in its form.
 * Returns FALSE and sets @error to @failure if it is not found. */
static gboolean
find_by_form (
    const Search *it, const GPtrArray *hosts, GError *failure, HirAgainst *against, GError **error)
{
  g_autoptr (GPtrArray) lowered = dup_nearest (it, hosts);

  for (guint rank = 0; lowered != NULL && rank < hosts->len && against->expr == NULL; rank++)
    {
      against->expr =
          hir_programs_compare_form (hosts->pdata[rank], lowered->pdata[rank], &against->report);
      if (against->expr != NULL)
        against->program = hir_container_ref (hosts->pdata[rank]);
      against->rank = (int) rank;
    }
  against->iteration = -1;
  if (against->expr != NULL)
    against->failure = failure;
  else
    g_propagate_error (error, failure);
  return against->expr != NULL;
}

static gboolean
find (const Search *it, const GPtrArray *hosts, HirAgainst *against, GError **error)
{
  GError *failure = NULL;
  g_autoptr (HirEvaluated) own = evaluated_new (it, hosts, &failure);
  g_autoptr (GPtrArray) wanted = NULL;
  HirWrongOutput first = { 0, 0, -1 };

  if (own == NULL)
    return find_by_form (it, hosts, failure, against, error);
  wanted = hir_evaluated_dup_wanted (own, it->fusion, it->cancellable, error);
  if (wanted == NULL)
    return FALSE;
  against->inputs = g_strdup (own->text);
  if (hir_evaluated_run (own, it->settings, it->cancellable, &failure))
    against->outputs =
        hir_difference_of_outputs (own->ranks, own->n, own->parts, wanted, &first, &failure);
  if (failure == NULL)
    return against->outputs == NULL || locate (it, hosts, own->ranks, &first, against, error);
  /* The program fails: an instruction before the failure may be why. */
  if (!g_error_matches (failure, HIR_ERROR, HIR_ERROR_CANCELLED) &&
      locate (it, hosts, own->ranks, &first, against, NULL) && against->expr != NULL)
    {
      against->failure = failure;
      return TRUE;
    }
  g_propagate_error (error, failure);
  return FALSE;
}

gboolean
hir_against_find (HirProgram *program,
                  HirContainer *fusion,
                  const HirRunSettings *settings,
                  GCancellable *cancellable,
                  HirAgainst *against,
                  GError **error)
{
  const Search it = { program, fusion, settings, cancellable };
  g_autoptr (GPtrArray) hosts = hir_program_dup_run_hosts (program, cancellable, error);

  return hosts != NULL && hir_run_inputs_check_like (hosts->pdata[0], fusion, error) &&
         find (&it, hosts, against, error);
}
