/* Stores the breakpoints and watched expressions of each document in the user's state folder
 * (hirscope/breakpoints.ini). Those of a writable recording are also stored in its file
 * (trace/recording/recording-note.h), which has priority. No GTK. Call on the main thread. */
#pragma once

#include "base/document-memory.h"
#include "debugger/debug-watches.h"

G_BEGIN_DECLS

/* Reads the file. */
HirDocumentMemory *hir_break_memory_new (void);
/* Replaces the content of @breaks by the stored breakpoints of @document (HirBreak *, unbound), and
 * that of @watches by the stored expressions. Invalid entries are skipped. */
void hir_break_memory_restore (HirDocumentMemory *memory,
                               const char *document,
                               GPtrArray *breaks,
                               HirDebugWatches *watches);
/* Stores @breaks and @watches for @document. */
void hir_break_memory_keep (HirDocumentMemory *memory,
                            const char *document,
                            const GPtrArray *breaks,
                            const HirDebugWatches *watches);

G_END_DECLS
