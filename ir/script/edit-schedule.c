#include "script/edit-schedule.h"

#include <string.h>

#include "script/edit-private.h"
#include "script/parse/lex.h"

typedef struct
{
  HirScript *script;
  const HirScriptTensor *tensor;
  const HirScheduleEdit *edit;
  const GArray *places; /* HirProgramPoint: all statements of the file */
  HirProgramPoint made; /* the assignment of the tensor */
  guint limit;          /* offset of the next assignment to the name, or end of the function */
} Editing;

/* --- existing lines ----------------------------------------------------------------------------
 * */

/* Returns the argument of `NAME.axis(INT).parallelize(ARGUMENT)` and sets @axis. Returns NULL for
 * other statements. */
static HirAst *
match_parallelize (const Editing *self, const HirAst *statement, gint64 *axis)
{
  const HirAst *call = statement->kind == HIR_AST_EXPRESSION ? statement->a : NULL;
  const HirAst *get, *index;

  if (call == NULL || call->kind != HIR_AST_CALL || call->n_items != 1 ||
      call->a->kind != HIR_AST_ATTRIBUTE || strcmp (call->a->text, "parallelize") != 0)
    return NULL;
  get = call->a->a;
  if (get->kind != HIR_AST_CALL || get->n_items != 1 || get->a->kind != HIR_AST_ATTRIBUTE ||
      strcmp (get->a->text, "axis") != 0 || get->a->a->kind != HIR_AST_NAME ||
      strcmp (get->a->a->text, self->tensor->variable) != 0)
    return NULL;
  index = get->items[0];
  if (index->kind == HIR_AST_INT)
    *axis = index->i;
  else if (index->kind == HIR_AST_UNARY && index->op == HIR_TOKEN_MINUS &&
           index->a->kind == HIR_AST_INT)
    *axis = self->tensor->n_axes - index->a->i;
  else
    return NULL;
  return call->items[0];
}

/* Returns TRUE if @statement cannot change the edited axis or its type. */
static gboolean
is_harmless (const Editing *self, const HirAst *statement)
{
  static const char *const names[] = { "add_output", "set_device_mesh", "_set_device_mesh",
                                       "set_memory_type", NULL };
  const HirAst *call = statement->kind == HIR_AST_EXPRESSION ? statement->a : NULL;
  gint64 axis;

  if (match_parallelize (self, statement, &axis) != NULL)
    return axis != self->edit->axis;
  return call != NULL && call->kind == HIR_AST_CALL && call->a->kind == HIR_AST_ATTRIBUTE &&
         g_strv_contains (names, call->a->text);
}

/* Returns the `with` statement whose block is @block, or NULL. After a `with`, unlike after a loop,
 * the variables of its block still refer to the same values. */
static const HirProgramPoint *
find_with (const Editing *self, HirAst **block)
{
  for (guint i = 0; i < self->places->len; i++)
    {
      const HirProgramPoint *place = &g_array_index (self->places, HirProgramPoint, i);

      if (place->statement->kind == HIR_AST_WITH && place->statement->c != NULL &&
          place->statement->c->items == block)
        return place;
    }
  return NULL;
}

/* Returns TRUE if @block contains the assignment, directly or inside `with` statements. */
static gboolean
is_own_block (const Editing *self, HirAst **block)
{
  const HirProgramPoint *place = &self->made;

  while (place != NULL && place->block != block)
    place = find_with (self, place->block);
  return place != NULL;
}

/* Returns the line that parallelizes the axis, unless a later statement can change it. */
static const HirProgramPoint *
find_line (const Editing *self, HirAst **argument)
{
  const HirProgramPoint *found = NULL;

  for (guint i = 0; i < self->places->len; i++)
    {
      const HirProgramPoint *place = &g_array_index (self->places, HirProgramPoint, i);
      gint64 axis = -1;
      HirAst *type;

      if (place->function != self->made.function ||
          place->statement->start <= self->made.statement->start ||
          place->statement->start >= self->limit ||
          !hir_ast_mentions (place->statement, self->tensor->variable))
        continue;
      type = match_parallelize (self, place->statement, &axis);
      if (type != NULL && axis == self->edit->axis && is_own_block (self, place->block))
        {
          found = place;
          *argument = type;
        }
      else if (!is_harmless (self, place->statement))
        {
          found = NULL;
        }
    }
  return found;
}

/* --- new statements ----------------------------------------------------------------------------
 * */

typedef struct
{
  const HirScript *script;
  char *text; /* the part before `.stream` */
} TypeName;

/* Takes `ParallelType` or `nvfuser.ParallelType` from a use in the file. */
static gboolean
visit_use (const HirAst *node, gpointer user_data)
{
  TypeName *name = user_data;
  const HirAst *base = node->kind == HIR_AST_ATTRIBUTE ? node->a : NULL;

  if (base == NULL || !((base->kind == HIR_AST_NAME || base->kind == HIR_AST_ATTRIBUTE) &&
                        strcmp (base->text, "ParallelType") == 0))
    return TRUE;
  name->text = hir_script_dup_text (name->script, base);
  return FALSE;
}

/* Takes the same from an import. */
static gboolean
visit_import (const HirAst *node, gpointer user_data)
{
  TypeName *name = user_data;

  for (guint i = 0;
       (node->kind == HIR_AST_IMPORT_FROM || node->kind == HIR_AST_IMPORT) && i < node->n_items;
       i++)
    {
      const HirAst *alias = node->items[i];
      const char *bound = alias->a != NULL ? alias->a->text : alias->text;

      if (node->kind == HIR_AST_IMPORT_FROM &&
          (strcmp (alias->text, "ParallelType") == 0 || strcmp (alias->text, "*") == 0))
        name->text = g_strdup (strcmp (alias->text, "*") == 0 ? "ParallelType" : bound);
      else if (node->kind == HIR_AST_IMPORT && g_str_has_prefix (alias->text, "nvfuser"))
        name->text = g_strconcat (bound, ".ParallelType", NULL);
      if (name->text != NULL)
        return FALSE;
    }
  return TRUE;
}

static char *
dup_type_name (const HirScript *script)
{
  TypeName name = { script, NULL };

  for (guint i = 0; i < script->n_body && name.text == NULL; i++)
    hir_ast_foreach (script->body[i], visit_use, &name);
  for (guint i = 0; i < script->n_body && name.text == NULL; i++)
    hir_ast_foreach (script->body[i], visit_import, &name);
  return name.text;
}

static char *
dup_type (const Editing *self, GError **error)
{
  g_autofree char *base = dup_type_name (self->script);

  if (base != NULL)
    return g_strdup_printf ("%s.%s", base, hir_parallel_type_get_script_name (self->edit->type));
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "the script does not import ParallelType; add it to its imports first");
  return NULL;
}

static char *
dup_statement (const Editing *self, GError **error)
{
  const char *name = self->tensor->variable;
  gint64 axis = self->edit->axis, factor = self->edit->factor;
  g_autofree char *type = NULL;

  switch (self->edit->kind)
    {
    case HIR_SCHEDULE_EDIT_OUTER_SPLIT:
      return g_strdup_printf ("%s.outer_split(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")", name,
                              axis, factor);
    case HIR_SCHEDULE_EDIT_INNER_SPLIT:
      return g_strdup_printf ("%s.inner_split(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")", name,
                              axis, factor);
    case HIR_SCHEDULE_EDIT_MERGE:
      return g_strdup_printf ("%s.merge(%" G_GINT64_FORMAT ")", name, axis);
    case HIR_SCHEDULE_EDIT_TO_FRONT:
      return g_strdup_printf ("%s.reorder({%" G_GINT64_FORMAT ": 0})", name, axis);
    case HIR_SCHEDULE_EDIT_PARALLELIZE:
    default:
      type = dup_type (self, error);
      return type != NULL ? g_strdup_printf ("%s.axis(%" G_GINT64_FORMAT ").parallelize(%s)", name,
                                             axis, type)
                          : NULL;
    }
}

/* --- text edits --------------------------------------------------------------------------------
 * */

static char *
splice (const Editing *self, guint start, guint end, const char *with, guint *line)
{
  const char *text = self->script->source->text;
  GString *out = g_string_new_len (text, start);

  g_string_append (out, with);
  g_string_append (out, text + end);
  if (line != NULL)
    *line = hir_script_get_pos (self->script, start).line;
  return g_string_free (out, FALSE);
}

static guint
line_start (const char *text, guint offset)
{
  while (offset > 0 && text[offset - 1] != '\n')
    offset--;
  return offset;
}

static guint
line_end (const char *text, guint offset)
{
  while (text[offset] != '\0' && text[offset] != '\n')
    offset++;
  return offset;
}

/* Returns the end of @statement without trailing space. A statement with a block extends to the
 * start of the next statement. */
static guint
trimmed_end (const char *text, const HirAst *statement)
{
  guint end = statement->end;

  while (end > statement->start + 1 && g_ascii_isspace (text[end - 1]))
    end--;
  return end;
}

/* Returns TRUE if the line contains only @statement, white space and a comment. */
static gboolean
stands_alone (const char *text, const HirAst *statement)
{
  guint at;

  for (at = line_start (text, statement->start); at < statement->start; at++)
    if (text[at] != ' ' && text[at] != '\t')
      return FALSE;
  for (at = statement->end; text[at] == ' ' || text[at] == '\t'; at++)
    ;
  return text[at] == '\n' || text[at] == '\0' || text[at] == '#';
}

/* Returns the last statement after @place in its block that mentions the tensor, or NULL. */
static const HirAst *
find_last_use (const Editing *self, const HirProgramPoint *place)
{
  const HirAst *found = NULL;

  for (guint i = place->index + 1; i < place->n_block; i++)
    {
      const HirAst *statement = place->block[i];

      if (statement->start >= self->limit || statement->kind == HIR_AST_RETURN)
        break;
      if (hir_ast_mentions (statement, self->tensor->variable))
        found = statement;
    }
  return found;
}

/* Returns the statement after which a new one takes effect. @first is a statement of the same
 * block; the new one has its indentation. */
static const HirAst *
find_anchor (const Editing *self, const HirAst **first)
{
  const HirAst *anchor = self->made.statement;

  *first = anchor;
  for (const HirProgramPoint *place = &self->made; place != NULL;
       place = find_with (self, place->block))
    {
      const HirAst *use = find_last_use (self, place);

      if (use == NULL)
        continue;
      anchor = use;
      *first = place->statement;
    }
  return anchor;
}

static char *
insert_line (const Editing *self, const char *statement, guint *line, GError **error)
{
  const char *text = self->script->source->text;
  const HirAst *first;
  const HirAst *anchor = find_anchor (self, &first);
  guint indent = line_start (text, first->start);
  guint at = line_end (text, trimmed_end (text, anchor));
  g_autofree char *inserted = NULL;
  char *edited;

  if (!stands_alone (text, self->made.statement) ||
      (anchor->kind == HIR_AST_EXPRESSION && !stands_alone (text, anchor)))
    {
      HirPos pos = hir_script_get_pos (self->script, first->start);

      hir_set_error (
          error, HIR_ERROR_INPUT, &pos,
          "'%s' is assigned on a line with other statements; move the assignment to a separate line",
          self->tensor->variable);
      return NULL;
    }
  inserted = g_strdup_printf ("\n%.*s%s", (int) (first->start - indent), text + indent, statement);
  edited = splice (self, at, at, inserted, line);
  if (line != NULL)
    *line += 1;
  return edited;
}

static char *
change_line (const Editing *self,
             const HirProgramPoint *place,
             const HirAst *argument,
             guint *line,
             GError **error)
{
  const char *text = self->script->source->text;
  g_autofree char *type = NULL;

  if (self->edit->type == HIR_PARALLEL_SERIAL && place->n_block > 1 &&
      stands_alone (text, place->statement))
    {
      guint end = line_end (text, place->statement->end);

      return splice (self, line_start (text, place->statement->start),
                     text[end] == '\n' ? end + 1 : end, "", line);
    }
  type = dup_type (self, error);
  return type != NULL ? splice (self, argument->start, argument->end, type, line) : NULL;
}

/* Returns the offset of the next assignment to the name, or the end of the function. */
static guint
find_limit (const Editing *self)
{
  guint limit = self->made.function != NULL ? self->made.function->node->end : G_MAXUINT;

  for (guint i = 0; i < self->places->len; i++)
    {
      const HirProgramPoint *place = &g_array_index (self->places, HirProgramPoint, i);

      if (place->function == self->made.function &&
          place->statement->start > self->made.statement->start &&
          hir_ast_binds (place->statement, self->tensor->variable))
        limit = MIN (limit, place->statement->start);
    }
  return limit;
}

char *
hir_script_edit_schedule (HirScript *script,
                          const HirScriptTensor *tensor,
                          const HirScheduleEdit *edit,
                          guint *line,
                          GError **error)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (HirProgramPoint));
  Editing self = { script, tensor, edit, places, { 0 }, 0 };
  g_autofree char *statement = NULL;
  const HirProgramPoint *existing = NULL;
  HirAst *argument = NULL;

  hir_program_point_collect (script->body, script->n_body, NULL, places);
  if (!hir_program_point_find_definition (script, tensor, places, &self.made, error))
    return NULL;
  self.limit = find_limit (&self);
  if (edit->kind == HIR_SCHEDULE_EDIT_PARALLELIZE)
    existing = find_line (&self, &argument);
  if (existing != NULL)
    return change_line (&self, existing, argument, line, error);
  statement = dup_statement (&self, error);
  return statement != NULL ? insert_line (&self, statement, line, error) : NULL;
}
