/* Statements of a host program (docs/host-ir.md#host-instructions) in all three dialects.
 * Indentation determines scopes. */
#include "dump/read-dump-internal.h"

#define MAX_SCOPES 200

static HirExpr *
new_short_allocate (HirDumpReader *reader,
                    HirTensor *out,
                    const HirDumpToken *start,
                    gboolean zero_init)
{
  g_autofree char *name = g_strdup_printf ("T%d", out->base.name);
  HirExpr *expr;

  hir_dump_stamp (reader, start, name);
  expr = hir_expr_new_allocate (reader->names->container, out, out->memory);
  expr->u.allocate.zero_init = zero_init;
  expr->u.allocate.always = TRUE;
  return expr;
}

/* Reads `buffer=T0, `: the tensor again. */
static gboolean
read_buffer (HirDumpReader *reader, const HirTensor *out)
{
  const HirDumpToken *token;
  HirTensor *buffer;

  if (!hir_dump_expect (reader, "buffer ="))
    return FALSE;
  token = hir_dump_peek (reader);
  buffer = hir_dump_read_tensor (reader);
  if (buffer == NULL || !hir_dump_expect (reader, ","))
    return FALSE;
  return buffer == out || hir_dump_fail (reader, token, HIR_ERROR_INPUT,
                                         "the allocated buffer is not T%d", out->base.name);
}

static gboolean
read_memory (HirDumpReader *reader, const HirDumpToken *start, const HirTensor *out)
{
  if (!hir_dump_expect (reader, "mem_type ="))
    return FALSE;
  for (int i = HIR_MEMORY_LOCAL; i <= HIR_MEMORY_SYMMETRIC; i++)
    if (hir_dump_accept (reader, hir_memory_type_get_name ((HirMemoryType) i)))
      return (HirMemoryType) i == out->memory ||
             hir_dump_fail (reader, start, HIR_ERROR_INPUT,
                            "the mem_type of the Allocate is not the memory type of T%d",
                            out->base.name);
  return hir_dump_fail_expected (reader, "a memory type (global, register, ...)");
}

/* Reads `, resets_to_zero=false`. */
static gboolean
read_resets (HirDumpReader *reader)
{
  const HirDumpToken *token;
  gboolean resets;

  if (!hir_dump_expect (reader, ", resets_to_zero ="))
    return FALSE;
  token = hir_dump_peek (reader);
  if (!hir_dump_read_bool (reader, &resets))
    return FALSE;
  return !resets || hir_dump_refuse (reader, token, "an Allocate with resets_to_zero=true");
}

static HirExpr *
read_allocate (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  g_autofree char *name = g_strdup_printf ("T%d", out->base.name);
  HirScalar *size = NULL;
  gboolean zero_init, is_short;
  HirExpr *expr;

  if (!hir_dump_expect (reader, "ALLOCATE ("))
    return NULL;
  /* hir::Allocate of 2026 prints less. */
  is_short = hir_dump_at (reader, "mem_type");
  if ((!is_short && !read_buffer (reader, out)) || !read_memory (reader, start, out))
    return NULL;
  if (!is_short &&
      (!hir_dump_expect (reader, ", size =") || (size = hir_dump_read_inline (reader)) == NULL))
    return NULL;
  if (!hir_dump_expect (reader, ", zero_init =") || !hir_dump_read_bool (reader, &zero_init) ||
      (!is_short && !read_resets (reader)) || !hir_dump_expect (reader, ")"))
    return NULL;
  if (hir_dump_at (reader, ".") &&
      !hir_dump_refuse (reader, hir_dump_peek (reader), "an Allocate with an alias"))
    return NULL;
  if (is_short)
    return new_short_allocate (reader, out, start, zero_init);
  expr = hir_dump_new_expr (reader, start, name, HIR_EXPR_ALLOCATE, (HirVal *[]){ HIR_VAL (size) },
                            1, NULL);
  expr->u.allocate.buffer = out;
  expr->u.allocate.memory = out->memory;
  expr->u.allocate.size = size;
  expr->u.allocate.zero_init = zero_init;
  return expr;
}

static HirExpr *
read_alias_select (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  g_autofree char *name = g_strdup_printf ("T%d", out->base.name);
  const HirDumpToken *token;
  HirDumpCut cut = { 0 };
  HirIterDomain *axis;
  HirScalar *index;
  HirTensor *in;
  HirExpr *expr;

  hir_dump_next (reader);
  if (!hir_dump_expect (reader, "(") || (in = hir_dump_read_tensor (reader)) == NULL ||
      !hir_dump_expect (reader, ", axis ="))
    return NULL;
  token = hir_dump_peek (reader);
  if ((axis = hir_dump_read_axis (reader)) == NULL || !hir_dump_expect (reader, ", index =") ||
      (index = hir_dump_read_scalar (reader)) == NULL || !hir_dump_expect (reader, ")"))
    return NULL;
  expr = hir_dump_new_expr (reader, start, name, HIR_EXPR_ALIAS_SELECT,
                            (HirVal *[]){ HIR_VAL (in), HIR_VAL (index) }, 2, NULL);
  expr->u.alias_select.out = out;
  expr->u.alias_select.index = index;
  cut.expr = expr;
  cut.axis = axis;
  cut.pos = token->pos;
  g_array_append_val (reader->cuts, cut);
  return expr;
}

static HirExpr *
read_shard (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  g_autofree char *name = g_strdup_printf ("T%d", out->base.name);
  HirScalar *index;
  HirTensor *in;

  hir_dump_next (reader);
  if (!hir_dump_expect (reader, "(") || (in = hir_dump_read_tensor (reader)) == NULL ||
      !hir_dump_expect (reader, ", stream_index =") ||
      (index = hir_dump_read_scalar (reader)) == NULL || !hir_dump_expect (reader, ")"))
    return NULL;
  hir_dump_stamp (reader, start, name);
  return hir_expr_new_shard_by_stream (reader->names->container, in, out, index);
}

static HirExpr *
read_host_value (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  const HirDumpToken *token = hir_dump_peek (reader);

  if (hir_dump_token_is (token, "ALLOCATE"))
    return read_allocate (reader, out, start);
  if (hir_dump_token_is (token, "HirAliasSelect") ||
      (hir_dump_token_is (token, "select") && reader->format == HIR_FORMAT_2025_SELECT &&
       reader->n_loops > 0))
    return read_alias_select (reader, out, start);
  if (hir_dump_token_is (token, "ShardByStream"))
    return read_shard (reader, out, start);
  if (hir_dump_token_is (token, "SymmetricContiguousView"))
    return hir_dump_read_symmetric_view (reader, out, start);
  return NULL;
}

/* Reads `GetCurrentStream into Stream 0`, `Synchronize(Stream 0x1)`, ... */
static HirExpr *
read_stream_op (HirDumpReader *reader, const HirDumpToken *start)
{
  HirExprKind kind = HIR_EXPR_SYNCHRONIZE;
  gboolean in_brackets;
  HirStream *stream;
  HirExpr *expr;

  if (hir_dump_at (reader, "Stream"))
    {
      kind = HIR_EXPR_GET_CURRENT_STREAM;
      stream = hir_dump_read_stream (reader);
      if (stream == NULL || !hir_dump_expect (reader, "= GetCurrentStream ( )"))
        return NULL;
    }
  else
    {
      if (hir_dump_at (reader, "GetCurrentStream"))
        kind = HIR_EXPR_GET_CURRENT_STREAM;
      else if (hir_dump_at (reader, "SetCurrentStream"))
        kind = HIR_EXPR_SET_CURRENT_STREAM;
      hir_dump_next (reader);
      in_brackets = kind != HIR_EXPR_GET_CURRENT_STREAM && hir_dump_accept (reader, "(");
      if (!in_brackets && kind != HIR_EXPR_SYNCHRONIZE &&
          !hir_dump_expect (reader, kind == HIR_EXPR_SET_CURRENT_STREAM ? "to" : "into"))
        return NULL;
      stream = hir_dump_read_stream (reader);
      if (stream == NULL || (in_brackets && !hir_dump_expect (reader, ")")))
        return NULL;
    }
  if (kind == HIR_EXPR_GET_CURRENT_STREAM && stream->index != NULL)
    {
      hir_dump_fail (reader, start, HIR_ERROR_INPUT,
                     "GetCurrentStream can only set a stream without an index");
      return NULL;
    }
  expr = hir_dump_new_bare (reader, start, kind, "");
  expr->u.stream.stream = stream;
  return expr;
}

static HirExpr *
read_deallocate (HirDumpReader *reader, const HirDumpToken *start)
{
  g_autofree char *name = NULL;
  HirTensor *buffer;
  HirExpr *expr;

  hir_dump_next (reader);
  if (!hir_dump_expect (reader, "{") || (buffer = hir_dump_read_tensor (reader)) == NULL ||
      !hir_dump_expect (reader, "}"))
    return NULL;
  name = g_strdup_printf ("T%d", buffer->base.name);
  expr = hir_dump_new_bare (reader, start, HIR_EXPR_DEALLOCATE, name);
  expr->u.deallocate.buffer = buffer;
  return expr;
}

static HirExpr *
read_post (HirDumpReader *reader, const HirDumpToken *start)
{
  static const char prefix[] = "HostUnit";
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();
  const HirDumpToken *token;
  g_autofree char *name = NULL;
  HirDumpPost entry = { 0 };
  HirExpr *expr;

  hir_dump_next (reader);
  if (!hir_dump_expect (reader, "("))
    return NULL;
  token = hir_dump_peek (reader);
  if (!g_str_has_prefix (token->text, prefix) ||
      !hir_dump_split_number (token->text, token->length, sizeof prefix - 1, &entry.unit))
    {
      hir_dump_fail_expected (reader, "a HostUnit");
      return NULL;
    }
  hir_dump_next (reader);
  if (!hir_dump_expect (reader, ", Inputs :") || !hir_dump_read_braced (reader, inputs) ||
      !hir_dump_expect (reader, ", Outputs :") || !hir_dump_read_braced (reader, outputs) ||
      !hir_dump_expect (reader, ")"))
    return NULL;
  name = g_strdup_printf ("HostUnit%d", entry.unit);
  hir_dump_stamp (reader, start, name);
  expr = hir_expr_new (reader->names->container, HIR_EXPR_POST_ON_STREAM,
                       (HirVal *const *) inputs->pdata, inputs->len,
                       (HirVal *const *) outputs->pdata, outputs->len);
  entry.expr = expr;
  entry.pos = token->pos;
  g_array_append_val (reader->posts, entry);
  return expr;
}

/* Reads a loop up to its colon, and its body. */
static HirExpr *
read_loop (HirDumpReader *reader, const HirDumpToken *start, guint depth)
{
  HirScalar *index, *first = NULL, *stop = NULL;
  HirIterDomain *axis = NULL;
  HirContainer *container = reader->names->container;
  g_autofree char *name = NULL;
  HirExpr *expr;

  hir_dump_next (reader);
  index = hir_dump_read_scalar (reader);
  if (index == NULL)
    return NULL;
  if (index->kind != HIR_SCALAR_SYMBOL && index->kind != HIR_SCALAR_NAMED)
    {
      hir_dump_fail (reader, start + 1, HIR_ERROR_INPUT, "a loop's index must be a name");
      return NULL;
    }
  if (hir_dump_accept (reader, "in"))
    {
      axis = hir_dump_read_axis (reader);
      if (axis == NULL)
        return NULL;
    }
  else if (!hir_dump_expect (reader, "from") || (first = hir_dump_read_inline (reader)) == NULL ||
           !hir_dump_expect (reader, "to") || (stop = hir_dump_read_inline (reader)) == NULL)
    return NULL;
  if (!hir_dump_expect (reader, ":"))
    return NULL;
  name = axis != NULL ? g_strdup_printf ("axis %d", axis->base.name) : g_strdup ("from to");
  expr = hir_dump_new_bare (reader, start, HIR_EXPR_FOR, name);
  expr->u.loop.iter_domain = axis;
  expr->u.loop.index = index;
  expr->u.loop.start = axis != NULL ? hir_scalar_get_zero (container) : first;
  expr->u.loop.stop = axis != NULL ? axis->extent : stop;
  expr->u.loop.step = hir_scalar_get_one (container);
  reader->n_loops++;
  if (!hir_dump_read_scope (reader, &expr->u.loop.body, start->indent, depth + 1))
    return NULL;
  reader->n_loops--;
  if (expr->u.loop.body.exprs.len == 0)
    {
      hir_dump_fail_expected (reader, "the body of the loop, indented deeper than its FOR");
      return NULL;
    }
  return expr;
}

static HirExpr *
read_branch (HirDumpReader *reader, const HirDumpToken *start, guint depth)
{
  HirScalar *condition;
  HirExpr *expr;

  hir_dump_next (reader);
  if (!hir_dump_at (reader, "Manual"))
    {
      hir_dump_fail_expected (reader, "`Manual`, the predicate of a host program");
      return NULL;
    }
  hir_dump_next (reader);
  condition = hir_dump_read_inline (reader);
  if (condition == NULL || !hir_dump_expect (reader, ":"))
    return NULL;
  if (condition->base.dtype != HIR_DTYPE_BOOL)
    {
      hir_dump_fail (reader, start, HIR_ERROR_INPUT, "the condition is neither true nor false");
      return NULL;
    }
  expr = hir_dump_new_bare (reader, start, HIR_EXPR_IF, "");
  expr->u.branch.condition = condition;
  if (!hir_dump_read_scope (reader, &expr->u.branch.then_body, start->indent, depth + 1))
    return NULL;
  if (hir_dump_at (reader, "ELSE") && hir_dump_peek (reader)->indent == start->indent)
    {
      if (!hir_dump_expect (reader, "ELSE :") ||
          !hir_dump_read_scope (reader, &expr->u.branch.else_body, start->indent, depth + 1))
        return NULL;
    }
  if (expr->u.branch.then_body.exprs.len == 0 && expr->u.branch.else_body.exprs.len == 0)
    {
      hir_dump_fail_expected (reader, "the body of the branch, indented deeper than its IF");
      return NULL;
    }
  return expr;
}

static HirExpr *
read_value (HirDumpReader *reader, const HirDumpToken *start)
{
  HirTensor *out = hir_dump_read_tensor (reader);
  HirExpr *expr;

  if (out == NULL || !hir_dump_expect (reader, "="))
    return NULL;
  expr = read_host_value (reader, out, start);
  if (expr == NULL && reader->error == NULL)
    expr = hir_dump_read_op (reader, out, start);
  if (expr != NULL)
    hir_dump_accept (reader, ";");
  return expr;
}

static HirExpr *
read_statement (HirDumpReader *reader, guint depth)
{
  static const struct
  {
    const char *word;
    HirExpr *(*read) (HirDumpReader *, const HirDumpToken *);
  } statements[] = {
    { "GetCurrentStream", read_stream_op },
    { "SetCurrentStream", read_stream_op },
    { "Synchronize", read_stream_op },
    { "Stream", read_stream_op },
    { "Wait", hir_dump_read_wait },
    { "Communication", hir_dump_read_communication },
    { "P2PCommunication", hir_dump_read_p2p },
    { "CollectivePermute", hir_dump_read_collective_permute },
    { "EndCoalescing", hir_dump_read_end_coalescing },
    { "Deallocate", read_deallocate },
    { "PostOnStream", read_post },
    { "LaunchKernel", hir_dump_read_launch },
    { "ShareMemHandles", hir_dump_read_handles },
    { "Dispatch", hir_dump_read_moe },
    { "Combine", hir_dump_read_moe },
  };
  const HirDumpToken *start = hir_dump_peek (reader);

  if (hir_dump_at_tensor (reader))
    return read_value (reader, start);
  if (hir_dump_token_is (start, "FOR"))
    return read_loop (reader, start, depth);
  if (hir_dump_token_is (start, "IF"))
    return read_branch (reader, start, depth);
  if (hir_dump_accept (reader, "StartCoalescing"))
    return hir_dump_new_bare (reader, start, HIR_EXPR_START_COALESCING, "");
  for (guint i = 0; i < G_N_ELEMENTS (statements); i++)
    if (hir_dump_token_is (start, statements[i].word))
      return statements[i].read (reader, start);
  if (hir_dump_at_scalar_definition (reader))
    return hir_dump_read_scalar_statement (reader, start);
  hir_dump_fail_expected (reader, "a statement of a host program, or `}`");
  return NULL;
}

static gboolean
at_scope_end (const HirDumpReader *reader, guint indent)
{
  const HirDumpToken *token = hir_dump_peek (reader);

  return token->kind == HIR_DUMP_END || token->indent <= indent || hir_dump_token_is (token, "}") ||
         (token->kind == HIR_DUMP_WORD && g_str_has_prefix (token->text, "HostUnit"));
}

gboolean
hir_dump_read_scope (HirDumpReader *reader, HirScope *scope, guint indent, guint depth)
{
  if (depth > MAX_SCOPES)
    return hir_dump_fail (reader, hir_dump_peek (reader), HIR_ERROR_INPUT,
                          "loops and branches are nested deeper than %d", MAX_SCOPES);
  while (!at_scope_end (reader, indent))
    {
      HirExpr *expr = read_statement (reader, depth);

      if (expr == NULL)
        return FALSE;
      hir_vec_push (reader->program->arena, &scope->exprs, expr);
    }
  return TRUE;
}
