/* Writes an explanation as text or JSON. */
#pragma once

#include "explain/explain.h"
#include "trace/text-out.h"

G_BEGIN_DECLS

/* Writes tables to read: at most @max_rows rows each. */
void hir_explain_write_text (const HirExplain *explain, guint max_rows, HirTextOut *out);
/* Writes one JSON object with all parts of the path, in nanoseconds. */
void hir_explain_write_json (const HirExplain *explain, HirTextOut *out);

G_END_DECLS
