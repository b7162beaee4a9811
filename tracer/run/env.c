#include "run/env-private.h"

#include <math.h>

#include "run/val-map.h"

/* A named scalar. There are only a few, and most lookups repeat the last @val. */
typedef struct
{
  char *name;
  const HirVal *last; /* last val that had this name */
  HirValue *value;    /* NULL if not known */
} Named;

struct _HirEnv
{
  HirValMap values;
  GArray *named;      /* Named */
  GHashTable *slices; /* borrowed; nullable */
  GArray *journal;    /* borrowed; nullable */
  gint64 device;
  GPtrArray *kept_indices; /* const HirScalar*: see hir_env_keep_expressions_of() */
  GHashTable *kept;        /* const HirScalar* -> gint64*: first value of an expression of these */
  HirStaleValue stale;     /* scalar NULL: none */
};

static void
clear_named (gpointer data)
{
  Named *named = data;

  g_free (named->name);
  g_clear_pointer (&named->value, hir_value_unref);
}

HirEnv *
hir_env_new (void)
{
  HirEnv *env = g_new0 (HirEnv, 1);

  env->device = -1;
  env->kept_indices = g_ptr_array_new ();
  env->kept = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  hir_val_map_init (&env->values);
  env->named = g_array_new (FALSE, TRUE, sizeof (Named));
  g_array_set_clear_func (env->named, clear_named);
  return env;
}

void
hir_env_free (HirEnv *env)
{
  hir_val_map_clear (&env->values);
  g_array_unref (env->named);
  g_ptr_array_unref (env->kept_indices);
  g_hash_table_unref (env->kept);
  g_free (env);
}

void
hir_env_set_device (HirEnv *env, gint64 device)
{
  env->device = device;
}

gint64
hir_env_get_device (const HirEnv *env)
{
  return env->device;
}

void
hir_env_set_pieces (HirEnv *env, GHashTable *slices)
{
  env->slices = slices;
}

GHashTable *
hir_env_get_pieces (const HirEnv *env)
{
  return env->slices;
}

void
hir_env_reset (HirEnv *env)
{
  hir_val_map_reset (&env->values);
  g_ptr_array_set_size (env->kept_indices, 0);
  g_hash_table_remove_all (env->kept);
  env->stale.scalar = NULL;
}

static const char *
name_of (const HirVal *val)
{
  if (!HIR_IS_SCALAR (val))
    return NULL;
  return ((const HirScalar *) val)->kind == HIR_SCALAR_NAMED ? ((const HirScalar *) val)->named
                                                             : NULL;
}

/* @val is a shortcut (nullable). */
static Named *
find_named (HirEnv *env, const HirVal *val, const char *name)
{
  Named *named = (Named *) (gpointer) env->named->data;

  for (guint i = 0; val != NULL && i < env->named->len; i++)
    if (named[i].last == val)
      return &named[i];
  for (guint i = 0; i < env->named->len; i++)
    if (g_str_equal (named[i].name, name))
      {
        named[i].last = val != NULL ? val : named[i].last;
        return &named[i];
      }
  return NULL;
}

static Named *
get_named (HirEnv *env, const HirVal *val, const char *name)
{
  Named *found = find_named (env, val, name);
  Named named = { .last = val };

  if (found != NULL)
    return found;
  named.name = g_strdup (name);
  g_array_append_val (env->named, named);
  return &g_array_index (env->named, Named, env->named->len - 1);
}

static void
set_named (Named *named, HirValue *value)
{
  HirValue *before = named->value;

  named->value = hir_value_ref (value);
  g_clear_pointer (&before, hir_value_unref);
}

static void
note_change (HirEnv *env, const HirVal *val, const char *name)
{
  HirEnvChange change = { .val = name == NULL ? val : NULL, .name = g_strdup (name) };
  const Named *named = name != NULL ? find_named (env, NULL, name) : NULL;
  HirValue *old = name == NULL    ? hir_val_map_lookup (&env->values, val)
                  : named != NULL ? named->value
                                  : NULL;

  change.old = old != NULL ? hir_value_ref (old) : NULL;
  g_array_append_val (env->journal, change);
}

void
hir_env_bind (HirEnv *env, const HirVal *val, HirValue *value)
{
  const char *name = name_of (val);

  if (env->journal != NULL)
    note_change (env, val, name);
  if (name != NULL)
    set_named (get_named (env, val, name), value);
  else
    hir_val_map_set (&env->values, val, value);
}

void
hir_env_bind_named (HirEnv *env, const char *name, gint64 value)
{
  g_autoptr (HirValue) bound = hir_value_new_int (value, HIR_DTYPE_INT);

  if (env->journal != NULL)
    note_change (env, NULL, name);
  set_named (get_named (env, NULL, name), bound);
}

HirValue *
hir_env_lookup_own (HirEnv *env, const HirVal *val)
{
  HirValue *value = env->journal == NULL ? hir_env_lookup (env, val) : NULL;

  return value != NULL && hir_value_is_unshared (value) ? value : NULL;
}

void
hir_env_bind_index (HirEnv *env, const HirVal *index, gint64 value)
{
  HirValue *own = hir_env_lookup_own (env, index);
  g_autoptr (HirValue) bound = NULL;

  if (own != NULL && own->is_scalar && own->dtype == HIR_DTYPE_INDEX)
    {
      own->i = value;
      own->d = (double) value;
      return;
    }
  bound = hir_value_new_int (value, HIR_DTYPE_INDEX);
  hir_env_bind (env, index, bound);
}

void
hir_env_bind_symbols (HirEnv *env, const GArray *symbols)
{
  for (guint i = 0; symbols != NULL && i < symbols->len; i++)
    {
      const HirSymbolValue *symbol = &g_array_index (symbols, HirSymbolValue, i);
      g_autoptr (HirValue) value = hir_value_new_int (symbol->value, HIR_DTYPE_INDEX);

      hir_env_bind (env, HIR_VAL (symbol->symbol), value);
    }
}

void
hir_env_unbind (HirEnv *env, const HirVal *val)
{
  const char *name = name_of (val);
  Named *named = name != NULL ? find_named (env, val, name) : NULL;

  if (env->journal != NULL)
    note_change (env, val, name);
  if (named != NULL)
    g_clear_pointer (&named->value, hir_value_unref);
  else if (name == NULL)
    hir_val_map_remove (&env->values, val);
}

HirValue *
hir_env_lookup (HirEnv *env, const HirVal *val)
{
  const char *name = name_of (val);
  Named *named = name != NULL ? find_named (env, val, name) : NULL;

  if (name != NULL)
    return named != NULL ? named->value : NULL;
  return hir_val_map_lookup (&env->values, val);
}

static void
change_clear (gpointer data)
{
  HirEnvChange *change = data;

  g_clear_pointer (&change->name, g_free);
  g_clear_pointer (&change->old, hir_value_unref);
}

GArray *
hir_env_journal_new (void)
{
  GArray *journal = g_array_new (FALSE, FALSE, sizeof (HirEnvChange));

  g_array_set_clear_func (journal, change_clear);
  return journal;
}

void
hir_env_set_journal (HirEnv *env, GArray *journal)
{
  env->journal = journal;
}

static void
undo_named (HirEnv *env, const HirEnvChange *change)
{
  Named *named = get_named (env, NULL, change->name);

  if (change->old != NULL)
    set_named (named, change->old);
  else
    g_clear_pointer (&named->value, hir_value_unref);
}

void
hir_env_undo (HirEnv *env, const GArray *journal)
{
  for (guint i = journal->len; i-- > 0;)
    {
      const HirEnvChange *change = &g_array_index (journal, HirEnvChange, i);

      if (change->name != NULL)
        undo_named (env, change);
      else if (change->old != NULL)
        hir_val_map_set (&env->values, change->val, change->old);
      else
        hir_val_map_remove (&env->values, change->val);
    }
}

void
hir_env_foreach (HirEnv *env,
                 void (*visit) (const HirVal *val, HirValue *value, gpointer user_data),
                 gpointer user_data)
{
  for (gsize i = 0; i < (gsize) 1 << env->values.n_bits; i++)
    {
      const HirValSlot *slot = &env->values.slots[i];

      if (slot->value != NULL)
        visit (slot->val, slot->value, user_data);
    }
}

static void
add_binding (const HirVal *val, HirValue *value, gpointer user_data)
{
  HirEnvChange binding = { .val = val, .old = hir_value_ref (value) };

  g_array_append_val ((GArray *) user_data, binding);
}

GArray *
hir_env_dup_bindings (HirEnv *env)
{
  GArray *bindings = hir_env_journal_new ();

  hir_env_foreach (env, add_binding, bindings);
  for (guint i = 0; i < env->named->len; i++)
    {
      const Named *named = &g_array_index (env->named, Named, i);
      HirEnvChange binding = { .name = g_strdup (named->name) };

      binding.old = named->value != NULL ? hir_value_ref (named->value) : NULL;
      g_array_append_val (bindings, binding);
    }
  return bindings;
}

void
hir_env_set_bindings (HirEnv *env, const GArray *bindings)
{
  g_return_if_fail (env->journal == NULL);

  hir_val_map_reset (&env->values);
  for (guint i = 0; i < env->named->len; i++)
    g_clear_pointer (&g_array_index (env->named, Named, i).value, hir_value_unref);
  hir_env_undo (env, bindings);
}

gboolean
hir_env_lookup_leaf (const HirScalar *leaf, gint64 *result, gpointer env)
{
  HirValue *value = hir_env_lookup (env, HIR_VAL (leaf));

  if (value == NULL || !value->is_scalar)
    return FALSE;
  *result = value->i;
  return TRUE;
}

static gboolean
is_kept (const HirEnv *env, const HirScalar *scalar)
{
  if (scalar->kind != HIR_SCALAR_OP)
    return g_ptr_array_find (env->kept_indices, scalar, NULL);
  return is_kept (env, scalar->a) || is_kept (env, scalar->b);
}

/* Replaces *@value by the first value of @scalar. */
static void
keep_first (HirEnv *env, const HirScalar *scalar, gint64 *value)
{
  const gint64 *first = g_hash_table_lookup (env->kept, scalar);

  /* An instruction has computed it again. */
  if (hir_env_lookup (env, HIR_VAL (scalar)) != NULL)
    return;
  if (first == NULL)
    {
      g_hash_table_insert (env->kept, (gpointer) scalar, g_memdup2 (value, sizeof *value));
      return;
    }
  if (*first != *value && env->stale.scalar == NULL)
    env->stale = (HirStaleValue){ scalar, *first, *value };
  *value = *first;
}

gboolean
hir_env_evaluate_int (HirEnv *env, const HirScalar *scalar, gint64 *value, GError **error)
{
  if (scalar->kind == HIR_SCALAR_CONST && hir_dtype_is_floating_point (scalar->base.dtype))
    {
      *value = hir_dtype_saturate (HIR_DTYPE_INT, scalar->d);
      return TRUE;
    }
  if (!hir_scalar_evaluate (scalar, hir_env_lookup_leaf, env, value, error))
    return FALSE;
  if (env->kept_indices->len > 0 && scalar->kind == HIR_SCALAR_OP && is_kept (env, scalar))
    keep_first (env, scalar, value);
  return TRUE;
}

void
hir_env_keep_expressions_of (HirEnv *env, const HirScalar *index)
{
  if (!g_ptr_array_find (env->kept_indices, index, NULL))
    g_ptr_array_add (env->kept_indices, (gpointer) index);
}

typedef struct
{
  HirEnv *env;
  const HirScalar *scalar;
} Recomputation;

/* Like hir_env_lookup_leaf(), but the value that is computed again is unknown. */
static gboolean
lookup_operand (const HirScalar *leaf, gint64 *result, gpointer user_data)
{
  const Recomputation *again = user_data;

  return leaf != again->scalar && hir_env_lookup_leaf (leaf, result, again->env);
}

gboolean
hir_env_compute_again (HirEnv *env, const HirScalar *scalar, GError **error)
{
  Recomputation again = { env, scalar };
  g_autoptr (HirValue) value = NULL;
  gint64 result;

  if (!hir_scalar_evaluate (scalar, lookup_operand, &again, &result, error))
    return FALSE;
  value = hir_value_new_int (result, scalar->base.dtype);
  hir_env_bind (env, HIR_VAL (scalar), value);
  return TRUE;
}

gboolean
hir_env_take_stale (HirEnv *env, HirStaleValue *stale)
{
  *stale = env->stale;
  env->stale.scalar = NULL;
  return stale->scalar != NULL;
}

static HirValue *
evaluate_double_op (HirEnv *env, const HirScalar *scalar, GError **error)
{
  g_autoptr (HirValue) a = hir_env_evaluate (env, scalar->a, error);
  g_autoptr (HirValue) b = a != NULL ? hir_env_evaluate (env, scalar->b, error) : NULL;
  double x, y, result;

  if (a == NULL || b == NULL)
    return NULL;
  x = a->d;
  y = b->d;
  switch (scalar->op)
    {
    case HIR_SCALAR_OP_ADD:
      result = x + y;
      break;
    case HIR_SCALAR_OP_SUB:
      result = x - y;
      break;
    case HIR_SCALAR_OP_MUL:
      result = x * y;
      break;
    case HIR_SCALAR_OP_DIV:
      result = x / y;
      break;
    case HIR_SCALAR_OP_MOD:
      result = fmod (x, y);
      break;
    case HIR_SCALAR_OP_CEIL_DIV:
      result = ceil (x / y);
      break;
    case HIR_SCALAR_OP_MAX:
      result = MAX (x, y);
      break;
    case HIR_SCALAR_OP_MIN:
      result = MIN (x, y);
      break;
    default:
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &scalar->base.node.pos,
                     "the scalar operator %s of floating-point values is not supported yet",
                     hir_scalar_op_get_token (scalar->op));
      return NULL;
    }
  return hir_value_new_double (result, scalar->base.dtype);
}

HirValue *
hir_env_evaluate (HirEnv *env, const HirScalar *scalar, GError **error)
{
  HirValue *known;
  gint64 i;

  if (scalar->kind == HIR_SCALAR_CONST)
    return hir_dtype_is_floating_point (scalar->base.dtype)
               ? hir_value_new_double (scalar->d, scalar->base.dtype)
               : hir_value_new_int (scalar->i, scalar->base.dtype);
  known = hir_env_lookup (env, HIR_VAL (scalar));
  if (known != NULL)
    return hir_value_ref (known);
  if (scalar->kind == HIR_SCALAR_OP && hir_dtype_is_floating_point (scalar->base.dtype))
    return evaluate_double_op (env, scalar, error);
  if (!hir_env_evaluate_int (env, scalar, &i, error))
    return NULL;
  return hir_value_new_int (i, scalar->base.dtype);
}

const HirExpr *
hir_env_resolve_root (HirEnv *env, const HirExpr *communication, GError **error)
{
  gint64 position;

  if (communication->u.comm.root_index == NULL)
    return communication;
  if (!hir_env_evaluate_int (env, communication->u.comm.root_index, &position, error))
    return NULL;
  if (position >= 0 && position < communication->u.comm.n_team)
    return hir_comm_at_root (communication, (guint) position);
  hir_set_error (error, HIR_ERROR_RUN, &communication->node.pos,
                 "the root is %" G_GINT64_FORMAT ", but the team has %u members", position,
                 communication->u.comm.n_team);
  return NULL;
}
