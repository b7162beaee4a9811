/* Gathers a tensor that is sharded over devices into one that is over streams, shard by shard, by
 * sends and receives (nvFuser #4515; docs/host-ir.md#point-to-point-exchange). */
#include "label.h"
#include "print/print.h"
#include "stream/stream-private.h"

static const HirIterDomain *
find_device_axis (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (hir_iter_domain_is_device (tensor->loop.ids[i]) &&
          !hir_iter_domain_is_reduction (tensor->loop.ids[i]))
        return tensor->loop.ids[i];
    }
  return NULL;
}

/* Sets the error `axis A of T cannot be exchanged stream by stream, because ...`. */
static void G_GNUC_PRINTF (4, 5) refuse (
    const HirTensor *tensor, const HirIterDomain *axis, GError **error, const char *format, ...)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *text = hir_iter_domain_to_string (axis);
  g_autofree char *why = NULL;
  HirPos pos = hir_axis_get_pos (tensor, axis);
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "axis %s of %s, which is over devices, cannot be exchanged stream by stream, "
                 "because %s",
                 text, label, why);
}

/* Refusal 8 of docs/host-ir.md#refusals. */
static gboolean
check_form (const HirExpr *expr,
            const HirTensor *in,
            const HirIterDomain *device,
            const HirTensor *out,
            const HirIterDomain *stream,
            GError **error)
{
  g_autofree char *out_label = hir_tensor_dup_label (out);

  if (expr->kind != HIR_EXPR_SET || expr->u.set.kind != HIR_SET_SET)
    {
      g_autofree char *label = hir_tensor_dup_label (in);

      refuse (in, device, error,
              "%s of %s is not a set; insert a set of %s with the stream axis, and read its result "
              "instead",
              hir_expr_get_op_name (expr), out_label, label);
      return FALSE;
    }
  if (in->loop.ids[0] != device)
    {
      g_autofree char *first = hir_iter_domain_to_string (in->loop.ids[0]);

      refuse (in, device, error,
              "each shard must be one block of memory, but %s precedes the axis; make the axis "
              "over devices the first one",
              first);
      return FALSE;
    }
  if (out->loop.ids[0] != stream)
    {
      g_autofree char *text = hir_iter_domain_to_string (stream);
      g_autofree char *first = hir_iter_domain_to_string (out->loop.ids[0]);

      refuse (in, device, error,
              "each shard must be one block of %s, but %s precedes its stream axis %s; make the "
              "stream axis the first one",
              out_label, first, text);
      return FALSE;
    }
  return TRUE;
}

static gboolean
is_numbered (const HirMesh *mesh)
{
  for (gint64 i = 0; i < mesh->size; i++)
    {
      if (mesh->devices[i] != i)
        return FALSE;
    }
  return mesh->n_dims == 1;
}

/* The loop index is the peer, so shard i must belong to device i. nvFuser does not check this: for
 * other meshes, its program sends to devices that do not exist. */
static gboolean
check_meshes (const HirTensor *in,
              const HirIterDomain *device,
              const HirTensor *out,
              GError **error)
{
  const HirIterDomain *other = find_device_axis (out);
  g_autoptr (GString) mesh = g_string_new (NULL);
  g_autofree char *label = hir_tensor_dup_label (out);

  if (in->mesh == NULL || !hir_mesh_equal (in->mesh, out->mesh))
    {
      refuse (in, device, error,
              "%s is on another mesh; give both tensors the same mesh, or do not parallelize %s "
              "over streams",
              label, label);
      return FALSE;
    }
  if (other != NULL)
    {
      g_autofree char *text = hir_iter_domain_to_string (other);

      refuse (in, device, error,
              "axis %s of %s is over devices too, so each shard would have to be divided again; "
              "leave one of the two axes serial",
              text, label);
      return FALSE;
    }
  if (is_numbered (in->mesh))
    return TRUE;
  hir_mesh_print (in->mesh, mesh);
  refuse (in, device, error,
          "iteration i exchanges data with device i, but %s is not the one-dimensional mesh of "
          "devices 0, 1, 2, ...; parallelize another axis over streams, and the gather becomes a "
          "collective",
          mesh->str);
  return FALSE;
}

static void
push (HirContainer *program, HirScope *scope, HirExpr *expr)
{
  hir_vec_push (program->arena, &scope->exprs, expr);
}

/* Branch of the owner: copies its shard. */
static void
fill_local (HirStreamSlicer *slicer,
            HirScope *scope,
            HirExpr *set,
            HirTensor *in,
            HirTensor *in_slice,
            int axis,
            HirTensor *out_slice)
{
  HirContainer *program = slicer->pass->program;
  HirExpr *copy;

  hir_stream_emit_select (program, scope, in, in_slice, axis, hir_scalar_get_zero (program), set);
  hir_maker_set_origin (program, &set->node);
  copy = hir_expr_new (program, HIR_EXPR_SET, (HirVal *[]){ HIR_VAL (in_slice) }, 1,
                       (HirVal *[]){ HIR_VAL (out_slice) }, 1);
  copy->u = set->u;
  push (program, scope, copy);
}

/* Branch of every other device: receives the shard, and sends its own, which the owner receives in
 * another iteration. */
static void
fill_remote (HirStreamSlicer *slicer, HirScope *scope, HirTensor *in, HirTensor *out_slice)
{
  HirContainer *program = slicer->pass->program;
  HirExpr *end;

  push (program, scope, hir_expr_new_start_coalescing (program));
  push (program, scope, hir_expr_new_p2p (program, FALSE, out_slice, slicer->index));
  push (program, scope, hir_expr_new_p2p (program, TRUE, in, slicer->index));
  end = hir_expr_new_end_coalescing (program);
  push (program, scope, end);
  push (program, scope, hir_expr_new_wait (program, end));
}

gboolean
hir_stream_exchange (
    HirStreamSlicer *slicer, HirExpr *expr, guint operand, int axis, int out_axis, GError **error)
{
  HirStreamPass *pass = slicer->pass;
  HirContainer *program = pass->program;
  HirTensor *in = HIR_TENSOR (expr->inputs[operand]), *out = HIR_TENSOR (expr->outputs[0]);
  const HirIterDomain *device = in->logical.ids[axis];
  HirTensor *in_slice, *out_slice;
  HirScalar *me;
  HirExpr *branch;
  gboolean is_new;

  if (!check_form (expr, in, device, out, out->logical.ids[out_axis], error) ||
      !check_meshes (in, device, out, error))
    return FALSE;

  /* Created in nvFuser's order, which determines the numbers. */
  in_slice = hir_stream_slice (program, pass->fixed_slices, in, axis, hir_scalar_get_zero (program),
                               expr, &is_new);
  out_slice =
      hir_stream_slice (program, slicer->slices, out, out_axis, slicer->index, expr, &is_new);
  hir_stream_emit_select (program, slicer->body, out, out_slice, out_axis, slicer->index, expr);

  hir_maker_set_origin (program, &expr->node);
  me = hir_scalar_get_named (program, HIR_NAME_DEVICE_IDX_X, HIR_DTYPE_INT);
  branch =
      hir_expr_new_if (program, hir_scalar_new_op (program, HIR_SCALAR_OP_EQ, slicer->index, me));
  push (program, slicer->body, branch);
  fill_remote (slicer, &branch->u.branch.else_body, in, out_slice);
  fill_local (slicer, &branch->u.branch.then_body, expr, in, in_slice, axis, out_slice);
  return TRUE;
}
