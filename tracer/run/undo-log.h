/* What debugged steps have changed, oldest first, within a bound in bytes: the oldest is dropped for
 * the newest. One thread, but for the copies of overwritten memory, which streams take. */
#pragma once

#include "run/values/value.h"

G_BEGIN_DECLS

typedef struct _HirUndoLog HirUndoLog;
typedef struct _HirUndoEntry HirUndoEntry;

HirUndoLog *hir_undo_log_new (gsize max_bytes);
void hir_undo_log_free (HirUndoLog *log);
/* Evaluators that still refer to an entry must be there. */
void hir_undo_log_clear (HirUndoLog *log);

/* So much of the bound others take; what is held here gives way, and peaks count it. */
void hir_undo_log_set_others (HirUndoLog *log, gsize n_bytes);
/* Drops entries where it is less than what is held. */
void hir_undo_log_set_max_bytes (HirUndoLog *log, gsize max_bytes);
gsize hir_undo_log_get_max_bytes (const HirUndoLog *log);
gsize hir_undo_log_get_bytes (const HirUndoLog *log);
gsize hir_undo_log_get_peak_bytes (const HirUndoLog *log);
guint hir_undo_log_get_n_entries (const HirUndoLog *log);
/* Entry @i counted from the newest; borrowed, NULL past the oldest. */
HirUndoEntry *hir_undo_log_peek (const HirUndoLog *log, guint i);
void hir_undo_log_drop_newest (HirUndoLog *log);

/* Whose step it was. */
int hir_undo_entry_get_rank (const HirUndoEntry *entry);
/* FALSE: it was larger than the bound, or memory was short. */
gboolean hir_undo_entry_is_whole (const HirUndoEntry *entry);

G_END_DECLS
