/* Comparing a run's outputs with the reference (`run --check`). */
#pragma once

#include "run/reference/reference.h"
#include "run/values/shard.h"

G_BEGIN_DECLS

/* Of one output. */
typedef struct
{
  char *label; /* "T2" */
  guint64 n_elements, n_failed, n_undecided, n_nan;
  /* Where the error is largest over its bound; n_dims = 0 and ratio < 0 where nothing was compared.
   */
  double ratio; /* > 1: wrong; infinite: a copy that is not equal */
  double value, reference, bound;
  guint n_dims;
  gint64 index[HIR_MAX_DIMS];
  gboolean missing; /* never bound, or of another shape or type */
  int rank;         /* which device's part that was; -1: there is one device */
} HirCheckOutput;

typedef struct
{
  GArray *outputs; /* HirCheckOutput */
  guint n_runs;
} HirCheckReport;

HirCheckReport *hir_check_report_new (HirContainer *fusion);
void hir_check_report_free (HirCheckReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirCheckReport, hir_check_report_free)

/* Compares output @i: the part that @rank holds of it, @value, nullable, with its elements row-major
 * in @elements. @shard has an entry an axis; NULL: it holds all. Keeps the worst of all runs. */
void hir_check_report_compare (HirCheckReport *report,
                               guint i,
                               const HirRefTensor *reference,
                               const HirShardAxis *shard,
                               int rank,
                               const HirValue *value,
                               gconstpointer elements);

/* What another rank found, of the same fusion: added to @report as if it had been compared here.
 * Reports go between processes; those of hir_check_report_to_variant() (floating). HIR_ERROR_RUN
 * where it is of another fusion. */
GVariant *hir_check_report_to_variant (const HirCheckReport *report);
gboolean hir_check_report_merge (HirCheckReport *report,
                                 GVariant *other,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* TRUE where no element of any output failed and none is missing. */
gboolean hir_check_report_passed (const HirCheckReport *report);
/* A line an output: what failed, or the largest error over its bound and where. Newly allocated. */
char *hir_check_report_format (const HirCheckReport *report);

G_END_DECLS
