/* The report of `run --check` as JSON; docs/json.md has the schema. */
#pragma once

#include "run/reference/check.h"

G_BEGIN_DECLS

/* Returns "right", "undecided" or "wrong", also a value of HIR_META_CHECK. */
const char *hir_check_outcome_get_name (HirCheckOutcome outcome);
/* Returns a JSON array with one object per output (transfer full). */
char *hir_check_report_to_json (const HirCheckReport *report);

G_END_DECLS
