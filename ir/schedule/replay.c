#include "schedule/replay.h"

#include <string.h>

#include "label.h"
#include "logical-map.h"
#include "print/print.h"
#include "transforms.h"

static gboolean
repeat (const HirTransform *transform,
        HirIterDomain *const *in,
        HirIterDomain **out,
        GError **error)
{
  switch (transform->kind)
    {
    case HIR_TRANSFORM_SPLIT:
      return hir_iter_domain_split (in[0], transform->factor, transform->inner_split, &out[0],
                                    &out[1], error);
    case HIR_TRANSFORM_MERGE:
      out[0] = hir_iter_domain_merge (in[0], in[1], error);
      return out[0] != NULL;
    case HIR_TRANSFORM_SWIZZLE:
      out[0] = hir_iter_domain_swizzle (in[0], transform->mesh_axis);
      return TRUE;
    case HIR_TRANSFORM_RESIZE:
    default:
      out[0] = hir_iter_domain_resize (in[0], transform->left, transform->right);
      return TRUE;
    }
}

gboolean
hir_replay_transform (const HirTransform *transform,
                      HirIterDomain *const *in,
                      HirIterDomain **out,
                      GError **error)
{
  if (!repeat (transform, in, out, error))
    return FALSE;
  /* Later errors refer to the script line of the first transform. */
  if (transform->node.pos.line > 0)
    out[0]->definition->node.pos = transform->node.pos;
  return TRUE;
}

/* Repeats the transforms between @base and @domain on the corresponding axes in @map. These are
 * Serial at this point, so that every transform is possible again. */
static void
copy_transforms (const HirDomain *base, const HirDomain *domain, GHashTable *map)
{
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (base, domain);

  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];
      HirIterDomain *in[2] = { NULL, NULL }, *out[2] = { NULL, NULL };
      g_autoptr (GError) error = NULL;

      in[0] = g_hash_table_lookup (map, transform->in[0]);
      in[1] = transform->in[1] != NULL ? g_hash_table_lookup (map, transform->in[1]) : NULL;
      if (in[0] == NULL || (transform->in[1] != NULL && in[1] == NULL) ||
          g_hash_table_contains (map, transform->out[0]))
        continue;
      if (!hir_replay_transform (transform, in, out, &error))
        g_error ("a transform cannot be repeated: %s", error->message);
      for (guint k = 0; k < 2 && out[k] != NULL; k++)
        g_hash_table_insert (map, transform->out[k], out[k]);
    }
}

/* Returns the axes corresponding to @domain's; *@n of them. Newly allocated. */
static HirIterDomain **
dup_images (const HirDomain *domain, GHashTable *map, guint *n)
{
  HirIterDomain **ids = g_new (HirIterDomain *, MAX (domain->n, 1));

  *n = 0;
  for (guint i = 0; i < domain->n; i++)
    {
      HirIterDomain *id = g_hash_table_lookup (map, domain->ids[i]);

      if (id != NULL)
        ids[(*n)++] = id;
    }
  return ids;
}

static void
copy_allocation (const HirTensor *from, HirTensor *to, GHashTable *map)
{
  guint n, kept = 0;
  g_autofree HirIterDomain **ids = NULL;

  if (!from->has_allocation)
    return;
  copy_transforms (&from->logical, &from->allocation, map);
  ids = dup_images (&from->allocation, map, &n);
  hir_tensor_set_allocation (to, ids, n);
  for (guint i = 0; i < from->allocation.n; i++)
    {
      if (g_hash_table_contains (map, from->allocation.ids[i]))
        to->contiguity[kept++] = from->contiguity[i];
    }
}

void
hir_replay_copy (const HirTensor *from, HirTensor *to, GHashTable *map)
{
  guint n;
  g_autofree HirIterDomain **ids = NULL;

  for (guint i = 0; i < to->logical.n; i++)
    to->logical.ids[i]->parallel_type = HIR_PARALLEL_SERIAL;
  copy_transforms (&from->logical, &from->loop, map);
  copy_allocation (from, to, map);
  ids = dup_images (&from->loop, map, &n);
  hir_tensor_set_loop (to, ids, n);
  for (guint i = 0; i < from->loop.n; i++)
    {
      HirIterDomain *id = g_hash_table_lookup (map, from->loop.ids[i]);

      if (id == NULL)
        continue;
      id->parallel_type = from->loop.ids[i]->parallel_type;
      id->base.node.pos = from->loop.ids[i]->base.node.pos;
    }
}

/* State of a replay from a tensor to its neighbor. */
typedef struct
{
  const HirTensor *from;
  HirTensor *to;
  GHashTable *map;     /* axis of @from -> axis of @to */
  GHashTable *reached; /* axes of @to that are in the map or derive from such axes */
  GPtrArray *leaves;   /* future loop axes of @to */
  GPtrArray *own;      /* HirTransform*: transforms that @to already has */
} Replay;

static void
relate (Replay *r, HirIterDomain *from, HirIterDomain *to)
{
  g_hash_table_insert (r->map, from, to);
  g_hash_table_add (r->reached, to);
}

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

/* Returns the domain of @tensor that @expr maps: logical of an operand, root of a result. */
static const HirDomain *
get_base (const HirExpr *expr, const HirTensor *tensor)
{
  return is_operand (expr, tensor) ? &tensor->logical : hir_tensor_get_maybe_root (tensor);
}

/* Calls @found for each pair of axes that @expr relates. */
static void
foreach_related (const HirExpr *expr,
                 const HirTensor *from,
                 const HirTensor *to,
                 void (*found) (HirIterDomain *from, HirIterDomain *to, gpointer user_data),
                 gpointer user_data)
{
  gboolean forward = is_operand (expr, from);
  g_autofree HirIterDomain **producer = NULL;
  g_autofree HirIterDomain **consumer = NULL;
  guint n;

  consumer = forward ? hir_expr_dup_logical_map (expr, from, to, &producer, &n)
                     : hir_expr_dup_logical_map (expr, to, from, &producer, &n);
  for (guint i = 0; i < n; i++)
    {
      if (consumer[i] != NULL)
        found (forward ? producer[i] : consumer[i], forward ? consumer[i] : producer[i], user_data);
    }
}

static void
add_related (HirIterDomain *from, HirIterDomain *to, gpointer user_data)
{
  Replay *r = user_data;

  /* Across a reshape, an axis of the root domain may be missing from the logical domain. */
  if (hir_domain_find (&r->to->logical, to) >= 0)
    relate (r, from, to);
}

static HirTransform *
find_own (const Replay *r, const HirTransform *transform, HirIterDomain *const *in)
{
  for (guint i = 0; i < r->own->len; i++)
    {
      HirTransform *own = r->own->pdata[i];

      if (own->kind == transform->kind && own->in[0] == in[0] && own->in[1] == in[1] &&
          (own->kind != HIR_TRANSFORM_SPLIT || (own->inner_split == transform->inner_split &&
                                                hir_scalar_equal (own->factor, transform->factor))))
        return own;
    }
  return NULL;
}

/* Replaces @in by @out among the leaves. Returns FALSE if an axis of @in is not a leaf. */
static gboolean
replace_leaves (Replay *r, HirIterDomain *const *in, HirIterDomain *const *out)
{
  guint at, at_second;

  if (!g_ptr_array_find (r->leaves, in[0], &at) ||
      (in[1] != NULL && !g_ptr_array_find (r->leaves, in[1], &at_second)))
    return FALSE;
  r->leaves->pdata[at] = out[0];
  if (in[1] != NULL)
    g_ptr_array_remove_index (r->leaves, at_second);
  if (out[1] != NULL)
    g_ptr_array_insert (r->leaves, (int) at + 1, out[1]);
  return TRUE;
}

static gboolean
refuse (const Replay *r, HirIterDomain *const *in, const GError *why, GError **error)
{
  g_autofree char *to = hir_tensor_dup_label (r->to);
  g_autofree char *from = hir_tensor_dup_label (r->from);
  g_autofree char *axis = hir_iter_domain_to_string (in[0]);

  hir_set_error (error, HIR_ERROR_REFUSED, &r->to->base.container->maker.pos,
                 "transform_like: axis %s of %s cannot be transformed like the axis of %s: %s; "
                 "parallelize after transform_like",
                 axis, to, from, why->message);
  return FALSE;
}

static gboolean
replay_one (Replay *r, const HirTransform *transform, GError **error)
{
  HirIterDomain *in[2] = { NULL, NULL }, *out[2] = { NULL, NULL };
  const HirTransform *own;
  g_autoptr (GError) why = NULL;
  guint at;

  in[0] = g_hash_table_lookup (r->map, transform->in[0]);
  in[1] = transform->in[1] != NULL ? g_hash_table_lookup (r->map, transform->in[1]) : NULL;
  if (transform->kind == HIR_TRANSFORM_MERGE && (in[0] == NULL) != (in[1] == NULL))
    {
      guint missing = in[0] == NULL ? 0 : 1;

      if (hir_iter_domain_is_broadcast (transform->in[missing]))
        relate (r, transform->out[0], in[1 - missing]);
      return TRUE;
    }
  if (in[0] == NULL || transform->kind == HIR_TRANSFORM_RESIZE)
    return TRUE;
  own = find_own (r, transform, in);
  if (own != NULL)
    memcpy (out, own->out, sizeof out);
  else if (!g_ptr_array_find (r->leaves, in[0], &at) ||
           (in[1] != NULL && !g_ptr_array_find (r->leaves, in[1], &at)))
    return TRUE;
  else if (!hir_replay_transform (transform, in, out, &why))
    return refuse (r, in, why, error);
  if (!replace_leaves (r, in, out))
    return TRUE;
  for (guint k = 0; k < 2 && out[k] != NULL; k++)
    relate (r, transform->out[k], out[k]);
  return TRUE;
}

/* Axes that the op does not relate keep their transforms. */
static void
keep_own (Replay *r)
{
  for (guint i = 0; i < r->own->len; i++)
    {
      const HirTransform *own = r->own->pdata[i];
      gboolean reached = g_hash_table_contains (r->reached, own->in[0]) ||
                         (own->in[1] != NULL && g_hash_table_contains (r->reached, own->in[1]));

      if (!reached)
        replace_leaves (r, own->in, own->out);
    }
}

/* First the related axes in @from's order, then the others in theirs. */
static void
set_loop (Replay *r)
{
  g_autoptr (GPtrArray) loop = g_ptr_array_new ();

  for (guint i = 0; i < r->from->loop.n; i++)
    {
      HirIterDomain *id = g_hash_table_lookup (r->map, r->from->loop.ids[i]);

      if (id != NULL && g_ptr_array_find (r->leaves, id, NULL) &&
          !g_ptr_array_find (loop, id, NULL))
        g_ptr_array_add (loop, id);
    }
  for (guint i = 0; i < r->leaves->len; i++)
    {
      if (!g_ptr_array_find (loop, r->leaves->pdata[i], NULL))
        g_ptr_array_add (loop, r->leaves->pdata[i]);
    }
  hir_tensor_set_loop (r->to, (HirIterDomain *const *) loop->pdata, loop->len);
}

gboolean
hir_replay_transforms (const HirExpr *expr, const HirTensor *from, HirTensor *to, GError **error)
{
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) reached = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) leaves = g_ptr_array_new ();
  g_autoptr (GPtrArray) own = hir_domain_dup_transforms (&to->logical, &to->loop);
  g_autoptr (GPtrArray) transforms = NULL;
  Replay r = { from, to, map, reached, leaves, own };

  foreach_related (expr, from, to, add_related, &r);
  for (guint i = 0; i < to->logical.n; i++)
    g_ptr_array_add (leaves, to->logical.ids[i]);
  transforms = hir_domain_dup_transforms (get_base (expr, from), &from->loop);
  for (guint i = 0; i < transforms->len; i++)
    {
      if (!replay_one (&r, transforms->pdata[i], error))
        return FALSE;
    }
  keep_own (&r);
  set_loop (&r);
  return TRUE;
}

typedef struct
{
  GHashTable *known, *related;
  guint n;
} Count;

static void
count_one (HirIterDomain *from, HirIterDomain *to, gpointer user_data)
{
  Count *count = user_data;

  if (!g_hash_table_contains (count->known, from))
    return;
  count->n++;
  g_hash_table_add (count->related, to);
}

/* Adds the axes that derive from a related axis between root and logical domain, or from which one
 * derives. */
static void
follow_root (const HirTensor *tensor, GHashTable *related)
{
  g_autoptr (GPtrArray) transforms = NULL;

  if (!tensor->has_root)
    return;
  transforms = hir_domain_dup_transforms (&tensor->root, &tensor->logical);
  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];

      gboolean any = FALSE;

      for (guint k = 0; k < 2; k++)
        any = any || g_hash_table_contains (related, transform->in[k]) ||
              g_hash_table_contains (related, transform->out[k]);
      for (guint k = 0; any && k < 2; k++)
        {
          g_hash_table_add (related, transform->in[k]);
          g_hash_table_add (related, transform->out[k]);
        }
    }
}

guint
hir_replay_count_related (const HirExpr *expr,
                          const HirTensor *from,
                          const HirTensor *to,
                          GHashTable *known,
                          GHashTable *related)
{
  Count count = { known, related, 0 };

  foreach_related (expr, from, to, count_one, &count);
  follow_root (to, related);
  return count.n;
}
