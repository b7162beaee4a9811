/* Reads and checks changed texts. */
#include "program/repair-trial.h"

#include "print/print.h"
#include "program/program-check.h"
#include "program/program-dump.h"
#include "structural-hash.h"

/* Limits of one search: changed programs that are checked, and their cost in total. One check costs
 * about 3 ns per unit. */
#define MAX_TRIES 4000
#define MAX_COST (G_GUINT64_CONSTANT (4) << 30)
#define COST_OF_STEP 1000

static HirProgram *
read_text (HirProgram *program, const char *text, GCancellable *cancellable, GError **error)
{
  const HirSource *before = program->request->source;
  g_autofree char *path = hir_program_is_dump (before)
                              ? g_strdup (before->path)
                              : g_strdup_printf ("%s, printed", before->path);
  HirSource *source = hir_source_new (path, text, -1);
  g_autoptr (HirRequest) request = hir_request_new (source, NULL);

  hir_source_unref (source);
  request->n_devices = program->request->n_devices;
  request->rank = program->request->rank;
  request->inputs = g_strdupv (program->request->inputs);
  return hir_program_new (request, NULL, cancellable, error);
}

static gboolean
is_one_program (const HirSyncTrace *trace)
{
  for (guint i = 1; i < trace->programs->len; i++)
    if (hir_container_hash (g_ptr_array_index (trace->programs, i)) !=
        hir_container_hash (g_ptr_array_index (trace->programs, 0)))
      return FALSE;
  return TRUE;
}

/* Returns the steps that changes do not move (guint): all except waits, and releases, which may
 * happen at a Wait. */
static GArray *
dup_works (const HirSyncTrace *trace)
{
  GArray *works = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < trace->steps->len; i++)
    {
      guint8 kind = hir_sync_trace_get_step (trace, i)->kind;

      if (kind != HIR_SYNC_WAIT && kind != HIR_SYNC_RELEASE)
        g_array_append_val (works, i);
    }
  return works;
}

/* Estimates the cost of a check: reading, running, and comparing all accesses of each buffer. */
static guint64
get_cost (const HirSyncTrace *trace)
{
  g_autofree guint *n_accesses = g_new0 (guint, trace->buffers->len + 1);
  guint64 cost = (guint64) trace->steps->len * COST_OF_STEP;

  for (guint i = 0; i < trace->accesses->len; i++)
    n_accesses[hir_sync_trace_get_access (trace, i)->buffer]++;
  for (guint i = 0; i < trace->buffers->len; i++)
    cost += (guint64) n_accesses[i] * n_accesses[i] / 2;
  return cost;
}

gboolean
hir_repair_trial_open (HirRepairTrial *trial,
                       HirProgram *program,
                       const HirSyncCheck *check,
                       GCancellable *cancellable,
                       GError **error)
{
  HirContainer *host = hir_program_get_host (program);
  g_autofree char *text = NULL;

  if (host == NULL || !is_one_program (check->trace))
    {
      hir_set_error (
          error, HIR_ERROR_UNSUPPORTED, NULL,
          "the ranks run different programs; change the script or the options of a pass");
      return FALSE;
    }
  text = hir_program_is_dump (program->request->source) && program->views->len == 1
             ? g_strdup (program->request->source->text)
             : hir_container_print (host, program->request->format, NULL);
  trial->cancellable = cancellable;
  trial->printed = read_text (program, text, cancellable, error);
  if (trial->printed == NULL)
    return FALSE;
  trial->base = hir_program_check_sync (trial->printed, check->n_streams, NULL, HIR_SYNC_USES,
                                        cancellable, error);
  if (trial->base == NULL)
    return FALSE;
  if (trial->base->missing->len != check->missing->len ||
      trial->base->uses->len != check->uses->len)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "the printed program has other findings; change the script");
      return FALSE;
    }
  trial->text = hir_repair_text_new (text, hir_program_get_host (trial->printed));
  trial->works = dup_works (trial->base->trace);
  trial->cost = get_cost (trial->base->trace);
  return TRUE;
}

void
hir_repair_trial_close (HirRepairTrial *trial)
{
  g_clear_pointer (&trial->works, g_array_unref);
  g_clear_pointer (&trial->base, hir_sync_check_free);
  g_clear_pointer (&trial->text, hir_repair_text_free);
  g_clear_pointer (&trial->printed, hir_program_unref);
}

static gboolean
is_same_queue (const HirSyncTrace *a, guint i, const HirSyncTrace *b, guint k)
{
  return hir_sync_trace_get_queue (a, i)->rank == hir_sync_trace_get_queue (b, k)->rank &&
         g_str_equal (hir_sync_trace_get_queue (a, i)->name, hir_sync_trace_get_queue (b, k)->name);
}

static gboolean
has_free (HirRepairEdit *const *edits, guint n_edits)
{
  for (guint i = 0; i < n_edits; i++)
    if (edits[i]->frees != NULL)
      return TRUE;
  return FALSE;
}

/* Returns FALSE if work or an allocation is missing, new or on another stream. With @frees, there
 * may be more allocations. */
static gboolean
has_same_works (const HirRepairTrial *trial,
                const HirSyncTrace *trace,
                const GArray *works,
                gboolean frees)
{
  const HirSyncTrace *base = trial->base->trace;

  if (works->len != trial->works->len || (!frees && trace->buffers->len != base->buffers->len))
    return FALSE;
  for (guint i = 0; i < works->len; i++)
    {
      const HirSyncStep *a = hir_sync_trace_get_step (base, g_array_index (trial->works, guint, i));
      const HirSyncStep *b = hir_sync_trace_get_step (trace, g_array_index (works, guint, i));

      if (a->kind != b->kind || !is_same_queue (base, a->queue, trace, b->queue))
        return FALSE;
    }
  for (guint i = 0; i < trace->buffers->len && !frees; i++)
    if (!is_same_queue (base, g_array_index (base->buffers, HirSyncBuffer, i).queue, trace,
                        g_array_index (trace->buffers, HirSyncBuffer, i).queue))
      return FALSE;
  return TRUE;
}

HirProgram *
hir_repair_trial_make (const HirRepairTrial *trial, HirRepairEdit *const *edits, guint n_edits)
{
  g_autofree char *text = hir_repair_text_apply (trial->text, edits, n_edits);
  HirProgram *program = read_text (trial->printed, text, trial->cancellable, NULL);

  if (program != NULL && program->error != NULL)
    g_clear_pointer (&program, hir_program_unref);
  return program;
}

HirSyncCheck *
hir_repair_trial_check (HirRepairTrial *trial,
                        HirRepairEdit *const *edits,
                        guint n_edits,
                        HirSyncParts parts)
{
  g_autoptr (HirProgram) program = hir_repair_trial_make (trial, edits, n_edits);
  g_autoptr (GArray) works = NULL;
  HirSyncCheck *check;

  if (program == NULL)
    return NULL;
  trial->n_tries++;
  check = hir_program_check_sync (program, trial->base->n_streams, NULL, parts, trial->cancellable,
                                  NULL);
  if (check == NULL)
    return NULL;
  works = dup_works (check->trace);
  if (check->trace->faults->len > trial->base->trace->faults->len ||
      !has_same_works (trial, check->trace, works, has_free (edits, n_edits)))
    g_clear_pointer (&check, hir_sync_check_free);
  return check;
}

gboolean
hir_repair_trial_has_more (const HirRepairTrial *trial)
{
  return trial->n_tries < MAX_TRIES && trial->n_tries * trial->cost < MAX_COST &&
         !g_cancellable_is_cancelled (trial->cancellable);
}
