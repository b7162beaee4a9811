/* Collects the statements of a script and finds the one that produced a tensor. */
#include <string.h>

#include "script/edit-private.h"

static void
collect_below (HirAst *node, const HirAstFunction *function, GArray *places)
{
  if (node == NULL)
    return;
  switch ((HirAstKind) node->kind)
    {
    case HIR_AST_BLOCK:
    case HIR_AST_CLAUSE:
    case HIR_AST_HANDLER:
    case HIR_AST_CASE:
    case HIR_AST_CLASS:
      hir_program_point_collect (node->items, node->n_items, function, places);
      break;

    case HIR_AST_FOR:
    case HIR_AST_WHILE:
      hir_program_point_collect (node->items, node->n_items, function, places);
      collect_below (node->c, function, places);
      break;

    case HIR_AST_IF:
    case HIR_AST_MATCH:
      for (guint i = 0; i < node->n_items; i++)
        collect_below (node->items[i], function, places);
      break;

    case HIR_AST_WITH:
      collect_below (node->c, function, places);
      break;

    case HIR_AST_TRY:
      collect_below (node->a, function, places);
      for (guint i = 0; i < node->n_items; i++)
        collect_below (node->items[i], function, places);
      collect_below (node->b, function, places);
      collect_below (node->c, function, places);
      break;

    case HIR_AST_DEF:
      hir_program_point_collect (node->function->body, node->function->n_body, node->function,
                                 places);
      break;

    default:
      break;
    }
}

void
hir_program_point_collect (HirAst **items, guint n, const HirAstFunction *function, GArray *places)
{
  for (guint i = 0; i < n; i++)
    {
      HirProgramPoint place = { items[i], items, n, i, function };

      g_array_append_val (places, place);
      collect_below (items[i], function, places);
    }
}

gboolean
hir_ast_foreach (const HirAst *node, HirAstVisit visit, gpointer user_data)
{
  if (node == NULL)
    return TRUE;
  if (!visit (node, user_data) || !hir_ast_foreach (node->a, visit, user_data) ||
      !hir_ast_foreach (node->b, visit, user_data) || !hir_ast_foreach (node->c, visit, user_data))
    return FALSE;
  for (guint i = 0; i < node->n_items; i++)
    if (!hir_ast_foreach (node->items[i], visit, user_data))
      return FALSE;
  if (node->kind == HIR_AST_DEF)
    for (guint i = 0; i < node->function->n_body; i++)
      if (!hir_ast_foreach (node->function->body[i], visit, user_data))
        return FALSE;
  return TRUE;
}

static gboolean
is_other_name (const HirAst *node, gpointer user_data)
{
  return node->kind != HIR_AST_NAME || strcmp (node->text, user_data) != 0;
}

gboolean
hir_ast_mentions (const HirAst *node, const char *variable)
{
  return !hir_ast_foreach (node, is_other_name, (gpointer) variable);
}

/* Returns TRUE if @variable is the target @node or is contained in it. */
static gboolean
is_target (const HirAst *node, const char *variable)
{
  if (node == NULL)
    return FALSE;
  if (node->kind == HIR_AST_NAME)
    return strcmp (node->text, variable) == 0;
  if (node->kind == HIR_AST_STARRED)
    return is_target (node->a, variable);
  for (guint i = 0;
       (node->kind == HIR_AST_TUPLE || node->kind == HIR_AST_LIST) && i < node->n_items; i++)
    if (is_target (node->items[i], variable))
      return TRUE;
  return FALSE;
}

gboolean
hir_ast_binds (const HirAst *node, const char *variable)
{
  switch ((HirAstKind) node->kind)
    {
    case HIR_AST_ASSIGN:
      for (guint i = 0; i < node->n_items; i++)
        if (is_target (node->items[i], variable))
          return TRUE;
      return FALSE;

    case HIR_AST_AUG_ASSIGN:
    case HIR_AST_ANN_ASSIGN:
    case HIR_AST_FOR:
      return is_target (node->a, variable);

    default:
      return FALSE;
    }
}

/* --- called functions and the matching assignment --------------------------------------------- */

typedef struct
{
  HirScript *script;
  GHashTable *functions; /* set of HirAstFunction*: called by name, directly or indirectly */
} Reach;

static void reach (Reach *self, const HirAstFunction *function);

static gboolean
visit_call (const HirAst *node, gpointer user_data)
{
  Reach *self = user_data;

  if (node->kind == HIR_AST_CALL && node->a->kind == HIR_AST_NAME)
    reach (self, hir_script_lookup (self->script, node->a->text));
  return TRUE;
}

static void
reach (Reach *self, const HirAstFunction *function)
{
  if (function == NULL || !g_hash_table_add (self->functions, (gpointer) function))
    return;
  for (guint i = 0; i < function->n_body; i++)
    hir_ast_foreach (function->body[i], visit_call, self);
}

static gboolean
is_within (const HirAstFunction *function, const GHashTable *functions)
{
  for (; function != NULL; function = function->parent)
    if (g_hash_table_contains ((GHashTable *) functions, function))
      return TRUE;
  return FALSE;
}

typedef struct
{
  HirScript *script;
  guint offset;
} Maker;

/* Returns FALSE for a call of a function of the file that contains the offset. */
static gboolean
is_other_call (const HirAst *node, gpointer user_data)
{
  const Maker *maker = user_data;
  const HirAstFunction *function = node->kind == HIR_AST_CALL && node->a->kind == HIR_AST_NAME
                                       ? hir_script_lookup (maker->script, node->a->text)
                                       : NULL;

  return function == NULL || maker->offset < function->node->start ||
         maker->offset >= function->node->end;
}

static guint
offset_of_pos (const HirScript *script, HirPos pos)
{
  const char *text = script->source->text;
  guint offset;

  if (pos.line == 0 || pos.line > script->line_starts->len)
    return G_MAXUINT;
  offset = g_array_index (script->line_starts, guint, pos.line - 1);
  for (guint i = 1; i < pos.column && text[offset] != '\0'; i++)
    offset = (guint) (g_utf8_next_char (text + offset) - text);
  return offset;
}

/* Returns 2 if @statement contains the op, 1 if it calls a function that contains it, otherwise 0.
 * */
static int
score (const Maker *maker, const HirAst *statement)
{
  if (statement->kind == HIR_AST_FOR)
    return 0;
  if (maker->offset >= statement->start && maker->offset < statement->end)
    return 2;
  return hir_ast_foreach (statement, is_other_call, (gpointer) maker) ? 0 : 1;
}

gboolean
hir_program_point_find_definition (HirScript *script,
                                   const HirScriptTensor *tensor,
                                   const GArray *places,
                                   HirProgramPoint *place,
                                   GError **error)
{
  g_autoptr (GHashTable) functions = g_hash_table_new (NULL, NULL);
  Reach reached = { script, functions };
  Maker maker = { script, offset_of_pos (script, tensor->pos) };
  int best = -1;
  guint n_best = 0;

  reach (&reached, hir_script_lookup (script, tensor->function));
  for (guint i = 0; i < places->len; i++)
    {
      const HirProgramPoint *at = &g_array_index (places, HirProgramPoint, i);
      int points;

      if (!hir_ast_binds (at->statement, tensor->variable) || !is_within (at->function, functions))
        continue;
      points = score (&maker, at->statement);
      n_best = points > best ? 1 : points == best ? n_best + 1 : n_best;
      if (points > best)
        {
          best = points;
          *place = *at;
        }
    }
  if (n_best == 1)
    return TRUE;
  if (n_best == 0)
    hir_set_error (
        error, HIR_ERROR_INPUT, &tensor->pos,
        "%s and the functions that it calls have no assignment to '%s'; write the schedule by hand",
        tensor->function, tensor->variable);
  else
    hir_set_error (error, HIR_ERROR_INPUT, &tensor->pos,
                   "%u assignments to '%s' match; use different variable names", n_best,
                   tensor->variable);
  return FALSE;
}
