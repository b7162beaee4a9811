/* Stores the breakpoints of each document in the user's state folder (hirscope/breakpoints.ini).
 * Those of a writable recording are also stored in its file (trace/recording/recording-note.h),
 * which has priority. No GTK. Call on the main thread. */
#pragma once

#include "base/document-memory.h"

G_BEGIN_DECLS

/* Reads the stored breakpoints. */
HirDocumentMemory *hir_break_memory_new (void);
/* Replaces the content of @breaks by the stored breakpoints of @document (HirBreak *, unbound).
 * Invalid entries are skipped. */
void hir_break_memory_restore (HirDocumentMemory *memory, const char *document, GPtrArray *breaks);
/* Stores @breaks for @document. */
void
hir_break_memory_keep (HirDocumentMemory *memory, const char *document, const GPtrArray *breaks);

G_END_DECLS
