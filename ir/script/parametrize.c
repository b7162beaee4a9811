/* Values of pytest.mark.parametrize. As in pytest, the decorator next to the function comes first
 * in an id. */
#include "script/functions.h"
#include "script/interp.h"

#include <string.h>

#define MAX_DECORATORS 32

/* One decorator: its parameters and its rows of values. */
typedef struct
{
  GPtrArray *names; /* const char* */
  HirPyList *rows;
  HirPyValue ids;
  const char *fixture; /* NULL unless the rows are those of a fixture, which is the only name */
} Choice;

static void
choice_free (Choice *choice)
{
  g_ptr_array_unref (choice->names);
  g_free (choice);
}

static const HirPyParam *
get_param (HirPyValue row)
{
  return row.type == HIR_PY_OPAQUE ? row.opaque->param : NULL;
}

/* Returns value @index of a row. */
static HirPyValue
get_value (HirPy *py, const Choice *choice, guint row, guint index)
{
  HirPyValue value = choice->rows->items[row];
  const HirPyParam *param = get_param (value);
  const HirPyList *list = NULL;

  if (param != NULL)
    list = param->values;
  else if (choice->names->len == 1)
    return value;
  else if (value.type == HIR_PY_LIST || value.type == HIR_PY_TUPLE)
    list = value.list;
  if (list != NULL && index < list->n)
    return list->items[index];
  return hir_py_opaque (py, NULL, "%s", (const char *) choice->names->pdata[index]);
}

/* Returns the last part of a dotted name. */
static const char *
get_last (const char *name)
{
  const char *dot = strrchr (name, '.');

  return dot != NULL ? dot + 1 : name;
}

/* Returns pytest's id of one value. */
static char *
dup_value_id (HirPy *py, HirPyValue value, const char *name, guint row)
{
  switch (value.type)
    {
    case HIR_PY_NONE:
    case HIR_PY_BOOL:
    case HIR_PY_INT:
    case HIR_PY_FLOAT:
    case HIR_PY_COMPLEX:
    case HIR_PY_STRING:
      return g_strdup (hir_py_repr (py, value, FALSE));
    case HIR_PY_INSTANCE:
      if (value.instance->class->is_enum)
        {
          const HirPyValue *member = hir_py_dict_get_name (py, &value.instance->attributes, "name");

          return g_strdup_printf ("%s.%s", value.instance->class->name,
                                  member != NULL && member->type == HIR_PY_STRING
                                      ? member->string->text
                                      : "");
        }
      break;
    case HIR_PY_FUNCTION:
      return g_strdup (value.function->ast->name);
    case HIR_PY_CLASS:
      return g_strdup (value.class->name);
    default:
      break;
    }
  return g_strdup_printf ("%s%u", name, row);
}

static char *
dup_row_id (HirPy *py, const Choice *choice, guint row)
{
  const HirPyParam *param = get_param (choice->rows->items[row]);
  GString *id;

  if (param != NULL && param->id != NULL)
    return g_strdup (param->id);
  if ((choice->ids.type == HIR_PY_LIST || choice->ids.type == HIR_PY_TUPLE) &&
      row < choice->ids.list->n && choice->ids.list->items[row].type != HIR_PY_NONE)
    return g_strdup (hir_py_repr (py, choice->ids.list->items[row], FALSE));
  id = g_string_new (NULL);
  for (guint i = 0; i < choice->names->len; i++)
    {
      HirPyValue value = get_value (py, choice, row, i);
      HirPyValue text = hir_py_none ();
      g_autofree char *part = NULL;

      if (choice->ids.type == HIR_PY_FUNCTION || choice->ids.type == HIR_PY_BOUND ||
          choice->ids.type == HIR_PY_PARTIAL || choice->ids.type == HIR_PY_METHOD)
        text = hir_py_call_values (py, choice->ids, &value, 1);
      else if (choice->ids.type == HIR_PY_BUILTIN)
        text = hir_py_text (py, hir_py_repr (py, value, FALSE));
      part = text.type == HIR_PY_STRING ? g_strdup (text.string->text)
                                        : dup_value_id (py, value, choice->names->pdata[i], row);
      g_string_append_printf (id, "%s%s", i > 0 ? "-" : "", part);
    }
  return g_string_free (id, FALSE);
}

static void
add_names (HirPy *py, Choice *choice, HirPyValue value)
{
  if (value.type == HIR_PY_STRING)
    {
      g_auto (GStrv) names = g_strsplit (value.string->text, ",", 0);

      for (guint i = 0; names[i] != NULL; i++)
        if (*g_strstrip (names[i]) != '\0')
          g_ptr_array_add (choice->names, hir_py_strdup (py, names[i]));
    }
  else if (value.type == HIR_PY_LIST || value.type == HIR_PY_TUPLE)
    for (guint i = 0; i < value.list->n; i++)
      if (value.list->items[i].type == HIR_PY_STRING)
        g_ptr_array_add (choice->names, value.list->items[i].string->text);
}

/* Adds the parameters of @mark. Returns the choice, or NULL if there are too many. */
static Choice *
add_mark (HirPy *py, GPtrArray *choices, const HirPyValue *mark)
{
  Choice *choice;
  HirPyValue rows = mark[1];

  if (choices->len >= MAX_DECORATORS)
    return NULL;
  choice = g_new0 (Choice, 1);
  choice->names = g_ptr_array_new ();
  g_ptr_array_add (choices, choice);
  add_names (py, choice, mark[0]);
  choice->ids = mark[2];
  choice->rows = rows.type == HIR_PY_OPAQUE || rows.type == HIR_PY_NONE
                     ? hir_py_list (py, HIR_PY_LIST, 0).list
                     : hir_py_to_list (py, rows, "parametrize");
  return choice;
}

/* Evaluates the arguments of a parametrize one by one, so that an unknown one does not hide the
 * names. */
static void
add_call (HirPy *py, GPtrArray *choices, const HirAst *decorator)
{
  HirPyValue mark[3] = { hir_py_none (), hir_py_none (), hir_py_none () };
  guint n = 0;

  for (guint i = 0; i < decorator->n_items && py->signal == HIR_PY_GO; i++)
    {
      const HirAst *item = decorator->items[i];
      gboolean named = item->kind == HIR_AST_KEYWORD;
      const char *name = named ? item->text : n == 0 ? "argnames" : n == 1 ? "argvalues" : "";
      HirPyValue value = hir_py_eval (py, named ? item->a : item);

      n += !named;
      if (strcmp (name, "argnames") == 0)
        mark[0] = value;
      else if (strcmp (name, "argvalues") == 0)
        mark[1] = value;
      else if (strcmp (name, "ids") == 0)
        mark[2] = value;
    }
  if (py->signal == HIR_PY_STOPPED)
    {
      py->signal = HIR_PY_GO;
      hir_py_note (py, "the values of this decorator are unknown: %s", py->stop_reason);
    }
  add_mark (py, choices, mark);
}

/* Tells whether the value of a decorator may apply marks: it is code of the script, or a mark. */
static gboolean
may_mark (HirPyValue value)
{
  switch (value.type)
    {
    case HIR_PY_FUNCTION:
    case HIR_PY_INSTANCE:
    case HIR_PY_METHOD:
    case HIR_PY_PARTIAL:
      return TRUE;
    default:
      return value.type == HIR_PY_OPAQUE && value.opaque->mark != NULL;
    }
}

/* Adds the marks that @decorator applies to a function: a variable that holds a mark, or code of
 * the script that calls one. The decorator is not needed for anything else, so errors in it are
 * ignored. */
static void
add_applied (HirPy *py, GPtrArray *choices, const HirAst *decorator)
{
  g_autoptr (GPtrArray) marks = g_ptr_array_new ();
  HirPyFunction *function = hir_py_new (py, HirPyFunction);
  HirPyValue target = { .type = HIR_PY_FUNCTION, .function = function }, value;
  guint pos = py->pos;

  if (g_strv_contains ((const char *const[]){ "property", "staticmethod", "classmethod", NULL },
                       decorator->kind == HIR_AST_NAME ? decorator->text : ""))
    return;
  function->ast = hir_py_new (py, HirAstFunction);
  function->ast->name = "decorated";
  function->file = py->file;
  py->marks = marks;
  value = hir_py_eval (py, decorator);
  if (py->signal == HIR_PY_GO && may_mark (value))
    hir_py_call_values (py, value, &target, 1);
  py->marks = NULL;
  g_clear_error (&py->error);
  py->signal = HIR_PY_GO;
  py->pos = pos;
  for (guint i = 0; i < marks->len; i++)
    add_mark (py, choices, marks->pdata[i]);
}

/* Evaluates @decorator. Adds nothing if it is not a parametrize and applies none. */
static void
add_choice (HirPy *py, GPtrArray *choices, const HirAst *decorator)
{
  if (decorator->kind == HIR_AST_CALL && decorator->a->kind == HIR_AST_ATTRIBUTE &&
      strcmp (decorator->a->text, "parametrize") == 0)
    add_call (py, choices, decorator);
  else
    add_applied (py, choices, decorator);
}

/* Adds the marks of a global variable `pytestmark`, a mark or a list of marks. */
static void
add_global (HirPy *py, GPtrArray *choices)
{
  HirPyValue value;

  if (!hir_py_lookup_global (py, "pytestmark", &value))
    return;
  if (value.type == HIR_PY_OPAQUE && value.opaque->mark != NULL)
    add_mark (py, choices, value.opaque->mark);
  for (guint i = 0; value.type == HIR_PY_LIST && i < value.list->n; i++)
    if (value.list->items[i].type == HIR_PY_OPAQUE && value.list->items[i].opaque->mark != NULL)
      add_mark (py, choices, value.list->items[i].opaque->mark);
}

/* Returns TRUE if a decorator sets @name, which is then no fixture. */
static gboolean
is_chosen (const GPtrArray *choices, const char *name)
{
  for (guint i = 0; i < choices->len; i++)
    {
      const Choice *choice = choices->pdata[i];

      for (guint k = 0; k < choice->names->len; k++)
        if (strcmp (choice->names->pdata[k], name) == 0)
          return TRUE;
    }
  return FALSE;
}

/* Adds the parameters of fixture @name to @own, then those of the fixtures that it needs. */
static void
add_fixture (HirPy *py, GPtrArray *own, const GPtrArray *direct, const char *name, GHashTable *seen)
{
  HirPyFile *current = py->file;
  HirAstFunction *fixture = hir_py_find_fixture (py, name);
  const HirAst *params, *ids;

  if (fixture == NULL || is_chosen (direct, name) || !g_hash_table_add (seen, fixture))
    return;
  params = hir_script_get_fixture_option (fixture, "params");
  ids = hir_script_get_fixture_option (fixture, "ids");
  if (params != NULL)
    {
      HirPyValue mark[3] = { hir_py_string (py, name, strlen (name)), hir_py_eval (py, params),
                             ids != NULL ? hir_py_eval (py, ids) : hir_py_none () };
      Choice *choice = py->signal == HIR_PY_GO ? add_mark (py, own, mark) : NULL;

      if (choice != NULL)
        choice->fixture = fixture->name;
    }
  for (guint i = 0; i < fixture->n_params && py->signal == HIR_PY_GO; i++)
    add_fixture (py, own, direct, fixture->params[i].name, seen);
  py->file = current;
}

/* Adds the parameters of fixtures, which pytest puts before those of decorators. */
static void
add_fixtures (HirPy *py, GPtrArray *choices, const HirAstFunction *function)
{
  g_autoptr (GPtrArray) own = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < function->n_params && py->signal == HIR_PY_GO; i++)
    add_fixture (py, own, choices, function->params[i].name, seen);
  for (guint i = 0; i < own->len; i++)
    g_ptr_array_insert (choices, (gint) i, own->pdata[i]);
}

static GPtrArray *
evaluate (HirPy *py, const HirAstFunction *function)
{
  GPtrArray *choices = g_ptr_array_new_with_free_func ((GDestroyNotify) choice_free);

  for (const HirAstFunction *f = function; f != NULL && py->signal == HIR_PY_GO; f = f->parent)
    for (guint i = f->n_decorators; i-- > 0 && py->signal == HIR_PY_GO;)
      add_choice (py, choices, f->decorators[i]);
  if (py->signal == HIR_PY_GO && g_str_has_prefix (function->name, "test"))
    {
      add_global (py, choices);
      add_fixtures (py, choices, function);
    }
  return choices;
}

static void
set_row (HirPy *py, const Choice *choice, guint row)
{
  if (choice->fixture != NULL)
    {
      if (row < choice->rows->n)
        hir_py_dict_set_name (py, &py->fixture_params, choice->fixture,
                              get_value (py, choice, row, 0));
      return;
    }
  for (guint i = 0; i < choice->names->len; i++)
    hir_py_dict_set_name (py, &py->chosen, choice->names->pdata[i],
                          row < choice->rows->n
                              ? get_value (py, choice, row, i)
                              : hir_py_opaque (py, NULL, "%s",
                                               (const char *) choice->names->pdata[i]));
}

/* Chooses rows whose joined ids are @id. */
static gboolean
match (HirPy *py, const GPtrArray *choices, guint index, const char *id)
{
  const Choice *choice;

  if (index == choices->len)
    return *id == '\0';
  choice = choices->pdata[index];
  for (guint row = 0; row < choice->rows->n && hir_py_step (py, 1); row++)
    {
      g_autofree char *part = dup_row_id (py, choice, row);
      gsize length = strlen (part);

      if (!g_str_has_prefix (id, part) || (id[length] != '-' && id[length] != '\0'))
        continue;
      if (match (py, choices, index + 1, id + length + (id[length] == '-')))
        {
          set_row (py, choice, row);
          return TRUE;
        }
    }
  return FALSE;
}

/* Notes the values that were taken without a choice of the user. */
static void
note_choice (HirPy *py, const GPtrArray *choices)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < choices->len; i++)
    {
      const Choice *choice = choices->pdata[i];

      for (guint j = 0; j < choice->names->len && choice->rows->n > 1 && choice->fixture == NULL;
           j++)
        {
          g_autofree char *id =
              dup_value_id (py, get_value (py, choice, 0, j), choice->names->pdata[j], 0);

          g_string_append_printf (text, "%s%s=%s", text->len > 0 ? ", " : "",
                                  (const char *) choice->names->pdata[j], id);
        }
    }
  if (text->len > 0)
    hir_py_note (py, "the first parameters are taken: %s; --list shows all, --arg or [ID] selects",
                 text->str);
  g_string_free (text, TRUE);
}

void
hir_py_choose_params (HirPy *py, const HirAstFunction *function, const char *id)
{
  g_autoptr (GPtrArray) choices = evaluate (py, function);

  if (py->signal != HIR_PY_GO)
    return;
  for (guint i = 0; i < choices->len; i++)
    set_row (py, choices->pdata[i], 0);
  py->pos = function->node->start;
  if (id == NULL)
    note_choice (py, choices);
  else if (!match (py, choices, 0, id))
    hir_py_fail (py, HIR_ERROR_INPUT, "%s has no parameters [%s]; --list shows those it has",
                 function->name, id);
}

/* Returns TRUE if the command line may call @value @text. */
static gboolean
is_called (HirPy *py, HirPyValue value, const char *text, const char *name, guint row)
{
  g_autofree char *id = dup_value_id (py, value, name, row);
  const char *repr = hir_py_repr (py, value, TRUE);

  return strcmp (id, text) == 0 || strcmp (get_last (id), text) == 0 || strcmp (repr, text) == 0 ||
         strcmp (get_last (repr), text) == 0;
}

gboolean
hir_py_find_choice (HirPy *py,
                    const HirAstFunction *function,
                    const char *name,
                    const char *text,
                    HirPyValue *value)
{
  g_autoptr (GPtrArray) choices = evaluate (py, function);

  for (guint i = 0; i < choices->len; i++)
    {
      const Choice *choice = choices->pdata[i];

      for (guint j = 0; j < choice->names->len; j++)
        for (guint row = 0; row < choice->rows->n && strcmp (choice->names->pdata[j], name) == 0;
             row++)
          {
            g_autofree char *id = dup_row_id (py, choice, row);

            *value = get_value (py, choice, row, j);
            if (strcmp (id, text) == 0 || is_called (py, *value, text, name, row))
              return TRUE;
          }
    }
  return FALSE;
}

static void
list (
    HirPy *py, const GPtrArray *choices, guint index, const char *before, GPtrArray *ids, guint max)
{
  const Choice *choice;

  if (index == choices->len)
    {
      g_ptr_array_add (ids, g_strdup (before));
      return;
    }
  choice = choices->pdata[index];
  for (guint row = 0; row < choice->rows->n && ids->len < max && hir_py_step (py, 1); row++)
    {
      g_autofree char *id = dup_row_id (py, choice, row);
      g_autofree char *joined = g_strdup_printf ("%s%s%s", before, index > 0 ? "-" : "", id);

      list (py, choices, index + 1, joined, ids, max);
    }
}

/* Adds the id of row @row of choice @varied and of the first rows of the others. */
static void
add_variation (HirPy *py, const GPtrArray *choices, guint varied, guint row, GPtrArray *ids)
{
  GString *id = g_string_new (NULL);

  for (guint i = 0; i < choices->len; i++)
    {
      g_autofree char *part = dup_row_id (py, choices->pdata[i], i == varied ? row : 0);

      g_string_append_printf (id, "%s%s", i > 0 ? "-" : "", part);
    }
  g_ptr_array_add (ids, g_string_free (id, FALSE));
}

void
hir_py_list_variations (HirPy *py, const HirAstFunction *function, GPtrArray *ids, guint max)
{
  g_autoptr (GPtrArray) choices = evaluate (py, function);
  guint n_rows = 0;

  for (guint i = 0; i < choices->len; i++)
    {
      const Choice *choice = choices->pdata[i];

      if (choice->rows->n == 0)
        return;
      n_rows = MAX (n_rows, choice->rows->n);
    }
  for (guint row = 1; row < n_rows && ids->len < max && py->signal == HIR_PY_GO; row++)
    for (guint i = 0; i < choices->len && ids->len < max; i++)
      if (row < ((const Choice *) choices->pdata[i])->rows->n)
        add_variation (py, choices, i, row, ids);
}

void
hir_py_list_params (HirPy *py, const HirAstFunction *function, GPtrArray *ids, guint max)
{
  g_autoptr (GPtrArray) choices = evaluate (py, function);

  if (choices->len > 0 && py->signal == HIR_PY_GO)
    list (py, choices, 0, "", ids, max);
}
