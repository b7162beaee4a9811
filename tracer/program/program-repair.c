/* Checks the program with each change, then compares the modelled times of those that help. */
#include "program/program-repair.h"

#include "program/repair-effect.h"
#include "program/repair-free.h"
#include "trace/duration.h"

/* Maximum number of pairs of changes that are checked; the fastest by estimate come first. */
#define MAX_PAIRS 150

/* One or two changes and the program that they make. */
typedef struct
{
  HirRepairEdit *edits[2]; /* borrowed */
  guint n_edits, n_lines;
  HirModelTimes times; /* of two changes: estimated until they are checked */
} Choice;

/* A change that helps. */
typedef struct
{
  HirRepairEdit *edit; /* borrowed from edits */
  HirRepairEffect effect;
} Candidate;

typedef struct
{
  HirRepairTrial trial;
  HirRepairPairs pairs;
  GPtrArray *edits;   /* HirRepairEdit* */
  GArray *candidates; /* Candidate */
  Choice clean;       /* best choice that orders everything; n_edits is 0 if there is none */
  Choice best;        /* best choice for one hazard */
} Search;

static void
clear_candidate (gpointer data)
{
  hir_repair_effect_clear (&((Candidate *) data)->effect);
}

static void
search_clear (Search *search)
{
  g_clear_pointer (&search->candidates, g_array_unref);
  g_clear_pointer (&search->edits, g_ptr_array_unref);
  hir_repair_pairs_clear (&search->pairs);
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

static int
get_line (const HirSyncTrace *trace, guint step)
{
  const HirExpr *expr = hir_sync_trace_get_step (trace, step)->expr;

  return expr != NULL ? (int) expr->node.pos.line - 1 : -1;
}

/* Collects the changes near all hazards. */
static void
collect_edits (Search *search)
{
  const HirSyncCheck *base = search->trial.base;
  g_autoptr (GPtrArray) shared = g_ptr_array_new ();
  int from = G_MAXINT, to = 0;

  for (guint i = 0; i < base->missing->len; i++)
    {
      const HirSyncMissing *missing = &g_array_index (base->missing, HirSyncMissing, i);
      const HirExpr *allocation = hir_sync_check_find_shared (base, missing);
      int first, last;

      if (allocation != NULL && !g_ptr_array_find (shared, allocation, NULL))
        g_ptr_array_add (shared, (gpointer) allocation);

      hir_repair_text_get_range (search->trial.text, get_line (base->trace, missing->first),
                                 get_line (base->trace, missing->second), &first, &last);
      from = MIN (from, first);
      to = MAX (to, last);
    }
  search->edits = hir_repair_text_dup_edits (search->trial.text, from, to);
  hir_repair_free_add_edits (search->trial.text, shared, search->edits);
}

/* Checks each change and stores those that help. */
static void
try_edits (Search *search)
{
  hir_repair_pairs_init (&search->pairs, search->trial.base);
  collect_edits (search);
  search->candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_array_set_clear_func (search->candidates, clear_candidate);
  for (guint i = 0; i < search->edits->len && hir_repair_trial_has_more (&search->trial); i++)
    {
      Candidate candidate = { .edit = search->edits->pdata[i] };
      g_autoptr (HirSyncCheck) check =
          hir_repair_trial_check (&search->trial, &candidate.edit, 1, HIR_SYNC_TIMES);

      if (check != NULL && check->is_timed &&
          hir_repair_effect_init (&candidate.effect, &search->pairs, check, candidate.edit) &&
          candidate.effect.is_useful)
        g_array_append_val (search->candidates, candidate);
      else
        hir_repair_effect_clear (&candidate.effect);
    }
}

/* Returns less than 0 if @a is faster, has more concurrency, or is shorter, in this order. */
static int
compare_choices (gconstpointer a, gconstpointer b)
{
  const Choice *x = a, *y = b;

  if (x->times.total_ns != y->times.total_ns)
    return x->times.total_ns < y->times.total_ns ? -1 : 1;
  if (x->times.overlap_ns != y->times.overlap_ns)
    return x->times.overlap_ns > y->times.overlap_ns ? -1 : 1;
  return (int) x->n_lines - (int) y->n_lines;
}

static void
choose (Choice *best, const Choice *choice)
{
  if (best->n_edits == 0 || compare_choices (choice, best) < 0)
    *best = *choice;
}

/* Sets @best to the best change that orders all pairs of @hazard. Returns TRUE if there is one. */
static gboolean
choose_one (Search *search, guint hazard, Choice *best)
{
  for (guint i = 0; i < search->candidates->len; i++)
    {
      const Candidate *a = &g_array_index (search->candidates, Candidate, i);
      Choice choice = { { a->edit }, 1, a->edit->n_lines, a->effect.times };

      if (hir_repair_effects_cover (&search->pairs, &a->effect, NULL, hazard))
        choose (best, &choice);
    }
  return best->n_edits > 0;
}

/* Returns the pairs of changes that may order all pairs of @hazard (Choice), with the estimate that
 * their costs add up. The change that starts a chain comes first at the same place. */
static GArray *
dup_pairs (const Search *search, guint hazard)
{
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (Choice));

  for (guint i = 0; i < search->candidates->len; i++)
    for (guint k = 0; k < i && !g_cancellable_is_cancelled (search->trial.cancellable); k++)
      {
        const Candidate *a = &g_array_index (search->candidates, Candidate, i);
        const Candidate *b = &g_array_index (search->candidates, Candidate, k);
        gboolean a_starts = (a->effect.starts & b->effect.ends) != 0;
        Choice pair = {
          { a_starts ? a->edit : b->edit, a_starts ? b->edit : a->edit },
          2,
          a->edit->n_lines + b->edit->n_lines,
          { a->effect.times.total_ns + b->effect.times.total_ns,
            a->effect.times.overlap_ns + b->effect.times.overlap_ns },
        };

        if ((a->edit->gone < 0 || a->edit->gone != b->edit->gone) &&
            hir_repair_effects_cover (&search->pairs, &a->effect, &b->effect, hazard))
          g_array_append_val (pairs, pair);
      }
  g_array_sort (pairs, compare_choices);
  return pairs;
}

/* Like choose_one(), but for pairs of changes. */
static gboolean
choose_two (Search *search, guint hazard, Choice *best)
{
  g_autoptr (GArray) pairs = dup_pairs (search, hazard);

  for (guint i = 0; i < MIN (pairs->len, MAX_PAIRS) && hir_repair_trial_has_more (&search->trial);
       i++)
    {
      Choice choice = g_array_index (pairs, Choice, i);
      HirRepairEffect effect = { 0 };
      g_autoptr (HirSyncCheck) check =
          hir_repair_trial_check (&search->trial, choice.edits, 2, HIR_SYNC_TIMES);

      if (check != NULL && check->is_timed &&
          hir_repair_effect_init (&effect, &search->pairs, check, choice.edits[0]) &&
          hir_repair_effects_cover (&search->pairs, &effect, NULL, hazard))
        {
          choice.times = check->times;
          choose (best, &choice);
        }
      hir_repair_effect_clear (&effect);
    }
  return best->n_edits > 0;
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
      g_autofree char *line =
          hir_repair_text_log (search->trial.text, choice->edits, choice->n_edits, i);

      g_string_append_printf (sentence, "%s%s", i > 0 ? ", and " : "", what);
      g_string_append_printf (log, "%s%s", i > 0 ? ", " : "", line);
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
                   "no Synchronize, Wait or Deallocate that is added or moved at one or two places "
                   "fixes it; change the script or more places");
  else
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "none of %u changes fixes it; use smaller shapes with --input to try more",
                   trial->n_tries);
}

/* Tries all changes of the program. */
static gboolean
search_open (Search *search,
             HirProgram *program,
             const HirSyncCheck *check,
             GCancellable *cancellable,
             GError **error)
{
  *search = (Search){ 0 };
  if (!hir_repair_trial_open (&search->trial, program, check, cancellable, error))
    return FALSE;
  try_edits (search);
  (void) (choose_one (search, HIR_REPAIR_ALL_HAZARDS, &search->clean) ||
          choose_two (search, HIR_REPAIR_ALL_HAZARDS, &search->clean));
  return TRUE;
}

static HirSyncRepair *
search_repair (Search *search, guint hazard, GError **error)
{
  search->best = search->clean;
  if ((search->best.n_edits > 0 || choose_one (search, hazard, &search->best) ||
       choose_two (search, hazard, &search->best)) &&
      !g_cancellable_is_cancelled (search->trial.cancellable))
    return make_repair (search, &search->best, search->clean.n_edits > 0);
  if (!g_cancellable_set_error_if_cancelled (search->trial.cancellable, error))
    set_why (&search->trial, error);
  return NULL;
}

HirSyncRepair *
hir_program_find_repair (HirProgram *program,
                         const HirSyncCheck *check,
                         guint index,
                         GCancellable *cancellable,
                         GError **error)
{
  Search search;
  HirSyncRepair *repair = NULL;

  if (search_open (&search, program, check, cancellable, error))
    {
      guint end = index == HIR_REPAIR_ANY ? check->missing->len : index + 1;

      for (guint i = index == HIR_REPAIR_ANY ? 0 : index; i < end && repair == NULL; i++)
        {
          g_clear_error (error);
          repair = search_repair (&search, i, error);
        }
    }
  search_clear (&search);
  return repair;
}

gboolean
hir_program_suggest_repairs (HirProgram *program,
                             HirSyncCheck *check,
                             HirSyncRepair **first,
                             GCancellable *cancellable,
                             GError **error)
{
  Search search = { 0 };
  g_autoptr (GError) why = NULL;
  gboolean is_open;

  if (first != NULL)
    *first = NULL;
  if (check->missing->len == 0)
    return TRUE;
  is_open = search_open (&search, program, check, cancellable, &why);
  for (guint i = 0; i < check->missing->len && (why == NULL || why->domain == HIR_ERROR); i++)
    {
      HirSyncMissing *missing = &g_array_index (check->missing, HirSyncMissing, i);
      g_autoptr (HirSyncRepair) repair = NULL;

      if (is_open)
        {
          g_clear_error (&why);
          repair = search_repair (&search, i, &why);
        }
      g_free (missing->suggestion);
      missing->has_repair = repair != NULL;
      missing->suggestion = g_strdup (repair != NULL ? repair->sentence : why->message);
      if (i == 0 && first != NULL)
        *first = g_steal_pointer (&repair);
    }
  search_clear (&search);
  if (why == NULL || why->domain == HIR_ERROR)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}

static gboolean
is_removable (const HirSyncUse *use)
{
  return use->is_redundant && use->expr->kind == HIR_EXPR_SYNCHRONIZE;
}

int
hir_sync_check_find_removable (const HirSyncCheck *check, guint from)
{
  for (guint i = from; i < check->uses->len; i++)
    if (is_removable (&g_array_index (check->uses, HirSyncUse, i)))
      return (int) i;
  return -1;
}

/* Returns the removal of the Synchronize at @index. */
static HirSyncRepair *
try_removal (Search *search, guint index, GError **error)
{
  const HirExpr *expr = g_array_index (search->trial.base->uses, HirSyncUse, index).expr;
  int line = (int) expr->node.pos.line - 1;
  g_autoptr (HirRepairEdit) edit = hir_repair_edit_new (line, 0, "", line);
  g_autoptr (HirSyncCheck) after =
      hir_repair_trial_check (&search->trial, &edit, 1, HIR_SYNC_MISSING);
  Choice choice = { .edits = { edit }, .n_edits = 1 };
  HirRepairEffect effect = { 0 };
  HirSyncRepair *repair = NULL;

  if (after != NULL && hir_repair_effect_init (&effect, &search->pairs, after, edit))
    {
      if (hir_repair_pairs_keep_order (&search->pairs, after))
        repair = make_repair (search, &choice, after->missing->len == 0);
      else
        hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                       "it orders work next to which synchronization is missing; add that first");
    }
  else if (!g_cancellable_set_error_if_cancelled (search->trial.cancellable, error))
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                   "removing its line makes synchronization missing");
  hir_repair_effect_clear (&effect);
  return repair;
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
      hir_repair_pairs_init (&search.pairs, search.trial.base);
      repair = try_removal (&search, index, error);
    }
  search_clear (&search);
  return repair;
}

gboolean
hir_program_explain_kept (HirProgram *program,
                          HirSyncCheck *check,
                          GCancellable *cancellable,
                          GError **error)
{
  Search search = { 0 };
  g_autoptr (GError) why = NULL;
  int index = hir_sync_check_find_removable (check, 0);
  gboolean is_open;

  if (index < 0)
    return TRUE;
  is_open = hir_repair_trial_open (&search.trial, program, check, cancellable, &why);
  if (is_open)
    hir_repair_pairs_init (&search.pairs, search.trial.base);
  for (; index >= 0 && (why == NULL || why->domain == HIR_ERROR);
       index = hir_sync_check_find_removable (check, (guint) index + 1))
    {
      HirSyncUse *use = &g_array_index (check->uses, HirSyncUse, index);
      g_autoptr (HirSyncRepair) repair = NULL;

      if (is_open)
        {
          g_clear_error (&why);
          repair = try_removal (&search, (guint) index, &why);
        }
      g_free (use->kept);
      use->kept = repair == NULL ? g_strdup (why->message) : NULL;
    }
  search_clear (&search);
  if (why == NULL || why->domain == HIR_ERROR)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}
