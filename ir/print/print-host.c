/* Host ops (docs/host-ir.md#host-instructions): in the wording of 2025 and of 2026. */
#include "print/print-internal.h"

/* Dumps have few nesting levels, but a broken program may contain itself. */
#define MAX_NESTING 512

void
hir_printer_scope (HirPrinter *printer, const HirScope *scope)
{
  if (printer->indent >= MAX_NESTING)
    {
      hir_printer_indent (printer, 1);
      g_string_append (printer->out, "...\n");
      return;
    }
  printer->indent++;
  for (guint i = 0; i < scope->exprs.len; i++)
    hir_printer_expr (printer, scope->exprs.items[i]);
  printer->indent--;
}

static void
print_allocate (HirPrinter *printer, const HirExpr *expr)
{
  hir_printer_tensor (printer, expr->u.allocate.buffer);
  if (expr->u.allocate.always)
    {
      g_string_append_printf (printer->out, " = ALLOCATE(mem_type=%s, zero_init=%s)",
                              hir_memory_type_get_name (expr->u.allocate.memory),
                              expr->u.allocate.zero_init ? "true" : "false");
      return;
    }
  g_string_append (printer->out, " = ALLOCATE(buffer=");
  hir_printer_tensor (printer, expr->u.allocate.buffer);
  g_string_append_printf (printer->out, ", mem_type=%s, size=",
                          hir_memory_type_get_name (expr->u.allocate.memory));
  hir_printer_inline (printer, expr->u.allocate.size);
  g_string_append_printf (printer->out, ", zero_init=%s, resets_to_zero=false)",
                          expr->u.allocate.zero_init ? "true" : "false");
}

static void
print_deallocate (HirPrinter *printer, const HirExpr *expr)
{
  g_string_append (printer->out, "Deallocate {");
  hir_printer_continue (printer, printer->indent + 1);
  hir_printer_tensor (printer, expr->u.deallocate.buffer);
  hir_printer_continue (printer, printer->indent);
  g_string_append_c (printer->out, '}');
}

static void
print_alias_select (HirPrinter *printer, const HirExpr *expr)
{
  const HirTensor *in =
      expr->n_inputs > 0 && expr->inputs[0] != NULL ? HIR_TENSOR (expr->inputs[0]) : NULL;
  int axis = expr->u.alias_select.axis;

  hir_printer_tensor (printer, expr->u.alias_select.out);
  hir_printer_continue (printer, printer->indent + 1);
  g_string_append (printer->out, printer->format == HIR_FORMAT_2025_SELECT ? " = select( "
                                                                           : " = HirAliasSelect( ");
  hir_printer_tensor (printer, in);
  g_string_append (printer->out, ", axis = ");
  /* Print the logical axis: the loop domain that the tensor prints may differ. */
  hir_printer_axis (printer, in != NULL && axis >= 0 && (guint) axis < in->logical.n
                                 ? in->logical.ids[axis]
                                 : NULL);
  g_string_append (printer->out, ", index = ");
  hir_printer_scalar (printer, expr->u.alias_select.index);
  g_string_append (printer->out, " )");
}

static void
print_shard (HirPrinter *printer, const HirExpr *expr)
{
  hir_printer_tensor (printer, expr->u.shard.out);
  g_string_append (printer->out, " = ShardByStream(");
  hir_printer_input (printer, expr, 0);
  g_string_append (printer->out, ", stream_index=");
  hir_printer_scalar (printer, expr->u.shard.index);
  g_string_append_c (printer->out, ')');
}

static void
print_loop_header (HirPrinter *printer, const HirExpr *expr)
{
  g_string_append (printer->out, "FOR ");
  hir_printer_scalar (printer, expr->u.loop.index);
  if (expr->u.loop.iter_domain != NULL)
    {
      g_string_append (printer->out, " in ");
      hir_printer_axis (printer, expr->u.loop.iter_domain);
    }
  else
    {
      g_string_append (printer->out, " from ");
      hir_printer_inline (printer, expr->u.loop.start);
      g_string_append (printer->out, " to ");
      hir_printer_inline (printer, expr->u.loop.stop);
    }
  g_string_append_c (printer->out, ':');
}

static void
print_post (HirPrinter *printer, const HirExpr *expr)
{
  g_string_append_printf (printer->out, "PostOnStream (HostUnit%d, Inputs:{",
                          expr->u.post.unit != NULL ? expr->u.post.unit->index : -1);
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      hir_printer_input (printer, expr, i);
      g_string_append (printer->out, ", ");
    }
  g_string_append (printer->out, "}, Outputs:{");
  for (guint i = 0; i < expr->n_outputs; i++)
    {
      hir_printer_output (printer, expr, i);
      g_string_append (printer->out, ", ");
    }
  g_string_append (printer->out, "})");
}

static void
print_stream_op (HirPrinter *printer, const HirExpr *expr)
{
  gboolean is_2026 = printer->format == HIR_FORMAT_2026;
  const char *before, *after = is_2026 ? ")" : "";

  if (expr->kind == HIR_EXPR_GET_CURRENT_STREAM)
    {
      before = is_2026 ? "" : "GetCurrentStream into ";
      after = is_2026 ? " = GetCurrentStream()" : "";
    }
  else if (expr->kind == HIR_EXPR_SET_CURRENT_STREAM)
    before = is_2026 ? "SetCurrentStream(" : "SetCurrentStream to ";
  else
    before = is_2026 ? "Synchronize(" : "Synchronize ";

  g_string_append (printer->out, before);
  hir_printer_stream (printer, expr->u.stream.stream);
  g_string_append (printer->out, after);
}

static void
print_wait (HirPrinter *printer, const HirExpr *expr)
{
  g_string_append_printf (printer->out,
                          printer->format == HIR_FORMAT_2026 ? "Wait(Communication %d)"
                                                             : "Wait Communication %d",
                          expr->u.wait.of != NULL ? expr->u.wait.of->name : -1);
}

const char *
hir_comm_type_get_name (HirCommType type)
{
  static const char *const texts[] = {
    [HIR_COMM_GATHER] = "Gather",       [HIR_COMM_ALLGATHER] = "Allgather",
    [HIR_COMM_SCATTER] = "Scatter",     [HIR_COMM_REDUCE] = "Reduce",
    [HIR_COMM_ALLREDUCE] = "Allreduce", [HIR_COMM_REDUCE_SCATTER] = "ReduceScatter",
    [HIR_COMM_BROADCAST] = "Broadcast", [HIR_COMM_SEND_RECV] = "SendRecv",
    [HIR_COMM_ALL_TO_ALL] = "AllToAll",
  };

  return (guint) type < G_N_ELEMENTS (texts) ? texts[type] : "?";
}

static void
print_team (HirPrinter *printer, const gint64 *team, guint n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (printer->out, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", team[i]);
}

/* Prints the operands and the backend. */
static void
print_in_out (HirPrinter *printer, const HirExpr *expr)
{
  g_string_append (printer->out, "input=");
  hir_printer_input (printer, expr, 0);
  g_string_append (printer->out, ", output=");
  hir_printer_output (printer, expr, 0);
  g_string_append_printf (printer->out, ", backend=%s)", hir_comm_backend_get_name (expr->backend));
}

static void
print_communication (HirPrinter *printer, const HirExpr *expr)
{
  gint64 root = expr->u.comm.root;

  g_string_append_printf (printer->out, "Communication %d (type=%s, team=(", expr->name,
                          hir_comm_type_get_name (expr->u.comm.type));
  print_team (printer, expr->u.comm.team, expr->u.comm.n_team);
  g_string_append (printer->out, "), ");
  if (root >= 0)
    {
      /* A device id in 2025, a position in the team in 2026 (docs/host-ir.md#roots). */
      for (guint i = 0; printer->format == HIR_FORMAT_2026 && i < expr->u.comm.n_team; i++)
        if (expr->u.comm.team[i] == expr->u.comm.root)
          root = i;
      g_string_append_printf (printer->out, "root=%" G_GINT64_FORMAT ", ", root);
    }
  else if (expr->u.comm.root_index != NULL)
    {
      g_string_append (printer->out, "root=");
      hir_printer_inline (printer, expr->u.comm.root_index);
      g_string_append (printer->out, ", ");
    }
  print_in_out (printer, expr);
}

static void
print_p2p (HirPrinter *printer, const HirExpr *expr)
{
  g_string_append_printf (printer->out, "P2PCommunication %d (type=%s, buffer=", expr->name,
                          expr->u.p2p.is_send ? "send" : "recv");
  hir_printer_tensor (printer, expr->u.p2p.buffer);
  g_string_append (printer->out, ", peer=");
  hir_printer_scalar (printer, expr->u.p2p.peer);
  g_string_append_printf (printer->out, ", backend=%s)", hir_comm_backend_get_name (expr->backend));
}

static void
print_collective_permute (HirPrinter *printer, const HirExpr *expr)
{
  g_string_append_printf (printer->out, "CollectivePermute %d (team=(", expr->name);
  print_team (printer, expr->u.permute.team, expr->u.permute.n_team);
  g_string_append (printer->out, "), send_peer=");
  hir_printer_inline (printer, expr->u.permute.send_peer);
  g_string_append (printer->out, ", recv_peer=");
  hir_printer_inline (printer, expr->u.permute.recv_peer);
  g_string_append (printer->out, ", ");
  print_in_out (printer, expr);
}

static void
print_launch (HirPrinter *printer, const HirExpr *expr)
{
  g_string_append (printer->out, "LaunchKernel(");
  hir_printer_continue (printer, printer->indent + 1);
  g_string_append_printf (printer->out, "Group ID: %d,", expr->u.post.group);
  hir_printer_continue (printer, printer->indent + 1);
  g_string_append (printer->out, "Inputs: {");
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      g_string_append (printer->out, i > 0 ? ", " : "");
      hir_printer_input (printer, expr, i);
    }
  g_string_append (printer->out, "},");
  hir_printer_continue (printer, printer->indent + 1);
  g_string_append (printer->out, "Outputs: {");
  for (guint i = 0; i < expr->n_outputs; i++)
    {
      g_string_append (printer->out, i > 0 ? ", " : "");
      hir_printer_output (printer, expr, i);
    }
  g_string_append (printer->out, "},");
  hir_printer_continue (printer, printer->indent);
  g_string_append_c (printer->out, ')');
}

/* As in nvFuser, the list ends in a blank and the bracket is not closed. */
static void
print_handles (HirPrinter *printer, const HirExpr *expr)
{
  g_string_append (printer->out, "ShareMemHandles(");
  for (guint i = 0; i < expr->u.handles.n; i++)
    {
      print_p2p (printer, expr->u.handles.of[i]);
      g_string_append (printer->out, ", ");
    }
}

static void
print_moe (HirPrinter *printer, const HirExpr *expr)
{
  static const char *const labels[2][3] = { { "in", "topk_idx", "topk_weights" },
                                            { "in", "topk_weights", "src_idx" } };
  gboolean is_combine = expr->kind == HIR_EXPR_COMBINE;

  g_string_append_printf (printer->out, "%s %d (", is_combine ? "Combine" : "Dispatch", expr->name);
  if (!is_combine)
    g_string_append_printf (printer->out, "num_experts=%" G_GINT64_FORMAT ", ",
                            expr->u.moe.n_experts);
  g_string_append_printf (printer->out, "backend=%s", hir_comm_backend_get_name (expr->backend));
  for (guint i = 0; i < 3; i++)
    {
      g_string_append_printf (printer->out, ", %s=", labels[is_combine][i]);
      hir_printer_input (printer, expr, i);
    }
  g_string_append (printer->out, ", out=");
  hir_printer_output (printer, expr, 0);
  g_string_append_c (printer->out, ')');
}

static gboolean
print_host_op (HirPrinter *printer, const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_ALLOCATE:
      print_allocate (printer, expr);
      break;
    case HIR_EXPR_DEALLOCATE:
      print_deallocate (printer, expr);
      break;
    case HIR_EXPR_ALIAS_SELECT:
      print_alias_select (printer, expr);
      break;
    case HIR_EXPR_FOR:
      print_loop_header (printer, expr);
      break;
    case HIR_EXPR_IF:
      g_string_append (printer->out, "IF Manual ");
      hir_printer_inline (printer, expr->u.branch.condition);
      g_string_append_c (printer->out, ':');
      break;
    case HIR_EXPR_POST_ON_STREAM:
      print_post (printer, expr);
      break;
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      print_stream_op (printer, expr);
      break;
    case HIR_EXPR_WAIT:
      print_wait (printer, expr);
      break;
    case HIR_EXPR_COMMUNICATION:
      print_communication (printer, expr);
      break;
    case HIR_EXPR_P2P:
      print_p2p (printer, expr);
      break;
    case HIR_EXPR_SHARD_BY_STREAM:
      print_shard (printer, expr);
      break;
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      print_collective_permute (printer, expr);
      break;
    case HIR_EXPR_SCALAR:
      if (expr->n_outputs > 0)
        hir_printer_scalar_formula (printer, HIR_SCALAR (expr->outputs[0]));
      break;
    case HIR_EXPR_LAUNCH_KERNEL:
      print_launch (printer, expr);
      break;
    case HIR_EXPR_SHARE_MEM_HANDLES:
      print_handles (printer, expr);
      break;
    case HIR_EXPR_SYMMETRIC_VIEW:
      hir_printer_output (printer, expr, 0);
      g_string_append (printer->out, " = SymmetricContiguousView(");
      hir_printer_input (printer, expr, 0);
      g_string_append_c (printer->out, ')');
      break;
    case HIR_EXPR_DISPATCH:
    case HIR_EXPR_COMBINE:
      print_moe (printer, expr);
      break;
    case HIR_EXPR_START_COALESCING:
      g_string_append (printer->out, "StartCoalescing");
      break;
    case HIR_EXPR_END_COALESCING:
      g_string_append_printf (printer->out, "EndCoalescing %d", expr->name);
      break;
    default:
      return FALSE;
    }
  return TRUE;
}

void
hir_printer_expr (HirPrinter *printer, const HirExpr *expr)
{
  guint span;

  hir_printer_indent (printer, printer->indent);
  if (expr == NULL)
    {
      g_string_append (printer->out, "(null)\n");
      return;
    }
  span = hir_printer_begin_span (printer, expr->node.id, TRUE);
  if (!hir_printer_math (printer, expr) && !print_host_op (printer, expr))
    g_string_append (printer->out, "?");
  hir_printer_end_span (printer, span);
  g_string_append_c (printer->out, '\n');

  if (expr->kind == HIR_EXPR_FOR)
    hir_printer_scope (printer, &expr->u.loop.body);
  if (expr->kind != HIR_EXPR_IF)
    return;
  hir_printer_scope (printer, &expr->u.branch.then_body);
  if (expr->u.branch.else_body.exprs.len == 0)
    return;
  hir_printer_indent (printer, printer->indent);
  span = hir_printer_begin_span (printer, expr->node.id, TRUE);
  g_string_append (printer->out, "ELSE:");
  hir_printer_end_span (printer, span);
  g_string_append_c (printer->out, '\n');
  hir_printer_scope (printer, &expr->u.branch.else_body);
}
