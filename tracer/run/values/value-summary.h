/* What can be said of a tensor's elements, and shown of them, in little room: however large it is, a
 * summary is some tens of kilobytes. Plain data, of any thread. */
#pragma once

#include <gio/gio.h>

#include "run/values/value.h"

G_BEGIN_DECLS

#define HIR_VALUE_N_BINS 32
/* No more is asked for, and no more is taken from another process. */
#define HIR_VALUE_MAX_MAP 256
#define HIR_VALUE_MAX_PAGE 64

/* Of a tensor that devices hold parts of, or in a program that is debugged. */
typedef enum
{
  HIR_VALUE_OF_RANK,
  HIR_VALUE_GATHERED,   /* the whole, put together from all devices */
  HIR_VALUE_DIFFERENCE, /* the rank's, less what the program in sequence has at this place */
} HirValueWhat;

/* What to look at. The axes that are not fixed span a table: the last one gives its columns, the others,
 * row-major, its rows. */
typedef struct
{
  gint64 at[HIR_MAX_DIMS];   /* index that an axis is fixed at; -1: all of it */
  guint map_rows, map_columns; /* at most as many cells of the heat map; 0: none */
  gint64 page_row, page_column; /* the first number of the page; clamped */
  guint page_rows, page_columns; /* at most as many; 0: none */
  HirValueWhat what; /* GATHERED and DIFFERENCE: only where a program is debugged */
} HirValueQuery;

/* All axes, a map of 64 x 96, the page's first 16 x 8. */
void hir_value_query_init (HirValueQuery *look);

typedef struct
{
  HirDType dtype;
  guint n_dims;
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS]; /* of the tensor; strides in elements */
  HirPlaceKind place; /* where its memory is */
  gint64 at[HIR_MAX_DIMS];
  gint64 n_rows, n_columns; /* of the table; their product is what is counted below */
  guint64 n_nan, n_inf, n_zero;
  double min, max, mean, deviation; /* of the finite elements; NaN where there are none. deviation: of the whole, not of a sample */
  guint64 bins[HIR_VALUE_N_BINS]; /* finite elements, bins of equal width from min to max; all in the first where these are equal */
  guint map_rows, map_columns;
  double *map; /* mean of each cell, row-major; NaN where an element of it is not finite */
  gint64 page_row, page_column;
  guint page_rows, page_columns;
  char **page; /* the numbers as text, row-major, NULL-terminated; integers exact */
  char *note;  /* nullable: of a difference, whether and where it is wrong; lines */
} HirValueSummary;

/* Of @value, in host memory and idle; a scalar is a table of one. Blocks: reads all elements twice. Errors: HIR_ERROR_INPUT where
 * @look fixes an axis beyond its extent, HIR_ERROR_UNSUPPORTED for complex and 4 or 8 bit types and for what has no
 * memory, G_IO_ERROR_CANCELLED. */
HirValueSummary *hir_value_summary_new (const HirValue *value,
                                        const HirValueQuery *look,
                                        GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirValueSummary *hir_value_summary_copy (const HirValueSummary *summary);
void hir_value_summary_free (HirValueSummary *summary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirValueSummary, hir_value_summary_free)

/* Element count, and what is not finite. */
guint64 hir_value_summary_get_n_elements (const HirValueSummary *summary);
/* A number of the summary, short: "0.25", "-1.5e-08", "nan". */
char *hir_value_summary_dup_number (const HirValueSummary *summary, double number);
/* "[:, 3, :]"; "" for a scalar. */
char *hir_value_summary_dup_slice (const HirValueSummary *summary);
/* Takes which part of a tensor of that shape is meant from @text: "[:, 3, -1]", with or without brackets; -1 is the last. Sets the
 * axes of @look only. HIR_ERROR_INPUT, @look untouched, where it is none. */
gboolean hir_value_query_parse (HirValueQuery *look, const char *text, guint n_dims, const gint64 *sizes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* For a terminal, some lines: shape, numbers, histogram as blocks, page. Ends with a newline. */
char *hir_value_summary_format (const HirValueSummary *summary);

/* For the control protocol; floating. What comes back is checked: HIR_ERROR_INPUT where it contradicts itself or is
 * larger than the limits above. */
GVariant *hir_value_query_to_variant (const HirValueQuery *look);
gboolean hir_value_query_read (HirValueQuery *look, GVariant *variant, GError **error) G_GNUC_WARN_UNUSED_RESULT;
const GVariantType *hir_value_summary_get_variant_type (void);
GVariant *hir_value_summary_to_variant (const HirValueSummary *summary);
HirValueSummary *hir_value_summary_new_from_variant (GVariant *variant, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
