#include "hostir/shard-loop-like.h"

#include <string.h>

#include "label.h"
#include "logical-map.h"
#include "print/print.h"
#include "schedule/replay.h"
#include "transforms.h"

typedef struct
{
  const HirExpr *expr;
  const HirTensor *ref;
  HirTensor *target;
  gboolean is_forward;
  const HirDomain *ref_base; /* the domain of @ref that the transforms are followed to */
  GHashTable *map;           /* axis of @ref -> axis of @target */
  GPtrArray *chosen;         /* HirIterDomain*: loop axes of @ref that are propagated */
  GPtrArray *loop;           /* HirIterDomain*: future loop domain of @target */
} Propagation;

static gboolean
is_operand (const HirExpr *expr, const HirTensor *tensor)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (expr->inputs[i] == HIR_VAL (tensor))
        return TRUE;
    }
  return FALSE;
}

static void G_GNUC_PRINTF (4, 5)
    refuse (const Propagation *p, const HirIterDomain *id, GError **error, const char *format, ...)
{
  g_autofree char *from = hir_tensor_dup_label (p->ref);
  g_autofree char *to = hir_tensor_dup_label (p->target);
  g_autofree char *axis = hir_iter_domain_to_string (id);
  g_autofree char *why = NULL;
  HirPos pos = hir_axis_get_pos (p->ref, id);
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "the sharding of axis %s of %s cannot be propagated to %s: %s; call "
                 "set_device_mesh and parallelize on %s as well",
                 axis, from, to, why, to);
}

/* A broadcast axis does not correspond to the axis it is expanded to. */
static void
relate_axes (Propagation *p)
{
  g_autofree HirIterDomain **producer = NULL;
  g_autofree HirIterDomain **consumer = NULL;
  guint n;

  consumer = p->is_forward ? hir_expr_dup_logical_map (p->expr, p->ref, p->target, &producer, &n)
                           : hir_expr_dup_logical_map (p->expr, p->target, p->ref, &producer, &n);
  for (guint i = 0; i < n; i++)
    {
      if (consumer[i] == NULL ||
          hir_iter_domain_is_broadcast (consumer[i]) != hir_iter_domain_is_broadcast (producer[i]))
        continue;
      if (p->is_forward)
        g_hash_table_insert (p->map, producer[i], consumer[i]);
      else
        g_hash_table_insert (p->map, consumer[i], producer[i]);
    }
}

/* Returns the axes of @base that @id derives from. */
static GPtrArray *
dup_sources (const HirDomain *base, HirIterDomain *id)
{
  GPtrArray *sources = g_ptr_array_new ();
  g_autoptr (GPtrArray) open = g_ptr_array_new ();

  g_ptr_array_add (open, id);
  while (open->len > 0)
    {
      HirIterDomain *top = g_ptr_array_steal_index (open, open->len - 1);

      if (hir_domain_find (base, top) >= 0)
        {
          if (!g_ptr_array_find (sources, top, NULL))
            g_ptr_array_add (sources, top);
          continue;
        }
      for (guint i = 0; top->definition != NULL && i < 2; i++)
        {
          if (top->definition->in[i] != NULL)
            g_ptr_array_add (open, top->definition->in[i]);
        }
    }
  return sources;
}

/* Follows axis @id of @tensor's root domain through a reshape to the outermost logical axis that
 * starts where it does. Returns NULL and sets @error if it is not the outer part of a merge. */
static HirIterDomain *
follow_root (const Propagation *p, HirIterDomain *id, const HirIterDomain *ref_id, GError **error)
{
  g_autoptr (GPtrArray) transforms = NULL;

  if (!p->target->has_root || hir_domain_find (&p->target->logical, id) >= 0)
    return id;
  transforms = hir_domain_dup_transforms (&p->target->root, &p->target->logical);
  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];

      if (transform->in[0] == id)
        id = transform->out[0];
      else if (transform->in[1] == id)
        {
          refuse (p, ref_id, error, "a reshape merges it behind another axis");
          return NULL;
        }
    }
  return id;
}

static gboolean
is_on_other_mesh (const Propagation *p, const HirIterDomain *id)
{
  gint64 size;

  if (!hir_iter_domain_is_device (id) || p->target->mesh == NULL)
    return FALSE;
  size = hir_mesh_get_axis_size (p->target->mesh, id->parallel_type);
  return size == 0 || p->ref->mesh == NULL ||
         size != hir_mesh_get_axis_size (p->ref->mesh, id->parallel_type);
}

static gboolean
choose (Propagation *p, HirIterDomain *id, GError **error)
{
  g_autoptr (GPtrArray) sources = NULL;
  HirIterDomain *to;

  if (is_on_other_mesh (p, id))
    return TRUE;
  sources = dup_sources (p->ref_base, id);
  if (sources->len != 1)
    {
      refuse (p, id, error, "it derives from %u axes instead of one", sources->len);
      return FALSE;
    }
  to = g_hash_table_lookup (p->map, sources->pdata[0]);
  if (to == NULL)
    return TRUE;
  to = follow_root (p, to, id, error);
  if (to == NULL)
    return FALSE;
  if (!hir_iter_domain_is_parallelized (to) && hir_domain_find (&p->target->loop, to) >= 0)
    g_ptr_array_add (p->chosen, id);
  return TRUE;
}

/* Returns the axis of the target that @ref_id, an input of a transform, corresponds to. */
static HirIterDomain *
find_image (Propagation *p, HirIterDomain *ref_id, GError **error)
{
  HirIterDomain *to = g_hash_table_lookup (p->map, ref_id);

  if (to == NULL)
    {
      g_autoptr (GPtrArray) sources = dup_sources (hir_tensor_get_maybe_root (p->ref), ref_id);

      to = sources->len == 1 ? g_hash_table_lookup (p->map, sources->pdata[0]) : NULL;
    }
  if (to != NULL && hir_domain_find (&p->target->loop, to) < 0 &&
      !g_ptr_array_find (p->loop, to, NULL))
    to = follow_root (p, to, ref_id, error);
  if (to != NULL && g_ptr_array_find (p->loop, to, NULL))
    return to;
  if (error == NULL || *error == NULL)
    refuse (p, ref_id, error, "the op relates it to no axis that can be transformed alike");
  return NULL;
}

static gboolean
derives_in_root (const HirTensor *tensor, const HirIterDomain *id)
{
  g_autoptr (GPtrArray) transforms = NULL;

  if (!tensor->has_root)
    return FALSE;
  transforms = hir_domain_dup_transforms (&tensor->root, &tensor->logical);
  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];

      if (transform->out[0] == id || transform->out[1] == id)
        return TRUE;
    }
  return FALSE;
}

static gboolean
divides (const HirScalar *factor, const HirScalar *extent)
{
  return hir_scalar_is_const_int (factor, 1) ||
         (hir_scalar_is_const (factor) && hir_scalar_is_const (extent) && factor->i > 0 &&
          extent->i % factor->i == 0);
}

/* Across a reshape, a part of an axis is the same part of another one only if it is outermost and
 * the sizes are known to be divisible. */
static gboolean
check_reshape (const Propagation *p,
               const HirTransform *split,
               const HirIterDomain *to,
               GError **error)
{
  gboolean crosses =
      p->is_forward ? derives_in_root (p->target, to) : derives_in_root (p->ref, split->in[0]);

  if (!crosses)
    return TRUE;
  if (split->inner_split)
    refuse (p, split->out[0], error, "behind a reshape, only an outer split can be propagated");
  else if (!hir_iter_domain_is_device (split->out[0]) && !hir_iter_domain_is_stream (split->out[0]))
    refuse (p, split->out[0], error,
            "behind a reshape, the outer part of a split must be over devices or streams");
  else if (!divides (split->factor, split->in[0]->extent) || !divides (split->factor, to->extent))
    refuse (p, split->out[0], error,
            "behind a reshape, the sizes must be constant and divisible by the split factor");
  else
    return TRUE;
  return FALSE;
}

static gboolean
replay (Propagation *p, const HirTransform *transform, GError **error)
{
  HirIterDomain *to, *in[2] = { NULL, NULL }, *out[2] = { NULL, NULL };
  guint at;

  if (transform->kind != HIR_TRANSFORM_SPLIT && transform->kind != HIR_TRANSFORM_SWIZZLE)
    {
      g_autofree char *text = hir_transform_to_string (transform);

      refuse (p, transform->out[0], error, "only splits and swizzle1d can be repeated, not %s",
              text);
      return FALSE;
    }
  to = find_image (p, transform->in[0], error);
  if (to == NULL ||
      (transform->kind == HIR_TRANSFORM_SPLIT && !check_reshape (p, transform, to, error)))
    return FALSE;
  in[0] = to;
  if (!hir_replay_transform (transform, in, out, error))
    return FALSE;
  g_ptr_array_find (p->loop, to, &at);
  p->loop->pdata[at] = out[0];
  if (out[1] != NULL)
    g_ptr_array_insert (p->loop, (int) at + 1, out[1]);
  for (guint k = 0; k < 2 && out[k] != NULL; k++)
    g_hash_table_insert (p->map, transform->out[k], out[k]);
  return TRUE;
}

/* Later errors refer to the script line that requested the sharding. */
static void
parallelize (Propagation *p, const HirIterDomain *ref_id, GError **error)
{
  HirIterDomain *id = g_hash_table_lookup (p->map, ref_id);

  if (id == NULL)
    id = find_image (p, (HirIterDomain *) ref_id, error);
  if (id == NULL)
    return;
  id->parallel_type = ref_id->parallel_type;
  if (ref_id->base.node.pos.line > 0)
    id->base.node.pos = ref_id->base.node.pos;
}

static gboolean
transform_target (Propagation *p, GError **error)
{
  HirDomain chosen = { (HirIterDomain **) p->chosen->pdata, p->chosen->len };
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (p->ref_base, &chosen);
  GError *failure = NULL;

  for (guint i = 0; i < transforms->len; i++)
    {
      if (!replay (p, transforms->pdata[i], error))
        return FALSE;
    }
  for (guint i = 0; i < p->chosen->len && failure == NULL; i++)
    parallelize (p, p->chosen->pdata[i], &failure);
  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  hir_tensor_set_loop (p->target, (HirIterDomain *const *) p->loop->pdata, p->loop->len);
  return TRUE;
}

gboolean
hir_shard_loop_like (const HirExpr *expr,
                     const HirTensor *ref,
                     HirTensor *target,
                     HirParallelSet types,
                     GError **error)
{
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) chosen = g_ptr_array_new ();
  g_autoptr (GPtrArray) loop = g_ptr_array_new ();
  Propagation p = { .expr = expr, .ref = ref, .target = target, .map = map };

  p.is_forward = is_operand (expr, ref);
  p.ref_base = p.is_forward ? &ref->logical : hir_tensor_get_maybe_root (ref);
  p.chosen = chosen;
  p.loop = loop;
  relate_axes (&p);
  for (guint i = 0; i < ref->loop.n; i++)
    {
      if ((types & HIR_PARALLEL_BIT (ref->loop.ids[i]->parallel_type)) != 0 &&
          !choose (&p, ref->loop.ids[i], error))
        return FALSE;
    }
  if (target->mesh == NULL)
    target->mesh = ref->mesh;
  if (chosen->len == 0)
    return TRUE;
  for (guint i = 0; i < target->loop.n; i++)
    g_ptr_array_add (loop, target->loop.ids[i]);
  return transform_target (&p, error);
}

void
hir_canonicalize_loop (HirTensor *tensor)
{
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (&tensor->logical, &tensor->loop);
  g_autoptr (GPtrArray) loop = g_ptr_array_new ();

  for (guint i = 0; i < tensor->loop.n; i++)
    g_ptr_array_add (loop, tensor->loop.ids[i]);
  for (guint i = transforms->len; i > 0; i--)
    {
      const HirTransform *transform = transforms->pdata[i - 1];
      gboolean undo =
          transform->kind == HIR_TRANSFORM_SPLIT || transform->kind == HIR_TRANSFORM_SWIZZLE;
      guint at = 0;

      for (guint k = 0; k < 2 && transform->out[k] != NULL; k++)
        undo = undo && !hir_iter_domain_is_parallelized (transform->out[k]) &&
               g_ptr_array_find (loop, transform->out[k], &at);
      if (!undo)
        continue;
      /* The last part's place is where nvFuser puts the whole axis. */
      loop->pdata[at] = transform->in[0];
      if (transform->out[1] != NULL)
        g_ptr_array_remove (loop, transform->out[0]);
    }
  if (loop->len != tensor->loop.n ||
      memcmp (loop->pdata, tensor->loop.ids, sizeof (gpointer) * loop->len) != 0)
    hir_tensor_set_loop (tensor, (HirIterDomain *const *) loop->pdata, loop->len);
}

void
hir_unshard_types (HirTensor *tensor, HirParallelSet types)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if ((types & HIR_PARALLEL_BIT (tensor->loop.ids[i]->parallel_type)) != 0)
        tensor->loop.ids[i]->parallel_type = HIR_PARALLEL_SERIAL;
    }
  hir_canonicalize_loop (tensor);
}

HirParallelSet
hir_get_loop_types (const HirTensor *tensor, gboolean with_reductions)
{
  HirParallelSet types = 0;

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (with_reductions || !hir_iter_domain_is_reduction (tensor->loop.ids[i]))
        types |= HIR_PARALLEL_BIT (tensor->loop.ids[i]->parallel_type);
    }
  return types & HIR_PARALLEL_DEVICES_AND_STREAM;
}

HirIterDomain *
hir_domain_lookup_type (const HirDomain *domain, HirParallelType type)
{
  for (guint i = 0; i < domain->n; i++)
    {
      if (domain->ids[i]->parallel_type == type && !hir_iter_domain_is_reduction (domain->ids[i]))
        return domain->ids[i];
    }
  return NULL;
}

static guint
count_parallel (const HirTensor *tensor)
{
  guint n = 0;

  for (guint i = 0; i < tensor->loop.n; i++)
    n += hir_iter_domain_is_parallelized (tensor->loop.ids[i]);
  return n;
}

HirTensor *
hir_expr_get_most_parallel_output (const HirExpr *expr)
{
  HirTensor *found = NULL;

  for (guint i = 0; i < expr->n_outputs; i++)
    {
      HirTensor *out = HIR_TENSOR (expr->outputs[i]);

      if (HIR_IS_TENSOR (out) && (found == NULL || count_parallel (out) > count_parallel (found)))
        found = out;
    }
  return found;
}
