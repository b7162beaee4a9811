/* Comparison of a run's outputs with the reference (`run --check`). */
#pragma once

#include "run/reference/reference.h"
#include "run/values/shard.h"

G_BEGIN_DECLS

/* Result of one output. */
typedef struct
{
  char *label; /* "T2" */
  guint64 n_elements, n_failed, n_undecided, n_nan;
  /* The element with the largest error relative to its bound; n_dims = 0 and ratio < 0 if nothing
   * was compared. */
  double ratio; /* above 1: incorrect; infinite: a copy that is not equal */
  double value, reference, bound;
  guint n_dims;
  gint64 index[HIR_MAX_DIMS];
  gboolean missing; /* never computed, or with another shape or type */
  int rank;         /* device of that part; -1 if there is one device */
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

/* Returns TRUE if no element failed and no output is missing. */
gboolean hir_check_report_passed (const HirCheckReport *report);
/* Returns one line per output: the failure, or the largest error relative to its bound and its
 * position. Newly allocated. */
char *hir_check_report_format (const HirCheckReport *report);

G_END_DECLS
