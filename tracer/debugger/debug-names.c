/* Resolves names in expressions, and gathers sharded tensors. */
#include <math.h>
#include <string.h>

#include "debugger/debug-look.h"
#include "debugger/debug-run-private.h"
#include "run/cpu/cpu-ops.h"

static HirContainer *
get_program (const HirDebugView *view)
{
  return view->programs[MIN (view->i, view->n_programs - 1)];
}

/* Returns the scalar with the printed name @name, or NULL. */
static const HirScalar *
find_scalar (HirContainer *program, const char *name)
{
  guint64 number;

  for (guint i = 0; i < program->named.len; i++)
    {
      const HirScalar *scalar = program->named.items[i];

      if (g_str_equal (scalar->named, name))
        return scalar;
    }
  if (name[0] != 'i' || !g_ascii_string_to_unsigned (name + 1, 10, 0, G_MAXINT, &number, NULL))
    return NULL;
  for (guint i = 0; i < program->tensors.len; i++)
    {
      const HirTensor *tensor = program->tensors.items[i];

      for (guint k = 0; k < tensor->logical.n; k++)
        {
          const HirScalar *extent = tensor->logical.ids[k]->extent;

          if (extent->kind == HIR_SCALAR_SYMBOL && extent->base.name == (int) number)
            return extent;
        }
    }
  for (guint i = 0; i < program->inputs.len; i++)
    {
      HirVal *val = program->inputs.items[i];

      if (HIR_IS_SCALAR (val) && val->name == (int) number)
        return HIR_SCALAR (val);
    }
  return NULL;
}

static gboolean
set_no_run (GError **error)
{
  hir_set_error (error, HIR_ERROR_RUN, NULL, "the program is not running; type run or start");
  return FALSE;
}

static void
set_number (HirDebugNumber *number, gint64 i)
{
  *number = (HirDebugNumber){ TRUE, i, (double) i };
}

/* Gets one of the names that describe the position. Returns FALSE for any other name. */
static gboolean
get_own_name (const HirDebugView *view, const char *name, HirDebugNumber *number, gboolean *known)
{
  HirProgramPoint point = { .iteration = -1 };

  *known = view->run != NULL;
  if (g_str_equal (name, "rank"))
    set_number (number, view->run != NULL ? hir_debug_run_get_rank (view->run, view->i) : 0);
  else if (g_str_equal (name, "iteration") || g_str_equal (name, "depth"))
    {
      if (view->run != NULL)
        (void) hir_debug_run_peek (view->run, view->i, &point);
      set_number (number, name[0] == 'i' ? point.iteration : (gint64) point.depth);
    }
  else
    return FALSE;
  return TRUE;
}

static gboolean
get_scalar (const char *name, HirDebugNumber *number, gpointer user_data, GError **error)
{
  const HirDebugView *view = user_data;
  const HirScalar *scalar;
  g_autoptr (HirValue) value = NULL;
  g_autoptr (GError) unknown = NULL;
  gboolean known;

  if (get_own_name (view, name, number, &known))
    return known || set_no_run (error);
  scalar = find_scalar (get_program (view), name);
  if (scalar == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "there is no scalar %s in this program; tensors are named like T5, and "
                     "rank, iteration and depth describe the position",
                     name);
      return FALSE;
    }
  if (view->run == NULL)
    return set_no_run (error);
  value =
      hir_evaluator_evaluate (hir_debug_run_get_evaluator (view->run, view->i), scalar, &unknown);
  if (value == NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "%s has no value at this position", name);
      return FALSE;
    }
  if (hir_dtype_is_floating_point (value->dtype))
    *number = (HirDebugNumber){ FALSE, 0, value->d };
  else
    set_number (number, value->i);
  return TRUE;
}

static gboolean
is_inside_unit (HirContainer *program, int name, int *unit)
{
  for (guint i = 0; i < program->units.len; i++)
    {
      const HirHostUnit *host_unit = program->units.items[i];

      for (guint k = 0; k < host_unit->fusion->tensors.len; k++)
        if (((const HirTensor *) host_unit->fusion->tensors.items[k])->base.name == name)
          {
            *unit = host_unit->index;
            return TRUE;
          }
    }
  return FALSE;
}

HirTensor *
hir_debug_view_find_tensor (const HirDebugView *view, int name, GError **error)
{
  HirContainer *program = get_program (view);
  int unit;

  for (guint i = 0; i < program->tensors.len; i++)
    {
      HirTensor *tensor = program->tensors.items[i];

      if (tensor->base.name == name)
        return tensor;
    }
  if (is_inside_unit (program, name, &unit))
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "T%d is internal to HostUnit%d and has no memory",
                   name, unit);
  else
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is no T%d in this program; see list", name);
  return NULL;
}

/* Returns @value if it is in host memory, otherwise a copy. */
static HirValue *
dup_on_host (HirBackend *backend, HirValue *value, GError **error)
{
  g_autoptr (HirBuffer) buffer = NULL;

  if (value->is_scalar || value->buffer->place == HIR_PLACE_HOST)
    return hir_value_ref (value);
  buffer = hir_buffer_new (hir_value_get_size_bytes (value), error);
  if (buffer == NULL || !backend->klass->read (backend, value, buffer->data, error))
    return NULL;
  return hir_value_new_tensor (value->dtype, value->n_dims, value->sizes, NULL, buffer);
}

HirValue *
hir_debug_view_dup_value (const HirDebugView *view, int name, GError **error)
{
  HirTensor *tensor = hir_debug_view_find_tensor (view, name, error);
  HirValue *value;

  if (tensor == NULL)
    return NULL;
  if (view->run == NULL)
    {
      set_no_run (error);
      return NULL;
    }
  value = hir_evaluator_lookup (hir_debug_run_get_evaluator (view->run, view->i), HIR_VAL (tensor));
  if (value != NULL)
    return dup_on_host (hir_debug_run_get_backend (view->run, view->i), value, error);
  hir_set_error (error, HIR_ERROR_RUN, NULL,
                 "T%d has no value on rank %d: it is not computed yet or was deallocated", name,
                 hir_debug_run_get_rank (view->run, view->i));
  return NULL;
}

static HirValueSummary *
get_tensor (int name, const HirValueQuery *query, gpointer user_data, GError **error)
{
  g_autoptr (HirValue) value = hir_debug_view_dup_value (user_data, name, error);
  g_autoptr (HirValue) missing = NULL;
  g_autoptr (HirValueSummary) summary = NULL;

  if (value == NULL)
    return NULL;
  missing = hir_debug_view_dup_missing (user_data, name, NULL);
  summary = hir_value_summary_new_without (value, missing, query, NULL, error);
  if (summary == NULL || summary->note == NULL || !isnan (summary->min) ||
      summary->n_nan + summary->n_inf > 0)
    return g_steal_pointer (&summary);
  hir_set_error (error, HIR_ERROR_RUN, NULL, "T%d was never written here, so it has no numbers",
                 name);
  return NULL;
}

void
hir_debug_view_init_names (const HirDebugView *view, HirDebugNames *names)
{
  *names = (HirDebugNames){ get_scalar, get_tensor, (gpointer) view };
}

static gboolean
holds_part (const HirDebugView *view, guint i, const HirTensor *tensor)
{
  return tensor->mesh == NULL || hir_mesh_has (tensor->mesh, hir_debug_run_get_rank (view->run, i));
}

/* Gets the shard of rank @i for each axis, and enlarges @sizes to include it. */
static gboolean
measure_part (const HirDebugView *view,
              guint i,
              const HirTensor *tensor,
              guint n_dims,
              HirShardAxis *shard,
              gint64 *sizes,
              GError **error)
{
  HirEvaluator *evaluator = hir_debug_run_get_evaluator (view->run, i);

  if (!hir_env_get_shard (hir_evaluator_get_env (evaluator), tensor, shard, error))
    return FALSE;
  for (guint axis = 0; axis < n_dims; axis++)
    if (shard[axis].size > 0)
      sizes[axis] = MAX (sizes[axis], hir_shard_axis_at (&shard[axis], shard[axis].size - 1) + 1);
  return TRUE;
}

static gboolean
put_block (HirValue *whole, HirValue *part)
{
  return hir_cpu_copy (whole, part);
}

/* Copies @part, the shard of rank @i, into @whole. */
static gboolean
put_part (const HirDebugView *view,
          guint i,
          int name,
          const HirTensor *tensor,
          const HirValue *part,
          HirValue *whole,
          GError **error)
{
  gboolean fits = TRUE;
  HirShardAxis shard[HIR_MAX_DIMS];
  gint64 sizes[HIR_MAX_DIMS] = { 0 };

  if (!measure_part (view, i, tensor, whole->n_dims, shard, sizes, error))
    return FALSE;
  for (guint axis = 0; axis < whole->n_dims; axis++)
    fits = fits && part->sizes[axis] == shard[axis].size;
  if (fits && hir_shard_foreach_block (whole, (HirValue *) part, shard, put_block))
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, NULL,
                 "the shard of T%d on rank %d has another shape; print it per device: print/a T%d",
                 name, hir_debug_run_get_rank (view->run, i), name);
  return FALSE;
}

/* Returns the value of rank @i, or its elements that were never written. */
static HirValue *
dup_part (const HirDebugView *view, guint i, int name, gboolean missing, GError **error)
{
  HirDebugView other = *view;

  other.i = i;
  return missing ? hir_debug_view_dup_missing (&other, name, error)
                 : hir_debug_view_dup_value (&other, name, error);
}

/* Returns a tensor with the parts of all ranks, in new memory. */
static HirValue *
gather (const HirDebugView *view,
        const HirTensor *tensor,
        const HirValue *own,
        gboolean missing,
        GError **error)
{
  int name = tensor->base.name;
  HirDType dtype = missing ? HIR_DTYPE_BOOL : own->dtype;
  g_autoptr (HirValue) whole = NULL;
  g_autoptr (HirBuffer) buffer = NULL;
  gint64 sizes[HIR_MAX_DIMS] = { 0 };
  HirShardAxis shard[HIR_MAX_DIMS];
  gsize size_bytes;

  for (guint i = 0; i < hir_debug_run_get_n_ranks (view->run); i++)
    if (holds_part (view, i, tensor) &&
        !measure_part (view, i, tensor, own->n_dims, shard, sizes, error))
      return NULL;
  if (!hir_sizes_check (sizes, own->n_dims, dtype, &size_bytes, error))
    return NULL;
  buffer = hir_buffer_new (size_bytes, error);
  if (buffer == NULL)
    return NULL;
  if (missing)
    memset (buffer->data, 0, size_bytes);
  else
    hir_poison (dtype, buffer->data, size_bytes);
  whole = hir_value_new_tensor (dtype, own->n_dims, sizes, NULL, buffer);
  for (guint i = 0; i < hir_debug_run_get_n_ranks (view->run); i++)
    {
      g_autoptr (GError) why = NULL;
      g_autoptr (HirValue) part =
          holds_part (view, i, tensor) ? dup_part (view, i, name, missing, &why) : NULL;

      if (why != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&why));
          return NULL;
        }
      if (part != NULL && !put_part (view, i, name, tensor, part, whole, error))
        return NULL;
    }
  return g_steal_pointer (&whole);
}

HirValue *
hir_debug_view_dup_gathered (const HirDebugView *view, int name, GError **error)
{
  g_autoptr (HirValue) own = hir_debug_view_dup_value (view, name, error);
  HirTensor *tensor = hir_debug_view_find_tensor (view, name, NULL);

  if (own == NULL || !hir_shard_is_sharded (tensor))
    return g_steal_pointer (&own);
  return gather (view, tensor, own, FALSE, error);
}

HirValue *
hir_debug_view_dup_missing (const HirDebugView *view, int name, GError **error)
{
  HirTensor *tensor = hir_debug_view_find_tensor (view, name, NULL);
  HirEvaluator *evaluator =
      view->run != NULL ? hir_debug_run_get_evaluator (view->run, view->i) : NULL;
  const HirValue *value = evaluator != NULL && tensor != NULL
                              ? hir_evaluator_lookup (evaluator, HIR_VAL (tensor))
                              : NULL;

  return value != NULL ? hir_evaluator_dup_missing (evaluator, value, error) : NULL;
}

HirValue *
hir_debug_view_dup_missing_gathered (const HirDebugView *view, int name, GError **error)
{
  HirTensor *tensor = hir_debug_view_find_tensor (view, name, NULL);
  g_autoptr (HirValue) own = hir_debug_view_dup_value (view, name, NULL);

  if (own == NULL)
    return NULL;
  return hir_shard_is_sharded (tensor) ? gather (view, tensor, own, TRUE, error)
                                       : hir_debug_view_dup_missing (view, name, error);
}
