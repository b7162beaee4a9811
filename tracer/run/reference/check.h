/* Comparison of a run's outputs with the reference (`run --check`). */
#pragma once

#include "run/reference/reference.h"
#include "run/values/shard.h"

G_BEGIN_DECLS

/* Outcome of a check, the worst last. */
typedef enum
{
  HIR_CHECK_RIGHT,
  HIR_CHECK_UNDECIDED, /* the bounds of too many elements are too wide to say */
  HIR_CHECK_WRONG
} HirCheckOutcome;

/* Sums over the elements with an error bound, for the tests of a whole output. An element has the
 * error err and the norms own and shared of its error (reference.h). */
typedef struct
{
  guint64 n;
  double deviations; /* sum of (err / p)^2, p = own + HIR_REF_LAMBDA shared */
  double slope;      /* sum of w err ref, w = 1 / p^2 */
  double weight;     /* sum of w ref^2 */
  double own_square; /* sum of (w ref own)^2 */
  double own;        /* sum of w |ref| own */
  double shared;     /* sum of w |ref| shared */
} HirCheckSums;

/* Result of one output. */
typedef struct
{
  char *label; /* "T2" */
  guint64 n_elements, n_failed, n_undecided;
  guint64 n_nan;       /* NaN, as in the reference */
  guint64 n_unwritten; /* have the bytes of hir_poison(), but the reference has another value */
  /* The element with the largest error relative to its bound; n_dims = 0 and ratio < 0 if nothing
   * was compared. */
  double ratio; /* above 1: incorrect; infinite: a copy that is not equal */
  double value, reference, bound;
  guint n_dims;
  gint64 index[HIR_MAX_DIMS];
  gboolean missing; /* never computed, or with another shape or type */
  int rank;         /* device of that part; -1 if there is one device */
  guint64 n_whole;  /* distinct elements of the output, which parts of several ranks repeat */
  HirCheckSums sums;
} HirCheckOutput;

typedef struct
{
  GArray *outputs; /* HirCheckOutput */
  guint n_runs;
} HirCheckReport;

/* Creates an empty report for the outputs of @fusion. */
HirCheckReport *hir_check_report_new (HirContainer *fusion);
void hir_check_report_free (HirCheckReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCheckReport, hir_check_report_free)

/* Compares the part of output @i on @rank, @value (nullable), with the reference. @elements are its
 * elements, row-major. @shard has one entry per axis; NULL if the part is the whole output. Keeps
 * the worst element of all runs. */
void hir_check_report_compare (HirCheckReport *report,
                               guint i,
                               const HirRefTensor *reference,
                               const HirShardAxis *shard,
                               int rank,
                               const HirValue *value,
                               gconstpointer elements);

/* Serializes @report (floating). */
GVariant *hir_check_report_to_variant (const HirCheckReport *report);
/* Adds the serialized report @other of another rank to @report. Sets HIR_ERROR_RUN if it is of
 * another fusion. */
gboolean hir_check_report_merge (HirCheckReport *report,
                                 GVariant *other,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the outcome of one output, see hir_check_report_get_outcome(). */
HirCheckOutcome hir_check_output_get_outcome (const HirCheckOutput *output);
/* Returns the line of hir_check_report_format() for @output, with a newline (transfer full). */
char *hir_check_output_format (const HirCheckOutput *output);
/* Returns the worst outcome of all outputs. WRONG: an element differs from the reference by more
 * than its bound, the root mean square of all errors is larger than their norms allow, or the
 * errors are proportional to the results (docs/check.md#bounds). UNDECIDED: more than 1% of the
 * elements have a bound above 1% (8 units of the type, if that is more) of the larger of the
 * element and the root mean square of the output. */
HirCheckOutcome hir_check_report_get_outcome (const HirCheckReport *report);
/* Returns TRUE if no output is wrong. */
gboolean hir_check_report_passed (const HirCheckReport *report);
/* Returns one line per output: the failure, or the largest error relative to its bound and its
 * position. Newly allocated. */
char *hir_check_report_format (const HirCheckReport *report);

G_END_DECLS
