#include "fixture.h"

#include <string.h>

HirContainer *
fix_fusion (void)
{
  HirContainer *fusion = hir_container_new (HIR_CONTAINER_FUSION, NULL);

  hir_maker_begin (fusion, "script", 0);
  return fusion;
}

void
fix_line (HirContainer *fusion, guint line)
{
  hir_maker_set_pos (fusion, (HirPos){ line, 1 });
}

static void
next_line (HirContainer *fusion)
{
  fix_line (fusion, fusion->maker.pos.line + 1);
}

static HirTensor *
checked (HirTensor *tensor, const GError *error)
{
  g_assert_no_error (error);
  g_assert_nonnull (tensor);
  return tensor;
}

HirTensor *
fix_input_of (HirContainer *fusion, const gint64 *shape, guint rank, HirDType dtype)
{
  gint8 contiguity[8];
  GError *error = NULL;

  next_line (fusion);
  for (guint i = 0; i < rank; i++)
    contiguity[i] = shape[i] == 1 ? HIR_CONTIGUITY_NONE : HIR_CONTIGUITY_TRUE;
  return checked (hir_define_tensor (fusion, shape, rank, contiguity, dtype, FALSE, NULL, &error),
                  error);
}

HirTensor *
fix_input (HirContainer *fusion, guint rank)
{
  static const gint64 shape[] = { -1, -1, -1, -1, -1, -1 };

  return fix_input_of (fusion, shape, rank, HIR_DTYPE_FLOAT);
}

HirTensor *
fix_set (HirContainer *fusion, HirTensor *in)
{
  GError *error = NULL;

  next_line (fusion);
  return checked (hir_op_set (fusion, in, &error), error);
}

HirTensor *
fix_unary (HirContainer *fusion, HirUnaryOp op, HirTensor *in)
{
  GError *error = NULL;

  next_line (fusion);
  return checked (hir_op_unary (fusion, op, in, &error), error);
}

HirTensor *
fix_cast (HirContainer *fusion, HirTensor *in, HirDType dtype)
{
  GError *error = NULL;

  next_line (fusion);
  return checked (hir_op_cast (fusion, in, dtype, &error), error);
}

HirTensor *
fix_add (HirContainer *fusion, HirTensor *a, HirTensor *b)
{
  GError *error = NULL;

  next_line (fusion);
  return checked (hir_op_binary (fusion, HIR_BINARY_ADD, HIR_VAL (a), HIR_VAL (b), &error), error);
}

HirTensor *
fix_sum (HirContainer *fusion, HirTensor *in, gint64 dim)
{
  GError *error = NULL;

  next_line (fusion);
  return checked (hir_op_reduction (fusion, HIR_BINARY_ADD, in, &dim, 1, FALSE, HIR_DTYPE_NULL,
                                    &error),
                  error);
}

HirTensor *
fix_matmul (HirContainer *fusion, HirTensor *a, HirTensor *b)
{
  GError *error = NULL;

  next_line (fusion);
  return checked (hir_op_matmul (fusion, a, b, &error), error);
}

HirTensor *
fix_linear (HirContainer *fusion, HirTensor *in, HirTensor *weight, HirTensor *bias)
{
  GError *error = NULL;

  next_line (fusion);
  return checked (hir_op_linear (fusion, in, weight, bias, &error), error);
}

void
fix_output (HirContainer *fusion, HirTensor *tensor)
{
  next_line (fusion);
  hir_container_add_output (fusion, HIR_VAL (tensor));
}

void
fix_stream (HirContainer *fusion, HirTensor *tensor, gint64 axis)
{
  GError *error = NULL;

  next_line (fusion);
  hir_schedule_parallelize (tensor, axis, HIR_PARALLEL_STREAM, &error);
  g_assert_no_error (error);
}

void
fix_split (HirContainer *fusion, HirTensor *tensor, gint64 axis, gint64 factor)
{
  GError *error = NULL;

  next_line (fusion);
  hir_schedule_split (tensor, axis, hir_scalar_new_int (fusion, factor, HIR_DTYPE_INDEX), TRUE,
                      &error);
  g_assert_no_error (error);
}

void
fix_merge (HirContainer *fusion, HirTensor *tensor, gint64 axis)
{
  GError *error = NULL;

  next_line (fusion);
  hir_schedule_merge (tensor, axis, axis + 1, &error);
  g_assert_no_error (error);
}

HirLowering *
fix_lower (HirContainer *fusion, const char *setting)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  HirLowering *lowering;
  GError *error = NULL;

  if (setting != NULL)
    {
      g_assert_true (hir_pipeline_set_option (pipeline, setting, &error));
      g_assert_no_error (error);
    }
  lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
  g_assert_no_error (lowering->error);
  g_assert_null (lowering->failed_pass);
  return lowering;
}

GError *
fix_refusal (HirContainer *fusion)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirLowering) lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);

  g_assert_nonnull (lowering->error);
  g_assert_nonnull (lowering->failed_pass);
  g_assert_true (lowering->failed_snapshot == hir_lowering_get_last (lowering));
  g_test_message ("%s: %s", lowering->failed_pass->name, lowering->error->message);
  return g_error_copy (lowering->error);
}

char *
fix_kinds (const HirScope *scope)
{
  GString *kinds = g_string_new (NULL);

  for (guint i = 0; i < scope->exprs.len; i++)
    {
      const HirExpr *expr = scope->exprs.items[i];

      g_string_append_printf (kinds, "%s%s", i == 0 ? "" : " ",
                              hir_expr_kind_get_info (expr->kind)->name);
    }
  return g_string_free (kinds, FALSE);
}

HirExpr *
fix_last_loop (HirContainer *program)
{
  for (guint i = program->top.exprs.len; i > 0; i--)
    {
      HirExpr *expr = program->top.exprs.items[i - 1];

      if (expr->kind == HIR_EXPR_FOR)
        return expr;
    }
  g_assert_not_reached ();
}

typedef struct
{
  GHashTable *seen; /* "kind number" -> new number + 1 */
  GHashTable *next; /* kind -> next number */
} Renumbering;

static guint
renumber (Renumbering *numbers, const char *kind, const char *old)
{
  char *key = g_strconcat (kind, " ", old, NULL);
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (numbers->seen, key));

  if (found > 0)
    {
      g_free (key);
      return found - 1;
    }
  found = GPOINTER_TO_UINT (g_hash_table_lookup (numbers->next, kind));
  g_hash_table_insert (numbers->next, g_strdup (kind), GUINT_TO_POINTER (found + 1));
  g_hash_table_insert (numbers->seen, key, GUINT_TO_POINTER (found + 1));
  return found;
}

/* The text before a number determines what it counts: axes of all letters and parallel types are
 * one kind, plain scalars another. */
static const char *
classify (const char *prefix, const char *after)
{
  if (g_str_equal (prefix, "T"))
    return "tensor";
  if (g_str_equal (prefix, "HostUnit"))
    return "unit";
  if (g_str_has_suffix (prefix, "Stream "))
    return "stream";
  if (g_str_has_suffix (prefix, "Communication ") || g_str_has_suffix (prefix, "Coalescing "))
    return "expr";
  return *after == '{' ? "axis" : "scalar";
}

static gboolean
replace_number (const GMatchInfo *match, GString *out, gpointer numbers)
{
  g_autofree char *prefix = g_match_info_fetch (match, 1);
  g_autofree char *old = g_match_info_fetch (match, 2);
  const char *text = g_match_info_get_string (match);
  int end;

  g_match_info_fetch_pos (match, 0, NULL, &end);
  g_string_append_printf (out, "%s%u", prefix,
                          renumber (numbers, classify (prefix, text + end), old));
  return FALSE;
}

char *
fix_canonical (const char *dump)
{
  g_autoptr (GRegex) regex = NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) next = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *renamed = NULL;
  Renumbering numbers = { seen, next };
  GString *kept = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;

  regex = g_regex_new (
      "((?:\\bT(?=\\d+_))|\\bHostUnit|\\bStream |\\b\\w*Communication "
      "|\\bEndCoalescing "
      "|\\b[irbsnv?](?:[sS]treamIdx|deviceIdx\\.[xyz]|S)(?=\\d+\\{)|\\b[ibdf](?=\\d+\\b))"
      "(\\d+)",
      0, 0, NULL);
  renamed = g_regex_replace_eval (regex, dump, -1, 0, 0, replace_number, &numbers, NULL);
  lines = g_strsplit (renamed, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_strchomp (lines[i]);
      if (*lines[i] != '\0')
        g_string_append_printf (kept, "%s\n", lines[i]);
    }
  return g_string_free (kept, FALSE);
}

void
fix_assert_golden (HirContainer *program, const char *name)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "golden", name, NULL);
  g_autofree char *golden = NULL;
  g_autofree char *text = hir_container_print (program, HIR_FORMAT_2025, NULL);
  g_autofree char *expected = NULL;
  g_autofree char *got = NULL;
  GError *error = NULL;

  g_file_get_contents (path, &golden, NULL, &error);
  g_assert_no_error (error);
  expected = fix_canonical (golden);
  got = fix_canonical (text);
  g_assert_cmpstr (got, ==, expected);
}
