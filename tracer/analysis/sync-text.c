/* Formats the results like compiler messages. */
#include "analysis/sync-cost.h"
#include "analysis/sync-observed.h"
#include "brief.h"

/* Maximum number of places of a fault in the text. */
#define MAX_PLACES 8

static const HirSource *
get_source (const HirSyncCheck *check)
{
  return ((const HirContainer *) g_ptr_array_index (check->trace->programs, 0))->source;
}

/* Appends "mine.py:12:5: missing: ", without position if the line is not known. */
static void
add_head (GString *text, const HirSyncCheck *check, HirPos pos, const char *what)
{
  const HirSource *source = get_source (check);

  if (source != NULL && pos.line > 0)
    g_string_append_printf (text, "%s:%u:%u: ", source->path, pos.line, pos.column);
  else if (source != NULL)
    g_string_append_printf (text, "%s: ", source->path);
  g_string_append_printf (text, "%s: ", what);
}

static void
add_source_line (GString *text, const HirSyncCheck *check, HirPos pos)
{
  const HirSource *source = get_source (check);
  g_autofree char *line =
      source != NULL && pos.line > 0 ? hir_source_dup_line (source, pos.line) : NULL;

  if (line != NULL)
    g_string_append_printf (text, "%s\n%*s^\n", line, MAX ((int) pos.column - 1, 0), "");
}

static char *
dup_subject (const HirSyncStep *step)
{
  if (step->expr == NULL)
    return g_strdup (step->kind == HIR_SYNC_RELEASE ? "the next owner of the memory"
                                                    : "the caller");
  return hir_sync_dup_label (step->expr);
}

char *
hir_sync_check_dup_sentence (const HirSyncCheck *check, const HirSyncMissing *missing)
{
  const HirSyncTrace *trace = check->trace;
  const HirSyncStep *b = hir_sync_trace_get_step (trace, missing->second);
  g_autofree char *first = dup_subject (hir_sync_trace_get_step (trace, missing->first));
  g_autofree char *second = dup_subject (b);
  int tensor = hir_sync_trace_get_access (trace, missing->second_access)->tensor;
  const char *still = missing->hazard == HIR_HAZARD_WAR ? "reads" : "writes";

  if (b->kind == HIR_SYNC_RELEASE)
    return g_strdup_printf ("the memory of T%d may be reused while %s still %s it", tensor, first,
                            still);
  if (missing->hazard == HIR_HAZARD_RAW)
    return g_strdup_printf ("%s may read T%d before %s has written it", second, tensor, first);
  if (missing->hazard == HIR_HAZARD_WAR)
    return g_strdup_printf ("%s may write T%d while %s still reads it", second, tensor, first);
  return g_strdup_printf ("%s may write T%d before %s, which must write first", second, tensor,
                          first);
}

char *
hir_sync_check_dup_step (const HirSyncCheck *check, guint index)
{
  const HirSyncStep *step = hir_sync_trace_get_step (check->trace, index);
  GString *text = g_string_new (NULL);
  g_autofree char *subject = dup_subject (step);

  g_string_append (text, subject);
  if (step->kind == HIR_SYNC_ENTRY)
    g_string_append (text, ", before the program");
  if (step->kind == HIR_SYNC_EXIT)
    g_string_append (text, ", after the program");
  if (step->iteration >= 0)
    g_string_append_printf (text, ", iteration %d", step->iteration);
  g_string_append_printf (text, ", on %s of rank %d",
                          hir_sync_trace_get_queue (check->trace, step->queue)->name, step->rank);
  return g_string_free (text, FALSE);
}

/* Counts on one rank how often the instruction that allocated @buffer is executed, and how often it
 * allocates. */
static void
count_allocations (const HirSyncTrace *trace,
                   const HirSyncBuffer *buffer,
                   guint *n_executed,
                   guint *n_allocated)
{
  *n_executed = *n_allocated = 0;
  for (guint i = 0; i < trace->instances->len; i++)
    {
      const HirSyncInstance *instance = &g_array_index (trace->instances, HirSyncInstance, i);

      *n_executed += instance->expr == buffer->expr && instance->rank == buffer->rank;
    }
  for (guint i = 0; i < trace->buffers->len; i++)
    {
      const HirSyncBuffer *other = &g_array_index (trace->buffers, HirSyncBuffer, i);

      *n_allocated += other->expr == buffer->expr && other->rank == buffer->rank;
    }
}

const HirExpr *
hir_sync_check_find_shared (const HirSyncCheck *check, const HirSyncMissing *missing)
{
  const HirSyncTrace *trace = check->trace;
  guint index = hir_sync_trace_get_access (trace, missing->first_access)->buffer;
  const HirSyncBuffer *buffer = &g_array_index (trace->buffers, HirSyncBuffer, index);
  guint n_executed, n_allocated;

  if (buffer->expr == NULL || buffer->expr->kind != HIR_EXPR_ALLOCATE)
    return NULL;
  count_allocations (trace, buffer, &n_executed, &n_allocated);
  return n_executed > n_allocated ? buffer->expr : NULL;
}

char *
hir_sync_check_dup_cause (const HirSyncCheck *check, const HirSyncMissing *missing)
{
  const HirExpr *shared = hir_sync_check_find_shared (check, missing);

  if (shared == NULL)
    return NULL;
  return g_strdup_printf ("iterations share the memory of T%d: its ALLOCATE does nothing while T%d "
                          "is bound, and no Deallocate unbinds it at the end of each iteration",
                          shared->u.allocate.buffer->base.name,
                          shared->u.allocate.buffer->base.name);
}

static void
add_step (
    GString *text, const HirSyncCheck *check, const char *title, guint index, gboolean is_write)
{
  g_autofree char *step = hir_sync_check_dup_step (check, index);

  g_string_append_printf (text, "  %-8s%s %s\n", title, is_write ? "writes:" : "reads: ", step);
}

/* Returns the position to report: the second instruction, or the first if the second is the
 * caller. */
static HirPos
get_pos (const HirSyncCheck *check, const HirSyncMissing *missing)
{
  const HirExpr *expr = hir_sync_trace_get_step (check->trace, missing->second)->expr;

  if (expr == NULL)
    expr = hir_sync_trace_get_step (check->trace, missing->first)->expr;
  return expr != NULL ? expr->node.pos : (HirPos){ 0, 0 };
}

/* Returns TRUE if one of the two accesses is by the caller. */
static gboolean
is_callers (const HirSyncCheck *check, const HirSyncMissing *missing)
{
  return hir_sync_trace_get_step (check->trace, missing->first)->expr == NULL ||
         hir_sync_trace_get_step (check->trace, missing->second)->expr == NULL;
}

static void
add_missing (GString *text, const HirSyncCheck *check, const HirSyncMissing *missing)
{
  const HirSyncTrace *trace = check->trace;
  const HirSyncAccess *a = hir_sync_trace_get_access (trace, missing->first_access);
  const HirSyncAccess *b = hir_sync_trace_get_access (trace, missing->second_access);
  const HirSyncBuffer *buffer = &g_array_index (trace->buffers, HirSyncBuffer, a->buffer);
  g_autofree char *observation = hir_sync_missing_dup_observation (missing);
  g_autofree char *cause = hir_sync_check_dup_cause (check, missing);
  g_autofree char *sentence = hir_sync_check_dup_sentence (check, missing);
  HirPos pos = get_pos (check, missing);

  add_head (text, check, pos, "missing");
  g_string_append_printf (text, "%s (%s)\n", sentence, hir_hazard_get_name (missing->hazard));
  add_source_line (text, check, pos);
  add_step (text, check, "first", missing->first, a->is_write);
  add_step (text, check, "then", missing->second, b->is_write);
  g_string_append_printf (text,
                          "  bytes   %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                          " of the memory of T%d; %u time%s",
                          missing->bytes.from, missing->bytes.to, buffer->tensor, missing->n,
                          missing->n == 1 ? "" : "s");
  if (missing->n_ranks > 1)
    g_string_append_printf (text, " on %u ranks", missing->n_ranks);
  if (cause != NULL)
    g_string_append_printf (text, "\n  why     %s", cause);
  if (check->has_recording)
    g_string_append_printf (text, "\n  run     %s",
                            observation != NULL           ? observation
                            : is_callers (check, missing) ? "the caller is not recorded"
                                                          : "not in the recording");
  if (missing->suggestion != NULL)
    g_string_append_printf (text, "\n  fix     %s", missing->suggestion);
  g_string_append (text, "\n\n");
}

/* "Synchronize Default stream (Stream 0 in the program)" */
static char *
dup_synchronize (const HirExpr *expr)
{
  g_autofree char *stream = hir_brief_stream_in_program (expr->u.stream.stream);

  return g_strdup_printf ("Synchronize %s", stream);
}

char *
hir_sync_check_dup_use (const HirSyncCheck *check, const HirSyncUse *use)
{
  g_autofree char *label = use->expr->kind == HIR_EXPR_SYNCHRONIZE ? dup_synchronize (use->expr)
                                                                   : hir_sync_dup_label (use->expr);
  g_autofree char *cost = hir_sync_use_dup_cost (check, use);
  GString *text;

  if (!use->is_redundant && use->n_idle == 0)
    return NULL;
  text = g_string_new (label);
  if (use->is_redundant && use->n == 0)
    g_string_append (text, " never makes a stream wait");
  else if (use->is_redundant)
    g_string_append (text, " can be left out: everything it orders is also ordered without it");
  else
    g_string_append_printf (text, " is executed %u times; %u of them order nothing new", use->n,
                            use->n_idle);
  if (cost != NULL)
    g_string_append_printf (text, use->is_redundant ? "; it %s" : ", which %s", cost);
  return g_string_free (text, FALSE);
}

static void
add_use (GString *text, const HirSyncCheck *check, const HirSyncUse *use)
{
  g_autofree char *use_text = hir_sync_check_dup_use (check, use);

  if (!use->is_redundant)
    return;
  add_head (text, check, use->expr->node.pos, "redundant");
  g_string_append_printf (text, "%s\n", use_text);
  if (use->expr->kind == HIR_EXPR_WAIT)
    g_string_append (text, "  (a run still requires one Wait for each communication)\n");
}

static void
add_idle (GString *text, const HirSyncCheck *check, const HirSyncUse *use)
{
  g_autofree char *use_text = hir_sync_check_dup_use (check, use);

  if (!use->is_redundant && use_text != NULL)
    g_string_append_printf (text, "note: %s\n", use_text);
}

char *
hir_sync_place_dup_text (const HirSyncPlace *place)
{
  GString *text = g_string_new (NULL);
  g_autofree char *label = place->expr != NULL ? hir_sync_dup_label (place->expr) : NULL;

  g_string_append_printf (text, "rank %d", place->rank);
  if (place->expr != NULL && place->expr->node.pos.line > 0)
    g_string_append_printf (text, ", line %u", place->expr->node.pos.line);
  if (place->iteration >= 0)
    g_string_append_printf (text, ", iteration %d", place->iteration);
  g_string_append_printf (text, ": %s%s%s", label != NULL ? label : "", label != NULL ? " " : "",
                          place->text);
  return g_string_free (text, FALSE);
}

static void
add_fault (GString *text, const HirSyncCheck *check, const HirSyncFault *fault)
{
  add_head (text, check, fault->pos, hir_sync_fault_kind_get_name (fault->kind));
  g_string_append_printf (text, "%s\n", fault->message);
  add_source_line (text, check, fault->pos);
  for (guint i = 0; i < fault->places->len && i < MAX_PLACES; i++)
    {
      g_autofree char *place =
          hir_sync_place_dup_text (&g_array_index (fault->places, HirSyncPlace, i));

      g_string_append_printf (text, "  %s\n", place);
    }
  if (fault->n > MIN (fault->places->len, MAX_PLACES) && fault->places->len > 0 &&
      fault->kind != HIR_SYNC_FAULT_DEADLOCK)
    g_string_append_printf (text, "  %u times in total\n", fault->n);
  g_string_append_c (text, '\n');
}

/* Adds the Deallocates that release nothing, in one line. */
static void
add_frees (GString *text, const HirSyncCheck *check)
{
  const GArray *frees = check->trace->frees;
  g_autoptr (GString) names = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < frees->len; i++)
    {
      const HirSyncFree *use = &g_array_index (frees, HirSyncFree, i);

      if (use->n_needed > 0)
        continue;
      g_string_append_printf (names, "%sT%d", n > 0 ? ", " : "",
                              use->expr->u.deallocate.buffer->base.name);
      n++;
    }
  if (n > 0)
    g_string_append_printf (text,
                            "note: the Deallocate%s of %s release%s no memory, because other "
                            "tensors, inputs or outputs hold it\n",
                            n == 1 ? "" : "s", names->str, n == 1 ? "s" : "");
}

char *
hir_sync_check_format (const HirSyncCheck *check)
{
  const HirSyncTrace *trace = check->trace;
  GString *text = g_string_new (NULL);
  g_autofree char *times = hir_sync_check_dup_times (check);
  g_autofree char *faults = hir_sync_faults_dup_counts (trace->faults);
  g_autofree char *held = hir_sync_faults_dup_counts (trace->held);
  guint n_redundant = 0, n_latent = 0;

  for (guint i = 0; i < trace->faults->len; i++)
    add_fault (text, check, g_ptr_array_index (trace->faults, i));
  for (guint i = 0; i < check->missing->len; i++)
    {
      n_latent += hir_sync_missing_is_latent (&g_array_index (check->missing, HirSyncMissing, i));
      add_missing (text, check, &g_array_index (check->missing, HirSyncMissing, i));
    }
  for (guint i = 0; i < check->uses->len; i++)
    {
      n_redundant += g_array_index (check->uses, HirSyncUse, i).is_redundant;
      add_use (text, check, &g_array_index (check->uses, HirSyncUse, i));
    }
  for (guint i = 0; i < trace->held->len; i++)
    add_fault (text, check, g_ptr_array_index (trace->held, i));
  for (guint i = 0; i < check->uses->len; i++)
    add_idle (text, check, &g_array_index (check->uses, HirSyncUse, i));
  add_frees (text, check);
  if (check->has_recording && check->missing->len > 0)
    g_string_append_printf (text, "%u of %u missing are latent races in the recording\n", n_latent,
                            check->missing->len);
  if (times != NULL)
    g_string_append_printf (text, "%s\n", times);
  g_string_append_printf (text,
                          "%s%s%u missing, %u redundant; %u rank%s, %" G_GINT64_FORMAT
                          " stream%s%s, %u pairs of accesses\n",
                          faults, held, check->missing->len, n_redundant, trace->programs->len,
                          trace->programs->len == 1 ? "" : "s", check->n_streams,
                          check->n_streams == 1 ? "" : "s", trace->programs->len > 1 ? " each" : "",
                          check->n_pairs);
  return g_string_free (text, FALSE);
}
