/* Dicts and sets: entries in the order of insertion, found by an open table of their indices. */
#include "script/value.h"

#include <string.h>

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

/* FALSE where the value cannot be a key. Equal numbers hash the same, whatever their type. */
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
      *hash = g_direct_hash (value.p);
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
  if (dict->n == dict->capacity && !grow (py, dict))
    return FALSE;
  dict->entries[dict->n] = (HirPyEntry){ key, value, hash, FALSE };
  put_slot (dict, hash, dict->n++);
  dict->n_live++;
  return TRUE;
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

/* Names are looked up so often that they do without a value and without steps. */
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
  if (key.type != HIR_PY_STRING || (dict->n == dict->capacity && !grow (py, dict)))
    return;
  dict->entries[dict->n] = (HirPyEntry){ key, value, hash, FALSE };
  put_slot (dict, hash, dict->n++);
  dict->n_live++;
}

const HirPyValue *
hir_py_dict_get_name (HirPy *py, const HirPyDict *dict, const char *name)
{
  gsize length = strlen (name);
  HirPyEntry *entry = find_name (dict, name, hash_bytes (name, length), length);

  return entry != NULL ? &entry->value : NULL;
}
