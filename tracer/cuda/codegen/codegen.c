#include "cuda/codegen/codegen.h"

#include <string.h>

#include "cuda/codegen/codegen-private.h"

void
hir_unit_code_free (HirUnitCode *code)
{
  g_ptr_array_unref (code->parts);
  g_array_unref (code->scratch);
  g_free (code);
}

/* Returns "HostUnit0_pointwise_part1". Characters that C does not allow in names become "_". */
static char *
part_name (const char *name, guint number, gboolean is_only)
{
  char *text = is_only ? g_strdup (name) : g_strdup_printf ("%s_part%u", name, number);

  for (char *p = text; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p))
      *p = '_';
  if (g_ascii_isdigit (*text))
    *text = '_';
  return text;
}

static gboolean
library_takes (const HirGenUnit *unit, guint call)
{
  HirExprKind kind = unit->calls[call]->expr->kind;

  return (kind == HIR_EXPR_MATMUL || kind == HIR_EXPR_LINEAR) &&
         unit->options->library_takes != NULL && unit->options->library_takes (unit->calls[call]);
}

static void
add_matmul_arg (HirGenUnit *unit, HirUnitPart *part, guint call, int operand)
{
  const HirValue *value =
      operand < 0 ? unit->calls[call]->output : unit->calls[call]->inputs[operand];
  HirKernelArg arg = { .kind = HIR_ARG_OPERAND, .call = call, .operand = operand };

  if (value->buffer->data == NULL)
    {
      arg.kind = HIR_ARG_SCRATCH;
      arg.scratch = hir_gen_get_scratch (unit, value->buffer);
      arg.offset_bytes = (gsize) value->offset * hir_dtype_get_size_bytes (value->dtype);
    }
  g_array_append_val (part->args, arg);
}

static HirUnitPart *
matmul_part (HirGenUnit *unit, guint call, const char *name)
{
  HirUnitPart *part = g_new0 (HirUnitPart, 1);

  part->kind = HIR_PART_MATMUL;
  part->name = g_strdup (name);
  part->call = call;
  part->args = g_array_new (FALSE, TRUE, sizeof (HirKernelArg));
  for (guint i = 0; i < unit->calls[call]->n_inputs; i++)
    add_matmul_arg (unit, part, call, (int) i);
  add_matmul_arg (unit, part, call, HIR_OPERAND_OUTPUT);
  return part;
}

/* Returns the launch for the longest possible sequence of calls that starts at @from, and sets *@to
 * to its end. Sets *@before to a launch that must precede it, or to NULL. */
static HirUnitPart *
longest_part (
    HirGenUnit *unit, guint from, guint *to, const char *name, HirUnitPart **before, GError **error)
{
  guint end = from + 1;

  *before = NULL;
  if (library_takes (unit, from))
    {
      *to = end;
      return matmul_part (unit, from, name);
    }
  while (end < unit->n && !library_takes (unit, end))
    end++;
  for (; end > from; end--)
    {
      g_autoptr (GError) local = NULL;
      HirUnitPart *part = hir_gen_kernel (unit, from, end, name, before, &local);

      *to = end;
      if (part != NULL)
        return part;
      if (end == from + 1 && local != NULL)
        g_propagate_error (error, g_steal_pointer (&local));
    }
  if (error != NULL && *error == NULL)
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, &unit->calls[from]->expr->node.pos,
                   "%s into T%d: no kernel can be generated",
                   hir_expr_get_op_name (unit->calls[from]->expr),
                   unit->calls[from]->expr->outputs[0]->name);
  return NULL;
}

static gboolean
is_needed (const HirGenUnit *unit, guint from)
{
  for (guint i = from; i < unit->n; i++)
    if (unit->calls[i]->output->buffer->data != NULL)
      return TRUE;
  return FALSE;
}

static void
rename_part (HirUnitPart *part, const char *name, const char *to)
{
  g_autoptr (GString) source = g_string_new (part->source);
  g_autofree char *new_name = g_strconcat (to, part->name + strlen (name), NULL);
  g_autofree char *before = g_strdup_printf ("\n%s (", part->name);
  g_autofree char *after = g_strdup_printf ("\n%s (", new_name);

  g_string_replace (source, before, after, 1);
  g_free (part->name);
  part->name = g_steal_pointer (&new_name);
  if (part->source == NULL)
    return;
  g_free (part->source);
  part->source = g_strdup (source->str);
}

/* A single part has no number in its name. Whether there are more is known only after the first
 * one, which is then renamed. */
static gboolean
make_parts (HirGenUnit *unit, const char *name, GError **error)
{
  GPtrArray *parts = unit->code->parts;
  g_autofree char *whole = part_name (name, 0, TRUE);
  guint from = 0, n = 0;

  while (from < unit->n && is_needed (unit, from))
    {
      guint to = unit->n;
      g_autofree char *numbered = NULL;
      HirUnitPart *part, *before;

      if (!hir_gen_is_stored (unit, from, from + 1))
        {
          from++; /* the result is unused */
          continue;
        }
      numbered = part_name (name, ++n, FALSE);
      part = longest_part (unit, from, &to, n == 1 ? whole : numbered, &before, error);
      if (part == NULL)
        return FALSE;
      if (before != NULL)
        g_ptr_array_add (parts, before);
      g_ptr_array_add (parts, part);
      for (guint i = 0; n == 1 && is_needed (unit, to) && i < parts->len; i++)
        rename_part (g_ptr_array_index (parts, i), whole, numbered);
      from = to;
    }
  return TRUE;
}

HirUnitCode *
hir_codegen_unit (HirOpCall *const *calls,
                  guint n,
                  const char *name,
                  const HirCodegenOptions *options,
                  GError **error)
{
  g_autoptr (HirUnitCode) code = g_new0 (HirUnitCode, 1);
  g_autoptr (GHashTable) scratch = g_hash_table_new (NULL, NULL);
  HirGenUnit unit = { calls, n, options, code, scratch };
  GError *local = NULL;

  code->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_unit_part_free);
  code->scratch = g_array_new (FALSE, TRUE, sizeof (gsize));
  if (make_parts (&unit, name, &local))
    return g_steal_pointer (&code);
  g_propagate_error (error, local);
  return NULL;
}
