/* Unification of extents (union-find), and choice of unknown ones. */
#include "run/reference/extents.h"

#include "label.h"
#include "logical-map.h"
#include "run/env.h"

#define OUTER_SIZE 16
#define INNER_SIZE 64

typedef struct
{
  guint parent;
  gint64 value;    /* -1 if not known */
  gboolean chosen; /* chosen here */
  char *who;       /* source of the value: "axis 1 of T0 (--input 1)" */
  gint64 at_least;
  gint64 multiple;
  gint64 preferred; /* 0 if there is none */
} Class;

struct _HirExtents
{
  GHashTable *index; /* const HirScalar* -> class + 1 */
  GArray *classes;   /* Class */
  GError *conflict;  /* nullable: two different constants that must be equal */
};

static void
class_clear (gpointer data)
{
  g_free (((Class *) data)->who);
}

static Class *
get (HirExtents *extents, guint i)
{
  return &g_array_index (extents->classes, Class, i);
}

static guint
find (HirExtents *extents, guint i)
{
  while (get (extents, i)->parent != i)
    {
      get (extents, i)->parent = get (extents, get (extents, i)->parent)->parent;
      i = get (extents, i)->parent;
    }
  return i;
}

static guint
class_of (HirExtents *extents, const HirScalar *extent)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (extents->index, extent));

  if (known == 0)
    {
      Class fresh = { .parent = extents->classes->len, .value = -1, .at_least = 0, .multiple = 1 };
      if (extent->kind == HIR_SCALAR_CONST)
        {
          fresh.value = extent->i;
          fresh.who = g_strdup ("a constant of the script");
        }
      g_array_append_val (extents->classes, fresh);
      known = extents->classes->len;
      g_hash_table_insert (extents->index, (gpointer) extent, GUINT_TO_POINTER (known));
    }
  return find (extents, known - 1);
}

static gint64
lcm (gint64 a, gint64 b)
{
  gint64 x = a, y = b;

  while (y != 0)
    {
      gint64 r = x % y;
      x = y;
      y = r;
    }
  return a / x > G_MAXINT32 / b ? a : a / x * b;
}

/* Returns the value of @extent if all axes in it are long enough: `min(i0, 10) - 2` is 8.
 * G_MAXINT64 if it grows with them. */
static gint64
get_limit (const HirScalar *extent)
{
  gint64 a, b;

  if (extent->kind == HIR_SCALAR_CONST)
    return extent->i;
  if (extent->kind != HIR_SCALAR_OP)
    return G_MAXINT64;
  a = get_limit (extent->a);
  b = get_limit (extent->b);
  switch (extent->op)
    {
    case HIR_SCALAR_OP_MIN:
      return MIN (a, b);
    case HIR_SCALAR_OP_MAX:
      return MAX (a, b);
    case HIR_SCALAR_OP_SUB:
      return a == G_MAXINT64 || b == G_MAXINT64 ? G_MAXINT64 : a - b;
    default:
      return G_MAXINT64;
    }
}

/* An axis that meets a slice is chosen as long as the slice. */
static void
prefer (HirExtents *extents, const HirScalar *extent, const HirScalar *slice)
{
  gint64 size = slice->kind == HIR_SCALAR_OP ? get_limit (slice) : 0;

  if (extent->kind == HIR_SCALAR_SYMBOL && size > 0 && size < G_MAXINT32)
    get (extents, class_of (extents, extent))->preferred = size;
}

static void
unify (HirExtents *extents, const HirScalar *a, const HirScalar *b, const HirExpr *expr)
{
  guint i, j;
  Class *into, *from;

  /* Computed extents imply no equality. */
  if (a->kind == HIR_SCALAR_OP || b->kind == HIR_SCALAR_OP || a == b)
    {
      prefer (extents, a, b);
      prefer (extents, b, a);
      return;
    }
  i = class_of (extents, a);
  j = class_of (extents, b);
  if (i == j)
    return;
  into = get (extents, i);
  from = get (extents, j);
  if (into->value >= 0 && from->value >= 0 && into->value != from->value &&
      extents->conflict == NULL)
    hir_set_error (&extents->conflict, HIR_ERROR_INPUT, &expr->node.pos,
                   "%s relates an axis of %" G_GINT64_FORMAT " to one of %" G_GINT64_FORMAT
                   "; they must be equal",
                   hir_expr_get_op_name (expr), into->value, from->value);
  if (into->value < 0)
    {
      into->value = from->value;
      into->who = g_steal_pointer (&from->who);
    }
  into->at_least = MAX (into->at_least, from->at_least);
  into->multiple = lcm (into->multiple, from->multiple);
  into->preferred = MAX (into->preferred, from->preferred);
  from->parent = i;
}

static gboolean
has_own_size (const HirIterDomain *id)
{
  return !hir_iter_domain_is_broadcast (id) || id->expanded_extent != NULL;
}

/* Slice, pad and reshape relate the axes of the root domain, which a printed program may not
 * show. */
static gboolean
has_other_sizes (const HirExpr *expr)
{
  return (expr->kind == HIR_EXPR_SLICE || expr->kind == HIR_EXPR_PAD ||
          expr->kind == HIR_EXPR_RESHAPE) &&
         !HIR_TENSOR (expr->outputs[0])->has_root;
}

static void
relate (HirExtents *extents, const HirExpr *expr)
{
  const HirTensor *out = HIR_TENSOR (expr->outputs[0]);

  if (has_other_sizes (expr))
    return;
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      g_autofree HirIterDomain **consumer = NULL;
      g_autofree HirIterDomain **producer = NULL;
      guint n;

      if (!HIR_IS_TENSOR (expr->inputs[i]))
        continue;
      consumer = hir_expr_dup_logical_map (expr, HIR_TENSOR (expr->inputs[i]), out, &producer, &n);
      for (guint k = 0; k < n; k++)
        if (consumer[k] != NULL && has_own_size (producer[k]) && has_own_size (consumer[k]))
          unify (extents, hir_env_get_extent (producer[k]), hir_env_get_extent (consumer[k]), expr);
    }
}

/* Requires a minimum and a divisor of a symbol, for slices with constant bounds, selections and
 * splits by a constant factor. */
static void
demand (HirExtents *extents, const HirScalar *extent, gint64 at_least, gint64 multiple)
{
  Class *class;

  if (extent->kind != HIR_SCALAR_SYMBOL)
    return;
  class = get (extents, class_of (extents, extent));
  class->at_least = MAX (class->at_least, at_least);
  class->multiple = lcm (class->multiple, MAX (multiple, 1));
}

/* Returns the largest constant in a slice bound of a symbolic axis: `min(i0, 100)`; negative ones
 * count from the end. */
static gint64
largest_constant (const HirScalar *scalar)
{
  if (scalar->kind == HIR_SCALAR_CONST)
    return ABS (scalar->i);
  if (scalar->kind != HIR_SCALAR_OP)
    return 0;
  return MAX (largest_constant (scalar->a), largest_constant (scalar->b));
}

static void
constrain (HirExtents *extents, const HirExpr *expr)
{
  guint n;
  g_autofree HirIterDomain **in =
      expr->n_inputs > 0 && HIR_IS_TENSOR (expr->inputs[0])
          ? hir_tensor_dup_no_reductions (HIR_TENSOR (expr->inputs[0]), &n)
          : NULL;

  if (expr->kind == HIR_EXPR_SLICE && in != NULL)
    for (guint i = 0; i < MIN (n, expr->u.slice.n); i++)
      demand (extents, in[i]->extent,
              MAX (largest_constant (expr->u.slice.start[i]) + 1,
                   largest_constant (expr->u.slice.stop[i])),
              1);
  if (expr->kind == HIR_EXPR_SELECT && hir_scalar_is_const (expr->u.select.index))
    demand (extents, expr->u.select.axis->extent, expr->u.select.index->i + 1, 1);
  if (expr->kind == HIR_EXPR_PAD && in != NULL)
    for (guint i = 0; 2 * i + 1 < expr->u.pad.n && i < n; i++)
      {
        const HirScalar *left = expr->u.pad.widths[2 * i], *right = expr->u.pad.widths[2 * i + 1];
        if (hir_scalar_is_const (left) && hir_scalar_is_const (right))
          demand (extents, in[i]->extent, 1 - MIN (left->i, 0) - MIN (right->i, 0), 1);
      }
  if (expr->kind == HIR_EXPR_RESHAPE)
    {
      const HirTensor *out = HIR_TENSOR (expr->outputs[0]);
      for (guint i = 0; i < out->logical.n; i++)
        {
          const HirTransform *made = out->logical.ids[i]->definition;
          if (made != NULL && made->kind == HIR_TRANSFORM_SPLIT &&
              hir_scalar_is_const (made->factor))
            demand (extents, made->in[0]->extent, 1, made->factor->i);
        }
    }
}

static void
relate_op (HirExtents *extents, const HirExpr *expr)
{
  if (expr->n_outputs != 1 || !HIR_IS_TENSOR (expr->outputs[0]))
    return;
  relate (extents, expr);
  constrain (extents, expr);
}

/* Requires that @extent, a symbol or ceilDiv of one, is a multiple of @multiple. */
static void
demand_multiple (HirExtents *extents, const HirScalar *extent, gint64 multiple)
{
  while (extent->kind == HIR_SCALAR_OP && extent->op == HIR_SCALAR_OP_CEIL_DIV &&
         hir_scalar_is_const (extent->b) && extent->b->i > 0 &&
         multiple < G_MAXINT32 / extent->b->i)
    {
      multiple *= extent->b->i;
      extent = extent->a;
    }
  demand (extents, extent, 1, multiple);
}

/* Splits must be even: pieces for devices and streams have equal sizes. */
static void
relate_tensor (HirExtents *extents, const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *id = tensor->loop.ids[i];

      demand_multiple (extents, id->extent, 1);
      for (; id->definition != NULL && hir_domain_find (&tensor->logical, id) < 0;
           id = id->definition->in[0])
        if (id->definition->kind == HIR_TRANSFORM_SPLIT &&
            hir_scalar_is_const (id->definition->factor))
          demand_multiple (extents, id->definition->in[0]->extent, id->definition->factor->i);
    }
}

typedef struct
{
  HirExtents *extents;
  GPtrArray *loops; /* const HirExpr*: loops around the current instruction */
} Walk;

static void
relate_axes (HirExtents *extents,
             HirIterDomain *const *a,
             HirIterDomain *const *b,
             guint n,
             const HirExpr *expr)
{
  for (guint i = 0; i < n; i++)
    if (!hir_iter_domain_is_broadcast (a[i]) && !hir_iter_domain_is_broadcast (b[i]))
      unify (extents, hir_env_get_extent (a[i]), hir_env_get_extent (b[i]), expr);
}

/* Relates the stop of the loop over @index to the extent of an axis that is indexed by it. */
static void
relate_loop (Walk *walk, const HirScalar *index, const HirScalar *extent, const HirExpr *expr)
{
  for (guint i = walk->loops->len; i-- > 0;)
    {
      const HirExpr *loop = g_ptr_array_index (walk->loops, i);

      if (!hir_scalar_equal (loop->u.loop.index, index))
        continue;
      if (hir_scalar_is_const (loop->u.loop.stop))
        demand (walk->extents, extent, loop->u.loop.stop->i, 1);
      else if (!hir_scalar_is_const (extent))
        unify (walk->extents, loop->u.loop.stop, extent, expr);
      return;
    }
}

static void
relate_alias_select (Walk *walk, const HirExpr *expr)
{
  const HirTensor *in = HIR_TENSOR (expr->inputs[0]);
  const HirIterDomain *cut = in->logical.ids[expr->u.alias_select.axis];
  const HirScalar *extent = hir_env_get_extent (cut);
  guint n_in, n_out, n = 0;
  g_autofree HirIterDomain **before = hir_tensor_dup_no_reductions (in, &n_in);
  g_autofree HirIterDomain **after =
      hir_tensor_dup_no_reductions (expr->u.alias_select.out, &n_out);

  for (guint i = 0; i < n_in; i++)
    if (before[i] != cut)
      before[n++] = before[i];
  if (n == n_out)
    relate_axes (walk->extents, before, after, n, expr);
  if (hir_iter_domain_is_reduction (cut) || hir_iter_domain_is_broadcast (cut))
    return;
  if (hir_scalar_is_const (expr->u.alias_select.index))
    demand (walk->extents, extent, expr->u.alias_select.index->i + 1, 1);
  relate_loop (walk, expr->u.alias_select.index, extent, expr);
}

/* Relates axis by axis if the numbers match: the input of a collective has the axes that its output
 * reduces. */
static void
relate_transfer (HirExtents *extents,
                 const HirExpr *expr,
                 const HirTensor *in,
                 const HirTensor *out)
{
  guint n_in, n_out;
  g_autofree HirIterDomain **before = hir_tensor_dup_no_reductions (in, &n_in);
  g_autofree HirIterDomain **after = hir_tensor_dup_no_reductions (out, &n_out);

  if (n_in == n_out)
    relate_axes (extents, before, after, n_in, expr);
  else if (n_in == out->logical.n)
    relate_axes (extents, before, out->logical.ids, n_in, expr);
}

/* Relates the first axes. */
static void
relate_rows (HirExtents *extents, const HirExpr *expr, const HirTensor *a, const HirTensor *b)
{
  guint n_a, n_b;
  g_autofree HirIterDomain **before = hir_tensor_dup_no_reductions (a, &n_a);
  g_autofree HirIterDomain **after = hir_tensor_dup_no_reductions (b, &n_b);

  if (n_a > 0 && n_b > 0)
    relate_axes (extents, before, after, 1, expr);
}

static void
relate_values (
    HirExtents *extents, const HirExpr *expr, HirVal *const *outer, guint n, const HirVec *inner)
{
  for (guint i = 0; i < MIN (n, inner->len); i++)
    if (HIR_IS_TENSOR (outer[i]) && HIR_IS_TENSOR (HIR_VAL (inner->items[i])))
      relate_transfer (extents, expr, HIR_TENSOR (outer[i]), HIR_TENSOR (inner->items[i]));
}

static void
relate_unit (HirExtents *extents, const HirExpr *expr)
{
  HirContainer *fusion = expr->u.post.unit->fusion;
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);

  relate_values (extents, expr, expr->inputs, expr->n_inputs, &fusion->inputs);
  relate_values (extents, expr, expr->outputs, expr->n_outputs, &fusion->outputs);
  for (guint i = 0; i < exprs->len; i++)
    relate_op (extents, g_ptr_array_index (exprs, i));
}

/* As if every rank received as many tokens as it sends. */
static void
relate_moe (HirExtents *extents, const HirExpr *expr)
{
  const HirTensor *tokens = HIR_TENSOR (expr->inputs[0]);

  relate_transfer (extents, expr, tokens, HIR_TENSOR (expr->outputs[0]));
  for (guint i = 1; i < expr->n_inputs; i++)
    relate_rows (extents, expr, tokens, HIR_TENSOR (expr->inputs[i]));
  for (guint i = 1; i < expr->n_outputs; i++)
    {
      relate_rows (extents, expr, tokens, HIR_TENSOR (expr->outputs[i]));
      relate_transfer (extents, expr, HIR_TENSOR (expr->inputs[1]), HIR_TENSOR (expr->outputs[i]));
    }
}

static void relate_scope (Walk *walk, HirScope *scope);

static void
relate_nested (Walk *walk, HirExpr *expr)
{
  HirScope *scope;

  if (expr->kind == HIR_EXPR_FOR)
    g_ptr_array_add (walk->loops, expr);
  for (guint i = 0; (scope = hir_expr_get_scope (expr, i)) != NULL; i++)
    relate_scope (walk, scope);
  if (expr->kind == HIR_EXPR_FOR)
    g_ptr_array_set_size (walk->loops, (int) walk->loops->len - 1);
}

/* The recursion is bounded by the nesting limit of the reader. */
static void
relate_scope (Walk *walk, HirScope *scope)
{
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];

      switch (expr->kind)
        {
        case HIR_EXPR_ALIAS_SELECT:
          relate_alias_select (walk, expr);
          break;
        case HIR_EXPR_SHARD_BY_STREAM:
          relate_transfer (walk->extents, expr, HIR_TENSOR (expr->inputs[0]), expr->u.shard.out);
          break;
        case HIR_EXPR_COMMUNICATION:
        case HIR_EXPR_COLLECTIVE_PERMUTE:
          relate_transfer (walk->extents, expr, HIR_TENSOR (expr->inputs[0]),
                           HIR_TENSOR (expr->outputs[0]));
          break;
        case HIR_EXPR_DISPATCH:
        case HIR_EXPR_COMBINE:
          relate_moe (walk->extents, expr);
          break;
        case HIR_EXPR_LAUNCH_KERNEL:
          if (expr->u.post.unit != NULL)
            relate_unit (walk->extents, expr);
          break;
        case HIR_EXPR_POST_ON_STREAM:
          relate_unit (walk->extents, expr);
          break;
        case HIR_EXPR_FOR:
        case HIR_EXPR_IF:
          relate_nested (walk, expr);
          break;
        default:
          relate_op (walk->extents, expr);
          break;
        }
    }
}

static void
relate_host (HirExtents *extents, HirContainer *program)
{
  g_autoptr (GPtrArray) loops = g_ptr_array_new ();
  Walk walk = { extents, loops };

  relate_scope (&walk, &program->top);
}

typedef struct
{
  GPtrArray *symbols;
  GHashTable *seen; /* const HirScalar* */
} Symbols;

static void
add_symbol (Symbols *symbols, const HirScalar *scalar)
{
  if (scalar == NULL || !g_hash_table_add (symbols->seen, (gpointer) scalar))
    return;
  if (scalar->kind == HIR_SCALAR_OP)
    {
      add_symbol (symbols, scalar->a);
      add_symbol (symbols, scalar->b);
    }
  if (scalar->kind == HIR_SCALAR_SYMBOL)
    g_ptr_array_add (symbols->symbols, (gpointer) scalar);
}

static void
add_container (Symbols *symbols, const HirContainer *container)
{
  for (guint i = 0; i < container->inputs.len; i++)
    if (HIR_IS_SCALAR (container->inputs.items[i]))
      g_hash_table_add (symbols->seen, container->inputs.items[i]);
  for (guint i = 0; i < container->tensors.len; i++)
    {
      const HirTensor *tensor = container->tensors.items[i];
      const HirDomain *domains[] = { &tensor->root, &tensor->logical, &tensor->loop };

      for (guint d = 0; d < G_N_ELEMENTS (domains); d++)
        for (guint k = 0; k < domains[d]->n; k++)
          {
            add_symbol (symbols, domains[d]->ids[k]->extent);
            add_symbol (symbols, domains[d]->ids[k]->expanded_extent);
          }
    }
}

static gboolean
add_loop (HirExpr *expr, guint depth, gpointer user_data)
{
  Symbols *symbols = user_data;

  if (expr->kind == HIR_EXPR_FOR)
    add_symbol (symbols, expr->u.loop.stop);
  return TRUE;
}

static gboolean
leave_index_out (HirExpr *expr, guint depth, gpointer user_data)
{
  Symbols *symbols = user_data;

  if (expr->kind == HIR_EXPR_FOR)
    g_hash_table_add (symbols->seen, expr->u.loop.index);
  return TRUE;
}

GPtrArray *
hir_extents_dup_symbols (HirContainer *program)
{
  Symbols symbols = { g_ptr_array_new (), g_hash_table_new (NULL, NULL) };

  hir_container_foreach_expr (program, leave_index_out, &symbols);
  add_container (&symbols, program);
  for (guint i = 0; i < program->units.len; i++)
    add_container (&symbols, ((HirHostUnit *) program->units.items[i])->fusion);
  hir_container_foreach_expr (program, add_loop, &symbols);
  g_hash_table_unref (symbols.seen);
  return symbols.symbols;
}

HirExtents *
hir_extents_new (HirContainer *fusion)
{
  HirExtents *extents = g_new0 (HirExtents, 1);
  g_autoptr (GPtrArray) exprs = NULL;

  extents->index = g_hash_table_new (NULL, NULL);
  extents->classes = g_array_new (FALSE, TRUE, sizeof (Class));
  g_array_set_clear_func (extents->classes, class_clear);
  if (fusion->kind == HIR_CONTAINER_HOST)
    relate_host (extents, fusion);
  else
    exprs = hir_fusion_dup_exprs (fusion);
  for (guint i = 0; exprs != NULL && i < exprs->len; i++)
    relate_op (extents, g_ptr_array_index (exprs, i));
  for (guint i = 0; i < fusion->tensors.len; i++)
    relate_tensor (extents, fusion->tensors.items[i]);
  return extents;
}

void
hir_extents_free (HirExtents *extents)
{
  g_hash_table_unref (extents->index);
  g_array_unref (extents->classes);
  g_clear_error (&extents->conflict);
  g_free (extents);
}

gboolean
hir_extents_check (const HirExtents *extents, GError **error)
{
  if (extents->conflict != NULL && error != NULL)
    *error = g_error_copy (extents->conflict);
  return extents->conflict == NULL;
}

gboolean
hir_extents_assign (HirExtents *extents,
                    const HirTensor *tensor,
                    const HirIterDomain *id,
                    guint axis,
                    gint64 size,
                    const char *who,
                    GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  Class *class;

  if (!has_own_size (id))
    {
      if (size == 1)
        return TRUE;
      hir_set_error (error, HIR_ERROR_INPUT, &tensor->base.node.pos,
                     "axis %u of %s (%s) is %" G_GINT64_FORMAT
                     ", but is a broadcast axis of size 1",
                     axis, label, who, size);
      return FALSE;
    }
  class = get (extents, class_of (extents, hir_env_get_extent (id)));
  if (class->value >= 0 && class->value != size)
    {
      hir_set_error (error, HIR_ERROR_INPUT, &tensor->base.node.pos,
                     "axis %u of %s (%s) is %" G_GINT64_FORMAT
                     ", but must be equal to %s, which is %" G_GINT64_FORMAT,
                     axis, label, who, size, class->who, class->value);
      return FALSE;
    }
  if (class->value < 0)
    {
      class->value = size;
      class->who = g_strdup_printf ("axis %u of %s (%s)", axis, label, who);
    }
  return TRUE;
}

gboolean
hir_extents_is_known (HirExtents *extents, const HirScalar *extent)
{
  return get (extents, class_of (extents, extent))->value >= 0;
}

gint64
hir_extents_get (HirExtents *extents, const HirScalar *extent, gboolean is_outer, gboolean *chosen)
{
  Class *class = get (extents, class_of (extents, extent));

  if (class->value < 0)
    {
      gint64 usual = is_outer ? OUTER_SIZE : INNER_SIZE;
      gint64 size = MAX (class->preferred > 0 ? class->preferred : usual, class->at_least);
      class->value = (size + class->multiple - 1) / class->multiple * class->multiple;
      class->chosen = TRUE;
      class->who = g_strdup ("a chosen size");
    }
  if (class->chosen)
    *chosen = TRUE;
  return class->value;
}
