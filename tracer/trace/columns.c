#include "trace/columns.h"

#include <string.h>

#include "trace/headroom.h"

#define MAX_LANES 255
#define ROOM_FROM 1024 /* events; smaller columns grow without a memory check */
#define LATELY 8       /* number of recent values that are searched for an equal one */

static const guint8 column_sizes[HIR_N_COLUMNS] = { 8, 4, 4, 4, 4, 4, 4, 4, 1, 1, 8 };

static gboolean
reserve (HirColumns *columns)
{
  guint capacity;

  if (columns->n < columns->capacity)
    return TRUE;
  if (columns->capacity > G_MAXUINT32 / 2 ||
      (columns->capacity >= ROOM_FROM && !hir_has_headroom ()))
    return FALSE;
  capacity = MAX (16, columns->capacity + columns->capacity / 2);
  for (guint c = 0; c < HIR_N_COLUMNS; c++)
    {
      char *bigger;

      if (columns->data[c] == NULL)
        continue;
      bigger = g_try_realloc_n (columns->data[c], capacity, column_sizes[c]);
      if (bigger == NULL)
        return FALSE;
      memset (bigger + (gsize) columns->n * column_sizes[c], 0,
              (gsize) (capacity - columns->n) * column_sizes[c]);
      columns->data[c] = bigger;
    }
  columns->capacity = capacity;
  return TRUE;
}

/* Allocates a column when its first nonzero value is added. */
static gboolean
need_column (HirColumns *columns, HirColumn column, gboolean is_set)
{
  if (!is_set || columns->data[column] != NULL)
    return TRUE;
  columns->data[column] = g_try_malloc0_n (columns->capacity, column_sizes[column]);
  return columns->data[column] != NULL;
}

/* Finds an equal value among the most recent ones: kernels of one kind repeat, and a counter keeps
 * its value. */
static gboolean
find_lately (const HirWideValues *wide, gint64 value, guint32 *index)
{
  guint oldest = wide->n - MIN (wide->n, LATELY);

  for (guint i = wide->n; i > oldest; i--)
    if (wide->values[i - 1] == value)
      {
        *index = i - 1;
        return TRUE;
      }
  return FALSE;
}

static gboolean
add_wide (HirWideValues *wide, gint64 value, guint32 *index)
{
  if (find_lately (wide, value, index))
    return TRUE;
  if (wide->n == wide->capacity)
    {
      guint capacity = MAX (16, wide->capacity + wide->capacity / 2);
      gint64 *bigger;

      if (wide->n >= HIR_LARGE || (wide->n >= ROOM_FROM && !hir_has_headroom ()))
        return FALSE;
      bigger = g_try_realloc_n (wide->values, capacity, sizeof (gint64));
      if (bigger == NULL)
        return FALSE;
      wide->values = bigger;
      wide->capacity = capacity;
    }
  *index = wide->n;
  wide->values[wide->n++] = value;
  return TRUE;
}

/* Encodes a value for the column of bytes or flops. */
static gboolean
make_amount (HirColumns *columns, gint64 value, guint32 *amount)
{
  *amount = (guint32) value;
  if (value >= 0 && value < (gint64) HIR_LARGE)
    return TRUE;
  if (!add_wide (&columns->large, value, amount))
    return FALSE;
  *amount |= HIR_LARGE;
  return TRUE;
}

#define SET(column, Type, value)                                                                   \
  if (columns->data[column] != NULL)                                                               \
  ((Type *) columns->data[column])[i] = (value)

gboolean
hir_columns_append (HirColumns *columns, const HirEvent *event, guint32 instruction)
{
  gint64 duration = event->end_ns - event->start_ns;
  guint8 flags = (guint8) (event->kind | event->phase << 4);
  guint32 iteration = (guint32) event->iteration + 1;
  guint32 index = (guint32) duration, bytes, flops;
  guint i = columns->n;

  if (!reserve (columns) || !need_column (columns, HIR_COLUMN_START, TRUE) ||
      !need_column (columns, HIR_COLUMN_DURATION, TRUE) ||
      !need_column (columns, HIR_COLUMN_FLAGS, TRUE) ||
      !need_column (columns, HIR_COLUMN_BYTES, event->bytes != 0) ||
      !need_column (columns, HIR_COLUMN_FLOPS, event->flops != 0) ||
      !need_column (columns, HIR_COLUMN_INSTRUCTION, instruction != 0) ||
      !need_column (columns, HIR_COLUMN_NAME, event->name != 0) ||
      !need_column (columns, HIR_COLUMN_CORRELATION, event->correlation != 0) ||
      !need_column (columns, HIR_COLUMN_ITERATION, iteration != 0) ||
      !need_column (columns, HIR_COLUMN_SOURCE, event->source != 0) ||
      !make_amount (columns, event->bytes, &bytes) || !make_amount (columns, event->flops, &flops))
    return FALSE;
  if (duration > G_MAXUINT32)
    {
      if (!add_wide (&columns->longs, duration, &index))
        return FALSE;
      flags |= HIR_FLAG_LONG;
    }
  SET (HIR_COLUMN_START, gint64, event->start_ns);
  SET (HIR_COLUMN_DURATION, guint32, index);
  SET (HIR_COLUMN_BYTES, guint32, bytes);
  SET (HIR_COLUMN_FLOPS, guint32, flops);
  SET (HIR_COLUMN_INSTRUCTION, guint32, instruction);
  SET (HIR_COLUMN_NAME, guint32, event->name);
  SET (HIR_COLUMN_CORRELATION, guint32, event->correlation);
  SET (HIR_COLUMN_ITERATION, guint32, iteration);
  SET (HIR_COLUMN_FLAGS, guint8, flags);
  SET (HIR_COLUMN_SOURCE, guint64, event->source);
  columns->n++;
  return TRUE;
}

/* Returns whether event @a may precede event @b. TRUE for equal events, which keeps the sort
 * stable. */
static inline gboolean
in_order (const HirColumns *columns, guint a, guint b)
{
  gint64 start_a = hir_columns_get_start (columns, a);
  gint64 start_b = hir_columns_get_start (columns, b);

  if (start_a != start_b)
    return start_a < start_b;
  return hir_columns_get_duration (columns, a) >= hir_columns_get_duration (columns, b);
}

static void
merge_runs (
    const HirColumns *columns, const guint32 *from, guint32 *to, guint lo, guint mid, guint hi)
{
  guint a = lo, b = mid;

  if (mid >= hi || in_order (columns, from[mid - 1], from[mid]))
    {
      memcpy (to + lo, from + lo, (gsize) (hi - lo) * sizeof *to);
      return;
    }
  for (guint i = lo; i < hi; i++)
    {
      if (b >= hi || (a < mid && in_order (columns, from[a], from[b])))
        to[i] = from[a++];
      else
        to[i] = from[b++];
    }
}

/* Stable bottom-up merge sort; g_qsort() would abort if it cannot allocate. Returns the one of the
 * two arrays that holds the result. */
static guint32 *
merge_sort (const HirColumns *columns, guint32 *order, guint32 *spare)
{
  for (guint64 width = 1; width < columns->n; width *= 2)
    {
      guint32 *swap;

      for (guint64 lo = 0; lo < columns->n; lo += 2 * width)
        merge_runs (columns, order, spare, (guint) lo, (guint) MIN (lo + width, columns->n),
                    (guint) MIN (lo + 2 * width, columns->n));
      swap = order;
      order = spare;
      spare = swap;
    }
  return order;
}

static void
gather (gpointer to, gconstpointer from, const guint32 *order, guint n, guint size)
{
  for (guint i = 0; i < n; i++)
    switch (size)
      {
      case 8:
        ((guint64 *) to)[i] = ((const guint64 *) from)[order[i]];
        break;
      case 4:
        ((guint32 *) to)[i] = ((const guint32 *) from)[order[i]];
        break;
      default:
        ((guint8 *) to)[i] = ((const guint8 *) from)[order[i]];
        break;
      }
}

static void
shrink_wide (HirWideValues *wide)
{
  gint64 *smaller = wide->n > 0 ? g_try_realloc_n (wide->values, wide->n, sizeof (gint64)) : NULL;

  if (smaller == NULL)
    return;
  wide->values = smaller;
  wide->capacity = wide->n;
}

static void
shrink (HirColumns *columns)
{
  for (guint c = 0; c < HIR_N_COLUMNS; c++)
    if (columns->data[c] != NULL)
      {
        gpointer smaller = g_try_realloc_n (columns->data[c], columns->n, column_sizes[c]);

        if (smaller != NULL)
          columns->data[c] = smaller;
      }
  columns->capacity = columns->n;
  shrink_wide (&columns->longs);
  shrink_wide (&columns->large);
}

/* Permutes each column through @spare, which has room for n values of the widest column. Nothing
 * can fail halfway. */
static void
permute (HirColumns *columns, const guint32 *order, gpointer spare)
{
  for (guint c = 0; c < HIR_N_COLUMNS; c++)
    {
      if (columns->data[c] == NULL)
        continue;
      gather (spare, columns->data[c], order, columns->n, column_sizes[c]);
      memcpy (columns->data[c], spare, (gsize) columns->n * column_sizes[c]);
    }
}

gboolean
hir_columns_sort (HirColumns *columns)
{
  guint32 *order;
  gint64 *spare;
  guint i = 1;

  while (i < columns->n && in_order (columns, i - 1, i))
    i++;
  if (columns->n > 0)
    shrink (columns);
  if (i >= columns->n)
    return TRUE;
  if (columns->n >= ROOM_FROM && !hir_has_headroom ())
    return FALSE;
  order = g_try_new (guint32, (gsize) columns->n * 2);
  spare = g_try_new (gint64, columns->n);
  if (order != NULL && spare != NULL)
    {
      for (i = 0; i < columns->n; i++)
        order[i] = i;
      permute (columns, merge_sort (columns, order, order + columns->n), spare);
    }
  g_free (order);
  g_free (spare);
  return order != NULL && spare != NULL;
}

gboolean
hir_columns_assign_lanes (HirColumns *columns, guint *n_lanes, guint *n_crowded)
{
  gint64 free_at[MAX_LANES];

  *n_lanes = 1;
  *n_crowded = 0;
  free_at[0] = G_MININT64;
  for (guint i = 0; i < columns->n; i++)
    {
      gint64 start = hir_columns_get_start (columns, i);
      gint64 end = hir_columns_get_end (columns, i);
      guint lane = 0;

      while (lane < *n_lanes && free_at[lane] > start)
        lane++;
      if (lane == *n_lanes)
        {
          if (lane == MAX_LANES)
            {
              lane--;
              *n_crowded += 1;
            }
          else
            {
              if (!need_column (columns, HIR_COLUMN_LANE, TRUE))
                return FALSE;
              *n_lanes += 1;
              free_at[lane] = G_MININT64;
            }
        }
      free_at[lane] = MAX (free_at[lane], end);
      SET (HIR_COLUMN_LANE, guint8, (guint8) lane);
    }
  return TRUE;
}

static gboolean
copy_wide (HirWideValues *to, const HirWideValues *from)
{
  if (from->n == 0)
    return TRUE;
  to->values = g_try_new (gint64, from->n);
  if (to->values == NULL)
    return FALSE;
  to->n = to->capacity = from->n;
  memcpy (to->values, from->values, (gsize) from->n * sizeof (gint64));
  return TRUE;
}

gboolean
hir_columns_copy (HirColumns *to, const HirColumns *from)
{
  to->n = to->capacity = from->n;
  if (!copy_wide (&to->longs, &from->longs) || !copy_wide (&to->large, &from->large))
    return FALSE;
  for (guint c = 0; c < HIR_N_COLUMNS && from->n > 0; c++)
    {
      if (from->data[c] == NULL)
        continue;
      to->data[c] = g_try_malloc_n (from->n, column_sizes[c]);
      if (to->data[c] == NULL)
        return FALSE;
      memcpy (to->data[c], from->data[c], (gsize) from->n * column_sizes[c]);
    }
  return TRUE;
}

gsize
hir_columns_get_size_bytes (const HirColumns *columns)
{
  gsize size = ((gsize) columns->longs.capacity + columns->large.capacity) * sizeof (gint64);

  for (guint c = 0; c < HIR_N_COLUMNS; c++)
    if (columns->data[c] != NULL)
      size += (gsize) columns->capacity * column_sizes[c];
  return size;
}

void
hir_columns_clear (HirColumns *columns)
{
  for (guint c = 0; c < HIR_N_COLUMNS; c++)
    g_free (columns->data[c]);
  g_free (columns->longs.values);
  g_free (columns->large.values);
  memset (columns, 0, sizeof *columns);
}
