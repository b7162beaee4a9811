/* Writes the result of a search as text or JSON. */
#pragma once

#include "trace/text-out.h"
#include "tune/tune.h"

G_BEGIN_DECLS

/* Writes a table of at most @max_rows settings, the refused ones, and the
 * commands that run them; @spec is the SRC of the command line. */
void hir_tune_write_text (const HirTune *tune, const char *spec, guint max_rows, HirTextOut *out);
/* Writes one JSON object with all settings, in nanoseconds. */
void hir_tune_write_json (const HirTune *tune, const char *spec, HirTextOut *out);

G_END_DECLS
