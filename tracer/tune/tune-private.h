/* Internal declarations of the search. */
#pragma once

#include "tune/tune-limit.h"
#include "tune/tune.h"

G_BEGIN_DECLS

/* A search in progress. */
typedef struct
{
  HirTune *tune;
  HirTuneSpace *space;
  const HirTuneOptions *options;
  HirTuneLimit *limit;
} HirTuneSearch;

void hir_tune_setting_free (gpointer setting);
/* Reports progress. */
void
hir_tune_search_report (const HirTuneSearch *search, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Records the given setting, and adds all settings with their predictions. Returns FALSE and sets
 * @error if the given setting cannot run. */
gboolean hir_tune_search_predict (HirTuneSearch *search, HirProgram *program, GError **error);
/* Measures the given setting and the best ones in interleaved rounds. */
void hir_tune_search_measure (HirTuneSearch *search);

G_END_DECLS
