/* Stores the events of one track as columns. A column that is all zero is not allocated. Events of
 * our runs take at most 38 bytes each; imported events have no flops, instruction or iteration but
 * a file position, and take at most 34 bytes. Values too wide for their column are stored in side
 * arrays. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_COLUMN_START,       /* gint64 ns */
  HIR_COLUMN_DURATION,    /* guint32 ns, or an index in `longs`, see HIR_FLAG_LONG */
  HIR_COLUMN_BYTES,       /* guint32, or HIR_LARGE | an index in `large` */
  HIR_COLUMN_FLOPS,       /* like HIR_COLUMN_BYTES */
  HIR_COLUMN_INSTRUCTION, /* guint32: index in the trace's id table */
  HIR_COLUMN_NAME,        /* guint32: index in the trace's string table */
  HIR_COLUMN_CORRELATION, /* guint32 */
  HIR_COLUMN_ITERATION,   /* guint32: iteration + 1 */
  HIR_COLUMN_FLAGS,       /* guint8: kind | phase << 4 | HIR_FLAG_LONG */
  HIR_COLUMN_LANE,        /* guint8: lane within the track */
  HIR_COLUMN_SOURCE,      /* guint64: see HirEvent.source */
  HIR_N_COLUMNS,
} HirColumn;

#define HIR_FLAG_KIND 0x0f
#define HIR_FLAG_LONG 0x80
#define HIR_LARGE 0x80000000u

/* Values that do not fit into a 32-bit column. */
typedef struct
{
  gint64 *values;
  guint n, capacity;
} HirWideValues;

typedef struct
{
  gpointer data[HIR_N_COLUMNS]; /* NULL: all zero */
  guint n, capacity;
  HirWideValues longs; /* durations of more than 32 bits */
  HirWideValues large; /* bytes and flops of more than 31 bits; values of counters */
} HirColumns;

#define hir_column_value(columns, column, Type, i)                                                 \
  ((columns)->data[column] == NULL ? (Type) 0 : ((const Type *) (columns)->data[column])[i])

/* Returns the start time of event @i. */
static inline gint64
hir_columns_get_start (const HirColumns *columns, guint i)
{
  return ((const gint64 *) columns->data[HIR_COLUMN_START])[i];
}

/* Returns the duration of event @i in ns. */
static inline gint64
hir_columns_get_duration (const HirColumns *columns, guint i)
{
  guint32 duration = hir_column_value (columns, HIR_COLUMN_DURATION, guint32, i);

  if (hir_column_value (columns, HIR_COLUMN_FLAGS, guint8, i) & HIR_FLAG_LONG)
    return columns->longs.values[duration];
  return duration;
}

/* Returns the value of HIR_COLUMN_BYTES or HIR_COLUMN_FLOPS. */
static inline gint64
hir_columns_get_amount (const HirColumns *columns, HirColumn column, guint i)
{
  guint32 amount = hir_column_value (columns, column, guint32, i);

  return (amount & HIR_LARGE) != 0 ? columns->large.values[amount & ~HIR_LARGE] : (gint64) amount;
}

/* Returns the bytes of event @i. */
static inline gint64
hir_columns_get_bytes (const HirColumns *columns, guint i)
{
  return hir_columns_get_amount (columns, HIR_COLUMN_BYTES, i);
}

/* Returns the end time of event @i. */
static inline gint64
hir_columns_get_end (const HirColumns *columns, guint i)
{
  return hir_columns_get_start (columns, i) + hir_columns_get_duration (columns, i);
}

/* Appends an event. The name of @event and @instruction are indices in the trace's tables. Returns
 * FALSE and leaves the columns unchanged if out of memory. */
gboolean hir_columns_append (HirColumns *columns, const HirEvent *event, guint32 instruction);
/* Sorts by start, then longer events first, then order of insertion, and frees unused capacity.
 * Returns FALSE without losing events if out of memory. */
gboolean hir_columns_sort (HirColumns *columns);
/* Assigns overlapping events to different lanes, each to the lowest free lane. Requires sorted
 * columns. Returns FALSE if out of memory.
 * @n_lanes: (out): number of lanes, 1 to 255
 * @n_crowded: (out): number of events that found no free lane and share the last one */
gboolean hir_columns_assign_lanes (HirColumns *columns, guint *n_lanes, guint *n_crowded);
/* Copies @from to @to, which must be zeroed. Reserves no extra capacity. Returns FALSE if out of
 * memory; clear @to then. */
gboolean hir_columns_copy (HirColumns *to, const HirColumns *from);
/* Returns the allocated memory. */
gsize hir_columns_get_size_bytes (const HirColumns *columns);
/* Frees the contents. */
void hir_columns_clear (HirColumns *columns);
/* Returns the sorted columns of a track of a finished trace, for loops over many events. Borrowed
 * from @trace. */
const HirColumns *hir_trace_get_columns (const HirTrace *trace, guint track);

G_END_DECLS
