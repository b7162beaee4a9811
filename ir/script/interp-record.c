/* Fields of dataclasses and NamedTuples. */
#include "script/interp.h"

#include <string.h>

/* Returns the name of the type that @node annotates a name with: ClassVar of ClassVar[int]. */
static const char *
get_annotation (const HirAst *node)
{
  const HirAst *type = node->b;

  if (type != NULL && type->kind == HIR_AST_SUBSCRIPT)
    type = type->a;
  return type != NULL && (type->kind == HIR_AST_NAME || type->kind == HIR_AST_ATTRIBUTE)
             ? type->text
             : "";
}

/* Adds the fields of a dataclass or NamedTuple, its annotated names, after those of its bases. */
static void
add_fields (const HirPyClass *class, GPtrArray *fields, guint depth)
{
  for (guint i = 0; i < class->n_bases && depth < 20; i++)
    if (class->bases[i].type == HIR_PY_CLASS)
      add_fields (class->bases[i].class, fields, depth + 1);
  for (guint i = 0; i < class->ast->n_items; i++)
    {
      HirAst *field = class->ast->items[i];
      guint at = 0;

      if (field->kind != HIR_AST_ANN_ASSIGN || field->a->kind != HIR_AST_NAME ||
          strcmp (get_annotation (field), "ClassVar") == 0)
        continue;
      while (at < fields->len && strcmp (((HirAst *) fields->pdata[at])->a->text, field->a->text))
        at++;
      if (at < fields->len)
        fields->pdata[at] = field;
      else
        g_ptr_array_add (fields, field);
    }
}

/* Returns FALSE if @node is field (init=False). */
static gboolean
is_argument (const HirAst *node)
{
  const HirAst *call = node->c;

  if (call == NULL || call->kind != HIR_AST_CALL ||
      (call->a->kind != HIR_AST_NAME && call->a->kind != HIR_AST_ATTRIBUTE) ||
      strcmp (call->a->text, "field") != 0)
    return TRUE;
  for (guint i = 0; i < call->n_items; i++)
    if (call->items[i]->kind == HIR_AST_KEYWORD && call->items[i]->text != NULL &&
        strcmp (call->items[i]->text, "init") == 0 && call->items[i]->a->kind == HIR_AST_FALSE)
      return FALSE;
  return TRUE;
}

/* Returns a default of a field. Each instance has its own copy of a list or dict. */
static HirPyValue
copy_default (HirPy *py, HirPyClass *class, const char *name)
{
  const HirPyValue *found = hir_py_class_lookup (py, class, name);
  HirPyValue value = found != NULL ? *found : hir_py_none (), copy;

  hir_py_call_stdlib (py, "copy.copy", &(HirPyArgs){ .items = &value, .n = 1 }, &copy);
  return copy;
}

void
hir_py_init_record (HirPy *py, HirPyInstance *instance, HirPyArgs *args)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new ();
  guint next = 0;

  add_fields (instance->class, fields, 0);
  for (guint i = 0; i < fields->len && py->signal == HIR_PY_GO; i++)
    {
      const HirAst *field = fields->pdata[i];
      const char *name = field->a->text;
      gboolean is_given = is_argument (field);
      HirPyValue value = hir_py_none ();

      if (is_given && hir_py_arg (py, args, next++, name, &value))
        ;
      else if (field->c != NULL)
        value = copy_default (py, instance->class, name);
      else
        hir_py_raise (py, "TypeError", "%s() misses the argument '%s'", instance->class->name,
                      name);
      hir_py_dict_set_name (py, &instance->attributes, name, value);
    }
  hir_py_args_finish (py, args, next);
}

HirPyList *
hir_py_instance_list (HirPy *py, HirPyInstance *instance)
{
  HirPyList *list = hir_py_list (py, HIR_PY_LIST, 0).list;

  for (guint i = 0; i < instance->attributes.n; i++)
    if (!instance->attributes.entries[i].deleted)
      hir_py_list_append (py, list, instance->attributes.entries[i].value);
  return list;
}

HirPyValue
hir_py_replace_fields (HirPy *py, HirPyValue record, HirPyArgs *args)
{
  HirPyInstance *copy = hir_py_new (py, HirPyInstance);

  copy->class = record.instance->class;
  for (guint i = 0; i < record.instance->attributes.n; i++)
    if (!record.instance->attributes.entries[i].deleted)
      hir_py_dict_set (py, &copy->attributes, record.instance->attributes.entries[i].key,
                       record.instance->attributes.entries[i].value);
  for (guint i = 0; i < args->n_named; i++)
    {
      args->used[i] = TRUE;
      hir_py_dict_set_name (py, &copy->attributes, args->names[i], args->named[i]);
    }
  return (HirPyValue){ .type = HIR_PY_INSTANCE, .instance = copy };
}

HirPyValue
hir_py_fields_to_dict (HirPy *py, HirPyValue record)
{
  HirPyValue dict = hir_py_dict (py, HIR_PY_DICT);

  for (guint i = 0; i < record.instance->attributes.n; i++)
    if (!record.instance->attributes.entries[i].deleted)
      hir_py_dict_set (py, dict.dict, record.instance->attributes.entries[i].key,
                       record.instance->attributes.entries[i].value);
  return dict;
}
