/* Communications and waits (docs/host-ir.md#host-instructions, docs/host-ir.md#communication). */
#include "dump/read-dump-internal.h"

gboolean
hir_dump_read_comm_number (HirDumpReader *reader, int *number)
{
  const HirDumpToken *token = hir_dump_peek (reader);

  if (!hir_dump_split_number (token->text, token->length, 0, number))
    return hir_dump_fail_expected (reader, "the number of a communication");
  hir_dump_next (reader);
  return TRUE;
}

static HirExpr *
post (HirDumpReader *reader, HirExpr *expr, int number)
{
  expr->name = number;
  g_hash_table_insert (reader->posted, GINT_TO_POINTER (number), expr);
  return expr;
}

typedef struct
{
  HirExpr *expr;
  int number; /* of the communication */
  const HirDumpToken *token;
} EarlyWait;

gboolean
hir_dump_connect_waits (HirDumpReader *reader)
{
  for (guint i = 0; reader->early_waits != NULL && i < reader->early_waits->len; i++)
    {
      const EarlyWait *wait = &g_array_index (reader->early_waits, EarlyWait, i);

      wait->expr->u.wait.of = g_hash_table_lookup (reader->posted, GINT_TO_POINTER (wait->number));
      if (wait->expr->u.wait.of == NULL)
        {
          hir_dump_fail (reader, wait->token, HIR_ERROR_INPUT,
                         "the program has no communication and no EndCoalescing %d", wait->number);
          return FALSE;
        }
    }
  return TRUE;
}

HirExpr *
hir_dump_read_wait (HirDumpReader *reader, const HirDumpToken *start)
{
  gboolean in_brackets;
  const HirDumpToken *token;
  HirExpr *of, *expr;
  int number;

  hir_dump_next (reader);
  in_brackets = hir_dump_accept (reader, "(");
  if (!hir_dump_expect (reader, "Communication"))
    return NULL;
  token = hir_dump_peek (reader);
  if (!hir_dump_read_comm_number (reader, &number) ||
      (in_brackets && !hir_dump_expect (reader, ")")))
    return NULL;
  of = g_hash_table_lookup (reader->posted, GINT_TO_POINTER (number));
  expr = hir_dump_new_bare (reader, start, HIR_EXPR_WAIT, "");
  expr->u.wait.of = of;
  if (of == NULL)
    {
      EarlyWait wait = { expr, number, token };

      if (reader->early_waits == NULL)
        reader->early_waits = g_array_new (FALSE, FALSE, sizeof (EarlyWait));
      g_array_append_val (reader->early_waits, wait);
    }
  return expr;
}

gboolean
hir_dump_read_backend (HirDumpReader *reader, HirCommBackend *backend)
{
  if (!hir_dump_expect (reader, "backend ="))
    return FALSE;
  for (int i = HIR_COMM_BACKEND_NCCL; i <= HIR_COMM_BACKEND_CUDA; i++)
    if (hir_dump_accept (reader, hir_comm_backend_get_name ((HirCommBackend) i)))
      {
        *backend = (HirCommBackend) i;
        return TRUE;
      }
  return hir_dump_fail_expected (reader, "a backend (NCCL, UCC, CUDA)");
}

/* Reads `input=T0, output=T1, `. */
static gboolean
read_in_out (HirDumpReader *reader, HirTensor **in, HirTensor **out)
{
  return hir_dump_expect (reader, "input =") && (*in = hir_dump_read_tensor (reader)) != NULL &&
         hir_dump_expect (reader, ", output =") && (*out = hir_dump_read_tensor (reader)) != NULL &&
         hir_dump_expect (reader, ",");
}

static gboolean
read_comm_type (HirDumpReader *reader, HirCommType *type)
{
  for (int i = HIR_COMM_GATHER; i <= HIR_COMM_ALL_TO_ALL; i++)
    if (hir_dump_accept (reader, hir_comm_type_get_name ((HirCommType) i)))
      {
        *type = (HirCommType) i;
        return TRUE;
      }
  return hir_dump_fail_expected (reader, "the type of a communication (Allgather, ...)");
}

/* Reads the root: a device id in 2025, a position in the team in 2026 (docs/host-ir.md#roots). */
static gboolean
read_root (HirDumpReader *reader, const GArray *team, gint64 *root, HirScalar **index)
{
  const HirDumpToken *token;

  *root = -1;
  if (!hir_dump_accept (reader, "root"))
    return TRUE;
  if (!hir_dump_expect (reader, "="))
    return FALSE;
  token = hir_dump_peek (reader);
  if (token->kind == HIR_DUMP_WORD || hir_dump_token_is (token, "("))
    return (*index = hir_dump_read_inline (reader)) != NULL && hir_dump_expect (reader, ",");
  if (!hir_dump_read_int (reader, root) || !hir_dump_expect (reader, ","))
    return FALSE;
  if (*root < 0 || (reader->format == HIR_FORMAT_2026 && *root >= team->len))
    return hir_dump_fail (reader, token, HIR_ERROR_INPUT, "the team has no root %" G_GINT64_FORMAT,
                          *root);
  if (reader->format == HIR_FORMAT_2026)
    *root = g_array_index (team, gint64, *root);
  return TRUE;
}

HirExpr *
hir_dump_read_communication (HirDumpReader *reader, const HirDumpToken *start)
{
  g_autoptr (GArray) team = g_array_new (FALSE, TRUE, sizeof (gint64));
  HirTensor *in, *out;
  HirCommType type = HIR_COMM_GATHER;
  HirExpr *expr;
  HirScalar *root_index = NULL;
  HirCommBackend backend;
  gint64 root;
  int number;

  hir_dump_next (reader);
  if (!hir_dump_read_comm_number (reader, &number) || !hir_dump_expect (reader, "( type =") ||
      !read_comm_type (reader, &type) || !hir_dump_expect (reader, ", team = (") ||
      !hir_dump_read_devices (reader, ")", team) || !hir_dump_expect (reader, ",") ||
      !read_root (reader, team, &root, &root_index) || !read_in_out (reader, &in, &out) ||
      !hir_dump_read_backend (reader, &backend) || !hir_dump_expect (reader, ")"))
    return NULL;
  expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_COMMUNICATION,
                            (HirVal *[]){ HIR_VAL (in) }, 1, out);
  expr->u.comm.type = type;
  expr->u.comm.team =
      hir_arena_memdup (reader->program->arena, team->data, sizeof (gint64) * team->len);
  expr->u.comm.n_team = team->len;
  expr->u.comm.root = root;
  expr->u.comm.op = HIR_BINARY_ADD; /* not printed */
  expr->backend = backend;
  if (root_index != NULL && !hir_comm_type_is_rooted (type))
    {
      hir_dump_fail (reader, start, HIR_ERROR_INPUT, "%s has no root",
                     hir_comm_type_get_name (type));
      return NULL;
    }
  if (root_index != NULL)
    {
      expr->name = number;
      hir_comm_set_root_index (expr, root_index);
    }
  return post (reader, expr, number);
}

HirExpr *
hir_dump_read_p2p (HirDumpReader *reader, const HirDumpToken *start)
{
  HirTensor *buffer;
  gboolean is_send;
  HirScalar *peer;
  HirCommBackend backend;
  HirExpr *expr;
  g_autofree char *name = NULL;
  int number;

  hir_dump_next (reader);
  if (!hir_dump_read_comm_number (reader, &number) || !hir_dump_expect (reader, "( type ="))
    return NULL;
  is_send = hir_dump_at (reader, "send");
  if (!is_send && !hir_dump_at (reader, "recv"))
    {
      hir_dump_fail_expected (reader, "send or recv");
      return NULL;
    }
  hir_dump_next (reader);
  if (!hir_dump_expect (reader, ", buffer =") || (buffer = hir_dump_read_tensor (reader)) == NULL ||
      !hir_dump_expect (reader, ", peer =") || (peer = hir_dump_read_scalar (reader)) == NULL ||
      !hir_dump_expect (reader, ",") || !hir_dump_read_backend (reader, &backend) ||
      !hir_dump_expect (reader, ")"))
    return NULL;
  expr = g_hash_table_lookup (reader->posted, GINT_TO_POINTER (number));
  if (expr != NULL && g_hash_table_remove (reader->shared, expr) &&
      expr->u.p2p.is_send == is_send && expr->u.p2p.buffer == buffer && expr->u.p2p.peer == peer)
    {
      expr->node.pos = start->pos;
      return expr;
    }
  name = g_strdup_printf ("%s T%d", is_send ? "send" : "recv", buffer->base.name);
  hir_dump_stamp (reader, start, name);
  expr = hir_expr_new_p2p (reader->names->container, is_send, buffer, peer);
  expr->backend = backend;
  return post (reader, expr, number);
}

HirExpr *
hir_dump_read_collective_permute (HirDumpReader *reader, const HirDumpToken *start)
{
  g_autoptr (GArray) team = g_array_new (FALSE, TRUE, sizeof (gint64));
  HirScalar *send_peer, *recv_peer;
  HirTensor *in, *out;
  HirCommBackend backend;
  HirExpr *expr;
  g_autofree char *name = NULL;
  int number;

  hir_dump_next (reader);
  if (!hir_dump_read_comm_number (reader, &number) || !hir_dump_expect (reader, "( team = (") ||
      !hir_dump_read_devices (reader, ")", team) || !hir_dump_expect (reader, ", send_peer =") ||
      (send_peer = hir_dump_read_inline (reader)) == NULL ||
      !hir_dump_expect (reader, ", recv_peer =") ||
      (recv_peer = hir_dump_read_inline (reader)) == NULL || !hir_dump_expect (reader, ",") ||
      !read_in_out (reader, &in, &out) || !hir_dump_read_backend (reader, &backend) ||
      !hir_dump_expect (reader, ")"))
    return NULL;
  name = g_strdup_printf ("T%d", out->base.name);
  hir_dump_stamp (reader, start, name);
  expr = hir_expr_new_collective_permute (reader->names->container, out, in,
                                          (const gint64 *) (gpointer) team->data, team->len,
                                          send_peer, recv_peer);
  expr->backend = backend;
  return post (reader, expr, number);
}

HirExpr *
hir_dump_read_end_coalescing (HirDumpReader *reader, const HirDumpToken *start)
{
  int number;

  hir_dump_next (reader);
  if (!hir_dump_read_comm_number (reader, &number))
    return NULL;
  return post (reader, hir_dump_new_bare (reader, start, HIR_EXPR_END_COALESCING, ""), number);
}
