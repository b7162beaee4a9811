/* Exchanges settings, clocks, outcomes and events between the ranks. */
#include "job/run-ranks.h"

#include "job/run-ranks-private.h"
#include "record/event-pack.h"
#include "run/model/model-log.h"

HirRunRanks *
hir_run_ranks_new (HirMpiModule *mpi, HirContainer *fusion, const HirRunSettings *settings)
{
  HirRunRanks *ranks = g_new0 (HirRunRanks, 1);

  ranks->mpi = mpi;
  ranks->fusion = fusion != NULL ? hir_container_ref (fusion) : NULL;
  ranks->settings = settings;
  ranks->fits = g_new0 (HirClockFit, mpi->size);
  ranks->outcomes = g_new0 (HirRankOutcome, mpi->size);
  for (int rank = 0; rank < mpi->size; rank++)
    ranks->fits[rank].same_clock = hir_mpi_module_is_local (mpi, rank);
  return ranks;
}

void
hir_run_ranks_free (HirRunRanks *ranks)
{
  g_clear_pointer (&ranks->pack, hir_event_pack_free);
  g_clear_pointer (&ranks->model, g_variant_unref);
  g_clear_pointer (&ranks->report, g_variant_unref);
  g_clear_pointer (&ranks->fusion, hir_container_unref);
  g_free (ranks->fits);
  g_free (ranks->outcomes);
  g_free (ranks);
}

/* Compares the settings that must be equal on all ranks. */
static gboolean
check_settings (HirRunRanks *ranks, GError **error)
{
  const HirRunSettings *settings = ranks->settings;
  const gint64 mine[] = { settings->n_repeat, settings->n_warmup,      settings->model_clock,
                          settings->check,    (gint64) settings->seed, settings->baseline };
  static const char *const names[] = { "--repeat", "--warmup", "--clock",
                                       "--check",  "--seed",   "--baseline" };
  g_autofree gint64 *all = g_new0 (gint64, G_N_ELEMENTS (mine) * (gsize) ranks->mpi->size);

  if (!hir_mpi_module_allgather (ranks->mpi, "settings", mine, sizeof mine, all, error))
    return FALSE;
  for (int rank = 1; rank < ranks->mpi->size; rank++)
    for (guint i = 0; i < G_N_ELEMENTS (mine); i++)
      if (all[(gsize) rank * G_N_ELEMENTS (mine) + i] != all[i])
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "rank %d has another %s than rank 0; use the same value on all ranks",
                         rank, names[i]);
          return FALSE;
        }
  return TRUE;
}

static gboolean
measure_clocks (HirRunRanks *ranks, gboolean at_end, GError **error)
{
  g_autofree HirClockOffset *offsets = g_new0 (HirClockOffset, ranks->mpi->size);

  if (ranks->settings->model_clock)
    return TRUE; /* the modelled clock is common */
  if (!hir_mpi_clock_measure (ranks->mpi, offsets, error))
    return FALSE;
  for (int rank = 0; rank < ranks->mpi->size; rank++)
    {
      HirClockFit *fit = &ranks->fits[rank];

      fit->end = offsets[rank];
      if (!at_end)
        fit->begin = offsets[rank];
    }
  return TRUE;
}

gboolean
hir_run_ranks_begin (HirRunRanks *ranks, HirRecorder *recorder, GError **error)
{
  HirRecorderSink sink;

  if (ranks->mpi->rank > 0)
    {
      ranks->pack = hir_event_pack_new (&sink);
      hir_recorder_add_sink (recorder, &sink);
    }
  return check_settings (ranks, error) && measure_clocks (ranks, FALSE, error);
}

void
hir_run_ranks_take_session (HirRunRanks *ranks, HirSession *session)
{
  GVariant *model = hir_session_pack_model (session);
  const HirCheckReport *report = hir_session_get_report (session);

  ranks->zero_ns = hir_mpi_clock_at_ns (ranks->mpi, hir_session_get_zero_ns (session));
  if (model != NULL)
    ranks->model = g_variant_ref_sink (model);
  if (report != NULL)
    ranks->report = g_variant_ref_sink (hir_check_report_to_variant (report));
}

/* Exchanges the outcomes. Also a barrier. */
static gboolean
exchange_outcomes (HirRunRanks *ranks,
                   const GError *failure,
                   gboolean is_mine,
                   const HirRunResult *result,
                   GError **error)
{
  HirRankOutcome mine = { .failed = failure != NULL,
                          .is_mine = failure != NULL && is_mine,
                          .n_done = result->n_done,
                          .n_no_value = result->n_no_value,
                          .elapsed_ns = result->elapsed_ns,
                          .zero_ns = ranks->zero_ns };

  if (ranks->pack != NULL)
    {
      mine.n_pieces = hir_event_pack_get_n_pieces (ranks->pack);
      mine.n_dropped = hir_event_pack_get_n_dropped (ranks->pack);
    }
  return hir_mpi_module_allgather (ranks->mpi, "outcomes", &mine, sizeof mine, ranks->outcomes,
                                   error);
}

static gboolean
any_failed (const HirRunRanks *ranks)
{
  for (int rank = 0; rank < ranks->mpi->size; rank++)
    if (ranks->outcomes[rank].failed)
      return TRUE;
  return FALSE;
}

/* Serializes everything except the events: names, model, report, error; each may be absent. */
static GBytes *
pack_small (const HirRunRanks *ranks, const GError *failure)
{
  GVariantBuilder builder;
  g_autoptr (GVariant) packed = NULL;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("(mvmvmvmv)"));
#define ADD(value) g_variant_builder_add (&builder, "mv", value)
  ADD (ranks->pack != NULL ? hir_event_pack_dup_names (ranks->pack) : NULL);
  ADD (ranks->model);
  ADD (ranks->report);
  ADD (failure != NULL ? hir_run_ranks_pack_error (failure) : NULL);
#undef ADD
  packed = g_variant_ref_sink (g_variant_builder_end (&builder));
  return g_variant_get_data_as_bytes (packed);
}

static gboolean
gather_small (HirRunRanks *ranks, const GError *failure, GPtrArray **small, GError **error)
{
  g_autoptr (GBytes) mine = pack_small (ranks, failure);
  g_autoptr (GPtrArray) parts = NULL;

  if (!hir_mpi_module_gather (ranks->mpi, "results", mine, 0, &parts, error))
    return FALSE;
  *small = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  for (guint i = 0; parts != NULL && i < parts->len; i++)
    g_ptr_array_add (*small, g_variant_ref_sink (
                                 g_variant_new_from_bytes (G_VARIANT_TYPE ("(mvmvmvmv)"),
                                                           g_ptr_array_index (parts, i), FALSE)));
  return TRUE;
}

/* Gathers one chunk per rank at a time, so that rank 0 does not need memory for all events at
 * once. */
static gboolean
gather_pieces (HirRunRanks *ranks, HirEventMerge **merges, GError **error)
{
  guint64 n_rounds = 0;

  for (int rank = 0; rank < ranks->mpi->size; rank++)
    n_rounds = MAX (n_rounds, ranks->outcomes[rank].n_pieces);
  for (guint64 i = 0; i < n_rounds; i++)
    {
      g_autoptr (GBytes) piece =
          ranks->pack != NULL ? hir_event_pack_dup_piece (ranks->pack, (guint) i) : NULL;
      g_autoptr (GPtrArray) pieces = NULL;

      if (piece == NULL)
        piece = g_bytes_new (NULL, 0);
      if (!hir_mpi_module_gather (ranks->mpi, "events", piece, 0, &pieces, error))
        return FALSE;
      for (guint rank = 1; pieces != NULL && rank < pieces->len; rank++)
        if (merges[rank] != NULL &&
            !hir_event_merge_add (merges[rank], g_ptr_array_index (pieces, rank),
                                  &ranks->fits[rank], ranks->outcomes[rank].zero_ns,
                                  ranks->outcomes[0].zero_ns, error))
          return FALSE;
    }
  return TRUE;
}

/* Prepares rank 0 for the events of the other ranks. */
static gboolean
begin_merges (HirRunRanks *ranks,
              GPtrArray *small,
              HirRecorder *recorder,
              HirEventMerge **merges,
              GError **error)
{
  for (guint rank = 1; rank < small->len; rank++)
    {
      g_autoptr (GVariant) names =
          hir_run_ranks_get_part (g_ptr_array_index (small, rank), HIR_RANK_PART_NAMES);

      if (names == NULL)
        continue;
      merges[rank] = hir_event_merge_new (recorder, names, error);
      if (merges[rank] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
merge_results (HirRunRanks *ranks,
               GPtrArray *small,
               HirRecorder *recorder,
               HirRecordingWriter *writer,
               HirRunResult *result,
               GError **error)
{
  g_autofree HirEventMerge **merges = g_new0 (HirEventMerge *, ranks->mpi->size);
  gboolean ok = ranks->mpi->rank > 0 || begin_merges (ranks, small, recorder, merges, error);

  ok = gather_pieces (ranks, merges, ok ? error : NULL) && ok;
  if (ok && ranks->mpi->rank == 0)
    ok = hir_run_ranks_merge (ranks, small, recorder, merges, writer, result, error);
  for (int rank = 0; rank < ranks->mpi->size; rank++)
    g_clear_pointer (&merges[rank], hir_event_merge_free);
  return ok;
}

/* Sets @error to the error of the lowest rank that found its error itself. @failure is the error of
 * this rank. */
static void
set_failure (HirRunRanks *ranks,
             const GError *failure,
             GPtrArray *small,
             HirRunResult *result,
             GError **error)
{
  int first = -1;

  for (int rank = ranks->mpi->size - 1; rank >= 0; rank--)
    if (ranks->outcomes[rank].is_mine || (first < 0 && ranks->outcomes[rank].failed))
      first = rank;
  result->failed_rank = first;
  if (ranks->mpi->rank == 0 && first >= 0 && small != NULL && small->len > (guint) first)
    {
      g_autoptr (GVariant) packed =
          hir_run_ranks_get_part (g_ptr_array_index (small, first), HIR_RANK_PART_ERROR);
      GError *rank_error = packed != NULL ? hir_run_ranks_unpack_error (packed) : NULL;

      if (rank_error != NULL)
        {
          g_clear_error (error);
          g_propagate_error (error, rank_error);
          return;
        }
    }
  if (error != NULL && *error != NULL)
    return;
  if (failure != NULL)
    g_propagate_error (error, g_error_copy (failure));
  else
    hir_set_error (error, HIR_ERROR_RUN, NULL, "rank %d failed", first);
}

gboolean
hir_run_ranks_end (HirRunRanks *ranks,
                   const GError *failure,
                   HirRecorder *recorder,
                   HirRecordingWriter *writer,
                   HirRunResult *result,
                   GError **error)
{
  g_autoptr (GPtrArray) small = NULL;
  gboolean is_mine, failed, ok;

  if (failure != NULL)
    hir_mpi_module_abort (ranks->mpi, failure);
  is_mine = hir_mpi_module_end_run (ranks->mpi);
  hir_recorder_flush (recorder);
  if (!exchange_outcomes (ranks, failure, is_mine, result, error))
    {
      /* A rank is gone: keep the local events, and note that the others are missing. */
      hir_run_ranks_note_lost (ranks, writer);
      result->is_torn = TRUE;
      if (failure != NULL)
        {
          g_clear_error (error);
          g_propagate_error (error, g_error_copy (failure));
        }
      return FALSE;
    }
  failed = any_failed (ranks);
  ok = (failed || measure_clocks (ranks, TRUE, error)) &&
       gather_small (ranks, failure, &small, error) &&
       merge_results (ranks, small, recorder, writer, result, error);
  if (failed)
    set_failure (ranks, failure, small, result, error);
  return ok && !failed;
}
