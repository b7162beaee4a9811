/* Functions of itertools, functools, copy, numpy, pytest and others that scripts use for sizes and
 * choices. Iterators are lists. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <string.h>

#define MAX_ROWS 1000000

static HirPyValue
from_list (HirPyList *list)
{
  return (HirPyValue){ .type = HIR_PY_LIST, .list = list };
}

/* Returns the argument lists of product() or zip(); NULL after a signal, or with *@opaque set. */
static HirPyList **
take_lists (HirPy *py, HirPyArgs *args, guint repeat, guint *n, gboolean *opaque)
{
  HirPyList **lists = g_new0 (HirPyList *, MAX (args->n * repeat, 1));

  *n = args->n * repeat;
  for (guint i = 0; i < args->n; i++)
    if (args->items[i].type == HIR_PY_OPAQUE)
      *opaque = TRUE;
    else
      lists[i] = hir_py_to_list (py, args->items[i], "itertools");
  for (guint i = args->n; i < *n; i++)
    lists[i] = lists[i - args->n];
  if (*opaque || py->signal != HIR_PY_GO)
    g_clear_pointer (&lists, g_free);
  return lists;
}

static HirPyValue
product (HirPy *py, HirPyArgs *args)
{
  const gint64 one = 1;
  gint64 repeat = hir_py_arg_int (py, args, G_MAXUINT, "repeat", &one);
  HirPyValue result = hir_py_list (py, HIR_PY_LIST, 0);
  gboolean opaque = FALSE;
  guint64 total = 1;
  guint n;
  g_autofree HirPyList **lists = NULL;

  if (repeat < 0 || repeat > 16)
    return hir_py_raise (py, "ValueError", "itertools.product: repeat must be 0 to 16");
  lists = take_lists (py, args, (guint) repeat, &n, &opaque);
  if (lists == NULL)
    return opaque ? hir_py_opaque (py, NULL, "itertools.product()") : hir_py_none ();
  for (guint i = 0; i < n && total <= MAX_ROWS; i++)
    total *= lists[i]->n;
  if (total > MAX_ROWS)
    return hir_py_fail (py, HIR_ERROR_LIMIT, "itertools.product: more than %d rows", MAX_ROWS);
  for (guint64 row = 0; row < total && hir_py_step (py, 1); row++)
    {
      HirPyValue tuple = hir_py_list (py, HIR_PY_TUPLE, n);
      guint64 rest = row;

      for (guint i = tuple.list->n; i-- > 0;)
        {
          tuple.list->items[i] = lists[i]->items[rest % lists[i]->n];
          rest /= lists[i]->n;
        }
      hir_py_list_append (py, result.list, tuple);
    }
  return result;
}

/* Appends the rows of permutations (ordered) or combinations of @list with @r items. */
static void
choose (
    HirPy *py, HirPyList *list, guint r, gboolean ordered, guint *at, guint depth, HirPyList *out)
{
  if (!hir_py_step (py, 1))
    return;
  if (depth == r)
    {
      HirPyValue tuple = hir_py_list (py, HIR_PY_TUPLE, r);

      for (guint i = 0; i < tuple.list->n; i++)
        tuple.list->items[i] = list->items[at[i]];
      hir_py_list_append (py, out, tuple);
      return;
    }
  for (guint i = !ordered && depth > 0 ? at[depth - 1] + 1 : 0; i < list->n; i++)
    {
      gboolean used = FALSE;

      for (guint j = 0; j < depth; j++)
        used = used || at[j] == i;
      if (used)
        continue;
      at[depth] = i;
      choose (py, list, r, ordered, at, depth + 1, out);
    }
}

static HirPyValue
permutations (HirPy *py, HirPyArgs *args, gboolean ordered)
{
  HirPyList *list = hir_py_to_list (py, hir_py_arg_required (py, args, 0, "iterable"), "itertools");
  gint64 all = list->n, r = hir_py_arg_int (py, args, 1, "r", &all);
  HirPyValue result = hir_py_list (py, HIR_PY_LIST, 0);
  guint at[HIR_PY_MAX_AXES];

  if (py->signal == HIR_PY_GO && r >= 0 && r <= (gint64) MIN (list->n, HIR_PY_MAX_AXES))
    choose (py, list, (guint) r, ordered, at, 0, result.list);
  return result;
}

/* chain (a, b), or the items of one list of lists. */
static HirPyValue
chain (HirPy *py, HirPyArgs *args, gboolean from_iterable)
{
  HirPyValue result = hir_py_list (py, HIR_PY_LIST, 0);
  HirPyList list = { args->items, args->n, args->n }, *lists = &list;

  if (from_iterable)
    lists = hir_py_to_list (py, hir_py_arg_required (py, args, 0, "iterable"), "chain");
  for (guint i = 0; i < lists->n && py->signal == HIR_PY_GO; i++)
    hir_py_list_extend (py, result.list, lists->items[i], "chain");
  return result;
}

static HirPyValue
accumulate (HirPy *py, HirPyArgs *args)
{
  HirPyList *list = hir_py_to_list (py, hir_py_arg_required (py, args, 0, "iterable"), "itertools");
  HirPyValue result = hir_py_list (py, HIR_PY_LIST, 0), total = hir_py_int (0);

  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    {
      total = i == 0 ? list->items[0] : hir_py_binary (py, HIR_TOKEN_PLUS, total, list->items[i]);
      hir_py_list_append (py, result.list, total);
    }
  return result;
}

static HirPyValue
starmap (HirPy *py, HirPyArgs *args)
{
  HirPyValue function = hir_py_arg_required (py, args, 0, "function"),
             result = hir_py_list (py, HIR_PY_LIST, 0);
  HirPyList *list = hir_py_to_list (py, hir_py_arg_required (py, args, 1, "iterable"), "starmap");

  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    {
      HirPyList *row = hir_py_to_list (py, list->items[i], "starmap");

      hir_py_list_append (py, result.list, hir_py_call_values (py, function, row->items, row->n));
    }
  return result;
}

static HirPyValue
reduce (HirPy *py, HirPyArgs *args)
{
  HirPyValue function = hir_py_arg_required (py, args, 0, "function"), total = hir_py_none ();
  HirPyList *list = hir_py_to_list (py, hir_py_arg_required (py, args, 1, "iterable"), "reduce");
  gboolean has_total = hir_py_arg (py, args, 2, "initial", &total);

  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    if (!has_total)
      {
        total = list->items[i];
        has_total = TRUE;
      }
    else
      total = hir_py_call_values (py, function, (HirPyValue[]){ total, list->items[i] }, 2);
  return total;
}

/* The product of a list of numbers, or of one number. */
static HirPyValue
prod (HirPy *py, HirPyArgs *args)
{
  HirPyValue value = hir_py_arg_required (py, args, 0, "a"), total = hir_py_int (1);
  HirPyList *list;

  if (hir_py_is_number (value) || value.type == HIR_PY_OPAQUE)
    return value;
  list = hir_py_to_list (py, value, "prod");
  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    total = hir_py_binary (py, HIR_TOKEN_STAR, total, list->items[i]);
  return total;
}

/* pytest.param (values..., id=, marks=) */
static HirPyValue
param (HirPy *py, HirPyArgs *args)
{
  HirPyParam *result = hir_py_new (py, HirPyParam);
  HirPyValue value = hir_py_opaque (py, NULL, "pytest.param()"), option = hir_py_none ();

  result->values = hir_py_list (py, HIR_PY_LIST, 0).list;
  for (guint i = 0; i < args->n; i++)
    hir_py_list_append (py, result->values, args->items[i]);
  if (hir_py_arg (py, args, G_MAXUINT, "id", &option) && option.type == HIR_PY_STRING)
    result->id = option.string->text;
  value.opaque->param = result;
  return value;
}

/* pytest.mark.parametrize (argnames, argvalues, ids=), to be applied by parametrize.c. */
static HirPyValue
parametrize (HirPy *py, HirPyArgs *args)
{
  HirPyValue value = hir_py_opaque (py, NULL, "pytest.mark.parametrize()");
  HirPyValue *mark = hir_py_alloc (py, 3 * sizeof (HirPyValue));

  for (guint i = 0; i < 3; i++)
    mark[i] = hir_py_none ();
  hir_py_arg (py, args, 0, "argnames", &mark[0]);
  hir_py_arg (py, args, 1, "argvalues", &mark[1]);
  hir_py_arg (py, args, 3, "ids", &mark[2]);
  value.opaque->mark = mark;
  return value;
}

/* A size from the command line is chosen: see torch-create.c. */
#define NAMESPACE "parse_args()"

/* ArgumentParser.add_argument (): keeps the default of an option under its name in the result. */
static gboolean
add_argument (HirPy *py, HirPyArgs *args)
{
  HirPyValue value = hir_py_none (), action = value, dest = value;
  const char *name = NULL;
  g_autofree char *key = NULL;

  for (guint i = 0; i < args->n; i++)
    if (args->items[i].type == HIR_PY_STRING &&
        (name == NULL || g_str_has_prefix (args->items[i].string->text, "--")))
      name = args->items[i].string->text;
  if (name == NULL)
    return FALSE;
  hir_py_arg (py, args, G_MAXUINT, "dest", &dest);
  key = g_strdelimit (dest.type == HIR_PY_STRING ? g_strdup (dest.string->text)
                                                 : g_strdup (name + strspn (name, "-")),
                      "-", '_');
  hir_py_arg (py, args, G_MAXUINT, "action", &action);
  if (!hir_py_arg (py, args, G_MAXUINT, "default", &value) &&
      (name[0] != '-' || hir_py_arg_bool (py, args, G_MAXUINT, "required", FALSE)))
    value = hir_py_opaque (py, NULL, NAMESPACE ".%s", key); /* the user must give it */
  else if (value.type == HIR_PY_NONE && action.type == HIR_PY_STRING &&
           g_str_has_prefix (action.string->text, "store_"))
    value = hir_py_bool (strcmp (action.string->text, "store_false") == 0);
  hir_py_dict_set_name (py, &py->arg_defaults, hir_py_strdup (py, key), value);
  return FALSE;
}

/* ArgumentParser.parse_args (): the defaults of all options. Others are unknown. */
static HirPyValue
parse_args (HirPy *py, const char *path)
{
  HirPyInstance *result = hir_py_new (py, HirPyInstance);
  HirPyValue value, pair;

  result->class = hir_py_new (py, HirPyClass);
  result->class->name = NAMESPACE;
  result->class->bases = hir_py_new (py, HirPyValue);
  result->class->bases[0] = hir_py_opaque (py, NULL, "argparse.Namespace");
  result->class->n_bases = 1;
  result->attributes = py->arg_defaults;
  value = (HirPyValue){ .type = HIR_PY_INSTANCE, .instance = result };
  if (!g_str_has_suffix (path, "known_args"))
    return value;
  pair = hir_py_list (py, HIR_PY_TUPLE, 2);
  pair.list->items[0] = value;
  pair.list->items[1] = hir_py_list (py, HIR_PY_LIST, 0);
  return pair;
}

/* copy.copy and copy.deepcopy of a list, tuple, dict or set; other values are shared. */
static HirPyValue
copy (HirPy *py, HirPyArgs *args)
{
  HirPyValue value = hir_py_arg_required (py, args, 0, "x");

  if (value.type == HIR_PY_LIST)
    return from_list (hir_py_to_list (py, value, "copy"));
  if (value.type == HIR_PY_DICT || value.type == HIR_PY_SET)
    return hir_py_dict_method (py, value, "copy", &(HirPyArgs){ .callee = "copy" });
  return value;
}

/* dataclasses.field (): the default; FALSE if there is none. */
static gboolean
field (HirPy *py, HirPyArgs *args, HirPyValue *value)
{
  if (hir_py_arg (py, args, G_MAXUINT, "default", value))
    return TRUE;
  if (!hir_py_arg (py, args, G_MAXUINT, "default_factory", value))
    return FALSE;
  *value = hir_py_call_values (py, *value, NULL, 0);
  return TRUE;
}

/* Returns a node for the annotated name @name, as in the body of a NamedTuple. */
static HirAst *
make_field (HirPy *py, const char *name)
{
  HirAst *node = hir_py_new (py, HirAst);

  node->kind = HIR_AST_ANN_ASSIGN;
  node->a = hir_py_new (py, HirAst);
  node->a->kind = HIR_AST_NAME;
  node->a->text = name;
  return node;
}

/* Gives the last fields of @class the values @defaults. */
static void
set_defaults (HirPy *py, HirPyClass *class, HirPyValue defaults)
{
  HirAst *node = class->ast;
  HirPyList *list = hir_py_to_list (py, defaults, "namedtuple");

  for (guint i = 0; i < MIN (list->n, node->n_items); i++)
    {
      HirAst *field = node->items[node->n_items - 1 - i];

      field->c = field->a; /* it has a default, which the class holds */
      hir_py_dict_set_name (py, &class->attributes, field->a->text, list->items[list->n - 1 - i]);
    }
}

/* collections.namedtuple (name, fields, defaults=) */
static HirPyValue
namedtuple (HirPy *py, HirPyArgs *args)
{
  HirPyValue name = hir_py_arg_required (py, args, 0, "typename"),
             fields = hir_py_arg_required (py, args, 1, "field_names"), defaults = hir_py_none ();
  HirPyClass *class = hir_py_new (py, HirPyClass);
  HirAst *node = hir_py_new (py, HirAst);
  HirPyList *list;

  if (fields.type == HIR_PY_STRING)
    {
      g_auto (GStrv) names = g_strsplit_set (fields.string->text, ", ", 0);

      fields = hir_py_list (py, HIR_PY_LIST, 0);
      for (guint i = 0; names[i] != NULL; i++)
        if (names[i][0] != '\0')
          hir_py_list_append (py, fields.list, hir_py_text (py, names[i]));
    }
  list = hir_py_to_list (py, fields, "namedtuple");
  if (py->signal != HIR_PY_GO || name.type != HIR_PY_STRING)
    return hir_py_opaque (py, NULL, "collections.namedtuple()");
  node->kind = HIR_AST_CLASS;
  node->items = hir_py_alloc (py, MAX (list->n, 1) * sizeof (HirAst *));
  for (guint i = 0; node->items != NULL && i < list->n; i++)
    if (list->items[i].type == HIR_PY_STRING)
      node->items[node->n_items++] = make_field (py, list->items[i].string->text);
  class->name = name.string->text;
  class->is_tuple = TRUE;
  class->ast = node;
  if (hir_py_arg (py, args, G_MAXUINT, "defaults", &defaults) && defaults.type != HIR_PY_NONE)
    set_defaults (py, class, defaults);
  return (HirPyValue){ .type = HIR_PY_CLASS, .class = class };
}

/* collections.Counter (iterable) */
static HirPyValue
counter (HirPy *py, HirPyArgs *args)
{
  HirPyValue counts = hir_py_dict (py, HIR_PY_DICT);
  HirPyList *list;

  counts.dict->factory = hir_py_new (py, HirPyValue);
  *counts.dict->factory = (HirPyValue){ .type = HIR_PY_BUILTIN, .text = "int" };
  if (args->n == 0)
    return counts;
  list = hir_py_to_list (py, args->items[0], "Counter");
  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    {
      const HirPyValue *found = hir_py_dict_get (py, counts.dict, list->items[i]);

      hir_py_dict_set (py, counts.dict, list->items[i],
                       hir_py_int (found != NULL ? found->i + 1 : 1));
    }
  return counts;
}

static HirPyValue
repeat (HirPy *py, HirPyArgs *args)
{
  HirPyValue value = hir_py_arg_required (py, args, 0, "object"), list;
  gint64 n = hir_py_arg_int (py, args, 1, "times", NULL);

  list = hir_py_list (py, HIR_PY_LIST, 0);
  for (gint64 i = 0; i < n && hir_py_step (py, 1); i++)
    hir_py_list_append (py, list.list, value);
  return list;
}

gboolean
hir_py_call_stdlib (HirPy *py, const char *path, HirPyArgs *args, HirPyValue *result)
{
  *result = hir_py_none ();
  if (strcmp (path, "itertools.product") == 0)
    *result = product (py, args);
  else if (strcmp (path, "itertools.permutations") == 0 ||
           strcmp (path, "itertools.combinations") == 0)
    *result = permutations (py, args, path[10] == 'p');
  else if (strcmp (path, "itertools.chain") == 0 ||
           strcmp (path, "itertools.chain.from_iterable") == 0)
    *result = chain (py, args, path[15] != '\0');
  else if (strcmp (path, "itertools.accumulate") == 0)
    *result = accumulate (py, args);
  else if (strcmp (path, "itertools.starmap") == 0)
    *result = starmap (py, args);
  else if (strcmp (path, "dataclasses.astuple") == 0 && args->n == 1 &&
           hir_py_is_record (args->items[0]))
    *result = (HirPyValue){ .type = HIR_PY_TUPLE,
                            .list = hir_py_instance_list (py, args->items[0].instance) };
  else if (strcmp (path, "dataclasses.replace") == 0 && args->n == 1 &&
           hir_py_is_record (args->items[0]))
    *result = hir_py_replace_fields (py, args->items[0], args);
  else if (strcmp (path, "dataclasses.asdict") == 0 && args->n == 1 &&
           hir_py_is_record (args->items[0]))
    *result = hir_py_fields_to_dict (py, args->items[0]);
  else if (strcmp (path, "itertools.repeat") == 0)
    *result = repeat (py, args);
  else if (strcmp (path, "functools.reduce") == 0)
    *result = reduce (py, args);
  else if (strcmp (path, "functools.partial") == 0)
    *result = hir_py_partial (py, args);
  else if (strcmp (path, "numpy.prod") == 0)
    *result = prod (py, args);
  else if (strcmp (path, "copy.copy") == 0 || strcmp (path, "copy.deepcopy") == 0)
    *result = copy (py, args);
  else if (strcmp (path, "dataclasses.field") == 0)
    return field (py, args, result);
  else if (strcmp (path, "collections.namedtuple") == 0)
    *result = namedtuple (py, args);
  else if (strcmp (path, "collections.deque") == 0)
    *result = from_list (args->n > 0 ? hir_py_to_list (py, args->items[0], "deque")
                                     : hir_py_list (py, HIR_PY_LIST, 0).list);
  else if (strcmp (path, "collections.Counter") == 0)
    *result = counter (py, args);
  else if (strcmp (path, "collections.OrderedDict") == 0)
    *result = hir_py_call_builtin (py, "dict", args);
  else if (strcmp (path, "collections.defaultdict") == 0)
    {
      *result = hir_py_dict (py, HIR_PY_DICT);
      result->dict->factory = hir_py_new (py, HirPyValue);
      *result->dict->factory = args->n > 0 ? args->items[0] : hir_py_none ();
    }
  else if (strcmp (path, "pytest.param") == 0)
    *result = param (py, args);
  else if (strcmp (path, "pytest.mark.parametrize") == 0)
    *result = parametrize (py, args);
  else if (g_str_has_suffix (path, ".add_argument"))
    return add_argument (py, args);
  else if (g_str_has_suffix (path, ".parse_args") || g_str_has_suffix (path, ".parse_known_args"))
    *result = parse_args (py, path);
  else if (strcmp (path, "typing.cast") == 0 && args->n == 2)
    *result = args->items[1];
  else if (g_str_has_prefix (path, "itertools."))
    return hir_py_call_written (py,
                                hir_py_printf (py, "itertools_%s", path + strlen ("itertools.")),
                                args, result);
  else
    return FALSE;
  return TRUE;
}
