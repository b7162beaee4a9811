/* Reshape: a squeeze, merges and splits of the remaining axes, and a broadcast; each is an Expr
 * only if it is needed. */
#include "label.h"
#include "ops/ops-private.h"
#include "ops/reshape-plan.h"
#include "print/print.h"

/* Input or output of a reshape. */
typedef struct
{
  HirScalar **sizes; /* one per axis; NULL if it must be inferred */
  guint n;
  guint *others; /* positions of the axes whose size is not 1 */
  HirScalar **other_sizes;
  guint n_others;
  gboolean *changes; /* input: TRUE if squeezed; output: TRUE if broadcast */
  int *gaps;         /* for an axis of size 1: the group that it precedes; -1 inside a group */
} Side;

static void
side_clear (Side *side)
{
  g_free (side->sizes);
  g_free (side->others);
  g_free (side->other_sizes);
  g_free (side->changes);
  g_free (side->gaps);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Side, side_clear)

static gboolean
is_one (const HirScalar *size)
{
  return size != NULL && hir_scalar_is_const_int (size, 1);
}

/* Allocates room for @n axes; the caller sets the sizes. */
static Side
side_new (guint n)
{
  return (Side){ .sizes = g_new0 (HirScalar *, n + 1),
                 .n = n,
                 .others = g_new0 (guint, n + 1),
                 .other_sizes = g_new0 (HirScalar *, n + 1),
                 .changes = g_new0 (gboolean, n + 1),
                 .gaps = g_new0 (int, n + 1) };
}

static void
side_find_others (Side *side)
{
  side->n_others = 0;
  for (guint i = 0; i < side->n; i++)
    {
      if (is_one (side->sizes[i]))
        continue;
      side->other_sizes[side->n_others] = side->sizes[i];
      side->others[side->n_others++] = i;
    }
}

/* Finds the gap between groups that contains each axis of size 1. */
static void
side_find_gaps (Side *side, const HirReshapePlan *plan, gboolean is_out)
{
  guint before = 0;

  for (guint i = 0; i < side->n; i++)
    {
      if (!is_one (side->sizes[i]))
        {
          before++;
          continue;
        }
      side->gaps[i] = (int) plan->groups->len;
      for (guint g = 0; g < plan->groups->len; g++)
        {
          const HirReshapeGroup *group = &g_array_index (plan->groups, HirReshapeGroup, g);
          guint start = is_out ? group->out : group->in;
          guint end = start + (is_out ? group->n_out : group->n_in);

          if (before < end)
            {
              side->gaps[i] = before > start ? -1 : (int) g;
              break;
            }
        }
    }
}

static guint
side_count_in_gap (const Side *side, int gap)
{
  guint n = 0;

  for (guint i = 0; i < side->n; i++)
    n += is_one (side->sizes[i]) && side->gaps[i] == gap;
  return n;
}

/* Axes of size 1 in the same gap of both sides are kept; the others are squeezed or broadcast. */
static void
match_ones (Side *side, const Side *other, guint n_groups)
{
  for (int gap = -1; gap <= (int) n_groups; gap++)
    {
      guint kept = gap < 0 ? 0 : side_count_in_gap (other, gap);

      for (guint i = 0; i < side->n; i++)
        {
          if (!is_one (side->sizes[i]) || side->gaps[i] != gap)
            continue;
          side->changes[i] = kept == 0;
          kept -= kept > 0;
        }
    }
}

static char *
dup_sizes_text (HirScalar *const *sizes, guint n)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < n; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      if (sizes[i] == NULL)
        g_string_append (text, "-1");
      else
        hir_scalar_print_inline (sizes[i], text);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static void
set_plan_error (HirContainer *fusion,
                const HirTensor *in,
                HirScalar *const *shape,
                guint n,
                gboolean is_contradiction,
                GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (in);
  g_autofree char *from = hir_tensor_dup_shape_text (in);
  g_autofree char *to = dup_sizes_text (shape, n);

  if (is_contradiction)
    hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                   "reshape: %s %s cannot become %s, which has a different number of "
                   "elements",
                   label, from, to);
  else
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, HIR_OP_POS (fusion),
                   "reshape: whether %s %s can become %s is known only at run time; use numbers, "
                   "-1, or sizes of the tensor's own axes",
                   label, from, to);
}

static gboolean
check_shape (HirContainer *fusion, HirScalar *const *shape, guint n, GError **error)
{
  guint n_inferred = 0;
  gboolean negative = FALSE;

  for (guint i = 0; i < n; i++)
    {
      n_inferred += shape[i] == NULL;
      negative =
          negative || (shape[i] != NULL && hir_scalar_is_const (shape[i]) && shape[i]->i < 0);
    }
  if (n_inferred > 1 || negative)
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "reshape: the new shape has %s; one size may be -1, the others 0 or more",
                     n_inferred > 1 ? "several -1" : "a negative size");
      return FALSE;
    }
  return TRUE;
}

/* Splits @factor elements off one end: *@piece; *@rest is the remaining axis. */
static gboolean
cut (HirIterDomain **rest,
     HirScalar *factor,
     gboolean from_right,
     HirIterDomain **piece,
     GError **error)
{
  HirIterDomain *outer, *inner;

  if (!hir_iter_domain_split (*rest, factor, from_right, &outer, &inner, error))
    return FALSE;
  outer->is_rfactor = TRUE;
  inner->is_rfactor = TRUE;
  *piece = from_right ? inner : outer;
  *rest = from_right ? outer : inner;
  return TRUE;
}

/* Merges @axes (group->n_in) and splits the result into @out with @sizes (group->n_out). */
static gboolean
transform_group (const HirReshapeGroup *group,
                 HirIterDomain *const *axes,
                 HirScalar *const *sizes,
                 HirIterDomain **out,
                 GError **error)
{
  HirIterDomain *rest = axes[0];
  guint kept = group->inferred < 0 ? 0 : (guint) group->inferred;

  for (guint i = 1; i < group->n_in; i++)
    {
      rest = hir_iter_domain_merge (rest, axes[i], error);
      if (rest == NULL)
        return FALSE;
      rest->is_rfactor = TRUE;
    }
  for (guint i = 0; i < kept; i++)
    {
      if (!cut (&rest, sizes[i], FALSE, &out[i], error))
        return FALSE;
    }
  for (guint i = group->n_out - 1; i > kept; i--)
    {
      if (!cut (&rest, sizes[i], TRUE, &out[i], error))
        return FALSE;
    }
  out[kept] = rest;
  /* The requested size equals the extent that the splits leave, in a shorter form. */
  if (group->inferred < 0 && group->n_in + group->n_out > 2)
    rest->extent = sizes[0];
  return TRUE;
}

static gboolean
is_unchanged (const HirReshapeGroup *group)
{
  return group->n_in == 1 && group->n_out == 1;
}

/* Creates the view of @in. Its axes of size 1 are all kept. */
static HirTensor *
new_view (HirContainer *fusion,
          HirTensor *in,
          const HirReshapePlan *plan,
          const Side *out_side,
          GError **error)
{
  guint rank, n = 0, next = 0;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree HirIterDomain **root = g_new (HirIterDomain *, rank + 1);
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, rank + out_side->n + 1);
  HirVal *inputs[] = { HIR_VAL (in) };
  HirTensor *out;

  for (guint i = 0; i < rank; i++)
    root[i] = hir_iter_domain_dup (fusion, axes[i], TRUE);
  for (guint i = 0; i < rank;)
    {
      const HirReshapeGroup *group;

      if (is_one (hir_op_get_size (root[i])))
        {
          ids[n++] = root[i++];
          continue;
        }
      group = &g_array_index (plan->groups, HirReshapeGroup, next++);
      if (is_unchanged (group))
        ids[n++] = root[i];
      else if (transform_group (group, root + i, out_side->other_sizes + group->out, ids + n,
                                error))
        n += group->n_out;
      else
        {
          g_prefix_error (error, "reshape: ");
          return NULL;
        }
      i += group->n_in;
    }
  out = hir_tensor_new_with_root (fusion, in->base.dtype, root, rank, ids, n);
  hir_op_inherit (out, inputs, 1);
  hir_op_add (fusion, HIR_EXPR_RESHAPE, inputs, 1, out);
  return out;
}

/* An expanded axis has one element in memory, which merges and splits cannot address. Returns @in,
 * or a copy without such axes in groups that change. */
static HirTensor *
concretize (HirContainer *fusion,
            HirTensor *in,
            HirIterDomain *const *axes,
            const Side *side,
            const HirReshapePlan *plan)
{
  g_autofree gboolean *flags = g_new0 (gboolean, side->n + 1);
  gboolean any = FALSE;

  for (guint g = 0; g < plan->groups->len; g++)
    {
      const HirReshapeGroup *group = &g_array_index (plan->groups, HirReshapeGroup, g);

      for (guint i = group->in; i < group->in + group->n_in && !is_unchanged (group); i++)
        {
          flags[side->others[i]] = axes[side->others[i]]->expanded_extent != NULL;
          any = any || flags[side->others[i]];
        }
    }
  return any ? hir_op_concretize (fusion, in, flags) : in;
}

/* An inferred size without any axis left for it is 1. */
static void
resolve_empty_group (HirContainer *fusion, HirReshapePlan *plan, Side *out)
{
  for (guint g = 0; g < plan->groups->len; g++)
    {
      HirReshapeGroup group = g_array_index (plan->groups, HirReshapeGroup, g);

      if (group.n_in > 0)
        continue;
      out->sizes[out->others[group.out]] = hir_scalar_get_one (fusion);
      side_find_others (out);
      g_array_remove_index (plan->groups, g);
      for (; g < plan->groups->len; g++)
        g_array_index (plan->groups, HirReshapeGroup, g).out -= group.n_out;
    }
}

static gboolean
any_true (const gboolean *flags, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      if (flags[i])
        return TRUE;
    }
  return FALSE;
}

static HirTensor *
apply_plan (HirContainer *fusion,
            HirTensor *in,
            const HirReshapePlan *plan,
            const Side *in_side,
            const Side *out_side,
            GError **error)
{
  HirTensor *at = in;
  gboolean has_view = FALSE;

  for (guint g = 0; g < plan->groups->len; g++)
    has_view = has_view || !is_unchanged (&g_array_index (plan->groups, HirReshapeGroup, g));
  if (any_true (in_side->changes, in_side->n))
    at = hir_op_squeeze_flags (fusion, at, in_side->changes);
  if (has_view)
    at = new_view (fusion, at, plan, out_side, error);
  if (at != NULL && any_true (out_side->changes, out_side->n))
    at = hir_op_broadcast (fusion, at, out_side->changes, out_side->n, error);
  return at == in ? hir_op_set (fusion, in, error) : at;
}

/* Returns TRUE if the tensor has no elements and all sizes are given. */
static gboolean
has_zero (const Side *side)
{
  gboolean any = FALSE;

  for (guint i = 0; i < side->n; i++)
    {
      if (side->sizes[i] == NULL)
        return FALSE;
      any = any || hir_scalar_is_const_int (side->sizes[i], 0);
    }
  return any;
}

HirTensor *
hir_op_reshape (
    HirContainer *fusion, HirTensor *in, HirScalar *const *shape, guint n, GError **error)
{
  guint rank;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_auto (Side) in_side = side_new (rank);
  g_auto (Side) out_side = side_new (n);
  g_autoptr (HirReshapePlan) plan = NULL;
  gboolean is_contradiction;

  if (!check_shape (fusion, shape, n, error))
    return NULL;
  for (guint i = 0; i < rank; i++)
    in_side.sizes[i] = hir_op_get_size (axes[i]);
  for (guint i = 0; i < n; i++)
    out_side.sizes[i] = shape[i];
  side_find_others (&in_side);
  side_find_others (&out_side);
  if (has_zero (&in_side) && has_zero (&out_side))
    return hir_op_full (fusion, out_side.sizes, n, hir_scalar_get_zero (fusion), in->base.dtype,
                        error);
  plan = hir_reshape_plan_new (fusion, in_side.other_sizes, in_side.n_others, out_side.other_sizes,
                               out_side.n_others, &is_contradiction);
  if (plan == NULL)
    {
      set_plan_error (fusion, in, shape, n, is_contradiction, error);
      return NULL;
    }
  resolve_empty_group (fusion, plan, &out_side);
  in = concretize (fusion, in, axes, &in_side, plan);
  side_find_gaps (&in_side, plan, FALSE);
  side_find_gaps (&out_side, plan, TRUE);
  match_ones (&in_side, &out_side, plan->groups->len);
  match_ones (&out_side, &in_side, plan->groups->len);
  return apply_plan (fusion, in, plan, &in_side, &out_side, error);
}
