#include "stream/stream-private.h"

#include "schedule/replay.h"
#include "schedule/schedule.h"

/* Key of a slice: one axis of a tensor at one index (docs/host-ir.md#slices). */
typedef struct
{
  const HirTensor *tensor;
  int axis;
  const HirScalar *index;
} SliceKey;

static guint
slice_key_hash (gconstpointer data)
{
  const SliceKey *key = data;

  return g_direct_hash (key->tensor) ^ g_direct_hash (key->index) * 31 ^ (guint) key->axis;
}

static gboolean
slice_key_equal (gconstpointer a, gconstpointer b)
{
  const SliceKey *x = a, *y = b;

  return x->tensor == y->tensor && x->axis == y->axis && x->index == y->index;
}

GHashTable *
hir_stream_slices_new (void)
{
  return g_hash_table_new_full (slice_key_hash, slice_key_equal, g_free, NULL);
}

static HirIterDomain *
slice_axis_new (HirContainer *program, const HirIterDomain *id)
{
  HirIterDomain *axis = hir_iter_domain_dup (program, id, TRUE);

  /* Later errors refer to the line that scheduled the axis. */
  if (id->base.node.pos.line != 0)
    axis->base.node.pos = id->base.node.pos;
  return axis;
}

/* Returns the slice's counterpart of @id, an axis of the tensor's loop domain or on the way to it.
 * Returns NULL for the removed axis, and if @id was not created by splits alone. */
static HirIterDomain *
repeat_splits (GHashTable *counterparts, HirIterDomain *id, GError **error)
{
  HirIterDomain *found = g_hash_table_lookup (counterparts, id);
  const HirTransform *split = id->definition;
  HirIterDomain *in, *out[2];

  if (found != NULL || split == NULL || split->kind != HIR_TRANSFORM_SPLIT)
    return found;
  in = repeat_splits (counterparts, split->in[0], error);
  if (in == NULL || !hir_replay_transform (split, &in, out, error))
    return NULL;
  for (guint i = 0; i < 2; i++)
    {
      out[i]->parallel_type = split->out[i]->parallel_type;
      out[i]->base.node.pos = split->out[i]->base.node.pos;
      g_hash_table_insert (counterparts, split->out[i], out[i]);
    }
  return g_hash_table_lookup (counterparts, id);
}

static gboolean
is_split_over_devices (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    if (hir_iter_domain_is_device (tensor->loop.ids[i]) &&
        hir_domain_find (&tensor->logical, tensor->loop.ids[i]) < 0)
      return TRUE;
  return FALSE;
}

/* In nvFuser, a slice has the default loop domain, so a tensor that is split over devices would
 * appear whole. Here, the slice has the loop and allocation domain of the whole tensor without the
 * stream axis. */
static void
repeat_loop (HirTensor *slice, const HirTensor *tensor, int axis)
{
  g_autoptr (GHashTable) counterparts = g_hash_table_new (NULL, NULL);
  g_autofree HirIterDomain **loop = g_new (HirIterDomain *, tensor->loop.n);
  g_autoptr (GError) error = NULL;
  guint n = 0;

  for (guint i = 0; i < tensor->logical.n; i++)
    if ((int) i != axis)
      g_hash_table_insert (counterparts, tensor->logical.ids[i],
                           slice->logical.ids[i > (guint) axis ? i - 1 : i]);
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      HirIterDomain *id = repeat_splits (counterparts, tensor->loop.ids[i], &error);

      if (id != NULL)
        loop[n++] = id;
    }
  if (error != NULL || n + 1 != tensor->loop.n)
    return; /* other transforms are rejected elsewhere */
  hir_tensor_set_loop (slice, loop, n);
  hir_schedule_set_allocation_as_loop (slice);
}

/* Creates a slice with new copies of the logical axes except @axis; reductions stay
 * (docs/host-ir.md#slices). */
static HirTensor *
plain_slice_new (HirContainer *program, const HirTensor *tensor, int axis)
{
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, tensor->logical.n);
  guint n = 0;

  for (guint i = 0; i < tensor->logical.n; i++)
    {
      if ((int) i != axis)
        ids[n++] = slice_axis_new (program, tensor->logical.ids[i]);
    }
  return hir_tensor_new (program, tensor->base.dtype, ids, n);
}

/* Creates a slice of an rfactored result, whose reduction over devices belongs to another op: the
 * writer of the slice maps its operand to the root domain. Returns NULL if the root domain has
 * another form. */
static HirTensor *
rfactored_slice_new (HirContainer *program, const HirTensor *tensor, int axis)
{
  g_autoptr (GHashTable) counterparts = g_hash_table_new (NULL, NULL);
  g_autofree HirIterDomain **root = g_new (HirIterDomain *, tensor->root.n + 1);
  g_autofree HirIterDomain **logical = g_new (HirIterDomain *, tensor->logical.n + 1);
  guint n_root = 0, n = 0;

  for (guint i = 0; i < tensor->root.n; i++)
    {
      if (tensor->root.ids[i] == tensor->logical.ids[axis])
        continue;
      root[n_root] = slice_axis_new (program, tensor->root.ids[i]);
      g_hash_table_insert (counterparts, tensor->root.ids[i], root[n_root++]);
    }
  for (guint i = 0; i < tensor->logical.n; i++)
    {
      HirIterDomain *id = repeat_splits (counterparts, tensor->logical.ids[i], NULL);

      if (id == NULL)
        continue;
      id->is_rfactor = tensor->logical.ids[i]->is_rfactor;
      id->iter_type = tensor->logical.ids[i]->iter_type;
      logical[n++] = id;
    }
  if (n_root + 1 != tensor->root.n || n + 1 != tensor->logical.n)
    return NULL;
  return hir_tensor_new_with_root (program, tensor->base.dtype, root, n_root, logical, n);
}

static gboolean
is_rfactored (const HirTensor *tensor)
{
  for (guint i = 0; tensor->has_root && i < tensor->logical.n; i++)
    if (tensor->logical.ids[i]->is_rfactor && hir_iter_domain_is_reduction (tensor->logical.ids[i]))
      return TRUE;
  return FALSE;
}

static HirTensor *
sliced_tensor_new (HirContainer *program, const HirTensor *tensor, int axis)
{
  HirTensor *slice = is_rfactored (tensor) ? rfactored_slice_new (program, tensor, axis) : NULL;

  if (slice == NULL)
    slice = plain_slice_new (program, tensor, axis);
  slice->mesh = tensor->mesh;
  if (is_split_over_devices (tensor))
    repeat_loop (slice, tensor, axis);
  return slice;
}

static void
set_slice_maker (HirContainer *program, const HirTensor *tensor, const HirExpr *reader)
{
  hir_maker_set_origins (program, (const HirNode *[]){ &tensor->base.node, &reader->node }, 2);
  if (reader->node.pos.line != 0)
    hir_maker_set_pos (program, reader->node.pos);
}

HirTensor *
hir_stream_slice (HirContainer *program,
                  GHashTable *slices,
                  const HirTensor *tensor,
                  int axis,
                  const HirScalar *index,
                  const HirExpr *reader,
                  gboolean *is_new)
{
  SliceKey key = { tensor, axis, index };
  HirTensor *slice = g_hash_table_lookup (slices, &key);

  *is_new = slice == NULL;
  if (slice != NULL)
    return slice;
  set_slice_maker (program, tensor, reader);
  slice = sliced_tensor_new (program, tensor, axis);
  g_hash_table_insert (slices, g_memdup2 (&key, sizeof key), slice);
  return slice;
}

void
hir_stream_emit_select (HirContainer *program,
                        HirScope *scope,
                        HirTensor *tensor,
                        HirTensor *slice,
                        int axis,
                        HirScalar *index,
                        const HirExpr *reader)
{
  set_slice_maker (program, tensor, reader);
  hir_vec_push (program->arena, &scope->exprs,
                hir_expr_new_alias_select (program, tensor, slice, axis, index));
}
