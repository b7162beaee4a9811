/* Summary of a tensor's elements for display: statistics, histogram, heat map and a page of
 * numbers. A few tens of KiB, however large the tensor is. Plain data; any thread. */
#pragma once

#include <gio/gio.h>

#include "run/values/value.h"

G_BEGIN_DECLS

#define HIR_VALUE_N_BINS 32
/* Limits of queries and of summaries from other processes. */
#define HIR_VALUE_MAX_MAP 256
#define HIR_VALUE_MAX_PAGE 64

/* Which value of a distributed or debugged tensor. */
typedef enum
{
  HIR_VALUE_OF_RANK,
  HIR_VALUE_GATHERED, /* the whole tensor, gathered from all devices */
  /* the rank's value minus that of the program in sequence at the same position */
  HIR_VALUE_DIFFERENCE,
} HirValueWhat;

/* Query of a value. The axes that are not fixed span a table: the last one is its columns, the
 * others (row-major) its rows. */
typedef struct
{
  gint64 at[HIR_MAX_DIMS];       /* index of a fixed axis; -1: the whole axis */
  guint map_rows, map_columns;   /* maximum size of the heat map; 0: none */
  gint64 page_row, page_column;  /* first number of the page; clamped */
  guint page_rows, page_columns; /* maximum size of the page; 0: none */
  HirValueWhat what;             /* GATHERED and DIFFERENCE only while debugging */
} HirValueQuery;

/* Initializes @query: all axes, a map of 64 x 96, the first 16 x 8 numbers. */
void hir_value_query_init (HirValueQuery *query);

typedef struct
{
  HirDType dtype;
  guint n_dims;
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS]; /* of the tensor; strides in elements */
  HirPlaceKind place;                                /* where its memory is */
  gint64 at[HIR_MAX_DIMS];
  gint64 n_rows, n_columns; /* of the table; their product is the number of summarized elements */
  guint64 n_nan, n_inf, n_zero;
  /* of the finite elements, NaN if there are none; deviation of the population, not of a sample */
  double min, max, mean, deviation;
  /* finite elements in bins of equal width from min to max; all in the first bin if these
   * are equal */
  guint64 bins[HIR_VALUE_N_BINS];
  guint map_rows, map_columns;
  double *map; /* mean of each cell, row-major; NaN if an element of the cell is not finite */
  gint64 page_row, page_column;
  guint page_rows, page_columns;
  char **page; /* numbers as text, row-major, NULL-terminated; integers exact */
  char *note;  /* nullable: lines on elements that were never written or that a communication still
                * writes; for a difference, on whether and where it is incorrect */
} HirValueSummary;

/* Summarizes @value, in host memory and idle; a scalar is a table of one element. Blocks: reads all
 * elements twice. Errors: HIR_ERROR_INPUT if @query fixes an axis beyond its extent;
 * HIR_ERROR_UNSUPPORTED for complex, 4-bit and 8-bit types and for values without memory;
 * G_IO_ERROR_CANCELLED. */
HirValueSummary *hir_value_summary_new (const HirValue *value,
                                        const HirValueQuery *query,
                                        GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_value_summary_new(). @missing (nullable) is a bool tensor of the same shape: its true
 * elements have no value. They are left out of all numbers, are "unwritten" on the page, and are
 * counted in the note. */
HirValueSummary *hir_value_summary_new_without (const HirValue *value,
                                                const HirValue *missing,
                                                const HirValueQuery *look,
                                                GCancellable *cancellable,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns a copy of @summary. */
HirValueSummary *hir_value_summary_copy (const HirValueSummary *summary);
void hir_value_summary_free (HirValueSummary *summary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirValueSummary, hir_value_summary_free)

/* Returns the number of elements. */
guint64 hir_value_summary_get_n_elements (const HirValueSummary *summary);
/* Formats a number of the summary: "0.25", "-1.5e-08", "nan". */
char *hir_value_summary_dup_number (const HirValueSummary *summary, double number);
/* Formats the slice: "[:, 3, :]"; "" for a scalar. */
char *hir_value_summary_dup_slice (const HirValueSummary *summary);
/* Parses a slice of a tensor of that shape, "[:, 3, -1]", with or without brackets; -1 is the last
 * index. Sets only the axes of @query. On HIR_ERROR_INPUT, @query is unchanged. */
gboolean hir_value_query_parse (HirValueQuery *query,
                                const char *text,
                                guint n_dims,
                                const gint64 *sizes,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Formats the summary for a terminal: shape and strides of the slice, numbers, histogram as blocks,
 * page. Ends with a newline. */
char *hir_value_summary_format (const HirValueSummary *summary);

/* Formats the summary in one line (transfer full), with the shape of the slice: "float[4, 8], -1 to
 * 0.98, mean 0.1: 0.5, 0.25, ..."; the number itself if there is only one. */
char *hir_value_summary_dup_line (const HirValueSummary *summary);

/* Serializes @query for the control protocol (floating). */
GVariant *hir_value_query_to_variant (const HirValueQuery *query);
/* Reads a query. Sets HIR_ERROR_INPUT if it is invalid. */
gboolean hir_value_query_read (HirValueQuery *query,
                               GVariant *variant,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the type of hir_value_summary_to_variant(). */
const GVariantType *hir_value_summary_get_variant_type (void);
/* Serializes @summary (floating). */
GVariant *hir_value_summary_to_variant (const HirValueSummary *summary);
/* Reads a summary. Sets HIR_ERROR_INPUT if it is inconsistent or exceeds the limits above. */
HirValueSummary *
hir_value_summary_new_from_variant (GVariant *variant, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
