#include "brief.h"

#include "print/print.h"

#define MAX_DEPTH 64
#define MAX_BYTES 512

static void
append_scalar (const HirScalar *scalar, GString *out, guint depth, gsize start)
{
  if (scalar != NULL && scalar->kind == HIR_SCALAR_OP && scalar->op == HIR_SCALAR_OP_MUL &&
      depth < MAX_DEPTH && out->len - start < MAX_BYTES)
    {
      append_scalar (scalar->a, out, depth + 1, start);
      g_string_append (out, "·");
      append_scalar (scalar->b, out, depth + 1, start);
      return;
    }
  if (scalar != NULL && scalar->kind == HIR_SCALAR_OP && depth == 0)
    {
      gsize at = out->len;

      /* `( a % b )`: without context it needs no brackets. */
      hir_scalar_print_inline (scalar, out);
      g_string_erase (out, (gssize) at, 2);
      g_string_truncate (out, out->len - 2);
      return;
    }
  hir_scalar_print_inline (scalar, out);
}

void
hir_brief_scalar (const HirScalar *scalar, GString *out)
{
  append_scalar (scalar, out, 0, out->len);
}

/* Returns `Stream StreamIdx % numberOfStreams` or `Default stream`, as in traces. A name of another
 * stream that was the current one is `Stream #0`, so that it differs from the stream with index 0.
 */
static char *
dup_stream (const HirStream *stream)
{
  GString *out;

  if (stream == NULL)
    return g_strdup ("Stream ?");
  if (stream->index == NULL)
    return hir_stream_is_default (stream) ? g_strdup ("Default stream")
                                          : g_strdup_printf ("Stream #%d", stream->base.name);
  out = g_string_new ("Stream ");
  hir_brief_scalar (stream->index, out);
  return g_string_free (out, FALSE);
}

char *
hir_brief_stream_in_program (const HirStream *stream)
{
  g_autofree char *text = dup_stream (stream);

  if (stream == NULL || stream->index != NULL)
    return g_steal_pointer (&text);
  if (stream->address != 0)
    return g_strdup_printf ("%s (Stream 0x%" G_GINT64_MODIFIER "x in the program)", text,
                            stream->address);
  return g_strdup_printf ("%s (Stream %d in the program)", text, stream->base.name);
}

void
hir_brief_val (const HirVal *val, GString *out)
{
  if (val == NULL)
    g_string_append_c (out, '?');
  else if (HIR_IS_TENSOR (val))
    g_string_append_printf (out, "T%d", val->name);
  else if (HIR_IS_SCALAR (val))
    hir_brief_scalar ((const HirScalar *) val, out);
  else if (HIR_IS_ITER_DOMAIN (val))
    hir_iter_domain_print ((const HirIterDomain *) val, out);
  else
    {
      g_autofree char *text = dup_stream ((const HirStream *) val);

      g_string_append (out, text);
    }
}

char *
hir_brief_axes (const HirTensor *tensor)
{
  GString *out = g_string_new ("[");

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *id = tensor->loop.ids[i];

      g_string_append (out, i > 0 ? ", " : "");
      if (id == NULL)
        {
          g_string_append_c (out, '?');
          continue;
        }
      if (hir_iter_domain_is_reduction (id))
        g_string_append (out, "r ");
      if (hir_iter_domain_is_broadcast (id))
        g_string_append (out, "b ");
      if (hir_iter_domain_is_parallelized (id))
        g_string_append_printf (out, "%s ",
                                hir_iter_domain_is_device (id)
                                    ? hir_parallel_type_get_script_name (id->parallel_type)
                                    : hir_parallel_type_get_text (id->parallel_type));
      hir_brief_scalar (id->expanded_extent != NULL ? id->expanded_extent : id->extent, out);
    }
  g_string_append_c (out, ']');
  return g_string_free (out, FALSE);
}

char *
hir_brief_expr_title (const HirExpr *expr)
{
  const char *name = hir_expr_kind_get_info (expr->kind)->name;
  const HirTensor *result = hir_expr_get_result (expr);

  switch (expr->kind)
    {
    case HIR_EXPR_ALLOCATE:
    case HIR_EXPR_ALIAS_SELECT:
    case HIR_EXPR_SHARD_BY_STREAM:
      return g_strdup_printf ("%s T%d", name, result != NULL ? result->base.name : -1);
    case HIR_EXPR_DEALLOCATE:
      return g_strdup_printf ("%s T%d", name,
                              expr->u.deallocate.buffer != NULL
                                  ? expr->u.deallocate.buffer->base.name
                                  : -1);
    case HIR_EXPR_COMMUNICATION:
      return g_strdup (hir_comm_type_get_name (expr->u.comm.type));
    case HIR_EXPR_P2P:
      return g_strdup (expr->u.p2p.is_send ? "send" : "recv");
    default:
      return g_strdup (hir_expr_get_op_name (expr));
    }
}

static void
append_operands (const HirExpr *expr, GString *out, const char *separator)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      g_string_append (out, i > 0 ? separator : "");
      hir_brief_val (expr->inputs[i], out);
    }
}

static void
append_outputs (const HirExpr *expr, GString *out)
{
  for (guint i = 0; i < expr->n_outputs; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      hir_brief_val (expr->outputs[i], out);
    }
}

static void
append_flow (const HirExpr *expr, GString *out)
{
  gboolean is_product = expr->kind == HIR_EXPR_MATMUL || expr->kind == HIR_EXPR_LINEAR;

  append_operands (expr, out, is_product ? " × " : ", ");
  g_string_append (out, expr->n_inputs > 0 ? " → " : "→ ");
  append_outputs (expr, out);
}

static void
append_team (const HirExpr *expr, GString *out)
{
  g_string_append (out, "team");
  for (guint i = 0; i < expr->u.comm.n_team && i < 16; i++)
    g_string_append_printf (out, " %" G_GINT64_FORMAT, expr->u.comm.team[i]);
  if (expr->u.comm.n_team > 16)
    g_string_append_printf (out, " … (%u)", expr->u.comm.n_team);
  if (expr->u.comm.root >= 0)
    g_string_append_printf (out, " · root %" G_GINT64_FORMAT, expr->u.comm.root);
  if (expr->u.comm.root_index != NULL)
    {
      g_string_append (out, " · root ");
      hir_brief_scalar (expr->u.comm.root_index, out);
    }
  g_string_append_printf (out, " · %s", hir_comm_backend_get_name (expr->backend));
}

static void
append_select (const HirExpr *expr, GString *out)
{
  hir_brief_val (expr->n_inputs > 0 ? expr->inputs[0] : NULL, out);
  g_string_append_printf (out, " · axis %d", expr->u.alias_select.axis);
  if (expr->u.alias_select.index != NULL && expr->u.alias_select.index->kind == HIR_SCALAR_CONST)
    {
      g_string_append (out, " · index ");
      hir_brief_scalar (expr->u.alias_select.index, out);
    }
}

static void
append_formula (const HirExpr *expr, GString *out)
{
  const HirScalar *scalar = expr->n_outputs > 0 ? HIR_SCALAR (expr->outputs[0]) : NULL;

  if (scalar == NULL)
    return;
  g_string_append_printf (out, "i%d = ", scalar->base.name);
  hir_brief_scalar (scalar, out);
}

char *
hir_brief_expr_subtitle (const HirExpr *expr)
{
  GString *out = g_string_new (NULL);
  g_autofree char *stream = NULL;

  switch (expr->kind)
    {
    case HIR_EXPR_ALLOCATE:
      hir_brief_scalar (expr->u.allocate.size, out);
      break;
    case HIR_EXPR_ALIAS_SELECT:
      append_select (expr, out);
      break;
    case HIR_EXPR_SHARD_BY_STREAM:
      hir_brief_val (expr->n_inputs > 0 ? expr->inputs[0] : NULL, out);
      g_string_append (out, " · piece ");
      hir_brief_scalar (expr->u.shard.index, out);
      break;
    case HIR_EXPR_GET_CURRENT_STREAM:
      g_string_append (out, "→ ");
      G_GNUC_FALLTHROUGH;
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      stream = dup_stream (expr->u.stream.stream);
      g_string_append (out, stream);
      break;
    case HIR_EXPR_WAIT:
      if (expr->u.wait.of != NULL)
        {
          g_autofree char *title = hir_brief_expr_title (expr->u.wait.of);

          g_string_append_printf (out, "%s %d", title, expr->u.wait.of->name);
        }
      break;
    case HIR_EXPR_COMMUNICATION:
      append_team (expr, out);
      break;
    case HIR_EXPR_P2P:
      hir_brief_val (HIR_VAL (expr->u.p2p.buffer), out);
      g_string_append (out, expr->u.p2p.is_send ? " → " : " ← ");
      hir_brief_scalar (expr->u.p2p.peer, out);
      break;
    case HIR_EXPR_LAUNCH_KERNEL:
      g_string_append_printf (out, "group %d · ", expr->u.post.group);
      append_flow (expr, out);
      break;
    case HIR_EXPR_SCALAR:
      append_formula (expr, out);
      break;
    case HIR_EXPR_SHARE_MEM_HANDLES:
      for (guint i = 0; i < expr->u.handles.n; i++)
        {
          g_string_append (out, i > 0 ? ", " : "");
          hir_brief_val (HIR_VAL (expr->u.handles.of[i]->u.p2p.buffer), out);
        }
      break;
    case HIR_EXPR_FOR:
    case HIR_EXPR_IF:
    case HIR_EXPR_DEALLOCATE:
    case HIR_EXPR_START_COALESCING:
    case HIR_EXPR_END_COALESCING:
      break;
    default:
      append_flow (expr, out);
      break;
    }
  return g_string_free (out, FALSE);
}

static void
append_loop (const HirExpr *expr, GString *out)
{
  g_string_append (out, "FOR ");
  hir_brief_scalar (expr->u.loop.index, out);
  if (expr->u.loop.iter_domain != NULL)
    {
      g_string_append (out, " in ");
      hir_iter_domain_print (expr->u.loop.iter_domain, out);
      return;
    }
  g_string_append (out, " from ");
  hir_brief_scalar (expr->u.loop.start, out);
  g_string_append (out, " to ");
  hir_brief_scalar (expr->u.loop.stop, out);
}

char *
hir_brief_expr_label (const HirExpr *expr)
{
  GString *out = g_string_new (NULL);
  g_autofree char *title = hir_brief_expr_title (expr);
  g_autofree char *subtitle = hir_brief_expr_subtitle (expr);

  switch (expr->kind)
    {
    case HIR_EXPR_FOR:
      append_loop (expr, out);
      break;
    case HIR_EXPR_IF:
      g_string_append (out, "IF ");
      hir_brief_scalar (expr->u.branch.condition, out);
      break;
    case HIR_EXPR_POST_ON_STREAM:
      g_string_append_printf (out, "PostOnStream HostUnit%d",
                              expr->u.post.unit != NULL ? expr->u.post.unit->index : -1);
      break;
    case HIR_EXPR_COMMUNICATION:
      append_outputs (expr, out);
      g_string_append_printf (out, " = %s(", title);
      append_operands (expr, out, ", ");
      g_string_append_printf (out, ") %s", subtitle);
      break;
    default:
      if (!hir_expr_kind_get_info (expr->kind)->is_tensor_op)
        {
          g_string_append_printf (out, "%s%s%s", title, *subtitle != '\0' ? " " : "", subtitle);
          break;
        }
      append_outputs (expr, out);
      g_string_append_printf (out, " = %s(", title);
      append_operands (expr, out, ", ");
      g_string_append_c (out, ')');
      break;
    }
  return g_string_free (out, FALSE);
}

char *
hir_brief_outer_label (const HirExpr *outer, gboolean is_else)
{
  g_autofree char *label = hir_brief_expr_label (outer);

  return g_strconcat (is_else ? "ELSE of " : "", label, NULL);
}
