#include "script/parse/names.h"

#include <string.h>

#include "script/parse/script-private.h"

#define MAX_FOUND 20

/* Names of Python 3.12's module builtins, and those that each module and method has. */
static const char *const builtins[] = {
  "ArithmeticError",
  "AssertionError",
  "AttributeError",
  "BaseException",
  "BaseExceptionGroup",
  "BlockingIOError",
  "BrokenPipeError",
  "BufferError",
  "BytesWarning",
  "ChildProcessError",
  "ConnectionAbortedError",
  "ConnectionError",
  "ConnectionRefusedError",
  "ConnectionResetError",
  "DeprecationWarning",
  "EOFError",
  "Ellipsis",
  "EncodingWarning",
  "EnvironmentError",
  "Exception",
  "ExceptionGroup",
  "False",
  "FileExistsError",
  "FileNotFoundError",
  "FloatingPointError",
  "FutureWarning",
  "GeneratorExit",
  "IOError",
  "ImportError",
  "ImportWarning",
  "IndentationError",
  "IndexError",
  "InterruptedError",
  "IsADirectoryError",
  "KeyError",
  "KeyboardInterrupt",
  "LookupError",
  "MemoryError",
  "ModuleNotFoundError",
  "NameError",
  "None",
  "NotADirectoryError",
  "NotImplemented",
  "NotImplementedError",
  "OSError",
  "OverflowError",
  "PendingDeprecationWarning",
  "PermissionError",
  "ProcessLookupError",
  "RecursionError",
  "ReferenceError",
  "ResourceWarning",
  "RuntimeError",
  "RuntimeWarning",
  "StopAsyncIteration",
  "StopIteration",
  "SyntaxError",
  "SyntaxWarning",
  "SystemError",
  "SystemExit",
  "TabError",
  "TimeoutError",
  "True",
  "TypeError",
  "UnboundLocalError",
  "UnicodeDecodeError",
  "UnicodeEncodeError",
  "UnicodeError",
  "UnicodeTranslateError",
  "UnicodeWarning",
  "UserWarning",
  "ValueError",
  "Warning",
  "WindowsError",
  "ZeroDivisionError",
  "__annotations__",
  "__build_class__",
  "__builtins__",
  "__class__",
  "__debug__",
  "__doc__",
  "__file__",
  "__import__",
  "__loader__",
  "__module__",
  "__name__",
  "__package__",
  "__path__",
  "__qualname__",
  "__spec__",
  "abs",
  "aiter",
  "all",
  "anext",
  "any",
  "ascii",
  "bin",
  "bool",
  "breakpoint",
  "bytearray",
  "bytes",
  "callable",
  "chr",
  "classmethod",
  "compile",
  "complex",
  "copyright",
  "credits",
  "delattr",
  "dict",
  "dir",
  "divmod",
  "enumerate",
  "eval",
  "exec",
  "exit",
  "filter",
  "float",
  "format",
  "frozenset",
  "getattr",
  "globals",
  "hasattr",
  "hash",
  "help",
  "hex",
  "id",
  "input",
  "int",
  "isinstance",
  "issubclass",
  "iter",
  "len",
  "license",
  "list",
  "locals",
  "map",
  "max",
  "memoryview",
  "min",
  "next",
  "object",
  "oct",
  "open",
  "ord",
  "pow",
  "print",
  "property",
  "quit",
  "range",
  "repr",
  "reversed",
  "round",
  "set",
  "setattr",
  "slice",
  "sorted",
  "staticmethod",
  "str",
  "sum",
  "super",
  "tuple",
  "type",
  "vars",
  "zip",
  NULL,
};

typedef struct _Scope Scope;

struct _Scope
{
  Scope *parent;       /* NULL for the module */
  GHashTable *names;   /* const char*: bound here */
  GHashTable *modules; /* const char* -> const char*: those of them that name a module */
  gboolean is_class;   /* functions in it do not see its names */
};

typedef struct
{
  const HirScript *script;
  HirNamesAttribute attribute;
  GPtrArray *found; /* HirDiagnostic* */
  guint n_guarded;  /* enclosing `try` statements that catch NameError */
  gboolean has_star;
} Names;

/* --- similar names ------------------------------------------------------------------------- */

/* Returns the Levenshtein distance, where two swapped letters count once, or 99 if it exceeds 2 for
 * sure or a name is long. */
static guint
get_distance (const char *a, const char *b)
{
  guint n = strlen (a), m = strlen (b);
  guint rows[3][33];

  if (n > 32 || m > 32 || n > m + 2 || m > n + 2)
    return 99;
  for (guint i = 0; i <= n; i++)
    for (guint j = 0; j <= m; j++)
      {
        guint *here = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

        if (i == 0 || j == 0)
          {
            here[j] = i + j;
            continue;
          }
        here[j] =
            MIN (MIN (above[j], here[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0));
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          here[j] = MIN (here[j], before[j - 2] + 1);
      }
  return rows[n % 3][m];
}

/* Replaces *@best by @candidate if that is nearer to @name. */
static void
improve (const char *name, const char *candidate, const char **best, guint *best_distance)
{
  guint d = get_distance (name, candidate);

  if (d >= strlen (name) || d > *best_distance ||
      (d == *best_distance && *best != NULL && strcmp (candidate, *best) >= 0))
    return;
  *best = candidate;
  *best_distance = d;
}

const char *
hir_names_find_similar (const char *name, const char *const *known, guint n)
{
  const char *best = NULL;
  guint best_distance = 3;

  for (guint i = 0; i < n; i++)
    {
      guint d = get_distance (name, known[i]);

      if (d < best_distance && d < strlen (name))
        {
          best = known[i];
          best_distance = d;
        }
    }
  return best;
}

static const char *
find_visible (const Scope *scope, const char *name)
{
  const char *best = NULL;
  guint best_distance = CLAMP (strlen (name) / 3, 1, 2);

  for (const Scope *at = scope; at != NULL; at = at->parent)
    {
      GHashTableIter iter;
      gpointer candidate;

      if (at->is_class && at != scope)
        continue;
      g_hash_table_iter_init (&iter, at->names);
      while (g_hash_table_iter_next (&iter, &candidate, NULL))
        improve (name, candidate, &best, &best_distance);
    }
  for (guint i = 0; builtins[i] != NULL; i++)
    improve (name, builtins[i], &best, &best_distance);
  return best;
}

/* --- bindings ------------------------------------------------------------------------------ */

static void
scope_init (Scope *scope, Scope *parent, gboolean is_class)
{
  *scope = (Scope){ parent, g_hash_table_new (g_str_hash, g_str_equal),
                    g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free), is_class };
}

static void
scope_clear (Scope *scope)
{
  g_hash_table_unref (scope->names);
  g_hash_table_unref (scope->modules);
}

static void
bind (Scope *scope, const char *name)
{
  if (name != NULL)
    g_hash_table_add (scope->names, (gpointer) name);
}

static void
bind_target (Scope *scope, const HirAst *target)
{
  if (target == NULL)
    return;
  if (target->kind == HIR_AST_NAME)
    bind (scope, target->text);
  else if (target->kind == HIR_AST_STARRED)
    bind_target (scope, target->a);
  else if (target->kind == HIR_AST_TUPLE || target->kind == HIR_AST_LIST)
    for (guint i = 0; i < target->n_items; i++)
      bind_target (scope, target->items[i]);
}

static void
bind_module (Scope *scope, const HirAst *alias)
{
  char *module =
      g_strndup (alias->text, alias->a != NULL ? strlen (alias->text) : strcspn (alias->text, "."));
  const char *name = alias->a != NULL ? alias->a->text : module;

  if (g_hash_table_contains (scope->modules, name))
    {
      g_free (module);
      return;
    }
  g_hash_table_insert (scope->modules, (gpointer) name, module);
  bind (scope, name);
}

static void
bind_import (Names *self, Scope *scope, const HirAst *node)
{
  for (guint i = 0; i < node->n_items; i++)
    {
      const HirAst *alias = node->items[i];

      self->has_star |= strcmp (alias->text, "*") == 0;
      if (node->kind == HIR_AST_IMPORT)
        bind_module (scope, alias);
      else
        bind (scope, alias->a != NULL ? alias->a->text : alias->text);
    }
}

/* Binds the names of `global` and `nonlocal` statements, which can be in functions after their
 * first use. */
static void
bind_globals (Scope *module, const HirAst *node)
{
  if (node == NULL)
    return;
  for (guint i = 0; i < node->n_items; i++)
    if (node->kind == HIR_AST_GLOBAL || node->kind == HIR_AST_NONLOCAL)
      bind (module, node->items[i]->text);
    else
      bind_globals (module, node->items[i]);
  bind_globals (module, node->a);
  bind_globals (module, node->b);
  bind_globals (module, node->c);
  for (guint i = 0; node->kind == HIR_AST_DEF && i < node->function->n_body; i++)
    bind_globals (module, node->function->body[i]);
}

static void collect (Names *self, Scope *scope, const HirAst *node);

static void
collect_children (Names *self, Scope *scope, const HirAst *node)
{
  collect (self, scope, node->a);
  collect (self, scope, node->b);
  collect (self, scope, node->c);
  for (guint i = 0; i < node->n_items; i++)
    collect (self, scope, node->items[i]);
}

/* Binds in @scope what @node binds there. Functions and classes in it have their own scopes. */
static void
collect (Names *self, Scope *scope, const HirAst *node)
{
  if (node == NULL)
    return;
  switch (node->kind)
    {
    case HIR_AST_LAMBDA:
      return;
    case HIR_AST_DEF:
    case HIR_AST_CLASS:
      bind (scope, node->function->name);
      return;
    case HIR_AST_IMPORT:
    case HIR_AST_IMPORT_FROM:
      bind_import (self, scope, node);
      return;
    case HIR_AST_ASSIGN:
      for (guint i = 0; i < node->n_items; i++)
        bind_target (scope, node->items[i]);
      break;
    case HIR_AST_AUG_ASSIGN:
    case HIR_AST_ANN_ASSIGN:
    case HIR_AST_NAMED:
    case HIR_AST_FOR:
    case HIR_AST_TYPE_ALIAS:
      bind_target (scope, node->a);
      break;
    case HIR_AST_WITH_ITEM:
      bind_target (scope, node->b);
      break;
    case HIR_AST_HANDLER:
    case HIR_AST_PATTERN_CAPTURE:
    case HIR_AST_PATTERN_STAR:
    case HIR_AST_PATTERN_MAPPING:
    case HIR_AST_PATTERN_AS:
      bind (scope, node->text);
      break;
    default:
      break;
    }
  collect_children (self, scope, node);
}

/* --- uses ---------------------------------------------------------------------------------- */

/* Returns the scope that binds @name for a use in @scope, or NULL. */
static const Scope *
find_scope (const Scope *scope, const char *name)
{
  for (const Scope *at = scope; at != NULL; at = at->parent)
    if ((at == scope || !at->is_class) && g_hash_table_contains (at->names, name))
      return at;
  return NULL;
}

static void
report (Names *self, guint offset, const char *message)
{
  if (self->found->len < MAX_FOUND)
    g_ptr_array_add (self->found,
                     hir_diagnostic_new (HIR_WARNING, hir_script_get_pos (self->script, offset),
                                         "%s", message));
}

static void
use_name (Names *self, Scope *scope, const HirAst *node)
{
  const char *similar;
  g_autofree char *message = NULL;

  if (self->n_guarded > 0 || self->has_star || g_strv_contains (builtins, node->text) ||
      find_scope (scope, node->text) != NULL)
    return;
  similar = find_visible (scope, node->text);
  message = similar != NULL
                ? g_strdup_printf ("the name '%s' is not defined; did you mean '%s'?", node->text,
                                   similar)
                : g_strdup_printf ("the name '%s' is not defined; define or import it", node->text);
  report (self, node->start, message);
}

static void
use_attribute (Names *self, const char *module, const char *name, guint offset)
{
  const char *meant =
      self->attribute != NULL && self->n_guarded == 0 ? self->attribute (module, name) : NULL;
  g_autofree char *message = NULL;

  if (meant == NULL)
    return;
  message = g_strdup_printf ("%s has no '%s'; did you mean '%s'?", module, name, meant);
  report (self, offset, message);
}

static void
use_module (Names *self, const Scope *scope, const HirAst *node)
{
  const Scope *at = node->a->kind == HIR_AST_NAME ? find_scope (scope, node->a->text) : NULL;
  const char *module = at != NULL ? g_hash_table_lookup (at->modules, node->a->text) : NULL;

  if (module != NULL)
    use_attribute (self, module, node->text, (guint) node->i);
}

static void use (Names *self, Scope *scope, const HirAst *node);

static void
use_all (Names *self, Scope *scope, HirAst *const *nodes, guint n)
{
  for (guint i = 0; i < n; i++)
    use (self, scope, nodes[i]);
}

static void
use_children (Names *self, Scope *scope, const HirAst *node)
{
  use (self, scope, node->a);
  use (self, scope, node->b);
  use (self, scope, node->c);
  use_all (self, scope, node->items, node->n_items);
}

static void
use_function (Names *self, Scope *scope, const HirAst *node)
{
  const HirAstFunction *function = node->function;
  Scope inner;

  use_all (self, scope, function->decorators, function->n_decorators);
  use (self, scope, function->returns);
  for (guint i = 0; i < function->n_params; i++)
    {
      use (self, scope, function->params[i].annotation);
      use (self, scope, function->params[i].default_value);
    }
  if (node->kind == HIR_AST_CLASS)
    use (self, scope, node->a);
  scope_init (&inner, scope, node->kind == HIR_AST_CLASS);
  for (guint i = 0; i < function->n_params; i++)
    bind (&inner, function->params[i].name);
  for (guint i = 0; i < function->n_body; i++)
    collect (self, &inner, function->body[i]);
  use_all (self, &inner, function->body, function->n_body);
  scope_clear (&inner);
}

/* The first iterable belongs to the enclosing scope. */
static void
use_comprehension (Names *self, Scope *scope, const HirAst *node)
{
  Scope inner;

  scope_init (&inner, scope, FALSE);
  for (guint i = 0; i < node->n_items; i++)
    bind_target (&inner, node->items[i]->a);
  for (guint i = 0; i < node->n_items; i++)
    {
      const HirAst *clause = node->items[i];

      use (self, i == 0 ? scope : &inner, clause->b);
      use (self, &inner, clause->a);
      use_all (self, &inner, clause->items, clause->n_items);
    }
  use (self, &inner, node->a);
  use (self, &inner, node->b);
  scope_clear (&inner);
}

/* Returns TRUE if @type, of a handler, includes NameError. */
static gboolean
catches_name_error (const HirAst *type)
{
  if (type == NULL)
    return TRUE;
  if (type->kind == HIR_AST_TUPLE)
    for (guint i = 0; i < type->n_items; i++)
      if (catches_name_error (type->items[i]))
        return TRUE;
  return type->kind == HIR_AST_NAME && strcmp (type->text, "NameError") == 0;
}

static void
use_try (Names *self, Scope *scope, const HirAst *node)
{
  guint n_guarded = self->n_guarded;

  for (guint i = 0; i < node->n_items; i++)
    if (catches_name_error (node->items[i]->a))
      self->n_guarded = n_guarded + 1;
  use (self, scope, node->a);
  self->n_guarded = n_guarded;
  use_all (self, scope, node->items, node->n_items);
  use (self, scope, node->b);
  use (self, scope, node->c);
}

static void
use_import_from (Names *self, const HirAst *node)
{
  for (guint i = 0; i < node->n_items && node->i == 0; i++)
    use_attribute (self, node->text, node->items[i]->text, node->items[i]->start);
}

static void
use (Names *self, Scope *scope, const HirAst *node)
{
  if (node == NULL)
    return;
  switch (node->kind)
    {
    case HIR_AST_NAME:
      use_name (self, scope, node);
      break;
    case HIR_AST_ATTRIBUTE:
      use_module (self, scope, node);
      use (self, scope, node->a);
      break;
    case HIR_AST_IMPORT_FROM:
      use_import_from (self, node);
      break;
    case HIR_AST_IMPORT:
    case HIR_AST_GLOBAL:
    case HIR_AST_NONLOCAL:
    case HIR_AST_TYPE_ALIAS:
      break;
    case HIR_AST_DEF:
    case HIR_AST_LAMBDA:
    case HIR_AST_CLASS:
      use_function (self, scope, node);
      break;
    case HIR_AST_LIST_COMP:
    case HIR_AST_SET_COMP:
    case HIR_AST_DICT_COMP:
    case HIR_AST_GENERATOR:
      use_comprehension (self, scope, node);
      break;
    case HIR_AST_TRY:
      use_try (self, scope, node);
      break;
    default:
      use_children (self, scope, node);
      break;
    }
}

GPtrArray *
hir_names_dup_undefined (HirScript *script, HirNamesAttribute attribute)
{
  Names self = { .script = script,
                 .attribute = attribute,
                 .found = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free) };
  Scope module;

  scope_init (&module, NULL, FALSE);
  for (guint i = 0; i < script->n_body; i++)
    {
      collect (&self, &module, script->body[i]);
      bind_globals (&module, script->body[i]);
    }
  if (!script->has_type_params)
    use_all (&self, &module, script->body, script->n_body);
  scope_clear (&module);
  return self.found;
}
