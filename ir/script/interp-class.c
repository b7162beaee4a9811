/* Classes of the script and their instances, including those derived from FusionDefinition. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <string.h>

static gboolean
is_class_decorated (const HirAst *node, const char *name)
{
  for (guint i = 0; i < node->function->n_decorators; i++)
    {
      const HirAst *decorator = node->function->decorators[i];

      if (decorator->kind == HIR_AST_CALL)
        decorator = decorator->a;
      if ((decorator->kind == HIR_AST_NAME || decorator->kind == HIR_AST_ATTRIBUTE) &&
          strcmp (decorator->text, name) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
eval_bases (HirPy *py, HirPyClass *class, const HirAst *bases)
{
  class->bases = hir_py_alloc (py, MAX (bases->n_items, 1) * sizeof (HirPyValue));
  for (guint i = 0; i < bases->n_items && py->signal == HIR_PY_GO; i++)
    {
      HirPyValue base;

      if (bases->items[i]->kind == HIR_AST_KEYWORD)
        continue;
      base = hir_py_eval (py, bases->items[i]);
      if (py->signal != HIR_PY_GO)
        return;
      if (base.type == HIR_PY_BUILTIN && strcmp (base.text, "FusionDefinition") == 0)
        class->is_definition = TRUE;
      else if (base.type == HIR_PY_BUILTIN && hir_py_is_exception_name (base.text))
        class->is_exception = TRUE;
      else if (base.type == HIR_PY_OPAQUE)
        {
          const char *dot = strrchr (base.opaque->path, '.');
          const char *name = dot != NULL ? dot + 1 : base.opaque->path;

          class->is_enum =
              class->is_enum || g_str_has_suffix (name, "Enum") || g_str_has_suffix (name, "Flag");
          class->is_flag = class->is_flag || g_str_has_suffix (name, "Flag");
          class->is_value_enum = class->is_value_enum || strcmp (name, "IntEnum") == 0 ||
                                 strcmp (name, "IntFlag") == 0 || strcmp (name, "StrEnum") == 0;
          class->is_string_enum = class->is_string_enum || strcmp (name, "StrEnum") == 0;
          class->is_tuple = class->is_tuple || strcmp (name, "NamedTuple") == 0;
        }
      else if (base.type == HIR_PY_CLASS)
        {
          class->is_enum = class->is_enum || base.class->is_enum;
          class->is_flag = class->is_flag || base.class->is_flag;
          class->is_value_enum = class->is_value_enum || base.class->is_value_enum;
          class->is_definition = class->is_definition || base.class->is_definition;
          class->is_exception = class->is_exception || base.class->is_exception;
          class->is_tuple = class->is_tuple || base.class->is_tuple;
          class->is_dataclass = class->is_dataclass || base.class->is_dataclass;
        }
      else if (base.type == HIR_PY_BUILTIN && bases->n_items > 1)
        class->is_value_enum = class->is_value_enum || strcmp (base.text, "int") == 0 ||
                               strcmp (base.text, "str") == 0 || strcmp (base.text, "float") == 0;
      class->bases[class->n_bases++] = base;
    }
  class->is_value_enum = class->is_value_enum && class->is_enum;
}

/* Returns the value of auto() after @last in a Flag: the next bit. */
static gint64
next_flag (gint64 last)
{
  gint64 bit = 1;

  while (bit <= last && bit <= G_MAXINT64 / 2)
    bit *= 2;
  return bit;
}

static HirPyInstance *
new_member (HirPy *py, HirPyClass *class, HirPyValue name, HirPyValue value)
{
  HirPyInstance *member = hir_py_new (py, HirPyInstance);

  member->class = class;
  hir_py_dict_set_name (py, &member->attributes, "name", name);
  hir_py_dict_set_name (py, &member->attributes, "value", value);
  return member;
}

/* Gives each name of an Enum that is auto() its number, or its text if the Enum is a StrEnum. */
static void
number_members (HirPy *py, const HirPyClass *class, HirPyDict *names)
{
  gint64 last = 0;

  for (guint i = 0; i < names->n; i++)
    {
      HirPyValue *value = &names->entries[i].value;

      if (value->type == HIR_PY_OPAQUE && g_str_has_suffix (value->opaque->path, "auto()"))
        {
          g_autofree char *lower = class->is_string_enum
                                       ? g_ascii_strdown (names->entries[i].key.string->text, -1)
                                       : NULL;

          *value = lower != NULL ? hir_py_text (py, lower)
                                 : hir_py_int (class->is_flag ? next_flag (last) : last + 1);
        }
      if (value->type == HIR_PY_INT)
        last = value->i;
    }
}

/* Turns the assigned names of an Enum into its members. Equal values are one member. */
static void
make_members (HirPy *py, HirPyClass *class)
{
  for (guint i = 0; i < class->attributes.n && py->signal == HIR_PY_GO; i++)
    {
      HirPyEntry *entry = &class->attributes.entries[i];
      HirPyInstance *member = NULL;

      if (entry->deleted || entry->key.type != HIR_PY_STRING ||
          entry->value.type == HIR_PY_FUNCTION || entry->key.string->text[0] == '_')
        continue;
      for (guint j = 0; j < i && member == NULL; j++)
        {
          const HirPyEntry *other = &class->attributes.entries[j];
          const HirPyValue *value =
              other->value.type == HIR_PY_INSTANCE && other->value.instance->class == class
                  ? hir_py_dict_get_name (py, &other->value.instance->attributes, "value")
                  : NULL;

          if (value != NULL && hir_py_equal (py, *value, entry->value))
            member = other->value.instance;
        }
      if (member == NULL)
        member = new_member (py, class, entry->key, entry->value);
      entry->value = (HirPyValue){ .type = HIR_PY_INSTANCE, .instance = member };
    }
}

HirPyList *
hir_py_class_members (HirPy *py, HirPyClass *class)
{
  HirPyList *list = hir_py_list (py, HIR_PY_LIST, 0).list;

  for (guint i = 0; i < class->attributes.n; i++)
    {
      const HirPyEntry *entry = &class->attributes.entries[i];

      if (!entry->deleted && entry->value.type == HIR_PY_INSTANCE &&
          entry->value.instance->class == class &&
          hir_py_equal (py, *hir_py_dict_get_name (py, &entry->value.instance->attributes, "name"),
                        entry->key))
        hir_py_list_append (py, list, entry->value);
    }
  return list;
}

/* Enum (value): the member with this value. */
static HirPyValue
find_member (HirPy *py, HirPyClass *class, HirPyArgs *args)
{
  HirPyList *members = hir_py_class_members (py, class);
  HirPyValue value = hir_py_arg_required (py, args, 0, "value");

  for (guint i = 0; i < members->n && py->signal == HIR_PY_GO; i++)
    if (hir_py_equal (py, value,
                      *hir_py_dict_get_name (py, &members->items[i].instance->attributes, "value")))
      return members->items[i];
  return hir_py_raise (py, "ValueError", "%s has no member of this value", class->name);
}

HirPyValue
hir_py_make_class (HirPy *py, const HirAst *node)
{
  HirPyClass *class = hir_py_new (py, HirPyClass);
  HirPyEnv *outer = py->frame->env, *env = hir_py_env_new (py, outer);

  class->name = node->text;
  class->ast = (HirAst *) node;
  class->is_dataclass = is_class_decorated (node, "dataclass");
  eval_bases (py, class, node->a);
  py->frame->env = env;
  for (guint i = 0; i < node->n_items && py->signal == HIR_PY_GO; i++)
    {
      const HirAst *statement = node->items[i];

      if (statement->kind == HIR_AST_DEF)
        hir_py_dict_set_name (py, &env->names, statement->function->name,
                              hir_py_make_function (py, statement->function, class));
      else
        hir_py_exec (py, statement);
      if (class->is_enum)
        number_members (py, class, &env->names);
    }
  py->frame->env = outer;
  class->attributes = env->names;
  if (class->is_enum)
    make_members (py, class);
  return (HirPyValue){ .type = HIR_PY_CLASS, .class = class };
}

static const HirPyValue *
class_lookup (HirPy *py, HirPyClass *class, const char *name, guint depth)
{
  const HirPyValue *found = hir_py_dict_get_name (py, &class->attributes, name);

  for (guint i = 0; found == NULL && i < class->n_bases && depth < 20; i++)
    if (class->bases[i].type == HIR_PY_CLASS)
      found = class_lookup (py, class->bases[i].class, name, depth + 1);
  return found;
}

const HirPyValue *
hir_py_class_lookup (HirPy *py, HirPyClass *class, const char *name)
{
  return class_lookup (py, class, name, 0);
}

static HirPyValue
bind_method (HirPy *py, HirPyValue self, HirPyValue found)
{
  HirPyMethod *method;

  if (found.type != HIR_PY_FUNCTION || found.function->is_static)
    return found;
  method = hir_py_new (py, HirPyMethod);
  method->self = self;
  method->function = found;
  return (HirPyValue){ .type = HIR_PY_METHOD, .method = method };
}

gboolean
hir_py_call_special (HirPy *py,
                     HirPyValue self,
                     const char *name,
                     const HirPyValue *args,
                     guint n,
                     HirPyValue *result)
{
  const HirPyValue *found =
      self.type == HIR_PY_INSTANCE ? hir_py_class_lookup (py, self.instance->class, name) : NULL;

  if (found == NULL || found->type != HIR_PY_FUNCTION)
    return FALSE;
  *result = hir_py_call_values (py, bind_method (py, self, *found), (HirPyValue *) args, n);
  return TRUE;
}

/* Combines two members of a Flag. */
static gboolean
combine_flags (HirPy *py, guint op, HirPyValue a, HirPyValue b, HirPyValue *result)
{
  HirPyClass *class = a.type == HIR_PY_INSTANCE ? a.instance->class : NULL;
  HirPyList *members;

  if (class == NULL || !class->is_flag || b.type != HIR_PY_INSTANCE || b.instance->class != class)
    return FALSE;
  *result = hir_py_binary (py, op, *hir_py_dict_get_name (py, &a.instance->attributes, "value"),
                           *hir_py_dict_get_name (py, &b.instance->attributes, "value"));
  members = hir_py_class_members (py, class);
  for (guint i = 0; i < members->n; i++)
    if (hir_py_equal (py, *result,
                      *hir_py_dict_get_name (py, &members->items[i].instance->attributes, "value")))
      return *result = members->items[i], TRUE;
  *result = (HirPyValue){ .type = HIR_PY_INSTANCE,
                          .instance = new_member (py, class, hir_py_none (), *result) };
  return TRUE;
}

gboolean
hir_py_class_operator (HirPy *py, guint op, HirPyValue a, HirPyValue b, HirPyValue *result)
{
  static const struct
  {
    guint op;
    const char *name, *reflected;
  } methods[] = {
    { HIR_TOKEN_PLUS, "__add__", "__radd__" },
    { HIR_TOKEN_MINUS, "__sub__", "__rsub__" },
    { HIR_TOKEN_STAR, "__mul__", "__rmul__" },
    { HIR_TOKEN_SLASH, "__truediv__", "__rtruediv__" },
    { HIR_TOKEN_DOUBLE_SLASH, "__floordiv__", "__rfloordiv__" },
    { HIR_TOKEN_PERCENT, "__mod__", "__rmod__" },
    { HIR_TOKEN_DOUBLE_STAR, "__pow__", "__rpow__" },
    { HIR_TOKEN_AT, "__matmul__", "__rmatmul__" },
    { HIR_TOKEN_AMPERSAND, "__and__", "__rand__" },
    { HIR_TOKEN_BAR, "__or__", "__ror__" },
    { HIR_TOKEN_CARET, "__xor__", "__rxor__" },
    { HIR_TOKEN_LSHIFT, "__lshift__", "__rlshift__" },
    { HIR_TOKEN_RSHIFT, "__rshift__", "__rrshift__" },
    { HIR_TOKEN_EQ, "__eq__", "__eq__" },
    { HIR_TOKEN_NE, "__ne__", "__ne__" },
    { HIR_TOKEN_LT, "__lt__", "__gt__" },
    { HIR_TOKEN_LE, "__le__", "__ge__" },
    { HIR_TOKEN_GT, "__gt__", "__lt__" },
    { HIR_TOKEN_GE, "__ge__", "__le__" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    if (methods[i].op == op)
      return hir_py_call_special (py, a, methods[i].name, &b, 1, result) ||
             hir_py_call_special (py, b, methods[i].reflected, &a, 1, result) ||
             ((op == HIR_TOKEN_AMPERSAND || op == HIR_TOKEN_BAR || op == HIR_TOKEN_CARET) &&
              combine_flags (py, op, a, b, result));
  return FALSE;
}

gboolean
hir_py_truth (HirPy *py, HirPyValue value, const char *what)
{
  HirPyValue own;

  value = hir_py_torch_number (value);
  switch (value.type)
    {
    case HIR_PY_NONE:
      return FALSE;
    case HIR_PY_BOOL:
    case HIR_PY_INT:
      return value.i != 0;
    case HIR_PY_FLOAT:
      return value.d != 0;
    case HIR_PY_COMPLEX:
      return value.z->re != 0 || value.z->im != 0;
    case HIR_PY_STRING:
      return value.string->length > 0;
    case HIR_PY_LIST:
    case HIR_PY_TUPLE:
      return value.list->n > 0;
    case HIR_PY_SET:
    case HIR_PY_DICT:
      return value.dict->n_live > 0;
    case HIR_PY_RANGE:
      return value.range->n > 0;
    case HIR_PY_OPAQUE:
      hir_py_stop (py, "%s depends on %s, whose value is unknown", what, value.opaque->path);
      return FALSE;
    case HIR_PY_INSTANCE:
      if (hir_py_call_special (py, value, "__bool__", NULL, 0, &own) ||
          hir_py_call_special (py, value, "__len__", NULL, 0, &own))
        return own.type != HIR_PY_INSTANCE && hir_py_truth (py, own, what);
      if (value.instance->class->is_flag)
        return hir_py_truth (py, *hir_py_dict_get_name (py, &value.instance->attributes, "value"),
                             what);
      return TRUE;
    case HIR_PY_ARRAY:
    case HIR_PY_TENSOR:
    case HIR_PY_SCALAR:
      hir_py_stop (py, "%s depends on a %s, whose value is unknown", what,
                   hir_py_type_name (value));
      return FALSE;
    default:
      return TRUE;
    }
}

static HirPyValue
make_exception (HirPy *py, HirPyClass *class, HirPyArgs *args)
{
  HirPyException *exception = hir_py_new (py, HirPyException);

  exception->type = class->name;
  exception->message =
      args->n > 0 ? hir_py_repr (py, args->items[0], FALSE) : hir_py_strdup (py, "");
  exception->pos = hir_py_get_offset (py);
  return (HirPyValue){ .type = HIR_PY_EXCEPTION, .exception = exception };
}

HirPyValue
hir_py_instantiate (HirPy *py, HirPyClass *class, HirPyArgs *args)
{
  HirPyInstance *instance;
  HirPyValue self;
  const HirPyValue *init;

  if (class->is_exception)
    return make_exception (py, class, args);
  if (class->is_enum)
    return find_member (py, class, args);
  instance = hir_py_new (py, HirPyInstance);
  instance->class = class;
  self = (HirPyValue){ .type = HIR_PY_INSTANCE, .instance = instance };
  if (class->is_definition)
    hir_py_definition_new (py, instance);
  init = hir_py_class_lookup (py, class, "__init__");
  if (init != NULL && init->type == HIR_PY_FUNCTION)
    hir_py_call_function (py, init->function, &self, args, "__init__");
  else if (class->is_dataclass || class->is_tuple)
    {
      hir_py_init_record (py, instance, args);
      if (py->signal == HIR_PY_GO && hir_py_class_lookup (py, class, "__post_init__") != NULL)
        hir_py_call_values (py, hir_py_get_attribute (py, self, "__post_init__"), NULL, 0);
    }
  else if (!class->is_definition && class->n_bases == 0 && (args->n > 0 || args->n_named > 0))
    return hir_py_raise (py, "TypeError", "%s() takes no arguments", class->name);
  return self;
}

HirPyValue
hir_py_super (HirPy *py)
{
  HirPyFrame *frame = py->frame;
  HirPySuper *super;

  while (frame != NULL && (frame->function == NULL || frame->function->owner == NULL))
    frame = frame->caller;
  if (frame == NULL || frame->self.type != HIR_PY_INSTANCE)
    return hir_py_raise (py, "RuntimeError", "super() has a meaning in a method only");
  super = hir_py_new (py, HirPySuper);
  super->self = frame->self;
  super->class = frame->function->owner;
  return (HirPyValue){ .type = HIR_PY_SUPER, .super = super };
}

HirPyValue
hir_py_super_get (HirPy *py, HirPyValue super, const char *name)
{
  HirPyClass *class = super.super->class;
  HirPyValue self = super.super->self;

  for (guint i = 0; i < class->n_bases; i++)
    if (class->bases[i].type == HIR_PY_CLASS)
      {
        const HirPyValue *found = hir_py_class_lookup (py, class->bases[i].class, name);

        if (found != NULL)
          return bind_method (py, self, *found);
      }
  if (strcmp (name, "__init__") == 0)
    return (HirPyValue){ .type = HIR_PY_BUILTIN, .text = "object.__init__" };
  if (self.instance->definition != NULL)
    return hir_py_definition_get (py, self.instance->definition, name);
  return hir_py_opaque (py, NULL, "super().%s", name);
}

static gboolean
derives (const HirPyClass *class, const HirPyClass *from, guint depth)
{
  if (class == from)
    return TRUE;
  for (guint i = 0; i < class->n_bases && depth < 20; i++)
    if (class->bases[i].type == HIR_PY_CLASS && derives (class->bases[i].class, from, depth + 1))
      return TRUE;
  return FALSE;
}

static gboolean
is_of_builtin (HirPyValue value, const char *type)
{
  static const struct
  {
    const char *name;
    HirPyType type;
  } types[] = {
    { "int", HIR_PY_INT },           { "bool", HIR_PY_BOOL },
    { "float", HIR_PY_FLOAT },       { "complex", HIR_PY_COMPLEX },
    { "str", HIR_PY_STRING },        { "list", HIR_PY_LIST },
    { "tuple", HIR_PY_TUPLE },       { "dict", HIR_PY_DICT },
    { "set", HIR_PY_SET },           { "range", HIR_PY_RANGE },
    { "TensorView", HIR_PY_TENSOR }, { "FusionDefinition", HIR_PY_DEFINITION },
    { "DeviceMesh", HIR_PY_MESH },
  };

  if (strcmp (type, "object") == 0)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i].name, type) == 0)
      return value.type == types[i].type ||
             (types[i].type == HIR_PY_INT && value.type == HIR_PY_BOOL) ||
             (types[i].type == HIR_PY_DEFINITION && value.type == HIR_PY_INSTANCE &&
              value.instance->definition != NULL);
  return value.type == HIR_PY_EXCEPTION && strcmp (value.exception->type, type) == 0;
}

gboolean
hir_py_is_instance (HirPy *py, HirPyValue value, HirPyValue type)
{
  if (type.type == HIR_PY_TUPLE)
    {
      for (guint i = 0; i < type.list->n; i++)
        if (hir_py_is_instance (py, value, type.list->items[i]))
          return TRUE;
      return FALSE;
    }
  if (type.type == HIR_PY_CLASS)
    return value.type == HIR_PY_INSTANCE && derives (value.instance->class, type.class, 0);
  if (type.type == HIR_PY_OPAQUE) /* torch.Tensor */
    return (value.type == HIR_PY_OPAQUE && value.opaque->torch != NULL) ||
           value.type == HIR_PY_ARRAY;
  return type.type == HIR_PY_BUILTIN && is_of_builtin (value, type.text);
}

void
hir_py_define_instance (HirPy *py, HirPyInstance *instance)
{
  static const char *const schedules[] = { "multidevice_schedule", "schedule" };
  HirPyValue self = { .type = HIR_PY_INSTANCE, .instance = instance };
  const HirPyValue *method;
  HirPyArgs args = { .callee = "definition" };

  if (instance->definition == NULL || instance->definition->is_defined || py->signal != HIR_PY_GO)
    return;
  instance->definition->is_defined = TRUE;
  method = hir_py_class_lookup (py, instance->class, "definition");
  if (method == NULL || method->type != HIR_PY_FUNCTION)
    return;
  hir_py_call_function (py, method->function, &self, &args, "definition");
  for (guint i = 0; i < G_N_ELEMENTS (schedules); i++)
    {
      method = hir_py_class_lookup (py, instance->class, schedules[i]);
      if (method != NULL && method->type == HIR_PY_FUNCTION)
        {
          hir_py_call_function (py, method->function, &self, &args, schedules[i]);
          return;
        }
    }
}
