#include "fixture-devices.h"

#include <string.h>

const HirMesh *
fix_mesh (HirContainer *fusion, const char *text)
{
  g_auto (GStrv) rows = g_strsplit (text, "|", -1);
  g_autoptr (GArray) devices = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 shape[] = { g_strv_length (rows), 0 };
  GError *error = NULL;
  HirMesh *mesh;

  for (guint i = 0; rows[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (rows[i], " ", -1);

      shape[1] = g_strv_length (words);
      for (guint k = 0; words[k] != NULL; k++)
        {
          gint64 device = g_ascii_strtoll (words[k], NULL, 10);

          g_array_append_val (devices, device);
        }
    }
  mesh = hir_mesh_new (fusion->arena, (const gint64 *) devices->data, devices->len,
                       shape[0] > 1 ? shape : shape + 1, shape[0] > 1 ? 2 : 1, &error);
  g_assert_no_error (error);
  return mesh;
}

void
fix_on_mesh (HirContainer *fusion, HirTensor *tensor, const char *mesh)
{
  fix_line (fusion, fusion->maker.pos.line + 1);
  hir_schedule_set_device_mesh (tensor, fix_mesh (fusion, mesh));
}

void
fix_parallelize (HirContainer *fusion, HirTensor *tensor, gint64 axis, HirParallelType type)
{
  GError *error = NULL;

  fix_line (fusion, fusion->maker.pos.line + 1);
  hir_schedule_parallelize (tensor, axis, type, &error);
  g_assert_no_error (error);
}

HirLowering *
fix_lower_by (HirContainer *fusion, const char *passes, gint64 rank)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_auto (GStrv) names = g_strsplit (passes != NULL ? passes : "", " ", -1);
  const HirPass *const *table = hir_pass_get_table (HIR_PIPELINE_EXECUTOR);
  GError *error = NULL;

  for (guint i = 0; passes != NULL && names[i] != NULL; i++)
    g_assert_nonnull (hir_pass_lookup (HIR_PIPELINE_EXECUTOR, names[i]));
  for (guint i = 0; passes != NULL && table[i] != NULL; i++)
    {
      gboolean enabled = g_strv_contains ((const char *const *) names, table[i]->name);

      g_assert_true (hir_pipeline_set_enabled (pipeline, table[i]->name, enabled, &error));
    }
  return hir_pipeline_run (pipeline, fusion, rank, 8, NULL);
}

HirContainer *
fix_program (HirContainer *fusion, const char *passes, gint64 rank)
{
  g_autoptr (HirLowering) lowering = fix_lower_by (fusion, passes, rank);

  g_assert_no_error (lowering->error);
  return hir_container_ref (hir_lowering_get_last (lowering)->program);
}

GError *
fix_refusal_of (HirContainer *fusion, const char *passes, gint64 rank, const char *pass)
{
  g_autoptr (HirLowering) lowering = fix_lower_by (fusion, passes, rank);

  g_assert_nonnull (lowering->error);
  g_assert_nonnull (lowering->failed_pass);
  g_test_message ("%s: line %u: %s", lowering->failed_pass->name,
                  hir_error_get_pos (lowering->error).line, lowering->error->message);
  g_assert_cmpstr (lowering->failed_pass->name, ==, pass);
  return g_error_copy (lowering->error);
}

void
fix_assert_refusal (const GError *error, guint line, const char *fragments)
{
  g_auto (GStrv) words = g_strsplit (fragments, "|", -1);

  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
  for (guint i = 0; words[i] != NULL; i++)
    {
      if (strstr (error->message, words[i]) == NULL)
        g_test_message ("misses: %s", words[i]);
      g_assert_nonnull (strstr (error->message, words[i]));
    }
  g_assert_cmpuint (hir_error_get_pos (error).line, ==, line);
}

static void
add_tensor (GString *out, const HirTensor *tensor)
{
  g_string_append_printf (out, "(T%d)", tensor->base.name);
}

static void add_scope (GString *out, const HirScope *scope);

static void
add_communication (GString *out, const HirExpr *expr)
{
  g_string_append_printf (out, "%s(", hir_comm_type_get_name (expr->u.comm.type));
  for (guint i = 0; i < expr->u.comm.n_team; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", expr->u.comm.team[i]);
  g_string_append_c (out, ')');
  if (expr->u.comm.root >= 0)
    g_string_append_printf (out, "@%" G_GINT64_FORMAT, expr->u.comm.root);
  if (hir_comm_type_is_reduction (expr->u.comm.type))
    g_string_append_printf (out, ":%s", hir_binary_op_get_name (expr->u.comm.op));
}

static void
add_expr (GString *out, const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_COMMUNICATION:
      add_communication (out, expr);
      break;
    case HIR_EXPR_P2P:
      g_string_append (out, expr->u.p2p.is_send ? "send" : "recv");
      add_tensor (out, expr->u.p2p.buffer);
      break;
    case HIR_EXPR_IF:
      g_string_append (out, "IF{");
      add_scope (out, &expr->u.branch.then_body);
      g_string_append (out, "}ELSE{");
      add_scope (out, &expr->u.branch.else_body);
      g_string_append_c (out, '}');
      break;
    case HIR_EXPR_FOR:
      g_string_append (out, "FOR{");
      add_scope (out, &expr->u.loop.body);
      g_string_append_c (out, '}');
      break;
    case HIR_EXPR_DEALLOCATE:
      g_string_append (out, "Deallocate");
      add_tensor (out, expr->u.deallocate.buffer);
      break;
    default:
      g_string_append (out, expr->kind == HIR_EXPR_SET ? hir_expr_get_op_name (expr)
                                                       : hir_expr_kind_get_info (expr->kind)->name);
      if (hir_expr_get_result (expr) != NULL)
        add_tensor (out, hir_expr_get_result (expr));
      break;
    }
}

static void
add_scope (GString *out, const HirScope *scope)
{
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      if (i > 0)
        g_string_append_c (out, ' ');
      add_expr (out, scope->exprs.items[i]);
    }
}

char *
fix_brief (const HirScope *scope)
{
  GString *out = g_string_new (NULL);

  add_scope (out, scope);
  return g_string_free (out, FALSE);
}

char *
fix_brief_loop (HirContainer *program)
{
  return fix_brief (&fix_last_loop (program)->u.loop.body);
}
