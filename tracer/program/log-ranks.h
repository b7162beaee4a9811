/* Programs of several processes in one log: each line of a process has a tag. */
#pragma once

#include "dump/read-dump.h"

G_BEGIN_DECLS

/* Returns the rank in the tag of @dump: 3 for `[1,3]<stdout>:`; -1 if it has none. */
gint64 hir_log_get_rank (const HirDump *dump);
/* Moves the dumps of @rank, if there are any, to the front. */
void hir_log_put_first (GPtrArray *dumps, gint64 rank);
/* Compares the programs of each other process with those of the first dump's. If there are other
 * processes, adds a note to @notes (HirDiagnostic*), and one for each that has other programs. */
void hir_log_compare (const GPtrArray *dumps, GPtrArray *notes);

G_END_DECLS
