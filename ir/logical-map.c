/* In a host program, a stream loop may have sliced the operands: each lost the same axis, so
 * attributes that refer to axes by position (flags of a broadcast) no longer match. Matmul and
 * linear are therefore aligned from the right. Axes that cannot be mapped for certain are not
 * mapped. */
#include "logical-map.h"

typedef struct
{
  const HirExpr *expr;
  HirIterDomain **producer; /* logical axes without reductions */
  guint n_producer;
  const HirDomain *consumer; /* root or logical domain with reductions */
  HirIterDomain **map;       /* result, one entry per producer axis */
  guint operand;             /* index of the producer among the inputs */
} Mapping;

static guint
count_kept (const HirDomain *domain)
{
  guint n = 0;

  for (guint i = 0; i < domain->n; i++)
    n += !hir_iter_domain_is_reduction (domain->ids[i]);
  return n;
}

/* Returns axis @position of the consumer, not counting reductions, or NULL. */
static HirIterDomain *
get_kept (const HirDomain *domain, gint64 position)
{
  for (guint i = 0; i < domain->n; i++)
    {
      if (!hir_iter_domain_is_reduction (domain->ids[i]) && position-- == 0)
        return domain->ids[i];
    }
  return NULL;
}

/* Returns the number of axes of operand @i without reductions; 0 if it is missing or not a tensor.
 */
static guint
get_operand_rank (const HirExpr *expr, guint i)
{
  if (i >= expr->n_inputs || !HIR_IS_TENSOR (expr->inputs[i]))
    return 0;
  return count_kept (&HIR_TENSOR (expr->inputs[i])->logical);
}

static HirIterDomain *
get_reduced (const HirDomain *domain)
{
  for (guint i = domain->n; i > 0; i--)
    {
      if (hir_iter_domain_is_reduction (domain->ids[i - 1]))
        return domain->ids[i - 1];
    }
  return NULL;
}

/* Maps one to one; @skip (or -1) is not mapped. */
static void
map_by_position (Mapping *m, int skip)
{
  if (m->n_producer != m->consumer->n)
    return;
  for (guint i = 0; i < m->n_producer; i++)
    m->map[i] = (int) i == skip ? NULL : m->consumer->ids[i];
}

/* @flags: one per producer axis; TRUE if the consumer lacks it. */
static void
map_without_dropped (Mapping *m, const gboolean *flags, guint n)
{
  guint kept = 0;

  for (guint i = 0; i < n; i++)
    kept += !flags[i];
  if (n != m->n_producer || kept != m->consumer->n)
    return;
  for (guint i = 0, out = 0; i < n; i++)
    m->map[i] = flags[i] ? NULL : m->consumer->ids[out++];
}

static void
map_broadcast (Mapping *m)
{
  const gboolean *flags = m->expr->u.broadcast.flags;
  guint n = m->expr->u.broadcast.n;
  guint kept = 0;

  for (guint i = 0; i < n; i++)
    kept += !flags[i];
  if (n != m->consumer->n || kept != m->n_producer)
    return;
  for (guint out = 0, in = 0; out < n; out++)
    {
      if (!flags[out])
        m->map[in++] = m->consumer->ids[out];
    }
}

/* Returns the position of the selected axis, or -1. In a slice that axis is another object: then
 * the only axis with its extent. */
static int
find_selected (const Mapping *m)
{
  const HirIterDomain *axis = m->expr->u.select.axis;
  int found = -1;

  for (guint i = 0; i < m->n_producer; i++)
    {
      if (m->producer[i] == axis)
        return (int) i;
    }
  for (guint i = 0; i < m->n_producer; i++)
    {
      if (!hir_scalar_equal (m->producer[i]->extent, axis->extent))
        continue;
      if (found >= 0)
        return -1;
      found = (int) i;
    }
  return found;
}

static void
map_select (Mapping *m)
{
  g_autofree gboolean *flags = g_new0 (gboolean, MAX (m->n_producer, 1));
  int selected = find_selected (m);

  if (selected < 0)
    return;
  flags[selected] = TRUE;
  map_without_dropped (m, flags, m->n_producer);
}

/* Consumer: [batch..., M, N, r{K}]; M and N exist only if A and B, respectively, have at least two
 * axes. Producer A is [batch..., M, K], B is [batch..., K, N], and either may be [K]. Aligned from
 * the right. */
static void
map_matmul (Mapping *m)
{
  gint64 has_m = get_operand_rank (m->expr, 0) >= 2;
  gint64 has_n = get_operand_rank (m->expr, 1) >= 2;
  gint64 n_out = count_kept (m->consumer);
  gint64 n_in = m->n_producer;
  gint64 k = m->operand == 1 && n_in >= 2 ? n_in - 2 : n_in - 1;
  gint64 out = n_out - 1 - (m->operand == 0 ? has_n : 0);

  if (n_in == 0)
    return;
  m->map[k] = get_reduced (m->consumer);
  for (gint64 in = n_in - 1; in >= 0; in--)
    {
      if (in == k)
        continue;
      m->map[in] = get_kept (m->consumer, out--);
      /* A's M comes before B's N in the output, and B does not have it. */
      if (m->operand == 1 && in == n_in - 1)
        out -= has_m;
    }
}

/* Consumer: [batch of the weight..., input except its last..., N, r{K}]; N exists only if the
 * weight has at least two axes. */
static void
map_linear (Mapping *m)
{
  gint64 n_weight = get_operand_rank (m->expr, 1);
  gint64 has_n = n_weight >= 2;
  gint64 n_out = count_kept (m->consumer);
  gint64 n_in = m->n_producer;

  if (n_in == 0)
    return;
  if (m->operand == 0)
    {
      m->map[n_in - 1] = get_reduced (m->consumer);
      for (gint64 i = 0; i < n_in - 1; i++)
        m->map[i] = get_kept (m->consumer, n_out - has_n - (n_in - 1) + i);
      return;
    }

  if (m->operand == 1)
    m->map[--n_in] = get_reduced (m->consumer);
  if (n_in == 0 || !has_n)
    return;
  m->map[n_in - 1] = get_kept (m->consumer, n_out - 1);
  /* A bias [N] has no batch axes, even if the weight does. */
  for (gint64 i = 0; i < n_in - 1; i++)
    m->map[i] = get_kept (m->consumer, i);
}

static void
map_opaque (Mapping *m)
{
  const gint8 *map = m->expr->u.opaque.map + m->operand * HIR_OPAQUE_MAX_AXES;

  for (guint i = 0; i < MIN (m->n_producer, HIR_OPAQUE_MAX_AXES); i++)
    if (map[i] >= 0)
      m->map[i] = get_kept (m->consumer, map[i]);
}

static void
map_axes (Mapping *m)
{
  switch (m->expr->kind)
    {
    case HIR_EXPR_SET:
    case HIR_EXPR_UNARY:
    case HIR_EXPR_BINARY:
    case HIR_EXPR_TERNARY:
    case HIR_EXPR_REDUCTION:
    case HIR_EXPR_EXPAND:
    case HIR_EXPR_RESHAPE:
    case HIR_EXPR_SLICE:
    case HIR_EXPR_PAD:
      map_by_position (m, -1);
      break;
    case HIR_EXPR_CAT:
      map_by_position (m, m->expr->u.cat.dim);
      break;
    case HIR_EXPR_BROADCAST:
      map_broadcast (m);
      break;
    case HIR_EXPR_SQUEEZE:
      map_without_dropped (m, m->expr->u.squeeze.flags, m->expr->u.squeeze.n);
      break;
    case HIR_EXPR_SELECT:
      map_select (m);
      break;
    case HIR_EXPR_MATMUL:
      map_matmul (m);
      break;
    case HIR_EXPR_LINEAR:
      map_linear (m);
      break;
    case HIR_EXPR_OPAQUE:
      map_opaque (m);
      break;
    default: /* full and iota read no tensor; host ops relate no axes */
      break;
    }
}

HirIterDomain **
hir_expr_dup_logical_map (const HirExpr *expr,
                          const HirTensor *producer,
                          const HirTensor *consumer,
                          HirIterDomain ***producer_ids,
                          guint *n)
{
  Mapping m = { .expr = expr, .consumer = hir_tensor_get_maybe_root (consumer) };

  m.producer = hir_tensor_dup_no_reductions (producer, &m.n_producer);
  m.map = g_new0 (HirIterDomain *, MAX (m.n_producer, 1));
  while (m.operand < expr->n_inputs && expr->inputs[m.operand] != HIR_VAL (producer))
    m.operand++;
  if (m.operand < expr->n_inputs)
    map_axes (&m);

  *n = m.n_producer;
  if (producer_ids != NULL)
    *producer_ids = m.producer;
  else
    g_free (m.producer);
  return m.map;
}
