/* The breakpoints of each document, kept in the user's state folder (hirscope/breakpoints.ini); those of a recording that
 * may be written also in its file (trace/recording-note.h), which goes first. No GTK. Main thread. */
#pragma once

#include "base/document-memory.h"

G_BEGIN_DECLS

HirDocumentMemory *hir_break_memory_new (void);
/* HirBreak* of @document, in @breaks instead of what it has; none where nothing is known. A group that was tampered with gives
 * what can be read. All are unbound until they are bound. */
void hir_break_memory_restore (HirDocumentMemory *memory, const char *document, GPtrArray *breaks);
void hir_break_memory_keep (HirDocumentMemory *memory, const char *document, const GPtrArray *breaks);

G_END_DECLS
