/* Creates and inspects values; signals, memory limits, dicts and sets. */
#include "script/value.h"

#include <string.h>

HirPos
hir_py_get_pos (HirPy *py)
{
  return hir_script_get_pos (py->main_file->script, hir_py_get_offset (py));
}

guint
hir_py_get_offset (HirPy *py)
{
  return py->file == py->main_file ? py->pos : py->main_pos;
}

/* Returns @message; if code of an imported file runs, with its position there. */
static char *
locate (HirPy *py, char *message)
{
  g_autofree char *owned = message;

  if (py->file == py->main_file)
    return g_steal_pointer (&owned);
  return g_strdup_printf ("%s (%s, line %d)", message, py->file->name,
                          hir_script_get_pos (py->file->script, py->pos).line);
}

HirPyValue
hir_py_raise (HirPy *py, const char *type, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (py->signal == HIR_PY_GO)
    {
      g_autofree char *message = locate (py, g_strdup_vprintf (format, args));

      py->exception = hir_py_new (py, HirPyException);
      py->exception->type = type;
      py->exception->message = hir_py_strdup (py, message);
      py->exception->pos = hir_py_get_offset (py);
      if (py->signal == HIR_PY_GO)
        py->signal = HIR_PY_RAISING;
    }
  va_end (args);
  return hir_py_none ();
}

HirPyValue
hir_py_fail (HirPy *py, HirErrorCode code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (py->signal != HIR_PY_FAILED)
    {
      g_autofree char *message = locate (py, g_strdup_vprintf (format, args));
      HirPos pos = hir_py_get_pos (py);

      hir_set_error (&py->error, code, &pos, "%s", message);
      py->signal = HIR_PY_FAILED;
    }
  va_end (args);
  return hir_py_none ();
}

HirPyValue
hir_py_take_error (HirPy *py, GError *error)
{
  if (py->signal == HIR_PY_FAILED)
    g_error_free (error);
  else
    {
      py->error = error;
      py->signal = HIR_PY_FAILED;
    }
  return hir_py_none ();
}

HirPyValue
hir_py_stop (HirPy *py, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (py->signal == HIR_PY_GO)
    {
      g_autofree char *reason = locate (py, g_strdup_vprintf (format, args));

      py->stop_reason = hir_py_strdup (py, reason);
      py->stop_pos = hir_py_get_offset (py);
      if (py->signal == HIR_PY_GO)
        py->signal = HIR_PY_STOPPED;
    }
  va_end (args);
  return hir_py_none ();
}

void
hir_py_note (HirPy *py, const char *format, ...)
{
  va_list args;
  g_autofree char *message = NULL;
  HirPos pos = hir_py_get_pos (py);

  va_start (args, format);
  message = locate (py, g_strdup_vprintf (format, args));
  va_end (args);
  /* One note per line and each text once, because a loop would repeat notes. All lines of an
   * imported file have the position of the import. */
  for (guint i = 0; i < py->notes->len; i++)
    {
      const HirDiagnostic *note = py->notes->pdata[i];

      if ((py->file == py->main_file && note->pos.line == pos.line) ||
          strcmp (note->message, message) == 0)
        return;
    }
  if (py->notes->len >= 100)
    return;
  g_ptr_array_add (py->notes, hir_diagnostic_new (HIR_ERROR_INPUT, pos, "%s", message));
}

gboolean
hir_py_step (HirPy *py, guint64 n)
{
  py->steps += n;
  if (py->steps <= py->max_steps && py->steps >= n)
    return py->signal == HIR_PY_GO;
  hir_py_fail (py, HIR_ERROR_LIMIT,
               "the script takes more than %" G_GUINT64_FORMAT
               " steps; is there a loop without end? What is read must be the fusion alone",
               py->max_steps);
  return FALSE;
}

#define SMALL_BLOCK_BYTES 65536

gpointer
hir_py_alloc (HirPy *py, gsize size)
{
  py->used_bytes += size;
  if (py->used_bytes > py->max_bytes)
    {
      hir_py_fail (py, HIR_ERROR_LIMIT,
                   "the script needs more than %" G_GSIZE_FORMAT " MB of memory",
                   py->max_bytes >> 20);
      if (size > SMALL_BLOCK_BYTES)
        {
          py->used_bytes -= size;
          return NULL;
        }
    }
  return hir_arena_alloc (py->arena, size);
}

char *
hir_py_strdup (HirPy *py, const char *text)
{
  gsize length = strlen (text);
  char *copy = hir_py_alloc (py, length + 1);

  if (copy == NULL)
    return hir_py_alloc (py, 1);
  memcpy (copy, text, length);
  return copy;
}

char *
hir_py_printf (HirPy *py, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return hir_py_strdup (py, text);
}

HirPyValue
hir_py_string (HirPy *py, const char *text, gsize length)
{
  HirPyString *string;

  if (length > G_MAXINT32)
    return hir_py_fail (py, HIR_ERROR_LIMIT, "a string of the script is too long");
  string = hir_py_alloc (py, sizeof *string + length + 1);
  if (string == NULL)
    return hir_py_none ();
  string->length = length;
  if (text != NULL)
    memcpy (string->text, text, length);
  return (HirPyValue){ .type = HIR_PY_STRING, .string = string };
}

HirPyValue
hir_py_text (HirPy *py, const char *text)
{
  return hir_py_string (py, text, strlen (text));
}

HirPyValue
hir_py_list (HirPy *py, HirPyType type, guint n)
{
  HirPyList *list = hir_py_new (py, HirPyList);

  list->items = n > 0 ? hir_py_alloc (py, n * sizeof (HirPyValue)) : NULL;
  if (list->items != NULL)
    list->n = list->capacity = n;
  return (HirPyValue){ .type = type, .list = list };
}

void
hir_py_list_append (HirPy *py, HirPyList *list, HirPyValue item)
{
  if (list->n == list->capacity)
    {
      guint capacity = MAX (4, list->capacity * 2);
      HirPyValue *items = hir_py_alloc (py, capacity * sizeof (HirPyValue));

      if (items == NULL)
        return;
      if (list->n > 0)
        memcpy (items, list->items, list->n * sizeof (HirPyValue));
      list->items = items;
      list->capacity = capacity;
    }
  list->items[list->n++] = item;
}

HirPyValue
hir_py_dict (HirPy *py, HirPyType type)
{
  return (HirPyValue){ .type = type, .dict = hir_py_new (py, HirPyDict) };
}

#define MAX_OPAQUE_PATH 80

HirPyValue
hir_py_opaque (HirPy *py, const HirPyOpaque *from, const char *format, ...)
{
  HirPyOpaque *opaque = hir_py_new (py, HirPyOpaque);
  g_autofree char *path = NULL, *valid = NULL;
  va_list args;

  va_start (args, format);
  path = g_strdup_vprintf (format, args);
  va_end (args);
  if (strlen (path) > MAX_OPAQUE_PATH)
    path[MAX_OPAQUE_PATH] = '\0';
  valid = g_utf8_make_valid (path, -1);
  opaque->path = hir_py_strdup (py, valid);
  if (from != NULL)
    {
      opaque->forbidden = from->forbidden;
      opaque->local = from->local;
      opaque->expr = from->expr;
    }
  return (HirPyValue){ .type = HIR_PY_OPAQUE, .opaque = opaque };
}

HirPyValue
hir_py_bound (HirPy *py, HirPyType type, HirPyValue self, const char *name)
{
  HirPyBound *bound = hir_py_new (py, HirPyBound);

  bound->self = self;
  bound->name = name;
  return (HirPyValue){ .type = type, .bound = bound };
}

HirPyValue
hir_py_enum (HirPy *py, HirPyEnumKind kind, int value, const char *name)
{
  HirPyEnum *enumeration = hir_py_new (py, HirPyEnum);

  enumeration->kind = kind;
  enumeration->value = value;
  enumeration->name = name;
  return (HirPyValue){ .type = HIR_PY_ENUM, .enumeration = enumeration };
}

const char *
hir_py_type_name (HirPyValue value)
{
  static const char *const names[] = {
    [HIR_PY_NONE] = "None",
    [HIR_PY_BOOL] = "bool",
    [HIR_PY_INT] = "int",
    [HIR_PY_FLOAT] = "float",
    [HIR_PY_COMPLEX] = "complex",
    [HIR_PY_STRING] = "str",
    [HIR_PY_ELLIPSIS] = "...",
    [HIR_PY_LIST] = "list",
    [HIR_PY_TUPLE] = "tuple",
    [HIR_PY_SET] = "set",
    [HIR_PY_DICT] = "dict",
    [HIR_PY_RANGE] = "range",
    [HIR_PY_SLICE] = "slice",
    [HIR_PY_ARRAY] = "torch tensor",
    [HIR_PY_FUNCTION] = "function",
    [HIR_PY_METHOD] = "method",
    [HIR_PY_PARTIAL] = "function",
    [HIR_PY_BOUND] = "method",
    [HIR_PY_BUILTIN] = "built-in",
    [HIR_PY_CLASS] = "class",
    [HIR_PY_SUPER] = "super",
    [HIR_PY_EXCEPTION] = "exception",
    [HIR_PY_MODULE] = "module",
    [HIR_PY_FILE] = "module",
    [HIR_PY_OPAQUE] = "value from an import",
    [HIR_PY_FIXTURE] = "communicator",
    [HIR_PY_DEFINITION] = "FusionDefinition",
    [HIR_PY_NAMESPACE] = "part of FusionDefinition",
    [HIR_PY_TENSOR] = "TensorView",
    [HIR_PY_SCALAR] = "scalar of the fusion",
    [HIR_PY_AXIS] = "IterDomain",
    [HIR_PY_MESH] = "DeviceMesh",
  };

  if (value.type == HIR_PY_INSTANCE)
    return value.instance->class->name;
  if (value.type == HIR_PY_ENUM)
    return value.enumeration->name;
  return names[value.type];
}

HirPyValue
hir_py_plain (HirPy *py, HirPyValue value)
{
  if (value.type == HIR_PY_INSTANCE && value.instance->class->is_value_enum)
    return *hir_py_dict_get_name (py, &value.instance->attributes, "value");
  return value;
}

gboolean
hir_py_is_record (HirPyValue value)
{
  return value.type == HIR_PY_INSTANCE &&
         (value.instance->class->is_tuple || value.instance->class->is_dataclass);
}

gboolean
hir_py_is_opaque (HirPyValue value)
{
  return value.type == HIR_PY_OPAQUE;
}

gboolean
hir_py_is_number (HirPyValue value)
{
  return value.type == HIR_PY_BOOL || value.type == HIR_PY_INT || value.type == HIR_PY_FLOAT;
}

double
hir_py_to_double (HirPyValue value)
{
  return value.type == HIR_PY_FLOAT ? value.d : (double) value.i;
}

gboolean
hir_py_get_complex (HirPyValue value, HirPyComplex *z)
{
  if (value.type == HIR_PY_COMPLEX)
    *z = *value.z;
  else if (hir_py_is_number (value))
    *z = (HirPyComplex){ hir_py_to_double (value), 0 };
  else
    return FALSE;
  return TRUE;
}

gboolean
hir_py_identical (HirPyValue a, HirPyValue b)
{
  if (a.type != b.type)
    return FALSE;
  switch (a.type)
    {
    case HIR_PY_NONE:
    case HIR_PY_ELLIPSIS:
      return TRUE;
    case HIR_PY_BOOL:
    case HIR_PY_INT:
      return a.i == b.i;
    case HIR_PY_FLOAT:
      return a.d == b.d;
    case HIR_PY_BUILTIN:
    case HIR_PY_MODULE:
      return strcmp (a.text, b.text) == 0;
    case HIR_PY_ENUM:
      return strcmp (a.enumeration->name, b.enumeration->name) == 0;
    case HIR_PY_AXIS:
      return a.axis->id == b.axis->id;
    default:
      return a.p == b.p;
    }
}

static gboolean
equal_lists (HirPy *py, const HirPyList *a, const HirPyList *b)
{
  if (a->n != b->n || !hir_py_step (py, a->n / 16))
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    if (!hir_py_equal (py, a->items[i], b->items[i]))
      return FALSE;
  return TRUE;
}

static gboolean
equal_dicts (HirPy *py, const HirPyDict *a, const HirPyDict *b)
{
  if (a->n_live != b->n_live)
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    {
      const HirPyValue *found;

      if (a->entries[i].deleted)
        continue;
      found = hir_py_dict_get (py, b, a->entries[i].key);
      if (found == NULL || !hir_py_equal (py, a->entries[i].value, *found))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_py_equal (HirPy *py, HirPyValue a, HirPyValue b)
{
  gboolean equal;

  if (hir_py_is_number (a) && hir_py_is_number (b))
    return a.type == HIR_PY_FLOAT || b.type == HIR_PY_FLOAT
               ? hir_py_to_double (a) == hir_py_to_double (b)
               : a.i == b.i;
  if (a.type == HIR_PY_COMPLEX || b.type == HIR_PY_COMPLEX)
    {
      HirPyComplex x, y;

      return hir_py_get_complex (a, &x) && hir_py_get_complex (b, &y) && x.re == y.re &&
             x.im == y.im;
    }
  if (a.type != b.type)
    return FALSE;
  if (!hir_py_step (py, 1))
    return FALSE;
  switch (a.type)
    {
    case HIR_PY_STRING:
      return a.string->length == b.string->length && hir_py_step (py, a.string->length / 64) &&
             memcmp (a.string->text, b.string->text, a.string->length) == 0;
    case HIR_PY_LIST:
    case HIR_PY_TUPLE:
    case HIR_PY_SET:
    case HIR_PY_DICT:
      /* A list may contain itself. */
      if (py->depth >= HIR_PY_MAX_DEPTH)
        {
          hir_py_fail (py, HIR_ERROR_LIMIT, "values are nested too deeply to be compared");
          return FALSE;
        }
      py->depth += 4;
      equal = a.type == HIR_PY_LIST || a.type == HIR_PY_TUPLE ? equal_lists (py, a.list, b.list)
                                                              : equal_dicts (py, a.dict, b.dict);
      py->depth -= 4;
      return equal;
    case HIR_PY_RANGE:
      return a.range->n == b.range->n &&
             (a.range->n == 0 || (a.range->start == b.range->start &&
                                  (a.range->n == 1 || a.range->step == b.range->step)));
    case HIR_PY_MESH:
      return hir_mesh_equal (a.mesh, b.mesh);
    case HIR_PY_INSTANCE:
      if (a.p == b.p || !hir_py_is_record (a) || a.instance->class != b.instance->class ||
          py->depth >= HIR_PY_MAX_DEPTH)
        return a.p == b.p;
      py->depth += 4;
      equal = equal_dicts (py, &a.instance->attributes, &b.instance->attributes);
      py->depth -= 4;
      return equal;
    default:
      return hir_py_identical (a, b);
    }
}

/* Dicts and sets store entries in order of insertion and find them with an open-addressing table of
 * entry indices. */

static guint
hash_bytes (const char *bytes, gsize length)
{
  guint hash = 2166136261u;

  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guchar) bytes[i]) * 16777619u;
  return hash;
}

static guint
hash_int (gint64 i)
{
  return (guint) hir_hash_mix (0, (guint64) i);
}

/* Returns FALSE after a signal if @value is not hashable. Equal numbers of different types have the
 * same hash. */
static gboolean
hash_value (HirPy *py, HirPyValue value, guint depth, guint *hash)
{
  switch (value.type)
    {
    case HIR_PY_LIST:
    case HIR_PY_DICT:
    case HIR_PY_SET:
    case HIR_PY_SLICE:
      hir_py_raise (py, "TypeError", "a %s cannot be a key of a dict or a member of a set",
                    hir_py_type_name (value));
      return FALSE;
    case HIR_PY_BOOL:
    case HIR_PY_INT:
      *hash = hash_int (value.i);
      return TRUE;
    case HIR_PY_FLOAT:
      *hash = value.d >= -9e15 && value.d <= 9e15 ? hash_int ((gint64) value.d) : 1;
      return TRUE;
    case HIR_PY_COMPLEX: /* equal to a float of the same hash if the imaginary part is 0 */
      *hash = value.z->re >= -9e15 && value.z->re <= 9e15 ? hash_int ((gint64) value.z->re) : 1;
      return TRUE;
    case HIR_PY_STRING:
      *hash = hash_bytes (value.string->text, value.string->length);
      return hir_py_step (py, value.string->length / 64);
    case HIR_PY_TUPLE:
      *hash = 17;
      if (depth > 50)
        {
          hir_py_fail (py, HIR_ERROR_LIMIT, "tuples are nested too deeply to be a key");
          return FALSE;
        }
      for (guint i = 0; i < value.list->n; i++)
        {
          guint item;

          if (!hash_value (py, value.list->items[i], depth + 1, &item))
            return FALSE;
          *hash = *hash * 31 + item;
        }
      return hir_py_step (py, value.list->n);
    case HIR_PY_BUILTIN:
    case HIR_PY_MODULE:
      *hash = g_str_hash (value.text);
      return TRUE;
    case HIR_PY_ENUM:
      *hash = g_str_hash (value.enumeration->name);
      return TRUE;
    case HIR_PY_RANGE:
    case HIR_PY_MESH:
    case HIR_PY_NONE:
    case HIR_PY_ELLIPSIS:
      *hash = value.type;
      return TRUE;
    case HIR_PY_AXIS:
      *hash = (guint) value.axis->id->base.node.id;
      return TRUE;
    case HIR_PY_TENSOR:
      *hash = (guint) value.tensor->base.node.id;
      return TRUE;
    default:
      *hash = hir_py_is_record (value) ? g_str_hash (value.instance->class->name)
                                       : g_direct_hash (value.p);
      return TRUE;
    }
}

static HirPyEntry *
find_entry (HirPy *py, const HirPyDict *dict, HirPyValue key, guint hash)
{
  if (dict->n_slots == 0)
    return NULL;
  for (guint slot = hash & (dict->n_slots - 1);; slot = (slot + 1) & (dict->n_slots - 1))
    {
      HirPyEntry *entry;

      if (dict->slots[slot] == 0)
        return NULL;
      entry = &dict->entries[dict->slots[slot] - 1];
      if (!entry->deleted && entry->hash == hash && hir_py_equal (py, entry->key, key))
        return entry;
      if (py->signal != HIR_PY_GO)
        return NULL;
    }
}

static void
put_slot (HirPyDict *dict, guint hash, guint index)
{
  guint slot = hash & (dict->n_slots - 1);

  while (dict->slots[slot] != 0)
    slot = (slot + 1) & (dict->n_slots - 1);
  dict->slots[slot] = index + 1;
}

static gboolean
grow (HirPy *py, HirPyDict *dict)
{
  guint capacity = MAX (4, dict->capacity * 2), n = 0;
  HirPyEntry *entries = hir_py_alloc (py, capacity * sizeof (HirPyEntry));
  guint *slots = hir_py_alloc (py, 2 * capacity * sizeof (guint));

  if (entries == NULL || slots == NULL)
    return FALSE;
  for (guint i = 0; i < dict->n; i++)
    if (!dict->entries[i].deleted)
      entries[n++] = dict->entries[i];
  dict->entries = entries;
  dict->capacity = capacity;
  dict->n = n;
  dict->slots = slots;
  dict->n_slots = 2 * capacity;
  for (guint i = 0; i < n; i++)
    put_slot (dict, entries[i].hash, i);
  return TRUE;
}

static gboolean
add_entry (HirPy *py, HirPyDict *dict, HirPyValue key, HirPyValue value, guint hash)
{
  if (dict->n == dict->capacity && !grow (py, dict))
    return FALSE;
  dict->entries[dict->n] = (HirPyEntry){ key, value, hash, FALSE };
  put_slot (dict, hash, dict->n++);
  dict->n_live++;
  return TRUE;
}

gboolean
hir_py_dict_set (HirPy *py, HirPyDict *dict, HirPyValue key, HirPyValue value)
{
  HirPyEntry *entry;
  guint hash;

  if (!hash_value (py, key, 0, &hash))
    return FALSE;
  entry = find_entry (py, dict, key, hash);
  if (entry != NULL)
    {
      entry->value = value;
      return TRUE;
    }
  return add_entry (py, dict, key, value, hash);
}

const HirPyValue *
hir_py_dict_get (HirPy *py, const HirPyDict *dict, HirPyValue key)
{
  HirPyEntry *entry;
  guint hash;

  if (!hash_value (py, key, 0, &hash))
    return NULL;
  entry = find_entry (py, dict, key, hash);
  return entry != NULL ? &entry->value : NULL;
}

gboolean
hir_py_dict_remove (HirPy *py, HirPyDict *dict, HirPyValue key)
{
  HirPyEntry *entry;
  guint hash;

  if (!hash_value (py, key, 0, &hash))
    return FALSE;
  entry = find_entry (py, dict, key, hash);
  if (entry == NULL)
    return FALSE;
  entry->deleted = TRUE;
  dict->n_live--;
  return TRUE;
}

/* Lookup of a string key without creating a value or counting steps, for speed. */
static HirPyEntry *
find_name (const HirPyDict *dict, const char *name, guint hash, gsize length)
{
  if (dict->n_slots == 0)
    return NULL;
  for (guint slot = hash & (dict->n_slots - 1); dict->slots[slot] != 0;
       slot = (slot + 1) & (dict->n_slots - 1))
    {
      HirPyEntry *entry = &dict->entries[dict->slots[slot] - 1];

      if (!entry->deleted && entry->hash == hash && entry->key.type == HIR_PY_STRING &&
          entry->key.string->length == length &&
          memcmp (entry->key.string->text, name, length) == 0)
        return entry;
    }
  return NULL;
}

void
hir_py_dict_set_name (HirPy *py, HirPyDict *dict, const char *name, HirPyValue value)
{
  gsize length = strlen (name);
  guint hash = hash_bytes (name, length);
  HirPyEntry *entry = find_name (dict, name, hash, length);
  HirPyValue key;

  if (entry != NULL)
    {
      entry->value = value;
      return;
    }
  key = hir_py_string (py, name, length);
  if (key.type == HIR_PY_STRING)
    add_entry (py, dict, key, value, hash);
}

const HirPyValue *
hir_py_dict_get_name (HirPy *py, const HirPyDict *dict, const char *name)
{
  gsize length = strlen (name);
  HirPyEntry *entry = find_name (dict, name, hash_bytes (name, length), length);

  return entry != NULL ? &entry->value : NULL;
}
