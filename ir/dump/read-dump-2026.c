/* Statements that only programs of 2026 have (docs/host-ir.md#host-instructions), and the
 * definitions of indices after a program (docs/host-ir.md#index-definitions). */
#include "dump/read-dump-internal.h"

#include <string.h>

gboolean
hir_dump_at_scalar_definition (const HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);
  int number;

  return token->kind == HIR_DUMP_WORD && strchr ("bdfi", token->text[0]) != NULL &&
         hir_dump_split_number (token->text, token->length, 1, &number) &&
         hir_dump_token_is (hir_dump_peek_at (reader, 1), "=");
}

HirExpr *
hir_dump_read_scalar_statement (HirDumpReader *reader, const HirDumpToken *start)
{
  g_autofree char *text = g_strndup (start->text, start->length);
  HirScalar *scalar;

  if (!hir_dump_read_scalar_definition (reader))
    return NULL;
  scalar = g_hash_table_lookup (reader->names->scalars, text);
  hir_dump_stamp (reader, start, text);
  return hir_expr_new_scalar (reader->names->container, scalar);
}

/* Moves to the block after the program. Returns FALSE if there is none. */
static gboolean
seek_index_block (HirDumpReader *reader)
{
  guint from = reader->at;

  for (; hir_dump_peek (reader)->kind != HIR_DUMP_END; reader->at++)
    if (hir_dump_at (reader, "Index") &&
        hir_dump_token_is (hir_dump_peek_at (reader, 1), "definitions"))
      return TRUE;
  reader->at = from;
  return FALSE;
}

gboolean
hir_dump_read_index_block (HirDumpReader *reader)
{
  guint from = reader->at;

  if (!seek_index_block (reader))
    return TRUE;
  if (!hir_dump_expect (reader, "Index definitions :"))
    return FALSE;
  reader->program->prints_indices = TRUE;
  while (hir_dump_at_scalar_definition (reader))
    if (!hir_dump_read_scalar_definition (reader))
      return FALSE;
  if (hir_dump_peek (reader)->kind != HIR_DUMP_END)
    return hir_dump_fail_expected (reader, "the definition of an index (i7 = i0 * i2;)");
  reader->at = from;
  return TRUE;
}

HirExpr *
hir_dump_read_launch (HirDumpReader *reader, const HirDumpToken *start)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();
  g_autofree char *name = NULL;
  gint64 group;

  hir_dump_next (reader);
  if (!hir_dump_expect (reader, "( Group ID :") || !hir_dump_read_int (reader, &group) ||
      !hir_dump_expect (reader, ", Inputs :") || !hir_dump_read_braced (reader, inputs) ||
      !hir_dump_expect (reader, ", Outputs :") || !hir_dump_read_braced (reader, outputs))
    return NULL;
  hir_dump_accept (reader, ",");
  if (!hir_dump_expect (reader, ")"))
    return NULL;
  name = g_strdup_printf ("group %d", (int) group);
  hir_dump_stamp (reader, start, name);
  return hir_expr_new_launch_kernel (reader->names->container, (int) group, NULL,
                                     (HirVal *const *) inputs->pdata, inputs->len,
                                     (HirVal *const *) outputs->pdata, outputs->len);
}

/* nvFuser prints the messages inline, a comma after each, and no closing bracket. */
HirExpr *
hir_dump_read_handles (HirDumpReader *reader, const HirDumpToken *start)
{
  g_autoptr (GPtrArray) messages = g_ptr_array_new ();

  hir_dump_next (reader);
  if (!hir_dump_expect (reader, "("))
    return NULL;
  do
    {
      HirExpr *message = NULL;

      if (hir_dump_at (reader, "P2PCommunication"))
        message = hir_dump_read_p2p (reader, hir_dump_peek (reader));
      else
        hir_dump_fail_expected (reader, "a P2PCommunication");
      if (message == NULL)
        return NULL;
      g_ptr_array_add (messages, message);
      g_hash_table_add (reader->shared, message);
    }
  while (hir_dump_accept (reader, ",") && hir_dump_at (reader, "P2PCommunication") &&
         hir_dump_peek (reader)->pos.line == start->pos.line);
  hir_dump_accept (reader, ")");
  hir_dump_stamp (reader, start, "");
  return hir_expr_new_share_mem_handles (reader->names->container,
                                         (HirExpr *const *) messages->pdata, messages->len);
}

HirExpr *
hir_dump_read_symmetric_view (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  g_autofree char *name = g_strdup_printf ("T%d", out->base.name);
  HirTensor *in;

  hir_dump_next (reader);
  if (!hir_dump_expect (reader, "(") || (in = hir_dump_read_tensor (reader)) == NULL ||
      !hir_dump_expect (reader, ")"))
    return NULL;
  hir_dump_stamp (reader, start, name);
  return hir_expr_new_symmetric_view (reader->names->container, in, out);
}

/* A Dispatch prints one of its outputs. The weights and rows that a Combine reads and that nothing
 * else defines are others. */
static void
add_hidden_outputs (HirDumpReader *reader, HirTensor *const inputs[3])
{
  HirExpr *dispatch = reader->last_dispatch;
  HirContainer *program = reader->program;

  for (guint i = 1; i < 3 && dispatch != NULL; i++)
    {
      HirVal **outputs;

      if (inputs[i]->definition != NULL || hir_container_is_input (program, &inputs[i]->base))
        continue;
      outputs = hir_arena_array0 (program->arena, HirVal *, dispatch->n_outputs + 1);
      for (guint k = 0; k < dispatch->n_outputs; k++)
        outputs[k] = dispatch->outputs[k];
      outputs[dispatch->n_outputs++] = HIR_VAL (inputs[i]);
      dispatch->outputs = outputs;
      inputs[i]->definition = dispatch;
    }
}

HirExpr *
hir_dump_read_moe (HirDumpReader *reader, const HirDumpToken *start)
{
  static const char *const labels[2][3] = {
    { ", in =", ", topk_idx =", ", topk_weights =" },
    { ", in =", ", topk_weights =", ", src_idx =" },
  };
  gboolean is_combine = hir_dump_token_is (start, "Combine");
  HirTensor *inputs[3], *out;
  HirCommBackend backend;
  gint64 n_experts = 0;
  HirExpr *expr;
  int number;

  hir_dump_next (reader);
  if (!hir_dump_read_comm_number (reader, &number) || !hir_dump_expect (reader, "(") ||
      (!is_combine &&
       (!hir_dump_expect (reader, "num_experts =") || !hir_dump_read_int (reader, &n_experts) ||
        !hir_dump_expect (reader, ","))) ||
      !hir_dump_read_backend (reader, &backend))
    return NULL;
  if (!is_combine && n_experts <= 0)
    {
      hir_dump_fail (reader, start, HIR_ERROR_INPUT, "num_experts must be positive");
      return NULL;
    }
  for (guint i = 0; i < 3; i++)
    if (!hir_dump_expect (reader, labels[is_combine][i]) ||
        (inputs[i] = hir_dump_read_tensor (reader)) == NULL)
      return NULL;
  if (!hir_dump_expect (reader, ", out =") || (out = hir_dump_read_tensor (reader)) == NULL ||
      !hir_dump_expect (reader, ")"))
    return NULL;
  if (is_combine)
    add_hidden_outputs (reader, inputs);
  hir_dump_stamp (reader, start, "");
  expr = hir_expr_new_moe (reader->names->container, n_experts, inputs, out);
  expr->name = number;
  expr->backend = backend;
  if (!is_combine)
    reader->last_dispatch = expr;
  return expr;
}
