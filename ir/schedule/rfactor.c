#include "schedule/rfactor.h"

#include "schedule/axis-index.h"
#include "schedule/replay.h"
#include "transforms.h"

typedef struct
{
  HirContainer *fusion;
  HirTensor *tensor;
  GHashTable *copies; /* axis of the tensor -> axis of the first step */
  HirRfactorSelect select;
  gpointer user_data;
} Rfactor;

static gboolean
is_selected (const Rfactor *r, const HirIterDomain *id)
{
  return r->select (id, r->user_data);
}

/* Repeats @transform on the copies of its inputs. */
static void
copy_transform (Rfactor *r, const HirTransform *transform, gboolean is_rfactor)
{
  HirIterDomain *in[2] = { NULL, NULL }, *out[2] = { NULL, NULL };
  GError *error = NULL;

  for (guint k = 0; k < 2 && transform->in[k] != NULL; k++)
    in[k] = g_hash_table_lookup (r->copies, transform->in[k]);
  if (!hir_replay_transform (transform, in, out, &error))
    g_error ("a transform cannot be repeated: %s", error->message);
  for (guint k = 0; k < 2 && out[k] != NULL; k++)
    {
      out[k]->is_rfactor = is_rfactor;
      g_hash_table_insert (r->copies, transform->out[k], out[k]);
    }
}

/* Copies the transforms of reduced axes, or of the others. */
static void
copy_transforms (Rfactor *r, gboolean reductions)
{
  g_autoptr (GPtrArray) transforms =
      hir_domain_dup_transforms (&r->tensor->logical, &r->tensor->loop);

  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];

      if (hir_iter_domain_is_reduction (transform->in[0]) == reductions)
        copy_transform (r, transform, reductions);
    }
}

/* Returns the parts of @axis among the loop axes of @tensor, in order. A merged axis counts as part
 * of its outer input. */
static GPtrArray *
dup_pieces (const HirTensor *tensor, const HirIterDomain *axis)
{
  GPtrArray *pieces = g_ptr_array_new ();

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (hir_axis_find_outermost_base (&tensor->logical, tensor->loop.ids[i]) == axis)
        g_ptr_array_add (pieces, tensor->loop.ids[i]);
    }
  return pieces;
}

/* Returns the copy of a part. If the first step does not reduce it, it becomes an iteration, Serial
 * until the types are set. */
static HirIterDomain *
take_piece (Rfactor *r, const HirIterDomain *piece, gboolean with_loop)
{
  HirIterDomain *copy = g_hash_table_lookup (r->copies, piece);

  if (is_selected (r, piece))
    return copy;
  copy->iter_type = HIR_ITER_ITERATION;
  if (!with_loop && hir_iter_domain_is_device (piece))
    {
      copy->parallel_type = piece->parallel_type;
      copy->base.node.pos = piece->base.node.pos;
    }
  return copy;
}

/* Creates the result of the first step: selected parts are reduced, the others are kept. */
static HirTensor *
first_step_new (Rfactor *r, gboolean with_loop)
{
  const HirTensor *tensor = r->tensor;
  g_autoptr (GPtrArray) root = g_ptr_array_new ();
  g_autoptr (GPtrArray) logical = g_ptr_array_new ();
  HirTensor *result;

  for (guint i = 0; i < tensor->logical.n; i++)
    {
      HirIterDomain *copy = hir_iter_domain_dup (r->fusion, tensor->logical.ids[i], FALSE);

      g_hash_table_insert (r->copies, tensor->logical.ids[i], copy);
      g_ptr_array_add (root, copy);
    }
  copy_transforms (r, TRUE);
  for (guint i = 0; i < tensor->logical.n; i++)
    {
      HirIterDomain *id = tensor->logical.ids[i];
      g_autoptr (GPtrArray) pieces = dup_pieces (tensor, id);

      if (!hir_iter_domain_is_reduction (id))
        g_ptr_array_add (logical, g_hash_table_lookup (r->copies, id));
      for (guint k = 0; hir_iter_domain_is_reduction (id) && k < pieces->len; k++)
        g_ptr_array_add (logical, take_piece (r, pieces->pdata[k], with_loop));
    }
  result =
      hir_tensor_new_with_root (r->fusion, tensor->base.dtype, (HirIterDomain *const *) root->pdata,
                                root->len, (HirIterDomain *const *) logical->pdata, logical->len);
  result->mesh = tensor->mesh;
  return result;
}

/* Gives @result the loop domain of the tensor, with its types. */
static void
copy_loop (Rfactor *r, HirTensor *result)
{
  const HirTensor *tensor = r->tensor;
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (tensor->loop.n, 1));

  copy_transforms (r, FALSE);
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *id = tensor->loop.ids[i];

      ids[i] = g_hash_table_lookup (r->copies, id);
      ids[i]->parallel_type = id->parallel_type;
      ids[i]->base.node.pos = id->base.node.pos;
    }
  hir_tensor_set_loop (result, ids, tensor->loop.n);
}

/* Replaces each reduced axis of the tensor by its unselected parts, as separate axes. */
static void
keep_unselected (Rfactor *r)
{
  HirTensor *tensor = r->tensor;
  g_autoptr (GPtrArray) logical = g_ptr_array_new ();
  g_autoptr (GPtrArray) loop = g_ptr_array_new ();
  g_autoptr (GHashTable) kept = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < tensor->logical.n; i++)
    {
      HirIterDomain *id = tensor->logical.ids[i];
      g_autoptr (GPtrArray) pieces = dup_pieces (tensor, id);

      if (!hir_iter_domain_is_reduction (id))
        g_ptr_array_add (logical, id);
      for (guint k = 0; hir_iter_domain_is_reduction (id) && k < pieces->len; k++)
        {
          HirIterDomain *piece = pieces->pdata[k];
          HirIterDomain *reduced = piece;

          if (is_selected (r, piece))
            continue;
          if (piece != id)
            {
              reduced = hir_iter_domain_dup (r->fusion, piece, TRUE);
              reduced->base.node.pos = piece->base.node.pos;
            }
          g_hash_table_insert (kept, piece, reduced);
          g_ptr_array_add (logical, reduced);
        }
    }
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      HirIterDomain *id = tensor->loop.ids[i];

      if (!hir_iter_domain_is_reduction (id))
        g_ptr_array_add (loop, id);
      else if (!is_selected (r, id))
        g_ptr_array_add (loop, g_hash_table_lookup (kept, id));
    }
  /* The default layout and contiguity for the new shape. */
  hir_tensor_set_allocation (tensor, (HirIterDomain *const *) logical->pdata, logical->len);
  tensor->logical = tensor->allocation;
  tensor->allocation = (HirDomain){ NULL, 0 };
  tensor->has_allocation = FALSE;
  hir_tensor_set_loop (tensor, (HirIterDomain *const *) loop->pdata, loop->len);
}

static HirScalar *
get_init (HirContainer *fusion, const HirExpr *expr, HirDType dtype)
{
  if (expr->kind == HIR_EXPR_REDUCTION)
    return expr->u.reduction.init;
  if (hir_dtype_is_floating_point (dtype) || hir_dtype_is_complex (dtype))
    return hir_scalar_new_double (fusion, 0.0, dtype);
  return hir_scalar_new_int (fusion, 0, dtype);
}

HirTensor *
hir_tensor_rfactor (HirTensor *tensor,
                    HirRfactorSelect select,
                    gpointer user_data,
                    gboolean with_loop)
{
  HirContainer *fusion = tensor->base.container;
  g_autoptr (GHashTable) copies = g_hash_table_new (NULL, NULL);
  Rfactor r = { fusion, tensor, copies, select, user_data };
  HirExpr *expr = tensor->definition;
  HirTensor *first;
  HirExpr *second;

  g_return_val_if_fail (expr != NULL && !tensor->has_root, NULL);
  first = first_step_new (&r, with_loop);
  if (with_loop)
    copy_loop (&r, first);
  keep_unselected (&r);
  expr->outputs[0] = HIR_VAL (first);
  first->definition = expr;
  second = hir_expr_new (fusion, HIR_EXPR_REDUCTION, (HirVal *[]){ HIR_VAL (first) }, 1,
                         (HirVal *[]){ HIR_VAL (tensor) }, 1);
  second->u.reduction.op = expr->kind == HIR_EXPR_REDUCTION ? expr->u.reduction.op : HIR_BINARY_ADD;
  second->u.reduction.init = get_init (fusion, expr, tensor->base.dtype);
  hir_container_add_expr (fusion, second);
  return first;
}
