/* The longest common subsequence of the kinds of ops. */
#include "bisect/align.h"

#include "bisect/record.h"

/* Largest table of the subsequence, in entries of 4 bytes. */
#define MAX_ENTRIES (64 * 1024 * 1024)

typedef struct
{
  const GPtrArray *ops, *others;
  HirAlignment *result;
} Aligner;

static const HirRecordedOp *
get (const GPtrArray *ops, guint i)
{
  return ops->pdata[i];
}

static gboolean
are_like (const HirRecordedOp *a, const HirRecordedOp *b)
{
  return a->expr->kind == b->expr->kind && a->depth == b->depth &&
         a->expr->n_inputs == b->expr->n_inputs &&
         g_str_equal (hir_expr_get_op_name (a->expr), hir_expr_get_op_name (b->expr));
}

static void
pair (Aligner *it, guint i, guint k)
{
  it->result->other[i] = (int) k;
  it->result->n_paired++;
}

/* Pairs ops of other kinds one by one, if both sides have the same number. */
static void
pair_gap (Aligner *it, guint i, guint end, guint k, guint other_end)
{
  if (end - i != other_end - k)
    return;
  for (; i < end; i++, k++)
    if (get (it->ops, i)->depth == get (it->others, k)->depth)
      pair (it, i, k);
}

/* Pairs the ops from @i to before @end with those from @k to before @other_end. */
static void
pair_common (Aligner *it, guint i, guint end, guint k, guint other_end)
{
  guint n = end - i, m = other_end - k, gap_i = i, gap_k = k;
  g_autofree guint *length = NULL;

  if (n == 0 || m == 0 || (guint64) (n + 1) * (m + 1) > MAX_ENTRIES)
    return;
  /* length[a][b]: of the longest common subsequence of the last n - a and m - b ops. */
  length = g_new0 (guint, (gsize) (n + 1) * (m + 1));
  for (guint a = n; a-- > 0;)
    for (guint b = m; b-- > 0;)
      length[(gsize) a * (m + 1) + b] =
          are_like (get (it->ops, i + a), get (it->others, k + b))
              ? length[(gsize) (a + 1) * (m + 1) + b + 1] + 1
              : MAX (length[(gsize) (a + 1) * (m + 1) + b], length[(gsize) a * (m + 1) + b + 1]);
  for (guint a = 0, b = 0; a < n && b < m;)
    {
      if (are_like (get (it->ops, i + a), get (it->others, k + b)))
        {
          pair_gap (it, gap_i, i + a, gap_k, k + b);
          pair (it, i + a, k + b);
          gap_i = i + ++a;
          gap_k = k + ++b;
        }
      else if (length[(gsize) (a + 1) * (m + 1) + b] >= length[(gsize) a * (m + 1) + b + 1])
        a++;
      else
        b++;
    }
  pair_gap (it, gap_i, end, gap_k, other_end);
}

HirAlignment *
hir_alignment_new (const GPtrArray *ops, const GPtrArray *others)
{
  HirAlignment *result = g_new0 (HirAlignment, 1);
  Aligner it = { ops, others, result };
  guint end = ops->len, other_end = others->len, i = 0;

  result->other = g_new (int, ops->len + 1);
  for (guint a = 0; a < ops->len; a++)
    result->other[a] = -1;
  for (; i < end && i < other_end && are_like (get (ops, i), get (others, i)); i++)
    pair (&it, i, i);
  for (; end > i && other_end > i && are_like (get (ops, end - 1), get (others, other_end - 1));
       end--, other_end--)
    pair (&it, end - 1, other_end - 1);
  pair_common (&it, i, end, i, other_end);
  result->is_whole = result->n_paired == ops->len && result->n_paired == others->len;
  return result;
}

void
hir_alignment_free (HirAlignment *alignment)
{
  g_free (alignment->other);
  g_free (alignment);
}
