/* Tries sizes and numbers of streams, and keeps those whose steps fit the trace best. */
#include "join/join-shape.h"

#include <string.h>

#define MAX_TRIPS 64      /* sizes that are tried, one by one */
#define MAX_UNITS 2000    /* units of the trace that decide */
#define SIZE_PRICE 0.0005 /* of two equal fits, the smaller size */
#define SAME_COST 0.04    /* fits of such a difference are equal */
#define SEARCH_BEAM 4.0f
#define NO_FIT                                                                                     \
  0.8            /* a shape whose cost exceeds this part of that of no fit at all is not tried on */
#define NEAR 1.0 /* without streams, the right size costs at most this much more than another */

HirSyncTrace *
hir_join_program_run (const HirJoinProgram *program, const HirJoinShape *shape, GError **error)
{
  const HirSyncOptions options = { .n_streams = shape->n_streams > 0 ? shape->n_streams : 4,
                                   .inputs = (const char *const *) shape->inputs,
                                   .rank = program->rank };

  return hir_sync_trace_new (program->fusion, program->hosts, program->n_ranks, &options,
                             program->cancellable, error);
}

void
hir_join_shape_clear (HirJoinShape *shape)
{
  g_clear_pointer (&shape->inputs, g_strfreev);
  g_clear_pointer (&shape->ambiguous, g_ptr_array_unref);
  g_clear_pointer (&shape->notes, g_ptr_array_unref);
}

/* Returns @text with its size @axis replaced. */
static char *
dup_with_size (const char *text, guint axis, gint64 size)
{
  g_auto (GStrv) sizes = g_strsplit (text, "x", -1);

  g_free (sizes[axis]);
  sizes[axis] = g_strdup_printf ("%" G_GINT64_FORMAT, size);
  return g_strjoinv ("x", sizes);
}

typedef struct
{
  const HirJoinProgram *program;
  int rank;
  HirJoinThread *thread;
  HirJoinShape *shape;
  guint sample;    /* first unit that decides */
  guint n_streams; /* that these units use */
  double no_fit;   /* cost of these units if none is of the program */
} Search;

/* Returns the cost of the alignment with the shape, HIR_JOIN_NEVER if it exceeds @limit or if the
 * program cannot have it. @n_steps (out): number of expected steps. */
static double
try_shape (const Search *search, gboolean with_streams, double limit, guint *n_steps)
{
  g_autoptr (HirSyncTrace) trace = hir_join_program_run (search->program, search->shape, NULL);
  g_autoptr (HirJoinExpected) expected = NULL;
  g_autoptr (HirJoinAlignment) alignment = NULL;

  *n_steps = 0;
  if (trace == NULL)
    return HIR_JOIN_NEVER;
  expected = hir_join_expected_new (trace, search->rank, search->shape->has_sizes);
  *n_steps = expected->steps->len;
  alignment = hir_join_alignment_new (expected, search->thread);
  alignment->beam = SEARCH_BEAM;
  alignment->limit = limit;
  alignment->sample = search->sample;
  hir_join_order_replays (expected, search->thread, search->sample, search->sample + MAX_UNITS);
  if (with_streams)
    hir_join_align_streams (alignment, MAX_UNITS, FALSE);
  else
    hir_join_alignment_run (alignment, MAX_UNITS, FALSE);
  return MIN (alignment->cost, HIR_JOIN_NEVER);
}

/* Finds the number of streams: 4 unless another one fits better. */
static double
find_streams (const Search *search, double limit)
{
  const gint64 candidates[] = { 4, search->n_streams, search->n_streams - 1, 8, 2, 1, 3, 16, 32 };
  gint64 best = 4;
  double least = HIR_JOIN_NEVER;
  guint n_steps;

  if (search->shape->n_streams > 0)
    return try_shape (search, TRUE, limit, &n_steps);
  for (guint i = 0; i < G_N_ELEMENTS (candidates) && least >= SAME_COST; i++)
    {
      double cost;

      if (candidates[i] < 1 || (i > 0 && candidates[i] == 4))
        continue;
      search->shape->n_streams = candidates[i];
      cost = try_shape (search, TRUE, MIN (limit, least), &n_steps);
      if (cost < least)
        {
          least = cost;
          best = candidates[i];
        }
    }
  search->shape->n_streams = best;
  return least;
}

typedef struct
{
  gint64 size, n_streams;
  double cost;
  guint n_steps;
} Trial;

static void
set_size (HirJoinShape *shape, guint input, guint axis, gint64 size)
{
  char *text = dup_with_size (shape->inputs[input], axis, size);

  g_free (shape->inputs[input]);
  shape->inputs[input] = text;
}

static int
compare_trials (gconstpointer a, gconstpointer b)
{
  const Trial *x = a, *y = b;

  if (x->cost != y->cost)
    return x->cost < y->cost ? -1 : 1;
  return x->size < y->size ? -1 : x->size > y->size;
}

/* Replaces the costs up to @limit, which are lower bounds, by those with streams, the least bound
 * first. Bounds that exceed the best such cost stay. */
static void
try_streams (const Search *search, GArray *trials, guint input, guint axis, double limit)
{
  HirJoinShape *shape = search->shape;
  gint64 given_streams = shape->n_streams;
  double least = HIR_JOIN_NEVER;

  g_array_sort (trials, compare_trials);
  for (guint i = 0; i < trials->len; i++)
    {
      Trial *trial = &g_array_index (trials, Trial, i);
      double most = least + SAME_COST + SIZE_PRICE * MAX_TRIPS;

      if (trial->cost > MIN (limit, most))
        {
          if (least < (double) HIR_JOIN_NEVER)
            trial->cost = MAX (trial->cost, most);
          continue;
        }
      set_size (shape, input, axis, trial->size);
      shape->n_streams = given_streams;
      trial->cost = find_streams (search, most);
      trial->n_streams = shape->n_streams;
      least = MIN (least, trial->cost);
    }
}

/* Tries all sizes of axis @axis of input @input: first without streams, which is a lower bound of
 * the cost. */
static GArray *
try_sizes (const Search *search, guint input, guint axis)
{
  HirJoinShape *shape = search->shape;
  GArray *trials = g_array_new (FALSE, FALSE, sizeof (Trial));
  gint64 given_streams = shape->n_streams;
  g_autofree char *text = g_strdup (shape->inputs[input]);
  double least = search->no_fit * NO_FIT;

  for (gint64 size = 1; size <= MAX_TRIPS; size++)
    {
      Trial trial = { .size = size };

      set_size (shape, input, axis, size);
      trial.cost = try_shape (search, FALSE, least + NEAR, &trial.n_steps);
      if (trial.n_steps > 0)
        g_array_append_val (trials, trial);
      least = MIN (least, trial.cost);
      /* The steps do not depend on the size. */
      if (trials->len == 3 &&
          g_array_index (trials, Trial, 0).n_steps == g_array_index (trials, Trial, 1).n_steps &&
          g_array_index (trials, Trial, 0).n_steps == g_array_index (trials, Trial, 2).n_steps)
        break;
    }
  try_streams (search, trials, input, axis, MIN (least + NEAR, search->no_fit * NO_FIT));
  g_free (shape->inputs[input]);
  shape->inputs[input] = g_steal_pointer (&text);
  shape->n_streams = given_streams;
  return trials;
}

static const Trial *
find_best (const GArray *trials)
{
  const Trial *best = NULL;

  for (guint i = 0; i < trials->len; i++)
    {
      const Trial *trial = &g_array_index (trials, Trial, i);

      if (best == NULL || trial->cost + SIZE_PRICE * (double) trial->size <
                              best->cost + SIZE_PRICE * (double) best->size)
        best = trial;
    }
  return best;
}

/* Names the sizes that fit as well as @best, if there are any. */
static void
add_ambiguity (HirJoinShape *shape, const GArray *trials, const Trial *best, const char *axis)
{
  g_autoptr (GString) sizes = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < trials->len; i++)
    {
      const Trial *trial = &g_array_index (trials, Trial, i);

      if (trial->cost > best->cost + SAME_COST)
        continue;
      if (n < 6)
        g_string_append_printf (sizes, "%s%" G_GINT64_FORMAT, n > 0 ? ", " : "", trial->size);
      n++;
    }
  if (n > 1)
    g_ptr_array_add (shape->ambiguous, g_strdup_printf ("%s (%s%s fit equally well)", axis,
                                                        sizes->str, n > 6 ? ", ..." : ""));
}

static gboolean
is_dependent (const GArray *trials)
{
  for (guint i = 1; i < trials->len; i++)
    if (g_array_index (trials, Trial, i).n_steps != g_array_index (trials, Trial, 0).n_steps)
      return TRUE;
  return FALSE;
}

static void
find_axis (const Search *search, guint input, guint axis)
{
  HirJoinShape *shape = search->shape;
  g_autoptr (GArray) trials = try_sizes (search, input, axis);
  const HirVal *val = search->program->fusion->inputs.items[input];
  const Trial *best = find_best (trials);
  g_autofree char *name = g_strdup_printf ("axis %u of input T%d", axis, val->name);

  if (best == NULL || best->cost >= (double) HIR_JOIN_NEVER || !is_dependent (trials))
    return;
  add_ambiguity (shape, trials, best, name);
  set_size (shape, input, axis, best->size);
  shape->n_streams = best->n_streams;
  g_ptr_array_add (shape->notes,
                   g_strdup_printf ("%s has size %" G_GINT64_FORMAT ", as the trace shows", name,
                                    best->size));
}

char **
hir_join_shape_dup_inputs (const char *const *given, const HirContainer *fusion)
{
  guint n_given = given != NULL ? g_strv_length ((char **) given) : 0;
  GPtrArray *inputs = g_ptr_array_new ();

  for (guint i = 0; i < fusion->inputs.len; i++)
    {
      const HirVal *val = fusion->inputs.items[i];
      g_autofree HirIterDomain **ids = NULL;
      GString *text = g_string_new (NULL);
      guint n = 0;

      if (i < n_given)
        g_string_append (text, given[i]);
      else if (HIR_IS_TENSOR (val))
        ids = hir_tensor_dup_no_reductions (HIR_TENSOR (val), &n);
      else
        g_string_append_c (text, '?');
      for (guint k = 0; k < n; k++)
        {
          const HirScalar *extent =
              ids[k]->expanded_extent != NULL ? ids[k]->expanded_extent : ids[k]->extent;

          g_string_append (text, k > 0 ? "x" : "");
          if (hir_scalar_is_const (extent))
            g_string_append_printf (text, "%" G_GINT64_FORMAT, extent->i);
          else
            g_string_append_c (text, '?');
        }
      g_ptr_array_add (inputs, g_string_free (text, FALSE));
    }
  g_ptr_array_add (inputs, NULL);
  return (char **) g_ptr_array_free (inputs, FALSE);
}

/* Completes the list of shapes with "?". Returns TRUE if it already contains all sizes. */
static gboolean
complete (HirJoinShape *shape, const HirContainer *fusion)
{
  char **inputs = hir_join_shape_dup_inputs ((const char *const *) shape->inputs, fusion);
  gboolean is_known = TRUE;

  for (guint i = 0; i < fusion->inputs.len; i++)
    is_known &= !HIR_IS_TENSOR (fusion->inputs.items[i]) || strchr (inputs[i], '?') == NULL;
  g_strfreev (shape->inputs);
  shape->inputs = inputs;
  return is_known;
}

static guint
count_streams (const HirJoinThread *thread, guint first)
{
  g_autoptr (GHashTable) streams = g_hash_table_new (NULL, NULL);

  for (guint u = first; u < MIN (thread->units->len, first + MAX_UNITS); u++)
    {
      guint stream = g_array_index (thread->units, HirJoinUnit, u).stream;

      if (stream != HIR_JOIN_NONE)
        g_hash_table_add (streams, GUINT_TO_POINTER (stream));
    }
  return g_hash_table_size (streams);
}

static double
sum_extra (const HirJoinThread *thread, guint first)
{
  double sum = 0;

  for (guint u = first; u < MIN (thread->units->len, first + MAX_UNITS); u++)
    sum += (double) hir_join_get_extra (&g_array_index (thread->units, HirJoinUnit, u));
  return sum;
}

gboolean
hir_join_shape_find (HirJoinShape *shape,
                     const HirJoinProgram *program,
                     int rank,
                     HirJoinThread *thread,
                     GError **error)
{
  Search search = { program, rank, thread, shape, 0, 0, 0 };
  g_autoptr (HirSyncTrace) trace = NULL;
  g_autoptr (HirJoinExpected) expected = NULL;

  shape->ambiguous = g_ptr_array_new_with_free_func (g_free);
  shape->notes = g_ptr_array_new_with_free_func (g_free);
  shape->has_sizes = complete (shape, program->fusion);
  trace = hir_join_program_run (program, shape, error);
  if (trace == NULL)
    return FALSE;
  expected = hir_join_expected_new (trace, rank, FALSE);
  search.sample = hir_join_find_sample (expected, thread, MAX_UNITS);
  search.n_streams = count_streams (thread, search.sample);
  search.no_fit = sum_extra (thread, search.sample);
  for (guint i = 0; shape->inputs[i] != NULL && !shape->has_sizes; i++)
    {
      g_auto (GStrv) sizes = g_strsplit (shape->inputs[i], "x", -1);

      for (guint k = 0; HIR_IS_TENSOR (program->fusion->inputs.items[i]) && sizes[k] != NULL; k++)
        if (sizes[k][0] == '?')
          find_axis (&search, i, k);
    }
  (void) find_streams (&search, HIR_JOIN_NEVER);
  return TRUE;
}
