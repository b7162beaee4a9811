/* The events of one track as columns: a column that is all zero is not kept at all. What our runs
 * record takes at most 38 bytes an event; what others recorded has no flops, instruction or iteration,
 * but a place in its file: at most 34. Numbers that are too large for their column stand beside it. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_COLUMN_START,       /* gint64 ns */
  HIR_COLUMN_DURATION,    /* guint32 ns, or a place in `longs`, see HIR_FLAG_LONG */
  HIR_COLUMN_BYTES,       /* guint32, or HIR_LARGE | a place in `large` */
  HIR_COLUMN_FLOPS,       /* the same */
  HIR_COLUMN_INSTRUCTION, /* guint32: place in the trace's id table */
  HIR_COLUMN_NAME,        /* guint32: place in the trace's string table */
  HIR_COLUMN_CORRELATION, /* guint32 */
  HIR_COLUMN_ITERATION,   /* guint32: iteration + 1 */
  HIR_COLUMN_FLAGS,       /* guint8: kind | phase << 4 | HIR_FLAG_LONG */
  HIR_COLUMN_LANE,        /* guint8: row within the track */
  HIR_COLUMN_SOURCE,      /* guint64: where its args stand */
  HIR_N_COLUMNS,
} HirColumn;

#define HIR_FLAG_LONG 0x80
#define HIR_LARGE 0x80000000u

/* What a column of 32 bits does not hold: beside it, as most are small. */
typedef struct
{
  gint64 *values;
  guint n, capacity;
} HirWideValues;

typedef struct
{
  gpointer data[HIR_N_COLUMNS]; /* NULL: all zero */
  guint n, capacity;
  HirWideValues longs; /* durations that 32 bits do not hold */
  HirWideValues large; /* bytes and flops that 31 bits do not; samples of counters */
} HirColumns;

#define hir_column_value(columns, column, Type, i)                                                 \
  ((columns)->data[column] == NULL ? (Type) 0 : ((const Type *) (columns)->data[column])[i])

static inline gint64
hir_columns_get_start (const HirColumns *columns, guint i)
{
  return ((const gint64 *) columns->data[HIR_COLUMN_START])[i];
}

static inline gint64
hir_columns_get_duration (const HirColumns *columns, guint i)
{
  guint32 duration = hir_column_value (columns, HIR_COLUMN_DURATION, guint32, i);

  if (hir_column_value (columns, HIR_COLUMN_FLAGS, guint8, i) & HIR_FLAG_LONG)
    return columns->longs.values[duration];
  return duration;
}

/* Of HIR_COLUMN_BYTES or HIR_COLUMN_FLOPS. */
static inline gint64
hir_columns_get_amount (const HirColumns *columns, HirColumn column, guint i)
{
  guint32 amount = hir_column_value (columns, column, guint32, i);

  return (amount & HIR_LARGE) != 0 ? columns->large.values[amount & ~HIR_LARGE] : (gint64) amount;
}

static inline gint64
hir_columns_get_bytes (const HirColumns *columns, guint i)
{
  return hir_columns_get_amount (columns, HIR_COLUMN_BYTES, i);
}

static inline gint64
hir_columns_get_end (const HirColumns *columns, guint i)
{
  return hir_columns_get_start (columns, i) + hir_columns_get_duration (columns, i);
}

/* FALSE where memory can't be had; the columns then hold what they held. @event's name and
 * @instruction are places in the trace's tables. */
gboolean hir_columns_append (HirColumns *columns, const HirEvent *event, guint32 instruction);
/* Sorts by start, then longer first, then order of arrival, and gives back what was reserved too
 * much. FALSE where memory can't be had; nothing is lost then. */
gboolean hir_columns_sort (HirColumns *columns);
/* Puts events that overlap into rows, each into the lowest that is free; *@n_lanes of them (>= 1,
 * <= 255).
 * *@n_crowded: those that found no free row and share the last. Sorted columns only. */
gboolean hir_columns_assign_lanes (HirColumns *columns, guint *n_lanes, guint *n_crowded);
/* @to was zero; nothing is reserved in it for more. FALSE where memory can't be had; @to is then to be cleared. */
gboolean hir_columns_copy (HirColumns *to, const HirColumns *from);
gsize hir_columns_get_size_bytes (const HirColumns *columns);
void hir_columns_clear (HirColumns *columns);
/* Of a finished trace, sorted: for loops over many events. Borrowed, as long as @trace. */
const HirColumns *hir_trace_get_columns (const HirTrace *trace, guint track);

G_END_DECLS
