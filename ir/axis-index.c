#include "axis-index.h"

/* Deeper derivations are compared as wholes: recursion stays shallow whatever a script builds. */
#define MAX_DEPTH 128

/* A positive size: a constant times symbols. */
typedef struct
{
  gint64 factor;
  HirScalar **atoms;
  guint n_atoms;
} Size;

typedef enum
{
  INDEX_ZERO,
  INDEX_LEAF,
  INDEX_MERGE, /* a * size + b, 0 <= b < size */
  INDEX_DIV,   /* a / size */
  INDEX_MOD,   /* a mod size */
} IndexKind;

struct _HirAxisIndex
{
  IndexKind kind;
  gconstpointer leaf;
  HirAxisIndex *a, *b;
  Size size;
  gboolean is_bounded; /* 0 <= index < bound */
  Size bound;
};

static const Size one = { 1, NULL, 0 };

static Size
size_from_atom (HirArena *arena, HirScalar *scalar)
{
  return (Size){ 1, hir_arena_memdup (arena, &scalar, sizeof scalar), 1 };
}

/* FALSE where the constant part is out of range. */
static gboolean
size_multiply (HirArena *arena, const Size *a, const Size *b, Size *product)
{
  Size result = { 0, NULL, a->n_atoms + b->n_atoms };

  if (__builtin_mul_overflow (a->factor, b->factor, &result.factor))
    return FALSE;
  result.atoms = hir_arena_array0 (arena, HirScalar *, result.n_atoms);
  for (guint i = 0; i < a->n_atoms; i++)
    result.atoms[i] = a->atoms[i];
  for (guint i = 0; i < b->n_atoms; i++)
    result.atoms[a->n_atoms + i] = b->atoms[i];
  *product = result;
  return TRUE;
}

/* TRUE and *@quotient where @b goes into @a for sure. */
static gboolean
size_divide (HirArena *arena, const Size *a, const Size *b, Size *quotient)
{
  g_autofree gboolean *used = g_new0 (gboolean, MAX (a->n_atoms, 1));
  Size result = { 0, NULL, 0 };

  if (a->factor % b->factor != 0 || b->n_atoms > a->n_atoms)
    return FALSE;
  for (guint i = 0; i < b->n_atoms; i++)
    {
      guint k = 0;

      while (k < a->n_atoms && (used[k] || !hir_scalar_equal (a->atoms[k], b->atoms[i])))
        k++;
      if (k == a->n_atoms)
        return FALSE;
      used[k] = TRUE;
    }
  result.factor = a->factor / b->factor;
  result.atoms = hir_arena_array0 (arena, HirScalar *, a->n_atoms);
  for (guint i = 0; i < a->n_atoms; i++)
    {
      if (!used[i])
        result.atoms[result.n_atoms++] = a->atoms[i];
    }
  *quotient = result;
  return TRUE;
}

static gboolean
size_equal (const Size *a, const Size *b)
{
  if (a->factor != b->factor || a->n_atoms != b->n_atoms)
    return FALSE;
  for (guint i = 0; i < a->n_atoms; i++)
    {
      guint n_a = 0, n_b = 0;

      for (guint k = 0; k < a->n_atoms; k++)
        {
          n_a += hir_scalar_equal (a->atoms[k], a->atoms[i]);
          n_b += hir_scalar_equal (b->atoms[k], a->atoms[i]);
        }
      if (n_a != n_b)
        return FALSE;
    }
  return TRUE;
}

static gboolean
size_is_one (const Size *size)
{
  return size->factor == 1 && size->n_atoms == 0;
}

static Size
size_from_scalar (HirArena *arena, HirScalar *scalar, guint depth)
{
  Size a, b, result;

  if (hir_scalar_is_const (scalar) && scalar->i > 0)
    return (Size){ scalar->i, NULL, 0 };
  if (scalar->kind != HIR_SCALAR_OP || depth == MAX_DEPTH)
    return size_from_atom (arena, scalar);
  if (scalar->op != HIR_SCALAR_OP_MUL && scalar->op != HIR_SCALAR_OP_CEIL_DIV)
    return size_from_atom (arena, scalar);
  a = size_from_scalar (arena, scalar->a, depth + 1);
  b = size_from_scalar (arena, scalar->b, depth + 1);
  if (scalar->op == HIR_SCALAR_OP_MUL ? size_multiply (arena, &a, &b, &result)
                                      : size_divide (arena, &a, &b, &result))
    return result;
  return size_from_atom (arena, scalar);
}

/* TRUE where an index below @bound is below @size for sure. */
static gboolean
is_within (HirArena *arena, const HirAxisIndex *index, const Size *size)
{
  Size quotient;

  if (!index->is_bounded)
    return FALSE;
  if (index->bound.n_atoms == 0 && size->n_atoms == 0)
    return index->bound.factor <= size->factor;
  return size_divide (arena, size, &index->bound, &quotient);
}

static HirAxisIndex *
node_new (HirArena *arena, IndexKind kind)
{
  HirAxisIndex *index = hir_arena_new0 (arena, HirAxisIndex);

  index->kind = kind;
  index->size = one;
  return index;
}

static HirAxisIndex *
zero_new (HirArena *arena)
{
  HirAxisIndex *index = node_new (arena, INDEX_ZERO);

  index->is_bounded = TRUE;
  index->bound = one;
  return index;
}

static HirAxisIndex *merge_new (HirArena *arena, HirAxisIndex *a, HirAxisIndex *b, Size size);
static HirAxisIndex *mod_new (HirArena *arena, HirAxisIndex *a, Size size);

static HirAxisIndex *
div_new (HirArena *arena, HirAxisIndex *a, Size size)
{
  HirAxisIndex *index;
  Size other;

  if (size_is_one (&size))
    return a;
  if (is_within (arena, a, &size))
    return zero_new (arena);
  if (a->kind == INDEX_DIV && size_multiply (arena, &a->size, &size, &other))
    return div_new (arena, a->a, other);
  if (a->kind == INDEX_MERGE && size_divide (arena, &size, &a->size, &other))
    return div_new (arena, a->a, other);
  if (a->kind == INDEX_MERGE && size_divide (arena, &a->size, &size, &other))
    return merge_new (arena, a->a, div_new (arena, a->b, size), other);
  if (a->kind == INDEX_MOD && size_divide (arena, &a->size, &size, &other))
    return mod_new (arena, div_new (arena, a->a, size), other);

  index = node_new (arena, INDEX_DIV);
  index->a = a;
  index->size = size;
  if (a->is_bounded && a->bound.n_atoms == 0 && size.n_atoms == 0)
    {
      index->is_bounded = TRUE;
      index->bound = (Size){ (a->bound.factor - 1) / size.factor + 1, NULL, 0 };
    }
  else
    index->is_bounded = a->is_bounded && size_divide (arena, &a->bound, &size, &index->bound);
  return index;
}

static HirAxisIndex *
mod_new (HirArena *arena, HirAxisIndex *a, Size size)
{
  HirAxisIndex *index;
  Size other;

  if (size_is_one (&size))
    return zero_new (arena);
  if (is_within (arena, a, &size))
    return a;
  if (a->kind == INDEX_MERGE && size_divide (arena, &a->size, &size, &other))
    return mod_new (arena, a->b, size);
  if (a->kind == INDEX_MERGE && size_divide (arena, &size, &a->size, &other))
    return merge_new (arena, mod_new (arena, a->a, other), a->b, a->size);
  if (a->kind == INDEX_MOD && size_divide (arena, &a->size, &size, &other))
    return mod_new (arena, a->a, size);

  index = node_new (arena, INDEX_MOD);
  index->a = a;
  index->size = size;
  index->is_bounded = TRUE;
  index->bound = size;
  return index;
}

/* x / size and x mod size put together are x; (x / size) mod n and x mod size are x mod (n size).
 * NULL where @a and @b are not that. */
static HirAxisIndex *
rejoin (HirArena *arena, HirAxisIndex *a, HirAxisIndex *b, Size size)
{
  Size product;

  if (b->kind != INDEX_MOD || !size_equal (&b->size, &size))
    return NULL;
  if (hir_axis_index_equal (a, div_new (arena, b->a, size)))
    return b->a;
  if (a->kind == INDEX_MOD && size_multiply (arena, &a->size, &size, &product) &&
      hir_axis_index_equal (a, mod_new (arena, div_new (arena, b->a, size), a->size)))
    return mod_new (arena, b->a, product);
  return NULL;
}

static HirAxisIndex *
merge_new (HirArena *arena, HirAxisIndex *a, HirAxisIndex *b, Size size)
{
  HirAxisIndex *index;

  if (a->kind == INDEX_ZERO)
    return b;
  if (size_is_one (&size))
    return a;
  index = rejoin (arena, a, b, size);
  if (index != NULL)
    return index;

  index = node_new (arena, INDEX_MERGE);
  index->a = a;
  index->b = b;
  index->size = size;
  index->is_bounded = a->is_bounded && size_multiply (arena, &a->bound, &size, &index->bound);
  return index;
}

static HirScalar *
get_size (const HirIterDomain *id)
{
  return id->expanded_extent != NULL ? id->expanded_extent : id->extent;
}

static HirAxisIndex *
leaf_new (HirAxisIndexer *indexer, const HirIterDomain *id)
{
  const HirIterDomain *shared = g_hash_table_lookup (indexer->shared, id);
  HirAxisIndex *index = node_new (indexer->arena, INDEX_LEAF);

  index->leaf = shared != NULL ? shared : id;
  index->is_bounded = TRUE;
  index->bound = size_from_scalar (indexer->arena, get_size (id), 0);
  return size_is_one (&index->bound) ? zero_new (indexer->arena) : index;
}

static HirAxisIndex *
index_new (HirAxisIndexer *indexer, const HirDomain *base, const HirIterDomain *id, guint depth)
{
  const HirTransform *from = id->definition;
  HirArena *arena = indexer->arena;
  HirAxisIndex *a;
  Size size;

  if (from == NULL || from->kind == HIR_TRANSFORM_RESIZE || depth == MAX_DEPTH ||
      hir_domain_find (base, id) >= 0)
    return leaf_new (indexer, id);
  a = index_new (indexer, base, from->in[0], depth + 1);
  if (from->kind == HIR_TRANSFORM_MERGE)
    {
      size = size_from_scalar (arena, get_size (from->in[1]), 0);
      return merge_new (arena, a, index_new (indexer, base, from->in[1], depth + 1), size);
    }
  size = size_from_scalar (arena, from->out[1]->extent, 0);
  return id == from->out[0] ? div_new (arena, a, size) : mod_new (arena, a, size);
}

HirAxisIndex *
hir_axis_index_new (HirAxisIndexer *indexer, const HirDomain *base, const HirIterDomain *id)
{
  return index_new (indexer, base, id, 0);
}

gboolean
hir_axis_index_equal (const HirAxisIndex *a, const HirAxisIndex *b)
{
  if (a == b)
    return TRUE;
  if (a->kind != b->kind)
    return FALSE;
  switch (a->kind)
    {
    case INDEX_ZERO:
      return TRUE;
    case INDEX_LEAF:
      return a->leaf == b->leaf;
    case INDEX_MERGE:
      return size_equal (&a->size, &b->size) && hir_axis_index_equal (a->a, b->a) &&
             hir_axis_index_equal (a->b, b->b);
    case INDEX_DIV:
    case INDEX_MOD:
    default:
      return size_equal (&a->size, &b->size) && hir_axis_index_equal (a->a, b->a);
    }
}

HirIterDomain *
hir_axis_find_outermost_base (const HirDomain *base, HirIterDomain *id)
{
  while (id != NULL && hir_domain_find (base, id) < 0)
    id = id->definition != NULL ? id->definition->in[0] : NULL;
  return id;
}
