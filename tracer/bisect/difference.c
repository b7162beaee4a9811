/* Elements, tensors and outputs that differ. */
#include "bisect/difference.h"

#include <math.h>

/* Returns TRUE if two elements differ by more than the sum of their error bounds. */
static gboolean
element_differs (const HirRefTensor *a, gint64 i, const HirRefTensor *b, gint64 j)
{
  double bound = (a->errors != NULL ? a->errors[i] : 0) + (b->errors != NULL ? b->errors[j] : 0);

  if (a->values == NULL || b->values == NULL)
    return a->ints == NULL || b->ints == NULL ||
           (a->ints[i] != b->ints[j] &&
            !(fabs ((double) a->ints[i] - (double) b->ints[j]) <= bound));
  if (isnan (a->values[i]) || isnan (b->values[j]))
    return isnan (a->values[i]) != isnan (b->values[j]);
  /* Even with bounds of 0, another order of operations may round differently. */
  return fabs (a->values[i] - b->values[j]) > bound + 1e-12 * fabs (b->values[j]) &&
         a->values[i] != b->values[j];
}

gint64
hir_difference_count (const HirRefTensor *a, const HirRefTensor *b, gint64 *first)
{
  gint64 n = 0, at = -1;

  if (a->count != b->count)
    n = MAX (a->count, b->count);
  for (gint64 i = 0; a->count == b->count && i < a->count; i++)
    if (element_differs (a, i, b, i))
      {
        at = n == 0 ? i : at;
        n++;
      }
  if (first != NULL)
    *first = at;
  return n;
}

void
hir_difference_append_element (const HirRefTensor *tensor, gint64 i, GString *text)
{
  if (tensor->values == NULL)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, tensor->ints[i]);
  else if (isnan (tensor->values[i]))
    g_string_append (text, "no value");
  else
    g_string_append_printf (text, "%.6g", tensor->values[i]);
}

void
hir_difference_append_index (const HirRefTensor *tensor, gint64 i, GString *text)
{
  gint64 index[HIR_MAX_DIMS];

  for (guint d = tensor->n_dims; d-- > 0; i /= tensor->sizes[d])
    index[d] = i % tensor->sizes[d];
  g_string_append_c (text, '[');
  for (guint d = 0; d < tensor->n_dims; d++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, d > 0 ? ", " : "", index[d]);
  g_string_append_c (text, ']');
}

/* The parts of one output. */
typedef struct
{
  const HirRefTensor *wanted;
  gint64 n_wrong, n_elements;
  gboolean is_wrong;
  int rank; /* rank of the first wrong element */
  gint64 at, at_wanted;
  const HirRefTensor *part; /* the part of the first wrong element; NULL: it has no value */
} Output;

static void
set_first (Output *it, int rank, const HirRefTensor *part, gint64 at, gint64 at_wanted)
{
  if (it->is_wrong)
    return;
  it->is_wrong = TRUE;
  it->rank = rank;
  it->part = part;
  it->at = at;
  it->at_wanted = at_wanted;
}

/* Compares the elements of @part, which are those of @shard. */
static void
compare_part (Output *it, int rank, const HirRefTensor *part, const HirShardAxis *shard)
{
  gint64 strides[HIR_MAX_DIMS];

  hir_sizes_contiguous_strides (it->wanted->sizes, it->wanted->n_dims, strides);
  for (gint64 i = 0; i < part->count; i++)
    {
      gint64 rest = i, at = 0;

      for (guint d = part->n_dims; d-- > 0; rest /= part->sizes[d])
        at += hir_shard_axis_at (&shard[d], rest % part->sizes[d]) * strides[d];
      if (!element_differs (part, i, it->wanted, at))
        continue;
      set_first (it, rank, part, i, at);
      it->n_wrong++;
    }
}

/* Returns FALSE if the part cannot have the sizes of @shard. */
static gboolean
fits (const HirRefTensor *part, const HirRefTensor *wanted, const HirShardAxis *shard)
{
  if (part->n_dims != wanted->n_dims)
    return FALSE;
  for (guint d = 0; d < part->n_dims; d++)
    if (part->sizes[d] != shard[d].size)
      return FALSE;
  return TRUE;
}

static gboolean
get_shard (const HirReferenceRank *rank,
           const HirTensor *tensor,
           const HirRefTensor *wanted,
           HirShardAxis *shard,
           GError **error)
{
  g_autoptr (HirEnv) env = NULL;

  for (guint d = 0; d < wanted->n_dims; d++)
    shard[d] = (HirShardAxis){ 0, 1, wanted->sizes[d] };
  if (!hir_shard_is_sharded (tensor) || rank->rank < 0)
    return TRUE;
  env = hir_env_new ();
  hir_env_set_device (env, rank->rank);
  hir_env_bind_symbols (env, rank->symbols);
  return hir_env_get_shard (env, tensor, shard, error);
}

static gboolean
compare_rank (Output *it,
              const HirReferenceRank *rank,
              const HirTensor *tensor,
              const HirRefTensor *part,
              GError **error)
{
  HirShardAxis shard[HIR_MAX_DIMS];

  if (rank->rank >= 0 && tensor->mesh != NULL && !hir_mesh_has (tensor->mesh, rank->rank))
    return TRUE; /* not on this device */
  if (!get_shard (rank, tensor, it->wanted, shard, error))
    return FALSE;
  it->n_elements += part != NULL ? part->count : 1;
  if (part != NULL && fits (part, it->wanted, shard))
    {
      compare_part (it, rank->rank, part, shard);
      return TRUE;
    }
  set_first (it, rank->rank, NULL, -1, -1);
  it->n_wrong += part != NULL ? part->count : 1;
  return TRUE;
}

static void
append_rank (const Output *it, GString *text)
{
  if (it->rank >= 0)
    g_string_append_printf (text, " on rank %d", it->rank);
}

static void
describe (const Output *it, const char *label, GString *text)
{
  g_string_append_printf (text, "%s: ", label);
  if (it->part == NULL)
    {
      g_string_append (text, "has no value or another shape");
      append_rank (it, text);
      g_string_append_c (text, '\n');
      return;
    }
  g_string_append_printf (text,
                          "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                          " elements differ from the fusion, first ",
                          it->n_wrong, it->n_elements);
  hir_difference_append_index (it->part, it->at, text);
  append_rank (it, text);
  g_string_append (text, ": ");
  hir_difference_append_element (it->part, it->at, text);
  g_string_append (text, " instead of ");
  hir_difference_append_element (it->wanted, it->at_wanted, text);
  g_string_append_c (text, '\n');
}

char *
hir_difference_of_outputs (const HirReferenceRank *ranks,
                           guint n,
                           const GPtrArray *parts,
                           const GPtrArray *wanted,
                           HirWrongOutput *first,
                           GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint k = 0; k < wanted->len; k++)
    {
      const HirVal *val = ranks[0].program->outputs.items[k];
      g_autofree char *label = NULL;
      Output it = { .wanted = wanted->pdata[k] };

      if (it.wanted == NULL || !HIR_IS_TENSOR (val))
        continue; /* a scalar */
      for (guint i = 0; i < n; i++)
        {
          const GPtrArray *of_rank = parts->pdata[i];

          if (!compare_rank (&it, &ranks[i], HIR_TENSOR (ranks[i].program->outputs.items[k]),
                             of_rank->pdata[k], error))
            return NULL;
          if (it.is_wrong && it.rank == ranks[i].rank && text->len == 0)
            *first = (HirWrongOutput){ k, i, it.part != NULL ? it.at : -1 };
        }
      if (!it.is_wrong)
        continue;
      label = g_strdup_printf ("T%d", val->name);
      describe (&it, label, text);
    }
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}
