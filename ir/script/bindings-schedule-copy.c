/* Schedule functions that create tensors or copy schedules: caches, rfactor, allocation domains,
 * transform_like and parallelize_like, as methods and in fd.sched (docs/host-ir.md#schedules). */
#include <string.h>

#include "schedule/schedule.h"
#include "schedule/sharding.h"
#include "script/bindings-private.h"

static HirPyValue
take_tensor (HirPy *py, HirTensor *tensor, GError **error)
{
  return tensor != NULL ? hir_py_tensor (tensor) : hir_py_take_error (py, *error);
}

/* Returns the member name of an optional argument of enumeration @type, such as "set" for
 * `LoadStoreOpType.set`, or NULL if it is not given. Raises TypeError for other values. */
static const char *
take_enum (HirPy *py, HirPyArgs *args, guint index, const char *name, const char *type)
{
  HirPyValue value = hir_py_none ();

  if (!hir_py_arg (py, args, index, name, &value) || value.type == HIR_PY_NONE)
    return NULL;
  if (value.type == HIR_PY_ENUM && g_str_has_prefix (value.enumeration->name, type) &&
      value.enumeration->name[strlen (type)] == '.')
    return value.enumeration->name + strlen (type) + 1;
  if (py->signal == HIR_PY_GO)
    hir_py_raise (py, "TypeError", "%s must be a %s, not %s", name, type, hir_py_type_name (value));
  return NULL;
}

/* The way a kernel performs the copy has no effect here. */
static void
note_op_type (HirPy *py, const char *call, const char *op_type)
{
  if (op_type != NULL && strcmp (op_type, "set") != 0)
    hir_py_note (py,
                 "%s: LoadStoreOpType.%s has no effect here, it is about a kernel: the copy is a "
                 "set",
                 call, op_type);
}

static HirPyValue
cache_after (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  const char *op_type = take_enum (py, args, first, "op_type", "LoadStoreOpType");
  const char *cache_op = take_enum (py, args, first + 1, "cache_op", "CacheOp");
  gboolean propagate = hir_py_arg_bool (py, args, first + 2, "propagate_allocation_domain", TRUE);
  HirPyValue uses = hir_py_none ();
  GError *error = NULL;

  if (hir_py_arg (py, args, first + 3, "cached_uses", &uses) && uses.type != HIR_PY_NONE &&
      !((uses.type == HIR_PY_LIST || uses.type == HIR_PY_TUPLE) && uses.list->n == 0))
    return hir_py_fail (py, HIR_ERROR_UNSUPPORTED,
                        "cache_after with cached_uses takes ops, which a script has no names for "
                        "here; "
                        "leave it out, then all ops read the copy");
  if (!hir_py_args_finish (py, args, first + 4))
    return hir_py_none ();
  note_op_type (py, "cache_after", op_type);
  return take_tensor (py,
                      hir_schedule_cache_after (tensor,
                                                cache_op != NULL &&
                                                    strcmp (cache_op, "streaming") == 0,
                                                propagate, &error),
                      &error);
}

static HirPyValue
cache_before (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  const char *op_type = take_enum (py, args, first, "op_type", "LoadStoreOpType");
  GError *error = NULL;

  if (!hir_py_args_finish (py, args, first + 1))
    return hir_py_none ();
  note_op_type (py, "cache_before", op_type);
  return take_tensor (py, hir_schedule_cache_before (tensor, &error), &error);
}

static HirPyValue
cache_fork (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  GError *error = NULL;

  if (!hir_py_args_finish (py, args, first))
    return hir_py_none ();
  return take_tensor (py, hir_schedule_cache_fork (tensor, &error), &error);
}

static HirPyValue
rfactor (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  HirPyValue value = hir_py_none ();
  g_autofree gint64 *axes = NULL;
  GError *error = NULL;
  guint n;

  if (!hir_py_arg (py, args, first, "axes", &value))
    value = hir_py_arg_required (py, args, first, "dims");
  if (!hir_py_args_finish (py, args, first + 1))
    return hir_py_none ();
  axes = hir_py_to_ints (py, value, "the axes of rfactor", &n);
  if (axes == NULL)
    return hir_py_none ();
  return take_tensor (py, hir_schedule_rfactor (tensor, axes, n, &error), &error);
}

/* Fills @contiguity from a bool for all axes, or from True, False or None per axis. Returns NULL
 * after a signal. */
static const gint8 *
to_contiguity (HirPy *py, HirPyValue value, HirIterDomain *const *ids, guint n, gint8 *contiguity)
{
  HirPyList *list;

  if (value.type == HIR_PY_BOOL)
    {
      for (guint i = 0; i < n; i++)
        contiguity[i] =
            hir_iter_domain_is_broadcast (ids[i]) || hir_iter_domain_is_reduction (ids[i])
                ? HIR_CONTIGUITY_NONE
                : value.i != 0;
      return contiguity;
    }
  list = hir_py_to_list (py, value, "the contiguity of set_allocation_domain");
  if (py->signal != HIR_PY_GO)
    return NULL;
  if (list->n != n)
    {
      hir_py_raise (py, "ValueError",
                    "set_allocation_domain: %u axes and %u values for their contiguity", n,
                    list->n);
      return NULL;
    }
  for (guint i = 0; i < n; i++)
    {
      if (list->items[i].type != HIR_PY_BOOL && list->items[i].type != HIR_PY_NONE)
        {
          hir_py_raise (py, "TypeError",
                        "set_allocation_domain: contiguity is True, False or None, not %s",
                        hir_py_type_name (list->items[i]));
          return NULL;
        }
      contiguity[i] =
          list->items[i].type == HIR_PY_NONE ? HIR_CONTIGUITY_NONE : list->items[i].i != 0;
    }
  return contiguity;
}

static HirPyValue
set_allocation_domain (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  HirPyValue value = hir_py_arg_required (py, args, first, "new_allocation_domain");
  HirPyValue contiguity_value = hir_py_bool (TRUE);
  HirIterDomain *ids[HIR_PY_MAX_AXES];
  gint8 contiguity[HIR_PY_MAX_AXES];
  HirPyList *list;
  GError *error = NULL;

  hir_py_arg (py, args, first + 1, "new_contiguity", &contiguity_value);
  if (!hir_py_args_finish (py, args, first + 2))
    return hir_py_none ();
  list = hir_py_to_list (py, value, "set_allocation_domain");
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (list->n > HIR_PY_MAX_AXES)
    return hir_py_raise (py, "ValueError", "set_allocation_domain: at most %d axes",
                         HIR_PY_MAX_AXES);
  for (guint i = 0; i < list->n; i++)
    {
      if (list->items[i].type != HIR_PY_AXIS || list->items[i].axis->tensor != tensor)
        return hir_py_raise (py, "TypeError",
                             "set_allocation_domain takes axes of the tensor itself (axis(), "
                             "get_loop_domain(), get_logical_domain()), not %s",
                             list->items[i].type == HIR_PY_AXIS
                                 ? "those of another one"
                                 : hir_py_type_name (list->items[i]));
      ids[i] = list->items[i].axis->id;
    }
  if (to_contiguity (py, contiguity_value, ids, list->n, contiguity) == NULL)
    return hir_py_none ();
  if (!hir_schedule_set_allocation (tensor, ids, contiguity, list->n, &error))
    return hir_py_take_error (py, error);
  return hir_py_none ();
}

/* Returns the tensors of the argument @name; NULL after a signal. */
static HirTensor **
take_tensors (HirPy *py, HirTensor *like, HirPyArgs *args, guint index, const char *name, guint *n)
{
  HirPyValue value = hir_py_none ();
  HirPyList *list;
  g_autofree HirTensor **tensors = NULL;

  *n = 0;
  if (!hir_py_arg (py, args, index, name, &value) || value.type == HIR_PY_NONE)
    return g_new0 (HirTensor *, 1);
  list = hir_py_to_list (py, value, name);
  if (py->signal != HIR_PY_GO)
    return NULL;
  tensors = g_new0 (HirTensor *, MAX (list->n, 1));
  for (guint i = 0; i < list->n; i++)
    {
      tensors[i] = hir_py_to_tensor (py, list->items[i], "a selected tensor");
      if (tensors[i] == NULL)
        return NULL;
      if (tensors[i]->base.container != like->base.container)
        {
          hir_py_raise (py, "ValueError", "%s: tensor %u belongs to another fusion", name, i);
          return NULL;
        }
    }
  *n = list->n;
  return g_steal_pointer (&tensors);
}

static HirPyValue
transform_like (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  guint n;
  g_autofree HirTensor **selected = take_tensors (py, tensor, args, first, "selected_tensors", &n);
  GError *error = NULL;

  if (selected == NULL || !hir_py_args_finish (py, args, first + 1))
    return hir_py_none ();
  if (!hir_schedule_transform_like (tensor, selected, n, &error))
    return hir_py_take_error (py, error);
  return hir_py_none ();
}

/* Converts a set, list or tuple of ParallelTypes to bits. Returns FALSE after a signal. */
static gboolean
take_types (HirPy *py, HirPyArgs *args, guint index, guint *types)
{
  HirPyValue value = hir_py_none ();
  HirPyList *list;

  *types = 0;
  if (!hir_py_arg (py, args, index, "selected_parallel_types", &value) || value.type == HIR_PY_NONE)
    return TRUE;
  list = hir_py_to_list (py, value, "selected_parallel_types");
  for (guint i = 0; py->signal == HIR_PY_GO && i < list->n; i++)
    {
      if (list->items[i].type != HIR_PY_ENUM ||
          list->items[i].enumeration->kind != HIR_PY_ENUM_PARALLEL)
        hir_py_raise (py, "TypeError", "selected_parallel_types takes ParallelTypes, not %s",
                      hir_py_type_name (list->items[i]));
      else
        *types |= HIR_PARALLEL_BIT (list->items[i].enumeration->value);
    }
  return py->signal == HIR_PY_GO;
}

static HirPyValue
parallelize_like (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  const gint64 all = -1;
  gint64 pos = hir_py_arg_int (py, args, first, "pos", &all);
  guint n, types;
  g_autofree HirTensor **selected =
      take_tensors (py, tensor, args, first + 1, "selected_tensors", &n);
  GError *error = NULL;

  if (selected == NULL || !take_types (py, args, first + 2, &types))
    return hir_py_none ();
  hir_py_arg_bool (py, args, first + 3, "propagate_padding", TRUE);
  if (!hir_py_args_finish (py, args, first + 4))
    return hir_py_none ();
  if (!hir_schedule_parallelize_like (tensor, pos, selected, n, types, &error))
    return hir_py_take_error (py, error);
  return hir_py_none ();
}

/* Returns the tensors on the paths of ops from one of @to to @tensor, without the ends. If @n is 0,
 * the paths start at the inputs of the fusion. */
static GPtrArray *
dup_between (const HirTensor *tensor, HirTensor *const *to, guint n)
{
  HirContainer *fusion = tensor->base.container;
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);
  g_autoptr (GHashTable) ends = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) after = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) before = g_hash_table_new (NULL, NULL);
  GPtrArray *between = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    g_hash_table_add (ends, to[i]);
  for (guint i = 0; n == 0 && i < fusion->inputs.len; i++)
    g_hash_table_add (ends, fusion->inputs.items[i]);
  for (guint i = 0; i < exprs->len; i++)
    {
      const HirExpr *expr = exprs->pdata[i];

      for (guint k = 0; k < expr->n_inputs; k++)
        if (g_hash_table_contains (ends, expr->inputs[k]) ||
            g_hash_table_contains (after, expr->inputs[k]))
          for (guint j = 0; j < expr->n_outputs; j++)
            g_hash_table_add (after, expr->outputs[j]);
    }
  g_hash_table_add (before, (gpointer) tensor);
  for (guint i = exprs->len; i-- > 0;)
    {
      const HirExpr *expr = exprs->pdata[i];
      gboolean leads = FALSE;

      for (guint j = 0; j < expr->n_outputs; j++)
        leads = leads || g_hash_table_contains (before, expr->outputs[j]);
      for (guint k = 0; leads && k < expr->n_inputs; k++)
        if (HIR_IS_TENSOR (expr->inputs[k]) && g_hash_table_contains (after, expr->inputs[k]) &&
            g_hash_table_add (before, expr->inputs[k]))
          g_ptr_array_add (between, expr->inputs[k]);
    }
  return between;
}

static HirPyValue
bounded_transform_backward (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first)
{
  gint64 pos = hir_py_arg_int (py, args, first, "pos", NULL);
  guint n;
  g_autofree HirTensor **to = take_tensors (py, tensor, args, first + 1, "to", &n);
  gboolean with_types = hir_py_arg_bool (py, args, first + 2, "propagate_parallel_type", FALSE);
  g_autoptr (GPtrArray) between = NULL;
  GError *error = NULL;

  if (to == NULL || !hir_py_args_finish (py, args, first + 3))
    return hir_py_none ();
  if (pos != -1 && pos != tensor->loop.n)
    return hir_py_fail (py, HIR_ERROR_UNSUPPORTED,
                        "bounded_transform_backward takes all axes, not those before axis "
                        "%" G_GINT64_FORMAT "; give -1",
                        pos);
  between = dup_between (tensor, to, n);
  if (between->len == 0)
    return hir_py_none ();
  if (!hir_schedule_transform_like (tensor, (HirTensor **) between->pdata, between->len, &error) ||
      (with_types && !hir_schedule_parallelize_like (tensor, -1, (HirTensor **) between->pdata,
                                                     between->len, 0, &error)))
    return hir_py_take_error (py, error);
  return hir_py_none ();
}

typedef struct
{
  const char *name;
  HirPyValue (*call) (HirPy *py, HirTensor *tensor, HirPyArgs *args, guint first);
} Call;

static const Call calls[] = {
  { "cache_after", cache_after },
  { "cache_before", cache_before },
  { "cache_fork", cache_fork },
  { "rfactor", rfactor },
  { "reduction_factor", rfactor },
  { "set_allocation_domain", set_allocation_domain },
  { "transform_like", transform_like },
  { "parallelize_like", parallelize_like },
  { "bounded_transform_backward", bounded_transform_backward },
};

gboolean
hir_py_is_schedule_copy (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    if (strcmp (calls[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

HirPyValue
hir_py_schedule_copy (HirPy *py, HirTensor *tensor, const char *name, HirPyArgs *args, guint first)
{
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    if (strcmp (calls[i].name, name) == 0)
      return calls[i].call (py, tensor, args, first);
  g_return_val_if_reached (hir_py_none ());
}
