/* Reads one dump: values, statements, HostUnits. */
#include "dump/read-dump-infer.h"

#include "clone.h"
#include "verify/verify.h"

#include <string.h>

void
hir_dump_free (HirDump *dump)
{
  if (dump == NULL)
    return;
  g_free (dump->pass_name);
  g_free (dump->tag);
  hir_container_unref (dump->container);
  g_free (dump);
}

/* Detects the dialect by words that only one of them has (docs/host-ir.md#dialects). */
static HirFormat
detect_format (const GArray *tokens)
{
  static const char *const calls[] = {
    "LaunchKernel", "ShareMemHandles", "SymmetricContiguousView", "SetCurrentStream", "Synchronize",
    "Wait",         "ShardByStream",   "CollectivePermute",       "reshape"
  };
  gboolean has_select = FALSE, has_loop = FALSE, has_new = FALSE, has_old = FALSE;

  for (guint i = 0; i + 1 < tokens->len; i++)
    {
      const HirDumpToken *token = &g_array_index (tokens, HirDumpToken, i);
      gboolean is_call = hir_dump_token_is (token + 1, "(");
      gboolean is_axis = hir_dump_token_is (token + 1, "{") && token->length > 7;

      if (token->kind != HIR_DUMP_WORD)
        continue;
      for (guint k = 0; is_call && k < G_N_ELEMENTS (calls); k++)
        if (hir_dump_token_is (token, calls[k]))
          return HIR_FORMAT_2026;
      if (hir_dump_token_is (token, "streamIdx") ||
          (is_axis && memcmp (token->text + 1, "streamIdx", MIN (token->length - 1, 9)) == 0) ||
          (is_call && (g_str_has_prefix (token->text, "__to_") ||
                       g_str_has_prefix (token->text, "__real_then_to_"))) ||
          (hir_dump_token_is (token, "GetCurrentStream") && is_call) ||
          (hir_dump_token_is (token, "ALLOCATE") && i + 2 < tokens->len &&
           hir_dump_token_is (token + 2, "mem_type")))
        return HIR_FORMAT_2026;
      if (is_axis && memcmp (token->text + 1, "Stream", 6) == 0)
        {
          has_old |= g_ascii_isdigit (token->text[7]);
          has_new |= token->text[7] == 'I';
        }
      has_new |= hir_dump_token_is (token, "HirAliasSelect") ||
                 hir_dump_token_is (token, HIR_NAME_STREAM_IDX);
      has_select |= is_call && hir_dump_token_is (token, "select");
      has_loop |= hir_dump_token_is (token, "FOR");
      if (hir_dump_token_is (token, "FOR") && i + 2 < tokens->len &&
          hir_dump_token_is (token + 2, "from"))
        return HIR_FORMAT_2026;
    }
  return (has_old || (has_select && has_loop)) && !has_new ? HIR_FORMAT_2025_SELECT
                                                           : HIR_FORMAT_2025;
}

/* New nodes get numbers above all printed ones, except above huge ones, which are left out so that
 * the new numbers can be printed and read again. */
static void
reserve (int *counter, int number)
{
  if (number < HIR_DUMP_MAX_NUMBER / 2)
    *counter = MAX (*counter, number + 1);
}

static void
reserve_numbers (const GArray *tokens, int counters[HIR_N_VAL_KINDS], int *expr_counter)
{
  for (guint i = 0; i + 1 < tokens->len; i++)
    {
      const HirDumpToken *token = &g_array_index (tokens, HirDumpToken, i);
      guint begin = token->length;
      int number, *counter;

      if (token->kind == HIR_DUMP_NUMBER && i > 0 && token[-1].kind == HIR_DUMP_WORD &&
          hir_dump_split_number (token->text, token->length, 0, &number))
        {
          /* `Stream 0`; other numbers after a word are Exprs. */
          counter =
              hir_dump_token_is (token - 1, "Stream") ? &counters[HIR_VAL_STREAM] : expr_counter;
          reserve (counter, number);
          continue;
        }
      if (token->kind != HIR_DUMP_WORD)
        continue;
      counter = &counters[HIR_VAL_SCALAR];
      if (token->text[0] == 'T')
        {
          counter = &counters[HIR_VAL_TENSOR];
          for (begin = 1; begin < token->length && g_ascii_isdigit (token->text[begin]);)
            begin++;
          if (hir_dump_split_number (token->text, begin, 1, &number))
            reserve (counter, number);
          continue;
        }
      while (begin > 0 && g_ascii_isdigit (token->text[begin - 1]))
        begin--;
      if (hir_dump_token_is (token + 1, "{"))
        counter = &counters[HIR_VAL_ITER_DOMAIN];
      if (hir_dump_split_number (token->text, token->length, begin, &number))
        reserve (counter, number);
    }
}

static void
start_counters (HirContainer *container, const int counters[HIR_N_VAL_KINDS], int expr_counter)
{
  for (int i = 0; i < HIR_N_VAL_KINDS; i++)
    container->val_counter[i] = MAX (container->val_counter[i], counters[i]);
  container->expr_counter = MAX (container->expr_counter, expr_counter);
}

/* Reads `(T0, T1)`. Unlike hir_container_add_input(), keeps the memory type. */
static gboolean
read_signature (HirDumpReader *reader, HirVec *vals)
{
  gboolean first = TRUE;

  if (!hir_dump_expect (reader, "("))
    return FALSE;
  for (; !hir_dump_accept (reader, ")"); first = FALSE)
    {
      HirVal *val;

      if (!first && !hir_dump_accept (reader, ","))
        return hir_dump_fail_expected (reader, "`,` or `)`");
      val = hir_dump_read_operand (reader);
      if (val == NULL)
        return FALSE;
      hir_vec_push (reader->program->arena, vals, val);
    }
  return TRUE;
}

/* Reads `Inputs:` or `Outputs:` of a fusion and the lines below it. */
static gboolean
read_boundary (HirDumpReader *reader, const char *word, HirVec *vals)
{
  if (!hir_dump_expect (reader, word))
    return FALSE;
  while (hir_dump_peek (reader)->kind != HIR_DUMP_END && !hir_dump_at (reader, "Outputs") &&
         !g_str_has_prefix (hir_dump_peek (reader)->text, "%"))
    {
      HirVal *val = hir_dump_read_operand (reader);

      if (val == NULL)
        return FALSE;
      hir_vec_push (reader->program->arena, vals, val);
    }
  return TRUE;
}

/* Skips the transforms at the end of a listing, which do not affect the program. */
static gboolean
skip_transforms (HirDumpReader *reader, const char *word)
{
  if (!hir_dump_at (reader, "TransformPrinter"))
    return TRUE;
  while (!(hir_dump_at (reader, "}") && hir_dump_token_is (hir_dump_peek_at (reader, 1), "//") &&
           hir_dump_token_is (hir_dump_peek_at (reader, 2), word)))
    if (hir_dump_next (reader)->kind == HIR_DUMP_END)
      return hir_dump_fail_expected (reader, "the end of the transforms");
  return TRUE;
}

static gboolean
read_listing (HirDumpReader *reader, const char *word)
{
  HirContainer *fusion = reader->names->container;

  while (!hir_dump_at (reader, "}") && !hir_dump_at (reader, "TransformPrinter"))
    {
      const HirDumpToken *start = hir_dump_peek (reader);
      HirTensor *out;
      HirExpr *expr;

      if (!hir_dump_at_tensor (reader))
        {
          if (start->kind == HIR_DUMP_END)
            return hir_dump_fail_expected (reader, "an op of the fusion, or `}`");
          if (!hir_dump_read_scalar_definition (reader))
            return FALSE;
          continue;
        }
      out = hir_dump_read_tensor (reader);
      if (out == NULL || !hir_dump_expect (reader, "="))
        return FALSE;
      expr = hir_dump_read_op (reader, out, start);
      if (expr == NULL)
        return FALSE;
      hir_container_add_expr (fusion, expr);
      hir_dump_accept (reader, ";");
    }
  return skip_transforms (reader, word) && hir_dump_expect (reader, "} //") &&
         hir_dump_expect (reader, word);
}

static gboolean
read_fusion (HirDumpReader *reader)
{
  HirContainer *fusion = reader->names->container;
  const char *word;

  if (!read_boundary (reader, "Inputs :", &fusion->inputs) ||
      !read_boundary (reader, "Outputs :", &fusion->outputs))
    return FALSE;
  word = hir_dump_at (reader, "%kernel") ? "%kernel" : "%kernel_math";
  return hir_dump_expect (reader, word) && hir_dump_expect (reader, "{") &&
         read_listing (reader, word);
}

static gboolean
is_same_list (const HirVec *a, const HirVec *b)
{
  gboolean same = a->len == b->len;

  for (guint i = 0; same && i < a->len; i++)
    same = a->items[i] == b->items[i];
  return same;
}

/* Reads `Inputs={T0, } -> Outputs={T1, }`. */
static gboolean
read_unit_list (HirDumpReader *reader, const char *head, HirVec *vals)
{
  if (!hir_dump_expect (reader, head))
    return FALSE;
  while (!hir_dump_accept (reader, "}"))
    {
      HirVal *val = hir_dump_read_operand (reader);

      if (val == NULL)
        return FALSE;
      hir_vec_push (reader->program->arena, vals, val);
      if (!hir_dump_accept (reader, ",") && !hir_dump_at (reader, "}"))
        return hir_dump_fail_expected (reader, "`,` or `}`");
    }
  return TRUE;
}

static gboolean
read_unit_body (HirDumpReader *reader, const HirDumpToken *token)
{
  HirVec inputs = { 0 }, outputs = { 0 };
  HirContainer *fusion = reader->names->container;

  hir_dump_next (reader);
  if (!hir_dump_expect (reader, ":"))
    return FALSE;
  if (hir_dump_accept (reader, "[")) /* a person has left out the ops; see fill_unit() */
    return hir_dump_expect (reader, ". . . ]");
  if (!read_unit_list (reader, "Inputs = {", &inputs) ||
      !read_unit_list (reader, "-> Outputs = {", &outputs))
    return FALSE;
  if (hir_dump_at (reader, "%kernel")) /* 2024: the lists are not repeated */
    {
      fusion->inputs = inputs;
      fusion->outputs = outputs;
      return hir_dump_expect (reader, "%kernel {") && read_listing (reader, "%kernel");
    }
  if (!read_fusion (reader))
    return FALSE;
  if (!is_same_list (&inputs, &fusion->inputs) || !is_same_list (&outputs, &fusion->outputs))
    return hir_dump_fail (reader, token, HIR_ERROR_INPUT,
                          "the inputs and outputs of the HostUnit differ from those of its fusion");
  return TRUE;
}

/* Inserts the unit in the order of numbers, as units print. */
static void
insert_unit (HirContainer *program, HirHostUnit *unit)
{
  guint at = program->units.len - 1;

  while (at > 0 && ((HirHostUnit *) program->units.items[at - 1])->index > unit->index)
    {
      program->units.items[at] = program->units.items[at - 1];
      at--;
    }
  program->units.items[at] = unit;
}

static gboolean
read_unit (HirDumpReader *reader, const int counters[HIR_N_VAL_KINDS], int expr_counter)
{
  static const char prefix[] = "HostUnit";
  const HirDumpToken *token = hir_dump_peek (reader);
  HirDumpNames *outer = reader->names;
  g_autofree char *name = g_strndup (token->text, token->length);
  HirHostUnit *unit;
  gboolean ok;
  int number;

  if (!hir_dump_split_number (token->text, token->length, sizeof prefix - 1, &number))
    return hir_dump_fail_expected (reader, "a HostUnit with a number");
  for (guint i = 0; i < reader->program->units.len; i++)
    if (((HirHostUnit *) reader->program->units.items[i])->index == number)
      return hir_dump_fail (reader, token, HIR_ERROR_INPUT, "%s is defined twice", name);
  hir_dump_stamp (reader, token, name);
  unit = hir_container_add_unit (reader->program);
  unit->index = number;
  insert_unit (reader->program, unit);
  start_counters (unit->fusion, counters, expr_counter);

  reader->names = hir_dump_names_new (unit->fusion);
  g_ptr_array_add (reader->all_names, reader->names);
  ok = read_unit_body (reader, token);
  reader->names = outer;
  return ok;
}

static gboolean
is_input_of (const HirExpr *post, const HirVal *val)
{
  for (guint i = 0; i < post->n_inputs; i++)
    if (post->inputs[i] == val)
      return TRUE;
  return FALSE;
}

/* A buffer that is an input and an output is two tensors of the fusion. */
static HirTensor *
dup_tensor (HirContainer *fusion, const HirTensor *tensor)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();

  for (guint i = 0; i < tensor->logical.n; i++)
    g_ptr_array_add (ids, hir_iter_domain_dup (fusion, tensor->logical.ids[i], FALSE));
  return hir_tensor_new (fusion, tensor->base.dtype, (HirIterDomain *const *) ids->pdata, ids->len);
}

/* Gives a unit whose ops are left out one opaque op for each output of @post. */
static void
fill_unit (HirHostUnit *unit, const HirExpr *post, HirPos pos)
{
  HirContainer *fusion = unit->fusion;
  g_autoptr (HirCloner) cloner = hir_cloner_new (fusion);
  g_autofree char *name = g_strdup_printf ("HostUnit%d", unit->index);

  hir_maker_begin (fusion, "dump", hir_hash_text (0, name));
  hir_maker_set_pos (fusion, pos);
  for (guint i = 0; i < post->n_inputs; i++)
    if (HIR_IS_TENSOR (post->inputs[i]))
      hir_vec_push (fusion->arena, &fusion->inputs,
                    hir_cloner_tensor (cloner, HIR_TENSOR (post->inputs[i])));
  for (guint i = 0; i < post->n_outputs; i++)
    if (HIR_IS_TENSOR (post->outputs[i]))
      {
        HirTensor *to = hir_cloner_tensor (cloner, HIR_TENSOR (post->outputs[i]));
        HirVal *out = HIR_VAL (is_input_of (post, post->outputs[i]) ? dup_tensor (fusion, to) : to);
        HirExpr *expr =
            hir_expr_new (fusion, HIR_EXPR_OPAQUE, (HirVal *const *) fusion->inputs.items,
                          fusion->inputs.len, &out, 1);
        gsize size = MAX (fusion->inputs.len, 1) * HIR_OPAQUE_MAX_AXES;
        gint8 *map = hir_arena_alloc (fusion->arena, size);

        memset (map, -1, size);
        expr->u.opaque.name = hir_arena_strdup (fusion->arena, name);
        expr->u.opaque.map = map;
        expr->u.opaque.output = i;
        hir_container_add_expr (fusion, expr);
        hir_vec_push (fusion->arena, &fusion->outputs, out);
      }
}

static gboolean
resolve_posts (HirDumpReader *reader)
{
  for (guint i = 0; i < reader->posts->len; i++)
    {
      HirDumpPost *post = &g_array_index (reader->posts, HirDumpPost, i);
      const HirDumpToken place = { .pos = post->pos };

      for (guint k = 0; k < reader->program->units.len; k++)
        {
          HirHostUnit *unit = reader->program->units.items[k];

          if (unit->index != post->unit)
            continue;
          post->expr->u.post.unit = unit;
          if (unit->fusion->outputs.len == 0)
            fill_unit (unit, post->expr, post->pos);
        }
      if (post->expr->u.post.unit == NULL)
        return hir_dump_fail (reader, &place, HIR_ERROR_INPUT, "the dump has no HostUnit%d",
                              post->unit);
    }
  return TRUE;
}

static gboolean
read_host (HirDumpReader *reader, const int counters[HIR_N_VAL_KINDS], int expr_counter)
{
  HirContainer *program = reader->program;

  if (!hir_dump_expect (reader, "%HostIrContainer {") ||
      !read_signature (reader, &program->inputs) || !hir_dump_expect (reader, "->") ||
      !read_signature (reader, &program->outputs) || !hir_dump_expect (reader, ":") ||
      !hir_dump_read_index_block (reader))
    return FALSE;
  if (!hir_dump_read_scope (reader, &program->top, 0, 0) || !hir_dump_connect_waits (reader))
    return FALSE;
  while (g_str_has_prefix (hir_dump_peek (reader)->text, "HostUnit"))
    if (!read_unit (reader, counters, expr_counter))
      return FALSE;
  if (!hir_dump_at (reader, "}"))
    return hir_dump_fail_expected (reader, "a statement of a host program, or `}`");
  return hir_dump_expect (reader, "} // %HostIrContainer") && resolve_posts (reader);
}

static void
add_roots (HirDumpReader *reader)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, reader->permuted);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      HirTensor *tensor = key;

      if (tensor->has_root)
        continue;
      tensor->has_root = TRUE;
      tensor->root.n = tensor->logical.n;
      tensor->root.ids = hir_arena_memdup (reader->program->arena, tensor->logical.ids,
                                           sizeof (HirIterDomain *) * tensor->logical.n);
      /* A permutation prints in its new order; the numbers show the old one
       * (docs/host-ir.md#reading-dumps). */
      qsort (tensor->root.ids, tensor->root.n, sizeof (HirIterDomain *), hir_dump_compare_names);
    }
}

static gboolean
verify (HirDumpReader *reader)
{
  g_autoptr (GError) error = NULL;
  HirPos pos;

  if (hir_container_verify (reader->program, &error))
    return TRUE;
  pos = hir_error_get_pos (error);
  if (pos.line == 0)
    pos = g_array_index (reader->tokens, HirDumpToken, 0).pos;
  hir_set_error (&reader->error, (HirErrorCode) error->code, &pos, "%s", error->message);
  return FALSE;
}

static void
reader_init (HirDumpReader *reader, GArray *tokens, const HirDumpHead *head, HirSource *source)
{
  reader->tokens = tokens;
  reader->format = detect_format (tokens);
  reader->program =
      hir_container_new (head->is_host ? HIR_CONTAINER_HOST : HIR_CONTAINER_FUSION, source);
  reader->names = hir_dump_names_new (reader->program);
  reader->all_names = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_dump_names_free);
  g_ptr_array_add (reader->all_names, reader->names);
  reader->tensor_texts =
      g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  reader->streams = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  reader->posted = g_hash_table_new (NULL, NULL);
  reader->posts = g_array_new (FALSE, FALSE, sizeof (HirDumpPost));
  reader->cuts = g_array_new (FALSE, FALSE, sizeof (HirDumpCut));
  reader->permuted = g_hash_table_new (NULL, NULL);
  reader->shared = g_hash_table_new (NULL, NULL);
}

static void
reader_clear (HirDumpReader *reader)
{
  g_ptr_array_unref (reader->all_names);
  g_hash_table_unref (reader->tensor_texts);
  g_hash_table_unref (reader->streams);
  g_hash_table_unref (reader->posted);
  g_clear_pointer (&reader->early_waits, g_array_unref);
  g_array_unref (reader->posts);
  g_array_unref (reader->cuts);
  g_hash_table_unref (reader->permuted);
  g_hash_table_unref (reader->shared);
  hir_container_unref (reader->program);
}

HirContainer *
hir_dump_read_tokens (
    GArray *tokens, const HirDumpHead *head, HirSource *source, HirFormat *format, GError **error)
{
  HirDumpReader reader = { 0 };
  int counters[HIR_N_VAL_KINDS] = { 0 }, expr_counter = 0;
  HirContainer *result = NULL;

  reader_init (&reader, tokens, head, source);
  reserve_numbers (tokens, counters, &expr_counter);
  start_counters (reader.program, counters, expr_counter);
  if (head->is_host ? read_host (&reader, counters, expr_counter) : read_fusion (&reader))
    {
      hir_dump_infer_domains (&reader);
      add_roots (&reader);
      if (hir_dump_resolve_cuts (&reader) && verify (&reader))
        result = hir_container_ref (reader.program);
    }
  if (result == NULL)
    g_propagate_error (error, reader.error);
  *format = reader.format;
  reader_clear (&reader);
  return result;
}
