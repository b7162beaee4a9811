#include "ops/reshape-plan.h"

#include "container.h"

/* Groups are matched from the left, then from the right. The axes between them form one group,
 * which contains the inferred size. */
typedef struct
{
  HirContainer *container;
  HirScalar *const *in, *const *out;
  guint in_from, in_to; /* range that is not grouped yet, end exclusive */
  guint out_from, out_to;
  GArray *left, *right; /* HirReshapeGroup; the right ones start from the end */
} Matcher;

/* Number of axes of each side, counted from one end, with equal products. */
typedef struct
{
  guint n_in, n_out;
} Match;

static HirScalar *
get_in (const Matcher *m, gboolean from_right, guint i)
{
  return m->in[from_right ? m->in_to - 1 - i : m->in_from + i];
}

static HirScalar *
get_out (const Matcher *m, gboolean from_right, guint i)
{
  return m->out[from_right ? m->out_to - 1 - i : m->out_from + i];
}

/* Matches constants: extends the side with the smaller product until both are equal. */
static gboolean
match_constants (const Matcher *m, gboolean from_right, Match *match)
{
  guint left_in = m->in_to - m->in_from;
  guint left_out = m->out_to - m->out_from;
  gint64 in = 1, out = 1;

  *match = (Match){ 0, 0 };
  do
    {
      gboolean take_in = match->n_in == 0 || (match->n_out > 0 && in < out);
      HirScalar *size;

      if (take_in ? match->n_in == left_in : match->n_out == left_out)
        return FALSE;
      size =
          take_in ? get_in (m, from_right, match->n_in++) : get_out (m, from_right, match->n_out++);
      if (size == NULL || !hir_scalar_is_const (size) ||
          __builtin_mul_overflow (take_in ? in : out, size->i, take_in ? &in : &out))
        return FALSE;
    }
  while (match->n_out == 0 || in != out);
  return TRUE;
}

/* Matches one axis whose size, as an expression, is the product of several axes of the other side.
 */
static gboolean
match_product (const Matcher *m, gboolean from_right, gboolean merge, Match *match)
{
  guint n = merge ? m->in_to - m->in_from : m->out_to - m->out_from;
  HirScalar *whole = merge ? get_out (m, from_right, 0) : get_in (m, from_right, 0);

  if (whole == NULL || whole->kind != HIR_SCALAR_OP)
    return FALSE;
  for (guint count = 2; count <= n; count++)
    {
      HirScalar *product = NULL;

      for (guint i = 0; i < count; i++)
        {
          guint at = from_right ? count - 1 - i : i;
          HirScalar *size = merge ? get_in (m, from_right, at) : get_out (m, from_right, at);

          if (size == NULL)
            return FALSE;
          product = product == NULL
                        ? size
                        : hir_scalar_new_op (m->container, HIR_SCALAR_OP_MUL, product, size);
        }
      if (hir_scalar_equal (product, whole))
        {
          *match = merge ? (Match){ count, 1 } : (Match){ 1, count };
          return TRUE;
        }
    }
  return FALSE;
}

static gboolean
match_one_end (const Matcher *m, gboolean from_right, Match *match)
{
  HirScalar *out;

  if (m->in_from == m->in_to || m->out_from == m->out_to)
    return FALSE;
  out = get_out (m, from_right, 0);
  if (out == NULL)
    return FALSE;
  if (hir_scalar_equal (get_in (m, from_right, 0), out))
    {
      *match = (Match){ 1, 1 };
      return TRUE;
    }
  return match_constants (m, from_right, match) || match_product (m, from_right, TRUE, match) ||
         match_product (m, from_right, FALSE, match);
}

static void
match_from (Matcher *m, gboolean from_right)
{
  Match match;

  while (match_one_end (m, from_right, &match))
    {
      HirReshapeGroup group = { .n_in = match.n_in, .n_out = match.n_out, .inferred = -1 };

      if (from_right)
        {
          m->in_to -= match.n_in;
          m->out_to -= match.n_out;
          group.in = m->in_to;
          group.out = m->out_to;
        }
      else
        {
          group.in = m->in_from;
          group.out = m->out_from;
          m->in_from += match.n_in;
          m->out_from += match.n_out;
        }
      g_array_append_val (from_right ? m->right : m->left, group);
    }
}

/* Returns the product of the constants among @sizes, or 0 on overflow (0 divides nothing). Sets
 * *@all to FALSE if a size is not a constant. */
static gint64
get_constant_product (HirScalar *const *sizes, guint n, gboolean *all)
{
  gint64 product = 1;

  *all = TRUE;
  for (guint i = 0; i < n; i++)
    {
      if (sizes[i] == NULL || !hir_scalar_is_const (sizes[i]))
        *all = FALSE;
      else if (__builtin_mul_overflow (product, sizes[i]->i, &product))
        return 0;
    }
  return product;
}

/* Matches the axes between the two ends: none, or those with the inferred size. */
static gboolean
match_middle (Matcher *m, gboolean *is_contradiction)
{
  guint n_in = m->in_to - m->in_from;
  guint n_out = m->out_to - m->out_from;
  HirReshapeGroup group = { m->in_from, n_in, m->out_from, n_out, -1 };
  gboolean in_constant, out_constant;
  gint64 in, out;

  if (n_in == 0 && n_out == 0)
    return TRUE;
  for (guint i = 0; i < n_out; i++)
    {
      if (m->out[m->out_from + i] == NULL)
        group.inferred = (int) i;
    }
  in = get_constant_product (m->in + m->in_from, n_in, &in_constant);
  out = get_constant_product (m->out + m->out_from, n_out, &out_constant);
  if (group.inferred < 0)
    {
      *is_contradiction = in_constant && out_constant && in != out;
      return FALSE;
    }
  /* The inferred size can be checked only if all other sizes are numbers. */
  if (in_constant && n_in > 0 && (out <= 0 || in % out != 0))
    {
      *is_contradiction = TRUE;
      return FALSE;
    }
  if (n_in == 0 && n_out > 1)
    {
      *is_contradiction = out != 1;
      return FALSE;
    }
  g_array_append_val (m->left, group);
  return TRUE;
}

HirReshapePlan *
hir_reshape_plan_new (HirContainer *container,
                      HirScalar *const *in,
                      guint n_in,
                      HirScalar *const *out,
                      guint n_out,
                      gboolean *is_contradiction)
{
  g_autoptr (GArray) left = g_array_new (FALSE, FALSE, sizeof (HirReshapeGroup));
  g_autoptr (GArray) right = g_array_new (FALSE, FALSE, sizeof (HirReshapeGroup));
  Matcher m = { container, in, out, 0, n_in, 0, n_out, left, right };
  HirReshapePlan *plan;

  *is_contradiction = FALSE;
  match_from (&m, FALSE);
  match_from (&m, TRUE);
  if (!match_middle (&m, is_contradiction))
    return NULL;

  for (guint i = right->len; i > 0; i--)
    g_array_append_val (left, g_array_index (right, HirReshapeGroup, i - 1));
  plan = g_new (HirReshapePlan, 1);
  plan->groups = g_steal_pointer (&left);
  return plan;
}

void
hir_reshape_plan_free (HirReshapePlan *plan)
{
  if (plan == NULL)
    return;
  g_array_unref (plan->groups);
  g_free (plan);
}
