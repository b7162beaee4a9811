/* Checks the program with each change, then compares the modelled times of those that help. */
#include "program/program-repair.h"

#include "program/repair-trial.h"
#include "trace/duration.h"

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
  HirRepairEdit *edit; /* borrowed from edits */
  State state;
  gboolean orders, starts, ends;
} Candidate;

typedef struct
{
  HirRepairTrial trial;
  guint index;
  char *hazard;       /* describes the hazard at index */
  GPtrArray *edits;   /* HirRepairEdit*; nullable */
  GArray *candidates; /* Candidate */
  Choice best;        /* n_edits is 0 if there is none */
} Search;

static void
search_clear (Search *search)
{
  g_clear_pointer (&search->candidates, g_array_unref);
  g_clear_pointer (&search->edits, g_ptr_array_unref);
  g_clear_pointer (&search->hazard, g_free);
  hir_repair_trial_close (&search->trial);
}

void
hir_sync_repair_free (HirSyncRepair *repair)
{
  hir_request_unref (repair->request);
  g_free (repair->sentence);
  g_free (repair->log);
  g_free (repair);
}

static guint
count_pairs (const HirSyncCheck *check)
{
  guint n = 0;

  for (guint i = 0; i < check->missing->len; i++)
    n += g_array_index (check->missing, HirSyncMissing, i).n;
  return n;
}

static char *
dup_hazard (const HirSyncCheck *check, const HirSyncMissing *missing)
{
  g_autofree char *sentence = hir_sync_check_dup_sentence (check, missing);

  return g_strconcat (hir_hazard_get_name (missing->hazard), " ", sentence, NULL);
}

static State
judge (const Search *search, const HirSyncCheck *check)
{
  if (check == NULL || count_pairs (check) >= count_pairs (search->trial.base))
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

/* Finds out what @candidate does to the first pair of the hazard. */
static void
follow_pair (const Search *search, const HirSyncCheck *check, Candidate *candidate)
{
  const HirSyncTrace *trace = check->trace;
  const HirSyncMissing *missing =
      &g_array_index (search->trial.base->missing, HirSyncMissing, search->index);
  const HirSyncPair *pair = &g_array_index (missing->pairs, HirSyncPair, 0);
  guint first = hir_repair_trial_follow (&search->trial, trace, pair->first);
  guint second = hir_repair_trial_follow (&search->trial, trace, pair->second);
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

  for (guint i = 0; i < search->trial.base->missing->len; i++)
    {
      const HirSyncMissing *missing =
          &g_array_index (search->trial.base->missing, HirSyncMissing, i);
      int first, last;

      hir_repair_text_get_range (search->trial.text,
                                 get_line (search->trial.base->trace, missing->first),
                                 get_line (search->trial.base->trace, missing->second), &first,
                                 &last);
      from = MIN (from, first);
      to = MAX (to, last);
    }
  search->candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  search->edits = hir_repair_text_dup_edits (search->trial.text, from, to);
  for (guint i = 0; i < search->edits->len && hir_repair_trial_has_more (&search->trial); i++)
    {
      Candidate candidate = { .edit = search->edits->pdata[i] };
      g_autoptr (HirSyncCheck) check =
          hir_repair_trial_check (&search->trial, &candidate.edit, 1, FALSE);

      candidate.state = judge (search, check);
      if (check != NULL)
        follow_pair (search, check, &candidate);
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
  g_autoptr (HirSyncCheck) check = hir_repair_trial_check (&search->trial, edits, n_edits, TRUE);
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

      if (candidate->state == state && !g_cancellable_is_cancelled (search->trial.cancellable))
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
    for (guint k = 0; k < search->candidates->len && hir_repair_trial_has_more (&search->trial);
         k++)
      {
        const Candidate *a = &g_array_index (search->candidates, Candidate, i);
        const Candidate *b = &g_array_index (search->candidates, Candidate, k);
        HirRepairEdit *edits[2] = { a->edit, b->edit };
        g_autoptr (HirSyncCheck) check = NULL;

        if (i == k || !may_fit (a, b) || (k < i && may_fit (b, a) && a->edit->at != b->edit->at))
          continue;
        check = hir_repair_trial_check (&search->trial, edits, 2, FALSE);
        if (judge (search, check) >= state)
          compare_choice (search, edits, 2);
      }
  return search->best.n_edits > 0;
}

/* Makes the result of the best choice. */
static HirSyncRepair *
make_repair (const Search *search, const Choice *choice, gboolean is_clean)
{
  g_autoptr (HirProgram) program =
      hir_repair_trial_make (&search->trial, choice->edits, choice->n_edits);
  g_autofree char *time = hir_format_duration (choice->times.total_ns);
  GString *sentence = g_string_new (NULL), *log = g_string_new (NULL);
  HirSyncRepair *repair = g_new0 (HirSyncRepair, 1);

  for (guint i = 0; i < choice->n_edits; i++)
    {
      g_autofree char *what = hir_repair_text_describe (search->trial.text, choice->edits[i]);
      g_autofree char *line = hir_repair_text_log (search->trial.text, choice->edits[i]);

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

/* Sets @error if no repair was found. */
static void
set_why (const HirRepairTrial *trial, GError **error)
{
  if (hir_repair_trial_has_more (trial))
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                   "no change of one or two lines fixes it; change the script or more lines");
  else
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "none of %u changes fixes it; use smaller shapes with --input to try more",
                   trial->n_tries);
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

  if (!hir_repair_trial_open (&search.trial, program, check, cancellable, error))
    {
      search_clear (&search);
      return NULL;
    }
  search.hazard = dup_hazard (search.trial.base,
                              &g_array_index (search.trial.base->missing, HirSyncMissing, index));
  try_candidates (&search);
  is_clean = choose_one (&search, STATE_CLEAN) || choose_two (&search, STATE_CLEAN);
  if ((is_clean || choose_one (&search, STATE_FIXES) || choose_two (&search, STATE_FIXES)) &&
      !g_cancellable_is_cancelled (cancellable))
    repair = make_repair (&search, &search.best, is_clean);
  else if (!g_cancellable_set_error_if_cancelled (cancellable, error))
    set_why (&search.trial, error);
  search_clear (&search);
  return repair;
}

gboolean
hir_program_suggest_repairs (HirProgram *program,
                             HirSyncCheck *check,
                             GCancellable *cancellable,
                             GError **error)
{
  g_autofree char *common = NULL;

  for (guint i = 0; i < check->missing->len; i++)
    {
      HirSyncMissing *missing = &g_array_index (check->missing, HirSyncMissing, i);
      g_autoptr (GError) why = NULL;
      g_autoptr (HirSyncRepair) repair = NULL;

      if (common == NULL)
        repair = hir_program_find_repair (program, check, i, cancellable, &why);
      if (why != NULL && why->domain != HIR_ERROR)
        {
          g_propagate_error (error, g_steal_pointer (&why));
          return FALSE;
        }
      g_free (missing->suggestion);
      missing->suggestion = g_strdup (common != NULL   ? common
                                      : repair != NULL ? repair->sentence
                                                       : why->message);
      if ((repair != NULL && repair->is_clean) || g_error_matches (why, HIR_ERROR, HIR_ERROR_LIMIT))
        common = g_strdup (missing->suggestion);
    }
  return TRUE;
}

static gboolean
is_removable (const HirSyncUse *use)
{
  return use->is_redundant && use->expr->kind == HIR_EXPR_SYNCHRONIZE;
}

int
hir_sync_check_find_removable (const HirSyncCheck *check)
{
  for (guint i = 0; i < check->uses->len; i++)
    if (is_removable (&g_array_index (check->uses, HirSyncUse, i)))
      return (int) i;
  return -1;
}

HirSyncRepair *
hir_program_find_removal (HirProgram *program,
                          const HirSyncCheck *check,
                          guint index,
                          GCancellable *cancellable,
                          GError **error)
{
  const HirSyncUse *use = &g_array_index (check->uses, HirSyncUse, index);
  Search search = { 0 };
  HirSyncRepair *repair = NULL;

  if (!is_removable (use))
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     use->is_redundant
                         ? "a run requires one Wait for each communication; it cannot be removed"
                         : "the synchronization is not redundant");
      return NULL;
    }
  if (hir_repair_trial_open (&search.trial, program, check, cancellable, error))
    {
      const HirExpr *expr = g_array_index (search.trial.base->uses, HirSyncUse, index).expr;
      int line = (int) expr->node.pos.line - 1;
      g_autoptr (HirRepairEdit) edit = hir_repair_edit_new (line, 0, "", line);
      g_autoptr (HirSyncCheck) after = hir_repair_trial_check (&search.trial, &edit, 1, FALSE);
      Choice choice = { .edits = { edit }, .n_edits = 1 };

      if (after != NULL && count_pairs (after) <= count_pairs (search.trial.base))
        repair = make_repair (&search, &choice, after->missing->len == 0);
      else if (!g_cancellable_set_error_if_cancelled (cancellable, error))
        hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                       "removing its line makes synchronization missing");
    }
  search_clear (&search);
  return repair;
}
