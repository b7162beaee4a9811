/* Check of teams against meshes. */
#include "run/reference/team-check.h"

#include "print/print.h"
#include "run/communicator.h"

typedef struct
{
  gint64 rank;
  GError **error;
  gboolean ok;
} Check;

/* Returns which tensors of @expr non-root members must hold. */
static void
get_sides (const HirExpr *expr, gboolean *in, gboolean *out)
{
  switch (expr->u.comm.type)
    {
    case HIR_COMM_GATHER:
    case HIR_COMM_REDUCE:
      *in = TRUE;
      *out = FALSE;
      break;
    case HIR_COMM_SCATTER:
    case HIR_COMM_BROADCAST:
      *in = FALSE;
      *out = TRUE;
      break;
    case HIR_COMM_SEND_RECV: /* see check_pair() */
      *in = FALSE;
      *out = FALSE;
      break;
    default:
      *in = TRUE;
      *out = TRUE;
      break;
    }
}

static char *
dup_team (const HirExpr *expr)
{
  GString *text = g_string_new ("(");

  for (guint i = 0; i < expr->u.comm.n_team; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", expr->u.comm.team[i]);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

static void
check_side (Check *check, const HirExpr *expr, const HirTensor *tensor, const char *what)
{
  gboolean holds = hir_mesh_has (tensor->mesh, check->rank);
  gboolean member = hir_comm_has_member (expr, check->rank);
  g_autofree char *team = NULL;

  if (!check->ok || tensor->mesh == NULL || holds == member ||
      (!holds && expr->u.comm.root == check->rank))
    return;
  team = dup_team (expr);
  check->ok = FALSE;
  if (holds)
    hir_set_error (check->error, HIR_ERROR_RUN, &expr->node.pos,
                   "%s of T%d misses rank %" G_GINT64_FORMAT
                   ": it holds %s, T%d, but is not in the team %s",
                   hir_comm_type_get_name (expr->u.comm.type), expr->outputs[0]->name, check->rank,
                   what, tensor->base.name, team);
  else
    hir_set_error (check->error, HIR_ERROR_RUN, &expr->node.pos,
                   "%s of T%d has rank %" G_GINT64_FORMAT
                   " in its team %s, which is not on the mesh of %s, T%d",
                   hir_comm_type_get_name (expr->u.comm.type), expr->outputs[0]->name, check->rank,
                   team, what, tensor->base.name);
}

/* The sender must hold the input, the receiver the output. */
static void
check_pair (Check *check, const HirExpr *expr)
{
  for (guint i = 0; i < expr->u.comm.n_team && check->ok; i++)
    {
      gboolean sends = expr->u.comm.team[i] == expr->u.comm.root;
      const HirTensor *tensor = HIR_TENSOR (sends ? expr->inputs[0] : expr->outputs[0]);
      g_autofree char *team = NULL;

      if (tensor->mesh == NULL || hir_mesh_has (tensor->mesh, expr->u.comm.team[i]))
        continue;
      team = dup_team (expr);
      check->ok = FALSE;
      hir_set_error (check->error, HIR_ERROR_RUN, &expr->node.pos,
                     "SendRecv of T%d has rank %" G_GINT64_FORMAT
                     " in its team %s, which is not on the mesh of its %s, T%d",
                     expr->outputs[0]->name, expr->u.comm.team[i], team, sends ? "input" : "output",
                     tensor->base.name);
    }
}

static gboolean
check_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  Check *check = user_data;
  gboolean in, out;

  if (expr->kind != HIR_EXPR_COMMUNICATION)
    return TRUE;
  get_sides (expr, &in, &out);
  if (expr->u.comm.type == HIR_COMM_SEND_RECV)
    check_pair (check, expr);
  if (in)
    check_side (check, expr, HIR_TENSOR (expr->inputs[0]), "its input");
  if (out)
    check_side (check, expr, HIR_TENSOR (expr->outputs[0]), "its output");
  return check->ok;
}

gboolean
hir_teams_check (HirContainer *const *programs, guint n_ranks, gint64 first, GError **error)
{
  Check check = { first, error, TRUE };

  for (guint i = 0; i < n_ranks && check.ok; i++, check.rank++)
    hir_container_foreach_expr (programs[i], check_expr, &check);
  return check.ok;
}
