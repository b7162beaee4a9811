/* Writes an explanation as a part of an HTML report. */
#pragma once

#include "explain/explain.h"
#include "trace/text-out.h"

G_BEGIN_DECLS

/* Writes where the time went, what would help, and the notes, for the whole run. @path_svg
 * (nullable) is the picture of the critical path. */
void hir_html_write_explanation (HirTextOut *out, const HirExplain *explain, const char *path_svg);

G_END_DECLS
