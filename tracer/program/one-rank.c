/* Finds messages whose peers cannot match if all ranks post them. */
#include "program/one-rank.h"

#define MAX_DEVICES 65536

typedef struct
{
  GPtrArray *indices;     /* const HirScalar*: indices of the enclosing loops */
  const HirExpr *permute; /* nullable: the first one with the same peers on all ranks */
  const HirExpr *placed;  /* nullable: the first one with the position of a rank */
  const HirExpr *message; /* nullable: the first send or receive */
  gboolean is_unknown;    /* a send or receive has a peer that is not constant, or is in an IF */
  GHashTable *peers[2];   /* constant peers of receives and of sends */
} Search;

static gboolean
is_op (const HirScalar *scalar, HirScalarOp op)
{
  return scalar->kind == HIR_SCALAR_OP && scalar->op == op && scalar->b != NULL;
}

gint64
hir_permute_get_position (const HirExpr *permute)
{
  const HirScalar *send = permute->u.permute.send_peer, *recv = permute->u.permute.recv_peer;
  gint64 n = permute->u.permute.n_team, position;

  if (!is_op (recv, HIR_SCALAR_OP_MOD) || !hir_scalar_is_const_int (recv->b, n) ||
      !is_op (recv->a, HIR_SCALAR_OP_ADD) || !hir_scalar_is_const (recv->a->b))
    return -1;
  position = recv->a->b->i;
  if (!is_op (send, HIR_SCALAR_OP_MOD) || !hir_scalar_is_const_int (send->b, n) ||
      !is_op (send->a, HIR_SCALAR_OP_ADD) || !hir_scalar_is_const_int (send->a->a, n) ||
      !is_op (send->a->b, HIR_SCALAR_OP_SUB) ||
      !hir_scalar_is_const_int (send->a->b->a, position) ||
      !hir_scalar_equal (send->a->b->b, recv->a->a))
    return -1;
  return position >= 0 && position < n ? position : -1;
}

void
hir_permute_set_position (HirExpr *permute, gint64 position)
{
  HirScalar *own = hir_scalar_new_int (permute->container, position, HIR_DTYPE_INDEX);

  /* The loop computes these scalars again in each iteration: keep them, and replace an operand. */
  permute->u.permute.send_peer->a->b->a = own;
  permute->u.permute.recv_peer->a->b = own;
}

/* Returns FALSE if @scalar may have different values on the ranks in the same iteration. */
static gboolean
is_same_on_ranks (const Search *it, const HirScalar *scalar)
{
  switch (scalar->kind)
    {
    case HIR_SCALAR_CONST:
      return TRUE;
    case HIR_SCALAR_OP:
      return is_same_on_ranks (it, scalar->a) &&
             (scalar->b == NULL || is_same_on_ranks (it, scalar->b));
    case HIR_SCALAR_SYMBOL:
    case HIR_SCALAR_NAMED:
    default:
      return g_ptr_array_find (it->indices, scalar, NULL);
    }
}

/* Returns FALSE for the bounds of a loop that all ranks execute alike. */
static gboolean
depends_on_rank (const HirScalar *scalar)
{
  if (scalar == NULL || scalar->kind == HIR_SCALAR_CONST || scalar->kind == HIR_SCALAR_SYMBOL)
    return FALSE;
  return scalar->kind == HIR_SCALAR_OP ? depends_on_rank (scalar->a) || depends_on_rank (scalar->b)
                                       : !g_str_equal (scalar->named, HIR_NAME_NUMBER_OF_STREAMS);
}

static void
add_message (Search *it, const HirExpr *expr, gboolean is_certain)
{
  const HirScalar *peer = expr->u.p2p.peer;

  if (it->message == NULL)
    it->message = expr;
  if (is_certain && hir_scalar_is_const (peer))
    g_hash_table_add (it->peers[expr->u.p2p.is_send], GINT_TO_POINTER ((int) peer->i));
  else
    it->is_unknown = TRUE;
}

static void
add_permute (Search *it, const HirExpr *expr, gboolean is_certain)
{
  if (expr->u.permute.n_team < 2)
    return;
  if (hir_permute_get_position (expr) >= 0)
    it->placed = it->placed != NULL ? it->placed : expr;
  else if (it->permute == NULL && is_certain && is_same_on_ranks (it, expr->u.permute.send_peer) &&
           is_same_on_ranks (it, expr->u.permute.recv_peer))
    it->permute = expr;
}

/* @is_certain: all ranks execute the scope alike. */
static void
visit (Search *it, const HirScope *scope, gboolean is_certain)
{
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      const HirExpr *expr = scope->exprs.items[i];
      gboolean is_like;

      switch (expr->kind)
        {
        case HIR_EXPR_FOR:
          is_like = is_certain && !depends_on_rank (expr->u.loop.start) &&
                    !depends_on_rank (expr->u.loop.stop) && !depends_on_rank (expr->u.loop.step);
          g_ptr_array_add (it->indices, expr->u.loop.index);
          visit (it, &expr->u.loop.body, is_like);
          g_ptr_array_set_size (it->indices, (int) it->indices->len - 1);
          break;
        case HIR_EXPR_IF:
          visit (it, &expr->u.branch.then_body, FALSE);
          visit (it, &expr->u.branch.else_body, FALSE);
          break;
        case HIR_EXPR_P2P:
          add_message (it, expr, is_certain);
          break;
        case HIR_EXPR_COLLECTIVE_PERMUTE:
          add_permute (it, expr, is_certain);
          break;
        default:
          break;
        }
    }
}

/* Returns TRUE if some rank sends or receives and no other rank receives or sends. */
static gboolean
lacks_peers (const Search *it, gint64 n_devices)
{
  if (it->message == NULL || it->is_unknown || n_devices > MAX_DEVICES)
    return FALSE;
  for (guint is_send = 0; is_send < 2; is_send++)
    for (gint64 rank = 0; rank < n_devices; rank++)
      if (!g_hash_table_contains (it->peers[is_send], GINT_TO_POINTER ((int) rank)))
        return TRUE;
  return FALSE;
}

/* Returns the first message that only one rank can have, or NULL. Sets @placed (nullable) to the
 * first CollectivePermute with the position of a rank. */
static const HirExpr *
find (HirContainer *program, gint64 n_devices, const HirExpr **placed)
{
  g_autoptr (GPtrArray) indices = g_ptr_array_new ();
  g_autoptr (GHashTable) receives = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) sends = g_hash_table_new (NULL, NULL);
  Search it = { .indices = indices, .peers = { receives, sends } };

  if (n_devices >= 2)
    visit (&it, &program->top, TRUE);
  if (placed != NULL)
    *placed = it.placed;
  if (it.permute != NULL)
    return it.permute;
  return lacks_peers (&it, n_devices) ? it.message : NULL;
}

HirDiagnostic *
hir_one_rank_dup_note (HirContainer *program, gint64 n_devices)
{
  const HirExpr *placed;
  const HirExpr *message = find (program, n_devices, &placed);

  if (message != NULL)
    return hir_diagnostic_new (
        HIR_WARNING, message->node.pos,
        "this is the program of one of %" G_GINT64_FORMAT
        " ranks: the peers of %s; give a log of all ranks (docs/host-ir.md#pass-logs)",
        n_devices,
        message->kind == HIR_EXPR_P2P ? "all sends and receives are constants"
                                      : "the CollectivePermute do not depend on the rank");
  if (placed == NULL)
    return NULL;
  return hir_diagnostic_new (
      HIR_ERROR_INPUT, placed->node.pos,
      "this is the program of rank %" G_GINT64_FORMAT
      ": the peers of the CollectivePermute contain its position in the team; the programs of the "
      "other ranks are derived from it",
      placed->u.permute.team[hir_permute_get_position (placed)]);
}

gboolean
hir_one_rank_check (HirContainer *program, gint64 n_devices, GError **error)
{
  const HirExpr *message = find (program, n_devices, NULL);

  if (message == NULL)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, &message->node.pos,
                 "the programs of the other ranks are missing: if all %" G_GINT64_FORMAT
                 " ranks run this program, which is that of one rank, their messages do not match; "
                 "give a log of all ranks, each line with a tag of its rank "
                 "(docs/host-ir.md#pass-logs)",
                 n_devices);
  return FALSE;
}
