/* Checks the program with each change, then compares the modelled times of those that help. */
#include "program/program-repair.h"

#include <string.h>

#include "print/print.h"
#include "program/program-check.h"
#include "program/program-dump.h"
#include "program/repair-text.h"
#include "structural-hash.h"
#include "trace/duration.h"

/* Limits of one search: changed programs that are checked, and their steps in total. */
#define MAX_TRIES 4000
#define MAX_STEPS 4000000

typedef enum
{
  STATE_WORSE, /* cannot be read, or is not better */
  STATE_HELPS, /* fewer pairs of instances are unordered */
  STATE_FIXES, /* the hazard is gone */
  STATE_CLEAN, /* nothing is missing */
} State;

/* One or two changes and the program that they make. */
typedef struct
{
  HirRepairEdit *edits[2]; /* borrowed */
  guint n_edits;
  guint n_lines;
  HirModelTimes times;
} Choice;

/* A change and what it does to the first unordered pair of the hazard: without any other change it
 * orders both, or it makes a stream wait for the first step, or the second step wait. */
typedef struct
{
  HirRepairEdit *edit; /* owned */
  State state;
  gboolean orders, starts, ends;
} Candidate;

typedef struct
{
  HirProgram *printed; /* read from the text */
  HirRepairText *text;
  HirSyncCheck *base; /* of the text as it is */
  guint index;
  char *hazard;  /* describes the hazard at index */
  GArray *works; /* guint: the steps of base that changes do not move */
  GCancellable *cancellable;
  guint n_tries;
  GArray *candidates; /* Candidate */
  Choice best;        /* n_edits is 0 if there is none */
} Search;

void
hir_sync_repair_free (HirSyncRepair *repair)
{
  hir_request_unref (repair->request);
  g_free (repair->sentence);
  g_free (repair->log);
  g_free (repair);
}

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

static char *
dup_hazard (const HirSyncCheck *check, const HirSyncMissing *missing)
{
  g_autofree char *sentence = hir_sync_check_dup_sentence (check, missing);

  return g_strconcat (hir_hazard_get_name (missing->hazard), " ", sentence, NULL);
}

static guint
count_pairs (const HirSyncCheck *check)
{
  guint n = 0;

  for (guint i = 0; i < check->missing->len; i++)
    n += g_array_index (check->missing, HirSyncMissing, i).n;
  return n;
}

static void
search_close (Search *search)
{
  g_clear_pointer (&search->candidates, g_array_unref);
  g_clear_pointer (&search->works, g_array_unref);
  g_clear_pointer (&search->base, hir_sync_check_free);
  g_clear_pointer (&search->text, hir_repair_text_free);
  g_clear_pointer (&search->printed, hir_program_unref);
  g_free (search->hazard);
}

static void
clear_candidate (gpointer data)
{
  Candidate *candidate = data;

  hir_repair_edit_free (candidate->edit);
}

static gboolean
search_open (Search *search,
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
  search->cancellable = cancellable;
  search->printed = read_text (program, text, cancellable, error);
  if (search->printed == NULL)
    return FALSE;
  search->base =
      hir_program_check_sync (search->printed, check->n_streams, NULL, FALSE, cancellable, error);
  if (search->base == NULL)
    return FALSE;
  if (search->base->missing->len != check->missing->len ||
      search->base->uses->len != check->uses->len)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "the printed program has other findings; change the script");
      return FALSE;
    }
  search->text = hir_repair_text_new (text, hir_program_get_host (search->printed));
  search->works = dup_works (search->base->trace);
  search->candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_array_set_clear_func (search->candidates, clear_candidate);
  return TRUE;
}

static gboolean
is_same_queue (const HirSyncTrace *a, guint i, const HirSyncTrace *b, guint k)
{
  return hir_sync_trace_get_queue (a, i)->rank == hir_sync_trace_get_queue (b, k)->rank &&
         g_str_equal (hir_sync_trace_get_queue (a, i)->name, hir_sync_trace_get_queue (b, k)->name);
}

/* Returns FALSE if work or an allocation is missing, new or on another stream. */
static gboolean
has_same_works (const Search *search, const HirSyncTrace *trace, const GArray *works)
{
  const HirSyncTrace *base = search->base->trace;

  if (works->len != search->works->len || trace->buffers->len != base->buffers->len)
    return FALSE;
  for (guint i = 0; i < works->len; i++)
    {
      const HirSyncStep *a =
          hir_sync_trace_get_step (base, g_array_index (search->works, guint, i));
      const HirSyncStep *b = hir_sync_trace_get_step (trace, g_array_index (works, guint, i));

      if (a->kind != b->kind || !is_same_queue (base, a->queue, trace, b->queue))
        return FALSE;
    }
  for (guint i = 0; i < trace->buffers->len; i++)
    if (!is_same_queue (base, g_array_index (base->buffers, HirSyncBuffer, i).queue, trace,
                        g_array_index (trace->buffers, HirSyncBuffer, i).queue))
      return FALSE;
  return TRUE;
}

/* Returns the program with @edits (transfer full), or NULL if the text cannot be read. */
static HirProgram *
make_program (const Search *search, HirRepairEdit *const *edits, guint n_edits)
{
  g_autofree char *text = hir_repair_text_apply (search->text, edits, n_edits);
  HirProgram *program = read_text (search->printed, text, search->cancellable, NULL);

  if (program != NULL && program->error != NULL)
    g_clear_pointer (&program, hir_program_unref);
  return program;
}

/* Returns the check of the program with @edits (transfer full), or NULL if it is not valid. */
static HirSyncCheck *
try_edits (Search *search, HirRepairEdit *const *edits, guint n_edits, gboolean wants_times)
{
  g_autoptr (HirProgram) program = make_program (search, edits, n_edits);
  g_autoptr (GArray) works = NULL;
  HirSyncCheck *check;

  if (program == NULL)
    return NULL;
  search->n_tries++;
  check = hir_program_check_sync (program, search->base->n_streams, NULL, wants_times,
                                  search->cancellable, NULL);
  if (check == NULL)
    return NULL;
  works = dup_works (check->trace);
  if (check->trace->mismatches->len > search->base->trace->mismatches->len ||
      !has_same_works (search, check->trace, works))
    g_clear_pointer (&check, hir_sync_check_free);
  return check;
}

static gboolean
has_more_tries (const Search *search)
{
  return search->n_tries < MAX_TRIES &&
         (guint64) search->n_tries * search->base->trace->steps->len < MAX_STEPS &&
         !g_cancellable_is_cancelled (search->cancellable);
}

static State
judge (const Search *search, const HirSyncCheck *check)
{
  if (check == NULL || count_pairs (check) >= count_pairs (search->base))
    return STATE_WORSE;
  for (guint i = 0; i < check->missing->len; i++)
    {
      g_autofree char *hazard =
          dup_hazard (check, &g_array_index (check->missing, HirSyncMissing, i));

      if (g_str_equal (hazard, search->hazard))
        return STATE_HELPS;
    }
  return check->missing->len == 0 ? STATE_CLEAN : STATE_FIXES;
}

/* Returns the step of @trace that is step @step of the unchanged program. HIR_SYNC_NONE: a release,
 * which is not followed. */
static guint
follow_step (const Search *search, const HirSyncTrace *trace, guint step)
{
  g_autoptr (GArray) works = dup_works (trace);

  for (guint i = 0; i < works->len; i++)
    if (g_array_index (search->works, guint, i) == step)
      return g_array_index (works, guint, i);
  return HIR_SYNC_NONE;
}

/* Finds out what @candidate does to the first pair of the hazard. */
static void
follow_pair (const Search *search, const HirSyncCheck *check, Candidate *candidate)
{
  const HirSyncTrace *trace = check->trace;
  const HirSyncMissing *missing =
      &g_array_index (search->base->missing, HirSyncMissing, search->index);
  const HirSyncPair *pair = &g_array_index (missing->pairs, HirSyncPair, 0);
  guint first = follow_step (search, trace, pair->first);
  guint second = follow_step (search, trace, pair->second);
  const HirRepairEdit *edit = candidate->edit;
  guint line = (guint) (edit->at + 1 - (edit->gone >= 0 && edit->gone < edit->at));
  g_autoptr (HirSyncOrder) order = hir_sync_order_new (trace, NULL);

  candidate->orders = candidate->starts = candidate->ends = TRUE;
  if (order == NULL || first == HIR_SYNC_NONE || second == HIR_SYNC_NONE)
    return;
  candidate->starts = candidate->ends = FALSE;
  candidate->orders = hir_sync_order_is_before (order, first, second);
  for (guint i = 0; i < trace->steps->len; i++)
    {
      const HirSyncStep *step = hir_sync_trace_get_step (trace, i);

      if (step->kind != HIR_SYNC_WAIT || step->expr == NULL || step->expr->node.pos.line < line ||
          step->expr->node.pos.line >= line + edit->n_lines)
        continue;
      candidate->starts |= hir_sync_order_is_before (order, first, i);
      candidate->ends |= hir_sync_order_is_before (order, i, second);
    }
}

static int
get_line (const HirSyncTrace *trace, guint step)
{
  const HirExpr *expr = hir_sync_trace_get_step (trace, step)->expr;

  return expr != NULL ? (int) expr->node.pos.line - 1 : -1;
}

/* Adds the changes near all hazards and checks each. */
static void
try_candidates (Search *search)
{
  int from = G_MAXINT, to = 0;
  g_autoptr (GPtrArray) edits = NULL;

  for (guint i = 0; i < search->base->missing->len; i++)
    {
      const HirSyncMissing *missing = &g_array_index (search->base->missing, HirSyncMissing, i);
      int first, last;

      hir_repair_text_get_range (search->text, get_line (search->base->trace, missing->first),
                                 get_line (search->base->trace, missing->second), &first, &last);
      from = MIN (from, first);
      to = MAX (to, last);
    }
  edits = hir_repair_text_dup_edits (search->text, from, to);
  for (guint i = 0; i < edits->len && has_more_tries (search); i++)
    {
      Candidate candidate = { .edit = edits->pdata[i] };
      g_autoptr (HirSyncCheck) check = try_edits (search, &candidate.edit, 1, FALSE);

      candidate.state = judge (search, check);
      if (check != NULL)
        follow_pair (search, check, &candidate);
      candidate.edit = hir_repair_edit_copy (candidate.edit);
      g_array_append_val (search->candidates, candidate);
    }
}

/* Returns TRUE if @a is faster, has more overlap, or is shorter, in this order. */
static gboolean
is_better (const Choice *a, const Choice *b)
{
  if (a->times.total_ns != b->times.total_ns)
    return a->times.total_ns < b->times.total_ns;
  if (a->times.overlap_ns != b->times.overlap_ns)
    return a->times.overlap_ns > b->times.overlap_ns;
  return a->n_lines < b->n_lines;
}

/* Stores @edits as the best choice if they are. */
static void
compare_choice (Search *search, HirRepairEdit *const *edits, guint n_edits)
{
  g_autoptr (HirSyncCheck) check = try_edits (search, edits, n_edits, TRUE);
  Choice choice = { .n_edits = n_edits };

  if (check == NULL || !check->is_timed)
    return;
  choice.times = check->times;
  for (guint i = 0; i < n_edits; i++)
    {
      choice.edits[i] = edits[i];
      choice.n_lines += edits[i]->n_lines;
    }
  if (search->best.n_edits == 0 || is_better (&choice, &search->best))
    search->best = choice;
}

/* Compares the candidates of @state. Returns TRUE if there is one. */
static gboolean
choose_one (Search *search, State state)
{
  for (guint i = 0; i < search->candidates->len; i++)
    {
      Candidate *candidate = &g_array_index (search->candidates, Candidate, i);

      if (candidate->state == state && !g_cancellable_is_cancelled (search->cancellable))
        compare_choice (search, &candidate->edit, 1);
    }
  return search->best.n_edits > 0;
}

/* Returns TRUE if @a and then @b may order the first pair of the hazard: the stream that waits in
 * @a is waited for in @b, or one of them orders the pair and the other one another pair. */
static gboolean
may_fit (const Candidate *a, const Candidate *b)
{
  if (a->edit->gone >= 0 && a->edit->gone == b->edit->gone)
    return FALSE;
  return (a->starts && b->ends) || (a->orders && b->state >= STATE_HELPS);
}

/* Compares all pairs of candidates that reach @state. Returns TRUE if there is one. */
static gboolean
choose_two (Search *search, State state)
{
  for (guint i = 0; i < search->candidates->len; i++)
    for (guint k = 0; k < search->candidates->len && has_more_tries (search); k++)
      {
        const Candidate *a = &g_array_index (search->candidates, Candidate, i);
        const Candidate *b = &g_array_index (search->candidates, Candidate, k);
        HirRepairEdit *edits[2] = { a->edit, b->edit };
        g_autoptr (HirSyncCheck) check = NULL;

        if (i == k || !may_fit (a, b) || (k < i && may_fit (b, a) && a->edit->at != b->edit->at))
          continue;
        check = try_edits (search, edits, 2, FALSE);
        if (judge (search, check) >= state)
          compare_choice (search, edits, 2);
      }
  return search->best.n_edits > 0;
}

/* Makes the result of the best choice. */
static HirSyncRepair *
make_repair (const Search *search, const Choice *choice, gboolean is_clean)
{
  g_autoptr (HirProgram) program = make_program (search, choice->edits, choice->n_edits);
  g_autofree char *time = hir_format_duration (choice->times.total_ns);
  GString *sentence = g_string_new (NULL), *log = g_string_new (NULL);
  HirSyncRepair *repair = g_new0 (HirSyncRepair, 1);

  for (guint i = 0; i < choice->n_edits; i++)
    {
      g_autofree char *what = hir_repair_text_describe (search->text, choice->edits[i]);
      g_autofree char *line = hir_repair_text_log (search->text, choice->edits[i]);

      g_string_append_printf (sentence, "%s%s", i > 0 ? ", and " : "", what);
      g_string_append_printf (log, "%s%s", i > 0 ? "\n" : "", line);
    }
  g_string_append_printf (sentence, " (%s on the modelled clock)", time);
  repair->request = hir_request_dup (program->request);
  repair->sentence = g_string_free (sentence, FALSE);
  repair->log = g_string_free (log, FALSE);
  repair->is_clean = is_clean;
  return repair;
}

HirSyncRepair *
hir_program_find_repair (HirProgram *program,
                         const HirSyncCheck *check,
                         guint index,
                         GCancellable *cancellable,
                         GError **error)
{
  Search search = { .index = index };
  HirSyncRepair *repair = NULL;
  gboolean is_clean;

  if (!search_open (&search, program, check, cancellable, error))
    {
      search_close (&search);
      return NULL;
    }
  search.hazard =
      dup_hazard (search.base, &g_array_index (search.base->missing, HirSyncMissing, index));
  try_candidates (&search);
  is_clean = choose_one (&search, STATE_CLEAN) || choose_two (&search, STATE_CLEAN);
  if ((is_clean || choose_one (&search, STATE_FIXES) || choose_two (&search, STATE_FIXES)) &&
      !g_cancellable_is_cancelled (cancellable))
    repair = make_repair (&search, &search.best, is_clean);
  else if (!g_cancellable_set_error_if_cancelled (cancellable, error))
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                   "no change of one or two lines fixes it; change the script or more lines");
  search_close (&search);
  return repair;
}

HirSyncRepair *
hir_program_find_removal (HirProgram *program,
                          const HirSyncCheck *check,
                          guint index,
                          GCancellable *cancellable,
                          GError **error)
{
  Search search = { 0 };
  HirSyncRepair *repair = NULL;

  if (search_open (&search, program, check, cancellable, error))
    {
      const HirExpr *expr = g_array_index (search.base->uses, HirSyncUse, index).expr;
      int line = (int) expr->node.pos.line - 1;
      g_autoptr (HirRepairEdit) edit = hir_repair_edit_new (line, 0, "", line);
      g_autoptr (HirSyncCheck) after = try_edits (&search, &edit, 1, FALSE);
      Choice choice = { .edits = { edit }, .n_edits = 1 };

      if (after != NULL && count_pairs (after) <= count_pairs (search.base))
        repair = make_repair (&search, &choice, after->missing->len == 0);
      else if (!g_cancellable_set_error_if_cancelled (cancellable, error))
        hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                       "removing its line makes synchronization missing");
    }
  search_close (&search);
  return repair;
}
