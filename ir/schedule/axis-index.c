#include "schedule/axis-index.h"

/* Deeper derivations are compared as a whole, to limit the recursion. */
#define MAX_DEPTH 128

/* Positive size: a constant times symbols. */
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
  INDEX_MERGE,  /* a * size + b, 0 <= b < size */
  INDEX_DIV,    /* a / size */
  INDEX_MOD,    /* a mod size */
  INDEX_ROTATE, /* a rotated within size by the position of the device on a mesh axis */
} IndexKind;

struct _HirAxisIndex
{
  IndexKind kind;
  gconstpointer leaf;
  HirAxisIndex *a, *b;
  Size size;
  HirParallelType mesh_axis; /* ROTATE */
  gboolean is_bounded;       /* 0 <= index < bound */
  Size bound;
};

static const Size one = { 1, NULL, 0 };

/* Mapped axes have the same size: returns the name of the other one. */
static HirScalar *
get_known (const HirAxisIndexer *x, HirScalar *scalar)
{
  HirScalar *same = x->sizes != NULL ? g_hash_table_lookup (x->sizes, scalar) : NULL;

  return same != NULL ? same : scalar;
}

static gboolean
are_scalars_deep_equal (const HirAxisIndexer *x, HirScalar *a, HirScalar *b, guint depth)
{
  a = get_known (x, a);
  b = get_known (x, b);
  if (hir_scalar_equal (a, b))
    return TRUE;
  return depth < MAX_DEPTH && a->kind == HIR_SCALAR_OP && b->kind == HIR_SCALAR_OP &&
         a->op == b->op && are_scalars_deep_equal (x, a->a, b->a, depth + 1) &&
         are_scalars_deep_equal (x, a->b, b->b, depth + 1);
}

static gboolean
are_scalars_equal (const HirAxisIndexer *x, HirScalar *a, HirScalar *b)
{
  return are_scalars_deep_equal (x, a, b, 0);
}

static Size
size_from_atom (HirAxisIndexer *x, HirScalar *scalar)
{
  return (Size){ 1, hir_arena_memdup (x->arena, &scalar, sizeof scalar), 1 };
}

/* Returns FALSE if the constant part overflows. */
static gboolean
size_multiply (HirAxisIndexer *x, const Size *a, const Size *b, Size *product)
{
  Size result = { 0, NULL, a->n_atoms + b->n_atoms };

  if (__builtin_mul_overflow (a->factor, b->factor, &result.factor))
    return FALSE;
  result.atoms = hir_arena_array0 (x->arena, HirScalar *, result.n_atoms);
  for (guint i = 0; i < a->n_atoms; i++)
    result.atoms[i] = a->atoms[i];
  for (guint i = 0; i < b->n_atoms; i++)
    result.atoms[a->n_atoms + i] = b->atoms[i];
  *product = result;
  return TRUE;
}

/* Returns TRUE and *@quotient if @b certainly divides @a. */
static gboolean
size_divide (HirAxisIndexer *x, const Size *a, const Size *b, Size *quotient)
{
  g_autofree gboolean *used = g_new0 (gboolean, MAX (a->n_atoms, 1));
  Size result = { 0, NULL, 0 };

  if (a->factor % b->factor != 0 || b->n_atoms > a->n_atoms)
    return FALSE;
  for (guint i = 0; i < b->n_atoms; i++)
    {
      guint k = 0;

      while (k < a->n_atoms && (used[k] || !are_scalars_equal (x, a->atoms[k], b->atoms[i])))
        k++;
      if (k == a->n_atoms)
        return FALSE;
      used[k] = TRUE;
    }
  result.factor = a->factor / b->factor;
  result.atoms = hir_arena_array0 (x->arena, HirScalar *, a->n_atoms);
  for (guint i = 0; i < a->n_atoms; i++)
    {
      if (!used[i])
        result.atoms[result.n_atoms++] = a->atoms[i];
    }
  *quotient = result;
  return TRUE;
}

static gboolean
size_equal (HirAxisIndexer *x, const Size *a, const Size *b)
{
  if (a->factor != b->factor || a->n_atoms != b->n_atoms)
    return FALSE;
  for (guint i = 0; i < a->n_atoms; i++)
    {
      guint n_a = 0, n_b = 0;

      for (guint k = 0; k < a->n_atoms; k++)
        {
          n_a += are_scalars_equal (x, a->atoms[k], a->atoms[i]);
          n_b += are_scalars_equal (x, b->atoms[k], a->atoms[i]);
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
size_from_scalar (HirAxisIndexer *x, HirScalar *scalar, guint depth)
{
  Size a, b, result;

  scalar = get_known (x, scalar);
  if (hir_scalar_is_const (scalar) && scalar->i > 0)
    return (Size){ scalar->i, NULL, 0 };
  if (scalar->kind != HIR_SCALAR_OP || depth == MAX_DEPTH)
    return size_from_atom (x, scalar);
  if (scalar->op != HIR_SCALAR_OP_MUL && scalar->op != HIR_SCALAR_OP_CEIL_DIV)
    return size_from_atom (x, scalar);
  a = size_from_scalar (x, scalar->a, depth + 1);
  b = size_from_scalar (x, scalar->b, depth + 1);
  if (scalar->op == HIR_SCALAR_OP_MUL ? size_multiply (x, &a, &b, &result)
                                      : size_divide (x, &a, &b, &result))
    return result;
  return size_from_atom (x, scalar);
}

/* Returns TRUE if @index is certainly below @size. */
static gboolean
is_within (HirAxisIndexer *x, const HirAxisIndex *index, const Size *size)
{
  Size quotient;

  if (!index->is_bounded)
    return FALSE;
  if (index->bound.n_atoms == 0 && size->n_atoms == 0)
    return index->bound.factor <= size->factor;
  return size_divide (x, size, &index->bound, &quotient);
}

static HirAxisIndex *
node_new (HirAxisIndexer *x, IndexKind kind)
{
  HirAxisIndex *index = hir_arena_new0 (x->arena, HirAxisIndex);

  index->kind = kind;
  index->size = one;
  return index;
}

static HirAxisIndex *
zero_new (HirAxisIndexer *x)
{
  HirAxisIndex *index = node_new (x, INDEX_ZERO);

  index->is_bounded = TRUE;
  index->bound = one;
  return index;
}

static HirAxisIndex *merge_new (HirAxisIndexer *x, HirAxisIndex *a, HirAxisIndex *b, Size size);
static HirAxisIndex *mod_new (HirAxisIndexer *x, HirAxisIndex *a, Size size);

static HirAxisIndex *
div_new (HirAxisIndexer *x, HirAxisIndex *a, Size size)
{
  HirAxisIndex *index;
  Size other;

  if (size_is_one (&size))
    return a;
  if (is_within (x, a, &size))
    return zero_new (x);
  if (a->kind == INDEX_DIV && size_multiply (x, &a->size, &size, &other))
    return div_new (x, a->a, other);
  if (a->kind == INDEX_MERGE && size_divide (x, &size, &a->size, &other))
    return div_new (x, a->a, other);
  if (a->kind == INDEX_MERGE && size_divide (x, &a->size, &size, &other))
    return merge_new (x, a->a, div_new (x, a->b, size), other);
  if (a->kind == INDEX_MOD && size_divide (x, &a->size, &size, &other))
    return mod_new (x, div_new (x, a->a, size), other);

  index = node_new (x, INDEX_DIV);
  index->a = a;
  index->size = size;
  if (a->is_bounded && a->bound.n_atoms == 0 && size.n_atoms == 0)
    {
      index->is_bounded = TRUE;
      index->bound = (Size){ (a->bound.factor - 1) / size.factor + 1, NULL, 0 };
    }
  else
    index->is_bounded = a->is_bounded && size_divide (x, &a->bound, &size, &index->bound);
  return index;
}

static HirAxisIndex *
mod_new (HirAxisIndexer *x, HirAxisIndex *a, Size size)
{
  HirAxisIndex *index;
  Size other;

  if (size_is_one (&size))
    return zero_new (x);
  if (is_within (x, a, &size))
    return a;
  if (a->kind == INDEX_MERGE && size_divide (x, &a->size, &size, &other))
    return mod_new (x, a->b, size);
  if (a->kind == INDEX_MERGE && size_divide (x, &size, &a->size, &other))
    return merge_new (x, mod_new (x, a->a, other), a->b, a->size);
  if (a->kind == INDEX_MOD && size_divide (x, &a->size, &size, &other))
    return mod_new (x, a->a, size);

  index = node_new (x, INDEX_MOD);
  index->a = a;
  index->size = size;
  index->is_bounded = TRUE;
  index->bound = size;
  return index;
}

/* Recombines x / size and x mod size to x, and (x / size) mod n and x mod size to x mod (n size).
 * Returns NULL if @a and @b have another form. */
static HirAxisIndex *
rejoin (HirAxisIndexer *x, HirAxisIndex *a, HirAxisIndex *b, Size size)
{
  Size product;

  if (b->kind != INDEX_MOD || !size_equal (x, &b->size, &size))
    return NULL;
  if (hir_axis_index_equal (x, a, div_new (x, b->a, size)))
    return b->a;
  if (a->kind == INDEX_MOD && size_multiply (x, &a->size, &size, &product) &&
      hir_axis_index_equal (x, a, mod_new (x, div_new (x, b->a, size), a->size)))
    return mod_new (x, b->a, product);
  return NULL;
}

static HirAxisIndex *
merge_new (HirAxisIndexer *x, HirAxisIndex *a, HirAxisIndex *b, Size size)
{
  HirAxisIndex *index;

  if (a->kind == INDEX_ZERO)
    return b;
  if (size_is_one (&size))
    return a;
  index = rejoin (x, a, b, size);
  if (index != NULL)
    return index;

  index = node_new (x, INDEX_MERGE);
  index->a = a;
  index->b = b;
  index->size = size;
  index->is_bounded = a->is_bounded && size_multiply (x, &a->bound, &size, &index->bound);
  return index;
}

static HirAxisIndex *
rotate_new (HirAxisIndexer *x, HirAxisIndex *a, Size size, HirParallelType mesh_axis)
{
  HirAxisIndex *index;

  if (size_is_one (&size))
    return a;
  index = node_new (x, INDEX_ROTATE);
  index->a = a;
  index->size = size;
  index->mesh_axis = mesh_axis;
  index->is_bounded = TRUE;
  index->bound = size;
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
  HirAxisIndex *index = node_new (indexer, INDEX_LEAF);

  index->leaf = shared != NULL ? shared : id;
  index->is_bounded = TRUE;
  index->bound = size_from_scalar (indexer, get_size (id), 0);
  return size_is_one (&index->bound) ? zero_new (indexer) : index;
}

static HirAxisIndex *
index_new (HirAxisIndexer *x, const HirDomain *base, const HirIterDomain *id, guint depth)
{
  const HirTransform *from = id->definition;
  HirAxisIndex *index = g_hash_table_lookup (x->known, id);
  Size size;

  if (index != NULL)
    return index;
  if (from == NULL || from->kind == HIR_TRANSFORM_RESIZE || depth == MAX_DEPTH ||
      hir_domain_find (base, id) >= 0)
    return leaf_new (x, id);

  index = index_new (x, base, from->in[0], depth + 1);
  if (from->kind == HIR_TRANSFORM_MERGE)
    {
      size = size_from_scalar (x, get_size (from->in[1]), 0);
      index = merge_new (x, index, index_new (x, base, from->in[1], depth + 1), size);
    }
  else if (from->kind == HIR_TRANSFORM_SWIZZLE)
    {
      size = size_from_scalar (x, get_size (id), 0);
      index = rotate_new (x, index, size, from->mesh_axis);
    }
  else
    {
      size = size_from_scalar (x, from->out[1]->extent, 0);
      index = id == from->out[0] ? div_new (x, index, size) : mod_new (x, index, size);
    }
  /* Avoids exponential work for repeated splits and merges. */
  g_hash_table_insert (x->known, (gpointer) id, index);
  return index;
}

HirAxisIndex *
hir_axis_index_new (HirAxisIndexer *indexer, const HirDomain *base, const HirIterDomain *id)
{
  return index_new (indexer, base, id, 0);
}

gboolean
hir_axis_index_equal (HirAxisIndexer *x, const HirAxisIndex *a, const HirAxisIndex *b)
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
      return size_equal (x, &a->size, &b->size) && hir_axis_index_equal (x, a->a, b->a) &&
             hir_axis_index_equal (x, a->b, b->b);
    case INDEX_ROTATE:
      return a->mesh_axis == b->mesh_axis && size_equal (x, &a->size, &b->size) &&
             hir_axis_index_equal (x, a->a, b->a);
    case INDEX_DIV:
    case INDEX_MOD:
    default:
      return size_equal (x, &a->size, &b->size) && hir_axis_index_equal (x, a->a, b->a);
    }
}

HirIterDomain *
hir_axis_find_outermost_base (const HirDomain *base, HirIterDomain *id)
{
  while (id != NULL && hir_domain_find (base, id) < 0)
    id = id->definition != NULL ? id->definition->in[0] : NULL;
  return id;
}
