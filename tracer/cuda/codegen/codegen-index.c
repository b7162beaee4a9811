/* Maps the index of a result element to the index of an operand element. */
#include <string.h>

#include "cuda/codegen/codegen-private.h"

gboolean
hir_gen_index_equal (const HirGenIndex *a, const HirGenIndex *b)
{
  gboolean equal = a->n == b->n;

  for (guint i = 0; equal && i < a->n; i++)
    equal = g_str_equal (a->at[i], b->at[i]);
  return equal;
}

static gboolean
is_zero (const char *expr)
{
  return g_str_equal (expr, "0");
}

const char *
hir_gen_plus (HirGen *gen, const char *expr, gint64 constant)
{
  if (constant == 0)
    return expr;
  if (is_zero (expr))
    return hir_gen_string (gen, "%" G_GINT64_FORMAT, constant);
  return constant > 0 ? hir_gen_string (gen, "(%s + %" G_GINT64_FORMAT ")", expr, constant)
                      : hir_gen_string (gen, "(%s - %" G_GINT64_FORMAT ")", expr, -constant);
}

static const char *
times (HirGen *gen, const char *expr, gint64 factor)
{
  if (factor == 1 || is_zero (expr))
    return expr;
  return factor == 0 ? "0" : hir_gen_string (gen, "%s * %" G_GINT64_FORMAT, expr, factor);
}

/* Sorts the axes of @whole with more than one element, slowest first. Returns FALSE if @whole is
 * not dense. */
static gboolean
sort_dense (const HirValue *whole, guint *order, guint *n)
{
  gint64 expected = 1;

  *n = 0;
  for (guint i = 0; i < whole->n_dims; i++)
    if (whole->sizes[i] != 1)
      {
        guint k = (*n)++;

        for (; k > 0 && whole->strides[order[k - 1]] < whole->strides[i]; k--)
          order[k] = order[k - 1];
        order[k] = i;
      }
  for (guint k = *n; k-- > 0;)
    {
      if (whole->strides[order[k]] != expected)
        return FALSE;
      expected *= whole->sizes[order[k]];
    }
  return TRUE;
}

/* Index along one axis of @whole: a sum of terms from the axes of the view. */
typedef struct
{
  gint64 start, last; /* index for the first and the last element of the view */
  GString *text;
} Along;

static gboolean
place_axis (const HirValue *view,
            guint d,
            const HirValue *whole,
            const guint *order,
            guint n,
            Along *along,
            guint *found,
            gint64 *factor)
{
  for (guint k = 0; k < n; k++)
    {
      gint64 stride = whole->strides[order[k]];

      if (view->strides[d] % stride != 0 || view->strides[d] < stride)
        continue;
      *factor = view->strides[d] / stride;
      *found = k;
      along[k].last += *factor * (view->sizes[d] - 1);
      return TRUE;
    }
  return FALSE;
}

/* Maps without division. Returns FALSE unless each axis of the view runs along one axis of @whole
 * and stays within its bounds. */
static gboolean
map_by_axes (HirGen *gen,
             const HirValue *view,
             const HirGenIndex *index,
             const HirValue *whole,
             const guint *order,
             guint n,
             HirGenIndex *mapped)
{
  Along along[HIR_MAX_DIMS];
  gint64 offset = view->offset - whole->offset;
  gboolean ok = TRUE;

  for (guint k = 0; k < n; k++)
    {
      gint64 stride = whole->strides[order[k]];

      along[k] = (Along){ offset / stride, offset / stride, g_string_new (NULL) };
      offset %= stride;
    }
  ok = offset == 0;
  for (guint d = 0; ok && d < view->n_dims; d++)
    {
      gint64 factor;
      guint k;

      if (view->sizes[d] == 1 || view->strides[d] == 0)
        continue;
      ok = place_axis (view, d, whole, order, n, along, &k, &factor);
      if (ok && !is_zero (index->at[d]))
        g_string_append_printf (along[k].text, "%s%s", along[k].text->len > 0 ? " + " : "",
                                times (gen, index->at[d], factor));
    }
  for (guint k = 0; ok && k < n; k++)
    ok = along[k].last < whole->sizes[order[k]];
  for (guint k = 0; k < n; k++)
    {
      const char *text = along[k].text->str;
      gboolean is_sum = strchr (text, ' ') != NULL;

      if (ok && along[k].text->len == 0)
        text = "0";
      else if (ok && is_sum)
        text = hir_gen_string (gen, "(%s)", text);
      if (ok)
        mapped->at[order[k]] =
            hir_gen_plus (gen, g_string_chunk_insert (gen->strings, text), along[k].start);
      g_string_free (along[k].text, TRUE);
    }
  return ok;
}

/* Returns the sum of @constant and each index times its stride. */
static const char *
weigh (HirGen *gen, guint n, const char *const *at, const gint64 *strides, gint64 constant)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    if (!is_zero (at[i]) && strides[i] != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? " + " : "",
                              times (gen, at[i], strides[i]));
  if (constant != 0 || text->len == 0)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, text->len > 0 ? " + " : "", constant);
  return g_string_chunk_insert (gen->strings, text->str);
}

gboolean
hir_gen_map_index (HirGen *gen,
                   const HirValue *view,
                   const HirGenIndex *index,
                   const HirValue *whole,
                   HirGenIndex *mapped)
{
  guint order[HIR_MAX_DIMS], n;
  const char *at;

  mapped->n = whole->n_dims;
  for (guint i = 0; i < whole->n_dims; i++)
    mapped->at[i] = "0";
  if (!sort_dense (whole, order, &n) || view->offset < whole->offset)
    return FALSE;
  if (map_by_axes (gen, view, index, whole, order, n, mapped))
    return TRUE;
  /* @whole is dense, so the offset in memory determines the index. */
  at = hir_gen_variable (gen, "ix",
                         weigh (gen, view->n_dims, index->at, view->strides,
                                view->offset - whole->offset));
  for (guint k = 0; k < n; k++)
    {
      gint64 stride = whole->strides[order[k]];
      const char *quotient =
          stride == 1 ? at : hir_gen_string (gen, "%s / %" G_GINT64_FORMAT, at, stride);

      mapped->at[order[k]] = k == 0 ? hir_gen_string (gen, "(%s)", quotient)
                                    : hir_gen_string (gen, "(%s %% %" G_GINT64_FORMAT ")", quotient,
                                                      whole->sizes[order[k]]);
    }
  gen->uses_index = TRUE;
  return TRUE;
}

void
hir_gen_reshape_index (HirGen *gen,
                       const HirValue *from,
                       const HirGenIndex *index,
                       guint n,
                       const gint64 *sizes,
                       HirGenIndex *mapped)
{
  gint64 strides[HIR_MAX_DIMS], own[HIR_MAX_DIMS];
  const char *at;
  gboolean is_first = TRUE;

  hir_sizes_contiguous_strides (from->sizes, from->n_dims, strides);
  hir_sizes_contiguous_strides (sizes, n, own);
  at = hir_gen_variable (gen, "ix", weigh (gen, from->n_dims, index->at, strides, 0));
  mapped->n = n;
  for (guint i = 0; i < n; i++)
    {
      mapped->at[i] = "0";
      if (sizes[i] <= 1)
        continue;
      mapped->at[i] =
          is_first ? hir_gen_string (gen, "(%s / %" G_GINT64_FORMAT ")", at, own[i])
                   : hir_gen_string (gen, "(%s / %" G_GINT64_FORMAT " %% %" G_GINT64_FORMAT ")", at,
                                     own[i], sizes[i]);
      is_first = FALSE;
    }
  gen->uses_index = TRUE;
}

/* Returns TRUE if @index is the current element of the space and @value is stored in loop order. */
static gboolean
is_linear (const HirGen *gen, const HirValue *value, const HirGenIndex *index)
{
  const HirGenSpace *space = &gen->space;
  gint64 expected = 1;
  guint used = 0;

  if (gen->reductions->len > 0)
    return FALSE;
  for (guint k = space->n; k-- > 0;)
    {
      guint axis = space->order[k];
      g_autofree char *name = g_strdup_printf ("i%u", axis);
      gboolean found = FALSE;

      if (space->sizes[axis] == 1)
        continue;
      for (guint d = 0; d < index->n && !found; d++)
        found = g_str_equal (index->at[d], name) && value->strides[d] == expected;
      if (!found)
        return FALSE;
      used++;
      expected *= space->sizes[axis];
    }
  for (guint d = 0; d < index->n; d++)
    used -= !is_zero (index->at[d]);
  return used == 0;
}

const char *
hir_gen_offset (HirGen *gen, const HirValue *value, const HirGenIndex *index)
{
  const char *text;

  if (is_linear (gen, value, index))
    return "lin";
  text = weigh (gen, value->n_dims, index->at, value->strides, 0);
  if (!is_zero (text))
    gen->uses_index = TRUE;
  return text;
}

void
hir_gen_space_index (HirGen *gen, HirGenIndex *index)
{
  index->n = gen->space.n;
  for (guint i = 0; i < gen->space.n; i++)
    index->at[i] = gen->space.sizes[i] == 1 ? "0" : hir_gen_string (gen, "i%u", i);
}

gint64
hir_gen_space_count (const HirGenSpace *space, gboolean reduced, gboolean all)
{
  gint64 count = 1;

  for (guint i = 0; i < space->n; i++)
    if (all || space->reduced[i] == reduced)
      count *= space->sizes[i];
  return count;
}

void
hir_gen_decode (HirGen *gen, gboolean reduced, gboolean all, const char *counter)
{
  const HirGenSpace *space = &gen->space;
  guint axes[HIR_MAX_DIMS], n = 0;
  const char *rest = counter;

  for (guint k = 0; k < space->n; k++)
    if (space->sizes[space->order[k]] != 1 && (all || space->reduced[space->order[k]] == reduced))
      axes[n++] = space->order[k];
  for (guint k = n; k-- > 0;)
    {
      guint axis = axes[k];
      gint64 size = space->sizes[axis];

      if (k == 0)
        hir_gen_line (gen, "const ix i%u = %s;", axis, rest);
      else
        {
          const char *next = hir_gen_string (gen, "%s%u", reduced ? "m" : "q", axis);

          hir_gen_line (gen, "const ix i%u = %s %% %" G_GINT64_FORMAT ";", axis, rest, size);
          hir_gen_line (gen, "const ix %s = %s / %" G_GINT64_FORMAT ";", next, rest, size);
          rest = next;
        }
    }
}
